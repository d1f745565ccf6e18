use lexpool_msgpack::Writer;
use proptest::prelude::*;

use super::*;
use crate::describe::Dtype;

/// The parts of a file that a case changes.
struct Parts {
    reference: u64,
    shims: usize,
    dtype: &'static str,
    shape: [u64; 2],
    n_attrs: usize,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { reference: 1, shims: 0, dtype: "<f4", shape: [2, 1], n_attrs: 2 }
    }
}

/// Writes a file of two nodes: a chain that refers to its linear layer.
fn file(parts: &Parts) -> Vec<u8> {
    write(parts).unwrap().into_bytes()
}

fn write(parts: &Parts) -> Result<Writer> {
    let mut out = Writer::new();
    out.map(4)?;
    out.str("nodes")?;
    out.array(2)?;
    for (index, name) in ["chain", "linear"].into_iter().enumerate() {
        out.map(4)?;
        out.str("index")?;
        out.uint(index as u64);
        out.str("name")?;
        out.str(name)?;
        out.str("dims")?;
        out.map(2)?;
        out.str("nO")?;
        out.uint(2);
        out.str("nI")?;
        out.nil();
        out.str("refs")?;
        out.map(1)?;
        out.str("output_layer")?;
        if index == 0 { out.uint(parts.reference) } else { out.nil() }
    }
    out.str("attrs")?;
    out.array(parts.n_attrs)?;
    for _ in 0..parts.n_attrs {
        out.map(2)?;
        out.str("pad")?;
        out.bytes(b"\x01")?;
        out.str("broken")?;
        out.bytes(b"\x92\x01")?;
    }
    out.str("params")?;
    out.array(2)?;
    out.map(0)?;
    out.map(2)?;
    out.str("W")?;
    out.map(5)?;
    out.bytes(b"nd")?;
    out.bool(true);
    out.bytes(b"type")?;
    out.str(parts.dtype)?;
    out.bytes(b"kind")?;
    out.bytes(b"")?;
    out.bytes(b"shape")?;
    out.array(2)?;
    parts.shape.iter().for_each(|len| out.uint(*len));
    out.bytes(b"data")?;
    out.bytes(&[0, 0, 0x80, 0x3f, 0, 0, 0, 0x40])?;
    out.str("b")?;
    out.nil();
    out.str("shims")?;
    out.array(2)?;
    for _ in 0..2 {
        out.array(parts.shims)?;
        for _ in 0..parts.shims {
            out.bytes(b"weights")?;
        }
    }
    Ok(out)
}

#[test]
fn a_file_gives_nodes_with_dims_references_attributes_and_arrays() {
    let bytes = file(&Parts::default());
    let file = ModelFile::parse(&bytes).unwrap();
    let [root, linear] = file.nodes() else { panic!("two nodes") };
    assert_eq!((root.name(), root.dim("nO"), root.dim("nI")), ("chain", Some(2), None));
    assert_eq!(file.referred(root, "output_layer").unwrap().name(), "linear");
    assert_eq!(file.referred(linear, "output_layer"), None);
    assert_eq!(root.attr("pad").unwrap(), Some(Value::UInt(1)));
    assert_eq!(root.attr("padding").unwrap(), None);
    let weights = linear.param("W").unwrap();
    assert_eq!((weights.dtype(), weights.shape(), weights.len()), (Dtype::F32, &[2, 1][..], 2));
    assert_eq!(weights.to_vec(), [1.0, 2.0]);
    assert_eq!(linear.param("b"), None);
}

#[test]
fn parameters_are_counted_and_have_to_be_finite() {
    let mut bytes = file(&Parts::default());
    let parsed = ModelFile::parse(&bytes).unwrap();
    assert_eq!(parsed.param_count(), 2);
    parsed.check_finite().unwrap();
    let at = bytes.windows(4).position(|bytes| bytes == 1.0_f32.to_le_bytes()).unwrap();
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        let error = ModelFile::parse(&bytes).unwrap().check_finite().unwrap_err();
        assert_eq!(error.code(), "model-nan");
        assert!(error.message().contains(r#"params[1], "W" of "linear""#), "{error}");
    }
}

#[test]
fn doubles_are_rounded_to_single_precision() {
    let bytes = file(&Parts { dtype: "<f8", shape: [1, 1], ..Parts::default() });
    let file = ModelFile::parse(&bytes).unwrap();
    let double = f64::from_le_bytes([0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]);
    #[expect(clippy::cast_possible_truncation, reason = "as the reader does")]
    let single = double as f32;
    assert_eq!(file.nodes()[1].param("W").unwrap().to_vec(), [single]);
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    for (parts, code, place) in [
        (Parts { reference: 2, ..Parts::default() }, "model-file", "nodes[0] refers"),
        (Parts { reference: 1 << 40, ..Parts::default() }, "model-file", "nodes[0]"),
        (Parts { shims: 1, ..Parts::default() }, "model-layer", "shims[0]"),
        (Parts { dtype: "<i4", ..Parts::default() }, "model-dtype", "params[1]"),
        (Parts { dtype: ">f4", ..Parts::default() }, "model-dtype", "params[1]"),
        (Parts { shape: [2, 2], ..Parts::default() }, "model-file", "shape [2, 2]"),
        (Parts { shape: [1 << 62, 1 << 3], ..Parts::default() }, "model-file", "params[1]"),
        (Parts { n_attrs: 1, ..Parts::default() }, "model-file", "2 nodes, 1 attrs"),
    ] {
        let error = ModelFile::parse(&file(&parts)).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.message().contains(place), "{error}");
    }
    let mut nameless = file(&Parts::default());
    let at = nameless.windows(4).position(|bytes| bytes == b"name").unwrap();
    nameless[at] = b'N';
    let error = ModelFile::parse(&nameless).unwrap_err();
    assert!(error.message().contains("nodes[0]") && error.message().contains("no name"), "{error}");
    let bytes = file(&Parts::default());
    let file = ModelFile::parse(&bytes).unwrap();
    assert_eq!(file.nodes()[0].attr("broken").unwrap_err().code(), "model-file");
}

proptest! {
    #[test]
    fn changed_bytes_are_refused_or_read_without_a_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = file(&Parts::default());
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(file) = ModelFile::parse(&bytes) {
            for node in file.nodes() {
                let _ = node.attr("pad");
                let size = node.param("W").map(|array| array.to_vec().len());
                prop_assert!(size.is_none_or(|size| size <= bytes.len()));
            }
        }
    }
}
