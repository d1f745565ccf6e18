//! Layers that settings name under "@layers", and the usual combinations of them.

use std::rc::Rc;

use lexpool_error::Result;

use super::builder::Builder;
use super::settings::Settings;
use crate::infer::tree::{Layer, chain, concatenate, residual, with_array};

/// Builds a registered layer; `None` for another name.
pub(super) fn build(
    name: &str,
    settings: &Settings<'_>,
    builder: &mut Builder,
) -> Result<Option<Rc<Layer>>> {
    let mut all = |settings: &Settings<'_>| -> Result<Vec<Rc<Layer>>> {
        settings.arguments()?.iter().map(|argument| builder.layer(argument)).collect()
    };
    Ok(Some(match name {
        "spacy.LinearLogistic.v1" => chain([Layer::leaf("linear"), Layer::leaf("logistic")]),
        "spacy.mean_max_reducer.v1" => chain([
            concatenate(
                ["reduce_last", "reduce_first", "reduce_mean", "reduce_max"].map(Layer::leaf),
            ),
            normalized("maxout"),
        ]),
        "Linear.v1" => Layer::leaf("linear"),
        "Softmax.v1" | "Softmax.v2" => Layer::leaf("softmax"),
        "Logistic.v1" => Layer::leaf("logistic"),
        "softmax_activation.v1" => Layer::leaf("softmax_activation"),
        "Maxout.v1" => dense("maxout", settings)?,
        "Mish.v1" => dense("mish", settings)?,
        "Relu.v1" => dense("relu", settings)?,
        "Gelu.v1" => dense("gelu", settings)?,
        "LayerNorm.v1" => Layer::leaf("layernorm"),
        "Dropout.v1" => Layer::leaf("dropout"),
        "noop.v1" => Layer::leaf("noop"),
        "list2ragged.v1" => Layer::leaf("list2ragged"),
        "reduce_sum.v1" => Layer::leaf("reduce_sum"),
        "reduce_mean.v1" => Layer::leaf("reduce_mean"),
        "reduce_max.v1" => Layer::leaf("reduce_max"),
        "reduce_first.v1" => Layer::leaf("reduce_first"),
        "reduce_last.v1" => Layer::leaf("reduce_last"),
        "chain.v1" => chain(all(settings)?),
        "concatenate.v1" => concatenate(all(settings)?),
        "residual.v1" => residual(builder.layer(&settings.inner("layer")?)?),
        "with_array.v1" => with_array(builder.layer(&settings.inner("layer")?)?),
        _ => return Ok(None),
    }))
}

/// Builds a dense layer with the settings `normalize` and `dropout`.
fn dense(name: &str, settings: &Settings<'_>) -> Result<Rc<Layer>> {
    let mut built = Layer::leaf(name);
    if settings.flag("normalize", false)? {
        built = chain([built, Layer::leaf("layernorm")]);
    }
    if settings.get("dropout").is_some() {
        built = chain([built, Layer::leaf("dropout")]);
    }
    Ok(built)
}

/// Builds a dense layer with normalized results and a dropout.
pub(super) fn normalized(name: &str) -> Rc<Layer> {
    chain([chain([Layer::leaf(name), Layer::leaf("layernorm")]), Layer::leaf("dropout")])
}
