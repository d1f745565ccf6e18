//! Every structure frees what it has allocated, once and with its layout.
//!
//! Contains unsafe code: an allocator that counts.

#![cfg(not(loom))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use lexpool_pool::{
    ArrayArena, ChunkArena, Error, Index, Pool, RecordBuffer, SegmentedBytes, SegmentedVec,
    SharedRegion, ZoneSlot,
};

/// The system's allocator, which counts what each thread has and has not freed yet.
struct Counting;

thread_local! {
    static BLOCKS: Cell<isize> = const { Cell::new(0) };
    static BYTES: Cell<isize> = const { Cell::new(0) };
}

fn count(blocks: isize, layout: Layout) {
    // A thread that ends has no counters any more.
    let _ = BLOCKS.try_with(|count| count.set(count.get() + blocks));
    let bytes = blocks * isize::try_from(layout.size()).unwrap_or(isize::MAX);
    let _ = BYTES.try_with(|count| count.set(count.get() + bytes));
}

// SAFETY: all calls are forwarded to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-1, layout);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Checks that `work`, which drops all that it makes, allocates and frees it all.
fn frees_all<T>(name: &str, work: impl FnOnce() -> T) {
    let before = (BLOCKS.get(), BYTES.get());
    drop(std::hint::black_box(work()));
    assert_eq!((BLOCKS.get(), BYTES.get()), before, "{name}: blocks and bytes");
}

#[test]
fn what_is_counted_is_seen() {
    let before = BYTES.get();
    let kept = std::hint::black_box(Box::new([0_u8; 100]));
    assert_eq!(BYTES.get(), before + 100);
    drop(kept);
    assert_eq!(BYTES.get(), before);
}

#[test]
fn every_structure_frees_what_it_has_allocated() {
    frees_all("pool", || {
        let mut pool = Pool::new();
        pool.alloc_zeroed::<u64>(1000).unwrap();
        pool.reset();
        pool.alloc_str("text").unwrap();
        pool
    });
    frees_all("chunk arena", || {
        let mut arena = ChunkArena::with_chunk_bytes(64);
        let kept: Vec<_> =
            (0..100_usize).map(|n| arena.place(&vec![n; n % 5], b"text").unwrap()).collect();
        (arena, kept)
    });
    frees_all("array arena", || {
        let mut arena = ArrayArena::new();
        let kept: Vec<_> = (0..100).map(|n| arena.zeroed::<u64>(n).unwrap()).collect();
        (arena, kept)
    });
    frees_all("record buffer", || {
        let mut records = Vec::with_capacity(100);
        records.extend([1_u64, 2, 3]);
        let buffer = RecordBuffer::from_vecs(records, b"text".to_vec()).unwrap();
        let bytes = RecordBuffer::<u64>::from_vecs(Vec::new(), b"text".to_vec()).unwrap();
        (buffer.keep_alive(), buffer, bytes)
    });
    frees_all("shared region", || {
        let memory = Arc::new(vec![1_u64, 2, 3]);
        let region = SharedRegion::new(Box::new(Arc::clone(&memory))).unwrap();
        // SAFETY: the region keeps the vector alive, and nothing changes it.
        let mut buffer = unsafe { region.buffer(&memory, b"") }.unwrap();
        buffer.make_owned().unwrap();
        (region, buffer, memory)
    });
    frees_all("segmented vector", || {
        let vec = SegmentedVec::<String, 2>::default();
        (0..100).for_each(|n| _ = vec.push(format!("item {n}")).unwrap());
        vec
    });
    frees_all("segmented bytes", || {
        let bytes = SegmentedBytes::new();
        (0..100).for_each(|n| _ = bytes.push(&vec![7; n * 10]).unwrap());
        bytes
    });
    frees_all("index", || {
        let index = Index::<4>::with_shards(2);
        for ix in 0..1000 {
            let make = || Ok::<u32, Error>(ix);
            index.find_or_insert(ix.into(), |other| other == ix, u64::from, make).unwrap();
        }
        index
    });
    frees_all("zone", || {
        let slot = ZoneSlot::new();
        slot.open(vec![1, 2, 3]).unwrap();
        let held = slot.current();
        slot.close().unwrap();
        slot.open(vec![4]).unwrap();
        (slot, held)
    });
}
