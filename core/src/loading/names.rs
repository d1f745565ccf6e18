//! Names of components, each of which is also that of a part of the pipeline's folder.

use crate::codes;
use crate::pipeline_files::SAVE_NUMBER;
use crate::{Error, Result};

/// The other parts of the folder.
const RESERVED: [&str; 5] = ["config.cfg", "meta.json", "tokenizer", "vocab", SAVE_NUMBER];

/// Checks that the path of a name is a part of the folder of its own.
///
/// # Errors
///
/// `component-name`.
pub fn check_name(name: &str) -> Result<()> {
    let Some(fault) = fault(name) else { return Ok(()) };
    let shown: String = name.chars().take(200).collect();
    let text = format!(
        "a component cannot be named {shown:?}: {fault}. Its name is that of its part of the \
         pipeline's folder; change it in the configuration"
    );
    Err(Error::value(codes::COMPONENT_NAME, text))
}

fn fault(name: &str) -> Option<String> {
    let key = name.trim_end_matches([' ', '.']).to_lowercase();
    if name.is_empty() {
        return Some("it is empty".to_owned());
    }
    if key.is_empty() {
        return Some("it consists of dots and spaces".to_owned());
    }
    let separator = |c: &char| matches!(c, '/' | '\\' | '\u{2028}' | '\u{2029}') || c.is_control();
    if let Some(c) = name.chars().find(separator) {
        return Some(format!("it contains {c:?}"));
    }
    if matches!(name.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic()) {
        return Some("it begins with a drive letter".to_owned());
    }
    let stem = key.rsplit_once('.').map_or(key.as_str(), |(stem, _)| stem);
    if RESERVED.contains(&key.as_str()) || stem == "meta" {
        return Some(format!("another part of the folder has it ({})", RESERVED.join(", ")));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        for name in ["ner", "my ner", "\u{e9}", "a.b", "metadata"] {
            check_name(name).unwrap();
        }
        let wrong = [
            "",
            ".",
            "..",
            " .",
            "a/b",
            "../ner",
            "a\\b",
            "a\0b",
            "a\nb",
            "C:ner",
            "vocab",
            "VOCAB.",
            "meta",
            "meta.x",
            "Config.cfg",
            "tokenizer",
        ];
        for name in wrong {
            assert_eq!(check_name(name).unwrap_err().code(), "component-name", "{name:?}");
        }
    }
}
