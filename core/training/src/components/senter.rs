//! The recognizer of sentences: a token begins one, or does not.

use lexpool::Result;
use lexpool::config::Section;
use lexpool::vocab::Vocab;
use lexpool_structs::AttrId;

use super::component::{ComponentFiles, Initialization, TrainableComponent};
use super::token_classifier::{TokenClassifier, TokenTask};
use super::token_loss::Target;
use super::weights::Weights;
use crate::corpora::example::Example;
use crate::settings::fields::Fields;

/// "I" for tokens inside of a sentence, "S" for the first.
const LABELS: [&str; 2] = ["I", "S"];

struct Senter {
    overwrite: bool,
}

/// Reads the section of a recognizer of sentences.
pub(super) fn read(name: &str, fields: Fields<'_>) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    let senter = Senter { overwrite: fields.flag("overwrite", false) };
    fields.scorer("spacy.senter_scorer.v1");
    fields.finish();
    Some(Box::new(TokenClassifier::new(name, senter, weights?)))
}

impl TokenTask for Senter {
    fn find_labels(&mut self, start: &Initialization<'_>) -> Result<()> {
        LABELS.iter().try_for_each(|label| start.vocab.strings().add(label).map(drop))
    }

    fn restore(&mut self, _cfg: &Section, _files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        LABELS.iter().try_for_each(|label| vocab.strings().add(label).map(drop))
    }

    fn n_labels(&self) -> usize {
        LABELS.len()
    }

    fn labels(&self) -> Vec<String> {
        LABELS.map(str::to_owned).to_vec()
    }

    fn hides_labels(&self) -> bool {
        true
    }

    fn targets(&mut self, example: &Example) -> Result<Vec<Target>> {
        let target = |start: Option<u64>| {
            start.map_or(Target::Missing, |start| Target::Is(usize::from(start == 1)))
        };
        Ok(example.aligned(AttrId::SENT_START).into_iter().map(target).collect())
    }

    /// Tokens of which nothing is known count as no start of a sentence, but not as annotation.
    fn learns_from(&mut self, example: &Example) -> Result<bool> {
        Ok(example.reference().doc.sentences().are_set())
    }

    fn cfg(&self) -> Section {
        let mut cfg = Section::default();
        cfg.set("overwrite", self.overwrite);
        cfg
    }
}
