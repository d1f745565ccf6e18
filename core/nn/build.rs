//! Tells the crate whether the compiler has the intrinsics of AVX-512, which Rust 1.89 stabilized:
//! `cfg(avx512)`, on x86-64 only. Older compilers build the crate without that kernel.

#![expect(clippy::disallowed_methods, reason = "Cargo tells build scripts by the environment")]

use std::env;
use std::process::Command;

/// The first release, `1.N`, with the intrinsics.
const STABLE_SINCE: u32 = 89;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(avx512)");
    let is_x86_64 = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    if is_x86_64 && minor_version().is_some_and(|minor| minor >= STABLE_SINCE) {
        println!("cargo::rustc-cfg=avx512");
    }
}

/// Returns N of the compiler's version 1.N; `None` if it does not say its version.
fn minor_version() -> Option<u32> {
    let rustc = env::var_os("RUSTC")?;
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    // "rustc 1.95.0 (59807616e 2026-04-14)"
    let mut numbers = version.split_whitespace().nth(1)?.split(['.', '-']);
    if numbers.next()? != "1" {
        return None;
    }
    numbers.next()?.parse().ok()
}
