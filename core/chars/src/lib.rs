//! Character properties and lower case, exactly as Python's `str` and `re` have them.
//!
//! ```
//! use lexpool_chars::{is_alpha, is_digit, lowered};
//!
//! assert!(is_alpha('\u{e9}') && is_digit('\u{b2}'));
//! assert_eq!(lowered("\u{391}\u{3a3}", &mut String::new()), "\u{3b1}\u{3c2}");
//! ```
//!
//! | item | purpose |
//! | --- | --- |
//! | [`Class`], [`class`], [`ascii_class`] | all properties of a character as a bit set |
//! | [`is_space`], [`is_alpha`], [`is_word`], ... | single properties, named as in `str` |
//! | [`to_lower`], [`lowered`] | `str.lower`, with the rule for the final sigma |
//! | [`SPACE`], [`DECIMAL`], [`WORD`] | the classes `\s`, `\d` and `\w` of `re` as ranges |
//!
//! Rust's `char` methods define other sets (`char::is_alphabetic` is not `str.isalpha`) and follow
//! a newer version of Unicode. The tables here are generated from Python itself, for the version
//! that [`UNICODE_VERSION`] names, so that words have the same attributes as in spaCy. A look-up is
//! a two-stage table: a block number by the high bits of the code point, then a class by its low
//! bits.

#![forbid(unsafe_code)]

mod class;
mod table;

use table::{BLOCK, LETTER_CLASSES, LETTERS, RUNS};

pub use class::Class;
pub use table::{DECIMAL, SPACE, UNICODE_VERSION, WORD};

/// Returns the properties of a character. Cost: three loads, or one for ASCII.
#[inline]
pub fn class(c: char) -> Class {
    let code = c as usize;
    if code < ASCII.len() {
        return ASCII[code];
    }
    let block = usize::from(BLOCK_OF[code / BLOCK]);
    CLASS_OF[usize::from(LETTERS[block * BLOCK + code % BLOCK])]
}

/// Returns the properties of an ASCII byte; the empty set for other bytes.
#[inline]
pub fn ascii_class(byte: u8) -> Class {
    ASCII.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Returns `true` for characters of `str.isspace` and of the regex class `\s`.
#[inline]
pub fn is_space(c: char) -> bool {
    class(c).any(Class::SPACE)
}

/// Returns `true` for characters of `str.isalpha`.
#[inline]
pub fn is_alpha(c: char) -> bool {
    class(c).any(Class::ALPHA)
}

/// Returns `true` for characters that are upper case for `str.isupper`.
#[inline]
pub fn is_upper(c: char) -> bool {
    class(c).any(Class::UPPER)
}

/// Returns `true` for characters that are lower case for `str.islower`.
#[inline]
pub fn is_lower(c: char) -> bool {
    class(c).any(Class::LOWER)
}

/// Returns `true` for title-case digraphs, which `str.istitle` treats as upper-case letters.
#[inline]
pub fn is_title(c: char) -> bool {
    class(c).any(Class::TITLE)
}

/// Returns `true` for characters of `str.isdigit`.
#[inline]
pub fn is_digit(c: char) -> bool {
    class(c).any(Class::DIGIT)
}

/// Returns `true` for characters of `str.isdecimal` and of the regex class `\d`.
#[inline]
pub fn is_decimal(c: char) -> bool {
    class(c).any(Class::DECIMAL)
}

/// Returns `true` for characters of `str.isnumeric`.
#[inline]
pub fn is_numeric(c: char) -> bool {
    class(c).any(Class::NUMERIC)
}

/// Returns `true` for punctuation, by the general category.
#[inline]
pub fn is_punct(c: char) -> bool {
    class(c).any(Class::PUNCT)
}

/// Returns `true` for currency signs, by the general category.
#[inline]
pub fn is_currency(c: char) -> bool {
    class(c).any(Class::CURRENCY)
}

/// Returns `true` for characters of the regex class `\w`.
#[inline]
pub fn is_word(c: char) -> bool {
    class(c).any(Class::ALNUM) || c == '_'
}

/// Appends `text` in lower case, exactly as `str.lower` returns it.
///
/// A capital sigma becomes a final one at the end of a word. Characters that do not have case in
/// [`UNICODE_VERSION`] stay unchanged, even if the standard library knows their lower case.
///
/// ```
/// use lexpool_chars::to_lower;
///
/// let mut out = String::new();
/// to_lower("\u{39f}\u{394}\u{39f}\u{3a3}", &mut out);
/// assert_eq!(out, "\u{3bf}\u{3b4}\u{3bf}\u{3c2}");
/// ```
pub fn to_lower(text: &str, out: &mut String) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
        return;
    }
    out.reserve(text.len());
    for (at, c) in text.char_indices() {
        if !class(c).any(Class::UPPER | Class::TITLE) {
            out.push(c);
        } else if c == '\u{3a3}' {
            let rest = &text[at + c.len_utf8()..];
            let word_ends = cased_first(text[..at].chars().rev()) && !cased_first(rest.chars());
            out.push(if word_ends { '\u{3c2}' } else { '\u{3c3}' });
        } else {
            out.extend(c.to_lowercase());
        }
    }
}

/// Returns `text` in lower case: `text` itself if nothing changes, otherwise the contents of
/// `buffer`, which is overwritten.
pub fn lowered<'a>(text: &'a str, buffer: &'a mut String) -> &'a str {
    if is_lowered(text) {
        return text;
    }
    buffer.clear();
    to_lower(text, buffer);
    buffer
}

/// Returns `true` if `text` contains no upper-case character. A few of them (mathematical capitals)
/// do not have a lower case; `false` is correct for them too.
fn is_lowered(text: &str) -> bool {
    let cased = Class::UPPER | Class::TITLE;
    if text.is_ascii() {
        text.bytes().all(|b| !ascii_class(b).any(cased))
    } else {
        text.chars().all(|c| !class(c).any(cased))
    }
}

/// Returns `true` if the first character that the sigma rule does not skip has case.
fn cased_first(mut chars: impl Iterator<Item = char>) -> bool {
    chars
        .find_map(|c| {
            let class = class(c);
            (!class.any(Class::CASE_IGNORABLE)).then(|| class.any(Class::CASED))
        })
        .unwrap_or(false)
}

static CLASS_OF: [Class; 256] = {
    let mut of = [Class::NONE; 256];
    let mut i = 0;
    while i < LETTER_CLASSES.len() {
        let (letter, parts) = LETTER_CLASSES[i];
        let mut j = 0;
        while j < parts.len() {
            of[letter as usize] = of[letter as usize].union(parts[j]);
            j += 1;
        }
        i += 1;
    }
    of
};

static ASCII: [Class; 128] = {
    let mut of = [Class::NONE; 128];
    let mut i = 0;
    while i < of.len() {
        of[i] = CLASS_OF[LETTERS[i] as usize];
        i += 1;
    }
    of
};

static BLOCK_OF: [u8; (char::MAX as usize + 1) / BLOCK] = {
    let mut of = [0; (char::MAX as usize + 1) / BLOCK];
    let mut at = 0;
    let mut i = 0;
    while i < RUNS.len() {
        let (mut left, row) = RUNS[i];
        while left > 0 {
            of[at] = row;
            at += 1;
            left -= 1;
        }
        i += 1;
    }
    assert!(at == of.len(), "the runs cover every code point");
    of
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Predicate = fn(char) -> bool;

    /// FNV-1a, as in `tests/tools/chars_table.py --checksum`.
    fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
    }

    fn lower(text: &str) -> String {
        let mut out = String::new();
        to_lower(text, &mut out);
        out
    }

    #[test]
    fn every_code_point_has_the_class_that_python_gives_it() {
        let classes = (0..=u32::from(char::MAX))
            .flat_map(|code| char::from_u32(code).map_or(0, |c| class(c).bits()).to_le_bytes());
        assert_eq!(fnv1a(classes), 0xbceb_b91a_f0d6_4219);
        assert_eq!(UNICODE_VERSION, "14.0.0");
    }

    #[test]
    fn every_code_point_has_the_lower_case_that_python_gives_it() {
        let lowered =
            ('\0'..=char::MAX).flat_map(|c| lower(c.encode_utf8(&mut [0; 4])).into_bytes());
        assert_eq!(fnv1a(lowered), 0xc319_d02e_8283_b91e);
    }

    #[test]
    fn the_single_predicates_agree_with_the_class() {
        let predicates: [(Predicate, &str, &str); 11] = [
            (is_space, " \t\n\u{1c}\u{85}\u{a0}\u{3000}", "a\u{200b}\u{feff}"),
            (is_alpha, "aZ\u{e9}\u{aa}\u{4e00}\u{2b0}", "1_ \u{2160}\u{24b6}\u{345}"),
            (is_upper, "A\u{c9}\u{2160}\u{24b6}", "a1\u{1c5}\u{4e00}"),
            (is_lower, "a\u{df}\u{aa}\u{2170}\u{24d0}\u{345}", "A1\u{1c5}"),
            (is_title, "\u{1c5}\u{1f88}", "Aa\u{1c4}"),
            (is_digit, "09\u{b2}\u{2460}\u{663}", "a\u{bd}\u{2160}\u{4e00}"),
            (is_decimal, "09\u{663}\u{ff11}", "\u{b2}\u{2460}a"),
            (is_numeric, "0\u{b2}\u{bd}\u{2160}\u{4e00}", "a."),
            (is_punct, "_-.,!\u{a1}\u{2019}", "$+<=>^`|~a"),
            (is_currency, "$\u{20ac}\u{a3}\u{fdfc}", "a\u{b5}"),
            (is_word, "a_0\u{b2}\u{bd}\u{4e00}", "- .\u{301}"),
        ];
        for (n, (predicate, members, others)) in predicates.into_iter().enumerate() {
            for c in members.chars() {
                assert!(predicate(c), "predicate {n} accepts {c:?}");
            }
            for c in others.chars() {
                assert!(!predicate(c), "predicate {n} rejects {c:?}");
            }
        }
    }

    #[test]
    fn the_ranges_hold_exactly_the_characters_of_their_class() {
        let tables: [(&[(char, char)], Predicate); 3] =
            [(SPACE, is_space), (DECIMAL, is_decimal), (WORD, is_word)];
        for (ranges, belongs) in tables {
            assert!(ranges.windows(2).all(|w| w[0].1 < w[1].0), "sorted and apart");
            let listed: Vec<char> = ranges.iter().flat_map(|&(a, b)| a..=b).collect();
            let members: Vec<char> = ('\0'..=char::MAX).filter(|&c| belongs(c)).collect();
            assert_eq!(listed, members);
        }
    }

    #[test]
    fn a_capital_sigma_is_final_only_at_the_end_of_a_word() {
        for (text, expected) in [
            ("\u{3a3}", "\u{3c3}"),
            ("A\u{3a3}", "a\u{3c2}"),
            ("A\u{3a3}B", "a\u{3c3}b"),
            ("A\u{3a3} B", "a\u{3c2} b"),
            ("A.\u{3a3}", "a.\u{3c2}"),
            ("A\u{3a3}.B", "a\u{3c3}.b"),
            ("A\u{3a3}'\u{301}", "a\u{3c2}'\u{301}"),
            ("1\u{3a3}", "1\u{3c3}"),
            ("\u{345}\u{3a3}", "\u{345}\u{3c3}"),
            ("A\u{3a3}\u{3a3}", "a\u{3c3}\u{3c2}"),
            ("\u{1c5}\u{3a3}\u{2160}", "\u{1c6}\u{3c3}\u{2170}"),
        ] {
            assert_eq!(lower(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lower_case_can_be_longer_than_the_text_and_is_appended() {
        let mut out = String::from("<");
        to_lower("\u{130}X", &mut out);
        to_lower("YZ", &mut out);
        assert_eq!(out, "<i\u{307}xyz");
    }

    #[test]
    fn characters_that_were_cased_later_stay() {
        assert!('\u{a7cb}'.is_uppercase(), "the standard library knows it");
        assert_eq!(lower("\u{a7cb}"), "\u{a7cb}");
    }

    proptest! {
        #[test]
        fn lowered_borrows_what_is_in_lower_case_already(text in "[a-zA-Z\u{3a3}\u{3c3}\u{130}\u{1c5}. ]{0,8}") {
            let expected = lower(&text);
            let mut buffer = String::from("left over");
            let got = lowered(&text, &mut buffer);
            prop_assert_eq!(got, &expected);
            prop_assert_eq!(got.as_ptr() == text.as_ptr(), expected == text);
        }
    }
}
