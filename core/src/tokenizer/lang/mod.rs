//! The rules of languages: patterns and special cases of their tokenizers, word lists of their
//! vocabs.
//!
//! Rules are data. `rules/base.toml` contains the rules that all languages share,
//! `rules/families.toml` changes of them that several languages make, `rules/<code>.toml` those of
//! one language; the head of `base.toml` describes the format. [`load`] parses the files that a
//! language needs, expands classes, lists and templates, and returns plain strings. The patterns
//! are valid for Rust's regex engines and for Python's `re`, so that spaCy can use the same rules.

mod affixes;
mod data;
mod definitions;
mod expand;
mod file;
mod reader;
mod special_cases;
mod table;

#[cfg(test)]
mod tests;

use crate::{Error, Result, codes};
pub use data::{Direction, LangData, NumberWords, SpecialToken, WritingSystem};
pub use table::{aliases, languages, nearest, resolve};

use definitions::Part;
use file::LangFile;
use reader::syntax_error;
use table::{LangSource, SHARED, source};

/// Maximum number of parents, one behind another.
const MAX_PARENTS: usize = 4;

/// Loads the rules of a language, given by its code or an alias such as `deu`. Cost: some
/// milliseconds; the result is not cached.
///
/// # Errors
///
/// `unknown-language`, with the nearest codes.
pub fn load(code: &str) -> Result<LangData> {
    let (code, source) = find(code)?;
    build(code, source, Part::All)
}

/// Loads what the vocab of a language needs: the result of [`load`] without patterns and special
/// cases, which are most of the cost.
///
/// # Errors
///
/// `unknown-language`, with the nearest codes.
pub fn load_vocab(code: &str) -> Result<LangData> {
    let (code, source) = find(code)?;
    build(code, source, Part::Vocab)
}

/// Returns the code and the file of a language, given by its code or an alias.
fn find(code: &str) -> Result<(&'static str, &'static LangSource<'static>)> {
    resolve(code).and_then(|code| Some((code, source(code)?))).ok_or_else(|| {
        let message = format!(
            "no rules for language {code:?}; the nearest codes are {}. \"xx\" has the rules that \
             all languages share, and a tokenizer for any other language can be made from spaCy's \
             with from_spacy",
            nearest(code).join(", ")
        );
        Error::value(codes::UNKNOWN_LANGUAGE, message)
    })
}

/// Reads the rules of a language from the text of a data file, which adds to the shared rules as
/// the files of this module do. `name` is the name of the file in errors. Cost: linear in what the
/// file expands to, at most 16 MB.
///
/// ```
/// use lexpool::tokenizer::{Tokenizer, lang};
/// let text = r#"
///     [language]
///     title = "Klingon"
///     [affixes.infixes]
///     hyphen = false
///     [vocab]
///     stop_words = "je joq"
/// "#;
/// let rules = lang::parse("tlh", "tlh.toml", text)?;
/// let tokenizer = Tokenizer::of_language(&rules)?;
/// assert_eq!(tokenizer.tokenize("tlhIngan-Hol jIjatlh.")?.len(), 3);
/// # Ok::<(), lexpool::Error>(())
/// ```
///
/// # Errors
///
/// `lang-syntax`, with the file and the line; `rule-syntax` comes with a pattern's first use.
pub fn parse(code: &str, name: &str, text: &str) -> Result<LangData> {
    build(code, &LangSource { name, text }, Part::All)
}

fn build(code: &str, language: &LangSource<'_>, part: Part) -> Result<LangData> {
    let mut files = vec![file::parse(language.name, language.text)?];
    // Parents are inserted in front of those that name them.
    while let Some(parent) = &files[0].language.parent {
        let refused = |message| Err(syntax_error(&files[0].name, parent.line, message));
        if files.len() > MAX_PARENTS {
            return refused(format!("more than {MAX_PARENTS} parents, one behind another"));
        }
        let Some(found) = resolve(&parent.value).and_then(source) else {
            return refused(format!("no language {:?} to be the parent", parent.value));
        };
        files.insert(0, file::parse(found.name, found.text)?);
    }
    let shared = SHARED.iter().map(|source| file::parse(source.name, source.text));
    let shared: Vec<LangFile> = shared.collect::<Result<_>>()?;
    files.splice(..0, shared);
    expand::expand(code, &files, part)
}
