//! The number words of a language.

use ahash::AHashSet;

use super::num_form::{NumberForm, NumberScript};
use crate::strings::chars;

/// The number words of a language; empty by default.
///
/// ```
/// use lexpool::vocab::lex_attrs::{NumWords, like_num};
///
/// let english = NumWords::new(["ten"], ["tenth"], ["st", "nd", "rd", "th"]);
/// assert!(like_num("Tenth", &english) && like_num("10th", &english));
/// assert!(!like_num("10th", &NumWords::default()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumWords {
    words: AHashSet<Box<str>>,
    ordinal_suffixes: Vec<Box<str>>,
    /// The form of numbers, if it is not the default one.
    form: Option<Box<NumberForm>>,
    /// The words without the marks of letters, for a script whose words are often written so.
    unmarked: AHashSet<Box<str>>,
}

impl NumWords {
    /// Creates a list of cardinal and ordinal number words, and of the suffixes of ordinals in
    /// digits (such as `th`); all in lower case.
    pub fn new<W: Into<Box<str>>>(
        cardinals: impl IntoIterator<Item = W>,
        ordinals: impl IntoIterator<Item = W>,
        ordinal_suffixes: impl IntoIterator<Item = W>,
    ) -> NumWords {
        let words = cardinals.into_iter().chain(ordinals).map(Into::into).collect();
        let ordinal_suffixes = ordinal_suffixes.into_iter().map(Into::into).collect();
        NumWords { words, ordinal_suffixes, ..NumWords::default() }
    }

    /// Sets the form of numbers.
    #[must_use]
    pub fn with_form(mut self, form: NumberForm) -> NumWords {
        let has_marks = form.script == Some(NumberScript::Yoruba);
        let unmarked = self.words.iter().filter(|_| has_marks).map(|word| without_marks(word));
        self.unmarked = unmarked.map(String::into_boxed_str).collect();
        self.form = (form != NumberForm::default()).then(|| Box::new(form));
        self
    }

    /// Returns the form of numbers; `None` for the default one.
    pub fn form(&self) -> Option<&NumberForm> {
        self.form.as_deref()
    }

    /// Returns the words in arbitrary order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| &**word)
    }

    /// Returns the suffixes of ordinals in digits.
    pub fn ordinal_suffixes(&self) -> impl Iterator<Item = &str> {
        self.ordinal_suffixes.iter().map(|suffix| &**suffix)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.ordinal_suffixes.is_empty()
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Returns whether a word is a number word if the marks of letters do not count.
    pub(super) fn contains_unmarked(&self, lower: &str) -> bool {
        self.unmarked.contains(without_marks(lower).as_str())
    }

    /// Returns whether a word without sign and separators is a number word, or an ordinal in lower
    /// case.
    pub(super) fn accepts(&self, word: &str, lower: &str) -> bool {
        let mut numerals = self.ordinal_suffixes.iter().filter_map(|s| lower.strip_suffix(&**s));
        self.contains(word) || numerals.any(is_numeral)
    }
}

pub(super) fn is_separator(c: char) -> bool {
    matches!(c, ',' | '.')
}

/// Returns whether the text has a digit, and only digits and separators.
pub(super) fn is_numeral(text: &str) -> bool {
    let mut has_digit = false;
    text.chars().all(|c| {
        let digit = chars::is_digit(c);
        has_digit |= digit;
        digit || is_separator(c)
    }) && has_digit
}

/// Returns a word in lower case without the marks of Yoruba's letters.
fn without_marks(word: &str) -> String {
    let plain = |c: char| match c {
        '\u{300}'..='\u{36f}' => None,
        'à' | 'á' | 'ā' => Some('a'),
        'è' | 'é' | 'ē' | 'ẹ' => Some('e'),
        'ì' | 'í' | 'ī' => Some('i'),
        'ò' | 'ó' | 'ō' | 'ọ' => Some('o'),
        'ù' | 'ú' | 'ū' => Some('u'),
        'ǹ' | 'ń' => Some('n'),
        'ḿ' => Some('m'),
        'ṣ' => Some('s'),
        other => Some(other),
    };
    word.chars().filter_map(plain).collect()
}
