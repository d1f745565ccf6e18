//! Tests of the oracle: sequences of spaCy's oracle, and errors.

use super::super::arc_eager::{LEFT, RIGHT, SHIFT};
use super::super::oracle::Oracle;
use super::super::{ArcEager, Batching, ClassIx, ParseState, TransitionSystem, batch, oracle};
use super::{blank, ids, rows, system};
use lexpool_structs::StrId;

fn do_all(moves: &ArcEager, state: &mut ParseState, names: &[&str]) {
    for name in names {
        let class = moves.actions().find_name(name).unwrap().unwrap();
        assert!(moves.is_valid(state, class), "{name}");
        moves.apply(state, class).unwrap();
    }
}

#[test]
fn a_word_that_is_put_back_is_still_to_be_parsed() {
    let moves = system(&["amod", "pobj"]);
    let mut state = blank(5);
    do_all(&moves, &mut state, &["S", "L-amod", "S", "S", "S", "R-pobj", "D", "D", "D"]);
    assert!(!state.eol());
    assert_eq!(rows(&state), (vec![1], vec![2, 3]));
}

#[test]
fn free_moves_of_four_words_are_those_of_spacy() {
    let moves = system(&["left", "right", "ROOT"]);
    let gold = moves
        .gold(
            &[Some(1), Some(1), Some(3), Some(3)],
            &ids(&["left", "ROOT", "left", "ROOT"]),
            &[Some(true), Some(false), Some(true), Some(false)],
        )
        .unwrap();
    let mut state = blank(4);
    let expected: [(&str, &[&str]); 9] = [
        ("S", &["S"]),
        ("L-left", &["L-left", "B-ROOT"]),
        ("B-ROOT", &["B-ROOT"]),
        ("S", &["S"]),
        ("D", &["D"]),
        ("S", &["S"]),
        ("L-left", &["L-left"]),
        ("S", &["S"]),
        ("D", &["D"]),
    ];
    for (step, free) in expected {
        let is_free = |class: &ClassIx| moves.cost(&state, &gold, *class).unwrap() < 1.0;
        let given = moves.actions().classes().filter(is_free);
        let given: Vec<_> = given.map(|class| moves.actions().name(class)).collect();
        assert_eq!(given, free);
        do_all(&moves, &mut state, &[step]);
    }
    assert!(state.is_final());
}

/// Tests a sentence of newspaper text with the sequence that spaCy's tests expect.
#[test]
fn a_sentence_of_a_newspaper_is_rebuilt_by_the_moves_that_spacy_takes() {
    let heads = [3, 3, 3, 4, 4, 6, 4, 9, 9, 12, 12, 12, 6, 12, 15, 16, 13, 12, 17, 4];
    let labels = [
        "nn", "nn", "nn", "nsubj", "ROOT", "nsubj", "ccomp", "poss", "nn", "nsubj", "aux", "cop",
        "xcomp", "prep", "quantmod", "num", "pobj", "prep", "pobj", "punct",
    ];
    let moves = system(&labels);
    let heads: Vec<_> = heads.into_iter().map(Some).collect();
    let gold = moves.gold(&heads, &ids(&labels), &[None; 20]).unwrap();
    let sequence = oracle::sequence(&moves, &mut blank(20), &gold).unwrap();
    let names: Vec<_> = sequence.iter().map(|class| moves.actions().name(*class)).collect();
    let expected = "S S S L-nn L-nn L-nn S L-nsubj S S L-nsubj R-ccomp S S L-nn L-poss S S S L-cop \
                    L-aux L-nsubj R-xcomp R-prep S L-quantmod S L-num R-pobj D D R-prep R-pobj D D D \
                    D R-punct D D";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn a_label_without_a_class_becomes_one_that_has() {
    let moves = system(&["a"]);
    let gold =
        moves.gold(&[Some(1), Some(1), Some(1)], &ids(&["x", "y", "a"]), &[None; 3]).unwrap();
    let labels: Vec<_> = (0..3).map(|i| gold.label(i).unwrap()).collect();
    assert_eq!(labels, ["dep", "ROOT", "a"].map(StrId::of));
}

#[test]
fn trees_that_are_none_are_refused() {
    let moves = system(&[]);
    let code = |heads: &[Option<usize>], labels: usize| {
        let starts = vec![None; heads.len()];
        moves.gold(heads, &vec![None; labels], &starts).unwrap_err().code()
    };
    assert_eq!(code(&[Some(1), Some(2), Some(1)], 3), "projective-cycle");
    assert_eq!(code(&[Some(0), Some(2)], 2), "E190");
    assert_eq!(code(&[Some(0), None], 1), "transition-gold");
    let gold = moves.gold(&[Some(0)], &[None], &[None]).unwrap();
    let mut row = vec![0.0; moves.actions().len()];
    let mut valid = vec![false; moves.actions().len()];
    let costs = |state: &ParseState, valid: &mut [bool], row: &mut [f32]| {
        moves.costs(state, &gold, valid, row).unwrap_err().code()
    };
    assert_eq!(costs(&blank(2), &mut valid, &mut row), "transition-gold");
    assert_eq!(costs(&blank(1), &mut valid[1..], &mut row), "transition-row");
    assert_eq!(costs(&blank(1), &mut valid, &mut row[1..]), "transition-row");
}

#[test]
fn an_oracle_without_the_classes_it_needs_says_so() {
    let mut moves = ArcEager::new();
    moves.actions_mut().add(LEFT, "a").unwrap();
    let gold = moves.gold(&[Some(1), Some(1)], &ids(&["a", "a"]), &[None; 2]).unwrap();
    let error = oracle::sequence(&moves, &mut blank(2), &gold).unwrap_err();
    assert_eq!(error.code(), "E1031");
    assert!(error.message().starts_with("step 0"), "{error}");
}

#[test]
fn an_oracle_that_gives_what_there_is_ends_where_it_has_no_class() {
    let mut moves = ArcEager::new();
    moves.actions_mut().add(SHIFT, "").unwrap();
    let gold = |len| {
        moves.gold(&vec![Some(0); len], &vec![Some(StrId::of("a")); len], &vec![None; len]).unwrap()
    };
    let (shift, batching) = (ClassIx::new(0), Batching::default());
    let mut states = vec![blank(2), blank(0)];
    let sequences =
        batch::partial_oracle_sequences(&moves, &mut states, &[gold(2), gold(0)], batching)
            .unwrap();
    assert_eq!(sequences, [vec![shift], vec![]]);
    assert_eq!(rows(&states[0]), (vec![0], vec![1]));
    assert_eq!(Oracle::new(&moves).partial_sequence(&mut blank(2), &gold(2)).unwrap(), [shift]);
    // Other errors are still returned.
    let error = Oracle::new(&moves).partial_sequence(&mut blank(1), &gold(2)).unwrap_err();
    assert_eq!(error.code(), "transition-gold");
    let error = batch::partial_oracle_sequences(
        &moves,
        &mut [blank(2), blank(1)],
        &[gold(2), gold(2)],
        batching,
    );
    assert_eq!(error.unwrap_err().code(), "transition-gold");
}

#[test]
fn a_move_that_cannot_be_made_leaves_the_state_as_it_was() {
    let moves = system(&["a"]);
    let code = |state: &mut ParseState, name: &str| {
        let class = moves.actions().find_name(name).unwrap().unwrap();
        let error = moves.apply(state, class).unwrap_err();
        error.code()
    };
    let mut state = blank(1);
    for name in ["D", "L-a", "R-a"] {
        assert_eq!(code(&mut state, name), "state-stack");
    }
    assert_eq!(rows(&state), (vec![], vec![0]));
    do_all(&moves, &mut state, &["S"]);
    for name in ["S", "L-a", "R-a"] {
        assert_eq!(code(&mut state, name), "state-buffer");
    }
    assert_eq!(rows(&state), (vec![0], vec![]));
    assert_eq!(moves.apply(&mut state, ClassIx::new(99)).unwrap_err().code(), "transition-class");
    assert!(!moves.is_valid(&state, ClassIx::new(99)));
}

#[test]
fn tokens_of_one_word_are_tied_only_to_neighbours() {
    let moves = system(&["subtok"]);
    let class = |action| moves.actions().find(action, StrId::of("subtok")).unwrap();
    let mut state = blank(3);
    do_all(&moves, &mut state, &["S"]);
    assert!(moves.is_valid(&state, class(LEFT)) && moves.is_valid(&state, class(RIGHT)));
    do_all(&moves, &mut state, &["R-dep", "D"]);
    assert!(!moves.is_valid(&state, class(LEFT)) && !moves.is_valid(&state, class(RIGHT)));
    do_all(&moves, &mut state, &["R-dep"]);
}
