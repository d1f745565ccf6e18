//! Tests of Arrow files.

use std::io::Cursor;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_ipc::reader::FileReader;
use lexpool::tokenizer::Tokenizer;

use super::*;
use crate::corpus::{DocUnit, InvalidUtf8, JsonlDocs, JsonlRead, ReadOptions};

const TEXTS: [&str; 3] = ["Let's go to N.Y., caf\u{e9}!", "", "  two\nlines "];

fn file(docs: &[Doc]) -> FileReader<Cursor<Vec<u8>>> {
    let mut writer = Arrow::new(Vec::new(), "en").unwrap();
    for doc in docs.chunks(2) {
        writer.write(Arrow::<Vec<u8>>::piece(doc).unwrap()).unwrap();
    }
    FileReader::try_new(Cursor::new(writer.finish().unwrap()), None).unwrap()
}

#[test]
fn documents_come_back_over_batches() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let docs = TEXTS.map(|text| tokenizer.tokenize(text).unwrap());
    let mut at = docs.iter();
    for batch in file(&docs) {
        let batch = batch.unwrap();
        let (texts, lists) = (batch.column(0).as_string::<i64>(), batch.column(1).as_list::<i32>());
        for row in 0..batch.num_rows() {
            let doc = at.next().unwrap();
            assert_eq!(texts.value(row), doc.text());
            let rows = lists.value(row);
            let rows = rows.as_struct();
            assert_eq!(rows.len(), doc.len());
            for (i, token) in doc.iter().enumerate() {
                let start = rows.column(0).as_primitive::<UInt32Type>().value(i) as usize;
                let end = rows.column(1).as_primitive::<UInt32Type>().value(i) as usize;
                let word: String = doc.text().chars().skip(start).take(end - start).collect();
                assert_eq!(word, token.text());
                let orth = rows.column(2).as_primitive::<UInt64Type>().value(i);
                assert_eq!(orth, lexpool::strings::StrId::of(&word).get());
                assert_eq!(rows.column(3).as_string::<i64>().value(i), word);
                assert_eq!(rows.column(4).as_boolean().value(i), token.record().spacy());
            }
        }
    }
    assert!(at.next().is_none());
}

#[test]
fn a_file_without_documents_has_a_schema_and_says_who_wrote_it() {
    let file = file(&[]);
    let schema = file.schema();
    assert_eq!(schema.fields(), super::schema().fields());
    assert_eq!(schema.metadata()["lexpool.lang"], "en");
    assert_eq!(file.num_batches(), 0);
}

const ANNOTATED: &str = r#"{"text": "Ann sees Bo. Why?", "cats": {"NEWS": 0.75, "OLD": 0.0},
 "spans": {"sc": [{"start": 0, "end": 8, "label": "WHO", "kb_id": "Q7"}], "none": []},
 "ents": [{"start": 0, "end": 3, "label": "PERSON", "kb_id": "Q1"}],
 "sents": [{"start": 0, "end": 12}, {"start": 13, "end": 17}],
 "tokens": [
  {"start": 0, "end": 3, "tag": "NNP", "pos": "PROPN", "morph": "Number=Sing", "lemma": "Ann", "dep": "nsubj", "head": 1},
  {"start": 4, "end": 8, "tag": "VBZ", "pos": "VERB", "morph": "", "lemma": "see", "dep": "ROOT", "head": 1},
  {"start": 9, "end": 11, "tag": "NNP", "pos": "PROPN", "morph": "Number=Sing", "lemma": "Bo", "dep": "dobj", "head": 1},
  {"start": 11, "end": 12, "tag": ".", "pos": "PUNCT", "morph": "", "lemma": ".", "dep": "punct", "head": 1},
  {"start": 13, "end": 16, "tag": "WRB", "pos": "ADV", "morph": "", "lemma": "why", "dep": "ROOT", "head": 4},
  {"start": 16, "end": 17, "tag": ".", "pos": "PUNCT", "morph": "", "lemma": "?", "dep": "punct", "head": 4}]}"#;

/// Returns a document with annotation of every kind, and one without.
fn annotated() -> [(Doc, DocExtras); 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docs.jsonl");
    std::fs::write(&path, ANNOTATED.replace('\n', "")).unwrap();
    let options =
        ReadOptions { unit: DocUnit::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mut docs = JsonlDocs::open(&path, options, tokenizer.vocab()).unwrap();
    let Some(Ok(JsonlRead::Doc(doc, extras))) = docs.next() else { panic!("it has tokens") };
    [(*doc, extras), (tokenizer.tokenize("Go on").unwrap(), DocExtras::default())]
}

fn annotated_batch() -> RecordBatch {
    let rows = annotated();
    let mut writer = AnnotatedArrow::new(Vec::new(), "en").unwrap();
    let rows = rows.iter().map(|(doc, extras)| (doc, extras));
    writer.write(AnnotatedArrow::<Vec<u8>>::piece_with(rows).unwrap()).unwrap();
    let file = Cursor::new(writer.finish().unwrap());
    FileReader::try_new(file, None).unwrap().next().unwrap().unwrap()
}

#[test]
fn annotation_of_tokens_comes_back_and_is_null_where_it_is_not_set() {
    let batch = annotated_batch();
    let tokens = batch.column(1).as_list::<i32>();
    let tokens = tokens.values().as_struct();
    let text = |name: &str| -> Vec<Option<String>> {
        let column = tokens.column_by_name(name).unwrap().as_string::<i64>();
        column.iter().map(|text| text.map(str::to_owned)).collect()
    };
    let texts = |values: [&str; 6]| -> Vec<Option<String>> {
        let set = values.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
        set.into_iter().chain([None, None]).collect()
    };
    assert_eq!(text("lemma"), texts(["Ann", "see", "Bo", ".", "why", "?"]));
    assert_eq!(text("tag"), texts(["NNP", "VBZ", "NNP", ".", "WRB", "."]));
    assert_eq!(text("pos"), texts(["PROPN", "VERB", "PROPN", "PUNCT", "ADV", "PUNCT"]));
    assert_eq!(text("dep"), texts(["nsubj", "ROOT", "dobj", "punct", "ROOT", "punct"]));
    assert_eq!(text("morph")[0].as_deref(), Some("Number=Sing"));
    assert_eq!(text("morph")[6], None);
    assert_eq!(text("ent_type"), texts(["PERSON", "", "", "", "", ""]));
    assert_eq!(text("ent_kb_id"), texts(["Q1", "", "", "", "", ""]));
    let heads = tokens.column_by_name("head").unwrap().as_primitive::<UInt32Type>();
    let own = [Some(1), Some(1), Some(1), Some(1), Some(4), Some(4), None, None];
    assert_eq!(heads.iter().collect::<Vec<_>>(), own);
    let iobs = tokens.column_by_name("ent_iob").unwrap().as_primitive::<UInt8Type>();
    let own = [Some(3), Some(2), Some(2), Some(2), Some(2), Some(2), None, None];
    assert_eq!(iobs.iter().collect::<Vec<_>>(), own);
    let starts = tokens.column_by_name("sent_start").unwrap().as_primitive::<Int8Type>();
    let own = [Some(1), Some(-1), Some(-1), Some(-1), Some(1), Some(-1), None, None];
    assert_eq!(starts.iter().collect::<Vec<_>>(), own);
}

#[test]
fn categories_and_spans_are_lists_of_structs() {
    let batch = annotated_batch();
    let cats = batch.column_by_name("cats").unwrap().as_list::<i32>();
    assert_eq!(cats.offsets().iter().copied().collect::<Vec<_>>(), [0, 2, 2]);
    let cats = cats.values().as_struct();
    let labels = cats.column(0).as_string::<i64>().iter().flatten().collect::<Vec<_>>();
    assert_eq!(labels, ["NEWS", "OLD"]);
    assert_eq!(cats.column(1).as_primitive::<Float64Type>().values(), &[0.75, 0.0]);
    let spans = batch.column_by_name("spans").unwrap().as_list::<i32>();
    assert_eq!(spans.offsets().iter().copied().collect::<Vec<_>>(), [0, 1, 1]);
    let spans = spans.values().as_struct();
    let text = |column: usize| spans.column(column).as_string::<i64>().value(0).to_owned();
    assert_eq!([text(0), text(3), text(4)], ["sc", "WHO", "Q7"]);
    assert_eq!(spans.column(1).as_primitive::<UInt32Type>().value(0), 0);
    assert_eq!(spans.column(2).as_primitive::<UInt32Type>().value(0), 2);
}

#[test]
fn annotation_that_is_invalid_is_refused() {
    let [(doc, _), _] = annotated();
    let with = |extras: DocExtras| {
        AnnotatedArrow::<Vec<u8>>::piece_with([(&doc, &extras)]).unwrap_err().code()
    };
    // A map from "a" to a string.
    let cats = Box::from(*b"\x81\xa1a\xa1b");
    assert_eq!(with(DocExtras { cats, ..DocExtras::default() }), "corpus-cats");
    let mut beyond = annotated()[0].1.clone();
    let shorter = Tokenizer::blank("en").unwrap().tokenize("Hi").unwrap();
    beyond.cats = Box::default();
    let error = AnnotatedArrow::<Vec<u8>>::piece_with([(&shorter, &beyond)]).unwrap_err();
    assert_eq!(error.code(), "span-group");
}
