//! A batch of examples that components learn from.

use std::sync::Arc;

use lexpool::Result;
use lexpool::tokens::Doc;
use lexpool::trained::{VectorSource, with_sources};
use lexpool_nn::learn::{
    Batch, Dropout, Gradients, PythonRandom, SpanRange, Tape, TrainableNetwork, Workers,
    sum_of_squares,
};
use lexpool_nn::{Rows, TensorView, TokenSource, WordVectors};
use lexpool_structs::AttrId;

use crate::corpora::example::Example;

/// A batch, or a part of one if gradients are accumulated.
pub struct UpdateBatch<'a> {
    /// The examples.
    pub examples: &'a [&'a Example],
    /// The dropout of the component that learns.
    pub dropout: Dropout<'a>,
    /// Python's random numbers, of which a parser draws one for each batch.
    pub random: &'a mut PythonRandom,
    /// The threads that compute.
    pub workers: Workers,
    /// The word vectors of the vocab.
    pub vectors: Option<Arc<dyn VectorSource>>,
    /// The rows of the shared component, which listeners read. Without them listeners read the
    /// tensors of the documents.
    pub shared_rows: Option<&'a Rows>,
    /// The spans of each example that a component scores, instead of those that its own suggester
    /// finds.
    pub spans: Option<&'a [Vec<SpanRange>]>,
    /// The sum of the gradients of the shared rows.
    pub d_shared: Option<Rows>,
    /// The sum of the squares of these gradients, added up by listener: the loss of the shared
    /// component.
    pub shared_loss: f64,
}

impl UpdateBatch<'_> {
    /// Returns the predicted documents.
    pub fn docs(&self) -> Vec<&Doc> {
        self.examples.iter().map(|example| example.predicted()).collect()
    }

    /// Returns the number of tokens of all predicted documents.
    pub fn n_tokens(&self) -> usize {
        self.examples.iter().map(|example| example.predicted().len()).sum()
    }

    /// Runs a network on the predicted documents, with dropout. `spans` has the spans of each
    /// document, for networks that score spans.
    ///
    /// # Errors
    ///
    /// Those of [`TrainableNetwork::forward`] and [`Batch::with_spans`].
    pub fn forward(
        &self,
        network: &TrainableNetwork,
        spans: Option<&[Vec<SpanRange>]>,
    ) -> Result<(Rows, Tape)> {
        self.forward_on(network, &self.docs(), spans)
    }

    /// Runs a network as [`forward`](UpdateBatch::forward), on documents with the tokens of the
    /// predicted ones.
    ///
    /// # Errors
    ///
    /// Those of that method.
    pub(crate) fn forward_on(
        &self,
        network: &TrainableNetwork,
        docs: &[&Doc],
        spans: Option<&[Vec<SpanRange>]>,
    ) -> Result<(Rows, Tape)> {
        self.run(network, docs, &self.tensors(), spans)
    }

    /// Runs a network on any documents, without the rows of the shared component.
    ///
    /// # Errors
    ///
    /// Those of [`forward`](UpdateBatch::forward).
    pub(crate) fn forward_alone(
        &self,
        network: &TrainableNetwork,
        docs: &[&Doc],
    ) -> Result<(Rows, Tape)> {
        self.run(network, docs, &[], None)
    }

    fn run(
        &self,
        network: &TrainableNetwork,
        docs: &[&Doc],
        tensors: &[TensorView<'_>],
        spans: Option<&[Vec<SpanRange>]>,
    ) -> Result<(Rows, Tape)> {
        with_sources(docs, self.vectors.as_deref(), |sources| {
            let mut tensors = tensors.iter();
            let tokens: Vec<_> = sources
                .iter()
                .map(|tokens| SharedTokens { tokens: *tokens, tensor: tensors.next() })
                .collect();
            let sources: Vec<_> = tokens.iter().map(|tokens| tokens as &dyn TokenSource).collect();
            let batch = match spans {
                None => Batch::new(&sources),
                Some(spans) => Batch::with_spans(&sources, spans)?,
            };
            network.forward(&batch, &self.dropout, self.workers)
        })
    }

    /// Returns an estimate of the bytes that the passes of a network forward and backward take.
    ///
    /// # Errors
    ///
    /// Those of [`forward`](UpdateBatch::forward).
    pub fn network_bytes(
        &self,
        network: &TrainableNetwork,
        spans: Option<&[Vec<SpanRange>]>,
    ) -> Result<usize> {
        let (rows, tape) = self.forward(network, spans)?;
        Ok(pass_bytes(&rows, &tape))
    }

    /// Runs a network backward, and adds the gradient of the shared rows to that of the batch.
    ///
    /// # Errors
    ///
    /// Those of [`TrainableNetwork::backward`].
    pub fn backward(
        &mut self,
        network: &TrainableNetwork,
        tape: Tape,
        d_rows: Vec<f32>,
        gradients: &mut Gradients,
    ) -> Result<()> {
        let d = network.backward(tape, d_rows, gradients, self.workers)?;
        if let Some(d) = d.filter(|_| self.shared_rows.is_some()) {
            self.shared_loss += sum_of_squares(d.numbers());
            self.d_shared = Some(match self.d_shared.take() {
                None => d,
                Some(sum) => sum_of(sum, &d),
            });
        }
        Ok(())
    }

    /// Returns the rows of the shared component for each document; nothing without them.
    fn tensors(&self) -> Vec<TensorView<'_>> {
        let Some(rows) = self.shared_rows else { return Vec::new() };
        let mut rest = rows.numbers();
        let of_doc = |example: &&Example| {
            let (own, after) = rest.split_at(example.predicted().len() * rows.width());
            rest = after;
            TensorView { width: rows.width(), numbers: own }
        };
        self.examples.iter().map(of_doc).collect()
    }
}

/// Returns the bytes of the results of a pass forward, of their gradients, and of what the pass
/// keeps and the pass backward makes.
pub(crate) fn pass_bytes(rows: &Rows, tape: &Tape) -> usize {
    2 * size_of_val(rows.numbers()) + tape.n_bytes() + tape.n_backward_bytes()
}

/// Adds rows to rows of the same lengths.
fn sum_of(sum: Rows, others: &Rows) -> Rows {
    let (width, lengths) = (sum.width(), sum.lengths().to_vec());
    let mut numbers = sum.into_numbers();
    numbers.iter_mut().zip(others.numbers()).for_each(|(sum, number)| *sum += number);
    Rows::with_lengths(width, numbers, lengths)
}

/// The tokens of a document with the rows of the shared component.
pub(crate) struct SharedTokens<'a> {
    pub(crate) tokens: &'a dyn TokenSource,
    pub(crate) tensor: Option<&'a TensorView<'a>>,
}

impl TokenSource for SharedTokens<'_> {
    fn len(&self) -> usize {
        self.tokens.len()
    }

    fn column(&self, attr: AttrId) -> Result<Vec<u64>> {
        self.tokens.column(attr)
    }

    fn text(&self, token: usize) -> &str {
        self.tokens.text(token)
    }

    fn tensor(&self) -> Option<TensorView<'_>> {
        match self.tensor {
            Some(tensor) => Some(TensorView { width: tensor.width, numbers: tensor.numbers }),
            None => self.tokens.tensor(),
        }
    }

    fn vectors(&self) -> Option<&dyn WordVectors> {
        self.tokens.vectors()
    }
}
