//! Words in few bytes: a trie, level by level, by arithmetic coding with mixed contexts.
//!
//! The bytes are the number of characters, the number of nodes in four bytes, the characters in
//! four bytes each, and the coded nodes; numbers have the lowest byte first. `build.rs` writes
//! them.

mod predictor;
mod read;
mod walk;
#[cfg(test)]
mod write;

use crate::trie::Trie;

/// Reads packed words; returns `None` for damaged bytes. Cost: linear in the nodes of their trie,
/// a quarter of a microsecond each, and 4 MiB of memory until it returns.
pub(super) fn trie(bytes: &[u8]) -> Option<Trie<()>> {
    let unpacked = read::unpack(bytes)?;
    let nodes = unpacked.nodes.into_iter().map(|node| {
        let label = unpacked.alphabet.get(node.symbol as usize).copied().unwrap_or_default();
        (label, node.children, node.is_word.then_some(()))
    });
    Some(Trie::from_levels(nodes))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Returns the words of packed bytes, without the order of their symbols.
    fn words(bytes: &[u8]) -> Option<BTreeSet<String>> {
        let unpacked = read::unpack(bytes)?;
        let mut words = vec![String::new(); unpacked.nodes.len()];
        for (at, node) in unpacked.nodes.iter().enumerate() {
            for child in node.children.clone() {
                let c = unpacked.alphabet[unpacked.nodes[child].symbol as usize];
                words[child] = format!("{}{c}", words[at]);
            }
        }
        let nodes = words.into_iter().zip(unpacked.nodes);
        Some(nodes.filter(|(_, node)| node.is_word).map(|(word, _)| word).collect())
    }

    proptest! {
        #[test]
        fn words_are_read_as_they_were_packed(
            given in prop::collection::btree_set("[ab\u{e01}-\u{e60}\u{1f600}]{0,6}", 0..60),
        ) {
            if let Some(bytes) = write::pack(given.iter().map(String::as_str)) {
                prop_assert_eq!(words(&bytes), Some(given));
            } else {
                let characters: BTreeSet<char> =
                    given.iter().flat_map(|word| word.chars()).collect();
                prop_assert!(characters.len() > 88);
            }
        }

        #[test]
        fn damaged_bytes_are_words_or_refused(
            given in prop::collection::btree_set("[a-e]{1,5}", 1..20),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
            len in any::<prop::sample::Index>(),
        ) {
            let bytes = write::pack(given.iter().map(String::as_str)).unwrap();
            let mut changed = bytes.clone();
            changed[at.index(bytes.len())] = byte;
            let _ = words(&changed);
            let _ = trie(&changed);
            let _ = trie(&bytes[..len.index(bytes.len())]);
        }

        #[test]
        fn any_bytes_are_words_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = trie(&bytes);
        }
    }

    #[test]
    fn bytes_that_cannot_be_words_are_refused() {
        // Zeros in place of the coded bits say that a node is a word and has a child.
        let without_symbols = |count, bits| words(&[0, count, 0, 0, 0, bits, bits, bits, bits]);
        assert_eq!(without_symbols(1, 0xFF), Some(BTreeSet::new()));
        assert_eq!(without_symbols(2, 0xFF), None);
        assert_eq!(without_symbols(1, 0), None);
        // Zero nodes, more than bytes tell, a number of no character, too many symbols.
        assert_eq!(words(&[0, 0, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(words(&[0, 0, 0, 1, 0, 0, 0, 0, 0]), None);
        assert_eq!(words(&[1, 1, 0, 0, 0, 0, 0xD8, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(words(&[[89, 1, 0, 0, 0].as_slice(), &[0; 4 * 89]].concat()), None);
        assert_eq!(words(&[]), None);
    }
}
