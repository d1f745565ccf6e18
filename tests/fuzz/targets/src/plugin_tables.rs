//! The tables of plugins, valid and not: installed as a whole or refused, and what was installed is
//! called.
//!
//! # Safety
//!
//! - T1: a string of a table has as many bytes as it says, or is null; a table has as many items as
//!   it says, or is null or not aligned, so that it is not read. Both last for the call that
//!   installs them. Functions are those of this module, without a context.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::null;

use lexpool::structs::ABI_VERSION;
use lexpool_ops::Registry;
use lexpool_plugin::abi::{
    CHECKED, ClassDefC, FieldDefC, HostC, MAGIC, MAJOR, MINOR, OpDefC, ParamC, PluginC,
};
use lexpool_plugin::{CallC, MAX_ARGS, StrC, Value, ValueC};

use crate::choices::Choices;

const NAMES: [&str; 9] = ["p", "p.a", "p.b", "p.T", "p.T.a", "q.a", "get", "", "p.\u{e9} x"];
const TYPES: [&str; 12] = [
    "int",
    "str",
    "bool",
    "float",
    "list[int]",
    "int | None",
    "dict[str, any]",
    "p.T",
    "doc",
    "array[f32]",
    "list[",
    "None",
];

thread_local! {
    /// The tables that [`entry`] hands out.
    static TABLES: Cell<PluginC> = Cell::new(PluginC::empty());
}

/// The entry of the plugin.
unsafe extern "C" fn entry(_: *const HostC, plugin: *mut PluginC) -> c_int {
    // SAFETY: the host gives room for the struct.
    unsafe { plugin.write(TABLES.get()) };
    0
}

/// An op that returns its first argument; none without one.
unsafe extern "C" fn first(
    _: *const c_void,
    args: *const ValueC,
    n: usize,
    out: *mut ValueC,
) -> c_int {
    // SAFETY: the host gives `n` arguments, and room for a result.
    unsafe {
        // Only numbers are returned as they are: others would be owned by the caller.
        let arg = if n == 0 { Value::NONE } else { Value::from_c(*args) };
        out.write(arg.as_int().map_or(Value::NONE, Value::int).to_c());
    }
    0
}

/// An op whose result has an unknown tag.
unsafe extern "C" fn wrong(
    _: *const c_void,
    _: *const ValueC,
    _: usize,
    out: *mut ValueC,
) -> c_int {
    // SAFETY: the host gives room for a result.
    unsafe { out.write(ValueC { tag: 99, len: 7, bits: 3 }) };
    0
}

/// An op that fails, without a failure as the result.
unsafe extern "C" fn fails(
    _: *const c_void,
    _: *const ValueC,
    _: usize,
    out: *mut ValueC,
) -> c_int {
    // SAFETY: the host gives room for a result.
    unsafe { out.write(Value::NONE.to_c()) };
    1
}

/// The tables of one plugin, by what they belong to.
#[derive(Default)]
struct Tables {
    params: Vec<Vec<ParamC>>,
    fields: Vec<Vec<FieldDefC>>,
    methods: Vec<Vec<OpDefC>>,
    constructors: Vec<Vec<OpDefC>>,
}

pub(crate) fn run(bytes: &[u8]) {
    let choices = &mut Choices::new(bytes);
    let mut tables = Tables::default();
    let ops = choices.list(3, |choices| tables.op(choices));
    let classes = choices.list(2, |choices| tables.class(choices));
    let is_checked = choices.one_in(8);
    let mut plugin = PluginC {
        magic: MAGIC,
        major: MAJOR,
        minor: MINOR,
        records: ABI_VERSION,
        flags: if is_checked { CHECKED } else { 0 },
        op_size: size::<OpDefC>(),
        param_size: size::<ParamC>(),
        class_size: size::<ClassDefC>(),
        field_size: size::<FieldDefC>(),
        host_size: size::<HostC>(),
        name: if choices.one_in(6) { string(choices, &NAMES) } else { StrC::of("p") },
        version: string(choices, &["1.0", ""]),
        ..PluginC::empty()
    };
    (plugin.ops, plugin.n_ops) = table(choices, &ops);
    (plugin.classes, plugin.n_classes) = table(choices, &classes);
    if choices.one_in(10) {
        let wrong = choices.of(&[0, 1, 2, 127, 129, u32::MAX]);
        match choices.below(4) {
            0 => plugin.size = wrong,
            1 => plugin.major = wrong,
            2 => plugin.op_size = wrong,
            _ => plugin.magic = wrong,
        }
    }
    TABLES.set(plugin);
    let registry = Registry::new();
    // SAFETY: T1.
    match unsafe { registry.install_linked(entry, "fuzz") } {
        // Functions of a plugin that promises to check its calls itself are not called.
        Ok(names) => {
            assert!(!names.is_empty());
            if !is_checked {
                call(choices, &registry);
            }
        }
        Err(failure) => {
            assert!(failure.code().starts_with("plugin-"), "{failure}");
            assert_eq!(registry.ops().count() + registry.classes().count(), 0, "{failure}");
        }
    }
}

/// Calls everything with a few arguments.
fn call(choices: &mut Choices<'_>, registry: &Registry) {
    let args = [Value::int(3), Value::NONE, Value::str("a\u{e9}").expect("a short text")];
    let args = choices.list(3, |choices| choices.of(&args));
    for op in registry.ops() {
        let _ = (op.signature(), op.call(&args).is_ok());
    }
    for class in registry.classes() {
        let object = class.constructor().and_then(|new| new.call(&args).ok());
        let object = object.as_ref().map_or(Value::NONE, |object| object.get());
        for method in class.methods() {
            let _ = (method.signature(), method.call(&[object]).is_ok());
        }
        for field in class.fields() {
            let _ = (
                field.get().call(&[object]).is_ok(),
                field.set().map(|set| set.call(&args).is_ok()),
            );
        }
    }
    drop(lexpool_ops::stubs(registry));
}

impl Tables {
    fn op(&mut self, choices: &mut Choices<'_>) -> OpDefC {
        let mut params = choices.list(3, |choices| ParamC {
            name: string(choices, &["x", "y", "z", "self", "x y"]),
            ty: string(choices, &TYPES),
            default: default(choices),
            has_default: u32::from(choices.one_in(3)),
            keyword_only: u32::from(choices.one_in(3)),
        });
        if choices.one_in(40) {
            params = params.into_iter().cycle().take(MAX_ARGS + 1).collect();
        }
        let (params, n_params) = table(choices, kept(&mut self.params, params).as_slice());
        OpDefC {
            name: string(choices, &NAMES),
            doc: string(choices, &["Text.", ""]),
            place: string(choices, &["a.c:1", ""]),
            params,
            n_params,
            result: string(choices, &TYPES),
            gil: choices.of(&[0, 0, 1, 2, 3]),
            key: choices.of(&[0, 0, 0, 1, 99]),
            gil_size: choices.below(3),
            call: function(choices),
            context: null(),
        }
    }

    fn class(&mut self, choices: &mut Choices<'_>) -> ClassDefC {
        let methods = choices.list(2, |choices| {
            let op = self.op(choices);
            OpDefC { name: string(choices, &["a", "b", "c"]), ..op }
        });
        let fields = choices.list(2, |choices| FieldDefC {
            name: string(choices, &["a", "b", "x y"]),
            ty: string(choices, &TYPES),
            doc: StrC::of("Text."),
            fixed: u32::from(choices.one_in(2)),
            reserved: 0,
            get: function(choices),
            get_context: null(),
            set: choices.one_in(2).then_some(first as CallC),
            set_context: null(),
        });
        let constructor = if choices.one_in(2) {
            let op = self.op(choices);
            let result = if choices.one_in(4) { op.result } else { StrC::of("p.T") };
            kept(&mut self.constructors, vec![OpDefC { result, ..op }]).as_ptr()
        } else {
            null()
        };
        let (fields, n_fields) = table(choices, kept(&mut self.fields, fields).as_slice());
        let (methods, n_methods) = table(choices, kept(&mut self.methods, methods).as_slice());
        ClassDefC {
            key: string(choices, &["p.T", "p.U", "q.T"]),
            doc: StrC::of("Text."),
            place: StrC::of(""),
            constructor,
            fields,
            n_fields,
            methods,
            n_methods,
        }
    }
}

/// Adds an item to a list, and lends it.
fn kept<T>(list: &mut Vec<T>, item: T) -> &T {
    list.push(item);
    list.last().expect("the item")
}

fn function(choices: &mut Choices<'_>) -> Option<CallC> {
    choices.of(&[Some(first as CallC), Some(first), Some(wrong), Some(fails), None])
}

/// Returns a string of a list, or an invalid one: of no UTF-8, or null with a length.
fn string(choices: &mut Choices<'_>, texts: &'static [&'static str]) -> StrC {
    match choices.below(40) {
        39 => StrC { at: b"\xff".as_ptr(), len: 1 },
        38 => StrC { at: null(), len: 5 },
        37 => StrC { at: null(), len: usize::MAX },
        _ => StrC::of(choices.of(texts)),
    }
}

/// Returns the default of an argument, valid or with an unknown tag or an invalid string.
fn default(choices: &mut Choices<'_>) -> ValueC {
    match choices.below(6) {
        0 => Value::int(1).to_c(),
        1 => Value::NONE.to_c(),
        2 => Value::str("a").expect("a short text").to_c(),
        3 => Value::float(f64::NAN).to_c(),
        4 => ValueC { tag: 99, len: 0, bits: 0 },
        _ => ValueC { tag: lexpool_plugin::Tag::Str as u32, len: 3, bits: 0 },
    }
}

/// Returns a table with its length, or one that must be refused: null, unaligned or too long.
fn table<T>(choices: &mut Choices<'_>, items: &[T]) -> (*const T, usize) {
    match choices.below(60) {
        59 => (null(), 1),
        58 => (items.as_ptr().wrapping_byte_add(1), items.len()),
        57 => (items.as_ptr(), usize::MAX),
        _ => (items.as_ptr(), items.len()),
    }
}

fn size<T>() -> u32 {
    u32::try_from(size_of::<T>()).expect("a struct of some fields")
}
