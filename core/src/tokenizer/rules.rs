//! The compiled rules of a tokenizer: affix rules and special cases.

use std::sync::Arc;

use lexpool_structs::TokenC;

use super::lang::SpecialToken;
use super::rule::CompiledRule;
use super::rule_set::{RuleName, RuleSet, SpecialCases};
use super::special_cases::SpecialCaseTable;
use crate::codes;
use crate::vocab::Vocab;
use crate::{Error, Result};

/// Compiled rules, shared by all workers of a tokenizer.
#[derive(Clone)]
pub(super) struct CompiledRules {
    pub(super) prefix: Option<CompiledRule>,
    pub(super) suffix: Option<CompiledRule>,
    pub(super) infix: Option<CompiledRule>,
    pub(super) token_match: Option<CompiledRule>,
    pub(super) url_match: Option<CompiledRule>,
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
        Ok(CompiledRules {
            prefix: compile(RuleName::PrefixSearch)?,
            suffix: compile(RuleName::SuffixSearch)?,
            infix: compile(RuleName::InfixFinditer)?,
            token_match: compile(RuleName::TokenMatch)?,
            url_match: compile(RuleName::UrlMatch)?,
            special_cases: SpecialCaseTable::default(),
            faster_heuristics: set.faster_heuristics,
            generation,
        })
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
/// `E997`.
pub(super) fn check_special_case(text: &str, tokens: &[SpecialToken]) -> Result<()> {
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
