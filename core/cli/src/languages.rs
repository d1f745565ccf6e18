//! `lexpool languages`: the languages that have rules, with what each has.

use super::args::Languages;
use super::json::Json;
use super::output::print;
use lexpool::Result;
use lexpool::tokenizer::lang::{self, Direction, LangData};
use lexpool::tokenizer::segmenters;
use lexpool::tokens::NounChunkRules;

pub(super) fn run(args: &Languages) -> Result<()> {
    let codes: Vec<&str> = if args.codes.is_empty() {
        lang::languages().collect()
    } else {
        args.codes.iter().map(String::as_str).collect()
    };
    let all = codes.into_iter().map(lang::load).collect::<Result<Vec<LangData>>>()?;
    if args.json {
        let all = all.iter().map(json).collect();
        return print(format_args!("{}\n", Json::List(all)));
    }
    let head = format!(
        "{:<5}{:<20}{:>8}{:>8}{:>8}{:>8}{:>8}  {:<13}{}",
        "code",
        "name",
        "affixes",
        "cases",
        "stops",
        "numbers",
        "norms",
        "noun chunks",
        "segmenters"
    );
    let lines: Vec<String> = all.iter().map(line).collect();
    print(format_args!("{head}\n{}\n", lines.join("\n")))
}

fn line(data: &LangData) -> String {
    let [affixes, cases, stops, numbers, norms] = counts(data);
    let (code, title) = (&data.code, &data.title);
    let chunks = if has_noun_chunks(data) { "yes" } else { "" };
    let choice = if data.segmenter.is_none() { "optional: " } else { "" };
    let segmenters = match segmenters::of_language(code) {
        [] => String::new(),
        names => format!("{choice}{}", names.join(", ")),
    };
    let line = format!(
        "{code:<5}{title:<20}{affixes:>8}{cases:>8}{stops:>8}{numbers:>8}{norms:>8}  {chunks:<13}\
         {segmenters}"
    );
    line.trim_end().to_owned()
}

fn has_noun_chunks(data: &LangData) -> bool {
    NounChunkRules::of_language(&data.code).is_some()
}

/// Returns the numbers of patterns, special cases, stop words, number words and norms. Patterns and
/// special cases beside a segmenter cut no text.
fn counts(data: &LangData) -> [usize; 5] {
    let used = usize::from(data.segmenter.is_none());
    [
        used * (data.prefixes.len() + data.suffixes.len() + data.infixes.len()),
        used * data.specials.len(),
        data.stop_words.len(),
        data.numbers.cardinals.len() + data.numbers.ordinals.len(),
        data.norms.len(),
    ]
}

fn json(data: &LangData) -> Json {
    let [affixes, cases, stops, numbers, norms] = counts(data);
    let direction = match data.writing_system.direction {
        Direction::LeftToRight => "ltr",
        Direction::RightToLeft => "rtl",
    };
    let segmenters = segmenters::of_language(&data.code).iter().map(|name| Json::from(*name));
    let aliases = lang::aliases(&data.code).map(Json::from).collect();
    Json::Map(vec![
        ("code", data.code.as_str().into()),
        ("name", data.title.as_str().into()),
        ("aliases", Json::List(aliases)),
        ("direction", direction.into()),
        ("affixes", affixes.into()),
        ("special_cases", cases.into()),
        ("stop_words", stops.into()),
        ("number_words", numbers.into()),
        ("norms", norms.into()),
        ("noun_chunks", has_noun_chunks(data).into()),
        ("segmenter", data.segmenter.as_deref().map_or(Json::Null, Json::from)),
        ("segmenters", Json::List(segmenters.collect())),
    ])
}
