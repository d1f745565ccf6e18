//! The binary interface between lexpool and a plugin: plain structs, the same on both sides and in
//! `lexpool_ops.h`.
//!
//! A plugin is a shared library with one symbol, [`ENTRY`]. Sizes and versions stand first in each
//! struct and are compared by both sides before anything else is read. The first [`HEAD`] bytes of
//! [`PluginC`], and the first 24 of [`HostC`], are the same in every version, so that an error can
//! name both versions.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use crate::raw::{CallC, ValueC};
use crate::size_of_u32;
use crate::text::StrC;
use crate::value::Value;

/// The major version of these structs; another one is incompatible.
pub const MAJOR: u32 = 1;

/// The minor version: grows with each addition that an older lexpool lacks.
pub const MINOR: u32 = 0;

/// Returns whether a host of one version can load a plugin of another; each is ([`MAJOR`],
/// [`MINOR`]).
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

/// The first bytes of both tables: `lxop`.
pub const MAGIC: u32 = 0x706f_786c;

/// The symbol of a plugin: an [`EntryC`].
pub const ENTRY: &str = "lexpool_plugin_v1";

/// The bytes of [`PluginC`] that are the same in every version.
pub const HEAD: usize = 48;

/// A flag of a plugin whose calls check their arguments and results themselves. Without it lexpool
/// checks both.
pub const CHECKED: u32 = 1;

/// Fills in the struct. Returns 0, 1 if the host's version does not fit, or 2 with a failure in the
/// struct.
///
/// It may be called more than once, and from several threads.
pub type EntryC = unsafe extern "C" fn(*const HostC, *mut PluginC) -> c_int;

/// An op of the host, an opaque type: `lexpool_op`. Valid for the life of the process.
#[derive(Debug)]
#[repr(C)]
pub struct OpC {
    opaque: [u8; 0],
    // Opaque: neither `Send`, `Sync` nor `Unpin`.
    unknown: PhantomData<*mut u8>,
}

/// The host's functions for a plugin: `lexpool_host`. All may be called from any thread.
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
    /// Finds an op by name; null if it does not exist.
    pub find: unsafe extern "C" fn(StrC) -> *const OpC,
    /// Calls an op; trailing arguments with defaults may be left out. Returns 0, or nonzero with a
    /// failure as the result.
    pub call: unsafe extern "C" fn(*const OpC, *const ValueC, usize, *mut ValueC) -> c_int,
    /// Releases a value and replaces it by none.
    pub release: unsafe extern "C" fn(*mut ValueC),
    /// Makes an owned deep copy of a borrowed value. Returns as `call`.
    pub keep: unsafe extern "C" fn(*const ValueC, *mut ValueC) -> c_int,
    /// Makes a failure from its kind, code, text, and the position of the argument at fault or -1.
    /// Returns 1.
    pub fail: unsafe extern "C" fn(u32, StrC, StrC, i32, *mut ValueC) -> c_int,
    /// Makes an object of a C type and returns its zeroed data; null with a failure.
    pub object: unsafe extern "C" fn(*const TypeC, *mut ValueC) -> *mut c_void,
    /// Logs a text, at a level of Python's `logging`.
    pub log: unsafe extern "C" fn(u32, StrC),
    /// Reports progress, and returns nonzero if the work is to be stopped.
    pub progress: unsafe extern "C" fn(u64, u64) -> c_int,
}

/// A plugin's tables: `lexpool_plugin`. Its pointers are valid as long as the library is loaded.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PluginC {
    /// Bytes of this struct. Before the entry is called: bytes that it may fill.
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
    /// The plugin's name, which is the namespace of its ops and types.
    pub name: StrC,
    /// Its version, for people.
    pub version: StrC,
    /// Its ops.
    pub ops: *const OpDefC,
    /// Number of ops.
    pub n_ops: usize,
    /// Its types of objects.
    pub classes: *const ClassDefC,
    /// Number of types.
    pub n_classes: usize,
    /// The failure, if the entry returns 2.
    pub failure: ValueC,
}

/// An op of a plugin: `lexpool_op_def`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OpDefC {
    /// `namespace.name`; for a method its name alone.
    pub name: StrC,
    /// The description, for people.
    pub doc: StrC,
    /// File and line.
    pub place: StrC,
    /// The arguments.
    pub params: *const ParamC,
    /// Number of parameters.
    pub n_params: usize,
    /// The type of the result, such as `list[int]`.
    pub result: StrC,
    /// The GIL during a call: 0 held, 1 released, 2 released from `gil_size` on.
    pub gil: u32,
    /// A [`Key`](crate::Key).
    pub key: u32,
    /// Bytes, items, numbers or tokens.
    pub gil_size: usize,
    /// The function.
    pub call: Option<CallC>,
    /// Its first argument.
    pub context: *const c_void,
}

/// A parameter of an op: `lexpool_param`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ParamC {
    /// Its name.
    pub name: StrC,
    /// Its type, such as `list[int]`.
    pub ty: StrC,
    /// The default, if there is one.
    pub default: ValueC,
    /// 1 if it has a default.
    pub has_default: u32,
    /// 1 if it is keyword-only.
    pub keyword_only: u32,
}

/// A type of objects of a plugin: `lexpool_class_def`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ClassDefC {
    /// `namespace.Name`.
    pub key: StrC,
    /// The description of its objects, for people.
    pub doc: StrC,
    /// File and line.
    pub place: StrC,
    /// The constructor; null if Python cannot make objects of the type.
    pub constructor: *const OpDefC,
    /// The attributes.
    pub fields: *const FieldDefC,
    /// Number of attributes.
    pub n_fields: usize,
    /// The methods; the object is their first argument, named `self`.
    pub methods: *const OpDefC,
    /// Number of methods.
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
    /// The description, for people.
    pub doc: StrC,
    /// 1 if it is constant.
    pub fixed: u32,
    /// Zero.
    pub reserved: u32,
    /// The getter.
    pub get: Option<CallC>,
    /// The first argument of `get`.
    pub get_context: *const c_void,
    /// The setter; null if the attribute is read-only.
    pub set: Option<CallC>,
    /// The first argument of `set`.
    pub set_context: *const c_void,
}

/// A type of objects that C makes: `lexpool_type`, identified by its address.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TypeC {
    /// The name under which it is registered.
    pub key: StrC,
    /// Bytes of an object's data.
    pub size: usize,
    /// Destructor, called with the data before they are freed; may be null.
    pub drop: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// Offset of an object's data in C: behind a head, a count, and fields that only lexpool reads.
pub const OBJECT_DATA: usize = 80;

// SAFETY: the tables are constants of a library, and their calls may be made from any thread.
unsafe impl Send for PluginC {}
// SAFETY: the tables are constants of a library, and their calls may be made from any thread.
unsafe impl Sync for PluginC {}

impl PluginC {
    /// An empty struct for a plugin to fill in.
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
