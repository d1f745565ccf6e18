//! The parser of a data file in TOML: its keys, and the line of each value.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Error, Result, codes};

/// A data file, parsed but not expanded.
#[derive(Debug, Default)]
pub(super) struct LangFile {
    pub(super) name: String,
    /// Named character classes, in the order of the file.
    pub(super) classes: Vec<NamedText>,
    /// Named word lists, in the order of the file.
    pub(super) lists: Vec<NamedText>,
    pub(super) prefixes: Vec<LocatedText>,
    pub(super) suffixes: Vec<LocatedText>,
    pub(super) infixes: Vec<LocatedText>,
    pub(super) token: Option<LocatedText>,
    pub(super) url: Option<LocatedText>,
    pub(super) specials: Vec<SpecialCaseGroup>,
    pub(super) stop_words: Option<LocatedText>,
    pub(super) norms: Option<LocatedText>,
    pub(super) cardinals: Option<LocatedText>,
    pub(super) ordinals: Option<LocatedText>,
    pub(super) ordinal_suffixes: Option<LocatedText>,
}

/// A string and the line it starts on.
#[derive(Debug)]
pub(super) struct LocatedText {
    pub(super) value: String,
    pub(super) line: usize,
}

/// A named class or list.
#[derive(Debug)]
pub(super) struct NamedText {
    pub(super) name: String,
    pub(super) text: LocatedText,
}

/// A group of special cases with the same variants.
#[derive(Debug, Default)]
pub(super) struct SpecialCaseGroup {
    /// Templates of chunks of several tokens.
    pub(super) split: Vec<LocatedText>,
    /// Templates of chunks of one token.
    pub(super) whole: Vec<LocatedText>,
    /// Adds each case with a capital first letter too.
    pub(super) title: bool,
    /// Adds each case in capitals too.
    pub(super) upper: bool,
}

/// Parses a data file.
pub(super) fn parse(name: &str, text: &str) -> Result<LangFile> {
    let reader = Reader::new(name, text);
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        reader.error(&at, error.message())
    })?;
    let mut file = LangFile { name: name.to_owned(), ..LangFile::default() };
    for (key, value) in root.get_ref() {
        match key.get_ref().as_ref() {
            "classes" => file.classes = reader.definitions(value)?,
            "lists" => file.lists = reader.definitions(value)?,
            "affixes" => reader.affixes(value, &mut file)?,
            "special" => {
                for group in reader.array(value)? {
                    file.specials.push(reader.group(group)?);
                }
            }
            "vocab" => reader.vocab(value, &mut file)?,
            _ => return Err(reader.unknown(key, "classes, lists, affixes, special, vocab")),
        }
    }
    Ok(file)
}

/// Converts TOML values to the fields of a [`LangFile`], and byte offsets to lines.
struct Reader<'a> {
    name: &'a str,
    /// The offset at which each line but the first starts.
    line_starts: Vec<usize>,
}

impl Reader<'_> {
    fn new<'a>(name: &'a str, text: &str) -> Reader<'a> {
        let line_starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).collect();
        Reader { name, line_starts }
    }

    fn line(&self, span: &Range<usize>) -> usize {
        1 + self.line_starts.partition_point(|&start| start <= span.start)
    }

    fn error(&self, span: &Range<usize>, message: &str) -> Error {
        syntax_error(self.name, self.line(span), message)
    }

    fn unknown(&self, key: &Spanned<Cow<'_, str>>, known: &str) -> Error {
        let message = format!("unknown key {:?}; expected one of {known}", key.get_ref());
        self.error(&key.span(), &message)
    }

    fn mismatch(&self, value: &Spanned<DeValue<'_>>, expected: &str) -> Error {
        let message = format!("expected {expected}, found {}", value.get_ref().type_str());
        self.error(&value.span(), &message)
    }

    fn affixes(&self, value: &Spanned<DeValue<'_>>, file: &mut LangFile) -> Result<()> {
        for (key, value) in self.table(value)? {
            match key.get_ref().as_ref() {
                "prefixes" => file.prefixes = self.texts(value)?,
                "suffixes" => file.suffixes = self.texts(value)?,
                "infixes" => file.infixes = self.texts(value)?,
                "token" => file.token = Some(self.text(value)?),
                "url" => file.url = Some(self.text(value)?),
                _ => return Err(self.unknown(key, "prefixes, suffixes, infixes, token, url")),
            }
        }
        Ok(())
    }

    fn group(&self, value: &Spanned<DeValue<'_>>) -> Result<SpecialCaseGroup> {
        let mut group = SpecialCaseGroup::default();
        for (key, value) in self.table(value)? {
            match key.get_ref().as_ref() {
                "split" => group.split = self.texts(value)?,
                "whole" => group.whole = self.texts(value)?,
                "title" => group.title = self.flag(value)?,
                "upper" => group.upper = self.flag(value)?,
                _ => return Err(self.unknown(key, "split, whole, title, upper")),
            }
        }
        Ok(group)
    }

    fn vocab(&self, value: &Spanned<DeValue<'_>>, file: &mut LangFile) -> Result<()> {
        const KEYS: &str = "stop_words, norms, cardinals, ordinals, ordinal_suffixes";
        for (key, value) in self.table(value)? {
            let slot = match key.get_ref().as_ref() {
                "stop_words" => &mut file.stop_words,
                "norms" => &mut file.norms,
                "cardinals" => &mut file.cardinals,
                "ordinals" => &mut file.ordinals,
                "ordinal_suffixes" => &mut file.ordinal_suffixes,
                _ => return Err(self.unknown(key, KEYS)),
            };
            *slot = Some(self.text(value)?);
        }
        Ok(())
    }

    /// Reads a table of strings, in the order of the file, because a definition may use those above
    /// it; the TOML parser sorts tables by name.
    fn definitions(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<NamedText>> {
        let mut entries: Vec<_> = self.table(value)?.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
            .into_iter()
            .map(|(key, value)| {
                let name = key.get_ref().as_ref();
                if !is_name(name) {
                    let message =
                        format!("{name:?} is not a valid name; a name consists of a-z and _");
                    return Err(self.error(&key.span(), &message));
                }
                Ok(NamedText { name: name.to_owned(), text: self.text(value)? })
            })
            .collect()
    }

    fn table<'v, 'i>(&self, value: &'v Spanned<DeValue<'i>>) -> Result<&'v DeTable<'i>> {
        value.get_ref().as_table().ok_or_else(|| self.mismatch(value, "a table"))
    }

    fn array<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<impl Iterator<Item = &'v Spanned<DeValue<'i>>> + use<'v, 'i>> {
        let array = value.get_ref().as_array().ok_or_else(|| self.mismatch(value, "an array"))?;
        Ok(array.iter())
    }

    fn texts(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<LocatedText>> {
        self.array(value)?.map(|item| self.text(item)).collect()
    }

    fn text(&self, value: &Spanned<DeValue<'_>>) -> Result<LocatedText> {
        let text = value.get_ref().as_str().ok_or_else(|| self.mismatch(value, "a string"))?;
        Ok(LocatedText { value: text.to_owned(), line: self.line(&value.span()) })
    }

    fn flag(&self, value: &Spanned<DeValue<'_>>) -> Result<bool> {
        value.get_ref().as_bool().ok_or_else(|| self.mismatch(value, "true or false"))
    }
}

/// Returns the error `lang-syntax` for a line of a data file.
pub(super) fn syntax_error(file: &str, line: usize, message: impl Display) -> Error {
    Error::value(codes::LANG_SYNTAX, format!("{file}:{line}: {message}"))
}

/// Returns `true` if `text` is a valid name of a class or a list.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}
