//! Token vectors: embeddings, encoders, and listeners to a shared component.

use std::rc::Rc;

use lexpool_error::Result;

use super::builder::Builder;
use super::layers::normalized;
use super::settings::Settings;
use crate::infer::tree::{Layer, chain, concatenate, first_static_vectors, residual, with_array};

/// The version of an architecture, where versions have other layers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    First,
    Second,
}

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    builder: &mut Builder,
) -> Result<Option<Rc<Layer>>> {
    use Version::{First, Second};
    Ok(Some(match name {
        "spacy.Tok2Vec.v2" => chain([
            builder.layer(&settings.inner("embed")?)?,
            builder.layer(&settings.inner("encode")?)?,
        ]),
        "spacy.Tok2Vec.v1" => {
            let embed = builder.layer(&settings.inner("embed")?)?;
            chain([embed, with_array(builder.layer(&settings.inner("encode")?)?)])
        }
        "spacy.Tok2VecListener.v1" => Layer::leaf("tok2vec-listener"),
        "spacy.MultiHashEmbed.v2" => multi_hash_embed(settings, Second)?,
        "spacy.MultiHashEmbed.v1" => multi_hash_embed(settings, First)?,
        "spacy.CharacterEmbed.v2" => character_embed(settings, Second)?,
        "spacy.CharacterEmbed.v1" => character_embed(settings, First)?,
        "spacy.MaxoutWindowEncoder.v2" => with_array(window_encoder("maxout", settings, builder)?),
        "spacy.MaxoutWindowEncoder.v1" => window_encoder("maxout", settings, builder)?,
        "spacy.MishWindowEncoder.v2" => with_array(window_encoder("mish", settings, builder)?),
        "spacy.MishWindowEncoder.v1" => window_encoder("mish", settings, builder)?,
        "spacy.HashEmbedCNN.v2" => hash_embed_cnn(settings, Second, builder)?,
        "spacy.HashEmbedCNN.v1" => hash_embed_cnn(settings, First, builder)?,
        _ => return Ok(None),
    }))
}

fn multi_hash_embed(settings: &Settings<'_>, version: Version) -> Result<Rc<Layer>> {
    let (attrs, rows) = (settings.list_len("attrs")?, settings.list_len("rows")?);
    if attrs != rows {
        return Err(settings.error(&format!("{attrs} \"attrs\" have {rows} \"rows\"")));
    }
    if attrs == 0 {
        return Err(settings.error("\"attrs\" is empty"));
    }
    let vectors = settings.flag("include_static_vectors", false)?;
    Ok(hash_embeds(attrs, vectors.then_some(version)))
}

/// Builds embeddings of attributes, and of word vectors if their version is given, mixed by a
/// layer.
fn hash_embeds(n_attrs: usize, vectors: Option<Version>) -> Rc<Layer> {
    let embeds: Vec<_> = (0..n_attrs).map(|_| hash_embed()).collect();
    let tables = [
        Layer::leaf("extract_features"),
        Layer::leaf("list2ragged"),
        with_array(concatenate(embeds)),
    ];
    let mix = [with_array(normalized("maxout")), Layer::leaf("ragged2list")];
    match vectors {
        None => chain([&tables[..], &mix].concat()),
        Some(version) => {
            let embed = concatenate([chain(tables), static_vectors(version)]);
            chain([&[embed][..], &mix].concat())
        }
    }
}

fn character_embed(settings: &Settings<'_>, version: Version) -> Result<Rc<Layer>> {
    let characters = chain([Layer::leaf("charembed"), Layer::leaf("list2ragged")]);
    let feature = chain([
        Layer::leaf("extract_features"),
        Layer::leaf("list2ragged"),
        with_array(hash_embed()),
    ]);
    let mut embeds = vec![characters, feature];
    if settings.flag("include_static_vectors", false)? {
        embeds.push(static_vectors(version));
    }
    let mix = with_array(normalized("maxout"));
    Ok(chain([concatenate(embeds), mix, Layer::leaf("ragged2list")]))
}

fn hash_embed_cnn(
    settings: &Settings<'_>,
    version: Version,
    builder: &mut Builder,
) -> Result<Rc<Layer>> {
    let n_attrs = if settings.flag("subword_features", true)? { 4 } else { 1 };
    let vectors = settings.flag("pretrained_vectors", false)?;
    let embed = hash_embeds(n_attrs, vectors.then_some(version));
    Ok(chain([embed, with_array(window_encoder("maxout", settings, builder)?)]))
}

fn window_encoder(kind: &str, settings: &Settings<'_>, builder: &mut Builder) -> Result<Rc<Layer>> {
    let convolution = || residual(chain([Layer::leaf("expand_window"), normalized(kind)]));
    builder.repeated((settings, "depth"), 4, convolution)
}

/// `HashEmbed` of a column.
pub(super) fn hash_embed() -> Rc<Layer> {
    chain([Layer::leaf("ints-getitem"), Layer::leaf("hashembed")])
}

fn static_vectors(version: Version) -> Rc<Layer> {
    match version {
        Version::First => first_static_vectors(),
        Version::Second => Layer::leaf("static_vectors"),
    }
}
