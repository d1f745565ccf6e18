//! A walk over the characters of words, with case folded.

use std::char::ToLowercase;
use std::iter::Peekable;
use std::str::Chars;

/// A place in a row of words. Words without characters are passed over.
pub(super) struct Cursor<'w> {
    words: &'w [&'w str],
    word: usize,
    chars: Peekable<Folded<'w>>,
    /// True at the first character of the current word.
    at_start: bool,
}

impl<'w> Cursor<'w> {
    pub(super) fn new(words: &'w [&'w str]) -> Cursor<'w> {
        let mut cursor = Cursor { words, word: 0, chars: folded(""), at_start: true };
        cursor.enter(0);
        cursor
    }

    /// The position of the present word.
    pub(super) fn word(&self) -> usize {
        self.word
    }

    /// The present word if none of it has been passed.
    pub(super) fn whole_word(&self) -> Option<&'w str> {
        self.words.get(self.word).copied().filter(|_| self.at_start)
    }

    /// The next character, folded; none at the end of the last word.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.chars.peek().copied()
    }

    /// Passes the character that `peek` has shown.
    pub(super) fn advance(&mut self) {
        self.at_start = false;
        self.chars.next();
        if self.chars.peek().is_none() {
            self.skip_word();
        }
    }

    /// Goes to the start of the next word.
    pub(super) fn skip_word(&mut self) {
        self.enter(self.word + 1);
    }

    fn enter(&mut self, from: usize) {
        let rest = self.words.get(from..).unwrap_or_default();
        let empty = rest.iter().take_while(|word| word.is_empty()).count();
        self.word = from + empty;
        self.chars = folded(self.words.get(self.word).copied().unwrap_or_default());
        self.at_start = true;
    }

    /// The place, for an error.
    pub(super) fn describe(&self) -> String {
        match self.words.get(self.word) {
            Some(word) => format!("word {} is {word:?}", self.word),
            None => format!("the text has ended after {} words", self.words.len()),
        }
    }
}

/// Lower-cased characters; a capital may give two.
struct Folded<'w> {
    chars: Chars<'w>,
    pending: Option<ToLowercase>,
}

fn folded(word: &str) -> Peekable<Folded<'_>> {
    Folded { chars: word.chars(), pending: None }.peekable()
}

impl Iterator for Folded<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        if let Some(c) = self.pending.as_mut().and_then(Iterator::next) {
            return Some(c);
        }
        match self.chars.next()? {
            c if c.is_ascii() => Some(c.to_ascii_lowercase()),
            // A sigma is final or not by what follows, which another tokenization may cut off.
            '\u{3c2}' => Some('\u{3c3}'),
            c => self.pending.insert(c.to_lowercase()).next(),
        }
    }
}
