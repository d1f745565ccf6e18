use std::fs;
use std::path::Path;
use std::sync::Arc;

use lexpool::Error;
use lexpool::formats::DocExtras;
use lexpool::formats::span_group::SpanGroup;
use lexpool::msgpack::Writer;
use lexpool::strings::StrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{Annotations, Doc};
use lexpool_structs::{AttrId, SpanC};
use proptest::prelude::*;

use super::*;
use crate::corpus::writer::CorpusWriter;

const TEXTS: [&str; 5] = [
    "Let's go to N.Y., caf\u{e9}!",
    "",
    "  two\nlines ",
    "I can't. \u{1f600}\u{1f600} x",
    "so it goes",
];

/// Every attribute that a document has.
const ATTRS: [AttrId; 14] = [
    AttrId::ORTH,
    AttrId::LOWER,
    AttrId::NORM,
    AttrId::SHAPE,
    AttrId::IS_STOP,
    AttrId::TAG,
    AttrId::LEMMA,
    AttrId::POS,
    AttrId::MORPH,
    AttrId::DEP,
    AttrId::HEAD,
    AttrId::ENT_TYPE,
    AttrId::ENT_IOB,
    AttrId::SENT_START,
];

fn docs() -> (Tokenizer, Vec<Doc>) {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mut docs: Vec<Doc> = TEXTS.iter().map(|text| tokenizer.tokenize(text).unwrap()).collect();
    annotate(&mut docs[4]);
    (tokenizer, docs)
}

fn annotate(doc: &mut Doc) {
    let text = |words: &[&str]| Some(words.iter().map(|word| Some((*word).to_owned())).collect());
    let morph = doc.vocab().morphology().add("Number=Sing").unwrap().get();
    doc.annotate(&Annotations {
        tags: Some(["RB", "PRP", "VBZ"].map(str::to_owned).to_vec()),
        lemmas: Some(["so", "it", "go"].map(str::to_owned).to_vec()),
        morphs: Some(vec![0, morph, 0]),
        heads: Some(vec![Some(2), Some(2), Some(2)]),
        deps: text(&["advmod", "nsubj", "ROOT"]),
        ents: text(&["O", "B-THING", "O"]),
        ..Annotations::default()
    })
    .unwrap();
}

fn bytes(tokenizer: &Tokenizer, docs: &[Doc], options: &WriteOptions, at_once: usize) -> Vec<u8> {
    let mut writer = MappedWriter::with_options(Vec::new(), tokenizer.vocab(), options).unwrap();
    for docs in docs.chunks(at_once) {
        writer.write(MappedWriter::<Vec<u8>>::piece(docs).unwrap()).unwrap();
    }
    writer.finish().unwrap()
}

fn packed() -> WriteOptions {
    WriteOptions { compressed: true, ..WriteOptions::default() }
}

fn assert_same(doc: &Doc, given: &Doc) {
    assert_eq!(doc.text(), given.text());
    assert_eq!(doc.attrs().to_array(&ATTRS), given.attrs().to_array(&ATTRS));
    let forms = |doc: &Doc| -> Vec<String> {
        doc.iter()
            .map(|token| format!("{} {}", token.text(), token.text_of(AttrId::LOWER)))
            .collect()
    };
    assert_eq!(forms(doc), forms(given));
    assert_eq!(doc.tag_records(), given.tag_records());
    assert_eq!(doc.syntax_records(), given.syntax_records());
    assert_eq!(doc.entity_records(), given.entity_records());
}

#[test]
fn documents_come_back_as_they_were_however_they_were_cut_and_packed() {
    let (tokenizer, docs) = docs();
    for options in [WriteOptions::default(), packed()] {
        let whole = bytes(&tokenizer, &docs, &options, 100);
        assert!(whole == bytes(&tokenizer, &docs, &options, 1), "other bytes");
        let corpus = Corpus::from_bytes(&whole).unwrap();
        assert_eq!((corpus.len(), corpus.file_tokens()), (5, 22));
        for (doc, given) in corpus.iter().zip(&docs) {
            assert_same(&doc.unwrap(), given);
        }
        let norm = corpus.doc(3).unwrap().token(2).unwrap().norm();
        assert_eq!(norm, StrId::of("not"));
    }
}

#[test]
fn batches_end_where_documents_say_and_not_where_pieces_do() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let text = "so it goes ".repeat(2_000);
    let docs: Vec<Doc> = (0..60).map(|_| tokenizer.tokenize(&text).unwrap()).collect();
    let column = Column::of("n", &(0..60).map(Cell::Int).collect::<Vec<_>>()).unwrap();
    let columns = vec![Arc::clone(column.field())];
    let options = WriteOptions { columns, ..WriteOptions::default() };
    let write = |at_once: usize| {
        let vocab = tokenizer.vocab();
        let mut writer = MappedWriter::with_options(Vec::new(), vocab, &options).unwrap();
        for (i, docs) in docs.chunks(at_once).enumerate() {
            let piece = MappedWriter::<Vec<u8>>::piece(docs).unwrap();
            let values = column.values(i * at_once, docs.len()).unwrap();
            writer.write(piece.with_columns(vec![values]).unwrap()).unwrap();
        }
        writer.finish().unwrap()
    };
    let whole = write(60);
    assert!(whole == write(7) && whole == write(1), "other bytes");
    let corpus = Corpus::from_bytes(&whole).unwrap();
    assert_eq!(corpus.file_batches().len(), 2);
    let parts: Vec<_> = (0..60).map(|i| corpus.slice(i, i + 1).unwrap()).collect();
    let merged = merge(&parts, Vec::new(), Path::new("memory"), false, &mut |_| Ok(())).unwrap();
    assert!(whole == merged, "other bytes of parts");
}

#[test]
fn an_analysis_whose_string_is_a_tag_as_well_comes_back() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mut doc = tokenizer.tokenize("a b").unwrap();
    let morph = doc.vocab().morphology().add("Number=Sing").unwrap();
    doc.attrs_mut().set(0, AttrId::TAG, morph.get()).unwrap();
    doc.attrs_mut().set(1, AttrId::MORPH, morph.get()).unwrap();
    let written = bytes(&tokenizer, &[doc], &WriteOptions::default(), 1);
    let corpus = Corpus::from_bytes(written).unwrap();
    assert!(corpus.vocab().morphology().get(morph).is_some());
}

#[test]
fn columns_of_nothing_but_nulls_and_of_whole_numbers_go_with_others() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let docs = [tokenizer.tokenize("a").unwrap()];
    let corpora = [Cell::Null, Cell::Int(1), Cell::Float(0.5)].map(|cell| {
        let column = Column::of("n", &[cell]).unwrap();
        let columns = vec![Arc::clone(column.field())];
        let options = WriteOptions { columns, ..WriteOptions::default() };
        let vocab = tokenizer.vocab();
        let mut writer = MappedWriter::with_options(Vec::new(), vocab, &options).unwrap();
        let piece = MappedWriter::<Vec<u8>>::piece(&docs).unwrap();
        writer.write(piece.with_columns(vec![column.values(0, 1).unwrap()]).unwrap()).unwrap();
        Corpus::from_bytes(writer.finish().unwrap()).unwrap()
    });
    let merged = merge(&corpora, Vec::new(), Path::new("memory"), false, &mut |_| Ok(())).unwrap();
    let merged = Corpus::from_bytes(merged).unwrap();
    let batch = merged.file_batches().next().unwrap().unwrap();
    let numbers = batch.column_by_name("n").unwrap();
    let numbers = arrow_array::cast::as_primitive_array::<arrow_array::types::Float64Type>(numbers);
    assert!(numbers.iter().eq([None, Some(1.0), Some(0.5)]));
}

#[test]
fn a_mapped_document_lies_in_the_file_until_it_is_written() {
    let (tokenizer, docs) = docs();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.corpus");
    fs::write(&path, bytes(&tokenizer, &docs, &WriteOptions::default(), 2)).unwrap();
    let before = fs::read(&path).unwrap();
    let corpus = Corpus::open(&path).unwrap();
    let [mut doc, other] = [0, 0].map(|i| corpus.doc(i).unwrap());
    assert_eq!(doc.tokens().as_ptr(), other.tokens().as_ptr());
    doc.attrs_mut().set(1, AttrId::SENT_START, 1).unwrap();
    doc.attrs_mut().set(1, AttrId::TAG, StrId::of("X").get()).unwrap();
    assert_ne!(doc.tokens().as_ptr(), other.tokens().as_ptr());
    assert_eq!(doc.text().as_ptr(), other.text().as_ptr());
    assert_eq!((doc.token(1).unwrap().record().sent_start(), other.tag_records()), (1, None));
    let [mut tree, twin] = [4, 4].map(|i| corpus.doc(i).unwrap());
    assert_eq!(tree.syntax_records().unwrap().as_ptr(), twin.syntax_records().unwrap().as_ptr());
    tree.tree_mut().set_head(0, 1).unwrap();
    assert_eq!(twin.syntax_records().unwrap()[0].head, 2);
    drop(corpus);
    assert_eq!((other.text(), tree.token(0).unwrap().head().i()), (TEXTS[0], 1));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn new_words_and_changed_words_stay_in_the_process() {
    let (tokenizer, docs) = docs();
    let corpus = Corpus::from_bytes(bytes(&tokenizer, &docs, &WriteOptions::default(), 2)).unwrap();
    let vocab = corpus.vocab();
    let word = vocab.lexeme("unheard").unwrap();
    assert_eq!((word.shape(), word.lower()), ("xxxx", "unheard"));
    let goes = corpus.doc(4).unwrap().token(2).unwrap().lex().orth();
    assert_eq!(vocab.lexeme("goes").unwrap().orth(), goes);
}

#[test]
fn what_documents_carry_comes_back() {
    let (tokenizer, docs) = docs();
    let label = tokenizer.vocab().strings().add("LABEL").unwrap().get();
    let spans = vec![SpanC { end: 2, end_char: 5, label, kb_id: 7, ..SpanC::default() }];
    let group = |name, attrs, spans: &[SpanC]| SpanGroup { name, attrs, spans: spans.to_vec() };
    let groups = |groups: &[SpanGroup<'_>]| {
        let mut out = Writer::new();
        out.map(groups.len()).unwrap();
        for group in groups {
            out.bytes(&group.to_bytes().unwrap()).unwrap();
            out.array(1).unwrap();
            out.str(group.name).unwrap();
        }
        Box::<[u8]>::from(out.into_bytes())
    };
    let mut cats = Writer::new();
    cats.map(1).unwrap();
    cats.str("POSITIVE").unwrap();
    cats.float(0.5);
    let cats: Box<[u8]> = cats.into_bytes().into();
    let carried = [
        DocExtras { cats, ..DocExtras::default() },
        DocExtras::default(),
        DocExtras { user_data: Some(b"\x81\xa1k\x01"[..].into()), ..DocExtras::default() },
        DocExtras { span_groups: groups(&[group("a", b"\x80", &spans)]), ..DocExtras::default() },
        DocExtras {
            span_groups: groups(&[group("b", b"\x81\xa1k\x01", &[])]),
            ..DocExtras::default()
        },
    ];
    let mut writer = MappedWriter::new(Vec::new(), tokenizer.vocab()).unwrap();
    writer.write(Piece::of(docs.iter().zip(carried.clone())).unwrap()).unwrap();
    let corpus = Corpus::from_bytes(writer.finish().unwrap()).unwrap();
    for (i, carried) in carried.iter().enumerate() {
        assert_eq!(&corpus.extras(i).unwrap(), carried, "{i}");
    }
    let label = corpus.vocab().strings().get_permanent(StrId::new(label));
    assert_eq!(label, Some("LABEL"));
    let beyond = groups(&[group("a", b"\x80", &[SpanC { end: 99, ..spans[0] }])]);
    let beyond = DocExtras { span_groups: beyond, ..DocExtras::default() };
    assert_eq!(Piece::of([(&docs[4], beyond)]).err().unwrap().code(), "span-group");
}

#[test]
fn slices_and_selections_share_the_file_and_can_be_merged() {
    let (tokenizer, docs) = docs();
    let column = Column::of("year", &[1, 2, 3, 4, 5].map(Cell::Int)).unwrap();
    let options =
        WriteOptions { columns: vec![Arc::clone(column.field())], ..WriteOptions::default() };
    let mut writer = MappedWriter::with_options(Vec::new(), tokenizer.vocab(), &options).unwrap();
    for (i, chunk) in docs.chunks(2).enumerate() {
        let piece = MappedWriter::<Vec<u8>>::piece(chunk).unwrap();
        let values = column.values(2 * i, chunk.len()).unwrap();
        writer.write(piece.with_columns(vec![values]).unwrap()).unwrap();
    }
    let corpus = Corpus::from_bytes(writer.finish().unwrap()).unwrap();
    let slice = corpus.slice(1, 4).unwrap();
    assert_eq!((slice.len(), slice.doc(2).unwrap().text()), (3, TEXTS[3]));
    assert_eq!(slice.slice(2, 3).unwrap().doc(0).unwrap().text(), TEXTS[3]);
    let chosen = corpus.select(&[4, 0, 1]).unwrap();
    assert_eq!(chosen.doc(0).unwrap().text(), TEXTS[4]);
    for (error, code) in [
        (corpus.slice(2, 6).err(), "corpus-index"),
        (corpus.select(&[5]).err(), "corpus-index"),
        (slice.doc(3).err(), "corpus-index"),
    ] {
        assert_eq!(error.unwrap().code(), code);
    }
    let plain = Corpus::from_bytes(bytes(&tokenizer, &docs, &packed(), 3)).unwrap();
    let parts = [chosen, slice, plain];
    let mut told = Vec::new();
    let mut progress = |done| {
        told.push(done);
        Ok(())
    };
    let merged = Corpus::from_bytes(
        merge(&parts, Vec::new(), Path::new("memory"), false, &mut progress).unwrap(),
    );
    let merged = merged.unwrap();
    assert_eq!((merged.len(), told.last()), (11, Some(&11)));
    let order = [4, 0, 1, 1, 2, 3, 0, 1, 2, 3, 4];
    for (doc, from) in merged.iter().zip(order) {
        assert_same(&doc.unwrap(), &docs[from]);
    }
    let years = merged.file_batches().flat_map(|batch| {
        let batch = batch.unwrap();
        let years = batch.column_by_name("year").unwrap();
        let years = arrow_array::cast::as_primitive_array::<arrow_array::types::Int64Type>(years);
        years.iter().collect::<Vec<_>>()
    });
    let expected = [5, 1, 2, 2, 3, 4].map(Some).into_iter().chain([None; 5]);
    assert!(years.eq(expected));
    assert!(merge(&[], Vec::new(), Path::new("memory"), false, &mut |_| Ok(())).is_err());
    let stopped = merge(&parts, Vec::new(), Path::new("memory"), false, &mut |_| {
        Err(Error::value(lexpool::Code::new("stop"), ""))
    });
    assert_eq!(stopped.err().unwrap().code(), "stop");
}

#[test]
fn counts_are_those_of_the_documents() {
    let (tokenizer, docs) = docs();
    let corpus = Corpus::from_bytes(bytes(&tokenizer, &docs, &WriteOptions::default(), 2)).unwrap();
    for attr in ATTRS {
        for part in [corpus.clone(), corpus.slice(2, 5).unwrap(), corpus.select(&[0, 3]).unwrap()] {
            let mut expected = std::collections::BTreeMap::new();
            for doc in part.iter() {
                for (value, count) in doc.unwrap().attrs().count_by(attr) {
                    *expected.entry(value).or_insert(0) += count;
                }
            }
            for threads in [1, 2] {
                let counts: std::collections::BTreeMap<_, _> =
                    part.count_by(attr, threads).unwrap().into_iter().collect();
                assert_eq!(counts, expected, "{attr:?}");
            }
        }
    }
}

#[test]
fn a_corpus_without_documents_is_one() {
    let (tokenizer, _) = docs();
    for options in [WriteOptions::default(), packed()] {
        let corpus = Corpus::from_bytes(bytes(&tokenizer, &[], &options, 1)).unwrap();
        assert!(corpus.is_empty() && corpus.count_by(AttrId::ORTH, 0).unwrap().is_empty());
    }
}

#[test]
fn two_words_of_one_id_are_refused_within_a_vocab_and_between_corpora() {
    let tokenizer = Tokenizer::blank("xx").unwrap();
    let docs = ["nwhmcsvgydilzqao", "jpimytqaE87myorS"].map(|it| tokenizer.tokenize(it).unwrap());
    let piece = MappedWriter::<Vec<u8>>::piece(&docs);
    assert_eq!(piece.err().unwrap().code(), "hash-collision");
    let corpora = ["nwhmcsvgydilzqao", "jpimytqaE87myorS"].map(|text| {
        let tokenizer = Tokenizer::blank("xx").unwrap();
        let docs = [tokenizer.tokenize(text).unwrap()];
        Corpus::from_bytes(bytes(&tokenizer, &docs, &WriteOptions::default(), 1)).unwrap()
    });
    let merged = merge(&corpora, Vec::new(), Path::new("memory"), false, &mut |_| Ok(()));
    assert_eq!(merged.err().unwrap().code(), "hash-collision");
}

#[test]
fn files_that_are_no_corpus_say_what_they_are() {
    let (tokenizer, docs) = docs();
    let whole = bytes(&tokenizer, &docs, &WriteOptions::default(), 2);
    let code = |bytes: &[u8]| Corpus::from_bytes(bytes).err().unwrap().code();
    assert_eq!(code(b""), "corpus-truncated");
    assert_eq!(code(b"ARROW1"), "corpus-truncated");
    assert_eq!(code(&[7; 100]), "corpus-magic");
    assert_eq!(code(&whole[..whole.len() - 1]), "corpus-truncated");
    let mut data_frame = crate::corpus::Arrow::new(Vec::new(), "en").unwrap();
    data_frame.write(crate::corpus::Arrow::<Vec<u8>>::piece(&docs).unwrap()).unwrap();
    let error = Corpus::from_bytes(data_frame.finish().unwrap()).err().unwrap();
    assert_eq!(error.code(), "corpus-magic");
    assert!(error.to_string().contains("corpus convert"));
}

proptest! {
    #[test]
    fn any_texts_come_back(texts in proptest::collection::vec("\\PC{0,40}", 0..12), cut in 1_usize..5) {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let docs: Vec<Doc> = texts.iter().map(|text| tokenizer.tokenize(text).unwrap()).collect();
        for options in [WriteOptions::default(), packed()] {
            let corpus = Corpus::from_bytes(bytes(&tokenizer, &docs, &options, cut)).unwrap();
            for (doc, given) in corpus.iter().zip(&docs) {
                assert_same(&doc.unwrap(), given);
            }
        }
    }
}
