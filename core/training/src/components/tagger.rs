//! The tagger: labels are fine-grained tags.

use std::collections::BTreeSet;

use ahash::AHashMap;
use lexpool::Result;
use lexpool::config::{Section, Value};
use lexpool::strings::StrId;
use lexpool::vocab::Vocab;
use lexpool_structs::AttrId;

use super::component::{ComponentFiles, Initialization, TrainableComponent};
use super::labels::{add_labels, given_labels, labels_of, unknown_label};
use super::token_classifier::{TokenClassifier, TokenTask};
use super::token_loss::Target;
use super::weights::Weights;
use crate::corpora::example::Example;
use crate::settings::fields::{Fields, NumberRange};

struct Tagger {
    overwrite: bool,
    neg_prefix: String,
    label_smoothing: f64,
    labels: Vec<String>,
    /// The position of each label by the id of its tag.
    positions: AHashMap<StrId, Target>,
}

/// Reads the section of a tagger.
pub(super) fn read(name: &str, fields: Fields<'_>) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    let tagger = Tagger {
        overwrite: fields.flag("overwrite", false),
        neg_prefix: fields.text("neg_prefix").unwrap_or_else(|| "!".to_owned()),
        label_smoothing: fields.number_in("label_smoothing", 0.0, NumberRange::BELOW_ONE),
        labels: Vec::new(),
        positions: AHashMap::new(),
    };
    fields.scorer("spacy.tagger_scorer.v1");
    fields.finish();
    Some(Box::new(TokenClassifier::new(name, tagger, weights?)))
}

impl Tagger {
    fn find_positions(&mut self, vocab: &Vocab) -> Result<()> {
        self.positions.clear();
        for (at, label) in self.labels.iter().enumerate() {
            vocab.strings().add(label)?;
            self.positions.insert(StrId::of(label), Target::Is(at));
        }
        if !self.neg_prefix.is_empty() {
            for (at, label) in self.labels.iter().enumerate() {
                let negative = StrId::of(&format!("{}{label}", self.neg_prefix));
                self.positions.insert(negative, Target::IsNot(at));
            }
        }
        Ok(())
    }
}

impl TokenTask for Tagger {
    fn find_labels(&mut self, start: &Initialization<'_>) -> Result<()> {
        let found = if let Some(labels) = given_labels(start)? {
            labels
        } else {
            let mut tags = BTreeSet::new();
            for example in start.examples {
                let doc = &example.reference().doc;
                for tag in doc.attrs().column(AttrId::TAG) {
                    if tag != 0 {
                        tags.insert(tag);
                    }
                }
            }
            let string = |tag: u64| {
                let tag = start.vocab.strings().get(StrId::new(tag));
                tag.map(|tag| tag.to_string()).unwrap_or_default()
            };
            let texts: BTreeSet<String> = tags.into_iter().map(string).collect();
            texts.into_iter().filter(|tag| !tag.is_empty()).collect()
        };
        add_labels(&mut self.labels, found);
        self.find_positions(start.vocab)
    }

    fn restore(&mut self, cfg: &Section, _files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        self.labels = labels_of(cfg)?;
        self.find_positions(vocab)
    }

    fn n_labels(&self) -> usize {
        self.labels.len()
    }

    fn labels(&self) -> Vec<String> {
        self.labels.clone()
    }

    fn targets(&mut self, example: &Example) -> Result<Vec<Target>> {
        let target = |tag: Option<u64>| match tag {
            None | Some(0) => Ok(Target::Missing),
            Some(tag) => {
                let target = self.positions.get(&StrId::new(tag)).copied();
                target.ok_or_else(|| unknown_label(example, StrId::new(tag)))
            }
        };
        example.aligned(AttrId::TAG).into_iter().map(target).collect()
    }

    #[expect(clippy::cast_possible_truncation, reason = "spaCy computes in single precision")]
    fn label_smoothing(&self) -> f32 {
        self.label_smoothing as f32
    }

    fn cfg(&self) -> Section {
        let labels = self.labels.iter().map(|label| Value::from(label.as_str())).collect();
        let mut cfg = Section::default();
        cfg.set("label_smoothing", self.label_smoothing);
        cfg.set("labels", Value::List(labels));
        cfg.set("neg_prefix", self.neg_prefix.as_str());
        cfg.set("overwrite", self.overwrite);
        cfg
    }
}
