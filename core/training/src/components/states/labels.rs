//! The labels of moves: counted in references, given by settings, and as `meta.json` lists them.

use std::collections::{BTreeMap, BTreeSet};

use lexpool::config::Value;
use lexpool::projective::DELIMITER;
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool::transition::arc_eager::LabelCounts;
use lexpool::transition::{ArcEager, BiluoMove, BiluoPushDown, TransitionSystem};
use lexpool::{Error, Result, codes};

use super::gold::{GoldSystem, projective_tree};
use crate::corpora::example::Example;

/// The labels of each move with their frequencies.
pub(super) type Moves = Vec<(u8, Vec<(String, i64)>)>;

/// The choice of the labels that become classes of a parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LabelSettings {
    /// Labels that are rarer become `dep`.
    pub(super) min_action_freq: usize,
    /// The label of subtokens is a class in any case.
    pub(super) learn_tokens: bool,
}

/// A transition system whose labels are found in examples.
pub(super) trait LabelSystem: GoldSystem {
    /// Span groups may list wrong entities.
    const HAS_INCORRECT_SPANS: bool;

    /// About the number of states of a parse for each token.
    const STATES_PER_TOKEN: usize;

    /// Counts the labels of each move in references: spaCy's `get_actions`.
    fn count_labels(examples: &[Example], settings: LabelSettings) -> Result<Moves>;

    /// Returns the moves, and the labels of documents that some of them lack as classes.
    fn missing_labels(&self, docs: &[&Doc]) -> (Vec<u8>, BTreeSet<String>);

    /// Returns the labels, sorted.
    fn labels(&self) -> Vec<String>;
}

impl LabelSystem for ArcEager {
    const HAS_INCORRECT_SPANS: bool = false;
    const STATES_PER_TOKEN: usize = 2;

    fn count_labels(examples: &[Example], settings: LabelSettings) -> Result<Moves> {
        let mut counts = LabelCounts::new(&[], &[]);
        for example in examples {
            let reference = example.reference();
            let counted = projective_tree(&reference.doc).and_then(|(heads, labels)| {
                let heads: Vec<_> = heads.into_iter().map(Some).collect();
                let labels: Vec<_> = labels.iter().map(|label| Some(&**label)).collect();
                counts.count(&heads, &labels)
            });
            counted.map_err(|error| error.context(&reference.place))?;
        }
        let least = i64::try_from(settings.min_action_freq).unwrap_or(i64::MAX);
        Ok(counts.finish(Some(least), settings.learn_tokens))
    }

    /// Returns nothing: a label outside of the classes counts as `dep`.
    fn missing_labels(&self, _docs: &[&Doc]) -> (Vec<u8>, BTreeSet<String>) {
        (Vec::new(), BTreeSet::new())
    }

    fn labels(&self) -> Vec<String> {
        let actions = self.actions();
        let labels = actions.classes().map(|class| actions.label(class));
        let plain = labels.filter(|label| !label.is_empty()).map(|label| {
            // spaCy lists the label of the head that the arc was lifted from.
            label.split(DELIMITER).nth(1).unwrap_or(label).to_owned()
        });
        plain.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl LabelSystem for BiluoPushDown {
    const HAS_INCORRECT_SPANS: bool = true;
    const STATES_PER_TOKEN: usize = 1;

    fn count_labels(examples: &[Example], _settings: LabelSettings) -> Result<Moves> {
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        for example in examples {
            let doc = &example.reference().doc;
            for record in doc.entity_records().into_iter().flatten() {
                let label = doc.snapshot().string(StrId::new(record.ent_type));
                if let Some(label) = label.filter(|label| !label.is_empty()) {
                    *counts.entry(label.to_owned()).or_default() += 1;
                }
            }
        }
        let counts: Vec<_> = counts.into_iter().collect();
        let with_none = || [vec![(String::new(), 1)], counts.clone()].concat();
        Ok(vec![
            (BiluoMove::Missing as u8, Vec::new()),
            (BiluoMove::Begin as u8, counts.clone()),
            (BiluoMove::In as u8, counts.clone()),
            (BiluoMove::Last as u8, counts.clone()),
            (BiluoMove::Unit as u8, with_none()),
            (BiluoMove::Out as u8, vec![(String::new(), 1)]),
        ])
    }

    fn missing_labels(&self, docs: &[&Doc]) -> (Vec<u8>, BTreeSet<String>) {
        let moves = [BiluoMove::Begin, BiluoMove::In, BiluoMove::Last, BiluoMove::Unit];
        let moves = moves.map(|action| action as u8).to_vec();
        let mut labels = BTreeSet::new();
        for doc in docs {
            let mut last = 0;
            for record in doc.entity_records().into_iter().flatten() {
                let label = StrId::new(record.ent_type);
                if record.ent_type == last || label == StrId::EMPTY {
                    continue;
                }
                last = record.ent_type;
                if moves.iter().any(|action| !self.actions().has_label(*action, label)) {
                    labels.extend(doc.snapshot().string(label).map(str::to_owned));
                }
            }
        }
        (moves, labels)
    }

    fn labels(&self) -> Vec<String> {
        let actions = self.actions();
        let labels = actions.classes().map(|class| actions.label(class).to_owned());
        let labels: BTreeSet<_> = labels.filter(|label| !label.is_empty()).collect();
        labels.into_iter().collect()
    }
}

/// Reads labels as `init labels` writes them: an object of frequencies by label for each move.
///
/// # Errors
///
/// `training-config` for another value.
pub(super) fn given_moves(given: &Value) -> Result<Moves> {
    let wrong = || {
        let text = format!(
            "\"labels\" of a component is {given}; expected an object with the frequency of each \
             label for each move, such as {{\"2\": {{\"nsubj\": 120}}}}"
        );
        Error::value(codes::TRAINING_CONFIG, text)
    };
    let of_move = |(action, labels): (&str, &Value)| {
        let labels = labels.as_section().ok_or_else(wrong)?.iter();
        let label = |(label, count): (&str, &Value)| {
            Ok((label.to_owned(), count.as_int().ok_or_else(wrong)?))
        };
        Ok((action.parse().map_err(|_| wrong())?, labels.map(label).collect::<Result<_>>()?))
    };
    given.as_section().ok_or_else(wrong)?.iter().map(of_move).collect()
}
