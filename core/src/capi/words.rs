//! Lexemes: their attributes, and how a vocab gives them.

use std::ffi::{c_char, c_int};
use std::ptr;

use lexpool_structs::{AttrId, LexemeC};

use super::caught;
use super::open::{VocabC, cell_of, vocab_of};
use crate::strings::StrId;
use crate::vocab::LexemeCell;

/// # Safety
///
/// As for [`cell_of`].
pub(super) unsafe extern "C" fn lexeme_get_attr(lex: *const LexemeC, attr: u32) -> u64 {
    // SAFETY: as the caller promises.
    caught(0, || unsafe { cell_of(lex) }.map_or(0, |cell| cell.attr(AttrId::new(attr))))
}

/// # Safety
///
/// As for [`cell_of`].
pub(super) unsafe extern "C" fn check_flag(lex: *const LexemeC, attr: u32) -> c_int {
    // SAFETY: as the caller promises.
    caught(0, || unsafe { cell_of(lex) }.map_or(0, |cell| cell.flag(AttrId::new(attr)).into()))
}

/// # Safety
///
/// As for [`vocab_of`]; `utf8` is null or leads to `n` bytes.
pub(super) unsafe extern "C" fn vocab_get(
    vocab: *const VocabC,
    utf8: *const c_char,
    n: usize,
) -> *const LexemeC {
    caught(ptr::null(), || {
        // SAFETY: as the caller promises.
        let vocab = unsafe { vocab_of(vocab) };
        let (Some(vocab), false, Ok(_)) = (vocab, utf8.is_null(), isize::try_from(n)) else {
            return ptr::null();
        };
        // SAFETY: as the caller promises; the length is one that memory can have.
        let bytes = unsafe { std::slice::from_raw_parts(utf8.cast::<u8>(), n) };
        let word = std::str::from_utf8(bytes).ok();
        word.and_then(|word| vocab.lasting(word).ok()).map_or(ptr::null(), LexemeCell::as_ptr)
    })
}

/// # Safety
///
/// As for [`vocab_of`].
pub(super) unsafe extern "C" fn vocab_get_by_orth(
    vocab: *const VocabC,
    orth: u64,
) -> *const LexemeC {
    caught(ptr::null(), || {
        // SAFETY: as the caller promises.
        let vocab = unsafe { vocab_of(vocab) };
        let found = vocab.and_then(|vocab| vocab.lasting_of(StrId::new(orth)).ok());
        found.map_or(ptr::null(), LexemeCell::as_ptr)
    })
}
