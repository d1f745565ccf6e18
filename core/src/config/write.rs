//! The text of a configuration, written.

use super::references::find;
use super::value::{Section, Value};

/// Returns the text of a file: sections, outer ones first, with a JSON value a key.
pub(super) fn write(root: &Section) -> String {
    let mut lines = Vec::new();
    let mut level = vec![(String::new(), root)];
    while !level.is_empty() {
        let mut inner = Vec::new();
        for (name, section) in &level {
            for (key, value) in section.iter() {
                let Value::Section(section) = value else { continue };
                let name = if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
                inner.push((name, section));
            }
        }
        for (name, section) in &inner {
            lines.push(format!("[{name}]"));
            let values = section.iter().filter(|(_, value)| value.as_section().is_none());
            lines.extend(values.map(|(key, value)| format!("{key} = {}", shown(value))));
            lines.push(String::new());
        }
        level = inner;
    }
    lines.join("\n").trim().to_owned()
}

/// Returns a value as JSON, in which a dollar sign that begins no reference is doubled. A text with
/// references stays as it is; its further lines are indented, or they would be read as keys.
fn shown(value: &Value) -> String {
    if let Value::Text(text) = value {
        if find(text, 0).is_some() {
            return text.replace('\n', "\n\t");
        }
    }
    let json = value.to_json();
    let mut written = String::with_capacity(json.len());
    for (at, character) in json.char_indices() {
        written.push(character);
        if character == '$' && !json[at + 1..].starts_with('{') {
            written.push('$');
        }
    }
    written
}
