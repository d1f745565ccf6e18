use proptest::collection::vec;
use proptest::prelude::*;

use super::{
    ancestors, cycle, cycle_of, decompose, decorate, is_nonprojective_arc, is_nonprojective_tree,
    projectivize, projectivize_with, smallest_nonprojective_arc,
};
use lexpool_error::{Error, ErrorKind, Result};

/// True if an arc crosses: a walk up from each token that it spans.
fn crosses_slowly(token: usize, heads: &[Option<usize>]) -> Result<bool> {
    let Some(head) = heads[token] else { return Ok(false) };
    let between = if head < token { head + 1..token } else { token + 1..head };
    for other in between {
        let way = (0..=heads.len()).scan(Some(other), |at, _| {
            let above = heads[(*at)?];
            *at = above.filter(|above| Some(*above) != *at);
            Some(above)
        });
        let way: Vec<_> = way.collect();
        if way.iter().any(|above| above.is_none_or(|above| above == head)) {
            continue;
        }
        if way.len() > heads.len() {
            return Err(cycle(heads));
        }
        return Ok(true);
    }
    Ok(false)
}

/// Searches among all arcs in turn that are shorter than the best so far.
fn smallest_slowly(heads: &[Option<usize>]) -> Result<Option<usize>> {
    let mut found: Option<(usize, usize)> = None;
    for (token, head) in heads.iter().enumerate() {
        let span = head.map_or(0, |head| head.abs_diff(token));
        if found.is_none_or(|(least, _)| span < least) && crosses_slowly(token, heads)? {
            found = Some((span, token));
        }
    }
    Ok(found.map(|(_, token)| token))
}

/// Lifts as the paper says: with a new search among all arcs after each.
fn projectivize_slowly(heads: &[Option<usize>]) -> Result<Vec<Option<usize>>> {
    let (mut lifted, mut tried) = (heads.to_vec(), Vec::new());
    while let Some(token) = smallest_slowly(&lifted)? {
        let head = lifted[token].unwrap();
        if tried.contains(&(token, head)) {
            return Err(cycle(&lifted));
        }
        tried.push((token, head));
        lifted[token] = if lifted[head] == Some(head) { Some(token) } else { lifted[head] };
    }
    Ok(lifted)
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

/// The same of heads as of the models, and of an error its words.
fn agrees(heads: &[Option<usize>]) -> std::result::Result<(), TestCaseError> {
    let said = |error: Error| error.to_string();
    let quick = projectivize(heads).map_err(said);
    prop_assert_eq!(&quick, &projectivize_slowly(heads).map_err(said), "{:?}", heads);
    let found = smallest_nonprojective_arc(heads).map_err(said);
    prop_assert_eq!(found, smallest_slowly(heads).map_err(said), "{:?}", heads);
    for token in 0..heads.len() {
        let found = is_nonprojective_arc(token, heads).map_err(said);
        prop_assert_eq!(found, crosses_slowly(token, heads).map_err(said), "{:?}", heads);
    }
    let mut arcs = (0..heads.len()).map(|token| crosses_slowly(token, heads));
    let first = arcs.find(|crosses| !matches!(crosses, Ok(false))).unwrap_or(Ok(false));
    let found = is_nonprojective_tree(heads).map_err(said);
    prop_assert_eq!(found, first.map_err(said), "{:?}", heads);
    if let Ok(lifted) = quick {
        prop_assert!(!is_nonprojective_tree(&lifted).unwrap());
    }
    Ok(())
}

fn without(mut heads: Vec<Option<usize>>, unknown: Vec<usize>) -> Vec<Option<usize>> {
    let len = heads.len();
    for token in unknown {
        heads[token % len] = None;
    }
    heads
}

/// Heads of trees of up to twelve tokens; some have several roots.
fn trees() -> impl Strategy<Value = Vec<usize>> {
    let order = Just((0..12).collect::<Vec<usize>>()).prop_shuffle();
    (order, vec(0_usize..1000, 1..13)).prop_map(|(mut order, chosen)| {
        order.retain(|token| *token < chosen.len());
        let mut heads = order.clone();
        for (at, chosen) in chosen.iter().enumerate() {
            let is_root = at == 0 || chosen % 16 == 0;
            heads[order[at]] = order[if is_root { at } else { chosen % at }];
        }
        heads
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn projectivizing_trees_gives_what_a_search_after_each_lift_gives(
        tree in trees(),
        unknown in vec(0_usize..12, 0..2),
    ) {
        agrees(&heads(&tree))?;
        agrees(&without(heads(&tree), unknown))?;
    }

    #[test]
    fn projectivizing_heads_with_cycles_gives_the_same_or_meets_the_same_cycle(
        given in vec(0_usize..14, 1..14),
        unknown in vec(0_usize..14, 0..3),
    ) {
        let len = given.len();
        let heads = without(given.iter().map(|head| Some(head % len)).collect(), unknown);
        agrees(&heads)?;
        prop_assert_eq!(cycle_of(&heads).unwrap(), cycle_slowly(&heads), "{:?}", heads);
    }
}

/// A chain of tokens, and behind it a child for each of them, which are lifted to the top one by
/// one.
fn comb(n: usize) -> Vec<Option<usize>> {
    let half = n / 2;
    (0..n).map(|i| Some(if i < half { i.saturating_sub(1) } else { i - half })).collect()
}

/// A star whose arms stand at both ends of what hangs together with it, and are chains across those
/// ends.
fn woven(n: usize) -> Vec<Option<usize>> {
    (0..n).map(|i| Some(if i < 4 { 0 } else { (i * 7 + 3) % (i - 1) })).collect()
}

/// The questions whether to go on: one for each million steps.
fn glances(heads: &[Option<usize>]) -> usize {
    let mut asked = 0;
    let lifted = projectivize_with(heads, &mut || {
        asked += 1;
        Ok(())
    });
    assert!(!is_nonprojective_tree(&lifted.unwrap()).unwrap());
    asked
}

/// A chain to the left in the second half of the tokens; in the first one, a child for each.
fn fan(n: usize) -> Vec<Option<usize>> {
    let half = n / 2;
    (0..n).map(|i| Some(if i < half { i + half } else { half.max(i - 1) })).collect()
}

#[test]
fn the_steps_for_leaves_of_a_chain_grow_with_the_tokens_and_their_depth() {
    for shape in [comb, fan] {
        let glances = glances(&shape(100_000));
        assert!(glances <= 4, "{glances}, one for each million steps");
    }
}

#[test]
fn the_steps_for_woven_arms_grow_with_their_lifts_and_no_faster() {
    let (small, large) = (glances(&woven(4000)), glances(&woven(8000)));
    assert!(large <= 5 * small + 4, "{small} glances, then {large} for four times the lifts");
}

#[test]
fn lifting_ends_when_it_is_told_to() {
    let stop =
        || Error::new(ErrorKind::Interrupted, lexpool_error::Code::new("stopped"), "by the test");
    let mut around = comb(4000);
    around[3998] = Some(3999);
    around[3999] = Some(3998);
    for heads in [comb(400_000), around] {
        let stopped = projectivize_with(&heads, &mut || Err(stop()));
        assert_eq!(stopped.unwrap_err().code(), "stopped");
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
