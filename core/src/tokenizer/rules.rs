//! The rules of a tokenizer: affix patterns and special cases, compiled.

use std::fmt;
use std::sync::Arc;

use lexpool_structs::TokenC;

use super::finder::{Rule, RuleEngine};
use super::lang::{LangData, SpecialToken};
use super::pattern::{EngineReport, Pattern, PatternError};
use super::special::Specials;
use crate::vocab::lex_attrs::NumWords;
use crate::vocab::{Getters, Vocab};
use crate::{Error, Result};

/// A pattern in the syntax of Python's `re`, with `re`'s flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternSource {
    /// The expression.
    pub source: String,
    /// The flags as `re.Pattern.flags` gives them.
    pub flags: u32,
}

impl PatternSource {
    /// An expression without flags.
    pub fn new(source: impl Into<String>) -> PatternSource {
        PatternSource { source: source.into(), flags: 0 }
    }

    /// Compiles the expression for a rule.
    ///
    /// # Errors
    ///
    /// `rule-syntax`, with the rule's name and the position, if it does not compile.
    pub fn compile(&self, name: RuleName) -> Result<Pattern> {
        Pattern::new(&self.source, self.flags)
            .map_err(|error| syntax_error(name, &self.source, &error))
    }
}

/// One of the five rules of a tokenizer that find something in a text, by spaCy's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleName {
    /// What to cut off at the left of a chunk.
    PrefixSearch,
    /// What to cut off at the right.
    SuffixSearch,
    /// Where to cut in the middle.
    InfixFinditer,
    /// Whether a string is one token, asked before its affixes are cut.
    TokenMatch,
    /// Whether a string is one token, asked after its affixes were cut.
    UrlMatch,
}

impl RuleName {
    /// All five.
    pub const ALL: [RuleName; 5] = [
        RuleName::PrefixSearch,
        RuleName::SuffixSearch,
        RuleName::InfixFinditer,
        RuleName::TokenMatch,
        RuleName::UrlMatch,
    ];

    /// spaCy's name, such as `suffix_search`.
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

/// A function in the place of a pattern: adds the byte ranges of its matches in a text to a list.
///
/// Of a search the first counts; of a question whether a text is one token, that there is any. It
/// has to give the same for the same text at any time, since results are remembered; it may be
/// called by any thread.
pub type RuleFn = dyn Fn(&str, &mut Vec<(usize, usize)>) -> Result<()> + Send + Sync;

/// What a rule is made from.
#[derive(Clone)]
pub enum RuleSource {
    /// An expression, run by lexpool.
    Pattern(PatternSource),
    /// A function, called for each string that the rule is asked about.
    Function {
        /// The function.
        find: Arc<RuleFn>,
        /// Why it is no pattern, for the report.
        reason: String,
    },
}

impl RuleSource {
    /// An expression without flags.
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

/// Special cases: texts, each with the tokens that it has.
pub type SpecialCases = Vec<(String, Vec<SpecialToken>)>;

/// What a tokenizer is made from: spaCy's five rules and the special cases.
///
/// A rule that is `None` never matches.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// Finds what to cut off at the left of a chunk.
    pub prefix_search: Option<RuleSource>,
    /// Finds what to cut off at the right.
    pub suffix_search: Option<RuleSource>,
    /// Finds where to cut in the middle.
    pub infix_finditer: Option<RuleSource>,
    /// Says that a string is one token, before its affixes are cut.
    pub token_match: Option<RuleSource>,
    /// Says that a string is one token, after its affixes were cut.
    pub url_match: Option<RuleSource>,
    /// Texts with the tokens that they have, whatever the patterns say.
    pub special_cases: SpecialCases,
    /// Whether special cases that no affix touches are looked up as whole chunks only.
    pub faster_heuristics: bool,
}

impl Default for RuleSet {
    /// No rules at all: texts are cut at whitespace.
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
    fn rule(&self, name: RuleName) -> Option<&RuleSource> {
        match name {
            RuleName::PrefixSearch => self.prefix_search.as_ref(),
            RuleName::SuffixSearch => self.suffix_search.as_ref(),
            RuleName::InfixFinditer => self.infix_finditer.as_ref(),
            RuleName::TokenMatch => self.token_match.as_ref(),
            RuleName::UrlMatch => self.url_match.as_ref(),
        }
    }
}

impl From<LangData> for RuleSet {
    fn from(data: LangData) -> RuleSet {
        RuleSet {
            prefix_search: Some(RuleSource::pattern(data.prefix_pattern())),
            suffix_search: Some(RuleSource::pattern(data.suffix_pattern())),
            infix_finditer: Some(RuleSource::pattern(data.infix_pattern())),
            token_match: data.token_match.map(RuleSource::pattern),
            url_match: data.url_match.map(RuleSource::pattern),
            special_cases: data.specials,
            faster_heuristics: true,
        }
    }
}

impl From<&LangData> for Getters {
    /// The native getters with a language's word lists.
    fn from(data: &LangData) -> Getters {
        let mut getters = Getters::native(&data.code);
        let numbers = &data.num_words;
        getters.stop_words = data.stop_words.iter().cloned().collect();
        getters.num_words = NumWords::new(
            numbers.cardinals.iter().cloned(),
            numbers.ordinals.iter().cloned(),
            numbers.ordinal_suffixes.iter().cloned(),
        );
        getters.norms = data.norms.iter().cloned().collect();
        getters
    }
}

/// How one rule runs, as [`Tokenizer::report`](super::Tokenizer::report) tells.
#[derive(Clone, Debug)]
pub struct RuleReport {
    /// Which one.
    pub name: RuleName,
    /// What became of it.
    pub engine: RuleEngine,
}

impl fmt::Display for RuleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.engine {
            RuleEngine::Function { reason } => {
                write!(f, "function, called for each string: {reason}")
            }
            RuleEngine::Pattern(EngineReport::Backtracker { reason }) => {
                write!(f, "backtracking, under a step limit: {reason}")
            }
            RuleEngine::Pattern(_) => f.write_str("automata, in time linear in the text"),
        }
    }
}

/// One difference between a tokenizer and another that is made from it.
#[derive(Clone, Debug)]
pub enum Change {
    /// Another rule in the place of one, or none.
    Rule(RuleName, Option<RuleSource>),
    /// Further special cases; one for a text that has a case already replaces it.
    AddSpecialCases(SpecialCases),
    /// Special cases in the place of all.
    SpecialCases(SpecialCases),
    /// Whether special cases that no affix touches are looked up as whole chunks only.
    FasterHeuristics(bool),
    /// How many chunks a worker remembers.
    MostChunks(usize),
}

/// Compiled rules, shared by all workers of a tokenizer.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) prefix: Option<Rule>,
    pub(super) suffix: Option<Rule>,
    pub(super) infix: Option<Rule>,
    pub(super) token_match: Option<Rule>,
    pub(super) url_match: Option<Rule>,
    pub(super) specials: Specials,
    pub(super) faster_heuristics: bool,
    /// The vocab's generation of lexemes that the special cases refer to.
    pub(super) generation: u32,
}

impl Rules {
    /// Compiles the rules; the special cases are added by the tokenizer, which can cut them, with
    /// lexemes of this generation of the vocab.
    pub(super) fn compile(set: &RuleSet, generation: u32) -> Result<Rules> {
        let compile = |name| set.rule(name).map(|rule| Rule::compile(name, rule)).transpose();
        Ok(Rules {
            prefix: compile(RuleName::PrefixSearch)?,
            suffix: compile(RuleName::SuffixSearch)?,
            infix: compile(RuleName::InfixFinditer)?,
            token_match: compile(RuleName::TokenMatch)?,
            url_match: compile(RuleName::UrlMatch)?,
            specials: Specials::default(),
            faster_heuristics: set.faster_heuristics,
            generation,
        })
    }

    pub(super) fn rule(&self, name: RuleName) -> Option<&Rule> {
        match name {
            RuleName::PrefixSearch => self.prefix.as_ref(),
            RuleName::SuffixSearch => self.suffix.as_ref(),
            RuleName::InfixFinditer => self.infix.as_ref(),
            RuleName::TokenMatch => self.token_match.as_ref(),
            RuleName::UrlMatch => self.url_match.as_ref(),
        }
    }

    pub(super) fn set_rule(&mut self, name: RuleName, rule: Option<Rule>) {
        match name {
            RuleName::PrefixSearch => self.prefix = rule,
            RuleName::SuffixSearch => self.suffix = rule,
            RuleName::InfixFinditer => self.infix = rule,
            RuleName::TokenMatch => self.token_match = rule,
            RuleName::UrlMatch => self.url_match = rule,
        }
    }

    /// The special cases, in the order in which they were added.
    pub(super) fn special_cases(&self) -> SpecialCases {
        let cases = self.specials.iter();
        cases.map(|(text, special)| (text.to_owned(), special.source.to_vec())).collect()
    }
}

/// Shows the fault with what stands around it; patterns run to thousands of characters.
fn syntax_error(name: RuleName, source: &str, error: &PatternError) -> Error {
    let start = error.offset.saturating_sub(20);
    let around: String = source.chars().skip(start).take(40).collect();
    let text = format!(
        "{name}: {} at character {} of the pattern, near {around:?}",
        error.message, error.offset
    );
    Error::value("rule-syntax", text)
}

/// Checks a special case as spaCy does: its tokens concatenate to its text.
pub(super) fn check_special(text: &str, tokens: &[SpecialToken]) -> Result<()> {
    let joined: String = tokens.iter().map(|token| token.orth.as_str()).collect();
    if joined != text || text.is_empty() || tokens.iter().any(|token| token.orth.is_empty()) {
        let message = format!(
            "the tokens of the special case {text:?} join to {joined:?}; they have to be that text, \
             cut into parts of at least one character"
        );
        return Err(Error::value("E997", message));
    }
    Ok(())
}

/// Enters the words and norms of a special case into the vocab for good.
pub(super) fn special_tokens(vocab: &Arc<Vocab>, tokens: &[SpecialToken]) -> Result<Vec<TokenC>> {
    let mut out = Vec::with_capacity(tokens.len());
    let (mut idx, mut byte) = (0, 0);
    for token in tokens {
        let lex = vocab.enter_permanent(&token.orth)?.to_raw();
        let norm = token.norm.as_deref().map(|norm| vocab.norm_number(norm)).transpose()?;
        let record = TokenC { lex, idx, byte, facts: 0 };
        out.push(record.with_norm_ix(norm.unwrap_or_default().get()));
        idx += u32::try_from(token.orth.chars().count()).expect("bounded by check_special");
        byte += u32::try_from(token.orth.len()).expect("bounded by check_special");
    }
    Ok(out)
}
