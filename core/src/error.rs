//! The one error of this crate: opaque, with a stable code and a kind.

use std::fmt;

/// What went wrong, with what was given, what was expected and where.
///
/// The [`code`](Error::code) is stable and safe to match on; the text is for people and may change.
/// Codes of the form `E018` mean what spaCy's error of that code means; the others are lexpool's.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    code: &'static str,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The family of an [`Error`]; Python raises the built-in of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument of the right type with a wrong value.
    Value,
    /// A key or an id that is not there.
    Key,
    /// A position outside of a sequence.
    Index,
    /// An argument of a wrong type.
    Type,
    /// A number that does not fit.
    Overflow,
    /// Memory that the system would not give.
    Memory,
    /// A file that could not be read or written.
    Io,
    /// Work that was stopped from outside.
    Interrupted,
    /// A use that the present state forbids, such as a second open zone.
    State,
}

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Makes an error of a kind, with its stable code and a text.
    pub fn new(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> Error {
        Error(Box::new(Inner { kind, code, message: message.into(), source: None }))
    }

    /// The same error, with the one that caused it.
    #[must_use]
    pub fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        self.0.source = Some(Box::new(source));
        self
    }

    /// The same error, with a place or a purpose put before its text.
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
        self.0.code
    }

    /// The text without the code.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Makes an error of the kind [`Value`](ErrorKind::Value), with its stable code and a text.
    pub fn value(code: &'static str, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Value, code, message)
    }

    /// Makes the error of a file, of which something was to be done: "read", "write to".
    pub fn io(what: &str, path: &std::path::Path, source: std::io::Error) -> Error {
        let code = match source.kind() {
            std::io::ErrorKind::NotFound => "file-not-found",
            std::io::ErrorKind::PermissionDenied => "file-permission",
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => "disk-full",
            std::io::ErrorKind::FileTooLarge => "file-too-large",
            std::io::ErrorKind::BrokenPipe => "pipe-closed",
            _ => "file-io",
        };
        let message = format!("cannot {what} {}: {source}", crate::escape::shown(path));
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
        Error::new(kind, source.code(), source.to_string()).caused_by(source)
    }
}
