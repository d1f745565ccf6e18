//! Measures how the Rust API scales: tokenizing of many texts and a matcher over many documents, on
//! numbers of threads that standard input asks for.
//!
//! `scaling TEXTS PATTERNS` reads texts, separated by NUL, and token patterns in JSON, one per
//! line; then one task per line: `stream N`, which drops each document when it is its turn,
//! `tokenize N`, which keeps all of them until the end, or `match N`, each also with `-new`, for N
//! threads. `-new` begins with an empty vocab, or with a matcher that has searched nothing. For
//! each task it prints a line: seconds on the wall clock, the part of them that the calling thread
//! spends on results, which it counts and drops, seconds of the processor, and the count.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use lexpool::matcher::Matcher;
use lexpool::pipeline::{AnnotationResult, Pipeline};
use lexpool::threads::{Job, Progress};
use lexpool::tokenizer::{Text, Tokenizer};

/// Texts in a batch of a stream, of which two are under way.
const BATCH: usize = 1_000;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let usage = "usage: scaling TEXTS PATTERNS < TASKS";
    let mut paths = std::env::args_os().skip(1);
    let texts = fs::read_to_string(paths.next().ok_or(usage)?)?;
    let texts: Vec<&str> = texts.split('\0').collect();
    let patterns = fs::read_to_string(paths.next().ok_or(usage)?)?;
    let tokenizer = Arc::new(Tokenizer::blank("en")?);
    let docs: Vec<_> =
        texts.iter().map(|text| tokenizer.tokenize(text)).collect::<lexpool::Result<_>>()?;
    let searched: Vec<_> = docs.iter().map(|doc| (doc, 0..doc.len())).collect();
    let matcher = matcher_of(&patterns)?;
    let mut answers = io::stdout().lock();
    for task in io::stdin().lock().lines() {
        let task = task?;
        let (name, threads) = task.split_once(' ').ok_or("expected a task and threads")?;
        let threads = threads.parse()?;
        let owned = || texts.iter().map(|text| Text::Owned((*text).to_owned())).collect();
        let took = match name {
            "tokenize" => tokenize(&tokenizer, owned(), threads)?,
            "tokenize-new" => tokenize(&Tokenizer::blank("en")?, owned(), threads)?,
            "stream" => stream(&tokenizer, owned(), threads)?,
            "stream-new" => stream(&Arc::new(Tokenizer::blank("en")?), owned(), threads)?,
            "match" => timed(|| matcher.find_all(&searched, threads), |found| Ok(found.len()))?,
            "match-new" => {
                let matcher = matcher_of(&patterns)?;
                timed(|| matcher.find_all(&searched, threads), |found| Ok(found.len()))?
            }
            _ => return Err(format!("unknown task {task:?}").into()),
        };
        let [wall, alone, cpu] = [took.wall, took.alone, took.cpu].map(|time| time.as_secs_f64());
        writeln!(answers, "{wall} {alone} {cpu} {}", took.count)?;
        answers.flush()?;
    }
    Ok(())
}

fn matcher_of(patterns: &str) -> lexpool::Result<Matcher> {
    let rules = patterns.lines().enumerate();
    rules
        .fold(Matcher::builder(), |rules, (number, tokens)| {
            rules.json(&format!("key{number}"), tokens)
        })
        .build()
}

/// Takes a stream of texts through the tokenizer, as `nlp.pipe` does in Python.
fn stream(tokenizer: &Arc<Tokenizer>, texts: Vec<Text>, threads: usize) -> lexpool::Result<Took> {
    let pipeline = Pipeline::new(Arc::clone(tokenizer), Vec::new());
    let (cpu, start) = (ProcessTime::now(), Instant::now());
    let (mut count, mut alone) = (0, Duration::ZERO);
    let mut drop_group = |docs: Vec<AnnotationResult>| -> lexpool::Result<()> {
        let begun = Instant::now();
        for made in docs {
            count += made.map_err(|failed| failed.into_error())?.doc.len();
        }
        alone += begun.elapsed();
        Ok(())
    };
    let mut texts = texts.into_iter();
    if threads == 1 {
        let mut texts = texts.peekable();
        while texts.peek().is_some() {
            drop_group(pipeline.annotate_next(&mut texts, &AtomicBool::new(false)))?;
        }
    } else {
        let mut submit = || -> lexpool::Result<Option<Job<_>>> {
            let batch: Vec<_> = texts.by_ref().take(BATCH).collect();
            (!batch.is_empty()).then(|| pipeline.submit(batch, threads)).transpose()
        };
        let mut front = submit()?;
        while let Some(mut job) = front {
            let next = submit()?;
            while let Some(docs) = next_group(&mut job, next.as_ref())? {
                drop_group(docs)?;
            }
            front = next;
        }
    }
    Ok(Took { wall: start.elapsed(), alone, cpu: cpu.elapsed(), count })
}

/// Returns the next result of a job, and works on it or on the next job until it is there.
fn next_group<T: Send + 'static>(
    job: &mut Job<T>,
    next: Option<&Job<T>>,
) -> lexpool::Result<Option<T>> {
    let mut time = Duration::ZERO;
    loop {
        match job.next(time)? {
            Progress::Done(result) => return Ok(Some(result)),
            Progress::Ended => return Ok(None),
            Progress::Working => {}
        }
        let helped = job.help()? || next.map_or(Ok(false), Job::help)?;
        time = if helped { Duration::ZERO } else { Duration::from_millis(50) };
    }
}

fn tokenize(tokenizer: &Tokenizer, texts: Vec<Text>, threads: usize) -> lexpool::Result<Took> {
    timed(
        || tokenizer.tokenize_all(texts, threads, &AtomicBool::new(false)),
        |docs| docs.into_iter().map(|doc| Ok(doc?.len())).sum(),
    )
}

/// The times and the count of a task.
struct Took {
    wall: Duration,
    alone: Duration,
    cpu: Duration,
    count: usize,
}

/// Times work on threads, and what the calling thread does with the result, which it drops.
fn timed<T>(
    work: impl FnOnce() -> lexpool::Result<T>,
    finish: impl FnOnce(T) -> lexpool::Result<usize>,
) -> lexpool::Result<Took> {
    let (cpu, start) = (ProcessTime::now(), Instant::now());
    let result = work()?;
    let ended = Instant::now();
    let count = finish(result)?;
    Ok(Took { wall: start.elapsed(), alone: ended.elapsed(), cpu: cpu.elapsed(), count })
}
