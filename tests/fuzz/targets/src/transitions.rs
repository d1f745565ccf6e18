//! Sequences of transitions, against the model of the tests of `lexpool-parse`: the state, which
//! moves are valid, and their costs.

use std::sync::Arc;

use lexpool::strings::StrId;
use lexpool_parse::transition::{
    ArcEager, ArcEagerGold, BiluoMove, BiluoPushDown, INVALID_COST, ParseState, TokenFacts,
    TransitionSystem,
};

use crate::choices::Choices;

#[path = "../../../../core/parse/src/transition/tests/model.rs"]
mod model;

use model::{GoldModel, Model};

const LABELS: [&str; 4] = ["a", "b", "subtok", ""];

pub(crate) fn run(bytes: &[u8]) {
    let choices = &mut Choices::new(bytes);
    match choices.below(3) {
        0 => changes(choices),
        1 => parse(choices),
        _ => entities(choices),
    }
}

/// A state of tokens with preset sentence starts, and its model.
fn states(starts: &[i8]) -> (ParseState, Model) {
    let fact = |start: &i8| TokenFacts { sent_start: *start, ..TokenFacts::default() };
    let facts: Arc<[TokenFacts]> = starts.iter().map(fact).collect();
    (ParseState::new(facts, 0).unwrap(), Model::new(starts))
}

fn signed(at: usize) -> i64 {
    i64::try_from(at).unwrap()
}

/// Changes of a state, whatever sense they make.
fn changes(choices: &mut Choices<'_>) {
    let starts = choices.list(7, |choices| choices.of(&[0_i8, 0, 0, 1, -1]));
    let (mut state, mut model) = states(&starts);
    let len = starts.len();
    let mut label = 0;
    while !choices.is_over() {
        let pair = |choices: &mut Choices<'_>| [0; 2].map(|_| choices.below(len.max(1)));
        match choices.below(8) {
            0..=2 => {
                assert_eq!(state.push().is_ok(), !model.buffer().is_empty());
                model.push();
            }
            3 => assert_eq!(state.pop().is_ok(), model.stack.pop().is_some()),
            4 => {
                assert_eq!(state.unshift().is_ok(), !model.stack.is_empty());
                model.unshift();
            }
            _ if len == 0 => {}
            5 => {
                let [head, child] = pair(choices);
                label += 1;
                state.add_arc(head, child, StrId::new(label)).unwrap();
                model.add_arc(signed(head), signed(child), label);
            }
            6 => {
                let [head, child] = pair(choices);
                state.del_arc(head, child);
                model.del_arc(signed(head), signed(child));
            }
            _ => {
                let [at, _] = pair(choices);
                state.set_sent_start(at);
                model.starts_by_moves.insert(signed(at));
            }
        }
        compare(&state, &model);
        state = state.clone();
    }
}

/// Compares the queries of a state with the model.
fn compare(state: &ParseState, model: &Model) {
    let stack: Vec<_> = (0..state.stack_depth()).filter_map(|i| state.s(i)).map(signed).collect();
    assert!(stack.iter().eq(model.stack.iter().rev()));
    let buffer: Vec<_> =
        (0..state.buffer_length()).filter_map(|i| state.b(i)).map(signed).collect();
    assert_eq!(buffer, model.buffer());
    for i in 0..state.len() {
        let at = signed(i);
        assert_eq!(state.h(i).map_or(-1, signed), model.heads[i]);
        assert_eq!(state.is_sent_start(i), model.starts(at));
        assert_eq!(state.is_unshiftable(i), model.unshiftable.contains(&at));
        assert_eq!(state.n_l(i), model.left.get(&at).map_or(0, Vec::len));
        assert_eq!(state.n_r(i), model.right.get(&at).map_or(0, Vec::len));
    }
    for n in [1, 2, 3, 6, 8, 13] {
        let mut ids = vec![7; n];
        state.context_tokens(&mut ids).unwrap();
        assert_eq!(ids.into_iter().map(i64::from).collect::<Vec<_>>(), model.features(n));
    }
}

/// Returns a system with these labels in both directions, as spaCy's parsers have them.
fn arc_eager() -> ArcEager {
    use crate::arc_eager::{BREAK, LEFT, REDUCE, RIGHT, SHIFT};

    let mut moves = ArcEager::new();
    let actions = moves.actions_mut();
    actions.add(SHIFT, "").unwrap();
    actions.add(REDUCE, "").unwrap();
    for action in [LEFT, RIGHT] {
        for label in LABELS.iter().chain(&["dep"]) {
            actions.add(action, label).unwrap();
        }
    }
    actions.add(BREAK, "ROOT").unwrap();
    moves
}

/// Walks over valid moves: which are valid, and what each costs for a gold tree.
fn parse(choices: &mut Choices<'_>) {
    let moves = arc_eager();
    let starts = choices.list(9, |choices| choices.of(&[0_i8, 0, 0, 0, 1, -1]));
    let (gold, gold_model) = gold(choices, &moves, starts.len());
    let (mut state, mut model) = states(&starts);
    let subtok = StrId::of("subtok");
    while !choices.is_over() && !state.is_final() {
        let mut valid = Vec::new();
        for class in moves.actions().classes() {
            let made = moves.actions().get(class).unwrap();
            let allowed = model.allows(made.action, made.label == subtok);
            assert_eq!(moves.is_valid(&state, class), allowed, "{}", moves.actions().name(class));
            let mut expected = INVALID_COST;
            if allowed {
                let cost = model.cost(&gold_model, made.action, made.label.get());
                expected = f32::from(i16::try_from(cost).unwrap());
                valid.push((class, made));
            }
            let cost = moves.cost(&state, &gold, class).unwrap();
            assert!((cost - expected).abs() < 0.5, "{}: {cost}", moves.actions().name(class));
        }
        assert!(!valid.is_empty(), "there is always a valid move");
        let (class, made) = choices.of(&valid);
        moves.apply(&mut state, class).unwrap();
        model.apply(made.action, made.label.get());
        compare(&state, &model);
    }
}

/// Returns a gold tree that valid moves have made, so that no arcs cross, and its model. Some of
/// its heads are unknown.
fn gold(choices: &mut Choices<'_>, moves: &ArcEager, len: usize) -> (ArcEagerGold, GoldModel) {
    let (mut state, _) = states(&vec![0; len]);
    while !state.is_final() {
        let classes = moves.actions().classes();
        let valid: Vec<_> = classes.filter(|class| moves.is_valid(&state, *class)).collect();
        moves.apply(&mut state, choices.of(&valid)).unwrap();
    }
    let heads: Vec<_> =
        (0..len).map(|i| (!choices.one_in(6)).then(|| state.h(i).unwrap_or(i))).collect();
    let labels: Vec<_> = (0..len).map(|_| Some(StrId::of(choices.of(&LABELS)))).collect();
    let starts: Vec<_> = (0..len).map(|_| choices.of(&[None, Some(true), Some(false)])).collect();
    let gold = moves.gold(&heads, &labels, &starts).unwrap();
    let model = GoldModel {
        heads: heads.iter().map(|head| signed(head.unwrap_or(0))).collect(),
        known: heads.iter().map(Option::is_some).collect(),
        labels: (0..len).map(|i| gold.label(i).map_or(0, StrId::get)).collect(),
        starts,
    };
    (gold, model)
}

/// Applies moves of an entity recognizer, valid or not, and checks the entities.
fn entities(choices: &mut Choices<'_>) {
    let mut moves = BiluoPushDown::new();
    for letter in ["M", "B", "I", "L", "U", "O"] {
        let action = BiluoMove::from_letter(letter).expect("a move") as u8;
        let labels: &[&str] = if matches!(letter, "M" | "O") { &[""] } else { &["A", "B"] };
        for label in labels {
            moves.actions_mut().add(action, label).unwrap();
        }
    }
    let facts: Arc<[TokenFacts]> = choices
        .list(9, |choices| TokenFacts {
            ent_iob: choices.of(&[0, 0, 0, 1, 2, 3]),
            ent_type: choices.of(&[StrId::EMPTY, StrId::of("A"), StrId::of("C")]),
            sent_start: choices.of(&[0, 0, 1, -1]),
            is_space: choices.one_in(5),
        })
        .into();
    let mut state = ParseState::new(facts, 0).unwrap();
    let mut is_valid = true;
    while !choices.is_over() && !state.is_final() {
        let classes: Vec<_> = moves.actions().classes().collect();
        let class = choices.of(&classes);
        let allowed = moves.is_valid(&state, class);
        if !allowed && !choices.one_in(4) {
            continue;
        }
        is_valid &= allowed;
        let applied = moves.apply(&mut state, class);
        assert!(applied.is_ok() || !allowed, "{}", moves.actions().name(class));
    }
    let ents = state.ents();
    assert!(ents.iter().all(|ent| usize::try_from(ent.start).is_ok_and(|at| at < state.len())));
    if is_valid {
        let closed = ents.iter().filter(|ent| ent.end > 0);
        let ends: Vec<_> = closed.map(|ent| (ent.start, ent.end)).collect();
        assert!(ends.iter().all(|(start, end)| start < end), "{ends:?}");
        assert!(ends.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{ends:?}");
    }
}
