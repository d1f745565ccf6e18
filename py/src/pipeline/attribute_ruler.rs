//! Native component of `lexpool.pipeline.AttributeRuler`.

use lexpool::pipeline::{AttributeRule, AttributeRuler};
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use pyo3::prelude::*;

use super::component::PyComponent;
use crate::matcher::PyTokenMatcher;
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;

/// A rule: the key of its patterns, attributes by number with their values, and the index of the
/// token.
type RuleTuple = (u64, Items<(u32, u64)>, i64);

/// Returns a component that sets attributes by the present patterns of a matcher; None if patterns
/// need Python. Unknown attribute numbers are ignored.
#[pyfunction]
// stub: (rules: Sequence[tuple[int, _AttrValues, int]])
fn attribute_ruler(
    matcher: &Bound<'_, PyTokenMatcher>,
    rules: Items<RuleTuple>,
) -> PyResult<Option<PyComponent>> {
    let Some(matcher) = matcher.get().without_python() else { return Ok(None) };
    let rule = |(key, attrs, index): RuleTuple| {
        let attrs = attrs.into_iter().map(|(attr, value)| (AttrId::new(attr), value));
        let attrs = attrs.filter(|(attr, _)| attr.name().is_some()).collect();
        AttributeRule { key: StrId::new(key), attrs, index }
    };
    let ruler = AttributeRuler::new(matcher, rules.into_iter().map(rule).collect()).or_raise()?;
    Ok(Some(PyComponent::new(ruler)))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(attribute_ruler, module)?)
}
