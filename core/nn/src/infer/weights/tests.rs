//! The expected bits are those of NumPy in the order of spaCy 3.8's wheels.

use lexpool_msgpack::Writer;

use super::*;
use crate::describe::ModelFile;

/// Numbers without a pattern, exactly as NumPy computes them in single precision.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(crate) fn numbers(range: std::ops::Range<usize>) -> Vec<f32> {
    range.map(|i| ((i * 37 % 101) as f32 - 50.0) / 7.0).collect()
}

pub(crate) fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Writes a model file of one node with these parameters, and an attribute `seed`.
fn file(params: &[(&str, &[usize], &[f32])]) -> Vec<u8> {
    write(params).unwrap().into_bytes()
}

fn write(params: &[(&str, &[usize], &[f32])]) -> Result<Writer> {
    let mut out = Writer::new();
    out.map(4)?;
    out.str("nodes")?;
    out.array(1)?;
    out.map(1)?;
    out.str("name")?;
    out.str("layer")?;
    out.str("attrs")?;
    out.array(1)?;
    out.map(1)?;
    out.str("seed")?;
    out.bytes(b"\x08")?;
    out.str("params")?;
    out.array(1)?;
    out.map(params.len())?;
    for (name, shape, values) in params {
        out.str(name)?;
        out.map(4)?;
        out.bytes(b"nd")?;
        out.bool(true);
        out.bytes(b"type")?;
        out.str("<f4")?;
        out.bytes(b"shape")?;
        out.array(shape.len())?;
        shape.iter().for_each(|len| out.uint(*len as u64));
        out.bytes(b"data")?;
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        out.bytes(&bytes)?;
    }
    out.str("shims")?;
    out.array(1)?;
    out.array(0)?;
    Ok(out)
}

/// Reads a layer from a file of one node.
pub(crate) fn layer<T>(
    params: &[(&str, &[usize], &[f32])],
    read: impl Fn(&ModelNode<'_>) -> Result<T>,
) -> Result<T> {
    let bytes = file(params);
    let file = ModelFile::parse(&bytes).unwrap();
    read(&file.nodes()[0])
}

#[test]
fn a_layer_norm_has_the_bits_of_numpy() {
    let (scale, shift) = (numbers(24..36), numbers(36..48));
    let norm = layer(&[("G", &[12], &scale), ("b", &[12], &shift)], LayerNorm::read).unwrap();
    let mut rows = numbers(0..24);
    norm.apply(&mut rows);
    let expected = [
        0xc128_4081,
        0x3ff3_1992,
        0x40d2_2a6e,
        0xc114_1064,
        0x3ff3_b4d8,
        0xc08d_2716,
        0xc0e1_f4d8,
        0x4035_bf79,
        0xbcf6_0800,
        0x401c_cb6a,
        0x4096_9df9,
        0xc123_c287,
        0xc0be_9f55,
        0xc077_e84a,
        0x40b2_5d4d,
        0xc03e_e76e,
        0xc012_5749,
        0xc10a_7a17,
        0x3f82_6422,
        0x3ea7_dfa0,
        0xc0ed_adad,
        0xc08b_f04e,
        0x40c1_7354,
        0xc0a5_860c,
    ];
    assert_eq!(bits(&rows), expected);
}

#[test]
fn a_maxout_has_the_bits_of_blis() {
    let (weights, bias) = (numbers(0..72), numbers(0..6));
    let maxout =
        layer(&[("W", &[2, 3, 12], &weights), ("b", &[2, 3], &bias)], Maxout::read).unwrap();
    assert_eq!((maxout.input_width(), maxout.width()), (12, 2));
    let out = maxout.apply(GemmOrder::Generic, &numbers(0..24));
    assert_eq!(bits(&out), [0x4369_87d7, 0x4311_9cbc, 0x433b_829c, 0x4188_fac6]);
}

#[test]
fn a_hash_embedding_has_the_bits_of_thinc() {
    let embed = layer(&[("E", &[10, 4], &numbers(0..40))], HashEmbed::read).unwrap();
    let out = embed.apply(&[5, u64::MAX]);
    let expected = [
        0xbf80_0000,
        0x40b6_db6e,
        0xc000_0000,
        0x4096_db6e,
        0xc0b6_db6e,
        0x3f80_0000,
        0x40f6_db6e,
        0,
    ];
    assert_eq!(bits(&out), expected);
}

#[test]
fn a_linear_layer_adds_its_bias_to_each_row() {
    let linear =
        layer(&[("W", &[2, 1], &[2.0, 3.0]), ("b", &[2], &[10.0, 20.0])], Linear::read).unwrap();
    assert_eq!((linear.input_width(), linear.width()), (1, 2));
    assert_eq!(linear.apply(GemmOrder::Generic, &[1.0, 5.0]), [12.0, 23.0, 20.0, 35.0]);
}

#[test]
fn a_window_beyond_the_ends_is_zeros() {
    let rows = [1.0, 2.0, 3.0, 4.0];
    let expected = [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0];
    assert_eq!(expand_window(&rows, 2, 1, 0..rows.len() / 2), expected);
    assert_eq!(expand_window(&rows, 2, 0, 0..rows.len() / 2), rows);
    assert!(expand_window(&[], 2, 3, 0..0).is_empty());
    assert_eq!(expand_window(&[1.0], 1, 2, 0..1), [0.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn parameters_that_do_not_fit_each_other_are_named() {
    let two = [1.0, 2.0];
    for (error, expected) in [
        (
            layer(&[("W", &[2, 1], &two), ("b", &[1], &two[..1])], Linear::read).err(),
            "the shape [1]",
        ),
        (layer(&[("W", &[1, 2], &two)], Linear::read).err(), "\"b\" of \"layer\" is missing"),
        (layer(&[("W", &[2], &two), ("b", &[2], &two)], Linear::read).err(), "has the shape [2]"),
        (layer(&[("W", &[2, 0], &[]), ("b", &[2], &two)], Linear::read).err(), "from 0 numbers"),
        (
            layer(&[("G", &[2], &two), ("b", &[1], &two[..1])], LayerNorm::read).err(),
            "\"G\" has 2 numbers, \"b\" has 1",
        ),
        (layer(&[("G", &[0], &[]), ("b", &[0], &[])], LayerNorm::read).err(), "has 0 numbers"),
        (layer(&[("E", &[0, 4], &[])], HashEmbed::read).err(), "0 rows of 4 numbers"),
        (
            layer(&[("W", &[2, 0, 3], &[]), ("b", &[2, 0], &[])], Maxout::read).err(),
            "outputs of shape [2, 0]",
        ),
    ] {
        let error = error.unwrap();
        assert_eq!(error.code(), "model-structure", "{error}");
        assert!(error.message().contains(expected), "{error}");
    }
}
