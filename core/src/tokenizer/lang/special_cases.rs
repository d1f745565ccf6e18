//! The special cases of a language, from templates.

use std::collections::HashMap;

use super::data::SpecialToken;
use super::definitions::{Definitions, split_norm, split_words};
use super::file::{LangFile, SpecialCaseGroup};
use super::reader::{LocatedText, syntax_error};
use crate::Result;

/// The special cases of a language, in the order of its files.
#[derive(Default)]
pub(super) struct SpecialCases {
    cases: Vec<(String, Vec<SpecialToken>)>,
    origins: HashMap<String, Origin>,
}

/// The place of a special case.
struct Origin {
    file: String,
    line: usize,
    /// The place in the list of cases.
    at: usize,
}

impl SpecialCases {
    /// Takes away all cases.
    pub(super) fn clear(&mut self) {
        *self = SpecialCases::default();
    }

    /// Takes away the cases of a template.
    pub(super) fn remove(
        &mut self,
        definitions: &Definitions,
        file: &LangFile,
        template: &LocatedText,
    ) -> Result<()> {
        for text in definitions.instances(file, &template.value, template.line)? {
            if self.origins.remove(&text).is_none() {
                let message = format!("no special case {text:?} to take away");
                return Err(syntax_error(&file.name, template.line, message));
            }
        }
        self.cases.retain(|(text, _)| self.origins.contains_key(text));
        for (at, (text, _)) in self.cases.iter().enumerate() {
            if let Some(origin) = self.origins.get_mut(text) {
                origin.at = at;
            }
        }
        Ok(())
    }

    /// Adds the cases of a group of templates.
    pub(super) fn add(
        &mut self,
        definitions: &Definitions,
        file: &LangFile,
        group: &SpecialCaseGroup,
    ) -> Result<()> {
        for template in &group.split {
            for case in definitions.instances(file, &template.value, template.line)? {
                let tokens = split_case(&case)
                    .map_err(|message| syntax_error(&file.name, template.line, message))?;
                self.with_variants(file, template.line, group, &tokens)?;
            }
        }
        for template in &group.whole {
            for case in definitions.instances(file, &template.value, template.line)? {
                let message = if case.is_empty() {
                    "a special case without text".to_owned()
                } else if case.contains(char::is_whitespace) {
                    format!("{case:?} contains whitespace, which ends a chunk")
                } else {
                    let tokens = [SpecialToken { orth: case, norm: None }];
                    self.with_variants(file, template.line, group, &tokens)?;
                    continue;
                };
                return Err(syntax_error(&file.name, template.line, message));
            }
        }
        Ok(())
    }

    pub(super) fn into_cases(self) -> Vec<(String, Vec<SpecialToken>)> {
        self.cases
    }

    /// Adds a case, and its capitalized variants if they differ.
    fn with_variants(
        &mut self,
        file: &LangFile,
        line: usize,
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
                self.insert(file, line, group, forms[at].clone())?;
            }
        }
        Ok(())
    }

    fn insert(
        &mut self,
        file: &LangFile,
        line: usize,
        group: &SpecialCaseGroup,
        tokens: Vec<SpecialToken>,
    ) -> Result<()> {
        let text: String = tokens.iter().map(|token| token.orth.as_str()).collect();
        let origin = |at| Origin { file: file.name.clone(), line, at };
        match self.origins.get_mut(&text) {
            None => {
                self.origins.insert(text.clone(), origin(self.cases.len()));
                self.cases.push((text, tokens));
            }
            Some(seen) if group.replace && seen.file != file.name => {
                self.cases[seen.at].1 = tokens;
                *seen = origin(seen.at);
            }
            Some(seen) => {
                let message =
                    format!("{text:?} is already a special case, at {}:{}", seen.file, seen.line);
                return Err(syntax_error(&file.name, line, message));
            }
        }
        Ok(())
    }
}

/// Parses `orth orth=norm ...`. An open box (U+2423) stands for a space inside of a token.
///
/// # Errors
///
/// A message.
fn split_case(case: &str) -> Result<Vec<SpecialToken>, String> {
    let token = |token: &str| {
        let (orth, norm) = split_norm(token);
        let norm = norm.map(str::to_owned);
        if orth.is_empty() || norm.as_ref().is_some_and(String::is_empty) {
            return Err(format!("{token:?} is not orth or orth=norm"));
        }
        Ok(SpecialToken { orth: orth.replace('␣', " "), norm })
    };
    let tokens: Vec<SpecialToken> = split_words(case).map(token).collect::<Result<_, _>>()?;
    if tokens.is_empty() {
        return Err("a special case without tokens".to_owned());
    }
    Ok(tokens)
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
