//! Comparisons of beams with spaCy's for the same scores, and with greedy parses.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{
    ArcEager, Batching, Beam, FnScorer, Guide, MaxViolation, ParseState, TransitionSystem, batch,
    beam,
};
use super::{blank, ids};

/// The classes of spaCy's tests of beams.
fn moves() -> ArcEager {
    let labels =
        [(2, "nsubj"), (2, "punct"), (2, "aux"), (2, "nsubjpass"), (3, "dobj"), (4, "ROOT")];
    let mut moves = ArcEager::new();
    for (action, label) in [(0, ""), (1, "")].into_iter().chain(labels) {
        moves.actions_mut().add(action, label).unwrap();
    }
    moves
}

/// Returns the gold tree of "Rats bite things."
fn gold(moves: &ArcEager) -> super::super::ArcEagerGold {
    let starts = [Some(true), Some(false), Some(false)];
    moves.gold(&[Some(1); 3], &ids(&["nsubj", "ROOT", "dobj"]), &starts).unwrap()
}

/// Returns scores that spaCy's beams were computed from too.
fn scores(step: usize, beam: &Beam, classes: usize) -> Vec<f32> {
    let rows = beam.open_states().count();
    let number = |at: usize| (step * 7 + at / classes * 3 + at % classes * 5) % 11;
    let score = |at| (f32::from(u8::try_from(number(at)).unwrap()) - 6.0) / 2.0;
    (0..rows * classes).map(score).collect()
}

fn histories(moves: &ArcEager, beam: &Beam) -> Vec<String> {
    let name = |class| moves.actions().name(class);
    let names = |i| beam.history(i).iter().map(|class| name(*class)).collect::<Vec<_>>().join(" ");
    (0..beam.len()).map(names).collect()
}

fn run(width: usize, density: f32, with_gold: bool, follows: bool) -> (Beam, usize) {
    let moves = moves();
    let gold = gold(&moves);
    let mut beam = Beam::new(&blank(3), width, density).unwrap();
    let mut step = 0;
    while !beam.is_done() {
        let scores = scores(step, &beam, moves.actions().len());
        let guide = with_gold.then_some(Guide { gold: &gold, follows });
        beam.advance_guided(&moves, &scores, guide).unwrap();
        step += 1;
    }
    (beam, step)
}

fn close(given: &[f64], expected: &[f64]) {
    assert_eq!(given.len(), expected.len());
    for (given, expected) in given.iter().zip(expected) {
        assert!((given - expected).abs() < 1e-8, "{given} {expected}");
    }
}

#[test]
fn parses_scores_and_probabilities_are_those_of_spacy() {
    let (beam, steps) = run(4, 0.0, false, false);
    let expected = [
        "S S D L-nsubj S R-dobj D D",
        "S S L-punct D S D",
        "S S D L-nsubj S D S D",
        "S S D L-nsubj S L-punct S D",
    ];
    assert_eq!((histories(&moves(), &beam), steps), (expected.map(String::from).to_vec(), 8));
    close(&beam.probs(), &[0.691_838_967, 0.300_672_071, 0.004_661_574, 0.002_827_388]);
    assert_eq!(beam.scores(), [5.5, 4.666_667, 0.5, 0.0]);
    let arcs =
        |state: &ParseState| state.arcs().map(|arc| (arc.head, arc.child)).collect::<Vec<_>>();
    let parses: Vec<_> = beam.final_parses().map(|(_, state)| arcs(state)).collect();
    assert_eq!(parses[..3], [vec![(1, 0), (1, 2)], vec![(2, 1)], vec![(1, 0)]]);
}

#[test]
fn improbable_ways_are_dropped_as_spacy_drops_them() {
    let (beam, steps) = run(4, 0.5, false, false);
    assert_eq!(histories(&moves(), &beam), ["B-ROOT S D S L-nsubjpass S D"]);
    assert_eq!((beam.scores(), steps), (vec![1.0], 7));
}

#[test]
fn losses_add_up_and_a_gold_beam_follows_only_what_is_free() {
    let (beam, _) = run(2, 0.0, true, false);
    let expected = ["S S D L-aux S R-dobj D D", "S S D L-aux S D S D"];
    assert_eq!(
        (histories(&moves(), &beam), beam.loss()),
        (expected.map(String::from).to_vec(), 2.0)
    );
    close(&beam.probs(), &[0.998_498_818, 0.001_501_182]);
    let (beam, _) = run(3, 0.0, true, true);
    assert_eq!(histories(&moves(), &beam), ["S L-nsubj S R-dobj D D"]);
    assert_eq!((beam.scores(), beam.losses()), (vec![-6.5], vec![0.0]));
}

#[test]
fn where_the_highest_score_is_infinite_those_as_high_share_equally() {
    let infinite = f32::INFINITY;
    close(&beam::softmax(&[-infinite, -infinite]), &[0.5, 0.5]);
    close(&beam::softmax(&[infinite, 3.0, infinite, -infinite]), &[0.5, 0.0, 0.5, 0.0]);
    close(&beam::softmax(&[1.0, -infinite]), &[1.0, 0.0]);
    let moves = moves();
    for (score, density) in
        [(-infinite, 0.0), (-infinite, 0.5), (infinite, 0.5), (f32::MAX, 0.0), (f32::MAX, 0.5)]
    {
        let mut beam = Beam::new(&blank(2), 2, density).unwrap();
        while !beam.is_done() {
            let scores = vec![score; 8 * beam.open_states().count()];
            beam.advance(&moves, &scores).unwrap();
        }
        let shares: f64 = beam.probs().iter().sum();
        assert!((shares - 1.0).abs() < 1e-9, "{score} {density}: {:?}", beam.probs());
    }
}

#[test]
fn the_largest_violation_is_that_of_thinc() {
    let moves = moves();
    let gold = gold(&moves);
    let beam = || Beam::new(&blank(3), 3, 0.0).unwrap();
    let (mut pred, mut right, mut violation) = (beam(), beam(), MaxViolation::new());
    let mut larger = Vec::new();
    for step in 0.. {
        if pred.is_done() && right.is_done() {
            break;
        }
        for (beam, follows) in [(&mut pred, false), (&mut right, true)] {
            let scores = scores(step, beam, moves.actions().len());
            beam.advance_guided(&moves, &scores, Some(Guide { gold: &gold, follows })).unwrap();
        }
        larger.push(violation.check_crf(&pred, &right));
    }
    assert_eq!(larger, [true, true, true, true, true, true, false, true]);
    let numbers = |hists: &[Vec<super::super::ClassIx>]| -> Vec<Vec<u32>> {
        hists.iter().map(|hist| hist.iter().map(|class| class.get()).collect()).collect()
    };
    let expected: [&[u32]; 3] =
        [&[0, 0, 1, 2, 0, 6, 1, 1], &[0, 0, 3, 1, 0, 1], &[0, 0, 1, 2, 0, 1, 0, 1]];
    assert_eq!(numbers(&violation.p_hist), expected);
    assert_eq!(numbers(&violation.g_hist), [[0, 2, 0, 6, 1, 1]]);
    close(&violation.p_probs, &[0.696_326_494, 0.302_622_343, 0.001_046_885]);
    close(&violation.g_probs, &[-0.999_995_722]);
}

#[test]
fn what_a_beam_cannot_go_on_with_is_refused_and_changes_nothing() {
    let moves = moves();
    for width in [0, 1025, 1 << 40, usize::MAX] {
        assert_eq!(Beam::new(&blank(2), width, 0.0).unwrap_err().code(), "beam-width");
    }
    assert_eq!(Beam::new(&blank(2), 1024, 0.0).unwrap().len(), 1);
    for density in [f32::NAN, -0.1, 1.1, f32::INFINITY] {
        assert_eq!(Beam::new(&blank(2), 1, density).unwrap_err().code(), "beam-density");
    }
    let mut beam = Beam::new(&blank(2), 2, 0.5).unwrap();
    let mut code = |scores: &[f32]| beam.advance(&moves, scores).unwrap_err().code();
    assert_eq!(code(&[0.0; 7]), "transition-scores");
    assert_eq!(code(&[f32::NAN; 8]), "transition-nan");
    let mut none = Beam::new(&blank(2), 2, 0.0).unwrap();
    assert_eq!(none.advance(&ArcEager::new(), &[]).unwrap_err().code(), "beam-empty");
    assert_eq!(histories(&moves, &beam), [""]);
    assert!(Beam::new(&blank(0), 2, 0.0).unwrap().is_done());
}

proptest! {
    #[test]
    fn a_beam_of_one_is_a_greedy_parse_and_no_thread_changes_it(
        table in vec(0_u32..1 << 24, 8 * 16), lens in vec(0..9_usize, 1..6), width in 1..4_usize,
    ) {
        let moves = moves();
        // The scores of a row are distinct: of equal scores a beam takes the last, and a parse the
        // first.
        let scorer = FnScorer::new(8, |features: &[i32], scores: &mut Vec<f32>| {
            for (ids, row) in features.chunks(8).zip(scores.chunks_mut(8)) {
                let pick = ids.iter().fold(0_i32, |all, id| all.wrapping_mul(31).wrapping_add(*id));
                let pick = usize::try_from(pick & 15).unwrap() * 8;
                for (class, (score, number)) in (0_u16..).zip(row.iter_mut().zip(&table[pick..])) {
                    *score = f32::from(u16::try_from(number >> 11).unwrap()) + f32::from(class) / 16.0;
                }
            }
            Ok(())
        });
        let states: Vec<_> = lens.iter().map(|len| blank(*len)).collect();
        let mut greedy = states.clone();
        batch::parse(&moves, &mut greedy, &scorer, Batching::default()).unwrap();
        let beams = beam::parse(&moves, &states, &scorer, 1, 0.0, Batching::default()).unwrap();
        for (state, beam) in greedy.iter().zip(&beams) {
            let best = beam.state(0).unwrap();
            prop_assert!(state.is_final() && best.is_final());
            prop_assert_eq!(state.arcs().collect::<Vec<_>>(), best.arcs().collect::<Vec<_>>());
        }
        let here = Batching { threads: 1, states: 2 };
        let there = Batching { threads: 2, states: 2 };
        let alone = beam::parse(&moves, &states, &scorer, width, 0.0, here).unwrap();
        let together = beam::parse(&moves, &states, &scorer, width, 0.0, there).unwrap();
        for (a, b) in alone.iter().zip(&together) {
            prop_assert_eq!(histories(&moves, a), histories(&moves, b));
            prop_assert_eq!(a.probs(), b.probs());
            prop_assert_eq!(a.scores(), b.scores());
        }
    }
}
