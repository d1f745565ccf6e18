//! Conversion of TOML values to texts, flags and named patterns, and of byte offsets to lines.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::{Error, Result, codes};

/// A string and the line it starts on.
#[derive(Clone, Debug)]
pub(super) struct LocatedText {
    pub(super) value: String,
    pub(super) line: usize,
}

/// A named class, list or piece.
#[derive(Debug)]
pub(super) struct NamedText {
    pub(super) name: String,
    pub(super) text: LocatedText,
}

/// A pattern with its name, or the name of one that does not hold.
#[derive(Debug)]
pub(super) struct NamedPattern {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) pattern: Option<LocatedText>,
}

/// A reader of the values of one file.
pub(super) struct Reader<'a> {
    name: &'a str,
    /// The offset at which each line but the first starts.
    line_starts: Vec<usize>,
}

impl Reader<'_> {
    pub(super) fn new<'a>(name: &'a str, text: &str) -> Reader<'a> {
        let line_starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).collect();
        Reader { name, line_starts }
    }

    fn line(&self, span: &Range<usize>) -> usize {
        1 + self.line_starts.partition_point(|&start| start <= span.start)
    }

    pub(super) fn error(&self, span: &Range<usize>, message: &str) -> Error {
        syntax_error(self.name, self.line(span), message)
    }

    pub(super) fn unknown(&self, key: &Spanned<Cow<'_, str>>, names: &str) -> Error {
        let message = format!("unknown key {:?}; expected one of {names}", key.get_ref());
        self.error(&key.span(), &message)
    }

    fn mismatch(&self, value: &Spanned<DeValue<'_>>, expected: &str) -> Error {
        let message = format!("expected {expected}, found {}", value.get_ref().type_str());
        self.error(&value.span(), &message)
    }

    /// Reads a table of strings.
    pub(super) fn definitions(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<NamedText>> {
        let definition = |(name, value): (&str, _)| {
            Ok(NamedText { name: name.to_owned(), text: self.text(value)? })
        };
        self.named(value)?.into_iter().map(definition).collect()
    }

    /// Reads a table of patterns; `false` in the place of one takes it away.
    pub(super) fn patterns(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<NamedPattern>> {
        let pattern = |(name, value): (&str, &Spanned<DeValue<'_>>)| {
            let pattern = match value.get_ref() {
                DeValue::Boolean(false) => None,
                DeValue::String(_) => Some(self.text(value)?),
                _ => return Err(self.mismatch(value, "a pattern or false")),
            };
            let line = self.line(&value.span());
            Ok(NamedPattern { name: name.to_owned(), line, pattern })
        };
        self.named(value)?.into_iter().map(pattern).collect()
    }

    /// Returns the entries of a table in the order of the file, because a definition may use those
    /// above it; the TOML parser sorts tables by name.
    pub(super) fn named<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<Vec<(&'v str, &'v Spanned<DeValue<'i>>)>> {
        let mut entries: Vec<_> = self.table(value)?.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&'v Spanned<Cow<'i, str>>, _)| {
            let name = key.get_ref().as_ref();
            if is_name(name) {
                return Ok((name, value));
            }
            let message = format!("{name:?} is not a valid name; a name consists of a-z and _");
            Err(self.error(&key.span(), &message))
        };
        entries.into_iter().map(entry).collect()
    }

    pub(super) fn table<'v, 'i>(&self, value: &'v Spanned<DeValue<'i>>) -> Result<&'v DeTable<'i>> {
        value.get_ref().as_table().ok_or_else(|| self.mismatch(value, "a table"))
    }

    pub(super) fn array<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<impl Iterator<Item = &'v Spanned<DeValue<'i>>> + use<'v, 'i>> {
        let array = value.get_ref().as_array().ok_or_else(|| self.mismatch(value, "an array"))?;
        Ok(array.iter())
    }

    pub(super) fn texts(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<LocatedText>> {
        self.array(value)?.map(|item| self.text(item)).collect()
    }

    pub(super) fn text(&self, value: &Spanned<DeValue<'_>>) -> Result<LocatedText> {
        let text = value.get_ref().as_str().ok_or_else(|| self.mismatch(value, "a string"))?;
        Ok(LocatedText { value: text.to_owned(), line: self.line(&value.span()) })
    }

    pub(super) fn flag(&self, value: &Spanned<DeValue<'_>>) -> Result<bool> {
        value.get_ref().as_bool().ok_or_else(|| self.mismatch(value, "true or false"))
    }
}

/// Returns the error `lang-syntax` for a line of a data file.
pub(super) fn syntax_error(file: &str, line: usize, message: impl Display) -> Error {
    Error::value(codes::LANG_SYNTAX, format!("{file}:{line}: {message}"))
}

/// Returns whether `text` is a valid name of a class, a list, a piece, a pattern or a family.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}
