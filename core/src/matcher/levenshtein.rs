//! Levenshtein distance by the bit-parallel algorithm of Myers (1999), in Hyyrö's form (2003).
//!
//! The table of the dynamic program is computed column by column. Neighbouring rows differ by at
//! most one, so a column is stored as two bit vectors (one more, one less), and a few operations on
//! words advance 64 rows at a time. Under a bound only the words near the diagonal are computed
//! (Ukkonen 1985): a cell that is farther from it than the bound has a distance above the bound.

use std::ops::Range;

use lexpool_threads::StepCounter;

use crate::Result;

/// The number of rows that one word holds.
const ROWS: usize = 64;

/// Returns the Levenshtein distance of two strings in characters: the minimum number of insertions,
/// deletions and substitutions that make one of the other.
///
/// With a bound, any distance above it is returned as the bound plus one, at less cost.
///
/// Cost: the product of the lengths divided by 64, without the common prefix and suffix; with a
/// bound, that of one length and the bound, divided by 32.
///
/// ```
/// use lexpool::matcher::levenshtein;
/// assert_eq!(levenshtein("kitten", "sitting", None), 3);
/// assert_eq!(levenshtein("kitten", "sitting", Some(1)), 2);
/// ```
pub fn levenshtein(a: &str, b: &str, bound: Option<usize>) -> usize {
    levenshtein_with(a, b, bound, &mut || Ok(())).expect("the check has no errors")
}

/// Returns the distance as [`levenshtein`] does, and calls `check` once every million steps, each
/// of which computes 64 cells.
///
/// # Errors
///
/// Those of `check`.
pub fn levenshtein_with(
    a: &str,
    b: &str,
    bound: Option<usize>,
    check: &mut dyn FnMut() -> Result<()>,
) -> Result<usize> {
    if a == b {
        return Ok(0);
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a[..], &b[..]) } else { (&b[..], &a[..]) };
    let (short, long) = without_common_ends(short, long);
    let bound = bound.unwrap_or(usize::MAX).min(long.len());
    let distance = if long.len() - short.len() > bound {
        None
    } else if short.is_empty() {
        Some(long.len())
    } else {
        Column::new(short).run(long, bound, &mut StepCounter::new(check))?
    };
    Ok(distance.unwrap_or(bound + 1))
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
    is_similar_with(text, pattern, max, &mut || Ok(())).expect("the check has no errors")
}

/// Compares as [`is_similar`] does, and calls `check` as [`levenshtein_with`] does.
///
/// # Errors
///
/// Those of `check`.
pub fn is_similar_with(
    text: &str,
    pattern: &str,
    max: Option<usize>,
    check: &mut dyn FnMut() -> Result<()>,
) -> Result<bool> {
    let max = max.unwrap_or_else(|| tolerance(pattern.chars().count()));
    Ok(levenshtein_with(text, pattern, Some(max), check)? <= max)
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
    /// The words that are computed.
    words: Range<usize>,
    /// The distance in the last row of these words.
    distance: usize,
    /// The rows whose distance is one more than that of the row above.
    up: Vec<u64>,
    /// The rows whose distance is one less than that of the row above.
    down: Vec<u64>,
    /// The distinct characters of the rows, sorted.
    alphabet: Vec<char>,
    /// For each character of the alphabet, and behind the last one, where its words begin.
    starts: Vec<usize>,
    /// For each character of the alphabet the words that have it, each with the bits of its rows.
    rows_of_char: Vec<(usize, u64)>,
}

impl Column {
    /// Returns the column of the empty prefix.
    fn new(string: &[char]) -> Column {
        let mut order: Vec<usize> = (0..string.len()).collect();
        order.sort_unstable_by_key(|row| (string[*row], *row));
        let (mut alphabet, mut starts) = (Vec::new(), Vec::new());
        let mut rows_of_char: Vec<(usize, u64)> = Vec::new();
        for row in order {
            let (word, bit) = (row / ROWS, 1 << (row % ROWS));
            let is_new = alphabet.last() != Some(&string[row]);
            if is_new {
                alphabet.push(string[row]);
                starts.push(rows_of_char.len());
            }
            match rows_of_char.last_mut().filter(|(last, _)| !is_new && *last == word) {
                Some((_, bits)) => *bits |= bit,
                None => rows_of_char.push((word, bit)),
            }
        }
        starts.push(rows_of_char.len());
        let words = string.len().div_ceil(ROWS);
        Column {
            rows: string.len(),
            words: 0..0,
            distance: 0,
            up: vec![u64::MAX; words],
            down: vec![0; words],
            alphabet,
            starts,
            rows_of_char,
        }
    }

    /// Returns the distance to a string, or `None` as soon as it must exceed the bound.
    fn run(
        mut self,
        string: &[char],
        bound: usize,
        steps: &mut StepCounter<'_>,
    ) -> Result<Option<usize>> {
        for (at, char) in string.iter().enumerate() {
            self.widen(at, bound);
            self.step(*char);
            steps.after(self.words.len())?;
            // Each remaining character reduces the distance by at most one.
            let rest = string.len() - at - 1;
            let is_complete = self.words.end == self.up.len();
            if is_complete && self.distance > bound.saturating_add(rest) {
                return Ok(None);
            }
        }
        Ok(Some(self.distance).filter(|distance| *distance <= bound))
    }

    /// Moves the words that are computed to the rows near the diagonal of a column. What is left
    /// out grows by one with each row and column, which is never too little.
    fn widen(&mut self, column: usize, bound: usize) {
        self.words.start = column.saturating_sub(bound) / ROWS;
        let last_row = column.saturating_add(bound).min(self.rows - 1);
        while self.words.end <= last_row / ROWS {
            self.distance += ROWS.min(self.rows - self.words.end * ROWS);
            self.words.end += 1;
        }
    }

    /// Computes the next column.
    fn step(&mut self, char: char) {
        let mut of_char = match self.alphabet.binary_search(&char) {
            Ok(at) => &self.rows_of_char[self.starts[at]..self.starts[at + 1]],
            Err(_) => &[],
        };
        let before = of_char.partition_point(|(word, _)| *word < self.words.start);
        of_char = &of_char[before..];
        // The row above the first one (the empty prefix) grows by one with every column.
        let (mut more, mut less) = (1, 0);
        for word in self.words.clone() {
            let (up, down) = (self.up[word], self.down[word]);
            let same = match of_char {
                [(at, rows), rest @ ..] if *at == word => {
                    of_char = rest;
                    *rows
                }
                _ => 0,
            };
            let matching = same | less;
            let diagonal = ((matching & up).wrapping_add(up) ^ up) | matching | down;
            let grows = down | !(diagonal | up);
            let shrinks = diagonal & up;
            if word + 1 == self.words.end {
                let last = 1 << ((self.rows.min(self.words.end * ROWS) - 1) % ROWS);
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
            a in "[abc]{0,400}",
            b in "[abc]{0,400}",
            bound in 0_usize..300,
        ) {
            let distance = by_table(&a, &b);
            prop_assert_eq!(levenshtein(&a, &b, Some(bound)), distance.min(bound + 1));
        }
    }

    #[test]
    fn with_a_bound_the_work_grows_with_the_length() {
        let (a, b) = ("ab".repeat(200_000), "ba".repeat(200_001));
        let mut checks = 0;
        let distance = levenshtein_with(&a, &b, Some(60), &mut || {
            checks += 1;
            Ok(())
        });
        assert_eq!((distance.unwrap(), checks), (2, 1));
    }

    #[test]
    fn long_work_can_be_given_up() {
        let stop = || crate::Error::value(crate::codes::STOPPED, "enough");
        let (a, b) = ("ab".repeat(20_000), "cd".repeat(20_000));
        let stopped = levenshtein_with(&a, &b, None, &mut || Err(stop()));
        assert_eq!(stopped.unwrap_err().code(), crate::codes::STOPPED.as_str());
    }

    #[test]
    fn as_many_characters_as_rows_take_little_memory() {
        let text: String = ('\u{4e00}'..'\u{9f00}').collect();
        let column = Column::new(&text.chars().collect::<Vec<_>>());
        assert_eq!(column.rows_of_char.len(), column.rows);
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
