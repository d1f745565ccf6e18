//! Sentences of words with their tags between bars: `London|NNP|B-GPE` or `London|B-GPE`.

use std::sync::Arc;

use lexpool::tokens::{Annotations, Doc};
use lexpool::vocab::Vocab;
use lexpool::{Result, codes};

use super::grouping::note_groups;
use super::python_text::{File, strip, words};
use super::spans::{biluo, set_entities};

/// Converts sentences, one a line, of words with entities in IOB or IOB2, and with tags if the
/// first word of a line has them.
///
/// A document has `n_sents` lines, blank ones included, or all for 0. As in spaCy, blank lines
/// alone make a document without tokens. `name` is that of the file, for errors; `notes` gets
/// remarks for the user.
///
/// # Errors
///
/// `E902` for a word without a tag, `E177` for a tag other than those of IOB, each with its line.
///
/// ```
/// use lexpool_io::converters::iob_to_docs;
/// use lexpool::vocab::{Getters, Vocab};
///
/// let vocab = Vocab::new(Getters::native("xx"))?;
/// let docs = iob_to_docs("In|O New|B-GPE York|I-GPE", "a.iob", &vocab, 10, &mut Vec::new())?;
/// assert_eq!(docs[0].entities().spans()?[0].start, 1);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn iob_to_docs(
    text: &str,
    name: &str,
    vocab: &Arc<Vocab>,
    n_sents: usize,
    notes: &mut Vec<String>,
) -> Result<Vec<Doc>> {
    note_groups(n_sents, notes);
    let lines: Vec<(usize, &str)> = (1..).zip(text.split('\n')).collect();
    let group = if n_sents == 0 { lines.len() } else { n_sents };
    lines.chunks(group).map(|lines| document(lines, File(name), vocab)).collect()
}

fn document(lines: &[(usize, &str)], file: File<'_>, vocab: &Arc<Vocab>) -> Result<Doc> {
    let (mut forms, mut tags, mut entities) = (Vec::new(), Vec::new(), Vec::new());
    let mut starts = Vec::new();
    for (line, text) in lines.iter().filter(|(_, text)| !strip(text).is_empty()) {
        let mut iob = Vec::new();
        let mut columns = 0;
        for (at, word) in words(text).enumerate() {
            let parts: Vec<&str> = word.split('|').collect();
            if at == 0 {
                columns = parts.len();
            }
            if !matches!(columns, 2 | 3) || parts.len() < columns {
                let text = format!(
                    "{word:?} is not of the form word|IOB or word|tag|IOB, such as Rome|B-GPE; a \
                     line has one of both forms"
                );
                return Err(file.invalid(codes::E902, *line, text));
            }
            forms.push((parts[0], true));
            tags.push(if columns == 3 { parts[1] } else { "-" }.to_owned());
            iob.push(parts[columns - 1]);
            starts.push(if at == 0 { 1 } else { -1 });
        }
        entities.push((*line, iob));
    }
    let first = lines.first().map_or(1, |(line, _)| *line);
    let mut doc = Doc::from_words(vocab, &forms).map_err(file.at(first))?.with_unknown_spaces();
    let annotations =
        Annotations { tags: Some(tags), sent_starts: Some(starts), ..Annotations::default() };
    doc.annotate(&annotations).map_err(file.at(first))?;
    let biluo = across_sentences(&entities, file)?;
    let biluo: Vec<Option<&str>> = biluo.iter().map(|tag| Some(tag.as_str())).collect();
    set_entities(&mut doc, &biluo).map_err(file.at(first))?;
    Ok(doc)
}

/// Returns the BILUO tags of a document. As in spaCy, an entity may go on in the next sentence.
fn across_sentences(sentences: &[(usize, Vec<&str>)], file: File<'_>) -> Result<Vec<String>> {
    let all: Vec<&str> = sentences.iter().flat_map(|(_, tags)| tags.iter().copied()).collect();
    biluo(&all).map_err(|error| {
        // The line of the first sentence that is invalid by itself, if any.
        let wrong = sentences.iter().find(|(_, tags)| biluo(tags).is_err());
        file.at(wrong.or(sentences.first()).map_or(1, |(line, _)| *line))(error)
    })
}
