//! Parts of speech and morphological features.

use lexpool_nn::Rows;
use lexpool_structs::Pos;

use super::encoder::Encoder;
use super::labels::{arg_max, check_count};
use super::row_annotator::RowAnnotator;
use crate::Result;
use crate::morphology::Features;
use crate::pipeline::AnnotationKind;
use crate::strings::StrId;
use crate::tokens::Doc;

/// A label of a morphologizer: what it sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MorphLabel {
    /// The features, such as `Number=Sing|Person=3`.
    pub features: String,
    /// The part of speech.
    pub pos: Pos,
}

/// Sets the part of speech and the features of each token: spaCy's `Morphologizer`.
pub struct Morphologizer {
    encoder: Encoder,
    labels: Vec<MorphLabel>,
    /// The features of each label, parsed.
    features: Vec<Features>,
    overwrite: bool,
    extend: bool,
}

impl Morphologizer {
    /// Makes a morphologizer of a network and its labels.
    ///
    /// `overwrite` replaces what is set. `extend` joins features to those that are set, and lets
    /// `overwrite` say whose value of a field wins.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of labels than outputs; those of [`Features::parse`].
    pub fn new(
        encoder: Encoder,
        labels: Vec<MorphLabel>,
        overwrite: bool,
        extend: bool,
    ) -> Result<Morphologizer> {
        check_count(labels.len(), encoder.width())?;
        let features: Vec<Features> =
            labels.iter().map(|label| Features::parse(&label.features)).collect::<Result<_>>()?;
        Ok(Morphologizer { encoder, labels, features, overwrite, extend })
    }

    /// Returns the features of a token whose present ones are `present`.
    fn features_of(&self, doc: &Doc, present: StrId, label: usize) -> Result<StrId> {
        let morphology = doc.vocab().morphology();
        if !self.extend {
            return morphology.add_features(&self.features[label]);
        }
        let present = Features::parse(doc.snapshot().string(present).unwrap_or_default())?;
        let own = &self.features[label];
        let (first, second) = if self.overwrite { (&present, own) } else { (own, &present) };
        let mut joined = first.clone();
        for (field, values) in second.iter() {
            joined.set(field, &Features::values(values));
        }
        morphology.add_features(&joined)
    }
}

impl RowAnnotator for Morphologizer {
    const KINDS: &'static [AnnotationKind] = &[AnnotationKind::Pos, AnnotationKind::Morphs];

    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn annotate(&self, doc: &mut Doc, rows: Rows) -> Result<()> {
        let mut set = Vec::with_capacity(doc.len());
        for (token, row) in rows.rows().enumerate() {
            let label = arg_max(row);
            let present = doc.tag_records().map_or(0, |records| records[token].morph);
            let is_set = present == 0 || self.overwrite || self.extend;
            let morph = if is_set {
                self.features_of(doc, StrId::new(present), label)?.get()
            } else {
                present
            };
            set.push((morph, self.labels[label].pos.number()));
        }
        for (record, (morph, pos)) in doc.tag_records_mut()?.iter_mut().zip(set) {
            record.morph = morph;
            if record.pos == 0 || self.overwrite {
                record.pos = pos;
            }
        }
        Ok(())
    }
}
