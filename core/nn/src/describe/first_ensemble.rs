//! `spacy.TextCatEnsemble.v1`: a bag of words beside a network with token vectors of its own.
//!
//! Source: `spacy_legacy.architectures.textcat` of spacy-legacy 3.

use lexpool_error::{Result, limits};
use lexpool_msgpack::Value;
use lexpool_structs::AttrId;

use super::builder::{Builder, Built};
use super::layers::outputs;
use super::model_file::NodeIx;
use super::settings::Settings;
use super::textcat::first_counted_words;
use super::tok2vec::convolution;

/// The attributes of tokens that are read, in columns.
const COLUMNS: [AttrId; 6] =
    [AttrId::ORTH, AttrId::LOWER, AttrId::PREFIX, AttrId::SUFFIX, AttrId::SHAPE, AttrId::ID];
/// The column by which distinct tokens are told apart.
const KEY_COLUMN: usize = 0;
/// The seed of the table of the second column; the next ones follow.
const FIRST_SEED: u64 = 10;
/// The number of pieces of a maxout layer.
const PIECES: Option<usize> = Some(3);

/// Builds the architecture; `None` for another name.
pub(super) fn build(name: &str, settings: &Settings<'_>, builder: &mut Builder) -> Built {
    if name != "spacy.TextCatEnsemble.v1" {
        return Ok(None);
    }
    if settings.flag("pretrained_vectors", false)? {
        let text = "\"pretrained_vectors\" is true, which spaCy cannot run either";
        return Err(settings.error(text));
    }
    let exclusive = settings.required_flag("exclusive_classes", false)?;
    let outputs = outputs(settings)?;
    let width = settings.size("width", limits::NETWORK_WIDTH)?;
    let tok2vec = tok2vec(builder, settings, width)?;
    let rows = builder.then_plain(tok2vec, "list2ragged");
    let attention = builder.attention(width);
    let rows = builder.then(rows, attention);
    let rows = builder.then_plain(rows, "reduce_sum");
    let hidden = builder.maxout(width, width, PIECES);
    let hidden = builder.residual(hidden);
    let rows = builder.then(rows, hidden);
    let linear = builder.linear(outputs, width);
    let rows = builder.then(rows, linear);
    let network = builder.then_dropout(rows);
    let (counts, words) = first_counted_words(builder, settings)?;
    let doubled = outputs.map(|outputs| 2 * outputs);
    let output = if exclusive {
        builder.softmax(outputs, doubled, true)
    } else {
        let linear = builder.linear(outputs, doubled);
        let linear = builder.then_dropout(linear);
        builder.then_plain(linear, "logistic")
    };
    let both = builder.concatenate(&[counts, network]);
    let root = builder.then(both, output);
    builder.set_width(root, outputs);
    builder.refer(root, &[("tok2vec", tok2vec), ("output_layer", words)]);
    builder.set_attr(root, "multi_label", &Value::Bool(!exclusive));
    Ok(Some(root))
}

/// Builds tables of the columns but for the first and the last, and convolutions above them.
fn tok2vec(builder: &mut Builder, settings: &Settings<'_>, width: Option<usize>) -> Result<NodeIx> {
    let rows = settings.size("embed_size", limits::NETWORK_ROWS)?;
    let window = settings.size("window_size", limits::NETWORK_WINDOW)?.unwrap_or(1);
    let dropout = settings.optional_number("dropout")?;
    let half = width.map(|width| width / 2);
    let widths = [width, half, half, half];
    let mut column = 0;
    let tables = widths.map(|width| {
        let seed = FIRST_SEED + column as u64;
        column += 1;
        builder.hash_embed((width, rows), column, seed, dropout)
    });
    let columns = COLUMNS.map(|attr| Value::UInt(u64::from(attr.number())));
    let features = builder.extract_features(columns.to_vec());
    // The first two tables give the concatenation its name.
    let embeds = builder.concatenate(&tables[..2]);
    let embeds = builder.concatenate(&[embeds, tables[2], tables[3]]);
    let mix = builder.maxout(width, widths.into_iter().sum(), PIECES);
    let mix = builder.normalized(mix);
    let embeds = builder.then(embeds, mix);
    let embeds = builder.uniqued(embeds, KEY_COLUMN);
    let embeds = builder.with_array(embeds, 0);
    let vectors = builder.then(features, embeds);
    let first = builder.maxout(width, width, PIECES);
    let first = builder.normalized(first);
    let inputs = width.map(|width| width * (2 * window + 1));
    let layer = builder.maxout(width, inputs, PIECES);
    let layer = builder.normalized(layer);
    let residual = convolution(builder, window, layer);
    let (convolutions, depth) = builder.repeated(residual, (settings, "conv_depth"), 2)?;
    let encoder = builder.then(first, convolutions);
    let encoder = builder.with_array(encoder, depth);
    Ok(builder.then(vectors, encoder))
}
