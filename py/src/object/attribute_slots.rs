//! Attribute slots: one table declares the properties of tokens and lexemes.
//!
//! Unsafe code: the getters are C functions that CPython calls with the object and a pointer to
//! their table entry. This makes `token.is_alpha` as cheap as in Cython, and forty getters one
//! table.
//!
//! A getter first tries a fast path that cannot panic and reads only the word's record; everything
//! else, including errors, takes the general path.
//!
//! Invariants:
//! - **A1** CPython calls getters and setters on attached threads, with an instance of the class
//!   that the descriptor was made for.
//! - **A2** The closure of a descriptor points to a [`Slot`] of a static table.

use std::convert::Infallible;
use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::vocab::{LexIx, LexemeCell, LexemeField};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::object::lexeme_strings::{LexemeStrings, StringColumn};
use crate::object::strings::id_of;
use crate::runtime::once_cell::OnceCell;
use crate::runtime::text::with_utf8;

/// The Python form of an attribute.
#[derive(Clone, Copy)]
enum AttrForm {
    Number,
    Text,
    Flag,
    /// The position of the object in its document; the attribute number is ignored.
    Position,
    /// The character offset of the object; the attribute number is ignored.
    Offset,
    /// True if a space follows the object; the attribute number is ignored.
    Space,
}

/// A property: its name, its attribute, and its text for `help()`.
pub(crate) struct Slot {
    pub(crate) name: &'static CStr,
    attr: AttrId,
    /// The field of the word's record, if a token never has a value of its own.
    field: Option<LexemeField>,
    /// The column of cached strings, if there is one.
    column: Option<StringColumn>,
    form: AttrForm,
    doc: &'static CStr,
}

/// The field of an attribute that a token never has of its own.
const fn field_of(attr: AttrId) -> Option<LexemeField> {
    match attr {
        AttrId::NORM | AttrId::LENGTH => None,
        _ => LexemeField::of(attr),
    }
}

/// A class whose instances have attributes by number.
pub(crate) trait HasAttrs:
    pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync
{
    /// The attribute as a number.
    fn attr(&self, py: Python<'_>, attr: AttrId) -> PyResult<u64>;
    /// The word's record for the fast path; `None` if the general path must be taken. Never panics.
    fn quick_word(&self, py: Python<'_>) -> Option<&LexemeCell>;
    /// The cache of a string attribute, and the word's index in it; `None` if the cached string of
    /// the id may differ from the text of this object.
    fn lexeme_strings(&self, column: StringColumn) -> Option<(&LexemeStrings, LexIx)>;
    /// The cached string of an attribute; `None` as for `quick_word`, or if it is not cached.
    #[inline]
    fn quick_text<'py>(
        &self,
        py: Python<'py>,
        column: StringColumn,
        field: LexemeField,
    ) -> Option<Bound<'py, PyString>> {
        let id = self.quick_word(py)?.field(field);
        let (lexeme_strings, ix) = self.lexeme_strings(column)?;
        lexeme_strings.get(py, ix, column, StrId::new(id))
    }
    /// The position in the document and the character offset; `None` as for `quick_word`.
    fn quick_place(&self, py: Python<'_>) -> Option<(u32, u32)>;
    /// True if a space follows; `None` as for `quick_word`.
    fn quick_space(&self, py: Python<'_>) -> Option<bool>;
    /// True if a space follows, for objects within a document.
    fn space(&self, py: Python<'_>) -> PyResult<bool>;
    /// The position in the document, for objects that have one.
    fn position(&self, py: Python<'_>) -> PyResult<usize>;
    /// The string whose id the attribute is.
    fn attr_text<'py>(&self, py: Python<'py>, attr: AttrId) -> PyResult<Bound<'py, PyString>>;
    /// Returns true if a property of this name can be assigned.
    fn is_writable(name: &CStr) -> bool;
    /// Sets the attribute; flags are 0 or 1.
    fn set_attr(&self, py: Python<'_>, attr: AttrId, value: u64) -> PyResult<()>;
    /// Stores a string and sets the attribute to its id.
    fn set_text(&self, py: Python<'_>, attr: AttrId, text: &str) -> PyResult<()>;
}

macro_rules! slots {
    ($($name:literal $attr:ident $form:ident $doc:literal;)*) => {
        &[$(Slot {
            name: $name,
            attr: AttrId::$attr,
            field: field_of(AttrId::$attr),
            column: StringColumn::of(AttrId::$attr),
            form: AttrForm::$form,
            doc: $doc,
        }),*]
    };
}

/// Properties of words, hence also of their tokens.
pub(crate) static LEXICAL: &[Slot] = slots! {
    c"text" ORTH Text c"The text, verbatim.";
    c"orth_" ORTH Text c"The text, verbatim.";
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
    c"rank" ID Number c"Row in the table of vectors; 2**64-1 if the word has none.";
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
};

/// Properties of a token's position and annotation.
pub(crate) static ANNOTATED: &[Slot] = slots! {
    c"i" ID Position c"Position in the document.";
    c"idx" IDX Offset c"Character offset in the document's text.";
    c"whitespace_" SPACY Space c"A space if one follows, else the empty string.";
    c"lemma" LEMMA Number c"Id of the lemma.";
    c"lemma_" LEMMA Text c"The lemma, the word's base form; empty if it is not set.";
    c"tag" TAG Number c"Id of the fine-grained part of speech.";
    c"tag_" TAG Text c"The fine-grained part of speech.";
    c"pos" POS Number c"Number of the universal part of speech; 0 if it is not set.";
    c"pos_" POS Text c"The universal part of speech, such as NOUN. Assigning another name raises ValueError (E1021).";
    c"dep" DEP Number c"Id of the relation to the head.";
    c"dep_" DEP Text c"The relation to the head, such as nsubj.";
    c"ent_type" ENT_TYPE Number c"Id of the type of the token's entity.";
    c"ent_type_" ENT_TYPE Text c"The type of the token's entity, such as PERSON.";
    c"ent_id" ENT_ID Number c"Id of the token's entity, as a rule gave it.";
    c"ent_id_" ENT_ID Text c"The name of the token's entity, as a rule gave it.";
    c"ent_kb_id" ENT_KB_ID Number c"Id of the token's entity in the knowledge base.";
    c"ent_kb_id_" ENT_KB_ID Text c"The name of the token's entity in the knowledge base.";
    c"ent_iob" ENT_IOB Number c"Position in an entity: 0 unknown, 1 inside, 2 outside, 3 begins one.";
};

/// Adds the properties of a table to a class.
pub(crate) fn install<T: HasAttrs>(py: Python<'_>, slots: &'static [Slot]) -> PyResult<()> {
    let class = py.get_type::<T>();
    for slot in slots {
        let set: ffi::setter = set::<T>;
        let definition = Box::leak(Box::new(ffi::PyGetSetDef {
            name: slot.name.as_ptr(),
            get: Some(getter::<T>(slot)),
            set: T::is_writable(slot.name).then_some(set),
            doc: slot.doc.as_ptr(),
            closure: std::ptr::from_ref(slot).cast_mut().cast(),
        }));
        // SAFETY: A2: the class is a type object, and the definition is leaked.
        let descriptor = unsafe {
            let descriptor = ffi::PyDescr_NewGetSet(class.as_type_ptr(), definition);
            Bound::from_owned_ptr_or_err(py, descriptor)?
        };
        class.setattr(slot.name, descriptor)?;
    }
    Ok(())
}

/// The getter of a property.
fn getter<T: HasAttrs>(slot: &Slot) -> ffi::getter {
    match slot.form {
        AttrForm::Number => get::<T, { AttrForm::Number as u8 }>,
        AttrForm::Text => get::<T, { AttrForm::Text as u8 }>,
        AttrForm::Flag => get::<T, { AttrForm::Flag as u8 }>,
        AttrForm::Position => get::<T, { AttrForm::Position as u8 }>,
        AttrForm::Offset => get::<T, { AttrForm::Offset as u8 }>,
        AttrForm::Space => get::<T, { AttrForm::Space as u8 }>,
    }
}

/// The getter of every property of one [`AttrForm`].
///
/// # Safety
///
/// A1, A2: CPython passes an instance of `T` and the closure that [`install`] set.
unsafe extern "C" fn get<T: HasAttrs, const FORM: u8>(
    object: *mut ffi::PyObject,
    slot: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: A1.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: A1: a getset descriptor checks the object's class.
    let object = unsafe { Borrowed::from_ptr(py, object).cast_unchecked::<T>() };
    // SAFETY: A2.
    let slot = unsafe { &*slot.cast_const().cast::<Slot>() };
    quick::<T, FORM>(py, object.get(), slot).unwrap_or_else(|| whole(py, object.get(), slot))
}

/// The value by the fast path. Must not panic: nothing would catch it.
#[inline]
fn quick<T: HasAttrs, const FORM: u8>(
    py: Python<'_>,
    this: &T,
    slot: &Slot,
) -> Option<*mut ffi::PyObject> {
    if FORM == AttrForm::Flag as u8 {
        let flag = this.quick_word(py)?.flag(slot.attr);
        Some(PyBool::new(py, flag).to_owned().into_ptr())
    } else if FORM == AttrForm::Number as u8 {
        let field = slot.field?;
        Some(number(py, this.quick_word(py)?.field(field)))
    } else if FORM == AttrForm::Text as u8 {
        Some(this.quick_text(py, slot.column?, slot.field?)?.into_ptr())
    } else if FORM == AttrForm::Position as u8 {
        Some(number(py, u64::from(this.quick_place(py)?.0)))
    } else if FORM == AttrForm::Offset as u8 {
        Some(number(py, u64::from(this.quick_place(py)?.1)))
    } else {
        Some(whitespace(py, this.quick_space(py)?))
    }
}

/// The value by the general path, or null with an exception.
fn whole<T: HasAttrs>(py: Python<'_>, this: &T, slot: &Slot) -> *mut ffi::PyObject {
    let value = catch_unwind(AssertUnwindSafe(|| -> PyResult<*mut ffi::PyObject> {
        Ok(match slot.form {
            AttrForm::Flag => PyBool::new(py, this.attr(py, slot.attr)? != 0).to_owned().into_ptr(),
            AttrForm::Number | AttrForm::Offset => number(py, this.attr(py, slot.attr)?),
            AttrForm::Text => this.attr_text(py, slot.attr)?.into_ptr(),
            AttrForm::Position => number(py, this.position(py)? as u64),
            AttrForm::Space => whitespace(py, this.space(py)?),
        })
    }));
    match value {
        Ok(Ok(value)) => value,
        failed => raise(py, failed, std::ptr::null_mut()),
    }
}

fn whitespace(py: Python<'_>, follows: bool) -> *mut ffi::PyObject {
    static STRINGS: OnceCell<[Py<PyString>; 2]> = OnceCell::new();
    let strings = STRINGS.get_or_try_init(py, || {
        Ok::<_, Infallible>(["", " "].map(|string| PyString::new(py, string).unbind()))
    });
    let Ok(strings) = strings;
    strings[usize::from(follows)].clone_ref(py).into_ptr()
}

/// A Python int. CPython creates small ones from a signed number in half the time.
///
/// The limit is chosen so that ids, which are hashes, always take the same path.
#[inline]
fn number(_py: Python<'_>, number: u64) -> *mut ffi::PyObject {
    match i32::try_from(number) {
        // SAFETY: A1: the thread is attached.
        Ok(small) => unsafe { ffi::PyLong_FromLong(small.into()) },
        // SAFETY: A1: the thread is attached.
        Err(_) => unsafe { ffi::PyLong_FromUnsignedLongLong(number) },
    }
}

/// The setter of every property that has one.
///
/// # Safety
///
/// As for [`get`]; `value` is an object, or null to delete the property.
unsafe extern "C" fn set<T: HasAttrs>(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    slot: *mut c_void,
) -> c_int {
    // SAFETY: A1.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: A1: a getset descriptor checks the object's class.
    let object = unsafe { Borrowed::from_ptr(py, object).cast_unchecked::<T>() };
    // SAFETY: A2.
    let slot = unsafe { &*slot.cast_const().cast::<Slot>() };
    let done = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: CPython passes null or an object that it keeps alive.
        let Some(value) = (unsafe { Borrowed::from_ptr_or_opt(py, value) }) else {
            let name = slot.name.to_string_lossy();
            return Err(PyAttributeError::new_err(format!("{name} cannot be deleted")));
        };
        let this = object.get();
        match slot.form {
            AttrForm::Flag => this.set_attr(py, slot.attr, u64::from(value.is_truthy()?)),
            AttrForm::Number | AttrForm::Position | AttrForm::Offset => {
                this.set_attr(py, slot.attr, id_of(&value)?)
            }
            // As in spaCy: a part of speech is always named.
            AttrForm::Text if value.is_none() && slot.attr != AttrId::POS => {
                this.set_text(py, slot.attr, "")
            }
            AttrForm::Text | AttrForm::Space => {
                let text = value.cast::<PyString>().map_err(|_| {
                    let name = slot.name.to_string_lossy();
                    PyTypeError::new_err(format!("{name} is set to a string"))
                })?;
                with_utf8(&text, |text| this.set_text(py, slot.attr, text))
            }
        }
    }));
    match done {
        Ok(Ok(())) => 0,
        failed => raise(py, failed.map(|done| done.map(|()| -1)), -1),
    }
}

/// Raises the error of a failed call, and returns the value that signals it to CPython.
#[cold]
pub(crate) fn raise<T>(py: Python<'_>, failed: std::thread::Result<PyResult<T>>, sign: T) -> T {
    let error = match failed {
        Ok(Ok(value)) => return value,
        Ok(Err(error)) => error,
        Err(_) => PyRuntimeError::new_err("lexpool panicked; this is a bug in lexpool"),
    };
    error.restore(py);
    sign
}
