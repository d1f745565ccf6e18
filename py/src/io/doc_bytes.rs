//! A document as bytes, as a dict, as a file and as a pickle.

use lexpool::formats::zlib::{self, InflateLimit};
use lexpool::formats::{doc_bytes, span_group};
use lexpool::tokens::Doc;
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::io::msgpack::{packb, unpackb};
use crate::object::doc::PyDoc;
use crate::runtime::atomic_file;
use crate::runtime::buffer_protocol::bytes_of;
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::python_side;

/// Size from which pickles are compressed; below, compression would take longer than everything
/// else.
const COMPRESSED_FROM: usize = 16 << 10;
/// The first byte of a zlib stream.
const ZLIB: u8 = 0x78;

/// A function that serializes a document.
type Serializer = fn(&Doc, &doc_bytes::Extras<'_>, &[&str]) -> lexpool::Result<Vec<u8>>;

/// The Python attributes of a document, packed.
#[derive(Default)]
struct PackedAttributes {
    sentiment: f64,
    tensor: Option<Vec<u8>>,
    cats: Option<Vec<u8>>,
    spans: Option<Vec<u8>>,
    user_data: Option<(Vec<u8>, Vec<u8>)>,
}

impl PackedAttributes {
    fn of(doc: &Bound<'_, PyDoc>, exclude: &[&str]) -> PyResult<PackedAttributes> {
        let (py, extras) = (doc.py(), &doc.get().python_attributes);
        let wanted = |name: &str| {
            let found = extras.get(py, name)?;
            PyResult::Ok(found.filter(|_| !exclude.contains(&name)))
        };
        let mut packed = PackedAttributes::default();
        if let Some(sentiment) = wanted("sentiment")? {
            packed.sentiment = sentiment.extract()?;
        }
        // A native tensor is written with the document.
        if doc.get().native_tensor(py)?.is_none() && !exclude.contains(&"tensor") {
            let tensor = doc.get().tensor_if_set(py)?;
            packed.tensor = tensor.map(|tensor| packb(&tensor)).transpose()?;
        }
        packed.cats = wanted("cats")?.map(|cats| packb(&cats)).transpose()?;
        if let Some(spans) = wanted("spans")? {
            let spans = spans.call_method0("to_bytes")?;
            packed.spans = Some(bytes_of(&spans)?.to_vec());
        }
        let user_data =
            if exclude.contains(&"user_data") { None } else { doc.get().user_data_if_any(py)? };
        if let Some(user_data) = user_data.filter(|data| !is_empty(data)) {
            let tuple = py.get_type::<PyTuple>();
            // Another thread may add items between `keys` and `values`, hence the copy.
            let user_data = user_data.call_method0("copy")?;
            let keys = tuple.call1((user_data.call_method0("keys")?,))?;
            let values = tuple.call1((user_data.call_method0("values")?,))?;
            packed.user_data = Some((packb(&keys)?, packb(&values)?));
        }
        Ok(packed)
    }

    fn extras(&self) -> doc_bytes::Extras<'_> {
        doc_bytes::Extras {
            sentiment: self.sentiment,
            tensor: self.tensor.as_deref(),
            cats: self.cats.as_deref(),
            spans: self.spans.as_deref(),
            user_data_keys: self.user_data.as_ref().map(|data| &*data.0),
            user_data_values: self.user_data.as_ref().map(|data| &*data.1),
        }
    }
}

fn is_empty(container: &Bound<'_, PyAny>) -> bool {
    container.len().is_ok_and(|len| len == 0)
}

/// The names of parts in a container.
fn names(exclude: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<&'static str>> {
    let Some(exclude) = exclude.filter(|exclude| !exclude.is_none()) else {
        return Ok(Vec::new());
    };
    let mut names = Vec::new();
    for name in doc_bytes::PARTS.into_iter().chain(["user_data", "user_hooks"]) {
        if exclude.contains(name)? {
            names.push(name);
        }
    }
    Ok(names)
}

impl PyDoc {
    /// The bytes of the document.
    fn packed(slf: &Bound<'_, PyDoc>, exclude: &[&str], form: Serializer) -> PyResult<Vec<u8>> {
        let (py, this) = (slf.py(), slf.get());
        if !exclude.contains(&"user_hooks") {
            for hooks in ["user_hooks", "user_token_hooks", "user_span_hooks"] {
                if this.python_attributes.get(py, hooks)?.is_some_and(|hooks| !is_empty(&hooks)) {
                    let text = c"[W109] hooks are functions and are not saved with the Doc; add \
                        \"user_hooks\" to `exclude` to silence this warning";
                    PyErr::warn(py, &py.get_type::<PyUserWarning>(), text, 1)?;
                    break;
                }
            }
        }
        let packed = PackedAttributes::of(slf, exclude)?;
        let doc = this.read(py)?;
        form(&doc, &packed.extras(), exclude).or_raise()
    }

    /// Fills an empty document from bytes. On an error it stays empty.
    fn load(slf: &Bound<'_, PyDoc>, bytes: &[u8], exclude: &[&str]) -> PyResult<()> {
        let (py, this) = (slf.py(), slf.get());
        this.check_empty(py)?;
        let vocab = this.py_vocab().get().vocab();
        let (doc, carried) = doc_bytes::from_bytes(&vocab.snapshot(), bytes, exclude).or_raise()?;
        let is_wanted = |name: &str| !exclude.contains(&name);
        // Everything that can fail comes first.
        let tensor = carried.tensor.filter(|_| is_wanted("tensor"));
        let is_native = doc.tensor().is_some();
        let tensor = tensor.filter(|tensor| *tensor != doc_bytes::NO_TENSOR && !is_native);
        let tensor = tensor.map(|tensor| unpackb(py, tensor, true)).transpose()?;
        let cats = carried.cats.filter(|_| is_wanted("cats"));
        let cats = cats.map(|cats| unpackb(py, cats, true)).transpose()?;
        expect("tensor", "an array", tensor.as_ref(), |tensor| {
            // Without NumPy, an array is still the map that stands for it.
            let is_map = tensor.is_instance_of::<PyDict>() && py.import("numpy").is_err();
            Ok(is_map || tensor.hasattr("size")?)
        })?;
        expect("cats", "a dict", cats.as_ref(), |cats| Ok(cats.is_instance_of::<PyDict>()))?;
        let user_data = match (carried.user_data_keys, carried.user_data_values) {
            (Some(keys), Some(values)) if is_wanted("user_data") => {
                Some(user_data(py, keys, values)?)
            }
            _ => None,
        };
        this.replace(py, doc)?;
        let groups = carried.spans.filter(|spans| *spans != span_group::NO_GROUPS);
        if groups.is_some() || this.python_attributes.get(py, "spans")?.is_some() {
            let groups = PyBytes::new(py, groups.unwrap_or(span_group::NO_GROUPS));
            let loaded = slf.getattr("spans")?.call_method1("from_bytes", (groups,));
            if let Err(error) = loaded {
                this.replace(py, Doc::empty(vocab))?;
                return Err(error);
            }
        }
        if let Some(tensor) = tensor {
            this.put_tensor(&tensor)?;
        }
        if let Some(cats) = cats {
            if !is_empty(&cats) || this.python_attributes.get(py, "cats")?.is_some() {
                this.python_attributes.set(py, "cats", &cats)?;
            }
        }
        if is_wanted("sentiment") && carried.sentiment != 0.0 {
            let sentiment = carried.sentiment.into_pyobject(py)?;
            this.python_attributes.set(py, "sentiment", sentiment.as_any())?;
        }
        if let Some(user_data) = user_data {
            slf.getattr("user_data")?.call_method1("update", (user_data,))?;
        }
        Ok(())
    }

    /// Replaces this document, which has no tokens, by another one of the same vocab.
    fn replace(&self, py: Python<'_>, doc: Doc) -> PyResult<()> {
        self.write(py)?.replace_with(doc);
        Ok(())
    }

    pub(crate) fn check_empty(&self, py: Python<'_>) -> PyResult<()> {
        match self.read(py)?.len() {
            0 => Ok(()),
            len => Err(PyValueError::new_err(format!(
                "[E033] cannot load into a Doc of {len} tokens; create a new one: Doc(vocab)"
            ))),
        }
    }
}

/// Checks what the bytes of a document have as one of its attributes; None is taken.
fn expect<'py>(
    name: &str,
    kind: &str,
    value: Option<&Bound<'py, PyAny>>,
    is_right: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<bool>,
) -> PyResult<()> {
    match value.filter(|value| !value.is_none()) {
        Some(value) if !is_right(value)? => {
            let class = value.get_type();
            let text = format!("[doc-bytes] {name} is a {}; expected {kind}", class.name()?);
            Err(PyValueError::new_err(text))
        }
        _ => Ok(()),
    }
}

fn user_data<'py>(py: Python<'py>, keys: &[u8], values: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let keys = unpackb(py, keys, false)?;
    let values = unpackb(py, values, true)?;
    let dict = PyDict::new(py);
    let (Ok(keys), Ok(values)) = (keys.cast::<PyTuple>(), values.cast::<PyList>()) else {
        return Err(PyValueError::new_err("[doc-bytes] user data are no lists of keys and values"));
    };
    if keys.len() != values.len() {
        let (keys, values) = (keys.len(), values.len());
        let text = format!("[doc-bytes] user data has {keys} keys and {values} values");
        return Err(PyValueError::new_err(text));
    }
    for (key, value) in items::iterate(keys)?.zip(items::iterate(values)?) {
        let key = key?;
        if key.hash().is_err() {
            let text =
                format!("[doc-bytes] a key of the user data is a {}", key.get_type().name()?);
            return Err(PyValueError::new_err(text));
        }
        dict.set_item(key, value?)?;
    }
    Ok(dict)
}

fn path<'py>(path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    path.py().import("pathlib")?.getattr("Path")?.call1((path,))
}

#[pymethods]
impl PyDoc {
    /// Returns the text, the annotation and the Python attributes as bytes that spaCy can read.
    ///
    /// exclude (Container[str]): parts to leave out: "tensor", "cats", "sentiment", "strings",
    ///     "has_unknown_spaces", "user_data", "user_data_keys", "user_data_values"; "user_hooks"
    ///     silences the warning W109 that hooks are not saved.
    ///
    /// Raises KeyError (E018) for annotation whose id has no string, and TypeError for user data or
    /// categories that msgpack cannot represent.
    #[pyo3(signature = (*, exclude=None))]
    // stub: (exclude: Container[str] | None)
    fn to_bytes<'py>(
        slf: &Bound<'py, PyDoc>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        crate::runtime::array::bytes(
            slf.py(),
            &PyDoc::packed(slf, &names(exclude)?, doc_bytes::to_bytes)?,
        )
    }

    /// Loads the result of `to_bytes` into an empty Doc, and returns it. All values are validated,
    /// and the checksum, if there is one; strings are added to the vocab.
    ///
    /// exclude (Container[str]): parts to leave out: "tensor", "cats", "sentiment", "strings",
    ///     "has_unknown_spaces", "user_data".
    ///
    /// Raises ValueError: E033 for a Doc with tokens; doc-bytes, checksum and others for truncated,
    /// changed or other bytes. The Doc is then unchanged.
    #[pyo3(signature = (bytes_data, *, exclude=None))]
    // stub: (exclude: Container[str] | None) -> Self
    fn from_bytes<'py>(
        slf: &Bound<'py, PyDoc>,
        bytes_data: &[u8],
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDoc>> {
        PyDoc::load(slf, bytes_data, &names(exclude)?)?;
        Ok(slf.clone())
    }

    /// Returns the parts of `to_bytes` as a dict: texts, numbers, lists, arrays, and bytes for span
    /// groups and user data.
    #[pyo3(signature = (*, exclude=None))]
    // stub: (exclude: Container[str] | None) -> dict[str, Any]
    fn to_dict<'py>(
        slf: &Bound<'py, PyDoc>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let bytes = PyDoc::packed(slf, &names(exclude)?, doc_bytes::to_bytes)?;
        let parts = unpackb(slf.py(), &bytes, true)?;
        parts.call_method1("pop", (doc_bytes::CHECKSUM, slf.py().None()))?;
        if parts.contains("array_head")? {
            // A tuple, since it is a shared constant.
            let attrs = parts.get_item("array_head")?.cast_into::<PyList>()?.to_tuple();
            parts.set_item("array_head", attrs)?;
        }
        Ok(parts)
    }

    /// Loads the result of `to_dict` into an empty Doc, and returns it; as `from_bytes`.
    #[pyo3(signature = (msg, *, exclude=None))]
    // stub: (msg: Mapping[str, Any], exclude: Container[str] | None) -> Self
    fn from_dict<'py>(
        slf: &Bound<'py, PyDoc>,
        msg: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDoc>> {
        slf.get().check_empty(slf.py())?;
        PyDoc::load(slf, &packb(msg)?, &names(exclude)?)?;
        Ok(slf.clone())
    }

    /// Writes the result of `to_bytes` to a file.
    #[pyo3(signature = (path, *, exclude=None))]
    // stub: (path: str | PathLike[str], exclude: Container[str] | None)
    fn to_disk<'py>(
        slf: &Bound<'py, PyDoc>,
        path: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let bytes = PyDoc::to_bytes(slf, exclude)?;
        atomic_file::write_object(path, bytes.as_any())
    }

    /// Loads a file of `to_disk` into an empty Doc, and returns it; as `from_bytes`.
    #[pyo3(signature = (path, *, exclude=None))]
    // stub: (path: str | PathLike[str], exclude: Container[str] | None) -> Self
    fn from_disk<'py>(
        slf: &Bound<'py, PyDoc>,
        path: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDoc>> {
        let bytes = self::path(path)?.call_method0("read_bytes")?;
        PyDoc::load(slf, bytes.cast::<PyBytes>()?.as_bytes(), &names(exclude)?)?;
        Ok(slf.clone())
    }

    /// Returns the Doc as a dict of types that JSON has, with character offsets.
    ///
    /// underscore (list[str]): extension attributes to include.
    ///
    /// Raises ValueError: E106 for an unknown extension, E107 for a value that JSON cannot
    /// represent.
    #[pyo3(signature = (underscore=None))]
    // stub: (underscore: Iterable[str] | None) -> dict[str, Any]
    fn to_json<'py>(
        slf: &Bound<'py, PyDoc>,
        underscore: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        python_side::DOC_TO_JSON.call(slf.py(), (slf, underscore))
    }

    /// Loads the result of `to_json` into an empty Doc, and returns it. Unknown extensions are
    /// declared.
    ///
    /// validate (bool): validate the structure first.
    ///
    /// Raises ValueError: E033 for a Doc with tokens, E1038 for another structure, E1039 for
    /// offsets that are not token boundaries, E1040 for annotation that some tokens lack, E1017 for
    /// heads without deps, E1021 for an unknown part of speech.
    #[pyo3(signature = (doc_json, *, validate=false))]
    // stub: (doc_json: Mapping[str, Any]) -> Self
    fn from_json<'py>(
        slf: &Bound<'py, PyDoc>,
        doc_json: &Bound<'py, PyAny>,
        validate: bool,
    ) -> PyResult<Bound<'py, PyDoc>> {
        slf.get().check_empty(slf.py())?;
        python_side::DOC_FROM_JSON.call(slf.py(), (slf, doc_json, validate))?;
        Ok(slf.clone())
    }

    /// Copies the tokens of another Doc of the same vocab.
    fn _take(&self, py: Python<'_>, other: &Bound<'_, PyDoc>) -> PyResult<()> {
        self.check_empty(py)?;
        let taken = other.get().read(py)?.try_clone().or_raise()?;
        self.replace(py, taken)
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let exclude = ["user_data", "user_hooks"];
        let mut bytes = PyDoc::packed(slf, &exclude, doc_bytes::to_short_bytes)?;
        if bytes.len() > COMPRESSED_FROM {
            bytes = zlib::compress(&bytes);
        }
        python_side::DOC_REDUCED.call(py, (slf, crate::runtime::array::bytes(py, &bytes)?))
    }

    /// Loads the bytes of a pickle.
    fn _unpickle(slf: &Bound<'_, PyDoc>, bytes: &[u8]) -> PyResult<()> {
        // A message that is a map never begins like a zlib stream. A pickle can run any code, so a
        // size limit would protect nobody.
        let most = InflateLimit::new(usize::MAX);
        if bytes.first() == Some(&ZLIB) {
            return PyDoc::load(slf, &zlib::decompress(bytes, most).or_raise()?, &[]);
        }
        PyDoc::load(slf, bytes, &[])
    }
}
