//! Python strings as UTF-8: ASCII ones as they lie, others transcoded, none cached twice.
//!
//! Holds unsafe code: reads the buffers of `str` objects, which never change once they are made.
//! CPython would keep a UTF-8 copy inside of every string that is asked for one; a corpus would be
//! held twice. So the bytes are made here, into memory of our own.

use std::borrow::Cow;
use std::ptr::NonNull;
use std::slice;

use lexpool::tokenizer::Text;
use lexpool::tokens::{ForeignCount, ForeignText};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The text of a string, borrowed and kept alive if it is ASCII and of no subclass, else copied.
///
/// # Errors
///
/// `UnicodeEncodeError` for a lone surrogate, with its position.
pub(crate) fn text(string: &Bound<'_, PyString>) -> PyResult<Text> {
    // A string of a class that inherits from `str` may refer to its document, and the collector would not
    // see that the document refers to it.
    if let Some(ascii) = ascii(string).filter(|_| string.is_exact_instance_of::<PyString>()) {
        let owner = string.clone().unbind().into_ptr();
        let owner = NonNull::new(owner.cast()).expect("a Python object is not null");
        // SAFETY: `owner` is a new reference to the string, whose buffer is immutable and lives as
        // long as it; both functions may run on any thread.
        return Ok(Text::Foreign(unsafe {
            ForeignText::new(NonNull::from(ascii), owner, ForeignCount { retain, release })
        }));
    }
    Ok(Text::Owned(utf8(string)?.into_owned()))
}

/// Calls `f` with the text of a string, which is not kept.
///
/// # Errors
///
/// As for [`text`], and those of `f`.
pub(crate) fn with_utf8<T>(
    string: &Bound<'_, PyString>,
    f: impl FnOnce(&str) -> PyResult<T>,
) -> PyResult<T> {
    f(&utf8(string)?)
}

/// The text of a string, borrowed if it is ASCII.
///
/// # Errors
///
/// As for [`text`].
#[inline]
pub(crate) fn utf8<'a>(string: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    if let Some(ascii) = ascii(string) {
        return Ok(Cow::Borrowed(ascii));
    }
    let mut out = Vec::new();
    transcode(string, &mut out)?;
    // SAFETY: `transcode` writes valid UTF-8.
    Ok(Cow::Owned(unsafe { String::from_utf8_unchecked(out) }))
}

/// The Python string that a document's borrowed text belongs to.
pub(crate) fn owner<'py>(py: Python<'py>, text: &ForeignText) -> Bound<'py, PyString> {
    // SAFETY: all foreign texts of this crate are made in `text`, whose owner is a `str`; the
    // reference that `text` holds keeps it alive while a new one is taken.
    unsafe { Bound::from_borrowed_ptr(py, text.owner().as_ptr().cast()).cast_into_unchecked() }
}

/// Takes one more reference for a [`ForeignText`].
///
/// # Safety
///
/// `owner` is a Python object that the caller holds a reference to.
unsafe fn retain(owner: NonNull<()>) {
    Python::attach(|py| {
        // SAFETY: the caller's reference keeps the object alive while a new one is taken.
        unsafe { Bound::<PyAny>::from_borrowed_ptr(py, owner.as_ptr().cast()) }.unbind().into_ptr()
    });
}

/// Gives back the reference that a [`ForeignText`] held.
///
/// # Safety
///
/// `owner` is such a reference, given back once.
unsafe fn release(owner: NonNull<()>) {
    // Documents may end on a thread that is not attached; attaching is what makes the count safe.
    // A text may outlive the interpreter, in a table of another library; there is nothing left to
    // give back to then.
    Python::try_attach(|py| {
        // SAFETY: the caller hands over an owned reference.
        drop(unsafe { Bound::from_owned_ptr(py, owner.as_ptr().cast()) });
    });
}

/// The buffer of an ASCII string.
fn ascii<'a>(string: &'a Bound<'_, PyString>) -> Option<&'a str> {
    let object = string.as_ptr();
    // SAFETY: `object` is a `str`, always in its canonical form; a compact ASCII one holds
    // `PyUnicode_GET_LENGTH` bytes of ASCII at `PyUnicode_DATA`, for as long as it lives.
    unsafe {
        if ffi::PyUnicode_IS_COMPACT_ASCII(object) == 0 {
            return None;
        }
        let len = usize::try_from(ffi::PyUnicode_GET_LENGTH(object)).ok()?;
        let data = ffi::PyUnicode_DATA(object).cast::<u8>();
        Some(std::str::from_utf8_unchecked(slice::from_raw_parts(data, len)))
    }
}

fn transcode(string: &Bound<'_, PyString>, out: &mut Vec<u8>) -> PyResult<()> {
    let object = string.as_ptr();
    // SAFETY: `object` is a `str`; its buffer holds `len` units of the width that its kind says.
    let valid = unsafe {
        let len = usize::try_from(ffi::PyUnicode_GET_LENGTH(object)).unwrap_or(0);
        let data = ffi::PyUnicode_DATA(object);
        match ffi::PyUnicode_KIND(object) {
            ffi::PyUnicode_1BYTE_KIND => write(slice::from_raw_parts(data.cast::<u8>(), len), out),
            ffi::PyUnicode_2BYTE_KIND => write(slice::from_raw_parts(data.cast::<u16>(), len), out),
            _ => write(slice::from_raw_parts(data.cast::<u32>(), len), out),
        }
    };
    if valid {
        return Ok(());
    }
    // Let Python say it: which character, at which position.
    string.call_method1("encode", ("utf-8",))?;
    Err(pyo3::exceptions::PyValueError::new_err("the string is not valid Unicode"))
}

/// Appends code points as UTF-8; false at the first that is a surrogate.
fn write<U: Copy + Into<u32>>(units: &[U], out: &mut Vec<u8>) -> bool {
    out.reserve(units.len() + units.len() / 8 + 4);
    for &unit in units {
        let code: u32 = unit.into();
        match u8::try_from(code) {
            Ok(byte) if byte.is_ascii() => out.push(byte),
            _ => match char::from_u32(code) {
                Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                None => return false,
            },
        }
    }
    true
}
