//! Numbers in a row, of which ranges are raised and the greatest are asked for: a segment tree.

use std::ops::Range;

/// A row of numbers, all zero at first. Raising a range and asking for its greatest number take
/// time logarithmic in the length of the row.
pub(super) struct RangeMax {
    /// The number of leaves, a power of two. The node `i` is above `2 * i` and `2 * i + 1`.
    leaves: usize,
    /// The greatest number below each node, of those that were raised within it.
    greatest: Vec<usize>,
    /// The number that all below a node were raised to as a whole.
    floor: Vec<usize>,
}

impl RangeMax {
    pub(super) fn new(len: usize) -> RangeMax {
        let leaves = len.next_power_of_two();
        RangeMax { leaves, greatest: vec![0; 2 * leaves], floor: vec![0; 2 * leaves] }
    }

    /// Raises all numbers of a range that are lower to one.
    pub(super) fn raise(&mut self, range: Range<usize>, to: usize) {
        let (mut start, mut end) = (range.start + self.leaves, range.end + self.leaves);
        while start < end {
            if start % 2 == 1 {
                self.raise_node(start, to);
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                self.raise_node(end, to);
            }
            start /= 2;
            end /= 2;
        }
    }

    fn raise_node(&mut self, mut node: usize, to: usize) {
        self.floor[node] = self.floor[node].max(to);
        while node > 0 && self.greatest[node] < to {
            self.greatest[node] = to;
            node /= 2;
        }
    }

    /// The greatest number of a range; zero for an empty one.
    pub(super) fn greatest(&self, range: Range<usize>) -> usize {
        let (mut start, mut end) = (range.start + self.leaves, range.end + self.leaves);
        let mut greatest = 0;
        while start < end {
            if start % 2 == 1 {
                greatest = greatest.max(self.with_floors_above(start));
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                greatest = greatest.max(self.with_floors_above(end));
            }
            start /= 2;
            end /= 2;
        }
        greatest
    }

    /// The greatest number below a node, of all that were raised there or with nodes above it.
    fn with_floors_above(&self, node: usize) -> usize {
        let above = std::iter::successors(Some(node / 2), |node| Some(node / 2));
        let floors = above.take_while(|node| *node > 0).map(|node| self.floor[node]);
        floors.fold(self.greatest[node], usize::max)
    }

    /// Calls `visit` for each place of a range whose number is above a bound, in time logarithmic
    /// in the length of the row for each of them. Numbers must have been raised one by one.
    pub(super) fn each_above(
        &self,
        range: &Range<usize>,
        bound: usize,
        visit: &mut impl FnMut(usize),
    ) {
        // Nodes with the places of their leaves.
        let mut nodes = vec![(1, 0..self.leaves)];
        while let Some((node, places)) = nodes.pop() {
            let is_outside = places.end <= range.start || range.end <= places.start;
            if is_outside || self.greatest[node] <= bound {
                continue;
            }
            if node >= self.leaves {
                visit(places.start);
                continue;
            }
            let middle = places.start.midpoint(places.end);
            nodes.extend([(2 * node, places.start..middle), (2 * node + 1, middle..places.end)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 7_usize;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            (state >> 33) % below
        }
    }

    #[test]
    fn ranges_have_the_greatest_of_their_numbers() {
        let mut number = numbers();
        for len in [1, 2, 3, 7, 8, 33] {
            let (mut tree, mut row) = (RangeMax::new(len), vec![0; len]);
            for _ in 0..300 {
                let start = number(len);
                let range = start..start + 1 + number(len - start);
                assert_eq!(tree.greatest(range.clone()), *row[range].iter().max().unwrap());
                let start = number(len);
                let range = start..start + 1 + number(len - start);
                let to = number(50);
                tree.raise(range.clone(), to);
                row[range].iter_mut().for_each(|number| *number = to.max(*number));
            }
        }
    }

    #[test]
    fn all_places_with_numbers_above_a_bound_are_found() {
        let mut number = numbers();
        let row: Vec<usize> = (0..33).map(|_| number(20)).collect();
        let mut tree = RangeMax::new(row.len());
        row.iter().enumerate().for_each(|(place, to)| tree.raise(place..place + 1, *to));
        for bound in 0..20 {
            let (start, mut places) = (number(33), Vec::new());
            tree.each_above(&(start..30), bound, &mut |place| places.push(place));
            places.sort_unstable();
            let expected: Vec<_> = (start..30).filter(|place| row[*place] > bound).collect();
            assert_eq!(places, expected);
        }
    }
}
