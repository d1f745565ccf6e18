//! Linkers of entities that are trained from a configuration, saved, loaded and gone on with.

#![allow(clippy::disallowed_methods, reason = "tests make files of any kind")]

mod training_corpus;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use lexpool::Error;
use lexpool::config::{Config, Section, Value};
use lexpool::formats::DocExtras;
use lexpool::knowledge::KnowledgeBase;
use lexpool::loading::{LoadOptions, load};
use lexpool::structs::AttrId;
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::{Annotations, Doc};
use lexpool_io::corpus::{AnnotatedDocBin, CorpusWriter};
use lexpool_training::{Oddity, TrainingPlan, TrainingResult, report_data, resume, train};

use training_corpus::{Recorder, config, file};

/// The sections of a recognizer of entities and of a linker with token vectors of its own.
const COMPONENTS: &str = r#"
[components]

[components.sentencizer]
factory = "sentencizer"

[components.ner]
factory = "ner"

[components.ner.model]
@architectures = "spacy.TransitionBasedParser.v2"
state_type = "ner"
extra_state_tokens = false
hidden_width = 8
maxout_pieces = 2
use_upper = true

[components.ner.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 16

[components.links]
factory = "entity_linker"

[components.links.model]
@architectures = "spacy.EntityLinker.v2"

[components.links.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
width = 16
depth = 1
embed_size = 200
window_size = 1
maxout_pieces = 2
subword_features = true
pretrained_vectors = null

[initialize]

[initialize.components]

[initialize.components.links]

[initialize.components.links.kb_loader]
@misc = "spacy.KBFromFile.v1"
"#;

/// Sentences with what "Ada" is in each.
const SENTENCES: [(&str, &str); 4] = [
    ("Ada wrote a program .", "Q7259"),
    ("Ada sang a song .", "Q222"),
    ("A program of Ada ran .", "Q7259"),
    ("A song of Ada rang .", "Q222"),
];

/// Writes documents of two sentences with an entity each.
fn write_corpus(path: &Path) {
    let vocab = Tokenizer::blank("en").unwrap();
    let vocab = vocab.vocab();
    let mut docs = Vec::new();
    for first in SENTENCES {
        for second in SENTENCES {
            let sentences = [first, second].map(|(text, _)| text.split(' ').collect::<Vec<_>>());
            let lengths = sentences.each_ref().map(Vec::len);
            let words: Vec<(&str, bool)> =
                sentences.concat().into_iter().map(|word| (word, true)).collect();
            let starts =
                (0..words.len()).map(|at| if at == 0 || at == lengths[0] { 1 } else { -1 });
            let tag = |(word, _): &(&str, bool)| if *word == "Ada" { "B-PER" } else { "O" };
            let mut doc = Doc::from_words(vocab, &words).unwrap();
            let given = Annotations {
                sent_starts: Some(starts.collect()),
                ents: Some(words.iter().map(|word| Some(tag(word).to_owned())).collect()),
                ..Annotations::default()
            };
            doc.annotate(&given).unwrap();
            for (at, (word, _)) in words.iter().enumerate().filter(|(_, (word, _))| *word == "Ada")
            {
                let (_, link) = if at < lengths[0] { first } else { second };
                let link = vocab.strings().add(link).unwrap();
                doc.attrs_mut().set(at, AttrId::ENT_KB_ID, link.get()).unwrap();
                assert_eq!(doc.token(at).unwrap().text(), *word);
            }
            docs.push((doc, DocExtras::default()));
        }
    }
    let pairs = docs.iter().map(|(doc, extras)| (doc, extras.clone()));
    let piece = AnnotatedDocBin::<Vec<u8>>::piece_with(pairs).unwrap();
    let mut writer = AnnotatedDocBin::annotated(Vec::new());
    writer.write(piece).unwrap();
    std::fs::write(path, writer.finish().unwrap()).unwrap();
}

/// Writes a knowledge base that knows two persons of the name "Ada".
fn write_knowledge(folder: &Path, entities: &[&str]) {
    let vocab = Tokenizer::blank("en").unwrap();
    let strings = vocab.vocab().strings();
    let mut base = KnowledgeBase::new(3);
    for (entity, vector) in entities.iter().zip([[6.0, -4.0, 3.0], [9.0, 1.0, -7.0]]) {
        strings.add(entity).unwrap();
        base.add_entity(entity, 1.0, &vector).unwrap();
    }
    let candidates: Vec<(&str, f64)> = entities.iter().map(|entity| (*entity, 0.5)).collect();
    strings.add("Ada").unwrap();
    base.add_alias("Ada", &candidates).unwrap();
    base.save(folder, strings).unwrap();
}

const ENTITIES: [&str; 2] = ["Q7259", "Q222"];

fn names(names: &[&str]) -> Value {
    Value::List(names.iter().map(|name| Value::from(*name)).collect())
}

/// A configuration of some steps over the corpus, which are written into the folder.
fn linking_config(folder: &Path, overrides: &[(&str, Value)]) -> Config {
    let (corpus, base) = (folder.join("links.spacy"), folder.join("kb"));
    write_corpus(&corpus);
    if !base.exists() {
        write_knowledge(&base, &ENTITIES);
    }
    let mut own = config(folder, &[]).merge(&Config::parse(COMPONENTS, "some.cfg").unwrap());
    let path = |path: &PathBuf| Value::from(path.to_str().unwrap());
    let given = [
        ("paths.train", path(&corpus)),
        ("paths.dev", path(&corpus)),
        ("initialize.components.links.kb_loader.kb_path", path(&base)),
        ("nlp.pipeline", names(&["tok2vec", "sentencizer", "ner", "links"])),
        ("training.annotating_components", names(&["sentencizer"])),
    ];
    for (name, value) in given.iter().chain(overrides) {
        own.set(name, value.clone()).unwrap();
    }
    own
}

struct Trained {
    folder: tempfile::TempDir,
    recorder: Recorder,
    result: TrainingResult,
}

fn trained(overrides: &[(&str, Value)], threads: usize) -> Trained {
    let folder = tempfile::tempdir().unwrap();
    let plan = TrainingPlan::read(&linking_config(folder.path(), overrides)).unwrap();
    let mut recorder = Recorder::default();
    let result = train(plan, &folder.path().join("out"), threads, &mut recorder).unwrap();
    Trained { folder, recorder, result }
}

/// Returns a score of the last evaluation.
fn score(trained: &Trained, name: &str) -> f64 {
    let last = trained.recorder.reports.last().unwrap().evaluation.as_ref().unwrap();
    last.scores.get(name).and_then(Value::as_float).unwrap()
}

/// Returns the links that the pipeline in a folder gives to the entities of a text.
fn links(folder: &Path, text: &str) -> Vec<String> {
    let nlp = load(folder, &LoadOptions::default()).unwrap();
    let text = Text::Owned(text.to_owned());
    let annotated = nlp.pipeline.annotate(text, &AtomicBool::default());
    let doc = annotated.map_err(|failed| failed.into_error()).unwrap().doc;
    let tokens = doc.iter().map(|token| token.text_of(AttrId::ENT_KB_ID).to_owned());
    tokens.filter(|link| !link.is_empty()).collect()
}

#[test]
fn a_linker_learns_a_small_corpus_and_links_alike_once_it_is_loaded() {
    let listener = [
        ("components.links.model.tok2vec", {
            let mut section = Section::default();
            section.set("@architectures", "spacy.Tok2VecListener.v1");
            section.set("width", 16_i64);
            Value::Section(section)
        }),
        ("components.links.use_gold_ents", Value::Bool(false)),
        ("training.annotating_components", names(&["sentencizer", "ner"])),
    ];
    for overrides in [&[][..], &listener] {
        let trained = trained(overrides, 1);
        for name in ["nel_micro_f", "ents_f"] {
            assert!(score(&trained, name) > 0.95, "{name}: {}", score(&trained, name));
        }
        let text = "Ada sang a song . A program of Ada ran .";
        assert_eq!(links(&trained.result.model_best, text), ["Q222", "Q7259"]);
        let last = &trained.result.model_last;
        assert_eq!(file(last, "links/cfg"), b"{\n  \"overwrite\":true\n}");
        for name in ["contents", "strings.json"] {
            let own = file(last, &format!("links/kb/{name}"));
            assert!(own == file(&trained.folder.path().join("kb"), name));
        }
    }
}

#[test]
fn gold_entities_are_linked_for_the_scores_of_a_pipeline_that_finds_none() {
    let overrides = [("nlp.pipeline", names(&["sentencizer", "links"]))];
    let trained = trained(&overrides, 1);
    assert!(score(&trained, "nel_micro_f") > 0.95);
    assert!(score(&trained, "nel_macro_p") > 0.95);
    let last = trained.recorder.reports.last().unwrap();
    assert!(last.losses.iter().any(|(name, loss)| name == "links" && *loss > 0.0));
}

#[test]
fn the_first_version_learns_from_sentences_that_are_cut_out() {
    let overrides = [
        ("components.links.model.@architectures", Value::from("spacy.EntityLinker.v1")),
        ("components.links.n_sents", Value::Int(1)),
    ];
    let trained = trained(&overrides, 1);
    let losses = |at: usize| {
        let losses = &trained.recorder.reports[at].losses;
        losses.iter().find(|(name, _)| name == "links").unwrap().1
    };
    assert!(losses(60) < 20.0 * losses(0), "{} {}", losses(0), losses(60));
    assert_eq!(links(&trained.result.model_last, "Ada sang .").len(), 1);
}

#[test]
fn any_number_of_threads_and_a_stop_on_the_way_give_the_same_bytes() {
    let short =
        [("training.max_steps", Value::Int(12)), ("training.eval_frequency", Value::Int(6))];
    let whole = trained(&short, 1);
    let files = ["tok2vec/model", "ner/model", "links/model", "links/kb/contents", "meta.json"];
    let contents = |folder: &Path| files.map(|name| file(folder, name));
    let expected = contents(&whole.result.model_last);
    assert!(contents(&trained(&short, 3).result.model_last) == expected, "three threads");
    for step in [0, 5, 7] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let plan = || TrainingPlan::read(&linking_config(folder.path(), &short)).unwrap();
        let mut recorder = Recorder { stop_after: Some(step), ..Recorder::default() };
        train(plan(), &out, 2, &mut recorder).unwrap();
        let result = resume(plan(), &out, 3, &mut Recorder::default()).unwrap();
        assert!(contents(&result.model_last) == expected, "after step {step}");
        write_knowledge(&folder.path().join("kb"), &["Q222", "Q7259"]);
        let other = resume(plan(), &out, 1, &mut Recorder::default()).unwrap_err();
        assert_eq!(other.code(), "state-different");
        assert!(other.message().contains("the knowledge base of the component \"links\""));
    }
}

fn refused(overrides: &[(&str, Value)]) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let plan = TrainingPlan::read(&linking_config(folder.path(), overrides));
    let trained = plan.and_then(|plan| {
        train(plan, &folder.path().join("out"), 1, &mut Recorder::default()).map(drop)
    });
    assert!(!folder.path().join("out").exists(), "nothing is written");
    trained.unwrap_err()
}

#[test]
fn wrong_settings_and_knowledge_bases_are_refused_before_the_first_step() {
    const LOADER: &str = "initialize.components.links.kb_loader";
    let path = format!("{LOADER}.kb_path");
    let function = format!("{LOADER}.@misc");
    let mut own = Section::default();
    own.set("@misc", "own.v1");
    for (key, value, code, part) in [
        (LOADER, Value::Null, "E139", "links"),
        (&path, Value::from("nowhere"), "file-not-found", "nowhere"),
        (&path, Value::Null, "training-config", "kb_path"),
        (&function, Value::from("own.v1"), "training-unsupported", "own.v1"),
        ("components.links.threshold", Value::Float(1.5), "training-config", "from 0 to 1"),
        ("components.links.candidates_batch_size", Value::Int(0), "training-config", "from 1 on"),
        ("components.links.n_sent", Value::Int(1), "training-config", "n_sents"),
        ("components.links.get_candidates", own.into(), "training-unsupported", "own.v1"),
    ] {
        let error = refused(&[(key, value)]);
        assert_eq!(error.code(), code, "{key}: {error}");
        assert!(error.message().contains(part), "{error}");
    }
    let unlinked = training_corpus_path();
    let error = refused(&[("paths.train", Value::from(unlinked.path().to_str().unwrap()))]);
    assert_eq!(error.code(), "E143");
}

/// Writes a corpus without links.
fn training_corpus_path() -> tempfile::NamedTempFile {
    let path = tempfile::Builder::new().suffix(".spacy").tempfile().unwrap();
    training_corpus::write_corpus(path.path());
    path
}

#[test]
fn a_report_counts_links_that_cannot_be_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let report = || {
        let plan = TrainingPlan::read(&linking_config(folder.path(), &[])).unwrap();
        let report = report_data(&plan).unwrap();
        report.components.into_iter().find(|own| own.name == "links").unwrap()
    };
    let found = report();
    assert_eq!(found.labels, [("PER".to_owned(), [32, 32])]);
    assert_eq!((found.annotated, found.oddities.len()), ([16, 16], 0));
    write_knowledge(&folder.path().join("kb"), &ENTITIES[..1]);
    assert_eq!(report().oddities, [(Oddity::UnknownLink, [16, 16])]);
}
