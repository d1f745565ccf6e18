//! Dot products of rows and queries: a matrix product with cache blocking and register tiling.
//!
//! Contains unsafe code: calls `#[target_feature]` functions after a runtime CPU check. Invariant:
//!
//! - `A1`: `Kernel::Avx2` exists only after `detect` has found AVX2 and FMA.
//!
//! Memory bandwidth limits a product of two vectors. So all queries are multiplied with a block of
//! rows that fits into the first-level cache before the next block is loaded, and within a block
//! `ROWS` rows are multiplied with `QUERIES` queries at a time: each loaded number is used for
//! several products.

#![expect(
    clippy::inline_always,
    reason = "inlined into callers with a target feature, to be compiled with it"
)]

/// The number of floats in a register.
const LANES: usize = 8;
/// The rows and queries of a tile, whose sums fill the registers.
const ROWS: usize = 3;
const QUERIES: usize = 4;

type Group = [f32; LANES];

/// Queries of one width, in groups of the size of a register.
///
/// If the width is not a multiple of that size, the last group has the last `LANES` numbers, with
/// zeros for those that are in the group before as well. So rows need no padding.
pub(super) struct Queries {
    width: usize,
    groups: Vec<Group>,
    /// The number of groups of a query.
    stride: usize,
    count: usize,
}

impl Queries {
    /// Packs queries of `width` numbers.
    pub(super) fn new(queries: &[&[f32]], width: usize) -> Queries {
        let n_full = width / LANES;
        let stride = width.div_ceil(LANES);
        let mut groups = Vec::with_capacity(stride * queries.len());
        for query in queries {
            let (head, tail) = query.split_at(n_full * LANES);
            groups.extend_from_slice(bytemuck::cast_slice(head));
            if !tail.is_empty() {
                let mut group = [0.0; LANES];
                group[LANES - tail.len()..].copy_from_slice(tail);
                groups.push(group);
            }
        }
        Queries { width, groups, stride, count: queries.len() }
    }

    /// Returns the number of queries.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    fn query(&self, at: usize) -> &[Group] {
        &self.groups[at * self.stride..(at + 1) * self.stride]
    }
}

/// The instruction set of the products. Results differ in the last bits between kernels.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// The baseline instructions of the architecture.
    Plain,
    /// AVX2 with fused multiply-add (A1): other crates get it from [`detect`](Kernel::detect) only.
    #[cfg(target_arch = "x86_64")]
    #[non_exhaustive]
    Avx2,
}

impl Kernel {
    /// Returns the fastest kernel of this processor.
    pub fn detect() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Kernel::Avx2;
        }
        Kernel::Plain
    }

    /// Writes the product of each row with each query to `out[query * rows.len() + row]`, and of
    /// each row with itself to `squares`. Rows must have the width of the queries.
    pub(super) fn products(
        self,
        rows: &[&[f32]],
        queries: &Queries,
        squares: &mut [f32],
        out: &mut [f32],
    ) {
        match self {
            // AArch64 has fused multiply-add in its baseline.
            Kernel::Plain if cfg!(target_arch = "aarch64") => {
                products::<true>(rows, queries, squares, out);
            }
            Kernel::Plain => products::<false>(rows, queries, squares, out),
            // SAFETY: A1: the processor has AVX2 and FMA.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { products_avx2(rows, queries, squares, out) },
        }
    }

    /// Returns the dot product of two vectors, up to the shorter length.
    pub fn dot(self, a: &[f32], b: &[f32]) -> f32 {
        match self {
            Kernel::Plain if cfg!(target_arch = "aarch64") => pair::<true>(a, b),
            Kernel::Plain => pair::<false>(a, b),
            // SAFETY: A1: the processor has AVX2 and FMA.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => unsafe { pair_avx2(a, b) },
        }
    }
}

/// Compiles [`pair`] for AVX2 and FMA.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn pair_avx2(a: &[f32], b: &[f32]) -> f32 {
    pair::<true>(a, b)
}

/// Compiles [`products`] for AVX2 and FMA.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn products_avx2(rows: &[&[f32]], queries: &Queries, squares: &mut [f32], out: &mut [f32]) {
    products::<true>(rows, queries, squares, out);
}

#[inline(always)]
fn products<const FUSED: bool>(
    rows: &[&[f32]],
    queries: &Queries,
    squares: &mut [f32],
    out: &mut [f32],
) {
    for (row, out) in rows.iter().zip(squares) {
        *out = pair::<FUSED>(row, row);
    }
    let count = rows.len();
    if queries.width < LANES {
        for (i, out) in out.iter_mut().enumerate().take(queries.count * count) {
            let pairs =
                rows[i % count].iter().rev().zip(queries.query(i / count).iter().flatten().rev());
            *out = pairs.map(|(a, b)| a * b).sum();
        }
        return;
    }
    let mut q = 0;
    while q + QUERIES <= queries.count {
        let group = std::array::from_fn::<_, QUERIES, _>(|i| queries.query(q + i));
        strip::<QUERIES, FUSED>(rows, &group, &mut out[q * count..]);
        q += QUERIES;
    }
    for q in q..queries.count {
        strip::<1, FUSED>(rows, &[queries.query(q)], &mut out[q * count..]);
    }
}

/// Multiplies all rows with `Q` queries.
#[inline(always)]
fn strip<const Q: usize, const FUSED: bool>(
    rows: &[&[f32]],
    queries: &[&[Group]; Q],
    out: &mut [f32],
) {
    let count = rows.len();
    let mut r = 0;
    while r + ROWS <= count {
        let group = std::array::from_fn::<_, ROWS, _>(|i| rows[r + i]);
        tile::<ROWS, Q, FUSED>(&group, queries, &mut out[r..], count);
        r += ROWS;
    }
    for r in r..count {
        tile::<1, Q, FUSED>(&[rows[r]], queries, &mut out[r..], count);
    }
}

/// Multiplies `R` rows with `Q` queries. The products of the first query go to the start of `out`,
/// those of each next query `stride` further.
#[inline(always)]
fn tile<const R: usize, const Q: usize, const FUSED: bool>(
    rows: &[&[f32]; R],
    queries: &[&[Group]; Q],
    out: &mut [f32],
    stride: usize,
) {
    let width = rows[0].len();
    let n = width / LANES;
    let lanes = rows.map(|row| &bytemuck::cast_slice::<f32, Group>(&row[..n * LANES])[..n]);
    let heads = queries.map(|query| &query[..n]);
    let mut sums = [[[0.0; LANES]; R]; Q];
    for at in 0..n {
        let rows: [Group; R] = std::array::from_fn(|r| lanes[r][at]);
        for q in 0..Q {
            let query = heads[q][at];
            for r in 0..R {
                add::<FUSED>(&mut sums[q][r], &rows[r], &query);
            }
        }
    }
    if width % LANES != 0 {
        let rows: [Group; R] = std::array::from_fn(|r| {
            *rows[r].last_chunk().expect("a row has at least LANES numbers")
        });
        for q in 0..Q {
            let query = queries[q][n];
            for r in 0..R {
                add::<FUSED>(&mut sums[q][r], &rows[r], &query);
            }
        }
    }
    for q in 0..Q {
        for r in 0..R {
            out[q * stride + r] = total(&sums[q][r]);
        }
    }
}

/// Returns the dot product of two vectors, by independent partial sums.
#[inline(always)]
fn pair<const FUSED: bool>(a: &[f32], b: &[f32]) -> f32 {
    const CHAINS: usize = 4;
    let len = a.len().min(b.len());
    let full_len = len / LANES * LANES;
    let (a, left_rest) = a[..len].split_at(full_len);
    let (b, right_rest) = b[..len].split_at(full_len);
    let (a, b) = (bytemuck::cast_slice::<f32, Group>(a), bytemuck::cast_slice::<f32, Group>(b));
    let mut sums = [[0.0; LANES]; CHAINS];
    let (mut lefts, mut rights) = (a.chunks_exact(CHAINS), b.chunks_exact(CHAINS));
    for (left, right) in (&mut lefts).zip(&mut rights) {
        for chain in 0..CHAINS {
            add::<FUSED>(&mut sums[chain], &left[chain], &right[chain]);
        }
    }
    let groups = lefts.remainder().iter().zip(rights.remainder());
    for (sums, (left, right)) in sums.iter_mut().zip(groups) {
        add::<FUSED>(sums, left, right);
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().map(total).sum::<f32>() + rest
}

#[inline(always)]
fn total(sums: &Group) -> f32 {
    let (low, high) = sums.split_at(LANES / 2);
    let pair = |lane: usize| low[lane] + high[lane];
    (pair(0) + pair(2)) + (pair(1) + pair(3))
}

#[inline(always)]
fn add<const FUSED: bool>(sums: &mut Group, a: &Group, b: &Group) {
    for lane in 0..LANES {
        if FUSED {
            sums[lane] = a[lane].mul_add(b[lane], sums[lane]);
        } else {
            sums[lane] += a[lane] * b[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(count: usize, width: usize, seed: usize) -> Vec<Vec<f32>> {
        let number = |i: usize| {
            let residue = u16::try_from((i * 7919 + seed) % 1009).expect("less than 1009");
            f32::from(residue) / 500.0 - 1.0
        };
        (0..count).map(|v| (0..width).map(|i| number(v * width + i)).collect()).collect()
    }

    #[test]
    fn products_are_those_of_the_definition_in_every_shape() {
        for width in [0, 1, 7, 8, 9, 16, 31, 300] {
            for (rows, queries) in [(0, 2), (1, 1), (2, 4), (3, 5), (7, 9), (18, 0)] {
                let (rows, queries) = (vectors(rows, width, 1), vectors(queries, width, 5));
                let row_slices: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
                let query_slices: Vec<&[f32]> = queries.iter().map(Vec::as_slice).collect();
                for kernel in [Kernel::Plain, Kernel::detect()] {
                    let mut out = vec![f32::NAN; rows.len() * queries.len()];
                    let mut squares = vec![f32::NAN; rows.len()];
                    let prepared = Queries::new(&query_slices, width);
                    kernel.products(&row_slices, &prepared, &mut squares, &mut out);
                    for (row, found) in rows.iter().zip(squares) {
                        let exact: f64 = row.iter().map(|n| f64::from(*n) * f64::from(*n)).sum();
                        assert!((f64::from(found) - exact).abs() < 1e-4, "{found} {exact}");
                    }
                    for (i, found) in out.into_iter().enumerate() {
                        let (query, row) = (&queries[i / rows.len()], &rows[i % rows.len()]);
                        let product = |(a, b): (&f32, &f32)| f64::from(*a) * f64::from(*b);
                        let exact: f64 = query.iter().zip(row).map(product).sum();
                        assert!((f64::from(found) - exact).abs() < 1e-4, "{found} {exact}");
                        let found = kernel.dot(query, row);
                        assert!((f64::from(found) - exact).abs() < 1e-4, "{found} {exact}");
                    }
                }
            }
        }
    }
}
