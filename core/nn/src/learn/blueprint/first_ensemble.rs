//! `spacy.TextCatEnsemble.v1`: a bag of words beside a network with token vectors of its own.
//!
//! Source: `spacy_legacy.architectures.textcat` of spacy-legacy 3.

use lexpool_error::{Result, limits};
use lexpool_msgpack::Value;
use lexpool_structs::AttrId;

use super::nodes::{Blueprint, Kind, NodeId, Weights};
use super::settings::{Build, Settings};
use super::textcat::{LENGTH, bag_of_words};
use super::tok2vec::extract_features;

/// The attributes of tokens that are read, in columns.
const COLUMNS: [AttrId; 6] =
    [AttrId::ORTH, AttrId::LOWER, AttrId::PREFIX, AttrId::SUFFIX, AttrId::SHAPE, AttrId::ID];
/// The column by which distinct tokens are told apart.
const KEY_COLUMN: usize = 0;
/// The seed of the table of the second column; the next ones follow.
const FIRST_SEED: u64 = 10;
/// The number of pieces of a maxout layer.
const PIECES: usize = 3;

/// Builds the architecture; `None` for another name.
pub(super) fn build(
    all: &mut Blueprint,
    name: &str,
    settings: &Settings<'_>,
    _build_inner: Build,
) -> Result<Option<NodeId>> {
    if name != "spacy.TextCatEnsemble.v1" {
        return Ok(None);
    }
    if settings.flag("pretrained_vectors", Some(false))? {
        let text = "\"pretrained_vectors\" is true, which spaCy cannot run either";
        return Err(settings.error(text));
    }
    let exclusive = settings.flag("exclusive_classes", None)?;
    let (outputs, width) = (settings.outputs()?, settings.size("width", limits::NETWORK_WIDTH)?);
    let tok2vec = tok2vec(all, settings, width)?;
    let ragged = all.plain("list2ragged", Kind::Plain);
    let rows = all.then(tok2vec, ragged);
    let attention = all.attention(Some(width));
    let rows = all.then(rows, attention);
    let sum = all.plain("reduce_sum", Kind::Plain);
    let rows = all.then(rows, sum);
    let hidden = all.maxout(Some(width), Some(width), PIECES);
    let hidden = all.residual(hidden);
    let rows = all.then(rows, hidden);
    let linear = all.affine("linear", Weights::Glorot, outputs, Some(width));
    let rows = all.then(rows, linear);
    let dropout = all.dropout();
    let network = all.then(rows, dropout);
    let words = all.sparse_linear(outputs, LENGTH, true);
    let counts = bag_of_words(all, settings, (words, words), true)?;
    let doubled = outputs.map(|outputs| 2 * outputs);
    let output = if exclusive {
        all.softmax(outputs, doubled, true)
    } else {
        let linear = all.affine("linear", Weights::Glorot, outputs, doubled);
        let dropout = all.dropout();
        let linear = all.then(linear, dropout);
        let logistic = all.plain("logistic", Kind::Plain);
        all.then(linear, logistic)
    };
    let both = all.concatenate(&[counts, network]);
    let id = all.then(both, output);
    all.refer(id, "tok2vec", tok2vec);
    if let Some(outputs) = outputs {
        all.set_dim(id, "nO", outputs);
    }
    all.refer(id, "output_layer", words);
    all.set_attr(id, "multi_label", &Value::Bool(!exclusive));
    Ok(Some(id))
}

/// Builds tables of the columns but for the first and the last, and convolutions above them.
fn tok2vec(all: &mut Blueprint, settings: &Settings<'_>, width: usize) -> Result<NodeId> {
    let rows = settings.size("embed_size", limits::NETWORK_ROWS)?;
    let (window, depth) = settings.window_and_depth(("window_size", "conv_depth"))?;
    let dropout = settings.optional_number("dropout")?;
    let half = width / 2;
    let widths = [width, half, half, half];
    let mut tables = Vec::with_capacity(widths.len());
    for (column, width) in (1..).zip(widths) {
        let seed = FIRST_SEED + tables.len() as u64;
        tables.push(all.hash_embed(width, rows, column, seed, dropout));
    }
    let columns = COLUMNS.map(|attr| Value::UInt(u64::from(attr.number())));
    let features = extract_features(all, columns.to_vec());
    // The first two tables give the concatenation its name.
    let embeds = all.concatenate(&tables[..2]);
    let embeds = all.concatenate(&[embeds, tables[2], tables[3]]);
    let mix = all.maxout(Some(width), Some(widths.iter().sum()), PIECES);
    let mix = all.normalized(mix);
    let embeds = all.then(embeds, mix);
    let embeds = all.uniqued(embeds, KEY_COLUMN);
    let embeds = all.with_array(embeds, 0);
    let vectors = all.then(features, embeds);
    let first = all.maxout(Some(width), Some(width), PIECES);
    let first = all.normalized(first);
    let expand = all.expand_window(window);
    let layer = all.maxout(Some(width), Some(width * (2 * window + 1)), PIECES);
    let layer = all.normalized(layer);
    let convolution = all.then(expand, layer);
    let residual = all.residual(convolution);
    let convolutions = all.repeat(residual, depth);
    let encoder = all.then(first, convolutions);
    let encoder = all.with_array(encoder, depth);
    Ok(all.then(vectors, encoder))
}
