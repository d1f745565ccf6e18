//! The arguments of `lexpool train`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

pub(super) const TRAIN_HELP: &str = "\
Examples:
  lexpool train config.cfg -o out --paths.train train.spacy --paths.dev dev.spacy
      Train the pipeline of config.cfg, which `lexpool init config` writes, on train.spacy, which
      `lexpool corpus convert` makes of a treebank. out/model-best is the pipeline with the best
      score: load it with spacy.load or lexpool.load, or try `lexpool evaluate out/model-best`.
  lexpool train config.cfg -o out --training.max_steps 500 --training.dropout 0.2
      Any value of the configuration may be given anew, by its section and its key.
  lexpool train config.cfg -o out --json | jq -r '[.step, .score] | @tsv'
      A line of JSON for each evaluation: `epoch` and `step`, from 0 on; `words`, which this run has
      learned from; `losses` by component, `scores` in percent and the weighted `score`.
  lexpool train config.cfg -o out --resume --paths.train train.spacy --paths.dev dev.spacy
      Go on with a training that Ctrl-C, SIGTERM or a crash has ended: to the same bits as if it had
      not ended. A training that max_steps has ended goes on with --training.max_steps 40000.

The table has the columns of `spacy train`: epoch, step, the loss of each component since the last
line, scores in percent, and the weighted score that decides. Training ends after `max_steps`, after
`max_epochs`, or when the score has not improved for `patience` steps.

Ctrl-C and SIGTERM end training after the batch at hand, and write out/model-last and out/state; a
second one ends it at once. Folders appear whole: a crash leaves those of the evaluation before. The
result has the same bits on any number of threads. --resume refuses another configuration or corpus,
with the differences; without out/state and out/model-last it begins at the first step.
What lexpool does not train (transformers, callbacks, ...) is listed, all of it, before the first
step.";

/// Arguments of `lexpool train`.
#[derive(ClapArgs)]
pub(crate) struct Train {
    /// The configuration (.cfg) of the pipeline, its corpora and its training.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    /// The folder for model-last and model-best.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Go on from the last state in OUT.
    #[arg(long)]
    pub(crate) resume: bool,
    /// The number of threads; 0 for one for each core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Print a JSON line an evaluation instead of the table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print neither the table nor progress.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
