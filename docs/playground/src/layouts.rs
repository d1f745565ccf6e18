//! The layouts of the records, from their declarations.

use lexpool::structs::{ABI_VERSION, AttrId, Bits, Field, Kind, RecordInfo, records as infos};
use serde_json::{Value, json};

/// The layout of every record, its fields with their places and groups of bits, and the names of
/// the flags of a lexeme by their bit.
pub fn records() -> Value {
    let records: Vec<Value> = infos().iter().map(|info| record(info)).collect();
    let flags: Vec<Value> = AttrId::all()
        .filter(|attr| attr.is_flag() && *attr != AttrId::NULL)
        .map(|attr| json!({"bit": attr.number(), "name": attr.name()}))
        .collect();
    json!({"records": records, "flags": flags})
}

/// The version of lexpool, and that of its records.
pub fn version() -> Value {
    json!({"version": env!("CARGO_PKG_VERSION"), "abi": ABI_VERSION})
}

fn record(info: &RecordInfo) -> Value {
    let fields: Vec<Value> = info.fields.iter().map(field).collect();
    json!({
        "name": info.name,
        "size": info.size,
        "align": info.align,
        "doc": info.doc,
        "fields": fields,
    })
}

fn field(field: &Field) -> Value {
    let bits: Vec<Value> = field.bits.iter().map(bits).collect();
    json!({
        "name": field.name,
        "type": type_name(field.kind),
        "offset": field.offset,
        "size": field.kind.size(),
        "doc": field.doc,
        "bits": bits,
    })
}

fn bits(bits: &Bits) -> Value {
    json!({"name": bits.name.to_lowercase(), "low": bits.low, "width": bits.width, "doc": bits.doc})
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::U8 => "u8",
        Kind::U16 => "u16",
        Kind::U32 => "u32",
        Kind::U64 => "u64",
        Kind::I8 => "i8",
        Kind::I16 => "i16",
        Kind::I32 => "i32",
        Kind::I64 => "i64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_tile_their_record() {
        let answer = records();
        let records = answer["records"].as_array().unwrap();
        assert_eq!(records.len(), infos().len());
        for record in records {
            let mut end = 0;
            for field in record["fields"].as_array().unwrap() {
                assert_eq!(field["offset"], end);
                end += field["size"].as_u64().unwrap();
            }
            assert_eq!(record["size"], end);
        }
    }

    #[test]
    fn flags_are_named_by_their_bit() {
        let answer = records();
        let named = |bit: u64| {
            let flags = answer["flags"].as_array().unwrap();
            flags.iter().find(|flag| flag["bit"] == bit).map(|flag| flag["name"].clone())
        };
        assert_eq!(named(1), Some("IS_ALPHA".into()));
        assert_eq!(named(10), Some("LIKE_NUM".into()));
        assert_eq!(named(0), None);
    }
}
