//! The rules of a language: patterns and special cases of its tokenizer, word lists of its vocab.
//!
//! Rules are data. `base.toml` contains the rules that all languages share, `<code>.toml` those of
//! one language; the head of `base.toml` describes the format. [`load`] parses both, expands
//! classes, lists and templates, and returns plain strings. The patterns are valid for Rust's regex
//! engines and for Python's `re`, so that spaCy can use the same rules.

mod data;
mod expand;
mod file;

#[cfg(test)]
mod tests;

use crate::{Error, Result, codes};
pub use data::{LangData, NumWords, SpecialToken};

use expand::LangBuilder;

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
pub fn load(code: &str) -> Result<LangData> {
    let Some((_, source)) = LANGUAGES.iter().find(|(known, _)| *known == code) else {
        let known: Vec<&str> = languages().collect();
        let message = format!(
            "no rules for language {code:?}; there are rules for {}, and a tokenizer for any other \
             language can be made from spaCy's with from_spacy",
            known.join(", ")
        );
        return Err(Error::value(codes::UNKNOWN_LANGUAGE, message));
    };
    build(code, &[BASE, *source])
}

/// Returns the codes of the languages that [`load`] accepts.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

fn build(code: &str, sources: &[LangSource]) -> Result<LangData> {
    let mut builder = LangBuilder::new(code);
    for source in sources {
        builder.add(&file::parse(source.name, source.text)?)?;
    }
    Ok(builder.finish())
}
