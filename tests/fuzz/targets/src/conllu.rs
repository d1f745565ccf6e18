//! CoNLL-U from any bytes: documents that are read are written and read again as they are.

use std::sync::Arc;

use lexpool::structs::AttrId;
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};
use lexpool_io::corpus::{Conllu, GoldDoc, push_conllu};

use crate::renewed::Renewed;

thread_local! {
    static VOCAB: Renewed<Arc<Vocab>> = const { Renewed::new() };
}

pub(crate) fn run(bytes: &[u8]) {
    let Some((first, file)) = bytes.split_first() else { return };
    let sentences = [None, Some(0), Some(1), Some(2)][usize::from(first & 3)];
    Renewed::with(
        &VOCAB,
        2_000,
        || Vocab::new(Getters::native("en")).unwrap(),
        |vocab| {
            let read = |file: Vec<u8>, sentences| -> Vec<GoldDoc> {
                let docs = Conllu::new(std::io::Cursor::new(file), "fuzz.conllu", vocab, sentences);
                docs.map_while(Result::ok).collect()
            };
            for gold in read(file.to_vec(), sentences) {
                assert_eq!(
                    gold.doc.iter().map(|token| token.text_with_ws()).collect::<String>(),
                    gold.doc.text()
                );
                let mut written = Vec::new();
                push_conllu(&mut written, &gold.doc, gold.id.as_deref(), &gold.sent_ids);
                let again = read(written.clone(), None);
                let text = String::from_utf8_lossy(&written).into_owned();
                // A document of nothing but whitespace has no line of a word.
                if again.is_empty() {
                    assert!(gold.doc.text().trim().is_empty(), "{text}");
                    continue;
                }
                assert_eq!(again.len(), 1, "{text}");
                let told_before = told(&gold.doc);
                // Control characters are written as spaces, since a column has none.
                let has_control = |told: &String| {
                    told.chars().any(|char| char.is_control() || char == '\u{feff}')
                };
                if !told_before.iter().flatten().any(has_control) {
                    assert_eq!(told(&again[0].doc), told_before, "{text}");
                }
            }
        },
    );
}

/// Returns the attributes of tokens that have a column in the file.
fn told(doc: &Doc) -> Vec<Vec<String>> {
    let token = |token: lexpool::tokens::Token<'_>| {
        let attrs = [AttrId::LEMMA, AttrId::TAG, AttrId::POS, AttrId::MORPH, AttrId::DEP];
        let attrs = attrs.map(|attr| token.text_of(attr).to_owned());
        let place = [token.text().to_owned(), token.head().i().to_string()];
        place.into_iter().chain(attrs).collect()
    };
    doc.iter().filter(|token| !token.text().trim().is_empty()).map(token).collect()
}
