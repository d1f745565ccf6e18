//! spaCy's architectures: trees of layers from the settings of a component.
//!
//! The section `model` of a component names an architecture and its settings, some of which are
//! sections of the same kind. [`build`] makes the tree of layers that spaCy would make, so that it
//! can be laid beside a file. Settings that change no layer, such as widths, are not read: the file
//! has the shapes. Sources: the registered functions of the same names in spaCy 3.8 and
//! spacy-legacy 3.

mod builder;
mod config_value;
mod layers;
mod parser;
mod pretraining;
mod settings;
mod span;
mod tagger;
mod textcat;
mod tok2vec;

use std::rc::Rc;

use lexpool_error::{Result, limits};

use crate::infer::model_file::ModelFile;
use crate::infer::tree::Layer;
use builder::{Builder, Family, LayerBound};
pub use config_value::{ConfigValue, ConfigView};
use settings::Settings;

/// Builds the tree of layers of a section, without a file.
///
/// `section` is the name of the section, for errors: "components.tagger.model".
///
/// # Errors
///
/// `model-architecture`, with all architectures that lexpool lacks and the section of each;
/// `model-settings` if a setting is missing or of a wrong type; `number-limit` if depths make more
/// than 16,384 layers; `E1057` for `spacy.TextCatReduce.v1` without a reduction.
///
/// ```
/// use lexpool_nn::architectures;
///
/// let settings = serde_json::json!({
///     "@architectures": "spacy.Tagger.v2",
///     "tok2vec": {"@architectures": "spacy.TorchBiLSTMEncoder.v1"},
/// });
/// let error = architectures::build(&settings, "components.tagger.model").unwrap_err();
/// assert_eq!(error.code(), "model-architecture");
/// assert!(error.message().contains("[components.tagger.model.tok2vec]"));
/// ```
pub fn build(settings: &dyn ConfigValue, section: &str) -> Result<Rc<Layer>> {
    build_within(settings, section, LayerBound::Fixed(limits::NETWORK_LAYERS))
}

/// Builds the tree of layers of a section whose network is in a file. Cost: linear in the settings
/// and the file.
///
/// # Errors
///
/// As for [`build`]; `model-structure` if depths make more layers than the file has nodes.
pub fn build_for(
    settings: &dyn ConfigValue,
    section: &str,
    file: &ModelFile<'_>,
) -> Result<Rc<Layer>> {
    build_within(settings, section, LayerBound::Nodes(file.nodes().len()))
}

fn build_within(settings: &dyn ConfigValue, section: &str, bound: LayerBound) -> Result<Rc<Layer>> {
    let families: &[Family] = &[
        tok2vec::build,
        tagger::build,
        parser::build,
        textcat::build,
        span::build,
        pretraining::build,
    ];
    let mut builder = Builder::new(families, layers::build, bound);
    let tree = builder.layer(&Settings::new(settings, section.to_owned())?)?;
    builder.finish(tree)
}

#[cfg(test)]
mod tests;
