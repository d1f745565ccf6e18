//! Random numbers for the seeds of hash tables, which the page has to give.
//!
//! Holds unsafe code: the function that `getrandom` calls by name, and the page's behind it.

use getrandom::Error;

#[link(wasm_import_module = "lexpool")]
unsafe extern "C" {
    /// Fills `len` bytes at `to` with random ones, by `crypto.getRandomValues`.
    fn fill_random(to: *mut u8, len: usize);
}

/// Fills `len` bytes.
///
/// # Safety
///
/// There are that many at `to`, and nobody else uses them meanwhile.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(to: *mut u8, len: usize) -> Result<(), Error> {
    // SAFETY: as the caller promises.
    unsafe { fill_random(to, len) };
    Ok(())
}
