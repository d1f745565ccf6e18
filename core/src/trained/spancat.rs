//! Categories of suggested spans.

use super::encoder::Encoder;
use super::labels::{Labels, arg_max, check_count};
use super::span_finder::record;
use super::suggester::Suggester;
use crate::Result;
use crate::pipeline::{Annotation, AnnotationKind, Component, Groups, Notes, SpanScores};
use crate::strings::StrId;
use crate::tokens::{Doc, SpanGroup};

/// The settings of a [`SpanCategorizer`].
#[derive(Clone, Debug, PartialEq)]
pub struct SpanCategorizerSettings {
    /// The group of the spans.
    pub spans_key: String,
    /// The lowest score of a label; required unless `max_positive` is 1.
    pub threshold: Option<f32>,
    /// The most labels of a span. With 1, a span has its best label only.
    pub max_positive: Option<usize>,
    /// True if the last output means that a span has no label.
    pub add_negative_label: bool,
    /// True if spans may overlap, if each has one label.
    pub allow_overlap: bool,
}

/// Labels spans that a suggester names: spaCy's `SpanCategorizer`.
pub struct SpanCategorizer {
    encoder: Encoder,
    labels: Labels,
    suggester: Suggester,
    settings: SpanCategorizerSettings,
}

/// A labelled span with its score: range, position of the label, score.
type ScoredSpan = ((usize, usize), usize, f32);

impl SpanCategorizer {
    /// Makes a categorizer of a network and its labels, the negative one left out.
    ///
    /// # Errors
    ///
    /// `model-labels` for another number of labels than outputs.
    pub fn new<S: AsRef<str>>(
        encoder: Encoder,
        labels: impl IntoIterator<Item = S>,
        suggester: Suggester,
        settings: SpanCategorizerSettings,
    ) -> Result<SpanCategorizer> {
        let labels = Labels::new(labels);
        let outputs = labels.texts().len() + usize::from(settings.add_negative_label);
        check_count(outputs, encoder.width())?;
        Ok(SpanCategorizer { encoder, labels, suggester, settings })
    }

    /// Returns the position of the output that means no label.
    fn negative(&self) -> Option<usize> {
        self.settings.add_negative_label.then(|| self.labels.texts().len())
    }

    fn is_enough(&self, score: f32) -> bool {
        self.settings.threshold.is_none_or(|threshold| score >= threshold)
    }

    /// Returns all labels that are good enough, span by span.
    fn several(&self, spans: &[(usize, usize)], rows: &lexpool_nn::Rows) -> Vec<ScoredSpan> {
        let mut found = Vec::new();
        for (span, row) in spans.iter().zip(rows.rows()) {
            let allowed = self.allowed(row);
            for (label, score) in row.iter().enumerate().take(self.labels.texts().len()) {
                if self.is_enough(*score)
                    && allowed.as_ref().is_none_or(|best| best.contains(&label))
                {
                    found.push((*span, label, *score));
                }
            }
        }
        found
    }

    /// Returns the best labels of a span; `None` if their number is not limited. Of equal scores
    /// the first labels are the best.
    fn allowed(&self, row: &[f32]) -> Option<Vec<usize>> {
        let most = self.settings.max_positive?;
        let mut ranked: Vec<usize> = (0..row.len()).collect();
        let score = |label: &usize| {
            if self.negative() == Some(*label) { f32::NEG_INFINITY } else { row[*label] }
        };
        ranked.sort_by(|a, b| score(b).total_cmp(&score(a)));
        ranked.truncate(most);
        Some(ranked)
    }

    /// Returns the best label of each span, unless it is the negative one.
    fn single(&self, spans: &[(usize, usize)], rows: &lexpool_nn::Rows) -> Vec<ScoredSpan> {
        let best = spans.iter().zip(rows.rows()).map(|(span, row)| {
            let label = arg_max(row);
            (*span, label, row[label])
        });
        let mut best: Vec<ScoredSpan> = best.collect();
        if !self.settings.allow_overlap {
            best.sort_by(|(_, _, a), (_, _, b)| b.total_cmp(a));
        }
        best.retain(|(_, label, score)| self.negative() != Some(*label) && self.is_enough(*score));
        if !self.settings.allow_overlap {
            let mut taken = vec![false; spans.iter().map(|(_, end)| *end).max().unwrap_or(0)];
            best.retain(|((start, end), _, _)| {
                let is_free = !taken[*start..*end].contains(&true);
                if is_free {
                    taken[*start..*end].fill(true);
                }
                is_free
            });
        }
        best
    }

    /// Returns the labelled spans of a document.
    fn choose(&self, spans: &[(usize, usize)], rows: &lexpool_nn::Rows) -> Vec<ScoredSpan> {
        if self.is_single() { self.single(spans, rows) } else { self.several(spans, rows) }
    }

    fn is_single(&self) -> bool {
        self.settings.max_positive == Some(1)
    }

    /// Sets the group of spans; `found` is `None` if no span was suggested.
    fn annotate(
        &self,
        doc: &mut Doc,
        groups: &mut Groups,
        notes: &mut Notes,
        found: Option<Vec<ScoredSpan>>,
    ) -> Result<()> {
        let mut group = SpanGroup::new(doc);
        let key = self.settings.spans_key.clone();
        if let Some(found) = found {
            for ((start, end), label, _) in &found {
                let label: StrId = self.labels.id(doc, *label)?;
                group.push(doc, record(doc, *start, *end, label)?)?;
            }
            let scores = found.iter().map(|(_, _, score)| *score).collect();
            let is_column = self.is_single();
            notes.span_scores.push(SpanScores { group: key.clone(), scores, is_column });
        }
        groups.insert(key, group);
        Ok(())
    }
}

impl Component for SpanCategorizer {
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()> {
        self.apply_noting(doc, groups, &mut Notes::default())
    }

    fn apply_noting(&self, doc: &mut Doc, groups: &mut Groups, notes: &mut Notes) -> Result<()> {
        let spans = self.suggester.suggest(doc, groups);
        let found = if spans.is_empty() {
            None
        } else {
            Some(self.choose(&spans, &self.encoder.rows_of_spans(doc, &spans)?))
        };
        self.annotate(doc, groups, notes, found)
    }

    /// The spans of a group that another component may set are known only when their document is
    /// annotated.
    fn prefers_groups(&self) -> bool {
        self.suggester.group().is_none()
    }

    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        let no_groups = Groups::new();
        let spans: Vec<_> =
            docs.iter().map(|doc| self.suggester.suggest(doc, &no_groups)).collect();
        let full = docs.iter().zip(&spans).filter(|(_, spans)| !spans.is_empty());
        let (full, spans_of_full): (Vec<&Doc>, Vec<&[_]>) =
            full.map(|(doc, spans)| (*doc, &spans[..])).unzip();
        let mut rows = self.encoder.rows_of_spans_of_all(&full, &spans_of_full)?.into_iter();
        let annotations = spans.iter().map(|spans| -> Annotation<'a> {
            let rows = if spans.is_empty() { None } else { rows.next() };
            let found = rows.map(|rows| self.choose(spans, &rows));
            Box::new(move |doc, groups, notes| self.annotate(doc, groups, notes, found))
        });
        Ok(annotations.collect())
    }

    fn group(&self) -> Option<&str> {
        self.suggester.group()
    }

    fn may_set(&self, _kind: AnnotationKind) -> bool {
        false
    }
}
