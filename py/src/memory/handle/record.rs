//! A copy of one record: the result of `handle[i]`.

use std::convert::Infallible;

use lexpool::structs::{Field, RecordInfo};
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};

use crate::runtime::classes::{self, class};

/// A copy of one record: `value.idx` or `value["idx"]`, and groups of bits by their names in lower
/// case, such as `value.ent_iob`, as the record's layout documents them.
#[pyclass(name = "RecordValue", module = "lexpool.structs", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct PyRecordValue {
    info: RecordLayout,
    /// The bytes, aligned as records are; the size of every record is a multiple of eight.
    words: Box<[u64]>,
}

class!(PyRecordValue);

/// A layout; two layouts are equal if they have the same name.
struct RecordLayout(&'static RecordInfo);

impl PartialEq for RecordLayout {
    fn eq(&self, other: &RecordLayout) -> bool {
        self.0.name == other.0.name
    }
}

/// The number in a field: at most 64 bits, signed or unsigned.
struct FieldValue(i128);

impl<'py> IntoPyObject<'py> for FieldValue {
    type Target = PyInt;
    type Output = Bound<'py, PyInt>;
    type Error = Infallible;

    /// Converts through 64 bits: for wider numbers CPython reads memory that it has not
    /// initialised.
    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        match i64::try_from(self.0) {
            Ok(number) => number.into_pyobject(py),
            Err(_) => u64::try_from(self.0).unwrap_or_default().into_pyobject(py),
        }
    }
}

impl PyRecordValue {
    /// Copies the bytes of a record.
    pub(crate) fn new(info: &'static RecordInfo, bytes: &[u8]) -> PyRecordValue {
        let mut words = vec![0_u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        PyRecordValue { info: RecordLayout(info), words: words.into() }
    }

    /// The layout of the record, and the address of the copy, which is stable.
    pub(super) fn address(&self) -> (&'static RecordInfo, *const u64) {
        (self.info.0, self.words.as_ptr())
    }

    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    fn field(&self, field: &Field) -> i128 {
        let (size, signed) = (field.kind.size(), field.kind.rust().starts_with('i'));
        let mut wide = [0; 8];
        let bytes = self.bytes().get(field.offset..field.offset + size).unwrap_or(&[]);
        if cfg!(target_endian = "little") {
            wide[..bytes.len()].copy_from_slice(bytes);
        } else {
            wide[8 - bytes.len()..].copy_from_slice(bytes);
        }
        let number = u64::from_ne_bytes(wide);
        if !signed {
            return i128::from(number);
        }
        let unused = 64 - 8 * u32::try_from(size).unwrap_or(8);
        i128::from(i64::from_ne_bytes((number << unused).to_ne_bytes()) >> unused)
    }

    fn get(&self, name: &str) -> Option<i128> {
        for field in self.info.0.fields {
            if field.name == name {
                return Some(self.field(field));
            }
            if let Some(bits) = field.bits.iter().find(|bits| bits.name.eq_ignore_ascii_case(name))
            {
                let word = u32::try_from(self.field(field)).unwrap_or(0);
                return Some(i128::from(bits.get(word)));
            }
        }
        None
    }

    fn names(&self) -> Vec<String> {
        let fields = self.info.0.fields.iter();
        let names = fields.flat_map(|field| {
            let bits = field.bits.iter().map(|bits| bits.name.to_ascii_lowercase());
            std::iter::once(field.name.to_owned()).chain(bits)
        });
        names.collect()
    }
}

#[pymethods]
impl PyRecordValue {
    // stub: -> int
    fn __getattr__(&self, name: &str) -> PyResult<FieldValue> {
        self.get(name).map(FieldValue).ok_or_else(|| {
            let text = format!("{} has no field {name:?}", self.info.0.name);
            PyAttributeError::new_err(text)
        })
    }

    // stub: -> int
    fn __getitem__(&self, name: &str) -> PyResult<FieldValue> {
        self.get(name).map(FieldValue).ok_or_else(|| {
            let text = format!("{} has no field {name:?}", self.info.0.name);
            PyKeyError::new_err(text)
        })
    }

    /// Returns the fields as a dict, without groups of bits.
    // stub: -> dict[str, int]
    fn asdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for field in self.info.0.fields {
            dict.set_item(field.name, FieldValue(self.field(field)))?;
        }
        Ok(dict)
    }

    fn __dir__(&self) -> Vec<String> {
        let mut names = self.names();
        names.push("asdict".to_owned());
        names
    }

    fn __repr__(&self) -> String {
        let fields = self.info.0.fields.iter();
        let fields = fields.map(|field| format!("{}={}", field.name, self.field(field)));
        format!("{}({})", self.info.0.name, fields.collect::<Vec<_>>().join(", "))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyRecordValue>(module)
}
