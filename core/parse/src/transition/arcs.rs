//! Heads and children of a parse under way, in flat memory.
//!
//! Arcs lie in one array in the order in which they were made; each points back to the one made
//! before it to the same side of the same head, and each token to the newest on either side. So an
//! arc costs no allocation of its own, a copy is a copy of two arrays, and the n-th newest child,
//! all that parsing asks, is n steps away.
//!
//! spaCy removes an arc only where it is the newest to its side of its head; any other stays among
//! the children although its child has another head by then. Moves never lead there, but callers
//! may.

use super::NONE;
use lexpool_error::Result;
use lexpool_structs::StrId;

/// An arc from a head to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseArc {
    /// The position of the head.
    pub head: u32,
    /// The position of the child.
    pub child: u32,
    /// Label of the arc.
    pub label: StrId,
}

/// All arcs of a state.
#[derive(Debug)]
pub(super) struct Arcs {
    ends: Vec<Ends>,
    links: Vec<LinkedArc>,
}

/// The arcs of one token.
#[derive(Clone, Copy, Debug)]
struct Ends {
    head: u32,
    /// The newest arcs to children on either side.
    newest: [u32; 2],
}

/// An arc, linked to the older one on the same side; a removed arc has no child.
#[derive(Clone, Copy, Debug)]
struct LinkedArc {
    arc: ParseArc,
    older: u32,
}

/// Side of its head on which a child is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left = 0,
    Right = 1,
}

impl Side {
    /// A token that is its own head is, as in spaCy, on the right.
    fn of(head: u32, child: u32) -> Side {
        if head > child { Side::Left } else { Side::Right }
    }
}

impl Arcs {
    pub(super) fn new(len: usize) -> Arcs {
        let none = Ends { head: NONE, newest: [NONE; 2] };
        Arcs { ends: vec![none; len], links: Vec::with_capacity(len) }
    }

    /// Takes the memory that a copy of these arcs and one more need.
    ///
    /// # Errors
    ///
    /// `out-of-memory` if the system refuses it.
    pub(super) fn reserve_for(&mut self, source: &Arcs) -> Result<()> {
        reserve_for(&mut self.ends, source.ends.len())?;
        reserve_for(&mut self.links, source.links.len() + 1)
    }

    /// The head of a token, or [`NONE`].
    #[inline]
    pub(super) fn head(&self, child: u32) -> u32 {
        self.ends.get(child as usize).map_or(NONE, |ends| ends.head)
    }

    /// The n-th newest child to a side, counted from 1, or [`NONE`].
    #[inline]
    pub(super) fn child(&self, side: Side, head: u32, n: usize) -> u32 {
        self.listed(side, head).nth(n.wrapping_sub(1)).map_or(NONE, |link| link.arc.child)
    }

    /// Returns the number of a token's children on a side.
    pub(super) fn count(&self, side: Side, head: u32) -> usize {
        self.listed(side, head).count()
    }

    /// Adds an arc, after taking back the one to the head that the child had. Both are tokens.
    #[inline]
    pub(super) fn add(&mut self, head: u32, child: u32, label: StrId) {
        let before = self.head(child);
        if before != NONE {
            self.remove(before, child);
        }
        let at = u32::try_from(self.links.len()).unwrap_or(NONE);
        let newest = &mut self.ends[head as usize].newest[Side::of(head, child) as usize];
        let older = std::mem::replace(newest, at);
        self.links.push(LinkedArc { arc: ParseArc { head, child, label }, older });
        self.ends[child as usize].head = head;
    }

    /// Takes an arc back if it is the newest to its side of its head; the child keeps its head.
    pub(super) fn remove(&mut self, head: u32, child: u32) {
        let Some(ends) = self.ends.get_mut(head as usize) else { return };
        let newest = &mut ends.newest[Side::of(head, child) as usize];
        let Some(link) = self.links.get_mut(*newest as usize) else { return };
        if link.arc.child != child {
            return;
        }
        *newest = link.older;
        link.arc.child = NONE;
        while self.links.last().is_some_and(|link| link.arc.child == NONE) {
            self.links.pop();
        }
    }

    /// Returns the arcs to children on the left, then those on the right, each in order of
    /// creation.
    pub(super) fn all(&self) -> impl Iterator<Item = ParseArc> + '_ {
        let of_side = |side| {
            let arcs = self.links.iter().map(|link| link.arc).filter(|arc| arc.child != NONE);
            arcs.filter(move |arc| Side::of(arc.head, arc.child) == side)
        };
        of_side(Side::Left).chain(of_side(Side::Right))
    }

    #[inline]
    fn listed(&self, side: Side, head: u32) -> impl Iterator<Item = &LinkedArc> {
        let newest = self.ends.get(head as usize).map_or(NONE, |ends| ends.newest[side as usize]);
        let newest = self.links.get(newest as usize);
        std::iter::successors(newest, |link| self.links.get(link.older as usize))
    }
}

/// Gives a list room for `len` items in all.
///
/// # Errors
///
/// `out-of-memory` if the system refuses it.
pub(super) fn reserve_for<T>(list: &mut Vec<T>, len: usize) -> Result<()> {
    Ok(list.try_reserve(len.saturating_sub(list.len()))?)
}

impl Clone for Arcs {
    fn clone(&self) -> Arcs {
        let mut links = Vec::with_capacity(self.ends.len().max(self.links.len()));
        links.extend_from_slice(&self.links);
        Arcs { ends: self.ends.clone(), links }
    }

    fn clone_from(&mut self, source: &Arcs) {
        self.ends.clone_from(&source.ends);
        self.links.clone_from(&source.links);
    }
}
