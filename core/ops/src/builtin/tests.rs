//! lexpool's own ops as a whole: they register, agree with what they are made of, and stand
//! whatever they are given.
//!
//! Holds unsafe code: arrays and records that are lent for a call.

use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool_plugin::{
    ArrayC, Declaration, Dtype, Failure, FromOwned, IntoOwned, RecordsC, Registrar, Value,
};
use lexpool_structs::{AttrId, LexemeC, SpanC, TokenC};
use proptest::prelude::*;

use super::super::{Key, Owned, Registry, lend_doc, lend_vocab, map, op};
use super::*;

type CountBy = fn(&'static Doc, u32) -> lexpool::Result<Counts>;
type Distance = fn(&'static str, &'static str, Option<usize>) -> lexpool::Result<usize>;

fn registry() -> Registry {
    let registry = Registry::new();
    registry.register(declare).unwrap();
    registry
}

fn doc(text: &str) -> Doc {
    Tokenizer::blank("en").unwrap().tokenize(text).unwrap()
}

fn call(registry: &Registry, name: &str, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
    registry.find(name)?.call(args)
}

#[test]
fn all_of_them_register_and_say_what_they_do() {
    let registry = registry();
    assert!(registry.ops().count() >= 30);
    for op in registry.ops() {
        let first = op.doc().lines().next().unwrap_or_default();
        assert!(first.ends_with('.') && first.len() > 20, "{}: {first:?}", op.name());
        assert!(op.kernels().iter().any(|kernel| kernel.current), "{}", op.name());
        assert!(op.place().contains("builtin"), "{} of {}", op.name(), op.place());
    }
}

#[test]
fn counts_are_those_of_the_function_through_both_entries() {
    let registry = registry();
    let doc = doc("the cat and the dog and the end");
    let expected = doc.attrs().count_by(AttrId::ORTH);
    let lent = lend_doc(&doc);
    let orth = Value::int(AttrId::ORTH.number().into());
    let boxed = call(&registry, "doc.count_by", &[lent.value(), orth]).unwrap();
    assert_eq!(Counts::from_owned(&boxed).unwrap().0, expected);
    let handle = registry.handle::<CountBy>("doc.count_by").unwrap();
    assert_eq!(handle.call(&doc, AttrId::ORTH.number()).unwrap().unwrap().0, expected);
    let failure = call(&registry, "doc.count_by", &[lent.value(), Value::int(1000)]).unwrap_err();
    assert_eq!(failure.code(), "E983");
}

#[test]
fn ranges_come_back_as_they_were_and_bad_ones_are_refused() {
    let ranges = Ranges(vec![0..2, 2..2, 5..9]);
    let owned = ranges.clone().into_owned().unwrap();
    assert_eq!(Ranges::from_owned(&owned).unwrap(), ranges);
    for bad in [vec![-1, 2], vec![3, 1]] {
        let owned = lexpool_plugin::Numbers { items: bad, shape: vec![1, 2] }.into_owned().unwrap();
        assert_eq!(Ranges::from_owned(&owned).unwrap_err().code(), "op-result");
    }
}

#[test]
fn filtered_ranges_are_the_longest_or_the_first() {
    let registry = registry();
    let filter =
        registry.handle::<fn(Ranges, bool) -> lexpool::Result<Vec<usize>>>("spans.filter").unwrap();
    let ranges = || Ranges(vec![5..6, 0..2, 1..5, 1..5]);
    assert_eq!(filter.call(ranges(), true).unwrap().unwrap(), [2, 0]);
    assert_eq!(filter.call(ranges(), false).unwrap().unwrap(), [1, 0]);
}

#[test]
fn a_segmenter_cuts_texts_without_a_tokenizer() {
    let registry = registry();
    let text = |text: &'static str| Value::str(text).unwrap();
    let segmenter = call(&registry, "segment.open", &[text("newmm"), Value::NONE]).unwrap();
    let class = registry.class("segment.Segmenter").unwrap();
    let cut = &class.methods()[0];
    let words = cut.call(&[segmenter.get(), text("ภาษาไทย ง่าย")]).unwrap();
    assert_eq!(Vec::<String>::from_owned(&words).unwrap(), ["ภาษาไทย", " ", "ง่าย"]);
    let failure = call(&registry, "segment.open", &[text("x"), Value::NONE]).unwrap_err();
    assert_eq!(failure.code(), "segmenter-data");
}

#[test]
fn every_key_gives_the_same_cosines() {
    let registry = registry();
    let numbers: Vec<f32> = (0_u8..200).map(|i| f32::from(i % 17) - 8.0).collect();
    let query = &numbers[..20];
    let of = |items: &[f32], shape: &[isize]| {
        let ndim = u32::try_from(shape.len()).unwrap();
        let (data, null) = (items.as_ptr().cast_mut().cast(), std::ptr::null());
        // SAFETY: a slice that outlives the call, of the shape that is given.
        unsafe { ArrayC::new(Dtype::F32, data, ndim, shape.as_ptr(), null, false) }
    };
    let (query_shape, rows_shape) = ([20], [10, 20]);
    let (query, rows) = (of(query, &query_shape), of(&numbers, &rows_shape));
    let mut all = Vec::new();
    for key in super::super::available_keys() {
        registry.limit(*key).unwrap();
        let found =
            call(&registry, "vectors.cosines", &[Value::array(&query), Value::array(&rows)]);
        let found = found.unwrap();
        all.push(found.get().as_array().unwrap().as_slice::<f32>().unwrap().to_vec());
    }
    for cosines in &all {
        assert!((cosines[0] - 1.0).abs() < 1e-6, "{cosines:?}");
        let close = all[0].iter().zip(cosines).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close, "{cosines:?} {:?}", all[0]);
    }
    let kernels = registry.get("vectors.cosines").unwrap().kernels();
    let keys: Vec<_> = kernels.iter().map(|kernel| kernel.key).collect();
    assert_eq!(keys, [Key::Scalar, Key::Avx2, Key::Parallel]);
}

#[test]
fn records_are_counted_and_written() {
    let registry = registry();
    let starts = [1, 0, -1, 1, 0, 0];
    let mut tokens = starts.map(|start| TokenC::default().with_sent_start(start));
    tokens[2].set_spacy(true);
    let int = |name: &str, tokens: &[TokenC]| {
        let lent = RecordsC::of(tokens);
        call(&registry, name, &[lent.value()]).unwrap().get().as_int().unwrap()
    };
    let names = ["sentence_starts", "longest_sentence", "longest_unspaced", "spaces", "types"];
    let found = names.map(|name| int(&format!("records.{name}"), &tokens));
    assert_eq!(found, [2, 3, 3, 1, 1]);
    let clear = "records.clear_sentences";
    let handle = registry.handle::<fn(&'static mut [TokenC]) -> usize>(clear).unwrap();
    assert_eq!(handle.call(&mut tokens).unwrap(), 3);
    assert_eq!(int("records.sentence_starts", &tokens), 0);
    // Records that are borrowed for reading are not a lease.
    let lent = RecordsC::of(&tokens);
    assert_eq!(call(&registry, clear, &[lent.value()]).unwrap_err().code(), "op-argument");
}

#[test]
fn a_map_keeps_the_order_and_names_the_first_document_that_fails() {
    let registry = registry();
    registry
        .register(|ops| {
            op!(
                *ops,
                "test.length"(doc, most) = |doc: &Doc, most: usize| -> lexpool::Result<usize> {
                    if doc.len() > most {
                        return Err(lexpool::Error::value(
                            lexpool::Code::new("too-long"),
                            format!("{} tokens", doc.len()),
                        ));
                    }
                    Ok(doc.len())
                },
                "Fails for long documents."
            );
        })
        .unwrap();
    let docs: Vec<_> = (0..300).map(|n| doc(&"a ".repeat(n % 100))).collect();
    let docs: Vec<_> = docs.iter().collect();
    let op = registry.get("test.length").unwrap();
    for threads in [0, 1, 3] {
        let mut told = Vec::new();
        let progress = &mut |done| {
            told.push(done);
            Ok(())
        };
        let found = map(op, &docs, &[Value::int(100)], threads, progress).unwrap();
        for (found, doc) in found.iter().zip(&docs) {
            assert_eq!(found.get().as_int(), Some(i64::try_from(doc.len()).unwrap()));
        }
        assert_eq!(told.last(), Some(&300));
        let failure = map(op, &docs, &[Value::int(60)], threads, &mut |_| Ok(())).unwrap_err();
        assert_eq!(failure.code(), "too-long");
        let first = docs.iter().position(|doc| doc.len() > 60).unwrap();
        let start = format!("document {first}: test.length(): ");
        assert!(failure.message().starts_with(&start), "{failure}");
    }
}

#[test]
fn an_op_that_maps_in_its_turn_comes_to_an_end() {
    fn nested(doc: &Doc, depth: usize) -> Result<usize, Failure> {
        if depth == 0 {
            return Ok(1);
        }
        let op = OWN.find("test.nested")?;
        let rest = [Value::int(i64::try_from(depth - 1).unwrap())];
        Ok(map(op, &[doc; 20], &rest, 2, &mut |_| Ok(()))?.len())
    }
    static OWN: std::sync::LazyLock<Registry> = std::sync::LazyLock::new(registry);
    OWN.register(|ops| op!(*ops, "test.nested"(doc, depth) = nested, "Maps itself.")).unwrap();
    assert_eq!(nested(&doc("one"), 3).unwrap(), 20);
}

#[test]
fn a_map_ends_soon_where_progress_fails() {
    let registry = registry();
    registry
        .register(|ops| {
            op!(
                *ops,
                "test.slow"(doc) =
                    |_: &Doc| std::thread::sleep(std::time::Duration::from_millis(20)),
                "Takes its time."
            );
        })
        .unwrap();
    let one = doc("one");
    let docs = vec![&one; 5_000];
    for threads in [1, 2] {
        let start = std::time::Instant::now();
        let stop = &mut |_| {
            let text = "stopped by a test";
            Err(Failure::new(super::super::FailureKind::Interrupted, "interrupted", text))
        };
        let failure =
            map(registry.get("test.slow").unwrap(), &docs, &[], threads, stop).unwrap_err();
        assert_eq!(failure.code(), "interrupted");
        // All of them would take fifty seconds or more.
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}

#[test]
fn an_override_is_what_a_handle_calls() {
    let registry = registry();
    let distance = registry.handle::<Distance>("text.edit_distance").unwrap();
    assert_eq!(distance.call("kitten", "sitting", None).unwrap().unwrap(), 3);
    let over = registry.override_with(|ops| {
        op!(
            *ops,
            "text.edit_distance"(a, b, bound = None) =
                |a: &str, b: &str, _: Option<usize>| Ok::<_, lexpool::Error>(
                    a.len().abs_diff(b.len())
                ),
            "Of the lengths alone."
        );
    });
    assert_eq!(distance.call("kitten", "sitting", None).unwrap().unwrap(), 1);
    drop(over);
    assert_eq!(distance.call("kitten", "sitting", None).unwrap().unwrap(), 3);
}

#[test]
fn a_thousand_ops_are_registered_and_found() {
    let mut kept = Declarations(Vec::new());
    for n in 0..1000 {
        op!(kept, "many.op"(a, b = 1) = make move |a: i64, b: i64| a + b + n, "One of many.");
        kept.0.last_mut().unwrap().name = format!("many.op{n}").into();
    }
    let registry = registry();
    let own = registry.ops().count();
    let start = std::time::Instant::now();
    registry.register(|ops| kept.0.into_iter().for_each(|one| Registrar::op(ops, one))).unwrap();
    let registered = start.elapsed();
    let names: Vec<_> = (0..1000).map(|n| format!("many.op{n}")).collect();
    let start = std::time::Instant::now();
    for (n, name) in (0..).zip(&names) {
        let found = registry.get(name).unwrap().call(&[Value::int(1)]).unwrap();
        assert_eq!(found.get().as_int(), Some(2 + n));
    }
    println!("1000 ops: registered in {registered:?}, found and called in {:?}", start.elapsed());
    assert_eq!(registry.ops().count(), own + 1000);
}

#[test]
fn ops_registered_from_many_threads_are_all_found_beside_calls() {
    let registry = registry();
    let of_thread = |thread: usize, n: usize| format!("thread{thread}.op{n}");
    let start = std::sync::Barrier::new(6);
    std::thread::scope(|scope| {
        for thread in 0..4_usize {
            let (registry, start) = (&registry, &start);
            scope.spawn(move || {
                start.wait();
                for n in 0..100 {
                    let mut kept = Declarations(Vec::new());
                    op!(kept, "a.op"(a) = make move |a: usize| a + n, "One of many.");
                    let mut declared = kept.0.pop().unwrap();
                    declared.name = of_thread(thread, n).into();
                    registry.register(|ops| Registrar::op(ops, declared)).unwrap();
                    let found = call(registry, &of_thread(thread, n), &[Value::int(1)]).unwrap();
                    assert_eq!(found.get().as_int(), Some(i64::try_from(1 + n).unwrap()));
                }
            });
        }
        for _ in 0..2 {
            let (registry, start) = (&registry, &start);
            scope.spawn(move || {
                start.wait();
                for _ in 0..400 {
                    let words = [Value::str("kitten").unwrap(), Value::str("sitting").unwrap()];
                    let found = call(registry, "text.edit_distance", &words).unwrap();
                    assert_eq!(found.get().as_int(), Some(3));
                    assert!(registry.ops().all(|op| !op.name().is_empty()));
                }
            });
        }
    });
    let all = (0..4).flat_map(|thread| (0..100).map(move |n| of_thread(thread, n)));
    assert!(all.into_iter().all(|name| registry.get(&name).is_some()));
}

/// Declarations, to be given other names.
struct Declarations(Vec<Declaration>);

impl Registrar for Declarations {
    fn op(&mut self, declaration: Declaration) {
        self.0.push(declaration);
    }

    fn class(&mut self, _: lexpool_plugin::ClassDeclaration) {}
}

#[test]
fn a_handle_says_where_a_kernel_came_through_c_and_values_reach_it() {
    let registry = registry();
    let handle = registry.handle::<fn(&'static str) -> String>("text.lower").unwrap();
    let over = registry.override_with(|ops| {
        let mut kept = Declarations(Vec::new());
        op!(kept, "text.lower"(text) = |text: &str| text.to_uppercase(), "The other way round.");
        let mut declared = kept.0.pop().unwrap();
        declared.kernel = declared.kernel.untyped();
        Registrar::op(ops, declared);
    });
    assert_eq!(handle.call("a").unwrap_err().code(), "op-untyped");
    let found = handle.op().call(&[Value::str("a").unwrap()]).unwrap();
    assert_eq!(String::from_owned(&found).unwrap(), "A");
    drop(over);
    assert_eq!(handle.call("A").unwrap(), "a");
}

/// A value of any kind, as a tree that owns what the value borrows.
#[derive(Clone, Debug)]
enum Any {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    Bytes(Vec<u8>),
    List(Vec<Any>),
    Map(Vec<(Any, Any)>),
    Floats(Vec<f32>, bool),
    Ints(Vec<i64>, bool),
    Doc,
    Vocab,
    Tokens(u8, bool),
    Spans(Vec<(i32, i32)>),
    Lexemes(u8),
}

fn any_value() -> impl Strategy<Value = Any> {
    let small = prop_oneof![-3_i64..100, any::<i64>()];
    let leaf = prop_oneof![
        Just(Any::None),
        any::<bool>().prop_map(Any::Bool),
        small.clone().prop_map(Any::Int),
        any::<f64>().prop_map(Any::Float),
        prop_oneof![".{0,12}", "[BILUO-]{1,2}[A-Z]{0,3}", "strict|expand|contract"]
            .prop_map(Any::Str),
        proptest::collection::vec(any::<u8>(), 0..8).prop_map(Any::Bytes),
        (proptest::collection::vec(any::<f32>(), 0..40), any::<bool>())
            .prop_map(|(items, flat)| Any::Floats(items, flat)),
        (proptest::collection::vec(small, 0..12), any::<bool>())
            .prop_map(|(items, flat)| Any::Ints(items, flat)),
        Just(Any::Doc),
        Just(Any::Vocab),
        (any::<u8>(), any::<bool>()).prop_map(|(n, lease)| Any::Tokens(n, lease)),
        proptest::collection::vec(any::<(i32, i32)>(), 0..6).prop_map(Any::Spans),
        any::<u8>().prop_map(Any::Lexemes),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Any::List),
            proptest::collection::vec((inner.clone(), inner), 0..4).prop_map(Any::Map),
        ]
    })
}

/// Calls `use_value` with the value, which lives as long as the call.
fn with_value<R>(any: &Any, doc: &Doc, use_value: &mut dyn FnMut(Value<'_>) -> R) -> R {
    match any {
        Any::None => use_value(Value::NONE),
        Any::Bool(value) => use_value(Value::bool(*value)),
        Any::Int(value) => use_value(Value::int(*value)),
        Any::Float(value) => use_value(Value::float(*value)),
        Any::Str(value) => use_value(Value::str(value).unwrap()),
        Any::Bytes(value) => use_value(Value::bytes(value).unwrap()),
        Any::List(items) => {
            with_values(items, doc, &mut |values| use_value(Value::list(values).unwrap()))
        }
        Any::Map(pairs) => {
            let items: Vec<_> = pairs.iter().flat_map(|(k, v)| [k.clone(), v.clone()]).collect();
            with_values(&items, doc, &mut |values| {
                let pairs: Vec<_> = values.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
                use_value(Value::map(&pairs).unwrap())
            })
        }
        Any::Floats(items, flat) => with_array(Dtype::F32, items, *flat, use_value),
        Any::Ints(items, flat) => with_array(Dtype::I64, items, *flat, use_value),
        Any::Doc => use_value(lend_doc(doc).value()),
        Any::Vocab => use_value(Value::vocab(lend_vocab(doc.vocab()))),
        Any::Tokens(n, lease) => {
            let mut tokens = vec![TokenC::default().with_sent_start(1); usize::from(*n)];
            let (len, size) = (tokens.len(), size_of::<TokenC>());
            // SAFETY: the records are this function's, and nobody else looks at them meanwhile.
            let leased =
                unsafe { RecordsC::write("TokenC", size, tokens.as_mut_ptr().cast(), len) };
            if *lease {
                use_value(Value::records(&leased))
            } else {
                use_value(RecordsC::of(&tokens).value())
            }
        }
        Any::Spans(ranges) => {
            let span = |&(start, end): &(i32, i32)| SpanC { start, end, ..SpanC::default() };
            use_value(RecordsC::of(&ranges.iter().map(span).collect::<Vec<_>>()).value())
        }
        Any::Lexemes(n) => {
            use_value(RecordsC::of(&vec![LexemeC::default(); usize::from(*n)]).value())
        }
    }
}

fn with_array<T, R>(
    dtype: Dtype,
    items: &[T],
    flat: bool,
    use_value: &mut dyn FnMut(Value<'_>) -> R,
) -> R {
    let len = isize::try_from(items.len()).unwrap();
    let shape: &[isize] = if flat { &[len] } else { &[len / 2, 2] };
    let ndim = if flat { 1 } else { 2 };
    let (data, null) = (items.as_ptr().cast_mut().cast(), std::ptr::null());
    // SAFETY: the items outlive the call, and the shape has no more than them.
    let array = unsafe { ArrayC::new(dtype, data, ndim, shape.as_ptr(), null, false) };
    use_value(Value::array(&array))
}

fn with_values<R>(items: &[Any], doc: &Doc, use_values: &mut dyn FnMut(&[Value<'_>]) -> R) -> R {
    fn rest<R>(
        items: &[Any],
        before: &[Value<'_>],
        doc: &Doc,
        use_values: &mut dyn FnMut(&[Value<'_>]) -> R,
    ) -> R {
        let Some((first, others)) = items.split_first() else { return use_values(before) };
        with_value(first, doc, &mut |value| {
            let values: Vec<_> = before.iter().copied().chain([value]).collect();
            rest(others, &values, doc, use_values)
        })
    }
    rest(items, &[], doc, use_values)
}

/// A value that an argument of the type may well take, or any other.
fn fitting(ty: &lexpool_plugin::Type) -> BoxedStrategy<Any> {
    use lexpool_plugin::Type;
    let fit = match ty {
        Type::Bool => any::<bool>().prop_map(Any::Bool).boxed(),
        Type::Int => prop_oneof![-2_i64..90, any::<i64>()].prop_map(Any::Int).boxed(),
        Type::Str => ".{0,20}".prop_map(Any::Str).boxed(),
        Type::Doc => Just(Any::Doc).boxed(),
        Type::Optional(inner) => prop_oneof![Just(Any::None), fitting(inner)].boxed(),
        Type::List(inner) => {
            proptest::collection::vec(fitting(inner), 0..6).prop_map(Any::List).boxed()
        }
        Type::Array(Dtype::F32, ndim) => {
            let flat = ndim.is_some();
            let items = proptest::collection::vec(any::<f32>(), 2);
            items.prop_map(move |items| Any::Floats(items, flat)).boxed()
        }
        Type::Array(..) => {
            let items = proptest::collection::vec(0_i64..20, 0..12);
            items.prop_map(|items| Any::Ints(items, false)).boxed()
        }
        Type::Records(name) if name == "SpanC" => {
            proptest::collection::vec(any::<(i32, i32)>(), 0..6).prop_map(Any::Spans).boxed()
        }
        Type::Records(_) => any::<u8>().prop_map(|n| Any::Tokens(n, false)).boxed(),
        Type::RecordsMut(_) => any::<u8>().prop_map(|n| Any::Tokens(n, true)).boxed(),
        _ => any_value().boxed(),
    };
    prop_oneof![4 => fit, 1 => any_value().boxed()].boxed()
}

/// A call of one of the ops, by its position.
fn calls() -> impl Strategy<Value = (usize, Vec<Any>)> {
    let registry = registry();
    let params: Vec<Vec<_>> = registry
        .ops()
        .map(|op| op.params().iter().map(|param| param.ty.clone()).collect())
        .collect();
    (0..params.len()).prop_flat_map(move |at| {
        let fit: Vec<_> = params[at].iter().map(fitting).collect();
        let args = prop_oneof![
            4 => fit,
            1 => proptest::collection::vec(any_value(), 0..14),
        ];
        (Just(at), args)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_boxed_call_with_any_value_in_any_position_gives_a_value_or_an_error((at, args) in calls()) {
        use std::sync::LazyLock;
        static OWN: LazyLock<(Registry, Doc)> =
            LazyLock::new(|| (registry(), doc("Let's go to N.Y., shall we? I'd go.")));
        let (registry, doc) = &*OWN;
        let op = registry.ops().nth(at).unwrap();
        let called = with_values(&args, doc, &mut |values| op.call(values));
        if let Err(failure) = called {
            prop_assert!(failure.code() != "op-panic", "{}: {failure} of {args:?}", op.name());
            prop_assert!(failure.message().starts_with(op.name()), "{failure}");
        }
    }
}
