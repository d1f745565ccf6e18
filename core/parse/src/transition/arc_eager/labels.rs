//! The classes that a treebank asks for.

use ahash::AHashMap;

use super::classes::{BREAK, LEFT, REDUCE, RIGHT, SHIFT, SUBTOK};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// Counts of each move with each label in gold trees: spaCy's `get_actions`.
///
/// ```
/// use lexpool_parse::transition::arc_eager::LabelCounts;
/// let mut counts = LabelCounts::new(&["nsubj"], &[]);
/// counts.count(&[Some(1), Some(1)], &[Some("amod"), Some("root")])?;
/// let labels = counts.finish(None, false);
/// let left: Vec<_> = labels[2].1.iter().map(|(label, count)| (&**label, *count)).collect();
/// assert_eq!(left, [("nsubj", 1), ("amod", 1), ("dep", 0)]);
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LabelCounts {
    by_move: [Counts; 5],
}

/// Labels in the order of their first sight.
#[derive(Clone, Debug, Default)]
struct Counts {
    labels: Vec<(String, i64)>,
    positions: AHashMap<String, usize>,
}

impl LabelCounts {
    /// Counts that begin with these labels to either side, once each.
    pub fn new(left_labels: &[&str], right_labels: &[&str]) -> LabelCounts {
        let mut counts = LabelCounts { by_move: std::array::from_fn(|_| Counts::default()) };
        counts.set(SHIFT, "", 1);
        counts.set(REDUCE, "", 1);
        for (labels, moves) in [(left_labels, [LEFT, SHIFT]), (right_labels, [RIGHT, REDUCE])] {
            for label in labels {
                for action in moves {
                    counts.set(action, label, 1);
                }
            }
        }
        counts
    }

    /// Counts a projective tree: the head of each token, itself for a root, and its label.
    ///
    /// # Errors
    ///
    /// `transition-gold` if there are not as many labels as heads.
    pub fn count(&mut self, heads: &[Option<usize>], labels: &[Option<&str>]) -> Result<()> {
        if heads.len() != labels.len() {
            let text = format!("{} heads and {} labels", heads.len(), labels.len());
            return Err(Error::value(codes::TRANSITION_GOLD, text));
        }
        for (child, (head, label)) in heads.iter().zip(labels).enumerate() {
            let (Some(head), Some(label)) = (*head, *label) else { continue };
            let label = if label.to_uppercase() == "ROOT" { "ROOT" } else { label };
            match head.cmp(&child) {
                std::cmp::Ordering::Equal => self.raise(BREAK, label),
                std::cmp::Ordering::Less => {
                    self.raise(RIGHT, label);
                    self.raise(REDUCE, "");
                }
                std::cmp::Ordering::Greater => {
                    self.raise(LEFT, label);
                    self.raise(SHIFT, "");
                }
            }
        }
        Ok(())
    }

    /// The labels of each move, without those rarer than `min_freq`, and with those that the system
    /// falls back on; with `learn_tokens` also that of subtokens.
    ///
    /// A frequency of 0 means a label that no tree had.
    pub fn finish(
        mut self,
        min_freq: Option<i64>,
        learn_tokens: bool,
    ) -> Vec<(u8, Vec<(String, i64)>)> {
        if let Some(least) = min_freq {
            for counts in &mut self.by_move {
                counts.labels.retain(|(_, count)| *count >= least);
                let labels = counts.labels.iter().enumerate();
                counts.positions = labels.map(|(at, (label, _))| (label.clone(), at)).collect();
            }
        }
        self.default(BREAK, "ROOT");
        for label in [learn_tokens.then_some(SUBTOK), Some("dep")].into_iter().flatten() {
            self.default(RIGHT, label);
            self.default(LEFT, label);
        }
        (0..).zip(self.by_move).map(|(action, counts)| (action, counts.labels)).collect()
    }

    fn set(&mut self, action: u8, label: &str, count: i64) {
        *self.count_of(action, label) = count;
    }

    fn raise(&mut self, action: u8, label: &str) {
        let count = self.count_of(action, label);
        *count = count.saturating_add(1);
    }

    /// Lets a move have a label, if it has not.
    fn default(&mut self, action: u8, label: &str) {
        self.count_of(action, label);
    }

    fn count_of(&mut self, action: u8, label: &str) -> &mut i64 {
        let Counts { labels, positions } = &mut self.by_move[usize::from(action)];
        let position = positions.get(label).copied();
        let at = position.unwrap_or_else(|| {
            positions.insert(label.to_owned(), labels.len());
            labels.push((label.to_owned(), 0));
            labels.len() - 1
        });
        &mut labels[at].1
    }
}
