//! `lexpool config`: checks and compares configurations of trainings.

use std::fmt::Write as _;

use super::args::{ConfigCheck, ConfigCommand, ConfigDiff};
use super::failure::Failure;
use super::output::print;
use super::overrides::{Overrides, read_config};
use lexpool::Result;
use lexpool::config::{Config, Difference, Section, Value, differences};
use lexpool::escape::shown;
use lexpool_training::{TrainingPlan, fill_config};

pub(super) fn run(command: &ConfigCommand, overrides: &Overrides) -> Result<(), Failure> {
    match command {
        ConfigCommand::Check(args) => check(args, overrides),
        ConfigCommand::Diff(args) => diff(args, overrides),
    }
    .map_err(Failure::from)
}

fn check(args: &ConfigCheck, overrides: &Overrides) -> Result<()> {
    let plan = TrainingPlan::read(&read_config(&args.config, overrides)?)?;
    let names: Vec<&str> = plan.component_names().collect();
    if args.json {
        let mut section = Section::default();
        section.set("path", args.config.to_string_lossy().into_owned());
        section.set("components", Value::List(names.into_iter().map(Value::from).collect()));
        return print(format_args!("{}\n", Value::Section(section).to_json()));
    }
    let names = if names.is_empty() { "no component".to_owned() } else { names.join(", ") };
    print(format_args!("{}: lexpool trains it: {names}\n", shown(&args.config)))
}

fn diff(args: &ConfigDiff, overrides: &Overrides) -> Result<()> {
    let given = read_config(&args.config, overrides)?;
    let first = fill_config(&given)?;
    let second = match &args.other {
        Some(path) => fill_config(&Config::read(path)?)?,
        None => defaults(&given)?,
    };
    let found = differences(first.root(), second.root());
    if args.json {
        let rows = found.iter().map(row).collect();
        return print(format_args!("{}\n", Value::List(rows).to_json()));
    }
    if found.is_empty() {
        return print(format_args!("no differences\n"));
    }
    let mut lines = String::new();
    let mut section = None;
    for Difference { section: own, key, first, second } in &found {
        if section != Some(own) {
            let _ = writeln!(lines, "[{own}]");
            section = Some(own);
        }
        for (mark, value) in [('-', first), ('+', second)] {
            if let Some(value) = value {
                let _ = writeln!(lines, "{mark} {key} = {}", value.to_json());
            }
        }
    }
    print(format_args!("{lines}"))
}

/// Returns what a file with nothing but the language, the pipeline and the networks of a
/// configuration is filled with.
fn defaults(given: &Config) -> Result<Config> {
    let mut base = Config::parse("[nlp]\n\n[components]\n", "the defaults")?;
    for key in ["lang", "pipeline"] {
        if let Some(value) = given.section("nlp").and_then(|nlp| nlp.get(key)) {
            base.set(&format!("nlp.{key}"), value.clone())?;
        }
    }
    let components = given.section("components").cloned().unwrap_or_default();
    for (name, section) in components.iter() {
        let mut kept = Section::default();
        for key in ["factory", "source", "model"] {
            if let Some(value) = section.as_section().and_then(|section| section.get(key)) {
                kept.set(key, value.clone());
            }
        }
        base.set(&format!("components.{name}"), kept.into())?;
    }
    fill_config(&base)
}

fn row(difference: &Difference) -> Value {
    let value = |value: &Option<Value>| value.clone().unwrap_or(Value::Null);
    let mut row = Section::default();
    row.set("section", difference.section.as_str());
    row.set("key", difference.key.as_str());
    row.set("first", value(&difference.first));
    row.set("second", value(&difference.second));
    row.into()
}
