//! The automaton over a document.
//!
//! What is under way is a list of nodes, each with the tokens where it began. At a token each node
//! moves: what is kept stays in its place, what branches off comes behind, and what begins at the
//! token is last of both. Matches are found in the order of that list, which is spaCy's.

use std::ops::Range;

use ahash::AHashSet;

use super::automaton::{Automaton, Beginning, End, NodeIx};
use super::classes::{Class, Classes, Unanswered};
use super::program::Program;
use super::runs::{Run, Runs, push, release, starts, tied};
use super::{Found, limits};
use crate::Result;
use crate::tokens::Doc;

/// What a thread needs to search, and what it has found out so far.
#[derive(Default)]
pub(super) struct Searcher {
    pub(super) classes: Classes,
    automaton: Automaton,
    active: Vec<Run>,
    kept: Vec<Run>,
    branched: Vec<Run>,
    /// Starts of runs beyond the first; the first list is always empty, and others may be free.
    lists: Vec<Vec<u32>>,
    free: Vec<u32>,
    seen: Seen,
    /// For each start all places that it has at the token with this number.
    met: Vec<(NodeIx, u32)>,
}

/// The matches that end at a token or before the next one: what can be found again.
#[derive(Default)]
struct Seen {
    /// By key and start, of those that end before the token, and of those that end with it.
    before: AHashSet<(u32, u32)>,
    with: AHashSet<(u32, u32)>,
}

/// Why a search ended early.
pub(super) enum Stop {
    /// A token cannot be judged beforehand.
    Unanswered,
    Failed(crate::Error),
}

impl From<Unanswered> for Stop {
    fn from(_: Unanswered) -> Stop {
        Stop::Unanswered
    }
}

impl Searcher {
    /// All matches among some tokens of a document, each once.
    pub(super) fn search(
        &mut self,
        program: &Program,
        doc: &Doc,
        tokens: Range<usize>,
        found: &mut Vec<Found>,
    ) -> Result<(), Stop> {
        self.reset();
        self.open(program, doc);
        let first = tokens.start;
        let len = number(tokens.len());
        let mut steps = 0;
        let mut splits = false;
        for token in tokens {
            let token = doc.token(token).expect("the caller has checked the range");
            let class = self.classes.of(program, token)?;
            if self.active.is_empty() && self.automaton.begins_nothing(class) {
                continue;
            }
            let at = number(token.i() - first);
            steps += self.take(program, at, class, &mut splits, found);
            if splits {
                splits = self.forget_equals(program, at, len, &mut steps);
            }
            self.make_room(program, doc);
            steps += self.automaton.take_steps() * limits::LEARNING;
            if steps > limits::STEPS || found.len() > limits::MATCHES {
                return Err(Stop::Failed(limits::error(steps, token.i())));
            }
        }
        self.seen.next_token();
        let active = std::mem::take(&mut self.active);
        let mut rest = &active[..];
        while let [run, behind @ ..] = rest {
            let ends = self.automaton.end(program, run.node);
            let (tied, behind) = tied(behind);
            let others = tied.map(|tied| self.automaton.end(program, tied.node));
            rest = behind;
            let Searcher { lists, seen, .. } = self;
            for start in starts(lists, *run) {
                for end in in_order(&ends, others.as_deref().unwrap_or_default()) {
                    let may_repeat = program.may_repeat[end.key as usize];
                    // One too many is enough to tell.
                    if found.len() <= limits::MATCHES
                        && (!may_repeat || seen.before.insert((end.key, start)))
                    {
                        found.push(Found { key: end.key, start, end: len });
                    }
                }
            }
        }
        self.active = active;
        if found.len() > limits::MATCHES {
            return Err(Stop::Failed(limits::error(steps, doc.len())));
        }
        Ok(())
    }

    /// Forgets what was under way, which an earlier search may have left.
    fn reset(&mut self) {
        if self.lists.is_empty() {
            self.lists.push(Vec::new());
        }
        for run in self.active.drain(..).chain(self.kept.drain(..)).chain(self.branched.drain(..)) {
            if run.more != 0 {
                self.lists[run.more as usize].clear();
                self.free.push(run.more);
            }
        }
        self.seen.clear();
        self.met.clear();
    }

    /// Prepares for the tokens of a document.
    pub(super) fn open(&mut self, program: &Program, doc: &Doc) {
        if self.classes.is_full() {
            self.classes = Classes::default();
            self.automaton = Automaton::default();
        }
        self.classes.open(program, doc);
    }

    /// Lets all that is under way take a token, and all patterns begin at it. Gives how much work
    /// that was, and notes whether a start may now have two nodes with equal places.
    fn take(
        &mut self,
        program: &Program,
        at: u32,
        class: Class,
        splits: &mut bool,
        found: &mut Vec<Found>,
    ) -> u64 {
        let Searcher { classes, automaton, active, kept, branched, lists, free, seen, .. } = self;
        seen.next_token();
        let mut work = 1;
        let mut emit = |end: &End, start| {
            let End { key, with_token, .. } = *end;
            let ends = if with_token { &mut seen.with } else { &mut seen.before };
            // One too many is enough to tell.
            if found.len() <= limits::MATCHES
                && (!program.may_repeat[key as usize] || ends.insert((key, start)))
            {
                found.push(Found { key, start, end: at + u32::from(with_token) });
            }
        };
        let mut runs = Runs { kept, branched, lists, free };
        let mut rest = &active[..];
        while let [run, behind @ ..] = rest {
            let (tied, behind) = tied(behind);
            rest = behind;
            let next = automaton.step(program, classes, run.node, class);
            let other = tied.map(|tied| automaton.step(program, classes, tied.node, class));
            let next = automaton.get(next);
            work += 1;
            let Some((tied, other)) = tied.zip(other) else {
                if !next.ends.is_empty() {
                    for start in starts(runs.lists, *run) {
                        next.ends.iter().for_each(|end| emit(end, start));
                        work += 1;
                    }
                }
                work += runs.go_on(*run, next);
                *splits |= automaton.may_split(next);
                continue;
            };
            let other = automaton.get(other);
            in_order(&next.ends, &other.ends).for_each(|end| emit(end, run.start));
            runs.go_on_together([*run, *tied], [next, other]);
            *splits |= automaton.may_split(next) || automaton.may_split(other);
        }
        active.clear();
        let Beginning { rare, common, only } = automaton.begin(program, classes, class);
        let new = Run { node: only, start: at, more: 0, is_tied: false };
        if only == NodeIx::NONE {
            let (next, other) = (automaton.get(rare), automaton.get(common));
            in_order(&next.ends, &other.ends).for_each(|end| emit(end, at));
            runs.go_on_together([new, new], [next, other]);
            *splits |= automaton.may_split(next) || automaton.may_split(other);
        } else {
            push(runs.kept, runs.lists, runs.free, new);
        }
        std::mem::swap(active, kept);
        active.append(branched);
        work
    }

    /// Of equal places with one start the first is left: what the others find, it has found before.
    /// Gives whether there is a start with several nodes of ambiguous patterns.
    fn forget_equals(&mut self, program: &Program, at: u32, len: u32, steps: &mut u64) -> bool {
        self.met.resize(len as usize, (NodeIx::NONE, u32::MAX));
        let mut several = false;
        let mut last_is_left = false;
        for mut run in std::mem::take(&mut self.active) {
            run.is_tied &= last_is_left;
            last_is_left = true;
            if !self.automaton.is_ambiguous(run.node) {
                push(&mut self.kept, &mut self.lists, &mut self.free, run);
                continue;
            }
            let mut more = std::mem::take(&mut self.lists[run.more as usize]);
            *steps += 1 + more.len() as u64;
            for start in std::iter::once(run.start).chain(more.drain(..)) {
                let (others, token) = self.met[start as usize];
                let (mut node, mut all) = (run.node, run.node);
                if token == at {
                    (node, all) = self.automaton.without_and_with(program, node, others);
                    several |= node != NodeIx::NONE;
                }
                self.met[start as usize] = (all, at);
                last_is_left = node != NodeIx::NONE;
                if !last_is_left {
                    continue;
                }
                let run = Run { node, start, more: 0, is_tied: run.is_tied };
                push(&mut self.kept, &mut self.lists, &mut self.free, run);
            }
            self.lists[run.more as usize] = more;
            release(&mut self.lists, &mut self.free, run.more);
        }
        std::mem::swap(&mut self.active, &mut self.kept);
        several
    }

    /// Forgets what was met if it takes too much memory.
    fn make_room(&mut self, program: &Program, doc: &Doc) {
        let classes_are_full = self.classes.is_full();
        if !classes_are_full && !self.automaton.is_full() {
            return;
        }
        let old = std::mem::take(&mut self.automaton);
        for run in &mut self.active {
            run.node = self.automaton.carry(program, &old, run.node);
        }
        if classes_are_full {
            self.classes = Classes::default();
            self.classes.open(program, doc);
        }
    }
}

impl Seen {
    /// What ends with a token ends before the next one.
    fn next_token(&mut self) {
        if !self.before.is_empty() {
            self.before.clear();
        }
        if !self.with.is_empty() {
            std::mem::swap(&mut self.before, &mut self.with);
        }
    }

    fn clear(&mut self) {
        self.before.clear();
        self.with.clear();
    }
}

/// The matches of two runs that are tied, by the order of patterns.
fn in_order<'a>(ends: &'a [End], others: &'a [End]) -> impl Iterator<Item = &'a End> {
    let (mut ends, mut others) = (ends.iter().peekable(), others.iter().peekable());
    std::iter::from_fn(move || match (ends.peek(), others.peek()) {
        (Some(end), Some(other)) if end.pattern > other.pattern => others.next(),
        (None, _) => others.next(),
        _ => ends.next(),
    })
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("positions in a document fit")
}
