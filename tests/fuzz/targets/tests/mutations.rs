//! Runs every target over its seeds, and over changes of them that are the same each time.
//!
//! `LEXPOOL_FULL=1` makes a hundred times as many.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool_fuzz::mutation::Mutator;
use lexpool_fuzz::{TARGETS, Target, find, seeds};

/// Runs a body, and names the input in the message of a panic.
fn run(target: Target, name: &str, bytes: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))) {
        eprintln!("{}: {name}: {}", target.name, bytes.escape_ascii());
        std::panic::resume_unwind(panic);
    }
}

#[expect(clippy::disallowed_methods, reason = "the long form is chosen outside")]
fn check(name: &str) {
    let target = find(name).unwrap();
    let seeds = seeds(target);
    for (number, bytes) in seeds.iter().enumerate() {
        run(target, &format!("seed {number}"), bytes);
    }
    let factor = if std::env::var_os("LEXPOOL_FULL").is_some() { 100 } else { 1 };
    let mut mutator = Mutator::new(7);
    for change in 0..target.changes * factor {
        let seed = change % seeds.len();
        let mut bytes = seeds[seed].clone();
        let other = &seeds[mutator.below(seeds.len())];
        mutator.change(&mut bytes, other);
        run(target, &format!("change {change}, of seed {seed}"), &bytes);
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_tested() {
            let mut tested = [$(stringify!($name)),*];
            tested.sort_unstable();
            let mut names = TARGETS.map(|target| target.name);
            names.sort_unstable();
            assert_eq!(tested.as_slice(), names.as_slice());
        }
    };
}

targets! {
    arrow_import config conllu converters corpus doc_bytes docbin json_lines lookups model_file
    msgpack parquet pattern_source patterns phrase_file phrases pipeline plugin_tables retokenize
    special_cases token_patterns tokenizer transitions vocab
}
