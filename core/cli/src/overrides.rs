//! Options whose names are those of values of a configuration.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use lexpool::Result;
use lexpool::config::{Config, Value};

/// The commands that take values of a configuration as options.
const COMMANDS: [&str; 6] = ["train", "pretrain", "init", "config", "debug", "assemble"];

/// The values that options give anew, by their dotted names.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Overrides(Vec<(String, String)>);

impl Overrides {
    /// Returns the names with their values as they were given.
    pub(super) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Sets the values in a configuration: JSON, or else a text.
    pub(super) fn apply(&self, config: &mut Config) -> Result<()> {
        for (name, value) in &self.0 {
            let value = Value::from_json(value).unwrap_or_else(|_| Value::from(value.as_str()));
            config.set(name, value)?;
        }
        Ok(())
    }
}

/// Reads a configuration with the values that options give anew.
pub(super) fn read_config(path: &Path, overrides: &Overrides) -> Result<Config> {
    let mut config = Config::read(path)?;
    overrides.apply(&mut config)?;
    Ok(config)
}

/// Takes options such as `--training.max_steps 500` out of the arguments of the commands that have
/// them. An option without a value is `true`.
pub(super) fn split(args: Vec<OsString>) -> (Vec<OsString>, Overrides) {
    let command = args.get(1).and_then(|command| OsStr::to_str(command)).unwrap_or_default();
    if !COMMANDS.contains(&command) {
        return (args, Overrides::default());
    }
    let (mut others, mut overrides) = (Vec::new(), Vec::new());
    let mut rest = args.into_iter().peekable();
    while let Some(arg) = rest.next() {
        let name = arg.to_str().and_then(|arg| arg.strip_prefix("--"));
        let Some(name) = name.filter(|name| name.split('=').next().unwrap_or("").contains('.'))
        else {
            others.push(arg);
            continue;
        };
        if let Some((name, value)) = name.split_once('=') {
            overrides.push((name.to_owned(), value.to_owned()));
            continue;
        }
        let is_value = |next: &OsString| !next.to_string_lossy().starts_with("--");
        let value = rest.next_if(is_value).map(|value| value.to_string_lossy().into_owned());
        overrides.push((name.to_owned(), value.unwrap_or_else(|| "true".to_owned())));
    }
    (others, Overrides(overrides))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_words(words: &[&str]) -> (Vec<String>, Overrides) {
        let (others, overrides) = split(words.iter().map(OsString::from).collect());
        let others = others.into_iter().map(|word| word.into_string().unwrap()).collect();
        (others, overrides)
    }

    #[test]
    fn options_with_a_dot_are_values_of_the_configuration() {
        let (others, overrides) = split_words(&[
            "lexpool",
            "train",
            "a.cfg",
            "--paths.train",
            "x.spacy",
            "-o",
            "out",
            "--training.max_steps=5",
            "--nlp.flag",
            "--threads",
            "2",
        ]);
        assert_eq!(others, ["lexpool", "train", "a.cfg", "-o", "out", "--threads", "2"]);
        let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let expected =
            [("paths.train", "x.spacy"), ("training.max_steps", "5"), ("nlp.flag", "true")];
        assert_eq!(overrides, Overrides(expected.map(pair).to_vec()));
    }

    #[test]
    fn other_commands_keep_their_options() {
        let words = ["lexpool", "tokenize", "--a.b", "c"];
        assert_eq!(split_words(&words), (words.map(str::to_owned).to_vec(), Overrides::default()));
    }
}
