//! Networks that predict the words of a text from the rows of a shared network.
//!
//! Source: `spacy.ml.models.multi_task` of spaCy 3.8.

use lexpool_error::limits;

use super::blueprint::FirstWeights;
use super::builder::{Builder, Built};
use super::settings::Settings;

/// Builds an architecture of this family; `None` for another name. The layer of several softmaxes
/// is a linear one, since thinc returns its rows without the softmaxes.
pub(super) fn build(name: &str, settings: &Settings<'_>, builder: &mut Builder) -> Built {
    let has_dropout = match name {
        "spacy.PretrainVectors.v1" => true,
        "spacy.PretrainCharacters.v1" => false,
        _ => return Ok(None),
    };
    let hidden_size = settings.size("hidden_size", limits::NETWORK_WIDTH)?;
    let pieces = settings.size("maxout_pieces", limits::NETWORK_PIECES)?;
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let array = builder.plain("list2array");
    let maxout = builder.maxout(hidden_size, builder.width(tok2vec), pieces);
    let mut hidden = vec![maxout, builder.layer_norm(hidden_size)];
    if has_dropout {
        hidden.push(builder.dropout());
    }
    let hidden = builder.chain(&hidden);
    let linear = builder.affine("linear", FirstWeights::Zero, None, hidden_size);
    Ok(Some(builder.chain(&[tok2vec, array, hidden, linear])))
}
