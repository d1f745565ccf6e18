//! The rules of a tokenizer: affix patterns and special cases, compiled.

use std::fmt;
use std::sync::Arc;

use lexpool_structs::TokenC;

use super::lang::{LangData, SpecialToken};
use super::pattern::{Pattern, PatternError, Report, Role};
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
}

/// What a tokenizer is made from: spaCy's five patterns and the special cases.
///
/// A pattern that is `None` never matches.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// Finds what to cut off at the left of a chunk.
    pub prefix_search: Option<PatternSource>,
    /// Finds what to cut off at the right.
    pub suffix_search: Option<PatternSource>,
    /// Finds where to cut in the middle.
    pub infix_finditer: Option<PatternSource>,
    /// Says that a string is one token, before its affixes are cut.
    pub token_match: Option<PatternSource>,
    /// Says that a string is one token, after its affixes were cut.
    pub url_match: Option<PatternSource>,
    /// Texts with the tokens that they have, whatever the patterns say.
    pub special_cases: Vec<(String, Vec<SpecialToken>)>,
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

impl From<LangData> for RuleSet {
    fn from(data: LangData) -> RuleSet {
        RuleSet {
            prefix_search: Some(PatternSource::new(data.prefix_pattern())),
            suffix_search: Some(PatternSource::new(data.suffix_pattern())),
            infix_finditer: Some(PatternSource::new(data.infix_pattern())),
            token_match: data.token_match.map(PatternSource::new),
            url_match: data.url_match.map(PatternSource::new),
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

/// How one pattern runs, as [`Tokenizer::report`](super::Tokenizer::report) tells.
#[derive(Clone, Debug)]
pub struct PatternReport {
    /// The pattern's name in spaCy, such as `suffix_search`.
    pub name: &'static str,
    /// What became of it.
    pub report: Report,
}

impl fmt::Display for PatternReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.report {
            Report::Fallback { why } => write!(f, "fallback, under a step limit: {why}"),
            _ => f.write_str("automata, in time linear in the text"),
        }
    }
}

/// Compiled rules, shared by all workers of a tokenizer and replaced as a whole.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) prefix: Option<Pattern>,
    pub(super) suffix: Option<Pattern>,
    pub(super) infix: Option<Pattern>,
    pub(super) token_match: Option<Pattern>,
    pub(super) url_match: Option<Pattern>,
    pub(super) specials: Specials,
    pub(super) faster_heuristics: bool,
}

impl Rules {
    /// Compiles the patterns; the special cases are added by the tokenizer, which can cut them.
    pub(super) fn compile(set: &RuleSet) -> Result<Rules> {
        Ok(Rules {
            prefix: compile("prefix_search", set.prefix_search.as_ref(), Role::Prefix)?,
            suffix: compile("suffix_search", set.suffix_search.as_ref(), Role::Suffix)?,
            infix: compile("infix_finditer", set.infix_finditer.as_ref(), Role::Infix)?,
            token_match: compile("token_match", set.token_match.as_ref(), Role::Whole)?,
            url_match: compile("url_match", set.url_match.as_ref(), Role::Whole)?,
            specials: Specials::default(),
            faster_heuristics: set.faster_heuristics,
        })
    }

    pub(super) fn patterns(&self) -> [(&'static str, Option<&Pattern>); 5] {
        [
            ("prefix_search", self.prefix.as_ref()),
            ("suffix_search", self.suffix.as_ref()),
            ("infix_finditer", self.infix.as_ref()),
            ("token_match", self.token_match.as_ref()),
            ("url_match", self.url_match.as_ref()),
        ]
    }
}

fn compile(
    name: &'static str,
    source: Option<&PatternSource>,
    role: Role,
) -> Result<Option<Pattern>> {
    let Some(source) = source else { return Ok(None) };
    match Pattern::new(&source.source, source.flags, role) {
        Ok(pattern) => Ok(Some(pattern)),
        Err(error) => Err(syntax_error(name, &source.source, &error)),
    }
}

/// Shows the fault with what stands around it; patterns run to thousands of characters.
fn syntax_error(name: &str, source: &str, error: &PatternError) -> Error {
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
