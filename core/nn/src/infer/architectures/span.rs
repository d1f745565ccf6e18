//! Networks with a result for each span: span categorizers and entity linkers.

use std::rc::Rc;

use lexpool_error::Result;

use super::builder::Builder;
use super::settings::Settings;
use crate::infer::tree::{Layer, chain, residual, tuple, wrap};

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    builder: &mut Builder,
) -> Result<Option<Rc<Layer>>> {
    Ok(Some(match name {
        "spacy.SpanCategorizer.v1" => {
            let tokens = rows_of_tokens(settings, builder)?;
            let reducer = builder.layer(&settings.inner("reducer")?)?;
            let scorer = builder.layer(&settings.inner("scorer")?)?;
            chain([wrap("with_getitem", tokens), Layer::leaf("extract_spans"), reducer, scorer])
        }
        "spacy.EntityLinker.v2" => {
            let spans = tuple([rows_of_tokens(settings, builder)?, Layer::leaf("span_maker")]);
            let rows = chain([spans, Layer::leaf("extract_spans")]);
            encoder(rows)
        }
        "spacy.EntityLinker.v1" => encoder(rows_of_tokens(settings, builder)?),
        _ => return Ok(None),
    }))
}

fn rows_of_tokens(settings: &Settings<'_>, builder: &mut Builder) -> Result<Rc<Layer>> {
    let tok2vec = builder.layer(&settings.inner("tok2vec")?)?;
    Ok(chain([tok2vec, Layer::leaf("list2ragged")]))
}

/// Builds the encoder of sentences above their rows.
fn encoder(rows: Rc<Layer>) -> Rc<Layer> {
    let mean = chain([rows, Layer::leaf("reduce_mean")]);
    let hidden = residual(chain([Layer::leaf("maxout"), Layer::leaf("dropout")]));
    chain([chain([mean, hidden]), Layer::leaf("linear")])
}
