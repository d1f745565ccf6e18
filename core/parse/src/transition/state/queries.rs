//! Queries by moves, costs and features, whose positions may be [`NONE`].

use lexpool_structs::SpanC;

use super::{NO_START, ON_STACK, PUT_BACK, ParseState, START, UNSHIFTABLE, token};
use crate::transition::NONE;
use crate::transition::arcs::Side;

impl ParseState {
    #[inline]
    pub(in crate::transition) fn stacked(&self, i: usize) -> u32 {
        let at = self.stack.len().wrapping_sub(i.saturating_add(1));
        self.stack.get(at).copied().unwrap_or(NONE)
    }

    /// The stack from the bottom.
    pub(in crate::transition) fn stack(&self) -> &[u32] {
        &self.stack
    }

    #[inline]
    pub(in crate::transition) fn buffered(&self, i: usize) -> u32 {
        let put_back = self.rebuffer.len();
        if i < put_back {
            return self.rebuffer[put_back - 1 - i];
        }
        let at = (self.next as usize).saturating_add(i - put_back);
        if at < self.marks.len() { token(at) } else { NONE }
    }

    #[inline]
    pub(in crate::transition) fn head(&self, child: u32) -> u32 {
        self.arcs.head(child)
    }

    #[inline]
    pub(in crate::transition) fn child(&self, side: Side, head: u32, n: usize) -> u32 {
        self.arcs.child(side, head, n)
    }

    #[inline]
    pub(in crate::transition) fn starts_sentence(&self, at: u32) -> bool {
        self.is_marked(at, START)
    }

    #[inline]
    pub(in crate::transition) fn starts_no_sentence(&self, at: u32) -> bool {
        self.is_marked(at, NO_START)
    }

    #[inline]
    pub(in crate::transition) fn was_put_back(&self, at: u32) -> bool {
        self.is_marked(at, UNSHIFTABLE)
    }

    #[inline]
    pub(in crate::transition) fn on_stack(&self, at: u32) -> bool {
        self.is_marked(at, ON_STACK)
    }

    /// Returns whether a token is in the buffer, of whatever sentence.
    #[inline]
    pub(in crate::transition) fn in_buffer(&self, at: u32) -> bool {
        at >= self.next && (at as usize) < self.marks.len() || self.is_marked(at, PUT_BACK)
    }

    /// Returns the end of the sentence at the front of the buffer: the next token that starts one.
    #[inline]
    pub(in crate::transition) fn sentence_end(&self) -> u32 {
        if self.starts_put_back == 0 {
            return self.next_start;
        }
        let mut put_back = self.rebuffer.iter().rev();
        let start = put_back.find(|&&at| self.is_marked(at, START));
        start.copied().unwrap_or(self.next_start)
    }

    #[inline]
    pub(in crate::transition) fn feature_offset(&self) -> i32 {
        self.offset
    }

    /// The last entity.
    pub(in crate::transition) fn last_ent(&self) -> Option<&SpanC> {
        self.ents.last()
    }
}
