//! The definitions of `{name}`, and templates that use them.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::Write;

use regex_syntax::hir::{Class, HirKind};

use super::file::LangFile;
use super::reader::{LocatedText, NamedText, syntax_error};
use crate::Result;

/// The most bytes that all templates and patterns of a language may expand to: otherwise a file of
/// a few lines could fill the memory. The largest language has a twentieth of it.
const MAX_EXPANDED: usize = 16 << 20;

/// The definition of a `{name}`.
enum Definition {
    /// The inside of a character class, such as `A-Za-z`.
    Class(String),
    /// The words of a list.
    List(Vec<String>),
    /// A part of a pattern.
    Piece(String),
}

/// The definitions of all files of a language.
#[derive(Default)]
pub(super) struct Definitions {
    names: HashMap<String, Definition>,
    /// The number of bytes that were expanded so far.
    n_expanded: Cell<usize>,
}

/// The kinds of definitions, each with its table in a file.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Class,
    List,
    Piece,
}

/// The part of a language's rules to expand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    All,
    /// The data of vocabs, without the rules of tokenizers.
    Vocab,
}

impl Definitions {
    /// Reads the definitions of files, the most general one first.
    ///
    /// A file may define a name of a file before it anew, also by that name's own value: all that
    /// uses the name sees the last value. The data of vocabs uses lists only.
    pub(super) fn read(files: &[LangFile], part: Part) -> Result<Definitions> {
        let mut definitions = Definitions::default();
        let kinds: &[Kind] = match part {
            Part::All => &[Kind::Class, Kind::List, Kind::Piece],
            Part::Vocab => &[Kind::List],
        };
        for &kind in kinds {
            for same in by_name(files, kind) {
                for (at, (file, text)) in same.into_iter().enumerate() {
                    if at == 0 && definitions.names.contains_key(&text.name) {
                        let message = format!("{{{}}} is already defined", text.name);
                        return Err(syntax_error(&file.name, text.text.line, message));
                    }
                    let definition = definitions.define(file, kind, &text.text)?;
                    definitions.names.insert(text.name.clone(), definition);
                }
            }
        }
        Ok(definitions)
    }

    fn define(&self, file: &LangFile, kind: Kind, text: &LocatedText) -> Result<Definition> {
        Ok(match kind {
            Kind::Class => Definition::Class(self.class(file, text)?),
            Kind::List => Definition::List(self.words(file, text)?),
            Kind::Piece => Definition::Piece(format!("(?:{})", self.pattern(file, text)?)),
        })
    }

    /// Counts expanded bytes.
    fn expand(&self, file: &LangFile, line: usize, n_bytes: usize) -> Result<()> {
        self.n_expanded.set(self.n_expanded.get().saturating_add(n_bytes));
        if self.n_expanded.get() <= MAX_EXPANDED {
            return Ok(());
        }
        let message = format!("the lists and templates expand to more than {MAX_EXPANDED} bytes");
        Err(syntax_error(&file.name, line, message))
    }

    fn definition(&self, file: &LangFile, line: usize, name: &str) -> Result<&Definition> {
        self.names.get(name).ok_or_else(|| {
            syntax_error(&file.name, line, format!("{{{name}}} is not defined above"))
        })
    }

    /// Resolves the Unicode properties of a class to ranges, because Python's `re` does not support
    /// properties.
    fn class(&self, file: &LangFile, text: &LocatedText) -> Result<String> {
        let source = format!("[{}]", self.pattern(file, text)?);
        let hir = regex_syntax::parse(&source).map_err(|error| {
            syntax_error(&file.name, text.line, format!("not a character class: {error}"))
        })?;
        let mut ranges = String::new();
        match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => {
                for range in class.ranges() {
                    push_class_char(&mut ranges, range.start());
                    if range.start() != range.end() {
                        // A range of two characters is shorter without the dash.
                        if range.len() > 2 {
                            ranges.push('-');
                        }
                        push_class_char(&mut ranges, range.end());
                    }
                }
            }
            // A class of one character is simplified to that character.
            HirKind::Literal(literal) => {
                let only = std::str::from_utf8(&literal.0).unwrap_or_default();
                only.chars().for_each(|c| push_class_char(&mut ranges, c));
            }
            _ => return Err(syntax_error(&file.name, text.line, "not a character class")),
        }
        Ok(ranges)
    }

    /// Replaces each `{name}` by the inside of a class, the alternatives of a list or a piece, and
    /// removes whitespace.
    pub(super) fn pattern(&self, file: &LangFile, text: &LocatedText) -> Result<String> {
        let mut pattern = String::new();
        for part in parts(&text.value) {
            let len = pattern.len();
            match part {
                TemplatePart::Plain(plain) => pattern.extend(plain.split_whitespace()),
                TemplatePart::Name(name) => match self.definition(file, text.line, name)? {
                    Definition::Class(ranges) => pattern.push_str(ranges),
                    Definition::List(words) => pattern.push_str(&alternatives(words)),
                    Definition::Piece(piece) => pattern.push_str(piece),
                },
            }
            self.expand(file, text.line, pattern.len() - len)?;
        }
        Ok(pattern)
    }

    /// Returns the words of a text, with every combination of words of the lists that they name.
    pub(super) fn words(&self, file: &LangFile, text: &LocatedText) -> Result<Vec<String>> {
        let mut words = Vec::new();
        for word in split_words(&text.value) {
            words.extend(self.instances(file, word, text.line)?);
        }
        Ok(words)
    }

    /// Returns a template with every combination of words of its lists. A list that occurs twice
    /// yields the same word twice.
    pub(super) fn instances(
        &self,
        file: &LangFile,
        template: &str,
        line: usize,
    ) -> Result<Vec<String>> {
        let mut instances = vec![template.to_owned()];
        for part in parts(template) {
            let TemplatePart::Name(name) = part else { continue };
            let Definition::List(words) = self.definition(file, line, name)? else {
                let message = format!("{{{name}}} is no list; a template accepts lists only");
                return Err(syntax_error(&file.name, line, message));
            };
            let slot = format!("{{{name}}}");
            // For the second occurrence of a name all slots are filled already.
            if instances.iter().any(|instance| instance.contains(&slot)) {
                let n_bytes = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
                let (own, added) = (n_bytes(&instances), n_bytes(words));
                let n_bytes = own.saturating_mul(words.len());
                let n_added = added.saturating_mul(instances.len());
                self.expand(file, line, n_bytes.saturating_add(n_added))?;
                instances = instances
                    .iter()
                    .flat_map(|instance| words.iter().map(|word| instance.replace(&slot, word)))
                    .collect();
            }
        }
        Ok(instances)
    }
}

/// Returns the definitions of a kind, those of one name together, in the order of the first of each
/// name.
fn by_name(files: &[LangFile], kind: Kind) -> Vec<Vec<(&LangFile, &NamedText)>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut all: Vec<Vec<(&LangFile, &NamedText)>> = Vec::new();
    for file in files {
        for text in kind.table(file) {
            let place = *places.entry(&text.name).or_insert(all.len());
            if place == all.len() {
                all.push(Vec::new());
            }
            all[place].push((file, text));
        }
    }
    all
}

impl Kind {
    fn table(self, file: &LangFile) -> &[NamedText] {
        match self {
            Kind::Class => &file.classes,
            Kind::List => &file.lists,
            Kind::Piece => &file.pieces,
        }
    }
}

/// A part of a pattern or a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplatePart<'a> {
    Plain(&'a str),
    Name(&'a str),
}

/// Splits a template at each `{name}`. Other braces, as in `x{2,3}` or `\p{Lu}`, are plain text.
fn parts(text: &str) -> impl Iterator<Item = TemplatePart<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = leading_name(rest) {
            rest = after;
            return Some(TemplatePart::Name(name));
        }
        let end = rest
            .char_indices()
            .skip(1)
            .find(|&(at, _)| leading_name(&rest[at..]).is_some())
            .map_or(rest.len(), |(at, _)| at);
        let (plain, after) = rest.split_at(end);
        rest = after;
        Some(TemplatePart::Plain(plain))
    })
}

fn leading_name(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('{')?;
    let end = text.bytes().position(|byte| !(byte.is_ascii_lowercase() || byte == b'_'))?;
    let after = text[end..].strip_prefix('}')?;
    (end > 0).then_some((&text[..end], after))
}

/// Splits a text at whitespace, except inside of a norm in quotation marks: `p.ex.="per exemple"`.
pub(super) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if let Some(equals) = rest[..end].find("=\"") {
            let quoted = &rest[equals + 2..];
            let closing = quoted.find('"').unwrap_or(0);
            let after = &quoted[closing..].strip_prefix('"').unwrap_or_default();
            let is_closed = after.is_empty() || after.starts_with(char::is_whitespace);
            if closing > 0 && is_closed && !quoted.starts_with(char::is_whitespace) {
                end = equals + 2 + closing + 1;
            }
        }
        let (word, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(word)
    })
}

/// Splits `word=norm`; a norm in quotation marks may have spaces.
pub(super) fn split_norm(entry: &str) -> (&str, Option<&str>) {
    let Some((word, norm)) = entry.split_once('=') else { return (entry, None) };
    let inside = norm.strip_prefix('"').and_then(|norm| norm.strip_suffix('"'));
    (word, Some(inside.filter(|inside| !inside.is_empty()).unwrap_or(norm)))
}

/// Returns the words as alternatives, longer ones first, so that a word does not hide a longer one
/// that begins with it.
fn alternatives(words: &[String]) -> String {
    let mut branches: Vec<String> = words.iter().map(|word| regex_syntax::escape(word)).collect();
    branches.sort_by_key(|branch| std::cmp::Reverse(branch.len()));
    branches.join("|")
}

/// Appends a character to a class, escaped so that it is literal in Rust's regex and in `re`.
pub(super) fn push_class_char(class: &mut String, c: char) {
    if matches!(c, '\\' | '[' | ']' | '^' | '-' | '&' | '~' | '|') {
        class.push('\\');
        class.push(c);
    } else if c.is_control() || c.is_whitespace() {
        // Both engines support \U with eight digits; writing to a string cannot fail.
        let _ = write!(class, "\\U{:08X}", u32::from(c));
    } else {
        class.push(c);
    }
}
