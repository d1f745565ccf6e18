//! Phrases: edits of a matcher against a map, and the phrase file from any bytes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use lexpool::matcher::PhraseMatcher;
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};

use crate::choices::Choices;
use crate::container::sealed;
use crate::renewed::Renewed;
use crate::scratch;

thread_local! {
    static VOCAB: Renewed<Arc<Vocab>> = const { Renewed::new() };
}

fn with_vocab(call: impl FnOnce(&Arc<Vocab>)) {
    Renewed::with(&VOCAB, 2_000, || Vocab::new(Getters::native("en")).unwrap(), call);
}

const KEYS: [&str; 4] = ["one", "two", "three", "four"];

/// Keys by phrase, in the order in which they were added.
type Model = BTreeMap<Vec<u64>, Vec<StrId>>;

pub(crate) fn run(bytes: &[u8]) {
    let choices = &mut Choices::new(bytes);
    with_vocab(|vocab| {
        let keys = KEYS.map(|key| vocab.strings().add(key).unwrap());
        let searched = choices.list(24, |choices| 1 + choices.below(3) as u64);
        let doc = number_doc(vocab, &searched);
        let (mut phrases, mut model) = (PhraseMatcher::new(AttrId::LEMMA), Model::new());
        let mut is_saved = false;
        while !choices.is_over() {
            let key = choices.of(&keys);
            let phrase = choices.list(6, |choices| 1 + choices.below(3) as u64);
            match choices.below(8) {
                0..=3 => {
                    phrases.add(key, &phrase).unwrap();
                    let keys = model.entry(phrase).or_default();
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
                4 | 5 => {
                    phrases.remove(key, &phrase).unwrap();
                    if let Some(keys) = model.get_mut(&phrase) {
                        keys.retain(|own| *own != key);
                    }
                }
                6 => {
                    phrases.remove_all(key).unwrap();
                    for keys in model.values_mut() {
                        keys.retain(|own| *own != key);
                    }
                }
                // The edits go on in a matcher that reads its phrases from a file: once, since
                // saving waits for the disk.
                _ if !is_saved => {
                    is_saved = true;
                    let path = scratch::file("phrases", b"");
                    phrases.save(&path, vocab).unwrap();
                    phrases = PhraseMatcher::open(&path, vocab).expect("a file that was saved");
                }
                _ => {}
            }
            model.retain(|phrase, keys| !keys.is_empty() && !phrase.is_empty());
        }
        assert_eq!(found(&phrases, &doc).unwrap(), model_found(&model, &searched));
        let mut listed = Model::new();
        let each = phrases.each_phrase(|phrase, keys| {
            assert!(listed.insert(phrase.to_vec(), keys.to_vec()).is_none());
            Ok(())
        });
        each.unwrap();
        assert_eq!(listed, model);
    });
}

fn model_found(model: &Model, text: &[u64]) -> Vec<(StrId, Range<usize>)> {
    let mut found = Vec::new();
    for start in 0..text.len() {
        for end in start + 1..=text.len() {
            let keys = model.get(&text[start..end]).into_iter().flatten();
            found.extend(keys.map(|key| (*key, start..end)));
        }
    }
    found
}

fn found(phrases: &PhraseMatcher, doc: &Doc) -> lexpool::Result<Vec<(StrId, Range<usize>)>> {
    let found = phrases.find(doc, 0..doc.len())?;
    Ok(found.into_iter().map(|found| (found.key, found.tokens)).collect())
}

/// Builds a document whose lemmas are the given numbers.
fn number_doc(vocab: &Arc<Vocab>, numbers: &[u64]) -> Doc {
    let mut doc = Doc::from_words(vocab, &vec![("x", true); numbers.len()]).unwrap();
    for (i, number) in numbers.iter().enumerate() {
        doc.attrs_mut().set(i, AttrId::LEMMA, *number).unwrap();
    }
    doc
}

/// Opens a file as it is, and with the right checksums.
pub(crate) fn run_file(bytes: &[u8]) {
    open(bytes);
    sealed(bytes).as_deref().map(open);
}

pub(crate) fn file_seeds() -> Vec<Vec<u8>> {
    vec![crate::file("cities.phrases")]
}

fn open(file: &[u8]) {
    let path = scratch::file("phrases", file);
    with_vocab(|vocab| {
        let Ok(mut phrases) = PhraseMatcher::open(&path, vocab) else { return };
        let words = ["New", "York", "Los", "Angeles", "New", "York", "City"];
        let doc = Doc::from_words(vocab, &words.map(|word| (word, true))).unwrap();
        if let Ok(found) = found(&phrases, &doc) {
            assert!(found.iter().all(|(_, tokens)| tokens.end <= doc.len()));
        }
        let mut count = 0;
        let _ = phrases.each_phrase(|phrase, _| {
            count += phrase.len();
            Ok(())
        });
        let (key, ids) = (StrId::of("GPE"), phrases.ids(&doc).unwrap());
        let _ = phrases.remove_all(key);
        if phrases.add(key, &ids).is_ok() {
            let found = found(&phrases, &doc);
            assert!(found.is_err() || found.unwrap().contains(&(key, 0..doc.len())));
        }
    });
}
