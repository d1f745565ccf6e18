//! Python strings as UTF-8: ASCII strings are borrowed, others are transcoded, and nothing is
//! cached.
//!
//! `PyUnicode_AsUTF8` would keep a UTF-8 copy inside of every string; a corpus would be in memory
//! twice. So the bytes are written to memory of the core.
//!
//! Unsafe code: reads the buffers of `str` objects.
//!
//! Invariants:
//! - **T1** A `str` is immutable and in its canonical form; its buffer lives as long as the object.
//! - **T2** Every [`ForeignText`] of this crate is created in [`text`](text()), and owns one
//!   reference to its `str`.

use std::borrow::Cow;
use std::ptr::NonNull;
use std::slice;

use lexpool::tokenizer::Text;
use lexpool::tokens::{ForeignCount, ForeignText};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The text of a string: borrowed and kept alive if it is ASCII and exactly of the class `str`,
/// else copied.
///
/// # Errors
///
/// `UnicodeEncodeError` for a lone surrogate, with its position.
pub(crate) fn text(string: &Bound<'_, PyString>) -> PyResult<Text> {
    // An instance of a subclass of `str` may refer to its document, and the collector would not see
    // the reference back.
    if let Some(ascii) = ascii(string).filter(|_| string.is_exact_instance_of::<PyString>()) {
        let owner = string.clone().unbind().into_ptr();
        let owner = NonNull::new(owner.cast()).expect("a Python object is not null");
        // SAFETY: T1, T2: `owner` is a new reference to the string whose buffer is borrowed; both
        // functions may run on any thread.
        return Ok(Text::Foreign(unsafe {
            ForeignText::new(NonNull::from(ascii), owner, ForeignCount { retain, release })
        }));
    }
    Ok(Text::Owned(utf8(string)?.into_owned()))
}

/// Calls `f` with the text of a string, without keeping it.
///
/// # Errors
///
/// As for [`text`](text()), and those of `f`.
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
/// As for [`text`](text()).
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

/// A string and its text, which is copied unless it is ASCII.
pub(crate) enum Utf8<'py> {
    Ascii(Bound<'py, PyString>),
    Owned(String),
}

impl<'py> Utf8<'py> {
    /// Takes the characters of a string; copies them unless they are ASCII.
    ///
    /// # Errors
    ///
    /// As for [`text`](text()).
    #[inline]
    pub(crate) fn of(string: Bound<'py, PyString>) -> PyResult<Utf8<'py>> {
        if ascii(&string).is_some() {
            return Ok(Utf8::Ascii(string));
        }
        Ok(Utf8::Owned(utf8(&string)?.into_owned()))
    }
}

impl AsRef<str> for Utf8<'_> {
    #[inline]
    fn as_ref(&self) -> &str {
        match self {
            Utf8::Ascii(string) => ascii(string).unwrap_or_default(),
            Utf8::Owned(text) => text,
        }
    }
}

/// The Python string that a document's borrowed text belongs to.
pub(crate) fn owner<'py>(py: Python<'py>, text: &ForeignText) -> Bound<'py, PyString> {
    // SAFETY: T2: the owner is a `str`, which the reference of `text` keeps alive.
    unsafe { Bound::from_borrowed_ptr(py, text.owner().as_ptr().cast()).cast_into_unchecked() }
}

/// Takes one more reference for a [`ForeignText`].
///
/// # Safety
///
/// `owner` is a Python object that the caller has a reference to.
unsafe fn retain(owner: NonNull<()>) {
    Python::attach(|py| {
        // SAFETY: the caller's reference keeps the object alive.
        unsafe { Bound::<PyAny>::from_borrowed_ptr(py, owner.as_ptr().cast()) }.unbind().into_ptr()
    });
}

/// Releases the reference of a [`ForeignText`].
///
/// # Safety
///
/// `owner` is such a reference, and is released once.
unsafe fn release(owner: NonNull<()>) {
    // A document may be dropped on a detached thread, hence `attach`. A text may
    // outlive the interpreter, in a table of another library; then there is nothing to release.
    Python::try_attach(|py| {
        // SAFETY: T2: the caller passes the owned reference.
        drop(unsafe { Bound::from_owned_ptr(py, owner.as_ptr().cast()) });
    });
}

/// The buffer of an ASCII string; `None` for other strings.
fn ascii<'a>(string: &'a Bound<'_, PyString>) -> Option<&'a str> {
    let object = string.as_ptr();
    // SAFETY: T1: a compact ASCII string has `PyUnicode_GET_LENGTH` bytes of ASCII at
    // `PyUnicode_DATA`.
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
    // SAFETY: T1: the buffer has `len` units of the width that its kind gives.
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
    // Python raises the error with the character and its position.
    string.call_method1("encode", ("utf-8",))?;
    Err(pyo3::exceptions::PyValueError::new_err("the string is not valid Unicode"))
}

/// Appends code points as UTF-8. Returns false at the first surrogate.
///
/// Blocks of ASCII are narrowed at once; others go through a buffer, for a vector would check its
/// capacity for each character.
fn write<U: Copy + Into<u32>>(units: &[U], out: &mut Vec<u8>) -> bool {
    out.reserve(units.len() + units.len() / 8 + 4);
    for block in units.chunks(BLOCK) {
        let mut buffer = [0; 4 * BLOCK];
        let mut len = 0;
        if block.iter().all(|&unit| unit.into() < 0x80) {
            for (byte, &unit) in buffer.iter_mut().zip(block) {
                *byte = low_byte(unit.into());
            }
            len = block.len();
        } else {
            for &unit in block {
                let Some(c) = char::from_u32(unit.into()) else { return false };
                // At most four bytes a unit, for which the buffer has room.
                len += c.encode_utf8(&mut buffer[len..]).len();
            }
        }
        out.extend_from_slice(&buffer[..len]);
    }
    true
}

/// The number of code points that are written together.
const BLOCK: usize = 16;

#[expect(clippy::cast_possible_truncation, reason = "the code points of ASCII")]
fn low_byte(unit: u32) -> u8 {
    unit as u8
}
