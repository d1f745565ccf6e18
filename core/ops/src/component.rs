//! A component that calls an op of the registry.

use std::sync::Arc;

use lexpool::codes;
use lexpool::components::ComponentKind;
use lexpool::loading::LoadOptions;
use lexpool::pipeline::{Component, ComponentSource, Groups, Notes};
use lexpool::tokens::Doc;
use lexpool::{Error, ErrorKind, Result};
use lexpool_plugin::Type;

use super::global::global;
use super::lend::lend_doc;
use super::op::Op;
use super::scorer::error_of;

/// Calls an op with each document and adds its result to the user data of the notes under a key,
/// unless the result has the type none.
///
/// ```
/// use lexpool::pipeline::{Component, Notes};
/// use lexpool::tokenizer::Tokenizer;
/// use lexpool_ops::OpComponent;
///
/// let words = OpComponent::new("doc.words", "words")?;
/// let mut doc = Tokenizer::blank("en")?.tokenize("Hello there")?;
/// let mut notes = Notes::new();
/// words.apply_noting(&mut doc, &mut Default::default(), &mut notes)?;
/// let (key, value) = &notes.user_data[0];
/// assert_eq!(&**key, "words");
/// assert_eq!(value.get().as_list().unwrap().len(), 2);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct OpComponent {
    op: Arc<Op>,
    key: Arc<str>,
}

impl OpComponent {
    /// Returns a component that calls an op of the process's registry.
    ///
    /// # Errors
    ///
    /// `op-unknown` if the name is unknown; `op-component` if the op's first parameter is
    /// not a document, or it requires further arguments.
    pub fn new(name: &str, key: &str) -> Result<OpComponent> {
        let op = global().find(name).map_err(|failure| {
            Error::new(ErrorKind::Key, codes::OP_UNKNOWN, failure.message()).caused_by(failure)
        })?;
        let (first, rest) = match op.params() {
            [first, rest @ ..] => (Some(first), rest),
            [] => (None, [].as_slice()),
        };
        let takes_doc = first.is_some_and(|param| param.ty == Type::Doc && !param.keyword_only);
        if !takes_doc || rest.iter().any(|param| param.default.is_none()) {
            let text = format!(
                "a component calls its op with a Doc only; expected an op that needs no other \
                 argument, not {}",
                op.signature()
            );
            return Err(Error::new(ErrorKind::Type, codes::OP_COMPONENT, text));
        }
        Ok(OpComponent { op: Arc::clone(op), key: key.into() })
    }
}

/// Returns options that load a whole pipeline, with the components that call ops.
///
/// Without its loader, which makes an [`OpComponent`] of each component of the factory `op`, a
/// pipeline with such a component is refused.
pub fn load_options() -> LoadOptions {
    LoadOptions { loaders: vec![load_component], ..LoadOptions::default() }
}

/// Makes a component that calls the op of its settings; `None` for other factories.
fn load_component(source: &ComponentSource<'_>) -> Result<Option<Arc<dyn Component>>> {
    if ComponentKind::of(source.factory) != Some(ComponentKind::Op) {
        return Ok(None);
    }
    source.check_keys(&["op"])?;
    Ok(Some(Arc::new(OpComponent::new(&source.text("op", "")?, source.name)?)))
}

impl Component for OpComponent {
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()> {
        self.apply_noting(doc, groups, &mut Notes::new())
    }

    fn apply_noting(&self, doc: &mut Doc, _groups: &mut Groups, notes: &mut Notes) -> Result<()> {
        let doc_value = lend_doc(doc);
        let result = self.op.call(&[doc_value.value()]).map_err(error_of)?;
        if !result.get().is_none() {
            notes.user_data.push((Arc::clone(&self.key), result));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use lexpool::loading::{LoadedPipeline, load_files};
    use lexpool::pipeline_files::PipelineFiles;
    use lexpool::tokenizer::Text;

    use super::*;

    /// Loads a pipeline with one component that calls an op.
    fn load(setting: &str, options: LoadOptions) -> Result<LoadedPipeline> {
        let config = format!(
            "[nlp]\nlang = \"en\"\npipeline = [\"words\"]\n[components]\n[components.words]\n\
             factory = \"op\"\nop = {setting}\n"
        );
        let files = PipelineFiles::from_parts([("config.cfg".to_owned(), config.into())]);
        let exclude = vec!["tokenizer".to_owned(), "vocab".to_owned()];
        load_files(&files, &LoadOptions { exclude, ..options })
    }

    #[test]
    fn a_pipeline_that_calls_an_op_loads_with_the_loader_of_this_crate() {
        let nlp = load("\"doc.words\"", load_options()).unwrap();
        let text = Text::Owned("One two".to_owned());
        let annotated = nlp.pipeline.annotate(text, &AtomicBool::default());
        let notes = annotated.map_err(|failed| failed.into_error()).unwrap().notes;
        assert_eq!(&*notes.user_data[0].0, "words");
        let refusal = load("\"doc.words\"", LoadOptions::default()).map(drop).unwrap_err();
        assert_eq!(refusal.code(), "pipeline-unsupported");
        assert!(refusal.message().contains("lexpool-ops"), "{refusal}");
    }

    #[test]
    fn the_setting_of_a_component_is_the_name_of_an_op() {
        let code = |setting| load(setting, load_options()).map(drop).unwrap_err().code();
        assert_eq!(code("1"), "config-value");
        assert_eq!(code("\"doc.wrods\""), "op-unknown");
        assert_eq!(code("\"text.edit_distance\""), "op-component");
    }
}
