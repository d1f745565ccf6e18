//! The kinds of components: one table of spaCy's factories, with their names, default settings and
//! scores.
//!
//! Loaders, trainers and Python's factories are chosen by a [`ComponentKind`]; no other place knows
//! the name of a factory. A new kind is a variant, a row of the table, a loader
//! ([`loading`](crate::loading)), and a trainer (`lexpool-training`) if it has weights.
//!
//! ```
//! use lexpool::components::ComponentKind;
//!
//! let kind = ComponentKind::of("tagger").expect("spaCy has it");
//! assert_eq!(kind, ComponentKind::Tagger);
//! assert!(kind.is_trained());
//! let settings = kind.settings()?;
//! assert_eq!(settings.get("neg_prefix").and_then(|prefix| prefix.as_text()), Some("!"));
//! assert_eq!(kind.row().scores[0], ("tag_acc", Some(1.0)));
//! # Ok::<(), lexpool::Error>(())
//! ```

mod kind;
mod table;

use crate::Result;
use crate::config::{Config, Section, Value};

pub use kind::{ComponentKind, ComponentRow, ScoreWeight};
pub use table::COMPONENTS;

impl ComponentKind {
    /// Returns the kind of a factory's name.
    pub fn of(factory: &str) -> Option<ComponentKind> {
        COMPONENTS.iter().find(|row| row.factory == factory).map(|row| row.kind)
    }

    /// Returns the row of the kind.
    pub fn row(self) -> &'static ComponentRow {
        &COMPONENTS[self as usize]
    }

    /// Returns the name of spaCy's factory.
    pub fn factory(self) -> &'static str {
        self.row().factory
    }

    /// Returns whether the components have weights.
    pub fn is_trained(self) -> bool {
        self.row().is_trained
    }

    /// Returns spaCy's default settings, with those of the network and the scorer. Cost: parsing
    /// the settings of all kinds.
    ///
    /// # Errors
    ///
    /// Those of configurations, which a test excludes.
    pub fn settings(self) -> Result<Section> {
        let settings = default_settings()?;
        Ok(settings.get(self.factory()).and_then(Value::as_section).cloned().unwrap_or_default())
    }
}

/// Returns spaCy's default settings of all kinds, by the names of their factories.
///
/// # Errors
///
/// Those of configurations, which a test excludes.
pub fn default_settings() -> Result<Section> {
    let config = Config::parse(include_str!("defaults.cfg"), "the default settings of components")?;
    Ok(config.interpolate()?.root().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_row_and_each_row_its_settings() {
        let settings = default_settings().unwrap();
        for (number, row) in COMPONENTS.iter().enumerate() {
            assert_eq!(row.kind as usize, number, "{}", row.factory);
            assert_eq!(ComponentKind::of(row.factory), Some(row.kind));
            let settings = settings.get(row.factory).unwrap().as_section().unwrap();
            let model = settings.get("model").filter(|model| !model.is_null());
            assert_eq!(model.is_some(), row.is_trained, "{}", row.factory);
        }
        assert_eq!(settings.len(), COMPONENTS.len() + 1, "and the section `networks`");
        assert_eq!(ComponentKind::of("no factory"), None);
    }
}
