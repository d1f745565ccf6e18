//! The recursion over sections: a section names an architecture, which is built of sections.

use std::rc::Rc;

use lexpool_error::{Error, Result, codes};

use super::settings::Settings;
use crate::tree::Layer;

/// Builds the architecture or layer of a name from its settings; `None` for a name of
/// another family.
pub(super) type Family = fn(&str, &Settings<'_>, &mut Builder) -> Result<Option<Rc<Layer>>>;

/// The architectures and layers that are known, and the names that are not.
pub(super) struct Builder {
    architectures: &'static [Family],
    layers: Family,
    /// The names that lexpool lacks, with the section of each.
    refusals: Vec<String>,
}

impl Builder {
    pub(super) fn new(architectures: &'static [Family], layers: Family) -> Builder {
        Builder { architectures, layers, refusals: Vec::new() }
    }

    /// Builds the layer of a section. One that lexpool lacks is noted, so that an error can name
    /// all of them.
    pub(super) fn layer(&mut self, settings: &Settings<'_>) -> Result<Rc<Layer>> {
        let (registry, name) = settings.registered()?;
        let name = match name.strip_prefix("spacy-legacy.") {
            Some(legacy) => format!("spacy.{}", legacy.strip_prefix("spacy.").unwrap_or(legacy)),
            None => name.to_owned(),
        };
        let layers = [self.layers];
        let families = if registry == "@architectures" { self.architectures } else { &layers };
        for family in families {
            if let Some(layer) = family(&name, settings, self)? {
                return Ok(layer);
            }
        }
        self.refusals.push(format!("{name:?} in [{}]", settings.section()));
        Ok(Layer::leaf("unknown"))
    }

    /// Returns the whole tree.
    ///
    /// # Errors
    ///
    /// `model-architecture` with all names that lexpool lacks.
    pub(super) fn finish(self, tree: Rc<Layer>) -> Result<Rc<Layer>> {
        if self.refusals.is_empty() {
            return Ok(tree);
        }
        let text = format!("lexpool lacks {}", self.refusals.join("; "));
        Err(Error::value(codes::MODEL_ARCHITECTURE, text))
    }
}
