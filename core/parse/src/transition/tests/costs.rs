//! Comparisons of validity and costs with the model, along random walks over valid moves.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{ArcEager, ClassIx, INVALID_COST, TransitionSystem, oracle};
use super::model::{GoldModel, Model};
use super::{projective, state, system};
use lexpool_structs::StrId;

const LABELS: [&str; 4] = ["a", "b", "subtok", ""];

/// Returns a gold tree and its model, with unknown heads from `unknown`.
fn gold(
    moves: &ArcEager,
    heads: &[usize],
    unknown: &[bool],
    labels: &[usize],
    starts: &[Option<bool>],
) -> (super::super::ArcEagerGold, GoldModel) {
    let known: Vec<_> =
        heads.iter().zip(unknown).map(|(head, no)| (!no).then_some(*head)).collect();
    let names: Vec<_> = labels.iter().map(|label| Some(StrId::of(LABELS[*label]))).collect();
    let made = moves.gold(&known, &names, starts).unwrap();
    let model = GoldModel {
        heads: known.iter().map(|head| i64::try_from(head.unwrap_or(0)).unwrap()).collect(),
        known: known.iter().map(Option::is_some).collect(),
        labels: (0..heads.len()).map(|i| made.label(i).map_or(0, StrId::get)).collect(),
        starts: starts.to_vec(),
    };
    (made, model)
}

/// Returns the validity and costs of all classes for a state, even if no class has cost 0.
fn row(
    moves: &ArcEager,
    state: &super::super::ParseState,
    gold: &super::super::ArcEagerGold,
) -> (Vec<bool>, Vec<f32>, bool) {
    let (mut valid, mut costs) =
        (vec![false; moves.actions().len()], vec![0.5; moves.actions().len()]);
    let result = moves.costs(state, gold, &mut valid, &mut costs);
    if let Err(error) = &result {
        assert_eq!(error.code(), "E1031");
    }
    (valid, costs, result.is_ok())
}

#[derive(Clone, Debug)]
struct Case {
    heads: Vec<usize>,
    unknown: Vec<bool>,
    labels: Vec<usize>,
    starts: Vec<Option<bool>>,
    preset: Vec<i8>,
    choices: Vec<usize>,
}

fn cases() -> impl Strategy<Value = Case> {
    const MOST: usize = 10;
    let tree = (vec(0..1000_usize, 1..30), 1..MOST, any::<bool>());
    let start = prop_oneof![Just(None), Just(Some(true)), Just(Some(false))];
    let preset = prop_oneof![6 => Just(0_i8), 1 => Just(1), 1 => Just(-1)];
    let lists = (
        vec(prop::bool::weighted(0.15), MOST),
        vec(0..LABELS.len(), MOST),
        vec(start, MOST),
        vec(preset, MOST),
        vec(0..1000_usize, 100),
    );
    (tree, lists).prop_map(|((picks, len, forest), (unknown, labels, starts, preset, choices))| {
        Case {
            heads: projective(&picks, len, forest),
            unknown: unknown[..len].to_vec(),
            labels: labels[..len].to_vec(),
            starts: starts[..len].to_vec(),
            preset: preset[..len].to_vec(),
            choices,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn validity_and_costs_are_at_every_step_those_of_the_model(case in cases()) {
        let moves = system(&LABELS);
        let subtok = StrId::of("subtok");
        let (gold, gold_model) =
            gold(&moves, &case.heads, &case.unknown, &case.labels, &case.starts);
        let (mut state, mut model) = (state(&case.preset), Model::new(&case.preset));
        for choice in case.choices {
            let (valid, costs, is_ok) = row(&moves, &state, &gold);
            let mut has_free = false;
            for class in moves.actions().classes() {
                let made = moves.actions().get(class).unwrap();
                let at = class.get() as usize;
                let allowed = model.allows(made.action, made.label == subtok);
                prop_assert_eq!(valid[at], allowed, "{}", moves.actions().name(class));
                prop_assert_eq!(moves.is_valid(&state, class), allowed);
                let expected = if allowed {
                    let cost = model.cost(&gold_model, made.action, made.label.get());
                    f32::from(i16::try_from(cost).unwrap())
                } else {
                    INVALID_COST
                };
                prop_assert_eq!(costs[at], expected, "{}", moves.actions().name(class));
                prop_assert_eq!(moves.cost(&state, &gold, class).unwrap(), expected);
                has_free |= allowed && expected <= 0.0;
            }
            prop_assert_eq!(is_ok, has_free);
            if is_ok {
                let chosen = oracle::Oracle::new(&moves).next(&state, &gold).unwrap();
                prop_assert_eq!(Some(chosen), moves.oracle_choice(&valid, &costs));
            }
            if state.is_final() {
                break;
            }
            let allowed: Vec<_> =
                moves.actions().classes().filter(|class| valid[class.get() as usize]).collect();
            prop_assert!(!allowed.is_empty(), "there is always a valid move");
            let class = allowed[choice % allowed.len()];
            let made = moves.actions().get(class).unwrap();
            moves.apply(&mut state, class).unwrap();
            model.apply(made.action, made.label.get());
            let heads: Vec<_> = (0..model.heads.len())
                .map(|i| state.h(i).map_or(-1, |head| i64::try_from(head).unwrap()))
                .collect();
            prop_assert_eq!(heads, model.heads.clone());
        }
        prop_assert!(state.is_final(), "valid moves come to an end");
    }

    #[test]
    fn a_class_is_the_best_if_it_is_valid_and_none_before_it_scores_as_high(
        case in cases(), scores in vec(-2_i16..3, 12),
    ) {
        let moves = system(&LABELS);
        let mut state = state(&case.preset);
        let scores: Vec<f32> = scores.into_iter().map(f32::from).cycle().take(moves.actions().len()).collect();
        for choice in case.choices {
            let mut valid = vec![false; scores.len()];
            moves.valid(&state, &mut valid).unwrap();
            let mut best: Option<usize> = None;
            for i in 0..scores.len() {
                if valid[i] && best.is_none_or(|best| scores[i] > scores[best]) {
                    best = Some(i);
                }
            }
            let given = moves.best(&state, &scores).map(|class| class.get() as usize);
            prop_assert_eq!(given, best);
            if state.is_final() {
                break;
            }
            let allowed: Vec<_> = (0_u32..).zip(&valid).filter(|(_, valid)| **valid).collect();
            moves.apply(&mut state, ClassIx::new(allowed[choice % allowed.len()].0)).unwrap();
        }
    }

    #[test]
    fn the_oracle_rebuilds_every_projective_tree(
        (picks, len) in super::trees(40), is_forest: bool, labels in vec(0..2_usize, 40),
        with_starts: bool,
    ) {
        let moves = system(&LABELS);
        let heads = projective(&picks, len, is_forest);
        let first = |at: usize| is_first_of_tree(&heads, at);
        let starts: Vec<_> = (0..len).map(|at| with_starts.then(|| first(at))).collect();
        let labels = &labels[..len];
        let (gold, _) = gold(&moves, &heads, &vec![false; len], labels, &starts);
        let mut state = super::blank(len);
        oracle::sequence(&moves, &mut state, &gold).unwrap();
        prop_assert!(state.is_final());
        for (child, &head) in heads.iter().enumerate() {
            if head == child {
                prop_assert_eq!(state.h(child), None, "a root");
                continue;
            }
            prop_assert_eq!(state.h(child), Some(head));
        }
        let roots = heads.iter().enumerate().filter(|(at, head)| at == *head).count();
        prop_assert_eq!(state.arcs().count(), len - roots);
        for arc in state.arcs() {
            prop_assert!(gold.holds(arc.child as usize, arc.head as usize, arc.label));
        }
        if with_starts {
            for at in 1..len {
                prop_assert_eq!(state.is_sent_start(at), first(at), "{}", at);
            }
        }
    }
}

/// Returns true if a token is the first of a tree of a projective forest.
fn is_first_of_tree(heads: &[usize], at: usize) -> bool {
    let root = |mut at: usize| {
        while heads[at] != at {
            at = heads[at];
        }
        at
    };
    at == 0 || root(at) != root(at - 1)
}
