//! Differences of two configurations.

use super::{Section, Value};

/// A key with other values in two configurations.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The dotted name of the section; empty for a section at the top.
    pub section: String,
    /// The key in the section.
    pub key: String,
    /// The value in the first configuration; `None` if it has no such key.
    pub first: Option<Value>,
    /// The value in the second configuration; `None` if it has no such key.
    pub second: Option<Value>,
}

/// Lists the keys whose values are not the same, in the order of the first configuration, then
/// those that the second has alone. The order of keys does not count.
///
/// ```
/// use lexpool::config::{Config, differences};
///
/// let read = |text| Config::parse(text, "some.cfg");
/// let (first, second) = (read("[a]\nx = 1\ny = 2")?, read("[a]\ny = 3\nx = 1\nz = 4")?);
/// let found = differences(first.root(), second.root());
/// let keys: Vec<_> = found.iter().map(|found| (&*found.section, &*found.key)).collect();
/// assert_eq!(keys, [("a", "y"), ("a", "z")]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn differences(first: &Section, second: &Section) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(first, second, "", &mut found);
    found
}

/// Sections are nested at most 100 deep, as a file is read with that limit.
fn compare(first: &Section, second: &Section, name: &str, found: &mut Vec<Difference>) {
    let only_second = second.keys().filter(|key| !first.contains(key));
    for key in first.keys().chain(only_second) {
        let pair = [first.get(key), second.get(key)];
        if let [Some(Value::Section(first)), Some(Value::Section(second))] = pair {
            let inner = if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
            compare(first, second, &inner, found);
        } else if pair[0] != pair[1] {
            let [first, second] = pair.map(Option::<&Value>::cloned);
            let (section, key) = (name.to_owned(), key.to_owned());
            found.push(Difference { section, key, first, second });
        }
    }
}
