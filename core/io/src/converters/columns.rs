//! Tokens in lines, with entities in the last column, as of CoNLL-2003.

use std::sync::Arc;

use lexpool::pipeline::Sentencizer;
use lexpool::strings::chars::is_space;
use lexpool::tokens::{Annotations, Doc};
use lexpool::vocab::Vocab;
use lexpool::{Result, codes};

use super::grouping::note_groups;
use super::python_text::{File, strip, words};
use super::spans::{biluo, set_entities};

/// Sets the sentence starts of a document of words.
pub type Segmenter<'a> = &'a dyn Fn(&mut Doc) -> Result<()>;

/// Settings of [`conll_ner_to_docs`].
#[derive(Clone, Copy)]
pub struct ColumnSettings<'a> {
    /// The number of sentences of a document, unless the text marks documents; 0 for one document.
    pub n_sents: usize,
    /// `true` to find sentences if the file lacks blank lines.
    pub seg_sents: bool,
    /// Finds the sentences; `None` for punctuation.
    pub segmenter: Option<Segmenter<'a>>,
}

impl Default for ColumnSettings<'_> {
    fn default() -> Self {
        ColumnSettings { n_sents: 10, seg_sents: false, segmenter: None }
    }
}

/// Stands before a document.
const DELIMITER: &str = "-DOCSTART- -X- O O";
/// Ends a sentence.
const BLANK: &str = "\n\n";

/// Converts lines of a word, its tag, which may be missing, and others, and its entity in IOB or
/// IOB2 in the last column. A blank line ends a sentence, `-DOCSTART- -X- O O` begins a document.
///
/// `name` is that of the file, for errors; `notes` gets remarks for the user.
///
/// # Errors
///
/// `E903` for a sentence with a line of one column, `E177` for a tag other than those of IOB, each
/// with a line; those of the segmenter.
///
/// ```
/// use lexpool_io::converters::{ColumnSettings, conll_ner_to_docs};
/// use lexpool::vocab::{Getters, Vocab};
///
/// let vocab = Vocab::new(Getters::native("xx"))?;
/// let text = "In O\nNew B-GPE\nYork I-GPE\n\nWhy O\n";
/// let settings = ColumnSettings::default();
/// let docs = conll_ner_to_docs(text, "a.conll", &vocab, &settings, &mut Vec::new())?;
/// assert_eq!(docs[0].sentences().ranges()?.count(), 2);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn conll_ner_to_docs(
    text: &str,
    name: &str,
    vocab: &Arc<Vocab>,
    settings: &ColumnSettings<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Doc>> {
    let file = File(name);
    // Cutting the text inserts lines, but neither changes nor moves those with tokens.
    let rows = RowLines::of(text);
    let text = cut(text, &rows, file, vocab, settings, notes)?;
    let (mut docs, mut row) = (Vec::new(), 0);
    for part in strip(&text).split(DELIMITER).map(strip).filter(|part| !part.is_empty()) {
        docs.push(document(part, &mut row, &rows, file, vocab)?);
    }
    Ok(docs)
}

/// The number of the line of each row, a line with a word.
struct RowLines(Vec<usize>);

impl RowLines {
    fn of(text: &str) -> RowLines {
        let lines = (1..).zip(text.split('\n')).flat_map(|(line, text)| {
            let rows = text.split(DELIMITER).filter(|row| !strip(row).is_empty());
            rows.map(move |_| line)
        });
        RowLines(lines.collect())
    }

    fn line(&self, row: usize) -> usize {
        self.0.get(row).or(self.0.last()).copied().unwrap_or(1)
    }
}

/// Returns the text with marks of sentences and documents, by spaCy's rules.
fn cut(
    text: &str,
    rows: &RowLines,
    file: File<'_>,
    vocab: &Arc<Vocab>,
    settings: &ColumnSettings<'_>,
    notes: &mut Vec<String>,
) -> Result<String> {
    let ColumnSettings { mut n_sents, mut seg_sents, segmenter } = *settings;
    let (has_sents, has_docs) = (text.contains(BLANK), text.contains(DELIMITER));
    let mut note = |text: &str| notes.push(text.to_owned());
    if has_sents && seg_sents {
        note("blank lines end sentences, so -s is not used");
        seg_sents = false;
    }
    if has_docs && n_sents > 0 {
        note("the file marks its documents, so -n is not used");
        n_sents = 0;
    }
    let segmented = |n_sents: usize| segment(text, n_sents, rows, file, vocab, segmenter);
    let text = match (has_sents, has_docs) {
        (true, false) if n_sents > 0 => {
            note_groups(n_sents, notes);
            group_sents(text, n_sents)
        }
        (false, true) if seg_sents => segmented(0)?,
        (false, false) if n_sents > 0 && !seg_sents => {
            note("no blank line ends a sentence, so the file is one document (-s finds sentences)");
            text.to_owned()
        }
        // As in spaCy, sentences are found for -n 0 without -s, too.
        (false, false) => {
            note_groups(n_sents, notes);
            segmented(n_sents)?
        }
        _ => text.to_owned(),
    };
    if !text.contains(BLANK) {
        notes.push("no blank line ends a sentence; -s finds sentences".to_owned());
    }
    if !text.contains(DELIMITER) {
        notes.push("the file does not mark documents; -n makes some".to_owned());
    }
    Ok(text)
}

/// Puts the mark of a document before every `n_sents` sentences.
fn group_sents(text: &str, n_sents: usize) -> String {
    let sents: Vec<&str> = text.split(BLANK).collect();
    let docs = sents.chunks(n_sents).map(|sents| sents.join(BLANK));
    docs.flat_map(|doc| [BLANK.to_owned(), DELIMITER.to_owned(), doc]).collect()
}

/// Finds sentences, ends each with a blank line, and puts the mark of a document before every
/// `n_sents` of them, unless it is 0.
fn segment(
    text: &str,
    n_sents: usize,
    rows: &RowLines,
    file: File<'_>,
    vocab: &Arc<Vocab>,
    segmenter: Option<Segmenter<'_>>,
) -> Result<String> {
    let lines: Vec<&str> = strip(text).split('\n').collect();
    let first = |(row, line): (usize, &&'_ str)| {
        let word = words(line).next().map(|word| (word.to_owned(), true));
        word.ok_or_else(|| {
            let text = "the line is blank but for whitespace, and no other blank line ends a \
                        sentence; make it empty, with -s left out";
            file.syntax(rows.line(row.saturating_sub(1)) + 1, text)
        })
    };
    if lines == [""] {
        return Err(file.syntax(1, "the file has no tokens"));
    }
    let forms = lines.iter().enumerate().map(first).collect::<Result<Vec<_>>>()?;
    let mut doc = Doc::from_words(vocab, &forms)?.with_unknown_spaces();
    if let Some(segmenter) = segmenter {
        segmenter(&mut doc)?;
    } else {
        let sentencizer = Sentencizer::default();
        let starts = sentencizer.predict(&doc);
        sentencizer.annotate(&mut doc, &starts)?;
    }
    let (mut out, mut sents) = (Vec::new(), 0);
    for (line, token) in lines.iter().zip(doc.tokens()) {
        if token.sent_start() == 1 {
            if n_sents > 0 && sents % n_sents == 0 {
                out.push(DELIMITER);
            }
            out.push("");
            sents += 1;
        }
        out.push(line);
    }
    Ok(out.join("\n"))
}

fn document(
    part: &str,
    row: &mut usize,
    rows: &RowLines,
    file: File<'_>,
    vocab: &Arc<Vocab>,
) -> Result<Doc> {
    let (mut forms, mut tags, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut entities, begin) = (Vec::new(), rows.line(*row));
    for sent in part.split(BLANK).map(strip).filter(|sent| !sent.is_empty()) {
        let lines: Vec<Vec<&str>> = sent
            .split('\n')
            .filter(|line| !line.trim_matches(is_space).is_empty())
            .map(|line| words(line).collect())
            .collect();
        // As in spaCy, only columns that all lines of the sentence have count.
        let columns = lines.iter().map(Vec::len).min().unwrap_or_default();
        if columns < 2 {
            let short = lines.iter().position(|line| line.len() < 2).unwrap_or_default();
            let text = "there is one column; a line has a word, and its entity in the last column";
            return Err(file.invalid(codes::E903, rows.line(*row + short), text));
        }
        let iob: Vec<&str> = lines.iter().map(|line| line[columns - 1]).collect();
        let wrong = |error| {
            let bad = iob.iter().position(|tag| biluo(&[tag]).is_err()).unwrap_or_default();
            file.at(rows.line(*row + bad))(error)
        };
        entities.extend(biluo(&iob).map_err(wrong)?);
        for (i, line) in lines.iter().enumerate() {
            forms.push((line[0], true));
            tags.push(if columns > 2 { line[1] } else { "-" }.to_owned());
            starts.push(if i == 0 { 1 } else { -1 });
        }
        *row += lines.len();
    }
    let mut doc = Doc::from_words(vocab, &forms).map_err(file.at(begin))?.with_unknown_spaces();
    let annotations =
        Annotations { tags: Some(tags), sent_starts: Some(starts), ..Annotations::default() };
    doc.annotate(&annotations).map_err(file.at(begin))?;
    let entities: Vec<Option<&str>> = entities.iter().map(|tag| Some(tag.as_str())).collect();
    set_entities(&mut doc, &entities).map_err(file.at(begin))?;
    Ok(doc)
}
