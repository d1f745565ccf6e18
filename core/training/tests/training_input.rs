//! Wrong configurations and corpora, each refused by name before the first step.

#![allow(clippy::disallowed_methods, reason = "tests make files of any kind")]

mod training_corpus;

use std::path::Path;

use lexpool::config::{Section, Value};
use lexpool::formats::DocExtras;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{Annotations, Doc};
use lexpool::{Error, Result};
use lexpool_io::corpus::{AnnotatedDocBin, CorpusWriter};
use lexpool_training::{TrainingPlan, train};

use training_corpus::{Recorder, config};

/// Trains with overrides; the training must fail before its first step, and write nothing.
fn refused(folder: &Path, overrides: &[(&str, Value)]) -> Error {
    let output = folder.join("out");
    let mut recorder = Recorder::default();
    let plan = TrainingPlan::read(&config(folder, overrides));
    let trained = plan.and_then(|plan| train(plan, &output, 1, &mut recorder).map(drop));
    let Err(error) = trained else { panic!("{overrides:?} must be refused") };
    assert!(recorder.reports.is_empty() && recorder.start.is_none(), "{error}");
    assert!(!output.exists(), "nothing is written");
    error
}

/// Checks the code of an error and that its message has all parts.
fn check(error: &Error, code: &str, parts: &[&str]) {
    assert_eq!(error.code(), code, "{error}");
    for part in parts {
        assert!(error.message().contains(part), "{part} is not in: {error}");
    }
}

fn function(registry: &str, name: &str, others: &[(&str, Value)]) -> Value {
    let mut section = Section::default();
    section.set(registry, name);
    for (key, value) in others {
        section.set(key, value.clone());
    }
    Value::Section(section)
}

#[test]
fn values_out_of_range_are_named_with_file_section_key_and_what_is_expected() {
    let folder = tempfile::tempdir().unwrap();
    let (nan, infinity) = (Value::Float(f64::NAN), Value::Float(f64::INFINITY));
    let schedule = |name, others: &[(&str, Value)]| function("@schedules", name, others);
    let float = Value::Float;
    for (key, value, given, expected) in [
        ("training.eval_frequency", Value::Int(0), "is 0", "a whole number from 1 on"),
        ("training.eval_frequency", float(0.5), "is 0.5", "a whole number from 0 on"),
        ("training.max_steps", Value::Int(-1), "is -1", "a whole number from 0 on"),
        ("training.max_epochs", Value::Int(-2), "is -2", "a whole number from -1 on"),
        ("training.patience", Value::Int(-5), "is -5", "a whole number from 0 on"),
        ("training.patience", Value::from("long"), "is \"long\"", "a whole number from 0 on"),
        ("training.seed", Value::Int(-1), "is -1", "a whole number from 0 on"),
        ("training.accumulate_gradient", Value::Int(0), "is 0", "a whole number from 1 on"),
        ("training.dropout", float(1.0), "is 1.0", "a number from 0 to below 1"),
        ("training.dropout", float(-0.1), "is -0.1", "a number from 0 to below 1"),
        ("training.dropout", nan.clone(), "is NaN", "a number from 0 to below 1"),
        ("training.optimizer.learn_rate", nan.clone(), "is NaN", "a finite number from 0 on"),
        ("training.optimizer.learn_rate", float(-0.1), "is -0.1", "a finite number from 0 on"),
        ("training.optimizer.L2", float(-1.0), "is -1.0", "a finite number from 0 on"),
        ("training.optimizer.grad_clip", infinity, "is Infinity", "a finite number from 0 on"),
        ("training.optimizer.eps", nan.clone(), "is NaN", "a finite number from 0 on"),
        ("training.optimizer.beta1", float(1.0), "is 1.0", "a number of more than 0 and below 1"),
        ("training.optimizer.beta2", float(0.0), "is 0.0", "a number of more than 0 and below 1"),
        ("training.batcher.size", Value::Int(0), "is 0.0", "a finite number from 1 on"),
        ("training.batcher.size", Value::from("many"), "is \"many\"", "the section of a schedule"),
        ("training.batcher.tolerance", float(-0.2), "is -0.2", "a finite number from 0 on"),
        ("corpora.train.limit", Value::Int(-1), "is -1", "a whole number from 0 on"),
        ("corpora.dev.max_length", Value::from("1"), "is \"1\"", "a whole number from 0 on"),
        ("training.batcher.size", float(5e9), "is 5000000000.0", "(limit training.batch)"),
        ("training.max_steps", Value::Int(1 << 40), "is 1099511627776", "(limit training.steps)"),
        ("training.max_epochs", Value::Int(1 << 62), "is 4611686018427387904", "training.steps"),
        ("training.patience", Value::Int(1 << 32), "is 4294967296", "expected 0 to 4294967295"),
        ("training.seed", Value::Int(1 << 32), "is 4294967296", "(limit training.seed)"),
        ("training.accumulate_gradient", Value::Int(65_537), "is 65537", "training.parts"),
        (
            "corpora.train.limit",
            Value::Int(1 << 62),
            "is 4611686018427387904",
            "training.documents",
        ),
        ("corpora.train.max_length", Value::Int(1 << 30), "is 1073741824", "(limit doc.length)"),
        ("components.tagger.label_smoothing", float(1.5), "is 1.5", "a number from 0 to below 1"),
        ("components.textcat.threshold", nan.clone(), "is NaN", "a finite number"),
        (
            "training.optimizer.learn_rate",
            schedule(
                "compounding.v1",
                &[("start", float(0.5)), ("stop", float(-1.0)), ("compound", float(-1.0))],
            ),
            "gives -0.5 at step 1",
            "a finite number from 0 on",
        ),
        (
            "training.batcher.size",
            schedule(
                "compounding.v1",
                &[("start", float(100.0)), ("stop", float(0.0)), ("compound", float(0.9))],
            ),
            "gives 0.969",
            "a finite number from 1 on",
        ),
    ] {
        let error = refused(folder.path(), &[(key, value)]);
        let (section, key) = key.rsplit_once('.').unwrap();
        let place = format!("[{section}] \"{key}\" {given}");
        check(&error, "training-config", &["some.cfg", &place, expected]);
    }
    let period = [("min_lr", float(0.0)), ("max_lr", float(1.0)), ("period", Value::Int(0))];
    let cycle = schedule("cyclic_triangular.v1", &period);
    let error = refused(folder.path(), &[("training.optimizer.learn_rate", cycle)]);
    let text = "[training.optimizer.learn_rate] \"period\" is 0; expected a whole number from 1 on";
    check(&error, "training-config", &[text]);
    let weight = Value::Section([("tag_acc".to_owned(), nan)].into_iter().collect());
    let error = refused(folder.path(), &[("training.score_weights", weight)]);
    check(&error, "training-config", &["[training.score_weights] \"tag_acc\" is NaN"]);
}

#[test]
fn unknown_names_are_refused_together() {
    let folder = tempfile::tempdir().unwrap();
    for (key, registry, name) in [
        ("training.batcher", "@batchers", "own.batcher.v1"),
        ("training.batcher.size", "@schedules", "own.schedule.v1"),
        ("training.logger", "@loggers", "own.logger.v1"),
        ("training.optimizer", "@optimizers", "own.optimizer.v1"),
        ("corpora.train", "@readers", "own.reader.v1"),
        ("components.tagger.model", "@architectures", "own.network.v1"),
    ] {
        let error = refused(folder.path(), &[(key, function(registry, name, &[]))]);
        check(&error, "training-unsupported", &["some.cfg", &format!("[{key}]"), name]);
    }
    let error = refused(
        folder.path(),
        &[
            ("initialize.components", function("tager", "x", &[])),
            ("training.train_corpus", Value::from("corpora.other")),
            ("training.frozen_components", Value::List(vec![Value::from("ner")])),
        ],
    );
    check(
        &error,
        "training-config",
        &[
            "[initialize.components.tager] is of a component that the pipeline lacks",
            "names the corpus \"corpora.other\", which is missing",
            "\"frozen_components\" has \"ner\", which the pipeline lacks",
        ],
    );
}

#[test]
fn pipelines_that_cannot_be_trained_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let listener = r#"{"@architectures": "spacy.Tok2VecListener.v1", "width": 16}"#;
    let spans = format!(
        r#"{{"factory": "spancat", "model": {{"@architectures": "spacy.SpanCategorizer.v1",
        "tok2vec": {listener}, "reducer": {{"@layers": "spacy.mean_max_reducer.v1",
        "hidden_size": 8}}, "scorer": {{"@layers": "spacy.LinearLogistic.v1"}}}},
        "suggester": {{"@misc": "spacy.preset_spans_suggester.v1", "spans_key": "x"}}}}"#
    );
    let parser = format!(
        r#"{{"factory": "parser", "multitasks": ["tag"], "model": {{
        "@architectures": "spacy.TransitionBasedParser.v2", "state_type": "parser",
        "extra_state_tokens": false, "hidden_width": 8, "maxout_pieces": 2, "use_upper": true,
        "tok2vec": {listener}}}}}"#
    );
    let second = r#"{"factory": "tok2vec", "model": {"@architectures": "spacy.HashEmbedCNN.v2",
        "width": 16, "depth": 1, "embed_size": 100, "window_size": 1, "maxout_pieces": 2,
        "subword_features": true, "pretrained_vectors": null}}"#;
    let schedule = |name: &str, rest: &str| format!(r#"{{"@schedules": "{name}"{rest}}}"#);
    let rate = "training.optimizer.learn_rate";
    for (overrides, code, parts) in [
        (
            vec![("nlp.disabled", r#"["tagger"]"#.to_owned())],
            "training-unsupported",
            vec!["[nlp] disables \"tagger\"; a disabled component is not trained"],
        ),
        (
            vec![("nlp.pipeline", r#"["tok2vec", "gone"]"#.to_owned())],
            "training-config",
            vec!["[nlp] lists \"gone\", but [components.gone] is missing"],
        ),
        (
            vec![("components.tagger", r#"{"label_smoothing": 0.0}"#.to_owned())],
            "training-config",
            vec!["[components.tagger] lacks the key \"factory\""],
        ),
        (
            vec![("training.frozen_components", r#"["tagger"]"#.to_owned())],
            "training-unsupported",
            vec!["[components.tagger] is frozen, but has no 'source'"],
        ),
        (
            vec![("nlp.pipeline", r#"["tagger"]"#.to_owned())],
            "training-config",
            vec!["[components.tagger] listens to a tok2vec, of which the pipeline has none"],
        ),
        (
            vec![
                ("nlp.pipeline", r#"["tok2vec", "second", "tagger"]"#.to_owned()),
                ("components.second", second.to_owned()),
            ],
            "training-unsupported",
            vec!["[components.tok2vec] and [components.second] are shared both"],
        ),
        (
            vec![
                ("nlp.pipeline", r#"["tok2vec", "parser"]"#.to_owned()),
                ("components.parser", parser),
            ],
            "training-unsupported",
            vec!["[components.parser] has \"multitasks\"", "leave it out"],
        ),
        (
            vec![
                ("nlp.pipeline", r#"["tok2vec", "spancat"]"#.to_owned()),
                ("components.spancat", spans),
            ],
            "training-unsupported",
            vec!["[components.spancat] suggests the spans of a group"],
        ),
        (
            vec![("initialize.components", r#"{"textcat": {"positive_label": "no"}}"#.to_owned())],
            "training-unsupported",
            vec!["[initialize.components.textcat] \"positive_label\" is \"no\""],
        ),
        (
            vec![("initialize.components", r#"{"textcat": {"labels": ["one"]}}"#.to_owned())],
            "E867",
            vec!["\"textcat\" has the only label \"one\", and its labels exclude each other"],
        ),
        (
            vec![(rate, schedule("slanted_triangular.v1", r#", "num_steps": 0, "max_rate": 0.1"#))],
            "training-config",
            vec!["\"learn_rate\" gives -Infinity at step 0; expected a finite number from 0 on"],
        ),
        (
            vec![(
                rate,
                schedule("compounding.v1", r#", "start": 0.1, "stop": 1, "compound": 1.1, "t": 5"#),
            )],
            "training-unsupported",
            vec!["has a first step 't'"],
        ),
    ] {
        let parsed = overrides.iter().map(|(key, json)| (*key, Value::from_json(json).unwrap()));
        let error = refused(folder.path(), &parsed.collect::<Vec<_>>());
        check(&error, code, &parts);
    }
}

#[test]
fn wrong_settings_of_networks_are_named_with_their_section_once() {
    let folder = tempfile::tempdir().unwrap();
    for (key, json, text) in [
        ("textcat.model.no_output_layer", "7", "\"no_output_layer\" is 7; expected true or false"),
        ("textcat.model.ngram_size", "null", "\"ngram_size\" is missing"),
        ("textcat.model.ngram_size", "0", "\"ngram_size\" is not a whole number from 1 on"),
        ("textcat.model", "3", "\"model\" is 3; expected a section"),
        ("textcat.model", r#"{"ngram_size": 1}"#, "it names no architecture"),
        ("tok2vec.model.embed.attrs", "null", "\"attrs\" is missing"),
        ("tok2vec.model.embed.attrs", "1", "\"attrs\" is 1; expected a list"),
        (
            "tok2vec.model.embed.rows",
            "[0, 1]",
            "an item of \"rows\" is not a whole number from 1 on",
        ),
    ] {
        let key = format!("components.{key}");
        let error = refused(folder.path(), &[(&key, Value::from_json(json).unwrap())]);
        let line = error.message().lines().find(|line| line.contains(text));
        let sections = line.map_or(0, |line| line.matches("[components.").count());
        assert_eq!(sections, 1, "{key}: {error}");
    }
}

#[test]
fn categories_that_contradict_each_other_are_named_with_their_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cats.spacy");
    let doc = Doc::from_words(Tokenizer::blank("en").unwrap().vocab(), &[("Yes", false)]).unwrap();
    for (values, code, text) in [
        ([0.5, 1.0], "E851", "has the value 0.5; expected 0 or 1"),
        ([1.0, 1.0], "E895", "several categories have the value 1"),
    ] {
        use lexpool::msgpack::Value as Message;
        let cats = ["a", "b"].map(|name| Message::Str(name.to_owned()));
        let cats = cats.into_iter().zip(values.map(Message::Float)).collect();
        let cats = Message::Map(cats).to_bytes().unwrap().into();
        let extras = DocExtras { cats, ..DocExtras::default() };
        let mut writer = AnnotatedDocBin::annotated(Vec::new());
        writer.write(AnnotatedDocBin::<Vec<u8>>::piece_with([(&doc, extras)]).unwrap()).unwrap();
        std::fs::write(&path, writer.finish().unwrap()).unwrap();
        let error = refused_with(folder.path(), "textcat", &["cats.spacy", "cats.spacy"]);
        check(&error, code, &["cats.spacy, document 0", text]);
    }
}

#[test]
fn what_is_wrong_in_the_shared_component_is_no_fault_of_its_listeners() {
    let folder = tempfile::tempdir().unwrap();
    let depth = ("components.tok2vec.model.encode.depth", Value::Int(1_000_000_000));
    let error = refused(folder.path(), &[depth]);
    check(&error, "training-unsupported", &["\"depth\" is 1000000000"]);
    assert!(!error.message().contains("listens"), "{error}");
}

/// Writes documents, each of words with what is annotated of them.
fn write(path: &Path, docs: &[(&[(&str, bool)], Annotations)]) {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let made = docs.iter().map(|(words, given)| {
        let words: Vec<_> =
            words.iter().map(|(word, space)| ((*word).to_owned(), *space)).collect();
        let mut doc = Doc::from_words(tokenizer.vocab(), &words).unwrap();
        doc.annotate(given).unwrap();
        (doc, DocExtras::default())
    });
    let rows: Vec<_> = made.collect();
    let pairs = rows.iter().map(|(doc, extras)| (doc, extras.clone()));
    let piece = AnnotatedDocBin::<Vec<u8>>::piece_with(pairs).unwrap();
    let mut writer = AnnotatedDocBin::annotated(Vec::new());
    writer.write(piece).unwrap();
    std::fs::write(path, writer.finish().unwrap()).unwrap();
}

/// Trains a pipeline of one component with the documents of a file.
fn refused_with(folder: &Path, component: &str, corpora: &[&str; 2]) -> Error {
    let path = |name: &str| Value::from(folder.join(name).to_str().unwrap());
    let names = ["tok2vec", component].map(Value::from).to_vec();
    let overrides = [
        ("nlp.pipeline", Value::List(names)),
        ("paths.train", path(corpora[0])),
        ("paths.dev", path(corpora[1])),
    ];
    refused(folder, &overrides)
}

#[test]
fn corpora_without_documents_or_annotation_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tags = |tags: &[&str]| Annotations {
        tags: Some(tags.iter().map(|tag| (*tag).to_owned()).collect()),
        ..Annotations::default()
    };
    let cats = [("Cats", true), ("sleep", false)];
    write(&folder.join("empty.spacy"), &[]);
    write(&folder.join("bare.spacy"), &[(&cats, Annotations::default())]);
    write(&folder.join("tags.spacy"), &[(&cats, tags(&["NNS", "VBP"]))]);
    std::fs::create_dir(folder.join("nothing")).unwrap();

    let error = refused_with(folder, "tagger", &["empty.spacy", "tags.spacy"]);
    check(&error, "E986", &["some.cfg", "[corpora.train]", "no documents"]);
    let error = refused_with(folder, "tagger", &["tags.spacy", "empty.spacy"]);
    check(&error, "E986", &["[corpora.dev]"]);
    let error = refused_with(folder, "tagger", &["nothing", "tags.spacy"]);
    check(&error, "file-not-found", &["nothing"]);
    let error = refused_with(folder, "tagger", &["absent.spacy", "tags.spacy"]);
    check(&error, "file-not-found", &["absent.spacy"]);
    for component in ["tagger", "morphologizer", "senter", "lemmatizer", "textcat"] {
        let error = refused_with(folder, component, &["bare.spacy", "tags.spacy"]);
        check(&error, "E143", &[component]);
    }
    let error = refused_with(folder, "morphologizer", &["tags.spacy", "tags.spacy"]);
    check(&error, "E143", &["morphologizer"]);
}

#[test]
fn damaged_files_are_named_before_the_first_step() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.spacy");
    training_corpus::write_corpus(&whole);
    let bytes = std::fs::read(&whole).unwrap();
    for (name, damaged) in [
        ("cut.spacy", bytes[..bytes.len() / 2].to_vec()),
        ("none.spacy", Vec::new()),
        ("text.spacy", b"The cats sleep.".to_vec()),
        ("flipped.spacy", {
            let mut bytes = bytes.clone();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            bytes
        }),
    ] {
        std::fs::write(folder.path().join(name), damaged).unwrap();
        for corpora in [[name, "whole.spacy"], ["whole.spacy", name]] {
            let error = refused_with(folder.path(), "tagger", &corpora);
            assert!(error.message().contains(name), "{error}");
        }
    }
}

#[test]
fn all_documents_that_do_not_align_or_have_unknown_labels_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tags = |tags: &[&str]| Annotations {
        tags: Some(tags.iter().map(|tag| (*tag).to_owned()).collect()),
        ..Annotations::default()
    };
    let cats = [("Cats", true), ("sleep", false)];
    write(
        &folder.join("labels.spacy"),
        &[
            (&cats, tags(&["NNS", "VBP"])),
            (&cats, tags(&["NNS", "VBZ"])),
            (&cats, tags(&["NN", "VBP"])),
        ],
    );
    let labels = Value::List(vec!["NNS".into(), "VBP".into()]);
    let given: Section = [("labels".to_owned(), labels)].into_iter().collect();
    let given: Section = [("tagger".to_owned(), given.into())].into_iter().collect();
    let path = Value::from(folder.join("labels.spacy").to_str().unwrap());
    let pipeline = ["tok2vec", "tagger"].map(Value::from).to_vec();
    let overrides = [
        ("nlp.pipeline", Value::List(pipeline)),
        ("paths.train", path.clone()),
        ("paths.dev", path),
        ("initialize.components", given.into()),
    ];
    let error = refused(folder, &overrides);
    check(
        &error,
        "training-corpus",
        &[
            "component \"tagger\"",
            "2 documents",
            "labels.spacy, document 1: the label \"VBZ\" is not among the given labels",
            "labels.spacy, document 2: the label \"NN\"",
        ],
    );
}

#[test]
fn a_loss_that_is_not_finite_stops_with_its_step_and_component() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let overrides = [
        ("training.optimizer.learn_rate", Value::Float(3e38)),
        ("training.optimizer.grad_clip", Value::Float(0.0)),
        ("training.optimizer.L2", Value::Float(0.0)),
        ("training.dropout", Value::Float(0.0)),
    ];
    let plan = TrainingPlan::read(&config(folder.path(), &overrides))?;
    let mut recorder = Recorder::default();
    let output = folder.path().join("out");
    let error = train(plan, &output, 1, &mut recorder).map(drop).unwrap_err();
    check(&error, "E910", &["the loss of the component", "at step ", "corpus.spacy, document"]);
    // The folders of the last evaluation stay.
    assert!(output.join("model-best").is_dir() && output.join("state").is_file());
    Ok(())
}
