//! Check of configurations of trainings that run in Python.

use lexpool::config::{Config, Section, Value};
use lexpool::{Result, codes};

use super::plan::TrainingPlan;
use crate::corpora::batcher::Batcher;
use crate::settings::fields::{Fields, Problems};
use crate::settings::functions::{OF_TRAINING, python_functions};
use crate::settings::loop_settings::{self, LoopSettings};

/// Checks all of a configuration but what Python has: its functions, and the components and readers
/// of users.
///
/// # Errors
///
/// Those of [`TrainingPlan::read`] but `training-unsupported`.
pub fn check_python_training(config: &Config) -> Result<()> {
    let mut native = config.clone();
    for name in python_functions(config)?.iter().filter(|name| !name.starts_with("corpora.")) {
        native.set(name, Value::Null)?;
    }
    match TrainingPlan::read(&native) {
        Err(error) if error.code() != codes::TRAINING_UNSUPPORTED.as_str() => Err(error),
        _ => Ok(()),
    }
}

/// Reads the section `[training]` of a pipeline that is trained in Python, but for its optimizer
/// and its functions: the numbers of the loop, and the batcher.
///
/// # Errors
///
/// `training-config` with all unknown keys and wrong values; `training-unsupported` for a batcher
/// that lexpool does not have.
pub fn read_loop(training: &Section) -> Result<(LoopSettings, Batcher)> {
    let is_read = |(key, _): &(&str, &Value)| !OF_TRAINING.contains(key) && *key != "logger";
    let section = training.iter().filter(is_read);
    let section: Section = section.map(|(key, value)| (key.to_owned(), value.clone())).collect();
    let problems = Problems::default();
    let fields = Fields::new(&section, "training", &problems);
    fields.get("optimizer");
    let settings = loop_settings::read(&fields);
    let batcher = Batcher::read(fields.inner("batcher"));
    fields.finish();
    problems.into_result(&Config::parse("", "the configuration")?)?;
    Ok((settings, batcher))
}
