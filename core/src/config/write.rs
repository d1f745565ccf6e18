//! The text of a configuration, written.

use super::references::{escaped, find};
use super::value::{Section, Value};
use crate::strings::chars::is_space;

/// Returns the text of a file: sections, outer ones first, with a JSON value a key. A section that
/// could not be read again as one is a JSON value, too.
pub(super) fn write(root: &Section) -> String {
    let mut lines = Vec::new();
    let mut level: Vec<(String, &Section)> = root
        .iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value.as_section()?)))
        .collect();
    while !level.is_empty() {
        let mut inner = Vec::new();
        for (name, section) in &level {
            lines.push(format!("[{name}]"));
            for (key, value) in section.iter() {
                let is_section = |inner: &&Section| has_lines(key, inner) || !is_line(key);
                match value.as_section().filter(is_section) {
                    Some(section) => inner.push((format!("{name}.{key}"), section)),
                    None => lines.push(line(key, value)),
                }
            }
            lines.push(String::new());
        }
        level = inner;
    }
    lines.join("\n").trim().to_owned()
}

/// Returns whether a section below another one is read again from lines of its own. What could be
/// written neither as a line nor as a section makes the section around it a value.
fn has_lines(key: &str, section: &Section) -> bool {
    is_section_name(key)
        && section.iter().all(|(key, value)| {
            is_key(key) || value.as_section().is_some_and(|inner| has_lines(key, inner))
        })
}

/// Returns whether a key is read again from the name of a section below another one: a dot would
/// end the name of the outer section.
fn is_section_name(key: &str) -> bool {
    !key.is_empty() && key.trim_end_matches(is_space) == key && !key.contains(['.', '\n', '\r'])
}

/// Returns whether a key is read again from the beginning of a line, here and by spaCy.
fn is_key(key: &str) -> bool {
    is_line(key) && !key.starts_with('[') && !key.contains([':', '\r'])
}

/// Returns whether a key is read again from the beginning of a line here.
fn is_line(key: &str) -> bool {
    !key.is_empty()
        && key.trim_matches(is_space) == key
        && !key.starts_with(['#', ';'])
        && !key.contains(['=', '\n'])
}

/// Returns the line of a value; two for what would be read as the name of a section.
fn line(key: &str, value: &Value) -> String {
    let line = format!("{key} = {}", shown(value));
    match line.strip_suffix(']') {
        Some(start) if key.starts_with('[') && !start.contains('\n') => format!("{start}\n\t]"),
        _ => line,
    }
}

/// Returns a value as JSON. A text with references stays as it is; its further lines are indented,
/// or they would be read as keys.
fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) if find(text, 0).is_some() => text.replace('\n', "\n\t"),
        _ => value.with_texts(&|text| escaped(text)).to_json(),
    }
}
