//! What lexpool and a plugin hand each other: plain structs, the same on both sides and in
//! `lexpool_ops.h`.
//!
//! A plugin is a shared library with one symbol, [`ENTRY`]. Sizes and versions stand first in each
//! struct and are compared by both sides before anything else is read. The first [`HEAD`] bytes of
//! [`PluginC`], and the first 24 of [`HostC`], are the same in every version, so that a refusal can
//! name both.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use crate::raw::{CallC, ValueC};
use crate::size_of_u32;
use crate::text::StrC;
use crate::value::Value;

/// The version of these structs. Another one does not fit.
pub const MAJOR: u32 = 1;

/// Grows when something is added that an older lexpool has not.
pub const MINOR: u32 = 0;

/// Whether a lexpool of one version serves a plugin of another; each as [`MAJOR`] and [`MINOR`].
///
/// ```
/// use lexpool_plugin::abi::serves;
///
/// assert!(serves((1, 2), (1, 0)));
/// assert!(!serves((1, 2), (1, 3)) && !serves((2, 0), (1, 0)));
/// ```
pub const fn serves(host: (u32, u32), plugin: (u32, u32)) -> bool {
    host.0 == plugin.0 && host.1 >= plugin.1
}

/// Begins both tables: `lxop`.
pub const MAGIC: u32 = 0x706f_786c;

/// The symbol of a plugin: an [`EntryC`].
pub const ENTRY: &str = "lexpool_plugin_v1";

/// The bytes of [`PluginC`] that are the same in every version.
pub const HEAD: usize = 48;

/// A plugin's flag: its calls judge their arguments themselves, and what they give is what it says.
/// Without it lexpool does both.
pub const CHECKED: u32 = 1;

/// Fills in the struct. 0, 1 if the host does not fit, 2 with a failure in the struct.
///
/// It may be called more than once, and by several threads.
pub type EntryC = unsafe extern "C" fn(*const HostC, *mut PluginC) -> c_int;

/// An op of the host's, by pointer alone: `lexpool_op`. Good for as long as the process.
#[derive(Debug)]
#[repr(C)]
pub struct OpC {
    opaque: [u8; 0],
    // Nothing is known of what lies there: not that threads may share it, nor that it may move.
    unknown: PhantomData<*mut u8>,
}

/// What lexpool gives a plugin: `lexpool_host`. Everything in it may be called from any thread.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct HostC {
    /// Bytes of this struct.
    pub size: u32,
    /// [`MAGIC`].
    pub magic: u32,
    /// [`MAJOR`].
    pub major: u32,
    /// [`MINOR`].
    pub minor: u32,
    /// [`ABI_VERSION`](lexpool_structs::ABI_VERSION) of the records.
    pub records: u32,
    /// Zero.
    pub reserved: u32,
    /// The op of a name; null if there is none.
    pub find: unsafe extern "C" fn(StrC) -> *const OpC,
    /// Calls an op, arguments at the end that have defaults may be left out. 0, or not 0 with a
    /// failure in the place of the result.
    pub call: unsafe extern "C" fn(*const OpC, *const ValueC, usize, *mut ValueC) -> c_int,
    /// Releases a value and leaves nothing in its place.
    pub release: unsafe extern "C" fn(*mut ValueC),
    /// Makes an owned value of one that is borrowed, all that is in it copied. As `call`.
    pub keep: unsafe extern "C" fn(*const ValueC, *mut ValueC) -> c_int,
    /// Makes a failure: kind, code, text, the argument at fault or -1. Always 1.
    pub fail: unsafe extern "C" fn(u32, StrC, StrC, i32, *mut ValueC) -> c_int,
    /// Makes an object of C's and gives its data, which are zero. Null with a failure.
    pub object: unsafe extern "C" fn(*const TypeC, *mut ValueC) -> *mut c_void,
    /// Tells whoever listens: a level as in Python's `logging`, and a text.
    pub log: unsafe extern "C" fn(u32, StrC),
    /// Tells how far long work is, and asks whether to go on: not 0 if it was stopped from outside.
    pub progress: unsafe extern "C" fn(u64, u64) -> c_int,
}

/// What a plugin gives lexpool: `lexpool_plugin`. What it points to lives as long as the library.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PluginC {
    /// Bytes of this struct. Before the entry is called, of the place that it may fill.
    pub size: u32,
    /// [`MAGIC`].
    pub magic: u32,
    /// [`MAJOR`].
    pub major: u32,
    /// [`MINOR`].
    pub minor: u32,
    /// [`ABI_VERSION`](lexpool_structs::ABI_VERSION) of the records.
    pub records: u32,
    /// [`CHECKED`] or nothing.
    pub flags: u32,
    /// Bytes of an [`OpDefC`].
    pub op_size: u32,
    /// Bytes of a [`ParamC`].
    pub param_size: u32,
    /// Bytes of a [`ClassDefC`].
    pub class_size: u32,
    /// Bytes of a [`FieldDefC`].
    pub field_size: u32,
    /// Bytes of a [`HostC`].
    pub host_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Its name, which is the namespace of all it has.
    pub name: StrC,
    /// Its version, for people.
    pub version: StrC,
    /// Its ops.
    pub ops: *const OpDefC,
    /// How many.
    pub n_ops: usize,
    /// Its types of objects.
    pub classes: *const ClassDefC,
    /// How many.
    pub n_classes: usize,
    /// Why there is nothing, where the entry gives 2.
    pub failure: ValueC,
}

/// An op of a plugin: `lexpool_op_def`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OpDefC {
    /// `namespace.name`; of a method its name alone.
    pub name: StrC,
    /// What it does, for people.
    pub doc: StrC,
    /// File and line.
    pub place: StrC,
    /// The arguments.
    pub params: *const ParamC,
    /// How many.
    pub n_params: usize,
    /// The type of the result, such as `list[int]`.
    pub result: StrC,
    /// What becomes of Python's lock: 0 held, 1 let go, 2 let go from `gil_size` on.
    pub gil: u32,
    /// A [`Key`](crate::Key).
    pub key: u32,
    /// Bytes, items, numbers or tokens.
    pub gil_size: usize,
    /// What is called.
    pub call: Option<CallC>,
    /// Its first argument.
    pub context: *const c_void,
}

/// An argument of an op: `lexpool_param`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ParamC {
    /// Its name.
    pub name: StrC,
    /// Its type, such as `list[int]`.
    pub ty: StrC,
    /// The default, if there is one.
    pub default: ValueC,
    /// 1 if it may be left out.
    pub has_default: u32,
    /// 1 if it is given by name only.
    pub keyword_only: u32,
}

/// A type of objects of a plugin: `lexpool_class_def`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ClassDefC {
    /// `namespace.Name`.
    pub key: StrC,
    /// What its objects are, for people.
    pub doc: StrC,
    /// File and line.
    pub place: StrC,
    /// Makes an object; null if Python cannot.
    pub constructor: *const OpDefC,
    /// The attributes.
    pub fields: *const FieldDefC,
    /// How many.
    pub n_fields: usize,
    /// The methods; the object is their first argument, named `self`.
    pub methods: *const OpDefC,
    /// How many.
    pub n_methods: usize,
}

/// An attribute of a type of objects: `lexpool_field_def`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FieldDefC {
    /// Its name.
    pub name: StrC,
    /// Its type.
    pub ty: StrC,
    /// What it holds, for people.
    pub doc: StrC,
    /// 1 if it never changes.
    pub fixed: u32,
    /// Zero.
    pub reserved: u32,
    /// Reads it, of the object.
    pub get: Option<CallC>,
    /// The first argument of `get`.
    pub get_context: *const c_void,
    /// Writes it, into the object; null if it is read only.
    pub set: Option<CallC>,
    /// The first argument of `set`.
    pub set_context: *const c_void,
}

/// A type of objects that C makes: `lexpool_type`. Its address tells it apart.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TypeC {
    /// The name that it is registered by.
    pub key: StrC,
    /// Bytes of an object's data.
    pub size: usize,
    /// Called with the data before they are freed; null for nothing to do.
    pub drop: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// What C takes an object's data to be behind: a head, a count, and what only lexpool reads.
pub const OBJECT_DATA: usize = 80;

// SAFETY: the tables are constants of a library, and their calls may be made from any thread.
unsafe impl Send for PluginC {}
// SAFETY: as above.
unsafe impl Sync for PluginC {}

impl PluginC {
    /// A place for a plugin to fill in.
    pub fn empty() -> PluginC {
        PluginC {
            size: size_of_u32::<PluginC>(),
            magic: 0,
            major: 0,
            minor: 0,
            records: 0,
            flags: 0,
            op_size: 0,
            param_size: 0,
            class_size: 0,
            field_size: 0,
            host_size: 0,
            reserved: 0,
            name: StrC::of(""),
            version: StrC::of(""),
            ops: std::ptr::null(),
            n_ops: 0,
            classes: std::ptr::null(),
            n_classes: 0,
            failure: Value::NONE.to_c(),
        }
    }
}

// `lexpool_ops.h` asserts the same numbers.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<HostC>() == 88, "lexpool_host");
    assert!(size_of::<PluginC>() == 128, "lexpool_plugin");
    assert!(std::mem::offset_of!(PluginC, name) == HEAD, "the head of lexpool_plugin");
    assert!(size_of::<OpDefC>() == 112, "lexpool_op_def");
    assert!(size_of::<ParamC>() == 56, "lexpool_param");
    assert!(size_of::<ClassDefC>() == 88, "lexpool_class_def");
    assert!(size_of::<FieldDefC>() == 88, "lexpool_field_def");
    assert!(size_of::<TypeC>() == 32, "lexpool_type");
    assert!(size_of::<crate::FailureC>() == 64, "lexpool_failure");
    assert!(size_of::<crate::ArrayC>() == 40, "lexpool_array");
    assert!(size_of::<crate::RecordsC>() == 48, "lexpool_rows");
    assert!(size_of::<crate::DocC>() == 80, "lexpool_doc");
    assert!(size_of::<crate::ObjectC>() == 56, "lexpool_object");
    assert!(size_of::<crate::FunctionC>() == 40, "lexpool_function");
};
