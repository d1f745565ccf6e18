//! Sets of characters as sorted ranges of code points.

/// A set of code points: sorted, disjoint, non-adjacent inclusive ranges.
///
/// Code points are `u32`, not `char`, because a pattern may name surrogates, although a `str`
/// cannot contain them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CharSet {
    ranges: Vec<(u32, u32)>,
}

impl CharSet {
    /// Returns the set of all code points in `ranges`, which may overlap and be in any order.
    pub(crate) fn new(mut ranges: Vec<(u32, u32)>) -> CharSet {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        CharSet { ranges: merged }
    }

    /// Returns the set of one code point.
    pub(crate) fn single(point: u32) -> CharSet {
        CharSet { ranges: vec![(point, point)] }
    }

    /// Returns the set of the characters in a table of inclusive ranges.
    pub(crate) fn of_chars(table: &[(char, char)]) -> CharSet {
        CharSet::new(table.iter().map(|&(low, high)| (low as u32, high as u32)).collect())
    }

    /// Returns the ranges: sorted, inclusive, with a gap between any two.
    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    pub(crate) fn contains(&self, point: u32) -> bool {
        let after = self.ranges.partition_point(|&(low, _)| low <= point);
        after > 0 && point <= self.ranges[after - 1].1
    }

    /// Returns the set of all other code points, surrogates included.
    pub(crate) fn complement(&self) -> CharSet {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.ranges {
            if next < low {
                ranges.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= u32::from(char::MAX) {
            ranges.push((next, u32::from(char::MAX)));
        }
        CharSet { ranges }
    }

    /// Returns the members as bytes if all are ASCII and there are at most `max`.
    pub(crate) fn few_ascii(&self, max: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for &(low, high) in &self.ranges {
            if high >= 128 || bytes.len() + (high - low) as usize >= max {
                return None;
            }
            bytes.extend((low..=high).filter_map(|point| u8::try_from(point).ok()));
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged_when_they_touch() {
        let set = CharSet::new(vec![(7, 9), (1, 3), (4, 5), (8, 12)]);
        assert_eq!(set.ranges(), [(1, 5), (7, 12)]);
    }

    #[test]
    fn a_complement_of_a_complement_is_the_set() {
        let set = CharSet::new(vec![(0, 3), (10, 20), (0x10_FFFF, 0x10_FFFF)]);
        assert_eq!(set.complement().complement(), set);
        assert!(!set.complement().contains(20) && set.complement().contains(21));
    }

    #[test]
    fn few_ascii_lists_members_only_up_to_its_bound() {
        let set = CharSet::new(vec![(65, 67)]);
        assert_eq!(set.few_ascii(3), Some(b"ABC".to_vec()));
        assert_eq!(set.few_ascii(2), None);
        assert_eq!(CharSet::single(0xE9).few_ascii(3), None);
    }
}
