//! Functions and objects that lexpool calls: what a plugin and lexpool share.

pub mod abi;
pub mod args;
mod array;
pub mod declare;
mod failure;
mod function;
mod function_value;
mod keep;
mod object;
pub mod plugin;
pub mod records;
mod text;
mod types;
mod value;

pub use args::{Arg, Bytes, FromOwned, IntoOwned, List, Numbers};
pub use array::{Array, ArrayC, Dtype, Element, copy as copy_array};
pub use declare::{
    ClassDeclaration, Declaration, FieldDeclaration, Gil, Kernel, Key, Literal, Param, Registrar,
};
pub use failure::{Failure, FailureC, FailureKind};
pub use function::{MOST_ARGS, OpFn, judge_args};
pub use function_value::{CallC, Callable, Function, FunctionC, call};
/// The records that ops are lent.
pub use lexpool_structs as structs;
pub use object::{Class, Object, ObjectC};
pub use plugin::{Host, HostOp, host};
pub use records::{DocC, DocRefC, DocView, RecordsC, RecordsOf, ScopeC, VocabC};
pub use text::StrC;
pub use types::Type;
pub use value::{OWNED, Owned, OwnedC, Tag, Value, ValueC};

/// The size of a struct as it states it itself.
#[expect(clippy::cast_possible_truncation, reason = "a struct of a few pointers")]
pub(crate) const fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}
