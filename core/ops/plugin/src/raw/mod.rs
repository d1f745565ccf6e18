//! The structs that cross a call, laid out as in C. The types that read and make them in Rust build
//! on them.

mod array;
mod failure;
mod function;
mod object;
mod records;
mod value;

pub(crate) use array::signed;
pub use array::{ArrayC, Dtype, Element};
pub use failure::FailureC;
pub use function::{CallC, FunctionC};
pub use object::ObjectC;
pub use records::{DocC, DocRefC, RecordsC, RecordsOf, ScopeC, VocabC};
pub use value::{OWNED, OwnedC, Tag, ValueC};
