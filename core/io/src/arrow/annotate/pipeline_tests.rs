//! Tests of columns of annotation, on the saved pipelines of the tests.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int64Type, UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use lexpool::loading::{LoadOptions, load};
use lexpool::pipeline::{AnnotatedDoc, Pipeline};
use lexpool::strings::StrId;
use lexpool::tokenizer::Text;
use lexpool::{Error, ErrorKind, codes};

use super::*;
use crate::arrow::annotation::{STRINGS, ent_iob, head, id, sent_starts, string};

const TEXTS: [Option<&str>; 5] = [
    Some("Ada Lovelace wrote programs in London. She liked it!"),
    None,
    Some(""),
    Some("  A line\n\nand another one of  many words "),
    Some("supercalifragilistic words of 10 % in the U.S. in 1999"),
];

fn pipeline(name: &str) -> Pipeline {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/files/pipelines").join(name);
    load(&folder, &LoadOptions::default()).unwrap().pipeline
}

fn options(columns: &[&str], threads: usize) -> AnnotatorOptions {
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    AnnotatorOptions { columns, threads, ..AnnotatorOptions::default() }
}

fn batch<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> RecordBatch {
    let texts: ArrayRef = Arc::new(texts.into_iter().collect::<StringArray>());
    RecordBatch::try_from_iter_with_nullable([("text", texts, true)]).unwrap()
}

fn document(pipeline: &Pipeline, text: &str) -> AnnotatedDoc {
    pipeline.annotate(Text::Owned(text.to_owned()), &false.into()).unwrap()
}

/// All columns of annotation, and some of tokens.
fn all_columns() -> Vec<String> {
    let others = ["n_tokens", "orth", "orth_", "norm_", "head", "ent_iob", "sent_start", "strings"];
    let ids = STRINGS.into_iter().flat_map(|(name, _)| [name.to_owned(), format!("{name}_")]);
    others.map(str::to_owned).into_iter().chain(ids).collect()
}

/// The columns that the components of a pipeline set.
fn columns_of(pipeline: &Pipeline) -> Vec<String> {
    let is_set = |name: &String| {
        let layout = super::layout::ColumnLayout::new(std::slice::from_ref(name)).unwrap();
        layout.check_steps(std::slice::from_ref(name), pipeline.steps()).is_ok()
    };
    all_columns().into_iter().filter(is_set).collect()
}

#[test]
fn columns_hold_what_the_documents_of_the_pipeline_do() {
    for name in ["networks", "merges", "rules"] {
        let pipeline = pipeline(name);
        let columns = columns_of(&pipeline);
        assert!(columns.len() > 5, "{name}: {columns:?}");
        let mut options = options(&[], 1);
        options.columns.clone_from(&columns);
        let done = Annotator::of_pipeline(pipeline.clone(), options).unwrap();
        let done = done.annotate(&batch(TEXTS)).unwrap();
        for (row, text) in TEXTS.into_iter().enumerate() {
            let Some(text) = text else {
                assert!(columns.iter().all(|column| done[column.as_str()].is_null(row)));
                continue;
            };
            let AnnotatedDoc { doc, .. } = document(&pipeline, text);
            let count = done["n_tokens"].as_primitive::<UInt32Type>().value(row);
            assert_eq!(count as usize, doc.len());
            let list = |column: &str| done[column].as_list::<i32>().value(row);
            let texts = |column: &str| -> Vec<Option<String>> {
                let list = list(column);
                list.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect()
            };
            let words: Vec<_> = doc.iter().map(|token| Some(token.text().to_owned())).collect();
            assert_eq!(texts("orth_"), words);
            let norm = |id| doc.snapshot().string(id).map(str::to_owned);
            assert_eq!(texts("norm_"), doc.iter().map(|it| norm(it.norm())).collect::<Vec<_>>());
            for (column, attr) in STRINGS {
                if !columns.iter().any(|own| own == column) {
                    continue;
                }
                let expected = doc.iter().map(|token| string(&token, attr).map(str::to_owned));
                assert_eq!(texts(&format!("{column}_")), expected.collect::<Vec<_>>(), "{column}");
                let ids = list(column).as_primitive::<UInt64Type>().iter().collect::<Vec<_>>();
                assert_eq!(ids, doc.iter().map(|it| id(&it, attr)).collect::<Vec<_>>());
            }
            let has = |column: &str| columns.iter().any(|own| own == column);
            if has("head") {
                let heads = list("head").as_primitive::<UInt32Type>().iter().collect::<Vec<_>>();
                assert_eq!(heads, doc.iter().map(|it| head(&it)).collect::<Vec<_>>());
            }
            if has("sent_start") {
                let starts = list("sent_start");
                let starts = starts.as_primitive::<Int8Type>().iter().collect::<Vec<_>>();
                assert_eq!(starts, sent_starts(&doc).collect::<Vec<_>>());
            }
            let iobs = list("ent_iob").as_primitive::<UInt8Type>().iter().collect::<Vec<_>>();
            assert_eq!(iobs, doc.iter().map(|it| ent_iob(&it)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn strings_are_those_of_the_ids_of_words_and_annotation() {
    let pipeline = pipeline("networks");
    let columns = ["orth", "tag", "pos", "morph", "lemma", "dep", "strings"];
    let done = Annotator::of_pipeline(pipeline, options(&columns, 1)).unwrap();
    let done = done.annotate(&batch(TEXTS)).unwrap();
    for row in [0, 3, 4] {
        let list = |column: &str| done[column].as_list::<i32>().value(row);
        let mut ids: Vec<u64> = columns[..6]
            .iter()
            .flat_map(|column| {
                list(column).as_primitive::<UInt64Type>().iter().flatten().collect::<Vec<_>>()
            })
            .collect();
        let strings = list("strings");
        let strings = strings.as_string::<i32>().iter().flatten();
        let mut given: Vec<u64> = strings.map(|string| StrId::of(string).get()).collect();
        ids.sort_unstable();
        ids.dedup();
        given.sort_unstable();
        assert_eq!(given, ids, "row {row}");
    }
}

#[test]
fn a_row_gets_the_same_on_any_threads_in_any_slice() {
    let pipeline = pipeline("networks");
    let text = |n: usize| {
        let text = TEXTS[n % TEXTS.len()]?;
        Some(format!("{text} {}", "more words, ".repeat(n * n % 13)))
    };
    let texts: Vec<_> = (0..400).map(text).collect();
    let whole = batch(texts.iter().map(Option::as_deref));
    let columns = ["tag", "lemma_", "head", "ent_iob", "ent_kb_id", "cats", "strings"];
    let annotator =
        |threads| Annotator::of_pipeline(pipeline.clone(), options(&columns, threads)).unwrap();
    let expected = annotator(1).annotate(&whole).unwrap();
    for threads in [0, 3] {
        assert_eq!(annotator(threads).annotate(&whole).unwrap(), expected, "{threads} threads");
    }
    for (start, len) in [(300, 100), (7, 1), (1, 250), (9, 0)] {
        let done = annotator(2).annotate(&whole.slice(start, len)).unwrap();
        assert_eq!(done, expected.slice(start, len), "{len} rows from {start}");
    }
}

#[test]
fn categories_are_lists_of_labels_with_scores() {
    let pipeline = pipeline("networks");
    let done = Annotator::of_pipeline(pipeline.clone(), options(&["cats"], 1)).unwrap();
    let done = done.annotate(&batch(TEXTS)).unwrap();
    assert!(done["cats"].is_null(1));
    let AnnotatedDoc { notes, .. } = document(&pipeline, TEXTS[0].unwrap());
    let cats = done["cats"].as_list::<i32>().value(0);
    let cats = cats.as_struct();
    let labels = cats["label"].as_string::<i64>().iter().flatten();
    let scores = cats["score"].as_primitive::<Float64Type>().values().iter().copied();
    assert_eq!(labels.zip(scores).collect::<Vec<_>>(), notes.unique_cats());
    assert!(!cats.is_empty());
}

#[test]
fn numbers_of_annotation_with_a_sign_have_the_same_bits() {
    let pipeline = pipeline("networks");
    let columns = ["tag", "ent_iob", "sent_start", "head"];
    let annotated = |signed| {
        let options = AnnotatorOptions { signed, ..options(&columns, 1) };
        let annotator = Annotator::of_pipeline(pipeline.clone(), options).unwrap();
        annotator.annotate(&batch(TEXTS)).unwrap()
    };
    let (plain, signed) = (annotated(false), annotated(true));
    let [plain_tags, signed_tags] =
        [&plain, &signed].map(|done| Arc::clone(done["tag"].as_list::<i32>().values()));
    let tags = signed_tags.as_primitive::<Int64Type>().iter();
    let tags = tags.map(|tag| tag.map(i64::cast_unsigned)).collect::<Vec<_>>();
    assert_eq!(tags, plain_tags.as_primitive::<UInt64Type>().iter().collect::<Vec<_>>());
    let iobs = signed["ent_iob"].as_list::<i32>().values().as_primitive::<Int8Type>().clone();
    assert!(iobs.iter().flatten().all(|iob| (1..=3).contains(&iob)));
    assert_eq!(&signed["sent_start"], &plain["sent_start"]);
}

#[test]
fn a_column_that_no_component_sets_is_refused_with_one_that_would() {
    let pipeline = pipeline("merges");
    let error = |columns: &[&str]| {
        Annotator::of_pipeline(pipeline.clone(), options(columns, 1)).err().unwrap()
    };
    let refused = error(&["lemma", "cats"]);
    assert_eq!(refused.code(), "arrow-columns");
    assert!(refused.message().contains("\"cats\"") && refused.message().contains("a textcat"));
    assert!(refused.message().contains("token_splitter, doc_cleaner"), "{refused}");
    let alone = Annotator::new(pipeline.tokenizer(), options(&["tag_"], 1)).err().unwrap();
    assert!(alone.message().contains("such as a tagger; the components are: none"), "{alone}");
}

#[test]
fn an_error_of_the_watcher_stops_the_work_and_comes_out_as_it_is() {
    let whole = batch(std::iter::repeat_n(Some("words of a text. ".repeat(40)).as_deref(), 4000));
    for threads in [1, 2] {
        let annotator = Annotator::of_pipeline(pipeline("networks"), options(&["tag"], threads));
        let mut calls = 0;
        let error = annotator.unwrap().annotate_watched(&whole, &mut || {
            calls += 1;
            Err(Error::new(ErrorKind::Interrupted, codes::STOPPED, "enough"))
        });
        assert_eq!((error.unwrap_err().message(), calls), ("enough", 1));
    }
}

#[test]
fn tokens_alone_need_no_component() {
    let pipeline = pipeline("merges");
    let annotator = Annotator::of_pipeline(pipeline.clone(), options(&["n_tokens"], 1)).unwrap();
    let done = annotator.annotate(&batch([TEXTS[4]])).unwrap();
    let tokenized = pipeline.tokenizer().tokenize(TEXTS[4].unwrap()).unwrap();
    let count = |done: &RecordBatch| done["n_tokens"].as_primitive::<UInt32Type>().value(0);
    assert_eq!(count(&done) as usize, tokenized.len());
    let both = Annotator::of_pipeline(pipeline.clone(), options(&["n_tokens", "lemma"], 1));
    let both = both.unwrap().annotate(&batch([TEXTS[4]])).unwrap();
    assert_eq!(count(&both) as usize, document(&pipeline, TEXTS[4].unwrap()).doc.len());
    assert_ne!(count(&both), count(&done), "a token is split");
}
