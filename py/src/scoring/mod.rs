//! Figures of evaluation: `lexpool.scorer`, which collects values from Python for the counts of
//! `lexpool_training::scoring`.
//!
//! Functions of users are called while no document is locked.

#![forbid(unsafe_code)]

mod cats;
mod deps;
mod entities;
mod example;
mod figures;
mod getter;
mod prf;
mod roc;
mod spans;
mod tokens;
mod values;

use pyo3::prelude::*;

use crate::runtime::classes;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<prf::PyPrfScore>(module)?;
    classes::add::<getter::PyTokenGetter>(module)?;
    module.add_function(wrap_pyfunction!(roc::is_binary, module)?)?;
    module.add_function(wrap_pyfunction!(roc::roc_auc_score, module)?)?;
    module.add_function(wrap_pyfunction!(roc::roc_curve, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::score_tokenization, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::score_token_attr, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::score_token_attr_per_feat, module)?)?;
    module.add_function(wrap_pyfunction!(deps::score_deps, module)?)?;
    module.add_function(wrap_pyfunction!(spans::score_spans, module)?)?;
    module.add_function(wrap_pyfunction!(entities::get_ner_prf, module)?)?;
    module.add_function(wrap_pyfunction!(entities::score_links, module)?)?;
    module.add_function(wrap_pyfunction!(cats::score_cats, module)?)
}
