//! Writes `src/thai/words.zlib`: PyThaiNLP's list of words (CC0), of the crate `kham-core`.
//!
//! `cargo run -p lexpool-segment --example thai_words`, after an update of the crate. The module
//! `thai::builtin` has the format.

use std::collections::BTreeSet;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// The last number of shared characters: the bytes of characters follow it.
const MAX_SHARED: usize = 0x1F;

/// Returns the words of the crate.
pub(crate) fn words() -> BTreeSet<&'static str> {
    let list = kham_core::dict::BUILTIN_WORDS.trim_start_matches('\u{feff}');
    let words = list.lines().map(str::trim);
    words.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// Returns the bytes of words before they are compressed.
pub(crate) fn bytes_of(words: &BTreeSet<&str>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut previous = "";
    for word in words {
        let pairs = word.chars().zip(previous.chars());
        let shared = pairs.take_while(|(c, other)| c == other).count().min(MAX_SHARED);
        bytes.push(u8::try_from(shared).expect("at most 31"));
        bytes.extend(word.chars().skip(shared).map(windows_874));
        previous = word;
    }
    bytes
}

/// Returns the byte of a character in Windows-874.
fn windows_874(c: char) -> u8 {
    let code = u32::from(c);
    let code = match c {
        ' '..='~' => code,
        '\u{2026}' => 0x85,
        '\u{E01}'..='\u{E5B}' => code - 0xE00 + 0xA0,
        _ => panic!("{c:?} has no byte in Windows-874"),
    };
    u8::try_from(code).expect("a byte of the code page")
}

#[expect(clippy::disallowed_methods, reason = "the program is run again if it fails")]
fn main() -> std::io::Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes_of(&words()))?;
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/thai/words.zlib"), encoder.finish()?)
}
