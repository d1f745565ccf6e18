//! The C API: a table of functions for native code, and the structs that they take.
//!
//! `lexpool_api.h` declares the same structs and the same table. Each begins with its size and
//! version, which both sides check. The table only grows: functions keep their offset and meaning,
//! and new functions are appended; any other change needs a new [`ABI_VERSION`].
//!
//! Contains unsafe code: all arguments are foreign pointers. The functions check null, negative
//! numbers, ranges, sizes, versions and alignment, and never unwind. What they cannot check, the
//! caller must fulfil:
//!
//! - `K1`: a pointer to a struct is null or points to as many readable bytes as its first field
//!   says.
//! - `K2`: a non-null array has `length` initialized records that are not written during
//!   the call; an array that is written is accessed by the caller alone and overlaps no other
//!   array.
//! - `K3`: a `VocabC` and a `scope` pointer came from [`open_vocab`] and [`open_doc`], and their
//!   owner is alive.
//! - `K4`: a lexeme pointer is null or points to a record of a live vocab.
//! - `K5`: a pointer with a length points to that many readable bytes.

mod call;
mod open;
mod tokens;
mod words;

use std::ffi::{c_char, c_int, c_void};

use lexpool_plugin::abi::HostC;
use lexpool_plugin::size_of_u32;
use lexpool_structs::{ABI_VERSION, LexemeC, SpacyTokenC, SyntaxC, TokenC};

pub use open::{DocC, DocMutC, VocabC, open_doc, open_vocab};

/// The function table. All functions but those of the [`Host`] may be called from any thread.
///
/// Invalid arguments give -1, 0 or null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Api {
    /// The size of this table in bytes.
    pub size: u32,
    /// [`ABI_VERSION`].
    pub abi: u32,
    /// Fills a struct from an object of the host's language; see [`Api::new`].
    pub doc_open: DocOpen,
    /// Returns the vocab of an object of the host's language; see [`Api::new`].
    pub vocab_open: VocabOpen,
    /// Returns the token that begins at a character, or -1. Cost: a binary search.
    pub token_by_start: unsafe extern "C" fn(*const DocC, i32) -> i32,
    /// Returns the token that ends at a character, or -1.
    pub token_by_end: unsafe extern "C" fn(*const DocC, i32) -> i32,
    /// Returns an attribute as [`Token::attr`](lexpool::tokens::Token::attr) does; 0 outside of the
    /// document.
    pub token_get_attr: unsafe extern "C" fn(*const DocC, i32, u32) -> u64,
    /// Sets an attribute in the caller's arrays. Returns -1 without a write for a value that
    /// [`TokenAttrsMut::set`](lexpool::tokens::TokenAttrsMut::set) rejects, for an attribute of the
    /// lexeme, and if the array is null.
    pub token_set_attr: unsafe extern "C" fn(*mut DocMutC, i32, u32, u64) -> c_int,
    /// Rebuilds children and edges of `start..end` from the heads and sets the sentence starts.
    /// Returns -1 without a write if a head is outside of the range.
    pub set_children_from_heads: unsafe extern "C" fn(*mut TokenC, *mut SyntaxC, i32, i32) -> c_int,
    /// Returns an attribute of a lexeme, flags as 0 or 1; 0 for attributes that only tokens have.
    pub lexeme_get_attr: unsafe extern "C" fn(*const LexemeC, u32) -> u64,
    /// Returns 1 if the flag is set; 0 if not, or if the attribute is not a flag.
    pub check_flag: unsafe extern "C" fn(*const LexemeC, u32) -> c_int,
    /// Returns a word's lexeme, which is added to the vocab itself if it is new, and is valid while
    /// the vocab lives. Null if the text is not UTF-8, a getter fails, or memory runs out.
    pub vocab_get: unsafe extern "C" fn(*const VocabC, *const c_char, usize) -> *const LexemeC,
    /// Returns the lexeme of a string id; null if the id has no string.
    pub vocab_get_by_orth: unsafe extern "C" fn(*const VocabC, u64) -> *const LexemeC,
    /// Exports the tokens of an object in spaCy's layout, to be read and written; see [`Api::new`].
    pub doc_spacy: DocSpacy,
    /// Returns the number of tokens of an object; see [`Api::new`].
    pub doc_length: DocLength,
    /// Like `set_children_from_heads`, for tokens in spaCy's layout.
    pub spacy_set_children_from_heads: unsafe extern "C" fn(*mut SpacyTokenC, i32, i32) -> c_int,
    /// The table of functions that find and call ops, with its own size and version.
    pub ops: &'static HostC,
}

/// The functions of the table that depend on the host language.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Fills a struct from a document.
    pub doc_open: DocOpen,
    /// Returns the vocab of an object.
    pub vocab_open: VocabOpen,
    /// Exports a document's tokens in spaCy's layout.
    pub doc_spacy: DocSpacy,
    /// Returns the number of tokens of a document.
    pub doc_length: DocLength,
}

/// Fills a [`DocC`] of the given size from an object; returns -1 with the host's error set on
/// failure.
pub type DocOpen = unsafe extern "C" fn(*mut c_void, *mut DocC, u32) -> c_int;

/// Returns the vocab of an object, or null with the host's error set.
pub type VocabOpen = unsafe extern "C" fn(*mut c_void) -> *const VocabC;

/// Exports the tokens of an object in spaCy's layout and writes their number; returns null with the
/// host's error set on failure. The array is valid while the object lives. At the next use by the
/// host, changes are validated and put back.
pub type DocSpacy = unsafe extern "C" fn(*mut c_void, *mut i32) -> *mut SpacyTokenC;

/// Returns the number of tokens of an object, exported or not, or -1 with the host's error set.
pub type DocLength = unsafe extern "C" fn(*mut c_void) -> i32;

impl Api {
    /// Makes the table of the functions that know the objects of a language, and of the table of
    /// ops ([`HOST`](crate::HOST)).
    pub const fn new(host: Host, ops: &'static HostC) -> Api {
        let Host { doc_open, vocab_open, doc_spacy, doc_length } = host;
        Api {
            size: size_of_u32::<Api>(),
            abi: ABI_VERSION,
            doc_open,
            vocab_open,
            token_by_start: tokens::token_by_start,
            token_by_end: tokens::token_by_end,
            token_get_attr: tokens::token_get_attr,
            token_set_attr: tokens::token_set_attr,
            set_children_from_heads: tokens::set_children_from_heads,
            lexeme_get_attr: words::lexeme_get_attr,
            check_flag: words::check_flag,
            vocab_get: words::vocab_get,
            vocab_get_by_orth: words::vocab_get_by_orth,
            doc_spacy,
            doc_length,
            spacy_set_children_from_heads: tokens::spacy_set_children_from_heads,
            ops,
        }
    }
}

// `lexpool_api.h` asserts the same numbers.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(
    size_of::<DocC>() == 80 && size_of::<DocMutC>() == 48 && size_of::<Api>() == 128,
    "the structs of lexpool_api.h"
);

#[cfg(test)]
mod tests;
