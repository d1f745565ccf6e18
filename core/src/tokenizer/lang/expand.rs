//! The expansion of definitions and templates to plain patterns and special cases.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

use regex_syntax::hir::{Class, HirKind};

use super::data::{LangData, SpecialToken};
use super::file::{LangFile, LocatedText, SpecialCaseGroup, is_name, syntax_error};
use crate::Result;

/// A builder that collects the data of a language from its files, the most general one first.
pub(super) struct LangBuilder {
    data: LangData,
    names: HashMap<String, Definition>,
    /// The file and the line of each special case, by its text.
    origins: HashMap<String, (String, usize)>,
}

/// The definition of a `{name}`.
enum Definition {
    /// The inside of a character class, such as `A-Za-z`.
    Class(String),
    /// The words of a list.
    List(Vec<String>),
}

impl LangBuilder {
    pub(super) fn new(code: &str) -> LangBuilder {
        let data = LangData { code: code.to_owned(), ..LangData::default() };
        LangBuilder { data, names: HashMap::new(), origins: HashMap::new() }
    }

    pub(super) fn finish(self) -> LangData {
        self.data
    }

    /// Adds a file: its lists extend those before, its patterns of URLs and tokens replace them.
    pub(super) fn add(&mut self, file: &LangFile) -> Result<()> {
        for class in &file.classes {
            let definition = Definition::Class(self.class(file, &class.text)?);
            self.define(file, &class.name, class.text.line, definition)?;
        }
        for list in &file.lists {
            let definition = Definition::List(words(Some(&list.text)));
            self.define(file, &list.name, list.text.line, definition)?;
        }
        let prefixes = self.patterns(file, &file.prefixes)?;
        self.data.prefixes.extend(prefixes);
        let suffixes = self.patterns(file, &file.suffixes)?;
        self.data.suffixes.extend(suffixes);
        let infixes = self.patterns(file, &file.infixes)?;
        self.data.infixes.extend(infixes);
        if let Some(text) = &file.token {
            self.data.token_match = Some(self.pattern(file, text)?);
        }
        if let Some(text) = &file.url {
            self.data.url_match = Some(self.pattern(file, text)?);
        }
        for group in &file.specials {
            self.group(file, group)?;
        }
        self.data.norms.extend(norms(file)?);
        self.data.stop_words.extend(words(file.stop_words.as_ref()));
        let num_words = &mut self.data.num_words;
        num_words.cardinals.extend(words(file.cardinals.as_ref()));
        num_words.ordinals.extend(words(file.ordinals.as_ref()));
        num_words.ordinal_suffixes.extend(words(file.ordinal_suffixes.as_ref()));
        Ok(())
    }

    fn define(
        &mut self,
        file: &LangFile,
        name: &str,
        line: usize,
        definition: Definition,
    ) -> Result<()> {
        match self.names.entry(name.to_owned()) {
            Entry::Occupied(_) => {
                Err(syntax_error(&file.name, line, format!("{{{name}}} is already defined")))
            }
            Entry::Vacant(slot) => {
                slot.insert(definition);
                Ok(())
            }
        }
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

    fn patterns(&self, file: &LangFile, texts: &[LocatedText]) -> Result<Vec<String>> {
        texts.iter().map(|text| self.pattern(file, text)).collect()
    }

    /// Replaces each `{name}` by the inside of a class or the alternatives of a list, and removes
    /// whitespace.
    fn pattern(&self, file: &LangFile, text: &LocatedText) -> Result<String> {
        let mut pattern = String::new();
        for part in parts(&text.value) {
            match part {
                TemplatePart::Plain(plain) => pattern.extend(plain.split_whitespace()),
                TemplatePart::Name(name) => match self.definition(file, text.line, name)? {
                    Definition::Class(ranges) => pattern.push_str(ranges),
                    Definition::List(words) => pattern.push_str(&alternatives(words)),
                },
            }
        }
        Ok(pattern)
    }

    fn group(&mut self, file: &LangFile, group: &SpecialCaseGroup) -> Result<()> {
        for template in &group.split {
            for case in self.instances(file, template)? {
                let tokens = split_case(&case)
                    .map_err(|message| syntax_error(&file.name, template.line, message))?;
                self.cases(file, template, group, &tokens)?;
            }
        }
        for template in &group.whole {
            for case in self.instances(file, template)? {
                if case.contains(char::is_whitespace) {
                    let message = format!("{case:?} contains whitespace, which ends a chunk");
                    return Err(syntax_error(&file.name, template.line, message));
                }
                if case.is_empty() {
                    return Err(syntax_error(
                        &file.name,
                        template.line,
                        "a special case without text",
                    ));
                }
                let tokens = [SpecialToken { orth: case, norm: None }];
                self.cases(file, template, group, &tokens)?;
            }
        }
        Ok(())
    }

    /// Returns a template with every combination of words of its lists. A list that occurs twice
    /// yields the same word twice.
    fn instances(&self, file: &LangFile, template: &LocatedText) -> Result<Vec<String>> {
        let mut instances = vec![template.value.clone()];
        for part in parts(&template.value) {
            let TemplatePart::Name(name) = part else { continue };
            let Definition::List(words) = self.definition(file, template.line, name)? else {
                let message = format!("{{{name}}} is a class; a template accepts lists only");
                return Err(syntax_error(&file.name, template.line, message));
            };
            let slot = format!("{{{name}}}");
            // For the second occurrence of a name all slots are filled already.
            if instances.iter().any(|instance| instance.contains(&slot)) {
                instances = instances
                    .iter()
                    .flat_map(|instance| words.iter().map(|word| instance.replace(&slot, word)))
                    .collect();
            }
        }
        Ok(instances)
    }

    /// Adds a case, and its capitalized variants if they differ.
    fn cases(
        &mut self,
        file: &LangFile,
        template: &LocatedText,
        group: &SpecialCaseGroup,
        tokens: &[SpecialToken],
    ) -> Result<()> {
        let mut forms = vec![tokens.to_vec()];
        if group.title {
            forms.push(title(tokens));
        }
        if group.upper {
            forms.push(upper(tokens));
        }
        for at in 0..forms.len() {
            if !forms[..at].contains(&forms[at]) {
                self.special(file, template.line, forms[at].clone())?;
            }
        }
        Ok(())
    }

    fn special(&mut self, file: &LangFile, line: usize, tokens: Vec<SpecialToken>) -> Result<()> {
        let text: String = tokens.iter().map(|token| token.orth.as_str()).collect();
        match self.origins.entry(text) {
            Entry::Occupied(seen) => {
                let (name, first) = seen.get();
                let message =
                    format!("{:?} is already a special case, at {name}:{first}", seen.key());
                Err(syntax_error(&file.name, line, message))
            }
            Entry::Vacant(slot) => {
                self.data.specials.push((slot.key().clone(), tokens));
                slot.insert((file.name.clone(), line));
                Ok(())
            }
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
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    is_name(name).then_some((name, after))
}

fn words(text: Option<&LocatedText>) -> Vec<String> {
    text.map_or_else(Vec::new, |text| text.value.split_whitespace().map(str::to_owned).collect())
}

fn norms(file: &LangFile) -> Result<Vec<(String, String)>> {
    let Some(text) = &file.norms else { return Ok(Vec::new()) };
    let pair = |entry: &str| match entry.split_once('=') {
        Some((word, norm)) if !word.is_empty() && !norm.is_empty() => {
            Ok((word.to_owned(), norm.to_owned()))
        }
        _ => {
            let message = format!("{entry:?} is not word=norm");
            Err(syntax_error(&file.name, text.line, message))
        }
    };
    text.value.split_whitespace().map(pair).collect()
}

/// Returns the words as alternatives, longer ones first, so that a word does not hide a longer one
/// that begins with it.
fn alternatives(words: &[String]) -> String {
    let mut branches: Vec<String> = words.iter().map(|word| regex_syntax::escape(word)).collect();
    branches.sort_by_key(|branch| std::cmp::Reverse(branch.len()));
    branches.join("|")
}

/// Parses `orth orth=norm ...`.
///
/// # Errors
///
/// A message.
fn split_case(case: &str) -> std::result::Result<Vec<SpecialToken>, String> {
    let tokens: std::result::Result<Vec<SpecialToken>, String> = case
        .split_whitespace()
        .map(|token| {
            let (orth, norm) = match token.split_once('=') {
                Some((orth, norm)) => (orth, Some(norm)),
                None => (token, None),
            };
            if orth.is_empty() || norm == Some("") {
                return Err(format!("{token:?} is not orth or orth=norm"));
            }
            Ok(SpecialToken { orth: orth.to_owned(), norm: norm.map(str::to_owned) })
        })
        .collect();
    match tokens {
        Ok(tokens) if tokens.is_empty() => Err("a special case without tokens".to_owned()),
        tokens => tokens,
    }
}

/// Returns the tokens with a capital first letter.
fn title(tokens: &[SpecialToken]) -> Vec<SpecialToken> {
    let mut tokens = tokens.to_vec();
    if let Some(token) = tokens.first_mut() {
        let mut chars = token.orth.chars();
        if let Some(first) = chars.next() {
            token.orth = first.to_uppercase().chain(chars).collect();
        }
    }
    tokens
}

/// Returns the tokens in capitals.
fn upper(tokens: &[SpecialToken]) -> Vec<SpecialToken> {
    let mut tokens = tokens.to_vec();
    for token in &mut tokens {
        token.orth = token.orth.to_uppercase();
    }
    tokens
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
