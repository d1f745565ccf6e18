//! Parsing of many documents together, by the transitions that a scorer prefers.

use lexpool::threads;
use lexpool::transition::{Batching, ParseState, TransitionSystem, batch, token_facts};
use pyo3::prelude::*;

use super::scorer::{raised, scorer_of};
use super::state::PyState;
use super::system::{PyMoves, each};
use crate::object::doc::PyDoc;
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::items::Items;
use crate::runtime::text_stream;

#[pymethods]
impl PyMoves {
    /// Returns the final states of documents. The scorer is called once per step for all states, or
    /// with several threads for all states of each thread.
    // stub: (scorer: _Scorer)
    fn parse(
        &self,
        py: Python<'_>,
        docs: Items<Py<PyDoc>>,
        scorer: &Bound<'_, PyAny>,
        n_features: isize,
        n_threads: isize,
    ) -> PyResult<Vec<PyState>> {
        let system = self.system();
        let classes = each!(&system, moves => moves.actions().len());
        let scorer = scorer_of(scorer, n_features, classes)?;
        let mut states = first_states(py, &docs)?;
        let threads = match text_stream::thread_count(n_threads)? {
            0 => threads::all_cores(),
            some => some,
        };
        let batching = Batching { threads, states: states.len().div_ceil(threads) };
        let parsed = detached(
            py,
            || each!(&system, moves => batch::parse(&**moves, &mut states, &*scorer, batching)),
        );
        parsed.map_err(|error| raised(py, &error))?;
        let with_doc = |(state, doc)| PyState::new(state, Some(doc));
        Ok(states.into_iter().zip(docs).map(with_doc).collect())
    }
}

/// The initial state of each document; features are numbered over all documents together.
pub(super) fn first_states(py: Python<'_>, docs: &[Py<PyDoc>]) -> PyResult<Vec<ParseState>> {
    let mut offset = 0;
    docs.iter()
        .map(|doc| {
            let state = ParseState::new(token_facts(&*doc.get().read(py)?), offset).or_raise()?;
            offset += state.len();
            Ok(state)
        })
        .collect()
}
