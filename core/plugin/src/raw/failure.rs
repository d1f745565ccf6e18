//! A failure as it crosses a call.

use super::value::ValueC;
use crate::text::StrC;

/// A failure as C has it: `lexpool_failure`.
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
    /// A value of whoever failed first, borrowed; none if there is none.
    pub cause: ValueC,
}
