//! Case folding as in Python's `re.IGNORECASE`.
//!
//! Python converts the character of the text to lower case, one to one, and searches for it among
//! the lower-case forms of the pattern's characters and all lower-case characters with the same
//! upper case (`_EXTRA_CASES` in `Lib/re/_casefix.py`). The pattern's sets are closed under that
//! relation when they are compiled, so that a search compares characters as they are.

use std::sync::LazyLock;

use crate::charset::CharSet;
use lexpool_chars::WORD;

/// The groups of lower-case characters with the same upper case.
static SHARED_UPPER: [&[u32]; 24] = [
    &[0x69, 0x131],
    &[0x73, 0x17F],
    &[0xB5, 0x3BC],
    &[0x345, 0x3B9, 0x1FBE],
    &[0x390, 0x1FD3],
    &[0x3B0, 0x1FE3],
    &[0x3B2, 0x3D0],
    &[0x3B5, 0x3F5],
    &[0x3B8, 0x3D1],
    &[0x3BA, 0x3F0],
    &[0x3C0, 0x3D6],
    &[0x3C1, 0x3F1],
    &[0x3C2, 0x3C3],
    &[0x3C6, 0x3D5],
    &[0x432, 0x1C80],
    &[0x434, 0x1C81],
    &[0x43E, 0x1C82],
    &[0x441, 0x1C83],
    &[0x442, 0x1C84, 0x1C85],
    &[0x44A, 0x1C86],
    &[0x463, 0x1C87],
    &[0x1C88, 0xA64B],
    &[0x1E61, 0x1E9B],
    &[0xFB05, 0xFB06],
];

/// The pairs `(character, its lower case)` that differ, sorted by character.
static LOWER_CASE: LazyLock<Vec<(u32, u32)>> = LazyLock::new(|| {
    // The ideographs between these blocks do not have case.
    let blocks = ['\0'..='\u{2FFF}', '\u{A000}'..='\u{ABFF}', '\u{FB00}'..='\u{1EFFF}'];
    let words = CharSet::of_chars(WORD);
    let mut pairs = Vec::new();
    for c in blocks.into_iter().flatten() {
        let Some(low) = c.to_lowercase().next().filter(|&low| low != c) else { continue };
        // The standard library knows letters that were added after the pinned version of Unicode.
        // Circled letters are symbols, not letters, but have case.
        if words.contains(c.into()) || ('\u{24B6}'..='\u{24CF}').contains(&c) {
            pairs.push((c.into(), low.into()));
        }
    }
    pairs
});

/// Returns the set of characters that match `set` under `re.IGNORECASE`.
pub(crate) fn fold_case(set: &CharSet) -> CharSet {
    let mut ranges = set.ranges().to_vec();
    for &(low, high) in set.ranges() {
        let first = LOWER_CASE.partition_point(|&(c, _)| c < low);
        let pairs = LOWER_CASE[first..].iter().take_while(|&&(c, _)| c <= high);
        ranges.extend(pairs.map(|&(_, lower)| (lower, lower)));
    }
    let lowered = CharSet::new(ranges.clone());
    for group in SHARED_UPPER {
        if group.iter().any(|&c| lowered.contains(c)) {
            ranges.extend(group.iter().map(|&c| (c, c)));
        }
    }
    let lowered = CharSet::new(ranges.clone());
    let upper = LOWER_CASE.iter().filter(|&&(_, lower)| lowered.contains(lower));
    ranges.extend(upper.map(|&(c, _)| (c, c)));
    CharSet::new(ranges)
}

/// Returns the set of characters that match `set` under `re.IGNORECASE | re.ASCII`.
pub(crate) fn fold_ascii_case(set: &CharSet) -> CharSet {
    let mut ranges = set.ranges().to_vec();
    for (lower, upper) in (b'a'..=b'z').zip(b'A'..=b'Z') {
        let (lower, upper) = (u32::from(lower), u32::from(upper));
        if set.contains(lower) || set.contains(upper) {
            ranges.extend([(lower, lower), (upper, upper)]);
        }
    }
    CharSet::new(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched_by(c: char) -> Vec<char> {
        let set = fold_case(&CharSet::single(c.into()));
        set.ranges().iter().flat_map(|&(a, b)| a..=b).filter_map(char::from_u32).collect()
    }

    #[test]
    fn a_letter_matches_both_of_its_cases_and_letters_with_the_same_upper_case() {
        assert_eq!(matched_by('k'), ['K', 'k', '\u{212A}']);
        assert_eq!(matched_by('S'), ['S', 's', '\u{17F}']);
        assert_eq!(matched_by('\u{3B9}'), ['\u{345}', '\u{399}', '\u{3B9}', '\u{1FBE}']);
        assert_eq!(matched_by('\u{DF}'), ['\u{DF}', '\u{1E9E}']);
        assert_eq!(matched_by('7'), ['7']);
    }

    #[test]
    fn ascii_case_stays_within_ascii() {
        let set = fold_ascii_case(&CharSet::new(vec![('j'.into(), 'k'.into()), (0xE9, 0xE9)]));
        assert_eq!(set.ranges(), [(74, 75), (106, 107), (0xE9, 0xE9)]);
    }
}
