//! Flags of the classes of a word's characters, and flags of words in short lists.

use ahash::AHashSet;

use crate::strings::chars::{self, Class};

/// Returns whether every character is a letter; false for the empty word.
pub fn is_alpha(text: &str) -> bool {
    CharSummary::of(text).is_alpha()
}

/// Returns whether every character is ASCII; true for the empty word.
pub fn is_ascii(text: &str) -> bool {
    text.is_ascii()
}

/// Returns whether every character is a digit, including superscript and circled digits; false for
/// the empty word.
pub fn is_digit(text: &str) -> bool {
    CharSummary::of(text).is_digit()
}

/// Returns whether there is a cased character and all cased characters are lower case, as
/// `str.islower`.
pub fn is_lower(text: &str) -> bool {
    CharSummary::of(text).is_lower()
}

/// Returns whether every character is punctuation; true for the empty word.
pub fn is_punct(text: &str) -> bool {
    CharSummary::of(text).is_punct()
}

/// Returns whether every character is white space; false for the empty word.
pub fn is_space(text: &str) -> bool {
    CharSummary::of(text).is_space()
}

/// Returns whether there is a cased character and each run of cased characters is a capital
/// followed by lower case, as `str.istitle`.
///
/// ```
/// use lexpool::vocab::lex_attrs::is_title;
///
/// assert!(is_title("Ahab") && is_title("They'Ll") && is_title("A1B"));
/// assert!(!is_title("McCoy") && !is_title("They'll") && !is_title("1"));
/// ```
pub fn is_title(text: &str) -> bool {
    CharSummary::of(text).is_title()
}

/// Returns whether there is a cased character and all cased characters are upper case, as
/// `str.isupper`.
pub fn is_upper(text: &str) -> bool {
    CharSummary::of(text).is_upper()
}

/// Returns whether every character is a currency sign; true for the empty word.
pub fn is_currency(text: &str) -> bool {
    CharSummary::of(text).is_currency()
}

/// Returns whether the word is one of `()[]{}<>`.
pub fn is_bracket(text: &str) -> bool {
    PunctMark::of(text).is_some_and(|mark| mark.bracket)
}

/// Returns whether the word is a quotation mark, single or double, or `''` or two backticks.
pub fn is_quote(text: &str) -> bool {
    PunctMark::of(text).is_some_and(|mark| mark.quote)
}

/// Returns whether the word is a bracket or a quotation mark that can open.
pub fn is_left_punct(text: &str) -> bool {
    PunctMark::of(text).is_some_and(|mark| mark.left)
}

/// Returns whether the word is a bracket or a quotation mark that can close.
pub fn is_right_punct(text: &str) -> bool {
    PunctMark::of(text).is_some_and(|mark| mark.right)
}

/// Returns whether the word in lower case is one of `stops`.
pub fn is_stop(text: &str, stops: &AHashSet<String>) -> bool {
    let mut buffer = String::new();
    stops.contains(chars::lowered(text, &mut buffer))
}

/// The character classes of a word, found in one pass.
#[derive(Clone, Copy)]
pub(super) struct CharSummary {
    is_empty: bool,
    /// The union of the classes of all characters.
    some: Class,
    /// The intersection of the classes of all characters; all classes for the empty word.
    every: Class,
    /// True if capitals follow only uncased characters, and lower-case characters only cased ones.
    alternates: bool,
}

impl CharSummary {
    pub(super) fn of(text: &str) -> CharSummary {
        // Compiled twice, since ASCII needs no decoding.
        let empty = CharSummary {
            is_empty: text.is_empty(),
            some: Class::NONE,
            every: Class::ALL,
            alternates: true,
        };
        if text.is_ascii() {
            empty.extended(text.bytes().map(chars::ascii_class))
        } else {
            empty.extended(text.chars().map(chars::class))
        }
    }

    fn extended(mut self, classes: impl Iterator<Item = Class>) -> CharSummary {
        let mut after_cased = false;
        for class in classes {
            self.some |= class;
            self.every = self.every & class;
            let capital = class.any(Class::UPPER | Class::TITLE);
            let small = class.any(Class::LOWER);
            self.alternates &= !(capital && after_cased || small && !after_cased);
            after_cased = capital || small;
        }
        self
    }

    pub(super) fn is_alpha(self) -> bool {
        !self.is_empty && self.every.any(Class::ALPHA)
    }

    pub(super) fn is_digit(self) -> bool {
        !self.is_empty && self.every.any(Class::DIGIT)
    }

    pub(super) fn is_space(self) -> bool {
        !self.is_empty && self.every.any(Class::SPACE)
    }

    pub(super) fn is_punct(self) -> bool {
        self.every.any(Class::PUNCT)
    }

    pub(super) fn is_currency(self) -> bool {
        self.every.any(Class::CURRENCY)
    }

    pub(super) fn is_lower(self) -> bool {
        self.some & Class::CASED == Class::LOWER
    }

    pub(super) fn is_upper(self) -> bool {
        self.some & Class::CASED == Class::UPPER
    }

    pub(super) fn is_title(self) -> bool {
        self.alternates && self.some.any(Class::CASED)
    }
}

/// The properties of a bracket or a quotation mark.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "four independent flags of spaCy")]
pub(super) struct PunctMark {
    pub(super) bracket: bool,
    pub(super) quote: bool,
    pub(super) left: bool,
    pub(super) right: bool,
}

impl PunctMark {
    /// Returns the properties of a word that is a bracket or a quotation mark.
    pub(super) fn of(text: &str) -> Option<PunctMark> {
        let none = PunctMark { bracket: false, quote: false, left: false, right: false };
        let bracket = PunctMark { bracket: true, ..none };
        let quote = PunctMark { quote: true, ..none };
        Some(match text {
            "(" | "[" | "{" | "<" => PunctMark { left: true, ..bracket },
            ")" | "]" | "}" | ">" => PunctMark { right: true, ..bracket },
            "\"" | "'" => PunctMark { left: true, right: true, ..quote },
            "`" => quote,
            "``" | "\u{ab}" | "\u{2018}" | "\u{201a}" | "\u{201b}" | "\u{201c}" | "\u{201e}"
            | "\u{201f}" | "\u{2039}" | "\u{276e}" => PunctMark { left: true, ..quote },
            "''" | "\u{bb}" | "\u{2019}" | "\u{201d}" | "\u{203a}" | "\u{276f}" => {
                PunctMark { right: true, ..quote }
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, asks: fn(&str) -> bool, yes: &[&str], no: &[&str]) {
        for text in yes {
            assert!(asks(text), "{name} accepts {text:?}");
        }
        for text in no {
            assert!(!asks(text), "{name} refuses {text:?}");
        }
    }

    #[test]
    fn classes_must_hold_for_every_character() {
        check("is_alpha", is_alpha, &["a", "Z\u{e9}\u{4e00}"], &["", "a1", "a ", "\u{2160}"]);
        check("is_ascii", is_ascii, &["", "a1", "\0"], &["\u{e9}", "a\u{80}"]);
        check("is_digit", is_digit, &["1", "\u{b2}\u{663}"], &["", "1.", "\u{bd}", "a"]);
        check("is_space", is_space, &[" ", "\n\t\u{a0}\u{1f}"], &["", " a", "\u{200b}"]);
        check("is_punct", is_punct, &["", ".", "--", "\u{2026}\u{bf}"], &["$", ".a", "+", "`"]);
        check("is_currency", is_currency, &["", "$", "$\u{20ac}"], &["US$", "$1"]);
    }

    #[test]
    fn case_looks_at_cased_characters_only() {
        check("is_lower", is_lower, &["a", "a1", "a-\u{4e00}", "\u{2170}"], &["", "1", "aB", "A"]);
        check("is_lower", is_lower, &[], &["a\u{1c5}"]);
        check("is_upper", is_upper, &["A", "A1", "U.S.", "\u{2160}"], &["", "1", "aB", "\u{1c5}"]);
        check("is_upper", is_upper, &[], &["A\u{1c5}"]);
    }

    #[test]
    fn a_title_has_a_capital_at_the_head_of_each_run() {
        let yes = ["A", "Ab", "Ab Cd", "Ab1Cd", "\u{1c5}a", "1Ab", "\u{2160}\u{2170}"];
        let no = ["", "1", "a", "AB", "aB", "Ab c", "A\u{1c5}", "Ab'c"];
        check("is_title", is_title, &yes, &no);
    }

    #[test]
    fn marks_are_whole_words_and_know_their_side() {
        check("is_bracket", is_bracket, &["(", ">", "]"], &["", "()", "\"", "\u{ab}"]);
        check("is_quote", is_quote, &["'", "``", "''", "`", "\u{276e}"], &["", "(", "\"\"", "'s"]);
        let both = ["'", "\""];
        check("is_left_punct", is_left_punct, &both, &["", "`", "''", ")", "\u{2019}"]);
        check("is_right_punct", is_right_punct, &both, &["", "`", "``", "(", "\u{2018}"]);
    }

    #[test]
    fn a_stop_word_is_one_in_any_case() {
        let stops = AHashSet::from(["the".to_owned()]);
        assert!(is_stop("the", &stops) && is_stop("THE", &stops));
        assert!(!is_stop("then", &stops) && !is_stop("", &stops));
    }
}
