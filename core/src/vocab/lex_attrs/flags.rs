//! All flags of a word in one call.

use ahash::AHashSet;
use lexpool_structs::AttrId;

use super::num::like_num_lowered;
use super::predicates::{CharSummary, PunctMark};
use super::{NumWords, like_email, like_url};

/// The word lists of a language that flags depend on; they may be empty.
#[derive(Clone, Copy, Debug)]
pub struct FlagOptions<'a> {
    /// The lower-cased words with `IS_STOP`.
    pub stop_words: &'a AHashSet<String>,
    /// The words with `LIKE_NUM` in addition to digits.
    pub num_words: &'a NumWords,
    /// The words with `IS_CURRENCY` in addition to currency signs.
    pub currency_words: &'a AHashSet<String>,
}

/// Returns the flags of a word as in `LexemeC::flags`: the bit of a flag is the number of its
/// attribute.
///
/// `lower` is the word in lower case. Cost: a few passes over the word and two hash look-ups.
/// Allocates only for a word with a sign or separators, if there are number words. The bit
/// `IS_OOV_DEPRECATED` is never set.
///
/// The empty word has `IS_ASCII`, `IS_PUNCT` and `IS_CURRENCY`, which hold for every one of its
/// characters. (The empty lexeme of a vocab has no flags.)
///
/// ```
/// use ahash::AHashSet;
/// use lexpool::vocab::lex_attrs::{FlagOptions, NumWords, flags};
/// use lexpool_structs::AttrId;
///
/// let (none, num_words) = (&AHashSet::default(), &NumWords::default());
/// let options = FlagOptions { stop_words: none, num_words, currency_words: none };
/// let found = flags("42", "42", &options);
/// let expected = [AttrId::IS_ASCII, AttrId::IS_DIGIT, AttrId::LIKE_NUM];
/// assert_eq!(found, expected.iter().map(|attr| 1 << attr.number()).sum::<u64>());
/// ```
pub fn flags(text: &str, lower: &str, options: &FlagOptions) -> u64 {
    let chars = CharSummary::of(text);
    // Words of letters only, the common case, are neither addresses nor marks.
    let has_others = !chars.is_alpha();
    let like_num = like_num_lowered(text, lower, options.num_words);
    let mut flags = bit(AttrId::IS_ALPHA, !has_others)
        | bit(AttrId::IS_ASCII, text.is_ascii())
        | bit(AttrId::IS_DIGIT, chars.is_digit())
        | bit(AttrId::IS_LOWER, chars.is_lower())
        | bit(AttrId::IS_PUNCT, chars.is_punct())
        | bit(AttrId::IS_SPACE, chars.is_space())
        | bit(AttrId::IS_TITLE, chars.is_title())
        | bit(AttrId::IS_UPPER, chars.is_upper())
        | bit(AttrId::LIKE_URL, has_others && like_url(text))
        | bit(AttrId::LIKE_NUM, like_num)
        | bit(AttrId::LIKE_EMAIL, has_others && like_email(text))
        | bit(AttrId::IS_STOP, options.stop_words.contains(lower))
        | bit(AttrId::IS_CURRENCY, chars.is_currency() || options.currency_words.contains(text));
    if let Some(mark) = has_others.then(|| PunctMark::of(text)).flatten() {
        flags |= bit(AttrId::IS_BRACKET, mark.bracket)
            | bit(AttrId::IS_QUOTE, mark.quote)
            | bit(AttrId::IS_LEFT_PUNCT, mark.left)
            | bit(AttrId::IS_RIGHT_PUNCT, mark.right);
    }
    flags
}

#[inline]
fn bit(flag: AttrId, set: bool) -> u64 {
    u64::from(set) << flag.number()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, options: &FlagOptions) -> Vec<&'static str> {
        let found = flags(text, &text.to_lowercase(), options);
        (0..64).filter(|n| found >> n & 1 == 1).filter_map(|n| AttrId::new(n).name()).collect()
    }

    #[test]
    fn each_flag_stands_at_the_bit_of_its_attribute() {
        let stop_words = &AHashSet::from(["the".to_owned()]);
        let num_words = &NumWords::new(["ten"], [], []);
        let currency_words = &AHashSet::new();
        let options = FlagOptions { stop_words, num_words, currency_words };
        for (text, expected) in [
            ("", &["IS_ASCII", "IS_PUNCT", "IS_CURRENCY"][..]),
            ("The", &["IS_ALPHA", "IS_ASCII", "IS_TITLE", "IS_STOP"]),
            ("USA", &["IS_ALPHA", "IS_ASCII", "IS_UPPER"]),
            ("ten", &["IS_ALPHA", "IS_ASCII", "IS_LOWER", "LIKE_NUM"]),
            ("7", &["IS_ASCII", "IS_DIGIT", "LIKE_NUM"]),
            ("\n", &["IS_ASCII", "IS_SPACE"]),
            ("ab.com", &["IS_ASCII", "IS_LOWER", "LIKE_URL"]),
            ("a@b.c", &["IS_ASCII", "IS_LOWER", "LIKE_EMAIL"]),
            ("\u{20ac}", &["IS_CURRENCY"]),
            ("(", &["IS_ASCII", "IS_PUNCT", "IS_BRACKET", "IS_LEFT_PUNCT"]),
            (">", &["IS_ASCII", "IS_BRACKET", "IS_RIGHT_PUNCT"]),
            ("'", &["IS_ASCII", "IS_PUNCT", "IS_QUOTE", "IS_LEFT_PUNCT", "IS_RIGHT_PUNCT"]),
        ] {
            assert_eq!(names(text, &options), expected, "{text:?}");
        }
    }

    #[test]
    fn without_language_data_no_word_is_a_stop_or_a_number() {
        let none = &AHashSet::new();
        let num_words = &NumWords::default();
        let options = FlagOptions { stop_words: none, num_words, currency_words: none };
        assert_eq!(names("ten", &options), ["IS_ALPHA", "IS_ASCII", "IS_LOWER"]);
    }
}
