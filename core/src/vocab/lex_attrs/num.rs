//! `LIKE_NUM`: digits, fractions, and a language's number words.

use super::num_grammar;
use super::num_words::{NumWords, is_numeral, is_separator};
use crate::strings::chars;

/// Returns whether the word is a number, as spaCy's `LIKE_NUM`.
///
/// One leading sign (`+`, `-`, plus-minus, `~`) and all commas and full stops are ignored. The rest
/// must be digits, a fraction of two digit sequences with a `/` between them, or one of `words`.
///
/// ```
/// use lexpool::vocab::lex_attrs::{NumWords, like_num};
///
/// let none = NumWords::default();
/// assert!(like_num("-3,000.50", &none) && like_num("1/2", &none));
/// assert!(!like_num("1/2/3", &none) && !like_num("10%", &none));
/// ```
pub fn like_num(text: &str, words: &NumWords) -> bool {
    let mut buffer = String::new();
    let lower = chars::lowered(text, &mut buffer);
    like_num_lowered(text, lower, words)
}

/// [`like_num`] for a word whose lower case is known.
pub(super) fn like_num_lowered(text: &str, lower: &str, words: &NumWords) -> bool {
    if let Some(form) = words.form() {
        return num_grammar::accepts(form, text, words);
    }
    let unsigned = text.strip_prefix(['+', '-', '\u{b1}', '~']).unwrap_or(text);
    if is_digits_or_fraction(unsigned) {
        return true;
    }
    if words.is_empty() {
        return false;
    }
    if unsigned.len() == text.len() && !text.contains(is_separator) {
        return words.accepts(lower, lower);
    }
    let mut buffer = String::new();
    // The lower case must be computed without the separators: they affect a final sigma.
    let bare: String = unsigned.chars().filter(|&c| !is_separator(c)).collect();
    let lower = chars::lowered(&bare, &mut buffer);
    words.accepts(lower, lower)
}

fn is_digits_or_fraction(text: &str) -> bool {
    // Most words fail at their first character.
    text.starts_with(|c| chars::is_digit(c) || is_separator(c))
        && match text.split_once('/') {
            None => is_numeral(text),
            Some((above, below)) => is_numeral(above) && is_numeral(below),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english() -> NumWords {
        NumWords::new(["ten", "three"], ["first", "tenth"], ["st", "nd", "rd", "th"])
    }

    #[test]
    fn digits_are_numbers_in_every_language() {
        for text in [
            "10",
            "+1",
            "-1",
            "~1",
            "\u{b1}1",
            "1,000,000.5",
            ".5",
            "5.",
            "1..2",
            "1/2",
            "1,0/2.0",
            "\u{b2}",
            "\u{663}",
            "\u{2460}",
            "-1/2",
        ] {
            assert!(like_num(text, &NumWords::default()), "{text:?}");
            assert!(like_num(text, &english()), "{text:?}");
        }
    }

    #[test]
    fn these_are_numbers_nowhere() {
        for text in [
            "",
            "+",
            ".",
            ",",
            "/",
            "1/",
            "/2",
            "1/2/3",
            "--1",
            "1-",
            "10%",
            "$10",
            "\u{bd}",
            "1e5",
            "./.",
            "1 0",
            "th",
            "+th",
            "1/2th",
            "1sth",
            "-",
            "\u{2212}1",
        ] {
            assert!(!like_num(text, &NumWords::default()), "{text:?}");
            assert!(!like_num(text, &english()), "{text:?}");
        }
    }

    #[test]
    fn words_and_ordinals_are_numbers_where_the_language_says_so() {
        for text in [
            "ten", "TEN", "-ten", "t.e.n", "ten.", "ten,", "First", "tenth", "1st", "2ND", "11th",
            "10st", "1,000th", "+1st", "\u{b2}nd",
        ] {
            assert!(!like_num(text, &NumWords::default()), "{text:?}");
            assert!(like_num(text, &english()), "{text:?}");
        }
    }

    #[test]
    fn a_separator_gone_a_sigma_is_no_longer_final() {
        let words = NumWords::new(["a\u{3c3}b"], [], []);
        assert!(like_num("A\u{3a3},B", &words));
        assert!(!like_num("A\u{3a3} B", &words));
    }
}
