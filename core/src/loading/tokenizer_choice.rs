//! The tokenizer that a configuration asks for: rules, or the segmenter of a language.

use crate::Result;
use crate::config::{Config, Section, Value};

/// spaCy's tokenizer with rules.
pub(super) const RULES: &str = "spacy.Tokenizer.v1";
/// spaCy's tokenizer of Vietnamese, which is rules if it does not call a package.
const VIETNAMESE: &str = "spacy.vi.VietnameseTokenizer";

/// A tokenizer of spaCy's for a language, which has a segmenter.
struct SegmenterTokenizer {
    lang: &'static str,
    name: &'static str,
    settings: &'static [&'static str],
    /// `None` if a setting names it.
    segmenter: Option<&'static str>,
    /// `true` for the tokenizer that blank pipelines of the language have.
    is_default: bool,
}

const SEGMENTER_TOKENIZERS: [SegmenterTokenizer; 4] = [
    SegmenterTokenizer {
        lang: "ja",
        name: "spacy.ja.JapaneseTokenizer",
        settings: &["dictionary", "split_mode"],
        segmenter: Some("sudachi"),
        is_default: true,
    },
    SegmenterTokenizer {
        lang: "ko",
        name: "spacy.ko.KoreanTokenizer",
        settings: &["dictionary"],
        segmenter: Some("mecab"),
        is_default: false,
    },
    SegmenterTokenizer {
        lang: "th",
        name: "spacy.th.ThaiTokenizer",
        settings: &["dictionary"],
        segmenter: Some("newmm"),
        is_default: true,
    },
    SegmenterTokenizer {
        lang: "zh",
        name: "spacy.zh.ChineseTokenizer",
        settings: &["dictionary", "segmenter"],
        segmenter: None,
        is_default: false,
    },
];

/// The tokenizer of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenizerChoice {
    /// The rules in the file of the pipeline, or those of its language if it has none.
    Rules,
    /// lexpool's rules in the place of a tokenizer of the language, whose file has other settings.
    Replacement,
    /// A segmenter.
    Segmenter(SegmenterChoice),
    /// A tokenizer that lexpool lacks, with the reason.
    Unknown(String),
}

/// A segmenter with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmenterChoice {
    /// `jieba`, `mecab`, `newmm`, `pkuseg` or `sudachi`.
    pub name: &'static str,
    /// The path of its data; `None` for those that are installed or in the pipeline's files.
    pub dictionary: Option<String>,
    /// The lengths of Japanese words: `A`, `B` or `C`.
    pub split_mode: Option<String>,
}

impl TokenizerChoice {
    /// Reads the section `[nlp.tokenizer]` of a configuration without references.
    ///
    /// # Errors
    ///
    /// `config-value` for unknown settings of a segmenter, and values of another kind.
    pub fn of(lang: &str, config: &Config) -> Result<TokenizerChoice> {
        let settings = match config.section("nlp").and_then(|nlp| nlp.get("tokenizer")) {
            None => return Ok(TokenizerChoice::Rules),
            Some(Value::Section(settings)) => settings,
            Some(other) => {
                return Err(config.value_error("nlp", "tokenizer", other, "a section"));
            }
        };
        let name = settings.get("@tokenizers").and_then(Value::as_text).unwrap_or_default();
        if name == VIETNAMESE && settings.get("use_pyvi") == Some(&Value::Bool(false)) {
            return Ok(TokenizerChoice::Replacement);
        }
        let Some(row) = row(lang, name, settings) else {
            let found = settings.get("@tokenizers").unwrap_or(&Value::Null);
            return Ok(if name == RULES { TokenizerChoice::Rules } else { unknown(found) });
        };
        let segmenter = match (row.segmenter, settings.get("segmenter")) {
            (Some(segmenter), _) => segmenter,
            (None, None) => return Ok(TokenizerChoice::Replacement),
            (None, Some(value)) => match value.as_text() {
                Some("char") => return Ok(TokenizerChoice::Replacement),
                Some("jieba") => "jieba",
                Some("pkuseg") => "pkuseg",
                _ => {
                    return Ok(TokenizerChoice::Unknown(format!(
                        "segmenter = {value}, which lexpool does not have; it has \"char\", \
                         \"jieba\" and \"pkuseg\""
                    )));
                }
            },
        };
        let section = "nlp.tokenizer";
        let mut keys = settings.iter().filter(|(key, _)| *key != "@tokenizers");
        if let Some((key, value)) = keys.find(|(key, _)| !row.settings.contains(key)) {
            let expected = format!("one of the settings of {name}: {}", row.settings.join(", "));
            return Err(config.value_error(section, key, value, &expected));
        }
        let text = |key: &str| match settings.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text.clone())),
            Some(other) => Err(config.value_error(section, key, other, "a text or null")),
        };
        let (dictionary, split_mode) = (text("dictionary")?, text("split_mode")?);
        let choice = SegmenterChoice { name: segmenter, dictionary, split_mode };
        Ok(TokenizerChoice::Segmenter(choice))
    }

    /// Names the tokenizer in a configuration: what is saved of it is read as the same choice.
    pub(super) fn name_in(&self, config: &mut Config, lang: &str) -> Result<()> {
        match self {
            TokenizerChoice::Replacement => {
                config.set("nlp.tokenizer", section([("@tokenizers", RULES.into())]))
            }
            TokenizerChoice::Segmenter(_) => {
                let row = SEGMENTER_TOKENIZERS.iter().find(|row| row.lang == lang);
                let name = config.section("nlp.tokenizer").and_then(|own| own.get("@tokenizers"));
                match row.filter(|row| name.is_some_and(|name| name.as_text() != Some(row.name))) {
                    Some(row) => config.set("nlp.tokenizer.@tokenizers", row.name.into()),
                    None => Ok(()),
                }
            }
            TokenizerChoice::Rules | TokenizerChoice::Unknown(_) => Ok(()),
        }
    }
}

/// Returns the section `[nlp.tokenizer]` of a blank pipeline.
pub(super) fn default_section(lang: &str) -> Value {
    match SEGMENTER_TOKENIZERS.iter().find(|row| row.lang == lang && row.is_default) {
        None => section([("@tokenizers", RULES.into())]),
        Some(row) => {
            let split_mode = row.settings.contains(&"split_mode");
            let split_mode = split_mode.then_some(("split_mode", Value::Null));
            section([("@tokenizers", row.name.into())].into_iter().chain(split_mode))
        }
    }
}

/// Returns the tokenizer with a segmenter that settings name. Those of Chinese may name the
/// segmenter alone.
fn row(lang: &str, name: &str, settings: &Section) -> Option<&'static SegmenterTokenizer> {
    let row = SEGMENTER_TOKENIZERS.iter().find(|row| row.lang == lang)?;
    let names_segmenter =
        row.segmenter.is_none() && name == RULES && settings.contains("segmenter");
    (name == row.name || names_segmenter).then_some(row)
}

fn unknown(name: &Value) -> TokenizerChoice {
    TokenizerChoice::Unknown(format!(
        "@tokenizers = {name}, which lexpool does not have; it has {RULES:?}"
    ))
}

fn section<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value));
    Value::Section(entries.collect())
}
