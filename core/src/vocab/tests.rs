use std::sync::Arc;

use lexpool_structs::LexemeC;

use super::*;
use crate::strings::StrId;
use crate::structs::AttrId;

fn native() -> Arc<Vocab> {
    Vocab::new(Getters::native("en")).unwrap()
}

#[test]
fn a_new_word_gets_its_attributes() {
    let vocab = native();
    let word = vocab.lexeme("Apollo11").unwrap();
    assert_eq!(word.text(), "Apollo11");
    assert_eq!(word.lower(), "apollo11");
    assert_eq!(word.norm(), "apollo11");
    assert_eq!(word.shape(), "Xxxxxdd");
    assert_eq!(word.text_of(AttrId::PREFIX), "A");
    assert_eq!(word.text_of(AttrId::SUFFIX), "o11");
    assert_eq!(word.text_of(AttrId::LANG), "en");
    assert_eq!(word.attr(AttrId::LENGTH), 8);
    assert_eq!(word.attr(AttrId::ID), OOV_RANK);
    assert_eq!(word.attr(AttrId::IS_ASCII), 1);
    assert_eq!(word.attr(AttrId::IS_ALPHA), 0);
}

#[test]
fn a_vocab_without_getters_knows_texts_and_lengths_only() {
    let vocab = Vocab::new(Getters::default()).unwrap();
    let record = vocab.lexeme("Apple").unwrap().record();
    let expected =
        LexemeC { id: OOV_RANK, orth: StrId::of("Apple").get(), length: 5, ..LexemeC::default() };
    assert_eq!(record, expected);
}

#[test]
fn words_are_entered_once_and_symbols_like_others() {
    let vocab = native();
    for word in ["nsubj", "apple", "nsubj", "apple", "_"] {
        let lexeme = vocab.lexeme(word).unwrap();
        assert_eq!(lexeme.text(), word);
        assert_eq!(vocab.lexeme_of(lexeme.orth()).unwrap().ix(), lexeme.ix());
    }
    assert_eq!(vocab.len(), 3);
    assert_eq!(vocab.positions().count(), 3);
}

#[test]
fn the_empty_string_has_the_empty_lexeme() {
    let vocab = native();
    assert_eq!(vocab.lexeme("").unwrap().ix(), LexIx::EMPTY);
    assert_eq!(vocab.lexeme_of(StrId::EMPTY).unwrap().attr(AttrId::ID), OOV_RANK);
    assert!(vocab.is_empty());
}

#[test]
fn asking_enters_nothing() {
    let vocab = native();
    assert!(!vocab.contains(StrId::of("apple")));
    assert!(vocab.is_empty());
    assert_eq!(vocab.lexeme_of(StrId::of("apple")).unwrap_err().code(), "E018");
}

#[test]
fn an_id_whose_string_is_known_gets_a_lexeme() {
    let vocab = native();
    let id = vocab.strings().add("apple").unwrap();
    assert!(!vocab.contains(id));
    assert_eq!(vocab.lexeme_of(id).unwrap().text(), "apple");
    assert!(vocab.contains(id));
}

#[test]
fn a_word_of_a_zone_goes_with_it_and_its_holders_keep_it() {
    let vocab = native();
    vocab.lexeme("before").unwrap();
    vocab.open_zone().unwrap();
    let inside = vocab.lexeme("Inside").unwrap();
    let before = vocab.lexeme("before").unwrap();
    assert!(inside.ix().is_in_zone() && !before.ix().is_in_zone());
    assert_eq!(vocab.len(), 2);
    vocab.close_zone().unwrap();
    assert_eq!((inside.text(), inside.lower()), ("Inside", "inside"));
    assert_eq!(vocab.len(), 1);
    assert!(!vocab.strings().contains(StrId::of("inside")));
}

#[test]
fn zones_do_not_nest() {
    let vocab = native();
    vocab.open_zone().unwrap();
    assert_eq!(vocab.open_zone().unwrap_err().code(), "zone-open");
    vocab.close_zone().unwrap();
    assert_eq!(vocab.close_zone().unwrap_err().code(), "zone-closed");
    vocab.open_zone().unwrap();
}

#[test]
fn a_getter_is_asked_once_for_each_new_word() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let mut getters = Getters::native("xx");
    let getter = move |word: &str| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(Some(AttrValue::Text(word.to_uppercase())))
    };
    getters.set(AttrId::NORM, Getter::Custom(Arc::new(getter)));
    let vocab = Vocab::new(getters).unwrap();
    for word in ["a", "b", "a", "b", "b"] {
        assert_eq!(vocab.lexeme(word).unwrap().norm(), word.to_uppercase());
    }
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn an_attribute_can_be_set_unless_it_is_what_the_word_is() {
    let vocab = native();
    let word = vocab.lexeme("apple").unwrap();
    word.cell().set_attr(AttrId::IS_STOP, 1).unwrap();
    word.cell().set_attr(AttrId::NORM, StrId::of("nsubj").get()).unwrap();
    assert_eq!((word.attr(AttrId::IS_STOP), word.norm()), (1, "nsubj"));
    assert_eq!(word.cell().set_attr(AttrId::ORTH, 1).unwrap_err().code(), "attr-read-only");
    assert_eq!(word.cell().set_attr(AttrId::LEMMA, 1).unwrap_err().code(), "attr-read-only");
}

#[test]
fn threads_that_bring_the_same_words_get_the_same_lexemes() {
    let vocab = native();
    let words: Vec<String> = (0..500).map(|i| format!("Word{}", i % 250)).collect();
    let positions: Vec<Vec<LexIx>> = std::thread::scope(|scope| {
        let enter = || words.iter().map(|word| vocab.lexeme(word).unwrap().ix()).collect();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(enter)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(positions.iter().all(|own| *own == positions[0]));
    assert_eq!(vocab.len(), 250);
}

#[test]
fn forgotten_lexemes_keep_their_records_and_words_begin_anew() {
    let vocab = native();
    let old = vocab.lexeme("apple").unwrap();
    old.cell().set_attr(AttrId::IS_STOP, 1).unwrap();
    vocab.forget_lexemes();
    assert!(vocab.is_empty() && !vocab.contains(old.orth()));
    assert_eq!(vocab.positions().count(), 0);
    assert_eq!((old.text(), old.attr(AttrId::IS_STOP)), ("apple", 1));
    let new = vocab.lexeme("apple").unwrap();
    assert_eq!((new.text(), new.attr(AttrId::IS_STOP)), ("apple", 0));
    assert_ne!(new.ix(), old.ix());
    assert_eq!((vocab.len(), vocab.positions().count()), (1, 1));
}

#[test]
fn a_new_word_is_given_the_row_of_its_vector() {
    let vocab = native();
    let before = vocab.lexeme("before").unwrap();
    let apple = StrId::of("apple");
    vocab.set_ranks(Some(Arc::new(move |orth| Ok(if orth == apple { 7 } else { OOV_RANK }))));
    assert_eq!(vocab.lexeme("apple").unwrap().attr(AttrId::ID), 7);
    assert_eq!(vocab.lexeme("pear").unwrap().attr(AttrId::ID), OOV_RANK);
    assert_eq!(before.attr(AttrId::ID), OOV_RANK);
    vocab.set_ranks(None);
    assert_eq!(vocab.lexeme("plum").unwrap().attr(AttrId::ID), OOV_RANK);
}
