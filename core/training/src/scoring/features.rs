//! Figures of the features of morphology.

use lexpool_structs::AttrId;

use super::counts::CountsByLabel;
use super::pair::{DocPair, string};
use super::scores::{Scores, rates_of};

/// Counts of features such as `Number=Sing`, by field.
#[derive(Clone, Debug, Default)]
pub struct FeatureCounts(CountsByLabel<String>);

impl FeatureCounts {
    /// Counts the features of a document.
    ///
    /// `reference` has the features of each reference token in the FEATS format; "" and "_" are
    /// none, and predicted ones of such tokens count neither way. `predicted` has positions in the
    /// reference, each with the features of a predicted token that aligns with it alone.
    pub fn add<'a>(
        &mut self,
        reference: &[&'a str],
        predicted: impl IntoIterator<Item = (usize, &'a str)>,
    ) {
        let mut facts = Facts::default();
        for (at, features) in reference.iter().enumerate() {
            for (field, feature) in features_of(features) {
                facts.of(field).wanted.push((at, feature));
            }
        }
        let has_features = |at: usize| reference.get(at).is_some_and(|text| !is_none(text));
        for (at, features) in predicted {
            if has_features(at) {
                for (field, feature) in features_of(features) {
                    facts.of(field).found.push((at, feature));
                }
            }
        }
        for (field, Field { found, wanted }) in facts.0 {
            self.0.of(field).add_sets(found, wanted);
        }
    }

    /// Counts the features that tokens have in their annotation.
    pub fn add_morph(&mut self, pair: &DocPair<'_>) {
        let (reference, predicted) = (pair.reference(), pair.predicted());
        let wanted = reference.attrs().column(AttrId::MORPH);
        let wanted: Vec<&str> = wanted.into_iter().map(|morph| string(reference, morph)).collect();
        let own = predicted.attrs().column(AttrId::MORPH);
        let found = pair
            .words()
            .filter_map(|(token, gold)| Some((gold?, string(predicted, own[token.i()]))));
        self.add(&wanted, found);
    }

    /// Returns `{name}_micro_p`, `_r`, `_f` over all features, and those of each field as
    /// `{name}_per_feat`.
    pub fn scores(&self, name: &str) -> Scores {
        let all = rates_of(self.0.sum());
        let mut scores = Scores::default();
        scores.push_rates(&format!("{name}_micro"), all);
        scores.push_table(format!("{name}_per_feat"), all.map(|_| self.0.rates()));
        scores
    }
}

/// Features of one field, each with the position of its token.
#[derive(Default)]
struct Field<'a> {
    found: Vec<(usize, &'a str)>,
    wanted: Vec<(usize, &'a str)>,
}

/// The features of a document by field. Languages have few fields, so that they are searched one by
/// one.
#[derive(Default)]
struct Facts<'a>(Vec<(&'a str, Field<'a>)>);

impl<'a> Facts<'a> {
    /// Returns the features of a field, by its name.
    fn of(&mut self, name: &'a str) -> &mut Field<'a> {
        let place = self.0.iter().position(|(own, _)| *own == name).unwrap_or_else(|| {
            self.0.push((name, Field::default()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }
}

/// Returns the features of a token, each after the name of its field.
fn features_of(features: &str) -> impl Iterator<Item = (&str, &str)> {
    let features = (!is_none(features)).then(|| features.split('|'));
    features
        .into_iter()
        .flatten()
        .map(|feature| (feature.split_once('=').map_or(feature, |(name, _)| name), feature))
}

fn is_none(features: &str) -> bool {
    matches!(features, "" | "_")
}
