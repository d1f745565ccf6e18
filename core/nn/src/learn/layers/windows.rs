//! Layers that see the neighbours of a row: windows, and the maxout layer above them.

use lexpool_error::Result;

use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};
use crate::infer::{PackedWeights, Rows, expand_window, vectorized};
use crate::learn::kernels::{self, Aligned, Windows};
use crate::learn::parameters::TensorIx;

/// The number of rows that a thread computes together: their inputs and sums stay in its caches.
const ROWS: usize = 24;
/// The number of outputs whose weights have their gradient computed together.
const OUTPUTS: usize = 8;

/// Puts each row beside its neighbours in its sequence.
///
/// thinc's neighbours are those in the batch, so that without padding the documents of a batch see
/// each other and a result depends on it. Here a document sees itself only, as in inference.
#[derive(Debug)]
pub(super) struct Window(pub(super) usize);

impl Layer for Window {
    fn forward(&self, _run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let width = rows.width();
        let mut numbers = Vec::with_capacity(rows.numbers().len() * (2 * self.0 + 1));
        let mut rest = rows.numbers();
        for length in rows.lengths() {
            let (sequence, after) = rest.split_at(length * width);
            numbers.extend(expand_window(sequence, width, self.0, 0..*length));
            rest = after;
        }
        tape.push(Saved::Lengths(rows.lengths().to_vec()));
        let lengths = rows.lengths().to_vec();
        Ok(Value::Rows(Rows::with_lengths(width * (2 * self.0 + 1), numbers, lengths)))
    }

    fn backward(&self, _run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let lengths = pop!(tape, Lengths);
        let width = d.width() / (2 * self.0 + 1);
        let mut d_input = vec![0.0; d.len() * width];
        let mut first = 0;
        for length in &lengths {
            let d_rows = &mut d_input[first * width..(first + length) * width];
            let d_windows = &d.numbers()[first * d.width()..(first + length) * d.width()];
            kernels::add_windows(d_windows, width, self.0, 0, d_rows);
            first += length;
        }
        Ok(Some(Rows::with_lengths(width, d_input, lengths)))
    }
}

/// A maxout layer of each row with `window` neighbours on each side. Its gradient is 0 but for the
/// winning pieces, and is multiplied as such.
#[derive(Debug)]
pub(super) struct Maxout {
    pub(super) window: usize,
    pub(super) weights: TensorIx,
    pub(super) bias: TensorIx,
    pub(super) pieces: usize,
}

impl Maxout {
    /// Puts the rows of sequences into one buffer with rows of zeros before, between and behind
    /// them, so that the neighbours of a row are around it.
    fn buffer(&self, rows: &Rows) -> (Vec<f32>, Vec<usize>) {
        let width = rows.width();
        let n_zeros = self.window * (rows.lengths().len() + 1);
        let mut buffer = Vec::with_capacity((rows.len() + n_zeros) * width);
        let mut starts = Vec::with_capacity(rows.len());
        let mut rest = rows.numbers();
        for length in rows.lengths() {
            let (sequence, after) = rest.split_at(length * width);
            buffer.resize(buffer.len() + self.window * width, 0.0);
            let first = buffer.len() / width - self.window;
            starts.extend((first..first + length).map(|row| row * width));
            buffer.extend_from_slice(sequence);
            rest = after;
        }
        buffer.resize(buffer.len() + self.window * width, 0.0);
        (buffer, starts)
    }
}

impl Layer for Maxout {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let bias = run.parameters.values(self.bias);
        let (pieces, width) = (self.pieces, rows.width() * (2 * self.window + 1));
        let outputs = bias.len() / pieces;
        // The first pieces of all outputs, then the second pieces: neighbours are compared.
        let pack = || {
            let apart = kernels::piece_by_piece(run.parameters.values(self.weights), pieces, width);
            PackedWeights::new(&apart, width)
        };
        let (weights, (buffer, starts)) = run.workers.both(pack, || self.buffer(&rows))?;
        let bias = kernels::piece_by_piece(bias, pieces, 1);
        let mut best = vec![0.0; rows.len() * outputs];
        let mut which = vec![0; rows.len() * outputs];
        let size = ROWS * outputs;
        let tiles = starts.chunks(ROWS).zip(best.chunks_mut(size).zip(which.chunks_mut(size)));
        let order = run.order;
        run.workers.each(tiles.collect(), |(starts, (best, which)): (&[usize], (_, _))| {
            let mut sums = vec![0.0; starts.len() * bias.len()];
            weights.multiply_at(order, &buffer, starts, &mut sums);
            vectorized(
                #[inline(always)]
                || kernels::largest_pieces(&sums, &bias, pieces, best, which),
            );
        })?;
        let lengths = rows.lengths().to_vec();
        tape.push(Saved::Lengths(lengths.clone()));
        tape.push(Saved::Numbers(buffer));
        tape.push(Saved::Pieces(which));
        Ok(Value::Rows(Rows::with_lengths(outputs, best, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let which = pop!(tape, Pieces);
        let (buffer, lengths) = (pop!(tape, Numbers), pop!(tape, Lengths));
        let outputs = d.width();
        let (d_weights, d_bias) = run.gradients.two_mut(self.weights, self.bias);
        let width = d_weights.len() / d_bias.len();
        let row_width = width / (2 * self.window + 1);
        let starts = kernels::starts(&lengths, self.window, row_width);
        let starts: Vec<u32> = starts.into_iter().map(kernels::place).collect();
        let of_rows = || Aligned::copy_of(&buffer);
        let of_weights = || {
            let weights = Aligned::copy_of(run.parameters.values(self.weights));
            (weights, vec![0.0; d.len() * width])
        };
        let (buffer, (weights, mut d_windows)) = run.workers.both(of_rows, of_weights)?;
        let windows = Windows { buffer: &buffer, starts: &starts, width };
        let winners =
            kernels::Winners { d: d.numbers(), which: &which, outputs, pieces: self.pieces };
        let size = OUTPUTS * self.pieces;
        let tiles = d_weights.chunks_mut(size * width).zip(d_bias.chunks_mut(size)).enumerate();
        run.workers.each(tiles.collect(), |(tile, (d_weights, d_bias))| {
            let first = tile * OUTPUTS;
            kernels::add_weight_gradients(windows, winners, first, d_weights, d_bias);
        })?;
        run.workers.tiles(&mut d_windows, ROWS * width, |tile, out| {
            kernels::input_gradients(winners, tile * ROWS, &weights, width, out);
        })?;
        if self.window == 0 {
            return Ok(Some(Rows::with_lengths(width, d_windows, lengths)));
        }
        let mut d_input = vec![0.0; d.len() * row_width];
        let (mut rest, mut first) = (&mut d_input[..], 0);
        let mut tiles = Vec::new();
        for length in &lengths {
            let (own, after) = rest.split_at_mut(length * row_width);
            let d_windows = &d_windows[first * width..(first + length) * width];
            tiles.extend(
                own.chunks_mut(4 * ROWS * row_width)
                    .enumerate()
                    .map(|(tile, out)| (d_windows, tile, out)),
            );
            (rest, first) = (after, first + length);
        }
        run.workers.each(tiles, |(d_windows, tile, out)| {
            kernels::add_windows(d_windows, row_width, self.window, tile * 4 * ROWS, out);
        })?;
        Ok(Some(Rows::with_lengths(row_width, d_input, lengths)))
    }
}
