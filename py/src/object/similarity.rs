//! Vectors and similarity of documents, spans and tokens.

use lexpool::structs::AttrId;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyAnyMethods;

use crate::object::attribute_slots::HasAttrs;
use crate::object::cosine;
use crate::object::doc::PyDoc;
use crate::object::doc::annotation::warn;
use crate::object::lexeme::PyLexeme;
use crate::object::span::PySpan;
use crate::object::token::PyToken;
use crate::object::vocab::{PyVocab, attr_of};
use crate::runtime::array::array_with;
use crate::runtime::items;
use crate::runtime::user_calls::CallUser;

/// A class of compared objects, with the name of its table of hooks.
struct ComparedClass {
    name: &'static str,
    hooks: &'static str,
}

const DOC: ComparedClass = ComparedClass { name: "Doc", hooks: "user_hooks" };
const SPAN: ComparedClass = ComparedClass { name: "Span", hooks: "user_span_hooks" };
const TOKEN: ComparedClass = ComparedClass { name: "Token", hooks: "user_token_hooks" };

#[pymethods]
impl PyDoc {
    /// True if a word has a vector, or if there is a tensor.
    #[getter]
    fn has_vector(slf: &Bound<'_, PyDoc>) -> PyResult<bool> {
        match slf.get().hook(slf.py(), DOC.hooks, "has_vector")? {
            Some(hook) => hook.call_user((slf,))?.is_truthy(),
            None => any_has_vector(slf, slf.as_any()),
        }
    }

    /// The mean of the words' vectors, or without vectors of the tensor's rows: a float32 array.
    #[getter]
    // stub: -> Any
    fn vector<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if let Some(hook) = this.hook(py, DOC.hooks, "vector")? {
            return hook.call_user((slf,));
        }
        if let Some(known) =
            this.python_attributes.get(py, "_vector")?.filter(|known| !known.is_none())
        {
            return Ok(known);
        }
        let (vector, lasts) = mean_vector(slf, slf.as_any(), 0..slf.len()?)?;
        if lasts {
            this.python_attributes.set(py, "_vector", &vector)?;
        }
        Ok(vector)
    }

    #[setter]
    // stub: (value: Any)
    fn set_vector(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.python_attributes.set(py, "_vector", value)
    }

    /// The Euclidean length of the vector.
    #[getter]
    // stub: -> Any
    fn vector_norm<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if let Some(hook) = this.hook(py, DOC.hooks, "vector_norm")? {
            return hook.call_user((slf,));
        }
        if let Some(known) =
            this.python_attributes.get(py, "_vector_norm")?.filter(|known| !known.is_none())
        {
            return Ok(known);
        }
        let norm = cosine::norm(&PyDoc::vector(slf)?)?;
        this.python_attributes.set(py, "_vector_norm", &norm)?;
        Ok(norm)
    }

    #[setter]
    // stub: (value: Any)
    fn set_vector_norm(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.python_attributes.set(py, "_vector_norm", value)
    }

    /// Returns the similarity to a Doc, Span, Token or Lexeme: the cosine of the two vectors, or
    /// 1.0 for the same words.
    ///
    /// Warns W007 if the vocab has no vectors, W008 (and returns 0.0) if one of the two has none.
    // stub: (other: Any) -> float
    fn similarity<'py>(
        slf: &Bound<'py, PyDoc>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        compare(&DOC, slf, slf.as_any(), other)
    }
}

#[pymethods]
impl PySpan {
    /// True if a word has a vector, or if there is a tensor.
    #[getter]
    fn has_vector(slf: &Bound<'_, PySpan>) -> PyResult<bool> {
        let py = slf.py();
        let owner = slf.get().owner(py);
        match owner.get().hook(py, SPAN.hooks, "has_vector")? {
            Some(hook) => hook.call_user((slf,))?.is_truthy(),
            None => any_has_vector(owner, slf.as_any()),
        }
    }

    /// The mean of the words' vectors, or without vectors of the tensor's rows: a float32 array.
    #[getter]
    // stub: -> Any
    fn vector<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let owner = this.owner(py);
        if let Some(hook) = owner.get().hook(py, SPAN.hooks, "vector")? {
            return hook.call_user((slf,));
        }
        if let Some(known) = this.remembered().vector.as_ref().map(|known| known.clone_ref(py)) {
            return Ok(known.into_bound(py));
        }
        let range = this.read(py)?.1;
        let (vector, lasts) = mean_vector(owner, slf.as_any(), range)?;
        if lasts {
            this.remember(|own| &mut own.vector, Some(vector.clone().unbind()));
        }
        Ok(vector)
    }

    #[getter]
    // stub: -> Any
    fn _vector(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.remembered().vector.as_ref().map(|known| known.clone_ref(py))
    }

    #[setter(_vector)]
    // stub: (value: Any)
    fn assign_vector(&self, vector: Option<Py<PyAny>>) {
        self.remember(|own| &mut own.vector, vector);
    }

    /// The Euclidean length of the vector.
    #[getter]
    // stub: -> Any
    fn vector_norm<'py>(slf: &Bound<'py, PySpan>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if let Some(hook) = this.owner(py).get().hook(py, SPAN.hooks, "vector_norm")? {
            return hook.call_user((slf,));
        }
        if let Some(known) = this.remembered().norm.as_ref().map(|known| known.clone_ref(py)) {
            return Ok(known.into_bound(py));
        }
        let norm = cosine::norm(&PySpan::vector(slf)?)?;
        this.remember(|own| &mut own.norm, Some(norm.clone().unbind()));
        Ok(norm)
    }

    #[getter]
    // stub: -> Any
    fn _vector_norm(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.remembered().norm.as_ref().map(|known| known.clone_ref(py))
    }

    #[setter(_vector_norm)]
    // stub: (value: Any)
    fn assign_vector_norm(&self, norm: Option<Py<PyAny>>) {
        self.remember(|own| &mut own.norm, norm);
    }

    /// Returns the similarity to a Doc, Span, Token or Lexeme; see Doc.similarity.
    // stub: (other: Any) -> float
    fn similarity<'py>(
        slf: &Bound<'py, PySpan>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        compare(&SPAN, slf.get().owner(slf.py()), slf.as_any(), other)
    }
}

#[pymethods]
impl PyToken {
    /// True if the word has a vector; without vectors, True if there is a tensor.
    #[getter]
    fn has_vector(slf: &Bound<'_, PyToken>) -> PyResult<bool> {
        let py = slf.py();
        let owner = slf.get().owner(py);
        if let Some(hook) = owner.get().hook(py, TOKEN.hooks, "has_vector")? {
            return hook.call_user((slf,))?.is_truthy();
        }
        if vectors_size(owner)? == 0 && tensor_size(owner)? != 0 {
            return Ok(true);
        }
        slf.getattr("lex")?.getattr("has_vector")?.is_truthy()
    }

    /// The word's vector, or without vectors its row of the tensor: a float32 array.
    #[getter]
    // stub: -> Any
    fn vector<'py>(slf: &Bound<'py, PyToken>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let owner = slf.get().owner(py);
        if let Some(hook) = owner.get().hook(py, TOKEN.hooks, "vector")? {
            return hook.call_user((slf,));
        }
        if vectors_size(owner)? == 0 && tensor_size(owner)? != 0 {
            return slf.getattr("tensor");
        }
        let orth = slf.get().attr(py, AttrId::ORTH)?;
        owner.get().py_vocab().bind(py).call_method1("get_vector", (orth,))
    }

    /// The Euclidean length of the vector.
    #[getter]
    // stub: -> Any
    fn vector_norm<'py>(slf: &Bound<'py, PyToken>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        match slf.get().owner(py).get().hook(py, TOKEN.hooks, "vector_norm")? {
            Some(hook) => hook.call_user((slf,)),
            None => cosine::norm(&PyToken::vector(slf)?),
        }
    }

    /// Returns the similarity to a Doc, Span, Token or Lexeme; see Doc.similarity.
    // stub: (other: Any) -> float
    fn similarity<'py>(
        slf: &Bound<'py, PyToken>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        compare(&TOKEN, slf.get().owner(slf.py()), slf.as_any(), other)
    }
}

/// Compares by the user's hook, by words, then by vectors.
fn compare<'py>(
    kind: &ComparedClass,
    owner: &Bound<'py, PyDoc>,
    this: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    if let Some(hook) = owner.get().hook(py, kind.hooks, "similarity")? {
        return hook.call_user((this, other));
    }
    let vectors = owner.get().py_vocab().bind(py).getattr("vectors")?;
    let attr = match vectors.getattr_opt("attr")? {
        Some(attr) => attr_of(&attr)?,
        None => AttrId::ORTH,
    };
    let float = |value: f64| Ok(value.into_pyobject(py)?.into_any());
    let words = words_of(this, attr)?;
    if words.is_some() && words == words_of(other, attr)? {
        return float(1.0);
    }
    if let Some(keys) = vectors.getattr_opt("n_keys")? {
        if keys.eq(0)? {
            let text = format!(
                "[W007] {}.similarity needs word vectors, and the vocab has none",
                kind.name
            );
            warn::<PyUserWarning>(py, &text)?;
        }
    }
    let norm = |of: &Bound<'py, PyAny>| of.getattr("vector_norm")?.extract::<f64>();
    let (own, others) = (norm(this)?, norm(other)?);
    if own == 0.0 || others == 0.0 {
        let has = |of: &Bound<'py, PyAny>| of.getattr("has_vector")?.is_truthy();
        if !has(this)? || !has(other)? {
            let text = format!(
                "[W008] {}.similarity is 0, because one of the two has no vector",
                kind.name
            );
            warn::<PyUserWarning>(py, &text)?;
        }
        return float(0.0);
    }
    let (a, b) = (this.getattr("vector")?, other.getattr("vector")?);
    float(cosine::cosine((&a, own), (&b, others))?)
}

/// The words of an object, by an attribute; `None` for an object without words.
fn words_of(of: &Bound<'_, PyAny>, attr: AttrId) -> PyResult<Option<Vec<u64>>> {
    let py = of.py();
    Ok(if let Ok(doc) = of.cast::<PyDoc>() {
        Some(doc.get().read(py)?.attrs().column(attr))
    } else if let Ok(span) = of.cast::<PySpan>() {
        Some(span.get().with(py, |span| span.iter().map(|token| token.attr(attr)).collect())?)
    } else if let Ok(token) = of.cast::<PyToken>() {
        Some(vec![token.get().attr(py, attr)?])
    } else if let Ok(lexeme) = of.cast::<PyLexeme>() {
        Some(vec![lexeme.get().attr(py, attr)?])
    } else {
        None
    })
}

/// The mean vector of a range of tokens, and true if it may be cached.
fn mean_vector<'py>(
    owner: &Bound<'py, PyDoc>,
    tokens: &Bound<'py, PyAny>,
    range: std::ops::Range<usize>,
) -> PyResult<(Bound<'py, PyAny>, bool)> {
    let py = owner.py();
    let vocab = owner.get().py_vocab();
    if range.is_empty() {
        return Ok((zeros(vocab.bind(py))?, true));
    }
    if vectors_size(owner)? > 0 {
        let n = range.len();
        let mut sum: Option<Bound<'py, PyAny>> = None;
        for token in items::iterate(tokens)? {
            let vector = token?.getattr("vector")?;
            sum = Some(match sum {
                Some(sum) => sum.call_method1("__add__", (vector,))?,
                None => vector,
            });
        }
        let sum = sum.expect("the range is not empty");
        return Ok((sum.call_method1("__truediv__", (n,))?, true));
    }
    if tensor_size(owner)? > 0 {
        return Ok((PyDoc::tensor_mean(tokens)?, true));
    }
    Ok((zeros(vocab.bind(py))?, false))
}

fn any_has_vector(owner: &Bound<'_, PyDoc>, tokens: &Bound<'_, PyAny>) -> PyResult<bool> {
    if vectors_size(owner)? == 0 {
        return Ok(tensor_size(owner)? != 0);
    }
    for token in items::iterate(tokens)? {
        if token?.getattr("has_vector")?.is_truthy()? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn vectors_size(owner: &Bound<'_, PyDoc>) -> PyResult<usize> {
    let vectors = owner.get().py_vocab().bind(owner.py()).getattr("vectors")?;
    vectors.getattr("size")?.extract()
}

fn tensor_size(owner: &Bound<'_, PyDoc>) -> PyResult<usize> {
    owner.get().tensor_size(owner.py())
}

fn zeros<'py>(vocab: &Bound<'py, PyVocab>) -> PyResult<Bound<'py, PyAny>> {
    let width = usize::try_from(vocab.get().width(vocab.py())?).unwrap_or(0);
    array_with(vocab.py(), &[width], |_, _: &mut [f32]| ())
}
