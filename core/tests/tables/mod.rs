//! Reader of the tables of tests/data for the tests of this crate and of the playground.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

/// A case of a table: its fields as JSON.
pub(crate) type Case = Map<String, Value>;

/// Returns the root of the repository, which the tests of all crates share.
pub(crate) fn root() -> PathBuf {
    let this = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = this.ancestors().find(|folder| folder.join("Cargo.lock").exists());
    root.expect("the tests run in a checkout").to_owned()
}

/// Reads a table of tests/data.
pub(crate) fn table(name: &str) -> Case {
    let path = root().join("tests/data").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let parsed = DeTable::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    json_table(parsed.get_ref())
}

/// Returns the cases of a table that a path runs; there is at least one.
pub(crate) fn cases<'a>(table: &'a Case, path: &str) -> Vec<&'a Case> {
    let all = table["case"].as_array().unwrap().iter().map(|case| case.as_object().unwrap());
    let found: Vec<&Case> = all.filter(|case| runs(case, path)).collect();
    assert!(!found.is_empty(), "no case runs through {path}");
    found
}

/// Returns the strings of a field that is a list; `None` if the case has no such field.
fn strings<'a>(case: &'a Case, field: &str) -> Option<Vec<&'a str>> {
    let list = case.get(field)?.as_array().unwrap();
    Some(list.iter().map(|item| item.as_str().unwrap()).collect())
}

/// Returns a field that is a string; `None` if the case has no such field.
pub(crate) fn text<'a>(case: &'a Case, field: &str) -> Option<&'a str> {
    case.get(field).map(|value| value.as_str().unwrap())
}

fn runs(case: &Case, path: &str) -> bool {
    strings(case, "paths").is_none_or(|paths| paths.contains(&path))
}

fn json_table(table: &DeTable<'_>) -> Case {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref()))).collect()
}

fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(value) => (*value).into(),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).unwrap().into()
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().unwrap().into(),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => json_table(table).into(),
        DeValue::Datetime(_) => panic!("the tables have no dates"),
    }
}
