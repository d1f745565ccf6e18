//! From definitions and templates to plain patterns and special cases.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

use regex_syntax::hir::{Class, HirKind};

use super::file::{Family, LangFile, Text, is_name};
use super::{LangData, LangError, SpecialToken};

/// Collects the data of a language from its files, the most general one first.
pub(super) struct Builder {
    data: LangData,
    names: HashMap<String, Meaning>,
    /// Where the special case of each text was given.
    origins: HashMap<String, (String, usize)>,
}

/// What `{name}` stands for.
enum Meaning {
    /// The inside of a character class: `A-Za-z`.
    Class(String),
    /// The words of a list.
    List(Vec<String>),
}

impl Builder {
    pub(super) fn new(code: &str) -> Builder {
        let data = LangData { code: code.to_owned(), ..LangData::default() };
        Builder { data, names: HashMap::new(), origins: HashMap::new() }
    }

    pub(super) fn finish(self) -> LangData {
        self.data
    }

    /// Adds a file: lists grow, a pattern for URLs or tokens replaces the one before.
    pub(super) fn add(&mut self, file: &LangFile) -> Result<(), LangError> {
        for class in &file.classes {
            let meaning = Meaning::Class(self.class(file, &class.text)?);
            self.define(file, &class.name, class.text.line, meaning)?;
        }
        for list in &file.lists {
            let meaning = Meaning::List(words(Some(&list.text)));
            self.define(file, &list.name, list.text.line, meaning)?;
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
        for family in &file.specials {
            self.family(file, family)?;
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
        meaning: Meaning,
    ) -> Result<(), LangError> {
        match self.names.entry(name.to_owned()) {
            Entry::Occupied(_) => {
                Err(LangError::syntax(&file.name, line, format!("{{{name}}} is defined already")))
            }
            Entry::Vacant(slot) => {
                slot.insert(meaning);
                Ok(())
            }
        }
    }

    fn meaning(&self, file: &LangFile, line: usize, name: &str) -> Result<&Meaning, LangError> {
        self.names.get(name).ok_or_else(|| {
            LangError::syntax(&file.name, line, format!("{{{name}}} is not defined above"))
        })
    }

    /// Resolves the Unicode properties of a class to ranges, which Python's `re` has no other way
    /// to say.
    fn class(&self, file: &LangFile, text: &Text) -> Result<String, LangError> {
        let source = format!("[{}]", self.pattern(file, text)?);
        let hir = regex_syntax::parse(&source).map_err(|error| {
            LangError::syntax(&file.name, text.line, format!("not a character class: {error}"))
        })?;
        let mut ranges = String::new();
        match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => {
                for range in class.ranges() {
                    push_class_char(&mut ranges, range.start());
                    if range.start() != range.end() {
                        // Two neighbours need no dash; `x-y` of two would only be longer.
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
            _ => return Err(LangError::syntax(&file.name, text.line, "not a character class")),
        }
        Ok(ranges)
    }

    fn patterns(&self, file: &LangFile, texts: &[Text]) -> Result<Vec<String>, LangError> {
        texts.iter().map(|text| self.pattern(file, text)).collect()
    }

    /// Puts the inside of a class, or the alternatives of a list, in the place of each `{name}`,
    /// and drops white space.
    fn pattern(&self, file: &LangFile, text: &Text) -> Result<String, LangError> {
        let mut pattern = String::new();
        for part in parts(&text.value) {
            match part {
                Part::Plain(plain) => pattern.extend(plain.split_whitespace()),
                Part::Name(name) => match self.meaning(file, text.line, name)? {
                    Meaning::Class(ranges) => pattern.push_str(ranges),
                    Meaning::List(words) => pattern.push_str(&alternatives(words)),
                },
            }
        }
        Ok(pattern)
    }

    fn family(&mut self, file: &LangFile, family: &Family) -> Result<(), LangError> {
        for template in &family.split {
            for case in self.instances(file, template)? {
                let tokens = split_case(&case)
                    .map_err(|message| LangError::syntax(&file.name, template.line, message))?;
                self.cases(file, template, family, &tokens)?;
            }
        }
        for template in &family.whole {
            for case in self.instances(file, template)? {
                if case.contains(char::is_whitespace) {
                    let message = format!("{case:?} holds white space, which ends a chunk");
                    return Err(LangError::syntax(&file.name, template.line, message));
                }
                if case.is_empty() {
                    return Err(LangError::syntax(
                        &file.name,
                        template.line,
                        "a case without text",
                    ));
                }
                let tokens = [SpecialToken { orth: case, norm: None }];
                self.cases(file, template, family, &tokens)?;
            }
        }
        Ok(())
    }

    /// Every way to fill the lists of a template. A list named twice gives the same word twice.
    fn instances(&self, file: &LangFile, template: &Text) -> Result<Vec<String>, LangError> {
        let mut instances = vec![template.value.clone()];
        for part in parts(&template.value) {
            let Part::Name(name) = part else { continue };
            let Meaning::List(words) = self.meaning(file, template.line, name)? else {
                let message = format!("{{{name}}} is a class; a template takes lists");
                return Err(LangError::syntax(&file.name, template.line, message));
            };
            let slot = format!("{{{name}}}");
            // A second turn of the same name finds no slot left in any instance.
            if instances.iter().any(|instance| instance.contains(&slot)) {
                instances = instances
                    .iter()
                    .flat_map(|instance| words.iter().map(|word| instance.replace(&slot, word)))
                    .collect();
            }
        }
        Ok(instances)
    }

    /// Adds a case as written, and its capitalized forms where they differ.
    fn cases(
        &mut self,
        file: &LangFile,
        template: &Text,
        family: &Family,
        tokens: &[SpecialToken],
    ) -> Result<(), LangError> {
        let mut forms = vec![tokens.to_vec()];
        if family.title {
            forms.push(title(tokens));
        }
        if family.upper {
            forms.push(upper(tokens));
        }
        for at in 0..forms.len() {
            if !forms[..at].contains(&forms[at]) {
                self.special(file, template.line, forms[at].clone())?;
            }
        }
        Ok(())
    }

    fn special(
        &mut self,
        file: &LangFile,
        line: usize,
        tokens: Vec<SpecialToken>,
    ) -> Result<(), LangError> {
        let text: String = tokens.iter().map(|token| token.orth.as_str()).collect();
        match self.origins.entry(text) {
            Entry::Occupied(seen) => {
                let (name, first) = seen.get();
                let message = format!("{:?} is a case already, from {name}:{first}", seen.key());
                Err(LangError::syntax(&file.name, line, message))
            }
            Entry::Vacant(slot) => {
                self.data.specials.push((slot.key().clone(), tokens));
                slot.insert((file.name.clone(), line));
                Ok(())
            }
        }
    }
}

/// A piece of a pattern or a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    Plain(&'a str),
    Name(&'a str),
}

/// Cuts at each `{name}`. Other braces, as in `x{2,3}` or `\p{Lu}`, are plain.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = leading_name(rest) {
            rest = after;
            return Some(Part::Name(name));
        }
        let end = rest
            .char_indices()
            .skip(1)
            .find(|&(at, _)| leading_name(&rest[at..]).is_some())
            .map_or(rest.len(), |(at, _)| at);
        let (plain, after) = rest.split_at(end);
        rest = after;
        Some(Part::Plain(plain))
    })
}

fn leading_name(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    is_name(name).then_some((name, after))
}

fn words(text: Option<&Text>) -> Vec<String> {
    text.map_or_else(Vec::new, |text| text.value.split_whitespace().map(str::to_owned).collect())
}

fn norms(file: &LangFile) -> Result<Vec<(String, String)>, LangError> {
    let Some(text) = &file.norms else { return Ok(Vec::new()) };
    let pair = |entry: &str| match entry.split_once('=') {
        Some((word, norm)) if !word.is_empty() && !norm.is_empty() => {
            Ok((word.to_owned(), norm.to_owned()))
        }
        _ => {
            let message = format!("{entry:?} is not word=norm");
            Err(LangError::syntax(&file.name, text.line, message))
        }
    };
    text.value.split_whitespace().map(pair).collect()
}

/// The words as branches, longer ones first, so that no word hides one that it begins.
fn alternatives(words: &[String]) -> String {
    let mut branches: Vec<String> = words.iter().map(|word| regex_syntax::escape(word)).collect();
    branches.sort_by_key(|branch| std::cmp::Reverse(branch.len()));
    branches.join("|")
}

/// Reads `orth orth=norm ...`, or says what is wrong with it.
fn split_case(case: &str) -> Result<Vec<SpecialToken>, String> {
    let tokens: Result<Vec<SpecialToken>, String> = case
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
        Ok(tokens) if tokens.is_empty() => Err("a case without tokens".to_owned()),
        tokens => tokens,
    }
}

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

fn upper(tokens: &[SpecialToken]) -> Vec<SpecialToken> {
    let mut tokens = tokens.to_vec();
    for token in &mut tokens {
        token.orth = token.orth.to_uppercase();
    }
    tokens
}

/// Writes a character so that it stands for itself inside a class of Rust's regex and of `re`,
/// next to any other.
pub(super) fn push_class_char(class: &mut String, c: char) {
    if matches!(c, '\\' | '[' | ']' | '^' | '-' | '&' | '~' | '|') {
        class.push('\\');
        class.push(c);
    } else if c.is_control() || c.is_whitespace() {
        // Both engines read \U with eight digits; writing to a string cannot fail.
        let _ = write!(class, "\\U{:08X}", u32::from(c));
    } else {
        class.push(c);
    }
}
