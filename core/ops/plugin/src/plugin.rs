//! A plugin's side: the symbol that lexpool calls, and what a plugin may ask of lexpool.
//!
//! Holds unsafe code: a table that came from C is read and called, and one is filled in.

use std::ffi::c_int;
use std::fmt;
use std::panic::catch_unwind;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use lexpool_structs::ABI_VERSION;

use crate::abi::{
    CHECKED, ClassDefC, FieldDefC, HEAD, HostC, MAGIC, MAJOR, MINOR, OpC, OpDefC, ParamC, PluginC,
    serves,
};
use crate::declare::{
    ClassDeclaration, Declaration, FieldDeclaration, Gil, Kernel, Literal, Registrar,
};
use crate::failure::{Failure, FailureKind};
use crate::function::panicked;
use crate::raw::ValueC;
use crate::size_of_u32;
use crate::text::StrC;
use crate::value::{Owned, Value};

/// Makes a library a plugin: `plugin!(name = "bench", version = "1.0", register)`.
///
/// The name is the namespace of all that the plugin has; the crate is built as a `cdylib`. A panic
/// of `register` makes the plugin refused, and nothing else.
///
/// ```
/// use lexpool_plugin::{Registrar, op, plugin};
///
/// fn register(ops: &mut impl Registrar) {
///     op!(*ops, "bench.double"(n) = |n: i64| 2 * n, "Twice the number.");
/// }
///
/// plugin!(name = "bench", version = "1.0", register);
/// ```
#[macro_export]
macro_rules! plugin {
    (name = $name:expr, version = $version:expr, $register:expr $(,)?) => {
        /// The entry point that lexpool calls.
        ///
        /// # Safety
        ///
        /// `host` and `plugin` are null or such structs; the host stays for as long as the process.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn lexpool_plugin_v1(
            host: *const $crate::abi::HostC,
            plugin: *mut $crate::abi::PluginC,
        ) -> ::core::ffi::c_int {
            static TABLES: $crate::plugin::Tables = $crate::plugin::Tables::new();
            // SAFETY: as the caller promises.
            unsafe { $crate::plugin::enter(host, plugin, $name, $version, &TABLES, $register) }
        }
    };
}

/// Returns the host that loaded this library; `None` before that, and in a library that is not a
/// plugin.
///
/// ```
/// assert!(lexpool_plugin::host().is_none());
/// ```
pub fn host() -> Option<Host> {
    // SAFETY: only `enter` writes it, with a validated table that stays.
    unsafe { HOST.load(Ordering::Acquire).cast_const().as_ref() }.map(Host)
}

static HOST: AtomicPtr<HostC> = AtomicPtr::new(ptr::null_mut());

/// The lexpool that loaded this library.
#[derive(Clone, Copy)]
pub struct Host(&'static HostC);

impl Host {
    /// The op of a name, to be called. Cost: a look-up, so it is best kept.
    pub fn find(self, name: &str) -> Option<HostOp> {
        // SAFETY: the table is lexpool's, and so are its functions.
        let op = unsafe { (self.0.find)(StrC::of(name)) };
        (!op.is_null()).then_some(HostOp { host: self.0, op })
    }

    /// Logs a text at a level of Python's `logging`; 20 is information.
    pub fn log(self, level: u32, text: &str) {
        // SAFETY: as above.
        unsafe { (self.0.log)(level, StrC::of(text)) }
    }

    /// Tells how far long work is, once in a while.
    ///
    /// # Errors
    ///
    /// `interrupted` if the work was stopped from outside, as by Ctrl-C.
    pub fn progress(self, done: u64, total: u64) -> Result<(), Failure> {
        // SAFETY: as above.
        match unsafe { (self.0.progress)(done, total) } {
            0 => Ok(()),
            _ => Err(Failure::new(FailureKind::Interrupted, "interrupted", "stopped from outside")),
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<lexpool, plugins {}.{}>", self.0.major, self.0.minor)
    }
}

/// An op of lexpool's or of another plugin's.
#[derive(Clone, Copy)]
pub struct HostOp {
    host: &'static HostC,
    op: *const OpC,
}

// SAFETY: ops are called from any thread, and stay.
unsafe impl Send for HostOp {}
// SAFETY: as above.
unsafe impl Sync for HostOp {}

impl HostOp {
    /// Calls it; arguments at the end that have defaults may be left out.
    ///
    /// # Errors
    ///
    /// The failure that the op returns.
    pub fn call(self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
        let mut result = Value::NONE.to_c();
        let args_c: *const ValueC = args.as_ptr().cast();
        // SAFETY: the op is the host's; a value of Rust's has the layout of one of C's.
        let status = unsafe { (self.host.call)(self.op, args_c, args.len(), &raw mut result) };
        // SAFETY: a call gives its result away.
        let result: Owned<'static> = unsafe { Owned::from_c(result) };
        if status == 0 { Ok(result) } else { Err(Failure::from_value(result)) }
    }
}

impl fmt::Debug for HostOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<op>")
    }
}

/// The C tables of a plugin; made once and never freed.
#[doc(hidden)]
#[derive(Debug)]
pub struct Tables(OnceLock<(&'static [OpDefC], &'static [ClassDefC])>);

// SAFETY: the tables are constants, and what they call may be called from any thread.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

impl Tables {
    #[doc(hidden)]
    pub const fn new() -> Tables {
        Tables(OnceLock::new())
    }
}

/// Takes what a plugin declares.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Declared {
    ops: Vec<Declaration>,
    classes: Vec<ClassDeclaration>,
}

impl Registrar for Declared {
    fn op(&mut self, declaration: Declaration) {
        self.ops.push(declaration);
    }

    fn class(&mut self, declaration: ClassDeclaration) {
        self.classes.push(declaration);
    }
}

/// The entry of a plugin.
///
/// # Safety
///
/// `host` and `plugin` are null or such structs; the host stays for as long as the process.
#[doc(hidden)]
pub unsafe fn enter(
    host: *const HostC,
    plugin: *mut PluginC,
    name: &'static str,
    version: &'static str,
    tables: &'static Tables,
    register: fn(&mut Declared),
) -> c_int {
    // SAFETY: every version begins with these, so they may be read before the versions are known.
    let is_known = unsafe {
        !host.is_null()
            && host.is_aligned()
            && !plugin.is_null()
            && plugin.is_aligned()
            && (&raw const (*host).magic).read() == MAGIC
            && (&raw const (*plugin).size).read() as usize >= HEAD
    };
    if !is_known {
        return 1;
    }
    // SAFETY: as above.
    let place = unsafe { (&raw const (*plugin).size).read() } as usize;
    let mine = PluginC {
        size: size_of_u32::<PluginC>(),
        magic: MAGIC,
        major: MAJOR,
        minor: MINOR,
        records: ABI_VERSION,
        flags: CHECKED,
        op_size: size_of_u32::<OpDefC>(),
        param_size: size_of_u32::<ParamC>(),
        class_size: size_of_u32::<ClassDefC>(),
        field_size: size_of_u32::<FieldDefC>(),
        host_size: size_of_u32::<HostC>(),
        name: StrC::of(name),
        version: StrC::of(version),
        ..PluginC::empty()
    };
    // SAFETY: the place has at least the head, and the host begins with what is read here.
    let fits = unsafe {
        plugin.cast::<u8>().copy_from_nonoverlapping((&raw const mine).cast(), HEAD);
        let version = ((&raw const (*host).major).read(), (&raw const (*host).minor).read());
        serves(version, (MAJOR, MINOR))
            && (&raw const (*host).records).read() == ABI_VERSION
            && (&raw const (*host).size).read() as usize >= size_of::<HostC>()
            && place >= size_of::<PluginC>()
    };
    if !fits {
        return 1;
    }
    HOST.store(host.cast_mut(), Ordering::Release);
    let declared_tables = catch_unwind(|| {
        *tables.0.get_or_init(|| {
            let mut declared = Declared::default();
            register(&mut declared);
            let ops: Vec<OpDefC> = declared.ops.into_iter().map(op).collect();
            (ops.leak(), declared.classes.into_iter().map(class).collect::<Vec<_>>().leak())
        })
    });
    let (status, filled) = match declared_tables {
        Ok((ops, classes)) => {
            let (n_ops, n_classes) = (ops.len(), classes.len());
            let (ops, classes) = (ops.as_ptr(), classes.as_ptr());
            (0, PluginC { ops, n_ops, classes, n_classes, ..mine })
        }
        Err(panic) => {
            let failure = panicked(&*panic).context("while it registers").into_value().into_c();
            (2, PluginC { failure, ..mine })
        }
    };
    // SAFETY: the place is large enough.
    unsafe { plugin.write(filled) };
    status
}

/// A text that stays.
fn text(text: impl Into<String>) -> StrC {
    StrC::of(Box::leak(text.into().into_boxed_str()))
}

fn op(declared: Declaration) -> OpDefC {
    let Declaration { name, params, result, doc, gil, place, key, kernel } = declared;
    let params: Vec<ParamC> = params
        .into_iter()
        .map(|param| ParamC {
            name: text(param.name),
            ty: text(param.ty.to_string()),
            has_default: param.default.is_some().into(),
            default: literal(param.default.unwrap_or(Literal::None)),
            keyword_only: param.keyword_only.into(),
        })
        .collect();
    let params = params.leak();
    let (gil, gil_size) = match gil {
        Gil::Hold => (0, 0),
        Gil::Release => (1, 0),
        Gil::BySize(size) => (2, size),
    };
    let (call, context) = forever(kernel);
    OpDefC {
        name: text(name),
        doc: text(doc),
        place: text(place),
        params: params.as_ptr(),
        n_params: params.len(),
        result: text(result.to_string()),
        gil,
        key: key as u32,
        gil_size,
        call: Some(call),
        context,
    }
}

/// The entries, which are never freed.
fn forever(kernel: Kernel) -> (crate::CallC, *const std::ffi::c_void) {
    let Kernel { call, context, keep, .. } = kernel;
    std::mem::forget(keep);
    (call, context)
}

fn literal(value: Literal) -> ValueC {
    let value = match value {
        Literal::None => Value::NONE,
        Literal::Bool(value) => Value::bool(value),
        Literal::Int(value) => Value::int(value),
        Literal::Float(value) => Value::float(value),
        Literal::Str(value) => {
            Value::str(Box::leak(value.into_owned().into_boxed_str())).unwrap_or(Value::NONE)
        }
    };
    value.to_c()
}

fn class(declared: ClassDeclaration) -> ClassDefC {
    let ClassDeclaration { key, doc, place, constructor, fields, methods } = declared;
    let fields: Vec<FieldDefC> = fields.into_iter().map(field).collect();
    let methods: Vec<OpDefC> = methods.into_iter().map(op).collect();
    let (fields, methods) = (fields.leak(), methods.leak());
    let constructor =
        constructor.map_or(ptr::null(), |new| ptr::from_ref(Box::leak(Box::new(op(new)))));
    ClassDefC {
        key: text(key),
        doc: text(doc),
        place: text(place),
        constructor,
        fields: fields.as_ptr(),
        n_fields: fields.len(),
        methods: methods.as_ptr(),
        n_methods: methods.len(),
    }
}

fn field(declared: FieldDeclaration) -> FieldDefC {
    let FieldDeclaration { name, ty, doc, fixed, get, set } = declared;
    let (get, get_context) = forever(get);
    let (set, set_context) = match set.map(forever) {
        Some((set, context)) => (Some(set), context),
        None => (None, ptr::null()),
    };
    FieldDefC {
        name: text(name),
        ty: text(ty.to_string()),
        doc: text(doc),
        fixed: fixed.into(),
        reserved: 0,
        get: Some(get),
        get_context,
        set,
        set_context,
    }
}
