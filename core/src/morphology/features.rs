//! Features of a word form, and their normal form as text.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use crate::codes;
use crate::{Error, Result};

/// The text of an analysis that says nothing, as opposed to there being none.
pub const EMPTY_MORPH: &str = "_";

const FEATURE_SEP: char = '|';
const FIELD_SEP: char = '=';
const VALUE_SEP: char = ',';

/// Features in the FEATS format: fields, each with one or more values.
///
/// The fields are sorted, and the values of each; printing gives the normal form.
///
/// ```
/// use lexpool::morphology::Features;
/// let features = Features::parse("Number=Sing|Case=Gen,Dat")?;
/// assert_eq!(features.to_string(), "Case=Dat,Gen|Number=Sing");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features(BTreeMap<String, Vec<String>>);

impl Features {
    /// No features.
    pub fn new() -> Features {
        Features::default()
    }

    /// Reads `Field=Value,Value|Field=Value`; `""` and `"_"` have no features. Of a field that
    /// occurs twice, the last counts.
    ///
    /// # Errors
    ///
    /// `feats-syntax` for a feature that has not exactly one `=`.
    pub fn parse(feats: &str) -> Result<Features> {
        let mut features = Features::new();
        if feats.is_empty() || feats == EMPTY_MORPH {
            return Ok(features);
        }
        for feature in feats.split(FEATURE_SEP) {
            match feature.split_once(FIELD_SEP) {
                Some((field, values)) if !values.contains(FIELD_SEP) => features.set(field, values),
                _ => return Err(syntax_error(feats, feature)),
            }
        }
        Ok(features)
    }

    /// Sets a field to its values, given with commas between them.
    pub fn set(&mut self, field: &str, values: &str) {
        let mut values: Vec<String> = values.split(VALUE_SEP).map(str::to_owned).collect();
        values.sort_unstable();
        self.0.insert(field.to_owned(), values);
    }

    /// Returns whether the number of fields is 0.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fields with their values, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|(field, values)| (field.as_str(), values.as_slice()))
    }

    /// The values of a field with commas between them.
    pub fn values(values: &[String]) -> String {
        values.join(",")
    }
}

impl fmt::Display for Features {
    /// Returns the normal form; empty without fields.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut features: Vec<String> = self
            .iter()
            .map(|(field, values)| format!("{field}{FIELD_SEP}{}", Features::values(values)))
            .collect();
        // By the whole text, and not by the field: "A2=x" comes before "A=x", as in spaCy.
        features.sort_unstable();
        for (i, feature) in features.iter().enumerate() {
            if i > 0 {
                f.write_char(FEATURE_SEP)?;
            }
            f.write_str(feature)?;
        }
        Ok(())
    }
}

fn syntax_error(feats: &str, feature: &str) -> Error {
    let text = format!(
        "the feature {feature:?} of {feats:?} is not of the form Field=Value or Field=Value,Value"
    );
    Error::value(codes::FEATS_SYNTAX, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_printed_sorted_by_text_and_values_too() {
        let table = [
            ("", ""),
            ("_", ""),
            ("Number=Sing|Case=Nom", "Case=Nom|Number=Sing"),
            ("Case=Nom,Acc,Dat", "Case=Acc,Dat,Nom"),
            ("A=x|A2=y", "A2=y|A=x"),
            ("Case=Nom|Case=Acc", "Case=Acc"),
            ("Case=", "Case="),
            ("=x", "=x"),
        ];
        for (given, expected) in table {
            assert_eq!(Features::parse(given).unwrap().to_string(), expected, "{given:?}");
        }
    }

    #[test]
    fn a_feature_has_exactly_one_equals_sign() {
        for given in ["Case", "Case=Nom=Acc", "Case=Nom|", "|", "_|Case=Nom"] {
            assert_eq!(Features::parse(given).unwrap_err().code(), "feats-syntax", "{given:?}");
        }
    }
}
