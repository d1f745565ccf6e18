//! Figures of spans: sentences, entities, span groups.

use std::ops::Range;

use ahash::AHashSet;
use lexpool::Result;
use lexpool::alignment::Ragged;
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool_structs::SpanC;

use super::counts::{Counts, CountsByLabel};
use super::pair::{DocPair, string};
use super::scores::{Scores, rates_of};

/// A span of reference tokens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScoredSpan {
    /// The label.
    pub label: String,
    /// The position of the first token.
    pub start: i64,
    /// The position after the last token.
    pub end: i64,
}

/// The way in which spans are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanSettings {
    /// `true` to compare labels, and to score each.
    pub labeled: bool,
    /// `true` to count all of overlapping predicted spans.
    pub allow_overlap: bool,
}

/// Counts of spans, by label too.
#[derive(Clone, Debug)]
pub struct SpanCounts {
    settings: SpanSettings,
    all: Counts,
    by_label: CountsByLabel<String>,
}

impl SpanCounts {
    /// Makes empty counts.
    pub fn new(settings: SpanSettings) -> SpanCounts {
        SpanCounts { settings, all: Counts::default(), by_label: CountsByLabel::default() }
    }

    /// Counts the spans of a document: those of the reference, and the predicted ones that align
    /// with it. `labels` are those of all predicted spans.
    pub fn add<'a>(
        &mut self,
        reference: &'a [ScoredSpan],
        labels: impl IntoIterator<Item = &'a str>,
        aligned: &[ScoredSpan],
    ) {
        let bounds = |span: &ScoredSpan| (span.start, span.end);
        if !self.settings.labeled {
            let set = |spans: &[ScoredSpan]| spans.iter().map(bounds).collect::<Vec<_>>();
            self.all.add_sets(set(aligned), set(reference));
            return;
        }
        let mut seen = AHashSet::new();
        let labels = reference.iter().map(|span| span.label.as_str()).chain(labels);
        for label in labels.filter(|label| seen.insert(*label)) {
            let of = |spans: &[ScoredSpan]| {
                spans.iter().filter(|span| span.label == label).map(bounds).collect::<Vec<_>>()
            };
            let mut counts = Counts::default();
            counts.add_sets(of(aligned), of(reference));
            self.by_label.of(label).add(counts);
            self.all.add(counts);
        }
    }

    /// Counts spans of the two documents; the predicted ones are aligned with the reference first.
    pub fn add_records(&mut self, pair: &DocPair<'_>, reference: &[SpanC], predicted: &[SpanC]) {
        let docs = (pair.predicted(), pair.reference());
        let aligned = aligned_spans(docs, pair.x2y(), predicted, self.settings.allow_overlap);
        // An unlabelled count needs no text of a label.
        let text = |span: &SpanC| match string(docs.1, span.label) {
            _ if !self.settings.labeled => "",
            "" => string(docs.0, span.label),
            text => text,
        };
        let scored = |spans: &[SpanC]| -> Vec<ScoredSpan> {
            let scored = |span: &SpanC| ScoredSpan {
                label: text(span).to_owned(),
                start: span.start.into(),
                end: span.end.into(),
            };
            spans.iter().map(scored).collect()
        };
        let (wanted, found) = (scored(reference), scored(&aligned));
        let labels: Vec<&str> = predicted.iter().map(text).collect();
        self.add(&wanted, labels, &found);
    }

    /// Returns `{name}_p`, `_r`, `_f`, and of labelled spans `_per_type`.
    pub fn scores(&self, name: &str) -> Scores {
        let all = rates_of(self.all);
        let mut scores = Scores::default();
        scores.push_rates(name, all);
        if self.settings.labeled {
            scores.push_table(format!("{name}_per_type"), all.map(|_| self.by_label.rates()));
        }
        scores
    }
}

/// Returns the sentences of a document as spans without labels.
///
/// # Errors
///
/// `E030` for a document without boundaries of sentences.
pub fn sentence_spans(doc: &Doc) -> Result<Vec<SpanC>> {
    let span = |range: Range<usize>| doc.span(range.start, range.end);
    let ranges = doc.sentences().ranges()?;
    ranges.map(|range| Ok(span(range)?.record(StrId::EMPTY))).collect()
}

/// Returns spans of a document as spans of another tokenization of its text: those whose text is
/// the same but for case and spaces, and without those that overlap an earlier one unless that is
/// allowed. spaCy's `Example.get_aligned_spans_x2y`.
pub fn aligned_spans(
    (from, to): (&Doc, &Doc),
    tokens_of: &Ragged,
    spans: &[SpanC],
    allow_overlap: bool,
) -> Vec<SpanC> {
    let place = |position: i32| usize::try_from(position).unwrap_or(0);
    let mut is_taken = vec![false; to.len()];
    let mut found = Vec::new();
    for span in spans {
        let own = place(span.start)..place(span.end);
        let tokens = tokens_of.span(own.clone()).unwrap_or_default();
        let tokens = tokens_of.data()[tokens].iter().copied();
        let is_free = |at: &i32| allow_overlap || is_taken.get(place(*at)) == Some(&false);
        let tokens: Vec<i32> = tokens.filter(is_free).collect();
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
        if have_same_text((to, &(place(*first)..place(*last) + 1)), (from, &own)) {
            found.push(SpanC { start: *first, end: *last + 1, ..*span });
            for at in tokens {
                is_taken.get_mut(place(at)).into_iter().for_each(|taken| *taken = true);
            }
        }
    }
    found
}

/// Returns whether two ranges have the same text but for case and spaces.
fn have_same_text(one: (&Doc, &Range<usize>), other: (&Doc, &Range<usize>)) -> bool {
    let one = one.0.span(one.1.start, one.1.end);
    let other = other.0.span(other.1.start, other.1.end);
    one.ok().zip(other.ok()).is_some_and(|(one, other)| {
        one.text() == other.text() || bare(one.text()) == bare(other.text())
    })
}

/// Returns a text in lower case without spaces.
fn bare(text: &str) -> String {
    let text = text.to_lowercase();
    text.trim_matches(lexpool::strings::chars::is_space).replace(' ', "")
}
