//! The text of a configuration: sections, and one value a key.

use ahash::AHashSet;

use super::limits::{MAX_LEVELS, NESTED};
use super::references::{ReadValue, load};
use super::value::{Section, Value};
use crate::codes;
use crate::strings::chars::is_space;
use crate::{Error, Result};

/// The keys of a section with the lines of their values.
struct RawSection<'a> {
    name: &'a str,
    line: usize,
    values: Vec<(&'a str, Vec<&'a str>)>,
}

/// Reads a configuration without replacing its references.
pub(super) fn read(text: &str, origin: &str) -> Result<Section> {
    let mut root = Section::default();
    let sections = split(text, origin)?;
    // Values are set after all sections are known, so inner sections come first.
    for section in &sections {
        enter(&mut root, section, origin)?;
    }
    for section in &sections {
        set_values(&mut root, section, origin)?;
    }
    Ok(root)
}

fn error(origin: &str, line: usize, text: &str) -> Error {
    Error::value(codes::CONFIG_SYNTAX, format!("{origin}, line {line}: {text}"))
}

fn split<'a>(text: &'a str, origin: &str) -> Result<Vec<RawSection<'a>>> {
    let mut sections: Vec<RawSection<'_>> = Vec::new();
    let (mut names, mut keys) = (AHashSet::new(), AHashSet::new());
    for (number, line) in (1..).zip(text.split('\n')) {
        let stripped = line.trim_matches(is_space);
        if stripped.is_empty() || stripped.starts_with(['#', ';']) {
            continue;
        }
        let present = sections.last_mut();
        let last = present.map(|section| (section.name, &mut section.values));
        match (last, section_name(stripped)) {
            // An indented line continues a value.
            (Some((_, values)), _) if line.starts_with(is_space) && !values.is_empty() => {
                values.last_mut().expect("some values").1.push(stripped);
            }
            (_, Some(name)) => {
                if !names.insert(name) {
                    return Err(error(origin, number, &format!("a second section [{name}]")));
                }
                keys.clear();
                sections.push(RawSection { name, line: number, values: Vec::new() });
            }
            (None, None) => {
                let text =
                    format!("expected the name of a section, such as [nlp], before {stripped:?}");
                return Err(error(origin, number, &text));
            }
            (Some((name, values)), None) => {
                let (key, value) = stripped.split_once('=').unwrap_or_default();
                let (key, value) = (key.trim_matches(is_space), value.trim_matches(is_space));
                if key.is_empty() {
                    let text = format!("in [{name}], expected 'key = value', got {stripped:?}");
                    return Err(error(origin, number, &text));
                }
                if !keys.insert(key) {
                    return Err(error(origin, number, &format!("[{name}] has {key:?} twice")));
                }
                values.push((key, vec![value]));
            }
        }
    }
    Ok(sections)
}

fn section_name(line: &str) -> Option<&str> {
    Some(line.strip_prefix('[')?.strip_suffix(']')?.trim_matches(is_space))
}

/// Adds a section to its parent, which must exist.
fn enter(root: &mut Section, section: &RawSection<'_>, origin: &str) -> Result<()> {
    let RawSection { name, line, .. } = section;
    let parts: Vec<&str> = name.split('.').collect();
    if parts.iter().any(|part| part.is_empty()) {
        let text = format!(
            "[{name}] is not the name of a section; expected names joined by dots, such as \
             [nlp.tokenizer]"
        );
        return Err(error(origin, *line, &text));
    }
    if parts.len() > MAX_LEVELS {
        return Err(error(origin, *line, &format!("[{}. ...] {NESTED}", parts[0])));
    }
    let mut node = root;
    for (i, part) in parts[..parts.len() - 1].iter().enumerate() {
        if !node.contains(part) && *part != "*" {
            let missing = parts[..=i].join(".");
            let text =
                format!("the section [{missing}] is missing, which must come before [{name}]");
            return Err(error(origin, *line, &text));
        }
        node = node.enter(part).expect("no values are set yet");
    }
    node.enter(parts[parts.len() - 1]).expect("no values are set yet");
    Ok(())
}

fn set_values(root: &mut Section, section: &RawSection<'_>, origin: &str) -> Result<()> {
    let RawSection { name, line, values } = section;
    let mut node = root;
    for part in name.split('.') {
        node = node.enter(part).ok_or_else(|| {
            let text = format!("[{name}] has {part:?} as a value and as a section");
            error(origin, *line, &text)
        })?;
    }
    for (key, lines) in values {
        if node.contains(key) {
            let text = format!("[{name}] has {key:?} as a value and as a section");
            return Err(error(origin, *line, &text));
        }
        let value = match load(&lines.join("\n"), MAX_LEVELS - name.matches('.').count() - 1) {
            ReadValue::Value(value) => value,
            ReadValue::Nested => {
                return Err(error(origin, *line, &format!("in [{name}], {key:?} {NESTED}")));
            }
            ReadValue::Unrepresentable(why) => {
                return Err(error(origin, *line, &format!("in [{name}], {key:?}: {why}")));
            }
        };
        node.set(key, value);
    }
    Ok(())
}

/// Replaces a value by its dotted name, in an existing section.
pub(super) fn set_dotted(root: &mut Section, name: &str, value: Value, origin: &str) -> Result<()> {
    let failed = |text: &str| {
        let text = format!("{origin}: {name:?} cannot be overridden{text}");
        Err(Error::value(codes::CONFIG_SYNTAX, text))
    };
    let Some((sections, key)) = name.rsplit_once('.') else {
        return failed("; expected a section and a key, such as 'nlp.batch_size'");
    };
    let known = root.keys().collect::<Vec<_>>().join(", ");
    let mut node = root;
    for part in sections.split('.') {
        match node.get_mut(part) {
            Some(Value::Section(inner)) => node = inner,
            _ => {
                return failed(&format!(
                    ", because the section [{sections}] is missing; expected a key in one of {known}"
                ));
            }
        }
    }
    node.set(key, value);
    Ok(())
}
