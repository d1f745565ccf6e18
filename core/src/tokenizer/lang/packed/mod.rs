//! The data files in the library: without comments, in SCSU, sorted by script.
//!
//! The Standard Compression Scheme for Unicode (UTS #6) has a byte for a letter of any alphabet.
//! So the files take a sixth less in a compressed library, where files of one alphabet stand side
//! by side. `build.rs` writes them: for each file the length of its name, the name, the length of
//! its bytes in four bytes, the lowest first, and the bytes.

#[cfg(test)]
mod encode;

const FILES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/rules.scsu"));

/// Returns the text of a file. Cost: microseconds.
pub(super) fn text(name: &str) -> Option<String> {
    find(FILES, name).and_then(decode)
}

/// Finds the bytes of a file.
fn find<'f>(mut rest: &'f [u8], name: &str) -> Option<&'f [u8]> {
    loop {
        let (&len, after) = rest.split_first()?;
        let (own, after) = after.split_at_checked(len.into())?;
        let (len, after) = after.split_first_chunk()?;
        let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
        let (bytes, after) = after.split_at_checked(len)?;
        if own == name.as_bytes() {
            return Some(bytes);
        }
        rest = after;
    }
}

/// Decodes bytes of SCSU that have no other commands than `SQU` and `SD0`; `None` for others.
fn decode(bytes: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(2 * bytes.len());
    let (mut window, mut rest) = (0x80, bytes.iter().copied());
    while let Some(byte) = rest.next() {
        match byte {
            b' '..=b'~' | b'\t' | b'\n' | b'\r' => text.push(byte.into()),
            0x80.. => text.push(char::from_u32(window + u32::from(byte & 0x7F))?),
            0x0E => {
                let mut unit = || Some(u16::from_be_bytes([rest.next()?, rest.next()?]));
                let first = unit()?;
                let is_pair = (0xD800..0xDC00).contains(&first);
                let second = if is_pair && rest.next()? == 0x0E {
                    Some(u16::from_be_bytes([rest.next()?, rest.next()?]))
                } else {
                    None
                };
                let units = std::iter::once(first).chain(second);
                for c in char::decode_utf16(units) {
                    text.push(c.ok()?);
                }
            }
            0x18 => match rest.next()? {
                own @ 1..=0x67 => window = u32::from(own) << 7,
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::file;
    use super::encode::{encode, without_comments};
    use super::*;

    proptest! {
        #[test]
        fn a_text_is_read_as_it_was_written(text in any::<String>(), greek in "[α-ω .]{0,20}") {
            for text in [text, greek] {
                prop_assert_eq!(decode(&encode(&text)), Some(text));
            }
        }

        #[test]
        fn any_bytes_are_a_text_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(text) = decode(&bytes) {
                prop_assert_eq!(decode(&encode(&text)), Some(text));
            }
            let _ = find(&bytes, "xx.toml");
        }
    }

    #[test]
    fn files_are_what_they_are_in_the_sources() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tokenizer/lang/rules");
        let mut size = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let source = std::fs::read_to_string(&path).unwrap();
            let packed = text(name).unwrap();
            assert_eq!(packed, without_comments(&source));
            // Lines are told in errors.
            let parsed = [source, packed].map(|text| format!("{:?}", file::parse(name, &text)));
            assert_eq!(parsed[0], parsed[1], "{name}");
            size += find(FILES, name).unwrap().len();
        }
        assert!(size < 260_000, "{size}");
        assert_eq!(text("tlh.toml"), None);
    }

    #[test]
    fn comments_are_told_from_texts() {
        let text = "# one\na = \"\"\"\n# two\n\"\"\" # three\n  # four\nb = '# five'\n";
        let without = "\na = \"\"\"\n# two\n\"\"\" # three\n\nb = '# five'\n";
        assert_eq!(without_comments(text), without);
    }
}
