//! Figures of spans: sentences and span groups.

use std::collections::BTreeSet;
use std::ops::Range;

use lexpool_structs::{AttrId, SpanC};

use super::counts::{ByLabel, Counts};
use super::pair::{ScoredDoc, ScoredPair, has_annotation, string};
use crate::Result;
use crate::alignment::Ragged;
use crate::config::{Section, Value};
use crate::strings::StrId;
use crate::tokens::Doc;

/// The spans that are scored.
#[derive(Clone, Copy)]
pub(super) enum SpanKind<'a> {
    /// The sentences, without labels.
    Sentences,
    /// The group of a name.
    Group {
        /// The name.
        key: &'a str,
        /// `true` to compare labels.
        labeled: bool,
        /// `true` to count all of overlapping predicted spans.
        allow_overlap: bool,
    },
}

impl SpanKind<'_> {
    fn is_annotated(self, doc: ScoredDoc<'_>) -> bool {
        match self {
            SpanKind::Sentences => has_annotation(doc.doc, AttrId::SENT_START),
            SpanKind::Group { key, .. } => doc.groups.contains_key(key),
        }
    }

    fn spans(self, doc: ScoredDoc<'_>) -> Result<Vec<SpanC>> {
        match self {
            SpanKind::Sentences => {
                let ranges = doc.doc.sentences().ranges()?;
                ranges
                    .map(|range| Ok(doc.doc.span(range.start, range.end)?.record(StrId::EMPTY)))
                    .collect()
            }
            SpanKind::Group { key, .. } => {
                Ok(doc.groups.get(key).map_or(Vec::new(), |group| group.spans().to_vec()))
            }
        }
    }
}

/// Returns `{name}_p`, `_r`, `_f`, and for labelled spans `_per_type`.
pub(super) fn spans(pairs: &[ScoredPair<'_>], kind: SpanKind<'_>) -> Result<Section> {
    let (name, labeled, allow_overlap) = match kind {
        SpanKind::Sentences => ("sents".to_owned(), true, false),
        SpanKind::Group { key, labeled, allow_overlap } => {
            (format!("spans_{key}"), labeled, allow_overlap)
        }
    };
    let (mut total, mut by_label) = (Counts::default(), ByLabel::default());
    for pair in pairs.iter().filter(|pair| kind.is_annotated(pair.reference)) {
        let (reference, predicted) = (pair.reference.doc, pair.predicted.doc);
        let wanted = kind.spans(pair.reference)?;
        let mut labels: Vec<u64> = wanted.iter().map(|span| span.label).collect();
        let mut found = Vec::new();
        if kind.is_annotated(pair.predicted) {
            let given = kind.spans(pair.predicted)?;
            labels.extend(given.iter().map(|span| span.label));
            found =
                aligned_spans((predicted, reference), &pair.alignment.x2y, &given, allow_overlap);
        }
        let set = |spans: &[SpanC]| -> BTreeSet<(u64, i32, i32)> {
            let label = |span: &SpanC| if labeled { span.label } else { 0 };
            spans.iter().map(|span| (label(span), span.start, span.end)).collect()
        };
        let (wanted, found) = (set(&wanted), set(&found));
        if labeled {
            let mut seen = BTreeSet::new();
            for label in labels.into_iter().filter(|label| seen.insert(*label)) {
                let of = |spans: &BTreeSet<(u64, i32, i32)>| -> BTreeSet<(u64, i32, i32)> {
                    spans.iter().filter(|span| span.0 == label).copied().collect()
                };
                let text = match string(reference, label) {
                    "" => string(predicted, label),
                    text => text,
                };
                by_label.of(text).add_sets(&of(&found), &of(&wanted));
            }
        }
        total.add_sets(&found, &wanted);
    }
    let mut scores = Section::default();
    total.set_figures(&mut scores, &name);
    // Sentences have no labels to tell apart.
    if labeled && !matches!(kind, SpanKind::Sentences) {
        let per_type = if total.is_empty() { Value::Null } else { by_label.section().into() };
        scores.set(&format!("{name}_per_type"), per_type);
    }
    Ok(scores)
}

/// Returns spans of a document as spans of another tokenization of its text: those whose text is
/// the same but for case and spaces, and without those that overlap an earlier one unless that is
/// allowed. spaCy's `Example.get_aligned_spans_x2y`.
pub(crate) fn aligned_spans(
    (from, to): (&Doc, &Doc),
    tokens_of: &Ragged,
    spans: &[SpanC],
    allow_overlap: bool,
) -> Vec<SpanC> {
    let place = |position: i32| usize::try_from(position).unwrap_or(0);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for span in spans {
        let own = place(span.start)..place(span.end);
        let tokens = tokens_of.span(own.clone()).unwrap_or_default();
        let tokens = tokens_of.data()[tokens].iter().copied();
        let tokens: Vec<i32> = tokens.filter(|at| allow_overlap || !seen.contains(at)).collect();
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
        if bare(to, place(*first)..place(*last) + 1) == bare(from, own) {
            found.push(SpanC { start: *first, end: *last + 1, ..*span });
            seen.extend(tokens);
        }
    }
    found
}

/// Returns the text of a range in lower case without spaces.
fn bare(doc: &Doc, range: Range<usize>) -> Option<String> {
    let span = doc.span(range.start, range.end).ok()?;
    let text = span.text().to_lowercase();
    Some(text.trim_matches(crate::strings::chars::is_space).replace(' ', ""))
}
