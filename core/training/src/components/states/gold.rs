//! The reference of an example as gold annotation of a transition system.

use std::ops::Range;

use lexpool::Result;
use lexpool::alignment::Ragged;
use lexpool::projective::{decorate, projectivize};
use lexpool::strings::StrId;
use lexpool::strings::chars::is_space;
use lexpool::tokens::Doc;
use lexpool::transition::{
    ArcEager, ArcEagerGold, BiluoGold, BiluoPushDown, ClassIx, ParseState, TransitionSystem, oracle,
};
use lexpool_structs::{AttrId, SpanC};

use crate::corpora::example::Example;

/// The value of `ent_iob` for a token outside of entities.
const OUTSIDE: u64 = 2;

/// The first words of the buffer at the start and at the end of a piece; `None` for an empty
/// buffer.
pub(super) type Bounds = (Option<usize>, Option<usize>);

/// A transition system with gold annotation from examples.
pub(super) trait GoldSystem: TransitionSystem + Clone + Default + 'static {
    /// Returns the annotation of the reference for the predicted tokens.
    fn gold(&self, example: &Example, spans_key: Option<&str>) -> Result<Self::Gold>;

    /// Returns whether the reference has annotation of some tokens, or of any.
    fn has_gold(example: &Example, spans_key: Option<&str>, bounds: Option<Bounds>) -> bool;

    /// Returns the classes that an oracle takes from a state on.
    fn oracle_sequence(&self, state: &ParseState, gold: &Self::Gold) -> Result<Vec<ClassIx>>;
}

impl GoldSystem for ArcEager {
    fn gold(&self, example: &Example, _spans_key: Option<&str>) -> Result<ArcEagerGold> {
        let (heads, labels) = projective_tree(&example.reference().doc)?;
        let alignment = example.alignment();
        let gold: Vec<_> = alignment.x2y.singles().map(position).collect();
        let back: Vec<_> = alignment.y2x.singles().map(position).collect();
        let head = |at: &Option<usize>| back[heads[(*at)?]];
        let label = |at: &Option<usize>| at.map(|at| StrId::of(&labels[at]));
        let heads: Vec<_> = gold.iter().map(head).collect();
        let labels: Vec<_> = gold.iter().map(label).collect();
        self.gold(&heads, &labels, &sentence_starts(example)?)
    }

    /// As in spaCy, positions of predicted tokens are taken as positions in the reference.
    fn has_gold(example: &Example, _spans_key: Option<&str>, bounds: Option<Bounds>) -> bool {
        let doc = &example.reference().doc;
        let Some(syntax) = doc.syntax_records() else { return false };
        syntax[tokens_within(bounds, doc.len())].iter().any(|record| record.dep != 0)
    }

    fn oracle_sequence(&self, state: &ParseState, gold: &ArcEagerGold) -> Result<Vec<ClassIx>> {
        oracle::Oracle::new(self).partial_sequence(&mut state.clone(), gold)
    }
}

impl GoldSystem for BiluoPushDown {
    fn gold(&self, example: &Example, spans_key: Option<&str>) -> Result<BiluoGold> {
        let (doc, reference) = (example.predicted(), &example.reference().doc);
        let y2x = &example.alignment().y2x;
        let negatives = match spans_key.and_then(|key| example.reference().groups.get(key)) {
            None => Vec::new(),
            Some(group) => aligned_spans(doc, reference, group.spans(), y2x, true)?,
        };
        let mut tags: Vec<Option<String>> = vec![None; doc.len()];
        let mut entities = Vec::new();
        if reference.attrs().has_annotation(AttrId::ENT_IOB, false) {
            entities = aligned_spans(doc, reference, &reference.entities().spans()?, y2x, false)?;
            for entity in &entities {
                let label = reference.snapshot().string(StrId::new(entity.label));
                let label = label.unwrap_or_default();
                let (first, last) = (range_of(entity).start, range_of(entity).end - 1);
                for (token, tag) in (first..=last).zip(&mut tags[first..=last]) {
                    let place = match (token == first, token == last) {
                        (true, true) => 'U',
                        (true, false) => 'B',
                        (false, true) => 'L',
                        (false, false) => 'I',
                    };
                    *tag = Some(format!("{place}-{label}"));
                }
            }
            let aligned = example.aligned(AttrId::ENT_IOB);
            for ((token, tag), iob) in doc.iter().zip(&mut tags).zip(aligned) {
                let is_space = || token.attr(AttrId::IS_SPACE) != 0;
                if tag.is_none() && (iob == Some(OUTSIDE) || is_space()) {
                    *tag = Some("O".to_owned());
                }
            }
        }
        let tags: Vec<_> = tags.iter().map(Option::as_deref).collect();
        BiluoGold::new(self, &tags, &entities, &negatives)
    }

    fn has_gold(example: &Example, spans_key: Option<&str>, bounds: Option<Bounds>) -> bool {
        let (doc, reference) = (example.predicted(), &example.reference().doc);
        let tokens = tokens_within(bounds, doc.len());
        let span = doc.span(tokens.start, tokens.end).map(|span| span.record(StrId::EMPTY));
        let x2y = &example.alignment().x2y;
        let aligned = span.and_then(|span| aligned_spans(reference, doc, &[span], x2y, false));
        let aligned = aligned.unwrap_or_default();
        let range = aligned.first().map_or(0..reference.len(), range_of);
        let groups = &example.reference().groups;
        if let Some(group) = spans_key.and_then(|key| groups.get(key)) {
            let is_within = |span: &SpanC| {
                let own = range_of(span);
                own.start >= range.start && own.end <= range.end
            };
            if group.spans().iter().any(is_within) {
                return true;
            }
        }
        reference.tokens()[range].iter().any(|token| token.ent_iob() != 0)
    }

    fn oracle_sequence(&self, state: &ParseState, gold: &BiluoGold) -> Result<Vec<ClassIx>> {
        oracle::sequence(self, &mut state.clone(), gold)
    }
}

/// Returns the heads and labels of a document without crossing arcs: they are lifted, and their
/// labels have that of the head that they were lifted from.
pub(super) fn projective_tree(doc: &Doc) -> Result<(Vec<usize>, Vec<String>)> {
    let heads: Vec<usize> = doc.iter().map(|token| token.head().i()).collect();
    let mut labels: Vec<String> =
        doc.iter().map(|token| token.text_of(AttrId::DEP).to_owned()).collect();
    let known: Vec<_> = heads.iter().copied().map(Some).collect();
    let lifted = projectivize(&known)?;
    let plain = labels.clone();
    let mut projective = heads.clone();
    for (token, (head, lifted)) in doc.iter().zip(heads.iter().zip(lifted)) {
        let Some(lifted) = lifted.filter(|lifted| lifted != head && token.has_head()) else {
            continue;
        };
        projective[token.i()] = lifted;
        labels[token.i()] = decorate(&plain[token.i()], &plain[*head]);
    }
    Ok((projective, labels))
}

/// Returns for each predicted token whether a sentence of the reference starts there. All are
/// unknown if the reference has no sentences, or a token belongs to two of them.
fn sentence_starts(example: &Example) -> Result<Vec<Option<bool>>> {
    let (n_tokens, doc) = (example.predicted().len(), &example.reference().doc);
    if !doc.sentences().are_set() {
        return Ok(vec![None; n_tokens]);
    }
    let mut starts = vec![Some(false); n_tokens];
    let mut seen = vec![false; n_tokens];
    let y2x = &example.alignment().y2x;
    for sentence in doc.sentences().ranges()? {
        let aligned: Vec<usize> = aligned_tokens(y2x, sentence).collect();
        if aligned.iter().any(|token| seen[*token]) {
            return Ok(vec![None; n_tokens]);
        }
        for token in &aligned {
            seen[*token] = true;
        }
        if let Some(first) = aligned.first() {
            starts[*first] = Some(true);
        }
    }
    Ok(starts)
}

/// Returns spans of `source` as spans of `doc`, without those whose text differs in more than case
/// and spaces, and unless `allow_overlap` without those of tokens that another one has.
fn aligned_spans(
    doc: &Doc,
    source: &Doc,
    spans: &[SpanC],
    alignment: &Ragged,
    allow_overlap: bool,
) -> Result<Vec<SpanC>> {
    let mut seen = vec![false; doc.len()];
    let mut found = Vec::with_capacity(spans.len());
    for span in spans {
        let range = range_of(span);
        let aligned = aligned_tokens(alignment, range.clone());
        let aligned: Vec<usize> = aligned.filter(|token| allow_overlap || !seen[*token]).collect();
        let (Some(first), Some(last)) = (aligned.first(), aligned.last()) else { continue };
        let own = doc.span(*first, last + 1)?;
        if bare(own.text()) == bare(source.span(range.start, range.end)?.text()) {
            found.push(own.record(StrId::new(span.label)));
            for token in &aligned {
                seen[*token] = true;
            }
        }
    }
    Ok(found)
}

/// Returns a text in lower case without spaces, and without other whitespace at its ends.
fn bare(text: &str) -> String {
    text.to_lowercase().trim_matches(is_space).replace(' ', "")
}

/// Returns the tokens that some tokens align with, as often as they do.
fn aligned_tokens(alignment: &Ragged, tokens: Range<usize>) -> impl Iterator<Item = usize> {
    let places = alignment.span(tokens).unwrap_or_default();
    alignment.data()[places].iter().filter_map(|at| usize::try_from(*at).ok())
}

/// Returns the tokens that spaCy takes for those of a piece: an empty buffer counts as the last
/// token, since its position is -1.
fn tokens_within(bounds: Option<Bounds>, len: usize) -> Range<usize> {
    let Some((start, end)) = bounds else { return 0..len };
    let position = |at: Option<usize>| at.unwrap_or(len.saturating_sub(1)).min(len);
    let start = position(start);
    start..position(end).max(start)
}

fn range_of(span: &SpanC) -> Range<usize> {
    let position = |at: i32| usize::try_from(at).unwrap_or_default();
    position(span.start)..position(span.end)
}

fn position(at: Option<i32>) -> Option<usize> {
    at.and_then(|at| usize::try_from(at).ok())
}
