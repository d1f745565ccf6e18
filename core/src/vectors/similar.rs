//! Exact nearest neighbours by cosine similarity: a brute-force search over all rows.

use lexpool_nn::{GemmOrder, PackedWeights, has_fast_gemm};

use super::dot::{Kernel, Queries};
use super::{RowTable, Vectors};
use crate::codes;
use crate::threads::{self, each};
use crate::{Error, Result};

/// The number of rows of 300 numbers that fit into the first-level cache beside four queries.
const BLOCK: usize = 18;
/// The number of rows of 300 numbers that fit into the second-level cache beside a batch.
const MAX_BLOCK: usize = 256;
/// The number of queries from which on they are packed into panels, of 16 each.
const PACKED: usize = 8;
/// The number of queries for each pass over the rows, which fit into the second-level cache.
const BATCH: usize = 128;

/// The `n` most similar rows of each query, the best first. All fields have `n` items a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Similar {
    /// The key of each row, the last inserted one of several.
    pub keys: Vec<u64>,
    /// The rows.
    pub rows: Vec<u32>,
    /// The cosines, rounded to four digits.
    pub scores: Vec<f32>,
}

impl Vectors {
    /// Returns the `n` rows most similar to each query, among the rows with a key.
    ///
    /// `queries` has `count` vectors. Of equally similar rows the higher one comes first. A vector
    /// of zeros has similarity 0 to all; rows with a NaN come last. Cost: rows times queries times
    /// width, on `threads` threads (0: one a core).
    ///
    /// # Errors
    ///
    /// `E858` in floret mode, `E198` if fewer than `n` rows have a key, `vectors-shape` for queries
    /// of another width or an `n` of 0.
    pub fn most_similar(
        &self,
        queries: &[f32],
        count: usize,
        n: usize,
        threads: usize,
    ) -> Result<Similar> {
        self.require_keys("most_similar")?;
        let keys = self.keys.by_row(self.rows.len());
        let filled: Vec<u32> = (0..).zip(&keys).filter_map(|(row, key)| key.map(|_| row)).collect();
        if filled.len() < n {
            let text = format!("cannot return the {n} most similar of {} rows", filled.len());
            return Err(Error::value(codes::E198, text));
        }
        if n == 0 || count.checked_mul(self.rows.width()) != Some(queries.len()) {
            let width = self.rows.width();
            let n_numbers = queries.len();
            let text = format!(
                "expected n of at least 1 and {count} queries of {width} numbers; \
                 found n of {n} and {n_numbers} numbers"
            );
            return Err(Error::value(codes::VECTORS_SHAPE, text));
        }
        let search = Search { rows: &self.rows, kernel: Kernel::detect(), n };
        let queries = search.units(queries, count);
        let best = search.best_on_threads(&filled, &queries, threads)?;
        let mut similar = Similar::default();
        for ScoredRow { score, row } in best.into_iter().flat_map(TopRows::into_sorted) {
            similar.keys.push(keys[row as usize].expect("a row that has a key"));
            similar.rows.push(row);
            let rounded = (score * 10_000.0).round_ties_even() / 10_000.0;
            similar.scores.push(rounded.clamp(-1.0, 1.0));
        }
        Ok(similar)
    }
}

struct Search<'a> {
    rows: &'a RowTable,
    kernel: Kernel,
    n: usize,
}

impl Search<'_> {
    /// Normalizes the queries to length 1, and packs them in batches. Zero vectors stay zero.
    fn units(&self, queries: &[f32], count: usize) -> Vec<Batch> {
        let width = self.rows.width();
        let mut units = queries.to_vec();
        for query in units.chunks_mut(width.max(1)) {
            let norm = query.iter().map(|n| f64::from(*n) * f64::from(*n)).sum::<f64>().sqrt();
            let norm = if norm == 0.0 { 1.0 } else { norm };
            for number in query {
                #[expect(clippy::cast_possible_truncation, reason = "at most 1")]
                let unit = (f64::from(*number) / norm) as f32;
                *number = unit;
            }
        }
        if width == 0 {
            return vec![Batch::Few(Queries::new(&vec![&[][..]; count], 0))];
        }
        let batch = |units: &[f32]| {
            if units.len() >= PACKED * width && has_fast_gemm() {
                return Batch::Many(PackedWeights::new(units, width));
            }
            let units: Vec<&[f32]> = units.chunks_exact(width).collect();
            Batch::Few(Queries::new(&units, width))
        };
        units.chunks(BATCH * width).map(batch).collect()
    }

    fn best_on_threads(
        &self,
        filled: &[u32],
        batches: &[Batch],
        threads: usize,
    ) -> Result<Vec<TopRows>> {
        let numbers = self.rows.width() * batches.iter().map(Batch::len).sum::<usize>();
        let fewest = (SHARE / numbers.max(1)).max(BLOCK);
        let share = filled.len().div_ceil(threads::size(threads)).max(fewest);
        let shares = filled.chunks(share).collect();
        let mut parts = each(shares, threads, 1, |rows| self.best(rows, batches))?.into_iter();
        let mut merged = parts.next().unwrap_or_default();
        for part in parts {
            for (into, best) in merged.iter_mut().zip(part) {
                for scored in best.rows {
                    into.offer(scored);
                }
            }
        }
        Ok(merged)
    }

    /// Returns the best of the given rows for each query. The rows must be ascending.
    fn best(&self, filled: &[u32], batches: &[Batch]) -> Vec<TopRows> {
        let mut all = Vec::new();
        for batch in batches {
            all.append(&mut match batch {
                Batch::Few(queries) => self.best_of_few(filled, queries),
                Batch::Many(queries) => self.best_of_many(filled, queries),
            });
        }
        all
    }

    fn best_of_few(&self, filled: &[u32], queries: &Queries) -> Vec<TopRows> {
        let mut products = vec![0.0; BLOCK * queries.len()];
        let mut best: Vec<TopRows> = (0..queries.len()).map(|_| TopRows::of(self.n)).collect();
        for block in filled.chunks(BLOCK) {
            let mut rows: [&[f32]; BLOCK] = [&[]; BLOCK];
            for (slot, &row) in rows.iter_mut().zip(block) {
                *slot = self.row(row);
            }
            let rows = &rows[..block.len()];
            let mut squares = [0.0; BLOCK];
            self.kernel.products(rows, queries, &mut squares, &mut products);
            let scales = squares.map(inverse_norm);
            for (best, products) in best.iter_mut().zip(products.chunks_exact(rows.len())) {
                for ((&row, product), scale) in block.iter().zip(products).zip(&scales) {
                    best.offer(ScoredRow { score: product * scale, row });
                }
            }
        }
        best
    }

    /// Does the same by a matrix product.
    fn best_of_many(&self, filled: &[u32], queries: &PackedWeights) -> Vec<TopRows> {
        let (width, count) = (self.rows.width(), queries.outputs());
        let mut products = vec![0.0; MAX_BLOCK * count];
        let mut best: Vec<TopRows> = (0..count).map(|_| TopRows::of(self.n)).collect();
        let mut starts = Vec::with_capacity(MAX_BLOCK);
        for block in filled.chunks(MAX_BLOCK) {
            starts.clear();
            starts.extend(block.iter().map(|row| *row as usize * width));
            let products = &mut products[..block.len() * count];
            queries.multiply_at(GemmOrder::Chain, self.rows.numbers(), &starts, products);
            for (&row, products) in block.iter().zip(products.chunks_exact(count)) {
                let numbers = self.row(row);
                let scale = inverse_norm(self.kernel.dot(numbers, numbers));
                for (best, product) in best.iter_mut().zip(products) {
                    best.offer(ScoredRow { score: product * scale, row });
                }
            }
        }
        best
    }

    fn row(&self, row: u32) -> &[f32] {
        self.rows.get(row as usize).expect("a row of the table")
    }
}

/// Normalized queries that are multiplied with rows together.
enum Batch {
    /// Fewer than [`PACKED`], or any number on a processor that does not fuse products with
    /// additions.
    Few(Queries),
    Many(PackedWeights),
}

impl Batch {
    fn len(&self) -> usize {
        match self {
            Batch::Few(queries) => queries.len(),
            Batch::Many(queries) => queries.outputs(),
        }
    }
}

/// Returns the factor that gives a vector length 1, of the sum of its squares; 0 for zeros.
fn inverse_norm(squares: f32) -> f32 {
    if squares == 0.0 { 0.0 } else { 1.0 / squares.sqrt() }
}

/// Writes the cosine of each row with a query to `out`. `rows` is row-major, with the width of the
/// query. A zero vector has cosine 0 to all.
pub fn cosines(kernel: Kernel, query: &[f32], rows: &[f32], out: &mut [f32]) {
    let width = query.len();
    let norm = kernel.dot(query, query).sqrt();
    if width == 0 || norm == 0.0 {
        return out.fill(0.0);
    }
    let queries = Queries::new(&[query], width);
    for (block, out) in rows.chunks(BLOCK * width).zip(out.chunks_mut(BLOCK)) {
        let mut rows: [&[f32]; BLOCK] = [&[]; BLOCK];
        for (slot, row) in rows.iter_mut().zip(block.chunks_exact(width)) {
            *slot = row;
        }
        let mut squares = [0.0; BLOCK];
        kernel.products(&rows[..out.len()], &queries, &mut squares, out);
        for (cosine, square) in out.iter_mut().zip(squares) {
            *cosine = if square == 0.0 { 0.0 } else { *cosine / (square.sqrt() * norm) };
        }
    }
}

/// Like [`cosines`], on all cores if there are enough numbers.
///
/// # Errors
///
/// `threads` if no thread can be started.
pub fn cosines_on_threads(query: &[f32], rows: &[f32], out: &mut [f32]) -> Result<()> {
    let (kernel, width) = (Kernel::detect(), query.len());
    if rows.len() < 2 * SHARE || width == 0 {
        cosines(kernel, query, rows, out);
        return Ok(());
    }
    let share = (SHARE / width).max(BLOCK);
    let parts = rows.chunks(share * width).zip(out.chunks_mut(share)).collect();
    each(parts, 0, 1, |(rows, out)| cosines(kernel, query, rows, out)).map(drop)
}

/// The minimum number of products of two numbers for each thread.
const SHARE: usize = 1 << 17;

#[derive(Clone, Copy)]
struct ScoredRow {
    score: f32,
    row: u32,
}

/// The `n` best rows so far, and up to `n + 31` others that were not removed yet.
struct TopRows {
    n: usize,
    rows: Vec<ScoredRow>,
    /// Rows with a lower score are not among the best.
    min_score: f32,
}

impl TopRows {
    fn of(n: usize) -> TopRows {
        TopRows { n, rows: Vec::new(), min_score: f32::NEG_INFINITY }
    }

    #[inline]
    fn offer(&mut self, mut scored: ScoredRow) {
        if scored.score < self.min_score {
            return;
        }
        if scored.score.is_nan() {
            scored.score = f32::NEG_INFINITY;
        }
        self.rows.push(scored);
        if self.rows.len() >= 2 * self.n + 32 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.rows.len() > self.n {
            let (_, last, _) = self.rows.select_nth_unstable_by(self.n - 1, |a, b| a.compare(*b));
            self.min_score = last.score;
            self.rows.truncate(self.n);
        }
    }

    fn into_sorted(mut self) -> Vec<ScoredRow> {
        self.cut();
        self.rows.sort_unstable_by(|a, b| a.compare(*b));
        self.rows
    }
}

impl ScoredRow {
    /// Orders higher scores first.
    fn compare(self, other: ScoredRow) -> std::cmp::Ordering {
        other.score.total_cmp(&self.score).then(other.row.cmp(&self.row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(numbers: Vec<f32>, width: usize) -> Vectors {
        let len = numbers.len() / width;
        let mut vectors = Vectors::from_rows(RowTable::new(numbers, len, width).unwrap());
        for row in 0..len {
            vectors.add(1000 + row as u64, Some(row), None).unwrap();
        }
        vectors
    }

    /// Numbers that look random, from 64-bit steps of a linear congruence.
    fn numbers(count: usize, mut state: u64) -> Vec<f32> {
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let high = u16::try_from(state >> 48).expect("sixteen bits");
            f32::from(high) / 65536.0 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    /// Returns a number that is ordered as a cosine.
    fn ordered(cosine: f64) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^62")]
        let scaled = (cosine * 2f64.powi(60)) as i64;
        scaled
    }

    #[test]
    fn the_best_are_those_that_sorting_all_would_give() {
        let (width, n) = (13, 40);
        // One query, some, a batch of panels, and a batch with a rest; enough rows for the threads.
        for (count, threads, len) in
            [(1, 1, 1000), (5, 3, 5000), (BATCH, 1, 1000), (BATCH + 3, 3, 1000)]
        {
            let vectors = table(numbers(len * width, 7), width);
            let queries = numbers(count * width, 99);
            let similar = vectors.most_similar(&queries, count, n, threads).unwrap();
            for (q, query) in queries.chunks(width).enumerate() {
                let dot = |a: &[f32], b: &[f32]| -> f64 {
                    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
                };
                let cosine = |row: u32| {
                    let row = vectors.rows().get(row as usize).unwrap();
                    dot(query, row) / (dot(query, query) * dot(row, row)).sqrt()
                };
                let mut expected: Vec<u32> = (0..u32::try_from(len).unwrap()).collect();
                expected.sort_by_cached_key(|&row| std::cmp::Reverse(ordered(cosine(row))));
                expected.truncate(n);
                assert_eq!(similar.rows[q * n..(q + 1) * n], expected);
                for (i, &row) in expected.iter().enumerate() {
                    assert!((f64::from(similar.scores[q * n + i]) - cosine(row)).abs() < 6e-5);
                    assert_eq!(similar.keys[q * n + i], 1000 + u64::from(row));
                }
            }
        }
    }

    #[test]
    fn scores_are_rounded_and_equal_rows_come_highest_first() {
        let vectors = table(vec![1.0, 2.0, 3.0, 1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 0.0, 0.0, 0.0], 3);
        let similar = vectors.most_similar(&[2.0, 4.0, 6.0], 1, 4, 1).unwrap();
        assert_eq!(similar.rows, [1, 0, 3, 2]);
        assert_eq!(similar.scores, [1.0, 1.0, 0.0, -1.0]);
        let similar = vectors.most_similar(&[0.0; 3], 1, 1, 1).unwrap();
        assert_eq!(similar.scores, [0.0]);
    }

    #[test]
    fn cosines_on_one_thread_and_on_many_are_those_of_the_definition() {
        let (len, width) = (2_000, 150);
        let (rows, query) = (numbers(len * width, 3), numbers(width, 4));
        let (mut one, mut many) = (vec![0.0; len], vec![0.0; len]);
        cosines(Kernel::Plain, &query, &rows, &mut one);
        cosines_on_threads(&query, &rows, &mut many).unwrap();
        let dot = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        for (row, found) in rows.chunks(width).zip(one.iter().zip(&many)) {
            let exact = dot(&query, row) / (dot(&query, &query) * dot(row, row)).sqrt();
            assert!((f64::from(*found.0) - exact).abs() < 1e-5, "{} {exact}", found.0);
            assert!((f64::from(*found.1) - exact).abs() < 1e-5, "{} {exact}", found.1);
        }
    }

    #[test]
    fn rows_with_nan_come_last() {
        let mut numbers = vec![1.0; 200];
        numbers[198..].fill(f32::NAN);
        let similar = table(numbers, 2).most_similar(&[1.0, 1.0], 1, 100, 1).unwrap();
        assert_eq!((similar.rows[0], similar.rows[99]), (98, 99));
    }

    #[test]
    fn only_rows_with_a_key_are_looked_at() {
        let rows = RowTable::new(vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0], 3, 2).unwrap();
        let mut vectors = Vectors::from_rows(rows);
        vectors.add(5, Some(1), None).unwrap();
        let similar = vectors.most_similar(&[1.0, 0.0], 1, 1, 1).unwrap();
        assert_eq!((similar.rows[0], similar.keys[0]), (1, 5));
        assert_eq!(vectors.most_similar(&[1.0, 0.0], 1, 2, 1).unwrap_err().code(), "E198");
        assert_eq!(vectors.most_similar(&[1.0], 1, 1, 1).unwrap_err().code(), "vectors-shape");
        assert_eq!(vectors.most_similar(&[1.0, 0.0], 1, 0, 1).unwrap_err().code(), "vectors-shape");
    }
}
