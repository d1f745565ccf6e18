//! thinc's model file from the records of a network: the bytes that thinc writes.
//!
//! Source: `Model.to_bytes` of thinc 8 and `msgpack-numpy`.

use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::Writer;

use crate::learn::parameters::Parameters;
use crate::learn::records::{Record, Records};

/// Writes a model file. Cost: linear.
///
/// # Errors
///
/// Those of [`Writer`]: a list or an array that the format cannot hold.
pub(crate) fn write(records: &Records, parameters: &Parameters) -> Result<Vec<u8>> {
    let records = &records.0;
    let mut out = Writer::new();
    out.map(4)?;
    out.str("nodes")?;
    out.array(records.len())?;
    for (at, record) in records.iter().enumerate() {
        write_node(&mut out, at, record)?;
    }
    out.str("attrs")?;
    out.array(records.len())?;
    for record in records {
        out.map(record.attrs.len())?;
        for (name, message) in &record.attrs {
            out.str(name)?;
            out.bytes(message)?;
        }
    }
    out.str("params")?;
    out.array(records.len())?;
    for record in records {
        out.map(record.params.len())?;
        for (name, ix) in &record.params {
            out.str(name)?;
            match ix {
                None => out.nil(),
                Some(ix) => {
                    let shape = parameters.tensor(*ix).shape();
                    write_array(&mut out, shape, parameters.values(*ix))?;
                }
            }
        }
    }
    out.str("shims")?;
    out.array(records.len())?;
    for _ in records {
        out.array(0)?;
    }
    Ok(out.into_bytes())
}

fn write_node(out: &mut Writer, at: usize, record: &Record) -> Result<()> {
    out.map(4)?;
    out.str("index")?;
    out.uint(at as u64);
    out.str("name")?;
    out.str(&record.name)?;
    out.str("dims")?;
    out.map(record.dims.len())?;
    for (name, dim) in &record.dims {
        out.str(name)?;
        optional(out, *dim);
    }
    out.str("refs")?;
    out.map(record.refs.len())?;
    for (name, ix) in &record.refs {
        out.str(name)?;
        optional(out, ix.map(|ix| ix.get() as u64));
    }
    Ok(())
}

fn optional(out: &mut Writer, number: Option<u64>) {
    match number {
        Some(number) => out.uint(number),
        None => out.nil(),
    }
}

/// Writes an array of single precision as `msgpack-numpy` does, whose keys are binary.
fn write_array(out: &mut Writer, shape: &[usize], values: &[f32]) -> Result<()> {
    out.map(5)?;
    out.bytes(b"nd")?;
    out.bool(true);
    out.bytes(b"type")?;
    out.str("<f4")?;
    out.bytes(b"kind")?;
    out.bytes(b"")?;
    out.bytes(b"shape")?;
    out.array(shape.len())?;
    for len in shape {
        let len = u64::try_from(*len);
        out.uint(len.map_err(|_| Error::value(codes::MODEL_FILE, format!("the shape {shape:?}")))?);
    }
    out.bytes(b"data")?;
    let bytes: Vec<u8> = values.iter().flat_map(|number| number.to_le_bytes()).collect();
    out.bytes(&bytes)
}
