//! The table that an automaton fills as it meets states and symbols.

use std::hash::Hash;

use ahash::AHashMap;

use super::alphabet::Symbol;

/// A state, as the place of its row: a multiple of the number of symbols.
pub(super) type State = u32;

/// Where no match can come of anything that follows.
pub(super) const DEAD: State = 0;

/// The table stays within so many bytes: a forward run starts it anew, a
/// backward run, which must be able to look back at it, gives up.
pub(super) const MOST_BYTES: usize = if cfg!(test) { 64 << 10 } else { 64 << 20 };

/// A transition: the state it leads to, and whether there is a match (or, for
/// the backward automaton, the start of one) at the place it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move(u32);

impl Move {
    /// Not yet worked out.
    pub(super) const UNKNOWN: Move = Move(u32::MAX);
    /// Depends on look-arounds, which must be asked at each place.
    pub(super) const ASK: Move = Move(u32::MAX - 1);

    pub(super) fn new(to: State, hit: bool) -> Move {
        Move(to << 1 | u32::from(hit))
    }

    #[inline]
    pub(super) fn is_known(self) -> bool {
        self.0 < Move::ASK.0
    }

    #[inline]
    pub(super) fn to(self) -> State {
        self.0 >> 1
    }

    #[inline]
    pub(super) fn is_hit(self) -> bool {
        self.0 & 1 == 1
    }
}

/// States by what they mean (`K`), and their moves for each symbol.
#[derive(Debug)]
pub(super) struct Rows<K> {
    symbols: usize,
    moves: Vec<Move>,
    meanings: Vec<K>,
    states: AHashMap<K, State>,
    /// Which looks a move asks, as bits.
    asked: AHashMap<(State, Symbol), u32>,
    bytes: usize,
}

impl<K: Clone + Eq + Hash> Rows<K> {
    /// A table of one state, the dead one, which `dead` means.
    pub(super) fn new(symbols: usize, dead: K) -> Rows<K> {
        Rows {
            symbols,
            moves: vec![Move::new(DEAD, false); symbols],
            meanings: vec![dead.clone()],
            states: AHashMap::from_iter([(dead, DEAD)]),
            asked: AHashMap::new(),
            bytes: 0,
        }
    }

    #[inline]
    pub(super) fn get(&self, state: State, symbol: Symbol) -> Move {
        self.moves[state as usize + usize::from(symbol)]
    }

    pub(super) fn set(&mut self, state: State, symbol: Symbol, to: Move) {
        self.moves[state as usize + usize::from(symbol)] = to;
    }

    pub(super) fn ask(&mut self, state: State, symbol: Symbol, looks: u32) {
        self.set(state, symbol, Move::ASK);
        self.asked.insert((state, symbol), looks);
    }

    pub(super) fn asked(&self, state: State, symbol: Symbol) -> u32 {
        self.asked.get(&(state, symbol)).copied().unwrap_or(0)
    }

    pub(super) fn meaning(&self, state: State) -> &K {
        &self.meanings[state as usize / self.symbols]
    }

    /// The state that means `key`, made if new; `size` is what the key holds.
    pub(super) fn state(&mut self, key: K, size: usize) -> State {
        if let Some(&state) = self.states.get(&key) {
            return state;
        }
        let state = State::try_from(self.moves.len()).expect("MOST_BYTES bounds the table");
        self.moves.resize(self.moves.len() + self.symbols, Move::UNKNOWN);
        self.meanings.push(key.clone());
        self.states.insert(key, state);
        self.bytes += self.symbols * size_of::<Move>() + 2 * size + 64;
        state
    }

    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= MOST_BYTES
    }
}

/// A set of small numbers that is emptied at once.
#[derive(Debug, Default)]
pub(super) struct Marks {
    stamps: Vec<u32>,
    stamp: u32,
}

impl Marks {
    pub(super) fn clear(&mut self, len: usize) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 || self.stamps.len() < len {
            self.stamps.clear();
            self.stamps.resize(len, 0);
            self.stamp = 1;
        }
    }

    pub(super) fn has(&self, ix: u32) -> bool {
        self.stamps[ix as usize] == self.stamp
    }

    /// Adds a number below the `len` of the last `clear`; whether it was new.
    pub(super) fn insert(&mut self, ix: u32) -> bool {
        let stamp = &mut self.stamps[ix as usize];
        std::mem::replace(stamp, self.stamp) != self.stamp
    }
}
