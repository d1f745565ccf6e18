//! Training by beams: two beams of each document, side by side to the largest violation.

use ahash::AHashMap;

use super::{Beam, BeamParse, Guide};
use crate::transition::{ClassIx, MaxViolation, ParseState, TransitionSystem};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// A free beam and one that follows the gold annotation for each of some documents, and what their
/// largest violations say about the scores of each step: spaCy's `update_beam`.
///
/// Call [`states`](BeamUpdate::states) for the states of a step, and
/// [`advance`](BeamUpdate::advance) with their scores, until `states` is empty; then
/// [`gradients`](BeamUpdate::gradients).
pub struct BeamUpdate {
    documents: Vec<Document>,
    /// For each step the row of each state.
    steps: Vec<AHashMap<StateSource, usize>>,
    /// The row of each parse in the free and in the gold beam of each document, for the states to
    /// be scored next; `None` for parses without a state to score.
    rows: Vec<[Vec<Option<usize>>; 2]>,
    /// The rows of the step before.
    rows_before: Vec<[Vec<Option<usize>>; 2]>,
    /// The number of steps that were taken.
    n_taken: usize,
}

/// Source of a state: the document's first state, or a row of the step before and a class. Equal
/// histories have equal sources.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum StateSource {
    First { document: usize },
    After { row: Option<usize>, class: Option<ClassIx> },
}

struct Document {
    free: Beam,
    gold: Beam,
    violation: MaxViolation,
    is_done: bool,
}

impl BeamUpdate {
    /// Begins at the first state of the tokens that each state is of.
    ///
    /// # Errors
    ///
    /// As for [`Beam::new`].
    pub fn new(states: &[ParseState], width: usize, density: f32) -> Result<BeamUpdate> {
        let document = |state| {
            let (free, gold) = (Beam::new(state, width, density)?, Beam::new(state, width, 0.0)?);
            Ok(Document { free, gold, violation: MaxViolation::new(), is_done: false })
        };
        let documents = states.iter().map(document).collect::<Result<_>>()?;
        Ok(BeamUpdate {
            documents,
            steps: Vec::new(),
            rows: Vec::new(),
            rows_before: Vec::new(),
            n_taken: 0,
        })
    }

    /// Returns the states to score next, each once: those of both beams of all documents. Empty
    /// when all beams are done.
    pub fn states(&mut self) -> Vec<&ParseState> {
        let mut row_of_state = AHashMap::new();
        let (mut rows, mut states) = (Vec::with_capacity(self.documents.len()), Vec::new());
        for (number, document) in self.documents.iter().enumerate() {
            let mut of_beam = |is_free: bool| {
                let beam = document.beam(is_free);
                let before = self.rows_before.get(number).map(|rows| &rows[usize::from(!is_free)]);
                let row = |(at, parse): (usize, &BeamParse)| {
                    if beam.is_done() || parse.state.is_final() {
                        return None;
                    }
                    let source = match before {
                        None => StateSource::First { document: number },
                        Some(rows) => StateSource::After {
                            row: rows.get(parse.parent).copied().flatten(),
                            class: parse.last_class,
                        },
                    };
                    Some(*row_of_state.entry(source).or_insert_with(|| {
                        states.push((number, is_free, at));
                        states.len() - 1
                    }))
                };
                beam.parses().iter().enumerate().map(row).collect()
            };
            rows.push([of_beam(true), of_beam(false)]);
        }
        self.steps.truncate(self.n_taken);
        if !states.is_empty() {
            self.steps.push(row_of_state);
        }
        self.rows = rows;
        let state = |(number, is_free, at): (usize, bool, usize)| {
            &self.documents[number].beam(is_free).parses()[at].state
        };
        states.into_iter().map(state).collect()
    }

    /// Goes one step on, by a row of scores for each of [`states`](BeamUpdate::states).
    ///
    /// # Errors
    ///
    /// `transition-gold` for another number of annotations than of documents;
    /// `transition-scores` for another number of scores; those of [`Beam::advance_guided`], after
    /// which some documents have gone on and the update is of no more use.
    pub fn advance<S: TransitionSystem>(
        &mut self,
        system: &S,
        golds: &[&S::Gold],
        scores: &[f32],
    ) -> Result<()> {
        let n_classes = system.actions().len();
        let n_states = self.steps.get(self.n_taken).map_or(0, |rows| rows.len());
        if golds.len() != self.documents.len() {
            let text = format!("{} states and {} annotations", self.documents.len(), golds.len());
            return Err(Error::value(codes::TRANSITION_GOLD, text));
        }
        if scores.len() != n_states * n_classes {
            let count = scores.len();
            let text = format!("{count} scores for {n_states} states and {n_classes} classes");
            return Err(Error::value(codes::TRANSITION_SCORES, text));
        }
        let of_rows = |rows: &[Option<usize>]| -> Vec<f32> {
            let rows = rows.iter().flatten();
            rows.flat_map(|row| &scores[row * n_classes..][..n_classes]).copied().collect()
        };
        for ((document, rows), gold) in self.documents.iter_mut().zip(&self.rows).zip(golds) {
            let guide = |follows| Some(Guide { gold: *gold, follows });
            document.free.advance_guided(system, &of_rows(&rows[0]), guide(false))?;
            document.gold.advance_guided(system, &of_rows(&rows[1]), guide(true))?;
            if !document.is_done {
                document.violation.check_crf(&document.free, &document.gold);
                document.is_done = document.free.is_done() && document.gold.is_done();
            }
        }
        self.n_taken = self.steps.len();
        self.rows_before = std::mem::take(&mut self.rows);
        Ok(())
    }

    /// Returns the gradient of the scores of each step, a row for each state, up to the last step
    /// of a violation.
    ///
    /// A parse has one gradient, which all classes of its history get: scores of a beam are sums. A
    /// shorter parse got its average score again in the steps after its end, and so its gradient.
    pub fn gradients(&self, n_classes: usize) -> Vec<Vec<f32>> {
        let parses: Vec<_> = self.documents.iter().map(Document::parses).collect();
        let longest = |parses: &Vec<(&[ClassIx], f64)>| {
            parses.iter().map(|(history, _)| history.len()).max().unwrap_or(0)
        };
        let n_steps = parses.iter().map(longest).max().unwrap_or(0);
        let rows = self.steps.iter().take(n_steps).map(|rows| rows.len());
        let mut gradients: Vec<_> = rows.map(|rows| vec![0.0; rows * n_classes]).collect();
        for (number, parses) in parses.iter().enumerate() {
            let longest = longest(parses);
            for (history, gradient) in parses {
                let gradient =
                    gradient + gradient / float(history.len()) * float(longest - history.len());
                let mut source = StateSource::First { document: number };
                for (class, (rows, gradients)) in
                    history.iter().zip(self.steps.iter().zip(&mut gradients))
                {
                    // Each step of a history had its state in a beam.
                    let Some(row) = rows.get(&source).copied() else { break };
                    gradients[row * n_classes + class.get() as usize] += rounded(gradient);
                    source = StateSource::After { row: Some(row), class: Some(*class) };
                }
            }
        }
        gradients
    }
}

impl Document {
    fn beam(&self, is_free: bool) -> &Beam {
        if is_free { &self.free } else { &self.gold }
    }

    /// Returns the parses of the largest violation that have a gradient, with it.
    fn parses(&self) -> Vec<(&[ClassIx], f64)> {
        let MaxViolation { p_hist, g_hist, p_probs, g_probs, cost, .. } = &self.violation;
        let parses = p_hist.iter().zip(p_probs).chain(g_hist.iter().zip(g_probs));
        let parses = parses.map(|(history, share)| (&history[..], share * f64::from(*cost)));
        parses.filter(|(_, gradient)| *gradient != 0.0).collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number of steps")]
fn float(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, reason = "gradients have single precision")]
fn rounded(number: f64) -> f32 {
    number as f32
}
