//! Writer: from documents to lines.

use std::fmt::Write as _;
use std::io::{self, Write};

use lexpool::Result;
use lexpool::tokens::{Doc, Token};
use lexpool_structs::{AttrId, Pos};

use crate::corpus::writer::CorpusWriter;

/// Writer of documents as CoNLL-U, without ids. Memory: one piece.
///
/// ```
/// use lexpool::tokenizer::Tokenizer;
/// use lexpool_io::corpus::{ConlluWriter, CorpusWriter};
///
/// let docs = [Tokenizer::blank("en")?.tokenize("Go!")?];
/// let mut writer = ConlluWriter::new(Vec::new());
/// writer.write(ConlluWriter::<Vec<u8>>::piece(&docs)?).unwrap();
/// let lines = String::from_utf8(writer.finish().unwrap()).unwrap();
/// assert!(lines.contains("1\tGo\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct ConlluWriter<W> {
    out: W,
}

impl<W: Write> ConlluWriter<W> {
    /// Creates a writer to `out`.
    pub fn new(out: W) -> ConlluWriter<W> {
        ConlluWriter { out }
    }
}

impl<W: Write> CorpusWriter for ConlluWriter<W> {
    type Piece = Vec<u8>;
    type Sink = W;

    fn piece(docs: &[Doc]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for doc in docs {
            push_conllu(&mut out, doc, None, &[]);
        }
        Ok(out)
    }

    fn write(&mut self, piece: Vec<u8>) -> io::Result<()> {
        self.out.write_all(&piece)
    }

    fn finish(self) -> io::Result<W> {
        Ok(self.out)
    }
}

/// Appends a document: `# newdoc` with its id, if given, and its sentences with their ids, if
/// given. A document without sentence boundaries is one sentence. Whitespace tokens become
/// `SpacesAfter=` of the word before.
pub fn push_conllu(out: &mut Vec<u8>, doc: &Doc, id: Option<&str>, sent_ids: &[Option<String>]) {
    let mut lines = String::from("# newdoc");
    if let Some(id) = id {
        let _ = write!(lines, " id = {}", one_line(id));
    }
    lines.push('\n');
    let starts = (0..doc.len()).filter(|i| *i == 0 || doc.tokens()[*i].sent_start() == 1);
    let starts: Vec<_> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([doc.len()]);
    for (i, (start, end)) in starts.iter().copied().zip(ends).enumerate() {
        let words: Vec<_> = (start..end).filter_map(|i| doc.token(i)).collect();
        if let Some(id) = sent_ids.get(i).and_then(Option::as_deref) {
            let _ = writeln!(lines, "# sent_id = {}", one_line(id));
        }
        push_sentence(&mut lines, &words);
    }
    if doc.is_empty() {
        lines.push('\n');
    }
    out.extend_from_slice(lines.as_bytes());
}

fn push_sentence(lines: &mut String, tokens: &[Token<'_>]) {
    // Numbers of words; `None` for whitespace tokens.
    let mut numbers = Vec::with_capacity(tokens.len());
    let mut count = 0;
    for token in tokens {
        let is_word = !is_space(token);
        count += usize::from(is_word);
        numbers.push(is_word.then_some(count));
    }
    let text: String = tokens.iter().map(Token::text_with_ws).collect();
    let _ = writeln!(lines, "# text = {}", one_line(text.trim()));
    let first = tokens.first().map_or(0, Token::i);
    let mut before = String::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(number) = numbers[at] else {
            if count == 0 || numbers[..at].iter().all(Option::is_none) {
                before += token.text_with_ws();
            }
            continue;
        };
        let mut after = token.whitespace().to_owned();
        for space in tokens[at + 1..].iter().take_while(|token| is_space(token)) {
            after += space.text_with_ws();
        }
        let head = head_of(token, first, &numbers);
        let dep = match token.text_of(AttrId::DEP) {
            "ROOT" => "root",
            dep => dep,
        };
        let pos = token.tag_record().and_then(|record| Pos::from_number(record.pos));
        let columns = [
            number.to_string(),
            one_line(token.text()),
            one_line(token.text_of(AttrId::LEMMA)),
            pos.map_or("", Pos::name).to_owned(),
            one_line(token.text_of(AttrId::TAG)),
            one_line(token.text_of(AttrId::MORPH)),
            head.map_or(String::new(), |head| head.to_string()),
            one_line(dep),
            String::new(),
            misc(&std::mem::take(&mut before), &after),
        ];
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                lines.push('\t');
            }
            lines.push_str(if column.is_empty() { "_" } else { column });
        }
        lines.push('\n');
    }
    lines.push('\n');
}

fn is_space(token: &Token<'_>) -> bool {
    token.text().chars().all(char::is_whitespace)
}

/// Returns the number of a token's head, 0 for a root, or `None` if it has no syntax. If the head
/// is whitespace or in another sentence, continues with the head of the head.
fn head_of(token: &Token<'_>, first: usize, numbers: &[Option<usize>]) -> Option<usize> {
    token.syntax_record().filter(|record| record.dep != 0 || record.head != 0)?;
    let mut at = token.head();
    if at.i() == token.i() {
        return Some(0);
    }
    for _ in 0..numbers.len() {
        let number = at.i().checked_sub(first).and_then(|at| numbers.get(at)).copied().flatten();
        if number.is_some() {
            return number;
        }
        at = at.head();
    }
    Some(0)
}

fn misc(before: &str, after: &str) -> String {
    let mut parts = Vec::new();
    if !before.is_empty() {
        parts.push(format!("SpacesBefore={}", escaped(before)));
    }
    match after {
        "" => parts.push("SpaceAfter=No".to_owned()),
        " " => {}
        after => parts.push(format!("SpacesAfter={}", escaped(after))),
    }
    parts.join("|")
}

fn escaped(spaces: &str) -> String {
    let mut out = String::new();
    for c in spaces.chars() {
        match c {
            ' ' => out += "\\s",
            '\t' => out += "\\t",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            c => out.push(c),
        }
    }
    out
}

/// Replaces characters that would end a line or a column by spaces.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}
