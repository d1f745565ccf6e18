//! Look-up of properties by the address of their name, in place of CPython's general look-up.
//!
//! The interpreter has an inline cache for methods and slots, but not for the properties of C
//! classes: each `token.lower` searches the method cache, takes a reference to a descriptor and
//! checks the object's class again. A class with a [`PropertyTable`] looks in a hash table of its
//! properties first, from the address of the interned name to the C getter. All other names take
//! the general look-up.
//!
//! A table holds for one version tag of the class, by which the interpreter's own inline caches
//! hold too ([PEP 659](https://peps.python.org/pep-0659/)): a class that was changed, for example
//! by a test that replaces a property, has another tag.
//!
//! Unsafe code: a slot of a class and the fields of descriptors.
//!
//! Invariants:
//! - **L1** CPython calls the slot on attached threads, with an instance of the class and a `str`.
//! - **L2** A table is never freed, and its names are references that it owns: an equal address is
//!   an equal name.
//! - **L3** A table has getters of descriptors that were made for its class, so that they take its
//!   instances. A getter and its closure stay valid while the class has the table's version tag,
//!   since its dict owns the descriptor then.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

/// A class whose properties are looked up in a table.
pub(crate) trait HasProperties: pyo3::PyClass {
    /// The present table of the class.
    fn table() -> &'static PropertyTable;
}

/// Replaces the attribute look-up of a class.
pub(crate) fn install<T: HasProperties>(py: Python<'_>) {
    let class = py.get_type::<T>().as_type_ptr();
    // SAFETY: the class is this module's and not used yet, and the function has the slot's type.
    unsafe {
        (*class).tp_getattro = Some(get_attribute::<T>);
        ffi::PyType_Modified(class);
    }
}

/// The table of a class, made anew when the class changes.
pub(crate) struct PropertyTable {
    present: AtomicPtr<Properties>,
    count: AtomicU8,
}

/// A program that changes a class more often gets the general look-up, since old tables stay.
const MAX_TABLES: u8 = 16;

impl PropertyTable {
    pub(crate) const fn new() -> PropertyTable {
        PropertyTable { present: AtomicPtr::new(ptr::null_mut()), count: AtomicU8::new(0) }
    }

    #[inline]
    fn get(&self) -> Option<&'static Properties> {
        // SAFETY: L2: null or a leaked table.
        unsafe { self.present.load(Ordering::Acquire).as_ref() }
    }

    #[cold]
    fn renew(&self, class: &Bound<'_, PyType>) {
        if self.count.load(Ordering::Relaxed) >= MAX_TABLES {
            return;
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        if let Ok(table) = Properties::of(class) {
            self.present.store(Box::into_raw(Box::new(table)), Ordering::Release);
        }
    }
}

/// The properties of a class at one version: an open-addressing table of names.
struct Properties {
    /// The class's version tag; 0 if it has none.
    version: u32,
    entries: [Entry; ENTRIES],
}

/// More than twice the properties of any class, and a power of two.
const ENTRIES: usize = 256;

#[derive(Clone, Copy)]
struct Entry {
    /// Null if the entry is empty.
    name: *const ffi::PyObject,
    get: ffi::getter,
    closure: *mut c_void,
}

impl Properties {
    fn of(class: &Bound<'_, PyType>) -> PyResult<Properties> {
        // A look-up gives the class a version tag.
        class.getattr("__doc__")?;
        // SAFETY: L1: a class is a type object.
        let version = unsafe { (*class.as_type_ptr()).tp_version_tag };
        let empty = Entry { name: ptr::null(), get: no_value, closure: ptr::null_mut() };
        let mut table = Properties { version, entries: [empty; ENTRIES] };
        let dict = class.getattr("__dict__")?;
        let dict = class.py().get_type::<PyDict>().call1((dict,))?.cast_into::<PyDict>()?;
        for (name, descriptor) in dict {
            if let Some((get, closure)) = getter_of(&descriptor, class) {
                table.enter(name.cast_into::<PyString>()?, get, closure);
            }
        }
        Ok(table)
    }

    fn enter(&mut self, name: Bound<'_, PyString>, get: ffi::getter, closure: *mut c_void) {
        let used = self.entries.iter().filter(|entry| !entry.name.is_null()).count();
        if used >= ENTRIES / 2 {
            return;
        }
        // The names of a class's dict are interned.
        let name = name.into_ptr().cast_const();
        let mut at = place_of(name);
        while !self.entries[at].name.is_null() {
            at = (at + 1) % ENTRIES;
        }
        self.entries[at] = Entry { name, get, closure };
    }

    /// The entry of a name. Ends at an empty entry, of which `enter` leaves half.
    #[inline]
    fn find(&self, name: *const ffi::PyObject) -> Option<&Entry> {
        let mut at = place_of(name);
        loop {
            let entry = &self.entries[at];
            if entry.name == name {
                return Some(entry);
            }
            if entry.name.is_null() {
                return None;
            }
            at = (at + 1) % ENTRIES;
        }
    }
}

#[inline]
fn place_of(name: *const ffi::PyObject) -> usize {
    // Objects are aligned to 16 bytes; strings of one length are often neighbours.
    let address = name.addr() >> 4;
    (address ^ (address >> 7)) % ENTRIES
}

/// The getter behind a descriptor that was made for this class. A program may have assigned one of
/// another class, whose getter must not be called with these objects.
fn getter_of(
    descriptor: &Bound<'_, PyAny>,
    class: &Bound<'_, PyType>,
) -> Option<(ffi::getter, *mut c_void)> {
    // SAFETY: the type is the exact one of these fields, and a definition outlives its descriptor.
    let definition = unsafe {
        if ffi::Py_TYPE(descriptor.as_ptr()) != &raw mut ffi::PyGetSetDescr_Type {
            return None;
        }
        let descriptor = &*descriptor.as_ptr().cast::<ffi::PyGetSetDescrObject>();
        if descriptor.d_common.d_type != class.as_type_ptr() {
            return None;
        }
        &*descriptor.d_getset
    };
    Some((definition.get?, definition.closure))
}

/// The getter of empty entries.
unsafe extern "C" fn no_value(_: *mut ffi::PyObject, _: *mut c_void) -> *mut ffi::PyObject {
    ptr::null_mut()
}

/// `object.name`.
///
/// # Safety
///
/// L1: an instance of the class, and a `str`.
unsafe extern "C" fn get_attribute<T: HasProperties>(
    object: *mut ffi::PyObject,
    name: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: L1.
    let version = unsafe { (*ffi::Py_TYPE(object)).tp_version_tag };
    match T::table().get() {
        Some(properties) if properties.version == version && version != 0 => {
            if let Some(entry) = properties.find(name) {
                // SAFETY: L3: the class has the table's version.
                return unsafe { (entry.get)(object, entry.closure) };
            }
        }
        _ => {
            // SAFETY: L1.
            let py = unsafe { Python::assume_attached() };
            T::table().renew(&py.get_type::<T>());
        }
    }
    // SAFETY: L1.
    unsafe { ffi::PyObject_GenericGetAttr(object, name) }
}
