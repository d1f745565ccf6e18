//! The hidden Markov model of unknown words: each character begins, continues or ends a word, or is
//! one, and the likeliest sequence of these states is found by the Viterbi algorithm.

use lexpool_error::{Error, Result, codes};

use super::literal::{self, Literal};
use crate::trie::Trie;

/// The states in the order in which jieba breaks ties, the last first.
const STATES: [&str; 4] = ["B", "E", "M", "S"];
const B: usize = 0;
const E: usize = 1;
const M: usize = 2;
const S: usize = 3;

/// The states that may precede each state, in the order of [`STATES`].
const PREVIOUS: [[usize; 2]; 4] = [[E, S], [B, M], [B, M], [E, S]];

/// The logarithm of the probability of what the model lacks.
const IMPOSSIBLE: f64 = -3.14e100;

/// The texts of jieba's hidden Markov model: dictionaries as Python writes them, of logarithms of
/// probabilities by state, one of `B`, `M`, `E` and `S`.
#[derive(Clone, Copy, Debug)]
pub struct JiebaModel<'t> {
    /// By state.
    pub start: &'t str,
    /// By state and next state.
    pub transitions: &'t str,
    /// By state and character.
    pub emissions: &'t str,
}

/// Probabilities as logarithms.
#[derive(Debug)]
pub(super) struct Hmm {
    start: [f64; 4],
    /// By state and next state.
    transitions: [[f64; 4]; 4],
    /// By character, for each state.
    emissions: Trie<[f64; 4]>,
}

/// Returns `true` for the characters that the model covers.
pub(super) fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fd5}').contains(&c)
}

impl Hmm {
    pub(super) fn parse(model: &JiebaModel<'_>) -> Result<Hmm> {
        let start = literal::parse("prob_start.py", model.start)?;
        let transitions = literal::parse("prob_trans.py", model.transitions)?;
        let emissions = literal::parse("prob_emit.py", model.emissions)?;
        let number = |of: Option<&Literal>| of.and_then(Literal::number).unwrap_or(IMPOSSIBLE);
        let mut rows: Vec<(&str, usize, f64)> = Vec::new();
        for (state, name) in STATES.iter().enumerate() {
            let Some(own) = emissions.get(name) else {
                let text = format!("jieba's prob_emit.py: the state {name:?} is missing");
                return Err(Error::value(codes::SEGMENT_DICTIONARY, text));
            };
            rows.extend(own.items().iter().map(|(c, value)| (&**c, state, number(Some(value)))));
        }
        rows.sort_by_key(|(c, ..)| *c);
        let by_char = rows.chunk_by(|(a, ..), (b, ..)| a == b).map(|rows| {
            let mut values = [IMPOSSIBLE; 4];
            for (_, state, value) in rows {
                values[*state] = *value;
            }
            (rows[0].0, values)
        });
        Ok(Hmm {
            start: STATES.map(|state| number(start.get(state))),
            transitions: STATES.map(|state| {
                let row = transitions.get(state);
                STATES.map(|next| number(row.and_then(|row| row.get(next))))
            }),
            emissions: Trie::new(by_char.collect()),
        })
    }

    fn emission(&self, c: char) -> [f64; 4] {
        let node = self.emissions.child(Trie::<[f64; 4]>::ROOT, c);
        node.and_then(|node| self.emissions.value(node)).unwrap_or([IMPOSSIBLE; 4])
    }

    /// Cuts a run of characters that the model covers, and appends the end of each word, counted
    /// from the start of the run.
    pub(super) fn cut(&self, run: &[char], ends: &mut Vec<usize>) {
        // Only E and S end a sequence, and only B and S follow them.
        let states = (1..).zip(self.states(run));
        ends.extend(states.filter(|(_, state)| matches!(*state, E | S)).map(|(end, _)| end));
    }

    /// Returns the likeliest sequence of states.
    fn states(&self, run: &[char]) -> Vec<usize> {
        if run.is_empty() {
            return Vec::new();
        }
        let mut scores = [IMPOSSIBLE; 4];
        // The state before each state, for all characters but the first.
        let mut previous: Vec<[usize; 4]> = Vec::with_capacity(run.len());
        for (at, c) in run.iter().enumerate() {
            let emission = self.emission(*c);
            if at == 0 {
                scores = [B, E, M, S].map(|state| self.start[state] + emission[state]);
                continue;
            }
            let mut from = [0; 4];
            let next = [B, E, M, S].map(|state| {
                let score = |before: usize| {
                    scores[before] + self.transitions[before][state] + emission[state]
                };
                let [first, second] = PREVIOUS[state];
                // The later letter wins a tie.
                let best = if score(second) >= score(first) { second } else { first };
                from[state] = best;
                score(best)
            });
            scores = next;
            previous.push(from);
        }
        let mut state = if scores[S] >= scores[E] { S } else { E };
        let mut states = vec![state];
        for from in previous.iter().rev() {
            state = from[state];
            states.push(state);
        }
        states.reverse();
        states
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MODEL: JiebaModel<'static> = JiebaModel {
        start: "{'B': -0.5, 'S': -1.0}",
        transitions: "{'B': {'E': -0.5, 'M': -0.9}, 'E': {'B': -0.6, 'S': -0.8}, \
                       'M': {'E': -0.3, 'M': -1.2}, 'S': {'B': -0.7, 'S': -0.6}}",
        emissions: "{'B': {'一': -1.0, '二': -4.0}, 'E': {'一': -4.0, '二': -1.0}, \
                     'M': {'三': -1.0}, 'S': {'一': -9.0, '三': -3.0}}",
    };

    /// Returns the score of the best sequence, of all that are allowed.
    fn best(model: &Hmm, run: &[char]) -> f64 {
        fn go(model: &Hmm, run: &[char], at: usize, state: usize, score: f64) -> f64 {
            if at == run.len() {
                return if matches!(state, E | S) { score } else { f64::NEG_INFINITY };
            }
            let next = (0..4).filter(|next| PREVIOUS[*next].contains(&state));
            let scores = next.map(|next| {
                let step = model.transitions[state][next] + model.emission(run[at])[next];
                go(model, run, at + 1, next, score + step)
            });
            scores.fold(f64::NEG_INFINITY, f64::max)
        }
        let firsts = (0..4).map(|state| {
            go(model, run, 1, state, model.start[state] + model.emission(run[0])[state])
        });
        firsts.fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        #[test]
        fn the_sequence_has_the_best_score(run in prop::collection::vec("[一二三四]", 1..8)) {
            let model = Hmm::parse(&MODEL).unwrap();
            let run: Vec<char> = run.concat().chars().collect();
            let states = model.states(&run);
            let mut score = model.start[states[0]] + model.emission(run[0])[states[0]];
            for at in 1..run.len() {
                score += model.transitions[states[at - 1]][states[at]]
                    + model.emission(run[at])[states[at]];
            }
            let best = best(&model, &run);
            prop_assert!((score - best).abs() <= 1e-9 * best.abs(), "{score} {best}");
            let mut ends = Vec::new();
            model.cut(&run, &mut ends);
            prop_assert_eq!(ends.last(), Some(&run.len()));
            prop_assert!(ends.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn a_model_without_a_state_is_refused() {
        let model = JiebaModel { emissions: "{'B': {}, 'E': {}, 'M': {}}", ..MODEL };
        let error = Hmm::parse(&model).unwrap_err();
        assert_eq!(error.code(), "segment-dictionary");
        assert!(error.to_string().contains("\"S\""), "{error}");
    }
}
