//! The error of a call: opaque, with a kind, a stable code, and the argument at fault if known.
//!
//! Holds unsafe code: strings and a cause that came from C.

use std::borrow::Cow;
use std::fmt;

use lexpool_error::{Error, ErrorKind};

use crate::raw::FailureC;
use crate::text::StrC;
use crate::value::{Owned, Value};

/// The family of a [`Failure`]; Python raises the built-in of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum FailureKind {
    /// An argument of the right type with a wrong value.
    Value = 0,
    /// An argument of a wrong type, or too many of them.
    Type = 1,
    /// A missing key or id.
    Key = 2,
    /// A position outside of a sequence.
    Index = 3,
    /// A number that does not fit its type.
    Overflow = 4,
    /// Memory that the system did not provide.
    Memory = 5,
    /// A file that could not be read or written.
    Io = 6,
    /// Work that was stopped from outside.
    Interrupted = 7,
    /// A call that the present state forbids.
    State = 8,
    /// A panic, which is a bug of the op.
    Panic = 9,
    /// An unknown name of an op or type.
    Unknown = 10,
}

impl FailureKind {
    const ALL: [FailureKind; 11] = [
        FailureKind::Value,
        FailureKind::Type,
        FailureKind::Key,
        FailureKind::Index,
        FailureKind::Overflow,
        FailureKind::Memory,
        FailureKind::Io,
        FailureKind::Interrupted,
        FailureKind::State,
        FailureKind::Panic,
        FailureKind::Unknown,
    ];

    /// Returns the kind of a number; `None` if this version does not know it.
    pub fn from_number(number: u32) -> Option<FailureKind> {
        FailureKind::ALL.get(number as usize).copied()
    }
}

/// A call that failed.
#[derive(Debug)]
pub struct Failure(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: FailureKind,
    code: Cow<'static, str>,
    message: String,
    position: Option<u32>,
    cause: Owned<'static>,
}

impl Failure {
    /// Makes a failure of a kind, with its code and a message.
    pub fn new(
        kind: FailureKind,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Failure {
        let (code, message) = (code.into(), message.into());
        Failure(Box::new(Inner { kind, code, message, position: None, cause: Owned::NONE }))
    }

    /// Makes the failure of an argument of a wrong type.
    pub fn argument(position: usize, expected: &str, actual: &str) -> Failure {
        let text = format!("expected {expected}, got {actual}");
        Failure::new(FailureKind::Type, "op-argument", text).at(position)
    }

    /// Makes the failure of a result of a wrong type.
    #[cold]
    pub(crate) fn wrong_result(expected: &str, value: Value<'_>) -> Failure {
        let text = format!("the function was to give {expected}, and gave {}", value.type_name());
        Failure::new(FailureKind::Type, "op-result", text)
    }

    /// Sets the position of the argument at fault.
    #[must_use]
    pub fn at(mut self, position: usize) -> Failure {
        self.0.position = u32::try_from(position).ok();
        self
    }

    /// Sets the original failure's own value, such as a Python exception.
    #[must_use]
    pub fn caused_by(mut self, cause: Owned<'static>) -> Failure {
        self.0.cause = cause;
        self
    }

    /// Puts a place or a purpose before the message.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Failure {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// The family.
    pub fn kind(&self) -> FailureKind {
        self.0.kind
    }

    /// The stable code, such as `op-argument`.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// The text without the code.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The argument that is at fault, from 0.
    pub fn position(&self) -> Option<usize> {
        self.0.position.map(|position| position as usize)
    }

    /// The original failure's own value; may be none.
    pub fn cause(&self) -> Value<'_> {
        self.0.cause.get()
    }

    /// Converts the failure to the result of a call.
    pub fn into_value(self) -> Owned<'static> {
        struct OwnedFailure {
            view: FailureC,
            // The view borrows from this box, whose address is stable.
            _failure: Failure,
        }
        // SAFETY: strings and cause are only read, and by shared reference.
        unsafe impl Sync for OwnedFailure {}
        // SAFETY: strings and cause may be dropped on any thread.
        unsafe impl Send for OwnedFailure {}
        let inner = &self.0;
        let view = FailureC {
            size: crate::size_of_u32::<FailureC>(),
            kind: inner.kind as u32,
            position: inner.position.and_then(|at| i32::try_from(at).ok()).unwrap_or(-1),
            reserved: 0,
            code: StrC::of(&inner.code),
            message: StrC::of(&inner.message),
            cause: inner.cause.get().to_c(),
        };
        let owner = OwnedFailure { view, _failure: self };
        Owned::keeping(owner, |owner| Some(Value::failure(&owner.view))).unwrap_or(Owned::NONE)
    }

    /// Reads the failure from the result of a failed call.
    pub fn from_value(value: Owned<'static>) -> Failure {
        let Some(view) = value.get().as_failure() else {
            let text = format!("the call failed and gave {} for a reason", value.get().type_name());
            return Failure::new(FailureKind::State, "op-failed", text);
        };
        let kind = FailureKind::from_number(view.kind);
        // SAFETY: the strings of a failure are valid as long as `value`.
        let (code, message) = unsafe { (view.code.get(), view.message.get()) };
        let failure =
            Failure::new(kind.unwrap_or(FailureKind::State), code.to_owned(), message.to_owned());
        let position = usize::try_from(view.position).ok();
        let failure = if let Some(position) = position { failure.at(position) } else { failure };
        // SAFETY: the cause of a failure is valid as long as `value`.
        let has_cause = !unsafe { Value::from_c(view.cause) }.is_none();
        if !has_cause {
            return failure;
        }
        failure.caused_by(value)
    }

    /// Follows the chain of causes to the original failure's own value.
    pub fn root_cause(&self) -> Value<'_> {
        let mut at = self.cause();
        while let Some(view) = at.as_failure() {
            // SAFETY: a cause is valid as long as its failure, and that as long as `self`.
            at = unsafe { Value::from_c(view.cause) };
        }
        at
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let kind = match error.kind() {
            ErrorKind::Value => FailureKind::Value,
            ErrorKind::Key => FailureKind::Key,
            ErrorKind::Index => FailureKind::Index,
            ErrorKind::Type => FailureKind::Type,
            ErrorKind::Overflow => FailureKind::Overflow,
            ErrorKind::Memory => FailureKind::Memory,
            ErrorKind::Io => FailureKind::Io,
            ErrorKind::Interrupted => FailureKind::Interrupted,
            _ => FailureKind::State,
        };
        Failure::new(kind, error.code(), error.message())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.0.code, self.0.message)
    }
}

impl std::error::Error for Failure {}
