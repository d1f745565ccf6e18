//! Ops (registered functions) and classes for lexpool: the declarations and the values that lexpool
//! and its plugins share.
//!
//! A plugin is a shared library that depends on this crate alone. `py/examples/plugin-rust` is a
//! template; [`plugin!`] has its entry point. Within a program that uses lexpool the same
//! declarations go to `lexpool_ops::Registry::register`.
//!
//! ```
//! use lexpool_plugin::{Failure, Function, Value};
//!
//! fn count(texts: Vec<&str>, min_len: usize) -> usize {
//!     texts.into_iter().filter(|text| text.len() >= min_len).count()
//! }
//!
//! // Types are inferred from the Rust function; a call takes and returns values.
//! let op = Function::new(count);
//! let texts = [Value::str("a").unwrap(), Value::str("bcd").unwrap()];
//! let result = op.callable().call(&[Value::list(&texts).unwrap(), Value::int(2)])?;
//! assert_eq!(result.get().as_int(), Some(1));
//! # Ok::<(), Failure>(())
//! ```
//!
//! | item | role |
//! | --- | --- |
//! | [`op!`], [`class!`], [`Declaration`], [`ClassDeclaration`] | declare an op or a class of objects |
//! | [`Value`], [`Owned`] | an argument or a result of 16 bytes: borrowed, or owned with what it needs |
//! | [`Arg`], [`IntoOwned`], [`FromOwned`], [`Type`] | conversions between Rust types and values |
//! | [`Array`], [`records`], [`DocView`] | numbers, records and documents that are borrowed for a call |
//! | [`Object`], [`Class`] | a counted reference to an object of a registered class |
//! | [`Function`], [`Callable`] | a function as a value: counted, or borrowed for a call |
//! | [`Failure`] | the error of a call, with the argument and the cause |
//! | [`plugin!`], [`host`] | a plugin's entry point; lexpool's functions for plugins |
//! | [`abi`], [`ValueC`], [`ObjectC`], ... | the same in C's layout (`lexpool_plugin.h`) |

pub mod abi;
pub mod args;
mod array;
pub mod declare;
mod failure;
mod function;
mod function_value;
mod object;
mod object_args;
pub mod plugin;
mod raw;
pub mod records;
mod text;
mod types;
mod validate;
mod value;

pub use args::{Arg, Bytes, FromOwned, IntoOwned, List, Numbers};
pub use array::{Array, copy as copy_array};
pub use declare::{
    ClassDeclaration, Declaration, FieldDeclaration, Gil, Kernel, Key, Literal, Param, Registrar,
};
pub use failure::{Failure, FailureKind};
pub use function::{MAX_ARGS, OpFn, check_args};
pub use function_value::{Callable, Function, call};
/// The records that ops are lent.
pub use lexpool_structs as structs;
pub use object::{Class, Object};
pub use plugin::{Host, HostOp, host};
pub use raw::{
    ArrayC, CallC, DocC, DocRefC, Dtype, Element, FailureC, FunctionC, OWNED, ObjectC, OwnedC,
    RecordsC, RecordsOf, ScopeC, Tag, ValueC, VocabC,
};
pub use records::DocView;
pub use text::StrC;
pub use types::Type;
pub use value::{Owned, Value};

/// The size of a struct as it states it itself.
#[expect(clippy::cast_possible_truncation, reason = "a struct of a few pointers")]
pub const fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}
