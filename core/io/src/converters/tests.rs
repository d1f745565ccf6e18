use std::sync::Arc;

use lexpool::structs::AttrId;
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};

use super::*;

fn vocab() -> Arc<Vocab> {
    Vocab::new(Getters::native("xx")).expect("a vocab")
}

fn texts(doc: &Doc, attr: AttrId) -> Vec<&str> {
    doc.iter().map(|token| token.text_of(attr)).collect()
}

fn entities(doc: &Doc) -> Vec<(i32, i32, String)> {
    let spans = doc.entities().spans().expect("valid entities");
    let label = |id| doc.snapshot().string(lexpool::strings::StrId::new(id)).unwrap_or_default();
    spans.iter().map(|span| (span.start, span.end, label(span.label).to_owned())).collect()
}

const TREEBANK: &str = "# sent_id = 1\n\
    1\tWe\twe\tPRON\tPRP\tCase=Nom|Number=Plur\t2\tnsubj\t_\tO\n\
    2\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\t_\n\
    3-4\tdela\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\
    3\tde\tde\tADP\t_\tA=x\t4\tcase\t_\tname=B-LOC\n\
    4\tla\tel\tDET\tD\tA=y,b|B=1\t2\tobl\t_\tname=L-LOC\n\n\n\
    # sent_id = 2\n\
    1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n";

fn conllu(text: &str, settings: &ConlluSettings<'_>) -> lexpool::Result<Vec<Doc>> {
    conllu_to_docs(text, "a.conllu", &vocab(), settings, &mut Vec::new())
}

#[test]
fn words_of_a_range_are_tokens_unless_they_are_merged() {
    let [doc] = &conllu(TREEBANK, &ConlluSettings::default()).unwrap()[..] else { panic!() };
    assert_eq!(doc.text(), "We saw dela Go ");
    assert_eq!(texts(doc, AttrId::TAG), ["PRP", "VBD", "ADP", "D", "VB"]);
    assert_eq!(entities(doc), [(2, 4, "LOC".to_owned())]);
    let merging = ConlluSettings {
        merge_subtokens: true,
        append_morphology: true,
        n_sents: 1,
        ..ConlluSettings::default()
    };
    let [doc, other] = &conllu(TREEBANK, &merging).unwrap()[..] else { panic!() };
    assert_eq!((doc.text(), other.text()), ("We saw dela", "Go "));
    let tags = ["PRP__Case=Nom|Number=Plur", "VBD", "ADP_D__A=b,x,y|B=1"];
    assert_eq!(texts(doc, AttrId::TAG), tags);
    assert_eq!(texts(doc, AttrId::LEMMA), ["we", "see", "de el"]);
    assert_eq!(texts(doc, AttrId::DEP), ["nsubj", "ROOT", "obl"]);
    assert_eq!(entities(doc), [(2, 3, "LOC".to_owned())]);
}

#[test]
fn types_of_entities_get_other_names_or_vanish() {
    for (name, expected) in [("GPE", vec![(2, 4, "GPE".to_owned())]), ("", vec![])] {
        let map = NerMap::from_iter([("LOC".to_owned(), name.to_owned())]);
        let settings = ConlluSettings { ner_map: Some(&map), ..ConlluSettings::default() };
        assert_eq!(entities(&conllu(TREEBANK, &settings).unwrap()[0]), expected);
    }
}

#[test]
fn wrong_lines_of_treebanks_are_named() {
    let row = |id: &str, pos: &str, head: &str| format!("{id}\ta\ta\t{pos}\t_\t_\t{head}\tx\t_\t_");
    for (text, code, line) in [
        (format!("\n# one\n{}\n1\tb\n", row("1", "X", "0")), "convert-syntax", "line 4"),
        (row("x", "X", "0"), "convert-syntax", "line 1"),
        (row("1", "X", "y"), "convert-syntax", "line 1"),
        (row("1", "NOPE", "0"), "E1021", "line 1"),
        (format!("{}\n\n{}", row("1", "X", "0"), row("1", "X", "7")), "E190", "line 3"),
        (format!("1-2-3{}", &row("", "X", "0")), "convert-syntax", "line 1"),
    ] {
        let error = conllu(&text, &ConlluSettings::default()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(&format!("a.conllu, {line}:")), "{error}");
    }
    assert!(conllu("", &ConlluSettings::default()).unwrap().is_empty());
    assert!(conllu("# only a comment\n\n\n\n", &ConlluSettings::default()).unwrap().is_empty());
}

fn columns(text: &str, settings: &ColumnSettings<'_>) -> lexpool::Result<Vec<Doc>> {
    conll_ner_to_docs(text, "a.conll", &vocab(), settings, &mut Vec::new())
}

#[test]
fn columns_are_cut_at_blank_lines_and_marks() {
    let text = "a X B-A\nb Y I-A\n\nc Z O\n\nd Z B-B";
    let docs = columns(text, &ColumnSettings { n_sents: 2, ..ColumnSettings::default() }).unwrap();
    assert_eq!(docs.iter().map(Doc::len).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(texts(&docs[0], AttrId::TAG), ["X", "Y", "Z"]);
    assert_eq!(entities(&docs[0]), [(0, 2, "A".to_owned())]);
    let marked = format!("-DOCSTART- -X- O O\n\n{text}\n\n-DOCSTART- -X- O O\n\ne E O");
    let docs = columns(&marked, &ColumnSettings::default()).unwrap();
    assert_eq!(docs.iter().map(Doc::len).collect::<Vec<_>>(), [4, 1]);
    let seg = ColumnSettings { n_sents: 1, seg_sents: true, segmenter: None };
    let docs = columns("a O\n. O\nb O\n", &seg).unwrap();
    assert_eq!(docs.iter().map(Doc::len).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn wrong_columns_are_named_with_their_lines() {
    for (text, code, line) in [
        ("a O\n\nb\n\nc O", "E903", 3),
        ("a O\n\nb O\nc B\n\nd O", "E177", 4),
        ("-DOCSTART- -X- O O\n\na O\n\n\n\nb", "E903", 7),
    ] {
        let error = columns(text, &ColumnSettings::default()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(&format!("a.conll, line {line}:")), "{error}");
    }
}

#[test]
fn lines_of_words_with_bars_are_grouped() {
    let read = |text, n| iob_to_docs(text, "a.iob", &vocab(), n, &mut Vec::new());
    let docs = read("I|PRP|O in|IN|O Rome|NNP|B-GPE\n\nB|I-A c|I-A\n", 1).unwrap();
    assert_eq!(docs.iter().map(Doc::len).collect::<Vec<_>>(), [3, 0, 2, 0]);
    assert_eq!(texts(&docs[0], AttrId::TAG), ["PRP", "IN", "NNP"]);
    assert_eq!(entities(&docs[2]), [(0, 2, "A".to_owned())]);
    assert_eq!(read("a|O\nb|O", 0).unwrap().len(), 1);
    for (text, code) in [("a|O\nb", "E902"), ("a|O\nb|X|O c|O", "E902"), ("a|O\nb|B", "E177")] {
        let error = read(text, 10).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains("a.iob, line 2:"), "{error}");
    }
}

#[test]
fn training_json_comes_back() {
    let vocab = vocab();
    let text = r#"[{"id": 0, "paragraphs": [{"raw": "Hi Ann!", "cats": [{"label": "A", "value": 1}],
        "sentences": [{"tokens": [
            {"orth": "Hi", "tag": "UH", "head": 0, "dep": "root", "ner": "O"},
            {"orth": "Ann", "tag": "NNP", "head": -1, "dep": "x", "ner": "U-PER"},
            {"orth": "!", "tag": ".", "head": -2, "dep": "y", "ner": "-"}]}]}]}]"#;
    let [read] = &json_to_docs(text, "a.json", &vocab).unwrap()[..] else { panic!() };
    assert_eq!(read.doc.text(), "Hi Ann!");
    assert_eq!(texts(&read.doc, AttrId::DEP), ["ROOT", "x", "y"]);
    assert_eq!(entities(&read.doc), [(1, 2, "PER".to_owned())]);
    let written = docs_to_json(&[(&read.doc, Vec::new())], 0, "O").unwrap();
    let again = format!("[{}]", written.to_json());
    let [back] = &json_to_docs(&again, "b.json", &vocab).unwrap()[..] else { panic!() };
    let row = |doc: &Doc| doc.attrs().to_array(&[AttrId::TAG, AttrId::HEAD, AttrId::DEP]);
    assert_eq!(row(&back.doc), row(&read.doc));
    assert_eq!(back.doc.text(), read.doc.text());
}

#[test]
fn wrong_training_json_is_named_with_its_place() {
    for (text, place) in [
        ("[\n{]", "line 2"),
        ("{}", "a.json: "),
        ("[{}]", "a.json[0]: \"paragraphs\" is missing"),
        (r#"[{"paragraphs": [{"sentences": [{"tokens": [{}]}]}]}]"#, ".tokens[0]: \"orth\""),
        (r#"[{"paragraphs": [{"sentences": [{"tokens": [{"orth": 3}]}]}]}]"#, "tokens[0].orth: 3"),
    ] {
        let error = json_to_docs(text, "a.json", &vocab()).unwrap_err();
        assert_eq!(error.code(), "convert-json");
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[test]
fn formats_of_entities_are_told_apart() {
    for (text, format) in [
        ("a O", Some(NerFormat::Ner)),
        ("a X  B-LOC\t\n", Some(NerFormat::Ner)),
        ("a|O b|B-X", Some(NerFormat::Iob)),
        ("a|Oh", Some(NerFormat::Iob)),
        ("a O\nb|B-X", None),
        ("a B-\nO\n|O", None),
    ] {
        assert_eq!(detect_ner_format(text), format, "{text:?}");
    }
}
