//! Settings of components with networks.

use lexpool_nn::describe::{ConfigValue, ConfigView};

use crate::codes;
use crate::config::Value;
use crate::{Error, Result};

/// Returns the section `model` of a component's settings.
///
/// # Errors
///
/// `model-settings` if it is missing.
pub fn model_settings<'v>(settings: &'v Value, section: &str) -> Result<&'v Value> {
    let model = setting(settings, "model");
    model.filter(|model| model.as_section().is_some()).ok_or_else(|| {
        Error::value(
            codes::MODEL_SETTINGS,
            format!("[{section}]: the section \"model\" is missing"),
        )
    })
}

/// Returns the value of a key in a section; `None` if it is missing.
pub(super) fn setting<'v>(section: &'v Value, key: &str) -> Option<&'v Value> {
    section.as_section()?.get(key)
}

impl ConfigValue for Value {
    fn view(&self) -> ConfigView<'_> {
        match self {
            Value::Null => ConfigView::Null,
            Value::Bool(value) => ConfigView::Bool(*value),
            Value::Int(number) => {
                u64::try_from(*number).map_or(ConfigView::Other, ConfigView::Count)
            }
            Value::Float(number) => ConfigView::Float(*number),
            Value::Text(text) => ConfigView::Text(text),
            Value::List(items) => {
                ConfigView::List(items.iter().map(|item| item as &dyn ConfigValue).collect())
            }
            Value::Section(section) => {
                let entry = |(name, value)| (name, value as &dyn ConfigValue);
                ConfigView::Section(section.iter().map(entry).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lexpool_nn::describe::build;

    use super::*;

    #[test]
    fn positional_arguments_keep_the_order_of_the_settings() {
        let settings = r#"{"@layers": "chain.v1", "*": {
            "reduce": {"@layers": "reduce_mean.v1"},
            "hidden": {"@layers": "Maxout.v1", "nO": 3},
            "join": {"@layers": "concatenate.v1", "*": {
                "10": {"@layers": "Linear.v1"},
                "2": {"@layers": "Relu.v1", "dropout": null}}}}}"#;
        let blueprint =
            build(&Value::from_json(settings).unwrap(), "components.own.model").unwrap();
        assert_eq!(blueprint.root().name(), "reduce_mean>>maxout>>linear|relu");
    }
}
