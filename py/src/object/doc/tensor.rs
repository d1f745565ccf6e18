//! `Doc.tensor`: the native tensor of a document as a Python object, and the reverse.
//!
//! The object of a tensor that components have computed is made when Python first asks for it. An
//! array that Python sets is kept as it is; if native components can read it, it is copied into the
//! document, again after its numbers were changed in place.

use std::ops::Range;
use std::sync::Arc;

use lexpool::tokens::Tensor;
use pyo3::buffer::PyBuffer;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PySlice};

use crate::object::doc::PyDoc;
use crate::runtime::array::array;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;

/// Name among the Python attributes.
const TENSOR: &str = "tensor";

/// The value of `Doc.tensor`, with the native tensor that it was made of or copied to.
#[pyclass(module = "lexpool._core", frozen)]
pub(super) struct TensorObject {
    object: Py<PyAny>,
    native: Option<Arc<Tensor>>,
}

class!(TensorObject);

#[pymethods]
impl TensorObject {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.object)
    }
}

impl TensorObject {
    /// Returns whether the document has not got another native tensor since.
    fn is_of(&self, native: Option<&Arc<Tensor>>) -> bool {
        match (&self.native, native) {
            (Some(own), Some(native)) => Arc::ptr_eq(own, native),
            (own, native) => own.is_none() && native.is_none(),
        }
    }
}

impl PyDoc {
    /// The value of `Doc.tensor`, unless it was never set.
    ///
    /// # Errors
    ///
    /// `BusyError` while the document is being changed; `MemoryError`.
    pub(crate) fn tensor_if_set<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let native = self.read(py)?.tensor().cloned();
        if let Some(known) =
            self.tensor_object(py)?.filter(|known| known.get().is_of(native.as_ref()))
        {
            return Ok(Some(known.get().object.bind(py).clone()));
        }
        let Some(native) = native else { return Ok(None) };
        let object = array(py, native.numbers(), &[native.len(), native.width()])?;
        self.keep_tensor(&object, Some(native))?;
        Ok(Some(object))
    }

    /// The native tensor, with the changes that Python has made in place.
    ///
    /// # Errors
    ///
    /// As for [`sync_tensor`](PyDoc::sync_tensor).
    pub(crate) fn native_tensor(&self, py: Python<'_>) -> PyResult<Option<Arc<Tensor>>> {
        self.sync_tensor(py)?;
        Ok(self.read(py)?.tensor().cloned())
    }

    /// Copies an array whose numbers Python has changed in place into the document. Every caller
    /// that passes the document on to native code that reads tensors must call it before. Cost: a
    /// comparison of all numbers if Python has seen the tensor, else nothing.
    ///
    /// # Errors
    ///
    /// `BusyError` while others read or change the document.
    pub(crate) fn sync_tensor(&self, py: Python<'_>) -> PyResult<()> {
        let Some(tensor_object) = self.tensor_object(py)? else { return Ok(()) };
        let tensor_object = tensor_object.get();
        let Some(native) = &tensor_object.native else { return Ok(()) };
        if !tensor_object.is_of(self.read(py)?.tensor()) {
            return Ok(());
        }
        let object = tensor_object.object.bind(py);
        let same = FloatRows::of(object).is_some_and(|rows| rows.equal(py, native));
        if same { Ok(()) } else { self.put_tensor(object) }
    }

    /// Sets the value of `Doc.tensor`, and the native tensor if it is a two-dimensional array of
    /// float32 with a row for each token.
    ///
    /// # Errors
    ///
    /// `BusyError` while others read or change the document.
    pub(crate) fn put_tensor(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = object.py();
        let mut native = None;
        if let Some(rows) = FloatRows::of(object) {
            native = Some(Arc::new(rows.copied(py)?));
        }
        if native.is_some() || self.read(py)?.tensor().is_some() {
            let mut doc = self.write(py)?;
            native = native.filter(|native| native.len() == doc.len());
            doc.set_tensor(native.clone()).or_raise()?;
        }
        self.keep_tensor(object, native)
    }

    /// The row of a token, or the rows of several.
    pub(crate) fn tensor_of<'py>(
        slf: &Bound<'py, PyDoc>,
        tokens: &TensorRows,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let tensor = slf.getattr("tensor")?;
        if tensor.is_instance_of::<PyMemoryView>() {
            // A memoryview of two dimensions cannot be sliced.
            if let Some(native) = slf.get().native_tensor(py)? {
                let (range, width) = (tokens.range(), native.width());
                let numbers = native.numbers().get(range.start * width..range.end * width);
                match (numbers, tokens) {
                    (Some(row), TensorRows::One(_)) => return array(py, row, &[width]),
                    (Some(rows), TensorRows::Range(_)) => {
                        return array(py, rows, &[range.len(), width]);
                    }
                    (None, _) => {}
                }
            }
        }
        match tokens {
            TensorRows::One(i) => tensor.get_item(i),
            // As in spaCy, also where the document's tensor was set to None.
            TensorRows::Range(_) if tensor.is_none() => Ok(tensor),
            TensorRows::Range(range) => {
                tensor.get_item(PySlice::new(py, index(range.start), index(range.end), 1))
            }
        }
    }

    /// The mean of the rows of some tokens.
    pub(crate) fn tensor_mean<'py>(tokens: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rows = tokens.getattr("tensor")?;
        match FloatRows::of(&rows).filter(|_| rows.is_instance_of::<PyMemoryView>()) {
            Some(floats) => {
                let tensor = floats.copied(rows.py())?;
                array(rows.py(), &mean(&tensor), &[tensor.width()])
            }
            None => rows.call_method1("mean", (0,)),
        }
    }

    /// The number of numbers in the tensor; 0 if it was not set.
    pub(crate) fn tensor_size(&self, py: Python<'_>) -> PyResult<usize> {
        let native = self.read(py)?.tensor().map(|tensor| tensor.numbers().len());
        match native {
            Some(size) => Ok(size),
            None => self.tensor_if_set(py)?.map_or(Ok(0), |object| size(&object)),
        }
    }

    fn tensor_object<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, TensorObject>>> {
        let object = self.python_attributes.get(py, TENSOR)?;
        Ok(object.and_then(|object| object.cast_into::<TensorObject>().ok()))
    }

    fn keep_tensor(&self, object: &Bound<'_, PyAny>, native: Option<Arc<Tensor>>) -> PyResult<()> {
        let tensor_object = TensorObject { object: object.clone().unbind(), native };
        let tensor_object = Bound::new(object.py(), tensor_object)?.into_any();
        self.python_attributes.set(object.py(), TENSOR, &tensor_object)
    }
}

/// The tokens whose rows are wanted.
pub(crate) enum TensorRows {
    One(usize),
    Range(Range<usize>),
}

impl TensorRows {
    fn range(&self) -> Range<usize> {
        match self {
            TensorRows::One(i) => *i..i + 1,
            TensorRows::Range(range) => range.clone(),
        }
    }
}

/// The letters by which buffers name float32 in this machine's byte order.
const FORMATS: [&[u8]; 4] =
    [b"f", b"@f", b"=f", if cfg!(target_endian = "little") { b"<f" } else { b">f" }];

/// The buffer of a two-dimensional array of float32.
struct FloatRows(PyBuffer<f32>);

impl FloatRows {
    fn of(object: &Bound<'_, PyAny>) -> Option<FloatRows> {
        let buffer = PyBuffer::get(object).ok()?;
        // PyO3 accepts any byte order.
        let fits = buffer.dimensions() == 2 && FORMATS.contains(&buffer.format().to_bytes());
        fits.then_some(FloatRows(buffer))
    }

    fn copied(&self, py: Python<'_>) -> PyResult<Tensor> {
        Tensor::new(self.0.shape()[1], self.0.to_vec(py)?).or_raise()
    }

    /// True if the bits of all numbers are the same.
    fn equal(&self, py: Python<'_>, tensor: &Tensor) -> bool {
        if self.0.shape() != [tensor.len(), tensor.width()] {
            return false;
        }
        let bits = tensor.numbers().iter().map(|number| number.to_bits());
        self.0.to_vec(py).is_ok_and(|numbers| numbers.iter().map(|n| n.to_bits()).eq(bits))
    }
}

/// The number of numbers in an array.
fn size(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    if array.is_none() {
        return Ok(0);
    }
    match array.cast::<PyMemoryView>() {
        Ok(view) => view.getattr("nbytes")?.extract(),
        Err(_) => array.getattr("size")?.extract(),
    }
}

fn index(i: usize) -> isize {
    isize::try_from(i).unwrap_or(isize::MAX)
}

/// The mean of the rows, added one after another as NumPy adds them.
fn mean(tensor: &Tensor) -> Vec<f32> {
    let mut sums = vec![0.0; tensor.width()];
    for i in 0..tensor.len() {
        sums.iter_mut().zip(tensor.row(i)).for_each(|(sum, number)| *sum += number);
    }
    #[expect(clippy::cast_precision_loss, reason = "NumPy divides by the same float")]
    let rows = tensor.len() as f32;
    sums.iter().map(|sum| sum / rows).collect()
}

#[pymethods]
impl PyDoc {
    /// Rows of numbers, one for each token: a float32 array, initially of size 0.
    #[getter]
    // stub: -> Any
    fn tensor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = self.tensor_if_set(py)? {
            return Ok(known);
        }
        let empty = array::<f32>(py, &[], &[0])?;
        let tensor_object = TensorObject { object: empty.clone().unbind(), native: None };
        let tensor_object = Bound::new(py, tensor_object)?.into_any();
        // Creating objects can run a collection, and that any code.
        match self.tensor_if_set(py)? {
            Some(known) => Ok(known),
            None => self.python_attributes.set(py, TENSOR, &tensor_object).map(|()| empty),
        }
    }

    #[setter]
    // stub: (value: Any)
    fn set_tensor(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.put_tensor(value)
    }

    #[deleter]
    fn delete_tensor(&self, py: Python<'_>) -> PyResult<()> {
        self.put_tensor(&py.None().into_bound(py))
    }

    /// Appends columns to the tensor, or copies them to it if it is empty.
    // stub: (tensor: Any)
    fn extend_tensor(&self, py: Python<'_>, tensor: &Bound<'_, PyAny>) -> PyResult<()> {
        let old_tensor = self.tensor(py)?;
        let numpy = py.import("numpy")?;
        let extended = if size(&old_tensor)? == 0 {
            numpy.call_method1("array", (tensor, old_tensor.getattr("dtype")?))?
        } else {
            numpy.call_method1("hstack", ((old_tensor, tensor),))?
        };
        self.put_tensor(&extended)
    }
}
