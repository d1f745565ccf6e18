//! `lexpool match`: finds the matches of patterns in texts.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use lexpool::structs::AttrId;

use super::args::{By, Choice, Match, MatchFormat};
use super::batch_pipeline::{BATCH_BYTES, BatchPipeline, BatchProcessor, Counts};
use super::failure::Check;
use super::figures::{Speed, grouped, megabytes};
use super::highlight::Highlighter;
use super::messages::say;
use super::output::{Output, is_stdout, name_of};
use super::progress::Progress;
use lexpool::codes;
use lexpool::escape::shown;
use lexpool::matcher::{Greedy, Rule, RuleMatch, RulePattern, Ruler, TokenPattern};
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool::{Error, Result};
use lexpool_io::corpus::{SourceLocation, Texts, push_json_string};

/// Attributes that only trained pipelines set.
const NOT_IN_TEXTS: [AttrId; 5] =
    [AttrId::TAG, AttrId::POS, AttrId::MORPH, AttrId::LEMMA, AttrId::DEP];

pub(super) fn run(args: &Match, check: Check<'_>) -> Result<()> {
    let mut rules = Vec::new();
    for path in &args.patterns {
        rules.append(&mut read(path)?);
    }
    warn_of_missing_annotation(&rules);
    let sources = args.input.sources();
    let to_terminal = is_stdout(&args.output) && io::stdout().is_terminal();
    // A progress bar would overwrite the matches.
    let progress = Progress::new(&sources, args.quiet || to_terminal)?;
    let tokenizer = Arc::new(Tokenizer::blank(&args.language.lang)?);
    let finder = Finder::new(args, &rules, &tokenizer, to_terminal)?;
    let mut output = Output::create_escaped(&args.output, check)?;
    let name = output.name().to_owned();
    let (mut counts, mut matches) = (Counts::default(), 0);
    let start = Instant::now();
    let make = Arc::new(move |docs: &mut [Doc], locations: &[SourceLocation], _: &AtomicBool| {
        finder.lines(docs, locations)
    });
    let threads = args.input.threads;
    let processor = BatchProcessor { tokenizer, make, threads, caller_helps: true };
    let pipeline =
        BatchPipeline { processor, batch_bytes: BATCH_BYTES, prompt: is_stdout(&args.output) };
    pipeline.run(Texts::new(sources, args.input.reading()), check, &mut |done| {
        output.write_all(&done.piece.lines).map_err(|error| Output::error(&name, error))?;
        progress.add(done.counts.bytes);
        counts += done.counts;
        matches += done.piece.matches;
        Ok(())
    })?;
    output.commit()?;
    drop(progress);
    if !args.quiet {
        say(format_args!("{}", summary(&args.output, matches, &counts, start.elapsed())));
    }
    Ok(())
}

/// Formatted matches, and their number.
struct MatchLines {
    lines: Vec<u8>,
    matches: u64,
}

/// Finds and formats the matches of documents; shared by all threads.
struct Finder {
    ruler: Ruler,
    greedy: Option<Greedy>,
    /// `None` for JSON.
    text: Option<Highlighter>,
}

impl Finder {
    fn new(
        args: &Match,
        rules: &[Rule],
        tokenizer: &Tokenizer,
        to_terminal: bool,
    ) -> Result<Finder> {
        let attr = match args.by {
            By::Orth => AttrId::ORTH,
            By::Lower => AttrId::LOWER,
        };
        let format = match args.format {
            None if to_terminal => MatchFormat::Text,
            None => MatchFormat::Jsonl,
            Some(format) => format,
        };
        let labels = rules.iter().map(|rule| rule.label.as_str());
        let text = (format == MatchFormat::Text).then(|| Highlighter::new(labels, to_terminal));
        let greedy = args.greedy.map(|choice| match choice {
            Choice::First => Greedy::First,
            Choice::Longest => Greedy::Longest,
        });
        Ok(Finder { ruler: Ruler::new(rules, tokenizer, attr)?, greedy, text })
    }

    fn lines(&self, docs: &[Doc], locations: &[SourceLocation]) -> Result<MatchLines> {
        let mut lines = Vec::new();
        let mut matches = 0;
        for (doc, place) in docs.iter().zip(locations) {
            let found = self.ruler.find(doc, self.greedy).map_err(|error| error.context(place))?;
            matches += found.len() as u64;
            match &self.text {
                Some(highlighter) => highlighter.push(&mut lines, doc, place, &found)?,
                None => {
                    for found in found {
                        push_json(&mut lines, doc, place, &found)?;
                    }
                }
            }
        }
        Ok(MatchLines { lines, matches })
    }
}

fn push_json(
    out: &mut Vec<u8>,
    doc: &Doc,
    place: &SourceLocation,
    found: &RuleMatch<'_>,
) -> Result<()> {
    let span = doc.span(found.tokens.start, found.tokens.end)?;
    out.extend_from_slice(b"{\"file\":");
    push_json_string(out, place.file());
    out.extend_from_slice(b",\"line\":");
    match place.line() {
        Some(line) => out.extend_from_slice(line.to_string().as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"label\":");
    push_json_string(out, found.label);
    out.extend_from_slice(b",\"id\":");
    match found.id {
        Some(id) => push_json_string(out, id),
        None => out.extend_from_slice(b"null"),
    }
    let numbers = format!(
        ",\"start\":{},\"end\":{},\"start_char\":{},\"end_char\":{},\"text\":",
        found.tokens.start,
        found.tokens.end,
        span.start_char(),
        span.end_char()
    );
    out.extend_from_slice(numbers.as_bytes());
    push_json_string(out, span.text());
    out.extend_from_slice(b"}\n");
    Ok(())
}

/// Reads the rules of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Rule>> {
    let lines = fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    let named = |error: Error| error.context(shown(path));
    let rules = Rule::read_jsonl(&lines).map_err(|faults| named(faults.into()))?;
    if rules.is_empty() {
        return Err(named(Error::value(codes::NO_PATTERNS, "the file has no patterns")));
    }
    Ok(rules)
}

/// Warns about attributes in patterns that tokenized texts do not have.
pub(super) fn warn_of_missing_annotation(rules: &[Rule]) {
    let patterns = rules.iter().filter_map(|rule| match &rule.pattern {
        RulePattern::Tokens(pattern) => Some(pattern),
        RulePattern::Phrase(_) => None,
    });
    let mut attrs: Vec<_> = patterns.flat_map(TokenPattern::attrs).collect();
    attrs.retain(|attr| NOT_IN_TEXTS.contains(attr));
    attrs.sort_unstable();
    attrs.dedup();
    let names: Vec<_> = attrs.iter().filter_map(|attr| attr.name()).collect();
    if !names.is_empty() {
        say(format_args!(
            "lexpool: the patterns use {}, which {} empty in texts without annotation",
            names.join(", "),
            if names.len() == 1 { "is" } else { "are" }
        ));
    }
}

fn summary(output: &Path, matches: u64, counts: &Counts, time: Duration) -> String {
    format!(
        "{}: {} matches in {} documents, {} tokens from {} in {:.2} s ({})",
        name_of(output),
        grouped(matches),
        grouped(counts.documents),
        grouped(counts.tokens),
        megabytes(counts.bytes),
        time.as_secs_f64(),
        Speed::new(counts.bytes, time)
    )
}
