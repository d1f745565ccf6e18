//! The table of languages: their files and the aliases of their codes.

use super::LangSource;

/// Makes the table from codes, each with its aliases.
macro_rules! languages {
    ($($code:literal: $aliases:literal,)*) => {
        &[$(Language {
            code: $code,
            aliases: $aliases,
            file: concat!($code, ".toml"),
            text: include_str!(concat!("rules/", $code, ".toml")),
        }),*]
    };
}

/// A language with rules of its own.
struct Language {
    code: &'static str,
    /// Other codes of ISO 639 for it, separated by spaces.
    aliases: &'static str,
    file: &'static str,
    text: &'static str,
}

/// The languages in the order of their codes.
const LANGUAGES: &[Language] = languages! {
    "en": "eng",
    "xx": "mul",
};

/// Returns the codes of the languages that [`load`](super::load) accepts, in order.
pub fn languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.code)
}

/// Returns the code of a language, given by this code or by an alias of ISO 639, such as `deu`,
/// `ger` or `iw`; `None` for an unknown one.
///
/// ```
/// use lexpool::tokenizer::lang;
/// assert_eq!(lang::resolve("eng"), Some("en"));
/// assert_eq!(lang::resolve("tlh"), None);
/// ```
pub fn resolve(code: &str) -> Option<&'static str> {
    let is_it = |language: &&Language| {
        language.code == code || language.aliases.split_whitespace().any(|alias| alias == code)
    };
    LANGUAGES.iter().find(is_it).map(|language| language.code)
}

/// Returns the aliases of a code.
pub fn aliases(code: &str) -> impl Iterator<Item = &'static str> {
    let language = LANGUAGES.iter().find(|language| language.code == code);
    language.map_or("", |language| language.aliases).split_whitespace()
}

/// Returns the file of a language.
pub(super) fn source(code: &str) -> Option<LangSource<'static>> {
    let language = LANGUAGES.iter().find(|language| language.code == code)?;
    Some(LangSource { name: language.file, text: language.text })
}

/// Returns the codes nearest to an unknown one: those that share its first letter, or all.
pub fn nearest(code: &str) -> Vec<&'static str> {
    let first = code.chars().next().map(|first| first.to_ascii_lowercase());
    let is_near = |language: &&Language| first.is_some() && language.code.chars().next() == first;
    let near: Vec<&str> = LANGUAGES.iter().filter(is_near).map(|language| language.code).collect();
    if near.is_empty() { languages().collect() } else { near }
}
