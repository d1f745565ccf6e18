//! From lines to documents.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use lexpool_structs::{AttrId, Pos};

use super::fields::{Fault, Line};
use super::sentence::{Sentence, Spaces, Word};
use crate::escape::one_line;
use crate::tokens::{Annotations, Doc};
use crate::vocab::Vocab;
use crate::{Error, Result};

/// A document of a treebank.
#[derive(Debug)]
pub struct Gold {
    /// The document.
    pub doc: Doc,
    /// What `# newdoc id = ` says.
    pub id: Option<String>,
    /// What `# sent_id = ` says of each sentence.
    pub sent_ids: Vec<Option<String>>,
}

/// The documents of a file in CoNLL-U, one after the other; after an error there are none. Memory:
/// one document.
///
/// ```
/// use lexpool::corpus::Conllu;
/// use lexpool::tokenizer::Tokenizer;
/// let vocab = Tokenizer::blank("en")?.vocab().clone();
/// let file = "# text = Go!\n\
///     1\tGo\tgo\tVERB\tVB\tMood=Imp\t0\troot\t_\tSpaceAfter=No\n\
///     2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n";
/// let gold = Conllu::new(file.as_bytes(), "go.conllu", &vocab, None).next().unwrap()?;
/// assert_eq!(gold.doc.text(), "Go! ");
/// assert_eq!(gold.doc.token(1).unwrap().head().text(), "Go");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Conllu {
    input: Box<dyn BufRead + Send>,
    name: String,
    line: u64,
    vocab: Arc<Vocab>,
    /// So many sentences make a document; without a number `# newdoc` says.
    sentences: Option<usize>,
    /// The sentence that was read and belongs to the next document.
    next: Option<Sentence>,
    /// Whether a document was said to begin.
    has_docs: bool,
    is_over: bool,
}

/// A line may be so long, in bytes.
const LONGEST_LINE: u64 = 16 << 20;

impl Conllu {
    /// Reads from an input whose name is for errors. Documents are made of so many sentences, or of
    /// what `# newdoc` says.
    pub fn new(
        input: impl Read + Send + 'static,
        name: &str,
        vocab: &Arc<Vocab>,
        sentences: Option<usize>,
    ) -> Conllu {
        Conllu {
            input: Box::new(BufReader::with_capacity(256 << 10, input)),
            name: name.to_owned(),
            line: 0,
            vocab: Arc::clone(vocab),
            sentences: sentences.map(|count| count.max(1)),
            next: None,
            has_docs: false,
            is_over: false,
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// `file-not-found` and others of the system.
    pub fn open(path: &Path, vocab: &Arc<Vocab>, sentences: Option<usize>) -> Result<Conllu> {
        let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
        Ok(Conllu::new(file, &path.to_string_lossy(), vocab, sentences))
    }

    fn document(&mut self) -> Result<Option<Gold>> {
        let Some(first) = self.sentence()? else { return Ok(None) };
        self.has_docs |= first.begins_doc;
        let id = first.doc_id.clone();
        let mut sentences = vec![first];
        loop {
            let is_full = match self.sentences {
                Some(most) => sentences.len() >= most,
                None => !self.has_docs,
            };
            if is_full {
                break;
            }
            match self.sentence()? {
                None => break,
                Some(sentence) if sentence.begins_doc => {
                    self.next = Some(sentence);
                    break;
                }
                Some(sentence) => sentences.push(sentence),
            }
        }
        let line = sentences[0].line;
        let doc = make(&self.vocab, &sentences);
        let doc = doc.map_err(|error| {
            error.context(format_args!("{}, line {line}", one_line(&self.name)))
        })?;
        let sent_ids = sentences.into_iter().map(|sentence| sentence.id).collect();
        Ok(Some(Gold { doc, id, sent_ids }))
    }

    /// The next sentence that has words.
    fn sentence(&mut self) -> Result<Option<Sentence>> {
        if self.next.is_some() {
            return Ok(self.next.take());
        }
        let (mut sentence, mut lines) = (Sentence::default(), Vec::new());
        loop {
            let line = self.read_line()?;
            if let Some(line) = line.as_deref().filter(|line| !line.trim().is_empty()) {
                if sentence.line == 0 {
                    sentence.line = self.line;
                }
                if let Some(comment) = line.strip_prefix('#') {
                    sentence.comment(comment);
                } else {
                    let pushed = Line::new(line.to_owned(), self.line);
                    let words = sentence.words.len();
                    let pushed = pushed.and_then(|line| sentence.push(line));
                    pushed.map_err(|fault| fault.named(&self.name))?;
                    if sentence.words.len() > words {
                        lines.push(self.line);
                    }
                }
                continue;
            }
            if !sentence.is_empty() {
                let closed = sentence.close(&lines).and_then(|()| sentence.check_text());
                closed.map_err(|fault| fault.named(&self.name))?;
                return Ok(Some(sentence));
            }
            if line.is_none() {
                return Ok(None);
            }
            // What was said of a document without words is not of the next one.
            sentence = Sentence::default();
        }
    }

    /// The next line without its end.
    fn read_line(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| Error::io("read", Path::new(&self.name), error))?;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        let fault = |text: String| Fault { line: self.line, column: None, text }.named(&self.name);
        if read as u64 > LONGEST_LINE {
            return Err(fault(format!("it has more than {LONGEST_LINE} bytes")));
        }
        while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            bytes.pop();
        }
        let mut line = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            fault(format!("its byte {at} (0x{:02x}) is not UTF-8", error.as_bytes()[at]))
        })?;
        if self.line == 1 && line.starts_with('\u{feff}') {
            line.remove(0);
        }
        Ok(Some(line))
    }
}

impl Iterator for Conllu {
    type Item = Result<Gold>;

    fn next(&mut self) -> Option<Result<Gold>> {
        if self.is_over {
            return None;
        }
        let next = self.document().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

impl Sentence {
    fn comment(&mut self, comment: &str) {
        let (name, value) = match comment.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (comment.trim(), None),
        };
        match (name, value) {
            ("newdoc", None) => self.begins_doc = true,
            ("newdoc id", Some(id)) => {
                self.begins_doc = true;
                self.doc_id = Some(id.to_owned());
            }
            ("sent_id", Some(id)) => self.id = Some(id.to_owned()),
            ("text", Some(text)) => self.text = Some(text.to_owned()),
            _ => {}
        }
    }

    /// The text that the file gives is that of the words; whitespace is not compared.
    fn check_text(&self) -> Result<(), Fault> {
        let Some(text) = &self.text else { return Ok(()) };
        let mut made = String::new();
        for Word { form, spaces, .. } in &self.words {
            made.extend([spaces.before.as_str(), form, &spaces.after]);
        }
        if made.split_whitespace().eq(text.split_whitespace()) {
            return Ok(());
        }
        let text =
            format!("the words of the sentence are {:?}, but its text is {text:?}", made.trim());
        Err(Fault { line: self.line, column: None, text })
    }
}

/// Tokens as a document takes them.
#[derive(Default)]
struct Tokens {
    words: Vec<(String, bool)>,
    given: Annotations,
    /// The positions at which sentences begin.
    starts: Vec<usize>,
}

fn make(vocab: &Arc<Vocab>, sentences: &[Sentence]) -> Result<Doc> {
    let mut tokens = Tokens::default();
    let (mut pos, mut tags, mut lemmas) = (Vec::new(), Vec::new(), Vec::new());
    let (mut morphs, mut heads, mut deps) = (Vec::new(), Vec::new(), Vec::new());
    for sentence in sentences {
        tokens.starts.push(tokens.words.len());
        // Where each word of the sentence stands among all tokens.
        let mut places = Vec::with_capacity(sentence.words.len());
        let mut of_words = Vec::with_capacity(sentence.words.len());
        for Word { form, spaces, .. } in &sentence.words {
            tokens.space(&spaces.before);
            places.push(tokens.words.len());
            of_words.push(tokens.words.len());
            tokens.words.push((form.clone(), false));
            tokens.spaces_after(spaces);
        }
        let mut words = sentence.words.iter().zip(of_words).peekable();
        for at in *tokens.starts.last().unwrap_or(&0)..tokens.words.len() {
            if let Some((word, _)) = words.next_if(|(_, place)| *place == at) {
                pos.push(word.pos.map_or("", Pos::name).to_owned());
                tags.push(word.tag.clone());
                lemmas.push(word.lemma.clone());
                morphs.push(vocab.morphology().add_features(&word.feats)?.get());
                heads.push(word.head.map(|head| places[head]));
                deps.push(Some(word.dep.clone()));
            } else {
                // Whitespace hangs on the token before it.
                pos.push(Pos::SPACE.name().to_owned());
                tags.push("_SP".to_owned());
                lemmas.push(tokens.words[at].0.clone());
                morphs.push(0);
                heads.push(Some(at.max(tokens.starts.last().map_or(0, |start| start + 1)) - 1));
                deps.push(Some("dep".to_owned()));
            }
        }
    }
    let head = |head: Option<usize>| head.and_then(|head| i64::try_from(head).ok());
    tokens.given = Annotations {
        pos: Some(pos),
        tags: Some(tags),
        lemmas: Some(lemmas),
        morphs: Some(morphs),
        heads: Some(heads.into_iter().map(head).collect()),
        deps: Some(deps),
        ..Annotations::default()
    };
    let mut doc = Doc::from_words(vocab, &tokens.words)?;
    doc.annotate(&tokens.given)?;
    // Sentences are those of the file, whatever heads say.
    for i in 0..doc.len() {
        let start = if tokens.starts.binary_search(&i).is_ok() { 1 } else { -1 };
        if doc.tokens()[i].sent_start() != start {
            doc.attrs_mut().set(i, AttrId::SENT_START, crate::tokens::signed(i32::from(start)))?;
        }
    }
    Ok(doc)
}

impl Tokens {
    /// A token of whitespace.
    fn space(&mut self, text: &str) {
        if !text.is_empty() {
            self.words.push((text.to_owned(), false));
        }
    }

    /// A space belongs to the token before it, the rest is one of its own.
    fn spaces_after(&mut self, spaces: &Spaces) {
        let rest = match spaces.after.strip_prefix(' ') {
            Some(rest) => {
                if let Some((_, space)) = self.words.last_mut() {
                    *space = true;
                }
                rest
            }
            None => &spaces.after,
        };
        self.space(rest);
    }
}
