//! Special cases: looked up as whole chunks, and found as sequences across chunks.

use std::sync::Arc;

use ahash::AHashMap;
use lexpool_structs::TokenC;

use super::lang::SpecialToken;

/// A text with the tokens that it has.
#[derive(Clone, Debug)]
pub(super) struct Special {
    /// As the user gave them.
    pub(super) source: Arc<[SpecialToken]>,
    /// As records, with offsets from the start of the text.
    pub(super) tokens: Arc<[TokenC]>,
}

/// All special cases of a tokenizer.
///
/// Those with spaces or affixes can come out of the affix rules in pieces, or lie across chunks.
/// They are kept a second time, as sequences of lexemes in a trie, and searched for in the
/// finished document.
#[derive(Clone, Default)]
pub(super) struct Specials {
    cases: AHashMap<Arc<str>, Special>,
    /// In the order of (first) addition, to be listed.
    order: Vec<Arc<str>>,
    /// No text longer than this is worth looking up; keeps peeling a long chunk linear.
    longest: usize,
    /// From a node of the trie and a lexeme to the next node; node 0 is the root.
    edges: AHashMap<(u32, u32), u32>,
    /// Whether a sequence ends at a node.
    ends: Vec<bool>,
}

/// A sequence found in a document: the tokens from `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    start: usize,
    end: usize,
}

/// A special case to stand for the tokens from `start` to before `end`.
pub(super) struct Replacement<'s> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) special: &'s Special,
}

impl Specials {
    pub(super) fn insert(&mut self, text: &str, special: Special) {
        self.longest = self.longest.max(text.len());
        let text: Arc<str> = text.into();
        if self.cases.insert(Arc::clone(&text), special).is_none() {
            self.order.push(text);
        }
    }

    /// Also searches for the case as this sequence of lexemes.
    pub(super) fn insert_sequence(&mut self, lexemes: &[u32]) {
        if self.ends.is_empty() {
            self.ends.push(false);
        }
        let mut node = 0;
        for &lex in lexemes {
            let next = u32::try_from(self.ends.len()).expect("a trie of fewer than 2^32 nodes");
            node = *self.edges.entry((node, lex)).or_insert(next);
            if node == next {
                self.ends.push(false);
            }
        }
        self.ends[node as usize] = true;
    }

    #[inline]
    pub(super) fn get(&self, text: &str) -> Option<&Special> {
        if text.len() > self.longest { None } else { self.cases.get(text) }
    }

    /// Whether a sequence may begin with this lexeme.
    pub(super) fn starts(&self, lex: u32) -> bool {
        self.edges.contains_key(&(0, lex))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Special)> {
        self.order.iter().map(|text| (&**text, &self.cases[text]))
    }

    /// Puts special cases into a document that was cut without regard to sequences. `spare` is
    /// room to work in; what it holds is lost.
    pub(super) fn apply(
        &self,
        text: &str,
        tokens: &mut Vec<TokenC>,
        spare: &mut Vec<TokenC>,
        candidates: &[u32],
    ) {
        let replacements = self.replacements(text, tokens, candidates);
        if replacements.is_empty() {
            return;
        }
        spare.clear();
        let mut from = 0;
        for Replacement { start, end, special } in replacements {
            spare.extend_from_slice(&tokens[from..start]);
            let first = tokens[start];
            spare.extend(special.tokens.iter().map(|token| TokenC {
                idx: first.idx + token.idx,
                byte: first.byte + token.byte,
                ..*token
            }));
            if let Some(token) = spare.last_mut() {
                token.set_spacy(tokens[end - 1].spacy());
            }
            from = end;
        }
        spare.extend_from_slice(&tokens[from..]);
        std::mem::swap(tokens, spare);
    }

    /// Where a document holds special cases as sequences, in the order of the document.
    ///
    /// `candidates` are the positions, in order, at which sequences may begin. Where sequences
    /// overlap the longest wins, then the earliest, as in spaCy. A sequence whose text in the
    /// document is no special case (its parts may stand apart there) stays as it is, but still
    /// takes its tokens from shorter ones.
    pub(super) fn replacements(
        &self,
        text: &str,
        tokens: &[TokenC],
        candidates: &[u32],
    ) -> Vec<Replacement<'_>> {
        let mut found = Vec::new();
        for &start in candidates {
            self.find_at(tokens, start as usize, &mut found);
        }
        if found.is_empty() {
            return Vec::new();
        }
        let replacement = |Found { start, end }| {
            let after = tokens.get(end).map_or(text.len(), |next| next.byte as usize);
            let own_end = after - usize::from(tokens[end - 1].spacy());
            let special = self.get(&text[tokens[start].byte as usize..own_end])?;
            Some(Replacement { start, end, special })
        };
        choose(found, tokens.len()).into_iter().filter_map(replacement).collect()
    }

    fn find_at(&self, tokens: &[TokenC], start: usize, found: &mut Vec<Found>) {
        let mut node = 0;
        for (i, token) in tokens[start..].iter().enumerate() {
            match self.edges.get(&(node, token.lex)) {
                Some(&next) => node = next,
                None => return,
            }
            if self.ends[node as usize] {
                found.push(Found { start, end: start + i + 1 });
            }
        }
    }
}

/// Of overlapping sequences the longest, then the earliest; in the order of the document.
///
/// Every sequence, chosen or not, takes its tokens from those that come after it in rank. That is
/// spaCy's rule, and results depend on it.
fn choose(mut found: Vec<Found>, len: usize) -> Vec<Found> {
    found.sort_by_key(|f| (std::cmp::Reverse(f.end - f.start), f.start));
    let mut taken = vec![false; len];
    let mut chosen = Vec::new();
    for sequence in found {
        if !taken[sequence.start] && !taken[sequence.end - 1] {
            chosen.push(sequence);
        }
        taken[sequence.start..sequence.end].fill(true);
    }
    chosen.sort_by_key(|f| f.start);
    chosen
}
