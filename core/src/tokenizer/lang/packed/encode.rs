//! Texts as bytes of SCSU, which the build script and the tests write.

use std::collections::BTreeMap;

/// The commands that are used: quote a character, define the first window.
const QUOTE: u8 = 0x0E;
const DEFINE: u8 = 0x18;

/// The window that needs no definition, Latin 1.
const LATIN: u8 = 1;

/// Returns the window that has most characters of a text beyond ASCII.
pub(crate) fn window(text: &str) -> u8 {
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    for window in text.chars().filter_map(window_of) {
        *counts.entry(window).or_default() += 1;
    }
    let best = counts.into_iter().max_by_key(|&(_, count)| count);
    best.map_or(LATIN, |(window, _)| window)
}

/// Returns the window of a character; `None` for ASCII and for characters without one.
fn window_of(c: char) -> Option<u8> {
    let window = u8::try_from(u32::from(c) >> 7).ok()?;
    (1..=0x67).contains(&window).then_some(window)
}

/// Encodes a text with one window.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    let own = window(text);
    let mut bytes = if own == LATIN { vec![] } else { vec![DEFINE, own] };
    for c in text.chars() {
        let [low, ..] = u32::from(c).to_le_bytes();
        match c {
            ' '..='~' | '\t' | '\n' | '\r' => bytes.push(low),
            _ if window_of(c) == Some(own) => bytes.push(low | 0x80),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    bytes.push(QUOTE);
                    bytes.extend(unit.to_be_bytes());
                }
            }
        }
    }
    bytes
}

/// Replaces the comments of a file in TOML that fill a line by empty lines.
pub(crate) fn without_comments(text: &str) -> String {
    let mut is_in_string = false;
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let is_comment = !is_in_string && line.trim_start().starts_with('#');
        out.push_str(if is_comment { "\n" } else { line });
        let quotes = line.matches("\"\"\"").count() + line.matches("'''").count();
        is_in_string ^= !is_comment && quotes % 2 == 1;
    }
    out
}
