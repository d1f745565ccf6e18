//! Components that give each token a label.

use lexpool::config::Section;
use lexpool::vocab::Vocab;
use lexpool::{Error, Result, codes};
use lexpool_nn::Rows;

use super::component::{ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory};
use super::labels::{cfg_of, file_of, no_labels, wrong_scores};
use super::token_loss::{Target, token_loss};
use super::update::UpdateBatch;
use super::weights::Weights;
use crate::corpora::example::Example;

/// The labels and targets of a kind of such a component.
pub(super) trait TokenTask: Send {
    /// Finds the labels in examples, or takes those of `[initialize.components.NAME]`.
    fn find_labels(&mut self, start: &Initialization<'_>) -> Result<()>;

    /// Returns the number of labels.
    fn n_labels(&self) -> usize;

    /// Returns the labels as `meta.json` has them.
    fn labels(&self) -> Vec<String>;

    /// Returns whether `meta.json` leaves the labels out.
    fn hides_labels(&self) -> bool {
        false
    }

    /// Returns whether the component can learn from a copy of itself.
    fn rehearses(&self) -> bool {
        true
    }

    /// Returns the target of each predicted token.
    fn targets(&mut self, example: &Example) -> Result<Vec<Target>>;

    /// Returns whether an example has annotation.
    fn learns_from(&mut self, example: &Example) -> Result<bool> {
        Ok(self.targets(example)?.iter().any(|target| *target != Target::Missing))
    }

    /// Returns the share of probability that labels other than the target should have.
    fn label_smoothing(&self) -> f32 {
        0.0
    }

    /// Takes the labels of the file `cfg`, or of other files.
    fn restore(&mut self, cfg: &Section, files: &ComponentFiles, vocab: &Vocab) -> Result<()>;

    /// Returns the file `cfg`.
    fn cfg(&self) -> Section;

    /// Returns files other than `cfg` and `model`.
    fn more_files(&self) -> Result<ComponentFiles> {
        Ok(Vec::new())
    }
}

/// A component that gives each token a label.
pub(super) struct TokenClassifier<T> {
    name: String,
    task: T,
    weights: Weights,
}

impl<T: TokenTask> TokenClassifier<T> {
    pub(super) fn new(name: &str, task: T, weights: Weights) -> TokenClassifier<T> {
        TokenClassifier { name: name.to_owned(), task, weights }
    }
}

impl<T: TokenTask> TrainableComponent for TokenClassifier<T> {
    fn initialize(&mut self, start: &mut Initialization<'_>) -> Result<()> {
        self.task.find_labels(start)?;
        let n_labels = self.task.n_labels();
        if n_labels == 0 {
            return Err(no_labels(&self.name));
        }
        check_smoothing(&self.name, self.task.label_smoothing(), n_labels)?;
        self.weights.initialize(Some(n_labels), start)
    }

    fn learns_from(&mut self, example: &Example) -> Result<bool> {
        self.task.learns_from(example)
    }

    fn update_memory(&mut self, batch: &UpdateBatch<'_>) -> Result<UpdateMemory> {
        let passing = batch.network_bytes(self.weights.network()?, None)?;
        Ok(UpdateMemory { kept: 0, passing })
    }

    fn update(&mut self, batch: &mut UpdateBatch<'_>) -> Result<f64> {
        if batch.n_tokens() == 0 {
            return Ok(0.0);
        }
        let mut targets = Vec::with_capacity(batch.n_tokens());
        for example in batch.examples {
            targets.extend(self.task.targets(example)?);
        }
        let (network, gradients) = self.weights.parts()?;
        let (scores, tape): (Rows, _) = batch.forward(network, None)?;
        let (d, loss) = token_loss(&scores, &targets, self.task.label_smoothing());
        batch.backward(network, tape, d, gradients)?;
        Ok(loss)
    }

    fn learned(&mut self) -> Option<Learned<'_>> {
        self.weights.learned()
    }

    fn files(&self) -> Result<ComponentFiles> {
        let mut files = self.weights.files(self.task.cfg())?;
        files.extend(self.task.more_files()?);
        Ok(files)
    }

    fn restore(&mut self, files: &ComponentFiles, vocab: &Vocab) -> Result<()> {
        self.task.restore(&cfg_of(files)?, files, vocab)?;
        self.weights.restore(file_of(files, "model"))
    }

    fn fit_outputs(&mut self) -> Result<()> {
        self.weights.fit_outputs(self.task.n_labels())
    }

    fn loss(
        &mut self,
        examples: &[&Example],
        scores: &Rows,
        _spans: &[Vec<(usize, usize)>],
    ) -> Result<(Vec<f32>, f64)> {
        let mut targets = Vec::with_capacity(scores.len());
        for example in examples {
            targets.extend(self.task.targets(example)?);
        }
        let width = self.task.n_labels();
        if scores.len() != targets.len() || (scores.width() != width && !targets.is_empty()) {
            return Err(wrong_scores(scores, targets.len(), width));
        }
        Ok(token_loss(scores, &targets, self.task.label_smoothing()))
    }

    fn keep_tutor(&mut self) -> Result<()> {
        self.weights.keep_tutor()
    }

    fn rehearse(&mut self, batch: &mut UpdateBatch<'_>) -> Result<Option<f64>> {
        if !self.task.rehearses() {
            return Ok(None);
        }
        // As in spaCy, a mean over the documents.
        #[expect(clippy::cast_precision_loss, reason = "a number of documents")]
        let n_docs = batch.examples.len() as f32;
        self.weights.rehearse(batch, n_docs)
    }

    fn labels(&self) -> Vec<String> {
        self.task.labels()
    }

    fn hides_labels(&self) -> bool {
        self.task.hides_labels()
    }
}

/// Checks that the target stays the most probable label.
fn check_smoothing(name: &str, smoothing: f32, n_labels: usize) -> Result<()> {
    #[expect(clippy::cast_precision_loss, reason = "a number of labels")]
    let most = (n_labels - 1) as f32 / n_labels as f32;
    if smoothing == 0.0 || (0.0..most).contains(&smoothing) {
        return Ok(());
    }
    let text = format!(
        "[components.{name}] \"label_smoothing\" is {smoothing}; expected a number from 0 to below \
         {most} for {n_labels} labels"
    );
    Err(Error::value(codes::TRAINING_CONFIG, text))
}
