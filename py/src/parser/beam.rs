//! Beam search: the best few parses of a document, found in parallel.

use lexpool::transition::{Batching, Beam, ClassIx, TransitionSystem, beam};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use super::parse::first_states;
use super::scorer::{number, raised, scorer_of};
use super::state::PyState;
use super::system::{PyMoves, each};
use crate::object::doc::PyDoc;
use crate::runtime::classes::class;
use crate::runtime::gil::detached;
use crate::runtime::items::Items;

/// The parses of one document that a beam search has found, the best first.
#[pyclass(name = "Beam", module = "lexpool.parser", frozen)]
pub(crate) struct PyBeam {
    beam: Beam,
    doc: Py<PyDoc>,
}

class!(PyBeam);

#[pymethods]
impl PyBeam {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.doc)
    }

    /// The number of parses.
    fn __len__(&self) -> usize {
        self.beam.len()
    }

    /// Returns a new state for each parse.
    #[getter]
    fn states(&self, py: Python<'_>) -> Vec<PyState> {
        let states = (0..self.beam.len()).filter_map(|i| self.beam.state(i));
        states.map(|state| PyState::new(state.clone(), Some(self.doc.clone_ref(py)))).collect()
    }

    /// Returns the score of each parse.
    #[getter]
    fn scores(&self) -> Vec<f32> {
        self.beam.scores()
    }

    /// Returns the probability of each parse among these.
    #[getter]
    fn probs(&self) -> Vec<f64> {
        self.beam.probs()
    }

    /// Returns the classes of the transitions of each parse.
    #[getter]
    fn histories(&self) -> Vec<Vec<u32>> {
        let numbers = |i| self.beam.history(i).iter().copied().map(ClassIx::get).collect();
        (0..self.beam.len()).map(numbers).collect()
    }
}

#[pymethods]
impl PyMoves {
    /// Returns the best parses of each document. The scorer is called once per step for all states
    /// of all beams.
    // stub: (scorer: _Scorer)
    fn beam_parse(
        &self,
        py: Python<'_>,
        docs: Items<Py<PyDoc>>,
        scorer: &Bound<'_, PyAny>,
        width: isize,
        density: f32,
        n_features: isize,
    ) -> PyResult<Vec<PyBeam>> {
        let system = self.system();
        let classes = each!(&system, moves => moves.actions().len());
        let scorer = scorer_of(scorer, n_features, classes)?;
        let width = number(width, "beam-width", "the width")?;
        let states = first_states(py, &docs)?;
        let batching = Batching { threads: 1, states: states.len() };
        let parsed = detached(
            py,
            || each!(&system, moves => beam::parse(&**moves, &states, &*scorer, width, density, batching)),
        );
        let beams = parsed.map_err(|error| raised(py, &error))?;
        Ok(beams.into_iter().zip(docs).map(|(beam, doc)| PyBeam { beam, doc }).collect())
    }
}
