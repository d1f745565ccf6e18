//! An op as a model that parses.

use std::sync::Arc;

use lexpool_plugin::{Failure, FailureKind, IntoOwned, Numbers};

use super::Op;
use crate::transition::{Scorer, check_feature_count};
use crate::{Error, ErrorKind, Result};

/// An op that is called with an array of features (32-bit integers, a row a state, -1 for none) and
/// gives an array of scores (32-bit floats, a row of all classes a state).
///
/// Cost: a copy of the features and of the scores at each step.
///
/// ```
/// use std::sync::Arc;
/// use lexpool::registry::plugin::{Array, Numbers};
/// use lexpool::registry::{OpScorer, Registry, op};
/// use lexpool::transition::{ArcEager, Batching, StateC, TokenFacts, TransitionSystem, batch};
///
/// let registry = Registry::new();
/// registry.register(|ops| {
///     op!(*ops, "model.score"(features) = |features: Array<'_, i32>| {
///         let rows = features.shape()[0] as usize;
///         Numbers { items: [0.0_f32, 1.0, 2.0].repeat(rows), shape: vec![rows, 3] }
///     }, "Attaches to the left.");
/// })?;
/// let mut moves = ArcEager::new();
/// for (action, label) in [(0, ""), (1, ""), (2, "left")] {
///     moves.actions_mut().add(action, label)?;
/// }
/// let scorer = OpScorer::new(registry.find("model.score")?, 8)?;
/// let mut states = [StateC::of_facts(vec![TokenFacts::default(); 2].into(), 0)?];
/// batch::parse(&moves, &mut states, &scorer, Batching::default())?;
/// assert_eq!(states[0].h(0), Some(1));
/// # Ok::<(), lexpool::registry::Failure>(())
/// ```
#[derive(Debug)]
pub struct OpScorer {
    op: Arc<Op>,
    features: usize,
}

impl OpScorer {
    /// A scorer that calls an op with so many features a state.
    ///
    /// # Errors
    ///
    /// `state-features` for a number of features that there is not.
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
        let lent = Numbers { items: features.to_vec(), shape }.into_owned().map_err(error_of)?;
        let given = self.op.call(&[lent.get()]).map_err(error_of)?;
        let given = given.get().as_array().and_then(|array| array.as_slice::<f32>());
        let Some(given) = given else {
            let text = format!(
                "{} is {}; scores are an array of float32 without gaps",
                self.op.name(),
                self.op.signature()
            );
            return Err(Error::new(ErrorKind::Type, "transition-scores", text));
        };
        scores.clear();
        scores.extend_from_slice(given);
        Ok(())
    }
}

/// A failure as an error that has it for a cause.
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
    Error::new(kind, "op-failed", failure.to_string()).caused_by(failure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::plugin::Array;
    use crate::registry::{Registry, op};

    #[test]
    fn an_op_that_gives_no_scores_is_named() {
        let registry = Registry::new();
        let registered = registry.register(|ops| {
            op!(
                *ops,
                "model.count"(features) = |features: Array<'_, i32>| features.items().len(),
                ""
            );
            op!(*ops, "model.fails"(features) = |_features: &str| Numbers::from(vec![1.0_f32]), "");
        });
        registered.unwrap();
        let code = |name: &str| {
            let scorer = OpScorer::new(registry.find(name).unwrap(), 2).unwrap();
            let error = scorer.score(&[0, 1, 2, 3], &mut Vec::new()).unwrap_err();
            assert!(error.message().contains("model."), "{error}");
            error.code()
        };
        assert_eq!(code("model.count"), "transition-scores");
        assert_eq!(code("model.fails"), "op-failed");
        let op = registry.find("model.count").unwrap();
        assert_eq!(OpScorer::new(op, 5).unwrap_err().code(), "state-features");
    }
}
