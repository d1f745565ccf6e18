//! Documents as bytes, in the formats of spaCy: `Doc.to_bytes` and `DocBin`.
//!
//! Messages are also read without their checksum or, of a `DocBin`, compressed: a change would
//! hardly get behind either otherwise.

use std::sync::Arc;

use lexpool::formats::zlib::{self, InflateLimit};
use lexpool::formats::{DocBin, doc_bytes};
use lexpool::msgpack::Value;
use lexpool::tokens::{ARRAY_ATTRS, Doc};
use lexpool::vocab::{Getters, Vocab};

use crate::converters::check;
use crate::renewed::Renewed;

thread_local! {
    static VOCAB: Renewed<Arc<Vocab>> = const { Renewed::new() };
}

fn with_vocab(call: impl FnOnce(&Arc<Vocab>)) {
    Renewed::with(&VOCAB, 2_000, || Vocab::new(Getters::native("en")).unwrap(), call);
}

pub(crate) fn run_doc_bytes(bytes: &[u8]) {
    for exclude in [&[][..], &["strings", "tensor"]] {
        read_doc(bytes, exclude);
        if let Some(message) = without_checksum(bytes) {
            read_doc(&message, exclude);
        }
    }
}

pub(crate) fn doc_bytes_seeds() -> Vec<Vec<u8>> {
    vec![crate::file("sentence.doc")]
}

pub(crate) fn docbin_seeds() -> Vec<Vec<u8>> {
    let file = crate::file("docs.spacy");
    let message = zlib::decompress(&file, InflateLimit::new(1 << 20)).expect("a file of lexpool");
    vec![file, message.to_vec()]
}

fn read_doc(message: &[u8], exclude: &[&str]) {
    with_vocab(|vocab| {
        let Ok((doc, extras)) = doc_bytes::from_bytes(&vocab.snapshot(), message, exclude) else {
            return;
        };
        check(&doc);
        let written = match doc_bytes::to_bytes(&doc, &extras, &[]) {
            Ok(written) => written,
            // A message without strings may have ids that the vocab does not know.
            Err(error) if error.code() == "E018" => return,
            Err(error) => panic!("what was read cannot be written: {error}"),
        };
        let (again, _) = doc_bytes::from_bytes(&vocab.snapshot(), &written, &[])
            .expect("what was written can be read");
        assert_same(&again, &doc);
    });
}

/// Removes the field that has the checksum, which files of spaCy lack. `None` without it.
fn without_checksum(message: &[u8]) -> Option<Vec<u8>> {
    let Ok(Value::Map(mut fields)) = Value::from_bytes(message) else { return None };
    let count = fields.len();
    fields.retain(|(name, _)| !matches!(name, Value::Str(name) if name == doc_bytes::CHECKSUM));
    if fields.len() == count { None } else { Value::Map(fields).to_bytes().ok() }
}

pub(crate) fn run_docbin(bytes: &[u8]) {
    read_docbin(bytes);
    read_docbin(&zlib::compress(bytes));
}

fn read_docbin(file: &[u8]) {
    let Ok(bin) = DocBin::from_bytes_within(file, InflateLimit::new(1 << 20)) else { return };
    with_vocab(|vocab| {
        let Ok(reader) = bin.reader(&vocab.snapshot()) else { return };
        let mut again = DocBin::new(bin.attrs(), bin.stores_user_data());
        let mut docs = Vec::new();
        for i in 0..bin.len() {
            let Ok(doc) = reader.doc(&bin, i) else { continue };
            check(&doc);
            let extras = bin.extras(i).cloned().unwrap_or_default();
            if again.add(&doc, extras).is_ok() {
                docs.push(doc);
            }
        }
        let written = again.to_bytes().expect("documents that were added can be written");
        let again = DocBin::from_bytes(&written).expect("what was written can be read");
        assert_eq!(again.len(), docs.len());
        let reader = again.reader(&vocab.snapshot()).expect("strings of documents are written");
        for (i, doc) in docs.iter().enumerate() {
            let read = reader.doc(&again, i).expect("what was written can be read");
            assert_eq!(read.text(), doc.text());
            let attrs = again.attrs();
            assert_eq!(read.attrs().to_array(attrs), doc.attrs().to_array(attrs));
        }
    });
}

fn assert_same(again: &Doc, doc: &Doc) {
    assert_eq!(again.text(), doc.text());
    assert_eq!(again.attrs().to_array(&ARRAY_ATTRS), doc.attrs().to_array(&ARRAY_ATTRS));
}
