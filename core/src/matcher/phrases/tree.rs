//! The tree of phrases in memory, where phrases are added and removed.

use ahash::{AHashMap, RandomState};

use super::layout::{
    Edge, IN_RUN, IdSlot, MANY_EDGES, MOST_ITEMS, NO_EDGE, Node, View, edge_key, run,
};
use super::pairs::Pairs;
use super::table::Table;
use crate::{Error, Result};

/// What is removed has to be so much, and a half of all, before the tree is made anew without it.
const LEAST_WASTE: u64 = 4096;

/// A tree that changes.
#[derive(Clone)]
pub(super) struct Tree {
    seed: u64,
    ids: Table<IdSlot>,
    edges: Table<Edge>,
    /// The symbols that go on with others at the start of phrases; of some nothing is left.
    pairs: Pairs,
    nodes: Vec<Node>,
    labels: Vec<u32>,
    runs: Vec<u32>,
    keys: Vec<u64>,
    /// For each node the one before it and the symbol of the edge between; zeros for a symbol's own.
    ups: Vec<(u32, u32)>,
    free: Vec<u32>,
    numbers: AHashMap<u64, u32>,
    free_numbers: Vec<u32>,
    /// For each key the nodes at which a phrase of it ends.
    ends: Vec<Vec<u32>>,
    /// How many ids all phrases have, and how many those had that were removed.
    size: u64,
    removed: u64,
}

impl Default for Tree {
    fn default() -> Tree {
        let seed = RandomState::new().hash_one(0_u8);
        Tree {
            seed,
            pairs: Pairs::new(seed),
            ids: Table::default(),
            edges: Table::default(),
            nodes: vec![Node::default()],
            labels: Vec::new(),
            runs: Vec::new(),
            keys: Vec::new(),
            ups: vec![(0, 0)],
            free: Vec::new(),
            numbers: AHashMap::new(),
            free_numbers: Vec::new(),
            ends: Vec::new(),
            size: 0,
            removed: 0,
        }
    }
}

/// Whether what a search remembers of ids holds after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remembered {
    Holds,
    /// An id has become a symbol, or a symbol one that is a phrase or goes on with one.
    IsStale,
}

impl Tree {
    /// A tree with the phrases of another.
    pub(super) fn copy_of(view: &View<'_>) -> Result<Tree> {
        let mut tree = Tree::default();
        super::listing::each_phrase(view, |phrase, keys| {
            keys.iter().try_for_each(|key| tree.add(*key, phrase).map(|_| ()))
        })?;
        Ok(tree)
    }

    pub(super) fn view(&self) -> View<'_> {
        View {
            seed: self.seed,
            ids: self.ids.slots(),
            edges: self.edges.slots(),
            nodes: &self.nodes,
            labels: &self.labels,
            runs: &self.runs,
            keys: &self.keys,
        }
    }

    /// Adds a phrase of a key, unless it is there or has no ids.
    ///
    /// # Errors
    ///
    /// `phrase-limit` if the tree would grow over what its numbers can count; nothing is added.
    pub(super) fn add(&mut self, key: u64, phrase: &[u64]) -> Result<Remembered> {
        let Some((first, rest)) = phrase.split_first() else { return Ok(Remembered::Holds) };
        self.check_room(phrase.len())?;
        let symbols_before = self.nodes.len();
        let root = self.symbol(*first);
        let began = self.view().begins(root);
        let rest: Vec<u32> = rest.iter().map(|id| self.symbol(*id)).collect();
        let is_new = self.nodes.len() > symbols_before;
        let node = self.grow(root, &rest);
        let number = self.number(key);
        if self.add_key(node, number) {
            self.size += phrase.len() as u64;
        }
        let is_stale = is_new || self.view().begins(root) != began;
        Ok(if is_stale { Remembered::IsStale } else { Remembered::Holds })
    }

    /// The pairs of symbols with which phrases begin.
    pub(super) fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// Removes a phrase of a key, if it is there.
    pub(super) fn remove(&mut self, key: u64, phrase: &[u64]) -> Result<Remembered> {
        let (Some(node), Some(number)) = (self.find(phrase), self.numbers.get(&key).copied())
        else {
            return Ok(Remembered::Holds);
        };
        let ends = &mut self.ends[number as usize];
        if let Some(at) = ends.iter().position(|end| *end == node) {
            ends.swap_remove(at);
            self.remove_key(node, number);
            self.give_back(key, number);
        }
        self.tidy()
    }

    /// Removes all phrases of a key.
    pub(super) fn remove_all(&mut self, key: u64) -> Result<Remembered> {
        let Some(number) = self.numbers.get(&key).copied() else { return Ok(Remembered::Holds) };
        for node in std::mem::take(&mut self.ends[number as usize]) {
            self.remove_key(node, number);
        }
        self.give_back(key, number);
        self.tidy()
    }

    /// The node at which a sequence of ids ends.
    fn find(&self, phrase: &[u64]) -> Option<u32> {
        let view = self.view();
        let mut symbols = phrase.iter().map(|id| view.symbol(*id));
        let mut number = symbols.next()?;
        while let Some(symbol) = symbols.next() {
            number = view.child(number, view.node(number), symbol);
            for own in view.label(view.node(number)) {
                if symbols.next() != Some(*own) {
                    return None;
                }
            }
            if number == 0 || symbol == 0 {
                return None;
            }
        }
        (number != 0).then_some(number)
    }

    /// Each phrase adds at most two nodes and a symbol for each id, and moves a run to twice its room.
    fn check_room(&self, len: usize) -> Result<()> {
        let nodes = self.nodes.len() + len + 2;
        let most = nodes.max(self.labels.len() + len).max(self.keys.len() + 1);
        if most.max(self.runs.len() * 3 + 16) <= MOST_ITEMS {
            return Ok(());
        }
        let text = format!(
            "a phrase of {len} ids on top of phrases of {} ids; a matcher holds up to {MOST_ITEMS} \
             of them, divide them among several",
            self.size
        );
        Err(Error::value("phrase-limit", text))
    }

    /// The symbol of an id, which is made if it is new.
    fn symbol(&mut self, id: u64) -> u32 {
        let known = self.view().symbol(id);
        if known != 0 {
            return known;
        }
        // Never a node that was given back: those have been found behind other symbols.
        let symbol = number_of(self.nodes.len());
        self.nodes.push(Node::default());
        self.ups.push((0, 0));
        self.ids.insert(self.seed, IdSlot::new(id, symbol));
        symbol
    }

    /// The node at which a sequence ends, which is made if there is none.
    fn grow(&mut self, root: u32, rest: &[u32]) -> u32 {
        let (mut number, mut rest) = (root, rest);
        while let Some((symbol, after)) = rest.split_first() {
            let child = self.view().child(number, self.nodes[number as usize], *symbol);
            if child == 0 {
                return self.push_leaf(number, *symbol, after);
            }
            let label = self.view().label(self.nodes[child as usize]);
            let common = label.iter().zip(after).take_while(|(own, given)| own == given).count();
            number = if common == label.len() {
                child
            } else {
                self.split(number, *symbol, child, common)
            };
            rest = &after[common..];
        }
        number
    }

    fn push_leaf(&mut self, parent: u32, symbol: u32, label: &[u32]) -> u32 {
        let node = Node {
            label: number_of(self.labels.len()),
            len: number_of(label.len()),
            ..Node::default()
        };
        self.labels.extend_from_slice(label);
        let number = self.push(node, (parent, symbol));
        self.connect(parent, symbol, number);
        number
    }

    /// A node between another and the one before it, at which the other's label is cut in two.
    fn split(&mut self, parent: u32, symbol: u32, child: u32, at: usize) -> u32 {
        let own = self.nodes[child as usize];
        let cut = self.labels[own.label as usize + at];
        let at = number_of(at);
        let upper = Node { label: own.label, len: at, keys: 0, first: cut, next: child };
        let upper = self.push(upper, (parent, symbol));
        let lower = &mut self.nodes[child as usize];
        (lower.label, lower.len) = (own.label + at + 1, own.len - at - 1);
        self.ups[child as usize] = (upper, cut);
        if self.nodes[parent as usize].first == symbol {
            self.nodes[parent as usize].next = upper;
        } else if let Some(edge) = self.edges.find_mut(self.seed, edge_key(parent, symbol)) {
            edge.next = upper;
        }
        upper
    }

    fn push(&mut self, node: Node, up: (u32, u32)) -> u32 {
        if let Some(number) = self.free.pop() {
            self.nodes[number as usize] = node;
            self.ups[number as usize] = up;
            return number;
        }
        self.nodes.push(node);
        self.ups.push(up);
        number_of(self.nodes.len() - 1)
    }

    /// Puts an edge between two nodes.
    fn connect(&mut self, parent: u32, symbol: u32, next: u32) {
        let is_symbols_own = self.ups[parent as usize].0 == 0;
        if is_symbols_own {
            if self.pairs.is_full() {
                self.pairs = Pairs::of(&self.view());
            }
            self.pairs.insert(parent, symbol);
        }
        let own = &mut self.nodes[parent as usize];
        if own.first == MANY_EDGES {
            own.next += 1;
        } else if is_symbols_own {
            // In the table from the first on, where a search finds them without the node.
            (own.first, own.next) = (MANY_EDGES, 1);
        } else if own.first == NO_EDGE {
            (own.first, own.next) = (symbol, next);
            return;
        } else {
            let only = Edge { node: parent, symbol: own.first, next: own.next };
            self.edges.insert(self.seed, only);
            (own.first, own.next) = (MANY_EDGES, 2);
        }
        self.edges.insert(self.seed, Edge { node: parent, symbol, next });
    }

    fn disconnect(&mut self, parent: u32, symbol: u32) {
        let own = &mut self.nodes[parent as usize];
        if own.first == MANY_EDGES {
            self.edges.remove(self.seed, edge_key(parent, symbol));
            own.next -= 1;
            if own.next > 0 {
                return;
            }
        }
        (own.first, own.next) = (NO_EDGE, 0);
    }

    /// The number of a key, which is made if it is new.
    fn number(&mut self, key: u64) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.free_numbers.pop().unwrap_or_else(|| {
            self.keys.push(0);
            self.ends.push(Vec::new());
            number_of(self.keys.len() - 1)
        });
        self.keys[number as usize] = key;
        self.numbers.insert(key, number);
        number
    }

    /// Forgets the number of a key without phrases.
    fn give_back(&mut self, key: u64, number: u32) {
        if self.ends[number as usize].is_empty() {
            self.numbers.remove(&key);
            self.keys[number as usize] = 0;
            self.free_numbers.push(number);
        }
    }

    /// Adds a key behind those that a node has; false if it has it.
    fn add_key(&mut self, node: u32, number: u32) -> bool {
        let held = self.nodes[node as usize].keys;
        let is_there = if held & IN_RUN == 0 {
            held == number + 1
        } else {
            // A key that is new is in no run, however long that is.
            let is_known = !self.ends[number as usize].is_empty();
            is_known && run(&self.runs, held & !IN_RUN).contains(&number)
        };
        if is_there {
            return false;
        }
        self.ends[number as usize].push(node);
        self.nodes[node as usize].keys = match held {
            0 => number + 1,
            _ if held & IN_RUN == 0 => self.push_run(&[held - 1, number]),
            _ => self.push_key(held & !IN_RUN, number),
        };
        true
    }

    /// Puts a key behind a run, which moves to where it has twice the room if it is full.
    fn push_key(&mut self, start: u32, number: u32) -> u32 {
        let at = start as usize;
        let (len, room) = (self.runs[at], self.runs[at + 1]);
        if len < room {
            self.runs[at + 2 + len as usize] = number;
            self.runs[at] += 1;
            return IN_RUN | start;
        }
        let mut keys = run(&self.runs, start).to_vec();
        keys.push(number);
        self.push_run(&keys)
    }

    fn push_run(&mut self, keys: &[u32]) -> u32 {
        let (start, room) = (self.runs.len(), keys.len().next_power_of_two());
        self.runs.extend([number_of(keys.len()), number_of(room)]);
        self.runs.extend_from_slice(keys);
        self.runs.resize(start + 2 + room, 0);
        IN_RUN | number_of(start)
    }

    /// Takes a key from a node, and with its last one all that only it has needed.
    fn remove_key(&mut self, node: u32, number: u32) {
        let len = self.depth(node);
        self.size -= len;
        self.removed += len;
        let held = self.nodes[node as usize].keys;
        let mut left = 0;
        if held & IN_RUN != 0 {
            let at = (held & !IN_RUN) as usize;
            let len = self.runs[at] as usize;
            let keys = &mut self.runs[at + 2..at + 2 + len];
            if let Some(gone) = keys.iter().position(|own| *own == number) {
                keys.copy_within(gone + 1.., gone);
                self.runs[at] -= 1;
            }
            left = self.runs[at];
        }
        if left == 0 {
            self.nodes[node as usize].keys = 0;
            self.prune(node);
        }
    }

    /// How many symbols lead to a node.
    fn depth(&self, node: u32) -> u64 {
        let (mut number, mut depth) = (node, 1);
        while self.ups[number as usize].0 != 0 {
            depth += u64::from(self.nodes[number as usize].len) + 1;
            number = self.ups[number as usize].0;
        }
        depth
    }

    /// Gives back a node that leads to no phrase, and those before it of which this becomes true.
    fn prune(&mut self, node: u32) {
        let mut number = node;
        loop {
            let own = self.nodes[number as usize];
            let (parent, symbol) = self.ups[number as usize];
            if own.keys != 0 || own.first != NO_EDGE || parent == 0 {
                return;
            }
            self.disconnect(parent, symbol);
            self.nodes[number as usize] = Node::default();
            self.ups[number as usize] = (0, 0);
            self.free.push(number);
            number = parent;
        }
    }

    /// Makes the tree anew when more was removed than is left.
    fn tidy(&mut self) -> Result<Remembered> {
        if self.removed < self.size + LEAST_WASTE {
            return Ok(Remembered::Holds);
        }
        *self = Tree::copy_of(&self.view())?;
        Ok(Remembered::IsStale)
    }
}

/// The number of an item of an array, of which there are few enough.
fn number_of(position: usize) -> u32 {
    u32::try_from(position).expect("`check_room` has seen to it")
}
