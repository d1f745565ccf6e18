//! Packs the list of Thai words, of 1.5 MB, into 0.13 MB. `src/thai/packed` has the format.

#[cfg(feature = "thai")]
#[path = "src/thai/packed/predictor.rs"]
mod predictor;
#[cfg(feature = "thai")]
#[path = "src/thai/packed/walk.rs"]
mod walk;
#[cfg(feature = "thai")]
#[path = "src/thai/packed/write.rs"]
mod write;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/thai/packed");
    #[cfg(feature = "thai")]
    pack();
}

#[cfg(feature = "thai")]
#[expect(
    clippy::disallowed_methods,
    reason = "Cargo names the folder, and runs the script again if it fails"
)]
fn pack() {
    let list = kham_core::dict::BUILTIN_WORDS.trim_start_matches('\u{feff}');
    let words = list.lines().map(str::trim);
    let words = words.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let bytes = write::pack(words).expect("the list has fewer characters than a packed one may");
    let folder = std::env::var_os("OUT_DIR").expect("Cargo sets it");
    std::fs::write(std::path::Path::new(&folder).join("thai.words"), bytes)
        .expect("the folder of a build script is writable");
}
