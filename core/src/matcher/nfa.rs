//! The NFA of a pattern: its states, and what one token does to a state.
//!
//! A pattern is a chain of steps ([`Step`]). The NFA state before step `i` means that the steps up
//! to `i` have taken the tokens so far; an optional step has an epsilon transition to the next one
//! (Thompson 1968). [`advance`] is the transition function that both engines share: the lazy DFA
//! (`lazy_dfa`) and the Pike VM (`pike_vm`).
//!
//! The order of matches is spaCy's and follows from the rules here: which state keeps its place in
//! the list of threads, which states branch off behind all others, and when a match ends before the
//! token.

use super::pattern::{Quantifier, Step};
use crate::Result;

/// A state of the NFA: the step of a pattern that is to take the next token.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct NfaState {
    pub(super) pattern: u32,
    pub(super) step: u32,
}

/// Receives the effects of one token on an NFA state.
pub(super) trait StepVisitor {
    /// Enters a step. Returns `false` if a thread with the same start has entered it at this token
    /// before: everything that follows has been visited then.
    fn enter(&mut self, step: u32) -> bool;
    /// An element is tested on the token.
    fn test(&mut self, element: u32);
    /// A match ends, with the token or before it.
    fn accept(&mut self, with_token: bool);
    /// The thread keeps its place in the list, with this step at the next token.
    fn keep(&mut self, step: u32);
    /// A new thread starts behind all others, with this step at the next token.
    fn branch(&mut self, step: u32);
}

/// Moves the NFA state before step `at` over one token, following the epsilon transitions of
/// optional steps.
pub(super) fn advance(
    steps: &[Step],
    mut at: u32,
    mut fits: impl FnMut(u32) -> Result<bool>,
    visitor: &mut impl StepVisitor,
) -> Result<()> {
    while visitor.enter(at) {
        let Step { quantifier, element } = steps[at as usize];
        let fits = fits(element)? != (quantifier == Quantifier::Negated);
        let is_last = at as usize + 1 == steps.len();
        visitor.test(element);
        match (quantifier, fits, is_last) {
            (Quantifier::One | Quantifier::Negated, false, _) => return Ok(()),
            (Quantifier::One | Quantifier::Negated, true, false) => {
                visitor.keep(at + 1);
                return Ok(());
            }
            (Quantifier::One | Quantifier::Negated, true, true) => {
                visitor.accept(true);
                return Ok(());
            }
            (Quantifier::ZeroOrMore, true, true) => {
                visitor.accept(false);
                visitor.keep(at);
                return Ok(());
            }
            (Quantifier::Optional, true, true) => {
                visitor.accept(false);
                visitor.accept(true);
                return Ok(());
            }
            (Quantifier::ZeroOrMore | Quantifier::Optional, false, true) => {
                visitor.accept(false);
                return Ok(());
            }
            (Quantifier::ZeroOrMore, true, false) => visitor.branch(at),
            (Quantifier::Optional, true, false) => visitor.branch(at + 1),
            (Quantifier::ZeroOrMore | Quantifier::Optional, false, false) => {}
        }
        at += 1;
    }
    Ok(())
}

/// Returns the elements that the state before step `at` tests after the last token, or `None` if a
/// remaining step needs a token, so that no match ends here.
pub(super) fn accepted_at_end(steps: &[Step], at: u32) -> Option<impl Iterator<Item = u32> + '_> {
    let rest = &steps[at as usize..];
    let all_optional = rest.iter().all(|step| step.quantifier.is_optional());
    all_optional.then(|| rest.iter().map(|step| step.element))
}
