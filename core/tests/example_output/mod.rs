//! The outputs of the programs in `examples`.

use std::env;
use std::path::Path;
use std::process::Command;

/// Runs an example of the crate and returns what it prints; `None`, with a message, if it is not
/// built.
///
/// Cargo builds examples before it runs all tests of a crate, but not before it runs some
/// (`--tests`, `--test NAME`): then a program is missing, or that of an earlier build.
pub(crate) fn output(example: &str) -> Option<String> {
    let test = env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap().join("examples");
    let program = folder.join(format!("{example}{}", env::consts::EXE_SUFFIX));
    if !program.exists() {
        eprintln!("skipped {example}: `cargo build --examples` builds it");
        return None;
    }
    let output = Command::new(&program).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{example}: {errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}
