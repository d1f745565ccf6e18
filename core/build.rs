//! Packs the rules of languages. `src/tokenizer/lang/packed` has the format.

#[path = "src/tokenizer/lang/packed/encode.rs"]
mod encode;

use std::path::Path;
use std::{env, fs};

const RULES: &str = "src/tokenizer/lang/rules";

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo names the folder, and runs the script again if it fails"
)]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokenizer/lang/packed/encode.rs");
    println!("cargo::rerun-if-changed={RULES}");
    let mut files: Vec<(u8, String, Vec<u8>)> = vec![];
    for entry in fs::read_dir(RULES).expect("the folder of rules") {
        let path = entry.expect("the folder of rules").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a code and .toml");
        let text = fs::read_to_string(&path).expect("a file of rules is a text");
        let text = encode::without_comments(&text);
        files.push((encode::window(&text), name.to_owned(), encode::encode(&text)));
    }
    files.sort();
    let mut bytes = vec![];
    for (_, name, file) in files {
        bytes.push(u8::try_from(name.len()).expect("a code and .toml"));
        bytes.extend(name.as_bytes());
        bytes.extend(u32::try_from(file.len()).expect("a file of some KB").to_le_bytes());
        bytes.extend(file);
    }
    let folder = env::var_os("OUT_DIR").expect("Cargo sets it");
    fs::write(Path::new(&folder).join("rules.scsu"), bytes)
        .expect("the folder of a build script is writable");
}
