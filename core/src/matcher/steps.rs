//! What a pattern does with one token: the rules that every engine here follows.
//!
//! They are spaCy's: which way is kept in its place, which ones branch off behind all others, and
//! when a match is found that the token is not part of. The order of matches follows from them.

use super::pattern::{Quantifier, Step};
use crate::Result;

/// What becomes of a place in a pattern at a token.
pub(super) trait Outcome {
    /// The way comes to a step, to which others may have come before it at this token, with the same
    /// start: then all that follows has been seen, and nothing more need be.
    fn is_new(&mut self, step: u32) -> bool;
    /// An element is asked about the token.
    fn look(&mut self, element: u32);
    /// A match ends, with the token or before it.
    fn found(&mut self, with_token: bool);
    /// The way goes on, in its place among the others, with this step at the next token.
    fn keep(&mut self, step: u32);
    /// Another way begins, behind all others, with this step at the next token.
    fn branch(&mut self, step: u32);
}

/// Lets the place before a step take a token; steps that need none let those behind them try too.
pub(super) fn advance(
    steps: &[Step],
    mut at: u32,
    mut fits: impl FnMut(u32) -> Result<bool>,
    outcome: &mut impl Outcome,
) -> Result<()> {
    while outcome.is_new(at) {
        let Step { quantifier, element } = steps[at as usize];
        let fits = fits(element)? != (quantifier == Quantifier::Other);
        let is_last = at as usize + 1 == steps.len();
        outcome.look(element);
        match (quantifier, fits, is_last) {
            (Quantifier::One | Quantifier::Other, false, _) => return Ok(()),
            (Quantifier::One | Quantifier::Other, true, false) => {
                outcome.keep(at + 1);
                return Ok(());
            }
            (Quantifier::One | Quantifier::Other, true, true) => {
                outcome.found(true);
                return Ok(());
            }
            (Quantifier::Any, true, true) => {
                outcome.found(false);
                outcome.keep(at);
                return Ok(());
            }
            (Quantifier::Optional, true, true) => {
                outcome.found(false);
                outcome.found(true);
                return Ok(());
            }
            (Quantifier::Any | Quantifier::Optional, false, true) => {
                outcome.found(false);
                return Ok(());
            }
            (Quantifier::Any, true, false) => outcome.branch(at),
            (Quantifier::Optional, true, false) => outcome.branch(at + 1),
            (Quantifier::Any | Quantifier::Optional, false, false) => {}
        }
        at += 1;
    }
    Ok(())
}

/// The elements that a place asks about behind the last token; none if one of its steps needs a
/// token, so that there is no match.
pub(super) fn end(steps: &[Step], at: u32) -> Option<impl Iterator<Item = u32> + '_> {
    let rest = &steps[at as usize..];
    let needs_none = rest.iter().all(|step| step.quantifier.is_optional());
    needs_none.then(|| rest.iter().map(|step| step.element))
}
