//! Categories and groups of spans of annotated documents, in the files of corpora.

use lexpool::formats::DocBin;
use lexpool::formats::span_group::{Bounds, read_groups};
use lexpool::pipeline::{AnnotatedDoc, Groups, Notes, SpanScores};
use lexpool::strings::StrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::SpanGroup as Spans;
use lexpool_io::corpus::{AnnotatedDocBin, CorpusWriter, Jsonl};

fn annotated() -> AnnotatedDoc {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let doc = tokenizer.tokenize("New York now").unwrap();
    let mut group = Spans::new(&doc);
    let label = doc.snapshot().add("GPE").unwrap();
    group.push(&doc, doc.span(0, 2).unwrap().record(label)).unwrap();
    group.push(&doc, doc.span(2, 3).unwrap().record(StrId::EMPTY)).unwrap();
    let mut groups = Groups::new();
    groups.insert("none".to_owned(), Spans::new(&doc));
    groups.insert("sc".to_owned(), group);
    let mut notes = Notes::new();
    notes.cats = vec![("b".into(), 0.5), ("a\"".into(), 1e-7), ("b".into(), 1.0)];
    notes.span_scores.push(SpanScores {
        group: "sc".to_owned(),
        scores: vec![0.25, 0.75],
        is_column: false,
    });
    AnnotatedDoc { doc, groups, notes }
}

#[test]
fn a_docbin_has_the_categories_and_the_groups_with_their_scores() {
    let annotated = annotated();
    let rows = [(&annotated.doc, annotated.extras().unwrap())];
    let mut writer = AnnotatedDocBin::annotated(Vec::new());
    writer.write(AnnotatedDocBin::<Vec<u8>>::piece_with(rows).unwrap()).unwrap();
    let bin = DocBin::from_bytes(&writer.finish().unwrap()).unwrap();
    let extras = bin.extras(0).unwrap();
    assert_eq!(extras.cats, annotated.extras().unwrap().cats);
    let groups = read_groups(&extras.span_groups, Bounds { tokens: 3, chars: 12 }).unwrap();
    assert_eq!(groups[0].1.attrs, b"\x80");
    assert_eq!(groups[1].1.spans, annotated.groups["sc"].spans());
    let scores: Vec<u8> = [0.25_f32, 0.75].iter().flat_map(|score| score.to_le_bytes()).collect();
    assert!(groups[1].1.attrs.ends_with(&scores));
}

#[test]
fn a_line_of_json_has_the_categories_and_the_groups() {
    let annotated = annotated();
    let line = Jsonl::<Vec<u8>>::piece_with([(&annotated.doc, &annotated.extras().unwrap())]);
    let line: serde_json::Value = serde_json::from_slice(&line.unwrap()).unwrap();
    assert_eq!(line["cats"], serde_json::json!({"b": 1.0, "a\"": 1e-7}));
    let spans = serde_json::json!({"none": [], "sc": [
        {"start": 0, "end": 8, "label": "GPE", "kb_id": ""},
        {"start": 9, "end": 12, "label": "", "kb_id": ""},
    ]});
    assert_eq!(line["spans"], spans);
}
