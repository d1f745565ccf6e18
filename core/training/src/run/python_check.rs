//! Check of configurations of trainings that run in Python.

use lexpool::config::{Config, Value};
use lexpool::{Result, codes};

use super::plan::TrainingPlan;
use crate::settings::functions::python_functions;

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
