//! Simulation of the lazy DFA over a document.
//!
//! The threads under way form an ordered list. At each token every thread moves: its kept state
//! stays at its place, its branched state goes behind all kept ones, and the threads that start at
//! the token come last in both groups. Matches are reported in the order of that list, which is
//! spaCy's.

use std::ops::Range;

use ahash::AHashSet;

use super::dfa::LazyDfa;
use super::state::{MatchEnd, StartTransitions, StateId, TransitionId};
use super::threads::{DfaThread, NextThreads, push, release, split_paired, starts};
use crate::Result;
use crate::matcher::limits;
use crate::matcher::program::Program;
use crate::matcher::token_classes::{TokenClass, TokenClasses, UnclassifiedToken};
use crate::matcher::token_match::{MatchList, RawMatch};
use crate::tokens::Doc;

/// The state of one search, and what earlier searches have built: classes and DFA.
#[derive(Default)]
pub(in crate::matcher) struct Searcher {
    pub(in crate::matcher) classes: TokenClasses,
    dfa: LazyDfa,
    active: Vec<DfaThread>,
    kept: Vec<DfaThread>,
    branched: Vec<DfaThread>,
    /// Starts of threads beyond the first. The first list is always empty; free ones are in `free`.
    lists: Vec<Vec<u32>>,
    free: Vec<u32>,
    reported: ReportedMatches,
    /// For each start the union of its states, valid at the token with this number.
    states_of_start: Vec<(StateId, u32)>,
}

/// The matches that end before or with the current token: only these can be found a second time.
#[derive(Default)]
struct ReportedMatches {
    /// Key and start of the matches that end before the token.
    before: AHashSet<(u32, u32)>,
    /// Key and start of the matches that end with the token.
    with: AHashSet<(u32, u32)>,
}

/// The reason why a search ended early.
pub(in crate::matcher) enum SearchError {
    /// A token has no class; the Pike VM must search instead.
    Unclassified,
    Failed(crate::Error),
}

impl From<UnclassifiedToken> for SearchError {
    fn from(_: UnclassifiedToken) -> SearchError {
        SearchError::Unclassified
    }
}

impl Searcher {
    /// Finds all matches in a range of tokens, each once.
    pub(in crate::matcher) fn search(
        &mut self,
        program: &Program,
        doc: &Doc,
        tokens: Range<usize>,
        found: &mut MatchList,
    ) -> Result<(), SearchError> {
        self.reset();
        self.open(program, doc);
        let first = tokens.start;
        let len = number(tokens.len());
        let mut steps = 0;
        let mut splits = false;
        for token in tokens {
            let token = doc.token(token).expect("the caller has checked the range");
            let class = self.classes.class_of(program, token)?;
            if self.active.is_empty() && self.dfa.is_dead_start(class) {
                continue;
            }
            let at = number(token.i() - first);
            steps += self.step(program, at, class, &mut splits, found);
            if splits {
                splits = self.remove_duplicates(program, at, len, &mut steps);
            }
            self.make_room(program, doc);
            steps += self.dfa.take_steps() * limits::CONSTRUCTION_COST;
            if steps > limits::MAX_STEPS || found.len() > limits::MAX_MATCHES {
                return Err(SearchError::Failed(limits::error(steps, token.i())));
            }
        }
        self.reported.next_token();
        let active = std::mem::take(&mut self.active);
        let mut rest = &active[..];
        while let [thread, behind @ ..] = rest {
            let ends = self.dfa.matches_at_end(program, thread.state);
            let (paired, behind) = split_paired(behind);
            let others = paired.map(|paired| self.dfa.matches_at_end(program, paired.state));
            rest = behind;
            let Searcher { lists, reported, .. } = self;
            for start in starts(lists, *thread) {
                for end in by_pattern(&ends, others.as_deref().unwrap_or_default()) {
                    let may_repeat = program.may_repeat[end.key as usize];
                    // One match beyond the limit is kept, so that the caller sees the excess.
                    if found.len() <= limits::MAX_MATCHES
                        && (!may_repeat || reported.before.insert((end.key, start)))
                    {
                        found.push(RawMatch { key: end.key, start, end: len });
                    }
                }
            }
        }
        self.active = active;
        if found.len() > limits::MAX_MATCHES {
            return Err(SearchError::Failed(limits::error(steps, first + len as usize)));
        }
        Ok(())
    }

    /// Drops the threads that an earlier search may have left.
    fn reset(&mut self) {
        if self.lists.is_empty() {
            self.lists.push(Vec::new());
        }
        let left = self.active.drain(..).chain(self.kept.drain(..)).chain(self.branched.drain(..));
        for thread in left {
            if thread.more != 0 {
                self.lists[thread.more as usize].clear();
                self.free.push(thread.more);
            }
        }
        self.reported.clear();
        self.states_of_start.clear();
    }

    /// Prepares for the tokens of a document.
    pub(in crate::matcher) fn open(&mut self, program: &Program, doc: &Doc) {
        if self.classes.is_full() {
            self.classes = TokenClasses::default();
            self.dfa = LazyDfa::default();
        }
        self.classes.open(program, doc);
    }

    /// Moves all threads over a token and starts all patterns at it.
    ///
    /// Returns the work done, and sets `splits` if a start may now have two DFA states with equal
    /// NFA states.
    fn step(
        &mut self,
        program: &Program,
        at: u32,
        class: TokenClass,
        splits: &mut bool,
        found: &mut MatchList,
    ) -> u64 {
        let Searcher { classes, dfa, active, kept, branched, lists, free, reported, .. } = self;
        reported.next_token();
        let mut work = 1;
        let mut emit = |end: &MatchEnd, start| {
            let MatchEnd { key, with_token, .. } = *end;
            let ends = if with_token { &mut reported.with } else { &mut reported.before };
            // One match beyond the limit is kept, so that the caller sees the excess.
            if found.len() <= limits::MAX_MATCHES
                && (!program.may_repeat[key as usize] || ends.insert((key, start)))
            {
                found.push(RawMatch { key, start, end: at + u32::from(with_token) });
            }
        };
        let mut threads = NextThreads { kept, branched, lists, free };
        let mut rest = &active[..];
        while let [thread, behind @ ..] = rest {
            let (paired, behind) = split_paired(behind);
            rest = behind;
            let next = dfa.step(program, classes, thread.state, class);
            let other = paired.map(|paired| dfa.step(program, classes, paired.state, class));
            work += 1;
            // Most threads die here: nothing of the transition needs to be read for them.
            if next == TransitionId::DEAD && paired.is_none() {
                release(threads.lists, threads.free, thread.more);
                continue;
            }
            let next = dfa.get(next);
            let Some((paired, other)) = paired.zip(other) else {
                if !next.is_without_matches() {
                    for start in starts(threads.lists, *thread) {
                        dfa.matches(next).iter().for_each(|end| emit(end, start));
                        work += 1;
                    }
                }
                work += threads.advance(*thread, next);
                *splits |= next.may_split();
                continue;
            };
            let other = dfa.get(other);
            by_pattern(dfa.matches(next), dfa.matches(other))
                .for_each(|end| emit(end, thread.start));
            threads.advance_pair([*thread, *paired], [next, other]);
            *splits |= next.may_split() || other.may_split();
        }
        active.clear();
        let StartTransitions { indexed, unindexed, only_kept } = dfa.start(program, classes, class);
        let new = DfaThread { state: only_kept, start: at, more: 0, is_paired: false };
        if only_kept == StateId::DEAD {
            let (next, other) = (dfa.get(indexed), dfa.get(unindexed));
            by_pattern(dfa.matches(next), dfa.matches(other)).for_each(|end| emit(end, at));
            threads.advance_pair([new, new], [next, other]);
            *splits |= next.may_split() || other.may_split();
        } else {
            push(threads.kept, threads.lists, threads.free, new);
        }
        std::mem::swap(active, kept);
        active.append(branched);
        work
    }

    /// Removes NFA states that an earlier thread with the same start has too: whatever they would
    /// find, the earlier thread finds first.
    ///
    /// Returns whether a start still has several DFA states of ambiguous patterns.
    fn remove_duplicates(&mut self, program: &Program, at: u32, len: u32, steps: &mut u64) -> bool {
        self.states_of_start.resize(len as usize, (StateId::DEAD, u32::MAX));
        let mut several = false;
        let mut last_is_left = false;
        for mut thread in std::mem::take(&mut self.active) {
            thread.is_paired &= last_is_left;
            last_is_left = true;
            if !self.dfa.is_ambiguous(thread.state) {
                push(&mut self.kept, &mut self.lists, &mut self.free, thread);
                continue;
            }
            let mut more = std::mem::take(&mut self.lists[thread.more as usize]);
            *steps += 1 + more.len() as u64;
            for start in std::iter::once(thread.start).chain(more.drain(..)) {
                let (others, token) = self.states_of_start[start as usize];
                let (mut state, mut union) = (thread.state, thread.state);
                if token == at {
                    (state, union) = self.dfa.difference_and_union(program, state, others);
                    several |= state != StateId::DEAD;
                }
                self.states_of_start[start as usize] = (union, at);
                last_is_left = state != StateId::DEAD;
                if !last_is_left {
                    continue;
                }
                let thread = DfaThread { state, start, more: 0, is_paired: thread.is_paired };
                push(&mut self.kept, &mut self.lists, &mut self.free, thread);
            }
            self.lists[thread.more as usize] = more;
            release(&mut self.lists, &mut self.free, thread.more);
        }
        std::mem::swap(&mut self.active, &mut self.kept);
        several
    }

    /// Replaces the DFA, and the classes, once they outgrow their memory bounds.
    fn make_room(&mut self, program: &Program, doc: &Doc) {
        let classes_are_full = self.classes.is_full();
        if !classes_are_full && !self.dfa.is_full() {
            return;
        }
        let old = std::mem::take(&mut self.dfa);
        for thread in &mut self.active {
            thread.state = self.dfa.import(program, &old, thread.state);
        }
        if classes_are_full {
            self.classes = TokenClasses::default();
            self.classes.open(program, doc);
        }
    }
}

impl ReportedMatches {
    /// Goes to the next token: the matches that ended with the last one end before it.
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

/// Merges the matches of two paired threads by the order of patterns.
fn by_pattern<'a>(
    ends: &'a [MatchEnd],
    others: &'a [MatchEnd],
) -> impl Iterator<Item = &'a MatchEnd> {
    let (mut ends, mut others) = (ends.iter().peekable(), others.iter().peekable());
    std::iter::from_fn(move || match (ends.peek(), others.peek()) {
        (Some(end), Some(other)) if end.pattern > other.pattern => others.next(),
        (None, _) => others.next(),
        _ => ends.next(),
    })
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("positions in a document fit in 32 bits")
}
