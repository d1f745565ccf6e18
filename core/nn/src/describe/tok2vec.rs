//! Token vectors: embeddings, encoders, and listeners to a shared component.
//!
//! Source: `spacy.ml.models.tok2vec` of spaCy 3.8 and `spacy_legacy.architectures.tok2vec` of
//! spacy-legacy 3.

use lexpool_error::{Result, limits};
use lexpool_msgpack::Value;
use lexpool_structs::AttrId;

use super::blueprint::{FirstWeights, Version};
use super::builder::{Builder, Built};
use super::config_value::ConfigView;
use super::model_file::NodeIx;
use super::settings::Settings;

/// The seed of the first table of several; the next ones follow.
const FIRST_SEED: u64 = 8;
/// The seed of the table beside character embeddings.
const SEED_BESIDE_CHARACTERS: u64 = 5;
/// The pieces of the layer that mixes embeddings.
const PIECES: usize = 3;
/// The attributes of `HashEmbedCNN`; the first alone without subwords.
const CNN_ATTRS: [&str; 4] = ["NORM", "PREFIX", "SUFFIX", "SHAPE"];

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(name: &str, settings: &Settings<'_>, builder: &mut Builder) -> Built {
    use Version::{First, Second};
    Ok(Some(match name {
        "spacy.Tok2Vec.v2" => tok2vec(builder, settings, Second)?,
        "spacy.Tok2Vec.v1" => tok2vec(builder, settings, First)?,
        "spacy.Tok2VecListener.v1" => {
            builder.listener(settings.size("width", limits::NETWORK_WIDTH)?)
        }
        "spacy.MultiHashEmbed.v2" => multi_hash_embed(builder, settings, Second)?,
        "spacy.MultiHashEmbed.v1" => multi_hash_embed(builder, settings, First)?,
        "spacy.CharacterEmbed.v2" => character_embed(builder, settings, Second)?,
        "spacy.CharacterEmbed.v1" if settings.is_for_new() => {
            return Err(settings.only_loaded(name));
        }
        "spacy.CharacterEmbed.v1" => character_embed(builder, settings, First)?,
        "spacy.MaxoutWindowEncoder.v2" => {
            let (encoder, reach) = window_encoder(builder, settings, "maxout")?;
            builder.with_array(encoder, reach)
        }
        "spacy.MaxoutWindowEncoder.v1" => {
            let (encoder, reach) = window_encoder(builder, settings, "maxout")?;
            builder.set_attr(encoder, "receptive_field", &Value::UInt(reach as u64));
            encoder
        }
        "spacy.MishWindowEncoder.v2" => {
            let (encoder, _) = window_encoder(builder, settings, "mish")?;
            builder.with_array(encoder, 0)
        }
        "spacy.MishWindowEncoder.v1" => window_encoder(builder, settings, "mish")?.0,
        "spacy.HashEmbedCNN.v2" => hash_embed_cnn(builder, settings, Second)?,
        "spacy.HashEmbedCNN.v1" => hash_embed_cnn(builder, settings, First)?,
        _ => return Ok(None),
    }))
}

fn tok2vec(builder: &mut Builder, settings: &Settings<'_>, version: Version) -> Result<NodeIx> {
    let embed = builder.inner(settings, "embed")?;
    let encode = builder.inner(settings, "encode")?;
    if version == Version::Second {
        return Ok(embed_and_encode(builder, embed, encode, encode));
    }
    // The first version has the padding in the layer around the encoder.
    let attrs = &builder.node(encode).attrs;
    let field = attrs.iter().find(|(name, _)| *name == "receptive_field");
    let padding = match field.map(|(_, value)| Value::from_bytes(value)).transpose()? {
        Some(Value::UInt(field)) => usize::try_from(field).unwrap_or(0),
        _ => 0,
    };
    let around = builder.with_array(encode, padding);
    Ok(embed_and_encode(builder, embed, around, encode))
}

/// Chains an embedding and an encoder, and refers to both.
fn embed_and_encode(
    builder: &mut Builder,
    embed: NodeIx,
    around: NodeIx,
    encode: NodeIx,
) -> NodeIx {
    let root = builder.then(embed, around);
    builder.set_width(root, builder.width(encode));
    builder.refer(root, &[("embed", embed), ("encode", encode)]);
    root
}

fn multi_hash_embed(
    builder: &mut Builder,
    settings: &Settings<'_>,
    version: Version,
) -> Result<NodeIx> {
    let mut attrs = Vec::new();
    for attr in settings.list("attrs")? {
        attrs.push(match attr {
            ConfigView::Text(name) => Value::Str(name.to_owned()),
            ConfigView::Count(number) => Value::UInt(number),
            _ => return Err(settings.error("\"attrs\" are names or numbers")),
        });
    }
    let rows = settings.sizes("rows", limits::NETWORK_ROWS)?;
    if attrs.len() != rows.len() {
        let text = format!("{} \"attrs\" have {} \"rows\"", attrs.len(), rows.len());
        return Err(settings.error(&text));
    }
    if attrs.is_empty() {
        return Err(settings.error("\"attrs\" is empty"));
    }
    let has_vectors = settings.required_flag("include_static_vectors", false)?;
    let width = settings.size("width", limits::NETWORK_WIDTH)?;
    Ok(hash_embeds(builder, width, attrs, &rows, has_vectors.then_some(version)))
}

/// Builds embeddings of attributes, and of word vectors if their version is given, mixed by a
/// layer.
fn hash_embeds(
    builder: &mut Builder,
    width: Option<usize>,
    attrs: Vec<Value>,
    rows: &[Option<usize>],
    vectors: Option<Version>,
) -> NodeIx {
    let tables: Vec<NodeIx> = (FIRST_SEED..)
        .zip(rows.iter().enumerate())
        .map(|(seed, (column, rows))| builder.hash_embed((width, *rows), column, seed, Some(0.0)))
        .collect();
    let n_parts = rows.len() + usize::from(vectors.is_some());
    let mix = mix(builder, width, width.map(|width| width * n_parts));
    let features = builder.extract_features(attrs);
    let ragged = builder.plain("list2ragged");
    let tables = builder.concatenate(&tables);
    let tables = builder.with_array(tables, 0);
    let list = builder.plain("ragged2list");
    let Some(version) = vectors else {
        return builder.chain(&[features, ragged, tables, mix, list]);
    };
    let features = builder.chain(&[features, ragged, tables]);
    let vectors = builder.static_vectors(width, version);
    let embeds = builder.concatenate(&[features, vectors]);
    builder.chain(&[embeds, mix, list])
}

fn mix(builder: &mut Builder, width: Option<usize>, inputs: Option<usize>) -> NodeIx {
    let maxout = builder.maxout(width, inputs, Some(PIECES));
    let normalized = builder.normalized_with_dropout(maxout);
    builder.with_array(normalized, 0)
}

fn character_embed(
    builder: &mut Builder,
    settings: &Settings<'_>,
    version: Version,
) -> Result<NodeIx> {
    let width = settings.size("width", limits::NETWORK_WIDTH)?;
    let rows = settings.size("rows", limits::NETWORK_ROWS)?;
    let n_numbers = settings.size("nM", limits::NETWORK_WIDTH)?;
    let n_bytes = settings.size("nC", limits::NETWORK_CHARACTERS)?;
    let feature = settings.text("feature", "LOWER")?;
    let feature = AttrId::from_name(feature)
        .ok_or_else(|| settings.error(&format!("{feature:?} is not an attribute of tokens")))?;
    let characters = builder.char_embed(n_numbers, n_bytes);
    let characters_width = builder.width(characters);
    let characters = builder.then_plain(characters, "list2ragged");
    let feature = Value::UInt(u64::from(feature.number()));
    let features = builder.extract_features(vec![feature]);
    let ragged = builder.plain("list2ragged");
    let table = builder.hash_embed((width, rows), 0, SEED_BESIDE_CHARACTERS, None);
    let table = builder.with_array(table, 0);
    let mut embeds = vec![characters, builder.chain(&[features, ragged, table])];
    let has_vectors = settings.required_flag("include_static_vectors", false)?;
    if has_vectors {
        embeds.push(builder.static_vectors(width, version));
    }
    let rest = width.map(|width| width * (1 + usize::from(has_vectors)));
    let inputs = characters_width.zip(rest).map(|(characters, rest)| characters + rest);
    let mix = mix(builder, width, inputs);
    let embed = builder.concatenate(&embeds);
    let list = builder.plain("ragged2list");
    Ok(builder.chain(&[embed, mix, list]))
}

fn hash_embed_cnn(
    builder: &mut Builder,
    settings: &Settings<'_>,
    version: Version,
) -> Result<NodeIx> {
    let width = settings.size("width", limits::NETWORK_WIDTH)?;
    let n_rows = settings.size("embed_size", limits::NETWORK_ROWS)?;
    let has_subwords = settings.required_flag("subword_features", true)?;
    let attrs = if has_subwords { &CNN_ATTRS[..] } else { &CNN_ATTRS[..1] };
    // The tables of subwords are half as long.
    let rows: Vec<_> = (0..attrs.len())
        .map(|column| n_rows.map(|rows| if column == 0 { rows } else { rows / 2 }))
        .collect();
    let attrs = attrs.iter().map(|name| Value::Str((*name).to_owned())).collect();
    let has_vectors = settings.flag("pretrained_vectors", false)?;
    let embed = hash_embeds(builder, width, attrs, &rows, has_vectors.then_some(version));
    let (encoder, reach) = window_encoder(builder, settings, "maxout")?;
    let encode = builder.with_array(encoder, reach);
    Ok(embed_and_encode(builder, embed, encode, encode))
}

/// Returns an encoder and the number of neighbours on a side on which its results depend.
fn window_encoder(
    builder: &mut Builder,
    settings: &Settings<'_>,
    kind: &str,
) -> Result<(NodeIx, usize)> {
    let width = settings.size("width", limits::NETWORK_WIDTH)?;
    let window = settings.size("window_size", limits::NETWORK_WINDOW)?.unwrap_or(1);
    let inputs = width.map(|width| width * (2 * window + 1));
    let layer = if kind == "maxout" {
        builder.maxout(width, inputs, settings.size("maxout_pieces", limits::NETWORK_PIECES)?)
    } else {
        builder.affine(kind, FirstWeights::Glorot, width, inputs)
    };
    let layer = builder.normalized_with_dropout(layer);
    let residual = convolution(builder, window, layer);
    let (encoder, depth) = builder.repeated(residual, (settings, "depth"), 4)?;
    builder.set_width(encoder, width);
    Ok((encoder, window * depth))
}

/// Builds a layer over windows whose results are added to its input.
pub(super) fn convolution(builder: &mut Builder, window: usize, layer: NodeIx) -> NodeIx {
    let expand = builder.expand_window(window);
    let convolution = builder.then(expand, layer);
    builder.residual(convolution)
}
