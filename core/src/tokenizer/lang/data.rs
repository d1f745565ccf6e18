//! The rules of a language as plain strings.

/// The rules of one language, fully expanded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LangData {
    /// The code of the language, such as `en`.
    pub code: String,
    /// The name of the language in English.
    pub title: String,
    /// The direction and the letters of the script.
    pub writing_system: WritingSystem,
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
    /// Whether letters are upper or lower case.
    pub has_case: bool,
    /// Whether words consist of letters.
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

/// The form of numbers: words, and the marks of numbers in digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberWords {
    /// Cardinals, such as `seven` and `million`.
    pub cardinals: Vec<String>,
    /// Ordinals, such as `seventh`.
    pub ordinals: Vec<String>,
    /// Suffixes that make digits an ordinal, such as `th`.
    pub ordinal_suffixes: Vec<String>,
    /// Suffixes that a number word may have.
    pub word_suffixes: Vec<String>,
    /// Signs, of which one may precede a number.
    pub signs: Vec<char>,
    /// Marks inside of numbers that do not count.
    pub separators: Vec<char>,
    /// Marks between two numbers of a fraction.
    pub fractions: Vec<char>,
    /// Whether a percent sign may follow.
    pub percent: bool,
    /// Whether words are compared as they are, not in lower case.
    pub exact_case: bool,
    /// Whether Roman numerals count.
    pub roman: bool,
    /// Whether a word counts if the part behind its hyphen is a number word.
    pub hyphenated: bool,
    /// The rules of a script beyond these.
    pub script: Option<NumberScript>,
}

/// Scripts whose numbers are not words of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberScript {
    /// Numerals in sequence, and with a unit.
    Chinese,
    /// A word with any numeral.
    Korean,
    /// Words without their marks, and parts of words.
    Yoruba,
}

impl Default for NumberWords {
    fn default() -> NumberWords {
        NumberWords {
            cardinals: Vec::new(),
            ordinals: Vec::new(),
            ordinal_suffixes: Vec::new(),
            word_suffixes: Vec::new(),
            signs: vec!['+', '-', '±', '~'],
            separators: vec![',', '.'],
            fractions: vec!['/'],
            percent: false,
            exact_case: false,
            roman: false,
            hyphenated: false,
            script: None,
        }
    }
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
