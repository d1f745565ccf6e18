//! The built-in list of words: PyThaiNLP's (CC0), from the crate `kham-core`, in the form of
//! [`packed`].

use super::packed;
use crate::trie::Trie;

/// The packed list, which `build.rs` writes.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/thai.words"));

/// Returns the words; `None` if the list is damaged.
pub(super) fn words() -> Option<Trie<()>> {
    packed::trie(PACKED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_the_words_of_the_crate() {
        let list = kham_core::dict::BUILTIN_WORDS.trim_start_matches('\u{feff}');
        let lines = list.lines().map(str::trim);
        let given: Vec<_> = lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|word| (word, ()))
            .collect();
        assert!(given.len() > 60_000, "{}", given.len());
        assert!(words().unwrap() == Trie::new(given));
        assert!(PACKED.len() < 135_000, "{}", PACKED.len());
    }
}
