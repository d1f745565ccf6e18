//! One sentence: words as the file has them, then tokens that tile its text.

use lexpool_structs::Pos;

use super::fields::{DEPREL, FEATS, FORM, Fault, HEAD, ID, LEMMA, Line, UPOS, XPOS};
use crate::morphology::Features;

/// A sentence, its words in order.
#[derive(Default)]
pub(super) struct Sentence {
    pub(super) words: Vec<Word>,
    ranges: Vec<Range>,
    /// The comments that are kept.
    pub(super) id: Option<String>,
    pub(super) text: Option<String>,
    /// Whether a document begins here, and its id.
    pub(super) begins_doc: bool,
    pub(super) doc_id: Option<String>,
    /// The line it begins on.
    pub(super) line: u64,
}

/// A word, or a token once words are merged.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) form: String,
    pub(super) spaces: Spaces,
    pub(super) lemma: String,
    pub(super) pos: Option<Pos>,
    pub(super) tag: String,
    pub(super) feats: Features,
    /// The position of the head within the sentence; its own for a root.
    pub(super) head: Option<usize>,
    pub(super) dep: String,
}

/// What stands around a word.
#[derive(Clone, Debug, Default)]
pub(super) struct Spaces {
    pub(super) before: String,
    pub(super) after: String,
}

/// Words that are written as one.
struct Range {
    /// Positions of the first word and of that after the last.
    start: usize,
    end: usize,
    form: String,
    spaces: Spaces,
    line: Line,
}

impl Sentence {
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.ranges.is_empty()
    }

    /// Takes a line that is no comment.
    pub(super) fn push(&mut self, line: Line) -> Result<(), Fault> {
        let id = line.get(ID);
        if let Some((word, node)) = id.split_once('.') {
            // A node without text; only its number is looked at.
            return match (word.parse::<usize>(), node.parse::<usize>()) {
                (Ok(_), Ok(_)) => Ok(()),
                _ => Err(line.fault(ID, format!("{id:?} is no number, range or empty node"))),
            };
        }
        let next = self.words.len() + 1;
        if let Some((first, last)) = id.split_once('-') {
            let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else {
                return Err(line.fault(ID, format!("{id:?} is no number, range or empty node")));
            };
            let is_covered = self.ranges.last().is_some_and(|range| range.end >= first);
            if first != next || last < first || is_covered {
                let text = format!("a multiword token {id:?} where word {next} is to come");
                return Err(line.fault(ID, text));
            }
            let (form, spaces) = (line.get(FORM).to_owned(), Spaces::of(&line));
            self.ranges.push(Range { start: first - 1, end: last, form, spaces, line });
            return Ok(());
        }
        if id.parse() != Ok(next) {
            return Err(line.fault(ID, format!("{id:?} where word {next} is to come")));
        }
        let word = self.word(&line)?;
        self.words.push(word);
        Ok(())
    }

    fn word(&self, line: &Line) -> Result<Word, Fault> {
        let form = line.get(FORM);
        // A word that is an underscore has itself as its lemma.
        let lemma = if form == "_" { Some(line.get(LEMMA)) } else { line.known(LEMMA) };
        let pos = line.known(UPOS).map(|name| {
            Pos::from_name(name)
                .ok_or_else(|| line.fault(UPOS, format!("{name:?} is no universal part of speech")))
        });
        let feats = Features::parse(line.get(FEATS))
            .map_err(|error| line.fault(FEATS, error.message().to_owned()))?;
        let head = line.known(HEAD).map(|head| match head.parse::<usize>() {
            Ok(0) => Ok(self.words.len()),
            // Whether there is such a word is known at the end of the sentence.
            Ok(head) => Ok(head - 1),
            Err(_) => Err(line.fault(HEAD, format!("{head:?} is no number"))),
        });
        let dep = match line.known(DEPREL).unwrap_or_default() {
            "root" => "ROOT",
            dep => dep,
        };
        Ok(Word {
            form: form.to_owned(),
            spaces: Spaces::of(line),
            lemma: lemma.unwrap_or_default().to_owned(),
            pos: pos.transpose()?,
            tag: line.known(XPOS).unwrap_or_default().to_owned(),
            feats,
            head: head.transpose()?,
            dep: dep.to_owned(),
        })
    }

    /// Ends the sentence: every head is a word of it, and words are tokens from here on. The last
    /// line is given for faults.
    pub(super) fn close(&mut self, heads: &[u64]) -> Result<(), Fault> {
        let count = self.words.len();
        for (word, line) in self.words.iter().zip(heads) {
            if let Some(head) = word.head.filter(|head| *head >= count) {
                let text = format!("word {} is none of the {count} of the sentence", head + 1);
                return Err(Fault { line: *line, column: Some(HEAD), text });
            }
        }
        let ranges = std::mem::take(&mut self.ranges);
        // Which token each word becomes.
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
                    let mut spaces = Spaces::default();
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

impl Range {
    fn too_long(&self, count: usize) -> Fault {
        self.line.fault(ID, format!("the sentence has only {count} words"))
    }
}

impl Spaces {
    fn of(line: &Line) -> Spaces {
        let after = match (line.misc("SpacesAfter"), line.misc("SpaceAfter")) {
            (Some(spaces), _) => unescaped(spaces),
            (None, Some("No")) => String::new(),
            _ => " ".to_owned(),
        };
        Spaces { before: line.misc("SpacesBefore").map(unescaped).unwrap_or_default(), after }
    }
}

/// Words that are written as one token.
fn merged(words: &[Word], range: &Range) -> Word {
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

/// Whitespace as the last column has it.
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
