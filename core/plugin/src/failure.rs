//! What went wrong in a call: opaque, with a kind, a stable code, and where known the argument.
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
    /// A key or an id that is not there.
    Key = 2,
    /// A position outside of a sequence.
    Index = 3,
    /// A number that does not fit.
    Overflow = 4,
    /// Memory that the system would not give.
    Memory = 5,
    /// A file that could not be read or written.
    Io = 6,
    /// Work that was stopped from outside.
    Interrupted = 7,
    /// A use that the present state forbids.
    State = 8,
    /// A panic, which is a bug of the op.
    Panic = 9,
    /// A name that no op or type has.
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

    /// The kind of a number of C's; none if no version has had it so far.
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
    /// A failure of a kind, with its stable code and a text.
    pub fn new(
        kind: FailureKind,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Failure {
        let (code, message) = (code.into(), message.into());
        Failure(Box::new(Inner { kind, code, message, position: None, cause: Owned::NONE }))
    }

    /// An argument that is not what the op takes.
    pub fn argument(position: usize, expected: &str, given: &str) -> Failure {
        let text = format!("expected {expected}, got {given}");
        Failure::new(FailureKind::Type, "op-argument", text).at(position)
    }

    /// A result of another type than the caller expects.
    #[cold]
    pub(crate) fn wrong_result(expected: &str, given: Value<'_>) -> Failure {
        let text = format!("the function was to give {expected}, and gave {}", given.type_name());
        Failure::new(FailureKind::Type, "op-result", text)
    }

    /// The same failure, of the argument at a position.
    #[must_use]
    pub fn at(mut self, position: usize) -> Failure {
        self.0.position = u32::try_from(position).ok();
        self
    }

    /// The same failure, with a value of whoever failed first.
    #[must_use]
    pub fn caused_by(mut self, cause: Owned<'static>) -> Failure {
        self.0.cause = cause;
        self
    }

    /// The same failure, with a place or a purpose put before its text.
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

    /// A value of whoever failed first.
    pub fn cause(&self) -> Value<'_> {
        self.0.cause.get()
    }

    /// The failure as a result of a call.
    pub fn into_value(self) -> Owned<'static> {
        struct Kept {
            view: FailureC,
            // What the view borrows from; a box, so its strings stay where they are.
            _failure: Failure,
        }
        // SAFETY: strings and cause are only read, and by shared reference.
        unsafe impl Sync for Kept {}
        // SAFETY: as above; whoever releases it may be another thread, and all in it may be dropped there.
        unsafe impl Send for Kept {}
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
        let kept = Kept { view, _failure: self };
        Owned::keeping(kept, |kept| Some(Value::failure(&kept.view))).unwrap_or(Owned::NONE)
    }

    /// The failure in a result of a call that did not go well.
    pub fn from_value(value: Owned<'static>) -> Failure {
        let Some(view) = value.get().as_failure() else {
            let text = format!("the call failed and gave {} for a reason", value.get().type_name());
            return Failure::new(FailureKind::State, "op-failed", text);
        };
        let kind = FailureKind::from_number(view.kind);
        // SAFETY: a failure's strings are good for as long as it.
        let (code, message) = unsafe { (view.code.get(), view.message.get()) };
        let made =
            Failure::new(kind.unwrap_or(FailureKind::State), code.to_owned(), message.to_owned());
        let position = usize::try_from(view.position).ok();
        let made = if let Some(position) = position { made.at(position) } else { made };
        // SAFETY: as above.
        let has_cause = !unsafe { Value::from_c(view.cause) }.is_none();
        if !has_cause {
            return made;
        }
        made.caused_by(value)
    }

    /// The first failure's own value, looked for through failures that carry one another.
    pub fn root_cause(&self) -> Value<'_> {
        let mut at = self.cause();
        while let Some(view) = at.as_failure() {
            // SAFETY: a failure's cause is good for as long as it, and it for as long as `self`.
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
