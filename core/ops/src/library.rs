//! Opens shared libraries, after a check that the file is complete, and finds the entry symbol.
//!
//! Holds unsafe code: opening a library runs its initializers, and a symbol is used as the type
//! that the name stands for. Both are in the contract of [`open`].

use std::fs::File;
use std::io::Read;
use std::path::Path;

use lexpool::escape::shown;

#[cfg(not(target_family = "wasm"))]
use lexpool_plugin::abi::ENTRY;
use lexpool_plugin::abi::EntryC;
use lexpool_plugin::{Failure, FailureKind};
#[cfg(not(target_family = "wasm"))]
use libloading::Library;

/// A placeholder: WebAssembly has no shared libraries.
#[cfg(target_family = "wasm")]
pub(super) enum Library {}

/// Opens a library and finds the entry of a plugin. Dropping the first result closes the library.
///
/// # Errors
///
/// `plugin-open` if the file is not a complete library; `plugin-symbol` if it lacks the entry.
///
/// # Safety
///
/// The initializers of the library are safe to run, and its symbol of that name is an [`EntryC`].
pub(super) unsafe fn open(path: &Path) -> Result<(Library, EntryC), Failure> {
    whole(path)?;
    // SAFETY: this function's contract.
    unsafe { load(path) }
}

#[cfg(target_family = "wasm")]
unsafe fn load(path: &Path) -> Result<(Library, EntryC), Failure> {
    Err(no_library(path, &"WebAssembly has no shared libraries"))
}

/// Opens a library and finds its entry.
///
/// # Safety
///
/// That of [`open`].
#[cfg(not(target_family = "wasm"))]
unsafe fn load(path: &Path) -> Result<(Library, EntryC), Failure> {
    #[cfg(unix)]
    let opened = {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // SAFETY: this function's contract.
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
    };
    #[cfg(not(unix))]
    // SAFETY: this function's contract.
    let opened = unsafe { Library::new(path) };
    let library: Library = opened.map_err(|error| no_library(path, &error))?;
    // SAFETY: this function's contract.
    let entry = unsafe { library.get::<EntryC>(ENTRY.as_bytes()) }.map(|symbol| *symbol);
    let entry = entry.map_err(|_| {
        let text = format!("{}: a library, but no plugin: it has no {ENTRY}", shown(path));
        Failure::new(FailureKind::State, "plugin-symbol", text)
    })?;
    Ok((library, entry))
}

pub(super) fn no_library(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    let text = format!("{}: not opened as a library: {why}", shown(path));
    Failure::new(FailureKind::State, "plugin-open", text)
}

/// Checks that a file is as long as its headers say. The system's loader does not: it maps a
/// truncated file, and a read beyond its end kills the process.
fn whole(path: &Path) -> Result<(), Failure> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| {
        let len = file.metadata()?.len();
        // Linkers put the program headers right behind the file header.
        file.take(1 << 16).read_to_end(&mut start)?;
        Ok(len)
    });
    let len = read.map_err(|error| no_library(path, &error))?;
    if len == 0 {
        return Err(no_library(path, &"the file is empty"));
    }
    match needed(&start) {
        Some(needed) if needed > len => {
            let text = format!("it is cut short: its headers tell of {needed} bytes, it has {len}");
            Err(no_library(path, &text))
        }
        _ => Ok(()),
    }
}

/// Returns the length that the headers of an ELF file need; `None` for other files, which the
/// loader checks.
fn needed(start: &[u8]) -> Option<u64> {
    let wide = cfg!(target_pointer_width = "64");
    let class = if wide { 2 } else { 1 };
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    if start.get(..6)? != [0x7f, b'E', b'L', b'F', class, order] {
        return None;
    }
    let word =
        |at: usize| Some(u64::from(u16::from_ne_bytes(start.get(at..at + 2)?.try_into().ok()?)));
    let address = |at: usize| {
        if wide {
            Some(u64::from_ne_bytes(start.get(at..at + 8)?.try_into().ok()?))
        } else {
            Some(u64::from(u32::from_ne_bytes(start.get(at..at + 4)?.try_into().ok()?)))
        }
    };
    // Positions of the fields: table offset, entry size and count; in an entry, its offset and
    // size.
    let (table, stride, count) = if wide { (32, 54, 56) } else { (28, 42, 44) };
    let (offset, size) = if wide { (8, 32) } else { (4, 16) };
    // A field beyond the end means that the file is truncated.
    let (Some(table), Some(stride), Some(count)) = (address(table), word(stride), word(count))
    else {
        return Some(u64::MAX);
    };
    let mut needed = 0;
    for i in 0..count {
        let at = usize::try_from(table.saturating_add(i.saturating_mul(stride)));
        let at = at.unwrap_or(usize::MAX / 2).min(usize::MAX / 2);
        let (Some(offset), Some(size)) = (address(at + offset), address(at + size)) else {
            return Some(u64::MAX);
        };
        needed = needed.max(offset.saturating_add(size));
    }
    Some(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elf_file_says_how_long_it_is_and_any_other_file_nothing() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        if cfg!(target_os = "linux") {
            let needed = usize::try_from(needed(&program[..1 << 16]).unwrap()).unwrap();
            assert!(needed > 1 << 16 && needed <= program.len());
            assert_eq!(super::needed(&program[..100]), Some(u64::MAX));
        }
        assert_eq!(needed(b"#!/bin/sh\n"), None);
        assert_eq!(needed(b""), None);
    }
}
