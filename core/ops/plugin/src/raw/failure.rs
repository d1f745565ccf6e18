//! The C form of a failure.

use super::value::ValueC;
use crate::text::StrC;

/// The C form of a failure: `lexpool_failure`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FailureC {
    /// Bytes of this struct.
    pub size: u32,
    /// A [`FailureKind`](crate::FailureKind).
    pub kind: u32,
    /// The argument that is at fault, from 0; -1 for none.
    pub position: i32,
    /// Zero.
    pub reserved: u32,
    /// The stable code.
    pub code: StrC,
    /// The text.
    pub message: StrC,
    /// The original failure's own value, borrowed; may be none.
    pub cause: ValueC,
}
