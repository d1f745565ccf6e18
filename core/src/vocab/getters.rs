//! The getters that compute the attributes of new words.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ahash::{AHashMap, AHashSet};
use lexpool_structs::{AttrId, LexemeC};

use super::lex_attrs::{self, FlagOptions, NumWords};
use super::lexeme::LexemeField;
use crate::codes;
use crate::strings::{StrId, chars};
use crate::{Error, ErrorKind, Result};

/// The value that a getter returns for a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttrValue {
    /// A string, which is stored and whose id becomes the attribute.
    Text(String),
    /// A number, or a flag as 0 or 1.
    Number(u64),
}

/// A user's getter: a function from the word to the attribute; `None` leaves the attribute 0.
pub type GetterFn = dyn Fn(&str) -> Result<Option<AttrValue>> + Send + Sync;

/// The getter of one attribute.
#[derive(Clone)]
pub enum Getter {
    /// The built-in getter.
    Native,
    /// A function.
    Custom(Arc<GetterFn>),
}

/// The getters of a vocab, and the word lists that the native ones use.
///
/// Without getters (the default), a new lexeme has its text and length, and 0 in all other
/// attributes.
#[derive(Clone, Default)]
pub struct Getters {
    lang: String,
    /// Lower-cased words with `IS_STOP`.
    pub stop_words: AHashSet<String>,
    /// Number words for `LIKE_NUM`.
    pub num_words: NumWords,
    /// Words whose `NORM` is not their lower-cased form.
    pub norms: AHashMap<String, String>,
    /// Words with `IS_CURRENCY` besides signs.
    pub currency_words: AHashSet<String>,
    /// Endings, longer ones first; the first that a longer word has is cut off for its norm. If
    /// there are any, norms keep their case.
    pub norm_suffixes: Vec<String>,
    lang_id: StrId,
    native: AttrSet,
    custom: BTreeMap<AttrId, Arc<GetterFn>>,
    missing: BTreeSet<AttrId>,
    unreadable: Option<Arc<str>>,
}

/// A set of attributes: flags as their bits, the others as one bit each.
#[derive(Clone, Copy, Default)]
struct AttrSet {
    flags: u64,
    ids: u64,
}

/// The flags that have native getters.
const NATIVE_FLAGS: [AttrId; 17] = [
    AttrId::IS_ALPHA,
    AttrId::IS_ASCII,
    AttrId::IS_DIGIT,
    AttrId::IS_LOWER,
    AttrId::IS_PUNCT,
    AttrId::IS_SPACE,
    AttrId::IS_TITLE,
    AttrId::IS_UPPER,
    AttrId::LIKE_URL,
    AttrId::LIKE_NUM,
    AttrId::LIKE_EMAIL,
    AttrId::IS_STOP,
    AttrId::IS_BRACKET,
    AttrId::IS_QUOTE,
    AttrId::IS_LEFT_PUNCT,
    AttrId::IS_RIGHT_PUNCT,
    AttrId::IS_CURRENCY,
];

/// Returns the attributes that have native getters: some flags, and all strings but the text.
fn native() -> impl Iterator<Item = AttrId> {
    NATIVE_FLAGS.into_iter().chain(AttrId::WORD_STRINGS.into_iter().skip(1))
}

impl AttrSet {
    fn insert(&mut self, attr: AttrId) {
        if attr.is_flag() {
            self.flags |= 1 << attr.number();
        } else {
            self.ids |= AttrSet::bit(attr);
        }
    }

    fn remove(&mut self, attr: AttrId) {
        if attr.is_flag() {
            self.flags &= !(1 << attr.number());
        } else {
            self.ids &= !AttrSet::bit(attr);
        }
    }

    fn has(self, attr: AttrId) -> bool {
        self.ids & AttrSet::bit(attr) != 0
    }

    /// Returns the bit of an attribute; lexical attributes other than flags are numbered 64 to 83.
    const fn bit(attr: AttrId) -> u64 {
        match attr.number().wrapping_sub(64) {
            n @ 0..64 => 1 << n,
            _ => 0,
        }
    }
}

impl Getters {
    /// Creates all native getters, for a language without word lists.
    ///
    /// ```
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("xx"))?;
    /// let word = vocab.lexeme("Coffee")?;
    /// assert_eq!(word.lower(), "coffee");
    /// assert_eq!(word.shape(), "Xxxxx");
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn native(lang: &str) -> Getters {
        let lang_id = StrId::of(lang);
        let mut attrs = Getters { lang: lang.to_owned(), lang_id, ..Getters::default() };
        for attr in native() {
            attrs.native.insert(attr);
        }
        attrs
    }

    /// Returns the language code, the value of `LANG`.
    pub fn lang(&self) -> &str {
        &self.lang
    }

    /// Sets the language code, the value of the native `LANG`.
    pub fn set_lang(&mut self, lang: &str) {
        lang.clone_into(&mut self.lang);
        self.lang_id = StrId::of(lang);
    }

    /// Sets the getter of one attribute.
    pub fn set(&mut self, attr: AttrId, getter: Getter) {
        self.missing.remove(&attr);
        match getter {
            Getter::Native => {
                self.custom.remove(&attr);
                self.native.insert(attr);
            }
            Getter::Custom(function) => {
                self.native.remove(attr);
                self.custom.insert(attr, function);
            }
        }
    }

    /// Removes the getter of one attribute, so that new lexemes have 0 there.
    pub fn unset(&mut self, attr: AttrId) {
        self.native.remove(attr);
        self.custom.remove(&attr);
        self.missing.remove(&attr);
    }

    /// Marks the function of an attribute as missing: no word can be added until it is set or
    /// unset.
    pub(super) fn set_missing(&mut self, attr: AttrId) {
        self.unset(attr);
        self.missing.insert(attr);
    }

    /// Creates getters that add no word, for a file whose settings are invalid.
    pub(super) fn unreadable(error: &Error) -> Getters {
        Getters { unreadable: Some(error.message().into()), ..Getters::default() }
    }

    /// Returns the attributes that had functions when the vocab was saved. Files do not contain
    /// functions; new words cannot be added before the functions are [set](Getters::set) or
    /// [unset](Getters::unset).
    pub fn missing(&self) -> impl Iterator<Item = AttrId> {
        self.missing.iter().copied()
    }

    /// Returns the attributes that have functions or miss them.
    pub fn custom_attrs(&self) -> impl Iterator<Item = AttrId> {
        let attrs: BTreeSet<AttrId> = self.custom.keys().copied().chain(self.missing()).collect();
        attrs.into_iter()
    }

    /// Returns the attributes with native getters.
    pub fn native_attrs(&self) -> impl Iterator<Item = AttrId> {
        let native = self.native;
        self::native().filter(move |&attr| {
            if attr.is_flag() { native.flags >> attr.number() & 1 != 0 } else { native.has(attr) }
        })
    }

    /// Returns the value of the native getter of an attribute for a word, or `None` if there is no
    /// native getter.
    ///
    /// ```
    /// use lexpool::structs::AttrId;
    /// use lexpool::vocab::{AttrValue, Getters};
    /// let getters = Getters::native("xx");
    /// let shape = getters.native_value(AttrId::SHAPE, "Coffee");
    /// assert_eq!(shape, Some(AttrValue::Text("Xxxxx".to_owned())));
    /// ```
    pub fn native_value(&self, attr: AttrId, text: &str) -> Option<AttrValue> {
        if !self.native_attrs().any(|native| native == attr) {
            return None;
        }
        let mut lower = String::new();
        let lower = chars::lowered(text, &mut lower);
        let string = match attr {
            AttrId::LOWER => lower.to_owned(),
            AttrId::NORM => self.own_norm(text).unwrap_or(lower).to_owned(),
            AttrId::PREFIX => lex_attrs::prefix(text).to_owned(),
            AttrId::SUFFIX => lex_attrs::suffix(text).to_owned(),
            AttrId::LANG => self.lang.clone(),
            AttrId::SHAPE => {
                let mut shape = String::new();
                lex_attrs::shape(text, &mut shape);
                shape
            }
            _ => {
                let flags = lex_attrs::flags(text, lower, &self.flag_options());
                return Some(AttrValue::Number(flags >> attr.number() & 1));
            }
        };
        Some(AttrValue::Text(string))
    }

    /// Computes the record of a word. `add` stores a string and returns its id.
    ///
    /// Cost: one pass over the word for each group of attributes, without an allocation for a short
    /// lower-case ASCII word, and the cost of custom getters. Their errors are returned.
    pub(super) fn record(
        &self,
        text: &str,
        orth: StrId,
        rank: u64,
        mut add: impl FnMut(&str) -> Result<StrId>,
    ) -> Result<LexemeC> {
        self.check(text)?;
        let mut record = LexemeC {
            id: rank,
            orth: orth.get(),
            length: text.chars().count() as u64,
            ..LexemeC::default()
        };
        let mut lower = String::new();
        let lower = chars::lowered(text, &mut lower);
        if self.native.flags != 0 {
            record.flags = lex_attrs::flags(text, lower, &self.flag_options()) & self.native.flags;
        }
        // Most words equal their lower-cased form and their norm, so the string is already stored.
        let (has_lower, has_norm) = (self.native.has(AttrId::LOWER), self.native.has(AttrId::NORM));
        let lower_id = if lower == text {
            orth
        } else if has_lower || has_norm {
            add(lower)?
        } else {
            StrId::EMPTY
        };
        if has_lower {
            record.lower = lower_id.get();
        }
        if has_norm {
            let own_norm = self.own_norm(text);
            record.norm = own_norm.map_or(Ok(lower_id), &mut add)?.get();
        }
        if self.native.has(AttrId::SHAPE) {
            let mut shape = String::new();
            lex_attrs::shape(text, &mut shape);
            record.shape = add(&shape)?.get();
        }
        if self.native.has(AttrId::PREFIX) {
            record.prefix = add(lex_attrs::prefix(text))?.get();
        }
        if self.native.has(AttrId::SUFFIX) {
            record.suffix = add(lex_attrs::suffix(text))?.get();
        }
        if self.native.has(AttrId::LANG) {
            record.lang = self.lang_id.get();
        }
        for (&attr, getter) in &self.custom {
            let value = match getter(text)? {
                None => continue,
                Some(AttrValue::Number(number)) => number,
                Some(AttrValue::Text(string)) => add(&string)?.get(),
            };
            set(&mut record, attr, value);
        }
        Ok(record)
    }
}

impl Getters {
    fn flag_options(&self) -> FlagOptions<'_> {
        FlagOptions {
            stop_words: &self.stop_words,
            num_words: &self.num_words,
            currency_words: &self.currency_words,
        }
    }

    /// Returns the norm of a word; `None` if it is the word in lower case.
    fn own_norm<'t>(&'t self, text: &'t str) -> Option<&'t str> {
        if let Some(norm) = self.norms.get(text) {
            return Some(norm);
        }
        let stem = |suffix: &String| {
            let stem = text.strip_suffix(suffix.as_str())?;
            (!stem.is_empty()).then_some(stem)
        };
        let stem = self.norm_suffixes.iter().find_map(stem);
        if self.norm_suffixes.is_empty() { None } else { Some(stem.unwrap_or(text)) }
    }

    /// Validates that no getter is missing.
    fn check(&self, text: &str) -> Result<()> {
        if self.missing.is_empty() && self.unreadable.is_none() {
            return Ok(());
        }
        if let Some(why) = &self.unreadable {
            let text = format!(
                "{text:?} is a new word, but the settings of the vocab file are invalid: {why}"
            );
            return Err(Error::value(codes::IMAGE_META, text));
        }
        let names: Vec<_> = self.missing().filter_map(AttrId::name).collect();
        let names = names.join(", ");
        let text = format!(
            "{text:?} is a new word, but the functions for {names} are missing: vocab files contain no \
             code; pass them to `Vocab.open`, or set them in `lex_attr_getters`"
        );
        Err(Error::new(ErrorKind::State, codes::GETTERS_MISSING, text))
    }
}

/// Sets an attribute that a getter may set; `ORTH` and `LENGTH` identify the word.
fn set(record: &mut LexemeC, attr: AttrId, value: u64) {
    if attr.is_flag() {
        let bit = 1 << attr.number();
        record.flags = if value != 0 { record.flags | bit } else { record.flags & !bit };
        return;
    }
    match attr {
        AttrId::ID => record.id = value,
        AttrId::LOWER => record.lower = value,
        AttrId::NORM => record.norm = value,
        AttrId::SHAPE => record.shape = value,
        AttrId::PREFIX => record.prefix = value,
        AttrId::SUFFIX => record.suffix = value,
        AttrId::LANG => record.lang = value,
        _ => debug_assert!(
            LexemeField::of(attr)
                .is_none_or(|field| { field == LexemeField::ORTH || field == LexemeField::LENGTH })
        ),
    }
}
