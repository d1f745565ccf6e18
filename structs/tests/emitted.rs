//! The files made from the declarations are those that are committed.

use lexpool_structs::emit;
use std::fs;
use std::path::Path;

fn compare(file: &str, emitted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../py/lexpool").join(file);
    let committed = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        committed == emitted,
        "py/lexpool/{file} is out of date; \
         run `cargo run -p lexpool-structs --example emit py/lexpool`"
    );
}

#[test]
fn the_committed_header_is_up_to_date() {
    compare("include/lexpool.h", &emit::c_header());
}

#[test]
fn the_committed_pxd_files_are_up_to_date() {
    compare("structs.pxd", &emit::pxd());
    compare("attrs.pxd", &emit::attrs_pxd());
    compare("parts_of_speech.pxd", &emit::parts_of_speech_pxd());
}
