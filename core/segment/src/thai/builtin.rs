//! The built-in list of words: PyThaiNLP's (CC0), from the crate `kham-core`.
//!
//! `words.zlib`, which `examples/thai_words.rs` writes, has the sorted words by front coding: for
//! each word the number of characters, at most 31, that it shares with the word before it, then the
//! others in Windows-874, where the byte of a character is 32 or more.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use crate::trie::Trie;

/// The compressed list.
const COMPRESSED: &[u8] = include_bytes!("words.zlib");

/// The largest number of shared characters.
const MAX_SHARED: u8 = 0x1F;

/// Returns the words; `None` if the list is damaged.
pub(super) fn words() -> Option<Trie<()>> {
    let bytes = inflate(COMPRESSED)?;
    let mut words: Vec<String> = Vec::new();
    for entry in bytes.chunk_by(|_, &next| next > MAX_SHARED) {
        let (&shared, rest) = entry.split_first()?;
        let previous = words.last().map_or("", String::as_str);
        let shared = previous.chars().take(shared.into());
        let word = shared.map(Some).chain(rest.iter().map(|&byte| windows_874(byte)));
        words.push(word.collect::<Option<_>>()?);
    }
    Some(Trie::new(words.iter().map(|word| (word.as_str(), ())).collect()))
}

/// Inflates a zlib stream; returns `None` if it is damaged.
fn inflate(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut inflated = Vec::new();
    ZlibDecoder::new(bytes).read_to_end(&mut inflated).ok()?;
    Some(inflated)
}

/// Returns the character of a byte in Windows-874.
fn windows_874(byte: u8) -> Option<char> {
    match byte {
        b' '..=b'~' => Some(byte.into()),
        0x85 => Some('\u{2026}'),
        0xA1..=0xFB => char::from_u32(u32::from(byte) - 0xA0 + 0xE00),
        _ => None,
    }
}

#[cfg(test)]
#[path = "../../examples/thai_words.rs"]
#[expect(dead_code, reason = "the program writes a file")]
mod generator;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_what_the_generator_writes_and_has_the_words_of_the_crate() {
        let list = generator::words();
        assert!(list.len() > 60_000, "{}", list.len());
        assert!(inflate(COMPRESSED) == Some(generator::bytes_of(&list)));
        assert!(words().unwrap() == Trie::new(list.iter().map(|word| (*word, ())).collect()));
        assert!(COMPRESSED.len() < 190_000, "{}", COMPRESSED.len());
    }
}
