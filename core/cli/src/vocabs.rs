//! `lexpool vocab`: builds and inspects vocab files.

use std::fmt::Write;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use ahash::AHashMap;
use lexpool::structs::AttrId;

use super::args::{Vocab as Args, VocabBuild, VocabInfo};
use super::failure::Check;
use super::figures::{grouped, megabytes};
use super::json::Json;
use super::messages::say;
use super::output::{Output, print};
use super::progress::Progress;
use super::stats::{LexemeCounts, count_all};
use lexpool::Result;
use lexpool::tokenizer::Tokenizer;
use lexpool::vocab::image::{MappedVocab, VocabImageBuilder};
use lexpool::vocab::{LexIx, OpenOptions, Verify, Vocab};

pub(super) fn run(args: &Args, check: Check<'_>) -> Result<()> {
    match args {
        Args::Build(args) => build(args, check),
        Args::Info(args) => info(args),
    }
}

fn build(args: &VocabBuild, check: Check<'_>) -> Result<()> {
    let start = Instant::now();
    let progress = Progress::new(&args.input.sources(), args.quiet)?;
    let mut output = Output::create(&args.output, check)?;
    let tokenizer = Arc::new(Tokenizer::blank(&args.language.lang)?);
    let vocab = Arc::clone(tokenizer.vocab());
    let rule_words: Vec<LexIx> = vocab.positions().collect();
    let (counts, totals) = count_all(&args.input, tokenizer, &progress, check)?;
    drop(progress);
    let builder = builder(&vocab, &counts, &rule_words, args.min_count)?;
    let words = builder.words() as u64;
    let name = output.name().to_owned();
    builder.write_to(&mut |part| {
        output.write_all(part).map_err(|error| Output::error(&name, error))
    })?;
    let bytes = output.commit()?;
    if !args.quiet {
        say(format_args!(
            "{} words kept of {} in {} tokens, {}, in {:.2} s",
            grouped(words),
            grouped(counts.len() as u64),
            grouped(totals.tokens),
            megabytes(bytes),
            start.elapsed().as_secs_f64()
        ));
    }
    Ok(())
}

/// Creates a builder with the words that occur often enough, the most frequent ones first, so that
/// frequent words share pages and little of the file is in memory. The words of the rules are
/// always included, since a tokenizer needs them and a frozen vocab would reject them.
fn builder(
    vocab: &Arc<Vocab>,
    counts: &LexemeCounts,
    rule_words: &[LexIx],
    min_count: u64,
) -> Result<VocabImageBuilder> {
    let snapshot = vocab.snapshot();
    let counted: AHashMap<LexIx, u64> = rule_words
        .iter()
        .map(|ix| (*ix, 0))
        .chain(counts.iter().map(|(ix, n)| (*ix, *n)))
        .collect();
    let rules: ahash::AHashSet<LexIx> = rule_words.iter().copied().collect();
    let kept = counted.into_iter().filter(|(ix, n)| *n >= min_count || rules.contains(ix));
    let mut kept: Vec<(u64, &str, LexIx)> = kept
        .filter_map(|(ix, n)| Some((n, snapshot.string(snapshot.cell(ix)?.orth())?, ix)))
        .collect();
    kept.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let mut builder = VocabImageBuilder::new(&vocab.attrs());
    for (_, _, ix) in kept {
        builder.add_word(&snapshot, ix)?;
    }
    builder.add_norms_of(vocab)?;
    Ok(builder)
}

fn info(args: &VocabInfo) -> Result<()> {
    let verify = if args.verify { Verify::Full } else { Verify::Header };
    let image = MappedVocab::open(&args.file, &OpenOptions::new().verify(verify))?;
    let meta = image.meta()?;
    let vectors = image.vectors()?.map(|vectors| (vectors.rows().len(), vectors.rows().width()));
    let names = |attrs: &mut dyn Iterator<Item = AttrId>| -> Vec<&'static str> {
        attrs.filter_map(AttrId::name).collect()
    };
    let native = names(&mut meta.getters.native_attrs());
    let functions = names(&mut meta.getters.missing());
    let sections: Vec<_> = image.parts().collect();
    if args.json {
        let texts = |names: &[&str]| Json::List(names.iter().map(|name| (*name).into()).collect());
        let parts = sections.iter().map(|(name, range)| {
            Json::Map(vec![
                ("name", (*name).into()),
                ("start", range.start.into()),
                ("bytes", range.len().into()),
            ])
        });
        let shape = vectors.map(|(rows, width)| Json::List(vec![rows.into(), width.into()]));
        return print(format_args!(
            "{}\n",
            Json::Map(vec![
                ("bytes", image.size().into()),
                ("words", u64::from(image.words()).into()),
                ("strings", u64::from(image.strings()).into()),
                ("norms", image.norms().len().into()),
                ("analyses", image.morphs().len().into()),
                ("vectors", shape.unwrap_or(Json::Null)),
                ("lang", meta.getters.lang().into()),
                ("getters", texts(&native)),
                ("functions", texts(&functions)),
                ("sections", Json::List(parts.collect())),
                ("verified", if args.verify { "full" } else { "header" }.into()),
            ])
        ));
    }
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "{name:<18}{value}");
    };
    row("size", &megabytes(image.size() as u64));
    row("words", &grouped(image.words().into()));
    row("strings", &grouped(image.strings().into()));
    row("norms", &grouped(image.norms().len() as u64));
    row("analyses", &grouped(image.morphs().len() as u64));
    if let Some((rows, width)) = vectors {
        row("vectors", &format!("{} of {width} numbers", grouped(rows as u64)));
    }
    row("language", meta.getters.lang());
    row("getters", &native.join(" "));
    if !functions.is_empty() {
        row("functions", &format!("{} (must be passed to Vocab.open)", functions.join(" ")));
    }
    row("verified", if args.verify { "the whole file" } else { "the header only; see --verify" });
    let _ = writeln!(out, "\n{:<18}{:>14}{:>16}", "section", "start", "bytes");
    for (name, range) in sections {
        let (start, len) = (grouped(range.start as u64), grouped(range.len() as u64));
        let _ = writeln!(out, "{name:<18}{start:>14}{len:>16}");
    }
    print(format_args!("{out}"))
}
