//! The compiled rules of a tokenizer: affix rules and special cases.

use std::sync::Arc;

use lexpool_segment::Segment;
use lexpool_structs::TokenC;

use super::lang::SpecialToken;
use super::rule::CompiledRule;
use super::rule_set::{RuleName, RuleSet, SpecialCases};
use super::special_cases::SpecialCaseTable;
use super::text::check_length;
use crate::codes;
use crate::vocab::Vocab;
use crate::{Error, Result};

/// The pattern by which a language has no addresses.
const NEVER: &str = "(?!x)x";

/// Compiled rules, or a segmenter, shared by all workers of a tokenizer.
#[derive(Clone)]
pub(super) struct CompiledRules {
    /// Cuts texts in the place of rules, which are then absent.
    pub(super) segmenter: Option<Arc<dyn Segment>>,
    pub(super) prefix: Option<CompiledRule>,
    pub(super) suffix: Option<CompiledRule>,
    pub(super) infix: Option<CompiledRule>,
    pub(super) token_match: Option<CompiledRule>,
    pub(super) url_match: Option<CompiledRule>,
    /// The patterns make a token of each character, as spaCy's Chinese tokenizer does.
    only_characters: bool,
    pub(super) special_cases: SpecialCaseTable,
    pub(super) faster_heuristics: bool,
    /// The generation of the vocab's lexemes that the special cases refer to.
    pub(super) generation: u32,
}

impl CompiledRules {
    /// Compiles the rules without the special cases, which the tokenizer adds because it splits
    /// them, with lexemes of this generation of the vocab.
    pub(super) fn compile(set: &RuleSet, generation: u32) -> Result<CompiledRules> {
        let compile =
            |name| set.rule(name).map(|rule| CompiledRule::compile(name, rule)).transpose();
        let mut rules = CompiledRules {
            segmenter: None,
            prefix: compile(RuleName::PrefixSearch)?,
            suffix: compile(RuleName::SuffixSearch)?,
            infix: compile(RuleName::InfixFinditer)?,
            token_match: compile(RuleName::TokenMatch)?,
            url_match: compile(RuleName::UrlMatch)?,
            only_characters: false,
            special_cases: SpecialCaseTable::default(),
            faster_heuristics: set.faster_heuristics,
            generation,
        };
        rules.only_characters = rules.have_only_characters();
        Ok(rules)
    }

    /// Returns whether each character but whitespace is a token.
    #[inline]
    pub(super) fn cut_characters(&self) -> bool {
        self.only_characters && self.special_cases.is_empty()
    }

    fn have_only_characters(&self) -> bool {
        // Without flags, or with the one for Unicode that Python sets by itself.
        let is = |rule: &Option<CompiledRule>, pattern: &str| {
            let source = rule.as_ref().and_then(CompiledRule::source);
            source.is_some_and(|own| own.source == pattern && matches!(own.flags, 0 | 32))
        };
        is(&self.infix, r"[^\s]")
            && self.prefix.is_none()
            && self.suffix.is_none()
            && self.token_match.is_none()
            && (self.url_match.is_none() || is(&self.url_match, NEVER))
    }

    /// Returns a rule.
    pub(super) fn rule(&self, name: RuleName) -> Option<&CompiledRule> {
        match name {
            RuleName::PrefixSearch => self.prefix.as_ref(),
            RuleName::SuffixSearch => self.suffix.as_ref(),
            RuleName::InfixFinditer => self.infix.as_ref(),
            RuleName::TokenMatch => self.token_match.as_ref(),
            RuleName::UrlMatch => self.url_match.as_ref(),
        }
    }

    /// Replaces a rule, or removes it.
    pub(super) fn set_rule(&mut self, name: RuleName, rule: Option<CompiledRule>) {
        match name {
            RuleName::PrefixSearch => self.prefix = rule,
            RuleName::SuffixSearch => self.suffix = rule,
            RuleName::InfixFinditer => self.infix = rule,
            RuleName::TokenMatch => self.token_match = rule,
            RuleName::UrlMatch => self.url_match = rule,
        }
        self.only_characters = self.have_only_characters();
    }

    /// Returns the special cases, in the order in which they were added.
    pub(super) fn special_cases(&self) -> SpecialCases {
        let cases = self.special_cases.iter();
        cases.map(|(text, special)| (text.to_owned(), special.source.to_vec())).collect()
    }
}

/// Validates a special case as spaCy does: its tokens must concatenate to its text.
///
/// # Errors
///
/// `E997`; `E025` for a text of 2^30 characters or more.
pub(super) fn check_special_case(text: &str, tokens: &[SpecialToken]) -> Result<()> {
    check_length(text)?;
    let joined: String = tokens.iter().map(|token| token.orth.as_str()).collect();
    if joined != text || text.is_empty() || tokens.iter().any(|token| token.orth.is_empty()) {
        let message = format!(
            "the tokens of the special case {text:?} join to {joined:?}; they must be that text, split \
             into parts of at least one character"
        );
        return Err(Error::value(codes::E997, message));
    }
    Ok(())
}

/// Adds the words and norms of a special case to the vocab permanently, and returns its tokens.
pub(super) fn special_case_tokens(
    vocab: &Arc<Vocab>,
    tokens: &[SpecialToken],
) -> Result<Vec<TokenC>> {
    let mut out = Vec::with_capacity(tokens.len());
    let (mut idx, mut byte) = (0, 0);
    for token in tokens {
        let lex = vocab.enter_permanent(&token.orth)?.to_raw();
        let norm = token.norm.as_deref().map(|norm| vocab.norm_number(norm)).transpose()?;
        let record = TokenC { lex, idx, byte, facts: 0 };
        out.push(record.with_norm_ix(norm.unwrap_or_default().get()));
        idx += u32::try_from(token.orth.chars().count()).expect("bounded by check_special_case");
        byte += u32::try_from(token.orth.len()).expect("bounded by check_special_case");
    }
    Ok(out)
}
