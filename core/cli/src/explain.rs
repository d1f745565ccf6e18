//! `lexpool explain`: the catalogue of error codes.

use super::args::Explain;
use super::json::Json;
use super::output::print;
use lexpool::Result;
use lexpool::codes::{self, Entry};

pub(super) fn run(args: &Explain) -> Result<()> {
    let entries = if args.codes.is_empty() { codes::all() } else { &args.codes };
    if args.json {
        let entries = entries.iter().map(|entry| json(entry)).collect();
        return print(format_args!("{}\n", Json::List(entries)));
    }
    let text: Vec<String> = if args.codes.is_empty() {
        entries.iter().map(|entry| line(entry)).collect()
    } else {
        entries.iter().map(|entry| explanation(entry)).collect()
    };
    print(format_args!("{}\n", text.join("\n")))
}

fn line(entry: &Entry) -> String {
    format!("{:<22} {}", entry.code.as_str(), entry.form)
}

fn explanation(entry: &Entry) -> String {
    let raised: Vec<_> = entry.raised.iter().map(|raised| raised.name()).collect();
    format!(
        "{} ({})\n  Meaning:     {}.\n  What to do:  {}",
        entry.code,
        raised.join(" or "),
        entry.form,
        entry.remedy
    )
}

fn json(entry: &Entry) -> Json {
    let raised = entry.raised.iter().map(|raised| raised.name().into()).collect();
    Json::Map(vec![
        ("code", entry.code.as_str().into()),
        ("raised", Json::List(raised)),
        ("form", entry.form.into()),
        ("remedy", entry.remedy.into()),
    ])
}
