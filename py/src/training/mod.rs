//! Training: components that learn, and functions for training data (alignment of tokenizations,
//! entity tags, projective trees).

#![forbid(unsafe_code)]

mod alignment;
mod augmenter;
mod configuration;
mod examples;
mod iob;
mod learner;
mod pretraining;
mod projective;
mod run;
mod schedule;
mod steps;

use pyo3::prelude::*;

use crate::runtime::classes;

pub(crate) use alignment::PyAlignmentArray;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<examples::PyTrainingBatch>(module)?;
    classes::add::<augmenter::PyAugmenter>(module)?;
    classes::add::<steps::PyTrainingSteps>(module)?;
    module.add_function(wrap_pyfunction!(steps::training_settings, module)?)?;
    classes::add::<configuration::PyEvaluationTable>(module)?;
    classes::add::<learner::PyLearner>(module)?;
    classes::add::<learner::PyAveragesInUse>(module)?;
    module.add_function(wrap_pyfunction!(configuration::python_functions, module)?)?;
    module.add_function(wrap_pyfunction!(configuration::check_python_training, module)?)?;
    module.add_function(wrap_pyfunction!(configuration::fill_config, module)?)?;
    module.add_function(wrap_pyfunction!(pretraining::pretrain_network, module)?)?;
    module.add_function(wrap_pyfunction!(pretraining::with_layer_weights, module)?)?;
    module.add_function(wrap_pyfunction!(run::train_pipeline, module)?)?;
    classes::add::<learner::PySharedRows>(module)?;
    classes::add::<schedule::PyScheduleSeries>(module)?;
    module.add_function(wrap_pyfunction!(learner::blank_model, module)?)?;
    module.add_function(wrap_pyfunction!(learner::graft, module)?)?;
    module.add_function(wrap_pyfunction!(learner::initial_model, module)?)?;
    module.add_function(wrap_pyfunction!(learner::step_learners, module)?)?;
    alignment::register(module)?;
    iob::register(module)?;
    projective::register(module)
}
