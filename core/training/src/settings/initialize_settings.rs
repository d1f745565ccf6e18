//! The section `[initialize]`.

use std::path::PathBuf;

use lexpool::config::{Config, Section};

use super::fields::Fields;
use super::functions::OF_INITIALIZE;

/// The settings of what happens before the first step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct InitializeSettings {
    /// The pipeline, or the folder, with word vectors.
    pub(crate) vectors: Option<PathBuf>,
    /// The pretrained weights of the component that `[pretraining]` names.
    pub(crate) init_tok2vec: Option<PathBuf>,
    /// The settings of components by name.
    pub(crate) components: Section,
}

/// Reads the section.
pub(crate) fn read(fields: Fields<'_>) -> InitializeSettings {
    for key in OF_INITIALIZE {
        fields.no_function(key);
    }
    for key in ["vocab_data", "lookups"] {
        if let Some(value) = fields.get(key) {
            fields.unsupported(&format!("{key:?} is {value}; lexpool does not read it"));
        }
    }
    if let Some(tokenizer) = fields.inner("tokenizer") {
        tokenizer.finish();
    }
    let settings = InitializeSettings {
        vectors: fields.text("vectors").map(PathBuf::from),
        init_tok2vec: fields.text("init_tok2vec").map(PathBuf::from),
        components: fields.section("components"),
    };
    fields.finish();
    settings
}

/// Returns the component that gets pretrained weights in a training, and the layer of its network,
/// "" for all of it: those that `[pretraining]` names, by default the whole of "tok2vec".
pub(crate) fn pretrained_layer(config: &Config) -> (String, String) {
    let section = config.section("pretraining");
    let text = |key: &str| Some(section?.get(key)?.as_text()?.to_owned());
    (text("component").unwrap_or_else(|| "tok2vec".to_owned()), text("layer").unwrap_or_default())
}
