use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use lexpool_structs::{SpanC, StrId};

use super::*;
use crate::transition::TokenFacts;

const LABELS: [&str; 2] = ["LOC", "ORG"];

fn system() -> BiluoPushDown {
    let mut moves = BiluoPushDown::new();
    let labels = || LABELS.map(|label| (label, 1)).to_vec();
    let units = [labels(), vec![("", 1)]].concat();
    let given = [(1, labels()), (2, labels()), (3, labels()), (4, units), (5, vec![("", 1)])];
    moves.actions_mut().initialize(given).unwrap();
    moves
}

fn class(moves: &BiluoPushDown, name: &str) -> ClassIx {
    moves.actions().find_name(name).unwrap().unwrap_or_else(|| panic!("no class {name}"))
}

fn state(facts: &[TokenFacts]) -> ParseState {
    ParseState::new(Arc::from(facts), 0).unwrap()
}

fn valid_names(moves: &BiluoPushDown, state: &ParseState) -> Vec<String> {
    let valid = moves.actions().classes().filter(|class| moves.is_valid(state, *class));
    valid.map(|class| moves.actions().name(class)).collect()
}

fn span(start: i32, end: i32, label: &str) -> SpanC {
    let label = StrId::of(label).get();
    SpanC { start, end, start_char: start * 2, end_char: end * 2, label, ..SpanC::default() }
}

/// Generates preset annotation of a token; the label is one of two, or empty for a blocked token.
fn fact() -> impl Strategy<Value = TokenFacts> {
    (0_u8..4, select(vec!["", "LOC", "ORG"]), -1_i8..2, any::<bool>()).prop_map(
        |(ent_iob, ent_type, sent_start, is_space)| TokenFacts {
            ent_type: StrId::of(ent_type),
            sent_start,
            ent_iob,
            is_space,
        },
    )
}

/// Applies the cheapest valid class at each step, until the state is final or has no class; returns
/// the names of the classes.
fn follow(moves: &BiluoPushDown, state: &mut ParseState, gold: &BiluoGold) -> Vec<String> {
    let mut names = Vec::new();
    while !state.is_final() {
        let mut valid = vec![false; moves.actions().len()];
        let mut costs = vec![0.0; valid.len()];
        moves.costs(state, gold, &mut valid, &mut costs).unwrap();
        let Some(class) = moves.oracle_choice(&valid, &costs) else { break };
        names.push(moves.actions().name(class));
        moves.apply(state, class).unwrap();
    }
    names
}

#[test]
fn moves_are_found_by_their_letters_and_numbers() {
    for (number, letter) in (0..).zip(["M", "B", "I", "L", "U", "O"]) {
        let own = BiluoMove::from_number(number).unwrap();
        assert_eq!((own.letter(), BiluoMove::from_letter(letter)), (letter, Some(own)));
    }
    assert_eq!((BiluoMove::from_number(6), BiluoMove::from_letter("b")), (None, None));
}

#[test]
fn gold_tags_are_followed_where_nothing_stands_against_them() {
    let moves = system();
    let tags = ["B-LOC", "I-LOC", "L-LOC", "O", "U-ORG"];
    let gold = BiluoGold::new(&moves, &tags.map(Some), &[], &[]).unwrap();
    let mut state = state(&[TokenFacts::default(); 5]);
    assert_eq!(follow(&moves, &mut state, &gold), tags);
    let ents: Vec<_> = state.ents().iter().map(|ent| (ent.start, ent.end)).collect();
    assert_eq!(ents, [(0, 3), (4, 5)]);
}

#[test]
fn a_preset_entity_is_followed_over_whitespace_and_the_start_of_a_sentence() {
    let moves = system();
    let preset =
        |ent_iob| TokenFacts { ent_type: StrId::of("LOC"), ent_iob, sent_start: 1, is_space: true };
    let mut state = state(&[preset(3), preset(1), preset(1)]);
    for name in ["B-LOC", "I-LOC", "L-LOC"] {
        assert_eq!(valid_names(&moves, &state), [name]);
        moves.apply(&mut state, class(&moves, name)).unwrap();
    }
    assert!(state.is_final());
}

#[test]
fn a_blocked_token_allows_a_unit_without_a_label_only() {
    let moves = system();
    let state = state(&[TokenFacts { ent_iob: 3, ..TokenFacts::default() }; 2]);
    assert_eq!(valid_names(&moves, &state), ["U-"]);
}

#[test]
fn the_last_token_begins_nothing_and_no_entity_spans_sentences() {
    let moves = system();
    let starts = TokenFacts { sent_start: 1, ..TokenFacts::default() };
    for facts in [&[TokenFacts::default()][..], &[TokenFacts::default(), starts]] {
        assert_eq!(valid_names(&moves, &state(facts)), ["U-ORG", "U-LOC", "O"]);
    }
}

#[test]
fn a_move_lacks_only_labels_that_it_could_have() {
    let moves = system();
    let lacks = |action: BiluoMove, label| moves.actions().lacks(action as u8, StrId::of(label));
    assert!([BiluoMove::Begin, BiluoMove::Unit].iter().all(|action| lacks(*action, "NEW")));
    for action in [BiluoMove::Missing, BiluoMove::Out, BiluoMove::Begin, BiluoMove::Unit] {
        assert!(!lacks(action, "ORG"), "{action:?}");
    }
    assert!(!lacks(BiluoMove::Out, "NEW"), "tokens outside of entities have no label");
}

#[test]
fn a_span_that_is_no_entity_makes_the_move_that_completes_it_costly() {
    let moves = system();
    let negatives = [span(0, 2, "LOC"), span(2, 3, "ORG")];
    let gold = BiluoGold::new(&moves, &[None, None, None], &[], &negatives).unwrap();
    let mut state = state(&[TokenFacts::default(); 3]);
    let cost = |state: &ParseState, name| moves.cost(state, &gold, class(&moves, name)).unwrap();
    assert_eq!([cost(&state, "B-LOC"), cost(&state, "U-LOC")], [0.0, 0.0]);
    moves.apply(&mut state, class(&moves, "B-LOC")).unwrap();
    assert_eq!([cost(&state, "L-LOC"), cost(&state, "I-LOC")], [1.0, 0.0]);
    moves.apply(&mut state, class(&moves, "L-LOC")).unwrap();
    assert_eq!([cost(&state, "U-ORG"), cost(&state, "U-LOC")], [1.0, 0.0]);
    assert_eq!(cost(&state, "I-LOC"), INVALID_COST);
}

#[test]
fn annotation_that_contradicts_itself_or_names_no_class_is_refused() {
    let moves = system();
    let new = |tag, entities: &[SpanC], negatives: &[SpanC]| {
        BiluoGold::new(&moves, &[Some("O"), Some(tag)], entities, negatives).unwrap_err()
    };
    let both = [span(1, 2, "LOC")];
    let conflict = new("U-LOC", &both, &both);
    assert_eq!((conflict.code(), conflict.message().contains("\"LOC\"")), ("E868", true));
    for (tag, code) in [("U-!LOC", "E869"), ("U-X", "E022"), ("X-LOC", "transition-move")] {
        let error = new(tag, &[], &[]);
        assert_eq!(error.code(), code);
        assert!(error.message().starts_with("token 1: "), "{error}");
    }
}

#[test]
fn gold_of_another_length_and_a_move_behind_the_end_are_errors() {
    let moves = system();
    let gold = BiluoGold::new(&moves, &[None], &[], &[]).unwrap();
    let out = class(&moves, "O");
    let two = state(&[TokenFacts::default(); 2]);
    assert_eq!(moves.cost(&two, &gold, out).unwrap_err().code(), "transition-gold");
    let mut end = state(&[]);
    let empty = BiluoGold::new(&moves, &[], &[], &[]).unwrap();
    assert!(moves.is_valid(&end, out));
    assert_eq!(moves.cost(&end, &empty, out).unwrap(), INVALID_COST);
    for class in moves.actions().classes() {
        assert!(moves.apply(&mut end, class).is_err());
    }
    assert_eq!(moves.apply(&mut end, ClassIx::new(99)).unwrap_err().code(), "transition-class");
}

proptest! {
    #[test]
    fn no_state_that_valid_moves_lead_to_makes_a_move_fail(
        facts in vec(fact(), 1..10),
        choices in vec(any::<prop::sample::Index>(), 10),
    ) {
        let moves = system();
        let mut state = state(&facts);
        let mut scores = vec![0.0; moves.actions().len()];
        for choice in choices {
            let mut valid = vec![false; scores.len()];
            moves.valid(&state, &mut valid).unwrap();
            let one_by_one: Vec<_> =
                moves.actions().classes().map(|class| moves.is_valid(&state, class)).collect();
            prop_assert_eq!(&valid, &one_by_one);
            let allowed: Vec<_> = moves.actions().classes().filter(|c| valid[c.get() as usize]).collect();
            if allowed.is_empty() || state.is_final() {
                break;
            }
            let class = *choice.get(&allowed);
            scores.fill(0.0);
            scores[class.get() as usize] = 1.0;
            prop_assert_eq!(moves.best(&state, &scores), Some(class));
            let before = state.buffer_length();
            moves.apply(&mut state, class).unwrap();
            prop_assert_eq!(state.buffer_length(), before - 1);
        }
        for pair in state.ents().windows(2) {
            prop_assert!(pair[0].end <= pair[1].start);
        }
    }
}
