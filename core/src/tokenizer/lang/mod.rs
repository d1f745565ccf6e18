//! The rules of a language: what its tokenizer splits, and what its vocab knows of words.
//!
//! Rules are data. `base.toml` holds what languages share, `<code>.toml` what is a language's own;
//! the head of `base.toml` describes the format. [`load`] reads both, expands classes, lists and
//! templates, and hands out plain strings. The patterns are valid for Rust's regex engines and for
//! Python's `re` alike, so that the same rules can be given to spaCy.

mod expand;
mod file;

#[cfg(test)]
mod tests;

use std::fmt;

use expand::Builder;

/// The rules of one language, fully expanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LangData {
    /// The code that was asked for, such as `en`.
    pub code: String,
    /// What is split off the start of a chunk, one pattern each, the first that matches wins.
    pub prefixes: Vec<String>,
    /// What is split off the end of a chunk, one pattern each.
    pub suffixes: Vec<String>,
    /// What splits the inside of a chunk, one pattern each.
    pub infixes: Vec<String>,
    /// What is kept whole before any affix is looked for.
    pub token_match: Option<String>,
    /// What is kept whole once no affix is left.
    pub url_match: Option<String>,
    /// Chunks whose tokens are known, in the order of the files; no text occurs twice.
    pub specials: Vec<(String, Vec<SpecialToken>)>,
    /// Lower-case words that carry little meaning of their own.
    pub stop_words: Vec<String>,
    /// Words with the form that stands for them.
    pub norms: Vec<(String, String)>,
    /// Words that name numbers.
    pub num_words: NumWords,
}

/// One token of a special case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecialToken {
    /// The token's text. The texts of a case concatenate to the case's own.
    pub orth: String,
    /// The token's norm, where it is not the one its word has anyway.
    pub norm: Option<String>,
}

/// Words that name numbers, in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumWords {
    /// Such as `seven` and `million`.
    pub cardinals: Vec<String>,
    /// Such as `seventh`.
    pub ordinals: Vec<String>,
    /// What makes digits an ordinal, such as `th`.
    pub ordinal_suffixes: Vec<String>,
}

impl LangData {
    /// All prefixes as one pattern, each branch anchored at the start.
    pub fn prefix_pattern(&self) -> String {
        join(&self.prefixes, "^", "")
    }

    /// All suffixes as one pattern, each branch anchored at the end.
    pub fn suffix_pattern(&self) -> String {
        join(&self.suffixes, "", "$")
    }

    /// All infixes as one pattern.
    pub fn infix_pattern(&self) -> String {
        join(&self.infixes, "", "")
    }
}

fn join(pieces: &[String], before: &str, after: &str) -> String {
    let branches: Vec<String> =
        pieces.iter().map(|piece| format!("{before}{piece}{after}")).collect();
    branches.join("|")
}

const BASE: Source = Source { name: "base.toml", text: include_str!("base.toml") };

/// Every language by its code. What a source does not say itself, it takes from `BASE`.
const LANGUAGES: &[(&str, Source)] = &[
    ("en", Source { name: "en.toml", text: include_str!("en.toml") }),
    ("xx", Source { name: "xx.toml", text: include_str!("xx.toml") }),
];

/// A data file as it was written.
#[derive(Clone, Copy)]
struct Source {
    name: &'static str,
    text: &'static str,
}

/// Loads the rules of the language `code`, in one or two milliseconds. Keep the result: nothing is
/// cached here.
///
/// # Errors
///
/// `unknown-language` where there is no such language; the text lists those there are.
pub fn load(code: &str) -> Result<LangData, LangError> {
    let Some((_, source)) = LANGUAGES.iter().find(|(known, _)| *known == code) else {
        let known: Vec<&str> = languages().collect();
        return Err(LangError {
            code: "unknown-language",
            message: format!(
                "no rules for language {code:?}; there are rules for {}, and a tokenizer for any \
                 other language can be made from spaCy's with from_spacy",
                known.join(", ")
            ),
        });
    };
    build(code, &[BASE, *source])
}

/// The codes that [`load`] knows.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

fn build(code: &str, sources: &[Source]) -> Result<LangData, LangError> {
    let mut builder = Builder::new(code);
    for source in sources {
        builder.add(&file::parse(source.name, source.text)?)?;
    }
    Ok(builder.finish())
}

/// Why the rules of a language could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LangError {
    code: &'static str,
    message: String,
}

impl LangError {
    /// The stable code: `unknown-language`, or `lang-syntax` for a faulty data file.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The text without the code.
    pub fn message(&self) -> &str {
        &self.message
    }

    fn syntax(file: &str, line: usize, message: impl fmt::Display) -> LangError {
        LangError { code: "lang-syntax", message: format!("{file}:{line}: {message}") }
    }
}

impl fmt::Display for LangError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.message)
    }
}

impl std::error::Error for LangError {}
