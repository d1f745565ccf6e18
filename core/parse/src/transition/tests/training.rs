//! Losses, pieces of documents, and beams that learn.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{
    ArcEager, Beam, BeamUpdate, ClassIx, Guide, MaxViolation, ParseState, TransitionSystem,
    log_loss, oracle, pieces,
};
use super::{blank, ids, projective, system, trees};

/// Returns the gradient of a row of scores.
fn gradient(scores: &[f32], valid: &[bool], costs: &[f32]) -> Vec<f32> {
    let mut gradient = vec![f32::NAN; scores.len()];
    log_loss(scores, valid, costs, &mut gradient, &mut Vec::new());
    gradient
}

/// Returns the log loss that the gradient is of, as the definition has it.
fn loss(scores: &[f64], right: &[bool]) -> f64 {
    let sum = |of: &dyn Fn(usize) -> bool| -> f64 {
        (0..scores.len()).filter(|at| of(*at)).map(|at| scores[at].exp()).sum()
    };
    sum(&|_| true).ln() - sum(&|at| right[at]).ln()
}

proptest! {
    #[test]
    fn the_gradient_of_the_loss_is_its_finite_difference(
        row in vec((-4.0_f32..4.0, any::<bool>(), 0_u8..3), 1..12),
    ) {
        let scores: Vec<f32> = row.iter().map(|(score, ..)| *score).collect();
        let valid: Vec<bool> = row.iter().map(|(_, valid, _)| *valid).collect();
        let cost = |(_, valid, cost): &(f32, bool, u8)| {
            if *valid { f32::from(*cost) - 1.0 } else { 9000.0 }
        };
        let costs: Vec<f32> = row.iter().map(cost).collect();
        let found = gradient(&scores, &valid, &costs);
        let allowed = || (0..scores.len()).filter(|at| valid[*at]);
        let least = allowed().map(|at| costs[at]).fold(1.0, f32::min);
        let best = allowed().filter(|at| costs[*at] <= least);
        let Some(best) = best.reduce(|a, b| if scores[b] > scores[a] { b } else { a }) else {
            prop_assert!(found.iter().all(|x| *x == 0.0));
            return Ok(());
        };
        let right: Vec<bool> = costs.iter().map(|cost| *cost <= costs[best]).collect();
        let doubles: Vec<f64> = scores.iter().map(|score| f64::from(*score)).collect();
        for (at, found) in found.iter().enumerate() {
            let moved = |by: f64| {
                let mut doubles = doubles.clone();
                doubles[at] += by;
                loss(&doubles, &right)
            };
            let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            prop_assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn pieces_begin_where_the_oracle_is_after_so_many_moves(
        (picks, len) in trees(14), max_moves in 1..12_usize,
    ) {
        let moves = system(&["x"]);
        let heads: Vec<_> = projective(&picks, len, false).into_iter().map(Some).collect();
        let gold = moves.gold(&heads, &vec![ids(&["x"])[0]; len], &vec![None; len]).unwrap();
        let first = blank(len);
        let sequence = oracle::sequence(&moves, &mut first.clone(), &gold).unwrap();
        let cut = pieces(&moves, &first, &sequence, max_moves, |_, _| true).unwrap();
        prop_assert_eq!(cut.len(), sequence.len().div_ceil(max_moves));
        for (number, piece) in cut.iter().enumerate() {
            let mut state = first.clone();
            for class in &sequence[..number * max_moves] {
                moves.apply(&mut state, *class).unwrap();
            }
            let arcs = |state: &ParseState| state.arcs().collect::<Vec<_>>();
            prop_assert_eq!((piece.s(0), piece.b(0), arcs(piece)), (state.s(0), state.b(0), arcs(&state)));
        }
        let whole = pieces(&moves, &first, &sequence, 0, |_, _| true).unwrap();
        prop_assert_eq!(whole.len(), usize::from(!sequence.is_empty()));
    }
}

#[test]
fn pieces_without_gold_annotation_are_left_out() {
    let moves = system(&["x"]);
    let heads = [1, 2, 3, 3].map(Some);
    let gold = moves.gold(&heads, &[ids(&["x"])[0]; 4], &[None; 4]).unwrap();
    let sequence = oracle::sequence(&moves, &mut blank(4), &gold).unwrap();
    let mut asked = Vec::new();
    let cut = pieces(&moves, &blank(4), &sequence, 2, |start, end| {
        asked.push((start, end));
        start == Some(1)
    });
    assert_eq!(cut.unwrap().iter().map(|state| state.b(0)).collect::<Vec<_>>(), [Some(1)]);
    assert_eq!(asked.first(), Some(&(Some(0), Some(1))));
    assert_eq!(asked.last().map(|(_, end)| *end), Some(None));
}

fn arc_eager() -> ArcEager {
    let mut moves = ArcEager::new();
    let labels = [(0, ""), (1, ""), (2, "nsubj"), (2, "aux"), (3, "dobj"), (4, "ROOT")];
    for (action, label) in labels {
        moves.actions_mut().add(action, label).unwrap();
    }
    moves
}

/// Returns the score of a class after a history, a function of both.
fn score(history: &[ClassIx], class: usize) -> f32 {
    let mix = |all: usize, next: usize| (all * 31 + next + 7) % 1009;
    let mixed = history.iter().map(|class| class.get() as usize).chain([class]).fold(0, mix);
    f32::from(u16::try_from(mixed % 13).unwrap()) / 4.0
}

#[test]
fn a_parse_has_its_gradient_at_each_class_of_its_history() {
    let moves = arc_eager();
    let n_classes = moves.actions().len();
    let labels = ids(&["nsubj", "ROOT", "dobj"]);
    let starts = [Some(true), Some(false), Some(false)];
    let gold = moves.gold(&[Some(1); 3], &labels, &starts).unwrap();
    let (width, density) = (3, 0.0);
    let mut update = BeamUpdate::new(&[blank(3), blank(3)], width, density).unwrap();
    // Each state is scored by its history, which the test follows in beams of its own.
    let beam = || Beam::new(&blank(3), width, density).unwrap();
    let (mut followed, mut violation) = ([beam(), beam()], MaxViolation::new());
    let mut steps: Vec<Vec<Vec<ClassIx>>> = Vec::new();
    loop {
        let n_states = update.states().len();
        assert_eq!(update.states().len(), n_states, "to ask again changes nothing");
        if n_states == 0 {
            break;
        }
        let mut histories: Vec<Vec<ClassIx>> = Vec::new();
        for beam in followed.iter().filter(|beam| !beam.is_done()) {
            histories.extend(open_histories(beam));
        }
        let mut known = Vec::new();
        histories.retain(|history| {
            let is_new = !known.contains(history);
            known.push(history.clone());
            is_new
        });
        assert_eq!(n_states, 2 * histories.len(), "both documents have the same beams");
        let row = |history: &Vec<ClassIx>| {
            (0..n_classes).map(|class| score(history, class)).collect::<Vec<_>>()
        };
        let rows: Vec<f32> = histories.iter().flat_map(row).collect();
        update.advance(&moves, &[&gold, &gold], &[&rows[..], &rows].concat()).unwrap();
        for (beam, follows) in followed.iter_mut().zip([false, true]) {
            let rows: Vec<f32> = open_histories(beam).iter().flat_map(row).collect();
            beam.advance_guided(&moves, &rows, Some(Guide { gold: &gold, follows })).unwrap();
        }
        violation.check_crf(&followed[0], &followed[1]);
        steps.push(histories);
    }
    let parses = || {
        let free = violation.p_hist.iter().zip(&violation.p_probs);
        free.chain(violation.g_hist.iter().zip(&violation.g_probs))
    };
    assert!(parses().count() > 1, "the scores prefer a wrong parse");
    let longest = parses().map(|(history, _)| history.len()).max().unwrap();
    let gradients = update.gradients(n_classes);
    assert_eq!(gradients.len(), longest);
    for (step, (histories, gradients)) in steps.iter().zip(&gradients).enumerate() {
        let mut expected = vec![0.0; histories.len() * n_classes];
        for (history, share) in parses().filter(|(history, _)| history.len() > step) {
            let row = histories.iter().position(|known| *known == history[..step]).unwrap();
            let length = f64::from(u8::try_from(history.len()).unwrap());
            // A parse that ended early has its average once more for each step that is left.
            let times = f64::from(u8::try_from(longest).unwrap()) / length;
            let class = history[step].get() as usize;
            expected[row * n_classes + class] += share * f64::from(violation.cost) * times;
        }
        let (first, second) = gradients.split_at(expected.len());
        assert_eq!(first, second, "equal documents have equal gradients");
        for (found, expected) in first.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}

/// Returns the histories of the states of a beam that are not final.
fn open_histories(beam: &Beam) -> Vec<Vec<ClassIx>> {
    let is_open = |at: &usize| beam.state(*at).is_some_and(|state| !state.is_final());
    (0..beam.len()).filter(is_open).map(|at| beam.history(at).to_vec()).collect()
}

#[test]
fn a_beam_update_refuses_what_does_not_fit() {
    let moves = arc_eager();
    let gold = moves.gold(&[Some(0)], &ids(&["ROOT"]), &[None]).unwrap();
    let code = |golds: &[_], scores: &[f32]| {
        let mut update = BeamUpdate::new(&[blank(1)], 2, 0.0).unwrap();
        assert_eq!(update.states().len(), 1);
        update.advance(&moves, golds, scores).unwrap_err().code()
    };
    assert_eq!(code(&[], &[0.0; 6]), "transition-gold");
    assert_eq!(code(&[&gold], &[0.0; 5]), "transition-scores");
    assert_eq!(code(&[&gold], &[f32::NAN; 6]), "transition-nan");
    assert!(BeamUpdate::new(&[blank(1)], 0, 0.0).is_err());
}
