//! What native code calls without Python: one table of functions, and the structs they take.
//!
//! The C side is `lexpool_api.h`, which has the same structs and the same table; sizes and versions
//! stand first in each, and both sides assert them. The table only grows: a function keeps its place
//! and its meaning, new ones follow the last, and what changes otherwise changes
//! [`ABI_VERSION`].
//!
//! Holds unsafe code: all that comes in is a pointer of somebody else's. Null, negative numbers,
//! ranges, sizes, versions and alignment are checked here; that a pointer which looks right leads to
//! what it says is the caller's word. No panic leaves a function.

mod open;
mod tokens;
mod words;

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool_plugin::abi::HostC;
use lexpool_structs::{ABI_VERSION, LexemeC, SpacyTokenC, SyntaxC, TokenC};

pub use open::{DocC, DocMutC, VocabC, open_doc, open_vocab};

/// The table. Everything in it but the functions of the [`Host`] may be called from any thread.
///
/// What is wrong with an argument shows in the result: -1, 0 or null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Api {
    /// Bytes of this table.
    pub size: u32,
    /// [`ABI_VERSION`].
    pub abi: u32,
    /// Fills a struct from an object of the host's language; see [`Api::new`].
    pub doc_open: DocOpen,
    /// The vocab in an object of the host's language; see [`Api::new`].
    pub vocab_open: VocabOpen,
    /// The token that begins at a character; -1 if none does. Cost: a binary search.
    pub token_by_start: unsafe extern "C" fn(*const DocC, i32) -> i32,
    /// The token whose last character is the one before; -1 if there is none.
    pub token_by_end: unsafe extern "C" fn(*const DocC, i32) -> i32,
    /// An attribute as [`Token::attr`](crate::tokens::Token::attr) gives it; 0 beyond the ends.
    pub token_get_attr: unsafe extern "C" fn(*const DocC, i32, u32) -> u64,
    /// Sets an attribute in arrays of the caller's. -1, and nothing is written, for what
    /// [`Doc::set_attr`](crate::tokens::Doc::set_attr) refuses, for an attribute that tokens have not
    /// of their own and where the array is missing.
    pub token_set_attr: unsafe extern "C" fn(*mut DocMutC, i32, u32, u64) -> c_int,
    /// Counts children and edges of `start..end` from the heads and sets the sentence starts. -1,
    /// and nothing is written, if a head is outside of the range.
    pub set_children_from_heads: unsafe extern "C" fn(*mut TokenC, *mut SyntaxC, i32, i32) -> c_int,
    /// An attribute of a word, flags as 0 or 1; 0 for what only tokens have.
    pub lexeme_get_attr: unsafe extern "C" fn(*const LexemeC, u32) -> u64,
    /// 1 if the flag is set; 0 if not, or if the attribute is no flag.
    pub check_flag: unsafe extern "C" fn(*const LexemeC, u32) -> c_int,
    /// A word's lexeme, entered for good if it is new; good for as long as the vocab. Null for what is
    /// not UTF-8, where a getter fails and where memory runs out.
    pub vocab_get: unsafe extern "C" fn(*const VocabC, *const c_char, usize) -> *const LexemeC,
    /// The same by the id of the word; null if no string has it.
    pub vocab_get_by_orth: unsafe extern "C" fn(*const VocabC, u64) -> *const LexemeC,
    /// The tokens of an object in spaCy's layout, lent to be written; see [`Api::new`].
    pub doc_spacy: DocSpacy,
    /// The number of tokens in an object; see [`Api::new`].
    pub doc_length: DocLength,
    /// As `set_children_from_heads`, for tokens in spaCy's layout.
    pub spacy_set_children_from_heads: unsafe extern "C" fn(*mut SpacyTokenC, i32, i32) -> c_int,
    /// What finds and calls ops, a table of its own that grows by itself.
    pub ops: &'static HostC,
}

/// The functions of the table that know the objects of a language.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Fills a struct from a document.
    pub doc_open: DocOpen,
    /// The vocab in an object.
    pub vocab_open: VocabOpen,
    /// Lends a document's tokens in spaCy's layout.
    pub doc_spacy: DocSpacy,
    /// How many tokens a document has.
    pub doc_length: DocLength,
}

/// Fills a [`DocC`] of so many bytes from an object; -1 with the host's error set.
pub type DocOpen = unsafe extern "C" fn(*mut c_void, *mut DocC, u32) -> c_int;

/// The vocab in an object; null with the host's error set.
pub type VocabOpen = unsafe extern "C" fn(*mut c_void) -> *const VocabC;

/// Lends the tokens of an object in spaCy's layout and writes their number; null with the host's error
/// set. They stay where they are for as long as the object, and what was written is put back, or
/// refused, when the host next uses it.
pub type DocSpacy = unsafe extern "C" fn(*mut c_void, *mut i32) -> *mut SpacyTokenC;

/// The number of tokens in an object, lent or not; -1 with the host's error set.
pub type DocLength = unsafe extern "C" fn(*mut c_void) -> i32;

impl Api {
    /// Makes the table of the functions that know the objects of a language, and of the table of ops
    /// ([`HOST`](crate::registry::HOST)).
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

/// The size of a struct as it states it itself.
#[expect(clippy::cast_possible_truncation, reason = "a struct of a few pointers")]
const fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}

/// What `f` gives, or `otherwise` if it panics, which would be a bug.
fn caught<T>(otherwise: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(otherwise)
}

// `lexpool_api.h` asserts the same numbers.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(
    size_of::<DocC>() == 80 && size_of::<DocMutC>() == 48 && size_of::<Api>() == 128,
    "the structs of lexpool_api.h"
);

#[cfg(test)]
mod tests;
