//! `lexpool model`: describes and checks pipelines.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::args::{Model, ModelCheck, ModelInfo, ModelPack, Selection};
use super::failure::{Check, Failure};
use super::figures::{grouped, megabytes};
use super::json::Json;
use super::messages::say;
use super::output::print;
use lexpool::escape::shown;
use lexpool::loading::{self, ComponentSummary, LoadOptions, LoadedPipeline, PipelineSummary};
use lexpool::pipeline_files::PipelineFiles;
use lexpool::tokenizer::Text;
use lexpool::{Error, ErrorKind, Result, codes};

/// Returns the folder of an installed pipeline; `None` if no package has this name.
pub(super) type FindPackage<'a> = &'a dyn Fn(&Path) -> Option<PathBuf>;

/// Finds the packages of the Python environment that the command runs in; `None` outside of one.
pub(super) type PipelineFolders<'a> = Option<FindPackage<'a>>;

/// Texts on which a pipeline is checked: an empty one, whitespace, one token, symbols, several
/// sentences.
const SAMPLES: [&str; 6] = [
    "",
    " \n",
    "Yes",
    "\u{1f600} ... (!) -- \u{301}",
    "In 2024, Ann Lee bought 3 shares of Acme Corp. in London for $12.50. Why? Nobody knows.",
    "\u{41c}\u{43e}\u{441}\u{43a}\u{432}\u{430} \u{2014} \u{6771}\u{4eac}\u{3002} \u{645}\u{631}\u{62d}\u{628}\u{627}",
];

pub(super) fn run(
    model: &Model,
    folders: PipelineFolders<'_>,
    check: Check<'_>,
) -> Result<(), Failure> {
    match model {
        Model::Info(args) => info(args, folders),
        Model::Check(args) => check_pipeline(args, folders, check),
        Model::Pack(args) => pack(args, folders),
    }
    .map_err(Failure::from)
}

/// Loads the pipeline of a folder, of a packed file, or of an installed package.
pub(super) fn load(
    path: &Path,
    selection: &Selection,
    folders: PipelineFolders<'_>,
) -> Result<LoadedPipeline> {
    loading::load(&folder(path, folders)?, &load_options(selection))
}

/// Returns the options that select components.
pub(super) fn load_options(selection: &Selection) -> LoadOptions {
    let Selection { disable, enable, exclude, numerics } = selection;
    LoadOptions {
        exclude: exclude.clone(),
        disable: disable.clone(),
        enable: enable.clone(),
        order: *numerics,
        ..lexpool_ops::load_options()
    }
}

/// Returns the folder or the packed file of a pipeline: the path itself, or that of an installed
/// one.
pub(super) fn folder(path: &Path, folders: PipelineFolders<'_>) -> Result<PathBuf> {
    if path.is_dir() || path.is_file() {
        return Ok(path.to_owned());
    }
    if let Some(found) = folders.and_then(|find| find(path)) {
        return Ok(found);
    }
    let way_out = match folders {
        Some(_) => "and no pipeline of that name is installed",
        None => "and names of installed pipelines need the Python package: pip install lexpool",
    };
    let text = format!("{} is not a folder and not a file, {way_out}", shown(path));
    Err(Error::new(ErrorKind::Io, codes::E050, text))
}

fn info(args: &ModelInfo, folders: PipelineFolders<'_>) -> Result<()> {
    let path = folder(&args.pipeline, folders)?;
    let summary = PipelineSummary::read(&path)?;
    if args.json {
        return print(format_args!("{}\n", to_json(&path, &summary)));
    }
    print(format_args!("{}", to_table(&path, &summary)))
}

fn to_table(path: &Path, summary: &PipelineSummary) -> String {
    let PipelineSummary { lang, name, version, spacy_version, license, vectors, components } =
        summary;
    let vectors = match *vectors {
        (0, _) => String::new(),
        (rows, width) => format!("{} of {width} numbers", grouped(rows)),
    };
    let rows = [
        ("language", lang),
        ("name", name),
        ("version", version),
        ("for spaCy", spacy_version),
        ("license", license),
        ("vectors", &vectors),
    ];
    let mut table = format!("{}\n", shown(path));
    for (name, value) in rows.into_iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(table, "  {name:<11}{value}");
    }
    let width = |name: fn(&ComponentSummary) -> usize| components.iter().map(name).max();
    let names = width(|it| it.name.chars().count()).unwrap_or_default();
    let factories = width(|it| it.factory.chars().count()).unwrap_or_default();
    if !components.is_empty() {
        table.push_str("  components\n");
    }
    for it in components {
        let mut notes = Vec::new();
        if it.is_disabled {
            notes.push("disabled".to_owned());
        }
        if it.labels > 0 {
            notes.push(format!("{} labels", grouped(it.labels as u64)));
        }
        if let Some(parameters) = it.parameters {
            notes.push(format!("{} parameters", grouped(parameters)));
        }
        if it.bytes > 0 {
            notes.push(megabytes(it.bytes));
        }
        notes.extend(it.architecture.clone());
        let line =
            format!("    {:<names$}  {:<factories$}  {}", it.name, it.factory, notes.join(", "));
        let _ = writeln!(table, "{}", line.trim_end());
    }
    table
}

fn to_json(path: &Path, summary: &PipelineSummary) -> Json {
    let component = |it: &ComponentSummary| {
        Json::Map(vec![
            ("name", (&*it.name).into()),
            ("factory", (&*it.factory).into()),
            ("architecture", it.architecture.as_deref().map_or(Json::Null, Json::from)),
            ("labels", it.labels.into()),
            ("parameters", it.parameters.map_or(Json::Null, Json::from)),
            ("bytes", it.bytes.into()),
            ("disabled", it.is_disabled.into()),
        ])
    };
    let (vectors, width) = summary.vectors;
    Json::Map(vec![
        ("path", (&*path.to_string_lossy()).into()),
        ("lang", (&*summary.lang).into()),
        ("name", (&*summary.name).into()),
        ("version", (&*summary.version).into()),
        ("spacy_version", (&*summary.spacy_version).into()),
        ("license", (&*summary.license).into()),
        ("vectors", vectors.into()),
        ("vectors_width", width.into()),
        ("components", Json::List(summary.components.iter().map(component).collect())),
    ])
}

fn pack(args: &ModelPack, folders: PipelineFolders<'_>) -> Result<()> {
    let files = PipelineFiles::open(&folder(&args.pipeline, folders)?)?;
    loading::pack(&files, &args.output)?;
    let written = std::fs::metadata(&args.output);
    let bytes = written.map_err(|error| Error::io("read", &args.output, error))?.len();
    if args.json {
        return print(format_args!(
            "{}\n",
            Json::Map(vec![
                ("path", (&*args.output.to_string_lossy()).into()),
                ("bytes", bytes.into()),
            ])
        ));
    }
    print(format_args!("{}: {}\n", shown(&args.output), megabytes(bytes)))
}

fn check_pipeline(args: &ModelCheck, folders: PipelineFolders<'_>, check: Check<'_>) -> Result<()> {
    let nlp = load(&args.pipeline, &args.selection, folders)?;
    for text in SAMPLES {
        check()?;
        let annotated = nlp.pipeline.annotate(Text::Owned(text.to_owned()), &AtomicBool::default());
        annotated.map_err(|failed| failed.into_error().context(format!("the text {text:?}")))?;
    }
    let components = nlp.pipeline.steps().iter().map(|step| step.name.as_str());
    if args.json {
        let warnings = nlp.warnings.iter().map(|warning| warning.as_str().into()).collect();
        return print(format_args!(
            "{}\n",
            Json::Map(vec![
                ("path", (&*args.pipeline.to_string_lossy()).into()),
                ("components", Json::List(components.map(Json::from).collect())),
                ("warnings", Json::List(warnings)),
            ])
        ));
    }
    for warning in &nlp.warnings {
        say(format_args!("lexpool: warning: {warning}"));
    }
    let names = components.collect::<Vec<_>>().join(", ");
    let names = if names.is_empty() { "no component".to_owned() } else { names };
    print(format_args!(
        "{}: lexpool runs it: {names}; {} sample texts annotated\n",
        shown(&args.pipeline),
        SAMPLES.len()
    ))
}
