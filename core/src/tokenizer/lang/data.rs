//! The rules of a language as plain strings.

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
