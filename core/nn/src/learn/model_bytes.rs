//! thinc's model file from the records of a network: the bytes that thinc writes.
//!
//! Source: `Model.to_bytes` of thinc 8 and `msgpack-numpy`.

use lexpool_error::Result;
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
                    out.float_array(shape, parameters.values(*ix))?;
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
