//! The configuration of a blank pipeline, which supplies what a file lacks.

use super::tokenizer_choice::default_section;
use crate::Result;
use crate::config::{Config, Value};

const DEFAULTS: &str = r#"
[paths]
train = null
dev = null
vectors = null
init_tok2vec = null

[system]
seed = 0
gpu_allocator = null

[nlp]
lang = null
pipeline = []
disabled = []
before_creation = null
after_creation = null
after_pipeline_creation = null
batch_size = 1000

[nlp.vectors]
@vectors = "spacy.Vectors.v1"

[components]

[corpora]

[training]
seed = ${system.seed}
gpu_allocator = ${system.gpu_allocator}

[initialize]
vectors = ${paths.vectors}
init_tok2vec = ${paths.init_tok2vec}
vocab_data = null
lookups = null
before_init = null
after_init = null

[initialize.components]

[initialize.tokenizer]

[pretraining]
"#;

/// Returns the configuration of a blank pipeline of a language.
///
/// # Errors
///
/// None but those of memory: the text is lexpool's own.
pub fn default_config(lang: &str) -> Result<Config> {
    let mut config = Config::parse(DEFAULTS, "the default configuration")?;
    config.set("nlp.lang", Value::from(lang))?;
    config.set("nlp.tokenizer", default_section(lang))?;
    Ok(config)
}
