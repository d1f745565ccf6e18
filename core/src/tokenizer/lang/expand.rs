//! The data of a language from its files.

use std::collections::HashMap;

use super::affixes::Affixes;
use super::data::{Direction, LangData, NumberWords, WritingSystem};
use super::definitions::{Definitions, Part, split_norm, split_words};
use super::file::{AffixKeys, LangFile, NumberKeys, VocabKeys};
use super::reader::{LocatedText, syntax_error};
use super::special_cases::SpecialCases;
use crate::Result;
use crate::tokenizer::segmenters;
use crate::vocab::lex_attrs::NumberScript;

/// Expands the files of a language, the most general one first: the shared file, families, the
/// file of a parent, its own.
pub(super) fn expand(code: &str, files: &[LangFile], part: Part) -> Result<LangData> {
    let definitions = Definitions::read(files, part)?;
    let mut data = LangData { code: code.to_owned(), ..LangData::default() };
    for file in files {
        add_language(&mut data, file)?;
        add_vocab(&mut data, &definitions, file, &file.vocab)?;
        add_numbers(&mut data.numbers, &definitions, file, &file.numbers)?;
    }
    if part == Part::All {
        add_rules(&mut data, &definitions, files)?;
    }
    Ok(data)
}

/// Expands the patterns and the special cases.
fn add_rules(data: &mut LangData, definitions: &Definitions, files: &[LangFile]) -> Result<()> {
    let mut affixes = Affixes::default();
    let mut cases = SpecialCases::default();
    for file in files {
        for family in &file.language.families {
            let (from, keys) = find_family(files, file, family)?;
            affixes.change(definitions, from, keys)?;
        }
        affixes.change(definitions, file, &file.affixes)?;
        if file.language.inherits_cases == Some(false) {
            cases.clear();
        }
        for template in &file.language.without_cases {
            cases.remove(definitions, file, template)?;
        }
        for group in &file.specials {
            cases.add(definitions, file, group)?;
        }
    }
    data.prefixes = affixes.prefixes.into_patterns();
    data.suffixes = affixes.suffixes.into_patterns();
    data.infixes = affixes.infixes.into_patterns();
    (data.token_match, data.url_match) = (affixes.token, affixes.url);
    data.specials = cases.into_cases();
    Ok(())
}

fn find_family<'f>(
    files: &'f [LangFile],
    file: &LangFile,
    name: &LocatedText,
) -> Result<(&'f LangFile, &'f AffixKeys)> {
    let all = || {
        files
            .iter()
            .flat_map(|file| file.families.iter().map(move |(name, keys)| (file, name, keys)))
    };
    let family = all().find(|(_, known, _)| **known == name.value);
    family.map(|(file, _, keys)| (file, keys)).ok_or_else(|| {
        let names: Vec<&str> = all().map(|(_, name, _)| name.as_str()).collect();
        let message = format!("no family {:?}; known are {}", name.value, names.join(", "));
        syntax_error(&file.name, name.line, message)
    })
}

fn add_language(data: &mut LangData, file: &LangFile) -> Result<()> {
    let keys = &file.language;
    if let Some(title) = &keys.title {
        data.title.clone_from(&title.value);
    }
    if let Some(segmenter) = &keys.segmenter {
        if !segmenters::NAMES.contains(&segmenter.value.as_str()) {
            let names = segmenters::NAMES.join(", ");
            let message = format!("no segmenter {:?}; known are {names}", segmenter.value);
            return Err(syntax_error(&file.name, segmenter.line, message));
        }
        data.segmenter = Some(segmenter.value.clone());
    }
    let WritingSystem { direction, has_case, has_letters } = &mut data.writing_system;
    *has_case = keys.has_case.unwrap_or(*has_case);
    *has_letters = keys.has_letters.unwrap_or(*has_letters);
    if let Some(given) = &keys.direction {
        *direction = match given.value.as_str() {
            "ltr" => Direction::LeftToRight,
            "rtl" => Direction::RightToLeft,
            other => {
                let message = format!("expected \"ltr\" or \"rtl\", found {other:?}");
                return Err(syntax_error(&file.name, given.line, message));
            }
        };
    }
    Ok(())
}

fn add_vocab(
    data: &mut LangData,
    definitions: &Definitions,
    file: &LangFile,
    keys: &VocabKeys,
) -> Result<()> {
    let words = |text: &Option<LocatedText>| match text {
        Some(text) => definitions.words(file, text),
        None => Ok(Vec::new()),
    };
    if let Some(text) = &keys.stop_words {
        // The parent's are words of another language.
        data.stop_words = definitions.words(file, text)?;
    }
    data.currency_words.extend(words(&keys.currency_words)?);
    data.norm_suffixes.extend(words(&keys.norm_suffixes)?);
    let Some(text) = &keys.norms else { return Ok(()) };
    let numbered_words = data.norms.iter().enumerate().map(|(at, (word, _))| (word.clone(), at));
    let mut places: HashMap<String, usize> = numbered_words.collect();
    for entry in split_words(&text.value) {
        let (word, norm) = match split_norm(entry) {
            (word, Some(norm)) if !word.is_empty() && !norm.is_empty() => (word, norm),
            _ => {
                let message = format!("{entry:?} is not word=norm");
                return Err(syntax_error(&file.name, text.line, message));
            }
        };
        // The last file decides about a word.
        let place = *places.entry(word.to_owned()).or_insert(data.norms.len());
        if place == data.norms.len() {
            data.norms.push((word.to_owned(), String::new()));
        }
        norm.clone_into(&mut data.norms[place].1);
    }
    Ok(())
}

fn add_numbers(
    numbers: &mut NumberWords,
    definitions: &Definitions,
    file: &LangFile,
    keys: &NumberKeys,
) -> Result<()> {
    for (text, into) in [
        (&keys.cardinals, &mut numbers.cardinals),
        (&keys.ordinals, &mut numbers.ordinals),
        (&keys.ordinal_suffixes, &mut numbers.ordinal_suffixes),
        (&keys.word_suffixes, &mut numbers.form.word_suffixes),
    ] {
        if let Some(text) = text {
            into.extend(definitions.words(file, text)?);
        }
    }
    let form = &mut numbers.form;
    for (text, into) in [
        (&keys.signs, &mut form.signs),
        (&keys.separators, &mut form.separators),
        (&keys.fractions, &mut form.fractions),
    ] {
        if let Some(text) = text {
            *into = text.value.chars().filter(|c| !c.is_whitespace()).collect();
        }
    }
    form.percent = keys.percent.unwrap_or(form.percent);
    form.exact_case = keys.exact_case.unwrap_or(form.exact_case);
    form.roman = keys.roman.unwrap_or(form.roman);
    form.hyphenated = keys.hyphenated.unwrap_or(form.hyphenated);
    if let Some(script) = &keys.script {
        form.script = match script.value.as_str() {
            "chinese" => Some(NumberScript::Chinese),
            "korean" => Some(NumberScript::Korean),
            "yoruba" => Some(NumberScript::Yoruba),
            other => {
                let message =
                    format!("expected \"chinese\", \"korean\" or \"yoruba\", found {other:?}");
                return Err(syntax_error(&file.name, script.line, message));
            }
        };
    }
    Ok(())
}
