use std::collections::BTreeMap;
use std::sync::Arc;

use lexpool_segment::{Features, Segment, Segments};
use proptest::prelude::*;

use super::*;
use crate::container::sealing::seal;
use crate::matcher::{DocMatch, Matches};
use crate::tokenizer::{Text, Tokenizer};
use crate::vocab::Getters;

fn doc(vocab: &Arc<Vocab>, words: &str) -> Doc {
    let words: Vec<_> = words.split(' ').map(|word| (word, true)).collect();
    Doc::from_words(vocab, &words).unwrap()
}

fn ids_of(words: &str) -> Vec<u64> {
    words.split(' ').map(|word| StrId::of(word).get()).collect()
}

fn found(phrases: &PhraseMatcher, doc: &Doc) -> Vec<(StrId, Range<usize>)> {
    let found = phrases.find(doc, 0..doc.len()).unwrap();
    found.into_iter().map(|found| (found.key, found.tokens)).collect()
}

#[test]
fn phrases_overlap_and_come_by_start_and_length() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    let (one, two) = (StrId::of("one"), StrId::of("two"));
    phrases.add(one, &ids_of("a b c")).unwrap();
    phrases.add(one, &ids_of("a b")).unwrap();
    phrases.add(two, &ids_of("b c")).unwrap();
    phrases.add(two, &ids_of("b c")).unwrap();
    let searched = doc(&vocab, "x a b c");
    assert_eq!(found(&phrases, &searched), [(one, 1..3), (one, 1..4), (two, 2..4)]);
    assert_eq!(phrases.find(&searched, 2..4).unwrap()[0].tokens, 2..4);
    phrases.remove(one, &ids_of("a b c")).unwrap();
    phrases.remove(two, &ids_of("b c")).unwrap();
    assert_eq!(found(&phrases, &searched), [(one, 1..3)]);
    phrases.remove(one, &ids_of("a b")).unwrap();
    phrases.add(two, &ids_of("b c")).unwrap();
    assert_eq!(found(&phrases, &searched), [(two, 2..4)]);
}

#[test]
fn a_word_that_was_in_no_phrase_is_found_once_it_is() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::LOWER);
    let (key, searched) = (StrId::of("key"), doc(&vocab, "a B c"));
    phrases.add(key, &ids_of("x")).unwrap();
    assert_eq!(found(&phrases, &searched), []);
    phrases.add(key, &ids_of("b")).unwrap();
    assert_eq!(found(&phrases, &searched), [(key, 1..2)]);
    phrases.add(key, &ids_of("a b c")).unwrap();
    assert_eq!(found(&phrases, &searched), [(key, 0..3), (key, 1..2)]);
    // Now "c" also starts a phrase.
    phrases.add(key, &ids_of("c")).unwrap();
    assert_eq!(found(&phrases, &searched), [(key, 0..3), (key, 1..2), (key, 2..3)]);
}

#[test]
fn a_changed_lexeme_is_compared_by_its_new_value() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::LOWER);
    let (key, searched) = (StrId::of("key"), doc(&vocab, "a b"));
    phrases.add(key, &ids_of("other")).unwrap();
    assert_eq!(found(&phrases, &searched), []);
    let lexeme = searched.token(1).unwrap().lex();
    lexeme.set_attr(AttrId::LOWER, StrId::of("other").get()).unwrap();
    assert_eq!(found(&phrases, &searched), [(key, 1..2)]);
}

#[test]
fn a_token_s_own_norm_takes_precedence_over_that_of_its_lexeme() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::NORM);
    let key = StrId::of("key");
    phrases.add(key, &ids_of("will")).unwrap();
    let mut searched = doc(&vocab, "will will 'll");
    let [will, other] = ["will", "other"].map(|word| vocab.snapshot().add(word).unwrap().get());
    searched.attrs_mut().set(0, AttrId::NORM, other).unwrap();
    searched.attrs_mut().set(2, AttrId::NORM, will).unwrap();
    assert_eq!(found(&phrases, &searched), [(key, 1..2), (key, 2..3)]);
    assert_eq!(phrases.find(&searched, 2..3).unwrap()[0].tokens, 2..3);
}

#[test]
fn a_long_phrase_in_a_text_full_of_it_stays_below_the_step_limit() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    let (key, id) = (StrId::of("key"), StrId::of("a").get());
    for len in [10_000, 9_000] {
        phrases.add(key, &vec![id; len]).unwrap();
    }
    let searched = Doc::from_words(&vocab, &vec![("a", true); 100_000]).unwrap();
    assert_eq!(found(&phrases, &searched).len(), 2 * 100_000 - 19_000 + 2);
}

#[test]
fn more_matches_than_the_limit_are_an_error() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    let id = StrId::of("a").get();
    for len in 1..500 {
        phrases.add(StrId::of("key"), &vec![id; len]).unwrap();
    }
    let searched = Doc::from_words(&vocab, &vec![("a", true); 4_000]).unwrap();
    let mut count = 0_usize;
    let error = phrases.each_match(&searched, 0..searched.len(), |_, _, _| {
        count += 1;
        Ok(())
    });
    assert_eq!(error.unwrap_err().code(), "phrase-limit");
    assert_eq!(count, MAX_MATCHES + 16 * 4_000);
}

#[test]
fn more_steps_than_the_limit_are_an_error() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    let [a, b] = ["a", "b"].map(|word| StrId::of(word).get());
    for len in 1..3_000 {
        let mut phrase = vec![a; len];
        phrase.push(b);
        phrases.add(StrId::of("key"), &phrase).unwrap();
    }
    let searched = Doc::from_words(&vocab, &vec![("a", true); 30_000]).unwrap();
    let error = phrases.find(&searched, 0..searched.len()).unwrap_err();
    assert_eq!(error.code(), "phrase-limit");
}

#[test]
fn a_long_phrase_that_almost_matches_everywhere_reaches_the_step_limit() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    let [a, b] = ["a", "b"].map(|word| StrId::of(word).get());
    let mut phrase = vec![a; 60_000];
    phrase.push(b);
    phrases.add(StrId::of("key"), &phrase).unwrap();
    let searched = Doc::from_words(&vocab, &vec![("a", true); 200_000]).unwrap();
    let error = phrases.find(&searched, 0..searched.len()).unwrap_err();
    assert_eq!(error.code(), "phrase-limit");
    // A phrase that differs early, or is longer than the rest of the text, costs next to nothing.
    phrases.remove(StrId::of("key"), &phrase).unwrap();
    phrase[2] = b;
    phrases.add(StrId::of("key"), &phrase).unwrap();
    assert_eq!(found(&phrases, &searched), []);
}

#[test]
fn the_keys_of_a_phrase_are_reported_in_the_order_of_their_addition() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    let mut keys: Vec<_> = (0..5_000).map(|i| StrId::of(&format!("key{i}"))).collect();
    for key in keys.iter().chain(&keys) {
        phrases.add(*key, &ids_of("a b")).unwrap();
    }
    phrases.remove(keys.remove(7), &ids_of("a b")).unwrap();
    phrases.remove_all(keys.remove(900)).unwrap();
    let found = found(&phrases, &doc(&vocab, "a b"));
    assert_eq!(found.iter().map(|(key, _)| *key).collect::<Vec<_>>(), keys);
}

#[test]
fn added_and_removed_phrases_leave_no_memory_behind() {
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    let key = StrId::of("key");
    for i in 0..100_000 {
        let phrase = [i + 1, i + 2, i % 7];
        phrases.add(key, &phrase).unwrap();
        phrases.remove(key, &phrase).unwrap();
    }
    let view = phrases.view();
    assert!(view.nodes.len() < 20_000 && view.labels.len() < 20_000, "{}", view.nodes.len());
}

/// Phrases by key, in the order in which they were added.
#[derive(Default)]
struct Model(BTreeMap<Vec<u64>, Vec<u64>>);

impl Model {
    fn found(&self, text: &[u64]) -> Vec<(u64, Range<usize>)> {
        let mut found = Vec::new();
        for start in 0..text.len() {
            for end in start + 1..=text.len() {
                let keys = self.0.get(&text[start..end]).into_iter().flatten();
                found.extend(keys.map(|key| (*key, start..end)));
            }
        }
        found
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Add(u64, Vec<u64>),
    Remove(u64, Vec<u64>),
    RemoveAll(u64),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let phrase = || prop::collection::vec(1..4_u64, 0..7);
    let edit = prop_oneof![
        4 => (0..4_u64, phrase()).prop_map(|(key, phrase)| Edit::Add(key, phrase)),
        2 => (0..4_u64, phrase()).prop_map(|(key, phrase)| Edit::Remove(key, phrase)),
        1 => (0..4_u64).prop_map(Edit::RemoveAll),
    ];
    prop::collection::vec(edit, 0..60)
}

/// Builds a document whose lemmas are the given numbers.
fn number_doc(vocab: &Arc<Vocab>, numbers: &[u64]) -> Doc {
    let doc = Doc::from_words(vocab, &vec![("x", true); numbers.len()]).unwrap();
    let mut doc = doc;
    for (i, number) in numbers.iter().enumerate() {
        doc.attrs_mut().set(i, AttrId::LEMMA, *number).unwrap();
    }
    doc
}

proptest! {
    #[test]
    fn any_edits_agree_with_a_model(
        edits in edits(),
        text in prop::collection::vec(1..4_u64, 0..25),
    ) {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let searched = number_doc(&vocab, &text);
        let mut phrases = PhraseMatcher::new(AttrId::LEMMA);
        let mut model = Model::default();
        for edit in edits {
            match edit {
                Edit::Add(key, phrase) => {
                    phrases.add(StrId::new(key), &phrase).unwrap();
                    let keys = model.0.entry(phrase).or_default();
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
                Edit::Remove(key, phrase) => {
                    phrases.remove(StrId::new(key), &phrase).unwrap();
                    if let Some(keys) = model.0.get_mut(&phrase) {
                        keys.retain(|own| *own != key);
                    }
                }
                Edit::RemoveAll(key) => {
                    phrases.remove_all(StrId::new(key)).unwrap();
                    model.0.values_mut().for_each(|keys| keys.retain(|own| *own != key));
                }
            }
            model.0.retain(|phrase, keys| !keys.is_empty() && !phrase.is_empty());
        }
        let own: Vec<_> = found(&phrases, &searched);
        let own: Vec<_> = own.into_iter().map(|(key, tokens)| (key.get(), tokens)).collect();
        prop_assert_eq!(own, model.found(&text));
        let mut listed = BTreeMap::new();
        phrases.each_phrase(|phrase, keys| {
            let keys = keys.iter().map(|key| key.get()).collect::<Vec<_>>();
            assert!(listed.insert(phrase.to_vec(), keys).is_none());
            Ok(())
        }).unwrap();
        prop_assert_eq!(listed, model.0);
        prop_assert!(found(&phrases.clone(), &searched).len() == found(&phrases, &searched).len());
    }
}

/// Builds a small matcher with every kind of node: with one key and several, with a split label,
/// with one edge and several.
fn small() -> (PhraseMatcher, Arc<Vocab>, Doc) {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    let [one, two, three] = ["one", "two", "three"].map(|key| vocab.strings().add(key).unwrap());
    for phrase in ["a b c", "a b d", "a e", "f", "b c d"] {
        phrases.add(one, &ids_of(phrase)).unwrap();
    }
    for key in [two, three] {
        phrases.add(key, &ids_of("a b")).unwrap();
        phrases.add(key, &ids_of("f")).unwrap();
    }
    let doc = doc(&vocab, "a b c d f a e a b d x");
    (phrases, vocab, doc)
}

fn listed(phrases: &PhraseMatcher) -> Vec<(Vec<u64>, Vec<StrId>)> {
    let mut all = Vec::new();
    phrases
        .each_phrase(|phrase, keys| {
            all.push((phrase.to_vec(), keys.to_vec()));
            Ok(())
        })
        .unwrap();
    all.sort();
    all
}

#[test]
fn a_file_has_the_saved_phrases_and_can_be_changed_in_memory() {
    let (phrases, vocab, searched) = small();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phrases");
    phrases.save(&path, &vocab).unwrap();
    let other = Vocab::new(Getters::native("en")).unwrap();
    let mut mapped = PhraseMatcher::open(&path, &other).unwrap();
    assert_eq!(mapped.attr(), AttrId::ORTH);
    assert!(other.strings().contains(StrId::of("three")));
    assert_eq!(found(&mapped, &searched), found(&phrases, &searched));
    assert_eq!(found(&mapped, &searched).len(), 11);
    assert_eq!(listed(&mapped), listed(&phrases));
    // Replaces the file that is mapped.
    mapped.save(&path, &other).unwrap();
    let copy = mapped.clone();
    mapped.remove(StrId::of("one"), &ids_of("f")).unwrap();
    mapped.add(StrId::of("one"), &ids_of("x")).unwrap();
    let [from_file, changed] = [&copy, &mapped].map(|phrases| found(phrases, &searched));
    assert_eq!(from_file, found(&phrases, &searched));
    assert_eq!(changed.len(), from_file.len());
    assert!(changed.contains(&(StrId::of("one"), 10..11)));
}

/// Opens a file with the given bytes and searches with it.
fn opened(bytes: &[u8], vocab: &Arc<Vocab>, searched: &Doc) -> Result<Vec<(StrId, Range<usize>)>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phrases");
    std::fs::write(&path, bytes).unwrap();
    let mut phrases = PhraseMatcher::open(&path, vocab)?;
    let found = found(&phrases, searched);
    phrases.each_phrase(|_, _| Ok(()))?;
    phrases.remove_all(StrId::of("two"))?;
    Ok(found)
}

#[test]
fn no_byte_can_be_changed_or_cut_off() {
    let (phrases, vocab, searched) = small();
    let bytes = file::to_bytes(&phrases.view(), phrases.attr(), &vocab).unwrap();
    assert_eq!(opened(&bytes, &vocab, &searched).unwrap(), found(&phrases, &searched));
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        let error = opened(&changed, &vocab, &searched).unwrap_err();
        assert!(error.code().starts_with("container-"), "{at}: {error}");
        let error = opened(&bytes[..at], &vocab, &searched).unwrap_err();
        assert!(error.message().contains("bytes"), "{at}: {error}");
    }
}

#[test]
fn malicious_bytes_neither_crash_nor_hang() {
    let (phrases, vocab, searched) = small();
    let bytes = file::to_bytes(&phrases.view(), phrases.attr(), &vocab).unwrap();
    let mut refused = 0;
    for at in 0..bytes.len() {
        for value in [0, 1, 2, 0x80, 0xff, bytes[at] ^ 1] {
            let mut changed = bytes.clone();
            changed[at] = value;
            seal(&mut changed);
            // Any matches are allowed, if their tokens are in the document.
            match opened(&changed, &vocab, &searched) {
                Ok(found) => {
                    assert!(found.iter().all(|(_, tokens)| tokens.end <= searched.len()));
                }
                Err(error) => {
                    let code = error.code();
                    let is_named =
                        ["phrases-", "container-"].iter().any(|area| code.starts_with(area));
                    assert!(is_named, "{at}: {error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > bytes.len());
}

#[test]
fn a_file_of_an_unknown_attribute_is_refused() {
    let (phrases, vocab, searched) = small();
    let bytes = file::to_bytes(&phrases.view(), AttrId::new(u32::MAX), &vocab).unwrap();
    let error = opened(&bytes, &vocab, &searched).unwrap_err();
    assert_eq!(error.code(), "phrases-attr");
}

#[test]
fn a_key_without_a_string_cannot_be_saved() {
    let mut phrases = PhraseMatcher::new(AttrId::ORTH);
    phrases.add(StrId::new(12345), &[1]).unwrap();
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = phrases.save(&folder.path().join("phrases"), &vocab).unwrap_err();
    assert_eq!(error.code(), "E018");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Cuts words at spaces, and gives those of four letters the norm of a negation.
struct Negations;

impl Segment for Negations {
    fn name(&self) -> &'static str {
        "negations"
    }

    fn cut(&self, text: &str, out: &mut Segments<'_>) -> Result<()> {
        let mut start = 0;
        for word in text.split(' ') {
            let norm = if word.len() == 4 { "not" } else { "" };
            out.push_with(start..start + word.len(), &Features { norm, ..Features::default() })?;
            start += word.len() + 1;
        }
        Ok(())
    }
}

/// Checks that a search in texts finds what one in their documents does, for each attribute.
fn check_texts(tokenizer: &Tokenizer, texts: &[Text], known: &[&str]) {
    for attr in [AttrId::LOWER, AttrId::NORM, AttrId::SHAPE, AttrId::LENGTH, AttrId::SPACY] {
        let mut phrases = PhraseMatcher::new(attr);
        phrases.add_texts(StrId::of("key"), tokenizer, known).unwrap();
        let mut same = PhraseMatcher::new(attr);
        for text in known {
            let phrase = tokenizer.tokenize(text).unwrap();
            let phrase: Vec<u64> = phrase.iter().map(|token| token.attr(attr)).collect();
            same.add(StrId::of("key"), &phrase).unwrap();
        }
        let mut expected = Matches::default();
        for (text, doc) in texts.iter().zip(0..) {
            let searched = tokenizer.tokenize(text.as_str()).unwrap();
            let all = phrases.find(&searched, 0..searched.len()).unwrap();
            assert_eq!(all, same.find(&searched, 0..searched.len()).unwrap());
            for found in all {
                let [start, end] = [found.tokens.start, found.tokens.end];
                let span = searched.span(start, end).unwrap();
                let chars = [span.start_char(), span.end_char()];
                let [start, end, from, to] =
                    [start, end, chars[0], chars[1]].map(|at| u32::try_from(at).unwrap());
                let found = DocMatch { key: found.key, start, end, doc };
                expected.push_with_chars(found, from..to).unwrap();
            }
        }
        assert!(!expected.is_empty());
        for threads in [1, 3] {
            assert_eq!(phrases.find_in_texts(tokenizer, texts, threads).unwrap(), expected);
        }
    }
}

#[test]
fn texts_are_searched_as_their_documents_are() {
    let texts: Vec<_> = (0..200)
        .map(|i| format!("n{i} can't d\u{e9}j\u{e0} vu, {} \u{1f600} vu {i}", ["x", ""][i % 2]))
        .map(Text::Owned)
        .collect();
    let known = ["D\u{c9}J\u{c0} vu", "not", "\u{1f600}", "vu 17", "VU", "", "n1 can"];
    check_texts(&Tokenizer::blank("en").unwrap(), &texts, &known);
}

#[test]
fn norms_of_a_segmenter_are_those_of_its_documents() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let tokenizer = Tokenizer::with_segmenter(&vocab, Arc::new(Negations), 1000).unwrap();
    let texts: Vec<_> = (0..50).map(|i| Text::Owned(format!("now{i} or not then"))).collect();
    check_texts(&tokenizer, &texts, &["or not", "when", "now7 or"]);
}
