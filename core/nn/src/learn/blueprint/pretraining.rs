//! Networks that predict the words of a text from the rows of a shared network.
//!
//! Source: `spacy.ml.models.multi_task` of spaCy 3.8.

use lexpool_error::{Result, limits};

use super::nodes::{Blueprint, Kind, NodeId, Weights};
use super::settings::{Build, Settings};

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    all: &mut Blueprint,
    name: &str,
    settings: &Settings<'_>,
    build_inner: Build,
) -> Result<Option<NodeId>> {
    let has_dropout = match name {
        "spacy.PretrainVectors.v1" => true,
        "spacy.PretrainCharacters.v1" => false,
        _ => return Ok(None),
    };
    let hidden_size = settings.size("hidden_size", limits::NETWORK_WIDTH)?;
    let pieces = settings.size("maxout_pieces", limits::NETWORK_PIECES)?;
    let tok2vec = build_inner(all, &settings.inner("tok2vec")?)?;
    let array = all.plain("list2array", Kind::Plain);
    let maxout = all.maxout(Some(hidden_size), all.known(tok2vec, "nO"), pieces);
    let norm = all.layer_norm(Some(hidden_size));
    let mut hidden = vec![maxout, norm];
    if has_dropout {
        hidden.push(all.dropout());
    }
    let hidden = all.chain(&hidden);
    let linear = all.affine("linear", Weights::Zero, None, Some(hidden_size));
    Ok(Some(all.chain(&[tok2vec, array, hidden, linear])))
}
