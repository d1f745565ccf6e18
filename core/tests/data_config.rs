//! The table of configurations in tests/data, read through the Rust API; tests/data/README.md
//! describes it.

mod tables;

use lexpool::config::{Config, Value};

use tables::{Case, cases, table, text};

#[test]
fn configurations_have_the_values_of_the_table() {
    let table = table("config.toml");
    let mut failures = Vec::new();
    for case in cases(&table, "rust") {
        let found = read(case);
        let is_right = match (text(case, "json"), text(case, "error"), &found) {
            (Some(json), None, Ok(found)) => *found == Value::from_json(json).unwrap().to_json(),
            (None, Some(said), Err(message)) => {
                message.contains(said) && message.starts_with("some.cfg")
            }
            _ => false,
        };
        if !is_right {
            failures.push(format!("{}: found {found:?}", text(case, "name").unwrap()));
        }
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

/// Returns the values of a case as JSON, or the message of its error.
fn read(case: &Case) -> Result<String, String> {
    let read = || {
        let mut config = Config::parse(text(case, "text").unwrap(), "some.cfg")?;
        let overrides = case.get("overrides").and_then(serde_json::Value::as_object);
        for (name, value) in overrides.into_iter().flatten() {
            config.set(name, Value::from_json(&value.to_string()).unwrap())?;
        }
        config.interpolate()
    };
    let config = read().map_err(|error: lexpool::Error| error.message().to_owned())?;
    Ok(Value::from(config.root().clone()).to_json())
}
