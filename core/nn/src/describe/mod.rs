//! The one description of networks: spaCy's architectures as thinc's constructors make them, with
//! the names, dimensions, attributes and references of their nodes.
//!
//! The section `model` of a component names an architecture and its settings, some of which are
//! sections of the same kind. [`build`] describes the network that spaCy would make, so that it can
//! be laid beside a file, which has the shapes; then settings that change no layer, such as widths,
//! are not read. A new network is described with all of its settings. Sources: the registered
//! functions of the same names in spaCy 3.8 and spacy-legacy 3.
//!
//! | module | contents |
//! | --- | --- |
//! | `array` | arrays of a model file |
//! | `model_file` | model files: the nodes of a saved network with dims, attrs and params |
//! | `attributes` | attributes of nodes that layers read |
//! | `config_value` | values of a configuration |
//! | `settings` | sections of settings, of networks in a file and of new ones |
//! | `blueprint` | the description: nodes in the order of a file |
//! | `builder` | the recursion over sections, with bounds |
//! | `combinators`, `leaves` | thinc's constructors |
//! | `layers` | layers that settings name |
//! | `tok2vec`, `tokens`, `spans`, `textcat`, `first_ensemble`, `pretraining` | architectures |
//! | `bound` | the description laid beside a file |

#![forbid(unsafe_code)]

mod array;
mod attributes;
mod blueprint;
mod bound;
mod builder;
mod combinators;
mod config_value;
mod first_ensemble;
mod layers;
mod leaves;
mod model_file;
mod pretraining;
mod settings;
mod spans;
mod textcat;
mod tok2vec;
mod tokens;

use lexpool_error::{Result, limits};

pub use array::{ArrayView, Dtype};
pub(crate) use attributes::Attributes;
pub use blueprint::{Blueprint, FirstWeights, Kind, Node, Version};
pub(crate) use bound::BoundBlueprint;
use builder::{Builder, Family, LayerBound};
pub use config_value::{ConfigValue, ConfigView};
pub use model_file::{ModelFile, ModelNode, NodeIx};
use settings::{Detail, Settings};

/// The name of the layers that read the rows of a shared network.
pub(crate) const LISTENER: &str = "tok2vec-listener";

/// Describes the network of a section, without a file.
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
/// use lexpool_nn::describe;
///
/// let settings = serde_json::json!({
///     "@architectures": "spacy.Tagger.v2",
///     "tok2vec": {"@architectures": "spacy.TorchBiLSTMEncoder.v1"},
/// });
/// let error = describe::build(&settings, "components.tagger.model").unwrap_err();
/// assert_eq!(error.code(), "model-architecture");
/// assert!(error.message().contains("[components.tagger.model.tok2vec]"));
/// ```
pub fn build(settings: &dyn ConfigValue, section: &str) -> Result<Blueprint> {
    build_within(settings, section, Detail::Layers, LayerBound::Fixed(limits::NETWORK_LAYERS))
}

/// Describes the network of a section that is in a file. Cost: linear in the settings and the file.
///
/// # Errors
///
/// As for [`build`]; `model-structure` if depths make more layers than the file has nodes.
pub fn build_for(
    settings: &dyn ConfigValue,
    section: &str,
    file: &ModelFile<'_>,
) -> Result<Blueprint> {
    build_within(settings, section, Detail::Layers, LayerBound::Nodes(file.nodes().len()))
}

/// Describes a new network, with its dimensions, attributes and references.
///
/// # Errors
///
/// As for [`build`]; `model-architecture` also for architectures and layers that lexpool only
/// loads; `model-settings` also for sizes that are missing.
pub(crate) fn build_new(settings: &dyn ConfigValue, section: &str) -> Result<Blueprint> {
    // Architectures that lexpool lacks are named before sizes.
    build(settings, section)?;
    build_within(settings, section, Detail::All, LayerBound::Fixed(limits::NETWORK_LAYERS))
}

fn build_within(
    settings: &dyn ConfigValue,
    section: &str,
    detail: Detail,
    bound: LayerBound,
) -> Result<Blueprint> {
    let families: &[Family] = &[
        tok2vec::build,
        tokens::build,
        textcat::build,
        first_ensemble::build,
        spans::build,
        pretraining::build,
    ];
    let mut builder = Builder::new(families, layers::build, bound);
    let root = builder.layer(&Settings::new(settings, section.to_owned(), detail)?)?;
    builder.finish(root)
}

#[cfg(test)]
mod tests;
