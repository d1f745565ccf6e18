//! `lexpool.msgpack`: Python objects as MessagePack, byte for byte as srsly writes them.

use lexpool::msgpack::{Item, MAX_DEPTH, Reader, Writer};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyMemoryView,
    PyString, PyTuple,
};

use crate::runtime::buffer_protocol::bytes_of;
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::text::with_utf8;

/// packb(obj) -> bytes
///
/// Write an object as a MessagePack message: None, bool, int, float, str, bytes, bytearray,
/// memoryview, list, tuple (as a list) and dict, nested at most 512 deep. NumPy arrays and scalars
/// and complex numbers become maps with srsly's byte keys.
///
/// Raises TypeError for other objects, OverflowError for integers beyond 64 bits and ValueError
/// (msgpack-depth, msgpack-size) for objects that the format cannot represent.
#[pyfunction(name = "packb")]
// stub: (obj: object)
fn packb_py<'py>(obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    crate::runtime::array::bytes(obj.py(), &packb(obj)?)
}

/// unpackb(data, use_list=True) -> object
///
/// Read a MessagePack message.
///
/// data (bytes-like): the whole message.
/// use_list (bool): arrays become lists; if False, tuples, which can be keys of a dict.
///
/// Maps that stand for NumPy arrays become arrays, read-only as with srsly; without NumPy they stay
/// maps. Raises ValueError (msgpack-truncated, msgpack-format, msgpack-depth) for an invalid
/// message, with the position; msgpack-type for a key that a dict cannot have, msgpack-array for a
/// map that stands for an impossible array or number.
#[pyfunction(name = "unpackb", signature = (data, use_list=true))]
// stub: (data: Buffer) -> Any
fn unpackb_py<'py>(data: &Bound<'py, PyAny>, use_list: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    unpackb(py, &bytes_of(data)?, use_list)
}

/// Writes an object as a message.
///
/// # Errors
///
/// As Python's `packb`.
pub(crate) fn packb(obj: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let mut writer = Writer::new();
    pack(&mut writer, obj, 0)?;
    Ok(writer.into_bytes())
}

/// Reads a message; arrays become lists or tuples.
///
/// # Errors
///
/// As Python's `unpackb`.
pub(crate) fn unpackb<'py>(
    py: Python<'py>,
    bytes: &[u8],
    use_list: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mut reader = Reader::new(bytes);
    let value = unpack(py, &mut reader, use_list, 0)?;
    reader.finish().or_raise()?;
    Ok(value)
}

fn pack(writer: &mut Writer, obj: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
    if obj.is_none() {
        writer.nil();
    } else if let Ok(value) = obj.cast::<PyBool>() {
        writer.bool(value.is_true());
    } else if let Ok(value) = obj.cast::<PyInt>() {
        pack_int(writer, value)?;
    } else if let Ok(value) = obj.cast::<PyFloat>() {
        writer.float(value.value());
    } else if let Ok(value) = obj.cast::<PyString>() {
        with_utf8(value, |text| writer.str(text).or_raise())?;
    } else if let Ok(value) = obj.cast::<PyBytes>() {
        writer.bytes(value.as_bytes()).or_raise()?;
    } else if let Ok(value) = obj.cast::<PyByteArray>() {
        writer.bytes(&value.to_vec()).or_raise()?;
    } else if obj.is_instance_of::<PyMemoryView>() {
        writer.bytes(obj.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes()).or_raise()?;
    } else if let Ok(dict) = obj.cast::<PyDict>() {
        let depth = deeper(depth)?;
        // A list of the items: code that runs meanwhile cannot change their number.
        let items = if dict.is_exact_instance_of::<PyDict>() {
            dict.items()
        } else {
            PyList::new(obj.py(), items::read(&dict.call_method0("items")?, Ok)?)?
        };
        writer.map(items.len()).or_raise()?;
        for item in items.to_tuple() {
            let (key, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            pack(writer, &key, depth)?;
            pack(writer, &value, depth)?;
        }
    } else if let Ok(list) = obj.cast::<PyList>() {
        pack_items(writer, &list.to_tuple(), depth)?;
    } else if let Ok(tuple) = obj.cast::<PyTuple>() {
        pack_items(writer, tuple, depth)?;
    } else if !pack_number_or_array(writer, obj, depth)? {
        let given = obj.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "[msgpack-type] cannot write an object of type {given} as MessagePack"
        )));
    }
    Ok(())
}

fn pack_int(writer: &mut Writer, value: &Bound<'_, PyInt>) -> PyResult<()> {
    if let Ok(value) = value.extract::<i64>() {
        writer.int(value);
    } else if let Ok(value) = value.extract::<u64>() {
        writer.uint(value);
    } else {
        return Err(PyOverflowError::new_err(
            "[msgpack-range] cannot write an integer beyond 64 bits as MessagePack",
        ));
    }
    Ok(())
}

fn pack_items(writer: &mut Writer, items: &Bound<'_, PyTuple>, depth: usize) -> PyResult<()> {
    let depth = deeper(depth)?;
    writer.array(items.len()).or_raise()?;
    items.iter_borrowed().try_for_each(|item| pack(writer, &item, depth))
}

/// Writes NumPy arrays and scalars, and complex numbers; returns false for any other object.
fn pack_number_or_array(
    writer: &mut Writer,
    obj: &Bound<'_, PyAny>,
    depth: usize,
) -> PyResult<bool> {
    let py = obj.py();
    // An array exists only if NumPy is imported.
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    if let Some(numpy) = modules.get_item("numpy")? {
        let is = |class: &str| obj.is_instance(&numpy.getattr(class)?);
        if is("ndarray")? {
            pack_array(writer, obj, depth)?;
            return Ok(true);
        }
        if is("number")? || is("bool_")? {
            writer.map(3).or_raise()?;
            writer.bytes(b"nd").or_raise()?;
            writer.bool(false);
            writer.bytes(b"type").or_raise()?;
            pack(writer, &obj.getattr("dtype")?.getattr("str")?, depth)?;
            writer.bytes(b"data").or_raise()?;
            pack(writer, &obj.call_method0("tobytes")?, depth)?;
            return Ok(true);
        }
    }
    if obj.is_instance_of::<PyComplex>() {
        writer.map(2).or_raise()?;
        writer.bytes(b"complex").or_raise()?;
        writer.bool(true);
        writer.bytes(b"data").or_raise()?;
        pack(writer, obj.repr()?.as_any(), depth)?;
        return Ok(true);
    }
    Ok(false)
}

fn pack_array(writer: &mut Writer, array: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
    let depth = deeper(depth)?;
    let dtype = array.getattr("dtype")?;
    if dtype.getattr("hasobject")?.is_truthy()? {
        return Err(PyTypeError::new_err(
            "[msgpack-type] cannot write an array of Python objects as MessagePack",
        ));
    }
    let structured = dtype.getattr("kind")?.extract::<&str>()? == "V";
    writer.map(5).or_raise()?;
    writer.bytes(b"nd").or_raise()?;
    writer.bool(true);
    writer.bytes(b"type").or_raise()?;
    pack(writer, &dtype.getattr(if structured { "descr" } else { "str" })?, depth)?;
    writer.bytes(b"kind").or_raise()?;
    writer.bytes(if structured { b"V" } else { b"" }).or_raise()?;
    writer.bytes(b"shape").or_raise()?;
    pack(writer, &array.getattr("shape")?, depth)?;
    writer.bytes(b"data").or_raise()?;
    pack(writer, &array.call_method0("tobytes")?, depth)
}

fn unpack<'py>(
    py: Python<'py>,
    reader: &mut Reader<'_>,
    use_list: bool,
    depth: usize,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match reader.item().or_raise()? {
        Item::Nil => py.None().into_bound(py),
        Item::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Item::UInt(value) => value.into_pyobject(py)?.into_any(),
        Item::Int(value) => value.into_pyobject(py)?.into_any(),
        Item::Float(value) => PyFloat::new(py, value).into_any(),
        Item::Str(value) => PyString::new(py, value).into_any(),
        Item::Bytes(value) => crate::runtime::array::bytes(py, value)?.into_any(),
        Item::Array(len) => {
            let depth = deeper(depth)?;
            let list = PyList::empty(py);
            for _ in 0..len {
                list.append(unpack(py, reader, use_list, depth)?)?;
            }
            if use_list { list.into_any() } else { list.to_tuple().into_any() }
        }
        Item::Map(len) => {
            let depth = deeper(depth)?;
            let dict = PyDict::new(py);
            for _ in 0..len {
                let key = unpack(py, reader, use_list, depth)?;
                let value = unpack(py, reader, use_list, depth)?;
                dict.set_item(&key, value).map_err(|cause| no_key(&key, cause))?;
            }
            number_or_array(dict)?
        }
    })
}

/// The error of a map's key that a dict cannot have, such as a list.
fn no_key(key: &Bound<'_, PyAny>, cause: PyErr) -> PyErr {
    if !cause.is_instance_of::<PyTypeError>(key.py()) {
        return cause;
    }
    let text = format!("[msgpack-type] a key of a map is a {}", key.get_type());
    let error = PyValueError::new_err(text);
    error.set_cause(key.py(), Some(cause));
    error
}

/// The object that a map stands for: a NumPy array or number, a complex number, or the map itself.
fn number_or_array(dict: Bound<'_, PyDict>) -> PyResult<Bound<'_, PyAny>> {
    let py = dict.py();
    let get = |key: &[u8]| dict.get_item(PyBytes::new(py, key));
    let invalid = |what: &'static str| {
        move |cause: PyErr| {
            let text =
                format!("[msgpack-array] a map that stands for a NumPy {what} is invalid: {cause}");
            let error = PyValueError::new_err(text);
            error.set_cause(py, Some(cause));
            error
        }
    };
    if let (Some(nd), Some(dtype), Some(data)) = (get(b"nd")?, get(b"type")?, get(b"data")?) {
        let shape = get(b"shape")?;
        let is_array = nd.is(PyBool::new(py, true));
        if is_array && shape.is_none() {
            return Ok(dict.into_any());
        }
        let shape = shape.filter(|_| is_array);
        let Ok(numpy) = py.import("numpy") else { return Ok(dict.into_any()) };
        return array(&numpy, &dtype, &data, shape.as_ref()).map_err(invalid("array"));
    }
    if let (Some(_), Some(data)) = (get(b"complex")?, get(b"data")?) {
        return py.get_type::<PyComplex>().call1((data,)).map_err(invalid("number"));
    }
    Ok(dict.into_any())
}

/// An array if there is a shape, else a scalar.
fn array<'py>(
    numpy: &Bound<'py, PyModule>,
    dtype: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    shape: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = if dtype.is_instance_of::<PyList>() || dtype.is_instance_of::<PyTuple>() {
        fields(dtype)?
    } else {
        dtype.clone()
    };
    let flat = numpy.call_method1("frombuffer", (data, numpy.call_method1("dtype", (dtype,))?))?;
    match shape {
        Some(shape) => flat.call_method1("reshape", (shape,)),
        None => flat.get_item(0),
    }
}

/// The fields of a structured dtype: a list of tuples, even if they were read as lists.
fn fields<'py>(dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = dtype.py();
    let fields = items::read(dtype, |field| {
        let parts = items::read(&field, |part| match part.cast_into::<PyList>() {
            Ok(list) => Ok(list.to_tuple().into_any()),
            Err(other) => Ok(other.into_inner()),
        });
        PyTuple::new(py, parts?)
    });
    Ok(PyList::new(py, fields?)?.into_any())
}

fn deeper(depth: usize) -> PyResult<usize> {
    if depth == MAX_DEPTH {
        return Err(PyValueError::new_err(format!(
            "[msgpack-depth] lists and dicts are nested more than {MAX_DEPTH} deep"
        )));
    }
    Ok(depth + 1)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(packb_py, module)?)?;
    module.add_function(wrap_pyfunction!(unpackb_py, module)?)
}
