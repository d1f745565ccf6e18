//! Documents that states annotate.

use lexpool_parse::transition::arc_eager::{BREAK, LEFT, REDUCE, RIGHT, SHIFT};
use lexpool_parse::transition::{
    ArcEager, BiluoPushDown, ParseState, TokenFacts, TransitionSystem,
};

use super::{AnnotateDoc, token_facts};
use crate::strings::StrId;
use crate::tokens::{Doc, EntityAssignment, EntityDefault};
use crate::vocab::{Getters, Vocab};

/// A system with these labels to both sides.
fn arc_eager(labels: &[&str]) -> ArcEager {
    let mut moves = ArcEager::new();
    let actions = moves.actions_mut();
    actions.add(SHIFT, "").unwrap();
    actions.add(REDUCE, "").unwrap();
    for action in [LEFT, RIGHT] {
        for label in labels {
            actions.add(action, label).unwrap();
        }
    }
    actions.add(BREAK, "ROOT").unwrap();
    moves
}

fn biluo() -> BiluoPushDown {
    let mut moves = BiluoPushDown::new();
    let labels = || vec![("LOC", 1)];
    let units = [labels(), vec![("", 1)]].concat();
    let given = [(1, labels()), (2, labels()), (3, labels()), (4, units), (5, vec![("", 1)])];
    moves.actions_mut().initialize(given).unwrap();
    moves
}

fn apply_all(moves: &impl TransitionSystem, state: &mut ParseState, names: &[&str]) {
    for name in names {
        let class = moves.actions().find_name(name).unwrap().unwrap();
        assert!(moves.is_valid(state, class), "{name}");
        moves.apply(state, class).unwrap();
    }
}

#[test]
fn a_document_gets_the_tree_and_what_follows_from_it() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let words = ["a", "b", "c", "d"].map(|word| (word, true));
    let mut doc = Doc::from_words(&vocab, &words).unwrap();
    let moves = arc_eager(&["left-of-it", "right-of-it"]);
    let mut state = ParseState::new(token_facts(&doc), 0).unwrap();
    apply_all(&moves, &mut state, &["S", "L-left-of-it", "B-ROOT", "S", "D", "S", "R-right-of-it"]);
    apply_all(&moves, &mut state, &["D", "D"]);
    assert!(state.is_final());
    moves.annotate(&state, &mut doc).unwrap();
    let deps = ["left-of-it", "ROOT", "ROOT", "right-of-it"];
    let given = |doc: &Doc| -> Vec<_> {
        doc.syntax_records().unwrap().iter().map(|record| (record.head, record.dep)).collect()
    };
    let expected: Vec<_> =
        [1, 0, 0, -1].into_iter().zip(deps.map(|dep| StrId::of(dep).get())).collect();
    assert_eq!(given(&doc), expected);
    for dep in deps {
        assert_eq!(doc.snapshot().string(StrId::of(dep)), Some(dep));
    }
    assert_eq!(doc.sentences().ranges().unwrap().collect::<Vec<_>>(), [0..2, 2..4]);
    state = ParseState::new(token_facts(&doc), 0).unwrap();
    state.add_arc(0, 1, StrId::new(12345)).unwrap();
    assert_eq!(moves.annotate(&state, &mut doc).unwrap_err().code(), "E018");
    let error = moves
        .annotate(&ParseState::new([TokenFacts::default(); 3].into(), 0).unwrap(), &mut doc)
        .unwrap_err();
    assert_eq!(error.code(), "transition-doc");
    assert_eq!(given(&doc), expected);
}

#[test]
fn what_a_state_has_found_is_set_and_what_was_preset_stays() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let words = ["a", "b", "c", "d"].map(|word| (word, true));
    let mut doc = Doc::from_words(&vocab, &words).unwrap();
    doc.snapshot().add("LOC").unwrap();
    let blocked = std::slice::from_ref(&(0..1));
    let default = EntityDefault::Missing;
    let assignment = EntityAssignment { blocked, default, ..EntityAssignment::default() };
    doc.entities_mut().set(&assignment).unwrap();
    let moves = biluo();
    let mut state = ParseState::new(token_facts(&doc), 0).unwrap();
    apply_all(&moves, &mut state, &["U-", "B-LOC", "L-LOC", "O"]);
    moves.annotate(&state, &mut doc).unwrap();
    let iobs: Vec<_> = doc.tokens().iter().map(lexpool_structs::TokenC::ent_iob).collect();
    assert_eq!(iobs, [3, 3, 1, 2]);

    let mut other = Doc::from_words(&vocab, &[("a", true)]).unwrap();
    let error = moves.annotate(&state, &mut other).unwrap_err();
    assert_eq!((error.code(), other.tokens()[0].ent_iob()), ("transition-doc", 0));
}
