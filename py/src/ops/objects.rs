//! Objects of registered types: each type a Python class that can be subclassed.
//!
//! Holds unsafe code: classes are made by the C API, of functions that `construct`, `instance`
//! and `methods` have.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lexpool_ops::ObjectClass;
use lexpool_ops::plugin::Owned;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::c_ints::ssize;
use super::instance::{self, FreeSlot, Instance, PreparedClass, Reader};
use super::prepared_op::text_params;
use super::{construct, methods, prepare};

static CLASSES: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);

/// Returns the description of a class by its key, made on first use.
fn known_class(py: Python<'_>, key: &str) -> PyResult<&'static PreparedClass> {
    let lock = || CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = lock().get_or_insert_default().get(key).copied();
    if let Some(known) = found {
        // SAFETY: G7: the map holds addresses of leaked descriptions only.
        return Ok(unsafe { &*(known as *const PreparedClass) });
    }
    let class = lexpool_ops::global().class(key).ok_or_else(|| {
        let text = format!("no registered type has the key {key:?}");
        pyo3::exceptions::PyKeyError::new_err(text)
    })?;
    let known = prepare_class(py, class)?;
    // If two threads race, the first description stays and the other is never used.
    let address = *lock()
        .get_or_insert_default()
        .entry(key.to_owned())
        .or_insert(std::ptr::from_ref(known) as usize);
    // SAFETY: G7.
    Ok(unsafe { &*(address as *const PreparedClass) })
}

/// Describes a class, and makes its class object.
fn prepare_class(py: Python<'_>, class: &Arc<ObjectClass>) -> PyResult<&'static PreparedClass> {
    if class.methods().len() > methods::MAX_METHODS {
        let text = format!("{} has more than {} methods", class.key(), methods::MAX_METHODS);
        return Err(PyValueError::new_err(text));
    }
    let fields = || class.fields().iter();
    let known = |op| prepare::known(py, op);
    let made = Box::new(PreparedClass {
        class: Arc::clone(class),
        constructor: class.constructor().map(known),
        methods: class.methods().iter().map(known).collect(),
        fixed: fields().filter(|field| field.is_fixed()).map(|field| known(field.get())).collect(),
        readers: fields()
            .filter(|field| !field.is_fixed())
            .map(|field| Reader { get: known(field.get()), set: field.set().map(known) })
            .collect(),
        python: AtomicPtr::default(),
        spare: FreeSlot::default(),
    });
    let made = Box::leak(made);
    made.python.store(make_class(py, made)?, Ordering::Release);
    Ok(made)
}

fn text(text: &str) -> *const c_char {
    CString::new(text.replace('\0', "")).expect("no zero is left").into_raw()
}

/// Makes the class object.
fn make_class(py: Python<'_>, known: &'static PreparedClass) -> PyResult<*mut ffi::PyTypeObject> {
    let class = &known.class;
    let mut members = Vec::new();
    let fields = || class.fields().iter();
    for (at, field) in fields().filter(|field| field.is_fixed()).enumerate() {
        let offset = size_of::<Instance>() + at * size_of::<*mut ffi::PyObject>();
        members.push(ffi::PyMemberDef {
            name: text(field.name()),
            type_code: ffi::Py_T_OBJECT_EX,
            offset: ssize(offset),
            flags: ffi::Py_READONLY,
            doc: text(field.doc()),
        });
    }
    // SAFETY: plain C structs, for which all zeros is a valid value and ends the array.
    members.push(unsafe { std::mem::zeroed() });
    let mut getset = vec![ffi::PyGetSetDef {
        name: c"__op_class__".as_ptr(),
        get: Some(instance::get_key),
        set: None,
        doc: c"The name by which the type is registered.".as_ptr(),
        // Leads from a class to its description: see `of_type`.
        closure: std::ptr::from_ref(known).cast_mut().cast(),
    }];
    for (field, reader) in fields().filter(|field| !field.is_fixed()).zip(&known.readers) {
        getset.push(ffi::PyGetSetDef {
            name: text(field.name()),
            get: Some(methods::getter(reader.get)),
            set: reader.set.map(|_| methods::set as ffi::setter),
            doc: text(field.doc()),
            closure: std::ptr::from_ref(reader).cast_mut().cast(),
        });
    }
    // SAFETY: a plain C struct.
    getset.push(unsafe { std::mem::zeroed() });
    let mut definitions: Vec<_> = known
        .methods
        .iter()
        .enumerate()
        .filter_map(|(at, method)| {
            let function = methods::function(at, method)?;
            Some(ffi::PyMethodDef {
                ml_name: method.definition.ml_name,
                ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: function },
                ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
                ml_doc: method.definition.ml_doc,
            })
        })
        .collect();
    // SAFETY: a plain C struct.
    definitions.push(unsafe { std::mem::zeroed() });
    let doc = match known.constructor {
        Some(new) => {
            let params = text_params(new.op.params());
            let name = class.key().rsplit('.').next().unwrap_or_default();
            format!("{name}({params})\n--\n\n{}\n\n{}", class.doc(), new.op.doc())
        }
        None => class.doc().to_owned(),
    };
    let slot = |slot: c_int, at: *mut c_void| ffi::PyType_Slot { slot, pfunc: at };
    let mut slots = [
        slot(ffi::Py_tp_doc, text(&doc).cast_mut().cast()),
        slot(ffi::Py_tp_new, construct::new as *mut c_void),
        slot(ffi::Py_tp_dealloc, instance::dealloc as *mut c_void),
        slot(ffi::Py_tp_members, members.leak().as_mut_ptr().cast()),
        slot(ffi::Py_tp_getset, getset.leak().as_mut_ptr().cast()),
        slot(ffi::Py_tp_methods, definitions.leak().as_mut_ptr().cast()),
        slot(0, std::ptr::null_mut()),
    ];
    // The interpreter caches look-ups in immutable types.
    let flags = ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_BASETYPE | ffi::Py_TPFLAGS_IMMUTABLETYPE;
    let mut spec = ffi::PyType_Spec {
        name: text(&format!("lexpool.ops.{}", class.key())),
        basicsize: c_int::try_from(known.size()).unwrap_or(c_int::MAX),
        itemsize: 0,
        flags: flags.try_into().unwrap_or_default(),
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the specification is complete, and what it points to is leaked (G7).
    unsafe {
        let class = ffi::PyType_FromSpec(&raw mut spec);
        let class = Bound::from_owned_ptr_or_err(py, class)?;
        let class = class.into_ptr().cast::<ffi::PyTypeObject>();
        #[cfg(not(Py_LIMITED_API))]
        {
            (*class).tp_vectorcall = Some(construct::vectorcall);
        }
        Ok(class)
    }
}

/// Wraps an object that an op returned.
pub(super) fn give(py: Python<'_>, owned: Owned<'static>) -> PyResult<Py<PyAny>> {
    let key = owned.get().as_object().map(|object| object.key().to_owned());
    let prepared = known_class(py, &key.unwrap_or_default())?;
    // SAFETY: the class is the known one's own.
    unsafe {
        let object = construct::wrap(prepared, prepared.python(), owned);
        Ok(Bound::from_owned_ptr_or_err(py, object)?.unbind())
    }
}

/// Returns the class of a registered type. Raises KeyError if no type has the key.
#[pyfunction]
// stub: -> type[Any]
fn object_class(py: Python<'_>, key: &str) -> PyResult<Py<PyAny>> {
    let prepared = known_class(py, key)?;
    // SAFETY: G7.
    Ok(unsafe { Bound::from_borrowed_ptr(py, prepared.python().cast()) }.unbind())
}

/// Returns the names of all registered types, sorted.
#[pyfunction]
fn object_classes() -> Vec<String> {
    let mut keys: Vec<_> =
        lexpool_ops::global().classes().map(|class| class.key().to_owned()).collect();
    keys.sort();
    keys
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(object_class, module)?)?;
    module.add_function(wrap_pyfunction!(object_classes, module)?)
}
