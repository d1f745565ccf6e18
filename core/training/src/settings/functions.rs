//! Functions of Python that a configuration names.

use lexpool::Result;
use lexpool::config::{Config, Section, Value};

/// The callbacks of spaCy's configurations, by section and key.
const CALLBACKS: [(&str, &[&str]); 3] =
    [("nlp", OF_NLP), ("initialize", OF_INITIALIZE), ("training", OF_TRAINING)];

/// The callbacks of `[nlp]`.
pub(crate) const OF_NLP: &[&str] =
    &["before_creation", "after_creation", "after_pipeline_creation"];
/// The callbacks of `[initialize]`.
pub(crate) const OF_INITIALIZE: &[&str] = &["before_init", "after_init"];
/// The callbacks of `[training]`.
pub(crate) const OF_TRAINING: &[&str] = &["before_to_disk", "before_update"];

/// The stem of the loggers that lexpool has.
const LOGGER: &str = "spacy.ConsoleLogger.v";
/// The readers of corpora that lexpool has.
const READERS: [&str; 4] =
    ["spacy.Corpus.v1", "spacy.JsonlCorpus.v1", "spacy.PlainTextCorpus.v1", "lexpool.Corpus.v1"];

/// Returns the dotted names of the values of a configuration that are functions of Python:
/// callbacks, and loggers and readers of corpora that lexpool lacks. Where there are any, a
/// training runs in Python: [`TrainingPlan::read`](crate::TrainingPlan::read) refuses them.
///
/// # Errors
///
/// `config-reference` for an invalid reference.
pub fn python_functions(config: &Config) -> Result<Vec<String>> {
    let resolved = config.interpolate()?;
    let mut found = Vec::new();
    for (name, keys) in CALLBACKS {
        let section = resolved.section(name).cloned().unwrap_or_default();
        let given = keys.iter().filter(|key| section.get(key).is_some_and(|own| !own.is_null()));
        found.extend(given.map(|key| format!("{name}.{key}")));
    }
    let training = resolved.section("training").cloned().unwrap_or_default();
    let logger = training.get("logger").and_then(Value::as_section);
    if logger.and_then(|own| named(own, "@loggers")).is_some_and(|own| !own.starts_with(LOGGER)) {
        found.push("training.logger".to_owned());
    }
    for (key, usual) in [("train_corpus", "corpora.train"), ("dev_corpus", "corpora.dev")] {
        let name = named(&training, key).unwrap_or(usual);
        let reader = resolved.section(name).and_then(|own| named(own, "@readers"));
        if reader.is_some_and(|own| !READERS.contains(&own)) && !found.iter().any(|own| own == name)
        {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

fn named<'s>(section: &'s Section, key: &str) -> Option<&'s str> {
    section.get(key).and_then(Value::as_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(text: &str) -> Vec<String> {
        python_functions(&Config::parse(text, "config.cfg").unwrap()).unwrap()
    }

    #[test]
    fn functions_of_python_are_named_and_those_that_lexpool_has_are_not() {
        let native = "[nlp]\nlang = \"en\"\nafter_creation = null\n\
                      [training]\n\
                      [training.logger]\n@loggers = \"spacy.ConsoleLogger.v3\"\n\
                      [corpora]\n\
                      [corpora.train]\n@readers = \"spacy.Corpus.v1\"\n\
                      [corpora.other]\n@readers = \"own.v1\"\n";
        assert!(functions(native).is_empty());
        let own = "[nlp]\n\
                   [nlp.before_creation]\n@callbacks = \"own.v1\"\n\
                   [initialize]\n\
                   [initialize.after_init]\n@callbacks = \"own.v1\"\n\
                   [training]\ndev_corpus = \"corpora.train\"\n\
                   [training.before_update]\n@callbacks = \"own.v1\"\n\
                   [training.logger]\n@loggers = \"spacy.WandbLogger.v5\"\n\
                   [corpora]\n\
                   [corpora.train]\n@readers = \"own.v1\"\n";
        assert_eq!(
            functions(own),
            [
                "nlp.before_creation",
                "initialize.after_init",
                "training.before_update",
                "training.logger",
                "corpora.train"
            ]
        );
    }
}
