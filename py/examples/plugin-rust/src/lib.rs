//! A plugin in Rust: an op over tokens, one that takes a callback, and a type of objects.
//!
//! To start from it, rename `gauge`, the namespace of all names.

use std::sync::atomic::{AtomicI64, Ordering};

use lexpool_plugin::structs::TokenC;
use lexpool_plugin::{Callable, Class, Failure, Object, Registrar, class, op, plugin};

/// Returns the number of tokens that a space follows.
fn spaces(tokens: &[TokenC]) -> usize {
    tokens.iter().filter(|token| token.spacy()).count()
}

/// Returns the results of a function for each number.
fn each(numbers: Vec<i64>, change: Callable<'_>) -> Result<Vec<i64>, Failure> {
    numbers.into_iter().map(|number| change.call1(number)).collect()
}

/// A number that threads add to.
struct Meter(AtomicI64);

impl Class for Meter {
    const KEY: &'static str = "gauge.Meter";
}

fn register(ops: &mut impl Registrar) {
    op!(
        *ops,
        "gauge.spaces"(tokens) = spaces,
        "Returns the number of tokens that a space follows.",
        gil = by_size(4096)
    );
    op!(
        *ops,
        "gauge.each"(numbers, change) = each,
        "Returns the results of a function for each number."
    );
    class!(*ops, Meter, "A number that threads add to.", {
        new(start = 0) = |start: i64| Object::new(Meter(start.into())),
            "Makes a meter that starts at a number.";
        field value = |meter: &Meter| meter.0.load(Ordering::Relaxed),
            set |meter: &Meter, value: i64| meter.0.store(value, Ordering::Relaxed),
            "The current value.";
        fn add(k = 1) = |meter: &Meter, k: i64| {
            meter.0.fetch_add(k, Ordering::Relaxed).wrapping_add(k)
        }, "Adds a number, and returns the sum.";
    });
}

plugin!(name = "gauge", version = env!("CARGO_PKG_VERSION"), register);
