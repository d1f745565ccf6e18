//! The schedules of a few threads that loom can make, by model checking.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test -p lexpool-pool --test schedules`.
//!
//! In each model the main thread writes and the spawned one reads. The other way round loom 0.7
//! misses schedules: a load of the writer's own hides from it that the reader had loaded before.

#![cfg(loom)]

use std::ptr::NonNull;

use lexpool_pool::{BytePages, Error, Index, Pages, Switch, ZoneSlot};
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

#[test]
fn a_reader_sees_whole_items_only() {
    loom::model(|| {
        let pages = Arc::new(Pages::<Whole, 1>::default());
        let reader = {
            let pages = Arc::clone(&pages);
            thread::spawn(move || {
                let seen: Vec<u32> = pages.iter().map(Whole::read).collect();
                assert!([&[][..], &[0], &[0, 1]].contains(&&seen[..]), "saw {seen:?}");
            })
        };
        pages.push(Whole::new(0)).unwrap();
        pages.push(Whole::new(1)).unwrap();
        reader.join().unwrap();
    });
}

#[test]
fn two_writers_append_side_by_side() {
    loom::model(|| {
        let pages = Arc::new(Pages::<Whole, 1>::default());
        let other = {
            let pages = Arc::clone(&pages);
            thread::spawn(move || pages.push(Whole::new(1)).unwrap())
        };
        let mine = pages.push(Whole::new(2)).unwrap();
        assert_eq!(pages.get(mine).map(Whole::read), Some(2));
        let theirs = other.join().unwrap();
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
        let pages = unsafe { Pages::<Whole, 1>::over(items, Box::new(Arc::clone(&base))) };
        let pages = Arc::new(pages.unwrap());
        let reader = {
            let pages = Arc::clone(&pages);
            thread::spawn(move || {
                assert_eq!(pages.get(1).map(Whole::read), Some(8));
                assert!(pages.get(2).is_none(), "a gap has no item");
                let pushed = pages.get(3).map(Whole::read);
                let seen: Vec<u32> = pages.iter().map(Whole::read).collect();
                assert!([&[7, 8][..], &[7, 8, 0], &[7, 8, 0, 1]].contains(&&seen[..]), "{seen:?}");
                // What was seen once stays.
                assert!(pushed.is_none() || seen.len() > 2 && pushed == Some(0));
                let runs: Vec<u32> = pages.segments().flatten().map(Whole::read).skip(2).collect();
                assert!(seen.len() - 2 <= runs.len());
            })
        };
        assert_eq!(pages.push(Whole::new(0)), Ok(3));
        assert_eq!(pages.push(Whole::new(1)), Ok(4));
        reader.join().unwrap();
    });
}

#[test]
fn a_handle_passed_on_leads_to_the_whole_string() {
    loom::model(|| {
        let bytes = Arc::new(BytePages::new());
        let other = {
            let bytes = Arc::clone(&bytes);
            thread::spawn(move || bytes.push(b"other").unwrap())
        };
        let mine = bytes.push(b"mine").unwrap();
        assert_eq!(bytes.get(mine), Some(&b"mine"[..]));
        let theirs = other.join().unwrap();
        assert_eq!(bytes.get(theirs), Some(&b"other"[..]));
    });
}

#[test]
fn one_key_brought_by_two_threads_is_made_once() {
    check(5, || {
        let items = Arc::new(Pages::<Whole, 4>::default());
        let index = Arc::new(Index::<2>::with_shards(1));
        let made = Arc::new(AtomicU32::new(0));
        let bring = |items: Arc<Pages<Whole, 4>>, index: Arc<Index<2>>, made: Arc<AtomicU32>| {
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
        let items = Arc::new(Pages::<Whole, 4>::default());
        let index = Arc::new(Index::<2>::with_shards(1));
        let reader = {
            let (items, index) = (Arc::clone(&items), Arc::clone(&index));
            thread::spawn(move || {
                // SAFETY: the index asks about positions that were stored, which comes after the
                // push that gave them.
                let whole = |ix| unsafe { items.get_unchecked(ix) }.read() == 7;
                assert!(matches!(index.find(7, whole), None | Some(0)));
            })
        };
        let made = index.find_or_insert::<Error>(7, |_| true, |_| 7, || items.push(Whole::new(7)));
        assert_eq!(made, Ok((0, true)));
        reader.join().unwrap();
    });
}

#[test]
fn a_reader_finds_a_key_while_its_table_is_replaced_and_used_again() {
    check(3, || {
        let index = Arc::new(Index::<2>::with_shards(1));
        store(&index, 0);
        let reader = {
            let index = Arc::clone(&index);
            thread::spawn(move || {
                let asked = |ix: u32| {
                    assert!(ix < 4, "asked about the position {ix}, which was never stored");
                    ix == 0
                };
                assert_eq!(index.find(0, asked), Some(0));
            })
        };
        // To four slots at the first of these, and at the last to eight, which takes back the two
        // that the reader may be in.
        (1..4).for_each(|key| store(&index, key));
        reader.join().unwrap();
        assert!((0..4).all(|key| index.find(key.into(), |ix| ix == key) == Some(key)));
    });
}

#[test]
fn a_zone_taken_before_its_close_stays_whole() {
    loom::model(|| {
        let slot = Arc::new(ZoneSlot::<Whole>::new());
        let reader = {
            let slot = Arc::clone(&slot);
            thread::spawn(move || {
                let before = slot.generation();
                let zone = slot.current();
                assert!(zone.as_ref().is_none_or(|zone| zone.read() == 7));
                assert!(zone.is_none() || before < 2, "a zone was had after its close was seen");
            })
        };
        slot.open(Whole::new(7)).unwrap();
        assert_eq!(slot.close().unwrap().read(), 7);
        assert!(slot.current().is_none());
        reader.join().unwrap();
        assert_eq!(slot.generation(), 2);
        assert!(slot.check(1).is_err());
    });
}

#[test]
fn a_reader_of_a_switch_sees_a_whole_value_whichever_is_chosen() {
    loom::model(|| {
        let switch = Arc::new(Switch::new(Whole::new(0)).unwrap());
        let reader = {
            let switch = Arc::clone(&switch);
            thread::spawn(move || {
                let first = switch.get();
                assert!(first.read() <= 1);
                assert!(switch.get().read() <= 1);
                // What is no longer chosen is still there.
                assert!(first.read() <= 1);
            })
        };
        let second = switch.push(Whole::new(1)).unwrap();
        switch.select(second);
        switch.select(0);
        reader.join().unwrap();
        assert_eq!(switch.get().read(), 0);
    });
}

/// The kernels of an op: the tombstone, and what may be called in the order in which it was installed.
struct Kernels {
    switch: Switch<Whole>,
    active: Mutex<Vec<u32>>,
}

impl Kernels {
    fn new() -> Kernels {
        Kernels { switch: Switch::new(Whole::new(0)).unwrap(), active: Mutex::new(Vec::new()) }
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
        let caller = {
            let op = Arc::clone(&op);
            thread::spawn(move || {
                let kernel = op.switch.get();
                let called = kernel.read();
                assert!(called <= 2);
                // A removal meanwhile takes nothing from a call under way.
                assert_eq!(kernel.read(), called);
            })
        };
        let first = op.install(1);
        let second = op.install(2);
        op.take_away(second);
        op.take_away(first);
        caller.join().unwrap();
        assert_eq!(op.switch.get().read(), 0);
    });
}

#[test]
fn two_threads_that_register_and_remove_leave_what_nobody_took_away() {
    check(3, || {
        let op = Arc::new(Kernels::new());
        let other = {
            let op = Arc::clone(&op);
            thread::spawn(move || {
                let number = op.install(1);
                assert!(op.switch.get().read() <= 2);
                op.take_away(number);
            })
        };
        op.install(2);
        assert!(op.switch.get().read() != 0, "one was installed and stays");
        other.join().unwrap();
        assert_eq!(op.switch.get().read(), 2);
    });
}
