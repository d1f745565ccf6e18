//! One registry: a function is written once and called from Rust, C and Python.
//!
//! ```
//! use lexpool_ops::{Registry, Value, op};
//!
//! fn longest(texts: Vec<&str>, min_len: usize) -> Option<String> {
//!     let long = texts.into_iter().filter(|text| text.len() >= min_len);
//!     long.max_by_key(|text| text.len()).map(str::to_owned)
//! }
//!
//! let registry = Registry::new();
//! registry.register(|ops| {
//!     op!(*ops, "text.longest"(texts, *, min_len = 0) = longest, "The longest of some texts.");
//! })?;
//! let op = registry.get("text.longest").unwrap();
//! assert_eq!(op.signature(), "longest(texts: list[str], *, min_len: int = 0) -> str | None");
//! let texts = [Value::str("a").unwrap(), Value::str("bcd").unwrap()];
//! assert_eq!(op.call(&[Value::list(&texts).unwrap()])?.get().as_str(), Some("bcd"));
//! # Ok::<(), lexpool_ops::Failure>(())
//! ```
//!
//! | entry | who calls | cost |
//! | --- | --- | --- |
//! | typed: [`Handle`] | Rust that knows the types | a call by pointer |
//! | boxed: [`Op::call`] | Rust that does not | sixteen bytes an argument, in the caller's array |
//! | C: `lexpool_op_call` | C, plugins | the same, by one function |
//! | Python: `lexpool.ops` | Python | a builtin function |
//!
//! Declarations are those of [`lexpool_plugin`], so plugins use the same macros.
//! [`global`] has lexpool's own functions as ops; [`map()`] calls an op for many documents, and
//! [`stubs()`] writes a registry for type checkers. An [`OpComponent`] calls an op with each
//! document of a pipeline; [`load_options`] load pipelines that have some. [`capi`] is the function
//! table of native code that opens documents.
//!
//! Ops are never freed while their registry lives: reading takes no lock, and removal leaves a
//! tombstone that returns an error.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files of any kind"))]

mod builtin;
pub mod capi;
mod checked_kernel;
mod classes;
mod component;
mod global;
mod handle;
mod hooks;
mod host;
mod keys;
mod lend;
mod library;
mod loaded;
mod map;
mod op;
mod plugin_tables;
mod plugins;
mod profile;
mod registration;
mod scorer;
mod stubs;
mod table;

pub use builtin::{Counts, Ranges};
pub use classes::{Field, ObjectClass};
pub use component::{OpComponent, load_options};
pub use global::global;
pub use handle::Handle;
pub use hooks::{HostHooks, set_host_hooks};
pub use host::HOST;
pub use keys::available_keys;
pub use lend::{LentDoc, lend_doc, lend_vocab};
pub use lexpool_plugin::{
    self as plugin, Arg, Callable, Class, Declaration, Failure, FailureKind, Function, Gil,
    IntoOwned, Kernel, Key, Object, Owned, Param, Registrar, Type, Value, class, op,
};
pub use loaded::Loaded;
pub use map::{Mapping, map};
pub use op::{KernelInfo, Op, literal};
pub use profile::{Hook, called, is_on, set_hook};
pub use registration::{Batch, Registration};
pub use scorer::OpScorer;
pub use stubs::stubs;
pub use table::Registry;

#[cfg(test)]
mod tests;
