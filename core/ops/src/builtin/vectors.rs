//! `vectors.*`: products and cosines of vectors of 32-bit floats.
//!
//! A kernel for AVX2 checks the processor once more, at the cost of a load, so that a wrong key
//! cannot run it on a processor without AVX2.

use lexpool::codes;
use lexpool::vectors::{Kernel, cosines, cosines_on_threads};
use lexpool::{Error, Result};
use lexpool_plugin::{Array, Numbers};

use super::super::{Batch, op};
use super::zeros::zeros;

const DOT: &str = "The dot product of two vectors of equal width.\n\nThe last bits differ between \
                   processors. Raises ValueError vectors-shape if the widths differ.";
const NORM: &str = "The Euclidean length of a vector.";
const COSINE: &str = "The cosine of the angle between two vectors of equal width; 0 if one has \
                      length 0.\n\nRaises ValueError vectors-shape if the widths differ.";
const COSINES: &str = "The cosine of a vector with each row of a matrix; 0 if one of the two has \
                       length 0.\n\nUses all cores from some hundred thousand numbers on. Raises \
                       ValueError vectors-shape if the rows have another width.";

pub(super) fn declare(ops: &mut Batch) {
    op!(
        *ops,
        "vectors.dot"(a, b) = |a: &[f32], b: &[f32]| dot(Kernel::Plain, a, b),
        DOT,
        gil = by_size(16384)
    );
    op!(
        *ops,
        "vectors.dot"(a, b) = |a: &[f32], b: &[f32]| dot(Kernel::detect(), a, b),
        DOT,
        gil = by_size(16384),
        key = avx2
    );
    op!(
        *ops,
        "vectors.norm"(a) = |a: &[f32]| Kernel::Plain.dot(a, a).sqrt(),
        NORM,
        gil = by_size(16384)
    );
    op!(
        *ops,
        "vectors.norm"(a) = |a: &[f32]| Kernel::detect().dot(a, a).sqrt(),
        NORM,
        gil = by_size(16384),
        key = avx2
    );
    op!(
        *ops,
        "vectors.cosine"(a, b) = |a: &[f32], b: &[f32]| cosine(Kernel::Plain, a, b),
        COSINE,
        gil = by_size(16384)
    );
    op!(
        *ops,
        "vectors.cosine"(a, b) = |a: &[f32], b: &[f32]| cosine(Kernel::detect(), a, b),
        COSINE,
        gil = by_size(16384),
        key = avx2
    );
    op!(
        *ops,
        "vectors.cosines"(query, rows) = |query: &[f32], rows: Array<'_, f32>| {
            each(query, rows, |rows, out| {
                cosines(Kernel::Plain, query, rows, out);
                Ok(())
            })
        },
        COSINES,
        gil = by_size(4096)
    );
    op!(
        *ops,
        "vectors.cosines"(query, rows) = |query: &[f32], rows: Array<'_, f32>| {
            each(query, rows, |rows, out| {
                cosines(Kernel::detect(), query, rows, out);
                Ok(())
            })
        },
        COSINES,
        gil = by_size(4096),
        key = avx2
    );
    op!(
        *ops,
        "vectors.cosines"(query, rows) = |query: &[f32], rows: Array<'_, f32>| {
            each(query, rows, |rows, out| cosines_on_threads(query, rows, out))
        },
        COSINES,
        gil = by_size(4096),
        key = parallel
    );
}

fn dot(kernel: Kernel, a: &[f32], b: &[f32]) -> Result<f32> {
    same_width(a.len(), b.len())?;
    Ok(kernel.dot(a, b))
}

fn cosine(kernel: Kernel, a: &[f32], b: &[f32]) -> Result<f32> {
    let product = dot(kernel, a, b)?;
    let norms = kernel.dot(a, a).sqrt() * kernel.dot(b, b).sqrt();
    Ok(if norms == 0.0 { 0.0 } else { product / norms })
}

/// Computes the cosine of each row with a function that writes them.
fn each(
    query: &[f32],
    rows: Array<'_, f32>,
    write: impl FnOnce(&[f32], &mut [f32]) -> Result<()>,
) -> Result<Numbers<f32>> {
    let &[len, width] = rows.shape() else {
        let text = format!("rows of vectors have a shape of two numbers, not {:?}", rows.shape());
        return Err(Error::value(codes::VECTORS_SHAPE, text));
    };
    same_width(query.len(), usize::try_from(width).unwrap_or_default())?;
    let mut cosines = zeros(usize::try_from(len).unwrap_or_default(), 1)?;
    write(rows.items(), &mut cosines)?;
    Ok(cosines.into())
}

fn same_width(a: usize, b: usize) -> Result<()> {
    if a == b {
        return Ok(());
    }
    let text = format!("a vector of {a} numbers and one of {b}: expected as many");
    Err(Error::value(codes::VECTORS_SHAPE, text))
}
