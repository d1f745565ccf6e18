//! `lexpool.tokens.DocBin`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::formats::zlib::InflateLimit;
use lexpool::formats::{DocBin, DocExtras, DocReader};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySet};

use crate::io::msgpack::{packb, unpackb};
use crate::object::doc::PyDoc;
use crate::object::vocab::{PyVocab, attr_of};
use crate::runtime::array::array;
use crate::runtime::atomic_file;
use crate::runtime::buffer_protocol::bytes_of;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil;
use crate::runtime::items;
use crate::runtime::python_side;

/// Documents packed together: fast to write and read, and small on disk.
///
/// Annotation is stored as numbers, and each string once. Files have spaCy's format.
#[pyclass(name = "DocBin", module = "lexpool.tokens", frozen, weakref)]
pub(crate) struct PyDocBin {
    // Never locked while Python runs. Readers of documents share the Arc, so `add` then changes a
    // copy.
    bin: Mutex<Arc<DocBin>>,
}

class!(PyDocBin);

impl PyDocBin {
    fn bin(&self) -> MutexGuard<'_, Arc<DocBin>> {
        self.bin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present documents.
    fn now(&self) -> Arc<DocBin> {
        Arc::clone(&self.bin())
    }

    /// A list with the result of a function for each document.
    fn each<'py, T>(
        &self,
        py: Python<'py>,
        mut part: impl FnMut(&DocBin, usize) -> PyResult<T>,
    ) -> PyResult<Bound<'py, PyList>>
    where
        T: IntoPyObject<'py>,
    {
        let bin = self.now();
        let parts = (0..bin.len()).map(|i| part(&bin, i)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, parts)
    }
}

#[pymethods]
impl PyDocBin {
    /// DocBin(attrs=DOCBIN_ALL_ATTRS, store_user_data=False, docs=())
    ///
    /// attrs: names or ids of the token attributes to store; ORTH and SPACY are always stored.
    /// store_user_data: store `Doc.user_data`, extension attributes included.
    /// docs: documents to add.
    ///
    /// Raises KeyError (E983) for an unknown attribute.
    #[new]
    #[pyo3(signature = (attrs=None, store_user_data=false, docs=None))]
    // stub: (attrs: Iterable[_Attr] | None, docs: Iterable[Doc] | None)
    fn py_new(
        attrs: Option<&Bound<'_, PyAny>>,
        store_user_data: bool,
        docs: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyDocBin> {
        let bin = match attrs {
            None => DocBin::new(&DocBin::ALL_ATTRS, store_user_data),
            Some(attrs) => {
                let attrs = items::read(attrs, |attr| attr_of(&attr))?;
                DocBin::new(&attrs, store_user_data)
            }
        };
        let this = PyDocBin { bin: Mutex::new(Arc::new(bin)) };
        for doc in docs.map(items::iterate).transpose()?.into_iter().flatten() {
            this.add(doc?.cast::<PyDoc>()?)?;
        }
        Ok(this)
    }

    /// Adds a document with its categories, span groups and, with `store_user_data`, user data.
    ///
    /// Raises KeyError (E018) for annotation whose id has no string, TypeError for categories or
    /// user data that msgpack cannot represent. Nothing is added then.
    fn add(&self, doc: &Bound<'_, PyDoc>) -> PyResult<()> {
        let mut carried = carried_by(doc, self.store_user_data())?;
        if self.store_user_data() && carried.user_data.is_none() {
            carried.user_data = Some(packb(&PyDict::new(doc.py()))?.into());
        }
        let doc = doc.get().read(doc.py())?;
        Arc::make_mut(&mut self.bin()).add(&doc, carried).or_raise()
    }

    /// Iterates over the documents, which are created in a vocab one by one. User data in the bin
    /// is loaded even without `store_user_data`.
    ///
    /// Raises ValueError for ids without strings, and for a span outside of its document.
    // stub: -> Iterator[Doc]
    fn get_docs(&self, vocab: &Bound<'_, PyVocab>) -> PyResult<PyDocBinDocs> {
        let bin = self.now();
        let snapshot = vocab.get().vocab().snapshot();
        let reader = gil::detached(vocab.py(), || bin.reader(&snapshot)).or_raise()?;
        Ok(PyDocBinDocs { bin, reader, vocab: vocab.clone().unbind(), next: AtomicUsize::new(0) })
    }

    /// Appends the documents of another bin.
    ///
    /// Raises ValueError (E166) if it stores other attributes, or if only one of the two stores
    /// user data.
    fn merge(&self, other: &Bound<'_, PyDocBin>) -> PyResult<()> {
        let other = other.get().now();
        Arc::make_mut(&mut self.bin()).merge(&other).or_raise()
    }

    fn __len__(&self) -> usize {
        self.bin().len()
    }

    /// Returns the bin as compressed bytes.
    ///
    /// Raises ValueError (E870) for more than 4 GiB of attributes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bin = self.now();
        let bytes = gil::detached(py, || bin.to_bytes()).or_raise()?;
        crate::runtime::array::bytes(py, &bytes)
    }

    /// Replaces the contents by the result of `to_bytes`, and returns the bin. All values are
    /// validated, and the checksum, if there is one.
    ///
    /// max_bytes: maximum size of the decompressed bytes; by default 256 times the size of the
    ///     data, and at least 64 MiB.
    ///
    /// Raises ValueError (E1014, zlib-limit, docbin-..., checksum) for truncated, changed, too
    /// large or other bytes. The bin is then unchanged.
    #[pyo3(signature = (bytes_data, *, max_bytes=None))]
    // stub: -> Self
    fn from_bytes<'py>(
        slf: &Bound<'py, PyDocBin>,
        bytes_data: &[u8],
        max_bytes: Option<usize>,
    ) -> PyResult<Bound<'py, PyDocBin>> {
        let store = slf.get().store_user_data();
        let most =
            max_bytes.map_or_else(|| InflateLimit::for_stream(bytes_data.len()), InflateLimit::new);
        let read = || DocBin::from_bytes_within(bytes_data, most);
        let loaded = gil::detached(slf.py(), read).or_raise()?;
        *slf.get().bin() = Arc::new(loaded.storing_user_data(store));
        Ok(slf.clone())
    }

    /// Writes the result of `to_bytes` to a file.
    // stub: (path: str | PathLike[str])
    fn to_disk(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        atomic_file::write_object(path, self.to_bytes(py)?.as_any())
    }

    /// Loads a file of `to_disk`; as `from_bytes`.
    #[pyo3(signature = (path, *, max_bytes=None))]
    // stub: (path: str | PathLike[str]) -> Self
    fn from_disk<'py>(
        slf: &Bound<'py, PyDocBin>,
        path: &Bound<'py, PyAny>,
        max_bytes: Option<usize>,
    ) -> PyResult<Bound<'py, PyDocBin>> {
        let path = slf.py().import("pathlib")?.getattr("Path")?.call1((path,))?;
        let bytes = path.call_method0("read_bytes")?;
        PyDocBin::from_bytes(slf, bytes.cast::<PyBytes>()?.as_bytes(), max_bytes)
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyDocBin>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let load = python_side::UNPICKLE_DOCBIN.get(py)?;
        let args = (slf.get().to_bytes(py)?, slf.get().store_user_data());
        Ok((load, args).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<DocBin of {} documents>", self.bin().len())
    }

    /// The version of the format.
    #[classattr]
    fn version() -> &'static str {
        "0.1"
    }

    /// True if user data is stored.
    #[getter]
    fn store_user_data(&self) -> bool {
        self.bin().stores_user_data()
    }

    /// The ids of the stored attributes, ORTH first.
    #[getter]
    fn attrs(&self) -> Vec<u32> {
        self.bin().attrs().iter().map(|attr| attr.number()).collect()
    }

    /// The strings of the ids, as a new set.
    #[getter]
    // stub: -> set[str]
    fn strings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySet>> {
        PySet::new(py, self.now().strings())
    }

    /// For each document an array of shape (tokens, attributes), of unsigned 64-bit numbers.
    #[getter]
    // stub: -> list[_Array]
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |bin, i| {
            let (rows, width) = (bin.rows(i).unwrap_or_default(), bin.attrs().len());
            array(py, rows, &[rows.len() / width, width])
        })
    }

    /// For each document an array of shape (tokens, 1): 1 if a space follows, else 0.
    #[getter]
    // stub: -> list[Any]
    fn spaces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |bin, i| {
            let spaces = bin.spaces(i).unwrap_or_default();
            array(py, spaces, &[spaces.len(), 1])
        })
    }

    /// For each document its categories, a new dict.
    #[getter]
    // stub: -> list[dict[str, float]]
    fn cats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |bin, i| cats(py, bin, i))
    }

    /// For each document the bytes of its span groups.
    #[getter]
    // stub: -> list[bytes]
    fn span_groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |bin, i| Ok(PyBytes::new(py, bin.span_groups(i).unwrap_or_default())))
    }

    /// For each document the bytes of its user data, or None.
    #[getter]
    // stub: -> list[bytes | None]
    fn user_data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |bin, i| {
            let user_data = bin.extras(i).and_then(|extras| extras.user_data.as_deref());
            Ok(user_data.map(|bytes| PyBytes::new(py, bytes)))
        })
    }

    /// For each document a dict with `has_unknown_spaces`.
    #[getter]
    // stub: -> list[dict[str, bool]]
    fn flags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |bin, i| {
            let flags = PyDict::new(py);
            flags.set_item("has_unknown_spaces", bin.has_unknown_spaces(i))?;
            Ok(flags)
        })
    }
}

/// The packed Python attributes of a document; user data only if requested.
pub(crate) fn carried_by(doc: &Bound<'_, PyDoc>, wants_user_data: bool) -> PyResult<DocExtras> {
    let (py, extras) = (doc.py(), &doc.get().python_attributes);
    let mut carried = DocExtras::default();
    if let Some(cats) = extras.get(py, "cats")? {
        carried.cats = packb(&cats)?.into();
    }
    if let Some(spans) = extras.get(py, "spans")? {
        carried.span_groups = bytes_of(&spans.call_method0("to_bytes")?)?.to_vec().into();
    }
    if wants_user_data {
        let user_data = doc.get().user_data_if_any(py)?;
        carried.user_data = user_data.map(|data| packb(&data)).transpose()?.map(Into::into);
    }
    Ok(carried)
}

/// Restores the Python attributes of a new document, the `i`th.
pub(crate) fn give_back(doc: &Bound<'_, PyDoc>, carried: &DocExtras, i: usize) -> PyResult<()> {
    let (py, extras) = (doc.py(), &doc.get().python_attributes);
    if carried.cats.len() > 1 {
        extras.set(py, "cats", &unpackb(py, &carried.cats, true)?)?;
    }
    if carried.span_groups.len() > 1 {
        let groups = PyBytes::new(py, &carried.span_groups);
        doc.getattr("spans")?.call_method1("from_bytes", (groups,))?;
    }
    if let Some(user_data) = carried.user_data.as_deref().filter(|bytes| bytes.len() > 1) {
        let user_data = unpackb(py, user_data, false)?;
        if !user_data.is_instance_of::<PyDict>() {
            let text = format!("[docbin-user-data] the user data of document {i} is not a dict");
            return Err(PyTypeError::new_err(text));
        }
        extras.set(py, "user_data", &user_data)?;
    }
    Ok(())
}

fn cats<'py>(py: Python<'py>, bin: &DocBin, i: usize) -> PyResult<Bound<'py, PyAny>> {
    match bin.extras(i).map(|extras| &*extras.cats).filter(|cats| !cats.is_empty()) {
        Some(cats) => unpackb(py, cats, true),
        None => Ok(PyDict::new(py).into_any()),
    }
}

/// Iterator over the documents of a bin.
#[pyclass(name = "DocBinDocs", module = "lexpool.tokens", frozen)]
pub(crate) struct PyDocBinDocs {
    bin: Arc<DocBin>,
    reader: DocReader,
    vocab: Py<PyVocab>,
    next: AtomicUsize,
}

class!(PyDocBinDocs);

#[pymethods]
impl PyDocBinDocs {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)
    }

    fn __iter__(slf: Bound<'_, PyDocBinDocs>) -> Bound<'_, PyDocBinDocs> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDoc>>> {
        let i = self.next.fetch_add(1, Ordering::Relaxed);
        if i >= self.bin.len() {
            self.next.store(self.bin.len(), Ordering::Relaxed);
            return Ok(None);
        }
        let doc = self.reader.doc(&self.bin, i).or_raise()?;
        let doc = Bound::new(py, PyDoc::new(doc, self.vocab.clone_ref(py)))?;
        if let Some(carried) = self.bin.extras(i) {
            give_back(&doc, carried, i)?;
        }
        Ok(Some(doc))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::prepare::<PyDocBinDocs>(module.py());
    classes::add::<PyDocBin>(module)
}
