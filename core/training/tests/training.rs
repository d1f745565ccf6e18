//! Pipelines that are trained from a configuration, saved and loaded again.

#![allow(clippy::disallowed_methods, reason = "tests make files of any kind")]

mod training_corpus;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use lexpool::Error;
use lexpool::config::Value;
use lexpool::loading::{LoadOptions, load};
use lexpool::structs::AttrId;
use lexpool::tokenizer::Text;
use lexpool_training::{Ending, EvaluationTable, TrainingPlan, TrainingResult, train};

use training_corpus::{Recorder, config, file, write_corpus};

struct Trained {
    folder: tempfile::TempDir,
    recorder: Recorder,
    result: TrainingResult,
    table: EvaluationTable,
}

fn trained(overrides: &[(&str, Value)], threads: usize, stop_after: Option<usize>) -> Trained {
    let folder = tempfile::tempdir().unwrap();
    let plan = TrainingPlan::read(&config(folder.path(), overrides)).unwrap();
    let names = plan.component_names().map(str::to_owned).collect();
    let table = EvaluationTable::new(names, &plan.settings().score_weights);
    let mut recorder = Recorder { stop_after, ..Recorder::default() };
    let result = train(plan, &folder.path().join("out"), threads, &mut recorder).unwrap();
    Trained { folder, recorder, result, table }
}

/// Returns the values of all annotation that the pipeline in a folder gives to a text.
fn annotation(folder: &Path, text: &str) -> Vec<Vec<u64>> {
    let nlp = load(folder, &LoadOptions::default()).unwrap();
    let text = Text::Owned(text.to_owned());
    let doc = nlp.pipeline.annotate(text, &AtomicBool::default()).unwrap();
    let attrs = [AttrId::TAG, AttrId::POS, AttrId::MORPH, AttrId::LEMMA, AttrId::SENT_START];
    attrs.map(|attr| doc.doc.attrs().column(attr)).to_vec()
}

#[test]
fn all_components_learn_a_small_corpus_and_are_loaded_as_they_were_evaluated() {
    let Trained { folder, recorder, result, table } = trained(&[], 1, None);
    assert_eq!(result.ending, Ending::MaxSteps);
    assert_eq!(recorder.reports.len(), 61, "as in spaCy, the step of the last number is made");
    let last = recorder.reports.last().unwrap().evaluation.as_ref().unwrap();
    let score = |name: &str| last.scores.get(name).and_then(Value::as_float).unwrap();
    for name in ["tag_acc", "pos_acc", "morph_acc", "lemma_acc", "sents_f", "cats_macro_f"] {
        assert!(score(name) > 0.9, "{name}: {}", score(name));
    }
    assert!(score("token_acc") > 1.0 - 1e-12);
    let [first, .., last] = &recorder.reports[..] else { panic!("two reports") };
    for ((name, before), (_, after)) in first.losses.iter().zip(&last.losses) {
        // The first line has the loss of one step, the last one that of twenty.
        assert!(name == "tok2vec" || *after < 20.0 * before, "{name}: {before} {after}");
    }
    let [header, _] = table.header();
    assert!(
        header.starts_with("E    #       LOSS TOK2VEC  LOSS TAGGER  LOSS MORPH..."),
        "{header}"
    );
    let row = table.row(&recorder.reports[20]).unwrap();
    assert_eq!(row.chars().count(), header.chars().count());
    let meta = Value::from_json(&String::from_utf8(file(&result.model_last, "meta.json")).unwrap());
    let meta = meta.unwrap();
    let section = |name: &str| meta.as_section().unwrap().get(name).unwrap().as_section().unwrap();
    assert_eq!(
        section("performance").get("tag_acc").and_then(Value::as_float),
        Some(score("tag_acc"))
    );
    let tags = section("labels").get("tagger").and_then(Value::as_texts).unwrap();
    assert_eq!(tags, [".", "DT", "NN", "NNS", "PRP", "RB", "VBP", "VBZ"]);
    assert!(section("labels").get("senter").is_none());
    let (best, text) = (&result.model_best, "The cats sleep . She works .");
    let columns = annotation(best, text);
    assert_eq!(columns[0][1], lexpool::strings::StrId::of("NNS").get());
    assert_eq!(columns[4], [1, u64::MAX, u64::MAX, u64::MAX, 1, u64::MAX, u64::MAX]);
    let leftover = std::fs::read_dir(folder.path().join("out")).unwrap().count();
    assert_eq!(leftover, 3, "nothing but the two folders and the state is left");
}

#[test]
fn the_same_seed_gives_the_same_files_on_any_number_of_threads() {
    let short =
        [("training.max_steps", Value::Int(12)), ("training.eval_frequency", Value::Int(6))];
    let models: Vec<Vec<Vec<u8>>> = [1, 3]
        .map(|threads| {
            let trained = trained(&short, threads, None);
            let files = ["tok2vec/model", "tagger/model", "textcat/model", "lemmatizer/trees"];
            files.map(|name| file(&trained.result.model_last, name)).to_vec()
        })
        .to_vec();
    assert!(models[0] == models[1]);
    let other = [short.to_vec(), vec![("system.seed", Value::Int(2))]].concat();
    let other = trained(&other, 1, None);
    assert_ne!(file(&other.result.model_last, "tagger/model"), models[0][1]);
}

#[test]
fn a_stopped_training_saves_the_state_after_the_batch_at_hand() {
    let Trained { folder: _folder, recorder, result, .. } = trained(&[], 1, Some(25));
    assert_eq!((result.ending, recorder.reports.len()), (Ending::Stopped, 26));
    assert!(result.model_best.is_dir());
    assert_ne!(
        file(&result.model_last, "tagger/model"),
        file(&result.model_best, "tagger/model"),
        "the last state is that of step 25, the best one of an evaluation"
    );
    annotation(&result.model_last, "It works.");
}

#[test]
fn averages_are_evaluated_and_saved() {
    let overrides = [
        ("training.optimizer.use_averages", Value::Bool(true)),
        ("training.max_steps", Value::Int(20)),
    ];
    let with = trained(&overrides, 1, None);
    let without = trained(&overrides[1..], 1, None);
    assert_ne!(
        file(&with.result.model_last, "tagger/model"),
        file(&without.result.model_last, "tagger/model")
    );
}

#[test]
fn patience_ends_a_training_that_improves_no_more() {
    let overrides = [
        ("training.patience", Value::Int(20)),
        ("training.max_steps", Value::Int(0)),
        ("training.optimizer.learn_rate", Value::Float(0.0)),
    ];
    let Trained { recorder, result, .. } = trained(&overrides, 1, None);
    assert_eq!((result.ending, recorder.reports.len()), (Ending::Patience, 21));
    assert_eq!(result.best.map(|(_, step)| step), Some(0));
}

#[test]
fn gradients_of_parts_of_a_batch_add_up_to_those_of_the_batch() {
    let overrides = [
        ("training.dropout", Value::Float(0.0)),
        ("training.max_steps", Value::Int(2)),
        ("training.eval_frequency", Value::Int(2)),
    ];
    let losses = |overrides: &[(&str, Value)]| {
        let trained = trained(overrides, 1, None);
        trained.recorder.reports[2].losses.clone()
    };
    let whole = losses(&overrides);
    let parts =
        losses(&[&overrides[..], &[("training.accumulate_gradient", Value::Int(3))]].concat());
    for ((name, whole), (_, parts)) in
        whole.iter().zip(&parts).filter(|((name, _), _)| name != "textcat")
    {
        assert!((whole - parts).abs() < 1e-3 * whole.abs(), "{name}: {whole} {parts}");
    }
}

#[test]
fn a_frozen_component_of_another_pipeline_stays_as_it_is() {
    let short = [("training.max_steps", Value::Int(8)), ("training.eval_frequency", Value::Int(4))];
    let first = trained(&short, 1, None);
    let text = |value: &str| Value::from(value);
    let sourced = |folder: &Path| {
        let mut section = lexpool::config::Section::default();
        section.set("source", folder.to_str().unwrap());
        Value::Section(section)
    };
    let source = first.result.model_last.clone();
    let mut overrides = short.to_vec();
    overrides.extend([
        ("components.tok2vec", sourced(&source)),
        ("components.tagger", sourced(&source)),
        ("training.frozen_components", Value::List(vec![text("tok2vec"), text("tagger")])),
        ("training.annotating_components", Value::List(vec![text("tok2vec")])),
    ]);
    let second = trained(&overrides, 1, None);
    for name in ["tok2vec/model", "tagger/model", "tagger/cfg"] {
        assert_eq!(file(&source, name), file(&second.result.model_last, name), "{name}");
    }
    let senter = |folder: &PathBuf| file(folder, "senter/model");
    assert_ne!(senter(&source), senter(&second.result.model_last));
    let trained: Vec<_> = second.recorder.start.unwrap().trained;
    assert_eq!(trained, ["morphologizer", "senter", "lemmatizer", "textcat"]);
}

fn refused(overrides: &[(&str, Value)]) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let plan = TrainingPlan::read(&config(folder.path(), overrides));
    let trained = plan.and_then(|plan| {
        train(plan, &folder.path().join("out"), 1, &mut Recorder::default()).map(drop)
    });
    assert!(!folder.path().join("out").exists(), "nothing is written");
    trained.unwrap_err()
}

#[test]
fn unknown_keys_are_refused_together_each_with_the_nearest_one() {
    let error = refused(&[
        ("training.max_step", Value::Int(1)),
        ("training.optimizer.beta_1", Value::Float(0.5)),
        ("nlp.pipelines", Value::Null),
        ("components.tagger.labels", Value::Null),
        ("training.dropout", Value::Float(1.5)),
    ]);
    assert_eq!(error.code(), "training-config");
    for part in [
        "some.cfg",
        "[training] has the unknown key \"max_step\"; the nearest known key is \"max_steps\"",
        "[training.optimizer] has the unknown key \"beta_1\"; the nearest known key is \"beta1\"",
        "[nlp] has the unknown key \"pipelines\"",
        "[components.tagger] has the unknown key \"labels\"",
        "[training] \"dropout\" is 1.5; expected a number from 0 to below 1",
    ] {
        assert!(error.message().contains(part), "{part}: {}", error.message());
    }
}

#[test]
fn what_lexpool_does_not_train_is_refused_before_the_first_step() {
    let function = |registry: &str, name: &str| {
        let mut section = lexpool::config::Section::default();
        section.set(registry, name);
        Value::Section(section)
    };
    for (key, value, part) in [
        ("training.before_update", function("@callbacks", "own.v1"), "before_update"),
        ("training.optimizer", function("@optimizers", "own.v1"), "own.v1"),
        ("training.logger", function("@loggers", "spacy.WandbLogger.v1"), "WandbLogger"),
        ("corpora.train.augmenter", function("@augmenters", "my_augmenter.v1"), "my_augmenter"),
        ("components.tagger.factory", Value::from("transformer"), "transformer"),
        ("components.tagger.model", function("@architectures", "own.v1"), "own.v1"),
    ] {
        let error = refused(&[(key, value)]);
        assert_eq!(error.code(), "training-unsupported", "{key}: {error}");
        assert!(error.message().contains(part), "{error}");
    }
    assert_eq!(refused(&[("paths.train", Value::Null)]).code(), "E913");
    assert_eq!(refused(&[("paths.train", Value::from("nowhere"))]).code(), "file-not-found");
    assert_eq!(refused(&[("corpora.train.max_length", Value::Int(2))]).code(), "E986");
}

/// Returns the numbers of examples and of words to train with, and of what was too long.
fn read_counts(overrides: &[(&str, Value)]) -> (usize, usize, usize) {
    let mut overrides = overrides.to_vec();
    overrides.push(("training.max_steps", Value::Int(1)));
    // Sentences have no categories to learn.
    let pipeline = ["tok2vec", "tagger"].map(Value::from).to_vec();
    overrides.push(("nlp.pipeline", Value::List(pipeline)));
    let start = trained(&overrides, 1, None).recorder.start.unwrap();
    (start.train.0, start.train.1, start.too_long[0])
}

#[test]
fn corpora_are_cut_as_spacy_cuts_them() {
    // Eight documents of 8, 8, 8, 8, 10, 8, 6 and 8 words.
    let whole = read_counts(&[]);
    assert_eq!(whole, (8, 64, 0));
    assert_eq!(read_counts(&[("corpora.train.limit", Value::Int(3))]), (3, 24, 0));
    let sentences = read_counts(&[("corpora.train.gold_preproc", Value::Bool(true))]);
    assert_eq!(sentences, (16, 64, 0));
    // Documents of five words or more are cut, and sentences of five dropped.
    let cut = read_counts(&[("corpora.train.max_length", Value::Int(5))]);
    assert_eq!(cut, (12, 44, 4));
    // spaCy ends the file at hand at the limit, and each later one after its first document.
    let folder = tempfile::tempdir().unwrap();
    for name in ["b.spacy", "a.spacy", ".hidden.spacy", "c.txt"] {
        write_corpus(&folder.path().join(name));
    }
    let path = Value::from(folder.path().to_str().unwrap());
    let limit = ("corpora.train.limit", Value::Int(2));
    assert_eq!(read_counts(&[limit, ("corpora.train.path", path)]).0, 3);
}
