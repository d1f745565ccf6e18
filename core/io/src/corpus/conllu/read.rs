//! Reader: from lines to documents.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use lexpool::escape::one_line;
use lexpool::morphology::Features;
use lexpool::tokens::{Annotations, Doc};
use lexpool::vocab::Vocab;
use lexpool::{Error, Result};
use lexpool_structs::{AttrId, Pos};

use super::fields::{InvalidLine, Line};
use super::sentence::{Sentence, Whitespace, Word};

/// A document of a treebank.
#[derive(Debug)]
pub struct GoldDoc {
    /// The document.
    pub doc: Doc,
    /// The id of `# newdoc id =`.
    pub id: Option<String>,
    /// The id of `# sent_id =` of each sentence.
    pub sent_ids: Vec<Option<String>>,
}

/// Iterator over the documents of a CoNLL-U file. It ends after an error. Memory: one document.
///
/// ```
/// use lexpool_io::corpus::Conllu;
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
    /// Number of sentences per document; `None` to follow `# newdoc`.
    sentences: Option<usize>,
    /// A sentence that was read and belongs to the next document.
    next: Option<Sentence>,
    /// Set once `# newdoc` was read.
    has_docs: bool,
    is_over: bool,
}

/// Limit of the length of a line, in bytes.
const MAX_LINE_BYTES: u64 = 16 << 20;

impl Conllu {
    /// Creates a reader. `name` is used in errors. A document has `sentences` sentences, or those
    /// after `# newdoc` if `sentences` is `None`.
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

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// `file-not-found` and other errors of the system.
    pub fn open(path: &Path, vocab: &Arc<Vocab>, sentences: Option<usize>) -> Result<Conllu> {
        let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
        Ok(Conllu::new(file, &path.to_string_lossy(), vocab, sentences))
    }

    fn document(&mut self) -> Result<Option<GoldDoc>> {
        let Some(first) = self.sentence()? else { return Ok(None) };
        self.has_docs |= first.begins_doc;
        let id = first.doc_id.clone();
        let mut sentences = vec![first];
        loop {
            let is_full = match self.sentences {
                Some(limit) => sentences.len() >= limit,
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
        let doc = build_doc(&self.vocab, &sentences);
        let doc = doc.map_err(|error| {
            error.context(format_args!("{}, line {line}", one_line(&self.name)))
        })?;
        let sent_ids = sentences.into_iter().map(|sentence| sentence.id).collect();
        Ok(Some(GoldDoc { doc, id, sent_ids }))
    }

    /// Reads the next sentence that has words.
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
                    pushed.map_err(|error| error.into_error(&self.name))?;
                    if sentence.words.len() > words {
                        lines.push(self.line);
                    }
                }
                continue;
            }
            if !sentence.is_empty() {
                let closed = sentence.close(&lines).and_then(|()| sentence.check_text());
                closed.map_err(|error| error.into_error(&self.name))?;
                return Ok(Some(sentence));
            }
            if line.is_none() {
                return Ok(None);
            }
            // Comments of a document without words do not apply to the next one.
            sentence = Sentence::default();
        }
    }

    /// Reads a line, and strips its end.
    fn read_line(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| Error::io("read", Path::new(&self.name), error))?;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        let invalid = |text: String| {
            InvalidLine { line: self.line, column: None, text }.into_error(&self.name)
        };
        if read as u64 > MAX_LINE_BYTES {
            return Err(invalid(format!("it has more than {MAX_LINE_BYTES} bytes")));
        }
        while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            bytes.pop();
        }
        let mut line = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            invalid(format!("its byte {at} (0x{:02x}) is not UTF-8", error.as_bytes()[at]))
        })?;
        if self.line == 1 && line.starts_with('\u{feff}') {
            line.remove(0);
        }
        Ok(Some(line))
    }
}

impl Iterator for Conllu {
    type Item = Result<GoldDoc>;

    fn next(&mut self) -> Option<Result<GoldDoc>> {
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

    /// Checks that the words yield the text of `# text =`, ignoring differences in whitespace.
    fn check_text(&self) -> Result<(), InvalidLine> {
        let Some(text) = &self.text else { return Ok(()) };
        let mut joined_words = String::new();
        for Word { form, spaces, .. } in &self.words {
            joined_words.extend([spaces.before.as_str(), form, &spaces.after]);
        }
        if joined_words.split_whitespace().eq(text.split_whitespace()) {
            return Ok(());
        }
        let words = joined_words.trim();
        let text = format!("the words of the sentence are {words:?}, but its text is {text:?}");
        Err(InvalidLine { line: self.line, column: None, text })
    }
}

/// Words and annotation of a document.
#[derive(Default)]
struct Tokens {
    words: Vec<(String, bool)>,
    annotations: Annotations,
    /// Positions at which sentences begin.
    starts: Vec<usize>,
}

fn build_doc(vocab: &Arc<Vocab>, sentences: &[Sentence]) -> Result<Doc> {
    let mut tokens = Tokens::default();
    let (mut pos, mut tags, mut lemmas) = (Vec::new(), Vec::new(), Vec::new());
    let (mut morphs, mut heads, mut deps) = (Vec::new(), Vec::new(), Vec::new());
    for sentence in sentences {
        tokens.starts.push(tokens.words.len());
        // Position of each word of the sentence among all tokens.
        let mut positions = Vec::with_capacity(sentence.words.len());
        let mut of_words = Vec::with_capacity(sentence.words.len());
        for Word { form, spaces, .. } in &sentence.words {
            tokens.space(&spaces.before);
            positions.push(tokens.words.len());
            of_words.push(tokens.words.len());
            tokens.words.push((form.clone(), false));
            tokens.spaces_after(spaces);
        }
        let mut words = sentence.words.iter().zip(of_words).peekable();
        for at in *tokens.starts.last().unwrap_or(&0)..tokens.words.len() {
            if let Some((word, _)) = words.next_if(|(_, position)| *position == at) {
                pos.push(word.pos.map_or("", Pos::name).to_owned());
                tags.push(word.tag.clone());
                lemmas.push(word.lemma.clone());
                morphs.push(vocab.morphology().add_features(&word.feats)?.get());
                heads.push(word.head.map(|head| positions[head]));
                deps.push(Some(word.dep.clone()));
            } else {
                let text = &tokens.words[at].0;
                if text.chars().all(char::is_whitespace) {
                    pos.push(Pos::SPACE.name().to_owned());
                    tags.push("_SP".to_owned());
                    lemmas.push(text.clone());
                    morphs.push(0);
                } else {
                    // As a word of which the file says nothing, which it is when written.
                    pos.push(String::new());
                    tags.push(String::new());
                    lemmas.push(String::new());
                    morphs.push(vocab.morphology().add_features(&Features::new())?.get());
                }
                // The head of a token between words is the token before it.
                heads.push(Some(at.max(tokens.starts.last().map_or(0, |start| start + 1)) - 1));
                deps.push(Some("dep".to_owned()));
            }
        }
    }
    let head = |head: Option<usize>| head.and_then(|head| i64::try_from(head).ok());
    tokens.annotations = Annotations {
        pos: Some(pos),
        tags: Some(tags),
        lemmas: Some(lemmas),
        morphs: Some(morphs),
        heads: Some(heads.into_iter().map(head).collect()),
        deps: Some(deps),
        ..Annotations::default()
    };
    let mut doc = Doc::from_words(vocab, &tokens.words)?;
    doc.annotate(&tokens.annotations)?;
    // Sentence boundaries are those of the file, even if the heads imply others.
    for i in 0..doc.len() {
        let start = if tokens.starts.binary_search(&i).is_ok() { 1 } else { -1 };
        if doc.tokens()[i].sent_start() != start {
            doc.attrs_mut().set(
                i,
                AttrId::SENT_START,
                lexpool::tokens::signed(i32::from(start)),
            )?;
        }
    }
    Ok(doc)
}

impl Tokens {
    /// Appends a token of whitespace, if there is any.
    fn space(&mut self, text: &str) {
        if !text.is_empty() {
            self.words.push((text.to_owned(), false));
        }
    }

    /// Attaches one space to the last token, and appends the rest as a token of its own.
    fn spaces_after(&mut self, spaces: &Whitespace) {
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
