//! The tokens that a model looks at: a few positions of a state, in an order that models know.

use super::arcs::Side;
use super::{NONE, ParseState};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// The numbers of features that models have.
pub const FEATURE_COUNTS: [usize; 6] = [1, 2, 3, 6, 8, 13];

impl ParseState {
    /// Writes the positions of as many tokens as `ids` has room for, with the state's offset added;
    /// -1 for a missing token.
    ///
    /// | n | tokens |
    /// | --- | --- |
    /// | 1 | B0 |
    /// | 2 | B0 S0 |
    /// | 3 | B0, the first and the last token of the open entity so far |
    /// | 6 | B0, up to five tokens of the open entity |
    /// | 8 | B0 B1 S0 S1 S2 L(B0) L(S0) R(S0) |
    /// | 13 | B0 B1 S0 S1 S2 L(S0) R(S0) L(B0) R2(S0) L(S1) L2(S1) R(S1) R2(S1) |
    ///
    /// L and R are the newest child on a side, L2 and R2 the one before. (Of 13, the code of spaCy
    /// means L2(S0) as well and writes R(S0) over it; trained models know it so.)
    ///
    /// # Errors
    ///
    /// `state-features` for another number.
    pub fn context_tokens(&self, ids: &mut [i32]) -> Result<()> {
        check_feature_count(ids.len())?;
        self.write_context(ids);
        Ok(())
    }

    /// The same for a number of features that was checked before.
    #[inline]
    pub(super) fn write_context(&self, ids: &mut [i32]) {
        let (s, b) = (|i| self.stacked(i), |i| self.buffered(i));
        let (left, right) = (Side::Left, Side::Right);
        let child = |side, head, n| self.child(side, head, n);
        match ids.len() {
            1 => self.put(ids, [b(0)]),
            2 => self.put(ids, [b(0), s(0)]),
            3 => {
                let first = self.open_start();
                let last = if first == NONE || b(0) == NONE { NONE } else { b(0).wrapping_sub(1) };
                self.put(ids, [b(0), first, last]);
            }
            6 => {
                let (first, end) = (self.open_start(), b(0));
                let inside = |i: u32| match first.checked_add(i) {
                    Some(at) if end != NONE && at < end => at,
                    _ => NONE,
                };
                self.put(ids, [end, inside(0), inside(1), inside(2), inside(3), inside(4)]);
            }
            8 => {
                let (b0, s0) = (b(0), s(0));
                let children = [child(left, b0, 1), child(left, s0, 1), child(right, s0, 1)];
                self.put(ids, [b0, b(1), s0, s(1), s(2), children[0], children[1], children[2]]);
            }
            _ => {
                let (b0, s0, s1) = (b(0), s(0), s(1));
                let tokens = [
                    b0,
                    b(1),
                    s0,
                    s1,
                    s(2),
                    child(left, s0, 1),
                    child(right, s0, 1),
                    child(left, b0, 1),
                    child(right, s0, 2),
                    child(left, s1, 1),
                    child(left, s1, 2),
                    child(right, s1, 1),
                    child(right, s1, 2),
                ];
                self.put(ids, tokens);
            }
        }
    }

    fn put<const N: usize>(&self, ids: &mut [i32], tokens: [u32; N]) {
        for (id, token) in ids.iter_mut().zip(tokens) {
            *id = i32::try_from(token).map_or(-1, |token| token + self.feature_offset());
        }
    }

    /// The first token of the open entity.
    fn open_start(&self) -> u32 {
        let open = self.last_ent().filter(|ent| ent.end == -1);
        open.map_or(NONE, |ent| u32::try_from(ent.start).unwrap_or(NONE))
    }
}

/// Checks that a model can have a number of features.
///
/// # Errors
///
/// `state-features` if a model cannot have so many.
pub fn check_feature_count(count: usize) -> Result<()> {
    if FEATURE_COUNTS.contains(&count) {
        return Ok(());
    }
    let text = format!("{count} features; there may be 1, 2, 3, 6, 8 or 13");
    Err(Error::value(codes::STATE_FEATURES, text))
}
