use super::*;
use crate::structs::AttrId;
use crate::tokenizer::Tokenizer;
use crate::tokens::Annotations;

fn tables() -> Arc<LemmaTables> {
    let mut tables = LemmaTables::default();
    let lookup = [("went", "go"), ("mice", "mouse"), ("Mice", "mouse")];
    tables.set_lookup(lookup.map(|(word, lemma)| (StrId::of(word), vec![lemma])).into()).unwrap();
    tables.set_rules(StrId::of("noun"), &[("s", "")]);
    tables.set_rules(StrId::of("verb"), &[("s", ""), ("ing", "e")]);
    tables.set_index(StrId::of("verb"), ["bake"]);
    tables.into()
}

fn applied(lemmatizer: &Lemmatizer, mut doc: Doc) -> Doc {
    lemmatizer.apply(&mut doc, &mut Groups::new()).unwrap();
    doc
}

fn lemmas(doc: &Doc) -> Vec<&str> {
    doc.iter().map(|token| token.text_of(AttrId::LEMMA)).collect()
}

fn tagged(vocab: &Arc<Vocab>, rows: &[(&str, &str, &str)]) -> Doc {
    let words: Vec<_> = rows.iter().map(|row| (row.0, true)).collect();
    let mut doc = Doc::from_words(vocab, &words).unwrap();
    let morph = |feats: &str| vocab.morphology().add(feats).unwrap().get();
    doc.annotate(&Annotations {
        pos: Some(rows.iter().map(|row| row.1.to_owned()).collect()),
        morphs: Some(rows.iter().map(|row| morph(row.2)).collect()),
        ..Annotations::default()
    })
    .unwrap();
    doc
}

#[test]
fn a_word_that_is_in_no_table_is_its_own_lemma() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let lemmatizer = Lemmatizer::new(tokenizer.vocab(), tables(), LemmaMode::Lookup);
    for _ in 0..2 {
        let doc = applied(&lemmatizer, tokenizer.tokenize("Mice went Home").unwrap());
        assert_eq!(lemmas(&doc), ["mouse", "go", "Home"]);
    }
    let empty = applied(&lemmatizer, Doc::empty(tokenizer.vocab()));
    assert!(empty.tag_records().is_none());
}

#[test]
fn lemmas_that_are_set_are_kept_unless_overwritten() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let own = tokenizer.vocab().strings().add("own").unwrap();
    for (overwrite, expected) in [(false, ["own", "go"]), (true, ["mouse", "go"])] {
        let lemmatizer = Lemmatizer::new(tokenizer.vocab(), tables(), LemmaMode::Lookup);
        let mut doc = tokenizer.tokenize("mice went").unwrap();
        doc.attrs_mut().set(0, AttrId::LEMMA, own.get()).unwrap();
        assert_eq!(lemmas(&applied(&lemmatizer.overwriting(overwrite), doc)), expected);
    }
}

#[test]
fn rules_depend_on_part_of_speech_and_base_forms_on_morphology() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let vocab = tokenizer.vocab();
    let rows = [
        ("Bakes", "NOUN", "Number=Plur"),
        ("Bakes", "VERB", ""),
        ("Bakes", "NOUN", "Number=Sing"),
        ("Bakes", "PROPN", ""),
        ("Bakes", "SPACE", ""),
        ("baking", "VERB", ""),
        ("baking", "ADV", ""),
    ];
    let expected = ["bake", "bake", "bakes", "Bakes", "bakes", "bake", "baking"];
    let lemmatizer = Lemmatizer::new(vocab, tables(), LemmaMode::Rule(BaseForms::English));
    for _ in 0..3 {
        assert_eq!(lemmas(&applied(&lemmatizer, tagged(vocab, &rows))), expected);
    }
    assert!(lemmatizer.take_warning().is_none());
    let plain = Lemmatizer::new(vocab, tables(), LemmaMode::Rule(BaseForms::None));
    assert_eq!(lemmas(&applied(&plain, tagged(vocab, &rows)))[2], "bake");
}

#[test]
fn tokens_without_part_of_speech_cause_one_warning() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mode = LemmaMode::Rule(BaseForms::None);
    let lemmatizer = Lemmatizer::new(tokenizer.vocab(), tables(), mode);
    let doc = applied(&lemmatizer, tokenizer.tokenize("Cats").unwrap());
    assert_eq!(lemmas(&doc), ["cats"]);
    assert!(lemmatizer.take_warning().unwrap().starts_with("[W108]"));
    assert!(lemmatizer.take_warning().is_none());
}

#[test]
fn lemmas_of_a_zone_are_freed_with_it_and_found_again_later() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let vocab = tokenizer.vocab();
    let mode = LemmaMode::Rule(BaseForms::None);
    let lemmatizer = Lemmatizer::new(vocab, tables(), mode);
    // "lastings" is a word before the zone is opened; its lemma is new in the zone.
    vocab.lexeme("lastings").unwrap();
    let before = vocab.strings().len();
    let rows = [("lastings", "NOUN", ""), ("passings", "NOUN", "")];
    vocab.open_zone().unwrap();
    let in_zone = applied(&lemmatizer, tagged(vocab, &rows));
    vocab.close_zone().unwrap();
    assert_eq!(lemmas(&in_zone), ["lasting", "passing"]);
    drop(in_zone);
    assert_eq!(vocab.strings().len(), before);
    assert_eq!(lemmas(&applied(&lemmatizer, tagged(vocab, &rows))), ["lasting", "passing"]);
}

#[test]
fn documents_of_another_vocab_get_their_own_lemmas() {
    let (first, second) = (Tokenizer::blank("en").unwrap(), Tokenizer::blank("en").unwrap());
    let lemmatizer = Lemmatizer::new(first.vocab(), tables(), LemmaMode::Lookup);
    applied(&lemmatizer, first.tokenize("mice").unwrap());
    let doc = applied(&lemmatizer, second.tokenize("one went").unwrap());
    assert_eq!(lemmas(&doc), ["one", "go"]);
}

#[test]
fn a_frozen_vocab_refuses_a_new_lemma_and_leaves_the_document_as_it_was() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mut doc = tokenizer.tokenize("one mice").unwrap();
    tokenizer.vocab().freeze();
    let lemmatizer = Lemmatizer::new(tokenizer.vocab(), tables(), LemmaMode::Lookup);
    let error = lemmatizer.apply(&mut doc, &mut Groups::new()).unwrap_err();
    assert_eq!(error.code(), "vocab-frozen");
    assert!(doc.tag_records().is_none());
}

fn spanish() -> Arc<LanguageRules> {
    let mut tables = LemmaTables::default();
    let verb = StrId::of("verb");
    // More groups than a cell of the cache can tell apart.
    let groups = (0..300).map(|number| RuleGroup {
        rules: StrId::of(&format!("rules{number}")),
        features: vec![StrId::of(&format!("Number={number}"))],
    });
    tables.set_groups(verb, groups.collect());
    for number in 0..300 {
        let new = format!("er{number}");
        tables.set_rules(StrId::of(&format!("rules{number}")), &[("en", &*new)]);
    }
    tables.set_rules(StrId::of("accents"), &[("\u{e9}", "e")]);
    LanguageRules::new(tables.into(), LemmaLanguage::Spanish).unwrap().into()
}

#[test]
fn a_word_has_a_lemma_for_every_form_that_rules_tell_apart() {
    let tokenizer = Tokenizer::blank("xx").unwrap();
    let vocab = tokenizer.vocab();
    let lemmatizer = Lemmatizer::of_language(vocab, spanish());
    let feats: Vec<_> = (0..300).map(|number| format!("Number={number}")).collect();
    let rows: Vec<_> = feats.iter().map(|feats| ("Comen", "VERB", &**feats)).collect();
    let expected: Vec<_> = (0..300).map(|number| format!("comer{number}")).collect();
    for _ in 0..2 {
        assert_eq!(lemmas(&applied(&lemmatizer, tagged(vocab, &rows))), expected);
    }
}

#[test]
fn pronouns_and_starts_of_sentences_count_in_spanish() {
    let tokenizer = Tokenizer::blank("xx").unwrap();
    let vocab = tokenizer.vocab();
    let lemmatizer = Lemmatizer::of_language(vocab, spanish());
    let rows = [
        ("Y", "CCONJ", ""),
        ("Y", "CCONJ", ""),
        ("C\u{e9}nlo", "VERB", "Number=7|PronType=Prs"),
        ("C\u{e9}nlo", "VERB", "Number=7"),
        ("Y", "", ""),
        ("Y", "CONJ", ""),
    ];
    for _ in 0..2 {
        let doc = applied(&lemmatizer, tagged(vocab, &rows));
        assert_eq!(lemmas(&doc), ["y", "Y", "cer7 lo", "c\u{e9}nlo", "y", "Y"]);
    }
    assert!(lemmatizer.take_warning().is_none());
}

#[test]
fn words_may_be_looked_up_in_lower_case() {
    let tokenizer = Tokenizer::blank("xx").unwrap();
    let lemmatizer = Lemmatizer::new(tokenizer.vocab(), tables(), LemmaMode::LowerLookup);
    for _ in 0..2 {
        let doc = applied(&lemmatizer, tokenizer.tokenize("WENT Home").unwrap());
        assert_eq!(lemmas(&doc), ["go", "home"]);
    }
}
