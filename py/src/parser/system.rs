//! Transition systems for Python.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::transition::arc_eager::LabelCounts;
use lexpool::transition::{AnnotateDoc, ArcEager, BiluoPushDown, ClassIx, TransitionSystem};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use super::gold::{Gold, PyGold, other_gold};
use super::state::PyState;
use crate::object::doc::PyDoc;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::items::Items;

/// A transition system with its classes. An operation keeps the classes that existed when it began.
#[pyclass(name = "Moves", module = "lexpool._core", frozen)]
pub(crate) struct PyMoves {
    system: Mutex<System>,
}

class!(PyMoves);

#[derive(Clone)]
pub(super) enum System {
    ArcEager(Arc<ArcEager>),
    Biluo(Arc<BiluoPushDown>),
}

/// Runs the same code for either system.
macro_rules! each {
    ($system:expr, $moves:ident => $body:expr) => {
        match $system {
            $crate::parser::system::System::ArcEager($moves) => $body,
            $crate::parser::system::System::Biluo($moves) => $body,
        }
    };
}

/// Runs the same code for either system and its gold.
macro_rules! each_with {
    ($system:expr, $gold:expr, $moves:ident, $own:ident => $body:expr) => {
        match ($system, $gold) {
            (System::ArcEager($moves), Gold::ArcEager($own)) => $body,
            (System::Biluo($moves), Gold::Biluo($own)) => $body,
            (System::ArcEager(_), _) => return Err(other_gold("ArcEagerGold")),
            (System::Biluo(_), _) => return Err(other_gold("BiluoGold")),
        }
    };
}

pub(super) use {each, each_with};

impl PyMoves {
    /// The present system.
    pub(super) fn system(&self) -> System {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, System> {
        self.system.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn class(&self, class_: isize) -> PyResult<ClassIx> {
        let class = ClassIx::new(u32::try_from(class_).unwrap_or(u32::MAX));
        each!(&*self.lock(), moves => moves.transition(class).map(|_| class)).or_raise()
    }
}

#[pymethods]
impl PyMoves {
    #[new]
    // stub: (kind: Literal['arc_eager', 'ner'])
    fn py_new(kind: &str) -> PyResult<PyMoves> {
        let system = match kind {
            "arc_eager" => System::ArcEager(Arc::new(ArcEager::new())),
            "ner" => System::Biluo(Arc::new(BiluoPushDown::new())),
            _ => {
                let text =
                    format!("[transition-system] {kind:?} is neither \"arc_eager\" nor \"ner\"");
                return Err(PyValueError::new_err(text));
            }
        };
        Ok(PyMoves { system: Mutex::new(system) })
    }

    /// Returns the number of classes.
    fn __len__(&self) -> usize {
        each!(&*self.lock(), moves => moves.actions().len())
    }

    /// Returns the moves with their labels and frequencies.
    // stub: -> list[tuple[int, list[tuple[str, int]]]]
    fn labels(&self) -> Vec<MoveLabels> {
        let pairs = |(action, labels): (u8, _)| (action, owned(labels));
        each!(&*self.lock(), moves => moves.actions().labels().map(|(a, l)| pairs((a, l.collect()))).collect())
    }

    /// Replaces all classes. Raises ValueError (E019) for an unknown move.
    fn initialize(&self, labels_by_action: Items<(i64, Items<(String, i64)>)>) -> PyResult<()> {
        let labels = labels_by_action
            .into_iter()
            .map(|(action, labels)| (number(action), labels.into_vec()));
        let labels: Vec<_> = labels.collect();
        each!(&mut *self.lock(), moves => Arc::make_mut(moves).actions_mut().initialize(labels))
            .or_raise()
    }

    /// Adds a class; returns False if it exists. Raises ValueError (E019) for an unknown move.
    fn add(&self, action: i64, label: &str) -> PyResult<bool> {
        let action = number(action);
        each!(&mut *self.lock(), moves => Arc::make_mut(moves).actions_mut().add(action, label))
            .or_raise()
    }

    /// Returns the label of each class.
    fn class_labels(&self) -> Vec<String> {
        each!(&*self.lock(), moves => {
            let actions = moves.actions();
            actions.classes().map(|class| actions.label(class).to_owned()).collect()
        })
    }

    /// Returns the name of a class. Raises IndexError (transition-class) for an unknown class.
    fn name(&self, class_: isize) -> PyResult<String> {
        let class = self.class(class_)?;
        Ok(each!(&*self.lock(), moves => moves.actions().name(class)))
    }

    /// Returns the name of a move with a label. Raises ValueError (E019) for an unknown move.
    fn move_name(&self, action: i64, label: &str) -> PyResult<String> {
        let name = each!(&*self.lock(), moves => moves.actions().move_name(number(action), label));
        if name.is_empty() {
            return Err(PyValueError::new_err(format!("[E019] unknown move {action}")));
        }
        Ok(name)
    }

    /// Returns the class of a name, or None. Raises ValueError (transition-move) if the name does
    /// not begin with a move.
    fn find(&self, name: &str) -> PyResult<Option<u32>> {
        let class_ix = each!(&*self.lock(), moves => moves.actions().find_name(name)).or_raise()?;
        Ok(class_ix.map(ClassIx::get))
    }

    /// Returns True if a class is valid in a state.
    fn is_valid(&self, state: &PyState, class_: isize) -> PyResult<bool> {
        let class = self.class(class_)?;
        Ok(each!(&*self.lock(), moves => moves.is_valid(&state.lock(), class)))
    }

    /// Applies a class to a state, without checking that it is valid.
    fn apply(&self, state: &PyState, class_: isize) -> PyResult<()> {
        let class = self.class(class_)?;
        each!(&*self.lock(), moves => moves.apply(&mut state.lock(), class)).or_raise()
    }

    /// Returns the cost of a class: 9000 if it is not valid in the state.
    fn cost(&self, state: &PyState, gold: &PyGold, class_: isize) -> PyResult<f32> {
        let class = self.class(class_)?;
        let cost =
            each_with!(&*self.lock(), &gold.0, moves, own => moves.cost(&state.lock(), own, class));
        cost.or_raise()
    }

    /// Returns for each class True if it is valid in a state, and its cost.
    fn costs(&self, state: &PyState, gold: &PyGold) -> PyResult<(Vec<bool>, Vec<f32>)> {
        let system = self.system();
        each_with!(&system, &gold.0, moves, own => {
            let mut valid = vec![false; moves.actions().len()];
            let mut costs = vec![0.0; valid.len()];
            moves.costs(&state.lock(), own, &mut valid, &mut costs).or_raise()?;
            Ok((valid, costs))
        })
    }

    /// Writes the annotation of a state to a document.
    fn set_annotations(&self, state: &PyState, doc: &Bound<'_, PyDoc>) -> PyResult<()> {
        let (py, system) = (doc.py(), self.system());
        let state = state.lock().clone();
        let mut writing = doc.get().write(py)?;
        let inner = &mut *writing;
        detached(py, || each!(&system, moves => moves.annotate(&state, inner))).or_raise()
    }
}

/// Returns for each arc-eager move the labels that trees need, with their frequencies.
///
/// trees: heads and labels of each, of equal length.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
// stub: (left_labels: Sequence[str], right_labels: Sequence[str],
//     trees: Sequence[tuple[Sequence[int | None], Sequence[str | None]]]) -> list[tuple[int,
//     list[tuple[str, int]]]]
pub(super) fn arc_eager_labels(
    left_labels: Items<PyBackedStr>,
    right_labels: Items<PyBackedStr>,
    trees: Items<Tree>,
    min_freq: Option<i64>,
    learn_tokens: bool,
) -> PyResult<Vec<MoveLabels>> {
    let [left, right] = [&left_labels, &right_labels]
        .map(|side| side.iter().map(|label| &**label).collect::<Vec<&str>>());
    let mut counts = LabelCounts::new(&left, &right);
    for (heads, labels) in trees.iter() {
        let labels: Vec<_> = labels.iter().map(Option::as_deref).collect();
        counts.count(heads, &labels).or_raise()?;
    }
    Ok(counts.finish(min_freq, learn_tokens))
}

/// A move and its labels with their frequencies.
type MoveLabels = (u8, Vec<(String, i64)>);

/// Heads and labels.
type Tree = (Items<Option<usize>>, Items<Option<PyBackedStr>>);

fn owned(labels: Vec<(&str, i64)>) -> Vec<(String, i64)> {
    labels.into_iter().map(|(label, frequency)| (label.to_owned(), frequency)).collect()
}

/// The number of a move; an impossible one becomes 255.
fn number(action: i64) -> u8 {
    u8::try_from(action).unwrap_or(u8::MAX)
}
