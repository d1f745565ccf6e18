//! Converters of annotated files, from any text, with any settings.

use std::sync::Arc;

use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};
use lexpool_io::converters::{
    ColumnSettings, ConlluSettings, conll_ner_to_docs, conllu_to_docs, detect_ner_format,
    iob_to_docs, json_to_docs,
};

use crate::renewed::Renewed;

thread_local! {
    static VOCAB: Renewed<Arc<Vocab>> = const { Renewed::new() };
}

pub(crate) fn run(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let set = |bit: u8| first & (1 << bit) != 0;
    let n_sents = usize::from(first >> 2 & 3);
    let _ = detect_ner_format(text);
    Renewed::with(
        &VOCAB,
        2_000,
        || Vocab::new(Getters::native("en")).unwrap(),
        |vocab| {
            let notes = &mut Vec::new();
            let docs = match first >> 6 {
                0 => {
                    let settings =
                        ColumnSettings { n_sents, seg_sents: set(0), ..ColumnSettings::default() };
                    conll_ner_to_docs(text, "fuzz.conll", vocab, &settings, notes)
                }
                1 => {
                    let settings = ConlluSettings {
                        n_sents,
                        append_morphology: set(0),
                        merge_subtokens: set(1),
                        ner_map: None,
                    };
                    conllu_to_docs(text, "fuzz.conllu", vocab, &settings, notes)
                }
                2 => iob_to_docs(text, "fuzz.iob", vocab, n_sents, notes),
                _ => json_to_docs(text, "fuzz.json", vocab)
                    .map(|docs| docs.into_iter().map(|made| made.doc).collect()),
            };
            docs.unwrap_or_default().iter().for_each(check);
        },
    );
}

/// Checks what holds for every document, however it was annotated.
pub(crate) fn check(doc: &Doc) {
    let joined: String = doc.iter().map(|token| token.text_with_ws()).collect();
    assert_eq!(joined, doc.text());
    for token in doc.iter() {
        assert!(token.head().i() < doc.len());
        assert!(token.subtree().len() <= doc.len());
        assert!(token.ancestors().take(doc.len() + 1).count() <= doc.len());
        assert_eq!(token.n_lefts() + token.n_rights(), token.children().count());
    }
    if let Ok(spans) = doc.entities().spans() {
        let mut end = 0;
        for span in &spans {
            assert!(end <= span.start && span.start < span.end, "{spans:?}");
            end = span.end;
        }
        assert!(usize::try_from(end).is_ok_and(|end| end <= doc.len()));
    }
    if let Ok(ranges) = doc.sentences().ranges() {
        let mut end = 0;
        for range in ranges {
            assert!(range.start == end && range.start < range.end);
            end = range.end;
        }
        assert_eq!(end, doc.len());
    }
}
