//! A file of words, `sys.dic` or `unk.dic`.

use std::borrow::Cow;

use bytes::Bytes;
use lexpool_error::Result;

use crate::damaged::damaged;
use crate::double_array::{PairArray, Prefix};
use crate::le::{Cursor, i16_at, u16_at, u32_at};

/// The first number of a file, by exclusive or with the file's length.
const MAGIC: u32 = 0xef71_8f77;

/// The version of the format.
const VERSION: u32 = 102;

/// The length of a token: two connection ids, a part of speech, a cost, and the position of its
/// features.
const TOKEN_LEN: usize = 16;

/// The length in bytes up to which the features of a word are read.
const MAX_FEATURES: usize = 1 << 16;

/// The words of a file.
#[derive(Clone, Debug)]
pub(super) struct Words {
    trie: PairArray,
    tokens: Bytes,
    features: Bytes,
}

/// The parameters of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenParams {
    pub(super) left: u16,
    pub(super) right: u16,
    pub(super) pos: u16,
    pub(super) cost: i16,
}

impl Words {
    /// Finds the parts of a file.
    pub(super) fn read(file: &Bytes, name: &str) -> Result<Words> {
        let mut cursor = Cursor::new(file, 0);
        let mut header = || {
            let mut numbers = [0; 10];
            for number in &mut numbers {
                *number = cursor.u32()?;
            }
            Some((numbers, cursor.take(32)?))
        };
        let (numbers, charset) =
            header().ok_or_else(|| damaged(&format!("{name} has no header")))?;
        let [magic, version, _, _, _, _, trie, tokens, features, _] = numbers;
        if u32::try_from(file.len()).ok() != Some(magic ^ MAGIC) {
            let text = format!("{name} is no file of MeCab's words, or is truncated");
            return Err(damaged(&text));
        }
        if version != VERSION {
            return Err(damaged(&format!("{name} has version {version}; expected {VERSION}")));
        }
        let charset = file[charset].split(|&byte| byte == 0).next().unwrap_or_default();
        if !charset.eq_ignore_ascii_case(b"utf-8") && !charset.eq_ignore_ascii_case(b"utf8") {
            let charset = String::from_utf8_lossy(charset);
            return Err(damaged(&format!("{name} is in {charset:?}; expected UTF-8")));
        }
        let mut part = || cursor_part(&mut cursor, trie, tokens, features);
        let [trie, tokens, features] =
            part().ok_or_else(|| damaged(&format!("the parts of {name} end beyond the file")))?;
        Ok(Words {
            trie: PairArray::new(file.slice(trie)),
            tokens: file.slice(tokens),
            features: file.slice(features),
        })
    }

    /// Calls a function for each word with which a text begins: its length, and its number.
    #[inline]
    pub(super) fn prefixes(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        self.trie.prefixes(text, |Prefix { len, value }| {
            for number in self.numbers(value) {
                found(len, number);
            }
        });
    }

    /// Returns the numbers of the words that are spelled like a text.
    pub(super) fn find(&self, text: &[u8]) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.prefixes(text, |len, number| {
            if len == text.len() {
                numbers.push(number);
            }
        });
        numbers
    }

    /// Returns the numbers of the words that a value of the trie stands for: the first, and how
    /// many.
    fn numbers(&self, value: u32) -> std::ops::Range<u32> {
        let first = value >> 8;
        let last = u32::try_from(self.tokens.len() / TOKEN_LEN).unwrap_or(u32::MAX);
        first.min(last)..(first + (value & 0xff)).min(last)
    }

    /// Returns the parameters of a word.
    #[inline]
    pub(super) fn params(&self, number: u32) -> Option<TokenParams> {
        let at = number as usize * TOKEN_LEN;
        let token = self.tokens.get(at..at + TOKEN_LEN)?;
        Some(TokenParams {
            left: u16_at(token, 0)?,
            right: u16_at(token, 2)?,
            pos: u16_at(token, 4)?,
            cost: i16_at(token, 6)?,
        })
    }

    /// Returns the features of a word, separated by commas; an empty string if the file is damaged.
    pub(super) fn features(&self, number: u32) -> &str {
        let features = || {
            let at = u32_at(&self.tokens, number as usize * TOKEN_LEN + 8)?;
            let rest = self.features.get(at as usize..)?;
            // Damaged bytes may lack the end.
            let rest = &rest[..rest.len().min(MAX_FEATURES)];
            std::str::from_utf8(rest.split(|&byte| byte == 0).next()?).ok()
        };
        features().unwrap_or_default()
    }
}

fn cursor_part(
    cursor: &mut Cursor<'_>,
    trie: u32,
    tokens: u32,
    features: u32,
) -> Option<[std::ops::Range<usize>; 3]> {
    let mut take = |len: u32| cursor.take(len as usize);
    Some([take(trie)?, take(tokens)?, take(features)?])
}

/// Returns a field of features, which are separated by commas; a field may be quoted.
///
/// ```
/// use lexpool_lattice::mecab::field;
///
/// assert_eq!(field("NNG,*,\"a,b\",c", 2).as_deref(), Some("a,b"));
/// assert_eq!(field("NNG,*", 2), None);
/// ```
pub fn field(features: &str, number: usize) -> Option<Cow<'_, str>> {
    let mut rest = features;
    for at in 0.. {
        let (own, next) = match rest.strip_prefix('"') {
            Some(quoted) => {
                // A quote in a quoted field is doubled.
                let mut end = 0;
                loop {
                    end += quoted[end..].find('"')?;
                    if !quoted[end + 1..].starts_with('"') {
                        break;
                    }
                    end += 2;
                }
                (
                    Cow::Owned(quoted[..end].replace("\"\"", "\"")),
                    quoted[end + 1..].strip_prefix(','),
                )
            }
            None => match rest.split_once(',') {
                Some((own, next)) => (Cow::Borrowed(own), Some(next)),
                None => (Cow::Borrowed(rest), None),
            },
        };
        if at == number {
            return Some(own);
        }
        rest = next?;
    }
    None
}
