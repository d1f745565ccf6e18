//! The form of numbers in a language: marks in digits, endings of words, scripts with rules.

use serde::{Deserialize, Serialize};

use crate::{Error, Result, codes};

/// The form of numbers in a language; by default that of English, of which `LIKE_NUM` of spaCy's
/// languages differ in these points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about a language")]
pub struct NumberForm {
    /// Signs, of which one may precede a number.
    pub signs: Vec<char>,
    /// Marks that do not count.
    pub separators: Vec<char>,
    /// Marks between the two numbers of a fraction.
    pub fractions: Vec<char>,
    /// Endings that a number word may have. In Chinese they are the units that follow numerals, in
    /// Yoruba they count anywhere in a word.
    pub word_suffixes: Vec<String>,
    /// `true` if a percent sign may follow.
    pub percent: bool,
    /// `true` if words are compared as they are, not in lower case.
    pub exact_case: bool,
    /// `true` if Roman numerals count.
    pub roman: bool,
    /// `true` if a word counts if the part behind its only hyphen is a number.
    pub hyphenated: bool,
    /// The rules of a script beyond these.
    pub script: Option<NumberScript>,
}

/// Scripts whose numbers are not words of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberScript {
    /// Numerals, each with a unit.
    Chinese,
    /// A word with any numeral.
    Korean,
    /// Words without their marks.
    Yoruba,
}

impl Default for NumberForm {
    fn default() -> NumberForm {
        NumberForm {
            signs: vec!['+', '-', '\u{b1}', '~'],
            separators: vec![',', '.'],
            fractions: vec!['/'],
            word_suffixes: Vec::new(),
            percent: false,
            exact_case: false,
            roman: false,
            hyphenated: false,
            script: None,
        }
    }
}

impl NumberForm {
    /// Reads a form from JSON. Fields that are absent have the values of the default form.
    ///
    /// # Errors
    ///
    /// `image-meta` for a value of another type.
    pub fn from_json(json: &str) -> Result<NumberForm> {
        serde_json::from_str(json).map_err(|error| {
            let text = format!("expected the form of numbers, found {json:?}: {error}");
            Error::value(codes::IMAGE_META, text).caused_by(error)
        })
    }

    /// Returns the form as JSON.
    pub fn to_json(&self) -> String {
        // A struct of lists and flags has no key that JSON could not represent.
        serde_json::to_string(self).unwrap_or_default()
    }
}
