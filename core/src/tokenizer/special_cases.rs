//! Special cases: looked up as whole chunks in a hash table, and found as sequences of tokens by a
//! trie over lexemes, as spaCy does with a `PhraseMatcher`.

use std::sync::Arc;

use ahash::AHashMap;
use lexpool_structs::TokenC;

use super::lang::SpecialToken;
use crate::Result;

/// A text with its tokens.
#[derive(Clone, Debug)]
pub(super) struct SpecialCase {
    /// The tokens as the caller gave them.
    pub(super) source: Arc<[SpecialToken]>,
    /// The tokens as records, with offsets from the start of the text.
    pub(super) tokens: Arc<[TokenC]>,
}

/// All special cases of a tokenizer.
///
/// They are stored in layers that tokenizers share: a tokenizer with one case more than another has
/// one small layer more. A case replaces one for the same text in the layers below.
#[derive(Clone, Default)]
pub(super) struct SpecialCaseTable {
    /// The layers, each with at least twice as many cases as the next, so that their number is
    /// logarithmic.
    layers: Vec<Arc<SpecialCaseLayer>>,
    /// The length of the longest text. Longer ones are not looked up, which keeps the splitting of
    /// affixes off a long chunk linear.
    max_len: usize,
}

/// Special cases that were added together.
///
/// The affix rules split cases with spaces or affixes into several tokens. These cases are stored a
/// second time, as sequences of lexemes in a trie, and are found in the tokens of the text.
#[derive(Clone, Default)]
pub(super) struct SpecialCaseLayer {
    cases: AHashMap<Arc<str>, SpecialCase>,
    /// The texts in the order of their first addition.
    order: Vec<Arc<str>>,
    /// The sequences in the trie.
    sequences: Vec<Arc<[u32]>>,
    /// The edges of the trie, from a node and a lexeme to the next node; node 0 is the root.
    edges: AHashMap<(u32, u32), u32>,
    /// For each node of the trie, `true` if a sequence ends there.
    ends: Vec<bool>,
}

/// A match of a sequence: the tokens from `start` up to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SequenceMatch {
    start: usize,
    end: usize,
}

/// A special case that replaces the tokens from `start` up to `end`.
pub(super) struct Replacement<'s> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) special_case: &'s SpecialCase,
}

impl SpecialCaseLayer {
    /// Adds a case, or replaces the one with the same text.
    pub(super) fn insert(&mut self, text: Arc<str>, special_case: SpecialCase) {
        if self.cases.insert(Arc::clone(&text), special_case).is_none() {
            self.order.push(text);
        }
    }

    /// Puts the cases in the order of a list, which has the text of each of them once.
    pub(super) fn set_order<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        let arcs = texts.filter_map(|text| self.cases.get_key_value(text));
        self.order = arcs.map(|(text, _)| Arc::clone(text)).collect();
    }

    /// Adds the sequence of lexemes into which the affix rules split a case.
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

    /// Adds the cases of a later layer, which replace those with the same text.
    fn merge(&mut self, later: &SpecialCaseLayer) {
        for text in &later.order {
            self.insert(Arc::clone(text), later.cases[text].clone());
        }
        for sequence in &later.sequences {
            self.insert_sequence(Arc::clone(sequence));
        }
    }

    /// Adds all sequences that start at a token.
    fn find_at(&self, tokens: &[TokenC], start: usize, matches: &mut Vec<SequenceMatch>) {
        let mut node = 0;
        for (i, token) in tokens[start..].iter().enumerate() {
            match self.edges.get(&(node, token.lex)) {
                Some(&next) => node = next,
                None => return,
            }
            if self.ends[node as usize] {
                matches.push(SequenceMatch { start, end: start + i + 1 });
            }
        }
    }
}

impl SpecialCaseTable {
    /// Adds a layer and merges it with those that are less than twice as large. Adding `n` cases
    /// one by one copies each of them O(log n) times.
    pub(super) fn add(&mut self, mut layer: SpecialCaseLayer) {
        let max_len = layer.order.iter().map(|text| text.len()).max();
        self.max_len = self.max_len.max(max_len.unwrap_or_default());
        while self.layers.last().is_some_and(|last| last.order.len() < 2 * layer.order.len()) {
            let Some(last) = self.layers.pop() else { break };
            let mut last = Arc::unwrap_or_clone(last);
            last.merge(&layer);
            layer = last;
        }
        if !layer.order.is_empty() {
            self.layers.push(Arc::new(layer));
        }
    }

    /// Returns whether the table is empty.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// Returns the case of a text.
    #[inline]
    pub(super) fn get(&self, text: &str) -> Option<&SpecialCase> {
        if text.len() > self.max_len {
            return None;
        }
        self.layers.iter().rev().find_map(|layer| layer.cases.get(text))
    }

    /// Returns `true` if a sequence begins with a lexeme.
    pub(super) fn starts(&self, lex: u32) -> bool {
        self.layers.iter().any(|layer| layer.edges.contains_key(&(0, lex)))
    }

    /// Returns the cases in the order of the first addition of their texts.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &SpecialCase)> {
        let all = self.layers.iter().enumerate();
        all.flat_map(move |(at, layer)| {
            let is_first = move |text: &&Arc<str>| {
                !self.layers[..at].iter().any(|before| before.cases.contains_key(&***text))
            };
            layer.order.iter().filter(is_first)
        })
        .filter_map(|text| Some((&**text, self.get(text)?)))
    }

    /// Replaces the sequences of a text's tokens by their special cases. `spare` is a buffer whose
    /// contents are lost.
    pub(super) fn apply(
        &self,
        text: &str,
        tokens: &mut Vec<TokenC>,
        spare: &mut Vec<TokenC>,
        candidates: &[u32],
    ) -> Result<()> {
        let replacements = self.replacements(text, tokens, candidates);
        if replacements.is_empty() {
            return Ok(());
        }
        replace(tokens, spare, &replacements)
    }

    /// Returns the special cases that replace sequences of tokens, in the order of the text.
    ///
    /// `candidates` are the positions, in order, at which a sequence may begin. Of overlapping
    /// sequences the longest wins, then the earliest, as in spaCy. A sequence whose text is not a
    /// special case (its tokens may be separated by spaces) is not replaced, but still excludes
    /// shorter sequences that overlap it.
    pub(super) fn replacements(
        &self,
        text: &str,
        tokens: &[TokenC],
        candidates: &[u32],
    ) -> Vec<Replacement<'_>> {
        let mut matches = Vec::new();
        for &start in candidates {
            // A sequence that two layers find is replaced once: `choose` drops the second match.
            for layer in &self.layers {
                layer.find_at(tokens, start as usize, &mut matches);
            }
        }
        if matches.is_empty() {
            return Vec::new();
        }
        let replacement = |SequenceMatch { start, end }| {
            let next_start = tokens.get(end).map_or(text.len(), |next| next.byte as usize);
            let text_end = next_start - usize::from(tokens[end - 1].spacy());
            let special_case = self.get(&text[tokens[start].byte as usize..text_end])?;
            Some(Replacement { start, end, special_case })
        };
        choose(matches, tokens.len()).into_iter().filter_map(replacement).collect()
    }
}

impl Replacement<'_> {
    /// Returns the tokens of the special case, for the first and the last token of the sequence.
    fn tokens(&self, first: TokenC, last: TokenC) -> impl Iterator<Item = TokenC> {
        let case = &self.special_case.tokens;
        case.iter().enumerate().map(move |(at, token)| {
            let (idx, byte) = (first.idx + token.idx, first.byte + token.byte);
            let mut token = TokenC { idx, byte, ..*token };
            if at + 1 == case.len() {
                token.set_spacy(last.spacy());
            }
            token
        })
    }
}

/// Replaces sequences of tokens, given in the order of the text. `spare` is a buffer whose contents
/// are lost; it is used only if there are more tokens than before up to some sequence.
fn replace(
    tokens: &mut Vec<TokenC>,
    spare: &mut Vec<TokenC>,
    replacements: &[Replacement<'_>],
) -> Result<()> {
    let (mut removed, mut added) = (0, 0);
    let fits_in_place = replacements.iter().all(|replacement| {
        removed += replacement.end - replacement.start;
        added += replacement.special_case.tokens.len();
        added <= removed
    });
    if fits_in_place {
        replace_in_place(tokens, replacements);
        return Ok(());
    }
    spare.clear();
    let added = replacements.iter().map(|replacement| replacement.special_case.tokens.len());
    spare.try_reserve(tokens.len() + added.sum::<usize>())?;
    let mut from = 0;
    for replacement in replacements {
        let Replacement { start, end, .. } = *replacement;
        spare.extend_from_slice(&tokens[from..start]);
        spare.extend(replacement.tokens(tokens[start], tokens[end - 1]));
        from = end;
    }
    spare.extend_from_slice(&tokens[from..]);
    std::mem::swap(tokens, spare);
    Ok(())
}

/// As [`replace`], without another buffer, which the tokens of a long text would fill with new
/// pages. Up to the end of each sequence there must be at most as many tokens as before.
fn replace_in_place(tokens: &mut Vec<TokenC>, replacements: &[Replacement<'_>]) {
    let first = replacements.first().map_or(0, |replacement| replacement.start);
    let (mut from, mut to) = (first, first);
    for replacement in replacements {
        let Replacement { start, end, .. } = *replacement;
        tokens.copy_within(from..start, to);
        to += start - from;
        let (first, last) = (tokens[start], tokens[end - 1]);
        for token in replacement.tokens(first, last) {
            tokens[to] = token;
            to += 1;
        }
        from = end;
    }
    tokens.copy_within(from.., to);
    tokens.truncate(tokens.len() - (from - to));
}

/// Returns of overlapping sequences the longest, then the earliest, in the order of the text.
///
/// A sequence that is not chosen still excludes those after it in rank, as in spaCy's
/// `_filter_special_spans`; results depend on it.
fn choose(mut matches: Vec<SequenceMatch>, len: usize) -> Vec<SequenceMatch> {
    matches.sort_by_key(|f| (std::cmp::Reverse(f.end - f.start), f.start));
    let mut covered = vec![false; len];
    let mut chosen = Vec::new();
    for sequence in matches {
        if !covered[sequence.start] && !covered[sequence.end - 1] {
            chosen.push(sequence);
        }
        covered[sequence.start..sequence.end].fill(true);
    }
    chosen.sort_by_key(|f| f.start);
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn special_case(norm: u32) -> SpecialCase {
        SpecialCase {
            source: [].into(),
            tokens: [TokenC { lex: norm, ..TokenC::default() }].into(),
        }
    }

    fn listed(specials: &SpecialCaseTable) -> Vec<(String, u32)> {
        specials.iter().map(|(text, special)| (text.to_owned(), special.tokens[0].lex)).collect()
    }

    proptest! {
        #[test]
        fn sequences_are_replaced_whatever_their_lengths(
            parts in prop::collection::vec((0..4_usize, 1..4_usize, 1..5_u32), 0..20),
            rest in 0..4_usize,
        ) {
            let cases: Vec<SpecialCase> = parts
                .iter()
                .map(|(_, _, added)| SpecialCase {
                    source: [].into(),
                    tokens: (0..*added)
                        .map(|i| TokenC { lex: 9, idx: i, byte: 2 * i, facts: 0 })
                        .collect(),
                })
                .collect();
            let (mut tokens, mut expected, mut replacements) = (Vec::new(), Vec::new(), Vec::new());
            let token = |at: usize| {
                let at = u32::try_from(at).unwrap();
                let mut token = TokenC { lex: 1, idx: 10 * at, byte: 20 * at, facts: 0 };
                token.set_spacy(at % 2 == 0);
                token
            };
            for ((before, len, _), special_case) in parts.iter().zip(&cases) {
                let start = tokens.len() + before;
                let end = start + len;
                expected.extend((tokens.len()..start).map(token));
                tokens.extend((tokens.len()..end).map(token));
                expected.extend(special_case.tokens.iter().map(|own| TokenC {
                    idx: token(start).idx + own.idx,
                    byte: token(start).byte + own.byte,
                    ..*own
                }));
                expected.last_mut().unwrap().set_spacy(token(end - 1).spacy());
                replacements.push(Replacement { start, end, special_case });
            }
            expected.extend((tokens.len()..tokens.len() + rest).map(token));
            tokens.extend((tokens.len()..tokens.len() + rest).map(token));
            replace(&mut tokens, &mut vec![TokenC::default(); 3], &replacements).unwrap();
            prop_assert_eq!(tokens, expected);
        }

        #[test]
        fn layers_behave_as_one_table(
            batches in prop::collection::vec(prop::collection::vec(0..30_u32, 0..6), 0..40),
        ) {
            let mut specials = SpecialCaseTable::default();
            let mut model: Vec<(String, u32)> = Vec::new();
            for (norm, batch) in (0..).zip(batches) {
                let before = specials.clone();
                let listed_before = listed(&before);
                let mut layer = SpecialCaseLayer::default();
                for number in batch {
                    let text = format!("case {number}");
                    layer.insert(text.as_str().into(), special_case(norm));
                    layer.insert_sequence([number, number + 1].into());
                    match model.iter_mut().find(|case| case.0 == text) {
                        Some(case) => case.1 = norm,
                        None => model.push((text, norm)),
                    }
                }
                specials.add(layer);
                prop_assert_eq!(listed(&before), listed_before, "the earlier tokenizer changed");
            }
            prop_assert_eq!(listed(&specials), model.clone());
            for number in 0..30_u32 {
                let found = model.iter().any(|(text, _)| *text == format!("case {number}"));
                prop_assert_eq!(specials.starts(number), found);
                let tokens = [number, number + 1].map(|lex| TokenC { lex, ..TokenC::default() });
                let mut matches = Vec::new();
                specials.layers.iter().for_each(|layer| layer.find_at(&tokens, 0, &mut matches));
                prop_assert_eq!(!matches.is_empty(), found);
            }
            for pair in specials.layers.windows(2) {
                prop_assert!(pair[0].order.len() >= 2 * pair[1].order.len());
            }
        }
    }
}
