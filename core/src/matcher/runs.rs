//! What is under way in a search: nodes of the automaton, each with where it began.

use super::automaton::{Move, NodeIx};

/// A node and where it began: one token, and more in a list.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) node: NodeIx,
    pub(super) start: u32,
    /// A position in `lists`; 0 for none.
    pub(super) more: u32,
    /// Whether this is the rest of what began with the run before it: the two go on in step, and
    /// their matches come by the order of patterns. Neither has more starts than one.
    pub(super) is_tied: bool,
}

/// The runs of the next token, as they come.
pub(super) struct Runs<'s> {
    pub(super) kept: &'s mut Vec<Run>,
    pub(super) branched: &'s mut Vec<Run>,
    pub(super) lists: &'s mut Vec<Vec<u32>>,
    pub(super) free: &'s mut Vec<u32>,
}

impl Runs<'_> {
    /// Lets a run make its move. Gives how much work that was.
    #[inline]
    pub(super) fn go_on(&mut self, run: Run, next: &Move) -> u64 {
        let Runs { kept, branched, lists, free } = self;
        match (next.kept == NodeIx::NONE, next.branched == NodeIx::NONE) {
            (true, true) => release(lists, free, run.more),
            (false, true) => push(kept, lists, free, Run { node: next.kept, ..run }),
            (true, false) => push(branched, lists, free, Run { node: next.branched, ..run }),
            (false, false) => {
                let more = copy(lists, free, run.more);
                push(kept, lists, free, Run { node: next.kept, ..run });
                push(branched, lists, free, Run { node: next.branched, more, ..run });
                return lists[more as usize].len() as u64;
            }
        }
        0
    }

    /// Lets two runs that are tied make their moves.
    #[inline]
    pub(super) fn go_on_together(&mut self, runs: [Run; 2], next: [&Move; 2]) {
        let Runs { kept, branched, lists, free } = self;
        for (runs_on, to) in
            [(kept, next.map(|next| next.kept)), (branched, next.map(|next| next.branched))]
        {
            for (place, (run, node)) in runs.into_iter().zip(to).enumerate() {
                if node != NodeIx::NONE {
                    let is_tied = place == 1 && to[0] != NodeIx::NONE;
                    push(runs_on, lists, free, Run { node, is_tied, ..run });
                }
            }
        }
    }
}

/// The run that is tied to the one before these, and those behind it.
pub(super) fn tied(behind: &[Run]) -> (Option<&Run>, &[Run]) {
    match behind {
        [run, rest @ ..] if run.is_tied => (Some(run), rest),
        _ => (None, behind),
    }
}

/// Where a run began, in order.
pub(super) fn starts(lists: &[Vec<u32>], run: Run) -> impl Iterator<Item = u32> + '_ {
    std::iter::once(run.start).chain(lists[run.more as usize].iter().copied())
}

/// Puts a run last; if the last one is at the same node, the two are one.
#[inline]
pub(super) fn push(runs: &mut Vec<Run>, lists: &mut Vec<Vec<u32>>, free: &mut Vec<u32>, run: Run) {
    match runs.last_mut() {
        Some(last) if run.is_tied => {
            // What it is tied to stands for itself again.
            let own = lists[last.more as usize].pop();
            let node = last.node;
            if let Some(start) = own {
                runs.push(Run { node, start, more: 0, is_tied: false });
            }
            runs.push(run);
        }
        Some(last) if last.node == run.node && !last.is_tied => join(last, lists, free, run),
        _ => runs.push(run),
    }
}

fn join(last: &mut Run, lists: &mut Vec<Vec<u32>>, free: &mut Vec<u32>, run: Run) {
    if last.more == 0 {
        last.more = free.pop().unwrap_or_else(|| {
            lists.push(Vec::new());
            number(lists.len() - 1)
        });
    }
    lists[last.more as usize].push(run.start);
    if run.more != 0 {
        let mut more = std::mem::take(&mut lists[run.more as usize]);
        lists[last.more as usize].append(&mut more);
        lists[run.more as usize] = more;
        free.push(run.more);
    }
}

fn copy(lists: &mut Vec<Vec<u32>>, free: &mut Vec<u32>, list: u32) -> u32 {
    if list == 0 {
        return 0;
    }
    let of = lists[list as usize].clone();
    if let Some(copy) = free.pop() {
        lists[copy as usize] = of;
        return copy;
    }
    lists.push(of);
    number(lists.len() - 1)
}

pub(super) fn release(lists: &mut [Vec<u32>], free: &mut Vec<u32>, list: u32) {
    if list != 0 {
        lists[list as usize].clear();
        free.push(list);
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("positions in a document fit")
}
