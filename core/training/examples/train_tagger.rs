//! Trains a tagger on a few sentences, by a configuration of spaCy's, and tags another sentence:
//!
//! ```sh
//! cargo run -p lexpool-training --example train_tagger
//! ```

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use lexpool::files::{AtomicFile, Links};
use lexpool::loading::{LoadOptions, load};
use lexpool::structs::AttrId;
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::{Annotations, Doc};
use lexpool_io::corpus::{AnnotatedDocBin, CorpusWriter};
use lexpool_training::{Goal, StepReport, TrainingPlan, TrainingStart, TrainingWatcher};
use lexpool_training::{starter_config, train};

const SENTENCES: [&str; 3] = [
    "the/DT cat/NN sleeps/VBZ ./.",
    "a/DT dog/NN barks/VBZ ./.",
    "the/DT girl/NN works/VBZ here/RB ./.",
];

/// Writes the sentences as a `DocBin`, the format of spaCy's corpora.
fn write_corpus(path: &Path) -> Result<(), Box<dyn Error>> {
    let tokenizer = Tokenizer::blank("en")?;
    let mut docs = Vec::new();
    for sentence in SENTENCES {
        let pairs: Vec<_> = sentence.split(' ').filter_map(|word| word.split_once('/')).collect();
        let words: Vec<_> = pairs.iter().map(|(word, _)| (*word, true)).collect();
        let tags = pairs.iter().map(|(_, tag)| (*tag).to_owned()).collect();
        let mut doc = Doc::from_words(tokenizer.vocab(), &words)?;
        doc.annotate(&Annotations { tags: Some(tags), ..Annotations::default() })?;
        docs.push(doc);
    }
    let mut writer = AnnotatedDocBin::annotated(Vec::new());
    writer.write(AnnotatedDocBin::<Vec<u8>>::piece(&docs)?)?;
    Ok(AtomicFile::write(path, &writer.finish()?, Links::Followed)?)
}

/// Prints evaluations.
struct Printer;

impl TrainingWatcher for Printer {
    fn check(&self) -> lexpool::Result<()> {
        Ok(()) // an error would stop the training after the batch at hand
    }
    fn initialized(&mut self, _: &TrainingStart) -> lexpool::Result<()> {
        Ok(())
    }
    fn step(&mut self, report: &StepReport) -> lexpool::Result<()> {
        if let Some(evaluation) = &report.evaluation {
            println!("step {}: score {:.2}", report.step, evaluation.score);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let corpus = folder.path().join("corpus.spacy");
    write_corpus(&corpus)?;
    let mut config = starter_config("en", &["tagger"], Goal::Efficiency)?;
    for name in ["paths.train", "paths.dev"] {
        config.set(name, corpus.to_string_lossy().as_ref().into())?;
    }
    config.set("training.max_steps", 20.into())?;
    config.set("training.eval_frequency", 10.into())?;
    let plan = TrainingPlan::read(&config)?;
    let result = train(plan, &folder.path().join("out"), 1, &mut Printer)?;
    let nlp = load(&result.model_last, &LoadOptions::default())?.pipeline;
    let text = Text::Owned("the dog works .".to_owned());
    let annotated = nlp.annotate(text, &AtomicBool::new(false));
    for token in annotated.map_err(|failed| failed.into_error())?.doc.iter() {
        println!("{}/{}", token.text(), token.text_of(AttrId::TAG));
    }
    Ok(())
}
