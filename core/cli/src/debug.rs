//! `lexpool debug data`: what components have to learn from.

use std::fmt::Write as _;

use super::args::{Debug, DebugData};
use super::failure::{Check, Failure};
use super::figures::grouped;
use super::output::print;
use super::overrides::{Overrides, read_config};
use lexpool::Result;
use lexpool::config::{Section, Value};
use lexpool_training::{ComponentFigures, CorpusFigures, DataReport, TrainingPlan, report_data};

/// The number of uses below which a label is hard to learn.
const FEW: usize = 10;
/// The number of uses below which more examples would help.
const SCARCE: usize = 50;
/// The most labels of a line.
const MAX_LABELS: usize = 12;

pub(super) fn run(command: &Debug, overrides: &Overrides, check: Check<'_>) -> Result<(), Failure> {
    let Debug::Data(args) = command;
    data(args, overrides, check).map_err(Failure::from)
}

fn data(args: &DebugData, overrides: &Overrides, check: Check<'_>) -> Result<()> {
    let plan = TrainingPlan::read(&read_config(&args.config, overrides)?)?;
    check()?;
    let report = report_data(&plan)?;
    check()?;
    if args.json {
        return print(format_args!("{}\n", to_json(&report).to_json()));
    }
    print(format_args!("{}", to_text(&report, args.verbose)))
}

fn to_text(report: &DataReport, verbose: bool) -> String {
    let mut text = String::new();
    for (name, corpus) in [("train", &report.train), ("dev", &report.dev)] {
        let CorpusFigures { documents, words, word_types, misaligned, too_long } = corpus;
        let [documents, words, word_types] =
            [documents, words, word_types].map(|count| grouped(*count as u64));
        let _ = writeln!(
            text,
            "{name:<6}{documents} documents, {words} words, {word_types} distinct words"
        );
        note(&mut text, *misaligned, "tokens do not align with the annotation");
        note(&mut text, *too_long, "documents or sentences are left out by max_length");
    }
    note(&mut text, report.overlap, "texts of dev are in train too: scores will be too high");
    for component in &report.components {
        component_text(&mut text, component, verbose);
    }
    text
}

fn component_text(text: &mut String, component: &ComponentFigures, verbose: bool) {
    let ComponentFigures { name, factory, annotated: [train, dev], labels, oddities } = component;
    let kind = if name == factory { String::new() } else { format!(" ({factory})") };
    let _ = writeln!(
        text,
        "\n{name}{kind}: {} labels; {} documents of train and {} of dev have annotation",
        grouped(labels.len() as u64),
        grouped(*train as u64),
        grouped(*dev as u64)
    );
    if *train == 0 {
        text.push_str("  ! nothing to learn from\n");
    } else if *dev == 0 {
        text.push_str("  ! nothing to be evaluated with\n");
    }
    let few: Vec<_> = component.rarer_than(FEW).collect();
    let is_scarce = |(_, uses): &(&str, usize)| *uses >= FEW;
    let scarce: Vec<_> = component.rarer_than(SCARCE).filter(is_scarce).collect();
    let numbered = |rare: Vec<(&str, usize)>| {
        rare.into_iter().map(|(label, uses)| format!("{label} ({uses})")).collect::<Vec<_>>()
    };
    list(text, &format!("labels used fewer than {FEW} times"), &numbered(few));
    list(text, &format!("labels used fewer than {SCARCE} times"), &numbered(scarce));
    let owned =
        |labels: &mut dyn Iterator<Item = &str>| labels.map(str::to_owned).collect::<Vec<_>>();
    list(text, "labels of dev that train lacks", &owned(&mut component.only_dev()));
    let all = owned(&mut component.without_negatives());
    list(text, "categories that all documents have", &all);
    for (oddity, [train, dev]) in oddities {
        let mark = if oddity.is_suspect() { '!' } else { ' ' };
        let (train, dev) = (grouped(*train as u64), grouped(*dev as u64));
        let _ = writeln!(text, "  {mark} {}: {train} in train, {dev} in dev", oddity.text());
    }
    if verbose {
        for (label, [train, dev]) in labels {
            let _ = writeln!(text, "    {label}: {train} in train, {dev} in dev");
        }
    }
}

fn note(text: &mut String, count: usize, what: &str) {
    if count > 0 {
        let _ = writeln!(text, "  ! {} {what}", grouped(count as u64));
    }
}

fn list(text: &mut String, what: &str, labels: &[String]) {
    if labels.is_empty() {
        return;
    }
    let mut shown = labels[..labels.len().min(MAX_LABELS)].join(", ");
    if labels.len() > MAX_LABELS {
        let _ = write!(shown, ", and {} more", labels.len() - MAX_LABELS);
    }
    let _ = writeln!(text, "  ! {what}: {shown}");
}

fn count(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

fn to_json(report: &DataReport) -> Value {
    let corpus = |corpus: &CorpusFigures| {
        let mut section = Section::default();
        for (name, number) in [
            ("documents", corpus.documents),
            ("words", corpus.words),
            ("word_types", corpus.word_types),
            ("misaligned", corpus.misaligned),
            ("too_long", corpus.too_long),
        ] {
            section.set(name, count(number));
        }
        Value::Section(section)
    };
    let pair = |numbers: &[usize; 2]| Value::List(numbers.iter().map(|own| count(*own)).collect());
    let component = |component: &ComponentFigures| {
        let mut section = Section::default();
        section.set("name", component.name.as_str());
        section.set("factory", component.factory.as_str());
        section.set("annotated", pair(&component.annotated));
        let labels = component.labels.iter().map(|(label, uses)| (label.clone(), pair(uses)));
        section.set("labels", labels.collect::<Section>());
        let odd = component.oddities.iter();
        let odd = odd.map(|(oddity, uses)| (oddity.text().to_owned(), pair(uses)));
        section.set("oddities", odd.collect::<Section>());
        Value::Section(section)
    };
    let mut all = Section::default();
    all.set("train", corpus(&report.train));
    all.set("dev", corpus(&report.dev));
    all.set("overlap", count(report.overlap));
    all.set("components", Value::List(report.components.iter().map(component).collect()));
    all.into()
}
