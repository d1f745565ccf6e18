//! Networks that predict the words of a text from the rows of a shared network.

use std::rc::Rc;

use lexpool_error::Result;

use super::builder::Builder;
use super::settings::Settings;
use crate::infer::tree::{Layer, chain};

/// Builds an architecture of this family; `None` for another name. The layer of several softmaxes
/// is a linear one, since thinc returns its rows without the softmaxes.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    builder: &mut Builder,
) -> Result<Option<Rc<Layer>>> {
    let has_dropout = match name {
        "spacy.PretrainVectors.v1" => true,
        "spacy.PretrainCharacters.v1" => false,
        _ => return Ok(None),
    };
    let tok2vec = builder.layer(&settings.inner("tok2vec")?)?;
    let mut hidden = vec![Layer::leaf("maxout"), Layer::leaf("layernorm")];
    if has_dropout {
        hidden.push(Layer::leaf("dropout"));
    }
    let parts = [tok2vec, Layer::leaf("list2array"), chain(hidden), Layer::leaf("linear")];
    Ok(Some(chain(parts)))
}
