//! Splitting of one chunk by the rules: affixes from both ends, then infixes between them.
//!
//! The algorithm is that of spaCy (`Tokenizer._tokenize_affixes`), step by step, on byte ranges of
//! the chunk. Each token is recorded with its rule, so that [`explain`](super::Tokenizer::explain)
//! runs the same code.

use lexpool_structs::TokenC;

use super::rule::{CompiledRule, RuleMatcher};
use super::rules::CompiledRules;
use super::special_cases::SpecialCase;
use crate::Result;

/// The rule that made a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenRule {
    /// `prefix_search`.
    Prefix,
    /// `suffix_search`.
    Suffix,
    /// `infix_finditer`.
    Infix,
    /// The rest between affixes and infixes, which no rule matched.
    Token,
    /// `token_match`.
    TokenMatch,
    /// `url_match`.
    UrlMatch,
    /// The segmenter.
    Segment,
    /// A special case, of which this is the n-th token, from 1.
    Special(u32),
}

/// A token of a chunk, as a byte range of the chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkToken {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: TokenRule,
    /// The index of the norm that a special case assigns to the token, or 0.
    pub(super) norm_ix: u32,
}

/// The part of a chunk between its affixes, as a byte range.
struct ChunkRest {
    start: usize,
    end: usize,
    /// True if `token_match` matches the range. Invariant: the rule was tried on just this range,
    /// unless the range is a special case or empty, since splitting ends when an attempt finds
    /// no affix; so the rule need not run again, which for a backtracker is most of the cost.
    is_match: bool,
}

/// The rule matchers and buffers of one worker, reused from chunk to chunk.
pub(super) struct Splitter {
    prefix: Option<RuleMatcher>,
    suffix: Option<RuleMatcher>,
    infix: Option<RuleMatcher>,
    token_match: Option<RuleMatcher>,
    url_match: Option<RuleMatcher>,
    /// The suffixes of the chunk, from its end.
    suffixes: Vec<ChunkToken>,
    infixes: Vec<(usize, usize)>,
    /// The tokens of the last chunk.
    pub(super) tokens: Vec<ChunkToken>,
}

/// The number of tokens up to which buffers are reused for the next chunk.
const MAX_REUSED: usize = 1 << 12;

impl Splitter {
    pub(super) fn new(rules: &CompiledRules) -> Splitter {
        let matcher = |rule: &Option<CompiledRule>| rule.as_ref().map(CompiledRule::matcher);
        Splitter {
            prefix: matcher(&rules.prefix),
            suffix: matcher(&rules.suffix),
            infix: matcher(&rules.infix),
            token_match: matcher(&rules.token_match),
            url_match: matcher(&rules.url_match),
            suffixes: Vec::new(),
            infixes: Vec::new(),
            tokens: Vec::new(),
        }
    }

    /// Begins a chunk of `bytes` bytes: until the next one, all searches of a pattern share a step
    /// budget.
    pub(super) fn begin_budget(&mut self, bytes: usize) {
        let Splitter { prefix, suffix, infix, token_match, url_match, .. } = self;
        for matcher in [prefix, suffix, infix, token_match, url_match].into_iter().flatten() {
            matcher.begin_budget(bytes);
        }
    }

    /// Splits a chunk into [`tokens`](Splitter::tokens), which cover it without gaps.
    ///
    /// Without `use_special_cases` the affix rules alone apply: so the text of a special case is
    /// split, to find the sequence of tokens that the case replaces.
    ///
    /// # Errors
    ///
    /// `rule-limit` if a pattern on the backtracker takes too many steps, in one search or in all
    /// of them; errors of a function in place of a pattern.
    pub(super) fn split(
        &mut self,
        rules: &CompiledRules,
        chunk: &str,
        use_special_cases: bool,
    ) -> Result<()> {
        for tokens in [&mut self.tokens, &mut self.suffixes] {
            tokens.clear();
            tokens.shrink_to(MAX_REUSED);
        }
        if let Some(special) = rules.special_cases.get(chunk).filter(|_| use_special_cases) {
            self.push_special_case(special, 0);
            return Ok(());
        }
        self.begin_budget(chunk.len());
        let rest = self.split_affixes(rules, chunk, use_special_cases)?;
        if rest.start < rest.end {
            self.split_rest(rules, chunk, &rest, use_special_cases)?;
        }
        self.tokens.extend(self.suffixes.iter().rev());
        Ok(())
    }

    /// Splits affixes off until nothing changes, and returns what is between them.
    fn split_affixes(
        &mut self,
        rules: &CompiledRules,
        chunk: &str,
        use_special_cases: bool,
    ) -> Result<ChunkRest> {
        let (mut start, mut end, mut is_match) = (0, chunk.len(), false);
        let is_special = |text: &str| use_special_cases && rules.special_cases.get(text).is_some();
        let mut last = usize::MAX;
        while start < end && end - start != last {
            let rest = &chunk[start..end];
            is_match = matches_at_start(self.token_match.as_mut(), rest)?;
            if is_match || is_special(rest) {
                break;
            }
            last = rest.len();
            let prefix = self.find_prefix(rest)?;
            if prefix > 0 && prefix < rest.len() && is_special(&rest[prefix..]) {
                self.push_prefix(&mut start, prefix);
                break;
            }
            let suffix = self.find_suffix(&rest[prefix..])?;
            if suffix > 0 && suffix < rest.len() && is_special(&rest[..rest.len() - suffix]) {
                self.push_suffix(&mut end, suffix);
                break;
            }
            if prefix > 0 {
                self.push_prefix(&mut start, prefix);
            }
            if suffix > 0 {
                self.push_suffix(&mut end, suffix);
            }
        }
        Ok(ChunkRest { start, end, is_match })
    }

    /// Splits the range between the affixes.
    fn split_rest(
        &mut self,
        rules: &CompiledRules,
        chunk: &str,
        &ChunkRest { start, end, is_match }: &ChunkRest,
        use_special_cases: bool,
    ) -> Result<()> {
        let rest = &chunk[start..end];
        if let Some(special) = rules.special_cases.get(rest).filter(|_| use_special_cases) {
            self.push_special_case(special, start);
        } else if is_match {
            self.push(start, end, TokenRule::TokenMatch);
        } else if matches_at_start(self.url_match.as_mut(), rest)? {
            self.push(start, end, TokenRule::UrlMatch);
        } else {
            self.split_infixes(rest, start)?;
        }
        Ok(())
    }

    /// Splits a string at its infixes; `offset` is its position in the chunk.
    fn split_infixes(&mut self, rest: &str, offset: usize) -> Result<()> {
        self.find_infixes(rest)?;
        let mut at = 0;
        for i in 0..self.infixes.len() {
            let (start, end) = self.infixes[i];
            // An infix at the start does not split.
            if start == 0 {
                continue;
            }
            if at < start {
                self.push(offset + at, offset + start, TokenRule::Token);
            }
            // An empty match splits without a token of its own.
            if start < end {
                self.push(offset + start, offset + end, TokenRule::Infix);
            }
            at = end;
        }
        if at < rest.len() {
            self.push(offset + at, offset + rest.len(), TokenRule::Token);
        }
        Ok(())
    }

    fn push(&mut self, start: usize, end: usize, rule: TokenRule) {
        self.tokens.push(ChunkToken { start, end, rule, norm_ix: 0 });
    }

    fn push_prefix(&mut self, start: &mut usize, len: usize) {
        self.push(*start, *start + len, TokenRule::Prefix);
        *start += len;
    }

    fn push_suffix(&mut self, end: &mut usize, len: usize) {
        let start = *end - len;
        self.suffixes.push(ChunkToken { start, end: *end, rule: TokenRule::Suffix, norm_ix: 0 });
        *end = start;
    }

    fn push_special_case(&mut self, special: &SpecialCase, offset: usize) {
        for (n, (source, token)) in (1..).zip(special.source.iter().zip(&*special.tokens)) {
            let TokenC { byte, .. } = *token;
            let start = offset + byte as usize;
            let end = start + source.orth.len();
            let rule = TokenRule::Special(n);
            self.tokens.push(ChunkToken { start, end, rule, norm_ix: token.norm_ix() });
        }
    }

    /// Returns the length in bytes of the prefix of a string, or 0.
    pub(super) fn find_prefix(&mut self, text: &str) -> Result<usize> {
        let Some(prefix) = &mut self.prefix else { return Ok(0) };
        let match_range = prefix.search(text)?;
        Ok(match_range.map_or(0, |(start, end)| prefix_len(text, &text[start..end])))
    }

    /// Returns the length in bytes of the suffix of a string, or 0.
    pub(super) fn find_suffix(&mut self, text: &str) -> Result<usize> {
        let Some(suffix) = &mut self.suffix else { return Ok(0) };
        let match_range = suffix.search(text)?;
        Ok(match_range.map_or(0, |(start, end)| suffix_len(text, &text[start..end])))
    }

    /// Returns the infixes of a string, as byte ranges.
    pub(super) fn find_infixes(&mut self, text: &str) -> Result<&[(usize, usize)]> {
        self.infixes.clear();
        if let Some(infix) = &mut self.infix {
            infix.find_all(text, &mut self.infixes)?;
        }
        Ok(&self.infixes)
    }
}

fn matches_at_start(rule: Option<&mut RuleMatcher>, text: &str) -> Result<bool> {
    rule.map_or(Ok(false), |rule| rule.matches_at_start(text))
}

/// Returns the length in bytes of the first characters of a text, as many as a match has. spaCy
/// splits off so many, even if the match is elsewhere in the text.
fn prefix_len(text: &str, matched: &str) -> usize {
    if text.starts_with(matched) {
        return matched.len();
    }
    let chars = matched.chars().count();
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// The same for the last characters.
fn suffix_len(text: &str, matched: &str) -> usize {
    if text.ends_with(matched) {
        return matched.len();
    }
    let chars = matched.chars().count();
    let before = text.char_indices().rev().nth(chars.saturating_sub(1));
    before.map_or(text.len(), |(at, _)| text.len() - at)
}
