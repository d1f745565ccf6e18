//! What is wrong with patterns that were given as data: everything, each with its place.

use std::fmt;

use crate::Error;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: the line of a file or the key, the element, and the fields down to the value.
    pub place: String,
    /// What was expected, and what there is.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.place {
            "" => f.write_str(&self.text),
            place => write!(f, "{place}: {}", self.text),
        }
    }
}

/// All that is wrong, in the order of the text; at least one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub(super) Vec<Fault>);

/// So many are printed.
const SHOWN: usize = 20;

impl Faults {
    /// The faults one by one.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [fault] = &*self.0 {
            return fault.fmt(f);
        }
        write!(f, "{} things are wrong", self.0.len())?;
        for fault in self.0.iter().take(SHOWN) {
            write!(f, "\n  {fault}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl std::error::Error for Faults {}

impl From<Faults> for Error {
    fn from(faults: Faults) -> Error {
        Error::value("pattern-syntax", faults.to_string()).caused_by(faults)
    }
}

/// A place that is being read, and where faults are put down.
pub(super) struct Reading<'a> {
    place: String,
    faults: &'a mut Vec<Fault>,
}

impl Reading<'_> {
    pub(super) fn new(place: String, faults: &mut Vec<Fault>) -> Reading<'_> {
        Reading { place, faults }
    }

    /// The same place, for another reader.
    pub(super) fn again(&mut self) -> Reading<'_> {
        Reading { place: self.place.clone(), faults: self.faults }
    }

    /// The place of a part: an element or a field.
    pub(super) fn part(&mut self, name: impl fmt::Display) -> Reading<'_> {
        let place =
            if self.place.is_empty() { name.to_string() } else { format!("{} {name}", self.place) };
        Reading { place, faults: self.faults }
    }

    /// Puts a fault down; gives none, so that a reader can end with it.
    pub(super) fn fault<T>(&mut self, text: impl Into<String>) -> Option<T> {
        // A comma is to set off what is inside.
        let place = self.place.trim_end_matches(',').to_owned();
        self.faults.push(Fault { place, text: text.into() });
        None
    }
}
