//! The accuracy of an attribute of tokens.

use lexpool_structs::AttrId;

use super::counts::Counts;
use super::pair::DocPair;
use super::scores::{Scores, rates_of};

/// Counts of the values of an attribute.
#[derive(Clone, Copy, Debug, Default)]
pub struct AttributeCounts(Counts);

impl AttributeCounts {
    /// Counts the values of a document.
    ///
    /// `reference` has the value of each reference token, `None` without annotation. `predicted`
    /// has positions in the reference, each with the value of a predicted token that aligns with it
    /// alone; those without annotation in the reference count neither way.
    pub fn add<V: Ord + Copy>(
        &mut self,
        reference: &[Option<V>],
        predicted: impl IntoIterator<Item = (usize, V)>,
    ) {
        let is_known = |(gold, _): &(usize, V)| reference.get(*gold).is_some_and(Option::is_some);
        let wanted = reference.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
        self.0.add_sets(predicted.into_iter().filter(is_known).collect(), wanted.collect());
    }

    /// Counts the values of an attribute, of which 0 means that a token has no annotation.
    pub fn add_attr(&mut self, pair: &DocPair<'_>, attr: AttrId) {
        let wanted = pair.reference().attrs().column(attr).into_iter();
        let wanted: Vec<Option<u64>> = wanted.map(|value| (value != 0).then_some(value)).collect();
        let own = pair.predicted().attrs().column(attr);
        let found = pair.words().filter_map(|(token, gold)| Some((gold?, own[token.i()])));
        self.add(&wanted, found);
    }

    /// Returns the accuracy `{name}_acc`, which is the F-score of the values.
    pub fn scores<L>(&self, name: &str) -> Scores<L> {
        let mut scores = Scores::default();
        scores.push_number(format!("{name}_acc"), rates_of(self.0).map(|rates| rates.f_score));
        scores
    }
}
