//! Networks of states beside naive ones: sums in double precision, finite differences.

use proptest::prelude::*;

use super::layers::StateSizes;
use super::{StateForward, StateLayers, StateTape, backward};
use crate::describe::NodeIx;
use crate::learn::dropout::{Dropout, StepKey};
use crate::learn::parameters::{Gradients, Parameters};
use crate::learn::workers::Workers;

/// A network with some states, and the weight of each score in a sum whose gradients are computed.
#[derive(Debug)]
struct Case {
    parameters: Parameters,
    layers: StateLayers,
    vectors: Vec<f32>,
    features: Vec<i32>,
    d_scores: Vec<f32>,
}

/// Returns numbers between -1 and 1 that look random, multiples of 1/128.
fn numbers(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from(u8::try_from(state >> 56).unwrap()) / 128.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn case(sizes: StateSizes, has_upper: bool, n_tokens: usize, n_states: usize, seed: u64) -> Case {
    let StateSizes { features, outputs, pieces, inputs, .. } = sizes;
    let classes = if has_upper { sizes.classes } else { outputs };
    let mut parameters = Parameters::default();
    let (lower, upper) = (NodeIx::new(1), NodeIx::new(2));
    let mut push = |node, name, shape: &[usize], seed: u64| {
        let mut numbers = numbers(seed, shape.iter().product());
        if name == "b" && node == lower {
            // Sums are multiples of 1/2^14, and these keep them from 0 and from each other: a
            // finite difference across a maximum is that of neither side.
            for (number, by) in numbers.iter_mut().zip([1.0, 2.0, 3.0][..pieces].iter().cycle()) {
                *number += by / 1_048_576.0;
            }
        }
        parameters.push(node, name, shape, &numbers);
    };
    push(lower, "W", &[features, outputs, pieces, inputs], seed + 1);
    push(lower, "b", &[outputs, pieces], seed + 2);
    push(lower, "pad", &[1, features, outputs, pieces], seed + 3);
    if has_upper {
        push(upper, "W", &[classes, outputs], seed + 4);
        push(upper, "b", &[classes], seed + 5);
    }
    let layers = StateLayers::find(&parameters, lower, has_upper.then_some(upper)).unwrap();
    let positions = numbers(seed + 6, n_states * features);
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "small")]
    let position = |x: &f32| ((x + 1.0) / 2.0 * (n_tokens + 1) as f32) as i32 - 1;
    Case {
        parameters,
        layers,
        vectors: numbers(seed + 7, n_tokens * inputs),
        features: positions.iter().map(position).collect(),
        d_scores: numbers(seed + 8, n_states * classes),
    }
}

impl Case {
    fn n_states(&self) -> usize {
        self.features.len() / self.layers.sizes().features
    }

    /// Scores the states in calls of `group` states; returns their scores and a tape a call.
    fn forward(&self, group: usize, dropout: &Dropout<'_>) -> (Vec<f32>, Vec<StateTape>) {
        let StateSizes { features, classes, .. } = self.layers.sizes();
        let forward = self.prepare(Workers::ONE);
        let (mut scores, mut tapes) = (Vec::new(), Vec::new());
        let places: Vec<_> = (0..self.n_states()).map(|state| state * 7).collect();
        for (group, (of_group, d)) in self
            .features
            .chunks(group * features)
            .zip(self.d_scores.chunks(group * classes))
            .enumerate()
            .map(|(number, chunks)| (number * group, chunks))
        {
            let (mut tape, mut own) = (StateTape::default(), Vec::new());
            let places = &places[group..group + of_group.len() / features];
            forward.score(of_group, places, dropout, &mut tape, &mut own).unwrap();
            tape.add_gradients(d);
            scores.extend(own);
            tapes.push(tape);
        }
        (scores, tapes)
    }

    fn prepare(&self, workers: Workers) -> StateForward<'_> {
        StateForward::new(&self.layers, &self.parameters, &self.vectors, workers).unwrap()
    }

    fn gradients(&self, tapes: &[StateTape], workers: Workers) -> (Gradients, Vec<f32>) {
        let mut gradients = self.parameters.zero_gradients();
        let forward = self.prepare(workers);
        let d_tokens =
            backward(&self.layers, &self.parameters, &forward, tapes, &mut gradients, workers);
        (gradients, d_tokens.unwrap())
    }

    /// Returns the sum of the scores, each times its weight, in double precision, for parameters
    /// and vectors with a small number added to one of them.
    fn sum(&self, changed: Option<(usize, f64)>, changed_token: Option<(usize, f64)>) -> f64 {
        let StateSizes { features, outputs, pieces, inputs, classes } = self.layers.sizes();
        let double = |numbers: &[f32], change: Option<(usize, f64)>| {
            let mut doubles: Vec<f64> = numbers.iter().map(|x| f64::from(*x)).collect();
            if let Some((at, difference)) = change {
                doubles[at] += difference;
            }
            doubles
        };
        let arena = double(self.parameters.arena(), changed);
        let vectors = double(&self.vectors, changed_token);
        let range = |name: &str, node| {
            let ix = self.parameters.find(NodeIx::new(node), name).unwrap();
            self.parameters.tensor(ix).range()
        };
        let (weights, bias) = (&arena[range("W", 1)], &arena[range("b", 1)]);
        let padding = &arena[range("pad", 1)];
        let mut sum = 0.0;
        for (state, d) in self.features.chunks(features).zip(self.d_scores.chunks(classes)) {
            let hidden: Vec<f64> = (0..outputs)
                .map(|output| {
                    let piece = |piece: usize| {
                        let row = output * pieces + piece;
                        let of_feature = |(feature, at): (usize, &i32)| {
                            let row = feature * outputs * pieces + row;
                            let Ok(token) = usize::try_from(*at) else { return padding[row] };
                            let weights = &weights[row * inputs..][..inputs];
                            let token = &vectors[token * inputs..][..inputs];
                            weights.iter().zip(token).map(|(w, x)| w * x).sum::<f64>()
                        };
                        bias[row] + state.iter().enumerate().map(of_feature).sum::<f64>()
                    };
                    let largest = (0..pieces).map(piece).fold(f64::NEG_INFINITY, f64::max);
                    if pieces == 1 { largest.max(0.0) } else { largest }
                })
                .collect();
            if self.layers.upper.is_none() {
                sum += hidden.iter().zip(d).map(|(x, d)| x * f64::from(*d)).sum::<f64>();
                continue;
            }
            let (weights, bias) = (&arena[range("W", 2)], &arena[range("b", 2)]);
            for (class, d) in d.iter().enumerate() {
                let weights = &weights[class * outputs..][..outputs];
                let score = weights.iter().zip(&hidden).map(|(w, x)| w * x).sum::<f64>();
                sum += (score + bias[class]) * f64::from(*d);
            }
        }
        sum
    }
}

fn close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= 2e-4 * (1.0 + expected.abs()),
        "{what}: {found} {expected}"
    );
}

fn sizes() -> impl Strategy<Value = StateSizes> {
    (1..4_usize, 1..6_usize, 1..4_usize, 1..80_usize, 1..7_usize).prop_map(
        |(features, outputs, pieces, inputs, classes)| StateSizes {
            features,
            outputs,
            pieces,
            inputs,
            classes,
        },
    )
}

/// The step of finite differences, which changes no maximum.
const SMALL: f64 = 1e-7;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn gradients_are_finite_differences(
        sizes in sizes(), has_upper: bool, n_tokens in 1..6_usize, n_states in 1..9_usize, seed in 0..1000_u64,
    ) {
        let mut case = case(sizes, has_upper, n_tokens, n_states, seed * 100);
        // The terms of missing features have a test of their own.
        case.vectors[(n_tokens - 1) * sizes.inputs..].fill(0.0);
        let (_, tapes) = case.forward(3, &Dropout::NONE);
        let (gradients, d_tokens) = case.gradients(&tapes, Workers::ONE);
        for at in (0..gradients.arena().len()).step_by(3) {
            let difference = |by| case.sum(Some((at, by)), None);
            let expected = (difference(SMALL) - difference(-SMALL)) / (2.0 * SMALL);
            close(f64::from(gradients.arena()[at]), expected, "parameter");
        }
        for (at, d_token) in d_tokens.iter().enumerate() {
            let difference = |by| case.sum(None, Some((at, by)));
            let expected = (difference(SMALL) - difference(-SMALL)) / (2.0 * SMALL);
            close(f64::from(*d_token), expected, "token");
        }
    }

    #[test]
    fn neither_threads_nor_groups_change_a_bit(
        sizes in sizes(), n_tokens in 1..200_usize, n_states in 1..400_usize, seed in 0..1000_u64,
    ) {
        let case = case(sizes, true, n_tokens, n_states, seed * 100);
        let dropout = Dropout::by_counter(0.3, StepKey { seed, step: 1, component: 2 });
        let (scores, tapes) = case.forward(n_states, &dropout);
        let (gradients, d_tokens) = case.gradients(&tapes, Workers::ONE);
        for (group, threads) in [(1, 2), (16, 3), (5, 8)] {
            let (other_scores, tapes) = case.forward(group, &dropout);
            let (other, other_tokens) = case.gradients(&tapes, Workers::new(threads));
            prop_assert_eq!(&scores, &other_scores);
            prop_assert_eq!(gradients.arena(), other.arena());
            prop_assert_eq!(&d_tokens, &other_tokens);
        }
    }
}

#[test]
fn a_missing_feature_learns_from_the_last_token_as_in_spacy() {
    let sizes = StateSizes { features: 2, outputs: 3, pieces: 2, inputs: 4, classes: 5 };
    let mut case = case(sizes, true, 3, 4, 1);
    case.features = vec![-1, 0, 1, -1, -1, -1, 2, 1];
    let (_, tapes) = case.forward(4, &Dropout::NONE);
    let (gradients, _) = case.gradients(&tapes, Workers::ONE);
    let with = gradients.values(case.layers.weights).to_vec();
    let padding = gradients.values(case.layers.padding).to_vec();
    let last = case.vectors[2 * 4..].to_vec();
    // Without tokens that are missing nothing is added.
    case.features = vec![0, 0, 1, 0, 0, 0, 2, 1];
    assert!(padding.iter().any(|x| *x != 0.0));
    let mut without = case.parameters.zero_gradients();
    let forward = case.prepare(Workers::ONE);
    // The winners of the first pass, with the missing features on a token of zeros.
    let mut tape = tapes[0].clone();
    tape.features = vec![3, 0, 1, 3, 3, 3, 2, 1];
    let vectors = [&case.vectors[..], &[0.0; 4]].concat();
    drop(forward);
    let forward =
        StateForward::new(&case.layers, &case.parameters, &vectors, Workers::ONE).unwrap();
    backward(&case.layers, &case.parameters, &forward, &[tape], &mut without, Workers::ONE)
        .unwrap();
    let without = without.values(case.layers.weights);
    for (row, factor) in padding.iter().enumerate() {
        for (column, number) in last.iter().enumerate() {
            let at = row * 4 + column;
            close(f64::from(with[at] - without[at]), f64::from(factor * number), "weight");
        }
    }
}

#[test]
fn dropped_outputs_get_no_gradient_and_others_are_scaled() {
    let sizes = StateSizes { features: 2, outputs: 64, pieces: 2, inputs: 8, classes: 3 };
    let case = case(sizes, true, 5, 1, 3);
    let dropout = Dropout::by_counter(0.5, StepKey { seed: 4, step: 0, component: 0 });
    let (_, all) = case.forward(1, &Dropout::NONE);
    let (_, some) = case.forward(1, &dropout);
    let bias = |tapes: &[StateTape]| {
        let (gradients, _) = case.gradients(tapes, Workers::ONE);
        gradients.values(case.layers.bias).to_vec()
    };
    let (all_bias, some_bias) = (bias(&all), bias(&some));
    let mut n_dropped = 0;
    for output in 0..64 {
        let is_dropped = some[0].hidden[output] == 0.0;
        let factor = if is_dropped { 0.0 } else { 2.0 };
        n_dropped += usize::from(is_dropped);
        assert_eq!(some[0].hidden[output], all[0].hidden[output] * factor);
        for piece in 0..2 {
            assert_eq!(some_bias[output * 2 + piece], all_bias[output * 2 + piece] * factor);
        }
    }
    assert!((20..44).contains(&n_dropped), "{n_dropped} of 64");
}

#[test]
fn wrong_features_are_refused() {
    let sizes = StateSizes { features: 2, outputs: 1, pieces: 1, inputs: 1, classes: 1 };
    let case = case(sizes, true, 2, 1, 5);
    let forward = case.prepare(Workers::ONE);
    for features in [&[0, 2][..], &[0, -2], &[0, 1, 0]] {
        let mut tape = StateTape::default();
        let error = forward.score(features, &[0], &Dropout::NONE, &mut tape, &mut Vec::new());
        assert_eq!(error.unwrap_err().code(), "state-features", "{features:?}");
    }
}

#[test]
fn layers_whose_shapes_do_not_fit_are_refused() {
    let shapes: [[&[usize]; 3]; 3] = [
        [&[2, 3, 2, 4], &[3, 2], &[1, 2, 3, 1]],
        [&[2, 3, 4], &[3, 2], &[1, 2, 3, 2]],
        [&[2, 3, 0, 4], &[3, 0], &[1, 2, 3, 0]],
    ];
    for shapes in shapes {
        let mut parameters = Parameters::default();
        for (name, shape) in ["W", "b", "pad"].into_iter().zip(shapes) {
            parameters.push(NodeIx::new(1), name, shape, &vec![0.0; shape.iter().product()]);
        }
        let error = StateLayers::find(&parameters, NodeIx::new(1), None).unwrap_err();
        assert_eq!(error.code(), "model-structure", "{shapes:?}");
    }
    let error = StateLayers::find(&Parameters::default(), NodeIx::new(1), None).unwrap_err();
    assert_eq!(error.code(), "model-structure");
}
