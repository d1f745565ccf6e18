//! A data file as TOML: which keys there are, and on which line each value stands.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::LangError;

/// A data file, parsed but not expanded.
#[derive(Debug, Default)]
pub(super) struct LangFile {
    pub(super) name: String,
    /// Named character classes, in the order of the file.
    pub(super) classes: Vec<Named>,
    /// Named word lists, in the order of the file.
    pub(super) lists: Vec<Named>,
    pub(super) prefixes: Vec<Text>,
    pub(super) suffixes: Vec<Text>,
    pub(super) infixes: Vec<Text>,
    pub(super) token: Option<Text>,
    pub(super) url: Option<Text>,
    pub(super) specials: Vec<Family>,
    pub(super) stop_words: Option<Text>,
    pub(super) norms: Option<Text>,
    pub(super) cardinals: Option<Text>,
    pub(super) ordinals: Option<Text>,
    pub(super) ordinal_suffixes: Option<Text>,
}

/// A string and the line it starts on.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) value: String,
    pub(super) line: usize,
}

/// A definition: a name and what it stands for.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) text: Text,
}

/// Special cases of one kind.
#[derive(Debug, Default)]
pub(super) struct Family {
    /// Templates of chunks that split, token by token.
    pub(super) split: Vec<Text>,
    /// Templates of chunks that are one token as they stand.
    pub(super) whole: Vec<Text>,
    /// Whether each case also occurs with a capital first letter.
    pub(super) title: bool,
    /// Whether each case also occurs in capitals.
    pub(super) upper: bool,
}

/// Reads the TOML of a data file.
pub(super) fn parse(name: &str, text: &str) -> Result<LangFile, LangError> {
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
                for family in reader.array(value)? {
                    file.specials.push(reader.family(family)?);
                }
            }
            "vocab" => reader.vocab(value, &mut file)?,
            _ => return Err(reader.unknown(key, "classes, lists, affixes, special, vocab")),
        }
    }
    Ok(file)
}

/// Turns TOML values into what a [`LangFile`] holds, and byte offsets into lines.
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

    fn error(&self, span: &Range<usize>, message: &str) -> LangError {
        LangError::syntax(self.name, self.line(span), message)
    }

    fn unknown(&self, key: &Spanned<Cow<'_, str>>, known: &str) -> LangError {
        let message = format!("unknown key {:?}; expected one of {known}", key.get_ref());
        self.error(&key.span(), &message)
    }

    fn mismatch(&self, value: &Spanned<DeValue<'_>>, expected: &str) -> LangError {
        let message = format!("expected {expected}, found {}", value.get_ref().type_str());
        self.error(&value.span(), &message)
    }

    fn affixes(&self, value: &Spanned<DeValue<'_>>, file: &mut LangFile) -> Result<(), LangError> {
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

    fn family(&self, value: &Spanned<DeValue<'_>>) -> Result<Family, LangError> {
        let mut family = Family::default();
        for (key, value) in self.table(value)? {
            match key.get_ref().as_ref() {
                "split" => family.split = self.texts(value)?,
                "whole" => family.whole = self.texts(value)?,
                "title" => family.title = self.flag(value)?,
                "upper" => family.upper = self.flag(value)?,
                _ => return Err(self.unknown(key, "split, whole, title, upper")),
            }
        }
        Ok(family)
    }

    fn vocab(&self, value: &Spanned<DeValue<'_>>, file: &mut LangFile) -> Result<(), LangError> {
        const KNOWN: &str = "stop_words, norms, cardinals, ordinals, ordinal_suffixes";
        for (key, value) in self.table(value)? {
            let slot = match key.get_ref().as_ref() {
                "stop_words" => &mut file.stop_words,
                "norms" => &mut file.norms,
                "cardinals" => &mut file.cardinals,
                "ordinals" => &mut file.ordinals,
                "ordinal_suffixes" => &mut file.ordinal_suffixes,
                _ => return Err(self.unknown(key, KNOWN)),
            };
            *slot = Some(self.text(value)?);
        }
        Ok(())
    }

    /// A table of strings. TOML tables come sorted by name; the order of the file is restored,
    /// because a definition may use those above it.
    fn definitions(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Named>, LangError> {
        let mut entries: Vec<_> = self.table(value)?.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
            .into_iter()
            .map(|(key, value)| {
                let name = key.get_ref().as_ref();
                if !is_name(name) {
                    let message = format!("{name:?} is no name; a name is made of a-z and _");
                    return Err(self.error(&key.span(), &message));
                }
                Ok(Named { name: name.to_owned(), text: self.text(value)? })
            })
            .collect()
    }

    fn table<'v, 'i>(&self, value: &'v Spanned<DeValue<'i>>) -> Result<&'v DeTable<'i>, LangError> {
        value.get_ref().as_table().ok_or_else(|| self.mismatch(value, "a table"))
    }

    fn array<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<impl Iterator<Item = &'v Spanned<DeValue<'i>>> + use<'v, 'i>, LangError> {
        let array = value.get_ref().as_array().ok_or_else(|| self.mismatch(value, "an array"))?;
        Ok(array.iter())
    }

    fn texts(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Text>, LangError> {
        self.array(value)?.map(|item| self.text(item)).collect()
    }

    fn text(&self, value: &Spanned<DeValue<'_>>) -> Result<Text, LangError> {
        let text = value.get_ref().as_str().ok_or_else(|| self.mismatch(value, "a string"))?;
        Ok(Text { value: text.to_owned(), line: self.line(&value.span()) })
    }

    fn flag(&self, value: &Spanned<DeValue<'_>>) -> Result<bool, LangError> {
        value.get_ref().as_bool().ok_or_else(|| self.mismatch(value, "true or false"))
    }
}

/// Whether `text` can name a class or a list.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}
