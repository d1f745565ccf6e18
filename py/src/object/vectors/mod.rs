//! `lexpool.vectors`: the table behind the Python class `Vectors`.

mod data;
mod files;

use std::sync::{Mutex, MutexGuard, PoisonError, RwLockReadGuard, RwLockWriteGuard};

use lexpool::strings::StrId;
use lexpool::vectors::{Floret, Mode, RowTable, Vectors};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyOverflowError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::object::strings::id_of;
use crate::runtime::array::array;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil;
use crate::runtime::gil_lock::GilLock;
use crate::runtime::items::{self, Items};
use crate::runtime::text::with_utf8;
use data::{VectorData, VectorMemory};

/// VectorTable(data, *, mode, minn, maxn, hash_count, hash_seed, bow, eow, attr)
///
/// The rows, keys and settings of a `lexpool.vectors.Vectors`.
///
/// data: an array of two dimensions, copied as float32, or a tuple of a number of rows and a width,
///     for zeros.
#[pyclass(name = "VectorTable", module = "lexpool.vectors", frozen)]
pub(crate) struct PyVectorTable {
    vectors: GilLock<Vectors>,
    /// The array that shares the memory, created once for each memory. Locked with the GIL held
    /// only, and never while Python code runs.
    array: Mutex<Option<Py<PyAny>>>,
}

class!(PyVectorTable);

/// A key that lost its row, the key whose row it has now, and their similarity.
type Replacement = (u64, u64, f32);

impl PyVectorTable {
    pub(crate) fn of(vectors: Vectors) -> PyVectorTable {
        PyVectorTable { vectors: GilLock::new(vectors), array: Mutex::default() }
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Vectors> {
        self.vectors.read()
    }

    /// As [`read`](PyVectorTable::read), without the GIL.
    pub(crate) fn read_detached(&self) -> RwLockReadGuard<'_, Vectors> {
        self.vectors.read_detached()
    }

    fn known_array(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.array.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks for changes of keys and numbers that do not move the memory.
    fn write(&self, py: Python<'_>) -> PyResult<RwLockWriteGuard<'_, Vectors>> {
        self.vectors.write(py)
    }

    /// Locks for changes that move the memory: arrays keep the old memory.
    fn replace<T>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&mut Vectors) -> lexpool::Result<T>,
    ) -> PyResult<T> {
        let result = f(&mut *self.write(py)?).or_raise();
        let old = self.known_array().take();
        drop(old);
        result
    }

    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.known_array().as_ref().map(|array| array.bind(py).clone());
        if let Some(array) = array {
            return Ok(array);
        }
        let memory = {
            let vectors = self.read();
            let rows = vectors.rows();
            VectorMemory::new(rows.share(), 0, &[rows.len(), rows.width()])
        };
        let new_array = memory.into_array(py)?;
        let old = self.known_array().replace(new_array.clone().unbind());
        drop(old);
        Ok(new_array)
    }

    /// A vector for a row, converted from any object.
    fn row_of_numbers(&self, vector: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
        let width = self.read().rows().width();
        VectorData::of(vector)?.into_row(width)
    }
}

#[pymethods]
impl PyVectorTable {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A locked table is in use, hence reachable, and has nothing to collect.
        self.array.try_lock().map_or(Ok(()), |array| visit.call(&*array))
    }

    fn __clear__(&self) {
        let array = self.known_array().take();
        drop(array);
    }

    #[new]
    #[pyo3(signature = (data, *, mode, minn=0, maxn=0, hash_count=1, hash_seed=0, bow="<", eow=">", attr=65))]
    #[expect(clippy::too_many_arguments, reason = "the settings of spaCy's class")]
    // stub: (data: Any)
    fn new(
        data: &Bound<'_, PyAny>,
        mode: &str,
        minn: u32,
        maxn: u32,
        hash_count: u32,
        hash_seed: u32,
        bow: &str,
        eow: &str,
        attr: u32,
    ) -> PyResult<PyVectorTable> {
        let (bow, eow) = (bow.to_owned(), eow.to_owned());
        let floret = Floret { minn, maxn, hash_count, hash_seed, bow, eow };
        let mode = Mode::from_name(mode).or_raise()?;
        if mode == Mode::Floret {
            floret.check().or_raise()?;
        }
        let vectors = match (mode, data.extract::<(usize, usize)>()) {
            (Mode::Default, Ok((len, width))) => Vectors::with_shape(len, width).or_raise()?,
            (Mode::Default, Err(_)) => Vectors::from_rows(rows(data)?),
            (Mode::Floret, _) => Vectors::floret(rows(data)?, floret.clone()).or_raise()?,
        };
        let vectors = vectors.with_settings(floret, attr);
        Ok(PyVectorTable::of(vectors))
    }

    /// The numbers of the table, shared: a NumPy array of shape (rows, width), or a memoryview
    /// without NumPy. It keeps the old numbers when the table is resized or its data assigned.
    #[getter]
    // stub: -> Any
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py)
    }

    #[setter]
    // stub: (value: Any)
    fn set_data(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = rows(data)?;
        self.replace(data.py(), |vectors| vectors.set_rows(rows))
    }

    /// The number of rows and their width.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        let vectors = self.read();
        (vectors.rows().len(), vectors.rows().width())
    }

    /// The name of the mode: "default" or "floret".
    #[getter]
    fn mode(&self) -> &'static str {
        self.read().mode().name()
    }

    /// The settings for subwords: minn, maxn, hash_count, hash_seed, bow and eow.
    #[getter]
    fn floret(&self) -> (u32, u32, u32, u32, String, String) {
        let Floret { minn, maxn, hash_count, hash_seed, bow, eow } = self.read().settings().clone();
        (minn, maxn, hash_count, hash_seed, bow, eow)
    }

    /// The number of the attribute that is the key of a word.
    #[getter]
    fn attr(&self) -> u32 {
        self.read().attr()
    }

    /// True if no row is free for a new key.
    #[getter]
    fn is_full(&self) -> bool {
        self.read().is_full()
    }

    /// The rows that are in use, in ascending order.
    fn taken_rows(&self) -> Vec<usize> {
        let vectors = self.read();
        (0..vectors.rows().len()).filter(|&row| !vectors.is_free(row)).collect()
    }

    /// The number of keys.
    fn __len__(&self) -> usize {
        self.read().keys().len()
    }

    /// Returns true if an integer is a key; other objects are not.
    // stub: (key: object)
    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        key.extract::<u64>().is_ok_and(|key| self.read().keys().get(key).is_some())
    }

    /// The keys, in the order in which they were added.
    fn keys(&self) -> Vec<u64> {
        self.read().keys().iter().map(|(key, _)| key).collect()
    }

    /// The row of a key, given as text or as a number, or None.
    // stub: (key: object)
    fn row(&self, key: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        Ok(key_of(key)?.and_then(|key| self.read().keys().get(key)))
    }

    /// The vector of a key, sharing the table's memory.
    ///
    /// Raises KeyError (E058) for an unknown key.
    // stub: (key: str | int) -> Any
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        let row = self.row(key)?.ok_or_else(|| {
            let key = key.repr().map_or_else(|_| String::new(), |key| key.to_string());
            PyKeyError::new_err(format!("[E058] no vector for the key {key}"))
        })?;
        self.vector_at(py, row as usize)
    }

    /// The vector of a row, sharing the table's memory. Raises IndexError (vectors-row) for an
    /// unknown row, such as that of a key in a damaged file.
    // stub: -> Any
    fn vector_at<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if py.import("numpy").is_ok() {
            return self.array(py)?.get_item(row).map_err(|error| {
                if error.is_instance_of::<PyIndexError>(py) {
                    return PyIndexError::new_err(format!("[vectors-row] row {row}: {error}"));
                }
                error
            });
        }
        let memory = {
            let vectors = self.read();
            let (len, width) = (vectors.rows().len(), vectors.rows().width());
            if row >= len {
                return Err(PyIndexError::new_err(format!(
                    "[vectors-row] row {row} is out of range for a table of {len} rows"
                )));
            }
            VectorMemory::new(vectors.rows().share(), row * width, &[width])
        };
        memory.into_array(py)
    }

    // stub: def VectorTable.__delitem__(self, key: str | int, /) -> None

    /// Writes the vector of a key.
    ///
    /// Raises KeyError (E058) for an unknown key, ValueError for another width.
    // stub: (key: str | int, vector: Any)
    fn __setitem__(&self, key: &Bound<'_, PyAny>, vector: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, vector) = (key.py(), self.row_of_numbers(vector)?);
        let Some(key) = key_of(key)? else {
            return Err(PyKeyError::new_err(format!("[E058] unknown key {}", key.repr()?)));
        };
        self.write(py)?.set(key, &vector).or_raise()
    }

    /// Assigns a row to a key, and a vector to the row; see `Vectors.add`.
    #[pyo3(signature = (key, vector=None, row=None))]
    // stub: (key: str | int, vector: Any, row: int | None)
    fn add(
        &self,
        key: &Bound<'_, PyAny>,
        vector: Option<&Bound<'_, PyAny>>,
        row: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        let (py, key) = (key.py(), id_or_text(key)?);
        let vector = vector.map(|vector| self.row_of_numbers(vector)).transpose()?;
        // A row below 0 or beyond 32 bits is outside of every table.
        let row = row.map(row_number).transpose()?;
        self.write(py)?.add(key, row, vector.as_deref()).or_raise()
    }

    /// Assigns the rows from the first one on to keys.
    // stub: (keys: Iterable[str | int])
    fn add_all(&self, keys: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = keys.py();
        let keys = items::read(keys, |key| id_or_text(&key))?;
        let mut vectors = self.write(py)?;
        (0..)
            .zip(keys)
            .try_for_each(|(row, key)| vectors.add(key, Some(row), None).map(drop))
            .or_raise()
    }

    /// Replaces all keys by these pairs of a key and a row.
    fn set_keys(&self, py: Python<'_>, pairs: Items<(u64, u32)>) -> PyResult<()> {
        self.write(py)?.set_keys(pairs.into_iter().collect());
        Ok(())
    }

    /// Changes the size; returns the keys that lost their rows, with those.
    fn resize(&self, py: Python<'_>, len: usize, width: usize) -> PyResult<Vec<(u64, u32)>> {
        self.replace(py, |vectors| vectors.resize(len, width))
    }

    /// Removes all keys. Raises ValueError (E859) in floret mode.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.write(py)?.clear().or_raise()
    }

    /// The rows of keys as an array of int32, -1 for unknown keys.
    // stub: (keys: Iterable[str | int]) -> Any
    fn find_rows<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows_of(keys)?;
        let rows: Vec<i32> = rows.into_iter().map(|row| row.map_or(-1, to_i32)).collect();
        array(keys.py(), &rows, &[rows.len()])
    }

    /// The keys of rows as an array of uint64; of several keys the last one added.
    ///
    /// Raises KeyError for a row without a key.
    // stub: (rows: Iterable[int]) -> Any
    fn find_keys<'py>(&self, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = rows.py();
        let rows = items::read(rows, |row| row.extract::<i64>())?;
        let by_row = {
            let vectors = self.read();
            vectors.keys().by_row(vectors.rows().len())
        };
        let key = |row: &i64| *by_row.get(usize::try_from(*row).ok()?)?;
        let keys = rows.iter().map(|row| key(row).ok_or_else(|| no_row(*row)));
        let keys = keys.collect::<PyResult<Vec<u64>>>()?;
        array(py, &keys, &[keys.len()])
    }

    /// The key of a row; of several the last one added. Raises KeyError for a row without a key.
    fn find_key(&self, row: i64) -> PyResult<u64> {
        let key = u32::try_from(row).ok().and_then(|row| self.read().keys().key_of(row));
        key.ok_or_else(|| no_row(row))
    }

    /// The vectors of keys as an array of shape (keys, width); the last row for unknown keys.
    // stub: (keys: Iterable[str | int]) -> Any
    fn batch<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows_of(keys)?;
        let (numbers, width) = {
            let vectors = self.read();
            let (len, width) = (vectors.rows().len(), vectors.rows().width());
            let mut numbers = Vec::new();
            items::reserve(&mut numbers, rows.len().saturating_mul(width))?;
            for row in &rows {
                let at = row.map_or(len.wrapping_sub(1), |row| row as usize);
                let row = vectors.rows().get(at).ok_or_else(|| {
                    PyIndexError::new_err(format!(
                        "row {at} is out of range for a table of {len} \
                                                   rows"
                    ))
                })?;
                numbers.extend_from_slice(row);
            }
            (numbers, width)
        };
        array(keys.py(), &numbers, &[rows.len(), width])
    }

    /// The vectors of words in floret mode, as an array of shape (words, width).
    // stub: (words: Sequence[str]) -> Any
    fn floret_batch<'py>(&self, words: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, words) = (words.py(), words.extract::<Items<String>>()?);
        let (numbers, width) = gil::detached(py, || {
            let vectors = self.read_detached();
            let vector = |word: &String| vectors.floret_vector(word);
            (words.iter().flat_map(vector).collect::<Vec<f32>>(), vectors.rows().width())
        });
        array(py, &numbers, &[words.len(), width])
    }

    /// The vector of a word in floret mode.
    // stub: -> Any
    fn floret_vector<'py>(&self, py: Python<'py>, word: &str) -> PyResult<Bound<'py, PyAny>> {
        let vector = self.read().floret_vector(word);
        array(py, &vector, &[vector.len()])
    }

    /// The padded word and its subwords, in floret mode.
    fn ngrams(&self, word: &str) -> Vec<String> {
        self.read().settings().ngrams(word)
    }

    /// The hashes of a subword, in floret mode.
    fn ngram_hashes(&self, ngram: &str) -> Vec<u32> {
        self.read().settings().hashes(ngram).collect()
    }

    /// The most similar rows; see `Vectors.most_similar`.
    // stub: (queries: Any) -> tuple[Any, Any, Any]
    fn most_similar<'py>(
        &self,
        queries: &Bound<'py, PyAny>,
        n: usize,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = queries.py();
        let queries = VectorData::of(queries)?;
        let (count, _) = queries.rows()?;
        let search = || self.read_detached().most_similar(&queries.numbers, count, n, threads);
        let similar = gil::detached(py, search);
        let similar = similar.or_raise()?;
        let shape = [count, n];
        let rows: Vec<i32> = similar.rows.into_iter().map(to_i32).collect();
        Ok((
            array(py, &similar.keys, &shape)?,
            array(py, &rows, &shape)?,
            array(py, &similar.scores, &shape)?,
        ))
    }

    /// Returns the table with each distinct row once, or None if all rows are distinct.
    fn deduplicated(&self, py: Python<'_>) -> PyResult<Option<PyVectorTable>> {
        let smaller = gil::detached(py, || self.read_detached().deduplicated()).or_raise()?;
        Ok(smaller.map(PyVectorTable::of))
    }

    /// Returns the table of the first `keep` keys, and each other key with the key whose row it
    /// has there and their similarity.
    // stub: -> tuple[VectorTable, list[tuple[int, int, float]]]
    fn pruned(
        &self,
        py: Python<'_>,
        keys: Items<u64>,
        keep: usize,
    ) -> PyResult<(PyVectorTable, Vec<Replacement>)> {
        let keys: Vec<u64> = keys.into_iter().collect();
        let prune = || self.read_detached().pruned(&keys, keep, 0);
        let (pruned, replaced) = gil::detached(py, prune).or_raise()?;
        let replaced = replaced.iter().map(|pair| (pair.key, pair.by, pair.score)).collect();
        Ok((PyVectorTable::of(pruned), replaced))
    }

    /// Returns true if another table has the same shape, keys, settings and numbers.
    // stub: (other: object)
    fn __eq__(&self, other: &Bound<'_, PyVectorTable>) -> bool {
        std::ptr::eq(self, other.get()) || *self.read() == *other.get().read()
    }
}

impl PyVectorTable {
    fn rows_of(&self, keys: &Bound<'_, PyAny>) -> PyResult<Vec<Option<u32>>> {
        let keys = items::read(keys, |key| key_of(&key))?;
        let vectors = self.read();
        Ok(keys.into_iter().map(|key| key.and_then(|key| vectors.keys().get(key))).collect())
    }
}

/// The rows of an array.
fn rows(data: &Bound<'_, PyAny>) -> PyResult<RowTable> {
    let numbers = VectorData::of(data)?;
    let (len, width) = numbers.rows()?;
    RowTable::new(numbers.numbers, len, width).or_raise()
}

/// A key, given as text or as a number.
fn id_or_text(key: &Bound<'_, PyAny>) -> PyResult<u64> {
    match key.cast::<PyString>() {
        Ok(text) => with_utf8(text, |text| Ok(StrId::of(text).get())),
        Err(_) => id_of(key),
    }
}

/// A key to look up; `None` for an object that cannot be a key.
fn key_of(key: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    let py = key.py();
    match id_or_text(key) {
        Ok(key) => Ok(Some(key)),
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => Ok(None),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

fn row_number(row: &Bound<'_, PyAny>) -> PyResult<usize> {
    match row.extract::<usize>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(row.py()) => Ok(usize::MAX),
        row => row,
    }
}

fn no_row(row: i64) -> PyErr {
    PyKeyError::new_err(format!("[vectors-row] row {row} has no key"))
}

/// A row as NumPy's index; a table with 2^31 rows would not fit into memory.
fn to_i32(row: u32) -> i32 {
    i32::try_from(row).unwrap_or(i32::MAX)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<VectorMemory>(module)?;
    classes::add::<PyVectorTable>(module)
}
