//! Convolutions over documents, one after another.

use std::collections::VecDeque;
use std::iter;
use std::ops::Range;
use std::sync::OnceLock;

use lexpool_error::Result;

use super::dense::check_width;
use super::{Context, Module, Shape, Value, WordInputs};
use crate::infer::convolution::{Convolution, MARGIN};
use crate::infer::rows::Rows;
use crate::infer::scratch::Scratch;
use crate::infer::sums::GemmOrder;
use crate::infer::winograd::TILE;

/// The number of rows of a piece: only long documents are divided.
const PIECE: usize = 1 << 10;
/// The number of rows that are computed together, besides those that pieces depend on.
const BATCH: usize = 2 * PIECE;

/// Runs convolutions on documents between rows of zeros, which are dropped from the result.
///
/// Documents lie side by side in a buffer, each with its own rows of zeros on both sides, as many
/// as a result depends on. Thus a document sees none of the others, and the weights are read once
/// for some thousand rows. Rows of zeros that are too far away to see the document all have one
/// result in a layer, which is computed once.
///
/// A long document is computed in pieces, so that the buffers stay small. A piece has the rows on
/// which its results depend; it begins where a tile begins, so its results have the same rounding
/// as those of the whole.
#[derive(Debug)]
pub(super) struct WindowEncoder {
    layers: Vec<Convolution>,
    /// The result of each layer for rows that see zeros only; computed for the first documents,
    /// since it takes the transformed weights.
    constants: OnceLock<Vec<Vec<f32>>>,
    order: GemmOrder,
    /// The number of rows on each side on which a result depends.
    reach: usize,
}

/// Some rows of a document.
struct Piece {
    document: usize,
    /// The rows with those on both sides on which results depend, by their value or rounding.
    input_tokens: Range<usize>,
    output_tokens: Range<usize>,
}

impl WindowEncoder {
    /// Makes an encoder of at least one convolution.
    pub(super) fn new(layers: Vec<Convolution>, order: GemmOrder) -> WindowEncoder {
        let reach = layers.iter().map(Convolution::window).sum();
        WindowEncoder { layers, constants: OnceLock::new(), order, reach }
    }

    fn constants(&self) -> &[Vec<f32>] {
        self.constants.get_or_init(|| constants(&self.layers, self.order))
    }

    fn run_on(&self, order: GemmOrder, documents: Vec<Rows>) -> Vec<Rows> {
        let width = self.width();
        let lengths: Vec<usize> = documents.iter().map(Rows::len).collect();
        let mut results: Vec<Vec<f32>> =
            lengths.iter().map(|len| Vec::with_capacity(len * width)).collect();
        let mut pieces = self.pieces(&lengths);
        while !pieces.is_empty() {
            let mut n_rows = 0;
            let is_in_batch = |piece: &&Piece| {
                n_rows += piece.output_tokens.len();
                n_rows <= BATCH
            };
            let n_pieces = pieces.iter().take_while(is_in_batch).count().max(1);
            let batch: Vec<Piece> = pieces.drain(..n_pieces).collect();
            self.run_on_pieces(order, &documents, &batch, &mut results);
        }
        let results = documents.into_iter().zip(results);
        results.map(|(rows, result)| rows.map(width, |_| result)).collect()
    }

    /// Divides documents of some lengths.
    fn pieces(&self, lengths: &[usize]) -> VecDeque<Piece> {
        let n_beside: usize = self.layers.iter().map(|layer| layer.window() + MARGIN).sum();
        let n_beside = n_beside.next_multiple_of(TILE);
        let all = lengths.iter().copied().enumerate().flat_map(|(document, len)| {
            (0..len).step_by(PIECE).map(move |start| {
                let end = len.min(start + PIECE);
                let input_tokens = start.saturating_sub(n_beside)..len.min(end + n_beside);
                Piece { document, input_tokens, output_tokens: start..end }
            })
        });
        all.collect()
    }

    /// Runs the layers on pieces. Appends the rows that are kept to the results of the documents.
    fn run_on_pieces(
        &self,
        order: GemmOrder,
        documents: &[Rows],
        pieces: &[Piece],
        results: &mut [Vec<f32>],
    ) {
        let input_width = self.layers[0].input_width();
        let mut places = Vec::with_capacity(pieces.len());
        let mut n_rows = 0;
        for piece in pieces {
            let start = n_rows + self.reach;
            places.push(start..start + piece.input_tokens.len());
            n_rows = start + piece.input_tokens.len() + self.reach + MARGIN;
        }
        let mut source = Scratch::zeros(n_rows * input_width);
        for (piece, place) in pieces.iter().zip(&places) {
            let rows = documents[piece.document].numbers();
            source[place.start * input_width..place.end * input_width].copy_from_slice(
                &rows[piece.input_tokens.start * input_width..][..place.len() * input_width],
            );
        }
        // The numbers of rows on each side that have seen the document, and that it still sees.
        let (mut seen, mut left) = (0, self.reach);
        for (layer, constant) in self.layers.iter().zip(self.constants()) {
            seen += layer.window();
            left -= layer.window();
            let near = seen.min(left);
            let ranges: Vec<_> =
                places.iter().map(|place| place.start - near..place.end + near).collect();
            let mut out = Scratch::any(n_rows * layer.width());
            layer.apply(order, &source, &ranges, &mut out);
            fill_between(&mut out, &ranges, constant);
            source = out;
        }
        let width = self.width();
        for (piece, place) in pieces.iter().zip(places) {
            let first = place.start + piece.output_tokens.start - piece.input_tokens.start;
            let rows = &source[first * width..][..piece.output_tokens.len() * width];
            results[piece.document].extend_from_slice(rows);
        }
    }

    fn width(&self) -> usize {
        self.layers.last().map_or(0, Convolution::width)
    }
}

/// Fills the rows before, between and behind ranges with a row.
fn fill_between(rows: &mut [f32], ranges: &[Range<usize>], row: &[f32]) {
    let ends = ranges.iter().map(|range| range.end);
    let starts = ranges.iter().map(|range| range.start);
    let n_rows = rows.len() / row.len();
    for (end, start) in iter::once(0).chain(ends).zip(starts.chain([n_rows])) {
        for out in rows[end * row.len()..start * row.len()].chunks_exact_mut(row.len()) {
            out.copy_from_slice(row);
        }
    }
}

/// Computes the result of each layer for rows that see zeros only.
fn constants(layers: &[Convolution], order: GemmOrder) -> Vec<Vec<f32>> {
    let mut constants: Vec<Vec<f32>> = Vec::with_capacity(layers.len());
    for layer in layers {
        let input = constants.last().cloned().unwrap_or(vec![0.0; layer.input_width()]);
        let n_rows = 2 * layer.window() + 1;
        let source = input.repeat(n_rows + MARGIN);
        let mut out = vec![0.0; (n_rows + MARGIN) * layer.width()];
        let middle = layer.window()..layer.window() + 1;
        layer.apply(order, &source, std::slice::from_ref(&middle), &mut out);
        constants.push(out[middle.start * layer.width()..middle.end * layer.width()].to_vec());
    }
    constants
}

impl Module for WindowEncoder {
    fn collect_word_inputs(&self, _inputs: &mut WordInputs) -> bool {
        self.reach == 0
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        self.layers.iter().try_fold(input, |shape, layer| layer.output_shape(shape))
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        let mut results = self.run_on(context.order, vec![value.into_rows()]);
        Ok(Value::Rows(results.remove(0)))
    }

    fn run_all(&self, group: &[Context<'_>], values: Vec<Value>) -> Result<Vec<Value>> {
        let Some(context) = group.first() else { return Ok(values) };
        let documents = values.into_iter().map(Value::into_rows).collect();
        Ok(self.run_on(context.order, documents).into_iter().map(Value::Rows).collect())
    }
}

impl Module for Convolution {
    fn collect_word_inputs(&self, _inputs: &mut WordInputs) -> bool {
        self.window() == 0
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        let unit = check_width(input, self.input_width())?;
        Ok(Shape::Rows(unit, self.width()))
    }

    /// Rows beyond the ends are zeros.
    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        let rows = value.into_rows();
        let (window, width, n_rows) = (self.window(), self.input_width(), rows.len());
        let mut source = vec![0.0; (n_rows + 2 * window + MARGIN) * width];
        source[window * width..][..n_rows * width].copy_from_slice(rows.numbers());
        let mut out = vec![0.0; (n_rows + 2 * window + MARGIN) * self.width()];
        let inner = window..window + n_rows;
        self.apply(context.order, &source, std::slice::from_ref(&inner), &mut out);
        let numbers = out[inner.start * self.width()..inner.end * self.width()].to_vec();
        Ok(Value::Rows(rows.map(self.width(), |_| numbers)))
    }

    fn reach(&self) -> Option<usize> {
        Some(self.window())
    }
}
