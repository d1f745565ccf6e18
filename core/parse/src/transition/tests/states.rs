//! Comparisons of states with the model.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{FEATURE_COUNTS, ParseArc, ParseState};
use super::model::Model;
use super::{blank, rows, state};
use lexpool_structs::StrId;

/// An operation on a state.
#[derive(Clone, Debug)]
enum Step {
    Push,
    Pop,
    Unshift,
    Add(usize, usize),
    Delete(usize, usize),
    Start(usize),
}

const LEN: usize = 6;

fn steps() -> impl Strategy<Value = Step> {
    let pair = || (0..LEN, 0..LEN);
    prop_oneof![
        3 => Just(Step::Push),
        1 => Just(Step::Pop),
        1 => Just(Step::Unshift),
        3 => pair().prop_map(|(head, child)| Step::Add(head, child)),
        1 => pair().prop_map(|(head, child)| Step::Delete(head, child)),
        1 => (0..LEN).prop_map(Step::Start),
    ]
}

fn number(at: usize) -> i64 {
    i64::try_from(at).unwrap()
}

fn shown(token: Option<usize>) -> i64 {
    token.map_or(-1, number)
}

/// Compares the results of all queries of a state with the model.
fn compare(state: &ParseState, model: &Model) {
    let (stack, buffer) = rows(state);
    let expected: Vec<_> = model.stack.iter().rev().copied().collect();
    assert_eq!(stack.into_iter().map(number).collect::<Vec<_>>(), expected);
    assert_eq!(buffer.into_iter().map(number).collect::<Vec<_>>(), model.buffer());
    assert_eq!(state.b(state.buffer_length()), None);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for i in 0..=LEN {
        let at = number(i);
        assert_eq!(shown(state.h(i)), model.heads.get(i).copied().unwrap_or(-1));
        assert_eq!(state.is_sent_start(i), i < LEN && model.starts(at));
        assert_eq!(state.is_unshiftable(i), model.unshiftable.contains(&at));
        let kids = model.left.get(&at).cloned().unwrap_or_default();
        assert_eq!(state.n_l(i), kids.len());
        for n in 0..=kids.len() + 1 {
            let expected = n.checked_sub(1).and_then(|back| kids.iter().rev().nth(back));
            assert_eq!(shown(state.l(i, n)), expected.map_or(-1, |kid| kid.0));
        }
        left.extend(kids.iter().map(|kid| (at, kid.0, kid.1)));
        let kids = model.right.get(&at).cloned().unwrap_or_default();
        assert_eq!(state.n_r(i), kids.len());
        for n in 0..=kids.len() + 1 {
            let expected = n.checked_sub(1).and_then(|back| kids.iter().rev().nth(back));
            assert_eq!(shown(state.r(i, n)), expected.map_or(-1, |kid| kid.0));
        }
        right.extend(kids.iter().map(|kid| (at, kid.0, kid.1)));
    }
    let arcs: Vec<_> = state.arcs().map(plain).collect();
    assert!(arcs.is_sorted_by_key(|(head, child, _)| head <= child));
    let sorted = |mut arcs: Vec<(i64, i64, u64)>| {
        arcs.sort_unstable();
        arcs
    };
    assert_eq!(sorted(arcs), sorted([left, right].concat()));
    for n in FEATURE_COUNTS {
        let mut ids = vec![7; n];
        state.context_tokens(&mut ids).unwrap();
        assert_eq!(ids.into_iter().map(i64::from).collect::<Vec<_>>(), model.features(n));
    }
}

fn plain(arc: ParseArc) -> (i64, i64, u64) {
    (i64::from(arc.head), i64::from(arc.child), arc.label.get())
}

proptest! {
    #[test]
    fn a_state_is_at_every_step_what_the_model_is(
        starts in vec(-1..2_i8, LEN), steps in vec(steps(), 0..60),
    ) {
        let (mut state, mut model) = (state(&starts), Model::new(&starts));
        for (at, start) in starts.iter().enumerate() {
            prop_assert_eq!(state.cannot_sent_start(at), *start < 0);
        }
        prop_assert!(!state.cannot_sent_start(LEN));
        let mut copy = blank(2);
        for (label, step) in (0..).zip(steps) {
            match step {
                Step::Push => {
                    prop_assert_eq!(state.push().is_ok(), !model.buffer().is_empty());
                    model.push();
                }
                Step::Pop => prop_assert_eq!(state.pop().is_ok(), model.stack.pop().is_some()),
                Step::Unshift => {
                    prop_assert_eq!(state.unshift().is_ok(), !model.stack.is_empty());
                    model.unshift();
                }
                Step::Add(head, child) => {
                    state.add_arc(head, child, StrId::new(label)).unwrap();
                    model.add_arc(number(head), number(child), label);
                }
                Step::Delete(head, child) => {
                    state.del_arc(head, child);
                    model.del_arc(number(head), number(child));
                }
                Step::Start(at) => {
                    state.set_sent_start(at);
                    model.starts_by_moves.insert(number(at));
                }
            }
            compare(&state, &model);
            copy.clone_from(&state);
            compare(&copy, &model);
            compare(&state.clone(), &model);
            let in_sentence: Vec<_> =
                model.buffer().into_iter().take_while(|&at| !model.starts(at)).collect();
            for at in 0..u32::try_from(LEN).unwrap() {
                let waits = state.in_buffer(at) && at < state.sentence_end();
                prop_assert_eq!(waits, in_sentence.contains(&i64::from(at)));
                prop_assert_eq!(state.on_stack(at), model.stack.contains(&i64::from(at)));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn a_sentence_ends_where_the_next_of_the_buffer_starts_one(
        starts in vec(-1..2_i8, 1..40), steps in vec((0..9_u8, 0..40_usize), 0..200),
    ) {
        let mut state = state(&starts);
        for (kind, at) in steps {
            match kind {
                0..=3 => drop(state.push()),
                4 => drop(state.pop()),
                5..=6 => drop(state.unshift()),
                // Near the next token, as in moves, and at any token.
                7 => state.set_sent_start(state.next() + at % 3),
                _ => state.set_sent_start(at),
            }
            if at == 39 {
                state = state.clone();
            }
            let mut buffer = (0..state.buffer_length()).filter_map(|i| state.b(i));
            let start = buffer.find(|at| state.is_sent_start(*at)).unwrap_or(state.len());
            prop_assert_eq!(state.sentence_end() as usize, start);
        }
        state.force_final();
        prop_assert_eq!(state.sentence_end() as usize, state.len());
    }
}

#[test]
fn a_first_state_has_all_tokens_in_the_buffer() {
    let state = blank(4);
    assert_eq!(rows(&state), (vec![], vec![0, 1, 2, 3]));
    assert!(!state.is_final());
    assert!(blank(0).is_final());
}

#[test]
fn pushing_and_popping_carry_tokens_over_the_border() {
    let mut state = blank(4);
    state.push().unwrap();
    assert_eq!(rows(&state), (vec![0], vec![1, 2, 3]));
    state.push().unwrap();
    assert_eq!(rows(&state), (vec![1, 0], vec![2, 3]));
    state.pop().unwrap();
    assert_eq!(rows(&state), (vec![0], vec![2, 3]));
    state.unshift().unwrap();
    assert_eq!(rows(&state), (vec![], vec![0, 2, 3]));
    assert!(state.is_unshiftable(0));
    state.force_final();
    assert!(state.is_final());
}

#[test]
fn children_are_counted_from_the_newest() {
    let mut state = blank(4);
    let label = StrId::EMPTY;
    state.add_arc(2, 1, label).unwrap();
    assert_eq!((state.l(2, 1), state.l(2, 0), state.n_l(2)), (Some(1), None, 1));
    state.add_arc(2, 0, label).unwrap();
    assert_eq!((state.l(2, 1), state.l(2, 2), state.n_l(2)), (Some(0), Some(1), 2));
    state.add_arc(0, 1, label).unwrap();
    state.add_arc(0, 2, label).unwrap();
    assert_eq!((state.r(0, 1), state.r(0, 2), state.n_r(0)), (Some(2), Some(1), 2));
    assert_eq!(state.h(0), Some(2));
}

#[test]
fn an_arc_that_is_not_the_newest_stays_though_its_child_has_another_head() {
    let mut state = blank(4);
    for child in [1, 2] {
        state.add_arc(0, child, StrId::EMPTY).unwrap();
    }
    state.add_arc(3, 1, StrId::EMPTY).unwrap();
    assert_eq!((state.h(1), state.n_r(0), state.n_l(3)), (Some(3), 2, 1));
    state.add_arc(3, 2, StrId::EMPTY).unwrap();
    assert_eq!((state.h(2), state.r(0, 1), state.n_l(3)), (Some(3), Some(1), 2));
}

#[test]
fn what_is_not_there_is_an_error_or_none() {
    let mut state = blank(1);
    let code = |result: lexpool_error::Result<()>| result.unwrap_err().code();
    assert_eq!(code(state.pop()), "state-stack");
    assert_eq!(code(state.unshift()), "state-stack");
    assert_eq!(code(state.close_ent()), "state-entity");
    assert_eq!(code(state.add_arc(0, 1, StrId::EMPTY)), "state-token");
    assert_eq!(code(state.context_tokens(&mut [0; 4])), "state-features");
    state.push().unwrap();
    assert_eq!(code(state.push()), "state-buffer");
    assert_eq!(code(state.open_ent(StrId::EMPTY)), "state-buffer");
    for outside in [1, 9, usize::MAX] {
        state.set_sent_start(outside);
        state.set_reshiftable(outside);
        state.del_arc(outside, outside);
        assert!(!state.is_sent_start(outside) && !state.has_head(outside));
        assert_eq!((state.s(outside), state.b(outside)), (None, None));
        assert_eq!((state.l(outside, outside), state.n_r(outside)), (None, 0));
    }
    let facts = std::sync::Arc::clone(state.facts());
    assert_eq!(ParseState::new(facts, usize::MAX).unwrap_err().code(), "state-length");
}

#[test]
fn entities_open_and_close_at_the_buffer() {
    let mut state = blank(3);
    assert_eq!((state.e(), state.entity_is_open()), (None, false));
    state.push().unwrap();
    state.open_ent(StrId::of("GPE")).unwrap();
    assert_eq!((state.e(), state.entity_is_open()), (Some(1), true));
    let mut ids = [9; 6];
    state.push().unwrap();
    state.context_tokens(&mut ids).unwrap();
    assert_eq!(ids, [2, 1, -1, -1, -1, -1]);
    state.context_tokens(&mut ids[..3]).unwrap();
    assert_eq!(ids[..3], [2, 1, 1]);
    state.close_ent().unwrap();
    assert!(!state.entity_is_open());
    let ents: Vec<_> = state.ents().iter().map(|ent| (ent.start, ent.end)).collect();
    assert_eq!(ents, [(1, 3)]);
}

#[test]
fn features_count_from_the_offset() {
    let facts = std::sync::Arc::clone(blank(2).facts());
    let state = ParseState::new(facts, 10).unwrap();
    let mut ids = [0; 2];
    state.context_tokens(&mut ids).unwrap();
    assert_eq!(ids, [10, -1]);
    assert_eq!(state.offset(), 10);
}

#[test]
fn states_go_from_thread_to_thread() {
    fn goes<T: Send + Sync>(_: &T) {}
    goes(&blank(1));
}
