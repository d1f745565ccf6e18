//! Python objects to values, by the type that an op declares.
//!
//! Holds unsafe code: reads objects through the C API, and small ints and arrays of NumPy's where their
//! versions lay them. What a value borrows is alive as long as the argument, or is kept by `Lent`.

use std::mem::MaybeUninit;

use lexpool::registry::plugin::{Dtype, ValueC};
use lexpool::registry::{Gil, Type, Value};
use pyo3::ffi;
use pyo3::prelude::*;

use super::lent::Lent;
use super::{arrays, functions, instance};
use crate::doc::PyDoc;
use crate::handle::Handle;
use crate::vocab::PyVocab;

/// How an argument is taken: its type, made ready.
#[derive(Debug)]
pub(super) enum Way {
    Any,
    None,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    Optional(Box<Way>),
    List(Box<Way>),
    Map(Box<Way>, Box<Way>),
    Array(Dtype, Option<u32>),
    Records { name: Box<str>, writable: bool },
    Doc,
    Vocab,
    Callable,
    Object,
}

/// Why an argument was not taken.
pub(super) enum Refused {
    /// It is of another type; what was expected instead, if not the declared type, and what was given,
    /// if not the argument's type.
    Type { expected: Option<String>, given: Option<String> },
    /// An exception, which was raised on the way.
    Raised(PyErr),
    /// An exception that is set already.
    Set,
}

impl Refused {
    pub(super) const TYPE: Refused = Refused::Type { expected: None, given: None };
}

impl From<PyErr> for Refused {
    fn from(error: PyErr) -> Refused {
        Refused::Raised(error)
    }
}

/// How deep lists and dicts nest where their depth is not declared.
const DEEPEST: u32 = 64;

impl Way {
    pub(super) fn of(ty: &Type) -> PyResult<Way> {
        Ok(match ty {
            Type::Any => Way::Any,
            Type::None => Way::None,
            Type::Bool => Way::Bool,
            Type::Int => Way::Int,
            Type::Float => Way::Float,
            Type::Str => Way::Str,
            Type::Bytes => Way::Bytes,
            Type::Optional(inner) => Way::Optional(Box::new(Way::of(inner)?)),
            Type::List(inner) => Way::List(Box::new(Way::of(inner)?)),
            Type::Map(key, value) => Way::Map(Box::new(Way::of(key)?), Box::new(Way::of(value)?)),
            Type::Array(dtype, ndim) => Way::Array(*dtype, *ndim),
            Type::Records(name) => Way::Records { name: name.as_str().into(), writable: false },
            Type::RecordsMut(name) => Way::Records { name: name.as_str().into(), writable: true },
            Type::Doc => Way::Doc,
            Type::Vocab => Way::Vocab,
            Type::Callable => Way::Callable,
            Type::Object(_) => Way::Object,
            _ => {
                let text = format!("arguments of the type {ty} cannot come from Python");
                return Err(pyo3::exceptions::PyTypeError::new_err(text));
            }
        })
    }
}

/// Puts the value of an argument in its place.
///
/// # Safety
///
/// `given` is an object that lives for as long as the value is used, as do the things in `lent`; the GIL
/// is held.
#[inline]
pub(super) unsafe fn put(
    way: &Way,
    given: *mut ffi::PyObject,
    lent: &mut Lent,
    gil: Gil,
    place: &mut MaybeUninit<ValueC>,
) -> Result<(), Box<Refused>> {
    // What is usual is written where it belongs: a value that is returned is written in halves and read
    // as a whole, which stalls.
    // SAFETY: as the caller promises.
    unsafe {
        match way {
            Way::Int => {
                if let Some(small) = small_int(given) {
                    place.write(Value::int(small).to_c());
                    return Ok(());
                }
            }
            Way::Str => {
                if let Some(text) = text(given) {
                    place.write(text.to_c());
                    return Ok(());
                }
            }
            Way::Object => {
                if let Some(object) = instance::find(given) {
                    place.write(object.to_c());
                    return Ok(());
                }
            }
            _ => {}
        }
        place.write(take(way, given, lent, gil).map_err(Box::new)?);
    }
    Ok(())
}

/// The value of an argument.
///
/// # Safety
///
/// As for [`put`].
pub(super) unsafe fn take(
    way: &Way,
    given: *mut ffi::PyObject,
    lent: &mut Lent,
    gil: Gil,
) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises, here and below.
    unsafe {
        match way {
            Way::Int => int(given),
            Way::Str => string(given),
            Way::Float => float(given),
            Way::Array(dtype, ndim) => arrays::take(given, *dtype, *ndim, lent),
            Way::List(inner) => list(inner, given, lent, gil),
            Way::Callable => functions::take(given, lent),
            Way::Object => instance::find(given).map(Value::to_c).ok_or(Refused::TYPE),
            _ => rarer(way, given, lent, gil),
        }
    }
}

/// # Safety
///
/// As for [`take`].
unsafe fn rarer(
    way: &Way,
    given: *mut ffi::PyObject,
    lent: &mut Lent,
    gil: Gil,
) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    unsafe {
        match way {
            Way::None if ffi::Py_IsNone(given) == 1 => Ok(Value::NONE.to_c()),
            Way::Bool if ffi::PyBool_Check(given) == 1 => {
                Ok(Value::bool(given == ffi::Py_True()).to_c())
            }
            Way::Optional(inner) => match ffi::Py_IsNone(given) {
                1 => Ok(Value::NONE.to_c()),
                _ => take(inner, given, lent, gil),
            },
            Way::Bytes => arrays::bytes(given, lent),
            Way::Map(key, value) => map(key, value, given, lent, gil),
            Way::Records { name, writable } => records(name, *writable, given, lent),
            Way::Doc => doc(given, lent),
            Way::Vocab => vocab(given),
            Way::Any => any(given, lent, gil),
            _ => Err(Refused::TYPE),
        }
    }
}

/// # Safety
///
/// As for [`take`].
#[inline]
pub(super) unsafe fn int(given: *mut ffi::PyObject) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    unsafe {
        if let Some(small) = small_int(given) {
            return Ok(Value::int(small).to_c());
        }
        large_int(given)
    }
}

/// An int of at most one digit, read from the object itself.
///
/// # Safety
///
/// As for [`take`].
#[inline]
pub(super) unsafe fn small_int(given: *mut ffi::PyObject) -> Option<i64> {
    #[cfg(not(any(Py_GIL_DISABLED, Py_3_14)))]
    // SAFETY: the type says that it is an int, and these versions lay one out so.
    unsafe {
        #[repr(C)]
        struct Int {
            head: ffi::PyObject,
            tag: isize,
            digit: u32,
        }
        if ffi::Py_TYPE(given) != &raw mut ffi::PyLong_Type {
            return None;
        }
        let int = &*given.cast::<Int>();
        // Up to 3.11 the tag is the number of digits, negative for a negative number.
        #[cfg(not(Py_3_12))]
        if int.tag.unsigned_abs() <= 1 {
            return Some(int.tag as i64 * i64::from(int.digit));
        }
        // Since 3.12 two bits of it are the sign, and the number stands above the third.
        #[cfg(Py_3_12)]
        if usize::try_from(int.tag).is_ok_and(|tag| tag < 2 << 3) {
            return Some((1 - (int.tag as i64 & 3)) * i64::from(int.digit));
        }
    }
    let _ = given;
    None
}

/// # Safety
///
/// As for [`take`].
#[cold]
unsafe fn large_int(given: *mut ffi::PyObject) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    unsafe {
        let mut index = None;
        let mut int = given;
        if ffi::PyLong_Check(given) == 0 {
            // NumPy's ints, and whatever else says that it is one. Not a float.
            if ffi::PyIndex_Check(given) == 0 {
                return Err(Refused::TYPE);
            }
            int = ffi::PyNumber_Index(given);
            if int.is_null() {
                return Err(Refused::Set);
            }
            index = Some(int);
        }
        let mut overflow = 0;
        let value = ffi::PyLong_AsLongLongAndOverflow(int, &raw mut overflow);
        if let Some(index) = index {
            ffi::Py_DECREF(index);
        }
        if overflow != 0 {
            let text = "an int that does not fit in 64 bits with a sign".to_owned();
            return Err(Refused::Type { expected: None, given: Some(text) });
        }
        if value == -1 && !ffi::PyErr_Occurred().is_null() {
            return Err(Refused::Set);
        }
        Ok(Value::int(value).to_c())
    }
}

/// # Safety
///
/// As for [`take`].
pub(super) unsafe fn float(given: *mut ffi::PyObject) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    unsafe {
        if ffi::PyFloat_Check(given) == 0 && ffi::PyLong_Check(given) == 0 {
            let number = (*ffi::Py_TYPE(given)).tp_as_number;
            if number.is_null() || ((*number).nb_float.is_none() && (*number).nb_index.is_none()) {
                return Err(Refused::TYPE);
            }
        }
        let value = ffi::PyFloat_AsDouble(given);
        if value.to_bits() == (-1.0_f64).to_bits() && !ffi::PyErr_Occurred().is_null() {
            return Err(Refused::Set);
        }
        Ok(Value::float(value).to_c())
    }
}

/// A string whose UTF-8 is at hand: that of ASCII is the string itself.
///
/// # Safety
///
/// As for [`take`].
#[inline]
pub(super) unsafe fn text<'a>(given: *mut ffi::PyObject) -> Option<Value<'a>> {
    // SAFETY: as the caller promises; a compact ASCII string has its characters behind its header, and a
    // zero.
    unsafe {
        if ffi::PyUnicode_Check(given) == 0 || ffi::PyUnicode_IS_COMPACT_ASCII(given) == 0 {
            return None;
        }
        let at = ffi::PyUnicode_1BYTE_DATA(given);
        let len = ffi::PyUnicode_GET_LENGTH(given).unsigned_abs();
        Value::str(std::str::from_utf8_unchecked(std::slice::from_raw_parts(at, len)))
    }
}

/// # Safety
///
/// As for [`take`].
unsafe fn string(given: *mut ffi::PyObject) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises; the UTF-8 lives as long as the string.
    unsafe {
        if ffi::PyUnicode_Check(given) == 0 {
            return Err(Refused::TYPE);
        }
        let mut len = 0;
        let utf8 = ffi::PyUnicode_AsUTF8AndSize(given, &raw mut len);
        if utf8.is_null() {
            return Err(Refused::Set);
        }
        let bytes = std::slice::from_raw_parts(utf8.cast::<u8>(), len.unsigned_abs());
        let value = Value::str(std::str::from_utf8_unchecked(bytes));
        value.map(Value::to_c).ok_or_else(too_long)
    }
}

#[cold]
fn too_long() -> Refused {
    let text = "more than 4 GiB or 2^32 items".to_owned();
    Refused::Type { expected: None, given: Some(text) }
}

/// # Safety
///
/// As for [`take`].
#[inline]
unsafe fn list(
    inner: &Way,
    given: *mut ffi::PyObject,
    lent: &mut Lent,
    gil: Gil,
) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    unsafe {
        let is_list = ffi::PyList_Check(given) == 1;
        if !is_list && ffi::PyTuple_Check(given) == 0 {
            return iterable(inner, given, lent, gil);
        }
        let len = ffi::Py_SIZE(given).unsigned_abs();
        let start = lent.room(len);
        for i in 0..len {
            // Taking an item may run code that shortens the list.
            if i >= ffi::Py_SIZE(given).unsigned_abs() {
                return Err(Refused::Type {
                    expected: None,
                    given: Some("a list that shrinks while it is read".to_owned()),
                });
            }
            let at = super::ssize(i);
            let item = if is_list {
                ffi::PyList_GET_ITEM(given, at)
            } else {
                ffi::PyTuple_GET_ITEM(given, at)
            };
            // An int borrows nothing; all else is kept, for the list may lose it meanwhile.
            if matches!(inner, Way::Int) {
                if let Some(small) = small_int(item) {
                    lent.put(start + i, Value::int(small).to_c());
                    continue;
                }
            }
            let value = take(inner, lent.keep(item), lent, gil);
            let value = value.map_err(|refused| within(refused, item, &format!("item {i}")))?;
            lent.put(start + i, value);
        }
        let values = lent.values(start, len);
        Value::list(values).map(Value::to_c).ok_or_else(too_long)
    }
}

/// Any other iterable but a string, by way of a list.
///
/// # Safety
///
/// As for [`take`].
#[cold]
unsafe fn iterable(
    inner: &Way,
    given: *mut ffi::PyObject,
    lent: &mut Lent,
    gil: Gil,
) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    unsafe {
        let is_text = ffi::PyUnicode_Check(given) == 1 || ffi::PyBytes_Check(given) == 1;
        if is_text || (*ffi::Py_TYPE(given)).tp_iter.is_none() || ffi::PyDict_Check(given) == 1 {
            return Err(Refused::TYPE);
        }
        let made = ffi::PySequence_List(given);
        if made.is_null() {
            return Err(Refused::Set);
        }
        let kept = lent.keep(made);
        ffi::Py_DECREF(made);
        list(inner, kept, lent, gil)
    }
}

/// # Safety
///
/// As for [`take`].
unsafe fn map(
    key: &Way,
    value: &Way,
    given: *mut ffi::PyObject,
    lent: &mut Lent,
    gil: Gil,
) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    unsafe {
        if ffi::PyDict_Check(given) == 0 {
            return Err(Refused::TYPE);
        }
        // The items as they are now, for taking them may run code that changes the dict.
        let items = ffi::PyDict_Items(given);
        if items.is_null() {
            return Err(Refused::Set);
        }
        let kept = lent.keep(items);
        ffi::Py_DECREF(items);
        let len = ffi::Py_SIZE(kept).unsigned_abs();
        let start = lent.room(2 * len);
        for i in 0..len {
            let pair = ffi::PyList_GET_ITEM(kept, super::ssize(i));
            let (name, item) = (ffi::PyTuple_GET_ITEM(pair, 0), ffi::PyTuple_GET_ITEM(pair, 1));
            let taken = take(key, name, lent, gil);
            let taken = taken.map_err(|refused| within(refused, name, "a key"))?;
            lent.put(start + 2 * i, taken);
            let taken = take(value, item, lent, gil);
            let taken = taken.map_err(|refused| within(refused, item, "a value"))?;
            lent.put(start + 2 * i + 1, taken);
        }
        Value::map(lent.pairs(start, len)).map(Value::to_c).ok_or_else(too_long)
    }
}

/// A refusal of something inside of an argument.
#[cold]
unsafe fn within(refused: Refused, item: *mut ffi::PyObject, place: &str) -> Refused {
    match refused {
        Refused::Type { expected, given } => {
            // SAFETY: the item lives.
            let given = given.unwrap_or_else(|| unsafe { super::failure::type_name(item) });
            Refused::Type { expected, given: Some(format!("{given} for {place}")) }
        }
        other => other,
    }
}

/// # Safety
///
/// As for [`take`].
unsafe fn records(
    name: &str,
    writable: bool,
    given: *mut ffi::PyObject,
    lent: &mut Lent,
) -> Result<ValueC, Refused> {
    Python::attach(|py| {
        // SAFETY: an object that lives through the call.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        if let Ok(handle) = given.cast::<Handle>() {
            return lent.records(handle, name, writable);
        }
        let tokens = !writable && name == "TokenC";
        match given.cast::<PyDoc>() {
            Ok(doc) if tokens => lent.tokens(doc),
            _ => Err(Refused::Type {
                expected: writable.then(|| format!("{name} records under a lease")),
                given: None,
            }),
        }
    })
}

/// # Safety
///
/// As for [`take`].
unsafe fn doc(given: *mut ffi::PyObject, lent: &mut Lent) -> Result<ValueC, Refused> {
    Python::attach(|py| {
        // SAFETY: an object that lives through the call.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        let doc = given.cast::<PyDoc>().map_err(|_| Refused::TYPE)?;
        lent.doc(doc)
    })
}

/// # Safety
///
/// As for [`take`].
unsafe fn vocab(given: *mut ffi::PyObject) -> Result<ValueC, Refused> {
    Python::attach(|py| {
        // SAFETY: an object that lives through the call.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        let vocab = given.cast::<PyVocab>().map_err(|_| Refused::TYPE)?;
        let vocab = lexpool::registry::lend_vocab(vocab.get().vocab());
        Ok(Value::vocab(vocab).to_c())
    })
}

/// A value by what the object itself is.
///
/// # Safety
///
/// As for [`take`].
unsafe fn any(given: *mut ffi::PyObject, lent: &mut Lent, gil: Gil) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    unsafe {
        if ffi::Py_IsNone(given) == 1 {
            return Ok(Value::NONE.to_c());
        } else if ffi::PyBool_Check(given) == 1 {
            return rarer(&Way::Bool, given, lent, gil);
        } else if ffi::PyLong_Check(given) == 1 {
            return int(given);
        } else if ffi::PyFloat_Check(given) == 1 {
            return float(given);
        } else if ffi::PyUnicode_Check(given) == 1 {
            return string(given);
        } else if ffi::PyBytes_Check(given) == 1 {
            return arrays::bytes(given, lent);
        } else if ffi::PyDict_Check(given) == 1 {
            return nested(lent, |lent| map(&Way::Any, &Way::Any, given, lent, gil));
        } else if ffi::PyList_Check(given) == 1 || ffi::PyTuple_Check(given) == 1 {
            return nested(lent, |lent| list(&Way::Any, given, lent, gil));
        }
        for way in [Way::Doc, Way::Vocab] {
            match rarer(&way, given, lent, gil) {
                Err(Refused::Type { .. }) => {}
                settled => return settled,
            }
        }
        if let Some(scalar) = arrays::scalar(given) {
            return scalar;
        }
        if let Some(object) = instance::find(given) {
            return Ok(object.to_c());
        }
        if ffi::PyCallable_Check(given) == 1 {
            return functions::take(given, lent);
        }
        arrays::take_any(given, lent)
    }
}

/// Goes into a list or dict, but not too deep.
fn nested(
    lent: &mut Lent,
    inner: impl FnOnce(&mut Lent) -> Result<ValueC, Refused>,
) -> Result<ValueC, Refused> {
    if lent.depth >= DEEPEST {
        let text = format!("lists in lists, more than {DEEPEST} deep");
        return Err(Refused::Type { expected: None, given: Some(text) });
    }
    lent.depth += 1;
    let taken = inner(lent);
    lent.depth -= 1;
    taken
}
