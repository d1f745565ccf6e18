//! Values that Python's functions return, numbered.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyInt, PyString};

/// Distinct values by their number, in the order in which they were first seen. Two are the same if
/// they are for Python's sets: equal, with equal hashes, or one object.
pub(super) struct Values<'py> {
    numbers: Bound<'py, PyDict>,
    values: Vec<Bound<'py, PyAny>>,
}

impl<'py> Values<'py> {
    pub(super) fn new(py: Python<'py>) -> Values<'py> {
        Values { numbers: PyDict::new(py), values: Vec::new() }
    }

    /// Returns the number of a value.
    ///
    /// # Errors
    ///
    /// `TypeError` for an unhashable value.
    pub(super) fn number_of(&mut self, value: Bound<'py, PyAny>) -> PyResult<usize> {
        if let Some(number) = self.numbers.get_item(&value)? {
            return number.extract();
        }
        self.numbers.set_item(&value, self.values.len())?;
        self.values.push(value);
        Ok(self.values.len() - 1)
    }

    /// Returns the value of a number, which `number_of` has returned.
    pub(super) fn value(&self, number: usize) -> &Bound<'py, PyAny> {
        &self.values[number]
    }
}

/// Facts about values by their number, each asked for once.
pub(super) struct Facts<T>(Vec<Option<T>>);

impl<T> Facts<T> {
    pub(super) fn new() -> Facts<T> {
        Facts(Vec::new())
    }

    /// Returns the fact of a number; `ask` is called if it is not known yet.
    pub(super) fn of(&mut self, number: usize, ask: impl FnOnce() -> PyResult<T>) -> PyResult<&T> {
        if self.0.len() <= number {
            self.0.resize_with(number + 1, || None);
        }
        if self.0[number].is_none() {
            self.0[number] = Some(ask()?);
        }
        Ok(self.0[number].as_ref().expect("it was set above"))
    }

    /// Returns the fact of a number, if it is known.
    pub(super) fn known(&self, number: usize) -> Option<&T> {
        self.0.get(number)?.as_ref()
    }
}

/// The values that mean that a token has no annotation.
pub(super) struct MissingValues<'py> {
    values: Bound<'py, PyAny>,
    /// `true` for those of `lexpool.scorer.MISSING_VALUES`: None, 0 and the empty string.
    pub(super) are_usual: bool,
    facts: Facts<bool>,
}

impl<'py> MissingValues<'py> {
    pub(super) fn of(
        py: Python<'py>,
        given: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<MissingValues<'py>> {
        let zero = PyInt::new(py, 0).into_any();
        let usual = [py.None().into_bound(py), zero, PyString::new(py, "").into_any()];
        let usual = PyFrozenSet::new(py, usual)?.into_any();
        let (values, are_usual) = match given {
            Some(given) => (given.clone(), given.eq(&usual)?),
            None => (usual, true),
        };
        Ok(MissingValues { values, are_usual, facts: Facts::new() })
    }

    /// Returns whether a value, given with its number, is one of them.
    pub(super) fn contain(&mut self, values: &Values<'py>, number: usize) -> PyResult<bool> {
        let ask = || self.values.contains(values.value(number));
        self.facts.of(number, ask).copied()
    }
}
