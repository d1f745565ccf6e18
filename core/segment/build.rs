//! Packs the list of Thai words, of 1.5 MB, into 0.2 MB. `src/thai/builtin.rs` has the format.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "thai")]
    thai::pack();
}

#[cfg(feature = "thai")]
mod thai {
    use std::io::Write;
    use std::path::Path;
    use std::{env, fs};

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    /// The longest beginning that a word may share with the word before.
    const MAX_SHARED: usize = 0x1F;

    #[expect(
        clippy::disallowed_methods,
        reason = "Cargo names the folder, and runs the script again if it fails"
    )]
    pub(super) fn pack() {
        let list = kham_core::dict::BUILTIN_WORDS.trim_start_matches('\u{feff}');
        let words = list.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let mut words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        let folder = env::var_os("OUT_DIR").expect("Cargo sets it");
        fs::write(Path::new(&folder).join("thai.words"), deflated(&encoded(&words)))
            .expect("the folder of a build script is writable");
    }

    /// Encodes sorted words by what each adds to the word before (front coding).
    fn encoded(words: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut last = "";
        for word in words {
            let same = word.chars().zip(last.chars()).take_while(|(own, other)| own == other);
            let shared = same.count().min(MAX_SHARED);
            bytes.push(u8::try_from(shared).expect("a few bits"));
            for c in word.chars().skip(shared) {
                match (c, u32::from(c)) {
                    (' '..='~', code) => bytes.push(code.to_le_bytes()[0]),
                    ('\u{E00}'..='\u{E7F}', code) => bytes.push(code.to_le_bytes()[0] | 0x80),
                    (_, code) => {
                        bytes.push(0x7F);
                        bytes.extend(&code.to_le_bytes()[..3]);
                    }
                }
            }
            last = word;
        }
        bytes
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("memory does not fail to be written");
        encoder.finish().expect("memory does not fail to be written")
    }
}
