//! Objects of registered types: each type a Python class that can be subclassed.
//!
//! Holds unsafe code: classes are made by the C API, and their objects laid out by hand: a header, the
//! class's description, a reference to the object, and what never changes as Python objects, which the
//! interpreter reads without a call. Methods and constructors are called by the way of ops.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lexpool::registry::plugin::{ObjectC, Owned, OwnedC, Tag};
use lexpool::registry::{self, ObjectClass, Value};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::op::Known;
use super::{call, failure};

/// An object of such a class.
#[repr(C)]
struct Instance {
    head: ffi::PyObject,
    known: *const KnownClass,
    /// One reference; null in an object that was never made.
    object: *const ObjectC,
    // As many Python objects follow as the class has fields that never change.
}

/// What is known of a class. Lives as long as the process, as its definitions have to.
struct KnownClass {
    class: Arc<ObjectClass>,
    constructor: Option<&'static Known>,
    methods: Vec<&'static Known>,
    fixed: Vec<&'static Known>,
    readers: Vec<Reader>,
    /// The class itself; set once, when it is made.
    python: AtomicPtr<ffi::PyTypeObject>,
}

struct Reader {
    get: &'static Known,
    set: Option<&'static Known>,
}

// SAFETY: it is written before anybody else sees it, and then only read.
unsafe impl Send for KnownClass {}
// SAFETY: as above.
unsafe impl Sync for KnownClass {}

/// How many methods a class has at most: one function of C's stands behind each number.
const MOST_METHODS: usize = 32;

static CLASSES: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);

/// What is known of the class of a key, made when it is first asked for.
fn known_class(py: Python<'_>, key: &str) -> PyResult<&'static KnownClass> {
    let lock = || CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = lock().get_or_insert_default().get(key).copied();
    if let Some(known) = found {
        // SAFETY: only classes that were leaked are in the map.
        return Ok(unsafe { &*(known as *const KnownClass) });
    }
    let class = registry::global().class(key).ok_or_else(|| {
        let text = format!("there is no type of objects {key:?}");
        pyo3::exceptions::PyKeyError::new_err(text)
    })?;
    let known = KnownClass::new(py, class)?;
    // Of two threads that come at once one class is kept, and the other is never used.
    let address = *lock()
        .get_or_insert_default()
        .entry(key.to_owned())
        .or_insert(std::ptr::from_ref(known) as usize);
    // SAFETY: as above.
    Ok(unsafe { &*(address as *const KnownClass) })
}

impl KnownClass {
    fn new(py: Python<'_>, class: &Arc<ObjectClass>) -> PyResult<&'static KnownClass> {
        if class.methods().len() > MOST_METHODS {
            let text = format!("{} has more than {MOST_METHODS} methods", class.key());
            return Err(PyValueError::new_err(text));
        }
        let fields = || class.fields().iter();
        let known = |op| super::op::known(py, op);
        let made = Box::new(KnownClass {
            class: Arc::clone(class),
            constructor: class.constructor().map(known).transpose()?,
            methods: class.methods().iter().map(known).collect::<PyResult<_>>()?,
            fixed: fields()
                .filter(|field| field.is_fixed())
                .map(|field| known(field.get()))
                .collect::<PyResult<_>>()?,
            readers: fields()
                .filter(|field| !field.is_fixed())
                .map(|field| {
                    let set = field.set().map(known).transpose()?;
                    Ok(Reader { get: known(field.get())?, set })
                })
                .collect::<PyResult<_>>()?,
            python: AtomicPtr::default(),
        });
        let made = Box::leak(made);
        made.python.store(make_class(py, made)?, Ordering::Release);
        Ok(made)
    }

    fn python(&self) -> *mut ffi::PyTypeObject {
        self.python.load(Ordering::Acquire)
    }

    fn size(&self) -> usize {
        size_of::<Instance>() + self.fixed.len() * size_of::<*mut ffi::PyObject>()
    }
}

fn text(text: &str) -> *const c_char {
    CString::new(text.replace('\0', "")).expect("no zero is left").into_raw()
}

/// Makes the class.
fn make_class(py: Python<'_>, known: &'static KnownClass) -> PyResult<*mut ffi::PyTypeObject> {
    let class = &known.class;
    let mut members = Vec::new();
    let fields = || class.fields().iter();
    for (at, field) in fields().filter(|field| field.is_fixed()).enumerate() {
        let offset = size_of::<Instance>() + at * size_of::<*mut ffi::PyObject>();
        members.push(ffi::PyMemberDef {
            name: text(field.name()),
            type_code: ffi::Py_T_OBJECT_EX,
            offset: offset.cast_signed(),
            flags: ffi::Py_READONLY,
            doc: text(field.doc()),
        });
    }
    // SAFETY: plain structs of C's, for which zeros are the end of a row.
    members.push(unsafe { std::mem::zeroed() });
    let mut getset = vec![ffi::PyGetSetDef {
        name: c"__op_class__".as_ptr(),
        get: Some(get_key),
        set: None,
        doc: c"The name by which the type is registered.".as_ptr(),
        // The way from a class to what is known of it: see `of_type`.
        closure: std::ptr::from_ref(known).cast_mut().cast(),
    }];
    for (field, reader) in fields().filter(|field| !field.is_fixed()).zip(&known.readers) {
        getset.push(ffi::PyGetSetDef {
            name: text(field.name()),
            get: Some(get_field),
            set: reader.set.map(|_| set_field as ffi::setter),
            doc: text(field.doc()),
            closure: std::ptr::from_ref(reader).cast_mut().cast(),
        });
    }
    // SAFETY: as above.
    getset.push(unsafe { std::mem::zeroed() });
    let mut methods: Vec<_> = known
        .methods
        .iter()
        .zip(METHODS)
        .map(|(method, function)| ffi::PyMethodDef {
            ml_name: method.definition.ml_name,
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: function },
            ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            ml_doc: method.definition.ml_doc,
        })
        .collect();
    // SAFETY: as above.
    methods.push(unsafe { std::mem::zeroed() });
    let doc = match known.constructor {
        Some(new) => {
            let params = super::op::text_params(new.op.params());
            let name = class.key().rsplit('.').next().unwrap_or_default();
            format!("{name}({params})\n--\n\n{}\n\n{}", class.doc(), new.op.doc())
        }
        None => class.doc().to_owned(),
    };
    let slot = |slot: c_int, at: *mut c_void| ffi::PyType_Slot { slot, pfunc: at };
    let mut slots = [
        slot(ffi::Py_tp_doc, text(&doc).cast_mut().cast()),
        slot(ffi::Py_tp_new, new as *mut c_void),
        slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
        slot(ffi::Py_tp_members, members.leak().as_mut_ptr().cast()),
        slot(ffi::Py_tp_getset, getset.leak().as_mut_ptr().cast()),
        slot(ffi::Py_tp_methods, methods.leak().as_mut_ptr().cast()),
        slot(0, std::ptr::null_mut()),
    ];
    let flags = ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_BASETYPE;
    let mut spec = ffi::PyType_Spec {
        name: text(&format!("lexpool.ops.{}", class.key())),
        basicsize: c_int::try_from(known.size()).unwrap_or(c_int::MAX),
        itemsize: 0,
        flags: flags.try_into().unwrap_or_default(),
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the description is whole, and what it points to lives for good.
    unsafe {
        let made = ffi::PyType_FromSpec(&raw mut spec);
        let made = Bound::from_owned_ptr_or_err(py, made)?;
        let class = made.into_ptr().cast::<ffi::PyTypeObject>();
        #[cfg(not(Py_LIMITED_API))]
        {
            (*class).tp_vectorcall = Some(vectorcall);
        }
        Ok(class)
    }
}

/// What is known of a class of these, or of the one that a class inherits from.
///
/// # Safety
///
/// The type lives.
unsafe fn of_type(mut class: *mut ffi::PyTypeObject) -> Option<&'static KnownClass> {
    while !class.is_null() {
        // SAFETY: a type that lives, and its bases live with it.
        unsafe {
            let ours: ffi::destructor = dealloc;
            if (*class).tp_dealloc.is_some_and(|theirs| std::ptr::fn_addr_eq(theirs, ours)) {
                // Only classes of `make_class` are freed so, and the first of their properties leads to
                // what is known.
                return (*(*class).tp_getset).closure.cast::<KnownClass>().as_ref();
            }
            class = (*class).tp_base;
        }
    }
    None
}

/// The instance behind an object of any class that inherits from one of these.
///
/// # Safety
///
/// The object lives.
unsafe fn instance(object: *mut ffi::PyObject) -> Option<*mut Instance> {
    // SAFETY: as the caller promises.
    unsafe { of_type(ffi::Py_TYPE(object)).map(|_| object.cast()) }
}

/// `Class(...)`.
///
/// # Safety
///
/// For CPython.
unsafe extern "C" fn vectorcall(
    class: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    flags: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as CPython promises.
    let made = catch_unwind(AssertUnwindSafe(|| unsafe {
        let n = ffi::PyVectorcall_NARGS(flags).unsigned_abs();
        construct(class.cast(), args, n, names)
    }));
    made.unwrap_or_else(|_| failure::set_panicked())
}

/// `Subclass(...)`: with a tuple and a dict.
///
/// # Safety
///
/// For CPython.
unsafe extern "C" fn new(
    class: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let made = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| {
            // SAFETY: CPython gives a tuple, and a dict or null.
            unsafe {
                let args = Bound::<PyAny>::from_borrowed_ptr(py, args);
                let mut given: Vec<_> = args.try_iter()?.collect::<PyResult<_>>()?;
                let n = given.len();
                let mut names = Vec::new();
                if let Some(kwargs) = Bound::<PyAny>::from_borrowed_ptr_or_opt(py, kwargs) {
                    for (name, value) in kwargs.cast::<pyo3::types::PyDict>()?.iter() {
                        names.push(name);
                        given.push(value);
                    }
                }
                let names = match names.is_empty() {
                    true => None,
                    false => Some(pyo3::types::PyTuple::new(py, names)?),
                };
                let names_at = names.as_ref().map_or(std::ptr::null_mut(), |names| names.as_ptr());
                let given: Vec<_> = given.iter().map(|object| object.as_ptr()).collect();
                PyResult::Ok(construct(class, given.as_ptr(), n, names_at))
            }
        })
    }));
    match made {
        Ok(Ok(object)) => object,
        Ok(Err(error)) => {
            Python::attach(|py| error.restore(py));
            std::ptr::null_mut()
        }
        Err(_) => failure::set_panicked(),
    }
}

/// # Safety
///
/// `class` is one of these or inherits from one; `args` as for a trampoline.
unsafe fn construct(
    class: *mut ffi::PyTypeObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as the caller promises.
    unsafe {
        let Some(known) = of_type(class) else { return failure::set_panicked() };
        let Some(constructor) = known.constructor else {
            let text = format!("{} objects are made by ops, not by Python", known.class.key());
            Python::attach(|py| PyTypeError::new_err(text).restore(py));
            return std::ptr::null_mut();
        };
        match call::call_for_value(constructor, args, n, names) {
            Some(owned) => wrap(known, class, owned),
            None => std::ptr::null_mut(),
        }
    }
}

/// An instance that has an object; null with an exception set.
///
/// # Safety
///
/// `class` is the known one or inherits from it; the GIL is held.
unsafe fn wrap(
    known: &'static KnownClass,
    class: *mut ffi::PyTypeObject,
    owned: Owned<'static>,
) -> *mut ffi::PyObject {
    let right = owned.get().as_object().is_some_and(|object| object.key() == known.class.key());
    if !right {
        let text = format!("an op that makes {} gave {:?}", known.class.key(), owned.get());
        Python::attach(|py| PyRuntimeError::new_err(text).restore(py));
        return std::ptr::null_mut();
    }
    // SAFETY: as the caller promises; fresh memory of the class's size, all zeros.
    unsafe {
        let made = ffi::PyType_GenericAlloc(class, 0);
        if made.is_null() {
            return made;
        }
        let instance = made.cast::<Instance>();
        (*instance).known = known;
        (*instance).object = owned.into_c().bits as usize as *const ObjectC;
        let fixed = instance.add(1).cast::<*mut ffi::PyObject>();
        for (at, field) in known.fixed.iter().enumerate() {
            let value = call::call(field, &raw const made, 1, std::ptr::null_mut());
            if value.is_null() {
                ffi::Py_DECREF(made);
                return std::ptr::null_mut();
            }
            fixed.add(at).write(value);
        }
        made
    }
}

/// # Safety
///
/// For CPython: an object of such a class, without references.
unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: as CPython promises; nobody looks at the object again.
    unsafe {
        let class = ffi::Py_TYPE(object);
        let instance = object.cast::<Instance>();
        if let Some(known) = (*instance).known.as_ref() {
            let fixed = instance.add(1).cast::<*mut ffi::PyObject>();
            for at in 0..known.fixed.len() {
                ffi::Py_XDECREF(*fixed.add(at));
            }
        }
        let head = (*instance).object.cast_mut().cast::<OwnedC>();
        if !head.is_null() {
            ((*head).release)(head);
        }
        let free = (*class).tp_free.unwrap_or(ffi::PyObject_Free);
        free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}

/// # Safety
///
/// For CPython: an object of such a class, and the closure of its first property.
unsafe extern "C" fn get_key(_: *mut ffi::PyObject, closure: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: the closure is what is known of the class.
    let key = unsafe { &*closure.cast::<KnownClass>() }.class.key();
    let len = key.len().cast_signed();
    // SAFETY: the GIL is held; the key has as many bytes.
    unsafe { ffi::PyUnicode_FromStringAndSize(key.as_ptr().cast(), len) }
}

/// # Safety
///
/// For CPython: an object of such a class, and the closure of one of its properties.
unsafe extern "C" fn get_field(
    object: *mut ffi::PyObject,
    closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: as CPython promises; the closure is a reader.
    let called = catch_unwind(AssertUnwindSafe(|| unsafe {
        let reader = &*closure.cast::<Reader>();
        call::call(reader.get, &raw const object, 1, std::ptr::null_mut())
    }));
    called.unwrap_or_else(|_| failure::set_panicked())
}

/// # Safety
///
/// As for `get_field`; `value` is null where the property is deleted.
unsafe extern "C" fn set_field(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    closure: *mut c_void,
) -> c_int {
    if value.is_null() {
        let text = "a field of an object cannot be deleted";
        Python::attach(|py| PyTypeError::new_err(text).restore(py));
        return -1;
    }
    // SAFETY: as CPython promises; the closure is a reader with a setter.
    let called = catch_unwind(AssertUnwindSafe(|| unsafe {
        let reader = &*closure.cast::<Reader>();
        let Some(set) = reader.set else { return std::ptr::null_mut() };
        call::call(set, [object, value].as_ptr(), 2, std::ptr::null_mut())
    }));
    let done = called.unwrap_or_else(|_| failure::set_panicked());
    if done.is_null() {
        return -1;
    }
    // SAFETY: a reference that the call gave.
    unsafe { ffi::Py_DECREF(done) };
    0
}

/// The method of a number.
///
/// # Safety
///
/// For CPython: an object of such a class, and the arguments of a call.
unsafe extern "C" fn method<const N: usize>(
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as CPython promises: the descriptor has checked the object's class.
    let called = catch_unwind(AssertUnwindSafe(|| unsafe {
        let known = &*(*object.cast::<Instance>()).known;
        let method = known.methods[N];
        call::call_method(method, object, args, n.unsigned_abs(), names)
    }));
    called.unwrap_or_else(|_| failure::set_panicked())
}

macro_rules! methods {
    ($($n:literal)*) => {
        [$(method::<$n>),*]
    };
}

const METHODS: [ffi::PyCFunctionFastWithKeywords; MOST_METHODS] = methods! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
};

/// The value of an object; whether it is of the right type is judged by the op.
///
/// # Safety
///
/// As for [`take::put`](super::take::put).
#[inline]
pub(super) unsafe fn find<'a>(given: *mut ffi::PyObject) -> Option<Value<'a>> {
    // SAFETY: as the caller promises; the object keeps what it refers to.
    unsafe {
        let instance = instance(given)?;
        (*instance).object.as_ref().map(Value::object)
    }
}

/// An object that an op gave.
pub(super) fn give(py: Python<'_>, owned: Owned<'static>) -> PyResult<Py<PyAny>> {
    let key = owned.get().as_object().map(|object| object.key().to_owned());
    let known = known_class(py, &key.unwrap_or_default())?;
    // SAFETY: the class is the known one's own.
    unsafe {
        let made = wrap(known, known.python(), owned);
        Ok(Bound::from_owned_ptr_or_err(py, made)?.unbind())
    }
}

/// An object that is only borrowed.
pub(super) fn borrow(py: Python<'_>, given: Value<'_>) -> PyResult<Py<PyAny>> {
    debug_assert_eq!(given.tag(), Some(Tag::Object));
    give(py, given.to_reference().unwrap_or(Owned::NONE))
}

/// The class of a key; KeyError if there is none.
#[pyfunction]
fn object_class(py: Python<'_>, key: &str) -> PyResult<Py<PyAny>> {
    let known = known_class(py, key)?;
    // SAFETY: the class lives as long as the process.
    Ok(unsafe { Bound::from_borrowed_ptr(py, known.python().cast()) }.unbind())
}

/// The names of all types of objects, in order.
#[pyfunction]
fn object_classes() -> Vec<String> {
    let mut keys: Vec<_> =
        registry::global().classes().map(|class| class.key().to_owned()).collect();
    keys.sort();
    keys
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(object_class, module)?)?;
    module.add_function(wrap_pyfunction!(object_classes, module)?)
}
