//! The registry of the process.

use std::sync::OnceLock;

use super::builtin;
use super::table::Registry;

/// The registry of this process, with lexpool's own ops.
///
/// ```
/// use lexpool_ops::{Value, global};
///
/// let words = [Value::str("kitten").unwrap(), Value::str("sitting").unwrap()];
/// let distance = global().find("text.edit_distance")?.call(&words)?;
/// assert_eq!(distance.get().as_int(), Some(3));
/// # Ok::<(), lexpool_ops::Failure>(())
/// ```
pub fn global() -> &'static Registry {
    static GLOBAL: OnceLock<Registry> = OnceLock::new();
    GLOBAL.get_or_init(|| {
        let registry = Registry::new();
        registry.register(builtin::declare).expect("lexpool's own ops hold, as a test sees");
        registry
    })
}
