//! Trees without crossing arcs: pseudo-projective parsing after Nivre and Nilsson (2005).
//!
//! A parser that works from left to right cannot build an arc that crosses another. So trees are
//! made projective for it: an arc that crosses is moved up to the head of its head, until none does,
//! and the label keeps the label of the first head, from which the arc is found again.
//!
//! Heads are positions of tokens; a root is its own head, and `None` says that the head is not known.

mod restore;

use ahash::AHashSet;

use crate::{Error, ErrorKind, Result};

pub use restore::deprojectivize;

/// What stands between a label and that of the head it was lifted from.
pub const DELIMITER: &str = "||";

/// Whether a token's arc is non-projective: a token between the two does not descend from the head.
///
/// A token above which there is one without a known head may descend from anything.
///
/// # Errors
///
/// `E190` for a head outside of the tokens, `E040` for such a token, `projective-cycle` for a cycle met
/// on the way up.
pub fn is_nonprojective_arc(token: usize, heads: &[Option<usize>]) -> Result<bool> {
    check(heads)?;
    check_token(token, heads)?;
    crosses(token, heads)
}

/// Whether any arc is non-projective. The first one from the left decides, so a cycle behind it is
/// not met.
///
/// # Errors
///
/// As for [`is_nonprojective_arc`].
pub fn is_nonprojective_tree(heads: &[Option<usize>]) -> Result<bool> {
    check(heads)?;
    for token in 0..heads.len() {
        if crosses(token, heads)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The heads on the way up from a token: to the root, or to the first that is not known, which comes
/// last. Around a cycle there are as many as tokens.
///
/// # Errors
///
/// `E190` for a head outside of the tokens, `E040` for such a token.
///
/// ```
/// use lexpool::projective::ancestors;
///
/// assert_eq!(ancestors(0, &[Some(1), Some(2), Some(2)])?, [Some(1), Some(2)]);
/// assert_eq!(ancestors(0, &[Some(1), None])?, [Some(1), None]);
/// assert_eq!(ancestors(0, &[Some(1), Some(0)])?, [Some(1), Some(0)]);
/// # Ok::<(), lexpool::Error>(())
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

/// The tokens on the way up from the first one whose way leads into a cycle, with itself; none if no
/// way does. Cost: one pass over the tokens.
///
/// # Errors
///
/// `E190` for a head outside of the tokens.
///
/// ```
/// use lexpool::projective::cycle_of;
///
/// assert_eq!(cycle_of(&[1, 2, 2].map(Some))?, None);
/// assert_eq!(cycle_of(&[0, 2, 3, 2].map(Some))?, Some(vec![1, 2, 3]));
/// # Ok::<(), lexpool::Error>(())
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

/// The non-projective arc that spans the fewest tokens, the leftmost if several do.
///
/// # Errors
///
/// As for [`is_nonprojective_arc`].
pub fn smallest_nonprojective_arc(heads: &[Option<usize>]) -> Result<Option<usize>> {
    check(heads)?;
    smallest(heads, &mut vec![None; heads.len()])
}

/// The heads of a projective tree: each arc that crosses is lifted, the shortest first.
///
/// Cost: one look at all arcs, and for each that is lifted one at the arcs to its former head; a look
/// goes up from each token below the arc.
///
/// # Errors
///
/// As for [`is_nonprojective_arc`].
///
/// ```
/// use lexpool::projective::projectivize;
///
/// // "A hearing is scheduled on the issue today": "on" hangs on "hearing", "today" on "scheduled".
/// let heads = [1, 2, 2, 2, 1, 6, 4, 3].map(Some);
/// assert_eq!(projectivize(&heads)?, [1, 2, 2, 2, 2, 6, 4, 2].map(Some));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn projectivize(heads: &[Option<usize>]) -> Result<Vec<Option<usize>>> {
    check(heads)?;
    let mut lifted = heads.to_vec();
    let mut tried = AHashSet::new();
    let mut known = vec![None; heads.len()];
    while let Some(token) = smallest(&lifted, &mut known)? {
        let head = lifted[token].expect("only an arc with a head crosses another");
        // A token that is back at a head has been lifted around a cycle, and would be for ever.
        if !tried.insert((token, head)) {
            return Err(cycle(&lifted));
        }
        // Below a root there is nothing to lift to, so the token becomes one itself.
        lifted[token] = if lifted[head] == Some(head) { Some(token) } else { lifted[head] };
        // All above the former head keep their descendants; it alone has lost some.
        for (other, crosses) in known.iter_mut().enumerate() {
            if other == token || lifted[other] == Some(head) {
                *crosses = None;
            }
        }
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
            Err(Error::value("E190", text))
        }
    }
}

fn check_token(token: usize, heads: &[Option<usize>]) -> Result<()> {
    if token < heads.len() {
        return Ok(());
    }
    let text = format!("no token {token}: there are {} heads", heads.len());
    Err(Error::new(ErrorKind::Index, "E040", text))
}

/// The shortest arc that crosses; `known` has what was found out of arcs before, and keeps it.
fn smallest(heads: &[Option<usize>], known: &mut [Option<bool>]) -> Result<Option<usize>> {
    let mut found = None;
    let mut size = usize::MAX;
    for (token, head) in heads.iter().enumerate() {
        let span = head.map_or(0, |head| head.abs_diff(token));
        if span >= size {
            continue;
        }
        let crosses = match known[token] {
            Some(crosses) => crosses,
            None => *known[token].insert(crosses(token, heads)?),
        };
        if crosses {
            size = span;
            found = Some(token);
        }
    }
    Ok(found)
}

fn crosses(token: usize, heads: &[Option<usize>]) -> Result<bool> {
    let Some(Some(head)) = heads.get(token).copied() else { return Ok(false) };
    let between = if head < token { head + 1..token } else { token + 1..head };
    for other in between {
        if !descends(other, head, heads)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn descends(token: usize, head: usize, heads: &[Option<usize>]) -> Result<bool> {
    let mut at = token;
    // A way up that is longer than there are tokens has come by one of them twice.
    for _ in 0..=heads.len() {
        match heads[at] {
            None => return Ok(true),
            Some(above) if above == head => return Ok(true),
            Some(above) if above == at => return Ok(false),
            Some(above) => at = above,
        }
    }
    Err(cycle(heads))
}

fn cycle(heads: &[Option<usize>]) -> Error {
    let shown: Vec<_> = heads
        .iter()
        .map(|head| head.map_or_else(|| "-1".to_owned(), |head| head.to_string()))
        .collect();
    let text = format!("Found cycle in dependency graph: [{}]", shown.join(", "));
    Error::value("projective-cycle", text)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{
        Result, ancestors, cycle, cycle_of, decompose, decorate, is_nonprojective_arc,
        is_nonprojective_tree, projectivize, smallest_nonprojective_arc,
    };

    /// Lifts as the paper says: with a new search among all arcs after each.
    fn projectivize_slowly(heads: &[Option<usize>]) -> Result<Vec<Option<usize>>> {
        let mut lifted = heads.to_vec();
        for _ in 0..heads.len() * heads.len() {
            let Some(token) = smallest_nonprojective_arc(&lifted)? else { return Ok(lifted) };
            let head = lifted[token].unwrap();
            lifted[token] = if lifted[head] == Some(head) { Some(token) } else { lifted[head] };
        }
        Err(cycle(&lifted))
    }

    fn cycle_slowly(heads: &[Option<usize>]) -> Option<Vec<usize>> {
        (0..heads.len()).find_map(|token| {
            let mut seen = vec![token];
            for ancestor in ancestors(token, heads).unwrap().into_iter().flatten() {
                if seen.contains(&ancestor) {
                    return Some(seen);
                }
                seen.push(ancestor);
            }
            None
        })
    }

    proptest! {
        #[test]
        fn lifting_looks_again_only_where_something_has_changed(
            heads in vec(0_usize..14, 1..14),
            unknown in vec(0_usize..14, 0..3),
        ) {
            let len = heads.len();
            let mut heads: Vec<_> = heads.iter().map(|head| Some(head % len)).collect();
            for token in unknown {
                heads[token % len] = None;
            }
            let quick = projectivize(&heads).map_err(|error| error.code());
            let slow = projectivize_slowly(&heads).map_err(|error| error.code());
            prop_assert_eq!(&quick, &slow, "{:?}", heads);
            if let Ok(lifted) = quick {
                prop_assert!(!is_nonprojective_tree(&lifted).unwrap());
            }
            prop_assert_eq!(cycle_of(&heads).unwrap(), cycle_slowly(&heads), "{:?}", heads);
        }
    }

    #[test]
    fn a_token_outside_is_refused() {
        for error in [
            is_nonprojective_arc(2, &heads(&[0, 0])).unwrap_err(),
            ancestors(2, &heads(&[0, 0])).unwrap_err(),
        ] {
            assert_eq!(error.code(), "E040");
        }
    }

    fn heads(heads: &[usize]) -> Vec<Option<usize>> {
        heads.iter().copied().map(Some).collect()
    }

    #[test]
    fn a_token_that_is_lifted_around_a_cycle_comes_to_an_end() {
        // The arc of 0 crosses the root 1, whichever of 3 and 4, heads of each other, it hangs on.
        let error = projectivize(&heads(&[3, 1, 1, 4, 3])).unwrap_err();
        assert_eq!(error.code(), "projective-cycle");
    }

    #[test]
    fn a_projective_tree_stays_as_it_is() {
        let tree = heads(&[1, 2, 2, 4, 5, 2, 2]);
        assert_eq!(smallest_nonprojective_arc(&tree).unwrap(), None);
        assert_eq!(projectivize(&tree).unwrap(), tree);
    }

    #[test]
    fn the_shortest_crossing_arc_is_lifted_first() {
        let tree = heads(&[1, 2, 2, 4, 5, 2, 7, 4, 2]);
        assert!(is_nonprojective_arc(7, &tree).unwrap());
        assert!(!is_nonprojective_arc(6, &tree).unwrap());
        assert_eq!(smallest_nonprojective_arc(&tree).unwrap(), Some(7));
        assert_eq!(projectivize(&tree).unwrap(), heads(&[1, 2, 2, 4, 5, 2, 7, 5, 2]));
    }

    #[test]
    fn an_arc_below_a_root_is_cut() {
        let tree = heads(&[0, 1, 0]);
        assert_eq!(projectivize(&tree).unwrap(), heads(&[0, 1, 2]));
    }

    #[test]
    fn a_token_without_head_crosses_nothing() {
        let tree = [Some(2), None, Some(2)];
        assert_eq!(projectivize(&tree).unwrap(), tree);
    }

    #[test]
    fn a_cycle_is_named_and_a_head_outside_refused() {
        let raised = projectivize(&heads(&[1, 2, 2, 4, 5, 3, 2])).expect_err("3, 4, 5 are a cycle");
        assert!(raised.message().ends_with("[1, 2, 2, 4, 5, 3, 2]"), "{raised}");
        assert_eq!(projectivize(&heads(&[0, 2])).expect_err("2 is outside").code(), "E190");
    }

    #[test]
    fn a_decorated_label_falls_into_its_two() {
        assert_eq!(decompose(&decorate("nsubj", "acl")), ("nsubj", "acl"));
        assert_eq!(decompose("nsubj"), ("nsubj", ""));
    }
}
