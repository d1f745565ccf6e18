//! Formatted numbers, such as times and addresses, that were cut into several words.

use lexpool_chars as chars;

/// Joins the words of each formatted number, given the ends of the words of a text: digits with
/// points, commas or colons between them. A word that reaches beyond the number is joined whole, as
/// PyThaiNLP's `rejoin_formatted_num` does.
pub(super) fn join(text: &[char], ends: &mut Vec<usize>) {
    let mut numbers = Numbers { text, at: 0 };
    let mut number = numbers.next();
    let mut n_ends = 0;
    let mut pos = 0;
    let mut i = 0;
    while i < ends.len() {
        match number {
            Some((start, end)) if pos >= start => {
                let before = pos;
                while pos < end && i < ends.len() {
                    pos = ends[i];
                    i += 1;
                }
                if pos > before {
                    ends[n_ends] = pos;
                    n_ends += 1;
                }
                number = numbers.next();
            }
            _ => {
                pos = ends[i];
                ends[n_ends] = pos;
                n_ends += 1;
                i += 1;
            }
        }
    }
    ends.truncate(n_ends);
}

/// The formatted numbers of a text, as ranges of characters.
struct Numbers<'t> {
    text: &'t [char],
    at: usize,
}

impl Iterator for Numbers<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let digits = |from: usize| {
            let rest = self.text.get(from..).unwrap_or_default();
            from + rest.iter().take_while(|c| chars::is_decimal(**c)).count()
        };
        while self.at < self.text.len() {
            let start = self.at;
            let mut end = digits(start);
            if end == start {
                self.at += 1;
                continue;
            }
            let mut parts = 1;
            while matches!(self.text.get(end), Some('.' | ',' | ':')) && digits(end + 1) > end + 1 {
                end = digits(end + 1);
                parts += 1;
            }
            self.at = end;
            if parts > 1 {
                return Some((start, end));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(words: &[&str]) -> Vec<String> {
        let text: Vec<char> = words.concat().chars().collect();
        let mut ends: Vec<usize> = words
            .iter()
            .scan(0, |end, word| {
                *end += word.chars().count();
                Some(*end)
            })
            .collect();
        join(&text, &mut ends);
        let mut start = 0;
        let word = |end: usize| text[std::mem::replace(&mut start, end)..end].iter().collect();
        ends.into_iter().map(word).collect()
    }

    #[test]
    fn words_of_a_number_are_joined() {
        assert_eq!(
            joined(&["a", "12", ":", "30b", " ", "1", ",", "2"]),
            ["a", "12:30b", " ", "1,2"]
        );
        assert_eq!(joined(&["1", ".", ".", "2"]), ["1", ".", ".", "2"]);
        assert_eq!(joined(&["๑", ".", "๒"]), ["๑.๒"]);
    }

    #[test]
    fn a_word_that_contains_the_start_of_a_number_is_left() {
        assert_eq!(joined(&["a1.", "2", "3"]), ["a1.", "23"]);
        assert!(joined(&[]).is_empty());
    }
}
