use std::sync::Arc;

use lexpool::Result;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;
use lexpool_structs::AttrId;
use proptest::prelude::*;

use super::*;

fn vocab() -> Arc<Vocab> {
    Arc::clone(Tokenizer::blank("en").unwrap().vocab())
}

fn read_by(lines: &str, sentences: Option<usize>) -> Result<Vec<GoldDoc>> {
    Conllu::new(std::io::Cursor::new(lines.to_owned()), "in.conllu", &vocab(), sentences).collect()
}

fn read(lines: &str) -> Vec<GoldDoc> {
    read_by(lines, None).unwrap()
}

/// A word with its head and relation.
fn word(id: &str, form: &str, head: &str, misc: &str) -> String {
    let dep = if head == "0" { "root" } else { "dep" };
    format!("{id}\t{form}\t{}\tX\tT{id}\tA={id}\t{head}\t{dep}\t_\t{misc}\n", form.to_lowercase())
}

fn texts(doc: &Doc, attr: AttrId) -> Vec<&str> {
    doc.iter().map(|token| token.text_of(attr)).collect()
}

fn words(doc: &Doc) -> Vec<&str> {
    doc.iter().map(|token| token.text()).collect()
}

fn heads(doc: &Doc) -> Vec<usize> {
    doc.iter().map(|token| token.head().i()).collect()
}

#[test]
fn words_come_with_all_that_is_known_of_them() {
    let lines = "# sent_id = a-1\n# text = She's in.\n\
        1-2\tShe's\t_\t_\t_\t_\t_\t_\t_\t_\n\
        1\tShe\tshe\tPRON\tPRP\tPerson=3|Case=Nom\t3\tnsubj\t_\t_\n\
        2\t's\tbe\tAUX\tVBZ\t_\t3\tcop\t_\t_\n\
        2.1\tempty\t_\t_\t_\t_\t_\t_\t_\t_\n\
        3\tin\tin\tADV\t_\t_\t0\troot\t_\tSpaceAfter=No\n\
        4\t.\t_\tPUNCT\t.\t_\t3\tpunct\t_\tX=Y\n";
    let [GoldDoc { doc, id: None, sent_ids }] = &read(lines)[..] else { panic!() };
    assert_eq!(doc.text(), "She's in. ");
    assert_eq!(words(doc), ["She", "'s", "in", "."]);
    assert_eq!(texts(doc, AttrId::LEMMA), ["she", "be", "in", ""]);
    assert_eq!(texts(doc, AttrId::TAG), ["PRP", "VBZ", "", "."]);
    assert_eq!(texts(doc, AttrId::MORPH), ["Case=Nom|Person=3", "_", "_", "_"]);
    assert_eq!(texts(doc, AttrId::DEP), ["nsubj", "cop", "ROOT", "punct"]);
    assert_eq!(heads(doc), [2, 2, 2, 2]);
    assert_eq!(*sent_ids, [Some("a-1".to_owned())]);
}

#[test]
fn words_that_are_written_as_another_one_are_one_token() {
    let lines = format!(
        "# text = Voy al mar\n{}1-2\t_\t_\t_\t_\t_\t_\t_\t_\t_\n",
        word("1", "Voy", "0", "_")
    );
    // A range of words that were read already.
    assert!(read_by(&lines, None).is_err());
    let lines = format!(
        "# text = Voy al mar.\n{}2-3\tal\t_\t_\t_\t_\t_\t_\t_\t_\n{}{}{}{}",
        word("1", "Voy", "0", "_"),
        word("2", "a", "4", "_"),
        word("3", "el", "2", "_"),
        word("4", "mar", "1", "SpaceAfter=No"),
        word("5", ".", "4", "SpaceAfter=No"),
    );
    let [GoldDoc { doc, .. }] = &read(&lines)[..] else { panic!() };
    assert_eq!(doc.text(), "Voy al mar.");
    assert_eq!(words(doc), ["Voy", "al", "mar", "."]);
    assert_eq!(texts(doc, AttrId::LEMMA), ["voy", "a el", "mar", "."]);
    assert_eq!(texts(doc, AttrId::TAG), ["T1", "T2_T3", "T4", "T5"]);
    assert_eq!(texts(doc, AttrId::MORPH)[1], "A=2,3");
    assert_eq!(heads(doc), [0, 2, 0, 2]);
}

#[test]
fn documents_are_what_newdoc_says_or_so_many_sentences() {
    let sentence = word("1", "a", "0", "_") + "\n";
    let marked = |mark: &str| format!("{mark}\n{sentence}");
    let lines = [
        &sentence,
        &sentence,
        &marked("# newdoc id = x y"),
        &sentence,
        &sentence,
        &marked("# newdoc"),
        &marked("# newpar"),
    ];
    let lines: String = lines.into_iter().map(String::as_str).collect();
    let sizes = |sentences| {
        let read = read_by(&lines, sentences).unwrap();
        let sizes = read.iter().map(|gold| gold.doc.sentences().ranges().unwrap().count());
        (sizes.collect::<Vec<_>>(), read.iter().find_map(|gold| gold.id.clone()))
    };
    assert_eq!(sizes(None), (vec![1, 1, 3, 2], Some("x y".to_owned())));
    assert_eq!(sizes(Some(2)).0, [2, 2, 1, 2]);
    assert_eq!(sizes(Some(100)).0, [2, 3, 2]);
}

#[test]
fn a_sentence_stays_one_whatever_its_heads_say() {
    // Two roots, and a cycle.
    let lines = [("1", "2"), ("2", "1"), ("3", "0"), ("4", "0"), ("5", "4")];
    let lines: String = lines.iter().map(|(id, head)| word(id, "w", head, "_")).collect();
    let lines = format!("{lines}\n{lines}");
    let [GoldDoc { doc, .. }] = &read_by(&lines, Some(2)).unwrap()[..] else { panic!() };
    assert_eq!(doc.sentences().ranges().unwrap().collect::<Vec<_>>(), [0..5, 5..10]);
}

#[test]
fn what_is_wrong_is_named_by_line_and_column() {
    let fine = word("1", "a", "0", "_");
    for (lines, expected) in [
        ("1\ta\n".to_owned(), "in.conllu, line 1: 2 columns between tabs; there are 10: ID, FORM"),
        (
            fine.clone() + "3\tb\t_\t_\t_\t_\t1\tx\t_\t_\n",
            "line 2, column 1 (ID): word \"3\", expected word 2",
        ),
        (
            word("1", "a", "2", "_"),
            "line 1, column 7 (HEAD): word 2 is outside of the sentence, which has 1",
        ),
        (word("1", "a", "x", "_"), "line 1, column 7 (HEAD): \"x\" is not a number"),
        (word("1", "a", "18446744073709551616", "_"), "column 7 (HEAD)"),
        (
            fine.replace("\tX\t", "\tVRB\t"),
            "line 1, column 4 (UPOS): unknown part of speech \"VRB\"",
        ),
        (fine.replace("A=1", "A"), "line 1, column 6 (FEATS): "),
        (fine.replace("\ta\ta\t", "\t\ta\t"), "line 1, column 2 (FORM): it is empty"),
        (
            "1-3\tab\t_\t_\t_\t_\t_\t_\t_\t_\n".to_owned() + &fine,
            "line 1, column 1 (ID): the sentence has only 1",
        ),
        ("1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n".to_owned(), "the sentence has only 0 words"),
        (
            "1-1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1-1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n".to_owned(),
            "line 2, column 1 (ID)",
        ),
        ("0-9999999999999999999\ta\t_\t_\t_\t_\t_\t_\t_\t_\n".to_owned(), "column 1 (ID)"),
        (
            "a.b\ta\t_\t_\t_\t_\t_\t_\t_\t_\n".to_owned(),
            "column 1 (ID): \"a.b\" is not a number, a range",
        ),
        (
            "# text = b\n".to_owned() + &fine,
            "line 1: the words of the sentence are \"a\", but its text is \"b\"",
        ),
    ] {
        let error = read_by(&lines, None).unwrap_err();
        assert_eq!(error.code(), "conllu-syntax");
        assert!(error.message().contains(expected), "{lines}: {error}");
    }
    let mut reader = Conllu::new(&b"1\t\xff\n"[..], "in.conllu", &vocab(), None);
    let error = reader.next().unwrap().unwrap_err();
    assert!(error.message().contains("line 1: its byte 2 (0xff) is not UTF-8"), "{error}");
    assert!(reader.next().is_none());
}

/// Everything kept of a document.
fn kept(gold: &GoldDoc) -> impl PartialEq + std::fmt::Debug + use<> {
    let doc = &gold.doc;
    let attrs = [AttrId::LEMMA, AttrId::TAG, AttrId::MORPH, AttrId::DEP];
    let rows =
        attrs.map(|attr| texts(doc, attr).into_iter().map(str::to_owned).collect::<Vec<_>>());
    let pos: Vec<_> = doc.iter().map(|token| token.attr(AttrId::POS)).collect();
    let starts: Vec<_> = doc.tokens().iter().map(lexpool_structs::TokenC::sent_start).collect();
    let own: Vec<_> = words(doc).into_iter().map(str::to_owned).collect();
    (
        own,
        doc.text().to_owned(),
        rows,
        pos,
        heads(doc),
        starts,
        gold.id.clone(),
        gold.sent_ids.clone(),
    )
}

fn written(read: &[GoldDoc]) -> String {
    let mut out = Vec::new();
    for GoldDoc { doc, id, sent_ids } in read {
        push_conllu(&mut out, doc, id.as_deref(), sent_ids);
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn other_text_between_words_is_a_token_that_comes_back() {
    let lines = word("1", "a", "0", "SpacesBefore=<p>|SpacesAfter=\\s</b>")
        + &word("2", "b", "1", "SpacesAfter=<br>\\s");
    let read_once = read(&lines);
    let doc = &read_once[0].doc;
    assert_eq!(doc.text(), "<p>a </b>b<br> ");
    assert_eq!(words(doc), ["<p>", "a", "</b>", "b", "<br> "]);
    assert_eq!(texts(doc, AttrId::TAG), ["", "T1", "", "T2", ""]);
    assert_eq!(texts(doc, AttrId::LEMMA), ["", "a", "", "b", ""]);
    assert_eq!(heads(doc), [0, 1, 1, 1, 3]);
    let again = read(&written(&read_once));
    assert_eq!(kept(&again[0]), kept(&read_once[0]));
}

#[test]
fn whitespace_tokens_come_back() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    for text in ["a  b", "a \n\n b\t c\n", " lead", "a b", "\n", "x|y  z"] {
        let doc = tokenizer.tokenize(text).unwrap();
        let own: Vec<_> = words(&doc).into_iter().map(str::to_owned).collect();
        let mut out = Vec::new();
        push_conllu(&mut out, &doc, None, &[]);
        let lines = String::from_utf8(out).unwrap();
        let again = read(&lines);
        if text.trim().is_empty() {
            assert!(again.is_empty());
            continue;
        }
        assert_eq!(again[0].doc.text(), text, "{lines}");
        assert_eq!(words(&again[0].doc), own);
    }
}

proptest! {
    #[test]
    fn what_was_read_and_written_is_read_the_same(
        sentences in prop::collection::vec(
            (prop::collection::vec((0..4_usize, "[a-c|é=\\\\]{1,3}", any::<bool>()), 1..6), any::<bool>()), 1..5,
        ),
    ) {
        let mut lines = String::new();
        for (words, is_new) in &sentences {
            if *is_new {
                lines += "# newdoc id = d\n";
            }
            lines += "# sent_id = s\n";
            for (i, (head, form, space)) in words.iter().enumerate() {
                let misc = if *space { "_" } else { "SpaceAfter=No" };
                let head = (*head).min(words.len()).to_string();
                lines += &word(&(i + 1).to_string(), form, &head, misc);
            }
            lines.push('\n');
        }
        let first = read(&lines);
        let again = read(&written(&first));
        prop_assert_eq!(
            first.iter().map(kept).collect::<Vec<_>>(),
            again.iter().map(kept).collect::<Vec<_>>()
        );
    }

    #[test]
    fn lines_of_anything_are_read_or_refused(lines in "([0-9a-c#_=|.\\-\t\n ]{0,12}(\t_){0,10}\n){0,6}") {
        let _ = read_by(&lines, None);
    }
}
