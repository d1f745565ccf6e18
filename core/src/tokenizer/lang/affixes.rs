//! The patterns of a language: those of the shared file, changed by families and by its own file.

use super::definitions::Definitions;
use super::file::{AffixKeys, LangFile};
use super::reader::{NamedPattern, syntax_error};
use crate::Result;

/// The patterns of a language, by name and in the order in which they are tried.
#[derive(Default)]
pub(super) struct Affixes {
    pub(super) prefixes: NamedPatterns,
    pub(super) suffixes: NamedPatterns,
    pub(super) infixes: NamedPatterns,
    pub(super) token: Option<String>,
    pub(super) url: Option<String>,
}

/// Patterns with their names, unique among those of one kind.
#[derive(Default)]
pub(super) struct NamedPatterns {
    patterns: Vec<(String, String)>,
    /// The names of patterns that were taken away.
    dropped: Vec<String>,
}

impl Affixes {
    /// Applies the patterns of a file, or of a family in it: a pattern of a known name replaces
    /// that pattern, `false` takes it away, and new ones precede all others.
    pub(super) fn change(
        &mut self,
        definitions: &Definitions,
        file: &LangFile,
        keys: &AffixKeys,
    ) -> Result<()> {
        self.prefixes.change(definitions, file, &keys.prefixes)?;
        self.suffixes.change(definitions, file, &keys.suffixes)?;
        self.infixes.change(definitions, file, &keys.infixes)?;
        if let Some(text) = &keys.token {
            self.token = Some(definitions.pattern(file, text)?);
        }
        if let Some(text) = &keys.url {
            self.url = Some(definitions.pattern(file, text)?);
        }
        Ok(())
    }
}

impl NamedPatterns {
    fn change(
        &mut self,
        definitions: &Definitions,
        file: &LangFile,
        keys: &[NamedPattern],
    ) -> Result<()> {
        let mut added = Vec::new();
        for NamedPattern { name, line, pattern } in keys {
            let at = self.patterns.iter().position(|(known, _)| known == name);
            match (at, pattern) {
                (Some(at), Some(text)) => self.patterns[at].1 = definitions.pattern(file, text)?,
                (None, Some(text)) => added.push((name.clone(), definitions.pattern(file, text)?)),
                (Some(at), None) => {
                    self.patterns.remove(at);
                    self.dropped.push(name.clone());
                }
                // Several families may take away one pattern.
                (None, None) if self.dropped.contains(name) => {}
                (None, None) => {
                    let names: Vec<_> = self.patterns.iter().map(|(name, _)| &**name).collect();
                    let message =
                        format!("no pattern {name:?} to take away; known are {}", names.join(", "));
                    return Err(syntax_error(&file.name, *line, message));
                }
            }
        }
        self.patterns.splice(..0, added);
        Ok(())
    }

    pub(super) fn into_patterns(self) -> Vec<String> {
        self.patterns.into_iter().map(|(_, pattern)| pattern).collect()
    }
}
