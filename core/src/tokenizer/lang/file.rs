//! A data file in TOML: its keys, and the line of each value.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reader::{LocatedText, NamedPattern, NamedText, Reader};
use crate::Result;

/// A data file, parsed but not expanded.
#[derive(Debug, Default)]
pub(super) struct LangFile {
    pub(super) name: String,
    pub(super) language: LanguageKeys,
    /// Named character classes, in the order of the file.
    pub(super) classes: Vec<NamedText>,
    /// Named word lists, in the order of the file.
    pub(super) lists: Vec<NamedText>,
    /// Named parts of patterns, in the order of the file.
    pub(super) pieces: Vec<NamedText>,
    pub(super) affixes: AffixKeys,
    /// Named changes of affixes, which languages share.
    pub(super) families: Vec<(String, AffixKeys)>,
    pub(super) specials: Vec<SpecialCaseGroup>,
    pub(super) vocab: VocabKeys,
    pub(super) numbers: NumberKeys,
}

/// The table `[language]`.
#[derive(Debug, Default)]
pub(super) struct LanguageKeys {
    pub(super) title: Option<LocatedText>,
    /// The language whose file precedes this one.
    pub(super) parent: Option<LocatedText>,
    pub(super) direction: Option<LocatedText>,
    pub(super) has_case: Option<bool>,
    pub(super) has_letters: Option<bool>,
    /// The segmenter that cuts texts in the place of rules.
    pub(super) segmenter: Option<LocatedText>,
    /// The names of families of patterns.
    pub(super) families: Vec<LocatedText>,
    /// False to take none of the special cases of the files before.
    pub(super) inherits_cases: Option<bool>,
    /// Templates of special cases of the files before that do not hold.
    pub(super) without_cases: Vec<LocatedText>,
}

/// The tables of patterns.
#[derive(Debug, Default)]
pub(super) struct AffixKeys {
    pub(super) prefixes: Vec<NamedPattern>,
    pub(super) suffixes: Vec<NamedPattern>,
    pub(super) infixes: Vec<NamedPattern>,
    pub(super) token: Option<LocatedText>,
    pub(super) url: Option<LocatedText>,
}

/// The table `[vocab]`.
#[derive(Debug, Default)]
pub(super) struct VocabKeys {
    pub(super) stop_words: Option<LocatedText>,
    pub(super) norms: Option<LocatedText>,
    pub(super) norm_suffixes: Option<LocatedText>,
    pub(super) currency_words: Option<LocatedText>,
}

/// The table `[numbers]`.
#[derive(Debug, Default)]
pub(super) struct NumberKeys {
    pub(super) cardinals: Option<LocatedText>,
    pub(super) ordinals: Option<LocatedText>,
    pub(super) ordinal_suffixes: Option<LocatedText>,
    pub(super) word_suffixes: Option<LocatedText>,
    pub(super) signs: Option<LocatedText>,
    pub(super) separators: Option<LocatedText>,
    pub(super) fractions: Option<LocatedText>,
    pub(super) percent: Option<bool>,
    pub(super) exact_case: Option<bool>,
    pub(super) roman: Option<bool>,
    pub(super) hyphenated: Option<bool>,
    pub(super) script: Option<LocatedText>,
}

/// A group of special cases with the same variants.
#[derive(Debug, Default)]
pub(super) struct SpecialCaseGroup {
    /// Templates of chunks of several tokens.
    pub(super) split: Vec<LocatedText>,
    /// Templates of chunks of one token.
    pub(super) whole: Vec<LocatedText>,
    /// Adds each case with a capital first letter too.
    pub(super) title: bool,
    /// Adds each case in capitals too.
    pub(super) upper: bool,
    /// Lets the cases replace those of the files before.
    pub(super) replace: bool,
}

/// Parses a data file.
pub(super) fn parse(name: &str, text: &str) -> Result<LangFile> {
    let reader = Reader::new(name, text);
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        reader.error(&at, error.message())
    })?;
    let mut file = LangFile { name: name.to_owned(), ..LangFile::default() };
    for (key, value) in root.get_ref() {
        match key.get_ref().as_ref() {
            "language" => file.language = language(&reader, value)?,
            "classes" => file.classes = reader.definitions(value)?,
            "lists" => file.lists = reader.definitions(value)?,
            "pieces" => file.pieces = reader.definitions(value)?,
            "affixes" => file.affixes = affixes(&reader, value)?,
            "family" => {
                for (name, family) in reader.named(value)? {
                    file.families.push((name.to_owned(), affixes(&reader, family)?));
                }
            }
            "special" => {
                for group in reader.array(value)? {
                    file.specials.push(special(&reader, group)?);
                }
            }
            "vocab" => file.vocab = vocab(&reader, value)?,
            "numbers" => file.numbers = numbers(&reader, value)?,
            _ => {
                let names =
                    "language, classes, lists, pieces, affixes, family, special, vocab, numbers";
                return Err(reader.unknown(key, names));
            }
        }
    }
    Ok(file)
}

fn language(reader: &Reader<'_>, value: &Spanned<DeValue<'_>>) -> Result<LanguageKeys> {
    const KEYS: &str = "title, parent, direction, has_case, has_letters, segmenter, families, \
                        inherits_cases, without_cases";
    let mut keys = LanguageKeys::default();
    for (key, value) in reader.table(value)? {
        match key.get_ref().as_ref() {
            "title" => keys.title = Some(reader.text(value)?),
            "parent" => keys.parent = Some(reader.text(value)?),
            "direction" => keys.direction = Some(reader.text(value)?),
            "has_case" => keys.has_case = Some(reader.flag(value)?),
            "has_letters" => keys.has_letters = Some(reader.flag(value)?),
            "segmenter" => keys.segmenter = Some(reader.text(value)?),
            "families" => keys.families = reader.texts(value)?,
            "inherits_cases" => keys.inherits_cases = Some(reader.flag(value)?),
            "without_cases" => keys.without_cases = reader.texts(value)?,
            _ => return Err(reader.unknown(key, KEYS)),
        }
    }
    Ok(keys)
}

fn affixes(reader: &Reader<'_>, value: &Spanned<DeValue<'_>>) -> Result<AffixKeys> {
    let mut keys = AffixKeys::default();
    for (key, value) in reader.table(value)? {
        match key.get_ref().as_ref() {
            "prefixes" => keys.prefixes = reader.patterns(value)?,
            "suffixes" => keys.suffixes = reader.patterns(value)?,
            "infixes" => keys.infixes = reader.patterns(value)?,
            "token" => keys.token = Some(reader.text(value)?),
            "url" => keys.url = Some(reader.text(value)?),
            _ => return Err(reader.unknown(key, "prefixes, suffixes, infixes, token, url")),
        }
    }
    Ok(keys)
}

fn special(reader: &Reader<'_>, value: &Spanned<DeValue<'_>>) -> Result<SpecialCaseGroup> {
    let mut group = SpecialCaseGroup::default();
    for (key, value) in reader.table(value)? {
        match key.get_ref().as_ref() {
            "split" => group.split = reader.texts(value)?,
            "whole" => group.whole = reader.texts(value)?,
            "title" => group.title = reader.flag(value)?,
            "upper" => group.upper = reader.flag(value)?,
            "replace" => group.replace = reader.flag(value)?,
            _ => return Err(reader.unknown(key, "split, whole, title, upper, replace")),
        }
    }
    Ok(group)
}

fn vocab(reader: &Reader<'_>, value: &Spanned<DeValue<'_>>) -> Result<VocabKeys> {
    let mut keys = VocabKeys::default();
    for (key, value) in reader.table(value)? {
        let slot = match key.get_ref().as_ref() {
            "stop_words" => &mut keys.stop_words,
            "norms" => &mut keys.norms,
            "norm_suffixes" => &mut keys.norm_suffixes,
            "currency_words" => &mut keys.currency_words,
            _ => {
                let names = "stop_words, norms, norm_suffixes, currency_words";
                return Err(reader.unknown(key, names));
            }
        };
        *slot = Some(reader.text(value)?);
    }
    Ok(keys)
}

fn numbers(reader: &Reader<'_>, value: &Spanned<DeValue<'_>>) -> Result<NumberKeys> {
    const KEYS: &str = "cardinals, ordinals, ordinal_suffixes, word_suffixes, signs, separators, \
                        fractions, percent, exact_case, roman, hyphenated, script";
    let mut keys = NumberKeys::default();
    for (key, value) in reader.table(value)? {
        match key.get_ref().as_ref() {
            "cardinals" => keys.cardinals = Some(reader.text(value)?),
            "ordinals" => keys.ordinals = Some(reader.text(value)?),
            "ordinal_suffixes" => keys.ordinal_suffixes = Some(reader.text(value)?),
            "word_suffixes" => keys.word_suffixes = Some(reader.text(value)?),
            "signs" => keys.signs = Some(reader.text(value)?),
            "separators" => keys.separators = Some(reader.text(value)?),
            "fractions" => keys.fractions = Some(reader.text(value)?),
            "percent" => keys.percent = Some(reader.flag(value)?),
            "exact_case" => keys.exact_case = Some(reader.flag(value)?),
            "roman" => keys.roman = Some(reader.flag(value)?),
            "hyphenated" => keys.hyphenated = Some(reader.flag(value)?),
            "script" => keys.script = Some(reader.text(value)?),
            _ => return Err(reader.unknown(key, KEYS)),
        }
    }
    Ok(keys)
}
