//! The functions of the C API for lexemes.

use std::ffi::{c_char, c_int};
use std::ptr;

use lexpool::strings::StrId;
use lexpool::vocab::LexemeCell;
use lexpool_structs::{AttrId, LexemeC};

use super::call::without_unwind;
use super::open::{VocabC, cell_of, vocab_of};

/// Reads an attribute of a word: `lexeme_get_attr` of `lexpool_api`.
///
/// # Safety
///
/// `lex` must fulfil K4.
pub(super) unsafe extern "C" fn lexeme_get_attr(lex: *const LexemeC, attr: u32) -> u64 {
    // SAFETY: K4, by the caller.
    without_unwind(0, || unsafe { cell_of(lex) }.map_or(0, |cell| cell.attr(AttrId::new(attr))))
}

/// Reads a flag of a word: `check_flag` of `lexpool_api`.
///
/// # Safety
///
/// `lex` must fulfil K4.
pub(super) unsafe extern "C" fn check_flag(lex: *const LexemeC, attr: u32) -> c_int {
    without_unwind(0, || {
        // SAFETY: K4, by the caller.
        unsafe { cell_of(lex) }.map_or(0, |cell| cell.flag(AttrId::new(attr)).into())
    })
}

/// Looks up a word by its text and adds it if it is new: `vocab_get` of `lexpool_api`.
///
/// # Safety
///
/// `vocab` must fulfil K3; `utf8` is null or fulfils K5.
pub(super) unsafe extern "C" fn vocab_get(
    vocab: *const VocabC,
    utf8: *const c_char,
    n: usize,
) -> *const LexemeC {
    without_unwind(ptr::null(), || {
        // SAFETY: K3, by the caller.
        let vocab = unsafe { vocab_of(vocab) };
        let (Some(vocab), false, Ok(_)) = (vocab, utf8.is_null(), isize::try_from(n)) else {
            return ptr::null();
        };
        // SAFETY: K5, by the caller; the length is at most `isize::MAX`.
        let bytes = unsafe { std::slice::from_raw_parts(utf8.cast::<u8>(), n) };
        let word = std::str::from_utf8(bytes).ok();
        word.and_then(|word| vocab.permanent_cell(word).ok())
            .map_or(ptr::null(), LexemeCell::as_ptr)
    })
}

/// Looks up a word by its id: `vocab_get_by_orth` of `lexpool_api`.
///
/// # Safety
///
/// `vocab` must fulfil K3.
pub(super) unsafe extern "C" fn vocab_get_by_orth(
    vocab: *const VocabC,
    orth: u64,
) -> *const LexemeC {
    without_unwind(ptr::null(), || {
        // SAFETY: K3, by the caller.
        let vocab = unsafe { vocab_of(vocab) };
        let cell = vocab.and_then(|vocab| vocab.permanent_cell_of(StrId::new(orth)).ok());
        cell.map_or(ptr::null(), LexemeCell::as_ptr)
    })
}
