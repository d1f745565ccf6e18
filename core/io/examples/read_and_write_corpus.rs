//! Reads a treebank, writes its documents to files of two formats, and reads these:
//!
//! ```sh
//! cargo run -p lexpool-io --features arrow --example read_and_write_corpus
//! ```
//!
//! A corpus file is memory-mapped: it opens in the same time for any number of documents. JSON
//! lines are for scripts and for people.

use std::error::Error;
use std::fs::File;

use lexpool::files::{AtomicFile, Links};
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool_io::corpus::{Conllu, Corpus, CorpusWriter, Jsonl, MappedWriter};

const TREEBANK: &str = "\
# newdoc id = first
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\treads\tread\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# newdoc id = second
1\tThey\tthey\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tslept\tsleep\tVERB\tVBD\t_\t0\troot\t_\t_

";

/// Writes documents to a file, which appears under its name once it is complete.
fn write<W: CorpusWriter<Sink = AtomicFile>>(
    mut writer: W,
    docs: &[Doc],
) -> Result<(), Box<dyn Error>> {
    writer.write(W::piece(docs)?)?;
    Ok(writer.finish()?.commit()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let vocab = Tokenizer::blank("en")?.vocab().clone();
    let mut docs = Vec::new();
    for gold in Conllu::new(TREEBANK.as_bytes(), "the treebank", &vocab, None) {
        docs.push(gold?.doc);
    }

    let folder = tempfile::tempdir()?;
    let [corpus, lines] = ["small.corpus", "small.jsonl"].map(|name| folder.path().join(name));
    write(MappedWriter::new(AtomicFile::create(&corpus, Links::Followed)?, &vocab)?, &docs)?;
    write(Jsonl::new(AtomicFile::create(&lines, Links::Followed)?), &docs)?;

    let corpus = Corpus::open(&corpus)?;
    println!("{} documents, {} tokens", corpus.len(), corpus.file_tokens());
    for (pos, count) in corpus.count_by(AttrId::POS, 0)? {
        println!("{count} {}", lexpool::structs::symbol_name(StrId::new(pos)).unwrap_or("?"));
    }
    for token in corpus.doc(1)?.iter() {
        println!("{} <- {}", token.text(), token.head().text());
    }
    println!("{:.40}", std::io::read_to_string(File::open(lines)?)?);
    Ok(())
}
