//! Measures the cost of a call of an op in Rust, by each of its entry points, in nanoseconds: the
//! minimum of many rounds.
//!
//! `cargo run --release -p lexpool-bench --example calls`
//!
//! Contains unsafe code: calls the entry point for C.

use std::hint::black_box;
use std::time::Instant;

use lexpool_ops::plugin::ValueC;
use lexpool_ops::{Failure, Registry, Value, op};

const ROUNDS: usize = 400;
const CALLS: u32 = 10_000;

fn main() -> Result<(), Failure> {
    let registry = Registry::new();
    registry.register(|ops| {
        op!(*ops, "bench.add"(a, b) = |a: i64, b: i64| a.wrapping_add(b), "A sum.");
        // A registry of realistic size for lookups by name.
        op!(*ops, "bench.noop"() = || (), "Nothing.");
        op!(*ops, "bench.strlen"(s) = |s: &str| s.len(), "The length of a text.");
    })?;
    let op = registry.find("bench.add")?;
    let pointer: fn(i64, i64) -> i64 = black_box(i64::wrapping_add);
    let typed = registry.handle::<fn(i64, i64) -> i64>("bench.add")?;
    let (entry, context) = op.entry();

    row("a function by pointer", || pointer(black_box(1), black_box(2)));
    row("typed handle", || typed.call(black_box(1), black_box(2)).unwrap_or(0));
    row("boxed: Op::call", || {
        let args = [Value::int(black_box(1)), Value::int(black_box(2))];
        op.call(&args).map_or(0, |sum| sum.get().as_int().unwrap_or(0))
    });
    row("boxed: the entry of C", || {
        let args = [Value::int(black_box(1)).to_c(), Value::int(black_box(2)).to_c()];
        let mut sum = Value::NONE.to_c();
        // SAFETY: two values, a place for the result, and the context of the entry point.
        let status = unsafe { entry(context, args.as_ptr(), args.len(), &raw mut sum) };
        i64::from(status) + as_int(&sum)
    });
    row("the op of a name", || {
        registry.get(black_box("bench.add")).map_or(0, |op| i64::from(op.params().is_empty()))
    });
    Ok(())
}

fn as_int(value: &ValueC) -> i64 {
    i64::from_ne_bytes(value.bits.to_ne_bytes())
}

/// Measures and prints a row. Each time includes the loop and its `black_box`.
fn row(name: &str, call: impl Fn() -> i64) {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(call());
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    println!("{name:<24}{best:>8.2}");
}
