//! `lexpool.pipeline.EditTrees`: the rules of a trainable lemmatizer.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::edit_trees::{EditNode, EditScript, EditTrees, TreeId};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::io::msgpack::packb;
use crate::object::strings::PyStringStore;
use crate::runtime::array::bytes;
use crate::runtime::atomic_file;
use crate::runtime::classes::class;
use crate::runtime::error::{OrRaise, check_signals};
use crate::runtime::gil::{detached, unlocked};
use crate::runtime::text::utf8;

/// The number that stands for a missing tree in dicts and files.
const NONE: u32 = u32::MAX;

/// EditTrees(strings)
///
/// Edit trees, each a rule that rewrites a word form into its lemma, numbered from 0.
///
/// strings (StringStore): stores the strings that substitutions need.
#[pyclass(name = "EditTrees", module = "lexpool.pipeline", frozen)]
pub(super) struct PyEditTrees {
    strings: Py<PyStringStore>,
    trees: Mutex<Arc<EditTrees>>,
}

class!(PyEditTrees);

impl PyEditTrees {
    /// Locked for a moment only, and never while Python code runs.
    fn lock(&self) -> MutexGuard<'_, Arc<EditTrees>> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The trees as they are now.
    pub(super) fn trees(&self) -> Arc<EditTrees> {
        Arc::clone(&self.lock())
    }

    fn load(&self, data: &[u8]) -> PyResult<()> {
        let loaded = Arc::new(EditTrees::from_bytes(data).or_raise()?);
        let before = std::mem::replace(&mut *self.lock(), loaded);
        drop(before);
        Ok(())
    }
}

#[pymethods]
impl PyEditTrees {
    #[new]
    fn py_new(strings: Py<PyStringStore>) -> PyEditTrees {
        PyEditTrees { strings, trees: Mutex::default() }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.strings)
    }

    /// Returns the number of the tree that rewrites `form` into `lemma`; adds it if it is new.
    ///
    /// Raises ValueError (edit-tree-size) for a tree of more than 65,536 nodes.
    fn add(&self, form: &Bound<'_, PyString>, lemma: &Bound<'_, PyString>) -> PyResult<u32> {
        let py = form.py();
        let (form, lemma) = (utf8(form)?, utf8(lemma)?);
        let work = form.len().saturating_mul(lemma.len());
        let between = || EditScript::between(&form, &lemma, &mut check_signals);
        let script = unlocked(py, work, between).or_raise()?;
        let store = self.strings.get().store();
        let mut trees = self.lock();
        let trees = Arc::make_mut(&mut trees);
        Ok(trees.add_script(&script, &mut |string| store.add(string)).or_raise()?.get())
    }

    /// Returns the form as a tree rewrites it; None if the tree does not apply to it.
    ///
    /// Raises IndexError (E1030) for an unknown tree, KeyError (E018) if the store lacks one of its
    /// strings, ValueError (edit-tree-size) for a result of more than 16 MiB.
    fn apply(&self, tree_id: u32, form: &Bound<'_, PyString>) -> PyResult<Option<String>> {
        let (form, store) = (utf8(form)?, self.strings.get().store());
        self.trees().apply(TreeId::new(tree_id), &form, |id| store.get(id)).or_raise()
    }

    /// Returns a tree as text: "(m prefix_len suffix_len prefix_tree suffix_tree)" for a match,
    /// "(s 'original' 'substitute')" for a substitution.
    ///
    /// Raises as `apply` does.
    fn tree_to_str(&self, tree_id: u32) -> PyResult<String> {
        let store = self.strings.get().store();
        self.trees().tree_to_str(TreeId::new(tree_id), |id| store.get(id)).or_raise()
    }

    /// Returns the root of a tree: a dict of "prefix_len", "suffix_len", "prefix_tree" and
    /// "suffix_tree" (4294967295 for none), or of the string ids "orig" and "subst".
    ///
    /// Raises IndexError (E1030) for an unknown tree.
    // stub: -> dict[str, int]
    fn __getitem__<'py>(&self, py: Python<'py>, tree_id: u32) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let number = |tree: Option<TreeId>| tree.map_or(NONE, TreeId::get);
        match self.trees().get(TreeId::new(tree_id)).or_raise()? {
            EditNode::Match { prefix_len, suffix_len, prefix_tree, suffix_tree } => {
                dict.set_item("prefix_len", prefix_len)?;
                dict.set_item("suffix_len", suffix_len)?;
                dict.set_item("prefix_tree", number(prefix_tree))?;
                dict.set_item("suffix_tree", number(suffix_tree))?;
            }
            EditNode::Subst { orig, subst } => {
                dict.set_item("orig", orig.get())?;
                dict.set_item("subst", subst.get())?;
            }
        }
        Ok(dict)
    }

    fn __len__(&self) -> usize {
        self.lock().len()
    }

    /// Replaces all trees by those of a list of dicts, in the form of `trees[i]`.
    ///
    /// Raises ValueError: E1026 for a dict of another form or a tree that refers to one after it,
    /// edit-tree-size for a tree of too many nodes. Nothing is changed then.
    // stub: (trees: Sequence[Mapping[str, int]])
    #[expect(clippy::wrong_self_convention, reason = "spaCy's name")]
    fn from_json(&self, trees: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = trees.py();
        let message = PyDict::new(py);
        message.set_item("trees", py.get_type::<PyList>().call1((trees,))?)?;
        self.load(&packb(&message)?)
    }

    /// Returns the trees as bytes that spaCy can read; the strings are not part of them.
    #[pyo3(signature = (**kwargs))]
    // stub: (**kwargs: object)
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let _ = kwargs;
        bytes(py, &self.trees().to_bytes().or_raise()?)
    }

    /// Replaces all trees by those in the bytes of `to_bytes`, and returns the container.
    ///
    /// Raises ValueError as `from_json` does, and msgpack-... for other bytes.
    // stub: -> Self
    fn from_bytes<'py>(
        slf: &Bound<'py, PyEditTrees>,
        bytes_data: &[u8],
    ) -> PyResult<Bound<'py, PyEditTrees>> {
        slf.get().load(bytes_data)?;
        Ok(slf.clone())
    }

    /// Writes the bytes of `to_bytes` to a file.
    #[pyo3(signature = (path, **kwargs))]
    // stub: (path: str | PathLike[str], **kwargs: object)
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    fn to_disk(
        &self,
        py: Python<'_>,
        path: PathBuf,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let _ = kwargs;
        let packed = self.trees().to_bytes().or_raise()?;
        atomic_file::write(py, &path, &packed)
    }

    /// Loads a file of `to_disk`, if it exists, as `from_bytes` does; returns the container.
    // stub: (path: str | PathLike[str]) -> Self
    fn from_disk<'py>(
        slf: &Bound<'py, PyEditTrees>,
        path: PathBuf,
    ) -> PyResult<Bound<'py, PyEditTrees>> {
        if path.exists() {
            slf.get().load(&detached(slf.py(), || fs::read(path))?)?;
        }
        Ok(slf.clone())
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyEditTrees>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let state = this.to_bytes(py, None)?;
        let reduced = (slf.get_type(), (this.strings.clone_ref(py),), state);
        Ok(reduced.into_pyobject(py)?.into_any())
    }

    /// Loads the state of a pickle.
    fn __setstate__(&self, state: &[u8]) -> PyResult<()> {
        self.load(state)
    }
}
