//! The rules of a language: patterns and special cases of its tokenizer, word lists of its vocab.
//!
//! Rules are data. `base.toml` contains the rules that all languages share, `<code>.toml` those of
//! one language; the head of `base.toml` describes the format. [`load`] parses both, expands
//! classes, lists and templates, and returns plain strings. The patterns are valid for Rust's regex
//! engines and for Python's `re`, so that spaCy can use the same rules.

mod expand;
mod file;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::{Code, codes};
use expand::LangBuilder;

/// The rules of one language, fully expanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LangData {
    /// The code of the language, such as `en`.
    pub code: String,
    /// Patterns of prefixes; the first that matches wins.
    pub prefixes: Vec<String>,
    /// Patterns of suffixes.
    pub suffixes: Vec<String>,
    /// Patterns of infixes.
    pub infixes: Vec<String>,
    /// The pattern of chunks that are one token, tested before affixes are split off.
    pub token_match: Option<String>,
    /// The pattern of chunks that are one token, tested after affixes are split off.
    pub url_match: Option<String>,
    /// Special cases: chunks with their tokens, in the order of the files; each text occurs once.
    pub specials: Vec<(String, Vec<SpecialToken>)>,
    /// Lower-case words that carry little meaning of their own.
    pub stop_words: Vec<String>,
    /// Words with their norms.
    pub norms: Vec<(String, String)>,
    /// Words for numbers.
    pub num_words: NumWords,
}

/// One token of a special case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecialToken {
    /// The token's text. The texts of a case concatenate to the case's own.
    pub orth: String,
    /// The token's norm, if it differs from the norm of its word.
    pub norm: Option<String>,
}

/// Words for numbers, in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumWords {
    /// Cardinals, such as `seven` and `million`.
    pub cardinals: Vec<String>,
    /// Ordinals, such as `seventh`.
    pub ordinals: Vec<String>,
    /// Suffixes that make digits an ordinal, such as `th`.
    pub ordinal_suffixes: Vec<String>,
}

impl LangData {
    /// Returns all prefixes as one pattern, each branch anchored at the start.
    pub fn prefix_pattern(&self) -> String {
        join(&self.prefixes, "^", "")
    }

    /// Returns all suffixes as one pattern, each branch anchored at the end.
    pub fn suffix_pattern(&self) -> String {
        join(&self.suffixes, "", "$")
    }

    /// Returns all infixes as one pattern.
    pub fn infix_pattern(&self) -> String {
        join(&self.infixes, "", "")
    }
}

fn join(patterns: &[String], before: &str, after: &str) -> String {
    let branches: Vec<String> =
        patterns.iter().map(|pattern| format!("{before}{pattern}{after}")).collect();
    branches.join("|")
}

const BASE: LangSource = LangSource { name: "base.toml", text: include_str!("base.toml") };

/// The data file of each language by its code; `BASE` precedes each.
const LANGUAGES: &[(&str, LangSource)] = &[
    ("en", LangSource { name: "en.toml", text: include_str!("en.toml") }),
    ("xx", LangSource { name: "xx.toml", text: include_str!("xx.toml") }),
];

/// The text of a data file.
#[derive(Clone, Copy)]
struct LangSource {
    name: &'static str,
    text: &'static str,
}

/// Loads the rules of the language `code`. Cost: one or two milliseconds; the result is not cached.
///
/// # Errors
///
/// `unknown-language`, with the known languages.
pub fn load(code: &str) -> Result<LangData, LangError> {
    let Some((_, source)) = LANGUAGES.iter().find(|(known, _)| *known == code) else {
        let known: Vec<&str> = languages().collect();
        return Err(LangError {
            code: codes::UNKNOWN_LANGUAGE,
            message: format!(
                "no rules for language {code:?}; there are rules for {}, and a tokenizer for any \
                 other language can be made from spaCy's with from_spacy",
                known.join(", ")
            ),
        });
    };
    build(code, &[BASE, *source])
}

/// Returns the codes of the languages that [`load`] accepts.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

fn build(code: &str, sources: &[LangSource]) -> Result<LangData, LangError> {
    let mut builder = LangBuilder::new(code);
    for source in sources {
        builder.add(&file::parse(source.name, source.text)?)?;
    }
    Ok(builder.finish())
}

/// The error of loading the rules of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LangError {
    code: Code,
    message: String,
}

impl LangError {
    /// Returns the stable code: `unknown-language`, or `lang-syntax` for an invalid data file.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the message without the code.
    pub fn message(&self) -> &str {
        &self.message
    }

    fn syntax(file: &str, line: usize, message: impl fmt::Display) -> LangError {
        LangError { code: codes::LANG_SYNTAX, message: format!("{file}:{line}: {message}") }
    }
}

impl fmt::Display for LangError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.message)
    }
}

impl std::error::Error for LangError {}
