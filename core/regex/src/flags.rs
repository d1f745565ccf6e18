//! The flags of Python's `re`, with its values; combine them with `|`.

/// `re.IGNORECASE`, `(?i)`.
pub const IGNORECASE: u32 = 2;
/// `re.LOCALE`, which [`Pattern::new`](crate::Pattern::new) rejects: it is valid only for patterns
/// of bytes.
pub const LOCALE: u32 = 4;
/// `re.MULTILINE`, `(?m)`.
pub const MULTILINE: u32 = 8;
/// `re.DOTALL`, `(?s)`.
pub const DOTALL: u32 = 16;
/// `re.UNICODE`, the default of Python's patterns of strings.
pub const UNICODE: u32 = 32;
/// `re.VERBOSE`, `(?x)`.
pub const VERBOSE: u32 = 64;
/// `re.ASCII`, `(?a)`.
pub const ASCII: u32 = 256;
