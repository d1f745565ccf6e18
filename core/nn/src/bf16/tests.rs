use proptest::prelude::*;

use super::*;
use crate::layers::tests::{bits, numbers};

/// Rounds a number, by the distances to the two nearest numbers of bf16.
fn nearest(number: f32) -> f32 {
    let limited = number.clamp(-GREATEST, GREATEST);
    if limited.abs() < LEAST {
        return 0.0;
    }
    let below = limited.to_bits() & 0xffff_0000;
    let [below, above] = [below, below + 0x1_0000].map(f32::from_bits);
    let distance = |other: f32| (f64::from(limited) - f64::from(other)).abs();
    let is_even = below.to_bits() & 0x1_0000 == 0;
    match distance(below).total_cmp(&distance(above)) {
        std::cmp::Ordering::Less => below,
        std::cmp::Ordering::Equal if is_even => below,
        _ => above,
    }
}

/// Multiplies inputs with weights, both in rows of `width` numbers, as the instruction is
/// specified: a fused operation for each product, the second of a pair first.
fn product(inputs: &[f32], weights: &[f32], width: usize) -> f32 {
    let mut sum = 0.0;
    for (inputs, weights) in inputs.chunks_exact(width).zip(weights.chunks_exact(width)) {
        for (inputs, weights) in inputs.chunks(2).zip(weights.chunks(2)) {
            for (input, weight) in inputs.iter().zip(weights).rev() {
                sum = nearest(*input).mul_add(nearest(*weight), sum);
            }
        }
    }
    sum
}

/// Multiplies `n_rows` rows from each of `starts` on, with each kind of instructions, and compares
/// the products with those of [`product`].
fn check(source: &[f32], starts: &[usize], weights: &[f32], (n_rows, width): (usize, usize)) {
    let packed = Bf16Weights::new(weights, n_rows, width);
    let rows = Bf16Rows::new(source, width);
    let places: Vec<usize> = starts.iter().map(|row| row * rows.n_pairs()).collect();
    let expected = starts.iter().flat_map(|row| {
        let inputs = &source[row * width..(row + n_rows) * width];
        weights.chunks_exact(n_rows * width).map(|weights| product(inputs, weights, width))
    });
    let expected = bits(&expected.collect::<Vec<_>>());
    for instructions in Instructions::all() {
        let mut out = vec![f32::NAN; expected.len()];
        packed.multiply_with(instructions, &rows.pairs, &places, &mut out);
        assert_eq!(bits(&out), expected, "{instructions:?}");
    }
}

/// Any number, as often tiny or huge as not.
fn any_number() -> impl Strategy<Value = f32> {
    let bits = any::<u32>().prop_map(f32::from_bits);
    let finite = bits.prop_filter("a number", |number| !number.is_nan());
    let usual = (-1_000_i16..1_000).prop_map(|number| f32::from(number) / 300.0);
    // On both sides of the least magnitude, where products are nearly denormal.
    let small = (-1_000_i16..1_000).prop_map(|number| f32::from(number) / 500.0 * LEAST);
    prop_oneof![finite, usual, small]
}

proptest! {
    #[test]
    fn a_number_becomes_the_nearest_one_in_bf16(number in any_number()) {
        prop_assert_eq!(first(round(number)).to_bits(), nearest(number).to_bits());
    }

    #[test]
    fn neither_packing_nor_instructions_change_a_bit(
        starts in prop::collection::vec(0..20_usize, 0..20),
        outputs in 0..90_usize,
        n_rows in 1..4_usize,
        width in 1..150_usize,
    ) {
        let source = numbers(0..(20 + n_rows) * width);
        let weights = numbers(7..7 + outputs * n_rows * width);
        check(&source, &starts, &weights, (n_rows, width));
    }

    #[test]
    fn tiny_and_huge_numbers_have_the_same_bits_with_all_instructions(
        source in prop::collection::vec(any_number(), 8 * 5),
        weights in prop::collection::vec(any_number(), 17 * 10),
    ) {
        check(&source, &[0, 1, 2, 3, 4, 5, 6], &weights, (2, 5));
    }
}

#[test]
fn numbers_halfway_between_two_become_the_even_one() {
    // There are 128 numbers from 1 to 2.
    for (half_steps, expected) in [(1.0, 1.0), (3.0, 1.0 + 2.0 / 128.0), (5.0, 1.0 + 2.0 / 128.0)] {
        assert_eq!(first(round(1.0 + half_steps / 256.0)), expected, "{half_steps}");
    }
}

#[test]
fn what_is_not_a_number_stays_so() {
    let payloads = [0x7f80_0001, 0x7fff_ffff, 0xff80_0001, 0xffff_ffff].map(f32::from_bits);
    for number in payloads {
        let packed = Bf16Weights::new(&[1.0; 32], 1, 1);
        let rows = Bf16Rows::new(&[number, 1.0], 1);
        for instructions in Instructions::all() {
            let mut out = vec![0.0; 64];
            packed.multiply_with(instructions, &rows.pairs, &[0, 1], &mut out);
            assert!(out[..32].iter().all(|sum| sum.is_nan()), "{instructions:?}");
            assert!(out[32..].iter().all(|sum| *sum == 1.0), "{instructions:?}");
        }
    }
}
