//! Tests of batches of states.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{
    Batching, BiluoMove, BiluoPushDown, ClassIx, FnScorer, ParseState, TokenFacts,
    TransitionSystem, batch,
};
use super::{blank, ids, projective, system};
use lexpool_error::{Error, Result};
use lexpool_structs::StrId;

fn heads(state: &ParseState) -> Vec<Option<usize>> {
    (0..state.len()).map(|at| state.h(at)).collect()
}

fn batchings() -> impl Strategy<Value = Batching> {
    (1..4_usize, 1..9_usize).prop_map(|(threads, states)| Batching { threads, states })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn however_states_are_cut_each_is_parsed_as_if_alone(
        lens in vec(0..9_usize, 0..20), seed in 0..1000_i32, batching in batchings(),
    ) {
        let moves = system(&["a", "b"]);
        let classes = moves.actions().len();
        // The scores of a state depend only on its features.
        let scorer = FnScorer::new(13, |features: &[i32], scores: &mut Vec<f32>| {
            for (ids, row) in features.chunks(13).zip(scores.chunks_mut(classes)) {
                let mix = ids.iter().fold(seed, |all, id| all.wrapping_mul(31).wrapping_add(*id));
                for (class, score) in (1_i32..).zip(row) {
                    let mixed = mix.wrapping_mul(class).wrapping_mul(0x5bd1_e995) >> 20;
                    *score = f32::from(i16::try_from(mixed).unwrap());
                }
            }
            Ok(())
        });
        let mut together: Vec<_> = lens.iter().map(|len| blank(*len)).collect();
        let steps = batch::parse(&moves, &mut together, &scorer, batching).unwrap();
        let mut alone_steps = 0;
        for (state, len) in together.iter().zip(&lens) {
            let mut alone = [blank(*len)];
            alone_steps += batch::parse(&moves, &mut alone, &scorer, Batching::default()).unwrap();
            prop_assert!(state.is_final());
            prop_assert_eq!(heads(state), heads(&alone[0]));
        }
        prop_assert_eq!(steps, alone_steps);
    }

    #[test]
    fn oracles_rebuild_a_batch_of_trees_on_any_threads(
        trees in vec(super::trees(12), 1..12), batching in batchings(),
    ) {
        let moves = system(&["a"]);
        let trees: Vec<_> =
            trees.iter().map(|(picks, len)| projective(picks, *len, true)).collect();
        let golds: Vec<_> = trees.iter().map(|heads| {
            let heads: Vec<_> = heads.iter().copied().map(Some).collect();
            moves.gold(&heads, &vec![ids(&["a"])[0]; heads.len()], &vec![None; heads.len()]).unwrap()
        }).collect();
        let mut states: Vec<_> = trees.iter().map(|heads| blank(heads.len())).collect();
        let mut chosen = states.clone();
        let sequences = batch::oracle_sequences(&moves, &mut states, &golds, batching).unwrap();
        for (state, tree) in states.iter().zip(&trees) {
            let expected: Vec<_> =
                tree.iter().enumerate().map(|(at, head)| (at != *head).then_some(*head)).collect();
            prop_assert_eq!(heads(state), expected);
        }
        let replayed = batch::parse_by(&moves, &mut chosen, batching, || {
            let mut taken = vec![0; sequences.len()];
            let sequences = &sequences;
            move |at, _: &ParseState| {
                taken[at] += 1;
                Ok(sequences[at][taken[at] - 1])
            }
        }).unwrap();
        prop_assert_eq!(replayed, sequences.iter().map(Vec::len).sum::<usize>());
        for (state, replayed) in states.iter().zip(&chosen) {
            prop_assert_eq!(heads(state), heads(replayed));
        }
    }
}

/// Returns the first error of a batch of three states, two of them with two words, for a scorer.
fn refused(features: usize, score: impl Fn(&mut Vec<f32>) -> Result<()> + Sync) -> Error {
    let moves = system(&["a"]);
    let scorer = FnScorer::new(features, |_: &[i32], scores: &mut Vec<f32>| score(scores));
    let mut states = vec![blank(2), blank(0), blank(2)];
    batch::parse(&moves, &mut states, &scorer, Batching::default()).unwrap_err()
}

#[test]
fn scores_that_are_none_are_named_with_their_state_and_step() {
    let error = refused(2, |scores| {
        scores.pop();
        Ok(())
    });
    assert_eq!(error.code(), "transition-scores");
    let error = refused(2, |scores| {
        *scores.last_mut().unwrap() = f32::NAN;
        Ok(())
    });
    assert_eq!(error.code(), "transition-nan");
    assert!(error.message().starts_with("state 2, step 0: "), "{error}");
    assert_eq!(refused(5, |_| Ok(())).code(), "state-features");
    assert_eq!(
        refused(2, |_| Err(Error::value(lexpool_error::Code::new("own"), "own"))).code(),
        "own"
    );
}

#[test]
fn a_state_that_nothing_leads_out_of_is_made_final_and_others_are_parsed() {
    let mut moves = BiluoPushDown::new();
    moves.actions_mut().add(BiluoMove::Out as u8, "").unwrap();
    // A token of an entity whose label the moves lack, between two tokens without annotation.
    let ent = StrId::of("PRESET");
    let preset = TokenFacts { ent_iob: 3, ent_type: ent, ..TokenFacts::default() };
    let facts = vec![TokenFacts::default(), preset, TokenFacts::default()];
    let mut states = vec![ParseState::new(facts.into(), 0).unwrap(), blank(3)];
    let scorer = FnScorer::new(1, |_: &[i32], _: &mut Vec<f32>| Ok(()));
    let steps = batch::parse(&moves, &mut states, &scorer, Batching::default()).unwrap();
    assert_eq!(steps, 2 + 3);
    assert!(states.iter().all(ParseState::is_final));
}

#[test]
fn a_choice_that_a_state_does_not_allow_is_refused() {
    let moves = system(&["a"]);
    let mut states = vec![blank(2)];
    for class in [ClassIx::new(1), ClassIx::new(99)] {
        let always = || move |_, _: &ParseState| Ok(class);
        let error = batch::parse_by(&moves, &mut states, Batching::default(), always).unwrap_err();
        assert_eq!(error.code(), "E170");
    }
}
