//! trial
use super::*;
use lexpool_plugin::{Array, Bytes, DocView, List, Numbers};
use lexpool_structs::TokenC;
use std::sync::atomic::{AtomicI64, Ordering};
struct Counter(AtomicI64);
impl Class for Counter {
    const KEY: &'static str = "bench.Counter";
}
struct Frozen(i64);
impl Class for Frozen {
    const KEY: &'static str = "bench.Frozen";
}
pub fn register(r: &Registry) {
    r.register(|ops| {
        op!(*ops, "bench.noop"() = || (), "Nothing.");
        op!(*ops, "bench.add"(a, b) = |a: i64, b: i64| a.wrapping_add(b), "A sum.");
        op!(*ops, "bench.add_nogil"(a, b) = |a: i64, b: i64| a.wrapping_add(b), "A sum.", gil = release);
        op!(*ops, "bench.strlen"(s) = |s: &str| s.len(), "Length.");
        op!(*ops, "bench.buf"(x) = |x: &[f64]| x[0] + x.len() as f64, "Buf.");
        op!(*ops, "bench.sum"(v) = |v: List<'_, i64>| v.iter().sum::<i64>(), "Sum.");
        op!(*ops, "bench.apply"(f, x) = |f: Callable<'_>, x: i64| -> Result<i64, Failure> { f.call1(x) }, "Apply.");
        op!(*ops, "bench.adder"(k) = |k: i64| Function::new(move |a: i64| a + k), "Adder.");
        op!(*ops, "bench.keep"(f) = |f: Function| f, "Back.");
        op!(*ops, "bench.any"(x = None) = |x: Value<'_>| format!("{x:?}"), "Any.");
        op!(*ops, "bench.map"(m) = |m: std::collections::BTreeMap<String, Vec<i64>>| m, "Map.");
        op!(*ops, "bench.opt"(a, *, b = None, c = "x", d = 1.5) = |a: i64, b: Option<i64>, c: &str, d: f64| format!("{a} {b:?} {c} {d}"), "Opt.");
        op!(*ops, "bench.nums"(n) = |n: usize| Numbers { items: (0..n * 2).map(|i| i as f64).collect::<Vec<_>>(), shape: vec![n, 2] }, "Nums.");
        op!(*ops, "bench.total"(a) = |a: Array<'_, f32>| a.items().iter().sum::<f32>(), "Total.");
        op!(*ops, "bench.spaces"(t) = |t: &[TokenC]| t.iter().filter(|t| t.spacy()).count(), "Spaces.");
        op!(*ops, "bench.mark"(t) = |t: &mut [TokenC]| { for t in t.iter_mut() { t.set_sent_start(1) } t.len() }, "Mark.");
        op!(*ops, "bench.doclen"(d) = |d: DocView<'_>| d.tokens().len(), "Doc.");
        op!(*ops, "bench.bytes"(b) = |b: &[u8]| Bytes(b.iter().rev().copied().collect()), "Bytes.");
        op!(*ops, "bench.panics"() = || -> i64 { panic!("oh") }, "Panic.");
        class!(*ops, Counter, "Counts.", {
            new(value) = |v: i64| Object::new(Counter(v.into())), "From a number.";
            field value = |c: &Counter| c.0.load(Ordering::Relaxed), set |c: &Counter, v: i64| c.0.store(v, Ordering::Relaxed), "The number.";
            fn add(k) = |c: &Counter, k: i64| c.0.load(Ordering::Relaxed) + k, "Adds.";
        });
        class!(*ops, Frozen, "Frozen.", {
            new(value) = |v: i64| Object::new(Frozen(v)), "From a number.";
            fixed value = |c: &Frozen| c.0, "The number.";
        });
    }).unwrap();
}
