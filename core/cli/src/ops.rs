//! `lexpool ops`: lists the functions in the registry of this process.

use std::fmt::Write;

use super::args::Ops;
use super::json::Json;
use super::output::print;
use lexpool::codes;
use lexpool::{Error, ErrorKind, Result};
use lexpool_ops::{Op, Param, Registry, global};

pub(super) fn run(args: &Ops) -> Result<()> {
    let ops = chosen(global(), args.name.as_deref())?;
    if args.json {
        return print(format_args!("{}\n", Json::List(ops.iter().map(|op| op_json(op)).collect())));
    }
    let alone = args.name.as_deref() == ops.first().map(|op| op.name());
    print(format_args!("{}", if alone { details(ops[0]) } else { listed(&ops) }))
}

/// Returns the op of a name, the ops of a namespace, or all, sorted by name.
fn chosen<'a>(registry: &'a Registry, name: Option<&str>) -> Result<Vec<&'a Op>> {
    let inside = |op: &&Op| match name {
        None => true,
        Some(name) => op
            .name()
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
    };
    let mut ops: Vec<&Op> = registry.ops().map(|op| &**op).filter(inside).collect();
    if let (Some(name), true) = (name, ops.is_empty()) {
        let found = registry.find(name);
        let text = found.err().map_or_else(
            || format!("the op {name:?} was removed"),
            |failure| failure.message().to_owned(),
        );
        return Err(Error::new(ErrorKind::Key, codes::OP_UNKNOWN, text));
    }
    ops.sort_by_key(|op| op.name());
    Ok(ops)
}

/// Returns the signature with the namespace.
fn signature(op: &Op) -> String {
    let (space, _) = op.name().rsplit_once('.').unwrap_or_default();
    format!("{space}.{}", op.signature())
}

fn listed(ops: &[&Op]) -> String {
    let mut out = String::new();
    for op in ops {
        let first = op.doc().lines().next().unwrap_or_default();
        let _ = writeln!(out, "{}\n    {first}", signature(op));
    }
    out
}

fn details(op: &Op) -> String {
    let mut out = format!("{}\n\n{}\n\nkernels\n", signature(op), op.doc());
    let kernels = op.kernels();
    for kernel in kernels.iter().rev() {
        let mark = if kernel.current { '*' } else { ' ' };
        let note = if kernel.available { "" } else { "  (not for this machine)" };
        let _ = writeln!(out, "  {mark} {:<9}{}{note}", kernel.key.name(), kernel.place);
    }
    out
}

fn op_json(op: &Op) -> Json {
    let kernels = op.kernels();
    let kernels = kernels.iter().map(|kernel| {
        Json::Map(vec![
            ("key", kernel.key.name().into()),
            ("place", kernel.place.as_str().into()),
            ("available", kernel.available.into()),
            ("current", kernel.current.into()),
        ])
    });
    Json::Map(vec![
        ("name", op.name().into()),
        ("signature", Json::Text(signature(op))),
        ("params", Json::List(op.params().iter().map(param).collect())),
        ("result", Json::Text(op.result().to_string())),
        ("doc", op.doc().into()),
        ("place", op.place().into()),
        ("kernels", Json::List(kernels.collect())),
    ])
}

fn param(param: &Param) -> Json {
    let default = param.default.as_ref().map(|default| Json::Text(default.to_string()));
    Json::Map(vec![
        ("name", param.name.as_ref().into()),
        ("type", Json::Text(param.ty.to_string())),
        ("default", default.unwrap_or(Json::Null)),
        ("keyword_only", param.keyword_only.into()),
    ])
}
