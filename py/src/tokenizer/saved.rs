//! The bytes and files of a tokenizer.

use std::sync::Arc;

use lexpool::codes;
use lexpool::msgpack::Value;
use lexpool::tokenizer::{RuleName, RuleSet, Tokenizer};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::PyTokenizer;
use super::state::TokenizerState;
use crate::runtime::atomic_file;
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;
use crate::runtime::python_side;

impl PyTokenizer {
    /// Takes rules from bytes, without Python objects for them; returns whether it did. The bytes
    /// may be damaged or old, or have patterns that `re` alone can run: the functions in Python
    /// read those, and raise the errors.
    pub(super) fn read_rules(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<bool> {
        let present = self.state()?;
        let vocab = present.vocab.get().vocab();
        let Ok(parts) = Value::from_bytes(bytes) else { return Ok(false) };
        // Without it the present setting is kept.
        if parts.get("faster_heuristics").is_none() {
            return Ok(false);
        }
        let Ok(rules) = RuleSet::from_parts(&parts, vocab.strings()) else { return Ok(false) };
        let new_tokenizer = Tokenizer::new(vocab, &rules, present.tokenizer.max_cached_chunks());
        let is_left_to_python =
            |code: &str| [codes::RULE_SYNTAX, codes::E997].iter().any(|left| left.as_str() == code);
        let tokenizer = match new_tokenizer {
            Err(error) if is_left_to_python(error.code()) => return Ok(false),
            // The errors of lexical attribute getters, which are users' functions, are raised too.
            new_tokenizer => Arc::new(new_tokenizer.or_raise()?),
        };
        self.put(Arc::new(TokenizerState::of_rules(present.vocab.clone_ref(py), tokenizer)));
        Ok(true)
    }
}

#[pymethods]
impl PyTokenizer {
    /// Returns the vocab, the rules and the settings as bytes, in spaCy's format.
    ///
    /// exclude: names of parts to leave out, such as "vocab".
    ///
    /// Raises AttributeError for a rule other than a method of an expression.
    #[pyo3(signature = (*, exclude=None))]
    // stub: (exclude: Container[str] | None) -> bytes
    fn to_bytes<'py>(
        slf: &Bound<'py, PyTokenizer>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let exclude = exclude.unwrap_or_else(|| PyTuple::empty(slf.py()).into_any());
        python_side::TOKENIZER_TO_BYTES.call(slf.py(), (slf, exclude))
    }

    /// Loads the result of `to_bytes`, and return this tokenizer. Missing rules are unset.
    ///
    /// exclude: names of parts to ignore.
    ///
    /// Raises ValueError for other bytes; then the rules are unchanged.
    #[pyo3(signature = (bytes_data, *, exclude=None))]
    // stub: (bytes_data: bytes, exclude: Container[str] | None) -> Self
    fn from_bytes<'py>(
        slf: Bound<'py, PyTokenizer>,
        bytes_data: &Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTokenizer>> {
        let exclude = exclude.unwrap_or_else(|| PyTuple::empty(slf.py()).into_any());
        let is_of_pipeline =
            exclude.extract::<Items<String>>().is_ok_and(|names| *names == ["vocab"]);
        let has_rules = slf.get().state()?.tokenizer.segmenter().is_none();
        if let (true, Ok(data)) = (is_of_pipeline && has_rules, bytes_data.cast_exact::<PyBytes>())
        {
            if slf.get().read_rules(slf.py(), data.as_bytes())? {
                return Ok(slf);
            }
        }
        python_side::TOKENIZER_FROM_BYTES.call(slf.py(), (&slf, bytes_data, exclude))?;
        Ok(slf)
    }

    /// Writes the result of `to_bytes` to a file.
    #[pyo3(signature = (path, *, exclude=None))]
    // stub: (path: str | PathLike[str], exclude: Container[str] | None)
    fn to_disk<'py>(
        slf: &Bound<'py, PyTokenizer>,
        path: &Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        if slf.get().segmenter()?.is_some() {
            python_side::SEGMENTER_TO_DISK.call(slf.py(), (slf, path))?;
            return Ok(());
        }
        let bytes = PyTokenizer::to_bytes(slf, exclude)?;
        atomic_file::write_object(path, &bytes)
    }

    /// Loads a file of `to_disk`, and return this tokenizer.
    #[pyo3(signature = (path, *, exclude=None))]
    // stub: (path: str | PathLike[str], exclude: Container[str] | None) -> Self
    fn from_disk<'py>(
        slf: Bound<'py, PyTokenizer>,
        path: &Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTokenizer>> {
        if slf.get().segmenter()?.is_some() {
            python_side::SEGMENTER_FROM_DISK.call(slf.py(), (&slf, path))?;
            return Ok(slf);
        }
        let path = slf.py().import("pathlib")?.getattr("Path")?.call1((path,))?;
        let bytes = path.call_method0("read_bytes")?;
        PyTokenizer::from_bytes(slf, &bytes, exclude)
    }

    // stub: -> tuple[Callable[..., Any], tuple[Any, ...]]
    fn __reduce__<'py>(
        slf: &Bound<'py, PyTokenizer>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        if let Some(name) = own.segmenter()? {
            let (data, mode, max) =
                (own.segmenter_data(py)?, own.split_mode()?, own.max_cache_size()?);
            let args = (own.vocab(py)?, name, data, mode, max).into_pyobject(py)?;
            return Ok((slf.get_type().getattr("with_segmenter")?, args));
        }
        let mut args = vec![own.vocab(py)?.into_any(), own.rules(py)?.into_any().unbind()];
        for name in RuleName::ALL {
            args.push(own.callable(py, name)?.unwrap_or_else(|| py.None()));
        }
        args.push(own.faster_heuristics()?.into_py_any(py)?);
        args.push(own.max_cache_size()?.into_py_any(py)?);
        Ok((slf.get_type().into_any(), PyTuple::new(py, args)?))
    }
}
