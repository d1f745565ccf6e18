//! A plugin in Rust: an op over tokens, one that takes a callback, and a type of objects.
//!
//! Take it as a start: rename `gauge`, which is the namespace of all names.

use std::sync::atomic::{AtomicI64, Ordering};

use lexpool_plugin::structs::TokenC;
use lexpool_plugin::{Callable, Class, Failure, Object, Registrar, class, op, plugin};

/// How many tokens a space follows.
fn spaces(tokens: &[TokenC]) -> usize {
    tokens.iter().filter(|token| token.spacy()).count()
}

/// What a function gives for each number.
fn each(numbers: Vec<i64>, change: Callable<'_>) -> Result<Vec<i64>, Failure> {
    numbers.into_iter().map(|number| change.call1(number)).collect()
}

/// A number that threads add to.
struct Meter(AtomicI64);

impl Class for Meter {
    const KEY: &'static str = "gauge.Meter";
}

fn register(ops: &mut impl Registrar) {
    op!(*ops, "gauge.spaces"(tokens) = spaces, "How many tokens a space follows.",
        gil = by_size(4096));
    op!(*ops, "gauge.each"(numbers, change) = each, "What a function gives for each number.");
    class!(*ops, Meter, "A number that threads add to.", {
        new(start = 0) = |start: i64| Object::new(Meter(start.into())), "From a number.";
        field value = |meter: &Meter| meter.0.load(Ordering::Relaxed),
            set |meter: &Meter, value: i64| meter.0.store(value, Ordering::Relaxed),
            "How far it has come.";
        fn add(k = 1) = |meter: &Meter, k: i64| {
            meter.0.fetch_add(k, Ordering::Relaxed).wrapping_add(k)
        }, "Adds, and gives the sum.";
    });
}

plugin!(name = "gauge", version = env!("CARGO_PKG_VERSION"), register);
