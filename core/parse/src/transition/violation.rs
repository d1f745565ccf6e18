//! Maximum violation (Huang, Fayong and Guo, 2012) of a beam against the gold annotation, with the
//! gradients of a conditional random field over both beams.

use super::beam::softmax;
use super::{Beam, ClassIx};

/// The step at which the best parse was most ahead of the best gold parse, as thinc's
/// `MaxViolation` keeps it.
///
/// ```
/// use lexpool_parse::transition::{Beam, MaxViolation, ParseState, TokenFacts};
/// let state = ParseState::new(vec![TokenFacts::default(); 2].into(), 0)?;
/// let (pred, gold) = (Beam::new(&state, 2, 0.0)?, Beam::new(&state, 2, 0.0)?);
/// let mut violation = MaxViolation::new();
/// assert!(!violation.check_crf(&pred, &gold), "no parse has cost anything");
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MaxViolation {
    /// Cost of the best parse at the violation; 0 without one.
    pub cost: f32,
    /// Score of the best parse minus that of the gold parse.
    pub delta: f32,
    /// The classes of each parse with a cost.
    pub p_hist: Vec<Vec<ClassIx>>,
    /// The classes of each parse without a cost.
    pub g_hist: Vec<Vec<ClassIx>>,
    /// The gradient of the loss for each parse of `p_hist`: its probability.
    pub p_probs: Vec<f64>,
    /// The gradient for each of `g_hist`: its probability among all, less that among the gold ones.
    pub g_probs: Vec<f64>,
}

impl MaxViolation {
    /// No violation so far.
    pub fn new() -> MaxViolation {
        MaxViolation {
            cost: 0.0,
            delta: -1.0,
            p_hist: Vec::new(),
            g_hist: Vec::new(),
            p_probs: Vec::new(),
            g_probs: Vec::new(),
        }
    }

    /// Looks at a free beam and at one that follows the gold annotation, both with costs and at the
    /// same step, and says whether this is the largest violation so far.
    #[expect(clippy::cast_possible_truncation, reason = "thinc keeps 32 bits of it")]
    pub fn check_crf(&mut self, pred: &Beam, gold: &Beam) -> bool {
        let delta = f64::from(pred.score()) - f64::from(gold.score());
        let is_larger = self.cost == 0.0 || delta > f64::from(self.delta);
        if !(pred.loss() > 0.0 && is_larger) {
            return false;
        }
        let gold_hists: Vec<_> = (0..gold.len()).map(|i| gold.history(i)).collect();
        let (mut p_hist, mut g_hist) = (Vec::new(), Vec::new());
        let (mut scores, mut g_scores) = (Vec::new(), Vec::new());
        for (i, (loss, score)) in pred.losses().into_iter().zip(pred.scores()).enumerate() {
            if loss > 0.0 {
                scores.push(score);
                p_hist.push(pred.history(i).to_vec());
            } else if loss <= 0.0 && !gold_hists.contains(&pred.history(i)) {
                // A free beam may find a gold parse of its own, by a move that takes another back.
                g_scores.push(score);
                g_hist.push(pred.history(i).to_vec());
            }
        }
        for (i, (loss, score)) in gold.losses().into_iter().zip(gold.scores()).enumerate() {
            if loss == 0.0 {
                g_scores.push(score);
                g_hist.push(gold.history(i).to_vec());
            }
        }
        scores.extend(&g_scores);
        let mut p_probs = softmax(&scores);
        let among_all = p_probs.split_off(p_hist.len());
        let among_gold = softmax(&g_scores);
        self.g_probs = among_all.iter().zip(among_gold).map(|(all, gold)| all - gold).collect();
        (self.cost, self.delta) = (pred.loss(), delta as f32);
        (self.p_hist, self.g_hist, self.p_probs) = (p_hist, g_hist, p_probs);
        true
    }
}

impl Default for MaxViolation {
    fn default() -> MaxViolation {
        MaxViolation::new()
    }
}
