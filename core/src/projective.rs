//! Trees without crossing arcs: pseudo-projective parsing after Nivre and Nilsson (2005).
//!
//! A parser that works from left to right cannot build an arc that crosses another. So trees are
//! made projective for it: an arc that crosses is moved up to the head of its head, until none does,
//! and the label keeps the label of the first head, from which the arc is found again.
//!
//! Heads are positions of tokens; a root is its own head, and `None` says that the head is not known.

use ahash::AHashSet;

use crate::{Error, Result};

/// What stands between a label and that of the head it was lifted from.
pub const DELIMITER: &str = "||";

/// Whether a token's arc is non-projective: a token between the two does not descend from the head.
///
/// A token above which there is one without a known head may descend from anything.
///
/// # Errors
///
/// `E190` for a head outside of the tokens, `projective-cycle` for a cycle met on the way up.
pub fn is_nonprojective_arc(token: usize, heads: &[Option<usize>]) -> Result<bool> {
    check(heads)?;
    crosses(token, heads)
}

/// The non-projective arc that spans the fewest tokens, the leftmost if several do.
///
/// # Errors
///
/// As for [`is_nonprojective_arc`].
pub fn smallest_nonprojective_arc(heads: &[Option<usize>]) -> Result<Option<usize>> {
    check(heads)?;
    smallest(heads)
}

/// The heads of a projective tree: each arc that crosses is lifted, the shortest first.
///
/// Cost: one look at all arcs for each that is lifted; the look at an arc goes up from each token
/// below it.
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
    while let Some(token) = smallest(&lifted)? {
        let head = lifted[token].expect("only an arc with a head crosses another");
        // A token that is back at a head has been lifted around a cycle, and would be for ever.
        if !tried.insert((token, head)) {
            return Err(cycle(&lifted));
        }
        // Below a root there is nothing to lift to, so the token becomes one itself.
        lifted[token] = if lifted[head] == Some(head) { Some(token) } else { lifted[head] };
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

fn smallest(heads: &[Option<usize>]) -> Result<Option<usize>> {
    let mut found = None;
    let mut size = usize::MAX;
    for (token, head) in heads.iter().enumerate() {
        let span = head.map_or(0, |head| head.abs_diff(token));
        if span < size && crosses(token, heads)? {
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
    use super::{
        decompose, decorate, is_nonprojective_arc, projectivize, smallest_nonprojective_arc,
    };

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
