use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::strings::StrId;
use crate::structs::AttrId;
use crate::vocab::{AttrValue, Getter, Getters, LexIx, LexemeCell, Vocab};

fn native() -> Arc<Vocab> {
    Vocab::new(Getters::native("en")).unwrap()
}

fn full() -> OpenOptions {
    OpenOptions::new().verify(Verify::Full)
}

fn image_of(vocab: &Vocab) -> Vec<u8> {
    VocabImageBuilder::of(vocab).unwrap().finish().unwrap()
}

/// A vocab, saved and opened.
fn reopened(vocab: &Vocab) -> Arc<Vocab> {
    Vocab::from_image_bytes(&image_of(vocab), &full()).unwrap()
}

fn words_of(vocab: &Arc<Vocab>) -> Vec<String> {
    let snapshot = vocab.snapshot();
    vocab.positions().map(|ix| snapshot.lexeme(ix).text().to_owned()).collect()
}

fn strings_of(vocab: &Vocab) -> BTreeSet<String> {
    let mut strings = BTreeSet::new();
    vocab.strings().for_each(|_, string| assert!(strings.insert(string.to_owned()), "{string}"));
    strings
}

#[test]
fn an_opened_vocab_has_what_the_saved_one_had() {
    let vocab = native();
    for word in ["Coffee", "PERSON", "apples", "n't", "_"] {
        vocab.lexeme(word).unwrap();
    }
    vocab.lexeme("apples").unwrap().cell().set_attr(AttrId::IS_STOP, 1).unwrap();
    vocab.strings().add("a label").unwrap();
    let key = vocab.morphology().add("Number=Sing|Case=Nom").unwrap();
    let copy = reopened(&vocab);
    assert_eq!(words_of(&copy), words_of(&vocab));
    assert_eq!(strings_of(&copy), strings_of(&vocab));
    assert_eq!((copy.len(), copy.strings().len()), (vocab.len(), vocab.strings().len()));
    for word in ["Coffee", "PERSON", "apples", "n't", "_"] {
        let (own, other) = (vocab.lexeme(word).unwrap(), copy.lexeme(word).unwrap());
        assert_eq!((own.record(), own.ix()), (other.record(), other.ix()), "{word}");
        assert_eq!((own.shape(), own.norm()), (other.shape(), other.norm()));
    }
    let features = |vocab: &Vocab| vocab.morphology().get(key).map(|it| it.features().to_vec());
    assert_eq!(features(&copy), features(&vocab));
    assert_eq!(copy.morphology().iter().count(), 1);
    assert_eq!(words_of(&copy).len(), 5, "asking enters nothing");
}

#[test]
fn new_words_come_after_those_of_the_image() {
    let vocab = native();
    let old: Vec<String> = (0..100).map(|i| format!("Old{i}")).collect();
    for word in &old {
        vocab.lexeme(word).unwrap();
    }
    let copy = reopened(&vocab);
    // Its lower-cased form is a string of the image, and becomes a word; so does a symbol.
    for word in ["old7", "New", "nsubj", "Old3"] {
        let lexeme = copy.lexeme(word).unwrap();
        assert_eq!(lexeme.text(), word);
        assert_eq!(copy.lexeme(word).unwrap().ix(), lexeme.ix());
        assert!(copy.contains(lexeme.orth()));
    }
    let mut expected = old;
    expected.extend(["old7", "New", "nsubj"].map(str::to_owned));
    assert_eq!(words_of(&copy), expected);
    assert_eq!(copy.len(), 103);
    let again = reopened(&copy);
    assert_eq!(words_of(&again), expected);
    assert_eq!(strings_of(&again), strings_of(&copy));
    assert_eq!(again.lexeme("New").unwrap().ix(), LexIx::from_raw(102), "the gap is closed");
}

#[test]
fn lexemes_are_shown_at_their_positions() {
    let vocab = native();
    for i in 0..70 {
        vocab.lexeme(&format!("w{i}")).unwrap();
    }
    let copy = reopened(&vocab);
    let new = copy.lexeme("new").unwrap();
    let records: Vec<_> = copy.lexemes().map(LexemeCell::load).collect();
    assert_eq!(records.len(), new.ix().to_raw() as usize + 1);
    assert_eq!(records[new.ix().to_raw() as usize], new.record());
    assert_eq!(records[1], copy.lexeme("w0").unwrap().record());
    let runs = copy.lexeme_runs();
    let of_runs: Vec<_> = runs.iter().flat_map(|run| run.iter().map(LexemeCell::load)).collect();
    assert_eq!(of_runs, records);
    assert!(runs.len() < 6, "{}", runs.len());
    assert!(records[71..].iter().take(5).all(|record| record.orth == 0), "a gap is blank");
}

#[test]
fn attributes_of_mapped_words_can_be_set_and_the_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("en.vocab");
    let vocab = native();
    vocab.lexeme("apple").unwrap();
    vocab.save(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let (one, two) = (
        Vocab::open(&path, &OpenOptions::new()).unwrap(),
        Vocab::open(&path, &OpenOptions::new().mmap(false)).unwrap(),
    );
    for vocab in [&one, &two] {
        let apple = vocab.lexeme("apple").unwrap();
        assert!(!apple.cell().flag(AttrId::IS_STOP));
        apple.cell().set_attr(AttrId::IS_STOP, 1).unwrap();
        assert!(vocab.lexeme("apple").unwrap().cell().flag(AttrId::IS_STOP));
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn an_image_may_be_a_part_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole");
    let vocab = native();
    vocab.lexeme("apple").unwrap();
    let image = image_of(&vocab);
    let mut whole = vec![7; 64 * 77];
    whole.extend(&image);
    whole.extend([9; 100]);
    std::fs::write(&path, &whole).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    for options in [full(), full().mmap(false)] {
        let len = image.len() as u64;
        let part = Vocab::open_at(&file, 64 * 77, len, &options).unwrap();
        assert_eq!(words_of(&part), ["apple"]);
        let code = |offset, len| {
            Vocab::open_at(&file, offset, len, &options).map(drop).unwrap_err().code()
        };
        assert_eq!(code(64 * 77 + 1, len), "image-section");
        assert_eq!(code(64 * 77, len + 101), "container-truncated");
        assert_eq!(code(64 * 77, len - 1), "container-truncated");
        assert_eq!(code(64 * 77, 0), "container-truncated");
        assert_eq!(code(0, len), "container-kind");
        let other = Vocab::open_at(&file, 0, len, &options).map(drop).unwrap_err();
        let expected = r"is no vocab image: it begins with '\x07\x07";
        assert!(other.message().contains(expected), "{other}");
        assert_eq!(code(u64::MAX - 63, len), "container-truncated");
    }
}

#[test]
fn getters_come_back_and_functions_are_missed_by_name() {
    let mut getters = Getters::native("xx");
    getters.stop_words.insert("the".to_owned());
    getters.norms.insert("Mr".to_owned(), "mister".to_owned());
    getters.num_words = crate::vocab::lex_attrs::NumWords::new(["two"], ["third"], ["th"]);
    getters.unset(AttrId::SHAPE);
    let vocab = Vocab::new(getters.clone()).unwrap();
    let copy = reopened(&vocab);
    for word in ["The", "Mr", "third", "30th", "12", "new"] {
        let (own, other) = (vocab.lexeme(word).unwrap(), copy.lexeme(word).unwrap());
        assert_eq!(own.record(), other.record(), "{word}");
        assert_eq!((own.norm(), own.lower()), (other.norm(), other.lower()));
    }
    let upper = |word: &str| Ok(Some(AttrValue::Text(word.to_uppercase())));
    getters.set(AttrId::NORM, Getter::Custom(Arc::new(upper)));
    let vocab = Vocab::new(getters.clone()).unwrap();
    vocab.lexeme("known").unwrap();
    let copy = reopened(&vocab);
    assert_eq!(copy.lexeme("known").unwrap().norm(), "KNOWN");
    let error = copy.lexeme("new").unwrap_err();
    assert_eq!(error.code(), "getters-missing");
    assert!(error.message().contains("NORM"), "{error}");
    assert_eq!(copy.attrs().missing().collect::<Vec<_>>(), [AttrId::NORM]);
    // Saved once more they are still missed.
    assert_eq!(reopened(&copy).lexeme("new").unwrap_err().code(), "getters-missing");
    copy.set_attrs(getters.clone()).unwrap();
    assert_eq!(copy.lexeme("new").unwrap().norm(), "NEW");
    let given = Vocab::from_image_bytes(&image_of(&vocab), &full().getters(getters)).unwrap();
    assert_eq!(given.lexeme("new").unwrap().norm(), "NEW");
}

#[test]
fn zones_and_forgetting_work_above_an_image() {
    let vocab = native();
    vocab.lexeme("Old").unwrap();
    let copy = reopened(&vocab);
    copy.open_zone().unwrap();
    let inside = copy.lexeme("Inside").unwrap();
    assert!(inside.ix().is_in_zone() && !copy.lexeme("Old").unwrap().ix().is_in_zone());
    assert_eq!(copy.len(), 2);
    copy.close_zone().unwrap();
    assert_eq!((inside.text(), copy.len()), ("Inside", 1));
    let old = copy.lexeme("Old").unwrap();
    old.cell().set_attr(AttrId::IS_STOP, 1).unwrap();
    for round in 1..4 {
        copy.forget_lexemes();
        assert!(copy.is_empty() && !copy.contains(old.orth()));
        assert_eq!((old.text(), old.attr(AttrId::IS_STOP)), ("Old", 1));
        for word in ["Old", "old", "VERB", "New"] {
            let lexeme = copy.lexeme(word).unwrap();
            assert_eq!((lexeme.text(), lexeme.attr(AttrId::IS_STOP)), (word, 0), "{round}");
            assert_eq!(copy.lexeme(word).unwrap().ix(), lexeme.ix());
        }
        assert_eq!((copy.len(), words_of(&copy).len()), (4, 4));
    }
}

#[test]
fn a_frozen_vocab_takes_words_into_zones_only() {
    let vocab = native();
    vocab.lexeme("Old").unwrap();
    let copy = reopened(&vocab);
    copy.freeze();
    for word in ["New", "old", "NOUN"] {
        let error = copy.lexeme(word).unwrap_err();
        assert_eq!(error.code(), "vocab-frozen");
        assert!(error.message().contains(word), "{error}");
    }
    assert_eq!(copy.strings().add("label").unwrap_err().code(), "vocab-frozen");
    assert_eq!(copy.strings().add("Old").unwrap(), StrId::of("Old"));
    copy.lexeme("Old").unwrap().cell().set_attr(AttrId::IS_STOP, 1).unwrap();
    copy.open_zone().unwrap();
    assert_eq!(copy.lexeme("New").unwrap().lower(), "new");
    copy.close_zone().unwrap();
    assert_eq!((copy.len(), copy.is_frozen()), (1, true));
}

#[test]
fn norms_of_special_cases_keep_their_numbers() {
    let mut builder = VocabImageBuilder::new(&Getters::native("en"));
    let missing = builder.add_norm(StrId::of("not"));
    assert_eq!(missing.unwrap(), 1);
    assert_eq!(builder.add_norm(StrId::of("nsubj")).unwrap(), 2);
    assert_eq!(builder.add_norm(StrId::of("not")).unwrap(), 1);
    builder.add_string("not").unwrap();
    let vocab = Vocab::from_image_bytes(&builder.finish().unwrap(), &full()).unwrap();
    assert_eq!(vocab.snapshot().norm(1), Some(StrId::of("not")));
    assert_eq!(vocab.norm_number("nsubj").unwrap().get(), 2);
    let new = vocab.norm_number("will").unwrap().get();
    assert!(new > 2);
    assert_eq!(vocab.snapshot().norm(new), Some(StrId::of("will")));
    assert_eq!(vocab.snapshot().norm(3), None);
    let mut builder = VocabImageBuilder::new(&Getters::native("en"));
    builder.add_norm(StrId::of("not")).unwrap();
    assert_eq!(builder.finish().unwrap_err().code(), "image-strings");
}

#[test]
fn a_builder_refuses_what_makes_no_vocab() {
    let vocab = native();
    let apple = vocab.lexeme("apple").unwrap();
    let mut builder = VocabImageBuilder::new(&vocab.attrs());
    let error = builder.add_lexeme(&apple.record(), "pear").unwrap_err();
    assert_eq!(error.code(), "image-strings");
    builder.add_string("nwhmcsvgydilzqao").unwrap();
    let error = builder.add_string("jpimytqaE87myorS").unwrap_err();
    assert_eq!(error.code(), "hash-collision");
    assert_eq!(builder.add_word(apple.snapshot(), apple.ix()).unwrap(), 1);
    assert_eq!(builder.add_word(apple.snapshot(), apple.ix()).unwrap(), 1);
    assert_eq!(builder.add_word(apple.snapshot(), LexIx::EMPTY).unwrap(), 0);
    assert_eq!(builder.add_word(apple.snapshot(), LexIx::from_raw(9)).unwrap_err().code(), {
        "image-strings"
    });
}

#[test]
fn the_same_words_make_the_same_bytes() {
    let bytes = || {
        let vocab = native();
        for word in ["b", "a", "Coffee", "NOUN"] {
            vocab.lexeme(word).unwrap();
        }
        image_of(&vocab)
    };
    assert_eq!(bytes(), bytes());
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-cA-C]{1,3}",
        "\\PC{1,5}",
        Just("NOUN".to_owned()),
        Just("nsubj".to_owned()),
        Just(String::new()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_vocab_above_an_image_is_like_one_that_never_was_in_a_file(
        before in proptest::collection::vec(word(), 0..80),
        labels in proptest::collection::vec(word(), 0..20),
        after in proptest::collection::vec(word(), 0..80),
    ) {
        let plain = native();
        for word in &before {
            plain.lexeme(word).unwrap();
        }
        for label in &labels {
            plain.strings().add(label).unwrap();
        }
        let copy = reopened(&plain);
        prop_assert_eq!(words_of(&copy), words_of(&plain));
        for word in &after {
            let (own, other) = (plain.lexeme(word).unwrap(), copy.lexeme(word).unwrap());
            prop_assert_eq!(own.record(), other.record());
            prop_assert_eq!(own.text(), other.text());
            prop_assert_eq!(own.shape(), other.shape());
        }
        prop_assert_eq!(words_of(&copy), words_of(&plain));
        prop_assert_eq!(strings_of(&copy), strings_of(&plain));
        prop_assert_eq!(copy.len(), plain.len());
        prop_assert_eq!(copy.strings().len(), plain.strings().len());
        for word in before.iter().chain(&after).chain(&labels) {
            let id = StrId::of(word);
            prop_assert_eq!(copy.contains(id), plain.contains(id));
            let string = plain.strings().get(id).map(|string| string.to_string());
            let of_copy = copy.strings().get(id).map(|string| string.to_string());
            prop_assert_eq!(of_copy, string);
        }
        // Words are in the same order, so the second file has the bytes of the first vocab's, but
        // for the order of other strings.
        prop_assert_eq!(words_of(&reopened(&copy)), words_of(&plain));
    }
}
