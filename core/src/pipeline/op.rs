//! A component that calls an op of the registry.

use std::sync::Arc;

use super::component::{Component, Groups};
use super::notes::Notes;
use crate::codes;
use crate::registry::{Op, Type, error_of, global, lend_doc};
use crate::tokens::Doc;
use crate::{Error, ErrorKind, Result};

/// Calls an op with each document and adds its result to the user data of the notes under a key,
/// unless the result has the type none.
///
/// ```
/// use lexpool::pipeline::{Component, Notes, OpComponent};
/// use lexpool::tokenizer::Tokenizer;
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

impl Component for OpComponent {
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()> {
        self.apply_noting(doc, groups, &mut Notes::new())
    }

    fn apply_noting(&self, doc: &mut Doc, _groups: &mut Groups, notes: &mut Notes) -> Result<()> {
        let lent = lend_doc(doc);
        let given = self.op.call(&[lent.value()]).map_err(error_of)?;
        if !given.get().is_none() {
            notes.user_data.push((Arc::clone(&self.key), given));
        }
        Ok(())
    }
}
