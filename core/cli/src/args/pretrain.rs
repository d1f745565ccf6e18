//! The arguments of `lexpool pretrain`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

pub(super) const PRETRAIN_HELP: &str = "\
Examples:
  lexpool init config -p tagger,parser config.cfg --pretraining
      A configuration with the section [pretraining], which lexpool init fill-config --pretraining
      adds to one that exists.
  lexpool pretrain config.cfg pretrained/ --paths.raw_text texts.jsonl --pretraining.max_epochs 10
      Let the shared network learn from texts without annotation: a line of texts.jsonl is a JSON
      object with \"text\". It learns to predict the characters of words that are masked, or with
      the objective spacy.PretrainVectors.v1 their vectors.
  lexpool train config.cfg -o out --initialize.init_tok2vec pretrained/model9.bin
      Train with the pretrained weights. The settings of the network must be the same.
  lexpool pretrain config.cfg pretrained/ --paths.raw_text texts.jsonl -r pretrained/model9.bin
      Go on with these weights, at epoch 10. Moments of the optimizer begin anew, as in spaCy.

FOLDER gets model0.bin, model1.bin and so on after epochs (n_save_epoch), model0.temp.bin within one
(n_save_every), model-last.bin, log.jsonl with a line for each of them, and config.cfg. They are
read by `spacy train` too. Weights have the same bits on any number of threads.

The table has the columns of `spacy pretrain`: epoch, words, the sum of all losses, its growth since
the last line, words a second. Ctrl-C and SIGTERM end after the batch at hand, with model-last.bin.";

/// Arguments of `lexpool pretrain`.
#[derive(ClapArgs)]
pub(crate) struct Pretrain {
    /// The configuration (.cfg) with the section [pretraining].
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    /// The folder for the weights.
    #[arg(value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// Go on with the weights of a file.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) resume_path: Option<PathBuf>,
    /// The first epoch with --resume-path. [default: the one behind that in the name of the file]
    #[arg(long, value_name = "N")]
    pub(crate) epoch_resume: Option<usize>,
    /// Write no model-last.bin.
    #[arg(short = 'L', long)]
    pub(crate) skip_last: bool,
    /// The number of threads; 0 for one for each core.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Print no table.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
