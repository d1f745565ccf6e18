//! The choice of the components and parts of a pipeline.

use ahash::AHashSet;
use lexpool_nn::GemmOrder;

use crate::codes;
use crate::config::Value;
use crate::pipeline::ComponentLoader;
use crate::{Error, Result};

/// The choice of what is loaded, as in spaCy's `load`.
///
/// Names of components and parts that do not exist have no effect.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Components that are not loaded at all, and parts that are not read: `vocab`, `tokenizer`,
    /// `meta.json`, and `strings`, `vectors` and `lookups` of the vocab.
    pub exclude: Vec<String>,
    /// Components that do not run, in addition to those that the configuration disables. They are
    /// not loaded either, since a pipeline cannot enable them later.
    pub disable: Vec<String>,
    /// The only components that run; if empty, all that are not disabled.
    pub enable: Vec<String>,
    /// Values of the configuration by dotted name, such as `nlp.batch_size`, in existing sections.
    pub config: Vec<(String, Value)>,
    /// The order of additions in the sums of networks: by default the fastest. With that of the
    /// kernel that BLIS chooses on a processor, results have the bits of spaCy's there.
    pub order: GemmOrder,
    /// Functions that are asked for each component before lexpool's own, such as that of
    /// `lexpool-ops` for components that call ops.
    pub loaders: Vec<ComponentLoader>,
}

impl LoadOptions {
    /// Returns whether a part or a component is excluded.
    pub(super) fn excludes(&self, name: &str) -> bool {
        self.exclude.iter().any(|own| own == name)
    }

    /// Returns the names of the components that do not run.
    ///
    /// # Errors
    ///
    /// `E1042` for a name in `enable` that `disable` or the configuration disables.
    pub(super) fn disabled<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        by_config: &[&str],
    ) -> Result<Vec<String>> {
        let enable: AHashSet<&str> = self.enable.iter().map(String::as_str).collect();
        let given = self.disable.iter().map(String::as_str);
        let disable: AHashSet<&str> = given.chain(by_config.iter().copied()).collect();
        let mut both: Vec<&str> = enable.intersection(&disable).copied().collect();
        both.sort_unstable();
        if !both.is_empty() {
            let text = format!(
                "{} cannot be both enabled and disabled; if the configuration disables them, \
                 override 'nlp.disabled'",
                both.join(", ")
            );
            return Err(Error::value(codes::E1042, text));
        }
        let is_off =
            |name: &str| disable.contains(name) || !enable.is_empty() && !enable.contains(name);
        Ok(names.filter(|name| is_off(name)).map(str::to_owned).collect())
    }
}
