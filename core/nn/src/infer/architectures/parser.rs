//! Networks of transition-based parsers.

use std::rc::Rc;

use lexpool_error::Result;

use super::builder::Builder;
use super::settings::Settings;
use crate::infer::tree::{Layer, chain, named};

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    builder: &mut Builder,
) -> Result<Option<Rc<Layer>>> {
    if !["spacy.TransitionBasedParser.v2", "spacy.TransitionBasedParser.v1"].contains(&name) {
        return Ok(None);
    }
    let tok2vec = builder.layer(&settings.inner("tok2vec")?)?;
    let tokens = chain([tok2vec, Layer::leaf("list2array"), Layer::leaf("linear")]);
    let upper = Layer::leaf(if settings.flag("use_upper", true)? { "linear" } else { "noop" });
    Ok(Some(named("parser_model", [tokens, Layer::leaf("precomputable_affine"), upper])))
}
