//! Interned analyses.

use std::sync::{Arc, Once};

use lexpool_pool::{Index, SegmentedVec, Stats};

use super::features::{EMPTY_MORPH, Features};
use crate::Result;
use crate::strings::{StrId, StringStore};

/// One analysis: its fields and values as ids of strings.
pub struct Analysis {
    key: StrId,
    features: Box<[(StrId, StrId)]>,
}

impl Analysis {
    /// The id of the normal form, `_` for an analysis without features.
    pub fn key(&self) -> StrId {
        self.key
    }

    /// Pairs of a field and a `Field=Value`, one a value, sorted by field and then by value.
    pub fn features(&self) -> &[(StrId, StrId)] {
        &self.features
    }

    /// Returns whether a `Field=Value` is among the features.
    pub fn contains(&self, feature: StrId) -> bool {
        self.features.iter().any(|&(_, own)| own == feature)
    }

    /// The features `Field=Value` of a field.
    pub fn of_field(&self, field: StrId) -> impl Iterator<Item = StrId> {
        self.features.iter().filter(move |pair| pair.0 == field).map(|pair| pair.1)
    }
}

/// The analyses that a vocab has met, by the ids of their normal forms.
///
/// Any number of threads may add and look up; looking up takes no lock. What is added stays, and
/// its strings outlive any zone.
///
/// ```
/// use std::sync::{Arc, Once};
/// use lexpool::morphology::Morphology;
/// use lexpool::strings::StringStore;
/// let morphology = Morphology::new(Arc::new(StringStore::new()));
/// let key = morphology.add("Number=Sing|Case=Nom")?;
/// assert_eq!(morphology.strings().get(key).as_deref(), Some("Case=Nom|Number=Sing"));
/// assert_eq!(morphology.get(key).unwrap().features().len(), 2);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Morphology {
    strings: Arc<StringStore>,
    analyses: SegmentedVec<Analysis>,
    index: Index,
    early: Option<Early>,
}

/// Analyses that are entered when the table is first used.
struct Early {
    entered: Once,
    keys: Box<EarlyKeys>,
}

/// Gives the ids of analyses whose normal forms the store has.
pub(crate) type EarlyKeys = dyn Fn() -> Vec<StrId> + Send + Sync;

impl Morphology {
    /// A table that shares this store.
    pub fn new(strings: Arc<StringStore>) -> Morphology {
        Morphology { strings, analyses: SegmentedVec::new(), index: Index::new(), early: None }
    }

    /// Makes a table that contains some analyses from its first use. Invalid analyses are skipped.
    pub(crate) fn with_early(strings: Arc<StringStore>, keys: Box<EarlyKeys>) -> Morphology {
        let early = Some(Early { entered: Once::new(), keys });
        Morphology { early, ..Morphology::new(strings) }
    }

    /// The strings behind the ids.
    pub fn strings(&self) -> &Arc<StringStore> {
        &self.strings
    }

    /// Enters an analysis given as text, and gives its id. One that is known in this very form
    /// costs one look-up.
    ///
    /// # Errors
    ///
    /// As for [`Features::parse`], and when memory runs out.
    pub fn add(&self, feats: &str) -> Result<StrId> {
        let key = StrId::of(feats);
        if self.get(key).is_some() {
            return Ok(key);
        }
        self.add_features(&Features::parse(feats)?)
    }

    /// Enters an analysis and gives its id.
    ///
    /// # Errors
    ///
    /// When memory runs out.
    pub fn add_features(&self, features: &Features) -> Result<StrId> {
        let feats = if features.is_empty() { EMPTY_MORPH.to_owned() } else { features.to_string() };
        let key = StrId::of(&feats);
        if self.get(key).is_some() {
            return Ok(key);
        }
        self.enter(key, &feats, features)?;
        Ok(key)
    }

    fn enter(&self, key: StrId, feats: &str, features: &Features) -> Result<()> {
        self.strings.add_permanent(feats)?;
        let mut pairs = Vec::new();
        for (field, values) in features.iter() {
            let id = self.strings.add_permanent(field)?;
            for value in values {
                pairs.push((id, self.strings.add_permanent(&format!("{field}={value}"))?));
            }
        }
        let analysis = Analysis { key, features: pairs.into() };
        self.index.find_or_insert(
            key.get(),
            |position| self.at(position).key == key,
            |position| self.at(position).key.get(),
            || -> Result<u32> { Ok(self.analyses.push(analysis)?) },
        )?;
        Ok(())
    }

    fn enter_early(&self) {
        let Some(early) = &self.early else { return };
        early.entered.call_once(|| {
            for key in (early.keys)() {
                let Some(feats) = self.strings.get_permanent(key) else { continue };
                if let Ok(features) = Features::parse(feats) {
                    // Without memory for it the analysis is not there, as others would not be.
                    let _ = self.enter(key, feats, &features);
                }
            }
        });
    }

    /// The analysis with an id. Lock-free, but for the first time in a vocab from a file.
    pub fn get(&self, key: StrId) -> Option<&Analysis> {
        self.enter_early();
        let position = self.index.find(key.get(), |position| self.at(position).key == key)?;
        Some(self.at(position))
    }

    /// All analyses, in the order in which they were entered.
    pub fn iter(&self) -> impl Iterator<Item = &Analysis> {
        self.enter_early();
        (0..self.analyses.len()).map(|position| self.at(position))
    }

    /// Memory held by the table, without its strings.
    pub fn stats(&self) -> Stats {
        self.analyses.stats() + self.index.stats()
    }

    fn at(&self, position: u32) -> &Analysis {
        self.analyses.get(position).expect("the index holds only positions that were pushed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Morphology {
        Morphology::new(Arc::new(StringStore::new()))
    }

    #[test]
    fn an_analysis_is_one_whatever_its_order() {
        let morphology = table();
        let key = morphology.add("Number=Sing|Case=Nom,Acc").unwrap();
        assert_eq!(morphology.add("Case=Acc,Nom|Number=Sing").unwrap(), key);
        assert_eq!(morphology.iter().count(), 1);
        assert_eq!(key, StrId::of("Case=Acc,Nom|Number=Sing"));
    }

    #[test]
    fn features_are_found_by_field_and_by_value() {
        let morphology = table();
        let key = morphology.add("Number=Sing|Case=Nom,Acc").unwrap();
        let analysis = morphology.get(key).unwrap();
        let of_case: Vec<_> = analysis.of_field(StrId::of("Case")).collect();
        assert_eq!(of_case, [StrId::of("Case=Acc"), StrId::of("Case=Nom")]);
        assert!(analysis.contains(StrId::of("Number=Sing")));
        assert!(!analysis.contains(StrId::of("Number")));
        assert_eq!(analysis.of_field(StrId::of("Gender")).count(), 0);
    }

    #[test]
    fn the_empty_analysis_is_not_the_absence_of_one() {
        let morphology = table();
        let empty = morphology.add("").unwrap();
        assert_eq!(empty, StrId::of(EMPTY_MORPH));
        assert_eq!(morphology.add("_").unwrap(), empty);
        assert!(morphology.get(empty).unwrap().features().is_empty());
        assert!(morphology.get(StrId::EMPTY).is_none());
    }

    #[test]
    fn what_is_malformed_enters_nothing() {
        let morphology = table();
        assert!(morphology.add("Case=Nom|Number").is_err());
        assert_eq!(morphology.iter().count(), 0);
        assert!(morphology.strings().is_empty());
    }
}
