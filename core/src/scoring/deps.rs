//! Figures of dependency trees: attachment with labels and without.

use std::collections::BTreeSet;

use lexpool_structs::AttrId;

use super::counts::{ByLabel, Counts};
use super::pair::{ScoredPair, string};
use crate::config::{Section, Value};
use crate::tokens::Doc;

/// Relations that are not scored.
const IGNORED: [&str; 2] = ["p", "punct"];

/// An arc: the token, the head and the label.
type Arc = (usize, usize, String);

/// Returns `dep_uas`, `dep_las` and `dep_las_per_type`. Labels are compared in lower case.
pub(super) fn arcs(pairs: &[ScoredPair<'_>]) -> Section {
    let (mut heads, mut arcs) = (Counts::default(), Counts::default());
    let mut by_label = ByLabel::default();
    // As in spaCy, it is not emptied between documents.
    let mut unsaid = BTreeSet::new();
    for pair in pairs {
        let doc = pair.reference.doc;
        let mut wanted: Vec<Arc> = Vec::new();
        for (at, (label, head)) in labels(doc).into_iter().zip(doc.tree().heads()).enumerate() {
            if label.is_empty() {
                unsaid.insert(at);
            } else if !IGNORED.contains(&label.as_str()) {
                wanted.push((at, head, label));
            }
        }
        let doc = pair.predicted.doc;
        let own_labels = labels(doc);
        let own_heads: Vec<usize> = doc.tree().heads().collect();
        let gold_tokens: Vec<Option<usize>> = pair.gold_tokens().collect();
        let mut found: Vec<Arc> = Vec::new();
        for (token, gold) in pair.words() {
            let label = &own_labels[token.i()];
            if gold.is_some_and(|gold| unsaid.contains(&gold)) || IGNORED.contains(&label.as_str())
            {
                continue;
            }
            if let Some((gold, head)) = gold.zip(gold_tokens[own_heads[token.i()]]) {
                found.push((gold, head, label.clone()));
            } else {
                heads.wrong += 1;
                arcs.wrong += 1;
            }
        }
        count(&mut heads, &mut arcs, &mut by_label, &found, &wanted);
    }
    let mut scores = Section::default();
    let shown = |value: Value| if heads.is_empty() { Value::Null } else { value };
    scores.set("dep_uas", shown(heads.f_score().into()));
    scores.set("dep_las", shown(arcs.f_score().into()));
    scores.set("dep_las_per_type", shown(by_label.section().into()));
    scores
}

fn count(
    heads: &mut Counts,
    arcs: &mut Counts,
    by_label: &mut ByLabel,
    found: &[Arc],
    wanted: &[Arc],
) {
    let all = |arcs: &[Arc]| arcs.iter().cloned().collect::<BTreeSet<_>>();
    arcs.add_sets(&all(found), &all(wanted));
    let pairs = |arcs: &[Arc]| arcs.iter().map(|(i, head, _)| (*i, *head)).collect::<BTreeSet<_>>();
    heads.add_sets(&pairs(found), &pairs(wanted));
    let mut labels: Vec<&str> = Vec::new();
    for (_, _, label) in wanted.iter().chain(found) {
        if !labels.contains(&label.as_str()) {
            labels.push(label);
        }
    }
    for label in labels {
        let of = |arcs: &[Arc]| {
            let own = arcs.iter().filter(|arc| arc.2 == label);
            own.map(|(i, head, _)| (*i, *head)).collect::<BTreeSet<_>>()
        };
        by_label.of(label).add_sets(&of(found), &of(wanted));
    }
}

/// Returns the relations of all tokens in lower case.
fn labels(doc: &Doc) -> Vec<String> {
    let labels = doc.attrs().column(AttrId::DEP);
    labels.into_iter().map(|label| string(doc, label).to_lowercase()).collect()
}
