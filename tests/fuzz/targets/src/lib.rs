//! The bodies of lexpool's fuzz targets.
//!
//! A body is a function from bytes. It returns for any input, and panics if lexpool is wrong: if it
//! panics itself, accepts what contradicts itself, or disagrees with a slow model. Two programs run
//! the bodies: `tests/fuzz/libfuzzer` under cargo-fuzz, which follows coverage, and the test
//! `tests/mutations.rs` of this crate, which changes the seeds of `tests/fuzz/seeds` on any
//! toolchain.
//!
//! Bodies of formats take the bytes of a file. The others read their input as choices
//! ([`choices::Choices`]): the rules, texts, plans or moves to try.

mod arrow_import;
mod choices;
mod config;
mod conllu;
mod container;
mod converters;
mod corpus;
mod docs;
mod json_lines;
mod lookups;
mod model_file;
mod msgpack;
pub mod mutation;
mod parquet;
mod pattern_model;
mod patterns;
mod phrases;
mod pipeline;
mod plugin_tables;
mod renewed;
mod retokenize;
mod scratch;
mod special_cases;
mod token_patterns;
mod tokenizer;
mod tokenizer_model;
mod transitions;
mod vocab;

use std::fs;
use std::path::Path;

use lexpool::escape::shown;

// The model of `transitions` is that of the tests of `lexpool-parse`, and names this by its path.
use lexpool_parse::transition::arc_eager;

/// A fuzz target.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name, also of its folder of seeds.
    pub name: &'static str,
    /// The body.
    pub run: fn(&[u8]),
    /// Makes seeds beside those of the folder: reference files of `tests/files`, and what lexpool
    /// writes.
    pub made: fn() -> Vec<Vec<u8>>,
    /// Number of changed seeds that the test on any toolchain tries: fewer for slower bodies.
    pub changes: usize,
}

const fn target(
    name: &'static str,
    run: fn(&[u8]),
    made: fn() -> Vec<Vec<u8>>,
    changes: usize,
) -> Target {
    Target { name, run, made, changes }
}

/// All targets.
pub const TARGETS: [Target; 24] = [
    target("arrow_import", arrow_import::run, none, 2_000),
    target("config", config::run, config::seeds, 3_000),
    target("conllu", conllu::run, none, 2_000),
    target("converters", converters::run, none, 2_000),
    target("corpus", corpus::run, corpus::seeds, 1_000),
    target("doc_bytes", docs::run_doc_bytes, docs::doc_bytes_seeds, 2_000),
    target("docbin", docs::run_docbin, docs::docbin_seeds, 2_000),
    target("json_lines", json_lines::run, none, 2_000),
    target("lookups", lookups::run, lookups::seeds, 4_000),
    target("model_file", model_file::run, model_file::seeds, 2_000),
    target("msgpack", msgpack::run, none, 10_000),
    target("parquet", parquet::run, parquet::seeds, 1_000),
    target("pattern_source", patterns::run_source, none, 3_000),
    target("patterns", patterns::run, none, 2_000),
    target("phrase_file", phrases::run_file, phrases::file_seeds, 2_000),
    target("phrases", phrases::run, none, 2_000),
    target("pipeline", pipeline::run, pipeline::seeds, 200),
    target("plugin_tables", plugin_tables::run, none, 4_000),
    target("retokenize", retokenize::run, none, 2_000),
    target("special_cases", special_cases::run, none, 400),
    target("token_patterns", token_patterns::run, none, 1_000),
    target("tokenizer", tokenizer::run, none, 400),
    target("transitions", transitions::run, none, 2_000),
    target("vocab", vocab::run, vocab::seeds, 1_000),
];

/// The seeds of the folder are all.
fn none() -> Vec<Vec<u8>> {
    Vec::new()
}

/// Returns the bytes of a file of `tests/files`.
fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../files").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", shown(&path)))
}

/// Returns the seeds of a target: those of its folder by name, then those that are made.
///
/// # Panics
///
/// If its folder is missing or has nothing.
pub fn seeds(target: Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds").join(target.name);
    let entries = fs::read_dir(&folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a seed").path()).collect();
    assert!(!paths.is_empty(), "{} has no seed", shown(&folder));
    paths.sort();
    let mut seeds: Vec<_> = paths.iter().map(|path| fs::read(path).expect("a seed")).collect();
    seeds.extend((target.made)());
    seeds
}

/// Writes the seeds of a target into the folder that `LEXPOOL_SEEDS` names, if any. A fuzzer does
/// so before it reads its corpus.
///
/// # Panics
///
/// If the folder cannot be written to.
#[expect(clippy::disallowed_methods, reason = "a file that is broken off is a seed as well")]
pub fn write_seeds(name: &str) {
    let Some(folder) = std::env::var_os("LEXPOOL_SEEDS") else { return };
    let target = find(name).expect("a target of the table");
    for (number, seed) in seeds(target).iter().enumerate() {
        let path = Path::new(&folder).join(format!("seed-{number:03}"));
        fs::write(path, seed).expect("a folder to write to");
    }
}

/// Returns the target of a name.
pub fn find(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}

/// Runs a target under a fuzzer that ends the process at every panic.
///
/// A panic of a dependency is not a finding by itself: where lexpool reads files by crates that
/// panic on some of them, it catches that and returns an error. So those panics unwind, and count
/// only if nobody catches them.
///
/// # Panics
///
/// If lexpool is wrong about the input.
pub fn run(name: &str, bytes: &[u8]) {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let of_fuzzer = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_foreign =
                panic.location().is_some_and(|at| at.file().contains("/registry/src/"));
            if !is_foreign {
                of_fuzzer(panic);
            }
        }));
    });
    (find(name).expect("a target of the table").run)(bytes);
}
