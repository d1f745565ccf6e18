//! Lemmas by edit trees.

use lexpool_nn::Rows;
use lexpool_structs::AttrId;

use super::encoder::Encoder;
use super::labels::{arg_max, check_count};
use super::row_annotator::RowAnnotator;
use crate::codes;
use crate::edit_trees::{EditTrees, TreeId};
use crate::pipeline::AnnotationKind;
use crate::tokens::Doc;
use crate::{Error, Result};

/// The settings of an [`EditTreeLemmatizer`].
#[derive(Clone, Debug, PartialEq)]
pub struct EditTreeSettings {
    /// The number of the tree of each output.
    pub labels: Vec<u64>,
    /// The attribute that is the lemma of a word to which no tree applies; `None` for no lemma.
    pub backoff: Option<String>,
    /// The number of best trees that are tried.
    pub top_k: usize,
    /// True to replace lemmas that are set.
    pub overwrite: bool,
}

/// Sets the lemma of each token by the edit tree of the highest score: spaCy's
/// `EditTreeLemmatizer`.
pub struct EditTreeLemmatizer {
    encoder: Encoder,
    trees: EditTrees,
    /// The tree of each output.
    labels: Vec<TreeId>,
    backoff: Option<AttrId>,
    top_k: usize,
    overwrite: bool,
}

impl EditTreeLemmatizer {
    /// Makes a lemmatizer of a network, and the bytes of its file `trees`.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of labels than outputs; `model-cfg` for a label without a
    /// tree, and for a backoff other than an attribute of strings; those of
    /// [`EditTrees::from_bytes`].
    pub fn read(
        encoder: Encoder,
        trees: &[u8],
        settings: EditTreeSettings,
    ) -> Result<EditTreeLemmatizer> {
        let EditTreeSettings { labels, backoff, top_k, overwrite } = settings;
        check_count(labels.len(), encoder.width())?;
        let trees =
            EditTrees::from_bytes(trees).map_err(|error| error.context("file \"trees\""))?;
        let wrong = |text: String| Error::value(codes::MODEL_CFG, text);
        let label = |label: &u64| {
            let tree = u32::try_from(*label).ok().map(TreeId::new);
            tree.filter(|tree| trees.get(*tree).is_ok()).ok_or_else(|| {
                wrong(format!("the label {label} is not one of {} trees", trees.len()))
            })
        };
        let labels = labels.iter().map(label).collect::<Result<_>>()?;
        let attribute = |name: String| {
            let attr = AttrId::from_name(&name)
                .filter(|attr| AttrId::WORD_STRINGS.contains(attr) || *attr == AttrId::LEMMA);
            attr.ok_or_else(|| wrong(format!("\"backoff\" is {name:?}, not an attribute of words")))
        };
        let backoff = backoff.map(attribute).transpose()?;
        Ok(EditTreeLemmatizer { encoder, trees, labels, backoff, top_k, overwrite })
    }

    /// Returns the lemma of a word by the best trees that apply to it; `None` if none does.
    fn lemma(&self, doc: &Doc, word: &str, scores: &[f32]) -> Result<Option<String>> {
        let string = |id| doc.snapshot().string(id);
        let mut scores = scores.to_vec();
        for _ in 0..self.top_k.min(scores.len()) {
            let best = arg_max(&scores);
            let lemma = self.trees.apply(self.labels[best], word, string)?;
            if lemma.is_some() {
                return Ok(lemma);
            }
            scores[best] = f32::MIN;
        }
        Ok(None)
    }
}

impl RowAnnotator for EditTreeLemmatizer {
    const KINDS: &'static [AnnotationKind] = &[AnnotationKind::Lemmas];

    fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    fn annotate(&self, doc: &mut Doc, rows: Rows) -> Result<()> {
        let mut lemmas = Vec::with_capacity(doc.len());
        for (at, (token, row)) in doc.iter().zip(rows.rows()).enumerate() {
            let present = doc.tag_records().map_or(0, |records| records[at].lemma);
            let lemma = if present != 0 && !self.overwrite {
                present
            } else if let Some(lemma) = self.lemma(doc, token.text(), row)? {
                doc.snapshot().add(&lemma)?.get()
            } else {
                self.backoff.map_or(present, |attr| token.attr(attr))
            };
            lemmas.push(lemma);
        }
        for (record, lemma) in doc.tag_records_mut()?.iter_mut().zip(lemmas) {
            record.lemma = lemma;
        }
        Ok(())
    }
}
