use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt32Type, UInt64Type};
use arrow_schema::{DataType, Field};
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{Annotations, Doc};

use super::*;

const TEXT: &str = "Let's visit Llanfairpwllgwyngyll, caf\u{e9}!";

fn doc(text: &str) -> Doc {
    Tokenizer::blank("en").unwrap().tokenize(text).unwrap()
}

fn inside(part: &[u8], of: &str) -> bool {
    of.as_bytes().as_ptr_range().contains(&part.as_ptr())
}

#[test]
fn rows_say_of_each_token_what_it_is_and_long_texts_lie_in_the_document() {
    let doc = doc(TEXT);
    let table = tokens(&doc, 1..doc.len()).unwrap();
    let batch = &table.batches()[0];
    let texts = batch["text"].as_string_view();
    for (row, token) in doc.iter().skip(1).enumerate() {
        assert_eq!(texts.value(row), token.text());
        assert_eq!(inside(texts.value(row).as_bytes(), doc.text()), token.text().len() > 12);
        let start = batch["start"].as_primitive::<UInt32Type>().value(row) as usize;
        let end = batch["end"].as_primitive::<UInt32Type>().value(row) as usize;
        assert_eq!((start, end), (token.idx(), token.end_char()));
        assert_eq!(batch["orth"].as_primitive::<UInt64Type>().value(row), token.lex().orth().get());
        assert_eq!(batch["space"].as_boolean().value(row), token.record().spacy());
    }
    for name in ["lemma", "pos", "tag", "dep", "head", "ent_type", "ent_iob", "sent_start"] {
        assert_eq!(batch[name].null_count(), batch.num_rows(), "{name}");
    }
}

#[test]
fn annotation_is_null_where_nothing_is_set() {
    let mut doc = doc("She saw it");
    let strings = |given: [&str; 3]| Some(given.map(str::to_owned).to_vec());
    doc.annotate(&Annotations {
        lemmas: strings(["she", "", "a lemma of many letters"]),
        pos: strings(["PRON", "VERB", ""]),
        heads: Some(vec![Some(1), Some(1), Some(1)]),
        deps: Some(["nsubj", "ROOT", "dobj"].map(|dep| Some(dep.to_owned())).to_vec()),
        ..Annotations::default()
    })
    .unwrap();
    let table = tokens(&doc, 0..3).unwrap();
    let batch = &table.batches()[0];
    let column = |name: &str| batch[name].as_string_view().iter().collect::<Vec<_>>();
    assert_eq!(column("lemma"), [Some("she"), None, Some("a lemma of many letters")]);
    assert_eq!(column("pos"), [Some("PRON"), Some("VERB"), None]);
    assert_eq!(column("dep"), [Some("nsubj"), Some("ROOT"), Some("dobj")]);
    assert_eq!(column("tag"), [None; 3]);
    assert_eq!(batch["head"].as_primitive::<UInt32Type>().values(), &[1, 1, 1]);
    assert_eq!(batch["sent_start"].as_primitive::<Int8Type>().value(0), 1);
}

#[test]
fn rows_of_documents_outlive_them() {
    let texts = [TEXT, "", "a much longer second document"];
    let made: Vec<Doc> = texts.into_iter().map(doc).collect();
    let of: Vec<&Doc> = made.iter().collect();
    let table = docs(&of).unwrap();
    let batch = &table.batches()[0];
    let column = batch["text"].as_string_view();
    assert!(inside(column.value(0).as_bytes(), made[0].text()));
    let lens: Vec<u32> = made.iter().map(|doc| u32::try_from(doc.len()).unwrap()).collect();
    assert_eq!(batch["n_tokens"].as_primitive::<UInt32Type>().values(), &lens[..]);
    assert_eq!(batch["tokens"].as_list::<i32>().value(1).len(), 0);
    drop(made);
    assert_eq!(column.iter().flatten().collect::<Vec<_>>(), texts);
}

#[test]
fn many_documents_are_more_than_one_batch() {
    let doc = doc("one");
    let many = vec![&doc; 1025];
    let lens: Vec<_> = docs(&many).unwrap().batches().iter().map(RecordBatch::num_rows).collect();
    assert_eq!(lens, [1024, 1]);
    assert_eq!(tokens_of_docs(&many).unwrap().batches().len(), 1025);
    assert!(docs(&[]).unwrap().batches().is_empty());
}

#[test]
fn lexemes_are_those_of_the_vocab() {
    let doc = doc(TEXT);
    let table = lexemes(doc.vocab()).unwrap();
    let batch = &table.batches()[0];
    assert_eq!(batch.num_rows(), doc.vocab().positions().count());
    let (texts, orths) =
        (batch["text"].as_string_view(), batch["orth"].as_primitive::<UInt64Type>());
    for row in 0..batch.num_rows() {
        assert_eq!(lexpool::strings::StrId::of(texts.value(row)).get(), orths.value(row));
    }
}

#[test]
fn a_schema_may_ask_for_other_strings_but_not_for_other_columns() {
    let made = doc(TEXT);
    let table = docs(&[&made]).unwrap();
    let with = |name: &str, kind: DataType| {
        let mut fields: Vec<Field> =
            table.schema().fields().iter().map(|field| field.as_ref().clone()).collect();
        fields[0] = Field::new(name, kind, false);
        table.clone().requested(&Schema::new(fields))
    };
    assert_eq!(
        with("text", DataType::Utf8).unwrap().batches()[0]["text"].as_string::<i32>().value(0),
        TEXT
    );
    assert!(with("text", DataType::LargeUtf8).is_ok() && with("text", DataType::Utf8View).is_ok());
    for refused in [with("title", DataType::Utf8), with("text", DataType::Int32)] {
        assert_eq!(refused.unwrap_err().code(), "arrow-schema");
    }
    assert_eq!(table.clone().requested(&Schema::empty()).unwrap_err().code(), "arrow-schema");
}
