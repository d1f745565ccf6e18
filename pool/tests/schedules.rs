//! The schedules of a few threads that loom can make, by model checking.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test -p lexpool-pool --test schedules`.
//!
//! In each model the main thread writes and the spawned one reads. The other way round loom 0.7
//! misses schedules: a load of the writer's own hides from it that the reader had loaded before.

#![cfg(loom)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;

use lexpool_pool::{
    Access, ActiveSlot, Error, ForkGate, Index, OnceOpen, SegmentedBytes, SegmentedVec, ZoneSlot,
};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::sync::{Arc, Mutex};
use loom::thread;

/// A value whose reads the model checks to come after its making.
struct Whole(UnsafeCell<u32>);

// SAFETY: the cell is written when it is made and never again; that reads come after is what the
// models check.
unsafe impl Send for Whole {}
// SAFETY: as above.
unsafe impl Sync for Whole {}

impl Whole {
    fn new(value: u32) -> Self {
        let whole = Self(UnsafeCell::new(0));
        // A write of its own: the model does not take note of when a cell is made.
        // SAFETY: nobody else has the cell yet.
        whole.0.with_mut(|place| unsafe { *place = value });
        whole
    }

    fn read(&self) -> u32 {
        // SAFETY: nothing writes the cell after `new`.
        self.0.with(|value| unsafe { *value })
    }
}

/// Checks `model` under every schedule with at most `preemptions` switches that are not forced.
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
        let pages = Arc::new(SegmentedVec::<Whole, 1>::default());
        let read = |pages: &SegmentedVec<Whole, 1>| {
            let seen: Vec<u32> = pages.iter().map(Whole::read).collect();
            assert!([&[][..], &[0], &[0, 1]].contains(&&seen[..]), "saw {seen:?}");
        };
        beside(&pages, read, |pages| {
            pages.push(Whole::new(0)).unwrap();
            pages.push(Whole::new(1)).unwrap();
        });
    });
}

#[test]
fn two_writers_append_side_by_side() {
    loom::model(|| {
        let pages = Arc::new(SegmentedVec::<Whole, 1>::default());
        let push = |pages: &SegmentedVec<Whole, 1>, value| pages.push(Whole::new(value)).unwrap();
        let theirs = beside(
            &pages,
            move |pages| push(pages, 1),
            |pages| {
                let mine = push(pages, 2);
                assert_eq!(pages.get(mine).map(Whole::read), Some(2));
            },
        );
        assert_eq!(pages.get(theirs).map(Whole::read), Some(1));
    });
}

#[test]
fn a_reader_over_a_base_sees_it_whole_and_nothing_in_the_gap() {
    loom::model(|| {
        // Two items fill the first segment and one place of two in the second: index 2 is a gap.
        let base: Arc<[Whole; 2]> = Arc::new([Whole::new(7), Whole::new(8)]);
        let items = NonNull::from(&base[..]);
        // SAFETY: the keeper holds the items, which nobody moves or writes.
        let pages = unsafe { SegmentedVec::<Whole, 1>::over(items, Box::new(Arc::clone(&base))) };
        let pages = Arc::new(pages.unwrap());
        let read = |pages: &SegmentedVec<Whole, 1>| {
            assert_eq!(pages.get(1).map(Whole::read), Some(8));
            assert!(pages.get(2).is_none(), "a gap has no item");
            let pushed = pages.get(3).map(Whole::read);
            let seen: Vec<u32> = pages.iter().map(Whole::read).collect();
            assert!([&[7, 8][..], &[7, 8, 0], &[7, 8, 0, 1]].contains(&&seen[..]), "{seen:?}");
            // A value that was seen once stays.
            assert!(pushed.is_none() || seen.len() > 2 && pushed == Some(0));
            let runs: Vec<u32> = pages.segments().flatten().map(Whole::read).skip(2).collect();
            assert!(seen.len() - 2 <= runs.len());
        };
        beside(&pages, read, |pages| {
            assert_eq!(pages.push(Whole::new(0)), Ok(3));
            assert_eq!(pages.push(Whole::new(1)), Ok(4));
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
fn one_key_brought_by_two_threads_is_made_once() {
    check(5, || {
        let items = Arc::new(SegmentedVec::<Whole, 4>::default());
        let index = Arc::new(Index::<2>::with_shards(1));
        let made = Arc::new(AtomicU32::new(0));
        let bring =
            |items: Arc<SegmentedVec<Whole, 4>>, index: Arc<Index<2>>, made: Arc<AtomicU32>| {
                let is_seven = |ix| items.get(ix).map(Whole::read) == Some(7);
                let found = index.find_or_insert::<Error>(
                    7,
                    is_seven,
                    |_| 7,
                    || {
                        made.fetch_add(1, Ordering::Relaxed);
                        items.push(Whole::new(7))
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
        let stored = Arc::new((SegmentedVec::<Whole, 4>::default(), Index::<2>::with_shards(1)));
        let find = |(items, index): &(SegmentedVec<Whole, 4>, Index<2>)| {
            // SAFETY: the index asks about positions that were stored, which comes after the push that
            // gave them.
            let whole = |ix| unsafe { items.get_unchecked(ix) }.read() == 7;
            assert!(matches!(index.find(7, whole), None | Some(0)));
        };
        beside(&stored, find, |(items, index)| {
            let make = || items.push(Whole::new(7));
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
                assert!(ix < 4, "asked about the position {ix}, which was never stored");
                ix == 0
            };
            assert_eq!(index.find(0, asked), Some(0));
        };
        // To four slots at the first of these, and at the last to eight, which takes back the two
        // that the reader may be in.
        beside(&index, find, |index| (1..4).for_each(|key| store(index, key)));
        assert!((0..4).all(|key| index.find(key.into(), |ix| ix == key) == Some(key)));
    });
}

#[test]
fn a_zone_taken_before_its_close_stays_whole() {
    loom::model(|| {
        let slot = Arc::new(ZoneSlot::<Whole>::new());
        let read = |slot: &ZoneSlot<Whole>| {
            let before = slot.generation();
            let zone = slot.current();
            assert!(zone.as_ref().is_none_or(|zone| zone.read() == 7));
            assert!(zone.is_none() || before < 2, "a zone was had after its close was seen");
        };
        beside(&slot, read, |slot| {
            slot.open(Whole::new(7)).unwrap();
            assert_eq!(slot.close().unwrap().read(), 7);
            assert!(slot.current().is_none());
        });
        assert_eq!(slot.generation(), 2);
        assert!(slot.check(1).is_err());
    });
}

#[test]
fn a_reader_of_a_switch_sees_a_whole_value_whichever_is_chosen() {
    loom::model(|| {
        let switch = Arc::new(ActiveSlot::new(Whole::new(0)).unwrap());
        let read = |switch: &ActiveSlot<Whole>| {
            let first = switch.get();
            assert!(first.read() <= 1);
            assert!(switch.get().read() <= 1);
            // A value that is no longer chosen stays too.
            assert!(first.read() <= 1);
        };
        beside(&switch, read, |switch| {
            let second = switch.push(Whole::new(1)).unwrap();
            switch.select(second);
            switch.select(0);
        });
        assert_eq!(switch.get().read(), 0);
    });
}

/// The kernels of an op: the tombstone, and what may be called in the order in which it was installed.
struct Kernels {
    switch: ActiveSlot<Whole>,
    active: Mutex<Vec<u32>>,
}

impl Kernels {
    fn new() -> Kernels {
        Kernels { switch: ActiveSlot::new(Whole::new(0)).unwrap(), active: Mutex::new(Vec::new()) }
    }

    /// Adds a kernel without the lock, and puts it in force under it.
    fn install(&self, value: u32) -> u32 {
        let number = self.switch.push(Whole::new(value)).unwrap();
        self.change(|active| active.push(number));
        number
    }

    fn take_away(&self, number: u32) {
        self.change(|active| active.retain(|other| *other != number));
    }

    fn change(&self, change: impl FnOnce(&mut Vec<u32>)) {
        let mut active = self.active.lock().unwrap();
        change(&mut active);
        assert!(self.switch.select(active.last().copied().unwrap_or(0)));
    }
}

#[test]
fn a_call_runs_a_whole_kernel_while_others_are_registered_and_removed() {
    check(3, || {
        let op = Arc::new(Kernels::new());
        let call = |op: &Kernels| {
            let kernel = op.switch.get();
            let called = kernel.read();
            assert!(called <= 2);
            // A removal meanwhile takes nothing from a call under way.
            assert_eq!(kernel.read(), called);
        };
        beside(&op, call, |op| {
            let first = op.install(1);
            let second = op.install(2);
            op.take_away(second);
            op.take_away(first);
        });
        assert_eq!(op.switch.get().read(), 0);
    });
}

#[test]
fn two_threads_that_register_and_remove_leave_what_nobody_took_away() {
    check(3, || {
        let op = Arc::new(Kernels::new());
        let come_and_go = |op: &Kernels| {
            let number = op.install(1);
            assert!(op.switch.get().read() <= 2);
            op.take_away(number);
        };
        beside(&op, come_and_go, |op| {
            op.install(2);
            assert!(op.switch.get().read() != 0, "one was installed and stays");
        });
        assert_eq!(op.switch.get().read(), 2);
    });
}

/// A place that the model checks to be used by one thread at a time, or by readers alone.
struct Shared(UnsafeCell<u32>);

// SAFETY: that uses of the cell exclude each other is what the models check.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn new(value: u32) -> Self {
        Self(UnsafeCell::new(value))
    }

    fn get(&self) -> u32 {
        // SAFETY: the models check that nobody writes meanwhile.
        self.0.with(|value| unsafe { *value })
    }

    fn set(&self, value: u32) {
        // SAFETY: the models check that nobody else reads or writes meanwhile.
        self.0.with_mut(|place| unsafe { *place = value });
    }
}

/// A place that one gate keeps.
type Gated = (ForkGate, Shared);

/// Works inside, if the gate lets it in.
fn work((gate, place): &Gated) {
    if gate.try_enter(1) {
        place.set(1);
        gate.leave(1);
    }
}

/// Closes the gate, and writes if nobody is inside.
fn fork((gate, place): &Gated) {
    gate.close();
    if gate.is_empty(0) {
        place.set(2);
    }
    gate.open();
}

#[test]
fn nobody_is_at_work_when_an_empty_gate_is_closed() {
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
fn a_gate_stays_closed_until_the_last_of_two_that_fork_opens_it() {
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

/// Takes a value to change it, or gives up after a few looks.
fn claim(access: &Access) -> bool {
    (0..3).any(|_| {
        thread::yield_now();
        access.claim()
    })
}

#[test]
fn readers_of_a_cell_exclude_the_one_who_changes_it() {
    check(3, || {
        let cell = Arc::new((Access::new(), Shared::new(0)));
        let read = |(access, value): &(Access, Shared)| {
            if access.enter() {
                value.get();
                access.leave();
            }
        };
        beside(&cell, read, |(access, value)| {
            if claim(access) {
                value.set(1);
                access.release();
            }
        });
        assert!(cell.0.claim(), "the cell is free again");
    });
}

#[test]
fn readers_under_one_lock_exclude_a_writer_that_comes_under_it() {
    check(3, || {
        let cell = Arc::new((Access::new(), Shared::new(0), Mutex::new(())));
        let read = |(access, value, lock): &(Access, Shared, Mutex<()>)| {
            let locked = lock.lock().unwrap();
            // Twice, as one reader that calls another; it is in until it has left as often.
            let entered = [access.enter_under_lock(), access.enter_under_lock()];
            drop(locked);
            assert_eq!(entered[0], entered[1]);
            if entered == [true; 2] {
                for _ in entered {
                    value.get();
                    let _locked = lock.lock().unwrap();
                    access.leave_under_lock();
                }
            }
        };
        beside(&cell, read, |(access, value, lock)| {
            for _ in 0..2 {
                let locked = lock.lock().unwrap();
                if access.claim() {
                    drop(locked);
                    value.set(1);
                    let _locked = lock.lock().unwrap();
                    access.release();
                }
            }
        });
        assert!(cell.0.claim(), "the cell is free again");
    });
}

#[test]
fn a_value_that_is_lent_is_recalled_by_one_thread() {
    check(3, || {
        let cell = Arc::new((Access::new(), Shared::new(0)));
        assert!(cell.0.claim());
        cell.0.lend();
        let recall = |(access, value): &(Access, Shared)| {
            if access.recall() {
                value.set(value.get() + 1);
                access.release();
            }
        };
        beside(&cell, recall, recall);
        assert!(cell.0.claim());
        assert_eq!(cell.1.get(), 1);
    });
}

/// A lease as the binding has it: a state, the document's cell, and the records that are given out.
struct Leased {
    state: OnceOpen,
    access: Access,
    document: Shared,
    draft: Shared,
    openings: AtomicU32,
}

impl Leased {
    fn new() -> Self {
        Self {
            state: OnceOpen::new(),
            access: Access::new(),
            document: Shared::new(7),
            draft: Shared::new(0),
            openings: AtomicU32::new(0),
        }
    }

    /// Opens the lease: holds the document, and copies while it is held.
    fn enter(&self) -> bool {
        let Some(opening) = self.state.begin() else { return false };
        if !claim(&self.access) {
            return false;
        }
        self.draft.set(self.document.get());
        self.openings.fetch_add(1, Ordering::Relaxed);
        opening.open();
        true
    }

    /// Ends it: puts the records back, and lets go of the document.
    fn exit(&self) {
        if self.state.end() {
            self.document.set(self.draft.get());
            self.access.release();
        }
    }
}

#[test]
fn two_threads_that_enter_one_lease_do_not_both_get_it() {
    check(3, || {
        let lease = Arc::new(Leased::new());
        // A reader is in, so opening has to wait.
        assert!(lease.access.enter());
        let enter = |lease: &Leased| {
            if lease.enter() {
                assert!(!lease.enter(), "it is entered again from inside");
                lease.exit();
            }
        };
        beside(&lease, enter, |lease| {
            lease.access.leave();
            if lease.enter() {
                lease.exit();
            }
        });
        assert!(lease.openings.load(Ordering::Relaxed) <= 1);
        assert!(lease.access.claim(), "the document is free again");
        assert_eq!(lease.document.get(), 7);
    });
}

#[test]
fn a_lease_puts_back_what_others_wrote_before_it_was_opened() {
    check(3, || {
        let lease = Arc::new(Leased::new());
        let write = |lease: &Leased| {
            let wrote = claim(&lease.access);
            if wrote {
                lease.document.set(8);
                lease.access.release();
            }
            wrote
        };
        let wrote = beside(&lease, write, |lease| {
            if lease.enter() {
                lease.exit();
            }
        });
        assert!(lease.access.claim());
        assert_eq!(lease.document.get(), if wrote { 8 } else { 7 });
    });
}

/// Gives back a document that was claimed, as the guards of the binding do.
struct Claimed<'a>(&'a Access);

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

#[test]
fn a_lease_whose_opening_panics_can_be_opened_by_another_thread() {
    check(3, || {
        let lease = Arc::new(Leased::new());
        let panics = |lease: &Leased| {
            let opening = catch_unwind(AssertUnwindSafe(|| {
                let _opening = lease.state.begin();
                let _claimed = claim(&lease.access).then(|| Claimed(&lease.access));
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
        assert!(entered || lease.enter(), "the failed opening gave its right back");
    });
}
