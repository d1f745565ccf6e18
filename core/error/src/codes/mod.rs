//! The catalogue of error codes: a constant for each code, with the exceptions that carry it, the
//! form of its message and a remedy.
//!
//! One table for all of lexpool: Rust crates, the Python package and the warnings. Codes such as
//! `E018` and `W007` mean what spaCy's errors of these numbers mean; codes in words are lexpool's
//! own. From the table come the constants of this module, `lexpool.errors.codes()` in Python, the
//! command `lexpool explain` and the site's page of errors. A test of the repository compares it
//! with the sources: no code is raised that is not in the table, and no row stands for a code that
//! is never raised.
//!
//! ```
//! use lexpool_error::codes;
//!
//! let entry = codes::find("vocab-frozen").unwrap();
//! assert_eq!(entry.raised, [codes::Raised::Runtime]);
//! assert_eq!(codes::nearest("vocab-frosen"), ["vocab-frozen"]);
//! ```

mod documents;
mod files;
mod models;
mod ops;
mod search;
mod spacy_e0;
mod spacy_e1000;
mod spacy_e800;
mod training;

use std::fmt;

pub use documents::*;
pub use files::*;
pub use models::*;
pub use ops::*;
pub use search::*;
pub use spacy_e0::*;
pub use spacy_e800::*;
pub use spacy_e1000::*;
pub use training::*;

/// A stable code of an error or a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static str);

/// A row of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// The Python exceptions or warnings that carry the code, the usual one first.
    pub raised: &'static [Raised],
    /// The meaning of the code in one line; what varies stands in braces.
    pub form: &'static str,
    /// The remedy: one or two sentences in the imperative.
    pub remedy: &'static str,
}

/// A built-in exception of Python's that carries a code, itself or as the base of a class of
/// lexpool's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Raised {
    /// `ValueError`.
    Value,
    /// `KeyError`.
    Key,
    /// `IndexError`.
    Index,
    /// `TypeError`.
    Type,
    /// `OverflowError`.
    Overflow,
    /// `MemoryError`.
    Memory,
    /// `OSError`, or its subclass for the error of the operating system.
    Os,
    /// `KeyboardInterrupt`.
    Interrupt,
    /// `RuntimeError`.
    Runtime,
    /// `AttributeError`.
    Attribute,
    /// `NotImplementedError`.
    NotImplemented,
    /// `ImportError`.
    Import,
    /// `UserWarning`, or `DeprecationWarning` if the message says "deprecated".
    Warning,
}

/// Finds the row of a code. Cost: a binary search.
pub fn find(code: &str) -> Option<&'static Entry> {
    let all = all();
    all.binary_search_by(|entry| entry.code.0.cmp(code)).ok().map(|at| all[at])
}

/// The rows of the catalogue, sorted by code.
pub fn all() -> &'static [&'static Entry] {
    static ALL: std::sync::OnceLock<Vec<&'static Entry>> = std::sync::OnceLock::new();
    ALL.get_or_init(|| {
        let tables = [
            spacy_e0::TABLE,
            spacy_e800::TABLE,
            spacy_e1000::TABLE,
            documents::TABLE,
            files::TABLE,
            models::TABLE,
            ops::TABLE,
            search::TABLE,
            training::TABLE,
        ];
        let mut all: Vec<&Entry> = tables.into_iter().flatten().collect();
        all.sort_unstable_by_key(|entry| entry.code);
        all
    })
}

/// Up to five codes whose spelling is close to a text, the closest first.
pub fn nearest(text: &str) -> Vec<&'static str> {
    let most = text.chars().count() / 3 + 1;
    let mut near: Vec<(usize, &str)> = all()
        .iter()
        .map(|entry| {
            (edit_distance(&text.to_lowercase(), &entry.code.0.to_lowercase()), entry.code.0)
        })
        .filter(|(distance, _)| *distance <= most)
        .collect();
    near.sort_unstable();
    near.truncate(5);
    near.into_iter().map(|(_, code)| code).collect()
}

impl Code {
    /// A code of a program's own. Those of lexpool are the constants of [`codes`](self).
    pub const fn new(code: &'static str) -> Code {
        Code(code)
    }

    /// The code as text.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<str> for Code {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl Raised {
    /// The name of the exception in Python.
    pub fn name(self) -> &'static str {
        match self {
            Raised::Value => "ValueError",
            Raised::Key => "KeyError",
            Raised::Index => "IndexError",
            Raised::Type => "TypeError",
            Raised::Overflow => "OverflowError",
            Raised::Memory => "MemoryError",
            Raised::Os => "OSError",
            Raised::Interrupt => "KeyboardInterrupt",
            Raised::Runtime => "RuntimeError",
            Raised::Attribute => "AttributeError",
            Raised::NotImplemented => "NotImplementedError",
            Raised::Import => "ImportError",
            Raised::Warning => "UserWarning",
        }
    }
}

/// Declares the constants of a file and its `TABLE`. A row: name, text if it differs, exceptions,
/// form, remedy.
macro_rules! codes {
    ($($name:ident = $text:literal [$($raised:ident)+] $form:literal $remedy:literal)+) => {
        $(
            #[doc = concat!("`", $text, "`: ", $form, ". ", $remedy)]
            pub const $name: crate::Code = crate::Code::new($text);
        )+

        pub(super) const TABLE: &[super::Entry] = &[$(
            super::Entry {
                code: $name,
                raised: &[$(super::Raised::$raised),+],
                form: $form,
                remedy: $remedy,
            },
        )+];
    };
}
use codes;

/// The Levenshtein distance of two short texts, by one row of the table.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_one_row_with_a_form_and_a_remedy() {
        for pair in all().windows(2) {
            assert!(pair[0].code < pair[1].code, "{} twice", pair[0].code);
        }
        for entry in all() {
            assert!(!entry.raised.is_empty() && !entry.form.ends_with('.'), "{entry:?}");
            assert!(entry.remedy.ends_with(['.', ')']), "{entry:?}");
        }
    }

    #[test]
    fn the_nearest_codes_come_first_and_far_ones_not_at_all() {
        assert_eq!(nearest("e030").first(), Some(&"E030"));
        assert_eq!(nearest("file-not-fond"), ["file-not-found"]);
        assert!(nearest("something else entirely").is_empty());
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (a, b, distance) in [
            ("", "", 0),
            ("kitten", "sitting", 3),
            ("", "ab", 2),
            ("flaw", "lawn", 2),
            ("é", "e", 1),
        ] {
            assert_eq!((edit_distance(a, b), edit_distance(b, a)), (distance, distance));
        }
    }
}
