//! The Rust contender of the benchmark: times one task after another on request.
//!
//! `lexpool-bench FILE` reads texts, separated by NUL, from a file, and one task per line from
//! standard input: `cold`, `warm`, `scan`, or `threads N`. For each task it prints a line with the
//! CPU time and wall-clock time in seconds, and the number of tokens (or spaces) counted. So the
//! caller can alternate between contenders in several languages.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use lexpool::tokenizer::{Text, Tokenizer};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: lexpool-bench FILE < TASKS")?;
    let all = std::fs::read_to_string(path)?;
    let texts: Vec<&str> = all.split('\0').collect();
    let warm = Tokenizer::blank("en")?;
    let mut answers = io::stdout().lock();
    for task in io::stdin().lock().lines() {
        let task = task?;
        let took = match task.split_once(' ').unwrap_or((&task, "")) {
            ("cold", "") => {
                let cold = Tokenizer::blank("en")?;
                timed(|| tokenize(&cold, &texts))?
            }
            ("warm", "") => timed(|| tokenize(&warm, &texts))?,
            ("scan", "") => timed(|| Ok(texts.iter().map(|text| spaces(text)).sum()))?,
            ("threads", number) => {
                let number = number.parse()?;
                let owned = texts.iter().map(|text| Text::Owned((*text).to_owned())).collect();
                timed(|| tokenize_all(&warm, owned, number))?
            }
            _ => return Err(format!("unknown task {task:?}").into()),
        };
        writeln!(answers, "{} {} {}", took.cpu.as_secs_f64(), took.wall.as_secs_f64(), took.count)?;
        answers.flush()?;
    }
    Ok(())
}

/// The times and the count of a task.
struct Took {
    cpu: Duration,
    wall: Duration,
    count: usize,
}

fn timed(task: impl FnOnce() -> lexpool::Result<usize>) -> lexpool::Result<Took> {
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let count = task()?;
    Ok(Took { cpu: cpu.elapsed(), wall: wall.elapsed(), count })
}

/// Counts the tokens of the texts; drops each document immediately.
fn tokenize(tokenizer: &Tokenizer, texts: &[&str]) -> lexpool::Result<usize> {
    let mut tokens = 0;
    for text in texts {
        tokens += tokenizer.tokenize(text)?.len();
    }
    Ok(tokens)
}

/// Counts the tokens of the texts; keeps all documents until the end.
fn tokenize_all(tokenizer: &Tokenizer, texts: Vec<Text>, threads: usize) -> lexpool::Result<usize> {
    let docs = tokenizer.tokenize_all(texts, threads, &AtomicBool::new(false))?;
    docs.into_iter().map(|doc| Ok(doc?.len())).sum()
}

/// Counts the spaces of a text, to measure the cost of reading its bytes once.
fn spaces(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b' ').count()
}
