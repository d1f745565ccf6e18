//! Modules that read a document: ids of attributes and their embeddings, word vectors, the tensor
//! of another component.

use lexpool_error::{Error, Result, codes};
use lexpool_structs::AttrId;

use super::{Context, Module, Needs, RowUnit, Shape, Value, WordInputs};
use crate::infer::packed::PackedWeights;
use crate::infer::rows::Rows;
use crate::infer::tokens::{WordVectors, wrong_vectors};
use crate::infer::weights::HashEmbed;

/// Reads attributes of tokens.
#[derive(Debug)]
pub(super) struct ExtractFeatures(pub(super) Vec<AttrId>);

impl Module for ExtractFeatures {
    fn collect_word_inputs(&self, inputs: &mut WordInputs) -> bool {
        self.0.iter().for_each(|attr| inputs.add(*attr));
        true
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        tokens_of(input)?;
        Ok(Shape::Ids(self.0.len()))
    }

    fn run(&self, context: &Context<'_>, _value: Value) -> Result<Value> {
        let columns = self.0.iter().map(|attr| context.tokens.column(*attr));
        columns.collect::<Result<_>>().map(Value::Ids)
    }
}

/// Embeds one column of ids.
#[derive(Debug)]
pub(super) struct ColumnEmbed {
    pub(super) column: usize,
    pub(super) embed: HashEmbed,
}

impl Module for ColumnEmbed {
    fn collect_word_inputs(&self, _inputs: &mut WordInputs) -> bool {
        true
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        match input {
            Shape::Ids(columns) if self.column < columns => {
                Ok(Shape::Rows(RowUnit::Token, self.embed.width()))
            }
            other => Err(format!("it embeds column {} of ids, and is given {other}", self.column)),
        }
    }

    fn run(&self, _context: &Context<'_>, value: Value) -> Result<Value> {
        let columns = value.into_ids();
        Ok(Value::Rows(Rows::new(self.embed.width(), self.embed.apply(&columns[self.column]))))
    }

    fn takes_ids(&self) -> bool {
        true
    }
}

/// Multiplies word vectors with weights.
#[derive(Debug)]
pub(super) struct StaticVectors {
    pub(super) weights: PackedWeights,
    /// True if words without a vector have the last one of the table, as in the first version of
    /// the layer; zeros otherwise.
    pub(super) missing_is_last: bool,
}

impl Module for StaticVectors {
    fn collect_word_inputs(&self, inputs: &mut WordInputs) -> bool {
        inputs.add_vector();
        true
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        tokens_of(input)?;
        Ok(Shape::Rows(RowUnit::Token, self.weights.outputs()))
    }

    fn run(&self, context: &Context<'_>, _value: Value) -> Result<Value> {
        let (n_tokens, width) = (context.tokens.len(), self.weights.width());
        let vectors = context.tokens.vectors().filter(|vectors| vectors.width() == width);
        let vectors = vectors.ok_or_else(|| {
            wrong_vectors(width, context.tokens.vectors().map_or(0, WordVectors::width))
        })?;
        let mut rows = vec![0.0; n_tokens * width];
        let mut missing = Vec::new();
        for (token, row) in rows.chunks_exact_mut(width).enumerate() {
            if vectors.read(token, row) {
                continue;
            }
            match vectors.last_row().filter(|_| self.missing_is_last) {
                Some(last) => row.copy_from_slice(last),
                None => missing.push(token),
            }
        }
        let outputs = self.weights.outputs();
        let mut product = self.weights.multiply(context.order, &rows);
        for token in missing {
            product[token * outputs..(token + 1) * outputs].fill(0.0);
        }
        Ok(Value::Rows(Rows::new(outputs, product)))
    }

    fn collect_needs(&self, needs: &mut Needs) {
        needs.vector_widths.push(self.weights.width());
    }
}

/// Reads the vectors that a shared component has computed; zeros if it has not run.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) width: usize,
}

impl Module for Listener {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        tokens_of(input)?;
        Ok(Shape::Rows(RowUnit::Token, self.width))
    }

    fn run(&self, context: &Context<'_>, _value: Value) -> Result<Value> {
        let n_tokens = context.tokens.len();
        let numbers = match context.tokens.tensor() {
            None => vec![0.0; n_tokens * self.width],
            Some(tensor)
                if tensor.width == self.width && tensor.numbers.len() == n_tokens * self.width =>
            {
                tensor.numbers.to_vec()
            }
            Some(tensor) => {
                let text = format!(
                    "the document's tensor has {} numbers in rows of {}; expected {n_tokens} rows \
                     of {}",
                    tensor.numbers.len(),
                    tensor.width,
                    self.width
                );
                return Err(Error::value(codes::MODEL_TENSOR, text));
            }
        };
        Ok(Value::Rows(Rows::new(self.width, numbers)))
    }

    fn collect_needs(&self, needs: &mut Needs) {
        needs.tensor_widths.push(self.width);
    }
}

/// Checks that a shape is that of a document.
pub(super) fn tokens_of(input: Shape) -> Result<(), String> {
    if input == Shape::Tokens {
        return Ok(());
    }
    Err(format!("it takes a document, not {input}"))
}
