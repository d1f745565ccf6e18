//! Behaviour of a registry beyond its examples.

use std::sync::atomic::{AtomicI64, Ordering};

use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;

use super::*;

fn add(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

fn with_add() -> Registry {
    let registry = Registry::new();
    registry.register(|ops| op!(*ops, "math.add"(a, b = 1) = add, "A sum.")).unwrap();
    registry
}

fn call(registry: &Registry, name: &str, args: &[Value<'_>]) -> Result<i64, Failure> {
    registry.find(name)?.call(args).map(|value| value.get().as_int().unwrap())
}

#[test]
fn a_default_is_filled_in_and_a_missing_argument_is_named() {
    let registry = with_add();
    assert_eq!(call(&registry, "math.add", &[Value::int(2)]).unwrap(), 3);
    let failure = call(&registry, "math.add", &[]).unwrap_err();
    assert_eq!(failure.code(), "op-arity");
    assert!(failure.message().contains("a: int, b: int = 1"), "{failure}");
}

#[test]
fn a_wrong_argument_is_named_with_its_position() {
    let registry = with_add();
    let text = Value::str("2").unwrap();
    let failure = call(&registry, "math.add", &[Value::int(1), text]).unwrap_err();
    assert_eq!(failure.message(), "math.add(): argument 'b' (position 2): expected int, got str");
}

#[test]
fn a_duplicate_names_both_places_and_installs_nothing() {
    let registry = with_add();
    let failure = registry.register(|ops| {
        op!(*ops, "math.other"(a) = |a: i64| a, "Another.");
        op!(*ops, "math.add"(a, b = 1) = add, "The same again.");
    });
    let failure = failure.unwrap_err();
    assert_eq!(failure.code(), "op-duplicate");
    assert_eq!(failure.message().matches("tests.rs:").count(), 2, "{failure}");
    assert!(registry.get("math.other").is_none());
}

#[test]
fn an_override_comes_back_when_it_is_dropped_in_any_order() {
    let registry = with_add();
    let one = [Value::int(1), Value::int(1)];
    let over = |value: i64| {
        let made = registry.override_with(|ops| {
            op!(*ops, "math.add"(a, b = 1) = make move |_: i64, _: i64| value, "Always the same.");
        });
        made.unwrap()
    };
    let (first, second) = (over(10), over(20));
    assert_eq!(call(&registry, "math.add", &one).unwrap(), 20);
    drop(first);
    assert_eq!(call(&registry, "math.add", &one).unwrap(), 20);
    drop(second);
    assert_eq!(call(&registry, "math.add", &one).unwrap(), 2);
    over(30).keep();
    assert_eq!(call(&registry, "math.add", &one).unwrap(), 30);
}

#[test]
fn a_removed_op_answers_with_an_error_and_may_come_back() {
    let registry = with_add();
    let handle = registry.handle::<fn(i64, i64) -> i64>("math.add").unwrap();
    let removed = registry.remove("math.add").unwrap();
    let failure = call(&registry, "math.add", &[Value::int(1)]).unwrap_err();
    assert_eq!(failure.code(), "op-removed");
    assert_eq!(handle.call(1, 1).unwrap_err().code(), "op-removed");
    assert_eq!(registry.ops().count(), 0);
    drop(removed);
    assert_eq!(handle.call(1, 1).unwrap(), 2);
}

#[test]
fn a_handle_of_another_type_is_refused() {
    let registry = with_add();
    let failure = registry.handle::<fn(i64) -> i64>("math.add").unwrap_err();
    assert_eq!(failure.code(), "op-signature");
    assert_eq!(registry.handle::<fn(i64) -> i64>("math.sub").unwrap_err().code(), "op-unknown");
}

#[test]
fn the_best_kernel_that_the_machine_has_is_called_unless_it_is_limited() {
    let registry = with_add();
    registry
        .register(|ops| {
            op!(*ops, "math.add"(a, b = 1) = |_: i64, _: i64| 100, "Many cores.", key = parallel);
        })
        .unwrap();
    let add = |registry| call(registry, "math.add", &[Value::int(1), Value::int(1)]).unwrap();
    assert_eq!(add(&registry), 100);
    assert_eq!(registry.limit(Key::Scalar).unwrap(), Key::Parallel);
    assert_eq!(add(&registry), 2);
    let kernels = registry.get("math.add").unwrap().kernels();
    assert_eq!(kernels.iter().map(|kernel| kernel.current).collect::<Vec<_>>(), [true, false]);
    registry.limit(Key::Parallel).unwrap();
    assert_eq!(add(&registry), 100);
}

#[test]
fn a_key_that_the_machine_lacks_is_refused_by_name() {
    let absent = if cfg!(target_arch = "x86_64") { Key::Neon } else { Key::Avx2 };
    let failure = with_add().limit(absent).unwrap_err();
    assert_eq!(failure.code(), "op-key");
    assert!(failure.message().contains("scalar"), "{failure}");
}

#[test]
fn a_panic_and_an_error_cross_with_the_name_of_the_op() {
    let registry = Registry::new();
    registry
        .register(|ops| {
            op!(*ops, "bad.panics"() = || -> i64 { panic!("oh no") }, "Panics.");
            op!(
                *ops,
                "bad.fails"(word) = |word: &str| -> lexpool::Result<i64> {
                    Err(lexpool::Error::value(lexpool::Code::new("E018"), format!("no {word}")))
                },
                "Fails."
            );
        })
        .unwrap();
    let failure = call(&registry, "bad.panics", &[]).unwrap_err();
    assert_eq!((failure.kind(), failure.code()), (FailureKind::Panic, "op-panic"));
    assert!(failure.message().starts_with("bad.panics()") && failure.message().ends_with("oh no"));
    let failure = call(&registry, "bad.fails", &[Value::str("word").unwrap()]).unwrap_err();
    assert_eq!((failure.code(), failure.message()), ("E018", "bad.fails(): no word"));
}

#[test]
fn names_and_defaults_that_do_not_hold_are_refused() {
    let registry = Registry::new();
    let mut codes = Vec::new();
    let mut declare = |f: &dyn Fn(&mut Batch)| {
        codes.push(registry.register(f).unwrap_err().code().to_owned());
    };
    declare(&|ops| op!(*ops, "add"(a, b) = add, ""));
    declare(&|ops| op!(*ops, "math.class"(a, b) = add, ""));
    declare(&|ops| op!(*ops, "math.add"(a, b = "x") = add, ""));
    declare(&|ops| op!(*ops, "math.add"(a, a) = add, ""));
    declare(&|ops| op!(*ops, "math.add"(a = 1, b) = add, ""));
    assert_eq!(codes, ["op-name", "op-name", "op-default", "op-default", "op-default"]);
}

#[test]
fn documents_words_and_lists_cross() {
    fn words(doc: &Doc, longer_than: usize) -> Vec<String> {
        let words = doc.iter().map(|token| token.text().to_owned());
        words.filter(|word| word.len() > longer_than).collect()
    }
    let registry = Registry::new();
    registry.register(|ops| op!(*ops, "doc.words"(doc, *, longer_than = 0) = words, "")).unwrap();
    let doc = Tokenizer::blank("en").unwrap().tokenize("a bee can do").unwrap();
    let op = registry.get("doc.words").unwrap();
    let lent = lend_doc(&doc);
    let found = op.call(&[lent.value(), Value::int(2)]).unwrap();
    let found: Vec<_> =
        found.get().as_list().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    assert_eq!(found, ["bee", "can"]);
    let handle = registry.handle::<fn(&'static Doc, usize) -> Vec<String>>("doc.words").unwrap();
    assert_eq!(handle.call(&doc, 2).unwrap(), ["bee", "can"]);
}

#[test]
fn memory_that_is_written_is_no_other_argument_too() {
    use lexpool_plugin::RecordsC;
    use lexpool_structs::{Record, TokenC};
    let registry = Registry::new();
    let swap = |a: &mut [TokenC], b: &[TokenC]| a.len() + b.len();
    registry.register(|ops| op!(*ops, "records.both"(a, b) = swap, "")).unwrap();
    let mut tokens = [TokenC::default(); 4];
    let first = tokens.as_mut_ptr();
    let lend = |at: usize, len: usize| {
        // SAFETY: within the array, which is only looked at through what is lent.
        unsafe {
            RecordsC::write(TokenC::INFO.name, size_of::<TokenC>(), first.add(at).cast(), len)
        }
    };
    let (left, right, all) = (lend(0, 2), lend(2, 2), lend(0, 4));
    let both = |a, b| call(&registry, "records.both", &[Value::records(a), Value::records(b)]);
    assert_eq!(both(&left, &right).unwrap(), 4);
    assert_eq!(both(&left, &all).unwrap_err().code(), "op-overlap");
}

struct Counter(AtomicI64);

impl Class for Counter {
    const KEY: &'static str = "test.Counter";
}

#[test]
fn objects_are_made_read_written_and_called() {
    let registry = Registry::new();
    registry
        .register(|ops| {
            class!(*ops, Counter, "Counts.", {
                new(value = 0) = |value: i64| Object::new(Counter(value.into())), "From a number.";
                field value = |counter: &Counter| counter.0.load(Ordering::Relaxed),
                    set |counter: &Counter, value: i64| counter.0.store(value, Ordering::Relaxed),
                    "The number.";
                fn add(k = 1) = |counter: &Counter, k: i64| {
                    counter.0.fetch_add(k, Ordering::Relaxed) + k
                }, "Adds.";
            });
        })
        .unwrap();
    let class = registry.class("test.Counter").unwrap();
    let counter = class.constructor().unwrap().call(&[Value::int(3)]).unwrap();
    let field = &class.fields()[0];
    assert_eq!(class.methods()[0].call(&[counter.get()]).unwrap().get().as_int(), Some(4));
    field.set().unwrap().call(&[counter.get(), Value::int(9)]).unwrap();
    assert_eq!(field.get().call(&[counter.get()]).unwrap().get().as_int(), Some(9));
    let failure = class.methods()[0].call(&[Value::int(1)]).unwrap_err();
    assert_eq!(
        failure.message(),
        "test.Counter.add(): argument 'self' (position 1): expected test.Counter, got int"
    );
}

#[test]
fn functions_go_in_and_come_out() {
    let registry = Registry::new();
    registry
        .register(|ops| {
            op!(*ops, "fn.adder"(k) = |k: i64| Function::new(move |a: i64| a + k), "Makes one.");
            op!(
                *ops,
                "fn.twice"(f, x) = |f: Callable<'_>, x: i64| -> Result<i64, Failure> {
                    f.call1(f.call1::<_, i64>(x)?)
                },
                "Calls one."
            );
        })
        .unwrap();
    let adder = registry.get("fn.adder").unwrap().call(&[Value::int(5)]).unwrap();
    let twice = call(&registry, "fn.twice", &[adder.get(), Value::int(1)]);
    assert_eq!(twice.unwrap(), 11);
}

#[test]
fn many_threads_register_call_and_remove() {
    let registry = with_add();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..100 {
                    // One thread is the first, and the others meet a duplicate.
                    let made = registry.register(|ops| op!(*ops, "math.one"() = || 1, "One."));
                    assert!(made.is_ok() || registry.get("math.one").is_some());
                    let made = registry.override_with(|ops| {
                        op!(*ops, "math.add"(a, b = 1) = make move |_: i64, _: i64| n, "");
                    });
                    let found = call(&registry, "math.add", &[Value::int(1)]).unwrap();
                    assert!((0..100).contains(&found));
                    drop(made);
                }
            });
        }
    });
    assert_eq!(call(&registry, "math.add", &[Value::int(1)]).unwrap(), 2);
    assert_eq!(registry.ops().count(), 2);
}
