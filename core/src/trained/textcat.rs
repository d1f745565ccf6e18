//! Categories of documents.

use super::encoder::Encoder;
use super::labels::Labels;
use crate::Result;
use crate::pipeline::{Annotation, AnnotationKind, Component, Groups, Notes};
use crate::tokens::Doc;

/// Scores the categories of documents: spaCy's `TextCategorizer` and `MultiLabel_TextCategorizer`.
pub struct TextCategorizer {
    encoder: Encoder,
    labels: Labels,
}

impl TextCategorizer {
    /// Makes a categorizer of a network and its labels.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of labels than outputs.
    pub fn new<S: AsRef<str>>(
        encoder: Encoder,
        labels: impl IntoIterator<Item = S>,
    ) -> Result<TextCategorizer> {
        let labels = Labels::new(labels);
        labels.check(encoder.width())?;
        Ok(TextCategorizer { encoder, labels })
    }

    /// Returns the score of each category, in the order of the labels; zeros for a document without
    /// tokens.
    ///
    /// # Errors
    ///
    /// Those of [`Encoder::rows`].
    pub fn scores(&self, doc: &Doc) -> Result<Vec<f32>> {
        if doc.is_empty() {
            return Ok(vec![0.0; self.encoder.width()]);
        }
        Ok(self.encoder.rows(doc)?.into_numbers())
    }

    fn note(&self, notes: &mut Notes, scores: &[f32]) {
        for (label, score) in self.labels.texts().iter().zip(scores) {
            notes.cats.push((label.clone(), f64::from(*score)));
        }
    }
}

impl Component for TextCategorizer {
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()> {
        self.apply_noting(doc, groups, &mut Notes::default())
    }

    fn apply_noting(&self, doc: &mut Doc, _groups: &mut Groups, notes: &mut Notes) -> Result<()> {
        let scores = self.scores(doc)?;
        self.note(notes, &scores);
        Ok(())
    }

    fn prefers_groups(&self) -> bool {
        true
    }

    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        self.encoder.predict(docs, |doc, _, notes, rows| {
            let empty = vec![0.0; if doc.is_empty() { self.encoder.width() } else { 0 }];
            self.note(notes, if doc.is_empty() { &empty } else { rows.numbers() });
            Ok(())
        })
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        kind == AnnotationKind::Categories
    }
}
