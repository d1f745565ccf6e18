//! Networks with a result for each token.

use std::rc::Rc;

use lexpool_error::Result;

use super::layer;
use super::settings::Settings;
use crate::tree::{Layer, chain, with_array};

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    refusals: &mut Vec<String>,
) -> Result<Option<Rc<Layer>>> {
    Ok(Some(match name {
        "spacy.Tagger.v2" | "spacy.Tagger.v1" => {
            let tok2vec = layer(&settings.inner("tok2vec")?, refusals)?;
            chain([tok2vec, with_array(Layer::leaf("softmax"))])
        }
        "spacy.SpanFinder.v1" => {
            let tok2vec = layer(&settings.inner("tok2vec")?, refusals)?;
            let scorer = layer(&settings.inner("scorer")?, refusals)?;
            chain([tok2vec, with_array(scorer), Layer::leaf("Flattener")])
        }
        _ => return Ok(None),
    }))
}
