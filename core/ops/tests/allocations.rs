//! A call of an op does not allocate, by its typed entry point, and for numbers also by the boxed
//! one.
//!
//! Contains unsafe code: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use lexpool::structs::TokenC;
use lexpool_ops::{Registry, Value, op};

/// The system's allocator, which counts the allocations of each thread.
struct Counting;

thread_local!(static ASKED: Cell<usize> = const { Cell::new(0) });

// SAFETY: all calls are forwarded to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more.
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ASKED.get();
    work();
    ASKED.get() - before
}

fn registry() -> Registry {
    let registry = Registry::new();
    registry
        .register(|ops| {
            op!(*ops, "math.add"(a, b = 1) = |a: i64, b: i64| a.wrapping_add(b), "A sum.");
            op!(*ops, "records.spaces"(tokens) = spaces, "Tokens before a space.");
        })
        .unwrap();
    registry
}

fn spaces(tokens: &[TokenC]) -> usize {
    tokens.iter().filter(|token| token.spacy()).count()
}

#[test]
fn what_is_counted_is_seen() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn a_typed_call_of_numbers_or_records_allocates_nothing() {
    let registry = registry();
    let add = registry.handle::<fn(i64, i64) -> i64>("math.add").unwrap();
    let spaces = registry.handle::<fn(&'static [TokenC]) -> usize>("records.spaces").unwrap();
    let tokens = [TokenC::default().with_spacy(true); 40];
    let asked = allocations(|| {
        for n in 0..100 {
            assert_eq!(add.call(n, 2).unwrap(), n + 2);
            assert_eq!(spaces.call(&tokens).unwrap(), 40);
        }
    });
    assert_eq!(asked, 0);
}

#[test]
fn a_boxed_call_of_numbers_allocates_nothing_defaults_among_them() {
    let registry = registry();
    let add = registry.get("math.add").unwrap();
    let asked = allocations(|| {
        for n in 0..100 {
            let sum = add.call(&[Value::int(n), Value::int(2)]).unwrap();
            assert_eq!(sum.get().as_int(), Some(n + 2));
            assert_eq!(add.call(&[Value::int(n)]).unwrap().get().as_int(), Some(n + 1));
        }
    });
    assert_eq!(asked, 0);
}

#[test]
fn a_call_of_an_op_of_lexpools_own_allocates_nothing_for_records() {
    let longest = lexpool_ops::global();
    let longest = longest.handle::<fn(&'static [TokenC]) -> usize>("records.longest_unspaced");
    let longest = longest.unwrap();
    let tokens = [TokenC::default(); 40];
    assert_eq!(allocations(|| assert_eq!(longest.call(&tokens).unwrap(), 40)), 0);
}
