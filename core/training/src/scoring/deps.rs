//! Figures of dependency trees: attachment with labels and without.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::rc::Rc;

use ahash::AHashMap;
use lexpool::tokens::Doc;
use lexpool_structs::AttrId;

use super::counts::{Counts, CountsByLabel};
use super::pair::{DocPair, string};
use super::scores::{Scores, rates_of};

/// The arc of a reference token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceArc<L> {
    /// The annotation is missing.
    Missing,
    /// The label is not scored.
    Ignored,
    /// An arc to a head, by its position.
    To {
        /// The head.
        head: usize,
        /// The label.
        label: L,
    },
}

/// The arc of a predicted word, whose label is scored; positions are those of the one reference
/// token that a predicted token aligns with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredictedArc<L> {
    /// The word.
    pub token: Option<usize>,
    /// The head.
    pub head: Option<usize>,
    /// The label.
    pub label: L,
}

/// The position of a label in the table, a token and its head.
type LabelledArc = (usize, usize, usize);

/// Counts of arcs, with labels and without.
#[derive(Clone, Debug)]
pub struct ArcCounts<L> {
    heads: Counts,
    arcs: Counts,
    by_label: CountsByLabel<L>,
    /// Positions whose annotation was missing in a reference. As in spaCy, it is not emptied
    /// between documents.
    missing: BTreeSet<usize>,
}

impl<L> Default for ArcCounts<L> {
    fn default() -> ArcCounts<L> {
        ArcCounts {
            heads: Counts::default(),
            arcs: Counts::default(),
            by_label: CountsByLabel::default(),
            missing: BTreeSet::new(),
        }
    }
}

impl<L: Clone + Eq + Hash> ArcCounts<L> {
    /// Counts the arcs of a document.
    ///
    /// `reference` has the arc of each reference token, `predicted` those of predicted words. A
    /// predicted arc is wrong unless its word and its head align with one token each, and counts
    /// neither way if the annotation of its word was missing in this reference or an earlier one.
    pub fn add(
        &mut self,
        reference: impl IntoIterator<Item = ReferenceArc<L>>,
        predicted: impl IntoIterator<Item = PredictedArc<L>>,
    ) {
        let mut wanted: Vec<LabelledArc> = Vec::new();
        for (at, arc) in reference.into_iter().enumerate() {
            match arc {
                ReferenceArc::Missing => drop(self.missing.insert(at)),
                ReferenceArc::Ignored => {}
                ReferenceArc::To { head, label } => {
                    wanted.push((self.by_label.place_of(&label), at, head));
                }
            }
        }
        let mut found: Vec<LabelledArc> = Vec::new();
        for arc in predicted {
            if arc.token.is_some_and(|token| self.missing.contains(&token)) {
                continue;
            }
            if let Some((token, head)) = arc.token.zip(arc.head) {
                found.push((self.by_label.place_of(&arc.label), token, head));
            } else {
                self.heads.wrong += 1;
                self.arcs.wrong += 1;
            }
        }
        let heads = |arcs: &[LabelledArc]| {
            arcs.iter().map(|(_, token, head)| (*token, *head)).collect::<Vec<_>>()
        };
        self.heads.add_sets(heads(&found), heads(&wanted));
        self.add_labelled(found, wanted);
    }

    /// Counts the trees of a document.
    ///
    /// `label_of` returns the label that stands for an id of a document, or `None` for one to
    /// ignore. It is called once for each id.
    pub fn add_trees(&mut self, pair: &DocPair<'_>, label_of: impl Fn(&Doc, u64) -> Option<L>) {
        let (reference, predicted) = (pair.reference(), pair.predicted());
        let mut known = AHashMap::new();
        let mut label =
            |doc: &Doc, id| known.entry(id).or_insert_with(|| label_of(doc, id)).clone();
        let ids = reference.attrs().column(AttrId::DEP).into_iter();
        let wanted =
            ids.zip(reference.tree().heads()).map(|(id, head)| match label(reference, id) {
                _ if id == 0 => ReferenceArc::Missing,
                Some(label) => ReferenceArc::To { head, label },
                None => ReferenceArc::Ignored,
            });
        // Collected first, as the labels of both documents are remembered together.
        let wanted: Vec<_> = wanted.collect();
        let ids = predicted.attrs().column(AttrId::DEP);
        let heads: Vec<usize> = predicted.tree().heads().collect();
        let gold_tokens: Vec<Option<usize>> = pair.gold_tokens().collect();
        let found = pair.words().filter_map(|(token, gold)| {
            let label = label(predicted, ids[token.i()])?;
            Some(PredictedArc { token: gold, head: gold_tokens[heads[token.i()]], label })
        });
        self.add(wanted, found);
    }

    /// Counts arcs of the same label, for one label after the other.
    fn add_labelled(&mut self, mut found: Vec<LabelledArc>, mut wanted: Vec<LabelledArc>) {
        found.sort_unstable();
        wanted.sort_unstable();
        let (mut found, mut wanted) = (found.as_slice(), wanted.as_slice());
        while let Some(label) =
            found.first().into_iter().chain(wanted.first()).map(|arc| arc.0).min()
        {
            let own = |arcs: &mut &[LabelledArc]| {
                let (own, others) = arcs.split_at(arcs.partition_point(|arc| arc.0 == label));
                *arcs = others;
                own.to_vec()
            };
            let mut counts = Counts::default();
            counts.add_sets(own(&mut found), own(&mut wanted));
            self.by_label.at(label).add(counts);
            self.arcs.add(counts);
        }
    }

    /// Returns the F-scores of heads and of heads with labels, `{name}_uas` and `{name}_las`, and
    /// the figures of each label, `{name}_las_per_type`.
    pub fn scores(&self, name: &str) -> Scores<L> {
        let heads = rates_of(self.heads).map(|rates| rates.f_score);
        let mut scores = Scores::default();
        scores.push_number(format!("{name}_uas"), heads);
        scores.push_number(format!("{name}_las"), heads.map(|_| self.arcs.f_score()));
        scores.push_table(format!("{name}_las_per_type"), heads.map(|_| self.by_label.rates()));
        scores
    }
}

/// Returns a label of a document in lower case, which all arcs of it can share.
pub fn lower_label(doc: &Doc, id: u64) -> Rc<str> {
    string(doc, id).to_lowercase().into()
}
