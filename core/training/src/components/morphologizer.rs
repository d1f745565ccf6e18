//! The morphologizer: a label is a set of features with a part of speech.

use ahash::AHashMap;
use lexpool::Result;
use lexpool::config::Section;
use lexpool::morphology::Features;
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;
use lexpool_structs::{AttrId, Pos};

use super::component::{ComponentFiles, Initialization, TrainableComponent};
use super::labels::{given_part, given_value, wrong_cfg};
use super::token_classifier::{TokenClassifier, TokenTask};
use super::token_loss::Target;
use super::weights::Weights;
use crate::corpora::example::Example;
use crate::settings::fields::{Fields, NumberRange};

/// The field under which a label has the part of speech.
const POS: &str = "POS";

struct Morphologizer {
    overwrite: bool,
    extend: bool,
    label_smoothing: f64,
    /// The features of each label, in the order of the labels.
    morphs: Section,
    /// The number of the part of speech of each label.
    parts: Section,
    positions: AHashMap<StrId, usize>,
}

/// Reads the section of a morphologizer.
pub(super) fn read(name: &str, fields: Fields<'_>) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    let morphologizer = Morphologizer {
        overwrite: fields.flag("overwrite", true),
        extend: fields.flag("extend", false),
        label_smoothing: fields.number_in("label_smoothing", 0.0, NumberRange::BELOW_ONE),
        morphs: Section::default(),
        parts: Section::default(),
        positions: AHashMap::new(),
    };
    fields.scorer("spacy.morphologizer_scorer.v1");
    fields.finish();
    Some(Box::new(TokenClassifier::new(name, morphologizer, weights?)))
}

impl Morphologizer {
    fn labels_of_data(&mut self, start: &Initialization<'_>) -> Result<()> {
        // Most tokens have one of a few combinations.
        let mut known = AHashMap::new();
        for example in start.examples {
            let doc = &example.reference().doc;
            let (parts, morphs) =
                (doc.attrs().column(AttrId::POS), doc.attrs().column(AttrId::MORPH));
            for pair in parts.into_iter().zip(morphs) {
                if pair == (0, 0) || known.insert(pair, ()).is_some() {
                    continue;
                }
                let (pos, features) = (pos_of(pair.0), features_of(doc, pair.1));
                let label = label_of(doc, pos, features)?;
                if !self.morphs.contains(&label) {
                    self.morphs.set(&label, plain(features));
                    self.parts.set(&label, i64::from(pos.number()));
                }
            }
        }
        Ok(())
    }
}

impl Morphologizer {
    fn find_positions(&mut self, vocab: &Vocab) -> Result<()> {
        self.positions.clear();
        for (at, (label, features)) in self.morphs.iter().enumerate() {
            self.positions.insert(vocab.strings().add(label)?, at);
            vocab.strings().add(features.as_text().unwrap_or_default())?;
        }
        Ok(())
    }
}

impl TokenTask for Morphologizer {
    fn find_labels(&mut self, start: &Initialization<'_>) -> Result<()> {
        match given_value(start)? {
            None => self.labels_of_data(start)?,
            Some(given) => {
                for (label, features) in given_part(&given, "morph")?.iter() {
                    self.morphs.set(label, features.clone());
                }
                for (label, pos) in given_part(&given, "pos")?.iter() {
                    self.parts.set(label, pos.clone());
                }
            }
        }
        self.find_positions(start.vocab)
    }

    fn restore(&mut self, cfg: &Section, _files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        let part = |key: &str| match cfg.get(key) {
            None => Ok(Section::default()),
            Some(part) => part.as_section().cloned().ok_or_else(|| wrong_cfg(key)),
        };
        (self.morphs, self.parts) = (part("labels_morph")?, part("labels_pos")?);
        self.find_positions(vocab)
    }

    fn n_labels(&self) -> usize {
        self.morphs.len()
    }

    fn labels(&self) -> Vec<String> {
        self.morphs.keys().map(str::to_owned).collect()
    }

    fn targets(&mut self, example: &Example) -> Result<Vec<Target>> {
        let doc = &example.reference().doc;
        let parts = example.aligned(AttrId::POS);
        let mut known: AHashMap<(u64, u64), Target> = AHashMap::new();
        let mut target = |pair: (Option<u64>, Option<u64>)| {
            let (Some(pos), Some(morph)) = pair else { return Ok(Target::Missing) };
            if (pos, morph) == (0, 0) {
                return Ok(Target::Missing);
            }
            if let Some(known) = known.get(&(pos, morph)) {
                return Ok(*known);
            }
            let label = label_of(doc, pos_of(pos), features_of(doc, morph))?;
            let position = self.positions.get(&StrId::of(&label));
            let target = position.map_or(Target::Missing, |at| Target::Is(*at));
            known.insert((pos, morph), target);
            Ok(target)
        };
        parts.into_iter().zip(example.aligned(AttrId::MORPH)).map(&mut target).collect()
    }

    #[expect(clippy::cast_possible_truncation, reason = "spaCy computes in single precision")]
    fn label_smoothing(&self) -> f32 {
        self.label_smoothing as f32
    }

    fn cfg(&self) -> Section {
        let mut cfg = Section::default();
        cfg.set("extend", self.extend);
        cfg.set("label_smoothing", self.label_smoothing);
        cfg.set("labels_morph", self.morphs.clone());
        cfg.set("labels_pos", self.parts.clone());
        cfg.set("overwrite", self.overwrite);
        cfg
    }
}

fn pos_of(number: u64) -> Pos {
    u32::try_from(number).ok().and_then(Pos::from_number).unwrap_or(Pos::NO_TAG)
}

fn features_of(doc: &Doc, morph: u64) -> &str {
    doc.snapshot().string(StrId::new(morph)).unwrap_or_default()
}

/// Returns features as spaCy shows them: nothing for the empty analysis.
fn plain(features: &str) -> &str {
    if features == "_" { "" } else { features }
}

/// Returns the label of features with a part of speech, in normal form.
fn label_of(doc: &Doc, pos: Pos, features: &str) -> Result<String> {
    let mut features = Features::parse(features)?;
    if pos != Pos::NO_TAG {
        features.set(POS, pos.name());
    }
    let label = doc.vocab().morphology().add_features(&features)?;
    Ok(doc.snapshot().string(label).unwrap_or_default().to_owned())
}
