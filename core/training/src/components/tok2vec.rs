//! The shared component, whose rows the networks of other components read.

use lexpool::Result;
use lexpool::config::Section;
use lexpool::vocab::Vocab;
use lexpool_nn::Rows;
use lexpool_nn::learn::Tape;

use super::component::{ComponentFiles, Initialization, Learned, TrainableComponent, UpdateMemory};
use super::labels::file_of;
use super::update::UpdateBatch;
use super::weights::Weights;
use crate::settings::fields::Fields;

struct Tok2Vec {
    weights: Weights,
    /// The values of the last forward pass that its backward pass needs.
    tape: Option<Tape>,
}

/// Reads the section of a shared component.
pub(super) fn read(fields: Fields<'_>) -> Option<Box<dyn TrainableComponent>> {
    let weights = Weights::read(&fields);
    fields.finish();
    Some(Box::new(Tok2Vec { weights: weights?, tape: None }))
}

impl TrainableComponent for Tok2Vec {
    fn initialize(&mut self, start: &mut Initialization<'_>) -> Result<()> {
        self.weights.initialize(None, start)
    }

    fn update_memory(&mut self, batch: &UpdateBatch<'_>) -> Result<UpdateMemory> {
        let (rows, tape) = batch.forward(self.weights.network()?, None)?;
        // The rows, and the sum of their gradients.
        let kept = tape.n_bytes() + 2 * size_of_val(rows.numbers());
        Ok(UpdateMemory { kept, passing: tape.n_backward_bytes() })
    }

    /// Does nothing: the loss is that of the listeners.
    fn update(&mut self, _batch: &mut UpdateBatch<'_>) -> Result<f64> {
        Ok(0.0)
    }

    fn learned(&mut self) -> Option<Learned<'_>> {
        self.weights.learned()
    }

    fn files(&self) -> Result<ComponentFiles> {
        self.weights.files(Section::default())
    }

    fn restore(&mut self, files: &ComponentFiles, _vocab: &Vocab) -> Result<()> {
        self.tape = None;
        self.weights.restore(file_of(files, "model"))
    }

    fn fit_outputs(&mut self) -> Result<()> {
        Ok(())
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }

    fn shared_rows(&mut self, batch: &UpdateBatch<'_>) -> Result<Option<Rows>> {
        let (rows, tape) = batch.forward(self.weights.network()?, None)?;
        self.tape = Some(tape);
        Ok(Some(rows))
    }

    fn backward(&mut self, batch: &UpdateBatch<'_>, d_rows: Option<Rows>) -> Result<()> {
        let Some((tape, d_rows)) = self.tape.take().zip(d_rows) else { return Ok(()) };
        let (network, gradients) = self.weights.parts()?;
        network.backward(tape, d_rows.into_numbers(), gradients, batch.workers).map(drop)
    }
}
