//! How a vocab computes the attributes of a word that it meets for the first time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ahash::{AHashMap, AHashSet};
use lexpool_structs::{AttrId, LexemeC};

use super::lex_attrs::{self, FlagOptions, NumWords};
use super::lexeme::LexemeField;
use crate::strings::{StrId, chars};
use crate::{Error, ErrorKind, Result};

/// What a getter gives for a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttrValue {
    /// A string, which is stored and whose id becomes the attribute.
    Text(String),
    /// A number, or a flag as 0 or 1.
    Number(u64),
}

/// A getter of the user's: the word in, the attribute out; `None` leaves the attribute 0.
pub type GetterFn = dyn Fn(&str) -> Result<Option<AttrValue>> + Send + Sync;

/// One attribute's getter.
#[derive(Clone)]
pub enum Getter {
    /// lexpool's own, without a call into another language.
    Native,
    /// A function.
    Custom(Arc<GetterFn>),
}

/// The getters of a vocab, and the word lists that the native ones consult.
///
/// Without getters (the default) a new lexeme has its text and length, and 0 for all else.
#[derive(Clone, Default)]
pub struct Getters {
    lang: String,
    /// Lower-cased words for which `IS_STOP` holds.
    pub stop_words: AHashSet<String>,
    /// Number words for `LIKE_NUM`.
    pub num_words: NumWords,
    /// Words whose `NORM` is another string than their lower-cased form.
    pub norms: AHashMap<String, String>,
    lang_id: StrId,
    native: AttrSet,
    custom: BTreeMap<AttrId, Arc<GetterFn>>,
    missing: BTreeSet<AttrId>,
    unreadable: Option<Arc<str>>,
}

/// Which attributes have native getters: flags as their bits, the others as one bit each.
#[derive(Clone, Copy, Default)]
struct AttrSet {
    flags: u64,
    ids: u64,
}

/// The flags that can be computed natively.
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

/// What can be computed natively: some flags, and all strings but the text.
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

    /// Lexical attributes that are no flags are numbered 64 to 83.
    const fn bit(attr: AttrId) -> u64 {
        match attr.number().wrapping_sub(64) {
            n @ 0..64 => 1 << n,
            _ => 0,
        }
    }
}

impl Getters {
    /// All native getters, for a language without word lists.
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

    /// The language code that `LANG` gives.
    pub fn lang(&self) -> &str {
        &self.lang
    }

    /// Sets the language code that the native `LANG` gives.
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

    /// Takes one attribute's getter away, so that new lexemes have 0 there.
    pub fn unset(&mut self, attr: AttrId) {
        self.native.remove(attr);
        self.custom.remove(&attr);
        self.missing.remove(&attr);
    }

    /// Notes that an attribute had a function, which is not here: no word can be entered until it is
    /// set or unset.
    pub(super) fn miss(&mut self, attr: AttrId) {
        self.unset(attr);
        self.missing.insert(attr);
    }

    /// Getters that enter no word, for a file that does not say what they are.
    pub(super) fn unreadable(error: &Error) -> Getters {
        Getters { unreadable: Some(error.message().into()), ..Getters::default() }
    }

    /// The attributes that had functions when a vocab was saved. Functions are not in a file; a word
    /// that is new cannot be entered before they are [set](Getters::set) or [unset](Getters::unset).
    pub fn missing(&self) -> impl Iterator<Item = AttrId> {
        self.missing.iter().copied()
    }

    /// The attributes that have functions, or should have.
    pub fn custom_attrs(&self) -> impl Iterator<Item = AttrId> {
        let attrs: BTreeSet<AttrId> = self.custom.keys().copied().chain(self.missing()).collect();
        attrs.into_iter()
    }

    /// The attributes that are computed natively.
    pub fn native_attrs(&self) -> impl Iterator<Item = AttrId> {
        let native = self.native;
        self::native().filter(move |&attr| {
            if attr.is_flag() { native.flags >> attr.number() & 1 != 0 } else { native.has(attr) }
        })
    }

    /// What the native getter of an attribute gives for a word, if there is one.
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
            AttrId::NORM => self.norms.get(text).map_or(lower, String::as_str).to_owned(),
            AttrId::PREFIX => lex_attrs::prefix(text).to_owned(),
            AttrId::SUFFIX => lex_attrs::suffix(text).to_owned(),
            AttrId::LANG => self.lang.clone(),
            AttrId::SHAPE => {
                let mut shape = String::new();
                lex_attrs::shape(text, &mut shape);
                shape
            }
            _ => {
                let words =
                    FlagOptions { stop_words: &self.stop_words, num_words: &self.num_words };
                let flags = lex_attrs::flags(text, lower, &words);
                return Some(AttrValue::Number(flags >> attr.number() & 1));
            }
        };
        Some(AttrValue::Text(string))
    }

    /// The record of a word. `add` stores a string and gives its id.
    ///
    /// Cost: one pass over the word per attribute group; no allocation for a short lower-cased
    /// ASCII word. Custom getters cost what they cost, and their errors are handed on.
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
            let words = FlagOptions { stop_words: &self.stop_words, num_words: &self.num_words };
            record.flags = lex_attrs::flags(text, lower, &words) & self.native.flags;
        }
        // Most words are their own lower-cased form and their own norm, and are stored already.
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
            let own = self.norms.get(text);
            record.norm = own.map_or(Ok(lower_id), |norm| add(norm))?.get();
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
    /// Makes sure that a word would get all that others got.
    fn check(&self, text: &str) -> Result<()> {
        if self.missing.is_empty() && self.unreadable.is_none() {
            return Ok(());
        }
        if let Some(why) = &self.unreadable {
            let text = format!("{text:?} is new, and how words get their attributes is not: {why}");
            return Err(Error::value("image-meta", text));
        }
        let names: Vec<_> = self.missing().filter_map(AttrId::name).collect();
        let names = names.join(", ");
        let text = format!(
            "{text:?} is new, and the functions for {names} are not in the file of the vocab, for \
             files have no code: give them to `Vocab.open`, or set them in `lex_attr_getters`"
        );
        Err(Error::new(ErrorKind::State, "getters-missing", text))
    }
}

/// Sets what a getter may set; `ORTH` and `LENGTH` are what the word is.
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
