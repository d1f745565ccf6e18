//! The sources of a tokenizer's rules: patterns, functions and special cases, as a caller gives
//! them.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use super::lang::{LangData, SpecialToken};
use super::pattern::{Pattern, PatternError};
use crate::codes;
use crate::vocab::Getters;
use crate::vocab::lex_attrs::NumWords;
use crate::{Error, Result};

/// A pattern in the syntax of Python's `re`, with `re`'s flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternSource {
    /// The source of the pattern.
    pub source: String,
    /// The flags, as in `re.Pattern.flags`.
    pub flags: u32,
}

impl PatternSource {
    /// Creates a pattern without flags.
    pub fn new(source: impl Into<String>) -> PatternSource {
        PatternSource { source: source.into(), flags: 0 }
    }

    /// Compiles the pattern of a rule.
    ///
    /// # Errors
    ///
    /// `rule-syntax`, with the name of the rule and the position, if the pattern is invalid.
    pub fn compile(&self, name: RuleName) -> Result<Pattern> {
        Pattern::new(&self.source, self.flags)
            .map_err(|error| syntax_error(name, &self.source, &error))
    }
}

/// The name of one of the five rules of a tokenizer, as in spaCy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleName {
    /// Finds the prefix of a chunk.
    PrefixSearch,
    /// Finds the suffix of a chunk.
    SuffixSearch,
    /// Finds all infixes of a chunk without affixes.
    InfixFinditer,
    /// Tests whether a string is one token, before its affixes are split off.
    TokenMatch,
    /// Tests whether a string is one token, after its affixes are split off.
    UrlMatch,
}

impl RuleName {
    /// All rules.
    pub const ALL: [RuleName; 5] = [
        RuleName::PrefixSearch,
        RuleName::SuffixSearch,
        RuleName::InfixFinditer,
        RuleName::TokenMatch,
        RuleName::UrlMatch,
    ];

    /// Returns spaCy's name, such as `suffix_search`.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleName::PrefixSearch => "prefix_search",
            RuleName::SuffixSearch => "suffix_search",
            RuleName::InfixFinditer => "infix_finditer",
            RuleName::TokenMatch => "token_match",
            RuleName::UrlMatch => "url_match",
        }
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A function in place of a pattern, which adds the byte ranges of its matches in a text to a list.
///
/// A search uses the first match; a test for one token succeeds if there is a match. The function
/// must be deterministic, because results are cached; any thread may call it.
pub type RuleFn = dyn Fn(&str, &mut Vec<(usize, usize)>) -> Result<()> + Send + Sync;

/// The source of a rule.
#[derive(Clone)]
pub enum RuleSource {
    /// A pattern, run by `lexpool-regex`.
    Pattern(PatternSource),
    /// A function, called for each string that the rule is applied to.
    Function {
        /// The function.
        find: Arc<RuleFn>,
        /// The reason for which the rule is not a pattern, for the report.
        reason: String,
    },
}

impl RuleSource {
    /// Creates a rule from a pattern without flags.
    pub fn pattern(source: impl Into<String>) -> RuleSource {
        RuleSource::Pattern(PatternSource::new(source))
    }
}

impl fmt::Debug for RuleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleSource::Pattern(source) => source.fmt(f),
            RuleSource::Function { reason, .. } => write!(f, "Function({reason:?})"),
        }
    }
}

/// Special cases: texts with their tokens.
pub type SpecialCases = Vec<(String, Vec<SpecialToken>)>;

/// The rules of a tokenizer: spaCy's five rules and the special cases.
///
/// A rule that is `None` never matches.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// Finds the prefix of a chunk.
    pub prefix_search: Option<RuleSource>,
    /// Finds the suffix of a chunk.
    pub suffix_search: Option<RuleSource>,
    /// Finds all infixes of a chunk without affixes.
    pub infix_finditer: Option<RuleSource>,
    /// Tests whether a string is one token, before its affixes are split off.
    pub token_match: Option<RuleSource>,
    /// Tests whether a string is one token, after its affixes are split off.
    pub url_match: Option<RuleSource>,
    /// Texts with their tokens, which take precedence over the patterns.
    pub special_cases: SpecialCases,
    /// Looks up special cases without spaces, affixes and infixes as whole chunks only.
    pub faster_heuristics: bool,
}

impl Default for RuleSet {
    /// Returns a set without rules, which splits texts at whitespace only.
    fn default() -> RuleSet {
        RuleSet {
            prefix_search: None,
            suffix_search: None,
            infix_finditer: None,
            token_match: None,
            url_match: None,
            special_cases: Vec::new(),
            faster_heuristics: true,
        }
    }
}

impl RuleSet {
    /// Returns the source of a rule.
    pub(super) fn rule(&self, name: RuleName) -> Option<&RuleSource> {
        match name {
            RuleName::PrefixSearch => self.prefix_search.as_ref(),
            RuleName::SuffixSearch => self.suffix_search.as_ref(),
            RuleName::InfixFinditer => self.infix_finditer.as_ref(),
            RuleName::TokenMatch => self.token_match.as_ref(),
            RuleName::UrlMatch => self.url_match.as_ref(),
        }
    }
}

impl From<&LangData> for RuleSet {
    fn from(data: &LangData) -> RuleSet {
        let pattern = |pattern: &Option<String>| pattern.clone().map(RuleSource::pattern);
        // A joined pattern without branches would match everywhere.
        let joined =
            |pattern: String| Some(pattern).filter(|p| !p.is_empty()).map(RuleSource::pattern);
        RuleSet {
            prefix_search: joined(data.prefix_pattern()),
            suffix_search: joined(data.suffix_pattern()),
            infix_finditer: joined(data.infix_pattern()),
            token_match: pattern(&data.token_match),
            url_match: pattern(&data.url_match),
            special_cases: data.specials.clone(),
            faster_heuristics: true,
        }
    }
}

impl From<&LangData> for Getters {
    /// Returns the native getters with the word lists of a language.
    fn from(data: &LangData) -> Getters {
        let mut getters = Getters::native(&data.code);
        let numbers = &data.numbers;
        getters.stop_words = data.stop_words.iter().cloned().collect();
        getters.num_words = NumWords::new(
            numbers.cardinals.iter().cloned(),
            numbers.ordinals.iter().cloned(),
            numbers.ordinal_suffixes.iter().cloned(),
        );
        getters.num_words = getters.num_words.with_form(numbers.form.clone());
        getters.currency_words = data.currency_words.iter().cloned().collect();
        getters.norm_suffixes.clone_from(&data.norm_suffixes);
        getters.norm_suffixes.sort_by_key(|suffix| Reverse(suffix.chars().count()));
        getters.norms = data.norms.iter().cloned().collect();
        getters
    }
}

/// A change to a tokenizer, see [`Tokenizer::with`](super::Tokenizer::with).
#[derive(Clone, Debug)]
pub enum TokenizerChange {
    /// Replaces a rule, or removes it.
    Rule(RuleName, Option<RuleSource>),
    /// Adds special cases; a case replaces an earlier one with the same text.
    AddSpecialCases(SpecialCases),
    /// Replaces all special cases.
    SpecialCases(SpecialCases),
    /// Sets [`RuleSet::faster_heuristics`].
    FasterHeuristics(bool),
    /// Sets the number of chunks that the cache of a worker may hold.
    MaxCachedChunks(usize),
}

/// Returns the error with an excerpt of the pattern, which may have thousands of characters.
fn syntax_error(name: RuleName, source: &str, error: &PatternError) -> Error {
    let start = error.offset.saturating_sub(20);
    let around: String = source.chars().skip(start).take(40).collect();
    let text = format!(
        "{name}: {} at character {} of the pattern, near {around:?}",
        error.message, error.offset
    );
    Error::value(codes::RULE_SYNTAX, text)
}
