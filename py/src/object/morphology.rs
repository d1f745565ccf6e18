//! `lexpool.morphology.Morphology` and `lexpool.tokens.MorphAnalysis`.

use std::sync::Arc;

use lexpool::morphology::{Analysis, EMPTY_MORPH, Features, Morphology};
use lexpool::strings::StrId;
use lexpool::structs::{AttrId, Pos};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyNotImplementedError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyType};

use crate::object::strings::{PyStringStore, id_of};
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::{OrRaise, warn};
use crate::runtime::memory_usage::PyMemoryUsage;
use crate::runtime::python_side;

/// The morphological analyses of a vocab, by id.
///
/// An analysis is given as text in the FEATS format of Universal Dependencies
/// ("Case=Nom|Number=Sing") or as a dict of fields and values. Its id is that of the normal form:
/// fields and values sorted, "_" for no features.
#[pyclass(name = "Morphology", module = "lexpool.morphology", frozen, weakref)]
pub(crate) struct PyMorphology {
    morphology: Arc<Morphology>,
    strings: Py<PyStringStore>,
}

class!(PyMorphology);

impl PyMorphology {
    pub(crate) fn new(morphology: &Arc<Morphology>, strings: Py<PyStringStore>) -> PyMorphology {
        PyMorphology { morphology: Arc::clone(morphology), strings }
    }

    /// Converts features from Python; invalid entries are dropped with a warning (W100).
    fn features(&self, features: &Bound<'_, PyAny>) -> PyResult<Features> {
        if let Ok(feats) = features.cast::<PyString>() {
            return Features::parse(feats.to_str()?).or_raise();
        }
        let Ok(attrs) = features.cast::<PyDict>() else {
            warn_unusable(features)?;
            return Ok(Features::new());
        };
        let mut features = Features::new();
        for (field, values) in self.attrs(attrs)? {
            let (field, values) = (self.as_string(&field)?, self.as_string(&values)?);
            features.set(field.to_str()?, values.to_str()?);
        }
        Ok(features)
    }

    /// The entries of a dict in spaCy's normal form: a part of speech as a number, the rest as
    /// strings with sorted values.
    fn attrs<'py>(
        &self,
        attrs: &Bound<'py, PyDict>,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let py = attrs.py();
        let mut out = Vec::with_capacity(attrs.len());
        for (field, values) in attrs {
            if is_pos(&field)? {
                if let Some(pos) = pos_of(&values)? {
                    out.push((AttrId::POS.number().into_pyobject(py)?.into_any(), pos));
                } else {
                    warn_unusable_entry(&field, &values)?;
                }
            } else if is_name(&field) && is_name(&values) {
                let (field, values) = (self.as_string(&field)?, self.as_string(&values)?);
                let mut sorted: Vec<&str> = values.to_str()?.split(',').collect();
                sorted.sort_unstable();
                let values = PyString::new(py, &sorted.join(","));
                out.push((field.into_any(), values.into_any()));
            } else {
                warn_unusable_entry(&field, &values)?;
            }
        }
        Ok(out)
    }

    fn as_string<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        match key.cast::<PyString>() {
            Ok(string) => Ok(string.clone()),
            Err(_) => self.strings.get().string(key.py(), id_of(key)?),
        }
    }
}

#[pymethods]
impl PyMorphology {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.strings)
    }

    /// The separator between features.
    #[classattr]
    const FEATURE_SEP: &'static str = "|";
    /// The separator between a field and its values.
    #[classattr]
    const FIELD_SEP: &'static str = "=";
    /// The separator between values.
    #[classattr]
    const VALUE_SEP: &'static str = ",";
    /// The normal form of an analysis without features.
    #[classattr]
    const EMPTY_MORPH: &'static str = EMPTY_MORPH;

    /// Morphology(strings)
    ///
    /// strings (StringStore): the store for the features.
    #[new]
    fn py_new(strings: Py<PyStringStore>) -> PyMorphology {
        let morphology = Arc::new(Morphology::new(Arc::clone(strings.get().store())));
        PyMorphology { morphology, strings }
    }

    /// The store of the features' strings.
    #[getter]
    fn strings(&self, py: Python<'_>) -> Py<PyStringStore> {
        self.strings.clone_ref(py)
    }

    /// The memory of the table; `mem.size` is in bytes.
    #[getter]
    fn mem(&self) -> PyMemoryUsage {
        PyMemoryUsage::of(self.morphology.stats())
    }

    /// Adds an analysis, if it is new, and returns its id.
    ///
    /// features (str | dict[str | int, str | int]): FEATS, or fields with their values. Any other
    ///     type counts as empty, with a warning (W100).
    ///
    /// Raises ValueError for a feature without exactly one "=".
    // stub: (features: str | Mapping[Any, Any])
    pub(crate) fn add(&self, features: &Bound<'_, PyAny>) -> PyResult<u64> {
        let id = match features.cast::<PyString>() {
            Ok(feats) => self.morphology.add(feats.to_str()?),
            Err(_) => self.morphology.add_features(&self.features(features)?),
        };
        Ok(id.or_raise()?.get())
    }

    /// Returns the normal form of the analysis with an id; empty if the id is unknown.
    // stub: (morph: _Id)
    fn get<'py>(
        &self,
        py: Python<'py>,
        morph: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyString>> {
        let id = StrId::new(id_of(morph)?);
        match self.morphology.get(id) {
            Some(analysis) => self.strings.get().string(py, analysis.key().get()),
            None => Ok(PyString::new(py, "")),
        }
    }

    /// Returns the normal form of features, "_" for no features; nothing is added.
    // stub: (features: str | Mapping[Any, Any])
    fn normalize_features(&self, features: &Bound<'_, PyAny>) -> PyResult<String> {
        let features = self.features(features)?;
        Ok(if features.is_empty() { EMPTY_MORPH.to_owned() } else { features.to_string() })
    }

    /// Returns a dict of features with names for ids and sorted values, but a part of speech as a
    /// number. Entries of other types are dropped with a warning (W100).
    // stub: (attrs: dict[Any, Any]) -> dict[Any, Any]
    fn normalize_attrs<'py>(&self, attrs: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(attrs.py());
        for (field, values) in self.attrs(attrs)? {
            out.set_item(field, values)?;
        }
        Ok(out)
    }

    /// Returns FEATS as a dict of fields with their values, sorted; empty for "" and "_".
    ///
    /// Raises ValueError for a feature without exactly one "=".
    #[staticmethod]
    // stub: -> dict[str, str]
    fn feats_to_dict<'py>(py: Python<'py>, feats: &str) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (field, values) in Features::parse(feats).or_raise()?.iter() {
            dict.set_item(field, Features::values(values))?;
        }
        Ok(dict)
    }

    /// Returns a dict of fields with their values as FEATS, sorted; empty for an empty dict.
    #[staticmethod]
    // stub: (feats_dict: dict[str, str])
    fn dict_to_feats(feats_dict: &Bound<'_, PyDict>) -> PyResult<String> {
        let mut features = Features::new();
        for (field, values) in feats_dict {
            features.set(field.extract()?, values.extract()?);
        }
        Ok(features.to_string())
    }

    fn __len__(&self) -> usize {
        self.morphology.iter().count()
    }

    // stub: -> Iterator[int]
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ids: Vec<u64> = self.morphology.iter().map(|analysis| analysis.key().get()).collect();
        Ok(PyIterator::from_object(PyList::new(py, ids)?.as_any())?.into_any())
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyMorphology>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let analyses = this.morphology.iter();
        let strings = this.strings.get();
        let mut feats: Vec<String> = analyses
            .map(|analysis| strings.string(py, analysis.key().get())?.extract())
            .collect::<PyResult<_>>()?;
        feats.sort_unstable();
        let unpickle = python_side::UNPICKLE_MORPHOLOGY.get(py)?;
        Ok((unpickle, (&this.strings, feats)).into_pyobject(py)?.into_any())
    }
}

/// A morphological analysis: a set of `Field=Value`.
///
/// A view on the vocab's table. The id 0 means "not analysed"; it behaves as the empty analysis,
/// but is not equal to it.
#[pyclass(name = "MorphAnalysis", module = "lexpool.tokens", frozen, weakref)]
pub(crate) struct PyMorphAnalysis {
    vocab: Py<PyVocab>,
    key: StrId,
}

class!(PyMorphAnalysis);

impl PyMorphAnalysis {
    pub(crate) fn new(vocab: Py<PyVocab>, key: StrId) -> PyMorphAnalysis {
        PyMorphAnalysis { vocab, key }
    }

    fn analysis(&self) -> Option<&Analysis> {
        self.vocab.get().vocab().morphology().get(self.key)
    }

    fn feats(&self) -> &str {
        let strings = self.vocab.get().vocab().strings();
        match self.analysis() {
            Some(analysis) if !analysis.features().is_empty() => {
                strings.get_permanent(analysis.key()).expect("an analysis is stored for good")
            }
            _ => "",
        }
    }

    /// The `Field=Value` with an id.
    fn feature(&self, id: StrId) -> &str {
        let strings = self.vocab.get().vocab().strings();
        strings.get_permanent(id).expect("features are stored for good")
    }
}

#[pymethods]
impl PyMorphAnalysis {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)
    }

    /// MorphAnalysis(vocab, features={})
    ///
    /// vocab (Vocab): the vocab that the analysis is added to.
    /// features (str | dict): as for `Morphology.add`.
    #[new]
    #[pyo3(signature = (vocab, features=None))]
    // stub: (features: str | Mapping[Any, Any] | None)
    fn py_new(
        py: Python<'_>,
        vocab: Py<PyVocab>,
        features: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyMorphAnalysis> {
        let key = match features {
            Some(features) => vocab.get().py_morphology(py)?.get().add(features)?,
            None => vocab.get().vocab().morphology().add("").or_raise()?.get(),
        };
        Ok(PyMorphAnalysis::new(vocab, StrId::new(key)))
    }

    /// Returns the analysis with an id; empty if the vocab does not know the id.
    #[classmethod]
    // stub: (key: _Id)
    fn from_id(
        _class: &Bound<'_, PyType>,
        vocab: Py<PyVocab>,
        key: &Bound<'_, PyAny>,
    ) -> PyResult<PyMorphAnalysis> {
        Ok(PyMorphAnalysis::new(vocab, StrId::new(id_of(key)?)))
    }

    /// The vocab.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }

    /// The id of the analysis.
    #[getter]
    fn key(&self) -> u64 {
        self.key.get()
    }

    /// Returns the values of a field, sorted; `default`, or an empty list, if the field is missing.
    #[pyo3(signature = (field, default=None))]
    // stub: (field: str | _Id, default: None = None) -> list[str]
    // stub: (field: str | _Id, default: _T) -> list[str] | _T
    fn get<'py>(
        &self,
        py: Python<'py>,
        field: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = PyList::empty(py);
        if let Some(analysis) = self.analysis() {
            for id in analysis.of_field(str_id(field)?) {
                let feature = self.feature(id);
                values.append(feature.split_once('=').map_or(feature, |(_, value)| value))?;
            }
        }
        match default {
            Some(default) if values.is_empty() => Ok(default),
            _ => Ok(values.into_any()),
        }
    }

    /// Returns the analysis as FEATS, empty if it has no features.
    fn to_json(&self) -> &str {
        self.feats()
    }

    /// Returns the analysis as a dict of fields with their values.
    // stub: -> dict[str, str]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        PyMorphology::feats_to_dict(py, self.feats())
    }

    // stub: (feature: str | _Id)
    fn __contains__(&self, feature: &Bound<'_, PyAny>) -> PyResult<bool> {
        let feature = str_id(feature)?;
        Ok(self.analysis().is_some_and(|analysis| analysis.contains(feature)))
    }

    // stub: -> Iterator[str]
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let features = self.analysis().map_or(&[][..], Analysis::features);
        let features = features.iter().map(|&(_, feature)| self.feature(feature));
        let features = PyList::new(py, features.collect::<Vec<_>>())?;
        Ok(PyIterator::from_object(&features)?.into_any())
    }

    fn __len__(&self) -> usize {
        self.analysis().map_or(0, |analysis| analysis.features().len())
    }

    fn __hash__(&self) -> u64 {
        self.key.get()
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<bool> {
        let same = match other.cast::<PyMorphAnalysis>() {
            Ok(other) => self.key == other.get().key,
            Err(_) if other.is_instance_of::<PyString>() => return Err(compared_with_text()),
            Err(_) => false,
        };
        match op {
            CompareOp::Eq => Ok(same),
            CompareOp::Ne => Ok(!same),
            _ => Err(PyNotImplementedError::new_err("analyses have no order")),
        }
    }

    fn __str__(&self) -> &str {
        self.feats()
    }

    fn __repr__(&self) -> &str {
        self.feats()
    }
}

fn compared_with_text() -> PyErr {
    PyValueError::new_err(
        "[E977] an analysis cannot be compared with a string, which may list features in any \
         order; compare str(analysis) with a normal form, or test single features: 'Case=Nom' in \
         analysis",
    )
}

/// The id of a name; an id is returned unchanged.
fn str_id(key: &Bound<'_, PyAny>) -> PyResult<StrId> {
    match key.cast::<PyString>() {
        Ok(string) => Ok(StrId::of(string.to_str()?)),
        Err(_) => Ok(StrId::new(id_of(key)?)),
    }
}

/// Returns true if an object can name a field or a value: a text or an id.
fn is_name(key: &Bound<'_, PyAny>) -> bool {
    key.is_instance_of::<PyString>() || key.extract::<u64>().is_ok()
}

fn is_pos(field: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(name) = field.cast::<PyString>() {
        return Ok(name.to_str()?.eq_ignore_ascii_case("POS"));
    }
    Ok(field.extract::<u32>().is_ok_and(|number| number == AttrId::POS.number()))
}

/// A part of speech as its number. An unknown name is returned unchanged, `None` for an unknown
/// number.
fn pos_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    if let Ok(name) = value.cast::<PyString>() {
        let pos = Pos::from_name(&name.to_str()?.to_uppercase());
        return Ok(Some(match pos {
            Some(pos) => pos.number().into_pyobject(py)?.into_any(),
            None => value.clone(),
        }));
    }
    let number = value.extract::<u32>().ok();
    Ok(number.and_then(Pos::from_number).map(|_| value.clone()))
}

fn warn_unusable(features: &Bound<'_, PyAny>) -> PyResult<()> {
    let kind = features.get_type().name()?;
    let text = format!(
        "[W100] features must be FEATS text or a dict, not {kind} ({}); they are treated as empty",
        features.repr()?
    );
    warn(features.py(), &text)
}

fn warn_unusable_entry(field: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<()> {
    let text = format!(
        "[W100] the feature {}: {} is dropped; fields and values must be strings or ids, and a \
         part of speech a known one",
        field.repr()?,
        values.repr()?
    );
    warn(field.py(), &text)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyMemoryUsage>(module)?;
    classes::add::<PyMorphology>(module)?;
    classes::add::<PyMorphAnalysis>(module)
}
