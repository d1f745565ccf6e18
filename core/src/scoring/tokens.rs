//! Figures of tokens: their boundaries, their attributes and the features of their morphology.

use std::collections::{BTreeMap, BTreeSet};

use lexpool_structs::AttrId;

use super::counts::{ByLabel, Counts};
use super::pair::{ScoredPair, is_space, string};
use crate::config::{Section, Value};
use crate::tokens::Doc;

/// Returns `token_acc`, `token_p`, `token_r` and `token_f`.
pub(super) fn boundaries(pairs: &[ScoredPair<'_>]) -> Section {
    let (mut aligned, mut ranges) = (Counts::default(), Counts::default());
    for pair in pairs.iter().filter(|pair| !pair.reference.doc.has_unknown_spaces()) {
        for (_, gold) in pair.words() {
            let counted = if gold.is_some() { &mut aligned.right } else { &mut aligned.wrong };
            *counted += 1;
        }
        ranges.add_sets(&ranges_of(pair.predicted.doc), &ranges_of(pair.reference.doc));
    }
    let figures = [
        ("token_acc", aligned.precision()),
        ("token_p", ranges.precision()),
        ("token_r", ranges.recall()),
        ("token_f", ranges.f_score()),
    ];
    let shown = |value| if aligned.is_empty() { Value::Null } else { Value::Float(value) };
    figures.into_iter().map(|(name, value)| (name.to_owned(), shown(value))).collect()
}

/// Returns the accuracy of an attribute, `{name}_acc`: the F-score of its values.
pub(super) fn attribute(pairs: &[ScoredPair<'_>], name: &str, attr: AttrId) -> Section {
    let mut counts = Counts::default();
    for pair in pairs {
        let wanted = pair.reference.doc.attrs().column(attr);
        let facts = wanted.iter().copied().enumerate().filter(|(_, value)| *value != 0);
        let own = pair.predicted.doc.attrs().column(attr);
        let found = pair.words().filter_map(|(token, gold)| {
            let gold = gold.filter(|gold| wanted.get(*gold).is_some_and(|value| *value != 0))?;
            Some((gold, own[token.i()]))
        });
        counts.add_sets(&found.collect(), &facts.collect());
    }
    let mut scores = Section::default();
    let accuracy = if counts.is_empty() { Value::Null } else { counts.f_score().into() };
    scores.set(&format!("{name}_acc"), accuracy);
    scores
}

/// The features of tokens by field, each with the position of its token.
type Facts<'a> = BTreeMap<&'a str, BTreeSet<(usize, &'a str)>>;

/// Returns `morph_micro_p`, `_r`, `_f` and `morph_per_feat`.
pub(super) fn features(pairs: &[ScoredPair<'_>]) -> Section {
    let mut by_field = ByLabel::default();
    for pair in pairs {
        let (mut wanted, mut found) = (Facts::new(), Facts::new());
        // The fields in the order of the tokens, which is that of the table.
        let (mut order, doc) = (Vec::new(), pair.reference.doc);
        let morphs = doc.attrs().column(AttrId::MORPH);
        let is_known: Vec<bool> = morphs
            .iter()
            .enumerate()
            .map(|(at, morph)| add_features(&mut wanted, &mut order, at, string(doc, *morph)))
            .collect();
        let doc = pair.predicted.doc;
        let morphs = doc.attrs().column(AttrId::MORPH);
        for (token, gold) in pair.words() {
            if let Some(gold) = gold.filter(|gold| is_known.get(*gold) == Some(&true)) {
                add_features(&mut found, &mut order, gold, string(doc, morphs[token.i()]));
            }
        }
        let none = BTreeSet::new();
        for field in order {
            let sets = (found.get(field).unwrap_or(&none), wanted.get(field).unwrap_or(&none));
            by_field.of(field).add_sets(sets.0, sets.1);
        }
    }
    let micro = by_field.sum();
    let mut scores = Section::default();
    micro.set_figures(&mut scores, "morph_micro");
    let per_feat = if micro.is_empty() { Value::Null } else { by_field.section().into() };
    scores.set("morph_per_feat", per_feat);
    scores
}

/// Adds the features of a token; returns false if it has none.
fn add_features<'a>(
    facts: &mut Facts<'a>,
    order: &mut Vec<&'a str>,
    at: usize,
    features: &'a str,
) -> bool {
    if matches!(features, "" | "_") {
        return false;
    }
    for feature in features.split('|') {
        let field = feature.split_once('=').map_or(feature, |(field, _)| field);
        if !order.contains(&field) {
            order.push(field);
        }
        facts.entry(field).or_default().insert((at, feature));
    }
    true
}

/// Returns the range of characters of each word.
fn ranges_of(doc: &Doc) -> BTreeSet<(usize, usize)> {
    let words = doc.iter().filter(|token| !is_space(token));
    words.map(|token| (token.idx(), token.end_char())).collect()
}
