//! Token vectors: embeddings, encoders, and listeners.

use crate::infer::architectures::ConfigView;
use lexpool_error::{Result, limits};
use lexpool_msgpack::Value;
use lexpool_structs::AttrId;

use super::nodes::{Blueprint, Kind, NodeId, Weights};
use super::settings::{Build, Settings};

/// The seed of the first table of several; the next ones follow.
const FIRST_SEED: u64 = 8;
/// The seed of the table beside character embeddings.
const SEED_BESIDE_CHARACTERS: u64 = 5;
/// The pieces of the layer that mixes embeddings.
const PIECES: usize = 3;

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    all: &mut Blueprint,
    name: &str,
    settings: &Settings<'_>,
    build_inner: Build,
) -> Result<Option<NodeId>> {
    Ok(Some(match name {
        "spacy.Tok2Vec.v2" => tok2vec(all, settings, false, build_inner)?,
        "spacy.Tok2Vec.v1" => tok2vec(all, settings, true, build_inner)?,
        "spacy.Tok2VecListener.v1" => all.listener(settings.size("width", limits::NETWORK_WIDTH)?),
        "spacy.MultiHashEmbed.v2" | "spacy.MultiHashEmbed.v1" => {
            let mut attrs = Vec::new();
            for attr in settings.list("attrs")? {
                attrs.push(match attr {
                    ConfigView::Text(name) => Value::Str(name.to_owned()),
                    ConfigView::Count(number) => Value::UInt(number),
                    _ => return Err(settings.error("\"attrs\" are names or numbers")),
                });
            }
            let rows = settings.sizes("rows", limits::NETWORK_ROWS)?;
            if attrs.len() != rows.len() || attrs.is_empty() {
                return Err(
                    settings.error("\"attrs\" and \"rows\" have different lengths, or none")
                );
            }
            let vectors = settings.flag("include_static_vectors", None)?;
            hash_embeds(all, settings.size("width", limits::NETWORK_WIDTH)?, attrs, &rows, vectors)
        }
        "spacy.CharacterEmbed.v2" => character_embed(all, settings)?,
        "spacy.MaxoutWindowEncoder.v2" => {
            let (encoder, reach) = window_encoder(all, settings, "maxout")?;
            all.with_array(encoder, reach)
        }
        "spacy.MaxoutWindowEncoder.v1" => {
            let (encoder, reach) = window_encoder(all, settings, "maxout")?;
            all.set_attr(encoder, "receptive_field", &Value::UInt(reach as u64));
            encoder
        }
        "spacy.MishWindowEncoder.v2" => {
            let (encoder, _) = window_encoder(all, settings, "mish")?;
            all.with_array(encoder, 0)
        }
        "spacy.MishWindowEncoder.v1" => window_encoder(all, settings, "mish")?.0,
        "spacy.HashEmbedCNN.v2" | "spacy.HashEmbedCNN.v1" => {
            let width = settings.size("width", limits::NETWORK_WIDTH)?;
            let n = settings.size("embed_size", limits::NETWORK_ROWS)?;
            let has_subwords = settings.flag("subword_features", None)?;
            let names = ["NORM", "PREFIX", "SUFFIX", "SHAPE"];
            let names = if has_subwords { &names[..] } else { &names[..1] };
            let rows: Vec<usize> =
                (0..names.len()).map(|at| if at == 0 { n } else { n / 2 }).collect();
            let attrs = names.iter().map(|name| Value::Str((*name).to_owned())).collect();
            let vectors = settings.flag("pretrained_vectors", Some(false))?;
            let embed = hash_embeds(all, width, attrs, &rows, vectors);
            let (encoder, reach) = window_encoder(all, settings, "maxout")?;
            let encode = all.with_array(encoder, reach);
            joined(all, embed, encode, encode)
        }
        _ => return Ok(None),
    }))
}

fn tok2vec(
    all: &mut Blueprint,
    settings: &Settings<'_>,
    is_first: bool,
    build_inner: Build,
) -> Result<NodeId> {
    let embed = build_inner(all, &settings.inner("embed")?)?;
    let encode = build_inner(all, &settings.inner("encode")?)?;
    if !is_first {
        return Ok(joined(all, embed, encode, encode));
    }
    // The first version has the padding in the layer around the encoder.
    let field = all.node(encode).attrs.iter().find(|(name, _)| *name == "receptive_field");
    let padding = match field.map(|(_, value)| Value::from_bytes(value)).transpose()? {
        Some(Value::UInt(field)) => usize::try_from(field).unwrap_or(0),
        _ => 0,
    };
    let around = all.with_array(encode, padding);
    Ok(joined(all, embed, around, encode))
}

/// Chains an embedding and an encoder, and refers to both.
fn joined(all: &mut Blueprint, embed: NodeId, around: NodeId, encode: NodeId) -> NodeId {
    let id = all.then(embed, around);
    if let Some(width) = all.known(encode, "nO") {
        all.set_dim(id, "nO", width);
    }
    all.refer(id, "embed", embed);
    all.refer(id, "encode", encode);
    id
}

fn hash_embeds(
    all: &mut Blueprint,
    width: usize,
    attrs: Vec<Value>,
    rows: &[usize],
    has_vectors: bool,
) -> NodeId {
    let embeds: Vec<NodeId> = (FIRST_SEED..)
        .zip(rows.iter().enumerate())
        .map(|(seed, (column, rows))| all.hash_embed(width, *rows, column, seed, Some(0.0)))
        .collect();
    let concat = width * (rows.len() + usize::from(has_vectors));
    let mix = mix(all, width, concat);
    let features = extract_features(all, attrs);
    let ragged = all.plain("list2ragged", Kind::Plain);
    let tables = all.concatenate(&embeds);
    let tables = all.with_array(tables, 0);
    let list = all.plain("ragged2list", Kind::Plain);
    if !has_vectors {
        return all.chain(&[features, ragged, tables, mix, list]);
    }
    let features = all.chain(&[features, ragged, tables]);
    let vectors = all.static_vectors(width);
    let embeds = all.concatenate(&[features, vectors]);
    all.chain(&[embeds, mix, list])
}

pub(super) fn extract_features(all: &mut Blueprint, attrs: Vec<Value>) -> NodeId {
    let id = all.plain("extract_features", Kind::ExtractFeatures(attrs.len()));
    all.set_attr(id, "columns", &Value::Array(attrs));
    id
}

fn mix(all: &mut Blueprint, width: usize, inputs: usize) -> NodeId {
    let maxout = all.maxout(Some(width), Some(inputs), PIECES);
    let normalized = all.normalized_with_dropout(maxout);
    all.with_array(normalized, 0)
}

fn character_embed(all: &mut Blueprint, settings: &Settings<'_>) -> Result<NodeId> {
    let width = settings.size("width", limits::NETWORK_WIDTH)?;
    let rows = settings.size("rows", limits::NETWORK_ROWS)?;
    let n_numbers = settings.size("nM", limits::NETWORK_WIDTH)?;
    let n_bytes = settings.size("nC", limits::NETWORK_CHARACTERS)?;
    let feature = settings.text("feature", "LOWER")?;
    let feature = AttrId::from_name(feature)
        .ok_or_else(|| settings.error(&format!("{feature:?} is not an attribute of tokens")))?;
    let characters = all.char_embed(n_numbers, n_bytes);
    let ragged = all.plain("list2ragged", Kind::Plain);
    let characters = all.then(characters, ragged);
    let features = extract_features(all, vec![Value::UInt(u64::from(feature.number()))]);
    let ragged = all.plain("list2ragged", Kind::Plain);
    let table = all.hash_embed(width, rows, 0, SEED_BESIDE_CHARACTERS, None);
    let table = all.with_array(table, 0);
    let mut embeds = vec![characters, all.chain(&[features, ragged, table])];
    let has_vectors = settings.flag("include_static_vectors", None)?;
    if has_vectors {
        embeds.push(all.static_vectors(width));
    }
    let inputs = n_numbers * n_bytes + width * (1 + usize::from(has_vectors));
    let mix = mix(all, width, inputs);
    let embed = all.concatenate(&embeds);
    let list = all.plain("ragged2list", Kind::Plain);
    Ok(all.chain(&[embed, mix, list]))
}

/// Returns an encoder and the number of neighbours on a side on which its results depend.
fn window_encoder(
    all: &mut Blueprint,
    settings: &Settings<'_>,
    kind: &str,
) -> Result<(NodeId, usize)> {
    let width = settings.size("width", limits::NETWORK_WIDTH)?;
    let (window, depth) = settings.window_and_depth(("window_size", "depth"))?;
    let inputs = width * (2 * window + 1);
    let expand = all.expand_window(window);
    let layer = if kind == "maxout" {
        all.maxout(
            Some(width),
            Some(inputs),
            settings.size("maxout_pieces", limits::NETWORK_PIECES)?,
        )
    } else {
        all.affine(kind, Weights::Glorot, Some(width), Some(inputs))
    };
    let normalized = all.normalized_with_dropout(layer);
    let convolution = all.then(expand, normalized);
    let residual = all.residual(convolution);
    let encoder = all.repeat(residual, depth);
    all.set_dim(encoder, "nO", width);
    Ok((encoder, window * depth))
}
