//! Cutting one chunk by the rules: affixes from both ends, then infixes in the middle.
//!
//! This is spaCy's algorithm, step by step. It works on byte ranges of the chunk and records what
//! it did, so that the tokens and their explanation come from the same run.

use lexpool_structs::TokenC;

use super::finder::{Finder, Rule};
use super::rules::Rules;
use super::special::Special;
use crate::Result;

/// Why a piece is a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Cut off at the left.
    Prefix,
    /// Cut off at the right.
    Suffix,
    /// A cut in the middle.
    Infix,
    /// What was left.
    Token,
    /// `token_match` said so.
    TokenMatch,
    /// `url_match` said so.
    UrlMatch,
    /// The n-th token, from 1, of a special case.
    Special(u32),
}

/// A token of a chunk, as a byte range of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) reason: Reason,
    /// The norm that a special case gives to the token.
    pub(super) norm_ix: u32,
}

/// The working memory of [`split`], reused from chunk to chunk.
pub(super) struct Splitter {
    prefix: Option<Finder>,
    suffix: Option<Finder>,
    infix: Option<Finder>,
    token_match: Option<Finder>,
    url_match: Option<Finder>,
    suffixes: Vec<Piece>,
    infixes: Vec<(usize, usize)>,
    /// The pieces of the last chunk.
    pub(super) pieces: Vec<Piece>,
}

/// Room for more pieces than this is given back once a chunk is done.
const KEPT_PIECES: usize = 1 << 12;

impl Splitter {
    pub(super) fn new(rules: &Rules) -> Splitter {
        let finder = |rule: &Option<Rule>| rule.as_ref().map(Rule::finder);
        Splitter {
            prefix: finder(&rules.prefix),
            suffix: finder(&rules.suffix),
            infix: finder(&rules.infix),
            token_match: finder(&rules.token_match),
            url_match: finder(&rules.url_match),
            suffixes: Vec::new(),
            infixes: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// Begins a chunk of so many bytes: what is asked of patterns until the next one is limited as a whole.
    pub(super) fn begin(&mut self, bytes: usize) {
        let Splitter { prefix, suffix, infix, token_match, url_match, .. } = self;
        for finder in [prefix, suffix, infix, token_match, url_match].into_iter().flatten() {
            finder.begin(bytes);
        }
    }

    /// Cuts a chunk into [`pieces`](Splitter::pieces), which tile it.
    ///
    /// Without `specials` the special cases are not consulted; that is how a special case itself
    /// is cut, to learn what sequence the rules would make of it.
    ///
    /// # Errors
    ///
    /// `rule-limit` when a pattern that could not be made linear takes too many steps, in one search or in
    /// all of them; what a function in the place of a pattern raises.
    pub(super) fn split(&mut self, rules: &Rules, chunk: &str, specials: bool) -> Result<()> {
        for pieces in [&mut self.pieces, &mut self.suffixes] {
            pieces.clear();
            pieces.shrink_to(KEPT_PIECES);
        }
        if let Some(special) = rules.specials.get(chunk).filter(|_| specials) {
            self.push_special(special, 0);
            return Ok(());
        }
        self.begin(chunk.len());
        let (start, end) = self.peel(rules, chunk, specials)?;
        if start < end {
            self.middle(rules, chunk, start, end, specials)?;
        }
        self.pieces.extend(self.suffixes.iter().rev());
        Ok(())
    }

    /// Takes affixes off until nothing changes, and gives the range that is left.
    fn peel(&mut self, rules: &Rules, chunk: &str, specials: bool) -> Result<(usize, usize)> {
        let (mut start, mut end) = (0, chunk.len());
        let is_special = |text: &str| specials && rules.specials.get(text).is_some();
        let mut last = usize::MAX;
        while start < end && end - start != last {
            let rest = &chunk[start..end];
            if is_match(self.token_match.as_mut(), rest)? || is_special(rest) {
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
        Ok((start, end))
    }

    /// Cuts what is left between the affixes.
    fn middle(
        &mut self,
        rules: &Rules,
        chunk: &str,
        start: usize,
        end: usize,
        specials: bool,
    ) -> Result<()> {
        let rest = &chunk[start..end];
        if let Some(special) = rules.specials.get(rest).filter(|_| specials) {
            self.push_special(special, start);
        } else if is_match(self.token_match.as_mut(), rest)? {
            self.push(start, end, Reason::TokenMatch);
        } else if is_match(self.url_match.as_mut(), rest)? {
            self.push(start, end, Reason::UrlMatch);
        } else {
            self.cut_at_infixes(rest, start)?;
        }
        Ok(())
    }

    fn cut_at_infixes(&mut self, rest: &str, offset: usize) -> Result<()> {
        self.find_infixes(rest)?;
        let mut at = 0;
        for i in 0..self.infixes.len() {
            let (start, end) = self.infixes[i];
            // An infix that the rest begins with is no cut.
            if start == 0 {
                continue;
            }
            if at < start {
                self.push(offset + at, offset + start, Reason::Token);
            }
            // An empty match cuts and is no token.
            if start < end {
                self.push(offset + start, offset + end, Reason::Infix);
            }
            at = end;
        }
        if at < rest.len() {
            self.push(offset + at, offset + rest.len(), Reason::Token);
        }
        Ok(())
    }

    fn push(&mut self, start: usize, end: usize, reason: Reason) {
        self.pieces.push(Piece { start, end, reason, norm_ix: 0 });
    }

    fn push_prefix(&mut self, start: &mut usize, len: usize) {
        self.push(*start, *start + len, Reason::Prefix);
        *start += len;
    }

    fn push_suffix(&mut self, end: &mut usize, len: usize) {
        let start = *end - len;
        self.suffixes.push(Piece { start, end: *end, reason: Reason::Suffix, norm_ix: 0 });
        *end = start;
    }

    fn push_special(&mut self, special: &Special, offset: usize) {
        for (n, (source, token)) in (1..).zip(special.source.iter().zip(&*special.tokens)) {
            let TokenC { byte, .. } = *token;
            let start = offset + byte as usize;
            let end = start + source.orth.len();
            let reason = Reason::Special(n);
            self.pieces.push(Piece { start, end, reason, norm_ix: token.norm_ix() });
        }
    }

    /// The bytes of the prefix of a string, 0 if it has none.
    pub(super) fn find_prefix(&mut self, text: &str) -> Result<usize> {
        let Some(prefix) = &mut self.prefix else { return Ok(0) };
        let found = prefix.search(text)?;
        Ok(found.map_or(0, |(start, end)| first_chars(text, &text[start..end])))
    }

    /// The bytes of the suffix of a string, 0 if it has none.
    pub(super) fn find_suffix(&mut self, text: &str) -> Result<usize> {
        let Some(suffix) = &mut self.suffix else { return Ok(0) };
        let found = suffix.search(text)?;
        Ok(found.map_or(0, |(start, end)| last_chars(text, &text[start..end])))
    }

    /// What the infix rules find in a string, as byte ranges.
    pub(super) fn find_infixes(&mut self, text: &str) -> Result<&[(usize, usize)]> {
        self.infixes.clear();
        if let Some(infix) = &mut self.infix {
            infix.find_all(text, &mut self.infixes)?;
        }
        Ok(&self.infixes)
    }
}

fn is_match(rule: Option<&mut Finder>, text: &str) -> Result<bool> {
    rule.map_or(Ok(false), |rule| rule.is_match(text))
}

/// spaCy takes as many characters from the left as the match has, wherever it was found.
fn first_chars(text: &str, matched: &str) -> usize {
    if text.starts_with(matched) {
        return matched.len();
    }
    let chars = matched.chars().count();
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// The same at the right.
fn last_chars(text: &str, matched: &str) -> usize {
    if text.ends_with(matched) {
        return matched.len();
    }
    let chars = matched.chars().count();
    let before = text.char_indices().rev().nth(chars.saturating_sub(1));
    before.map_or(text.len(), |(at, _)| text.len() - at)
}
