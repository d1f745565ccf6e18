//! A trie of words in arrays: the dictionary of a segmenter.
//!
//! The children of a node are neighbours, in the order of their characters, so that a step is a
//! binary search. The trie is built level by level from the sorted words, in time linear in their
//! length, and never changes.

use std::collections::VecDeque;

/// A trie of words with values.
#[derive(Debug, PartialEq)]
pub(crate) struct Trie<V> {
    nodes: Vec<Node<V>>,
}

#[derive(Debug, PartialEq)]
struct Node<V> {
    label: char,
    /// The range of the children in `nodes`.
    first: u32,
    end: u32,
    /// The value of the word that ends here.
    value: Option<V>,
}

/// A position in a trie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeIx(u32);

impl<V: Copy> Trie<V> {
    /// The node of the empty word.
    pub(crate) const ROOT: NodeIx = NodeIx(0);

    /// Builds a trie. Of equal words the last counts. Cost: sorting the words.
    pub(crate) fn new(mut words: Vec<(&str, V)>) -> Trie<V> {
        // The order of bytes in UTF-8 is that of characters; the sort is stable.
        words.sort_by_key(|(word, _)| *word);
        let mut nodes = vec![Node { label: '\0', first: 0, end: 0, value: None }];
        // Nodes whose children are missing, with their words and the length of these that is read.
        let mut waiting = VecDeque::from([(0, 0..words.len(), 0)]);
        while let Some((node, range, read)) = waiting.pop_front() {
            let first = nodes.len();
            let mut at = range.start;
            while at < range.end {
                let (word, value) = words[at];
                let Some(label) = word[read..].chars().next() else {
                    nodes[node].value = Some(value);
                    at += 1;
                    continue;
                };
                let next = read + label.len_utf8();
                let prefix = &word[..next];
                let same = words[at..range.end].partition_point(|(other, _)| {
                    other.as_bytes().get(..next).is_some_and(|own| own <= prefix.as_bytes())
                        || other.len() < next
                });
                waiting.push_back((nodes.len(), at..at + same, next));
                nodes.push(Node { label, first: 0, end: 0, value: None });
                at += same;
            }
            (nodes[node].first, nodes[node].end) = (index(first), index(nodes.len()));
        }
        Trie { nodes }
    }

    /// Returns the child of a node for a character.
    #[inline]
    pub(crate) fn child(&self, node: NodeIx, label: char) -> Option<NodeIx> {
        let Node { first, end, .. } = self.nodes[node.0 as usize];
        let children = &self.nodes[first as usize..end as usize];
        let at = children.binary_search_by_key(&label, |child| child.label).ok()?;
        Some(NodeIx(first + index(at)))
    }

    /// Returns the value of the word that ends at a node.
    #[inline]
    pub(crate) fn value(&self, node: NodeIx) -> Option<V> {
        self.nodes[node.0 as usize].value
    }

    /// Returns the node of a prefix of words.
    pub(crate) fn find(&self, prefix: impl IntoIterator<Item = char>) -> Option<NodeIx> {
        prefix.into_iter().try_fold(Self::ROOT, |node, label| self.child(node, label))
    }

    /// Returns the words at the start of a text: the number of characters of each, with its value,
    /// the shortest first.
    pub(crate) fn prefixes<'t>(
        &'t self,
        text: impl IntoIterator<Item = char> + 't,
    ) -> impl Iterator<Item = (usize, V)> + 't {
        let mut node = Self::ROOT;
        let reached = text.into_iter().map_while(move |label| {
            node = self.child(node, label)?;
            Some(node)
        });
        (1..).zip(reached).filter_map(|(len, node)| Some((len, self.value(node)?)))
    }
}

/// Converts the index of a node, of which there are fewer than characters of words.
#[expect(clippy::cast_possible_truncation, reason = "dictionaries are smaller than 4 GiB")]
fn index(at: usize) -> u32 {
    at as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_trie_has_the_words_of_a_map(
            words in prop::collection::vec(("[ab\u{e9}\u{4e00}\u{1f600}]{0,5}", 0..9_u32), 0..40),
            text in "[ab\u{e9}\u{4e00}\u{1f600}]{0,8}",
        ) {
            let map: BTreeMap<&str, u32> = words.iter().map(|(w, v)| (&**w, *v)).collect();
            let trie = Trie::new(words.iter().map(|(word, value)| (&**word, *value)).collect());
            let naive: Vec<(usize, u32)> = text
                .char_indices()
                .map(|(at, c)| &text[..at + c.len_utf8()])
                .filter_map(|prefix| Some((prefix.chars().count(), *map.get(prefix)?)))
                .collect();
            prop_assert_eq!(trie.prefixes(text.chars()).collect::<Vec<_>>(), naive);
            let starts = map.keys().any(|word| word.starts_with(&text)) || text.is_empty();
            prop_assert_eq!(trie.find(text.chars()).is_some(), starts);
        }
    }
}
