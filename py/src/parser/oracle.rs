//! Oracles: the transitions that lead to gold annotation, for one example or for many at once.

use lexpool::transition::oracle::Oracle;
use lexpool::transition::{Batching, ClassIx, ParseState, batch};
use lexpool::{Error, ErrorKind};
use pyo3::prelude::*;

use super::gold::{Gold, PyGold, other_gold};
use super::state::PyState;
use super::system::{PyMoves, System, each_with};
use crate::runtime::error::{OrRaise, to_py};
use crate::runtime::gil::detached;
use crate::runtime::items::Items;
use lexpool::codes;

#[pymethods]
impl PyMoves {
    /// Returns the classes that the oracle applies from a state on, until the state is final. If no
    /// class is right in some state, the sequence ends there: with `partial` it is returned, else
    /// ValueError (E024) is raised.
    fn oracle_sequence(
        &self,
        py: Python<'_>,
        state: &PyState,
        gold: &PyGold,
        partial: bool,
    ) -> PyResult<Vec<u32>> {
        let (system, mut own) = (self.system(), state.lock().clone());
        let classes = detached(py, || {
            Ok(each_with!(&system, &gold.0, moves, gold => {
                let mut oracle = Oracle::new(&**moves);
                if partial { oracle.partial_sequence(&mut own, gold) } else { oracle.sequence(&mut own, gold) }
            }))
        });
        *state.lock() = own;
        match classes? {
            Err(error) if error.code() == "E1031" => {
                Err(to_py(&Error::new(ErrorKind::Value, codes::E024, error.message())))
            }
            classes => classes.or_raise().map(numbers),
        }
    }

    /// Applies the oracle to copies of many states, each with its gold, on lexpool's threads. The
    /// sequence of an arc-eager system ends where no class is right.
    ///
    /// Raises ValueError: E024 if no class of another system is right, transition-gold if the
    /// numbers of states and golds differ, or their lengths. Both name the state.
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    fn oracle(
        &self,
        py: Python<'_>,
        states: Items<PyRef<'_, PyState>>,
        golds: Items<PyRef<'_, PyGold>>,
        n_threads: usize,
    ) -> PyResult<Vec<Vec<u32>>> {
        let mut copies: Vec<ParseState> = states.iter().map(|state| state.lock().clone()).collect();
        let batching = Batching { threads: n_threads, states: SHARE };
        let sequences = match self.system() {
            System::ArcEager(moves) => {
                let golds = golds.iter().map(|gold| match &gold.0 {
                    Gold::ArcEager(gold) => Ok(gold.clone()),
                    Gold::Biluo(_) => Err(other_gold("ArcEagerGold")),
                });
                let golds = golds.collect::<PyResult<Vec<_>>>()?;
                detached(py, || {
                    batch::partial_oracle_sequences(&*moves, &mut copies, &golds, batching)
                })
            }
            System::Biluo(moves) => {
                let golds = golds.iter().map(|gold| match &gold.0 {
                    Gold::Biluo(gold) => Ok(gold.clone()),
                    Gold::ArcEager(_) => Err(other_gold("BiluoGold")),
                });
                let golds = golds.collect::<PyResult<Vec<_>>>()?;
                detached(py, || batch::oracle_sequences(&*moves, &mut copies, &golds, batching))
            }
        };
        Ok(sequences.or_raise()?.into_iter().map(numbers).collect())
    }
}

/// Number of states that a thread takes at a time: enough to make taking them cheap.
const SHARE: usize = 32;

fn numbers(classes: Vec<ClassIx>) -> Vec<u32> {
    classes.into_iter().map(ClassIx::get).collect()
}
