//! Trees without crossing arcs: pseudo-projective parsing after Nivre and Nilsson (2005).
//!
//! A parser that works from left to right cannot build an arc that crosses another. So trees are
//! made projective for it: an arc that crosses is moved up to the head of its head, until none
//! does, and the label keeps the label of the first head, from which the arc is found again.
//!
//! Heads are positions of tokens; a root is its own head, and `None` says that the head is not
//! known.

mod climb;
mod lift;
mod shape;

use ahash::AHashSet;

use lexpool_error::codes;
use lexpool_error::{Error, ErrorKind, Result};
use lexpool_threads::StepCounter;
use lift::{Lifting, Turns, above};
use shape::{Shape, cycle};

/// Separator between a label and the label of the head that the arc was lifted from.
pub const DELIMITER: &str = "||";

/// Returns whether a token's arc is non-projective: a token between the two is not below the head.
///
/// A token above which there is one without a known head may descend from anything.
///
/// # Errors
///
/// `E190` for a head outside of the tokens, `E040` for such a token, `projective-cycle` for a cycle
/// met on the way up.
pub fn is_nonprojective_arc(token: usize, heads: &[Option<usize>]) -> Result<bool> {
    check(heads)?;
    check_token(token, heads)?;
    Shape::of(heads).crosses(token, heads)
}

/// Returns whether any arc is non-projective. The first one from the left decides, so a cycle
/// behind it is not met. Cost: one pass over the tokens.
///
/// # Errors
///
/// As for [`is_nonprojective_arc`].
pub fn is_nonprojective_tree(heads: &[Option<usize>]) -> Result<bool> {
    check(heads)?;
    let shape = Shape::of(heads);
    for token in 0..heads.len() {
        if shape.crosses(token, heads)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the heads from a token up to the root, or up to the first unknown head, which comes
/// last. Around a cycle there are as many as tokens.
///
/// # Errors
///
/// `E190` for a head outside of the tokens, `E040` for such a token.
///
/// ```
/// use lexpool_parse::projective::ancestors;
///
/// assert_eq!(ancestors(0, &[Some(1), Some(2), Some(2)])?, [Some(1), Some(2)]);
/// assert_eq!(ancestors(0, &[Some(1), None])?, [Some(1), None]);
/// assert_eq!(ancestors(0, &[Some(1), Some(0)])?, [Some(1), Some(0)]);
/// # Ok::<(), lexpool_error::Error>(())
/// ```
pub fn ancestors(token: usize, heads: &[Option<usize>]) -> Result<Vec<Option<usize>>> {
    check(heads)?;
    check_token(token, heads)?;
    let mut way = Vec::new();
    let mut at = token;
    while way.len() < heads.len() && heads[at] != Some(at) {
        way.push(heads[at]);
        match heads[at] {
            Some(head) => at = head,
            None => break,
        }
    }
    Ok(way)
}

/// The tokens on the way up from the first one whose way leads into a cycle, with itself; none if
/// no way does. Cost: one pass over the tokens.
///
/// # Errors
///
/// `E190` for a head outside of the tokens.
///
/// ```
/// use lexpool_parse::projective::cycle_of;
///
/// assert_eq!(cycle_of(&[1, 2, 2].map(Some))?, None);
/// assert_eq!(cycle_of(&[0, 2, 3, 2].map(Some))?, Some(vec![1, 2, 3]));
/// # Ok::<(), lexpool_error::Error>(())
/// ```
pub fn cycle_of(heads: &[Option<usize>]) -> Result<Option<Vec<usize>>> {
    check(heads)?;
    // By which token's way up each was reached; a way that meets an earlier one ends as that did.
    let mut reached = vec![usize::MAX; heads.len()];
    for token in 0..heads.len() {
        let mut way = Vec::new();
        let mut at = token;
        while reached[at] == usize::MAX {
            reached[at] = token;
            way.push(at);
            match heads[at] {
                Some(head) if head != at => at = head,
                _ => break,
            }
        }
        let is_met_again = heads[at].is_some_and(|head| head != at) && reached[at] == token;
        if is_met_again {
            return Ok(Some(way));
        }
    }
    Ok(None)
}

/// The non-projective arc that spans the fewest tokens, the leftmost if several do. Cost: one pass
/// over the tokens.
///
/// # Errors
///
/// As for [`is_nonprojective_arc`].
pub fn smallest_nonprojective_arc(heads: &[Option<usize>]) -> Result<Option<usize>> {
    check(heads)?;
    smallest(heads, &Shape::of(heads))
}

/// The heads of a projective tree: each arc that crosses is lifted, the shortest first.
///
/// Cost: one pass over the tokens, and for each arc that is lifted a step on a heap and the
/// logarithm of its depth, if what hangs on it lies outside of what hangs together with its heads.
/// Otherwise, an arc that becomes longer on the way up waits for shorter ones, so it may take such
/// a step for each ancestor, and a search between the two; and where heads form a cycle, there is
/// one pass for each lift.
///
/// # Errors
///
/// As for [`is_nonprojective_arc`].
///
/// ```
/// use lexpool_parse::projective::projectivize;
///
/// // "A hearing is scheduled on the issue today": "on" hangs on "hearing", "today" on "scheduled".
/// let heads = [1, 2, 2, 2, 1, 6, 4, 3].map(Some);
/// assert_eq!(projectivize(&heads)?, [1, 2, 2, 2, 2, 6, 4, 2].map(Some));
/// # Ok::<(), lexpool_error::Error>(())
/// ```
pub fn projectivize(heads: &[Option<usize>]) -> Result<Vec<Option<usize>>> {
    projectivize_with(heads, &mut || Ok(()))
}

/// Projectivizes heads as [`projectivize`] does, and asks `go_on` every million steps whether to go
/// on; its error is handed on.
///
/// # Errors
///
/// As for [`projectivize`], and those of `go_on`.
pub fn projectivize_with(
    heads: &[Option<usize>],
    go_on: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<Option<usize>>> {
    check(heads)?;
    let shape = Shape::of(heads);
    if shape.is_cyclic() {
        return lift_around_cycles(heads, StepCounter::new(go_on));
    }
    if let Some(lifted) =
        Lifting::new(heads, shape, Turns::Free, StepCounter::new(go_on)).finish()?
    {
        return Ok(lifted);
    }
    let lifting =
        Lifting::new(heads, Shape::of(heads), Turns::Shortest, StepCounter::new(go_on)).finish()?;
    Ok(lifting.expect("arcs that are lifted in turn need no second attempt"))
}

/// Lifts as the paper says, with a new search among all arcs after each: around a cycle there is
/// neither an end of the lifts nor an order of what is below what.
fn lift_around_cycles(
    heads: &[Option<usize>],
    mut watch: StepCounter<'_>,
) -> Result<Vec<Option<usize>>> {
    let mut lifted = heads.to_vec();
    let mut tried = AHashSet::new();
    while let Some(token) = smallest(&lifted, &Shape::of(&lifted))? {
        let head = lifted[token].expect("only an arc with a head crosses another");
        // A token that is back at a head has been lifted around a cycle, and would be for ever.
        if !tried.insert((token, head)) {
            return Err(cycle(&lifted));
        }
        lifted[token] = above(token, head, &lifted);
        watch.after(lifted.len())?;
    }
    Ok(lifted)
}

/// The label of a lifted arc: its own and that of the head it was lifted from.
pub fn decorate(label: &str, head_label: &str) -> String {
    format!("{label}{DELIMITER}{head_label}")
}

/// A label and the head's label it was decorated with, which is empty if it was not.
pub fn decompose(label: &str) -> (&str, &str) {
    label.split_once(DELIMITER).unwrap_or((label, ""))
}

fn check(heads: &[Option<usize>]) -> Result<()> {
    let outside = |head: &Option<usize>| head.is_some_and(|head| head >= heads.len());
    match heads.iter().position(outside) {
        None => Ok(()),
        Some(token) => {
            let (count, head) = (heads.len(), heads[token].unwrap_or_default());
            let text = format!("the head of token {token} is {head}, but there are {count} tokens");
            Err(Error::value(codes::E190, text))
        }
    }
}

fn check_token(token: usize, heads: &[Option<usize>]) -> Result<()> {
    if token < heads.len() {
        return Ok(());
    }
    let text = format!("no token {token}: there are {} heads", heads.len());
    Err(Error::new(ErrorKind::Index, codes::E040, text))
}

/// The shortest arc that crosses.
fn smallest(heads: &[Option<usize>], shape: &Shape) -> Result<Option<usize>> {
    let mut shortest = None;
    let mut size = usize::MAX;
    for (token, head) in heads.iter().enumerate() {
        let span = head.map_or(0, |head| head.abs_diff(token));
        if span < size && shape.crosses(token, heads)? {
            size = span;
            shortest = Some(token);
        }
    }
    Ok(shortest)
}

#[cfg(test)]
mod tests;
