//! Networks of text categorizers.

use std::rc::Rc;

use lexpool_error::{Error, Result, codes};

use super::builder::Builder;
use super::layers::normalized;
use super::settings::Settings;
use super::tok2vec::hash_embed;
use crate::infer::tree::{
    Layer, chain, concatenate, first_sparse_linear, named, residual, with_array, wrap,
};

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    builder: &mut Builder,
) -> Result<Option<Rc<Layer>>> {
    let exclusive = || settings.flag("exclusive_classes", false);
    Ok(Some(match name {
        "spacy.TextCatBOW.v3" => {
            bag_of_words(settings, wrap("resizable", Layer::leaf("sparse_linear")))?
        }
        "spacy.TextCatBOW.v2" => bag_of_words(settings, wrap("resizable", first_sparse_linear()))?,
        "spacy.TextCatBOW.v1" => bag_of_words(settings, first_sparse_linear())?,
        "spacy.TextCatCNN.v2" => {
            let rows = ragged(settings, builder)?;
            resizable_output(chain([rows, Layer::leaf("reduce_mean")]), exclusive()?)
        }
        "spacy.TextCatCNN.v1" => {
            let rows = chain([ragged(settings, builder)?, Layer::leaf("reduce_mean")]);
            output(rows, exclusive()?)
        }
        "spacy.TextCatReduce.v1" => {
            let rows = chain([ragged(settings, builder)?, concatenate(reductions(settings)?)]);
            resizable_output(rows, exclusive()?)
        }
        "spacy.TextCatParametricAttention.v1" => {
            let attention = named("para-attn", [Layer::leaf("gelu")]);
            let rows = attend(ragged(settings, builder)?, attention);
            chain([rows, activated(exclusive()?)])
        }
        "spacy.TextCatEnsemble.v2" => {
            let linear = settings.inner("linear_model")?;
            let attention = Layer::leaf("para-attn");
            let network = attend(ragged(settings, builder)?, attention);
            let last = activated(linear.flag("exclusive_classes", false)?);
            chain([concatenate([builder.layer(&linear)?, network]), last])
        }
        "spacy.TextCatEnsemble.v1" => first_ensemble(settings, builder)?,
        _ => return Ok(None),
    }))
}

fn bag_of_words(settings: &Settings<'_>, linear: Rc<Layer>) -> Result<Rc<Layer>> {
    let counts = wrap("with_cpu", chain([Layer::leaf("extract_ngrams"), linear]));
    if settings.flag("no_output_layer", false)? {
        return Ok(counts);
    }
    let exclusive = settings.flag("exclusive_classes", false)?;
    let activation = if exclusive { "softmax_activation" } else { "logistic" };
    Ok(chain([counts, wrap("with_cpu", Layer::leaf(activation))]))
}

fn ragged(settings: &Settings<'_>, builder: &mut Builder) -> Result<Rc<Layer>> {
    let tok2vec = builder.layer(&settings.inner("tok2vec")?)?;
    Ok(chain([tok2vec, Layer::leaf("list2ragged")]))
}

fn reductions(settings: &Settings<'_>) -> Result<Vec<Rc<Layer>>> {
    let mut reductions = Vec::new();
    for kind in ["first", "last", "max", "mean"] {
        if settings.flag(&format!("use_reduce_{kind}"), false)? {
            reductions.push(Layer::leaf(&format!("reduce_{kind}")));
        }
    }
    if reductions.is_empty() {
        let text = "it uses no reduction; set use_reduce_mean, for example";
        return Err(Error::value(codes::E1057, format!("[{}]: {text}", settings.section())));
    }
    Ok(reductions)
}

/// Sums the rows of a document, weighted by attention, and adds a hidden layer.
fn attend(rows: Rc<Layer>, attention: Rc<Layer>) -> Rc<Layer> {
    let sum = chain([chain([rows, attention]), Layer::leaf("reduce_sum")]);
    chain([sum, residual(normalized("maxout"))])
}

/// An output layer that is one layer with its function.
fn activated(exclusive: bool) -> Rc<Layer> {
    if exclusive {
        return Layer::leaf("softmax");
    }
    chain([Layer::leaf("linear"), Layer::leaf("logistic")])
}

fn output(rows: Rc<Layer>, exclusive: bool) -> Rc<Layer> {
    if exclusive {
        return chain([rows, Layer::leaf("softmax")]);
    }
    chain([chain([rows, Layer::leaf("linear")]), Layer::leaf("logistic")])
}

fn resizable_output(rows: Rc<Layer>, exclusive: bool) -> Rc<Layer> {
    if exclusive {
        return chain([rows, wrap("resizable", Layer::leaf("softmax"))]);
    }
    let linear = wrap("resizable", Layer::leaf("linear"));
    chain([chain([rows, linear]), Layer::leaf("logistic")])
}

/// `spacy.TextCatEnsemble.v1`, which has its own token vectors.
fn first_ensemble(settings: &Settings<'_>, builder: &mut Builder) -> Result<Rc<Layer>> {
    if settings.flag("pretrained_vectors", false)? {
        return Err(settings.error("\"pretrained_vectors\" is true, which spaCy cannot run either"));
    }
    let maxout = || chain([Layer::leaf("maxout"), Layer::leaf("layernorm")]);
    let embeds =
        concatenate([concatenate([hash_embed(), hash_embed()]), hash_embed(), hash_embed()]);
    let unique = wrap("uniqued", chain([embeds, maxout()]));
    let vectors = chain([Layer::leaf("extract_features"), with_array(unique)]);
    let convolution = || residual(chain([Layer::leaf("expand_window"), maxout()]));
    let convolutions = builder.repeated((settings, "conv_depth"), 2, convolution)?;
    let tok2vec = chain([vectors, with_array(chain([maxout(), convolutions]))]);
    let attended = chain([chain([tok2vec, Layer::leaf("list2ragged")]), Layer::leaf("para-attn")]);
    let sum = chain([attended, Layer::leaf("reduce_sum")]);
    let hidden = chain([sum, residual(Layer::leaf("maxout"))]);
    let network = chain([chain([hidden, Layer::leaf("linear")]), Layer::leaf("dropout")]);
    let counts = bag_of_words(settings, first_sparse_linear())?;
    let last = if settings.flag("exclusive_classes", false)? {
        Layer::leaf("softmax")
    } else {
        let linear = chain([Layer::leaf("linear"), Layer::leaf("dropout")]);
        chain([linear, Layer::leaf("logistic")])
    };
    Ok(chain([concatenate([counts, network]), last]))
}
