//! Threads of the DFA simulation: DFA states under way, each with the tokens where it started.

use super::state::{StateId, Transition};

/// A DFA state with its starts: one token, and further ones in a list.
#[derive(Clone, Copy)]
pub(super) struct DfaThread {
    pub(super) state: StateId,
    pub(super) start: u32,
    /// The position of the list of further starts in `lists`, or 0.
    pub(super) more: u32,
    /// `true` if this thread has the other half of the patterns that started with the thread before
    /// it. Paired threads move together, and their matches are merged by the order of patterns.
    /// Both have exactly one start.
    pub(super) is_paired: bool,
}

/// The threads at the next token, while they are being collected.
pub(super) struct NextThreads<'s> {
    pub(super) kept: &'s mut Vec<DfaThread>,
    pub(super) branched: &'s mut Vec<DfaThread>,
    pub(super) lists: &'s mut Vec<Vec<u32>>,
    pub(super) free: &'s mut Vec<u32>,
}

impl NextThreads<'_> {
    /// Moves a thread. Returns the number of starts that were copied.
    #[inline]
    pub(super) fn advance(&mut self, thread: DfaThread, next: &Transition) -> u64 {
        let NextThreads { kept, branched, lists, free } = self;
        match (next.kept == StateId::DEAD, next.branched == StateId::DEAD) {
            (true, true) => release(lists, free, thread.more),
            (false, true) => push(kept, lists, free, DfaThread { state: next.kept, ..thread }),
            (true, false) => {
                push(branched, lists, free, DfaThread { state: next.branched, ..thread });
            }
            (false, false) => {
                let more = copy(lists, free, thread.more);
                push(kept, lists, free, DfaThread { state: next.kept, ..thread });
                push(branched, lists, free, DfaThread { state: next.branched, more, ..thread });
                return lists[more as usize].len() as u64;
            }
        }
        0
    }

    /// Moves two paired threads.
    #[inline]
    pub(super) fn advance_pair(&mut self, threads: [DfaThread; 2], next: [&Transition; 2]) {
        let NextThreads { kept, branched, lists, free } = self;
        for (target, states) in
            [(kept, next.map(|next| next.kept)), (branched, next.map(|next| next.branched))]
        {
            for (place, (thread, state)) in threads.into_iter().zip(states).enumerate() {
                if state != StateId::DEAD {
                    let is_paired = place == 1 && states[0] != StateId::DEAD;
                    push(target, lists, free, DfaThread { state, is_paired, ..thread });
                }
            }
        }
    }
}

/// Splits off the thread that is paired with the one before `rest`, if there is one.
pub(super) fn split_paired(rest: &[DfaThread]) -> (Option<&DfaThread>, &[DfaThread]) {
    match rest {
        [thread, rest @ ..] if thread.is_paired => (Some(thread), rest),
        _ => (None, rest),
    }
}

/// Returns the starts of a thread, in order.
pub(super) fn starts(lists: &[Vec<u32>], thread: DfaThread) -> impl Iterator<Item = u32> + '_ {
    std::iter::once(thread.start).chain(lists[thread.more as usize].iter().copied())
}

/// Appends a thread; it is merged into the last one if both are in the same state.
#[expect(clippy::inline_always, reason = "a thread in memory is copied by halves, which stalls")]
#[inline(always)]
pub(super) fn push(
    threads: &mut Vec<DfaThread>,
    lists: &mut Vec<Vec<u32>>,
    free: &mut Vec<u32>,
    thread: DfaThread,
) {
    match threads.last_mut() {
        Some(_) if thread.is_paired => push_paired(threads, lists, thread),
        Some(last) if last.state == thread.state && !last.is_paired => {
            merge(last, lists, free, thread);
        }
        _ => threads.push(thread),
    }
}

/// [`push`] for a thread that is paired with the last one.
#[inline(never)]
fn push_paired(threads: &mut Vec<DfaThread>, lists: &mut [Vec<u32>], thread: DfaThread) {
    if let Some(last) = threads.last() {
        // The thread it is paired with may just have been merged: it is split off again, since
        // paired threads have exactly one start.
        let state = last.state;
        if let Some(start) = lists[last.more as usize].pop() {
            threads.push(DfaThread { state, start, more: 0, is_paired: false });
        }
    }
    threads.push(thread);
}

#[inline(never)]
fn merge(last: &mut DfaThread, lists: &mut Vec<Vec<u32>>, free: &mut Vec<u32>, thread: DfaThread) {
    if last.more == 0 {
        last.more = free.pop().unwrap_or_else(|| {
            lists.push(Vec::new());
            number(lists.len() - 1)
        });
    }
    lists[last.more as usize].push(thread.start);
    if thread.more != 0 {
        let mut more = std::mem::take(&mut lists[thread.more as usize]);
        lists[last.more as usize].append(&mut more);
        lists[thread.more as usize] = more;
        free.push(thread.more);
    }
}

fn copy(lists: &mut Vec<Vec<u32>>, free: &mut Vec<u32>, list: u32) -> u32 {
    if list == 0 {
        return 0;
    }
    let starts = lists[list as usize].clone();
    if let Some(copy) = free.pop() {
        lists[copy as usize] = starts;
        return copy;
    }
    lists.push(starts);
    number(lists.len() - 1)
}

/// Clears a list of starts and puts it on the free list.
pub(super) fn release(lists: &mut [Vec<u32>], free: &mut Vec<u32>, list: u32) {
    if list != 0 {
        lists[list as usize].clear();
        free.push(list);
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("positions in a document fit in 32 bits")
}
