//! Trainings that are stopped and go on, to the bytes of those that were not.

#![allow(clippy::disallowed_methods, reason = "tests make files of any kind")]

mod training_corpus;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use lexpool::config::{Config, Section, Value};
use lexpool::pipeline_files::SAVE_NUMBER;
use lexpool::{Error, Result};
use lexpool_nn::{InstructionSet, limit_instructions};
use lexpool_training::{Ending, STATE, TrainingPlan, TrainingResult, resume, train};

use training_corpus::{Recorder, config, listener, write_corpus};

/// Returns the sections of a component with a network of states.
fn states(factory: &str, settings: &str, kind: &str) -> String {
    let network = format!(
        "state_type = {kind:?}\nextra_state_tokens = false\nhidden_width = 8\nmaxout_pieces = 2\n\
         use_upper = true\nnO = null"
    );
    listener([factory, factory, settings, "TransitionBasedParser.v2", &network])
}

/// A configuration of twenty steps over some epochs, with all components and averages.
fn short_config(folder: &Path, overrides: &[(&str, Value)]) -> Config {
    let mut own = config(folder, &[]);
    let parser = "min_action_freq = 1\nupdate_with_oracle_cut_size = 3";
    let networks =
        states("parser", parser, "parser") + &states("beam_ner", "beam_width = 3", "ner");
    let networks = format!("[components]\n{networks}");
    own = own.merge(&Config::parse(&networks, "some.cfg").unwrap());
    let names = ["tok2vec", "tagger", "lemmatizer", "textcat", "parser", "beam_ner"];
    let pipeline = Value::List(names.map(Value::from).to_vec());
    let given = [
        ("nlp.pipeline", pipeline),
        ("training.max_steps", Value::Int(17)),
        ("training.eval_frequency", Value::Int(6)),
        ("training.accumulate_gradient", Value::Int(2)),
        ("training.optimizer.use_averages", Value::Bool(true)),
    ];
    for (name, value) in given.iter().chain(overrides) {
        own.set(name, value.clone()).unwrap();
    }
    own
}

/// Returns all files below a folder with their contents.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    fn new() -> Run {
        Run { folder: tempfile::tempdir().unwrap() }
    }

    fn run(
        &self,
        goes_on: bool,
        overrides: &[(&str, Value)],
        recorder: &mut Recorder,
    ) -> Result<TrainingResult> {
        let plan = TrainingPlan::read(&short_config(self.folder.path(), overrides))?;
        let output = self.folder.path().join("out");
        if goes_on { resume(plan, &output, 2, recorder) } else { train(plan, &output, 1, recorder) }
    }

    fn stopped_after(&self, step: usize, overrides: &[(&str, Value)]) {
        let mut recorder = Recorder { stop_after: Some(step), ..Recorder::default() };
        let result = self.run(false, overrides, &mut recorder).unwrap();
        assert_eq!(result.ending, Ending::Stopped);
    }

    /// Returns the files of the two pipelines and the state, but for the paths of corpora and the
    /// numbers of saves, which follow from these, too.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = contents(&self.folder.path().join("out"));
        files.retain(|name, _| !name.ends_with(SAVE_NUMBER));
        let folder = self.folder.path().to_str().unwrap();
        for (name, bytes) in &mut files {
            if name.ends_with("config.cfg") {
                *bytes = String::from_utf8(bytes.clone()).unwrap().replace(folder, "").into();
            }
        }
        files
    }
}

fn assert_same(
    found: &BTreeMap<String, Vec<u8>>,
    expected: &BTreeMap<String, Vec<u8>>,
    case: &str,
) {
    let names: Vec<_> = expected.keys().collect();
    assert_eq!(found.keys().collect::<Vec<_>>(), names, "{case}");
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{case}: {name} has other bytes");
    }
}

#[test]
fn a_training_that_was_stopped_goes_on_to_the_bytes_of_one_that_was_not() {
    let whole = Run::new();
    let mut recorder = Recorder::default();
    whole.run(false, &[], &mut recorder).unwrap();
    let expected = whole.files();
    assert!(expected.contains_key("model-best/parser/moves") && expected.contains_key(STATE));
    let epochs = recorder.reports.last().unwrap().epoch;
    assert!(epochs >= 3, "the stops lie in several epochs: {epochs}");
    for step in [0, 1, 4, 6, 11, 12, 16, 17] {
        let run = Run::new();
        run.stopped_after(step, &[]);
        let mut recorder = Recorder::default();
        let result = run.run(true, &[], &mut recorder).unwrap();
        assert_eq!(result.ending, Ending::MaxSteps);
        let first = recorder.reports.first().map(|report| report.step);
        assert_eq!(first, Some(step + 1).filter(|first| *first <= 17));
        assert_eq!(recorder.start.unwrap().first_step, step + 1);
        assert_same(&run.files(), &expected, &format!("stopped after step {step}"));
    }
}

#[test]
fn a_training_may_be_stopped_after_each_step() {
    let whole = Run::new();
    whole.run(false, &[], &mut Recorder::default()).unwrap();
    let run = Run::new();
    run.stopped_after(0, &[]);
    for step in 1..=17 {
        let mut recorder = Recorder { stop_after: Some(step), ..Recorder::default() };
        run.run(true, &[], &mut recorder).unwrap();
        assert_eq!(recorder.reports.len(), 1);
    }
    assert_same(&run.files(), &whole.files(), "stopped after each step");
}

#[test]
fn an_evaluation_that_was_stopped_is_made_again() {
    let whole = Run::new();
    whole.run(false, &[], &mut Recorder::default()).unwrap();
    let mut stopped = 0;
    for checks in (0..40).step_by(3) {
        let run = Run::new();
        let mut recorder = Recorder { checks_left: Cell::new(Some(checks)), ..Recorder::default() };
        match run.run(false, &[], &mut recorder) {
            // A stop before the first step saves nothing.
            Err(error) => assert_eq!(error.code(), "interrupted"),
            Ok(result) => {
                stopped += usize::from(result.ending == Ending::Stopped);
                run.run(true, &[], &mut Recorder::default()).unwrap();
                assert_same(&run.files(), &whole.files(), &format!("stopped at check {checks}"));
            }
        }
    }
    assert!(stopped > 3, "{stopped} trainings were stopped");
}

#[test]
fn a_stream_and_a_number_of_epochs_go_on_too() {
    for epochs in [-1, 3] {
        let overrides = [
            ("training.max_epochs", Value::Int(epochs)),
            ("training.max_steps", Value::Int(if epochs < 0 { 17 } else { 0 })),
        ];
        let whole = Run::new();
        let ended = whole.run(false, &overrides, &mut Recorder::default()).unwrap().ending;
        assert_eq!(ended == Ending::MaxEpochs, epochs > 0);
        for step in [3, 7] {
            let run = Run::new();
            run.stopped_after(step, &overrides);
            run.run(true, &overrides, &mut Recorder::default()).unwrap();
            assert_same(&run.files(), &whole.files(), &format!("{epochs} epochs, step {step}"));
        }
        // One that has ended makes no further step.
        let mut recorder = Recorder::default();
        assert_eq!(whole.run(true, &overrides, &mut recorder).unwrap().ending, ended);
        assert!(recorder.reports.is_empty());
    }
}

#[test]
fn a_training_that_has_ended_goes_on_with_more_steps() {
    let longer = [("training.max_steps", Value::Int(25))];
    let whole = Run::new();
    whole.run(false, &longer, &mut Recorder::default()).unwrap();
    let run = Run::new();
    run.run(false, &[], &mut Recorder::default()).unwrap();
    run.run(true, &longer, &mut Recorder::default()).unwrap();
    assert_same(&run.files(), &whole.files(), "after the end");
}

fn refusal(run: &Run, overrides: &[(&str, Value)]) -> Error {
    let before = run.files();
    let error = run.run(true, overrides, &mut Recorder::default()).map(drop).unwrap_err();
    assert_same(&run.files(), &before, "a refusal changes nothing");
    error
}

#[test]
fn another_configuration_or_corpus_is_refused_with_the_differences() {
    let run = Run::new();
    run.stopped_after(2, &[]);
    let error = refusal(
        &run,
        &[
            ("training.dropout", Value::Float(0.25)),
            ("components.parser.model.hidden_width", Value::Int(9)),
            ("training.patience", Value::Int(3)),
        ],
    );
    assert_eq!(error.code(), "state-different");
    let text = error.message();
    assert!(text.contains("[training] \"dropout\" is 0.25; there it was 0.1"), "{text}");
    assert!(
        text.contains("[components.parser.model] \"hidden_width\" is 9; there it was 8"),
        "{text}"
    );
    assert!(!text.contains("patience") && text.contains(STATE), "{text}");

    let error = refusal(&run, &[("training.max_epochs", Value::Int(-1))]);
    assert!(error.message().contains("\"max_epochs\" is -1; there it was 0"), "{error}");

    let other = run.folder.path().join("other.spacy");
    write_corpus(&other);
    let path = Value::from(other.to_str().unwrap());
    // The same contents under another name are the same corpus.
    let mut recorder = Recorder { stop_after: Some(3), ..Recorder::default() };
    run.run(true, &[("paths.dev", path.clone())], &mut recorder).unwrap();
    let mut docs = std::fs::read(&other).unwrap();
    docs.truncate(0);
    let small = lexpool_io::corpus::AnnotatedDocBin::<Vec<u8>>::annotated(docs);
    let empty = lexpool_io::corpus::CorpusWriter::finish(small).unwrap();
    std::fs::write(&other, empty).unwrap();
    let error = refusal(&run, &[("paths.dev", path)]);
    assert_eq!(error.code(), "state-different");
    assert!(error.message().contains("the corpus to evaluate with: other contents"), "{error}");
}

#[test]
fn other_labels_than_those_of_a_paused_training_are_refused() {
    let whole = Run::new();
    whole.run(false, &[], &mut Recorder::default()).unwrap();
    let tagger = whole.folder.path().join("out/model-last/tagger");
    let cfg: Value =
        Value::from_json(&std::fs::read_to_string(tagger.join("cfg")).unwrap()).unwrap();
    let labels = cfg.as_section().unwrap().get("labels").unwrap().as_list().unwrap().to_vec();
    let reversed = Value::List(labels.iter().rev().cloned().collect());

    // Labels of a file.
    let run = Run::new();
    let path = run.folder.path().join("labels.json");
    let mut reader = Section::default();
    reader.set("@readers", "spacy.read_labels.v1");
    reader.set("path", path.to_str().unwrap());
    let mut given = Section::default();
    given.set("labels", reader);
    let overrides = [("initialize.components.tagger", given.into())];
    std::fs::write(&path, Value::List(labels.clone()).to_json()).unwrap();
    run.stopped_after(2, &overrides);
    std::fs::write(&path, reversed.to_json()).unwrap();
    let error = refusal(&run, &overrides);
    assert_eq!(error.code(), "state-different");
    let expected = "the labels of the component \"tagger\": other contents";
    assert!(error.message().contains(expected), "{error}");
    std::fs::remove_file(&path).unwrap();
    let error = refusal(&run, &overrides);
    let expected = "the labels of the component \"tagger\": there it was given";
    assert!(error.message().contains(expected), "{error}");

    // Labels of a component of another pipeline that learns on.
    let run = Run::new();
    let mut sourced = Section::default();
    sourced.set("source", whole.folder.path().join("out/model-last").to_str().unwrap());
    let overrides =
        ["tok2vec", "tagger"].map(|name| (format!("components.{name}"), sourced.clone().into()));
    let names = Value::List(vec!["tok2vec".into(), "tagger".into()]);
    let mut overrides: Vec<(&str, Value)> =
        overrides.iter().map(|(name, value)| (name.as_str(), Value::clone(value))).collect();
    overrides.push(("nlp.pipeline", names));
    run.stopped_after(2, &overrides);
    let mut cfg = cfg.as_section().unwrap().clone();
    cfg.set("labels", reversed);
    std::fs::write(tagger.join("cfg"), Value::Section(cfg).to_json()).unwrap();
    let error = refusal(&run, &overrides);
    assert_eq!(error.code(), "state-different");
    let expected = "the files of the component \"tagger\": other contents";
    assert!(error.message().contains(expected), "{error}");
}

#[test]
fn weights_that_are_not_finite_replace_nothing() {
    // Found by the evaluation after the first step, or when the training is stopped after the next.
    let rates = |rates: &[f64]| Value::List(rates.iter().copied().map(Value::Float).collect());
    for (step, rates) in [(0, rates(&[1e39])), (1, rates(&[0.01, 1e39]))] {
        let run = Run::new();
        let overrides = [("training.optimizer.learn_rate", rates)];
        let earlier = if step == 0 { &[][..] } else { &overrides };
        run.stopped_after(0, earlier);
        let before = run.files();
        let mut recorder = Recorder { stop_after: Some(step), ..Recorder::default() };
        let error = run.run(false, &overrides, &mut recorder).map(drop).unwrap_err();
        assert_eq!(error.code(), "E910", "{error}");
        assert!(error.message().contains(&format!("infinite after step {step}")), "{error}");
        assert_same(&run.files(), &before, "what was saved before stays");
    }
}

#[test]
fn damaged_and_missing_states_are_refused_by_name() {
    let run = Run::new();
    let missing = run.run(true, &[], &mut Recorder::default()).map(drop).unwrap_err();
    assert_eq!(missing.code(), "file-not-found");
    run.stopped_after(1, &[]);
    let path = run.folder.path().join("out").join(STATE);
    let whole = std::fs::read(&path).unwrap();
    let middle = whole.len() / 2;
    let changed = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        bytes
    };
    for (bytes, code) in [
        (changed(3), "container-kind"),
        (changed(17), "container-version"),
        (changed(28), "container-truncated"),
        (changed(middle), "container-checksum"),
        (whole[..middle].to_vec(), "container-truncated"),
        (Vec::new(), "container-truncated"),
        (b"[training]\n".to_vec(), "container-kind"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let error = refusal(&run, &[]);
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains("out/state"), "{error}");
    }
}

#[test]
fn a_training_has_the_same_bits_with_all_instructions() {
    let whole = Run::new();
    whole.run(false, &[], &mut Recorder::default()).unwrap();
    for most in [InstructionSet::Plain, InstructionSet::Avx2] {
        limit_instructions(most);
        let run = Run::new();
        run.run(false, &[], &mut Recorder::default()).unwrap();
        assert_same(&run.files(), &whole.files(), &format!("{most:?}"));
    }
    limit_instructions(InstructionSet::Avx512);
}
