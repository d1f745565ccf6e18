//! The table behind `lexpool.kb.InMemoryLookupKB`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::knowledge::KnowledgeBase;
use lexpool::limits;
use lexpool::strings::StrId;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};

use crate::runtime::array;
use crate::runtime::buffer_protocol::{buffer_of, bytes_of};
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;
use crate::runtime::gil;
use crate::runtime::items::{self, Items};
use crate::runtime::text::utf8;

/// A candidate: id of the entity, frequency, vector and prior probability.
type CandidateNumbers = (u64, f32, Vec<f32>, f32);

/// The entities and aliases of a `lexpool.kb.InMemoryLookupKB`, by the ids of their strings.
///
/// width: the number of elements of a vector.
#[pyclass(name = "KnowledgeTable", module = "lexpool._core", frozen)]
pub(crate) struct PyKnowledgeTable {
    // Never locked while Python runs. Components share the Arc, so that a later change is made to a
    // copy.
    base: Mutex<Arc<KnowledgeBase>>,
}

class!(PyKnowledgeTable);

impl PyKnowledgeTable {
    fn base(&self) -> MutexGuard<'_, Arc<KnowledgeBase>> {
        self.base.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present entities and aliases.
    pub(crate) fn now(&self) -> Arc<KnowledgeBase> {
        Arc::clone(&self.base())
    }

    fn change<T>(&self, f: impl FnOnce(&mut KnowledgeBase) -> lexpool::Result<T>) -> PyResult<T> {
        f(Arc::make_mut(&mut self.base())).or_raise()
    }

    fn replace(&self, base: KnowledgeBase) {
        let old = std::mem::replace(&mut *self.base(), Arc::new(base));
        drop(old);
    }
}

#[pymethods]
impl PyKnowledgeTable {
    #[new]
    fn py_new(width: i64) -> PyResult<PyKnowledgeTable> {
        let width = limits::VECTORS_WIDTH.check(width, "entity_vector_length").or_raise()?;
        Ok(PyKnowledgeTable { base: Mutex::new(Arc::new(KnowledgeBase::new(width))) })
    }

    /// The number of elements of a vector.
    #[getter]
    fn width(&self) -> usize {
        self.base().width()
    }

    /// The number of entities.
    fn __len__(&self) -> usize {
        self.base().len()
    }

    /// The number of aliases.
    #[getter]
    fn alias_count(&self) -> usize {
        self.base().alias_count()
    }

    /// The ids of the entities, in the order in which they were added.
    fn entities(&self) -> Vec<u64> {
        self.base().entities().map(StrId::get).collect()
    }

    /// The ids of the aliases, in the order in which they were added.
    fn aliases(&self) -> Vec<u64> {
        self.base().aliases().map(StrId::get).collect()
    }

    /// Returns whether an entity is known.
    fn contains_entity(&self, entity: &Bound<'_, PyString>) -> PyResult<bool> {
        let entity = utf8(entity)?;
        Ok(self.base().contains_entity(&entity))
    }

    /// Returns whether an alias is known.
    fn contains_alias(&self, alias: &Bound<'_, PyString>) -> PyResult<bool> {
        let alias = utf8(alias)?;
        Ok(self.base().contains_alias(&alias))
    }

    /// Adds an entity. Returns False for an entity that is known, which stays as it is.
    ///
    /// Raises ValueError (E141) for a vector of another width.
    // stub: (vector: Iterable[float])
    fn add_entity(
        &self,
        entity: &Bound<'_, PyString>,
        freq: f32,
        vector: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (entity, vector) = (utf8(entity)?, numbers(vector)?);
        self.change(|base| base.add_entity(&entity, freq, &vector))
    }

    /// Replaces all entities; each is given as name, frequency and vector. Returns the positions
    /// of those that occurred before, which are left out. Candidates of aliases keep those entities
    /// that are still known.
    ///
    /// Raises ValueError (E141) for a vector of another width.
    // stub: (entities: Iterable[tuple[str, float, Iterable[float]]])
    fn set_entities(&self, entities: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        let entities = items::read(entities, |entity| {
            let (name, freq, vector): (String, f32, Bound<'_, PyAny>) = entity.extract()?;
            Ok((name, freq, numbers(&vector)?))
        })?;
        self.change(|base| base.set_entities(&entities))
    }

    /// Adds an alias with its candidates, each given as entity and prior probability. Returns
    /// False for an alias that is known, which stays as it is.
    ///
    /// Raises ValueError for an empty alias (E890), an unknown entity (E134), and probabilities
    /// that add up to more than 1 (E133).
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn add_alias(
        &self,
        alias: &Bound<'_, PyString>,
        candidates: Items<(String, f64)>,
    ) -> PyResult<bool> {
        let alias = utf8(alias)?;
        self.change(|base| base.add_alias(&alias, &candidates))
    }

    /// Adds a candidate to an alias. Returns False if the alias has it; its probability stays.
    ///
    /// Raises ValueError for an unknown alias (E176) or entity (E134), and if the probabilities
    /// would add up to more than 1 (E133).
    fn append_alias(
        &self,
        alias: &Bound<'_, PyString>,
        entity: &Bound<'_, PyString>,
        prior: f32,
    ) -> PyResult<bool> {
        let (alias, entity) = (utf8(alias)?, utf8(entity)?);
        self.change(|base| base.append_alias(&alias, &entity, prior))
    }

    /// The candidates of an alias in the order in which they were added: id of the entity,
    /// frequency, vector and prior probability.
    // stub: -> list[tuple[int, float, list[float], float]]
    fn candidates(&self, alias: &Bound<'_, PyString>) -> PyResult<Vec<CandidateNumbers>> {
        let alias = utf8(alias)?;
        let base = self.now();
        let candidates = base.candidates(&alias);
        Ok(candidates.map(|of| (of.entity.get(), of.freq, of.vector.to_vec(), of.prior)).collect())
    }

    /// The vector of an entity, or None for an unknown entity.
    fn vector(&self, entity: &Bound<'_, PyString>) -> PyResult<Option<Vec<f32>>> {
        let entity = utf8(entity)?;
        Ok(self.base().vector(&entity).map(<[f32]>::to_vec))
    }

    /// The prior probability that an alias refers to an entity; 0 if either is unknown.
    fn prior(&self, entity: &Bound<'_, PyString>, alias: &Bound<'_, PyString>) -> PyResult<f32> {
        let (entity, alias) = (utf8(entity)?, utf8(alias)?);
        Ok(self.base().prior(&entity, &alias))
    }

    /// Returns the table as bytes in spaCy's format, with ten decimals of each number.
    ///
    /// Raises OverflowError (kb-number) for NaN and infinity.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let base = self.now();
        let bytes = gil::detached(py, || base.to_bytes()).or_raise()?;
        array::bytes(py, &bytes)
    }

    /// Loads the result of `to_bytes`, without aliases if not `aliases`.
    ///
    /// Raises ValueError (kb-file) for other bytes; then the table is unchanged.
    // stub: (data: Buffer)
    fn load_bytes(&self, data: &Bound<'_, PyAny>, aliases: bool) -> PyResult<()> {
        let bytes = bytes_of(data)?;
        let bytes = bytes.as_ref();
        let base =
            gil::detached(data.py(), || KnowledgeBase::from_bytes(bytes, aliases)).or_raise()?;
        self.replace(base);
        Ok(())
    }

    /// Writes spaCy's file `contents`, part of a folder.
    // stub: (path: str | PathLike[str])
    fn save_contents(&self, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, base, path) = (path.py(), self.now(), path.extract::<PathBuf>()?);
        gil::detached(py, || base.save_contents(&path)).or_raise()
    }

    /// Loads the bytes of spaCy's file `contents`; `path` is its path for errors.
    ///
    /// Raises ValueError (kb-file) for other bytes; then the table is unchanged.
    #[expect(clippy::needless_pass_by_value, reason = "borrowed from Python without the GIL")]
    // stub: (contents: bytes, path: str)
    fn load_contents(&self, py: Python<'_>, contents: PyBackedBytes, path: &str) -> PyResult<()> {
        let read = gil::detached(py, || KnowledgeBase::from_contents(&contents));
        self.replace(read.map_err(|error| error.context(path)).or_raise()?);
        Ok(())
    }
}

/// The elements of an array or of any other iterable of numbers, as 32-bit floats.
pub(super) fn numbers(vector: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
    if let Ok(buffer) = buffer_of::<f32>(vector) {
        return buffer.to_vec(vector.py());
    }
    items::read(vector, |number| number.extract())
}
