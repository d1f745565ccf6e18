//! `lexpool stats`: statistics of texts, and of the speed of tokenizing them.

use std::fmt::Write;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ahash::AHashMap;
use lexpool::structs::AttrId;

use super::args::{By, Input, Stats};
use super::batch_pipeline::{BATCH_BYTES, BatchPipeline, BatchProcessor, Counts};
use super::failure::Check;
use super::figures::{Speed, grouped, megabytes, percent};
use super::json::Json;
use super::output::print;
use super::progress::Progress;
use lexpool::Result;
use lexpool::escape::is_interpreted;
use lexpool::strings::StrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool::vocab::{LexIx, Vocab};
use lexpool_io::corpus::{SourceLocation, Texts};

pub(super) fn run(args: &Stats, check: Check<'_>) -> Result<()> {
    let found = count(args, check)?;
    if args.json {
        print(format_args!("{}\n", found.to_json(args.by)))
    } else {
        print(format_args!("{}", found.to_table()))
    }
}

/// Number of occurrences of each lexeme.
pub(super) type LexemeCounts = AHashMap<LexIx, u64>;

/// Statistics of texts.
struct TextStats {
    counts: Counts,
    time: Duration,
    /// Number of distinct words.
    types: u64,
    /// The most frequent words, with their counts.
    top: Vec<(String, u64)>,
    vocab_bytes: u64,
    peak_rss_bytes: Option<u64>,
}

fn count(args: &Stats, check: Check<'_>) -> Result<TextStats> {
    let progress = Progress::new(&args.input.sources(), args.quiet)?;
    let tokenizer = Arc::new(Tokenizer::blank(&args.language.lang)?);
    let vocab = Arc::clone(tokenizer.vocab());
    let start = Instant::now();
    let (counts, totals) = count_all(&args.input, tokenizer, &progress, check)?;
    let time = start.elapsed();
    let words = count_words(&vocab, &counts, args.by);
    Ok(TextStats {
        counts: totals,
        time,
        types: words.len() as u64,
        top: most_frequent(&vocab, words, args.top),
        vocab_bytes: vocab.stats().reserved_bytes as u64,
        peak_rss_bytes: peak_rss(),
    })
}

/// Counts the lexemes of all texts.
pub(super) fn count_all(
    input: &Input,
    tokenizer: Arc<Tokenizer>,
    progress: &Progress,
    check: Check<'_>,
) -> Result<(LexemeCounts, Counts)> {
    let (mut counts, mut totals) = (LexemeCounts::new(), Counts::default());
    let make =
        Arc::new(|docs: &mut [Doc], _: &[SourceLocation], _: &AtomicBool| count_lexemes(docs));
    let pipeline = BatchPipeline {
        processor: BatchProcessor { tokenizer, make, threads: input.threads, caller_helps: true },
        batch_bytes: BATCH_BYTES,
        prompt: false,
    };
    pipeline.run(Texts::new(input.sources(), input.reading()), check, &mut |done| {
        for (lex, count) in done.piece {
            *counts.entry(lex).or_default() += count;
        }
        progress.add(done.counts.bytes);
        totals += done.counts;
        Ok(())
    })?;
    Ok((counts, totals))
}

#[expect(clippy::unnecessary_wraps, reason = "other pieces can fail to be made")]
fn count_lexemes(docs: &[Doc]) -> Result<LexemeCounts> {
    let mut counts = LexemeCounts::new();
    for token in docs.iter().flat_map(Doc::iter) {
        *counts.entry(token.lex_ix()).or_default() += 1;
    }
    Ok(counts)
}

fn count_words(vocab: &Arc<Vocab>, counts: &LexemeCounts, by: By) -> AHashMap<StrId, u64> {
    let attr = match by {
        By::Orth => AttrId::ORTH,
        By::Lower => AttrId::LOWER,
    };
    let snapshot = vocab.snapshot();
    let mut words = AHashMap::new();
    for (lex, count) in counts {
        let word = snapshot.cell(*lex).map_or(StrId::EMPTY, |cell| StrId::new(cell.attr(attr)));
        *words.entry(word).or_default() += count;
    }
    words
}

/// Returns the most frequent words; words of equal counts are in alphabetical order.
fn most_frequent(
    vocab: &Arc<Vocab>,
    words: AHashMap<StrId, u64>,
    limit: usize,
) -> Vec<(String, u64)> {
    let snapshot = vocab.snapshot();
    let mut words: Vec<_> = words
        .into_iter()
        .map(|(word, count)| (snapshot.string(word).unwrap_or_default(), count))
        .collect();
    words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    words.truncate(limit);
    words.into_iter().map(|(word, count)| (word.to_owned(), count)).collect()
}

/// Returns the peak memory of the process, or `None` if the system does not report it.
fn peak_rss() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

impl TextStats {
    fn to_table(&self) -> String {
        let mut rows = vec![
            ("documents", grouped(self.counts.documents)),
            ("tokens", grouped(self.counts.tokens)),
            ("types", grouped(self.types)),
            ("characters", grouped(self.counts.characters)),
            ("bytes", grouped(self.counts.bytes)),
            ("time", format!("{:.2} s", self.time.as_secs_f64())),
            ("speed", Speed::new(self.counts.bytes, self.time).to_string()),
            ("tokens a second", format!("{:.1} million", self.tokens_per_second() / 1e6)),
            ("vocab", megabytes(self.vocab_bytes)),
        ];
        if let Some(bytes) = self.peak_rss_bytes {
            rows.push(("peak memory", megabytes(bytes)));
        }
        let width = rows.iter().map(|(_, value)| value.len()).max().unwrap_or_default();
        let mut out = String::new();
        for (name, value) in rows {
            let _ = writeln!(out, "{name:<18}{value:>width$}");
        }
        if !self.top.is_empty() {
            let _ = writeln!(out, "\n{:>12}  {:>6}  word", "count", "share");
        }
        for (word, count) in &self.top {
            let share = percent(*count, self.counts.tokens);
            let _ = writeln!(out, "{:>12}  {share:>5.2}%  {}", grouped(*count), shown(word));
        }
        out
    }

    fn to_json(&self, by: By) -> Json {
        let word = |(word, count): &(String, u64)| {
            Json::Map(vec![("word", word.as_str().into()), ("count", (*count).into())])
        };
        let speed = Speed::new(self.counts.bytes, self.time).per_second() / 1e6;
        Json::Map(vec![
            ("documents", self.counts.documents.into()),
            ("tokens", self.counts.tokens.into()),
            ("types", self.types.into()),
            ("characters", self.counts.characters.into()),
            ("bytes", self.counts.bytes.into()),
            ("seconds", Json::Float(self.time.as_secs_f64(), 6)),
            ("megabytes_per_second", Json::Float(speed, 1)),
            ("tokens_per_second", Json::Float(self.tokens_per_second(), 0)),
            ("vocab_bytes", self.vocab_bytes.into()),
            ("peak_rss_bytes", self.peak_rss_bytes.map_or(Json::Null, Json::Integer)),
            ("by", if by == By::Orth { "orth" } else { "lower" }.into()),
            ("top", Json::List(self.top.iter().map(word).collect())),
        ])
    }

    fn tokens_per_second(&self) -> f64 {
        Speed::new(self.counts.tokens, self.time).per_second()
    }
}

/// Formats a word for a table: quoted and escaped if it has whitespace or control characters.
fn shown(word: &str) -> String {
    if word.contains(|c: char| c.is_whitespace() || is_interpreted(c)) {
        format!("{word:?}")
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_as_they_are_written_or_in_lower_case() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let docs = ["The cat, the dog", "the end"].map(|text| tokenizer.tokenize(text).unwrap());
        let counts = count_lexemes(&docs).unwrap();
        let top = |by, most| {
            most_frequent(tokenizer.vocab(), count_words(tokenizer.vocab(), &counts, by), most)
        };
        let owned = |word: &str, count| (word.to_owned(), count);
        assert_eq!(top(By::Orth, 2), [owned("the", 2), owned(",", 1)]);
        assert_eq!(top(By::Lower, 1), [owned("the", 3)]);
        assert_eq!(top(By::Lower, 9).len(), 5);
    }

    #[test]
    fn whitespace_is_shown_in_quotes() {
        assert_eq!(shown("word"), "word");
        assert_eq!(shown("\n "), r#""\n ""#);
        assert_eq!(shown("a\u{202e}b"), r#""a\u{202e}b""#);
    }
}
