//! The error type: opaque, with a stable code and a kind.

use std::collections::TryReserveError;
use std::fmt;

use crate::Code;
use crate::codes;
use crate::escape::shown;

/// A failed call: what was given, what was expected and where.
///
/// The [`code`](Error::code) is stable and safe to match on; the text is for people and may change.
/// The [`codes`] of lexpool's errors are catalogued with their remedies.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    code: Code,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The family of an [`Error`]; Python raises the built-in of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument of the right type with a wrong value.
    Value,
    /// A missing key or id.
    Key,
    /// A position outside a sequence.
    Index,
    /// An argument of a wrong type.
    Type,
    /// A number that does not fit its type.
    Overflow,
    /// Memory that the system did not provide.
    Memory,
    /// A file that could not be read or written.
    Io,
    /// Work that was stopped from outside.
    Interrupted,
    /// A call that the present state forbids, such as opening a second zone.
    State,
}

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Makes an error of a kind, with its code and a message.
    pub fn new(kind: ErrorKind, code: Code, message: impl Into<String>) -> Error {
        Error(Box::new(Inner { kind, code, message: message.into(), source: None }))
    }

    /// Sets the error that caused this one.
    #[must_use]
    pub fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        self.0.source = Some(Box::new(source));
        self
    }

    /// Puts a place or a purpose before the message.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Error {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// The family of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stable code, such as `E018` or `rule-syntax`.
    pub fn code(&self) -> &'static str {
        self.0.code.as_str()
    }

    /// The text without the code.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Makes an error of the kind [`ErrorKind::Value`].
    pub fn value(code: Code, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Value, code, message)
    }

    /// Makes the error of an operation on a file; `doing` is its verb, such as "read" or "write
    /// to".
    ///
    /// The code follows from the kind of the source: `file-not-found`, `file-permission`,
    /// `disk-full`, `file-too-large`, `pipe-closed`, otherwise `file-io`.
    pub fn io(doing: &str, path: &std::path::Path, source: std::io::Error) -> Error {
        let code = match source.kind() {
            std::io::ErrorKind::NotFound => codes::FILE_NOT_FOUND,
            std::io::ErrorKind::PermissionDenied => codes::FILE_PERMISSION,
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => codes::DISK_FULL,
            std::io::ErrorKind::FileTooLarge => codes::FILE_TOO_LARGE,
            std::io::ErrorKind::BrokenPipe => codes::PIPE_CLOSED,
            _ => codes::FILE_IO,
        };
        let message = format!("cannot {doing} {}: {source}", shown(path));
        Error::new(ErrorKind::Io, code, message).caused_by(source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.0.code, self.0.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

impl From<lexpool_pool::Error> for Error {
    fn from(source: lexpool_pool::Error) -> Error {
        let kind = match source.code() {
            "zone-open" | "zone-closed" => ErrorKind::State,
            _ => ErrorKind::Memory,
        };
        Error::new(kind, Code::new(source.code()), source.to_string()).caused_by(source)
    }
}

impl From<TryReserveError> for Error {
    /// Converts the error of a collection that could not grow.
    fn from(source: TryReserveError) -> Error {
        let text = source.to_string();
        Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text).caused_by(source)
    }
}
