//! Model checking of the schedules of a few threads, with loom.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test -p lexpool-pool --test schedules`.
//!
//! In each model the main thread writes and the spawned thread reads. The other way round loom 0.7
//! misses schedules: a load by the writer hides an earlier load by the reader.

#![cfg(loom)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

use lexpool_pool::{
    ActiveSlot, Error, ForkGate, Index, OpenOnce, PhaseGate, RwState, SegmentedBytes, SegmentedVec,
    ZoneSlot,
};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::sync::{Arc, Mutex};
use loom::thread;

/// A value; the model checks that all reads come after its initialization.
struct CheckedValue(UnsafeCell<u32>);

// SAFETY: the cell is written only by `new`; the models check that reads come after.
unsafe impl Send for CheckedValue {}
// SAFETY: the cell is written only by `new`; the models check that reads come after.
unsafe impl Sync for CheckedValue {}

impl CheckedValue {
    fn new(value: u32) -> Self {
        let whole = Self(UnsafeCell::new(0));
        // A separate write, since the model does not track the creation of a cell.
        // SAFETY: the cell is not shared yet.
        whole.0.with_mut(|place| unsafe { *place = value });
        whole
    }

    fn read(&self) -> u32 {
        // SAFETY: the cell is not written after `new`.
        self.0.with(|value| unsafe { *value })
    }
}

/// Checks `model` under every schedule with at most `preemptions` active_slotes that are not
/// forced.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// Runs `other` on a thread of its own beside `here` on this one; returns the result of `other`.
fn beside<S: Send + Sync + 'static, T: 'static>(
    shared: &Arc<S>,
    other: impl FnOnce(&S) -> T + 'static,
    here: impl FnOnce(&S),
) -> T {
    let theirs = Arc::clone(shared);
    let thread = thread::spawn(move || other(&theirs));
    here(shared);
    thread.join().unwrap()
}

#[test]
fn a_reader_sees_whole_items_only() {
    loom::model(|| {
        let items = Arc::new(SegmentedVec::<CheckedValue, 1>::default());
        let read = |items: &SegmentedVec<CheckedValue, 1>| {
            let seen: Vec<u32> = items.iter().map(CheckedValue::read).collect();
            assert!([&[][..], &[0], &[0, 1]].contains(&&seen[..]), "saw {seen:?}");
        };
        beside(&items, read, |items| {
            items.push(CheckedValue::new(0)).unwrap();
            items.push(CheckedValue::new(1)).unwrap();
        });
    });
}

#[test]
fn two_writers_append_side_by_side() {
    loom::model(|| {
        let items = Arc::new(SegmentedVec::<CheckedValue, 1>::default());
        let push = |items: &SegmentedVec<CheckedValue, 1>, value| {
            items.push(CheckedValue::new(value)).unwrap()
        };
        let theirs = beside(
            &items,
            move |items| push(items, 1),
            |items| {
                let mine = push(items, 2);
                assert_eq!(items.get(mine).map(CheckedValue::read), Some(2));
            },
        );
        assert_eq!(items.get(theirs).map(CheckedValue::read), Some(1));
    });
}

#[test]
fn a_reader_over_a_base_sees_it_whole_and_nothing_in_the_gap() {
    loom::model(|| {
        // Two items fill the first segment and half of the second: index 2 is in the gap.
        let base: Arc<[CheckedValue; 2]> = Arc::new([CheckedValue::new(7), CheckedValue::new(8)]);
        let items = NonNull::from(&base[..]);
        // SAFETY: the owner keeps the items alive, and nothing moves or writes them.
        let items = unsafe {
            SegmentedVec::<CheckedValue, 1>::with_base(items, Box::new(Arc::clone(&base)))
        };
        let items = Arc::new(items.unwrap());
        let read = |items: &SegmentedVec<CheckedValue, 1>| {
            assert_eq!(items.get(1).map(CheckedValue::read), Some(8));
            assert!(items.get(2).is_none(), "a gap has no item");
            let pushed = items.get(3).map(CheckedValue::read);
            let seen: Vec<u32> = items.iter().map(CheckedValue::read).collect();
            assert!([&[7, 8][..], &[7, 8, 0], &[7, 8, 0, 1]].contains(&&seen[..]), "{seen:?}");
            // A value that was seen before is still there.
            assert!(pushed.is_none() || seen.len() > 2 && pushed == Some(0));
            let runs: Vec<u32> =
                items.segments().flatten().map(CheckedValue::read).skip(2).collect();
            assert!(seen.len() - 2 <= runs.len());
        };
        beside(&items, read, |items| {
            assert_eq!(items.push(CheckedValue::new(0)), Ok(3));
            assert_eq!(items.push(CheckedValue::new(1)), Ok(4));
        });
    });
}

#[test]
fn a_handle_passed_on_leads_to_the_whole_string() {
    loom::model(|| {
        let bytes = Arc::new(SegmentedBytes::new());
        let theirs = beside(
            &bytes,
            |bytes| bytes.push(b"other").unwrap(),
            |bytes| {
                let mine = bytes.push(b"mine").unwrap();
                assert_eq!(bytes.get(mine), Some(&b"mine"[..]));
            },
        );
        assert_eq!(bytes.get(theirs), Some(&b"other"[..]));
    });
}

#[test]
fn one_key_inserted_by_two_threads_is_stored_once() {
    check(5, || {
        let items = Arc::new(SegmentedVec::<CheckedValue, 4>::default());
        let index = Arc::new(Index::<2>::with_shards(1));
        let made = Arc::new(AtomicU32::new(0));
        let bring = |items: Arc<SegmentedVec<CheckedValue, 4>>,
                     index: Arc<Index<2>>,
                     made: Arc<AtomicU32>| {
            let is_seven = |ix| items.get(ix).map(CheckedValue::read) == Some(7);
            let found = index.find_or_insert::<Error>(
                7,
                is_seven,
                |_| 7,
                || {
                    made.fetch_add(1, Ordering::Relaxed);
                    items.push(CheckedValue::new(7))
                },
            );
            assert_eq!(index.find(7, is_seven), Some(0));
            found.unwrap()
        };
        let other = {
            let (items, index, made) = (Arc::clone(&items), Arc::clone(&index), Arc::clone(&made));
            thread::spawn(move || bring(items, index, made))
        };
        let mine = bring(Arc::clone(&items), Arc::clone(&index), Arc::clone(&made));
        let theirs = other.join().unwrap();
        assert_eq!((mine.0, theirs.0), (0, 0));
        assert!(mine.1 != theirs.1, "both or neither made it");
        assert_eq!((made.load(Ordering::Relaxed), items.len(), index.len()), (1, 1, 1));
    });
}

/// Stores `key` at the position `key`, in tables that start with two slots.
fn store(index: &Index<2>, key: u32) {
    let key_of = u64::from;
    let stored = index.find_or_insert::<Error>(key.into(), |ix| ix == key, key_of, || Ok(key));
    assert_eq!(stored, Ok((key, true)));
}

#[test]
fn a_reader_finds_whole_items_while_they_are_stored() {
    check(3, || {
        let stored =
            Arc::new((SegmentedVec::<CheckedValue, 4>::default(), Index::<2>::with_shards(1)));
        let find = |(items, index): &(SegmentedVec<CheckedValue, 4>, Index<2>)| {
            // SAFETY: the index passes stored positions only, and each was stored after its push.
            let whole = |ix| unsafe { items.get_unchecked(ix) }.read() == 7;
            assert!(matches!(index.find(7, whole), None | Some(0)));
        };
        beside(&stored, find, |(items, index)| {
            let make = || items.push(CheckedValue::new(7));
            assert_eq!(index.find_or_insert::<Error>(7, |_| true, |_| 7, make), Ok((0, true)));
        });
    });
}

#[test]
fn a_reader_finds_a_key_while_its_table_is_replaced_and_used_again() {
    check(3, || {
        let index = Arc::new(Index::<2>::with_shards(1));
        store(&index, 0);
        let find = |index: &Index<2>| {
            let asked = |ix: u32| {
                assert!(ix < 4, "called with the position {ix}, which was never stored");
                ix == 0
            };
            assert_eq!(index.find(0, asked), Some(0));
        };
        // The first insert grows the table to four slots, the last to eight, which reuses the two
        // slots that the reader may be in.
        beside(&index, find, |index| (1..4).for_each(|key| store(index, key)));
        assert!((0..4).all(|key| index.find(key.into(), |ix| ix == key) == Some(key)));
    });
}

#[test]
fn a_zone_taken_before_its_close_stays_whole() {
    loom::model(|| {
        let slot = Arc::new(ZoneSlot::<CheckedValue>::new());
        let read = |slot: &ZoneSlot<CheckedValue>| {
            let before = slot.generation();
            let zone = slot.current();
            assert!(zone.as_ref().is_none_or(|zone| zone.read() == 7));
            assert!(zone.is_none() || before < 2, "a closed zone was returned");
        };
        beside(&slot, read, |slot| {
            slot.open(CheckedValue::new(7)).unwrap();
            assert_eq!(slot.close().unwrap().read(), 7);
            assert!(slot.current().is_none());
        });
        assert_eq!(slot.generation(), 2);
        assert!(slot.check(1).is_err());
    });
}

#[test]
fn a_reader_of_an_active_slot_sees_a_whole_value() {
    loom::model(|| {
        let active_slot = Arc::new(ActiveSlot::new(CheckedValue::new(0)).unwrap());
        let read = |active_slot: &ActiveSlot<CheckedValue>| {
            let first = active_slot.get();
            assert!(first.read() <= 1);
            assert!(active_slot.get().read() <= 1);
            // A value that is no longer active stays readable.
            assert!(first.read() <= 1);
        };
        beside(&active_slot, read, |active_slot| {
            let second = active_slot.push(CheckedValue::new(1)).unwrap();
            active_slot.select(second);
            active_slot.select(0);
        });
        assert_eq!(active_slot.get().read(), 0);
    });
}

/// The kernels of an op: a tombstone, and the active kernels in the order of installation.
struct Kernels {
    active_slot: ActiveSlot<CheckedValue>,
    active: Mutex<Vec<u32>>,
}

impl Kernels {
    fn new() -> Kernels {
        Kernels {
            active_slot: ActiveSlot::new(CheckedValue::new(0)).unwrap(),
            active: Mutex::new(Vec::new()),
        }
    }

    /// Adds a kernel without the lock, and activates it under the lock.
    fn install(&self, value: u32) -> u32 {
        let number = self.active_slot.push(CheckedValue::new(value)).unwrap();
        self.change(|active| active.push(number));
        number
    }

    fn remove(&self, number: u32) {
        self.change(|active| active.retain(|other| *other != number));
    }

    fn change(&self, change: impl FnOnce(&mut Vec<u32>)) {
        let mut active = self.active.lock().unwrap();
        change(&mut active);
        assert!(self.active_slot.select(active.last().copied().unwrap_or(0)));
    }
}

#[test]
fn a_call_runs_a_whole_kernel_while_others_are_registered_and_removed() {
    check(3, || {
        let op = Arc::new(Kernels::new());
        let call = |op: &Kernels| {
            let kernel = op.active_slot.get();
            let called = kernel.read();
            assert!(called <= 2);
            // A concurrent removal does not affect a running call.
            assert_eq!(kernel.read(), called);
        };
        beside(&op, call, |op| {
            let first = op.install(1);
            let second = op.install(2);
            op.remove(second);
            op.remove(first);
        });
        assert_eq!(op.active_slot.get().read(), 0);
    });
}

#[test]
fn kernels_that_were_not_removed_stay_active() {
    check(3, || {
        let op = Arc::new(Kernels::new());
        let come_and_go = |op: &Kernels| {
            let number = op.install(1);
            assert!(op.active_slot.get().read() <= 2);
            op.remove(number);
        };
        beside(&op, come_and_go, |op| {
            op.install(2);
            assert!(op.active_slot.get().read() != 0, "a kernel was installed and stays");
        });
        assert_eq!(op.active_slot.get().read(), 2);
    });
}

/// A value; the model checks that it has one writer or any number of readers.
struct Shared(UnsafeCell<u32>);

// SAFETY: the models check that accesses to the cell exclude each other.
unsafe impl Send for Shared {}
// SAFETY: the models check that accesses to the cell exclude each other.
unsafe impl Sync for Shared {}

impl Shared {
    fn new(value: u32) -> Self {
        Self(UnsafeCell::new(value))
    }

    fn get(&self) -> u32 {
        // SAFETY: the models check that there is no concurrent write.
        self.0.with(|value| unsafe { *value })
    }

    fn set(&self, value: u32) {
        // SAFETY: the models check that there is no concurrent access.
        self.0.with_mut(|place| unsafe { *place = value });
    }
}

/// A value that is protected by a gate.
type Gated = (ForkGate, Shared);

/// Writes inside the gate, if it is open.
fn work((gate, place): &Gated) {
    if gate.try_enter(1) {
        place.set(1);
        gate.leave(1);
    }
}

/// Closes the gate, and writes if it is empty.
fn fork((gate, place): &Gated) {
    gate.close();
    if gate.is_empty(0) {
        place.set(2);
    }
    gate.open();
}

#[test]
fn no_thread_is_inside_a_closed_and_empty_gate() {
    check(3, || {
        let gated = Arc::new((ForkGate::new(), Shared::new(0)));
        beside(&gated, work, fork);
        assert!(gated.0.is_empty(0));
    });
}

#[test]
fn work_that_a_thread_inside_waits_for_passes_a_closed_gate() {
    check(2, || {
        let gated = Arc::new((ForkGate::new(), Shared::new(0)));
        let theirs = Arc::clone(&gated);
        let outer = thread::spawn(move || {
            if !theirs.0.try_enter(0) {
                return;
            }
            let within = |(gate, place): &Gated| {
                gate.enter_within(1);
                place.set(1);
                gate.leave(1);
            };
            beside(&theirs, within, |_| {});
            theirs.1.set(3);
            theirs.0.leave(0);
        });
        fork(&gated);
        outer.join().unwrap();
    });
}

#[test]
fn a_gate_stays_closed_until_the_last_of_two_forking_threads_opens_it() {
    check(2, || {
        let gated = Arc::new((ForkGate::new(), Shared::new(0)));
        let other = Arc::clone(&gated);
        let other = thread::spawn(move || {
            other.0.close();
            other.0.open();
        });
        beside(&gated, work, fork);
        other.join().unwrap();
        assert!(gated.0.try_enter(0));
    });
}

/// Begins a write, or gives up after a few attempts.
#[test]
fn a_phase_ends_after_the_threads_that_entered_it_have_left() {
    check(3, || {
        let phases = Arc::new((PhaseGate::new(), Shared::new(0)));
        let help = |(gate, place): &(PhaseGate, Shared)| {
            let mut last = None;
            for _ in 0..2 {
                let Some(number) = gate.try_enter(last) else { continue };
                assert_ne!(last, Some(number));
                last = Some(number);
                place.set(1);
                gate.leave();
            }
        };
        beside(&phases, help, |(gate, place)| {
            for phase in 0..2 {
                place.set(phase);
                gate.open();
                gate.close();
                while !gate.is_empty() {
                    thread::yield_now();
                }
                place.set(phase);
            }
        });
    });
}

fn begin_write(lock: &RwState) -> bool {
    (0..3).any(|_| {
        thread::yield_now();
        lock.try_write()
    })
}

#[test]
fn readers_of_a_cell_exclude_a_writer() {
    check(3, || {
        let cell = Arc::new((RwState::new(), Shared::new(0)));
        let read = |(lock, value): &(RwState, Shared)| {
            if lock.try_read() {
                value.get();
                lock.end_read();
            }
        };
        beside(&cell, read, |(lock, value)| {
            if begin_write(lock) {
                value.set(1);
                lock.end_write();
            }
        });
        assert!(cell.0.try_write(), "the cell is free again");
    });
}

#[test]
fn readers_under_one_lock_exclude_a_writer_under_it() {
    check(3, || {
        let cell = Arc::new((RwState::new(), Shared::new(0), Mutex::new(())));
        let read = |(state, value, mutex): &(RwState, Shared, Mutex<()>)| {
            let locked = mutex.lock().unwrap();
            // Two reads, like a reader that calls another one.
            let entered = [state.try_read_under_lock(), state.try_read_under_lock()];
            drop(locked);
            assert_eq!(entered[0], entered[1]);
            if entered == [true; 2] {
                for _ in entered {
                    value.get();
                    let _locked = mutex.lock().unwrap();
                    state.end_read_under_lock();
                }
            }
        };
        beside(&cell, read, |(state, value, mutex)| {
            for _ in 0..2 {
                let locked = mutex.lock().unwrap();
                if state.try_write() {
                    drop(locked);
                    value.set(1);
                    let _locked = mutex.lock().unwrap();
                    state.end_write();
                }
            }
        });
        assert!(cell.0.try_write(), "the cell is free again");
    });
}

#[test]
fn an_exported_value_is_reclaimed_by_one_thread() {
    check(3, || {
        let cell = Arc::new((RwState::new(), Shared::new(0)));
        assert!(cell.0.try_write());
        cell.0.export();
        let reclaim = |(lock, value): &(RwState, Shared)| {
            if lock.try_reclaim() {
                value.set(value.get() + 1);
                lock.end_write();
            }
        };
        beside(&cell, reclaim, reclaim);
        assert!(cell.0.try_write());
        assert_eq!(cell.1.get(), 1);
    });
}

/// A model of the binding's lease: its state, the document with its lock, and the copied records.
struct Lease {
    state: OpenOnce,
    lock: RwState,
    document: Shared,
    records: Shared,
    openings: AtomicU32,
}

impl Lease {
    fn new() -> Self {
        Self {
            state: OpenOnce::new(),
            lock: RwState::new(),
            document: Shared::new(7),
            records: Shared::new(0),
            openings: AtomicU32::new(0),
        }
    }

    /// Opens the lease: locks the document and copies it.
    fn enter(&self) -> bool {
        let Some(opening) = self.state.begin() else { return false };
        if !begin_write(&self.lock) {
            return false;
        }
        self.records.set(self.document.get());
        self.openings.fetch_add(1, Ordering::Relaxed);
        opening.open();
        true
    }

    /// Ends the lease: puts the records back and unlocks the document.
    fn exit(&self) {
        if self.state.end() {
            self.document.set(self.records.get());
            self.lock.end_write();
        }
    }
}

#[test]
fn one_of_two_threads_enters_a_lease() {
    check(3, || {
        let lease = Arc::new(Lease::new());
        // The document has a reader, so opening must wait.
        assert!(lease.lock.try_read());
        let enter = |lease: &Lease| {
            if lease.enter() {
                assert!(!lease.enter(), "a lease cannot be entered twice");
                lease.exit();
            }
        };
        beside(&lease, enter, |lease| {
            lease.lock.end_read();
            if lease.enter() {
                lease.exit();
            }
        });
        assert!(lease.openings.load(Ordering::Relaxed) <= 1);
        assert!(lease.lock.try_write(), "the document is free again");
        assert_eq!(lease.document.get(), 7);
    });
}

#[test]
fn a_lease_puts_back_records_written_before_it_was_opened() {
    check(3, || {
        let lease = Arc::new(Lease::new());
        let write = |lease: &Lease| {
            let wrote = begin_write(&lease.lock);
            if wrote {
                lease.document.set(8);
                lease.lock.end_write();
            }
            wrote
        };
        let wrote = beside(&lease, write, |lease| {
            if lease.enter() {
                lease.exit();
            }
        });
        assert!(lease.lock.try_write());
        assert_eq!(lease.document.get(), if wrote { 8 } else { 7 });
    });
}

/// Ends a write when it is dropped, like the guards of the binding.
struct WriteGuard<'a>(&'a RwState);

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        self.0.end_write();
    }
}

#[test]
fn a_lease_whose_opening_panics_can_be_opened_by_another_thread() {
    check(3, || {
        let lease = Arc::new(Lease::new());
        let panics = |lease: &Lease| {
            let opening = catch_unwind(AssertUnwindSafe(|| {
                let _opening = lease.state.begin();
                let _guard = begin_write(&lease.lock).then(|| WriteGuard(&lease.lock));
                // As `panic!`, but without a message for each schedule.
                resume_unwind(Box::new("while the records are copied"));
            }));
            assert!(opening.is_err());
        };
        let mut entered = false;
        beside(&lease, panics, |lease| {
            entered = lease.enter();
            if entered {
                lease.exit();
            }
        });
        assert!(entered || lease.enter(), "a failed opening may be tried again");
    });
}
