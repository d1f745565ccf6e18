//! Measures transitions per second over the sentences of a treebank: the best of many rounds, in
//! millions, on one thread and on two, by wall-clock time and by CPU time.
//!
//! `cargo run --release -p lexpool-bench --example transitions -- FILE.conllu... [ROUNDS]`
//!
//! - `oracle`: computes all costs at each step, and applies the first class of least cost.
//! - `scored`: computes features, takes a row of scores, and applies the best valid class.
//! - `replayed`: validates and applies known classes, which measures the states alone.
//! - `beam 4`: `scored` with four parses at a time; a step of each parse counts as one transition.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use cpu_time::ProcessTime;
use lexpool::projective::projectivize;
use lexpool::strings::StrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool::transition::arc_eager::LabelCounts;
use lexpool::transition::oracle::Oracle;
use lexpool::transition::{
    ArcEager, ArcEagerGold, Batching, FnScorer, ParseState, TokenFacts, TransitionSystem, batch,
    beam, token_facts,
};
use lexpool_io::corpus::Conllu;

type Sentence = (Arc<[TokenFacts]>, ArcEagerGold);

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let rounds = paths.last().and_then(|last| last.parse().ok());
    if rounds.is_some() {
        paths.pop();
    }
    if paths.is_empty() {
        return Err("usage: transitions FILE.conllu... [ROUNDS]".into());
    }
    let (moves, sentences) = read(&paths)?;
    let rounds = rounds.unwrap_or(30);
    let classes = moves.actions().len();
    let tokens: usize = sentences.iter().map(|(_, gold)| gold.len()).sum();
    println!("{} sentences, {tokens} tokens, {classes} classes", sentences.len());

    let golds: Vec<ArcEagerGold> = sentences.iter().map(|(_, gold)| gold.clone()).collect();
    let known = batch::oracle_sequences(&moves, &mut fresh(&sentences)?, &golds, alone())?;
    // Rows of scores, selected by the features: the cost of a model is not measured here.
    let table: Vec<f32> = (0..classes * 64).map(noise).collect();
    let scorer = FnScorer::new(8, |features: &[i32], scores: &mut Vec<f32>| {
        for (ids, row) in features.chunks_exact(8).zip(scores.chunks_exact_mut(classes)) {
            let pick = ids.iter().fold(0_i32, |all, id| all.wrapping_mul(31).wrapping_add(*id));
            let pick = usize::try_from(pick & 63).unwrap_or(0) * classes;
            row.copy_from_slice(&table[pick..pick + classes]);
        }
        Ok(())
    });
    for threads in [1, 2] {
        let batching = Batching { threads, ..alone() };
        row("oracle", threads, rounds, &sentences, |states| {
            batch::parse_by(&moves, states, batching, || {
                let mut oracle = Oracle::new(&moves);
                let golds = &golds;
                move |at, state| oracle.next(state, &golds[at])
            })
        })?;
        row("scored", threads, rounds, &sentences, |states| {
            batch::parse(&moves, states, &scorer, batching)
        })?;
        row("replayed", threads, rounds, &sentences, |states| {
            batch::parse_by(&moves, states, batching, || {
                let known = &known;
                let (mut last, mut step) = (usize::MAX, 0);
                move |at, _| {
                    step = if at == last { step + 1 } else { 0 };
                    last = at;
                    Ok(known[at][step])
                }
            })
        })?;
        row("beam 4", threads, rounds.min(5), &sentences, |states| {
            let beams = beam::parse(&moves, states, &scorer, 4, 0.0, batching)?;
            Ok(beams
                .iter()
                .map(|beam| (0..beam.len()).map(|i| beam.history(i).len()).sum::<usize>())
                .sum())
        })?;
    }
    Ok(())
}

fn alone() -> Batching {
    Batching::default()
}

/// Reads sentences with gold trees; returns a transition system with their labels, and the
/// sentences.
fn read(paths: &[String]) -> Result<(ArcEager, Vec<Sentence>), Box<dyn Error>> {
    let vocab = Arc::clone(Tokenizer::blank("en")?.vocab());
    let mut docs: Vec<Doc> = Vec::new();
    for path in paths {
        for gold in Conllu::open(Path::new(path), &vocab, Some(1))? {
            docs.push(gold?.doc);
        }
    }
    let mut trees = Vec::new();
    let mut counts = LabelCounts::new(&[], &[]);
    for doc in &docs {
        let syntax = doc.syntax_records().unwrap_or_default();
        let heads: Vec<_> = syntax
            .iter()
            .enumerate()
            .map(|(at, record)| at.checked_add_signed(isize::try_from(record.head).ok()?))
            .collect();
        let labels: Vec<_> = syntax
            .iter()
            .map(|record| {
                doc.snapshot().string(StrId::new(record.dep)).unwrap_or_default().to_owned()
            })
            .collect();
        let heads = projectivize(&heads)?;
        let shown: Vec<_> = labels.iter().map(|label| Some(&**label)).collect();
        counts.count(&heads, &shown)?;
        trees.push((heads, labels));
    }
    let mut moves = ArcEager::new();
    moves.actions_mut().initialize(counts.finish(None, false))?;
    let mut sentences = Vec::new();
    for (doc, (heads, labels)) in docs.iter().zip(trees) {
        let mut facts = token_facts(doc).to_vec();
        for fact in &mut facts {
            fact.sent_start = 0;
        }
        let labels: Vec<_> = labels.iter().map(|label| Some(StrId::of(label))).collect();
        let starts: Vec<_> = (0..heads.len()).map(|at| Some(at == 0)).collect();
        sentences.push((facts.into(), moves.gold(&heads, &labels, &starts)?));
    }
    Ok((moves, sentences))
}

fn fresh(sentences: &[Sentence]) -> lexpool::Result<Vec<ParseState>> {
    sentences.iter().map(|(facts, _)| ParseState::new(Arc::clone(facts), 0)).collect()
}

/// Returns pseudorandom numbers between 0 and 1.
fn noise(at: usize) -> f32 {
    let mixed = u32::try_from(at & 0xffff).unwrap_or(0).wrapping_mul(2_654_435_761) >> 16;
    f32::from(u16::try_from(mixed).unwrap_or(0)) / 65536.0
}

/// Measures and prints a row. Only parsing is timed; states are made before.
fn row(
    name: &str,
    threads: usize,
    rounds: usize,
    sentences: &[Sentence],
    parse: impl Fn(&mut [ParseState]) -> lexpool::Result<usize>,
) -> lexpool::Result<()> {
    let (mut wall, mut cpu, mut steps) = (f64::MAX, f64::MAX, 0);
    for _ in 0..rounds {
        let mut states = fresh(sentences)?;
        let (start, cpu_start) = (Instant::now(), ProcessTime::now());
        steps = parse(&mut states)?;
        wall = wall.min(start.elapsed().as_secs_f64());
        cpu = cpu.min(cpu_start.elapsed().as_secs_f64());
    }
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let millions = |seconds: f64| steps as f64 / seconds / 1e6;
    let (wall, cpu) = (millions(wall), millions(cpu));
    println!(
        "{name:<9}{threads} threads {steps:>8} steps {wall:>7.2} million a second {cpu:>7.2} of processors"
    );
    Ok(())
}
