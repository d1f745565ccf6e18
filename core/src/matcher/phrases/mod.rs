//! Phrases: fixed sequences of one attribute's ids, found all at once by a tree of ids.

use std::ops::Range;

use ahash::AHashMap;
use lexpool_structs::AttrId;

use crate::Result;
use crate::strings::StrId;
use crate::tokens::Doc;

/// Phrases under keys, and what finds them; a phrase is what an attribute of its tokens is.
///
/// Cost of a search: for each token as many look-ups as tokens after it go on with some phrase.
///
/// ```
/// use lexpool::matcher::PhraseMatcher;
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let mut phrases = PhraseMatcher::new(AttrId::LOWER);
/// let phrase = phrases.ids(&tokenizer.tokenize("New York")?);
/// phrases.add(StrId::of("city"), &phrase);
/// let doc = tokenizer.tokenize("in new york")?;
/// assert_eq!(phrases.find(&doc, 0..doc.len())?[0].tokens, 1..3);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct PhraseMatcher {
    attr: AttrId,
    /// The first is the root. One whose last phrase was removed is free to be used again.
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// The node behind a node and an id.
    edges: AHashMap<(u32, u64), u32>,
}

/// What a sequence of ids has come to.
#[derive(Clone, Default)]
struct Node {
    /// The keys of the phrase that ends here, in the order in which they were added.
    keys: Vec<StrId>,
    /// How many edges lead on.
    edges: u32,
}

const ROOT: u32 = 0;

/// A phrase that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhraseMatch {
    /// The key under which it was added.
    pub key: StrId,
    /// Its tokens, as positions in the document.
    pub tokens: Range<usize>,
}

impl PhraseMatcher {
    /// Without phrases, for an attribute.
    pub fn new(attr: AttrId) -> PhraseMatcher {
        PhraseMatcher {
            attr,
            nodes: vec![Node::default()],
            free: Vec::new(),
            edges: AHashMap::new(),
        }
    }

    /// The attribute that is compared.
    pub fn attr(&self) -> AttrId {
        self.attr
    }

    /// A document as the phrase that it is here.
    pub fn ids(&self, doc: &Doc) -> Vec<u64> {
        doc.iter().map(|token| token.attr(self.attr)).collect()
    }

    /// Adds a phrase under a key, unless it is there or has no ids.
    pub fn add(&mut self, key: StrId, phrase: &[u64]) {
        if phrase.is_empty() {
            return;
        }
        let mut node = ROOT;
        for id in phrase {
            node = match self.edges.get(&(node, *id)) {
                Some(next) => *next,
                None => self.grow(node, *id),
            };
        }
        let keys = &mut self.nodes[node as usize].keys;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }

    /// Removes a phrase of a key, if it is there, and what only it has needed.
    pub fn remove(&mut self, key: StrId, phrase: &[u64]) {
        let mut path = vec![ROOT];
        for id in phrase {
            let Some(next) = self.edges.get(&(path[path.len() - 1], *id)) else { return };
            path.push(*next);
        }
        self.nodes[path[path.len() - 1] as usize].keys.retain(|own| *own != key);
        for (at, id) in phrase.iter().enumerate().rev() {
            let (parent, node) = (path[at], path[at + 1]);
            let Node { keys, edges } = &self.nodes[node as usize];
            if !keys.is_empty() || *edges > 0 {
                return;
            }
            self.edges.remove(&(parent, *id));
            self.nodes[parent as usize].edges -= 1;
            self.free.push(node);
        }
    }

    /// All phrases among some tokens of a document, overlapping ones too: by their starts, then by
    /// their lengths.
    ///
    /// # Errors
    ///
    /// `E035` for tokens outside of the document.
    pub fn find(&self, doc: &Doc, tokens: Range<usize>) -> Result<Vec<PhraseMatch>> {
        doc.span(tokens.start, tokens.end)?;
        let at = |i| doc.token(i).expect("within the range that was checked").attr(self.attr);
        let ids: Vec<u64> = tokens.clone().map(at).collect();
        let mut found = Vec::new();
        for start in 0..ids.len() {
            let mut node = ROOT;
            for (end, id) in ids.iter().enumerate().skip(start) {
                let Some(next) = self.edges.get(&(node, *id)) else { break };
                node = *next;
                for key in &self.nodes[node as usize].keys {
                    let tokens = tokens.start + start..tokens.start + end + 1;
                    found.push(PhraseMatch { key: *key, tokens });
                }
            }
        }
        Ok(found)
    }

    /// A new node behind a node and an id.
    fn grow(&mut self, node: u32, id: u64) -> u32 {
        let next = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(Node::default());
            u32::try_from(self.nodes.len() - 1).expect("memory ends before four billion nodes")
        });
        self.edges.insert((node, id), next);
        self.nodes[node as usize].edges += 1;
        next
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::vocab::{Getters, Vocab};

    fn doc(vocab: &Arc<Vocab>, words: &str) -> Doc {
        let words: Vec<_> = words.split(' ').map(|word| (word, true)).collect();
        Doc::from_words(vocab, &words).unwrap()
    }

    #[test]
    fn phrases_overlap_and_come_by_start_and_length() {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let mut phrases = PhraseMatcher::new(AttrId::ORTH);
        let (one, two) = (StrId::of("one"), StrId::of("two"));
        let of = |words| PhraseMatcher::new(AttrId::ORTH).ids(&doc(&vocab, words));
        let (ab, abc, bc) = (of("a b"), of("a b c"), of("b c"));
        phrases.add(one, &abc);
        phrases.add(one, &ab);
        phrases.add(two, &bc);
        phrases.add(two, &bc);
        let searched = doc(&vocab, "x a b c");
        let found = |phrases: &PhraseMatcher| {
            let found = phrases.find(&searched, 1..4).unwrap();
            found.into_iter().map(|found| (found.key, found.tokens)).collect::<Vec<_>>()
        };
        assert_eq!(found(&phrases), [(one, 1..3), (one, 1..4), (two, 2..4)]);
        phrases.remove(one, &abc);
        phrases.remove(two, &bc);
        assert_eq!(found(&phrases), [(one, 1..3)]);
        phrases.remove(one, &ab);
        phrases.add(two, &bc);
        assert_eq!(found(&phrases), [(two, 2..4)]);
        assert!(phrases.edges.len() == 2 && phrases.nodes.len() == 6);
    }
}
