//! The string store: permanent strings, and the strings of the open zone.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lexpool_pool::{Stats, ZoneSlot};

use lexpool_structs::symbols::COUNT;
use lexpool_structs::{StrId, symbol_name};

use super::json::{self, JsonLayout};
use super::table::{BaseStrings, StringTable};
use crate::codes;
use crate::{Error, ErrorKind, Result};

/// Maps strings to their ids and ids back to strings.
///
/// Reads are lock-free; any number of threads may insert. A stored string is neither moved nor
/// dropped before the store is, except for the strings of a zone: they are dropped when the zone is
/// closed and the last reference to it is gone.
///
/// ```
/// use lexpool::strings::StringStore;
/// let store = StringStore::new();
/// let id = store.add("coffee")?;
/// assert_eq!(id.get(), 3197928453018144401);
/// assert_eq!(store.get(id).as_deref(), Some("coffee"));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct StringStore {
    permanent: StringTable,
    zone: ZoneSlot<StringTable>,
    collisions: AtomicU64,
    strict: AtomicBool,
}

/// The position of a permanent string in its store: symbols by number, then the stored strings in
/// the order of insertion. It never changes, so columns of other data can be indexed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StrIx(u32);

impl StrIx {
    /// Returns the position as a number.
    pub const fn get(self) -> u32 {
        self.0
    }

    #[expect(clippy::cast_possible_truncation, reason = "symbols are few")]
    pub(crate) const SYMBOLS: u32 = COUNT as u32;

    /// Returns the position among the stored strings; `None` for a symbol.
    pub(crate) const fn stored(self) -> Option<u32> {
        self.0.checked_sub(StrIx::SYMBOLS)
    }

    fn of_stored(position: u32) -> Result<StrIx> {
        let ix = position.checked_add(StrIx::SYMBOLS);
        ix.map(StrIx).ok_or_else(|| {
            Error::new(ErrorKind::Overflow, codes::TOO_MANY_STRINGS, "more than 2^32 strings")
        })
    }
}

/// A stored string, which stays readable as long as this value lives, even if its zone is closed.
#[derive(Clone)]
pub struct StoreStr<'a>(StrOwner<'a>);

#[derive(Clone)]
enum StrOwner<'a> {
    Store(&'a str),
    Zone(Arc<StringTable>, StrId),
}

impl StringStore {
    /// Creates an empty store. Cost: a few small allocations.
    pub fn new() -> StringStore {
        StringStore::of(StringTable::new())
    }

    /// Creates a store that begins with the strings of `base`. Cost: constant.
    pub(crate) fn over(base: Arc<dyn BaseStrings>) -> StringStore {
        StringStore::of(StringTable::over(base))
    }

    fn of(permanent: StringTable) -> StringStore {
        StringStore {
            permanent,
            zone: ZoneSlot::new(),
            collisions: AtomicU64::new(0),
            strict: AtomicBool::new(false),
        }
    }

    /// Stores a string, in the zone if one is open, and returns its id.
    ///
    /// The empty string and symbols have fixed ids and are not stored.
    ///
    /// # Errors
    ///
    /// Out of memory; `hash-collision` if the store is [strict](StringStore::set_strict) and
    /// another string has the same id.
    pub fn add(&self, string: &str) -> Result<StrId> {
        self.add_in(self.zone.current().as_deref(), string)
    }

    /// Stores a string permanently, even if the open zone contains it already.
    ///
    /// # Errors
    ///
    /// Those of [`add`](StringStore::add).
    pub fn add_permanent(&self, string: &str) -> Result<StrId> {
        Ok(self.enter(string)?.0)
    }

    /// Stores a string permanently, and returns its id and position.
    ///
    /// # Errors
    ///
    /// Those of [`add`](StringStore::add).
    pub fn enter(&self, string: &str) -> Result<(StrId, StrIx)> {
        let id = StrId::of(string);
        if let Some(symbol) = symbol_ix(id) {
            return Ok((id, symbol));
        }
        let interned = self.permanent.intern(id, string)?;
        if interned.collides {
            self.report_collision(id, string)?;
        }
        Ok((id, StrIx::of_stored(interned.position)?))
    }

    /// Returns the position of the permanent string with an id. Lock-free.
    pub fn position(&self, id: StrId) -> Option<StrIx> {
        symbol_ix(id).or_else(|| StrIx::of_stored(self.permanent.position(id)?).ok())
    }

    /// Returns the permanent string at a position of this store.
    pub fn at(&self, ix: StrIx) -> &str {
        match ix.0.checked_sub(StrIx::SYMBOLS) {
            Some(position) => self.permanent.at(position),
            None => symbol_name(StrId::new(u64::from(ix.0))).unwrap_or_default(),
        }
    }

    /// Stores a string in the given zone, unless it is permanent already.
    pub(crate) fn add_in(&self, zone: Option<&StringTable>, string: &str) -> Result<StrId> {
        let Some(zone) = zone else { return self.add_permanent(string) };
        let id = StrId::of(string);
        if symbol_ix(id).is_some() {
            return Ok(id);
        }
        let collides = match self.permanent.get(id) {
            Some(stored) => stored != string,
            None => zone.intern(id, string)?.collides,
        };
        if collides {
            self.report_collision(id, string)?;
        }
        Ok(id)
    }

    /// Returns the string of an id, if it is a symbol or stored here.
    pub fn get(&self, id: StrId) -> Option<StoreStr<'_>> {
        if let Some(string) = self.get_permanent(id) {
            return Some(StoreStr(StrOwner::Store(string)));
        }
        let zone = self.zone.current()?;
        zone.get(id)?;
        Some(StoreStr(StrOwner::Zone(zone, id)))
    }

    /// Returns the string of an id, if it is a symbol or permanent.
    pub fn get_permanent(&self, id: StrId) -> Option<&str> {
        symbol_name(id).or_else(|| self.permanent.get(id))
    }

    /// Returns `true` if [`get`](StringStore::get) finds the id.
    pub fn contains(&self, id: StrId) -> bool {
        self.get(id).is_some()
    }

    /// Returns the number of stored strings, without symbols and the empty string. Cost: one load,
    /// or a pass over the strings of the open zone.
    pub fn len(&self) -> usize {
        let mut len = self.permanent.len();
        self.for_each_transient(|_, _| len += 1);
        len
    }

    /// Returns `true` if the store contains no strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `f` with each stored string in the order of insertion, permanent ones first.
    pub fn for_each(&self, mut f: impl FnMut(StrId, &str)) {
        self.permanent_strings().for_each(|(id, string)| f(id, string));
        self.for_each_transient(f);
    }

    /// Returns the permanent strings in the order of insertion.
    pub(crate) fn permanent_strings(&self) -> impl Iterator<Item = (StrId, &str)> {
        self.permanent.iter().filter(|(id, _)| symbol_ix(*id).is_none())
    }

    /// Returns the first position of a string that was added after the creation of the store; below
    /// are symbols and the strings of the base. Columns for added strings start there.
    pub fn first_new(&self) -> u32 {
        match self.permanent.base_len() {
            0 => 0,
            base => StrIx::SYMBOLS.saturating_add(base),
        }
    }

    /// Rejects new permanent strings from now on; a zone still accepts them.
    pub(crate) fn freeze(&self) {
        self.permanent.freeze();
    }

    pub(crate) fn is_frozen(&self) -> bool {
        self.permanent.is_frozen()
    }

    /// Returns all strings, sorted, as a JSON list, as spaCy writes a store.
    pub fn to_json(&self, layout: JsonLayout) -> String {
        let transient = self.transient();
        let permanent = self.permanent_strings().map(|(_, string)| string);
        let mut strings: Vec<_> = permanent
            .chain(transient.iter().map(String::as_str))
            .map(|string| (first_bytes(string), string))
            .collect();
        strings.sort_unstable();
        let strings: Vec<&str> = strings.into_iter().map(|(_, string)| string).collect();
        json::write(&strings, layout)
    }

    /// Adds the strings of a JSON list, and those of the open zone, permanently. Existing strings
    /// and their positions stay. Additions of other threads wait until it is done.
    ///
    /// # Errors
    ///
    /// `strings-json` if `json` is not a list of strings, before any is added; those of
    /// [`add`](StringStore::add).
    pub fn add_json(&self, json: &[u8]) -> Result<()> {
        let strings = json::read(json)?;
        let transient = self.transient();
        let all = strings.iter().map(AsRef::as_ref).chain(transient.iter().map(String::as_str));
        let mut writer = self.permanent.writer(strings.len() + transient.len())?;
        for string in all {
            let id = StrId::of(string);
            if symbol_ix(id).is_none() && writer.intern(id, string)?.collides {
                self.report_collision(id, string)?;
            }
        }
        Ok(())
    }

    /// Opens a zone of this store: strings added from now on are dropped with it, unless they are
    /// added permanently. Opening a zone of a vocab opens the zone of its store.
    ///
    /// # Errors
    ///
    /// `zone-open`: zones do not nest.
    pub fn open_zone(&self) -> Result<()> {
        self.open_table()?;
        Ok(())
    }

    pub(crate) fn open_table(&self) -> Result<Arc<StringTable>> {
        Ok(self.zone.open(StringTable::new())?)
    }

    /// Closes the zone.
    ///
    /// # Errors
    ///
    /// `zone-closed` if no zone is open.
    pub fn close_zone(&self) -> Result<()> {
        self.zone.close()?;
        Ok(())
    }

    /// Returns the number of added strings whose id belonged to another stored string.
    ///
    /// The first string keeps the id, because ids must be equal on all machines. The text of a
    /// document does not pass through the store and is never altered.
    pub fn collisions(&self) -> u64 {
        self.collisions.load(Ordering::Relaxed)
    }

    /// Makes a collision of ids an error (`hash-collision`) instead of a count.
    pub fn set_strict(&self, strict: bool) {
        self.strict.store(strict, Ordering::Relaxed);
    }

    /// Returns the memory of the permanent strings and of the open zone.
    pub fn stats(&self) -> Stats {
        let zone = self.zone.current().map(|zone| zone.stats());
        self.permanent.stats() + zone.unwrap_or_default()
    }

    /// Calls `f` with each string of the open zone that is not permanent too.
    fn for_each_transient(&self, mut f: impl FnMut(StrId, &str)) {
        if let Some(zone) = self.zone.current() {
            let transient = zone.iter().filter(|(id, _)| self.permanent.get(*id).is_none());
            transient.for_each(|(id, string)| f(id, string));
        }
    }

    fn transient(&self) -> Vec<String> {
        let mut strings = Vec::new();
        self.for_each_transient(|_, string| strings.push(string.to_owned()));
        strings
    }

    fn report_collision(&self, id: StrId, string: &str) -> Result<()> {
        self.collisions.fetch_add(1, Ordering::Relaxed);
        if !self.strict.load(Ordering::Relaxed) {
            return Ok(());
        }
        let first = self.get(id);
        Err(Error::new(
            ErrorKind::Value,
            codes::HASH_COLLISION,
            format!("{string:?} has the id {id} of {:?}, which was stored first", first.as_deref()),
        ))
    }
}

/// Returns a number of the first eight bytes, which orders strings that differ in them.
fn first_bytes(string: &str) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(string.bytes()).for_each(|(slot, byte)| *slot = byte);
    u64::from_be_bytes(bytes)
}

/// Returns the position of a symbol, which equals its id.
fn symbol_ix(id: StrId) -> Option<StrIx> {
    u32::try_from(id.get()).ok().filter(|&number| number < StrIx::SYMBOLS).map(StrIx)
}

impl Default for StringStore {
    fn default() -> StringStore {
        StringStore::new()
    }
}

impl Deref for StoreStr<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            StrOwner::Store(string) => string,
            StrOwner::Zone(table, id) => table.get(*id).expect("a table never loses a string"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_any_kind_survive() {
        let store = StringStore::new();
        let long = "x".repeat(70_000);
        for string in ["apple", "a\0b", "\u{1f600}", "\u{2665}".repeat(300).as_str(), long.as_str()]
        {
            let id = store.add(string).unwrap();
            assert_eq!(store.get(id).as_deref(), Some(string));
            assert_eq!(store.add(string).unwrap(), id);
        }
        assert_eq!(store.len(), 5);
    }

    #[test]
    fn symbols_and_the_empty_string_are_known_but_not_stored() {
        let store = StringStore::new();
        assert_eq!(store.add("").unwrap().get(), 0);
        assert_eq!(store.add("nsubj").unwrap().get(), 429);
        assert_eq!(store.get(StrId::new(429)).as_deref(), Some("nsubj"));
        assert!(store.is_empty());
    }

    #[test]
    fn a_collision_is_counted_and_keeps_the_first_string() {
        let store = StringStore::new();
        let id = store.add("nwhmcsvgydilzqao").unwrap();
        assert_eq!(store.add("jpimytqaE87myorS").unwrap(), id);
        assert_eq!(store.get(id).as_deref(), Some("nwhmcsvgydilzqao"));
        assert_eq!(store.collisions(), 1);
        store.set_strict(true);
        assert_eq!(store.add("jpimytqaE87myorS").unwrap_err().code(), "hash-collision");
    }

    #[test]
    fn loading_adds_and_makes_what_a_zone_holds_permanent() {
        let store = StringStore::new();
        store.add("own").unwrap();
        store.open_zone().unwrap();
        store.add("zone").unwrap();
        assert_eq!(store.to_json(JsonLayout::Compact), r#"["own","zone"]"#);
        assert!(store.add_json(b"[\"new\", 1]").is_err());
        store.add_json(b"[\"new\", \"own\", \"\", \"ORTH\"]").unwrap();
        store.close_zone().unwrap();
        assert_eq!(store.to_json(JsonLayout::Compact), r#"["new","own","zone"]"#);
    }

    #[test]
    fn strings_of_a_zone_go_and_promoted_ones_stay() {
        let store = StringStore::new();
        store.add("before").unwrap();
        store.open_zone().unwrap();
        let seen = store.add("seen inside").unwrap();
        let promoted = store.add("promoted").unwrap();
        store.add_permanent("promoted").unwrap();
        assert_eq!(store.get(seen).as_deref(), Some("seen inside"));
        let held = store.get(seen).unwrap();
        store.close_zone().unwrap();
        assert!(!store.contains(seen));
        assert_eq!(store.get(promoted).as_deref(), Some("promoted"));
        assert_eq!(&*held, "seen inside");
    }
}
