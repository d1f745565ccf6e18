//! `lexpool convert`: annotated files as documents to train with.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::CommandFactory;
use clap::error::ErrorKind::InvalidValue;

use super::args::{Args, ConvertToTrain, Converter, FileType};
use super::failure::{Check, Failure};
use super::figures::grouped;
use super::json::Json;
use super::messages::say;
use super::model::{PipelineFolders, folder};
use super::output::{Output, is_stdout, print};
use super::progress::Progress;
use lexpool::config::{Section, Value};
use lexpool::escape::shown;
use lexpool::loading::{self, LoadedPipeline};
use lexpool::pipeline::{Groups, Step};
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};
use lexpool::{Error, Result, codes};
use lexpool_io::converters::{
    ColumnSettings, ConlluSettings, NerFormat, NerMap, Segmenter, TrainingDoc, conll_ner_to_docs,
    conllu_to_docs, detect_ner_format, docs_to_json, iob_to_docs, json_to_docs,
};
use lexpool_io::corpus::{AnnotatedDocBin, CorpusWriter};

pub(super) fn run(
    args: &ConvertToTrain,
    folders: PipelineFolders<'_>,
    check: Check<'_>,
) -> Result<(), Failure> {
    let usage = |text: String| Failure::Usage(Args::command().error(InvalidValue, text));
    let to_stdout = is_stdout(&args.output);
    if to_stdout && args.file_type != FileType::Json {
        let text = "a .spacy cannot go to the standard output; name a folder, or use -t json";
        return Err(usage(text.to_owned()));
    }
    let files = files(args)?;
    if to_stdout && files.len() > 1 && !args.concatenate {
        let text = format!(
            "{} files cannot go to the standard output as one; name a folder, or use --concatenate",
            files.len()
        );
        return Err(usage(text));
    }
    let converter = converter(args, &files[0]).map_err(|wrong| match wrong {
        Unknown::Ending(text) => usage(text),
        Unknown::Unreadable(error) => error.into(),
    })?;
    let conversion = Conversion::new(args, converter, folders)?;
    let progress = Progress::over(None, "", args.quiet);
    let mut all = Vec::new();
    for file in &files {
        check()?;
        let docs = conversion.convert(file)?;
        progress.add(fs::metadata(file).map_or(0, |found| found.len()));
        if args.concatenate {
            all.extend(docs);
        } else {
            conversion.write(&docs, &output_file(args, file), check)?;
        }
    }
    if args.concatenate {
        conversion.write(&all, &output_file(args, &args.input), check)?;
    }
    Ok(())
}

/// Returns the files to convert, sorted: the input, or those below it that are not hidden and end
/// as the converter's.
fn files(args: &ConvertToTrain) -> Result<Vec<PathBuf>> {
    if !args.input.is_dir() {
        // A missing file is reported when it is read.
        return Ok(vec![args.input.clone()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![args.input.clone()];
    while let Some(folder) = folders.pop() {
        let failed = |error| Error::io("read", &folder, error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                // Links could lead around in a circle.
                if !path.is_symlink() {
                    folders.push(path);
                }
            } else if endings(args.converter).is_empty()
                || endings(args.converter).iter().any(|ending| name.ends_with(ending))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    if found.is_empty() {
        let wanted = match endings(args.converter) {
            [] => "files".to_owned(),
            endings => format!("files that end in {}", endings.join(" or ")),
        };
        let text = format!("the folder {} has no {wanted}", shown(&args.input));
        return Err(Error::value(codes::FILE_FORM, text));
    }
    Ok(found)
}

/// Returns the ends of names that a converter takes from a folder; empty for all.
fn endings(converter: Converter) -> &'static [&'static str] {
    match converter {
        Converter::Auto => &[],
        Converter::Conllu => &["conllu", "conllubio"],
        Converter::Ner => &["ner", "conll", "iob"],
        Converter::Iob => &["iob", "ner"],
        Converter::Json => &["json"],
    }
}

enum Unknown {
    Ending(String),
    Unreadable(Error),
}

/// Returns the converter for the files, of which `first` is one.
fn converter(args: &ConvertToTrain, first: &Path) -> Result<Converter, Unknown> {
    let ending = |path: &Path| path.extension().and_then(OsStr::to_str).map(str::to_owned);
    let named = match (args.converter, ending(first).as_deref()) {
        (Converter::Auto, Some("conllu" | "conllubio")) => Converter::Conllu,
        (Converter::Auto, Some("conll")) => return Ok(Converter::Ner),
        (Converter::Auto, Some("ner")) => Converter::Ner,
        (Converter::Auto, Some("iob")) => Converter::Iob,
        (Converter::Auto, Some("json")) => Converter::Json,
        (Converter::Auto, _) => {
            let text = format!(
                "cannot tell the format of {} from its ending; use .conllu, .conll, .ner, .iob or \
                 .json, or name a converter (-c)",
                shown(first)
            );
            return Err(Unknown::Ending(text));
        }
        (converter, _) => return Ok(converter),
    };
    if args.input.is_dir() {
        let others = files(args).map_err(Unknown::Unreadable)?;
        if let Some(other) = others.iter().find(|file| ending(file) != ending(first)) {
            let text = format!(
                "{} and {} are of different formats; name a converter (-c)",
                shown(first),
                shown(other)
            );
            return Err(Unknown::Ending(text));
        }
    }
    if !matches!(named, Converter::Ner | Converter::Iob) {
        return Ok(named);
    }
    match detect_ner_format(&read(first).map_err(Unknown::Unreadable)?) {
        Some(NerFormat::Ner) => Ok(Converter::Ner),
        Some(NerFormat::Iob) => Ok(Converter::Iob),
        None => {
            if !args.quiet {
                say(format_args!(
                    "lexpool: warning: the first lines of {} are neither of the form `Rome B-GPE` \
                     nor of the form `Rome|B-GPE`",
                    shown(first)
                ));
            }
            Ok(named)
        }
    }
}

/// Reads a text as Python does: each end of a line becomes a line feed.
fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| Error::io("read", path, error))?;
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let text = format!("{}, line {line}: it is not UTF-8", shown(path));
        Error::value(codes::CONVERT_SYNTAX, text)
    })?;
    if text.contains('\r') {
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    // A mark of byte order would become part of the first word.
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

/// Returns the file for the documents of an input file.
fn output_file(args: &ConvertToTrain, input: &Path) -> PathBuf {
    if is_stdout(&args.output) {
        return args.output.clone();
    }
    let ending = match args.file_type {
        FileType::Spacy => "spacy",
        FileType::Json => "json",
    };
    let below = input.strip_prefix(&args.input).ok().filter(|below| below.file_name().is_some());
    let own = || match input.file_name() {
        Some(name) => Some(PathBuf::from(name)),
        None => input.canonicalize().ok()?.file_name().map(PathBuf::from),
    };
    let name = below.map(Path::to_owned).or_else(own).unwrap_or_else(|| "docs".into());
    args.output.join(name).with_extension(ending)
}

/// A converter with all that it needs.
struct Conversion<'a> {
    args: &'a ConvertToTrain,
    converter: Converter,
    ner_map: Option<NerMap>,
    model: Option<LoadedPipeline>,
    vocab: Arc<Vocab>,
}

impl<'a> Conversion<'a> {
    fn new(
        args: &'a ConvertToTrain,
        converter: Converter,
        folders: PipelineFolders<'_>,
    ) -> Result<Conversion<'a>> {
        let ner_map = args.ner_map.as_deref().map(read_map).transpose()?;
        let model = match (&args.model, converter) {
            (Some(path), Converter::Ner | Converter::Json) => {
                Some(loading::load(&folder(path, folders)?, &lexpool_ops::load_options())?)
            }
            _ => None,
        };
        let vocab = match (&model, converter) {
            (Some(model), _) => Arc::clone(model.pipeline.tokenizer().vocab()),
            (None, Converter::Ner | Converter::Json) => Vocab::new(Getters::native("xx"))?,
            // As spaCy does, so that the norms are those of the pipeline that reads the file.
            (None, _) => Vocab::new(Getters::default())?,
        };
        Ok(Conversion { args, converter, ner_map, model, vocab })
    }

    fn convert(&self, path: &Path) -> Result<Vec<TrainingDoc>> {
        let (args, vocab) = (self.args, &self.vocab);
        let text = read(path)?;
        let name = path.to_string_lossy();
        let mut notes = Vec::new();
        let plain = |docs: Vec<Doc>| {
            docs.into_iter().map(|doc| TrainingDoc { doc, cats: Vec::new() }).collect()
        };
        let docs = match self.converter {
            Converter::Json => json_to_docs(&text, &name, vocab)?,
            Converter::Iob => plain(iob_to_docs(&text, &name, vocab, args.n_sents, &mut notes)?),
            Converter::Ner => {
                let parser = self.model.as_ref().filter(|model| has_parser(model));
                let parse = parser.map(|model| move |doc: &mut Doc| parse(model, doc));
                let settings = ColumnSettings {
                    n_sents: args.n_sents,
                    seg_sents: args.seg_sents,
                    segmenter: parse.as_ref().map(|parse| parse as Segmenter<'_>),
                };
                plain(conll_ner_to_docs(&text, &name, vocab, &settings, &mut notes)?)
            }
            Converter::Conllu | Converter::Auto => {
                let settings = ConlluSettings {
                    n_sents: args.n_sents,
                    append_morphology: args.morphology,
                    merge_subtokens: args.merge_subtokens,
                    ner_map: self.ner_map.as_ref(),
                };
                plain(conllu_to_docs(&text, &name, vocab, &settings, &mut notes)?)
            }
        };
        if !args.quiet && !is_stdout(&args.output) {
            for note in &notes {
                say(format_args!("{}: {note}", shown(path)));
            }
        }
        Ok(docs)
    }

    fn write(&self, docs: &[TrainingDoc], path: &Path, check: Check<'_>) -> Result<()> {
        let args = self.args;
        if let Some(folder) = path.parent().filter(|_| !is_stdout(path)) {
            fs::create_dir_all(folder).map_err(|error| Error::io("write to", folder, error))?;
        }
        let mut output = if is_stdout(path) {
            Output::create(path, check)?
        } else {
            Output::create_part(path, check)?
        };
        let named = |error| Output::error(path, error);
        match args.file_type {
            FileType::Json => {
                let rows: Vec<_> = docs.iter().map(|own| (&own.doc, cats(own))).collect();
                let json = Value::List(vec![docs_to_json(&rows, 0, "O")?]);
                writeln!(output, "{}", json.to_indented_json()).map_err(named)?;
                output.commit()?;
            }
            FileType::Spacy => {
                let mut writer = AnnotatedDocBin::annotated(output);
                for docs in docs.chunks(AT_ONCE) {
                    check()?;
                    let rows = docs.iter().map(|own| Ok((&own.doc, own.extras()?)));
                    let rows = rows.collect::<Result<Vec<_>>>()?;
                    let piece = AnnotatedDocBin::<Output<'_>>::piece_with(rows)?;
                    writer.write(piece).map_err(named)?;
                }
                writer.finish().map_err(named)?.commit()?;
            }
        }
        let tokens: usize = docs.iter().map(|own| own.doc.len()).sum();
        if is_stdout(path) || args.quiet && !args.json {
            return Ok(());
        }
        if args.json {
            let json = Json::Map(vec![
                ("output", (&*path.to_string_lossy()).into()),
                ("documents", docs.len().into()),
                ("tokens", tokens.into()),
            ]);
            return print(format_args!("{json}\n"));
        }
        say(format_args!(
            "{}: {} documents, {} tokens",
            shown(path),
            grouped(docs.len() as u64),
            grouped(tokens as u64)
        ));
        Ok(())
    }
}

/// Number of documents that are encoded at once.
const AT_ONCE: usize = 64;

fn cats(own: &TrainingDoc) -> Vec<Value> {
    let cat = |(label, value): &(String, Value)| {
        let mut cat = Section::default();
        cat.set("label", label.as_str());
        cat.set("value", value.clone());
        Value::Section(cat)
    };
    own.cats.iter().map(cat).collect()
}

fn read_map(path: &Path) -> Result<NerMap> {
    let wrong =
        |text: String| Error::value(codes::CONVERT_JSON, format!("{}: {text}", shown(path)));
    let value = Value::from_json(&read(path)?).map_err(|error| wrong(error.to_string()))?;
    let names = value.as_section().ok_or_else(|| wrong("expected an object of strings".into()))?;
    let name = |(old, new): (&str, &Value)| {
        let new = new.as_text().ok_or_else(|| {
            wrong(format!("{old:?} is {new}; expected a string, the new name of the type"))
        })?;
        Ok((old.to_owned(), new.to_owned()))
    };
    names.iter().map(name).collect()
}

fn is_parser(step: &Step) -> bool {
    step.name == "parser"
}

fn has_parser(model: &LoadedPipeline) -> bool {
    model.pipeline.steps().iter().any(is_parser)
}

/// Sets sentence starts by the parser of a pipeline.
fn parse(model: &LoadedPipeline, doc: &mut Doc) -> Result<()> {
    let mut groups = Groups::new();
    for step in model.pipeline.steps().iter().filter(|step| is_parser(step)) {
        let parsed = step.component.apply(doc, &mut groups);
        parsed.map_err(|error| error.context(format_args!("component '{}'", step.name)))?;
    }
    Ok(())
}
