//! The table of files in tests/data, read through the Rust API; tests/data/README.md describes it.
#![cfg(feature = "arrow")]

#[path = "../../tests/tables/mod.rs"]
mod tables;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use lexpool::formats::zlib::{self, InflateLimit};
use lexpool::formats::{DocBin, doc_bytes};
use lexpool::matcher::PhraseMatcher;
use lexpool::msgpack::Value as Message;
use lexpool::vocab::{Getters, OpenOptions, Verify, Vocab};
use lexpool_io::corpus::Corpus;
use serde_json::Value;

use tables::{Case, cases, root, table, text};

#[test]
fn files_open_or_fail_as_the_table_has_it() {
    let table = table("files.toml");
    let folder = tempfile::tempdir().unwrap();
    let mut failures = Vec::new();
    for case in cases(&table, "rust") {
        let (form, bytes) = file(&table, case);
        let found = read(form, &bytes, case, folder.path());
        let found = found.map_err(|error| (error.code().to_owned(), error.message().to_owned()));
        let is_right = match (text(case, "error"), &found) {
            (None, found) => found.is_ok(),
            (Some(expected), Err((code, message))) => {
                let place = case.get("byte").map(|byte| format!("at byte {byte}"));
                code == expected && place.is_none_or(|place| message.contains(&place))
            }
            (Some(_), Ok(())) => false,
        };
        if !is_right {
            let name = text(case, "name").unwrap();
            failures.push(format!("{name}: expected {:?}, found {found:?}", text(case, "error")));
        }
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

/// Returns the form of a case's file, and its bytes after the changes of the case.
fn file<'a>(table: &'a Case, case: &Case) -> (&'a str, Vec<u8>) {
    let name = text(case, "file").unwrap();
    let mut files = table["file"].as_array().unwrap().iter().map(|file| file.as_object().unwrap());
    let file =
        files.find(|file| text(file, "name") == Some(name)).expect("the file is in the table");
    let mut bytes = match text(file, "path") {
        Some(path) => fs::read(root().join("tests/files").join(path)).unwrap(),
        None => hex(text(file, "bytes").unwrap()),
    };
    let inflates = file.get("inflate").and_then(Value::as_bool) == Some(true);
    if inflates {
        bytes = zlib::decompress(&bytes, InflateLimit::new(1 << 20)).unwrap().to_vec();
    }
    for change in case.get("changes").and_then(Value::as_array).into_iter().flatten() {
        apply(change.as_object().unwrap(), &mut bytes);
    }
    if inflates {
        bytes = zlib::compress(&bytes);
    }
    (text(file, "form").unwrap(), bytes)
}

fn apply(change: &Case, bytes: &mut Vec<u8>) {
    let number = |name| change.get(name).and_then(Value::as_i64);
    let position = |at: i64| {
        let distance = usize::try_from(at.unsigned_abs()).unwrap();
        if at < 0 { bytes.len() - distance } else { distance }
    };
    let put = text(change, "put").map(|put| put.as_bytes().to_vec());
    let put = put.or_else(|| text(change, "bytes").map(hex));
    if let Some(end) = number("cut") {
        bytes.truncate(position(end));
    } else if let Some(at) = number("at") {
        let at = position(at);
        if let Some(bits) = number("xor") {
            bytes[at] ^= u8::try_from(bits).unwrap();
        } else {
            let put = put.unwrap();
            bytes[at..at + put.len()].copy_from_slice(&put);
        }
    } else if let Some(wanted) = text(change, "find") {
        let at = bytes.windows(wanted.len()).position(|window| window == wanted.as_bytes());
        let at = at.expect("the bytes are in the file");
        bytes.splice(at..at + wanted.len(), put.unwrap());
    } else {
        bytes.extend(hex(text(change, "append").unwrap()));
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// Reads all of a file.
fn read(form: &str, bytes: &[u8], case: &Case, folder: &Path) -> lexpool::Result<()> {
    let is_full = text(case, "verify") == Some("full");
    let verify = if is_full { Verify::Full } else { Verify::Header };
    let options = OpenOptions::new().verify(verify);
    let vocab = || -> Arc<Vocab> { Vocab::new(Getters::native("en")).unwrap() };
    match form {
        "vocab" => Vocab::from_image_bytes(bytes, &options).map(drop),
        "corpus" => {
            let corpus = Corpus::from_bytes_with(bytes, &options)?;
            (0..corpus.len()).try_for_each(|i| corpus.doc(i).and(corpus.extras(i)).map(drop))
        }
        "phrases" => {
            let path = folder.join("phrases");
            #[expect(clippy::disallowed_methods, reason = "files are made to be broken")]
            fs::write(&path, bytes).unwrap();
            PhraseMatcher::open(&path, &vocab()).map(drop)
        }
        "docbin" => {
            let bin = DocBin::from_bytes(bytes)?;
            let reader = bin.reader(&vocab().snapshot())?;
            (0..bin.len()).try_for_each(|i| reader.doc(&bin, i).map(drop))
        }
        "doc" => doc_bytes::from_bytes(&vocab().snapshot(), bytes, &[]).map(drop),
        "msgpack" => Message::from_bytes(bytes).map(drop),
        other => panic!("{other:?} is no form"),
    }
}
