//! The results of components that a document has no place for.

use std::sync::Arc;

use lexpool_plugin::Owned;

/// Results of components about one document that the document itself has no place for.
///
/// In Python they are set on the document after the components have run: the first field in
/// `doc.user_data`, the others in `doc.cats` and in the attributes of `doc.spans`. Components add
/// to the lists; of two values of one name the later one holds.
#[derive(Default)]
pub struct Notes {
    /// Values of any type by name, such as the results of ops.
    pub user_data: Vec<(Arc<str>, Owned<'static>)>,
    /// The scores of categories, in the order of the labels.
    pub cats: Vec<(Arc<str>, f64)>,
    /// The scores of the spans of groups.
    pub span_scores: Vec<SpanScores>,
}

/// The scores of the spans of a group, one for each span.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanScores {
    /// The name of the group.
    pub group: String,
    /// The scores.
    pub scores: Vec<f32>,
    /// True if Python's array has two dimensions, the second of length 1, as spaCy's has where a
    /// span has one label.
    pub is_column: bool,
}

impl Notes {
    /// Creates notes without results.
    pub fn new() -> Notes {
        Notes::default()
    }

    /// Returns the scores of the spans of a group; `None` for a group without scores.
    pub fn scores_of(&self, group: &str) -> Option<&[f32]> {
        let of_group = self.span_scores.iter().rev().find(|scores| scores.group == group);
        of_group.map(|scores| &*scores.scores)
    }

    /// Returns each category once, at the place of its first score and with its last one: the order
    /// of a Python dict.
    pub fn unique_cats(&self) -> Vec<(&str, f64)> {
        let mut places = ahash::HashMap::default();
        let mut unique: Vec<(&str, f64)> = Vec::with_capacity(self.cats.len());
        for (label, score) in &self.cats {
            let place = *places.entry(&**label).or_insert(unique.len());
            match unique.get_mut(place) {
                Some(known) => known.1 = *score,
                None => unique.push((label, *score)),
            }
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_keeps_its_first_place_and_its_last_score() {
        let mut notes = Notes::new();
        notes.cats = [("b", 0.5), ("a", 1.0), ("b", 0.25)].map(|(l, s)| (l.into(), s)).to_vec();
        assert_eq!(notes.unique_cats(), [("b", 0.25), ("a", 1.0)]);
    }

    #[test]
    fn a_group_has_its_last_scores() {
        let scores = |group: &str, score| SpanScores {
            group: group.to_owned(),
            scores: vec![score],
            is_column: false,
        };
        let span_scores = vec![scores("sc", 0.5), scores("other", 1.0), scores("sc", 0.25)];
        let notes = Notes { span_scores, ..Notes::new() };
        assert_eq!(notes.scores_of("sc"), Some(&[0.25][..]));
        assert_eq!(notes.scores_of("none"), None);
    }
}
