//! Sums in the order of additions of BLIS and NumPy.
//!
//! Float addition is not associative, so a result with the bits of spaCy's needs the order of
//! spaCy's libraries. These are reference kernels: they state the order plainly and are not fast.
//!
//! - BLIS adds the products of an output number one after another, within blocks of the inner
//!   dimension; the sums of blocks are added in order. The size of a block and whether a product is
//!   fused with its addition depend on the processor ([`GemmOrder`]).
//! - NumPy sums a row pairwise: eight accumulators up to 128 numbers, two halves beyond.

use std::ops::Range;

/// The order of additions in a matrix product: the fastest, or that of BLIS's kernel for a kind of
/// processor. A result of one order differs from that of another in its last bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GemmOrder {
    /// One chain of fused operations over all products: the fastest.
    #[default]
    Chain,
    /// BLIS `generic`, which spaCy's wheels use on AMD since Zen 3: blocks of 256, no fused
    /// operations.
    Generic,
    /// BLIS `haswell`, `zen` and `zen2`: blocks of 256, fused.
    Haswell,
    /// BLIS `skx`, for processors with AVX-512: blocks of 384 and a last one of up to 480, fused.
    Skylake,
}

impl GemmOrder {
    /// All orders with their names.
    pub const ALL: [(&'static str, GemmOrder); 4] = [
        ("fast", GemmOrder::Chain),
        ("blis-generic", GemmOrder::Generic),
        ("blis-haswell", GemmOrder::Haswell),
        ("blis-skx", GemmOrder::Skylake),
    ];

    /// Returns the order of a name.
    ///
    /// ```
    /// use lexpool_nn::GemmOrder;
    ///
    /// assert_eq!(GemmOrder::from_name("blis-generic"), Some(GemmOrder::Generic));
    /// assert_eq!(GemmOrder::from_name("slow"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<GemmOrder> {
        GemmOrder::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, order)| order)
    }

    /// Returns the size of the next block if so many products are left.
    fn block(self, left: usize) -> usize {
        match self {
            GemmOrder::Generic | GemmOrder::Haswell => left.min(256),
            GemmOrder::Skylake if left > 480 => 384,
            GemmOrder::Skylake | GemmOrder::Chain => left,
        }
    }

    /// Returns the blocks of an inner dimension.
    pub(crate) fn blocks(self, width: usize) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let block = start..start + self.block(width - start);
            start = block.end;
            (!block.is_empty()).then_some(block)
        })
    }

    /// Returns whether a product is added without being rounded.
    pub(crate) fn is_fused(self) -> bool {
        self != GemmOrder::Generic
    }

    fn dot(self, a: &[f32], b: &[f32]) -> f32 {
        let products = a.iter().zip(b);
        if self.is_fused() {
            return products.fold(0.0, |sum, (a, b)| a.mul_add(*b, sum));
        }
        products.fold(0.0, |sum, (a, b)| sum + a * b)
    }
}

/// Multiplies the rows of `x` with the rows of `weights`, both of `width` numbers: the number for
/// row `i` of `x` and row `j` of `weights` is at `i * n + j`, where `n` is the number of rows of
/// `weights`.
///
/// # Panics
///
/// If `width` is 0 or does not divide both lengths.
///
/// ```
/// use lexpool_nn::{GemmOrder, multiply};
///
/// let product = multiply(GemmOrder::Generic, &[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0], 2);
/// assert_eq!(product, [11.0, 17.0]);
/// ```
pub fn multiply(order: GemmOrder, x: &[f32], weights: &[f32], width: usize) -> Vec<f32> {
    assert!(
        width > 0 && x.len() % width == 0 && weights.len() % width == 0,
        "rows of {width} numbers: {} and {} numbers",
        x.len(),
        weights.len()
    );
    let mut product = Vec::with_capacity(x.len() / width * (weights.len() / width));
    for x in x.chunks_exact(width) {
        product.extend(weights.chunks_exact(width).map(|weights| dot(order, x, weights)));
    }
    product
}

fn dot(order: GemmOrder, a: &[f32], b: &[f32]) -> f32 {
    let first = order.block(a.len());
    let mut sum = order.dot(&a[..first], &b[..first]);
    let mut at = first;
    while at < a.len() {
        let end = at + order.block(a.len() - at);
        sum += order.dot(&a[at..end], &b[at..end]);
        at = end;
    }
    sum
}

/// Sums numbers in the order of `numpy.sum` over a contiguous axis.
///
/// ```
/// use lexpool_nn::pairwise_sum;
///
/// assert_eq!(pairwise_sum(&[1e8, 1.0, -1e8]), 0.0);
/// ```
pub fn pairwise_sum(numbers: &[f32]) -> f32 {
    pairwise_sum_of(numbers, |number| number)
}

/// Sums a function of numbers in the order of [`pairwise_sum`].
#[inline]
pub fn pairwise_sum_of(numbers: &[f32], term: impl Fn(f32) -> f32 + Copy) -> f32 {
    if numbers.len() > MAX_BLOCK {
        return sum_of_halves(numbers, term);
    }
    sum_of_block(numbers, term)
}

/// The number of accumulators.
const LANES: usize = 8;
/// The most numbers that are summed without halving.
const MAX_BLOCK: usize = 128;

fn sum_of_halves(numbers: &[f32], term: impl Fn(f32) -> f32 + Copy) -> f32 {
    if numbers.len() <= MAX_BLOCK {
        return sum_of_block(numbers, term);
    }
    let half = numbers.len() / 2;
    let (left, right) = numbers.split_at(half - half % LANES);
    sum_of_halves(left, term) + sum_of_halves(right, term)
}

#[inline]
fn sum_of_block(numbers: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let Some((first, rest)) = numbers.split_first_chunk::<LANES>() else {
        return numbers.iter().fold(0.0, |sum, number| sum + term(*number));
    };
    // The first row is copied: 0.0 + -0.0 would lose a sign.
    let mut lanes = first.map(&term);
    let rows = rest.chunks_exact(LANES);
    let rest = rows.remainder();
    for row in rows {
        for (lane, value) in lanes.iter_mut().zip(row) {
            *lane += term(*value);
        }
    }
    let halves = [0, 4].map(|at| (lanes[at] + lanes[at + 1]) + (lanes[at + 2] + lanes[at + 3]));
    let sum = halves[0] + halves[1];
    rest.iter().fold(sum, |sum, number| sum + term(*number))
}

/// Adds numbers to those of a row.
#[inline]
pub(crate) fn add(sum: &mut [f32], numbers: &[f32]) {
    sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn numbers(range: std::ops::Range<usize>) -> Vec<f32> {
        range.map(|i| ((i * 37 % 101) as f32 - 50.0) / 7.0).collect()
    }

    #[test]
    fn a_pairwise_sum_has_the_bits_of_numpy() {
        for (n, expected) in [
            (0, 0),
            (3, 0xc0b2_4924),
            (8, 0xc122_4924),
            (100, 0xc000_000b),
            (129, 0xc0b2_4926),
            (300, 0xc092_4930),
        ] {
            assert_eq!(pairwise_sum(&numbers(0..n)).to_bits(), expected, "{n} numbers");
        }
    }

    #[test]
    fn a_product_has_the_bits_of_blis_on_each_kind_of_processor() {
        let (x, weights) = (numbers(0..700), numbers(700..1400));
        for (order, expected) in [
            (GemmOrder::Generic, 0xc5b4_482b),
            (GemmOrder::Haswell, 0xc5b4_482b),
            (GemmOrder::Skylake, 0xc5b4_4824),
        ] {
            assert_eq!(multiply(order, &x, &weights, 700)[0].to_bits(), expected, "{order:?}");
        }
    }

    #[test]
    fn a_product_does_not_depend_on_the_number_of_rows() {
        let (x, weights) = (numbers(0..600), numbers(600..1800));
        let all = multiply(GemmOrder::Generic, &x, &weights, 300);
        let rows = x.chunks(300).map(|row| multiply(GemmOrder::Generic, row, &weights, 300));
        assert_eq!(rows.flatten().collect::<Vec<_>>(), all);
    }
}
