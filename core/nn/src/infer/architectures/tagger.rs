//! Networks with a result for each token.

use std::rc::Rc;

use lexpool_error::Result;

use super::builder::Builder;
use super::settings::Settings;
use crate::infer::tree::{Layer, chain, with_array};

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    builder: &mut Builder,
) -> Result<Option<Rc<Layer>>> {
    Ok(Some(match name {
        "spacy.Tagger.v2" | "spacy.Tagger.v1" => {
            let tok2vec = builder.layer(&settings.inner("tok2vec")?)?;
            chain([tok2vec, with_array(Layer::leaf("softmax"))])
        }
        "spacy.SpanFinder.v1" => {
            let tok2vec = builder.layer(&settings.inner("tok2vec")?)?;
            let scorer = builder.layer(&settings.inner("scorer")?)?;
            chain([tok2vec, with_array(scorer), Layer::leaf("Flattener")])
        }
        _ => return Ok(None),
    }))
}
