//! The built-in list of words: PyThaiNLP's (CC0), from the crate `kham-core`.
//!
//! `build.rs` packs it: the sorted words, each as the number of characters that it shares with the
//! word before (a byte below 0x20) and its other characters. Of these, a byte from 0x20 to 0x7E is
//! a character of ASCII, one from 0x80 on a character of the block of Thai, and 0x7F comes before
//! three bytes with the code of any other, the lowest first. All is compressed by zlib.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// The packed list.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/thai.words"));

/// Returns the words, one a line; `None` if the list is damaged.
pub(super) fn words() -> Option<String> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(PACKED).read_to_end(&mut bytes).ok()?;
    let mut list = String::new();
    let mut word: Vec<char> = Vec::new();
    let mut rest = bytes.into_iter();
    while let Some(byte) = rest.next() {
        word.push(match byte {
            0x00..0x20 => {
                list.extend(&word);
                list.push('\n');
                word.truncate(byte.into());
                continue;
            }
            0x20..0x7F => char::from(byte),
            0x7F => {
                let code = [rest.next()?, rest.next()?, rest.next()?, 0];
                char::from_u32(u32::from_le_bytes(code))?
            }
            0x80.. => char::from_u32(0xE00 + u32::from(byte & 0x7F))?,
        });
    }
    list.extend(&word);
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_sorted_words_of_thai() {
        let list = words().unwrap();
        let words: Vec<&str> = list.lines().filter(|word| !word.is_empty()).collect();
        assert!(words.len() > 60_000, "{}", words.len());
        assert!(words.is_sorted());
        assert!(words.binary_search(&"ภาษาไทย").is_ok());
        // A word with another character, which takes four bytes.
        assert!(words.binary_search(&"หา…ไม่").is_ok());
        assert!(!list.contains('#'));
        assert!(PACKED.len() < 200_000, "{}", PACKED.len());
    }
}
