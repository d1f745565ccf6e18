//! A sentence: the words of its lines, converted to tokens that tile its text.

use lexpool::morphology::Features;
use lexpool_structs::Pos;

use super::fields::{DEPREL, FEATS, FORM, HEAD, ID, InvalidLine, LEMMA, Line, UPOS, XPOS};

/// A sentence with its words in order.
#[derive(Default)]
pub(super) struct Sentence {
    pub(super) words: Vec<Word>,
    ranges: Vec<MultiwordToken>,
    /// Comments.
    pub(super) id: Option<String>,
    pub(super) text: Option<String>,
    /// Set if a document begins here; with its id.
    pub(super) begins_doc: bool,
    pub(super) doc_id: Option<String>,
    /// Number of its first line.
    pub(super) line: u64,
}

/// A word; after [`Sentence::close`], a token.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) form: String,
    pub(super) spaces: Whitespace,
    pub(super) lemma: String,
    pub(super) pos: Option<Pos>,
    pub(super) tag: String,
    pub(super) feats: Features,
    /// Position of the head in the sentence; the word's own position for a root.
    pub(super) head: Option<usize>,
    pub(super) dep: String,
}

/// Whitespace around a word.
#[derive(Clone, Debug, Default)]
pub(super) struct Whitespace {
    pub(super) before: String,
    pub(super) after: String,
}

/// A range line: consecutive words that are written as one.
struct MultiwordToken {
    /// Position of the first word, and the position after the last word.
    start: usize,
    end: usize,
    form: String,
    spaces: Whitespace,
    line: Line,
}

impl Sentence {
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.ranges.is_empty()
    }

    /// Adds the line of a word, a range or an empty node.
    pub(super) fn push(&mut self, line: Line) -> Result<(), InvalidLine> {
        let id = line.get(ID);
        if let Some((word, node)) = id.split_once('.') {
            // An empty node; only its number is checked.
            return match (word.parse::<usize>(), node.parse::<usize>()) {
                (Ok(_), Ok(_)) => Ok(()),
                _ => Err(line.invalid(ID, expected_id(id))),
            };
        }
        let next = self.words.len() + 1;
        if let Some((first, last)) = id.split_once('-') {
            let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else {
                return Err(line.invalid(ID, expected_id(id)));
            };
            let is_covered = self.ranges.last().is_some_and(|range| range.end >= first);
            if first != next || last < first || is_covered {
                let text = format!("multiword token {id:?}, expected word {next}");
                return Err(line.invalid(ID, text));
            }
            let (form, spaces) = (line.get(FORM).to_owned(), Whitespace::of(&line));
            self.ranges.push(MultiwordToken { start: first - 1, end: last, form, spaces, line });
            return Ok(());
        }
        if id.parse() != Ok(next) {
            return Err(line.invalid(ID, format!("word {id:?}, expected word {next}")));
        }
        let word = self.word(&line)?;
        self.words.push(word);
        Ok(())
    }

    fn word(&self, line: &Line) -> Result<Word, InvalidLine> {
        let form = line.get(FORM);
        // The lemma of the word "_" is "_".
        let lemma = if form == "_" { Some(line.get(LEMMA)) } else { line.known(LEMMA) };
        let pos = line.known(UPOS).map(|name| {
            Pos::from_name(name)
                .ok_or_else(|| line.invalid(UPOS, format!("unknown part of speech {name:?}")))
        });
        let feats = Features::parse(line.get(FEATS))
            .map_err(|error| line.invalid(FEATS, error.message().to_owned()))?;
        let head = line.known(HEAD).map(|head| match head.parse::<usize>() {
            Ok(0) => Ok(self.words.len()),
            // `close` checks that the word exists.
            Ok(head) => Ok(head - 1),
            Err(_) => Err(line.invalid(HEAD, format!("{head:?} is not a number"))),
        });
        let dep = match line.known(DEPREL).unwrap_or_default() {
            "root" => "ROOT",
            dep => dep,
        };
        Ok(Word {
            form: form.to_owned(),
            spaces: Whitespace::of(line),
            lemma: lemma.unwrap_or_default().to_owned(),
            pos: pos.transpose()?,
            tag: line.known(XPOS).unwrap_or_default().to_owned(),
            feats,
            head: head.transpose()?,
            dep: dep.to_owned(),
        })
    }

    /// Ends the sentence: checks that every head exists, and merges multiword tokens. `lines` are
    /// the line numbers of the words.
    pub(super) fn close(&mut self, lines: &[u64]) -> Result<(), InvalidLine> {
        let count = self.words.len();
        for (word, line) in self.words.iter().zip(lines) {
            if let Some(head) = word.head.filter(|head| *head >= count) {
                let text =
                    format!("word {} is outside of the sentence, which has {count}", head + 1);
                return Err(InvalidLine { line: *line, column: Some(HEAD), text });
            }
        }
        let ranges = std::mem::take(&mut self.ranges);
        // Position of the token that each word becomes.
        let mut token_of: Vec<usize> = Vec::with_capacity(count);
        let mut tokens: Vec<Word> = Vec::with_capacity(count);
        let mut ranges = ranges.into_iter().peekable();
        let mut at = 0;
        while at < count {
            let Some(range) = ranges.next_if(|range| range.start == at) else {
                token_of.push(tokens.len());
                tokens.push(self.words[at].clone());
                at += 1;
                continue;
            };
            let Some(words) = self.words.get(range.start..range.end) else {
                return Err(range.too_long(count));
            };
            if words.iter().map(|word| word.form.as_str()).collect::<String>() == range.form {
                for (i, word) in words.iter().enumerate() {
                    let mut spaces = Whitespace::default();
                    if i == 0 {
                        spaces.before.clone_from(&range.spaces.before);
                    }
                    if i + 1 == words.len() {
                        spaces.after.clone_from(&range.spaces.after);
                    }
                    token_of.push(tokens.len());
                    tokens.push(Word { spaces, ..word.clone() });
                }
            } else {
                token_of.extend(words.iter().map(|_| tokens.len()));
                tokens.push(merged(words, &range));
            }
            at = range.end;
        }
        if let Some(range) = ranges.next() {
            return Err(range.too_long(count));
        }
        for token in &mut tokens {
            token.head = token.head.map(|head| token_of[head]);
        }
        self.words = tokens;
        Ok(())
    }
}

/// Returns the message for an invalid id of a word.
fn expected_id(id: &str) -> String {
    format!("{id:?} is not a number, a range or the id of an empty node")
}

impl MultiwordToken {
    fn too_long(&self, count: usize) -> InvalidLine {
        self.line.invalid(ID, format!("the sentence has only {count} words"))
    }
}

impl Whitespace {
    fn of(line: &Line) -> Whitespace {
        let after = match (line.misc("SpacesAfter"), line.misc("SpaceAfter")) {
            (Some(spaces), _) => unescaped(spaces),
            (None, Some("No")) => String::new(),
            _ => " ".to_owned(),
        };
        Whitespace { before: line.misc("SpacesBefore").map(unescaped).unwrap_or_default(), after }
    }
}

/// Merges words that are written as one token.
fn merged(words: &[Word], range: &MultiwordToken) -> Word {
    let inside = range.start..range.end;
    let leads_out = |(at, word): &(usize, &Word)| {
        word.head.is_none_or(|head| head == *at || !inside.contains(&head))
    };
    let (_, leader) = inside.clone().zip(words).find(leads_out).unwrap_or((range.start, &words[0]));
    let join = |part: fn(&Word) -> &str, between: &str| {
        let parts = words.iter().map(part).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(between)
    };
    let mut feats = Features::new();
    for (field, values) in words.iter().flat_map(|word| word.feats.iter()) {
        let before = feats.iter().find(|(name, _)| *name == field);
        let mut all = before.map(|(_, values)| values.to_vec()).unwrap_or_default();
        all.extend(values.iter().filter(|value| !all.contains(value)).cloned().collect::<Vec<_>>());
        feats.set(field, &Features::values(&all));
    }
    Word {
        form: range.form.clone(),
        spaces: range.spaces.clone(),
        lemma: join(|word| &word.lemma, " "),
        tag: join(|word| &word.tag, "_"),
        feats,
        ..leader.clone()
    }
}

/// Decodes the whitespace escapes of the column `MISC`.
fn unescaped(escaped: &str) -> String {
    let mut out = String::new();
    let mut chars = escaped.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('s') => ' ',
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('p') => '|',
                Some('u') => {
                    let code = chars.as_str().get(..4);
                    let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
                    match code.and_then(char::from_u32) {
                        Some(c) => {
                            chars.nth(3);
                            c
                        }
                        None => 'u',
                    }
                }
                Some(other) => other,
                None => '\\',
            },
            c => c,
        });
    }
    out
}
