//! Vocab images: vocabs in a memory-mapped file, opened, saved and frozen.

use std::path::PathBuf;

use lexpool::vocab::image::VocabImageBuilder;
use lexpool::vocab::{OpenOptions, Verify, Vocab};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::PyVocab;
use crate::object::vectors::PyVectorTable;
use crate::runtime::error::OrRaise;
use crate::runtime::gil;
use crate::runtime::items::Items;
use crate::runtime::python_side;

#[pymethods]
impl PyVocab {
    /// Opens a file written by `save`. The file is mapped and not read: opening takes the same
    /// short time for any number of words, and processes that open one file share its memory.
    ///
    /// New words and strings, and attributes that are set, stay in this vocab; the file is never
    /// written to. It must not be changed or truncated while it is mapped: write a new file and
    /// rename it, as `save` does.
    ///
    /// path (str | PathLike): the file.
    /// verify (str): "header" validates header and bounds, "full" all checksums and everything
    ///     else.
    /// mmap (bool): map the file, or read it into memory.
    /// lex_attr_getters (dict | None): getters for new words in addition to those of the file,
    ///     which has lexpool's own and no functions. If one is missing that the file names, the
    ///     first new word raises RuntimeError (getters-missing).
    ///
    /// Raises ValueError (container-kind, container-checksum, image-section, ...) with the offset
    /// for an invalid file, OSError for an unreadable one.
    #[classmethod]
    #[pyo3(signature = (path, *, verify="header", mmap=true, lex_attr_getters=None))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
    // stub: (lex_attr_getters: Mapping[Any, _Getter] | None)
    fn open<'py>(
        cls: &Bound<'py, PyType>,
        path: PathBuf,
        verify: &str,
        mmap: bool,
        lex_attr_getters: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyVocab>> {
        let py = cls.py();
        let options = OpenOptions::new().verify(verify_of(verify)?).mmap(mmap);
        let vocab = gil::detached(py, || Vocab::open(&path, &options)).or_raise()?;
        let vocab = Bound::new(py, PyVocab::new(vocab))?;
        if let Some(getters) = lex_attr_getters {
            PyVocab::lex_attr_getters(&vocab)?.call_method1("update", (getters,))?;
        }
        Ok(vocab)
    }

    /// Writes words, strings, vectors and settings to a file for `open`. The file is written
    /// atomically: a temporary file is renamed when it is complete.
    ///
    /// path (str | PathLike): the file, which may be the one that this vocab was opened from.
    ///
    /// Words of an open memory zone and lookups are left out. Getters that are functions are named,
    /// but not written.
    ///
    /// Raises ValueError (E849) for vectors of another class than `Vectors`, TypeError for settings
    /// (`cfg`, `writing_system`) that JSON cannot represent, OSError if the file cannot be written.
    fn save(slf: &Bound<'_, PyVocab>, path: PathBuf) -> PyResult<()> {
        let py = slf.py();
        let vectors = slf.get().vectors_if_any(py);
        python_side::VOCAB_SAVE.call(slf.py(), (slf, path, vectors)).map(drop)
    }

    /// Writes an image with these settings, as JSON, and this table of vectors.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
    fn _save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        settings: Items<(String, String)>,
        vectors: Option<&Bound<'_, PyVectorTable>>,
    ) -> PyResult<()> {
        let vocab = &self.vocab;
        let mut builder = gil::detached(py, || VocabImageBuilder::of(vocab)).or_raise()?;
        for (name, json) in settings {
            builder = builder.with_setting_json(&name, &json).or_raise()?;
        }
        if let Some(vectors) = vectors {
            builder = builder.with_vectors(&vectors.get().read()).or_raise()?;
        }
        gil::detached(py, || Vocab::save_image(builder, &path)).or_raise()
    }

    /// Refuses new words and new strings from now on, except in a memory zone.
    ///
    /// An operation that needs one, such as tokenizing a text with a new word, raises RuntimeError
    /// (vocab-frozen) with its name. Attributes of words can still be set. A vocab cannot be
    /// unfrozen.
    fn freeze(&self) {
        self.vocab.freeze();
    }

    /// True if new words are refused.
    #[getter]
    fn is_frozen(&self) -> bool {
        self.vocab.is_frozen()
    }
}

impl PyVocab {
    /// A setting of the file that the vocab was opened from; `None` for other vocabs.
    pub(super) fn setting<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(image) = self.vocab.mapped() else { return Ok(None) };
        let meta = image.meta().or_raise()?;
        let Some(json) = meta.settings.get(name).map(ToString::to_string) else { return Ok(None) };
        py.import("json")?.call_method1("loads", (json,)).map(Some)
    }

    /// The vectors of the file that the vocab was opened from.
    pub(super) fn vectors_of_image<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(image) = self.vocab.mapped() else { return Ok(None) };
        let Some(vectors) = image.vectors().or_raise()? else { return Ok(None) };
        let table = Bound::new(py, PyVectorTable::of(vectors))?;
        let named = PyDict::new(py);
        named.set_item("strings", self.py_strings(py)?)?;
        named.set_item("name", self.setting(py, "vectors_name")?)?;
        let class = python_side::VECTORS.get(py)?;
        class.call_method("_over", (table,), Some(&named)).map(Some)
    }
}

fn verify_of(verify: &str) -> PyResult<Verify> {
    match verify {
        "header" => Ok(Verify::Header),
        "full" => Ok(Verify::Full),
        _ => {
            let text = format!("verify is {verify:?}: expected 'header' or 'full'");
            Err(PyValueError::new_err(text))
        }
    }
}
