//! The rules of a language as plain strings.

use crate::vocab::lex_attrs::NumberForm;

/// The rules of one language, fully expanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LangData {
    /// The code of the language, such as `en`.
    pub code: String,
    /// The name of the language in English.
    pub title: String,
    /// The direction and the letters of the script.
    pub writing_system: WritingSystem,
    /// The segmenter that cuts texts, such as `newmm`, in the place of patterns and special cases.
    /// Those are for a pipeline whose configuration asks for rules.
    pub segmenter: Option<String>,
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
    /// Endings of which the longest is left out of a word's norm; without any, norms are in lower
    /// case.
    pub norm_suffixes: Vec<String>,
    /// Words for currencies.
    pub currency_words: Vec<String>,
    /// The form of numbers.
    pub numbers: NumberWords,
}

/// The script of a language, as spaCy describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritingSystem {
    /// The direction of a line.
    pub direction: Direction,
    /// `true` if letters are upper or lower case.
    pub has_case: bool,
    /// `true` if words consist of letters.
    pub has_letters: bool,
}

/// The direction of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// As in Latin script.
    #[default]
    LeftToRight,
    /// As in Arabic script.
    RightToLeft,
}

impl Default for WritingSystem {
    fn default() -> WritingSystem {
        WritingSystem { direction: Direction::LeftToRight, has_case: true, has_letters: true }
    }
}

/// One token of a special case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecialToken {
    /// The token's text. The texts of a case concatenate to the case's own.
    pub orth: String,
    /// The token's norm, if it differs from the norm of its word.
    pub norm: Option<String>,
}

/// Words for numbers, and their form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberWords {
    /// Cardinals, such as `seven` and `million`.
    pub cardinals: Vec<String>,
    /// Ordinals, such as `seventh`.
    pub ordinals: Vec<String>,
    /// Suffixes that make digits an ordinal, such as `th`.
    pub ordinal_suffixes: Vec<String>,
    /// The marks of numbers in digits, and endings.
    pub form: NumberForm,
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
