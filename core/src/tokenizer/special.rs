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
/// In layers, which tokenizers share: one that has a case more than another has one small layer more. A case
/// in a layer takes the place of one for the same text in those before it.
#[derive(Clone, Default)]
pub(super) struct Specials {
    /// Each has at least twice as many cases as the next, so there are few of them.
    layers: Vec<Arc<Layer>>,
    /// No text longer than this is worth looking up; keeps peeling a long chunk linear.
    longest: usize,
}

/// Special cases that were added together.
///
/// Those with spaces or affixes can come out of the affix rules in pieces, or lie across chunks.
/// They are kept a second time, as sequences of lexemes in a trie, and searched for in the
/// finished document.
#[derive(Clone, Default)]
pub(super) struct Layer {
    cases: AHashMap<Arc<str>, Special>,
    /// In the order of (first) addition, to be listed.
    order: Vec<Arc<str>>,
    /// All that are in the trie.
    sequences: Vec<Arc<[u32]>>,
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

impl Layer {
    pub(super) fn insert(&mut self, text: &str, special: Special) {
        self.put(text.into(), special);
    }

    fn put(&mut self, text: Arc<str>, special: Special) {
        if self.cases.insert(Arc::clone(&text), special).is_none() {
            self.order.push(text);
        }
    }

    /// Also searches for the case as this sequence of lexemes.
    pub(super) fn insert_sequence(&mut self, lexemes: Arc<[u32]>) {
        if self.ends.is_empty() {
            self.ends.push(false);
        }
        let mut node = 0;
        for &lex in &*lexemes {
            let next = u32::try_from(self.ends.len()).expect("a trie of fewer than 2^32 nodes");
            node = *self.edges.entry((node, lex)).or_insert(next);
            if node == next {
                self.ends.push(false);
            }
        }
        if !std::mem::replace(&mut self.ends[node as usize], true) {
            self.sequences.push(lexemes);
        }
    }

    /// Puts the cases of a later layer on top of these.
    fn absorb(&mut self, later: &Layer) {
        for text in &later.order {
            self.put(Arc::clone(text), later.cases[text].clone());
        }
        for sequence in &later.sequences {
            self.insert_sequence(Arc::clone(sequence));
        }
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

impl Specials {
    /// Adds cases on top of those that are there. Cost: about that of entering each of them once for every
    /// time that the number of all doubles, however few come at a time.
    pub(super) fn add(&mut self, mut layer: Layer) {
        let longest = layer.order.iter().map(|text| text.len()).max();
        self.longest = self.longest.max(longest.unwrap_or_default());
        while self.layers.last().is_some_and(|last| last.order.len() < 2 * layer.order.len()) {
            let Some(last) = self.layers.pop() else { break };
            let mut last = Arc::unwrap_or_clone(last);
            last.absorb(&layer);
            layer = last;
        }
        if !layer.order.is_empty() {
            self.layers.push(Arc::new(layer));
        }
    }

    #[inline]
    pub(super) fn get(&self, text: &str) -> Option<&Special> {
        if text.len() > self.longest {
            return None;
        }
        self.layers.iter().rev().find_map(|layer| layer.cases.get(text))
    }

    /// Whether a sequence may begin with this lexeme.
    pub(super) fn starts(&self, lex: u32) -> bool {
        self.layers.iter().any(|layer| layer.edges.contains_key(&(0, lex)))
    }

    /// The cases in the order in which their texts came first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Special)> {
        let all = self.layers.iter().enumerate();
        all.flat_map(move |(at, layer)| {
            let is_first = move |text: &&Arc<str>| {
                !self.layers[..at].iter().any(|before| before.cases.contains_key(&***text))
            };
            layer.order.iter().filter(is_first)
        })
        .filter_map(|text| Some((&**text, self.get(text)?)))
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
            // A sequence that two layers find counts once: the second time its tokens are taken already.
            for layer in &self.layers {
                layer.find_at(tokens, start as usize, &mut found);
            }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn special(norm: u32) -> Special {
        Special { source: [].into(), tokens: [TokenC { lex: norm, ..TokenC::default() }].into() }
    }

    fn listed(specials: &Specials) -> Vec<(String, u32)> {
        specials.iter().map(|(text, special)| (text.to_owned(), special.tokens[0].lex)).collect()
    }

    proptest! {
        #[test]
        fn layers_hold_what_one_table_would(
            batches in prop::collection::vec(prop::collection::vec(0..30_u32, 0..6), 0..40),
        ) {
            let mut specials = Specials::default();
            let mut model: Vec<(String, u32)> = Vec::new();
            for (norm, batch) in (0..).zip(batches) {
                let before = specials.clone();
                let known = listed(&before);
                let mut layer = Layer::default();
                for number in batch {
                    let text = format!("case {number}");
                    layer.insert(&text, special(norm));
                    layer.insert_sequence([number, number + 1].into());
                    match model.iter_mut().find(|(own, _)| *own == text) {
                        Some(own) => own.1 = norm,
                        None => model.push((text, norm)),
                    }
                }
                specials.add(layer);
                prop_assert_eq!(listed(&before), known, "the earlier tokenizer changed");
            }
            prop_assert_eq!(listed(&specials), model.clone());
            for number in 0..30_u32 {
                let found = model.iter().any(|(text, _)| *text == format!("case {number}"));
                prop_assert_eq!(specials.starts(number), found);
                let tokens = [number, number + 1].map(|lex| TokenC { lex, ..TokenC::default() });
                let mut ends = Vec::new();
                specials.layers.iter().for_each(|layer| layer.find_at(&tokens, 0, &mut ends));
                prop_assert_eq!(!ends.is_empty(), found);
            }
            for pair in specials.layers.windows(2) {
                prop_assert!(pair[0].order.len() >= 2 * pair[1].order.len());
            }
        }
    }
}
