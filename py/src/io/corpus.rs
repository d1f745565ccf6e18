//! `lexpool.corpus.Corpus`: documents in a memory-mapped file.

use std::io::Write;
use std::path::{Path, PathBuf};

use lexpool::files::{AtomicFile, Links, TemporaryFile};
use lexpool::vocab::{Getters, OpenOptions, Verify, Vocab};
use lexpool_io::corpus::{
    Cell, Column, Corpus, CorpusWriter, MappedWriter, Piece, WriteOptions, merge,
};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyCapsule, PyDict, PyFloat, PyInt, PyList, PyMapping, PySlice, PyString,
};

use crate::io::docbin::{carried_by, give_back};
use crate::io::incoming::{batches, has_arrow};
use crate::object::doc::PyDoc;
use crate::object::vocab::{PyVocab, attr_of};
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil;
use crate::runtime::items::{self, Items};
use crate::runtime::python_side;
use crate::runtime::user_calls::CallUser;
use lexpool::codes;

/// Documents in a memory-mapped file.
///
/// `Corpus.open(path)` maps the file and reads only its ends; `corpus[i]` is a `Doc` whose records
/// lie in the file, and are copied when the document is first written to. Slices share the file.
/// `corpus.vocab` contains the words of the file; new words can be added, but never change the
/// file.
///
/// A mapped file must not be changed while it is open; lexpool writes a temporary file and renames
/// it. Memory of a document that was handed out (`doc.c`, arrays over it) keeps its contents when
/// the document is first written to, since the document's records are then elsewhere: request it
/// again.
#[pyclass(name = "Corpus", module = "lexpool.corpus", frozen, weakref, sequence)]
pub(crate) struct PyCorpus {
    corpus: Corpus,
    vocab: Py<PyVocab>,
}

class!(PyCorpus);

/// Number of documents of a work item.
const CHUNK: usize = 256;

#[pymethods]
impl PyCorpus {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)
    }

    /// Opens a corpus.
    ///
    /// verify: `"header"` validates what is needed to find the documents, and each batch on first
    ///     access; `"full"` validates every checksum and every document now.
    /// mmap: False reads the file into memory, so that the file may be changed meanwhile.
    ///
    /// Raises OSError for an unreadable file, ValueError (corpus-..., image-...) for a truncated or
    /// changed file, a newer version or another format, with the offset and the reason.
    #[staticmethod]
    #[pyo3(signature = (path, *, verify="header", mmap=true))]
    // stub: (verify: Literal['header', 'full'])
    fn open(py: Python<'_>, path: PathBuf, verify: &str, mmap: bool) -> PyResult<PyCorpus> {
        let options = OpenOptions::new().verify(verify_of(verify)?).mmap(mmap);
        // A pickled corpus may be loaded in another working directory.
        let path = std::path::absolute(path)?;
        let corpus = gil::detached(py, || Corpus::open_with(&path, &options)).or_raise()?;
        PyCorpus::of(py, corpus)
    }

    /// Writes documents to a file atomically; returns their number.
    ///
    /// columns: name -> a value (str, int, float, bool or None) for each document; or a table with
    ///     a row for each, of any library with `__arrow_c_stream__`. Numbers, strings, binary data,
    ///     dates, and lists and structs of them keep their types, except that views become large
    ///     strings, and dictionaries their values.
    /// extensions: names of extension attributes of `Doc`, whose values become columns "_.name" of
    ///     the type that pyarrow infers from all values. The documents are then written twice,
    ///     first to a temporary file in the same folder.
    /// compressed: True for a small file instead of one that is mapped without decompression.
    /// store_user_data: keep `Doc.user_data`, extension attributes included; lists in it are loaded
    ///     as tuples.
    ///
    /// `Doc.tensor` and `Doc.sentiment` are not kept, and scores of categories are loaded as
    /// floats.
    ///
    /// Raises ValueError (corpus-column, corpus-cats), KeyError (E018) for annotation whose id has
    /// no string, AttributeError (E046) for an unknown extension, ImportError for extensions
    /// without pyarrow.
    #[staticmethod]
    #[pyo3(signature = (path, docs, *, columns=None, extensions=None, compressed=false, store_user_data=true))]
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    // stub: (docs: Iterable[Doc], columns: Mapping[str, Iterable[_Cell]] | _ArrowTable | None)
    fn write(
        py: Python<'_>,
        path: PathBuf,
        docs: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        extensions: Option<Items<String>>,
        compressed: bool,
        store_user_data: bool,
    ) -> PyResult<usize> {
        let columns = columns.map(columns_of).transpose()?.unwrap_or_default();
        let writing = CorpusWrite { path: &path, columns, compressed, store_user_data };
        let file = AtomicFile::create(&path, Links::Followed).or_raise()?;
        let (file, count) = writing.run_with(file, docs, &extensions.unwrap_or_default())?;
        gil::detached(py, || file.commit()).or_raise()?;
        Ok(count)
    }

    /// Appends documents to those of a file, which is written to a temporary file and renamed:
    /// readers that have it open keep the old contents. If the file does not exist, as `write`.
    /// Returns the number of all documents.
    ///
    /// columns, extensions: as for `write`; a column that is missing in the file or for the new
    ///     documents is None there.
    /// compressed: None to keep the file's setting.
    #[staticmethod]
    #[pyo3(signature = (path, docs, *, columns=None, extensions=None, compressed=None, store_user_data=true))]
    // stub: (docs: Iterable[Doc], columns: Mapping[str, Iterable[_Cell]] | _ArrowTable | None)
    fn append(
        py: Python<'_>,
        path: PathBuf,
        docs: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        extensions: Option<Items<String>>,
        compressed: Option<bool>,
        store_user_data: bool,
    ) -> PyResult<usize> {
        if !path.exists() {
            let compressed = compressed.unwrap_or(false);
            return PyCorpus::write(
                py,
                path,
                docs,
                columns,
                extensions,
                compressed,
                store_user_data,
            );
        }
        let before = Corpus::open(&path).or_raise()?;
        let compressed = compressed.unwrap_or(before.is_compressed());
        let columns = columns.map(columns_of).transpose()?.unwrap_or_default();
        let writing = CorpusWrite { path: &path, columns, compressed: false, store_user_data };
        let part = TemporaryFile::beside(&path).or_raise()?;
        let (part, _) = writing.run_with(part, docs, &extensions.unwrap_or_default())?;
        let new = Corpus::open(part.path()).or_raise()?;
        put_together(py, &[before, new], &path, compressed, None)
    }

    /// Merges corpora (paths, or corpora and slices of them) into one file, in order.
    ///
    /// Equal strings are stored once; a column that one corpus lacks is None there.
    ///
    /// progress: called with the number of documents done.
    ///
    /// Raises ValueError (corpus-merge, hash-collision).
    #[staticmethod]
    #[pyo3(signature = (corpora, path, *, compressed=false, progress=None))]
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    // stub: (corpora: Iterable[Corpus | str | PathLike[str]], progress: Callable[[int],
    //     object] | None)
    fn merge(
        py: Python<'_>,
        corpora: &Bound<'_, PyAny>,
        path: PathBuf,
        compressed: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<usize> {
        let mut parts = Vec::new();
        for corpus in items::iterate(corpora)? {
            let corpus = corpus?;
            parts.push(match corpus.cast::<PyCorpus>() {
                Ok(corpus) => corpus.get().corpus.clone(),
                Err(_) => Corpus::open(&corpus.extract::<PathBuf>()?).or_raise()?,
            });
        }
        put_together(py, &parts, &path, compressed, progress.as_ref())
    }

    /// Writes these documents to a new file: a slice or a selection, or compressed.
    #[pyo3(signature = (path, *, compressed=false, progress=None))]
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    // stub: (progress: Callable[[int], object] | None)
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        compressed: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<usize> {
        let parts = [self.corpus.clone()];
        put_together(py, &parts, &path, compressed, progress.as_ref())
    }

    /// The vocab with the words of the file.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }

    /// The language of the vocab that the file was written with.
    #[getter]
    fn lang(&self) -> &str {
        self.corpus.lang()
    }

    /// The names of the columns, lexpool's own first.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.corpus.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.corpus.len()
    }

    // stub: (index: SupportsIndex, /) -> Doc
    // stub: (index: slice, /) -> Corpus
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let len = isize::try_from(self.corpus.len()).unwrap_or(isize::MAX);
            let at = slice.indices(len)?;
            let corpus = if at.step == 1 {
                let start = usize::try_from(at.start).unwrap_or_default();
                self.corpus.slice(start, start + at.slicelength).or_raise()?
            } else {
                let steps = std::iter::successors(Some(at.start), |i| i.checked_add(at.step));
                let positions = steps.take(at.slicelength).filter_map(|i| usize::try_from(i).ok());
                let positions: Vec<_> = positions.collect();
                self.corpus.select(&positions).or_raise()?
            };
            return Ok(Bound::new(py, self.with(py, corpus))?.into_any());
        }
        let beyond = || {
            let len = self.corpus.len();
            let text = format!(
                "[corpus-index] document {index} is out of range for a corpus of \
                                {len}"
            );
            Err(PyIndexError::new_err(text))
        };
        let Ok(given) = index.extract::<isize>() else {
            if index.is_instance_of::<PyInt>() {
                return beyond();
            }
            let kind = index.get_type().name()?;
            let text = format!("a corpus is indexed by positions and slices, not {kind}");
            return Err(PyTypeError::new_err(text));
        };
        let i = match usize::try_from(given) {
            Ok(i) => Some(i),
            Err(_) => self.corpus.len().checked_sub(given.unsigned_abs()),
        };
        match i.filter(|i| *i < self.corpus.len()) {
            Some(i) => Ok(self.doc(py, i)?.into_any()),
            None => beyond(),
        }
    }

    /// Returns documents by their positions, in the given order.
    ///
    /// Raises IndexError (corpus-index).
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    fn select(&self, py: Python<'_>, positions: Items<usize>) -> PyResult<PyCorpus> {
        Ok(self.with(py, self.corpus.select(&positions).or_raise()?))
    }

    /// Returns the documents for which `predicate(doc)` is true, sharing the file.
    // stub: (predicate: Callable[[Doc], object])
    fn filter(&self, py: Python<'_>, predicate: &Bound<'_, PyAny>) -> PyResult<PyCorpus> {
        let mut kept = Vec::new();
        for i in 0..self.corpus.len() {
            if predicate.call_user((self.doc(py, i)?,))?.is_truthy()? {
                kept.push(i);
            }
        }
        Ok(self.with(py, self.corpus.select(&kept).or_raise()?))
    }

    /// Calls an op for each document, on lexpool's threads: returns the result of
    /// `lexpool.ops.map`, in order.
    #[pyo3(signature = (op, *args, **kwargs))]
    // stub: (op: str | Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]
    fn map<'py>(
        slf: &Bound<'py, PyCorpus>,
        op: &Bound<'py, PyAny>,
        args: &Bound<'py, pyo3::types::PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let mut all = vec![op.clone(), slf.clone().into_any()];
        all.extend(args.iter());
        let all = pyo3::types::PyTuple::new(py, all)?;
        python_side::MAP_OP.call_with(py, all, kwargs)
    }

    /// Counts the values of an attribute; returns a dict. Words are in the order of their first
    /// occurrence in the file.
    ///
    /// attr: its name or id.
    /// n_threads: 0 for one thread per core.
    ///
    /// Raises KeyError for an unknown attribute.
    #[pyo3(signature = (attr, *, n_threads=0))]
    // stub: (attr: _Attr) -> dict[int, int]
    fn count_by<'py>(
        &self,
        py: Python<'py>,
        attr: &Bound<'py, PyAny>,
        n_threads: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let attr = attr_of(attr)?;
        let counts = gil::detached(py, || self.corpus.count_by(attr, n_threads)).or_raise()?;
        let dict = PyDict::new(py);
        counts.into_iter().try_for_each(|(value, count)| dict.set_item(value, count))?;
        Ok(dict)
    }

    /// Returns columns by name, or all, as an object with an Arrow stream. Nothing is copied.
    ///
    /// Raises ValueError (corpus-column).
    #[pyo3(signature = (names=None))]
    fn columns(&self, py: Python<'_>, names: Option<Items<String>>) -> PyResult<PyCorpusStream> {
        let names = names.map(Items::into_vec);
        self.corpus.columns(names.as_deref()).or_raise()?;
        Ok(PyCorpusStream {
            corpus: self.with(py, self.corpus.clone()),
            what: StreamItems::Columns(names),
        })
    }

    /// Returns all tokens, one row each, as an object with an Arrow stream: `doc`, `start`, `end`,
    /// `orth`, `space`, and a column for each named attribute: "LOWER" for ids, "LOWER_" for
    /// strings.
    ///
    /// Raises ValueError (corpus-column).
    #[pyo3(signature = (attrs=None))]
    fn tokens(&self, py: Python<'_>, attrs: Option<Items<String>>) -> PyResult<PyCorpusStream> {
        let attrs = attrs.unwrap_or_default().into_vec();
        self.corpus.tokens(&attrs).or_raise()?;
        Ok(PyCorpusStream {
            corpus: self.with(py, self.corpus.clone()),
            what: StreamItems::Tokens(attrs),
        })
    }

    /// All columns as an Arrow stream, in the memory of the file.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: object | None)
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.columns(py, None)?.__arrow_c_stream__(py, requested_schema)
    }

    // stub: -> Iterator[Doc]
    fn __iter__<'py>(slf: &Bound<'py, PyCorpus>) -> PyResult<Bound<'py, PyAny>> {
        let builtins = slf.py().import("builtins")?;
        let positions = builtins.getattr("range")?.call1((slf.get().corpus.len(),))?;
        builtins.getattr("map")?.call1((slf.getattr("__getitem__")?, positions))
    }

    /// Pickled as the path of the file, which is mapped when it is loaded.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let path = self.corpus.path().expect("Python opens files only");
        let positions = (!self.corpus.is_whole()).then(|| self.corpus.positions().collect());
        let load = python_side::LOAD_CORPUS.get(py)?;
        let args = (path, positions as Option<Vec<usize>>);
        Ok((load, args).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<Corpus of {} documents>", self.corpus.len())
    }
}

impl PyCorpus {
    fn of(py: Python<'_>, corpus: Corpus) -> PyResult<PyCorpus> {
        let vocab = Py::new(py, PyVocab::new(corpus.vocab().clone()))?;
        Ok(PyCorpus { corpus, vocab })
    }

    /// Other documents of the same file.
    fn with(&self, py: Python<'_>, corpus: Corpus) -> PyCorpus {
        PyCorpus { corpus, vocab: self.vocab.clone_ref(py) }
    }

    fn doc<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyDoc>> {
        // The first document of a batch validates the whole batch, without the GIL.
        let doc = if self.corpus.is_validated(i).or_raise()? {
            self.corpus.doc(i)
        } else {
            gil::detached(py, || self.corpus.doc(i))
        };
        let doc = doc.or_raise()?;
        let doc = Bound::new(py, PyDoc::new(doc, self.vocab.clone_ref(py)))?;
        give_back(&doc, &self.corpus.extras(i).or_raise()?, i)?;
        Ok(doc)
    }
}

/// Columns of a corpus, or its tokens, for any library that reads Arrow streams.
#[pyclass(name = "CorpusStream", module = "lexpool.corpus", frozen)]
pub(crate) struct PyCorpusStream {
    corpus: PyCorpus,
    what: StreamItems,
}

class!(PyCorpusStream);

enum StreamItems {
    Columns(Option<Vec<String>>),
    Tokens(Vec<String>),
}

#[pymethods]
impl PyCorpusStream {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.corpus.vocab)
    }

    /// The batches, created on request.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: object | None)
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol allows producers to ignore the requested schema.
        let _ = requested_schema;
        let corpus = &self.corpus.corpus;
        let stream = match &self.what {
            StreamItems::Columns(names) => corpus.columns(names.as_deref()),
            StreamItems::Tokens(attrs) => corpus.tokens(attrs),
        };
        PyCapsule::new_with_value(py, stream.or_raise()?, c"arrow_array_stream")
    }
}

fn put_together(
    py: Python<'_>,
    corpora: &[Corpus],
    path: &Path,
    compressed: bool,
    progress: Option<&Py<PyAny>>,
) -> PyResult<usize> {
    let mut raised = None;
    let mut told = |done: usize| {
        let told = Python::attach(|py| {
            py.check_signals()?;
            progress.map_or(Ok(()), |progress| progress.call1(py, (done,)).map(drop))
        });
        told.map_err(|error| {
            raised = Some(error);
            lexpool::Error::new(lexpool::ErrorKind::Interrupted, codes::INTERRUPTED, "stopped")
        })
    };
    let merged = gil::detached(py, || {
        let file = AtomicFile::create(path, Links::Followed)?;
        merge(corpora, file, path, compressed, &mut told)?.commit()
    });
    match (merged, raised) {
        (Err(_), Some(raised)) => Err(raised),
        (merged, _) => merged.or_raise().map(|()| corpora.iter().map(Corpus::len).sum()),
    }
}

/// Settings for writing documents to a file.
struct CorpusWrite<'a> {
    /// The path that the user gave, for errors, and for the folder of the temporary file.
    path: &'a Path,
    columns: Vec<Column>,
    compressed: bool,
    store_user_data: bool,
}

impl CorpusWrite<'_> {
    /// Writes the documents, with columns of the extension attributes of these names; returns the
    /// file and their number.
    ///
    /// The types of such columns follow from all values, so the documents are first written to a
    /// temporary file in the same folder.
    fn run_with<W: Write + Send>(
        mut self,
        file: W,
        docs: &Bound<'_, PyAny>,
        names: &[String],
    ) -> PyResult<(W, usize)> {
        if names.is_empty() {
            return self.run(file, docs, |_| Ok(()));
        }
        let py = docs.py();
        let values: Vec<_> = names.iter().map(|_| PyList::empty(py)).collect();
        let first = CorpusWrite { columns: Vec::new(), compressed: false, ..self };
        let part = TemporaryFile::beside(self.path).or_raise()?;
        let (part, _) = first.run(part, docs, |doc| {
            let own = doc.getattr("_")?;
            names
                .iter()
                .zip(&values)
                .try_for_each(|(name, values)| values.append(own.getattr(name.as_str())?))
        })?;
        let named = names.iter().zip(values).collect::<Vec<_>>();
        let table = python_side::EXTENSION_COLUMNS.call(py, (named,))?;
        self.columns.extend(columns_of(&table)?);
        let docs = Bound::new(py, PyCorpus::of(py, Corpus::open(part.path()).or_raise()?)?)?;
        self.run(file, docs.as_any(), |_| Ok(()))
    }

    /// Writes the documents, each of which is passed to `seen` before; returns the file and their
    /// number.
    fn run<W: Write + Send>(
        &self,
        file: W,
        docs: &Bound<'_, PyAny>,
        mut seen: impl FnMut(&Bound<'_, PyDoc>) -> PyResult<()>,
    ) -> PyResult<(W, usize)> {
        let (py, columns) = (docs.py(), &self.columns);
        let fields = columns.iter().map(|column| column.field().clone()).collect();
        let options = WriteOptions { columns: fields, compressed: self.compressed };
        let mut writer: Option<MappedWriter<W>> = None;
        let mut file = Some(file);
        let mut done = 0;
        let mut docs = items::iterate(docs)?;
        loop {
            let chunk = docs.by_ref().take(CHUNK).map(|doc| as_doc(&doc?));
            let chunk = chunk.collect::<PyResult<Vec<_>>>()?;
            if let (None, Some(first)) = (&writer, chunk.first()) {
                let vocab = first.get().py_vocab().get().vocab().clone();
                let file = file.take().expect("taken once");
                let begun = MappedWriter::with_options(file, &vocab, &options);
                writer = Some(begun.map_err(|error| self.failed(error)).or_raise()?);
            }
            let Some(writer) = writer.as_mut().filter(|_| !chunk.is_empty()) else { break };
            chunk.iter().try_for_each(&mut seen)?;
            let extras = chunk.iter().map(|doc| carried_by(doc, self.store_user_data));
            let extras = extras.collect::<PyResult<Vec<_>>>()?;
            let readings =
                chunk.iter().map(|doc| doc.get().read(py)).collect::<PyResult<Vec<_>>>()?;
            let rows: Vec<_> = readings.iter().map(|reading| &**reading).zip(extras).collect();
            let values = columns.iter().map(|column| column.values(done, rows.len()));
            let values = values.collect::<lexpool::Result<Vec<_>>>().or_raise()?;
            done += rows.len();
            gil::detached(py, || {
                let piece = Piece::of(rows)?.with_columns(values)?;
                writer.write(piece).map_err(|error| self.failed(error))
            })
            .or_raise()?;
            drop(readings);
            py.check_signals()?;
        }
        if let Some(column) = columns.iter().find(|column| column.len() != done) {
            let (name, len) = (column.field().name(), column.len());
            let text = format!("[corpus-column] {name:?} has {len} values for {done} documents");
            return Err(PyValueError::new_err(text));
        }
        let writer = if let Some(writer) = writer {
            writer
        } else {
            let vocab = Vocab::new(Getters::default()).or_raise()?;
            let file = file.take().expect("no document took it");
            MappedWriter::with_options(file, &vocab, &options)
                .map_err(|error| self.failed(error))
                .or_raise()?
        };
        let finished = gil::detached(py, || writer.finish().map_err(|error| self.failed(error)));
        Ok((finished.or_raise()?, done))
    }

    fn failed(&self, error: std::io::Error) -> lexpool::Error {
        error
            .downcast::<lexpool::Error>()
            .unwrap_or_else(|error| lexpool::Error::io("write to", self.path, error))
    }
}

fn as_doc<'py>(doc: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDoc>> {
    if let Ok(doc) = doc.cast::<PyDoc>() {
        return Ok(doc.clone());
    }
    let kind = doc.get_type().name()?;
    Err(PyTypeError::new_err(format!("a corpus can only be written from documents, not {kind}")))
}

fn verify_of(name: &str) -> PyResult<Verify> {
    match name {
        "header" => Ok(Verify::Header),
        "full" => Ok(Verify::Full),
        _ => {
            let text = format!("verify is {name:?}; expected \"header\" or \"full\"");
            Err(PyValueError::new_err(text))
        }
    }
}

fn columns_of(columns: &Bound<'_, PyAny>) -> PyResult<Vec<Column>> {
    if has_arrow(columns)? {
        let table = batches(columns)?;
        return gil::detached(columns.py(), || Column::of_table(table)).or_raise();
    }
    let Ok(columns) = columns.cast::<PyMapping>() else {
        let kind = columns.get_type().name()?;
        let text = format!("columns must be a dict of lists or an Arrow table, not {kind}");
        return Err(PyTypeError::new_err(text));
    };
    let column = |item: Bound<'_, PyAny>| {
        let (name, values) = item.extract::<(String, Bound<'_, PyAny>)>()?;
        let cells = items::read(&values, |value| cell(&value, &name))?;
        Column::of(&name, &cells).or_raise()
    };
    columns.items()?.iter().map(column).collect()
}

fn cell(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Cell> {
    Ok(if value.is_none() {
        Cell::Null
    } else if let Ok(value) = value.cast::<PyBool>() {
        Cell::Bool(value.is_true())
    } else if value.is_instance_of::<PyInt>() {
        Cell::Int(value.extract()?)
    } else if value.is_instance_of::<PyFloat>() {
        Cell::Float(value.extract()?)
    } else if let Ok(value) = value.cast::<PyString>() {
        Cell::Str(value.extract()?)
    } else {
        let kind = value.get_type().name()?;
        let text = format!(
            "values of column {name:?} must be str, int, float, bool or None, not \
                            {kind}"
        );
        return Err(PyTypeError::new_err(text));
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyCorpus>(module)?;
    classes::add::<PyCorpusStream>(module)
}
