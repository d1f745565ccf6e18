//! The arguments of `lexpool train`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

pub(super) const TRAIN_HELP: &str = "\
Examples:
  lexpool train config.cfg -o out --paths.train train.spacy --paths.dev dev.spacy
      Train the pipeline of config.cfg, which `lexpool init config` writes, on train.spacy, which
      `lexpool corpus convert` makes of a treebank. out/model-best is the pipeline with the best
      score: load it with spacy.load or lexpool.load, or try `lexpool evaluate out/model-best`.
  lexpool train config.cfg -o out --training.max_steps 500 --training.dropout 0.2
      Any value of the configuration may be given anew, by its section and its key.
  lexpool train config.cfg -o out --json | jq -r 'select(.step) | [.step, .score] | @tsv'
      A line of JSON for each evaluation: `epoch` and `step`, from 0 on; `words`, which this run has
      learned from; `losses` by component, `scores` in percent and the weighted `score`. The line
      before them has `memory`: the bytes that the training needs, by purpose.
  lexpool train config.cfg -o out --resume --paths.train train.spacy --paths.dev dev.spacy
      Go on with a training that Ctrl-C, SIGTERM or a crash has ended: to the same bits as if it had
      not ended. A training that max_steps has ended goes on with --training.max_steps 40000.
  lexpool train config.cfg -o out --code functions.py
      With functions that functions.py registers (lexpool.training.callback) and config.cfg names:
      [training.before_update]
      @callbacks = \"my_callback.v1\"
  lexpool train config.cfg -o out --resume=weights --training.optimizer.learn_rate 0.0001
      Begin anew with the weights of out/model-last: steps, schedules and the optimizer start at 0,
      so that settings and corpora may be other ones. Components, labels and sizes must be the same.

The table has the columns of `spacy train`: epoch, step, the loss of each component since the last
line, scores in percent, and the weighted score that decides. Training ends after `max_steps`, after
`max_epochs`, or when the score has not improved for `patience` steps.

Ctrl-C and SIGTERM end training after the batch at hand, and write out/model-last and out/state; a
second one ends it at once. Folders appear whole: a crash leaves those of the evaluation before. The
result has the same bits on any number of threads. --resume refuses another configuration or corpus,
with the differences; without out/state and out/model-last it begins at the first step.
A training that would need more memory than --memory is refused before the first step, with what to
set. What lexpool does not train (transformers, ...) is listed, all of it, before the first step.

A configuration that names functions of Python (callbacks, and loggers and readers of corpora of your
own), and one with --code, is trained in Python: on one thread for each core, without out/state, so
that --resume, --threads and --memory are refused. The program of Rust alone refuses such functions.";

/// The part of an earlier training that `--resume` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Resume {
    /// All of it.
    State,
    /// The weights of the last pipeline.
    Weights,
}

/// Arguments of `lexpool train`.
#[derive(ClapArgs, Debug)]
pub struct Train {
    /// The configuration (.cfg) of the pipeline, its corpora and its training.
    #[arg(value_name = "CONFIG")]
    pub config: PathBuf,
    /// The folder for model-last and model-best.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Go on from the last state in OUT, or take only the weights of model-last there and begin at
    /// the first step.
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "state"
    )]
    pub resume: Option<Resume>,
    /// A module in Python to import first, with functions and components of your own: training runs
    /// in Python then.
    #[arg(short, long, value_name = "FILE")]
    pub code: Option<PathBuf>,
    /// The number of threads; 0 for one for each core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Refuse to train with more memory, such as 8GB or 512MB; by default 80 % of what is free, or
    /// of the limit of the control group.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,
    /// Print JSON lines instead of the table: the plan of memory, then a line an evaluation.
    #[arg(long)]
    pub json: bool,
    /// Print neither the table nor progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Reads a number of bytes: "8GB", "1.5 GiB", "4096".
fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 9] = [
        ("", 1.0),
        ("B", 1.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KIB", 1024.0),
        ("MIB", 1024.0 * 1024.0),
        ("GIB", 1024.0 * 1024.0 * 1024.0),
    ];
    let text = text.trim().to_uppercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (text[..end].parse::<f64>(), text[end..].trim());
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let bytes = number.ok().zip(factor).map(|(number, factor)| number * factor);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1")]
    let whole = bytes.filter(|bytes| *bytes >= 1.0).map(|bytes| bytes as u64);
    whole.ok_or_else(|| "expected a number with a unit, such as 8GB, 512MB or 1.5GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_units_of_thousands_or_of_1024() {
        for (text, expected) in [
            ("4096", 4096),
            ("8GB", 8_000_000_000),
            ("1.5 GiB", 1_610_612_736),
            ("512mb", 512_000_000),
            ("2KiB", 2048),
        ] {
            assert_eq!(size(text), Ok(expected), "{text}");
        }
        for text in ["", "0", "-1", "8 apples", "GB", "1.2.3", "0.2"] {
            assert!(size(text).is_err(), "{text:?}");
        }
    }
}
