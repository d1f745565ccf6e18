//! The data of segmenters, as Python gives and gets them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lexpool::Result;
use lexpool::dictionaries::SplitMode;
use lexpool::segment::Segment;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokenizer::segmenters::{self, PkusegModel};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::runtime::buffer_protocol::bytes_of;
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;
use crate::runtime::python_side;

/// The data of a segmenter. Paths are those that the caller gave, so that another process finds
/// packages anew.
#[derive(Clone, Default)]
pub(super) enum SegmenterData {
    /// Data of lexpool or of an installed package, or none.
    #[default]
    Default,
    /// A file or folder.
    Path(PathBuf),
    /// A model in memory, which is saved with the tokenizer.
    Model(PkusegModel),
}

/// The settings with which a segmenter was opened.
#[derive(Clone, Default)]
pub(super) struct SegmenterSettings {
    pub(super) data: SegmenterData,
    /// The length of Japanese words, as it was given.
    pub(super) split_mode: Option<String>,
    /// The segmenter, if it has details of tokens.
    pub(super) details: Option<Arc<dyn Segment>>,
}

/// Returns the segmenter of a tokenizer; `None` if it has no details of tokens.
pub(crate) fn segmenter_with_details(tokenizer: &Tokenizer) -> Option<Arc<dyn Segment>> {
    tokenizer.segmenter().filter(|segmenter| segmenter.has_details())
}

/// Returns the error of a split mode for another segmenter than that of Japanese.
pub(super) fn no_split_mode(name: &str) -> PyErr {
    let text = format!("split_mode is a setting of the segmenter \"sudachi\", not of {name:?}");
    PyValueError::new_err(text)
}

impl SegmenterData {
    /// Takes what Python gave: a path, the files of a model by name, or None.
    pub(super) fn from_python(data: Option<&Bound<'_, PyAny>>) -> PyResult<SegmenterData> {
        let Some(data) = data else { return Ok(SegmenterData::Default) };
        let Ok(files) = data.cast::<PyDict>() else {
            return Ok(SegmenterData::Path(data.extract()?));
        };
        let file = |name: &str| match files.get_item(name)? {
            Some(bytes) => Ok(Some(bytes_of(&bytes)?.to_vec().into())),
            None => PyResult::Ok(None),
        };
        let [features, weights, processors] = PkusegModel::FILES;
        let required = |name: &str| {
            file(name)?.ok_or_else(|| {
                let text = format!("the files of a model lack {name:?}");
                PyValueError::new_err(text)
            })
        };
        Ok(SegmenterData::Model(PkusegModel {
            features: required(features)?,
            weights: required(weights)?,
            processors: file(processors)?,
        }))
    }

    /// Returns the form that [`from_python`](SegmenterData::from_python) takes.
    pub(super) fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            SegmenterData::Default => Ok(None),
            SegmenterData::Path(path) => Ok(Some(path.into_pyobject(py)?.into_any())),
            SegmenterData::Model(model) => {
                let files = PyDict::new(py);
                let parts =
                    [Some(&model.features), Some(&model.weights), model.processors.as_ref()];
                for (name, part) in PkusegModel::FILES.into_iter().zip(parts) {
                    if let Some(part) = part {
                        files.set_item(name, PyBytes::new(py, part))?;
                    }
                }
                Ok(Some(files.into_any()))
            }
        }
    }

    /// Opens a segmenter, and returns the data to be kept.
    pub(super) fn open(
        self,
        py: Python<'_>,
        name: &str,
        split_mode: Option<&str>,
    ) -> PyResult<(Arc<dyn Segment>, SegmenterData)> {
        if split_mode.is_some() && name != "sudachi" {
            return Err(no_split_mode(name));
        }
        if matches!(self, SegmenterData::Model(_)) && name != "pkuseg" {
            let text = format!("the segmenter {name:?} has no model; give a path");
            return Err(PyValueError::new_err(text));
        }
        let data = match self {
            SegmenterData::Path(folder) if name == "pkuseg" => {
                let model = detached(py, || PkusegModel::read(&folder)).or_raise()?;
                SegmenterData::Model(model)
            }
            data => data,
        };
        let installed: Option<PathBuf> = match data {
            SegmenterData::Default => python_side::SEGMENTER_DATA.call(py, (name,))?.extract()?,
            _ => None,
        };
        let open_path = |path: Option<&Path>| match split_mode {
            Some(mode) => segmenters::open_sudachi(path, SplitMode::from_name(mode)?),
            None => segmenters::open(name, path),
        };
        let open = || -> Result<Arc<dyn Segment>> {
            match &data {
                SegmenterData::Model(model) => model.open(),
                SegmenterData::Path(path) => open_path(Some(path)),
                SegmenterData::Default if name == "pkuseg" => {
                    Ok(segmenters::pkuseg_without_model())
                }
                SegmenterData::Default => open_path(installed.as_deref()),
            }
        };
        Ok((detached(py, open).or_raise()?, data))
    }
}
