//! Spans from the scores of their first and last tokens.

use lexpool_nn::Rows;
use lexpool_structs::SpanC;

use super::encoder::Encoder;
use super::labels::check_count;
use crate::Result;
use crate::pipeline::{Annotation, AnnotationKind, Component, Groups};
use crate::strings::StrId;
use crate::tokens::{Doc, SpanGroup};

/// The outputs of a span finder: first token, last token.
const OUTPUTS: usize = 2;

/// The settings of a [`SpanFinder`].
#[derive(Clone, Debug, PartialEq)]
pub struct SpanFinderSettings {
    /// The group of the spans.
    pub spans_key: String,
    /// The lowest score of a first or last token.
    pub threshold: f32,
    /// The fewest tokens of a span.
    pub min_length: Option<usize>,
    /// The most tokens of a span.
    pub max_length: Option<usize>,
}

/// Finds spans without labels: spaCy's `SpanFinder`.
pub struct SpanFinder {
    encoder: Encoder,
    settings: SpanFinderSettings,
}

impl SpanFinder {
    /// Makes a finder of a network with two outputs.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of outputs.
    pub fn new(encoder: Encoder, settings: SpanFinderSettings) -> Result<SpanFinder> {
        check_count(OUTPUTS, encoder.width())?;
        Ok(SpanFinder { encoder, settings })
    }

    /// Adds the group of spans by a row for each token.
    fn annotate(&self, doc: &Doc, groups: &mut Groups, rows: &Rows) -> Result<()> {
        let SpanFinderSettings { spans_key, threshold, min_length, max_length } = &self.settings;
        let positions = |output: usize| -> Vec<usize> {
            let scores = rows.rows().map(|row| row[output]).enumerate();
            scores.filter(|(_, score)| score >= threshold).map(|(token, _)| token).collect()
        };
        let (starts, ends) = (positions(0), positions(1));
        let mut group = SpanGroup::new(doc);
        let shortest = min_length.unwrap_or(1).max(1);
        for start in starts {
            let first = ends.partition_point(|end| end + 1 < start + shortest);
            let ends = ends[first..].iter().map(|end| end + 1);
            for end in ends.take_while(|end| max_length.is_none_or(|most| end - start <= most)) {
                group.push(doc, record(doc, start, end, StrId::EMPTY)?)?;
            }
        }
        groups.insert(spans_key.clone(), group);
        Ok(())
    }
}

impl Component for SpanFinder {
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()> {
        self.annotate(doc, groups, &self.encoder.rows(doc)?)
    }

    fn prefers_groups(&self) -> bool {
        true
    }

    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        self.encoder.predict(docs, |doc, groups, _, rows| self.annotate(doc, groups, &rows))
    }

    fn may_set(&self, _kind: AnnotationKind) -> bool {
        false
    }
}

/// Returns the record of a span.
pub(super) fn record(doc: &Doc, start: usize, end: usize, label: StrId) -> Result<SpanC> {
    Ok(doc.span(start, end)?.record(label))
}
