//! Attribute slots: one declaration for the getters that tokens and lexemes share.
//!
//! Holds unsafe code: the getters are C functions that CPython calls with the object and with a
//! pointer to their declaration. This is what makes `token.is_alpha` as cheap as in Cython, and
//! forty getters one table.

use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool::structs::AttrId;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

/// How an attribute is given to Python.
#[derive(Clone, Copy)]
enum Form {
    Number,
    Text,
    Flag,
}

/// One property: its name, what it reads, and what `help()` says of it.
struct Slot {
    name: &'static CStr,
    attr: AttrId,
    form: Form,
    doc: &'static CStr,
}

/// A class whose instances have lexical attributes.
pub(crate) trait HasAttrs:
    pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync
{
    /// The attribute as a number.
    fn attr(&self, attr: AttrId) -> u64;
    /// The attribute as the string whose id it is.
    fn attr_text<'py>(&self, py: Python<'py>, attr: AttrId) -> PyResult<Bound<'py, PyString>>;
}

macro_rules! slots {
    ($($name:literal $attr:ident $form:ident $doc:literal;)*) => {
        static SLOTS: &[Slot] = &[$(Slot {
            name: $name,
            attr: AttrId::$attr,
            form: Form::$form,
            doc: $doc,
        }),*];
    };
}

slots! {
    c"orth" ORTH Number c"Id of the text.";
    c"lower" LOWER Number c"Id of the lower-cased form.";
    c"lower_" LOWER Text c"The lower-cased form.";
    c"norm" NORM Number c"Id of the norm.";
    c"norm_" NORM Text c"The norm: the token's own if a special case gave it one, else the word's.";
    c"shape" SHAPE Number c"Id of the shape.";
    c"shape_" SHAPE Text c"The shape, such as Xxxxx or dddd; runs are cut at four.";
    c"prefix" PREFIX Number c"Id of the first character.";
    c"prefix_" PREFIX Text c"The first character.";
    c"suffix" SUFFIX Number c"Id of the last three characters.";
    c"suffix_" SUFFIX Text c"The last three characters.";
    c"lang" LANG Number c"Id of the language code.";
    c"lang_" LANG Text c"The language code.";
    c"rank" ID Number c"Row in the table of vectors; 2**64-1 for none.";
    c"is_alpha" IS_ALPHA Flag c"All characters are letters.";
    c"is_ascii" IS_ASCII Flag c"All characters are ASCII.";
    c"is_digit" IS_DIGIT Flag c"All characters are digits.";
    c"is_lower" IS_LOWER Flag c"All cased characters are lower case, and there is one.";
    c"is_upper" IS_UPPER Flag c"All cased characters are upper case, and there is one.";
    c"is_title" IS_TITLE Flag c"Written as a title: each word begins with upper case.";
    c"is_punct" IS_PUNCT Flag c"All characters are punctuation.";
    c"is_space" IS_SPACE Flag c"All characters are whitespace.";
    c"is_bracket" IS_BRACKET Flag c"A bracket.";
    c"is_quote" IS_QUOTE Flag c"A quotation mark.";
    c"is_left_punct" IS_LEFT_PUNCT Flag c"An opening bracket or quotation mark.";
    c"is_right_punct" IS_RIGHT_PUNCT Flag c"A closing bracket or quotation mark.";
    c"is_currency" IS_CURRENCY Flag c"All characters are currency signs.";
    c"is_stop" IS_STOP Flag c"In the language's list of stop words.";
    c"like_url" LIKE_URL Flag c"Resembles a URL.";
    c"like_num" LIKE_NUM Flag c"Resembles a number: digits, fractions, number words.";
    c"like_email" LIKE_EMAIL Flag c"Resembles an e-mail address.";
}

/// Gives a class the properties of the table.
pub(crate) fn install<T: HasAttrs>(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<T>();
    for slot in SLOTS {
        let definition = Box::leak(Box::new(ffi::PyGetSetDef {
            name: slot.name.as_ptr(),
            get: Some(get::<T>),
            set: None,
            doc: slot.doc.as_ptr(),
            closure: std::ptr::from_ref(slot).cast_mut().cast(),
        }));
        // SAFETY: the class is a type object, and the definition lives for ever.
        let descriptor = unsafe {
            let descriptor = ffi::PyDescr_NewGetSet(class.as_type_ptr(), definition);
            Bound::from_owned_ptr_or_err(py, descriptor)?
        };
        class.setattr(slot.name, descriptor)?;
    }
    Ok(())
}

/// The getter behind every property.
///
/// # Safety
///
/// For CPython: `object` is an instance of `T`, `slot` the closure that [`install`] gave, and the
/// thread is attached.
unsafe extern "C" fn get<T: HasAttrs>(
    object: *mut ffi::PyObject,
    slot: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: CPython calls getters only from threads that are attached.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: a getset descriptor checks that the object is of its class.
    let object = unsafe { Borrowed::from_ptr(py, object).cast_unchecked::<T>() };
    // SAFETY: the closure is an element of `SLOTS`.
    let slot = unsafe { &*slot.cast_const().cast::<Slot>() };
    let value = catch_unwind(AssertUnwindSafe(|| -> PyResult<*mut ffi::PyObject> {
        let this = object.get();
        Ok(match slot.form {
            Form::Flag => PyBool::new(py, this.attr(slot.attr) != 0).to_owned().into_ptr(),
            Form::Number => this.attr(slot.attr).into_pyobject(py)?.into_ptr(),
            Form::Text => this.attr_text(py, slot.attr)?.into_ptr(),
        })
    }));
    let error = match value {
        Ok(Ok(value)) => return value,
        Ok(Err(error)) => error,
        Err(_) => PyRuntimeError::new_err("a getter of lexpool panicked; this is a bug in lexpool"),
    };
    error.restore(py);
    std::ptr::null_mut()
}
