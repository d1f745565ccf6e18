//! `lexpool struct`: prints the layout of the records.

use super::args::Struct;
use super::json::Json;
use super::output::print;
use lexpool::Result;
use lexpool::structs::{Bits, Field, RecordInfo, emit, records};

pub(super) fn run(args: &Struct) -> Result<()> {
    let chosen = |info: &&&RecordInfo| {
        // The argument parser checked the name, ignoring case.
        args.name.as_ref().is_none_or(|name| info.name.eq_ignore_ascii_case(name))
    };
    let infos = records().iter().filter(chosen);
    if args.json {
        return print(format_args!("{}\n", Json::List(infos.map(|info| record(info)).collect())));
    }
    let tables: Vec<_> = infos.map(|info| emit::layout_table(info)).collect();
    print(format_args!("{}", tables.join("\n")))
}

fn record(info: &RecordInfo) -> Json {
    Json::Map(vec![
        ("name", info.name.into()),
        ("size", info.size.into()),
        ("align", info.align.into()),
        ("doc", info.doc.into()),
        ("fields", Json::List(info.fields.iter().map(field).collect())),
    ])
}

fn field(field: &Field) -> Json {
    Json::Map(vec![
        ("name", field.name.into()),
        ("type", field.kind.rust().into()),
        ("offset", field.offset.into()),
        ("size", field.kind.size().into()),
        ("doc", field.doc.into()),
        ("bits", Json::List(field.bits.iter().map(bits).collect())),
    ])
}

fn bits(bits: &Bits) -> Json {
    Json::Map(vec![
        ("name", bits.name.into()),
        ("low", u64::from(bits.low).into()),
        ("width", u64::from(bits.width).into()),
        ("doc", bits.doc.into()),
    ])
}
