//! Levenshtein distance by the bit-parallel algorithm of Myers (1999), in Hyyrö's form (2003).
//!
//! The table of the dynamic program is computed column by column. Neighbouring rows differ by at
//! most one, so a column is stored as two bit vectors (one more, one less), and a few operations on
//! words advance 64 rows at a time.

/// The number of rows that one word holds.
const ROWS: usize = 64;

/// Returns the Levenshtein distance of two strings in characters: the minimum number of insertions,
/// deletions and substitutions that make one of the other.
///
/// With a bound, any distance above it is returned as the bound plus one, at less cost.
///
/// Cost: the product of the lengths divided by 64, without the common prefix and suffix.
///
/// ```
/// use lexpool::matcher::levenshtein;
/// assert_eq!(levenshtein("kitten", "sitting", None), 3);
/// assert_eq!(levenshtein("kitten", "sitting", Some(1)), 2);
/// ```
pub fn levenshtein(a: &str, b: &str, bound: Option<usize>) -> usize {
    if a == b {
        return 0;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a[..], &b[..]) } else { (&b[..], &a[..]) };
    let (short, long) = without_common_ends(short, long);
    let bound = bound.unwrap_or(usize::MAX).min(long.len());
    let found = if long.len() - short.len() > bound {
        None
    } else if short.is_empty() {
        Some(long.len())
    } else {
        Column::new(short).run(long, bound)
    };
    found.unwrap_or(bound + 1)
}

/// Returns whether a text is at most `max` edits away from a pattern. The default of `max` is three
/// tenths of the pattern's length, but at least two.
///
/// ```
/// use lexpool::matcher::is_similar;
/// assert!(is_similar("definately", "definitely", None));
/// assert!(!is_similar("definately", "definitely", Some(0)));
/// ```
pub fn is_similar(text: &str, pattern: &str, max: Option<usize>) -> bool {
    let max = max.unwrap_or_else(|| tolerance(pattern.chars().count()));
    levenshtein(text, pattern, Some(max)) <= max
}

/// Returns the default maximum of edits for a pattern of `length` characters: three tenths of the
/// length, rounded as Python's `round` does, but at least two, which a transposition takes.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a length of a string in memory is exact as a float, and the result is not negative"
)]
pub(super) fn tolerance(length: usize) -> usize {
    ((0.3 * length as f64).round_ties_even() as usize).max(2)
}

fn without_common_ends<'a>(a: &'a [char], b: &'a [char]) -> (&'a [char], &'a [char]) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (&a[..a.len() - end], &b[..b.len() - end])
}

/// A column of the table: a row for each character of the shorter string, after a prefix of the
/// longer one.
struct Column {
    rows: usize,
    /// The distance in the last row.
    distance: usize,
    /// The rows whose distance is one more than that of the row above.
    up: Vec<u64>,
    /// The rows whose distance is one less than that of the row above.
    down: Vec<u64>,
    /// The distinct characters of the rows, sorted.
    alphabet: Vec<char>,
    /// For each character of the alphabet the bit set of the rows that have it.
    rows_of_char: Vec<u64>,
}

impl Column {
    /// Returns the column of the empty prefix.
    fn new(string: &[char]) -> Column {
        let mut alphabet = string.to_vec();
        alphabet.sort_unstable();
        alphabet.dedup();
        let words = string.len().div_ceil(ROWS);
        let mut rows_of_char = vec![0; alphabet.len() * words];
        for (row, char) in string.iter().enumerate() {
            let at = alphabet.binary_search(char).expect("the alphabet is of this string");
            rows_of_char[at * words + row / ROWS] |= 1 << (row % ROWS);
        }
        let (up, down) = (vec![u64::MAX; words], vec![0; words]);
        Column { rows: string.len(), distance: string.len(), up, down, alphabet, rows_of_char }
    }

    /// Returns the distance to a string, or `None` as soon as it must exceed the bound.
    fn run(mut self, string: &[char], bound: usize) -> Option<usize> {
        for (at, char) in string.iter().enumerate() {
            self.step(*char);
            // Each remaining character reduces the distance by at most one.
            let rest = string.len() - at - 1;
            if self.distance > bound.saturating_add(rest) {
                return None;
            }
        }
        (self.distance <= bound).then_some(self.distance)
    }

    /// Computes the next column.
    fn step(&mut self, char: char) {
        let words = self.up.len();
        let matching_rows = match self.alphabet.binary_search(&char) {
            Ok(at) => &self.rows_of_char[at * words..][..words],
            Err(_) => &[],
        };
        // The row above the first one (the empty prefix) grows by one with every column.
        let (mut more, mut less) = (1, 0);
        for word in 0..words {
            let (up, down) = (self.up[word], self.down[word]);
            let same = matching_rows.get(word).copied().unwrap_or(0);
            let matching = same | less;
            let diagonal = ((matching & up).wrapping_add(up) ^ up) | matching | down;
            let grows = down | !(diagonal | up);
            let shrinks = diagonal & up;
            if word + 1 == words {
                let last = 1 << ((self.rows - 1) % ROWS);
                self.distance += usize::from(grows & last != 0);
                self.distance -= usize::from(shrinks & last != 0);
            }
            let (grown, shrunk) = ((grows << 1) | more, (shrinks << 1) | less);
            (more, less) = (grows >> (ROWS - 1), shrinks >> (ROWS - 1));
            let changed = same | down;
            self.up[word] = shrunk | !(changed | grown);
            self.down[word] = grown & changed;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes the table cell by cell.
    fn by_table(a: &str, b: &str) -> usize {
        let b: Vec<char> = b.chars().collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, from) in a.chars().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], i + 1);
            for (j, to) in b.iter().enumerate() {
                let exchanged = diagonal + usize::from(from != *to);
                diagonal = row[j + 1];
                row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn any_two_strings_have_the_distance_of_the_table(
            a in "[ab\u{e9}\u{3042}]{0,200}",
            b in "[ab\u{e9}\u{3042}]{0,200}",
        ) {
            prop_assert_eq!(levenshtein(&a, &b, None), by_table(&a, &b));
        }

        #[test]
        fn a_bound_caps_larger_distances_and_keeps_smaller_ones(
            a in "[abc]{0,90}",
            b in "[abc]{0,90}",
            bound in 0_usize..100,
        ) {
            let distance = by_table(&a, &b);
            prop_assert_eq!(levenshtein(&a, &b, Some(bound)), distance.min(bound + 1));
        }
    }

    #[test]
    fn lengths_around_a_word_of_bits_are_right() {
        for length in [1, 63, 64, 65, 127, 128, 129] {
            let (a, b) = ("a".repeat(length), "b".repeat(length + 1));
            assert_eq!(levenshtein(&a, &b, None), length + 1);
        }
    }

    #[test]
    fn the_tolerance_is_two_or_three_tenths_rounded_to_even() {
        assert_eq!([0, 8, 9, 15, 25].map(tolerance), [2, 2, 3, 4, 8]);
    }
}
