//! How many characters have to be put in, taken out or exchanged to make one string of another.
//!
//! The table of distances is computed a column at a time, 64 rows in a few operations on words of
//! bits that say where the next row is one more or one less (Myers 1999, in Hyyro's form).

/// Rows of the table that one word of bits holds.
const ROWS: usize = 64;

/// The edit distance of two strings, in characters.
///
/// With a bound, a distance above it is given as the bound plus one, and found out sooner.
///
/// Cost: the product of the lengths, divided by 64; what the strings begin and end with in common
/// is free.
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

/// Whether a text is as good as a pattern: at most `most` edits away, or without a number two edits
/// or three tenths of the pattern's length, whichever is more.
///
/// ```
/// use lexpool::matcher::is_similar;
/// assert!(is_similar("definately", "definitely", None));
/// assert!(!is_similar("definately", "definitely", Some(0)));
/// ```
pub fn is_similar(text: &str, pattern: &str, most: Option<usize>) -> bool {
    let most = most.unwrap_or_else(|| tolerance(pattern.chars().count()));
    levenshtein(text, pattern, Some(most)) <= most
}

/// Two edits, which an exchange of neighbours takes, or three tenths of a length, rounded as Python
/// rounds.
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

/// A column of the table: a row for each character of one string, after some of the other's.
struct Column {
    rows: usize,
    /// The distance in the last row.
    distance: usize,
    /// Where a row is one more than the one above.
    up: Vec<u64>,
    /// Where a row is one less than the one above.
    down: Vec<u64>,
    /// The characters of the rows, sorted, each once.
    alphabet: Vec<char>,
    /// For each of them a bit for every row that has it.
    places: Vec<u64>,
}

impl Column {
    /// The column before the first character.
    fn new(string: &[char]) -> Column {
        let mut alphabet = string.to_vec();
        alphabet.sort_unstable();
        alphabet.dedup();
        let words = string.len().div_ceil(ROWS);
        let mut places = vec![0; alphabet.len() * words];
        for (row, char) in string.iter().enumerate() {
            let at = alphabet.binary_search(char).expect("the alphabet is of this string");
            places[at * words + row / ROWS] |= 1 << (row % ROWS);
        }
        let (up, down) = (vec![u64::MAX; words], vec![0; words]);
        Column { rows: string.len(), distance: string.len(), up, down, alphabet, places }
    }

    /// The distance after all characters of a string, or none once it has to end above the bound.
    fn run(mut self, string: &[char], bound: usize) -> Option<usize> {
        for (at, char) in string.iter().enumerate() {
            self.step(*char);
            // Each of the characters to come takes away one at most.
            let rest = string.len() - at - 1;
            if self.distance > bound.saturating_add(rest) {
                return None;
            }
        }
        (self.distance <= bound).then_some(self.distance)
    }

    /// Goes to the next column.
    fn step(&mut self, char: char) {
        let words = self.up.len();
        let places = match self.alphabet.binary_search(&char) {
            Ok(at) => &self.places[at * words..][..words],
            Err(_) => &[],
        };
        // The row above the first grows by one with every column.
        let (mut more, mut less) = (1, 0);
        for word in 0..words {
            let (up, down) = (self.up[word], self.down[word]);
            let same = places.get(word).copied().unwrap_or(0);
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

    /// The table, cell by cell.
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
        fn a_bound_cuts_the_distance_and_changes_nothing_below(
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
