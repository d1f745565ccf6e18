//! Tests of classes, their order and their frequencies.

use super::super::arc_eager::{BREAK, LEFT, REDUCE, RIGHT, SHIFT};
use super::super::{Actions, ArcEager, TransitionSystem};
use lexpool_structs::StrId;

fn names(actions: &Actions) -> Vec<String> {
    actions.classes().map(|class| actions.name(class)).collect()
}

type Labels = Vec<(u8, Vec<(String, i64)>)>;

fn labels(actions: &Actions) -> Labels {
    let owned = |(label, count): (&str, i64)| (label.to_owned(), count);
    actions.labels().map(|(action, labels)| (action, labels.map(owned).collect())).collect()
}

/// The expected values are spaCy's for the same calls.
#[test]
fn classes_are_ordered_by_move_and_then_by_frequency_and_label() {
    let mut moves = ArcEager::new();
    let actions = moves.actions_mut();
    actions
        .initialize([
            (RIGHT, vec![("b", 3), ("a", 3), ("c", 5), ("late", -1)]),
            (SHIFT, vec![("", 10)]),
            (LEFT, vec![("dep", 0), ("later", -2), ("x", 1)]),
        ])
        .unwrap();
    assert_eq!(names(actions), ["S", "L-x", "L-dep", "R-c", "R-b", "R-a", "R-late", "L-later"]);
    assert!(actions.add(LEFT, "new").unwrap());
    assert!(!actions.add(LEFT, "new").unwrap(), "it is there");
    assert!(actions.add(BREAK, "ROOT").unwrap());
    assert!(actions.add(RIGHT, "new").unwrap());
    assert_eq!(names(actions)[8..], ["L-new", "B-ROOT", "R-new"]);
    let before = names(actions);
    let kept = labels(actions);
    assert_eq!(
        kept[1].1.iter().map(|(label, count)| (&**label, *count)).collect::<Vec<_>>(),
        [("x", 1), ("dep", 0), ("later", -2), ("new", -3)]
    );
    assert_eq!(kept[3], (BREAK, vec![("ROOT".to_owned(), -2)]), "the first of a move");
    let mut again = ArcEager::new();
    again.actions_mut().initialize(kept).unwrap();
    let again = names(again.actions());
    assert_eq!(again[..6], before[..6]);
}

#[test]
fn labels_added_to_all_moves_keep_their_order_when_they_are_read_back() {
    let mut moves = ArcEager::new();
    for label in ["C", "A", "B"] {
        for action in [SHIFT, REDUCE, LEFT, RIGHT, BREAK] {
            moves.actions_mut().add(action, label).unwrap();
        }
    }
    assert_eq!(moves.actions().len(), 15);
    let mut again = ArcEager::new();
    again.actions_mut().initialize(labels(moves.actions())).unwrap();
    assert_eq!(names(again.actions()), names(moves.actions()));
}

#[test]
fn classes_are_found_by_move_and_label_and_by_name() {
    let mut moves = ArcEager::new();
    let actions = moves.actions_mut();
    actions.add(SHIFT, "").unwrap();
    actions.add(LEFT, "acl-relcl").unwrap();
    let class = actions.find(LEFT, StrId::of("acl-relcl")).unwrap();
    assert_eq!(actions.name(class), "L-acl-relcl");
    assert_eq!(actions.find_name("L-acl-relcl").unwrap(), Some(class));
    assert_eq!(actions.find_name("S").unwrap(), Some(super::super::ClassIx::new(0)));
    assert_eq!(actions.find_name("L-none").unwrap(), None);
    assert_eq!(actions.find_name("Q-none").unwrap_err().code(), "transition-move");
    assert_eq!(actions.add(9, "x").unwrap_err().code(), "E019");
    assert_eq!(actions.initialize([(9, vec![("x", 1)])]).unwrap_err().code(), "E019");
    assert_eq!(actions.len(), 2);
}

#[test]
fn a_label_by_id_needs_a_string() {
    let label = StrId::of("left-of-it");
    let mut moves = ArcEager::new();
    assert!(moves.actions_mut().add_id(LEFT, label, Some("left-of-it")).unwrap());
    assert_eq!(moves.actions().label(super::super::ClassIx::new(0)), "left-of-it");
    let error = moves.actions_mut().add_id(LEFT, StrId::new(99_999), None).unwrap_err();
    assert_eq!(error.code(), "E018");
}
