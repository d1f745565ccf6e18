//! Networks of transition-based parsers.

use std::rc::Rc;

use lexpool_error::Result;

use super::layer;
use super::settings::Settings;
use crate::tree::{Layer, chain, named};

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    refusals: &mut Vec<String>,
) -> Result<Option<Rc<Layer>>> {
    if !["spacy.TransitionBasedParser.v2", "spacy.TransitionBasedParser.v1"].contains(&name) {
        return Ok(None);
    }
    let tok2vec = layer(&settings.inner("tok2vec")?, refusals)?;
    let tokens = chain([tok2vec, Layer::leaf("list2array"), Layer::leaf("linear")]);
    let upper = Layer::leaf(if settings.flag("use_upper", true)? { "linear" } else { "noop" });
    Ok(Some(named("parser_model", [tokens, Layer::leaf("precomputable_affine"), upper])))
}
