//! A plugin with an op for each thing that a registry does, for tests and measurements.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

use lexpool_plugin::structs::TokenC;
use lexpool_plugin::{
    Array, Bytes, Callable, Class, DocView, Failure, FailureKind, Function, List, Numbers, Object,
    OpFn, Registrar, Value, class, op, plugin,
};

/// A number that never changes.
struct Counter(i64);

impl Class for Counter {
    const KEY: &'static str = "bench.Counter";
}

/// A number that threads change.
struct Meter(AtomicI64);

impl Class for Meter {
    const KEY: &'static str = "bench.Meter";
}

fn register(ops: &mut impl Registrar) {
    measured(ops);
    values(ops);
    lent(ops);
    op!(*ops, "bench.scale"(x) = make scaled(2.5), "Multiplies by a fixed factor.");
    op!(*ops, "bench.speed"() = || "scalar", "Returns the name of the called kernel.");
    op!(*ops, "bench.speed"() = || "sse42", "Returns the name of the called kernel.", key = sse42);
    op!(*ops, "bench.speed"() = || "neon", "Returns the name of the called kernel.", key = neon);
    op!(*ops, "bench.speed"() = || "avx2", "Returns the name of the called kernel.", key = avx2);
    op!(*ops, "bench.panics"() = || -> i64 { panic!("oh no") }, "Panics.");
    op!(
        *ops,
        "bench.fails"(code) = |code: &str| -> Result<(), Failure> {
            Err(Failure::new(FailureKind::Key, code.to_owned(), "nothing there"))
        },
        "Fails with a code."
    );
    op!(
        *ops,
        "bench.busy"(ms) = |ms: u64| {
            std::thread::sleep(std::time::Duration::from_millis(ms));
        },
        "Sleeps without the GIL.",
        gil = release
    );
    op!(
        *ops,
        "bench.sized"(text) = |text: &str| text.len(),
        "Returns the length of a text; the GIL is released for long texts.",
        gil = by_size(100)
    );
    class!(*ops, Counter, "A constant number.", {
        new(value) = |value: i64| Object::new(Counter(value)), "Makes an object from a number.";
        fixed value = |counter: &Counter| counter.0, "The number.";
        fn add(k) = |counter: &Counter, k: i64| counter.0.wrapping_add(k), "A sum.";
    });
    class!(*ops, Meter, "A number that threads change.", {
        new(start = 0) = |start: i64| Object::new(Meter(start.into())),
            "Makes an object from a number.";
        field value = |meter: &Meter| meter.0.load(Ordering::Relaxed),
            set |meter: &Meter, value: i64| meter.0.store(value, Ordering::Relaxed),
            "The current value.";
        fn add(k = 1, *, twice = false) = |meter: &Meter, k: i64, twice: bool| {
            let k = if twice { k.wrapping_mul(2) } else { k };
            meter.0.fetch_add(k, Ordering::Relaxed).wrapping_add(k)
        }, "Adds a number, and returns the sum.";
        fn merge(other) = |meter: &Meter, other: &Meter| {
            let other = other.0.load(Ordering::Relaxed);
            meter.0.fetch_add(other, Ordering::Relaxed).wrapping_add(other)
        }, "Adds the value of another meter, and returns the sum.";
    });
}

/// Declares the ops that benchmarks compare with other ways to call native code.
fn measured(ops: &mut impl Registrar) {
    let add = |a: i64, b: i64| a.wrapping_add(b);
    op!(*ops, "bench.noop"() = || (), "Does nothing.");
    op!(*ops, "bench.add"(a, b) = add, "A sum.");
    op!(*ops, "bench.add_nogil"(a, b) = add, "A sum, without the GIL.", gil = release);
    op!(
        *ops,
        "bench.strlen"(s) = |s: &str| s.len(),
        "Returns the number of bytes of a text in UTF-8."
    );
    op!(
        *ops,
        "bench.buf"(x) = |x: &[f64]| {
            #[expect(clippy::cast_precision_loss, reason = "a short array")]
            let len = x.len() as f64;
            x.first().map_or(0.0, |first| first + len)
        },
        "Returns the first number plus the number of items."
    );
    op!(*ops, "bench.sum"(v) = |v: List<'_, i64>| v.iter().sum::<i64>(), "The sum of a list.");
    op!(
        *ops,
        "bench.apply"(f, x) = |f: Callable<'_>, x: i64| -> Result<i64, Failure> { f.call1(x) },
        "Returns the result of a function for a number."
    );
}

/// Declares ops with arguments and results of all types.
fn values(ops: &mut impl Registrar) {
    op!(
        *ops,
        "bench.describe"(value = None) = |value: Value<'_>| format!("{value:?}"),
        "Returns a value as text."
    );
    op!(*ops, "bench.options"(a, *, b = None, c = "x", d = 1.5, e = true) =
        |a: i64, b: Option<i64>, c: &str, d: f64, e: bool| format!("{a} {b:?} {c} {d} {e}"),
        "Returns its arguments as text; they have defaults of all types.");
    op!(
        *ops,
        "bench.invert"(map) = |map: BTreeMap<String, Vec<i64>>| {
            let pairs = map.into_iter().flat_map(|(name, numbers)| {
                numbers.into_iter().map(move |number| (number, name.clone()))
            });
            pairs.collect::<BTreeMap<i64, String>>()
        },
        "Maps each number to its name."
    );
    op!(
        *ops,
        "bench.nested"(depth) = |depth: usize| -> Vec<Vec<Option<f64>>> {
            (0..depth).map(|n| (0..n).map(|i| (i > 0).then_some(0.5)).collect()).collect()
        },
        "Returns nested lists."
    );
    op!(
        *ops,
        "bench.grid"(n, m) = |n: usize, m: usize| {
            let items =
                (0..n * m).map(|i| i32::try_from(i).unwrap_or(i32::MAX)).collect::<Vec<_>>();
            Numbers { items, shape: vec![n, m] }
        },
        "Returns an array with `n` rows of `m` numbers."
    );
    op!(
        *ops,
        "bench.scores"(features) = |features: Array<'_, i32>| {
            let rows = features.shape().first().map_or(0, |rows| rows.unsigned_abs());
            Numbers { items: [0.0_f32, 2.0, 1.0].repeat(rows), shape: vec![rows, 3] }
        },
        "Scores of three classes for each row; the second class has the highest one.",
        gil = release
    );
    op!(
        *ops,
        "bench.total"(array) =
            |array: Array<'_, f32>| { array.items().iter().copied().sum::<f32>() },
        "The sum of an array of any shape."
    );
    op!(
        *ops,
        "bench.address"(array) = |array: &[f64]| array.as_ptr() as usize,
        "Returns the memory address of an array."
    );
    op!(
        *ops,
        "bench.reverse"(bytes) = |bytes: &[u8]| { Bytes(bytes.iter().rev().copied().collect()) },
        "Returns bytes in reverse order."
    );
}

/// Declares ops that take or return functions, and ops on the memory of documents.
fn lent(ops: &mut impl Registrar) {
    op!(
        *ops,
        "bench.adder"(k) = |k: i64| Function::new(move |a: i64| a.wrapping_add(k)),
        "Returns a function that adds `k`."
    );
    op!(*ops, "bench.keep"(f) = |f: Function| f, "Returns the function that it is called with.");
    op!(
        *ops,
        "bench.compose"(f, g) = |f: Function, g: Function| {
            Function::new(move |x: i64| -> Result<i64, Failure> {
                f.callable().call1(g.callable().call1::<_, i64>(x)?)
            })
        },
        "Returns the composition of two functions."
    );
    op!(
        *ops,
        "bench.spaces"(tokens) =
            |tokens: &[TokenC]| { tokens.iter().filter(|token| token.spacy()).count() },
        "Returns the number of tokens that a space follows."
    );
    op!(
        *ops,
        "bench.start_all"(tokens) = |tokens: &mut [TokenC]| {
            for token in tokens {
                token.set_sent_start(1);
            }
        },
        "Starts a sentence at each token."
    );
    op!(
        *ops,
        "bench.linger"(tokens, ms) = |tokens: &mut [TokenC], ms: u64| {
            std::thread::sleep(std::time::Duration::from_millis(ms));
            for token in tokens {
                token.set_sent_start(1);
            }
        },
        "Starts a sentence at each token after a delay, without the GIL.",
        gil = release
    );
    op!(
        *ops,
        "bench.nth"(array, n) =
            |array: &[f64], n: i64| { usize::try_from(n).ok().and_then(|n| array.get(n).copied()) },
        "Returns an item of an array, or None if `n` is out of range."
    );
    op!(
        *ops,
        "bench.both"(tokens, others) =
            |tokens: &mut [TokenC], others: &[TokenC]| { tokens.len() + others.len() },
        "Returns the total number of tokens of a mutable and a read-only array."
    );
    op!(
        *ops,
        "bench.alphas"(doc) = |doc: DocView<'_>| {
            let alpha = |i: &usize| doc.lexeme(*i).is_some_and(|lexeme| lexeme.flags & 2 != 0);
            (0..doc.tokens().len()).filter(alpha).count()
        },
        "Returns the number of tokens that consist of letters."
    );
}

/// Returns a function that multiplies by a fixed factor.
fn scaled(factor: f64) -> impl OpFn<fn(f64) -> f64> {
    move |x: f64| x * factor
}

plugin!(name = "bench", version = env!("CARGO_PKG_VERSION"), register);
