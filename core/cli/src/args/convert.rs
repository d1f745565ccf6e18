//! The arguments of `lexpool convert`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

pub(super) const CONVERT_HELP: &str = "\
Examples:
  lexpool convert UD_English-EWT/ corpus/ -n 10
      Treebanks (.conllu) as documents of ten sentences, to train with; a .spacy for each file.
  lexpool convert train.conll corpus/ -c ner -n 10
      Columns of words and entities, as of CoNLL-2003. A file that ends in .iob or .ner may be either
      format: its first lines tell columns (ner) from words with bars, such as Rome|B-GPE (iob).
  lexpool convert notes.ner corpus/ -s -b en_core_web_sm -n 10
      Find the sentences of a file without blank lines by the parser of a pipeline.
  lexpool convert dev.conllu corpus/ -T -m --ner-map names.json
      Merge the words of multiword tokens, append features to tags, rename types of entities:
      {\"PER\": \"PERSON\", \"MISC\": \"\"} calls persons PERSON and leaves MISC out.
  lexpool convert old.json corpus/
      The JSON that spaCy 2 trained with.
  lexpool convert dev.conllu -t json | jq '.[0].paragraphs[0].sentences | length'
      That JSON, on the standard output.

Documents equal those of `spacy convert`. For corpora with the text of a treebank, and for .jsonl and
.parquet, see `lexpool corpus convert`.";

/// Converters, by the names that spaCy gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Converter {
    /// By the ending of the name, and for .ner and .iob by the first lines.
    Auto,
    /// Treebanks in CoNLL-U, with entities in the last column.
    #[value(alias = "conllubio")]
    Conllu,
    /// Lines of a word, its tag and others, and its entity in the last column.
    #[value(alias = "conll")]
    Ner,
    /// Lines of word|tag|entity or word|entity.
    Iob,
    /// The JSON that spaCy 2 trained with.
    Json,
}

/// Formats of the output of `lexpool convert`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileType {
    /// A DocBin, which trainings read.
    Spacy,
    /// The JSON that spaCy 2 trained with.
    Json,
}

#[derive(ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command")]
pub(crate) struct ConvertToTrain {
    /// The file to convert, or a folder with files of one format.
    #[arg(value_name = "INPUT")]
    pub(crate) input: PathBuf,
    /// The folder to write into, which is made if it is missing; - for the standard output.
    #[arg(value_name = "FOLDER", default_value = "-")]
    pub(crate) output: PathBuf,
    /// The format of the output.
    #[arg(short = 't', long, value_enum, default_value_t = FileType::Spacy)]
    pub(crate) file_type: FileType,
    /// Number of sentences of a document; 0 for one document.
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    pub(crate) n_sents: usize,
    /// Find sentences in files of entities that have no blank lines.
    #[arg(short, long)]
    pub(crate) seg_sents: bool,
    /// A pipeline whose parser finds the sentences; without it, punctuation ends them.
    #[arg(short = 'b', long, alias = "base", value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,
    /// Append features to tags.
    #[arg(short, long)]
    pub(crate) morphology: bool,
    /// Merge the words of multiword tokens.
    #[arg(short = 'T', long)]
    pub(crate) merge_subtokens: bool,
    /// The converter.
    #[arg(short, long, value_enum, default_value_t = Converter::Auto)]
    pub(crate) converter: Converter,
    /// A file with a JSON object of new names of types of entities; an empty one takes them away.
    #[arg(long, value_name = "FILE")]
    pub(crate) ner_map: Option<PathBuf>,
    /// Taken for spaCy's sake; no converter needs a language.
    #[arg(short, long, value_name = "CODE", hide = true)]
    pub(crate) lang: Option<String>,
    /// Write the documents of all files into one, named after the folder.
    #[arg(short = 'C', long)]
    pub(crate) concatenate: bool,
    /// Print a summary as JSON, a line for each file.
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress, no remarks and no summary.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
