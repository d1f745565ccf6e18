//! The parts of speech of a dictionary.

use lexpool_error::Result;

use crate::damaged::damaged;
use crate::le::{Cursor, push_utf16};

/// A part of speech: four levels of category, the type of inflection and the inflected form. A
/// level that does not apply is `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartOfSpeech([String; 6]);

impl PartOfSpeech {
    /// Returns the six levels.
    pub fn levels(&self) -> &[String; 6] {
        &self.0
    }

    /// Returns the levels of the category that apply, joined by hyphens.
    pub fn category(&self) -> String {
        joined(&self.0[..4], "-")
    }

    /// Returns the type of inflection and the inflected form, as far as they apply, joined by
    /// semicolons.
    pub fn inflection(&self) -> String {
        joined(&self.0[4..], ";")
    }

    /// Reads the parts of speech of a file, from their number on. `len` reads the length of a
    /// string.
    pub(super) fn read_all(
        bytes: &[u8],
        cursor: &mut Cursor<'_>,
        len: fn(&mut Cursor<'_>) -> Option<usize>,
    ) -> Result<Vec<PartOfSpeech>> {
        let mut read = || {
            let count = cursor.u16()?;
            let mut level = || {
                let units = len(cursor)?;
                let mut level = String::new();
                push_utf16(&bytes[cursor.take(2 * units)?], &mut level);
                Some(level)
            };
            let mut part = || {
                let mut levels: [String; 6] = Default::default();
                for slot in &mut levels {
                    *slot = level()?;
                }
                Some(PartOfSpeech(levels))
            };
            (0..count).map(|_| part()).collect::<Option<Vec<_>>>()
        };
        read().ok_or_else(|| damaged("the parts of speech end beyond the file"))
    }
}

/// Joins the levels that apply.
fn joined(levels: &[String], separator: &str) -> String {
    let levels: Vec<&str> = levels.iter().map(String::as_str).filter(|&l| l != "*").collect();
    levels.join(separator)
}
