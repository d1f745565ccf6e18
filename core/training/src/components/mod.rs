//! The components that lexpool trains, by the names of their factories.
//!
//! | module | contains |
//! | --- | --- |
//! | `update` | the examples of a step, with what networks see of them |
//! | `component` | what the loop asks of a component |
//! | `scorers`, `sources`, `knowledge` | scorers of components; components and knowledge bases of other pipelines |
//! | `learner` | a component that learns batch by batch |
//! | the others | the components: losses, labels, files |

pub(crate) mod component;
mod contexts;
mod cosine;
mod entity_linker;
pub(crate) mod knowledge;
mod labels;
pub(crate) mod learner;
mod lemmatizer;
mod morphologizer;
pub(crate) mod scorers;
mod senter;
pub(crate) mod sources;
mod span_finder;
mod spancat;
mod states;
mod tagger;
mod textcat;
mod tok2vec;
mod token_classifier;
mod token_loss;
pub(crate) mod update;
mod weights;

use bytes::Bytes;

pub(crate) use cosine::push_gradient as push_cosine_gradient;
pub(crate) use entity_linker::uses_gold_entities;
pub(crate) use labels::no_labels;

use lexpool::components::ComponentKind;
use lexpool::config::{Section, Value};
use lexpool::pipeline::Sentencizer;

use crate::settings::fields::Fields;
use component::TrainableComponent;

/// Returns whether the components of a factory have weights, also if lexpool does not train them.
pub(crate) fn is_trained(factory: &str) -> bool {
    factory == "transformer" || ComponentKind::of(factory).is_some_and(ComponentKind::is_trained)
}

/// Returns the files of a component that is made of rules alone; `None` after a problem.
pub(crate) fn rule_files(
    factory: &str,
    name: &str,
    fields: &Fields<'_>,
) -> Option<Vec<(String, Bytes)>> {
    match ComponentKind::of(factory) {
        Some(ComponentKind::Sentencizer) => {
            let chars = fields.get("punct_chars").cloned();
            let chars = chars.filter(|chars| chars.as_list().is_some_and(|list| !list.is_empty()));
            let chars = chars.unwrap_or_else(|| {
                Value::List(Sentencizer::default_marks().map(|c| c.to_string().into()).collect())
            });
            let mut saved = Section::default();
            saved.set("punct_chars", chars);
            saved.set("overwrite", fields.flag("overwrite", false));
            let json = Value::Section(saved).to_json();
            Some(vec![(format!("{name}.json"), json.into())])
        }
        Some(
            ComponentKind::DocCleaner
            | ComponentKind::MergeEntities
            | ComponentKind::MergeNounChunks
            | ComponentKind::MergeSubtokens
            | ComponentKind::TokenSplitter,
        ) => Some(Vec::new()),
        _ => {
            fields.unsupported(&format!(
                "has the factory {factory:?}, whose components lexpool does not initialize; take \
                 the component from a pipeline that has it ('source')"
            ));
            None
        }
    }
}

/// Reads the section of a component. Returns `None` after a problem, which the fields have noted.
pub(crate) fn read(
    factory: &str,
    name: &str,
    fields: Fields<'_>,
) -> Option<Box<dyn TrainableComponent>> {
    match ComponentKind::of(factory) {
        Some(ComponentKind::Tok2Vec) => tok2vec::read(fields),
        Some(ComponentKind::Tagger) => tagger::read(name, fields),
        Some(ComponentKind::Morphologizer) => morphologizer::read(name, fields),
        Some(ComponentKind::Senter) => senter::read(name, fields),
        Some(ComponentKind::TrainableLemmatizer) => lemmatizer::read(name, fields),
        Some(ComponentKind::Parser) => states::read_parser(false, fields),
        Some(ComponentKind::BeamParser) => states::read_parser(true, fields),
        Some(ComponentKind::Ner) => states::read_ner(false, fields),
        Some(ComponentKind::BeamNer) => states::read_ner(true, fields),
        Some(ComponentKind::Textcat) => textcat::read(name, true, fields),
        Some(ComponentKind::TextcatMultilabel) => textcat::read(name, false, fields),
        Some(ComponentKind::Spancat) => spancat::read(name, false, fields),
        Some(ComponentKind::SpancatSingleLabel) => spancat::read(name, true, fields),
        Some(ComponentKind::SpanFinder) => span_finder::read(fields),
        Some(ComponentKind::EntityLinker) => entity_linker::read(name, fields),
        _ => {
            fields.unsupported(&format!(
                "has the factory {factory:?}, whose components lexpool does not train"
            ));
            None
        }
    }
}
