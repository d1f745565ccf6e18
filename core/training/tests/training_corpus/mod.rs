//! A small corpus with all annotation, a configuration that learns it, and a watcher of trainings.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::cell::Cell;
use std::path::Path;

use lexpool::config::{Config, Value};
use lexpool::formats::DocExtras;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::{Annotations, Doc};
use lexpool::{Error, ErrorKind, Result, codes};
use lexpool_io::corpus::{AnnotatedDocBin, CorpusWriter};
use lexpool_training::{StepReport, TrainingStart, TrainingWatcher};

/// The configuration but for the components of [`listener`].
const CONFIG: &str = r#"
[paths]
train = null
dev = null

[system]
seed = 1

[nlp]
lang = "en"
pipeline = ["tok2vec", "tagger", "morphologizer", "senter", "lemmatizer", "textcat"]

[components]

[components.tok2vec]
factory = "tok2vec"

[components.tok2vec.model]
@architectures = "spacy.Tok2Vec.v2"

[components.tok2vec.model.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = 16
attrs = ["NORM", "SUFFIX"]
rows = [200, 100]
include_static_vectors = false

[components.tok2vec.model.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = 16
depth = 1
window_size = 1
maxout_pieces = 2

[components.textcat]
factory = "textcat"

[components.textcat.model]
@architectures = "spacy.TextCatBOW.v2"
exclusive_classes = true
ngram_size = 1
no_output_layer = false
nO = null

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.dev}

[initialize]

[initialize.components]

[training]
max_steps = 60
eval_frequency = 20
dropout = 0.1

[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.01

[training.batcher]
@batchers = "spacy.batch_by_words.v1"
size = 30
"#;

/// The listeners: the name of each, its factory, settings, the architecture and its settings.
const LISTENERS: [[&str; 5]; 4] = [
    ["tagger", "tagger", "label_smoothing = 0.05", "Tagger.v2", "nO = null"],
    ["morphologizer", "morphologizer", "", "Tagger.v2", "nO = null"],
    ["senter", "senter", "", "Tagger.v2", "nO = null"],
    ["lemmatizer", "trainable_lemmatizer", "min_tree_freq = 1", "Tagger.v2", "nO = null"],
];

/// Returns the sections of a component that listens to the shared one.
pub(crate) fn listener([name, factory, settings, architecture, network]: [&str; 5]) -> String {
    format!(
        r#"
[components.{name}]
factory = "{factory}"
{settings}

[components.{name}.model]
@architectures = "spacy.{architecture}"
{network}

[components.{name}.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 16
"#
    )
}

/// Sentences as words with their tags and lemmas, each with a category.
const SENTENCES: [(&str, &str); 4] = [
    ("pets", "The/DT/the cats/NNS/cat sleep/VBP/sleep ./././"),
    ("pets", "A/DT/a dog/NN/dog barks/VBZ/bark ./././"),
    ("work", "The/DT/the girls/NNS/girl work/VBP/work here/RB/here ./././"),
    ("work", "She/PRP/she works/VBZ/work ./././"),
];

/// Writes documents of two sentences of one category each.
pub(crate) fn write_corpus(path: &Path) {
    let vocab = Tokenizer::blank("en").unwrap();
    let vocab = vocab.vocab();
    let mut rows = Vec::new();
    for (at, (category, text)) in SENTENCES.iter().enumerate() {
        let others = [*text, SENTENCES[at ^ 1].1];
        for other in others {
            let (mut words, mut given) = (Vec::new(), Annotations::default());
            let (mut tags, mut lemmas, mut pos, mut morphs) = (vec![], vec![], vec![], vec![]);
            let mut starts = Vec::new();
            for sentence in [*text, other] {
                for (place, word) in sentence.split(' ').enumerate() {
                    let parts: Vec<&str> = word.splitn(3, '/').collect();
                    words.push((parts[0].to_owned(), true));
                    tags.push(parts[1].to_owned());
                    lemmas.push(parts[2].trim_matches('/').to_owned());
                    pos.push(if parts[1].starts_with('N') { "NOUN" } else { "X" }.to_owned());
                    let plural = if parts[1] == "NNS" { "Number=Plur" } else { "" };
                    morphs.push(vocab.morphology().add(plural).unwrap().get());
                    starts.push(if place == 0 { 1 } else { -1 });
                }
            }
            let ents = tags.iter().map(|tag| if tag.starts_with('N') { "B-ANIMAL" } else { "O" });
            given.ents = Some(ents.map(|tag| Some(tag.to_owned())).collect());
            // The second word of a sentence is its root.
            let mut root = 0;
            let (mut heads, mut deps) = (Vec::new(), Vec::new());
            for (at, start) in starts.iter().enumerate() {
                root = if *start == 1 { at + 1 } else { root };
                let dep = if at == root { "ROOT" } else { tags[at].as_str() };
                deps.push(Some(dep.to_owned()));
                heads.push(i64::try_from(root).ok());
            }
            (given.heads, given.deps) = (Some(heads), Some(deps));
            (given.morphs, given.sent_starts) = (Some(morphs), Some(starts));
            (given.tags, given.lemmas, given.pos) = (Some(tags), Some(lemmas), Some(pos));
            let mut doc = Doc::from_words(vocab, &words).unwrap();
            doc.annotate(&given).unwrap();
            let cats = ["pets", "work"].map(|own| {
                let value = f64::from(u8::from(own == *category));
                (
                    lexpool::msgpack::Value::Str(own.to_owned()),
                    lexpool::msgpack::Value::Float(value),
                )
            });
            let cats = lexpool::msgpack::Value::Map(cats.to_vec()).to_bytes().unwrap();
            rows.push((doc, DocExtras { cats: cats.into(), ..DocExtras::default() }));
        }
    }
    let pairs = rows.iter().map(|(doc, extras)| (doc, extras.clone()));
    let piece = AnnotatedDocBin::<Vec<u8>>::piece_with(pairs).unwrap();
    let mut writer = AnnotatedDocBin::annotated(Vec::new());
    writer.write(piece).unwrap();
    std::fs::write(path, writer.finish().unwrap()).unwrap();
}

/// Keeps what a training shows, and stops it after some steps.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) start: Option<TrainingStart>,
    pub(crate) reports: Vec<StepReport>,
    /// The step after which the training is asked to stop.
    pub(crate) stop_after: Option<usize>,
    /// The number of checks after which it is asked to, for stops within an evaluation.
    pub(crate) checks_left: Cell<Option<usize>>,
    pub(crate) is_stopped: Cell<bool>,
}

impl TrainingWatcher for Recorder {
    fn check(&self) -> Result<()> {
        if let Some(left) = self.checks_left.get() {
            self.is_stopped.set(left == 0);
            self.checks_left.set(left.checked_sub(1));
        }
        if self.is_stopped.get() {
            return Err(Error::new(ErrorKind::Interrupted, codes::INTERRUPTED, "stopped"));
        }
        Ok(())
    }

    fn initialized(&mut self, start: &TrainingStart) -> Result<()> {
        self.start = Some(start.clone());
        Ok(())
    }

    fn step(&mut self, report: &StepReport) -> Result<()> {
        self.reports.push(report.clone());
        self.is_stopped.set(self.stop_after == Some(report.step));
        Ok(())
    }
}

pub(crate) fn config(folder: &Path, overrides: &[(&str, Value)]) -> Config {
    let corpus = folder.join("corpus.spacy");
    write_corpus(&corpus);
    let text = CONFIG.to_owned() + &LISTENERS.map(listener).concat();
    let mut config = Config::parse(&text, "some.cfg").unwrap();
    for key in ["paths.train", "paths.dev"] {
        config.set(key, corpus.to_str().unwrap().into()).unwrap();
    }
    for (key, value) in overrides {
        config.set(key, value.clone()).unwrap();
    }
    config
}

pub(crate) fn file(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}
