//! An op as the scorer of a transition system.

use std::sync::Arc;

use lexpool::codes;
use lexpool::transition::{Scorer, check_feature_count};
use lexpool::{Error, ErrorKind, Result};
use lexpool_plugin::{Dtype, Failure, FailureKind, IntoOwned, Numbers};

use super::Op;

/// An op that maps an array of features (32-bit integers, a row for each state, -1 if missing) to
/// an array of scores (32-bit floats, a row for each state, a column for each class).
///
/// Cost: a copy of the features and of the scores at each step.
///
/// ```
/// use std::sync::Arc;
/// use lexpool_ops::plugin::{Array, Numbers};
/// use lexpool_ops::{OpScorer, Registry, op};
/// use lexpool::transition::{ArcEager, Batching, ParseState, TokenFacts, TransitionSystem, batch};
///
/// let registry = Registry::new();
/// registry.register(|ops| {
///     op!(*ops, "model.score"(features) = |features: Array<'_, i32>| {
///         let rows = features.items().len() / 8;
///         Numbers { items: [0.0_f32, 1.0, 2.0].repeat(rows), shape: vec![rows, 3] }
///     }, "Attaches to the left.");
/// })?;
/// let mut moves = ArcEager::new();
/// for (action, label) in [(0, ""), (1, ""), (2, "left")] {
///     moves.actions_mut().add(action, label)?;
/// }
/// let scorer = OpScorer::new(registry.find("model.score")?, 8)?;
/// let mut states = [ParseState::new(vec![TokenFacts::default(); 2].into(), 0)?];
/// batch::parse(&moves, &mut states, &scorer, Batching::default())?;
/// assert_eq!(states[0].h(0), Some(1));
/// # Ok::<(), lexpool_ops::Failure>(())
/// ```
#[derive(Debug)]
pub struct OpScorer {
    op: Arc<Op>,
    features: usize,
}

impl OpScorer {
    /// Makes a scorer that calls an op with `features` features for each state.
    ///
    /// # Errors
    ///
    /// `state-features` if models do not have this number of features.
    pub fn new(op: &Arc<Op>, features: usize) -> Result<OpScorer> {
        check_feature_count(features)?;
        Ok(OpScorer { op: Arc::clone(op), features })
    }
}

impl Scorer for OpScorer {
    fn features(&self) -> usize {
        self.features
    }

    fn score(&self, features: &[i32], scores: &mut Vec<f32>) -> Result<()> {
        let shape = vec![features.len() / self.features, self.features];
        let table = Numbers { items: features.to_vec(), shape }.into_owned().map_err(error_of)?;
        let result = self.op.call(&[table.get()]).map_err(error_of)?;
        let Some(array) = result.get().as_array() else { return Err(self.no_scores("no array")) };
        let Some(numbers) = array.as_slice::<f32>() else {
            let dtype = array.dtype().map_or("an unknown type", Dtype::name);
            let gaps = if array.is_contiguous() { "" } else { " with gaps" };
            return Err(self.no_scores(&format!("an array of {dtype}{gaps}")));
        };
        let rows = features.len() / self.features;
        let classes = scores.len() / rows.max(1);
        let is_table = array.shape().len() == 2 && numbers.len() == scores.len();
        if !is_table
            || array.shape().first().and_then(|len| usize::try_from(*len).ok()) != Some(rows)
        {
            let (name, shape) = (self.op.name(), array.shape());
            let text =
                format!("{name} gave the shape {shape:?} for {rows} states and {classes} classes");
            return Err(Error::value(codes::TRANSITION_SCORES, text));
        }
        scores.copy_from_slice(numbers);
        Ok(())
    }
}

impl OpScorer {
    #[cold]
    fn no_scores(&self, actual: &str) -> Error {
        let (name, signature) = (self.op.name(), self.op.signature());
        let text = format!(
            "{name} gave {actual}; it has to give an array of float32, a row of all classes a state, \
             without gaps (it is {signature})"
        );
        Error::new(ErrorKind::Type, codes::TRANSITION_DTYPE, text)
    }
}

/// Converts a failure to an error with the failure as its cause.
pub(crate) fn error_of(failure: Failure) -> Error {
    let kind = match failure.kind() {
        FailureKind::Value => ErrorKind::Value,
        FailureKind::Type => ErrorKind::Type,
        FailureKind::Key | FailureKind::Unknown => ErrorKind::Key,
        FailureKind::Index => ErrorKind::Index,
        FailureKind::Overflow => ErrorKind::Overflow,
        FailureKind::Memory => ErrorKind::Memory,
        FailureKind::Io => ErrorKind::Io,
        FailureKind::Interrupted => ErrorKind::Interrupted,
        _ => ErrorKind::State,
    };
    Error::new(kind, codes::OP_FAILED, failure.to_string()).caused_by(failure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::Array;
    use crate::{Registry, op};

    /// An array of a shape, filled with one number.
    fn table<T: Clone>(number: T, shape: &[usize]) -> Numbers<T> {
        Numbers { items: vec![number; shape.iter().product()], shape: shape.to_vec() }
    }

    #[test]
    fn an_op_that_gives_no_scores_is_named() {
        let registry = Registry::new();
        let registered = registry.register(|ops| {
            op!(
                *ops,
                "model.count"(features) = |features: Array<'_, i32>| features.items().len(),
                ""
            );
            op!(*ops, "model.doubles"(features) = |_: Array<'_, i32>| table(0.5_f64, &[2, 3]), "");
            op!(*ops, "model.turned"(features) = |_: Array<'_, i32>| table(0.5_f32, &[3, 2]), "");
            op!(*ops, "model.flat"(features) = |_: Array<'_, i32>| table(0.5_f32, &[6]), "");
            op!(*ops, "model.short"(features) = |_: Array<'_, i32>| table(0.5_f32, &[2, 2]), "");
            op!(*ops, "model.scores"(features) = |_: Array<'_, i32>| table(0.5_f32, &[2, 3]), "");
            op!(*ops, "model.fails"(features) = |_features: &str| Numbers::from(vec![1.0_f32]), "");
        });
        registered.unwrap();
        let code = |name: &str| {
            let scorer = OpScorer::new(registry.find(name).unwrap(), 2).unwrap();
            let error = scorer.score(&[0, 1, 2, 3], &mut vec![0.0; 6]).unwrap_err();
            assert!(error.message().contains("model."), "{error}");
            error.code()
        };
        assert_eq!(code("model.count"), "transition-dtype");
        assert_eq!(code("model.doubles"), "transition-dtype");
        for name in ["model.turned", "model.flat", "model.short"] {
            assert_eq!(code(name), "transition-scores");
        }
        assert_eq!(code("model.fails"), "op-failed");
        let scorer = OpScorer::new(registry.find("model.scores").unwrap(), 2).unwrap();
        let mut scores = vec![0.0; 6];
        scorer.score(&[0, 1, 2, 3], &mut scores).unwrap();
        assert_eq!(scores, [0.5; 6]);
        let op = registry.find("model.count").unwrap();
        assert_eq!(OpScorer::new(op, 5).unwrap_err().code(), "state-features");
    }
}
