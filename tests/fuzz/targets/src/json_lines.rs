//! JSON lines and plain texts from any bytes: documents that are read are written and read again as
//! they are.

use std::sync::Arc;

use lexpool::formats::DocExtras;
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};
use lexpool_io::corpus::{
    DocUnit, InvalidUtf8, Jsonl, JsonlDocs, JsonlRead, ReadOptions, Source, Texts,
};

use crate::converters::check;
use crate::renewed::Renewed;
use crate::scratch;

thread_local! {
    static VOCAB: Renewed<Arc<Vocab>> = const { Renewed::new() };
}

pub(crate) fn run(bytes: &[u8]) {
    let Some((first, lines)) = bytes.split_first() else { return };
    let set = |bit: u8| first & (1 << bit) != 0;
    let options = ReadOptions {
        unit: if set(0) { DocUnit::File } else { DocUnit::Line },
        invalid: if set(1) { InvalidUtf8::Replace } else { InvalidUtf8::Refuse },
        skip_blank: set(2),
    };
    let path = scratch::file("lines.jsonl", lines);
    let field = "text".to_owned();
    for source in [Source::File(path.clone()), Source::Jsonl { path: path.clone(), field }] {
        for text in Texts::new(vec![source], options).map_while(Result::ok) {
            assert!(!options.skip_blank || !text.text.trim().is_empty());
        }
    }
    Renewed::with(
        &VOCAB,
        2_000,
        || Vocab::new(Getters::native("en")).unwrap(),
        |vocab| {
            let mut docs = Vec::new();
            for read in JsonlDocs::open(&path, options, vocab).expect("the file is there") {
                let Ok(JsonlRead::Doc(doc, extras)) = read else { continue };
                check(&doc);
                docs.push((doc, extras));
            }
            let Ok(written) = piece(&docs) else { return };
            let path = scratch::file("again.jsonl", &written);
            let again = JsonlDocs::open(&path, ReadOptions { skip_blank: false, ..options }, vocab);
            let again: Result<Vec<_>, _> = again.expect("the file is there").collect();
            let again = again.expect("what was written can be read");
            let again: Vec<_> = again
                .into_iter()
                .map(|read| match read {
                    JsonlRead::Doc(doc, extras) => (doc, extras),
                    JsonlRead::Text(text) => panic!("the tokens of {text:?} were not written"),
                })
                .collect();
            let text = String::from_utf8_lossy(&written).into_owned();
            let twice = piece(&again).expect("what was read can be written");
            assert_eq!(String::from_utf8_lossy(&twice), text);
        },
    );
}

fn piece(docs: &[(Box<Doc>, DocExtras)]) -> lexpool::Result<Vec<u8>> {
    Jsonl::<Vec<u8>>::piece_with(docs.iter().map(|(doc, extras)| (&**doc, extras)))
}
