use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::thread;

use proptest::prelude::*;

use super::*;

/// Keys in pages, each found at its own position.
struct Store<const SEGMENT: usize> {
    keys: SegmentedVec<u64, 2>,
    index: Index<SEGMENT>,
}

impl<const SEGMENT: usize> Store<SEGMENT> {
    fn new(shards: usize) -> Self {
        Self { keys: SegmentedVec::default(), index: Index::with_shards(shards) }
    }

    fn add(&self, key: u64) -> (u32, bool) {
        let same = |ix| self.key(ix) == key;
        let added = self.index.find_or_insert::<Error>(
            key,
            same,
            |ix| self.key(ix),
            || self.keys.push(key),
        );
        added.unwrap()
    }

    fn find(&self, key: u64) -> Option<u32> {
        self.index.find(key, |ix| self.key(ix) == key)
    }

    fn key(&self, ix: u32) -> u64 {
        *self.keys.get(ix).expect("the index asked about a position that was never stored")
    }
}

#[test]
fn every_key_is_found_across_many_growths() {
    let store = Store::<4>::new(2);
    for key in 0..20_000 {
        let ix = u32::try_from(key).unwrap();
        assert_eq!(store.add(key << 40), (ix, true));
        assert_eq!(store.add(key << 40), (ix, false));
    }
    assert!((0..20_000).all(|key| store.find(key << 40).is_some()));
    assert!((1..20_000).all(|key| store.find(key).is_none()));
    assert_eq!(store.index.len(), 20_000);
}

#[test]
fn a_writer_adds_what_is_new_and_finds_the_rest() {
    let store = Store::<4>::new(2);
    for key in 0..100 {
        store.add(key << 40);
    }
    let mut writer = store.index.writer();
    writer.reserve(20_000, |ix| store.key(ix)).unwrap();
    for key in 0..20_000 {
        let key = key << 40;
        let same = |ix| store.key(ix) == key;
        let make = || store.keys.push(key);
        let added = writer.find_or_insert::<Error>(key, same, |ix| store.key(ix), make).unwrap();
        assert_eq!(added, (u32::try_from(key >> 40).unwrap(), key >> 40 >= 100));
        assert_eq!(store.find(key), Some(added.0));
    }
    drop(writer);
    assert_eq!(store.add(5 << 40), (5, false));
    assert_eq!((store.index.len(), store.keys.len()), (20_000, 20_000));
}

#[test]
fn reserved_tables_are_not_larger_than_grown_ones() {
    for len in [0_u32, 1, 7, 8, 100, 114, 115, 5_000] {
        let (grown, reserved) = (Index::<256>::with_shards(1), Index::<256>::with_shards(1));
        let mut writer = reserved.writer();
        writer.reserve(len as usize, u64::from).unwrap();
        let bytes = reserved.stats().reserved_bytes;
        for ix in 0..len {
            let key = u64::from(ix);
            writer.find_or_insert::<Error>(key, |_| false, u64::from, || Ok(ix)).unwrap();
            grown.find_or_insert::<Error>(key, |_| false, u64::from, || Ok(ix)).unwrap();
        }
        // A first table of the minimum size is not reserved.
        assert!(len < 8 || reserved.stats().reserved_bytes == bytes, "{len}");
        assert!(bytes <= grown.stats().reserved_bytes, "{len}");
    }
}

#[test]
fn an_empty_index_finds_nothing() {
    let index = Index::new();
    assert_eq!(index.find(0, |_| true), None);
    assert!(index.is_empty());
    assert_eq!(index.longest_run(), 0);
}

#[test]
fn equal_keys_of_unequal_items_are_kept_apart() {
    let index = Index::new();
    for item in 0..50_u32 {
        let added = index.find_or_insert::<Error>(7, |ix| ix == item, |_| 7, || Ok(item));
        assert_eq!(added, Ok((item, true)));
    }
    assert!((0..50).all(|item| index.find(7, |ix| ix == item) == Some(item)));
    assert_eq!(index.find(7, |_| false), None);
}

#[test]
fn a_failed_make_leaves_the_index_as_it_was() {
    let index = Index::new();
    let failed = index.find_or_insert(1, |_| true, |_| 1, || Err(Error::full(0)));
    assert_eq!(failed.unwrap_err().code(), "pool-full");
    let last = index.find_or_insert(1, |_| true, |_| 1, || Ok(u32::MAX));
    assert_eq!(last, Err(Error::full(u32::MAX)));
    assert_eq!((index.len(), index.find(1, |_| true)), (0, None));
    let added = index.find_or_insert::<Error>(1, |_| true, |_| 1, || Ok(u32::MAX - 1));
    assert_eq!(added, Ok((u32::MAX - 1, true)));
    assert_eq!(index.find(1, |_| true), Some(u32::MAX - 1));
}

#[test]
fn positions_of_any_size_live_in_one_table() {
    let index: Index = Index::with_shards(1);
    let place = |key: u32| key.rotate_left(25) | key;
    for key in 0..100_u32 {
        let key_of = |ix: u32| u64::from(ix & 0x7f);
        let same = |ix| ix == place(key);
        let added = index.find_or_insert::<Error>(key.into(), same, key_of, || Ok(place(key)));
        assert_eq!(added, Ok((place(key), true)));
    }
    assert!((0..100).all(|key| index.find(key.into(), |ix| ix == place(key)).is_some()));
}

#[test]
fn a_panic_in_make_does_not_close_the_shard() {
    let index: Index = Index::with_shards(1);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        index.find_or_insert::<Error>(1, |_| true, |_| 1, || panic!("no item"))
    }));
    assert!(panicked.is_err());
    assert_eq!(index.find_or_insert::<Error>(1, |_| true, |_| 1, || Ok(0)), Ok((0, true)));
}

#[test]
fn keys_with_a_pattern_do_not_flood_it() {
    let patterns: [fn(u64) -> u64; 4] =
        [|i| i, |i| i << 44, |i| i.wrapping_mul(0xffff_ffff), |i| i.reverse_bits()];
    for pattern in patterns {
        let store = Store::<256>::new(16);
        (0..100_000).for_each(|i| _ = store.add(pattern(i)));
        // Random keys at this load make runs of a few dozen; the bound allows for bad luck.
        assert!(store.index.longest_run() < 400, "a run of {}", store.index.longest_run());
    }
}

#[test]
fn an_entry_costs_less_than_ten_bytes_at_any_size() {
    let store = Store::<256>::new(16);
    for key in 0..300_000_u64 {
        store.add(key);
        if key > 60_000 && key % 5000 == 0 {
            let bytes = store.index.stats().reserved_bytes;
            let entries = usize::try_from(key).unwrap();
            assert!(bytes < 10 * entries + 16_000, "{bytes} bytes at {entries} entries");
        }
    }
}

#[test]
fn of_many_threads_one_makes_each_key() {
    let store = Store::<4>::new(2);
    let made = AtomicU32::new(0);
    thread::scope(|scope| {
        for worker in 0..4_u64 {
            let (store, made) = (&store, &made);
            scope.spawn(move || {
                for i in 0..5000 {
                    let key = (i * 7 + worker * 1250 * 7) % 35_000;
                    let (ix, is_new) = store.add(key);
                    made.fetch_add(u32::from(is_new), Ordering::Relaxed);
                    assert_eq!((store.key(ix), store.find(key)), (key, Some(ix)));
                }
            });
        }
    });
    assert_eq!((made.into_inner(), store.keys.len(), store.index.len()), (5000, 5000, 5000));
}

#[test]
fn a_reader_never_misses_a_key_while_tables_are_replaced() {
    let store = Store::<2>::new(2);
    (0..10).for_each(|key| _ = store.add(key));
    thread::scope(|scope| {
        let writer = scope.spawn(|| (10..40_000).for_each(|key| _ = store.add(key)));
        while !writer.is_finished() {
            assert!((0..10).all(|key| store.find(key).is_some()));
            assert_eq!(store.find(50_000), None);
        }
    });
}

#[test]
fn the_memory_of_an_index_is_that_of_its_slots_and_its_lists() {
    let index = Index::<4>::with_shards(1);
    assert_eq!(index.stats(), Stats::default());
    for ix in 0..4_u32 {
        index.find_or_insert::<Error>(ix.into(), |_| false, u64::from, || Ok(ix)).unwrap();
    }
    // A table of four slots and one of eight: three segments, in two blocks.
    let lists = 8 * size_of::<Vec<AtomicU32>>() + 8 * size_of::<Table<4>>();
    let segments = 3 * size_of::<usize>();
    let reserved_bytes = 12 * size_of::<u32>() + segments + lists;
    let expected =
        Stats { used_bytes: 16, reserved_bytes, chunks: 2 + 2 + 2, high_water_bytes: 16 };
    assert_eq!(index.stats(), expected);
    assert!(!index.is_empty());
}

#[test]
fn shards_are_a_power_of_two_up_to_256() {
    for (given, shards) in [(0, 1), (1, 1), (2, 2), (3, 4), (16, 16), (17, 32), (300, 256)] {
        assert_eq!(Index::<4>::with_shards(given).shards.len(), shards);
    }
}

#[test]
fn keys_are_distributed_over_all_shards() {
    let store = Store::<256>::new(16);
    (0..16_000).for_each(|key| _ = store.add(key));
    let entries = |shard: &Shard| shard.entries.load(Ordering::Relaxed);
    // A thousand each, with a deviation of about thirty.
    assert!(store.index.shards.iter().map(entries).all(|entries| (700..1300).contains(&entries)));
}

#[test]
fn a_table_has_room_for_seven_eighths_of_its_slots() {
    let pool = SegmentPool::<4>::default();
    for (slots, room) in [(2, 1), (4, 3), (8, 7), (16, 14), (64, 56), (1024, 896)] {
        let table = pool.table(slots, 0).unwrap();
        assert_eq!(table.slots(), slots);
        assert!(table.has_room_for(room) && !table.has_room_for(room + 1), "{slots}");
        assert_eq!(Table::<4>::slots_for(room), slots);
        assert_eq!(Table::<4>::slots_for(room + 1), 2 * slots);
    }
}

#[test]
fn a_table_holds_positions_of_four_times_the_largest() {
    let pool = SegmentPool::<4>::default();
    for (largest, end) in [
        (0, 0xffff),
        (0x3fff, 0xffff),
        (0x4000, 0x1_ffff),
        (0x1_0000, 0x7_ffff),
        (0x3fff_ffff, u32::MAX),
        (u32::MAX - 1, u32::MAX),
    ] {
        let table = pool.table(8, largest).unwrap();
        assert!(table.can_hold(end - 1) && !table.can_hold(end), "{largest}");
    }
}

#[test]
fn only_positions_with_the_tag_of_a_hash_are_compared() {
    let pool = SegmentPool::<4>::default();
    let table = pool.table(8, 0).unwrap();
    let hash = |tag: u64, slot: u64| tag << 48 | 0x1234 << 32 | slot;
    // All begin at the last slot, so the search goes on at the first.
    for (tag, ix) in [(1, 10), (2, 20), (3, 30), (2, 21)] {
        table.insert(hash(tag, 7), ix);
    }
    let compared = |tag, slot, end| {
        let mut asked = Vec::new();
        let found = table.probe(hash(tag, slot), |ix| {
            asked.push(ix);
            ix == end
        });
        (found, asked)
    };
    assert_eq!(compared(2, 7, 21), (Some(21), vec![20, 21]));
    assert_eq!(compared(3, 7, 30), (Some(30), vec![30]));
    assert_eq!(compared(2, 7, 99), (None, vec![20, 21]));
    assert_eq!(compared(2, 2, 21), (Some(21), vec![21]));
    assert_eq!(compared(2, 3, 21), (None, vec![]));
    assert_eq!(compared(4, 7, 99), (None, vec![]));
    let mut positions: Vec<u32> = table.positions().collect();
    positions.sort_unstable();
    assert_eq!(positions, [10, 20, 21, 30]);
}

#[test]
fn the_longest_run_goes_on_from_the_last_slot_to_the_first() {
    let pool = SegmentPool::<4>::default();
    for (slots, longest) in
        [(&[][..], 0), (&[3], 1), (&[7, 0, 1, 3, 4], 3), (&[0, 1, 5, 6, 7], 5), (&[0, 1, 2, 7], 4)]
    {
        let table = pool.table(8, 0).unwrap();
        for &slot in slots {
            table.insert(slot, 1);
        }
        assert_eq!(table.longest_run(), longest, "{slots:?}");
    }
    let full = pool.table(4, 0).unwrap();
    (0..4).for_each(|slot| full.insert(slot, 1));
    assert_eq!(full.longest_run(), 4);
    assert_eq!(full.probe(0, |_| false), None, "a search in a full table ends");
}

#[test]
fn segments_of_retired_tables_are_used_again_and_are_empty_then() {
    let pool = SegmentPool::<4>::default();
    let bytes = || {
        let lists = 8 * size_of::<Vec<AtomicU32>>();
        (pool.stats().reserved_bytes - lists) / size_of::<u32>()
    };
    let small = pool.table(2, 0).unwrap();
    let segment = pool.table(4, 0).unwrap();
    (0..3).for_each(|slot| segment.insert(slot, 7));
    assert_eq!(bytes(), 2 + 4);
    // Less than a segment is not used again.
    pool.retire(&small);
    pool.table(2, 0).unwrap();
    pool.table(4, 0).unwrap();
    assert_eq!(bytes(), 6 + 2 + 4);
    pool.retire(&segment);
    // One segment is there, and one is new.
    let larger = pool.table(8, 0).unwrap();
    assert_eq!(bytes(), 12 + 4);
    assert_eq!(larger.positions().count(), 0);
    pool.retire(&larger);
    pool.table(2, 0).unwrap();
    assert_eq!(bytes(), 16 + 2);
    pool.table(4, 0).unwrap();
    pool.table(4, 0).unwrap();
    assert_eq!(bytes(), 18);
    // Six of these tables needed a block of their own, and the list of blocks has one too.
    assert_eq!(pool.stats().chunks, 6 + 1);
}

#[test]
fn reserved_tables_are_wide_enough_for_the_positions_to_come() {
    let index = Index::<4>::with_shards(1);
    let mut writer = index.writer();
    writer.reserve(100_000, u64::from).unwrap();
    assert!(index.table(0).unwrap().can_hold(399_999));
    let tables = index.retained.len();
    writer.reserve(114_688, u64::from).unwrap();
    assert_eq!(index.retained.len(), tables, "there was room");
    writer.reserve(114_689, u64::from).unwrap();
    assert_eq!(index.retained.len(), tables + 1);
}

#[test]
fn each_shard_reserves_its_part() {
    let index = Index::<4>::with_shards(4);
    index.writer().reserve(4 * 14, u64::from).unwrap();
    assert!((0..4).all(|shard| index.table(shard).unwrap().slots() == 16));
}

#[test]
fn space_is_reserved_beside_the_largest_position_of_all() {
    let index = Index::<4>::with_shards(1);
    let last = u32::MAX - 1;
    index.find_or_insert::<Error>(1, |_| false, |_| 1, || Ok(last)).unwrap();
    index.writer().reserve(100, |_| 1).unwrap();
    assert_eq!(index.find(1, |ix| ix == last), Some(last));
}

proptest! {
    #[test]
    fn an_index_behaves_like_a_map(
        keys in proptest::collection::vec(0_u64..200, 0..400),
        shards in 0_usize..5,
    ) {
        let store = Store::<2>::new(shards);
        let mut model = HashMap::new();
        for key in keys {
            let next = u32::try_from(model.len()).unwrap();
            let is_new = !model.contains_key(&key);
            let ix = *model.entry(key).or_insert(next);
            prop_assert_eq!(store.add(key), (ix, is_new));
        }
        for key in 0..200 {
            prop_assert_eq!(store.find(key), model.get(&key).copied());
        }
        prop_assert_eq!(store.index.len(), model.len());
    }
}
