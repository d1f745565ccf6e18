//! Items under keys, in the order in which they were added.

use ahash::AHashMap;

use crate::strings::StrId;

/// Fewer places than this are not worth compacting.
const MIN_PLACES: usize = 32;

/// Items under keys, in the order in which they were added. Adding an item and removing those of a
/// key take constant time for each item, amortized.
#[derive(Clone)]
pub(super) struct KeyedList<T> {
    /// The items; a removed one leaves an empty place until half of all places are empty.
    places: Vec<Option<KeyedItem<T>>>,
    /// The last place of each key that has items.
    last: AHashMap<StrId, usize>,
    len: usize,
}

#[derive(Clone)]
struct KeyedItem<T> {
    key: StrId,
    item: T,
    /// The place of the key's item before this one.
    previous: Option<usize>,
}

impl<T> Default for KeyedList<T> {
    fn default() -> KeyedList<T> {
        KeyedList { places: Vec::new(), last: AHashMap::new(), len: 0 }
    }
}

impl<T> KeyedList<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends an item under a key.
    pub(super) fn push(&mut self, key: StrId, item: T) {
        let previous = self.last.insert(key, self.places.len());
        self.places.push(Some(KeyedItem { key, item, previous }));
        self.len += 1;
    }

    /// Returns the last item of a key.
    pub(super) fn last_mut(&mut self, key: StrId) -> Option<&mut T> {
        let place = *self.last.get(&key)?;
        self.places[place].as_mut().map(|keyed| &mut keyed.item)
    }

    /// Removes the items of a key and returns them, the last one first.
    pub(super) fn remove(&mut self, key: StrId) -> Vec<T> {
        let mut removed = Vec::new();
        let mut place = self.last.remove(&key);
        while let Some(keyed) = place.and_then(|place| self.places[place].take()) {
            place = keyed.previous;
            removed.push(keyed.item);
        }
        self.len -= removed.len();
        if self.places.len() > MIN_PLACES.max(2 * self.len) {
            self.compact();
        }
        removed
    }

    /// Iterates over all items with their keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = (StrId, &T)> {
        self.places.iter().flatten().map(|keyed| (keyed.key, &keyed.item))
    }

    fn compact(&mut self) {
        let places = std::mem::take(self).places;
        for KeyedItem { key, item, .. } in places.into_iter().flatten() {
            self.push(key, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn items_stay_in_order_whatever_is_removed(
            steps in vec((0_u64..12, any::<bool>()), 0..300),
        ) {
            let (mut list, mut model) = (KeyedList::default(), Vec::new());
            for (number, (key, is_added)) in steps.into_iter().enumerate() {
                let key = StrId::new(key);
                let mut of_key: Vec<_> = model.iter().filter(|(own, _)| *own == key).collect();
                prop_assert_eq!(list.last_mut(key).copied(), of_key.pop().map(|(_, item)| *item));
                if is_added {
                    list.push(key, number);
                    model.push((key, number));
                } else {
                    list.remove(key);
                    model.retain(|(own, _)| *own != key);
                }
                let listed: Vec<_> = list.iter().map(|(key, item)| (key, *item)).collect();
                prop_assert_eq!(&listed, &model);
                prop_assert_eq!(list.is_empty(), model.is_empty());
            }
        }
    }

    #[test]
    fn removed_items_leave_no_more_places_than_items() {
        let mut list = KeyedList::default();
        (0..1000).for_each(|key| list.push(StrId::new(key), ()));
        for key in 0..1000 {
            assert_eq!(list.remove(StrId::new(key)).len(), 1);
            assert!(list.places.len() <= MIN_PLACES.max(2 * list.len));
        }
    }
}
