//! A slow tokenizer: spaCy's algorithm as its documentation has it, on strings, without caches,
//! records and tries. It shares with lexpool which characters are whitespace (Python's), and
//! searches patterns by `lexpool-regex`, which has a model of its own (`pattern_model`).

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use lexpool::strings::chars::is_space;
use lexpool::tokenizer::pattern::{Matcher, Pattern};
use lexpool::tokenizer::{RuleSet, RuleSource};

/// A word, and whether a space follows it.
pub(crate) type Word = (String, bool);

/// A pattern with the states that its searches have built: the rules of a language have thousands
/// of special cases to search, and more states than a search visits.
type Rule = Option<RefCell<Matcher>>;

/// The rules of a tokenizer, each as plain as it can be.
pub(crate) struct SlowTokenizer {
    prefix: Rule,
    suffix: Rule,
    infix: Rule,
    token_match: Rule,
    url_match: Rule,
    special_cases: BTreeMap<String, Vec<String>>,
    /// The tokens into which the affixes alone cut the texts of special cases.
    sequences: HashSet<Vec<String>>,
    /// The number of tokens of the longest of them.
    longest: usize,
}

impl SlowTokenizer {
    /// Creates a tokenizer; a rule that is a function is not supported.
    pub(crate) fn new(rules: &RuleSet) -> SlowTokenizer {
        let pattern = |rule: &Option<RuleSource>| {
            let RuleSource::Pattern(rule) = rule.as_ref()? else { panic!("a rule that is code") };
            let pattern = Pattern::new(&rule.source, rule.flags).expect("a rule of a tokenizer");
            Some(RefCell::new(pattern.matcher()))
        };
        let mut slow = SlowTokenizer {
            prefix: pattern(&rules.prefix_search),
            suffix: pattern(&rules.suffix_search),
            infix: pattern(&rules.infix_finditer),
            token_match: pattern(&rules.token_match),
            url_match: pattern(&rules.url_match),
            special_cases: BTreeMap::new(),
            sequences: HashSet::new(),
            longest: 0,
        };
        let orths = |tokens: &[lexpool::tokenizer::SpecialToken]| {
            tokens.iter().map(|token| token.orth.clone()).collect()
        };
        let cases = rules.special_cases.iter();
        slow.special_cases = cases.map(|(text, tokens)| (text.clone(), orths(tokens))).collect();
        let sequences = slow.special_cases.keys().filter(|text| {
            !rules.faster_heuristics
                || text.contains(' ')
                || slow.prefix_len(text) > 0
                || slow.suffix_len(text) > 0
                || !slow.infixes(text).is_empty()
        });
        let words =
            |text: &String| slow.words(text, false).into_iter().map(|word| word.0).collect();
        slow.sequences = sequences.map(words).collect();
        slow.longest = slow.sequences.iter().map(Vec::len).max().unwrap_or(0);
        slow
    }

    /// Returns the tokens of a text.
    pub(crate) fn tokenize(&self, text: &str) -> Vec<Word> {
        self.with_sequences(&self.words(text, true))
    }

    /// Cuts a text at whitespace, and each part by the rules.
    fn words(&self, text: &str, use_special_cases: bool) -> Vec<Word> {
        let chars: Vec<char> = text.chars().collect();
        let mut words: Vec<Word> = Vec::new();
        let mut start = 0;
        let mut in_space = chars.first().is_some_and(|first| is_space(*first));
        let chunk = |start: usize, end: usize| chars[start..end].iter().collect::<String>();
        for (i, char) in chars.iter().enumerate() {
            if is_space(*char) == in_space {
                continue;
            }
            if start < i {
                words.extend(self.chunk(&chunk(start, i), use_special_cases));
            }
            // One space belongs to the token before it.
            start = if *char == ' ' {
                if let Some(last) = words.last_mut() {
                    last.1 = true;
                }
                i + 1
            } else {
                i
            };
            in_space = !in_space;
        }
        if start < chars.len() {
            words.extend(self.chunk(&chunk(start, chars.len()), use_special_cases));
        }
        words
    }

    fn chunk(&self, text: &str, use_special_cases: bool) -> Vec<Word> {
        let special = |text: &str| {
            self.special_cases.get(text).filter(|_| use_special_cases && !text.is_empty())
        };
        let (mut before, mut after): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut rest = text;
        let mut last_len = None;
        while !rest.is_empty() && last_len != Some(rest.len()) {
            if is_match(&self.token_match, rest) || special(rest).is_some() {
                break;
            }
            last_len = Some(rest.len());
            let prefix = self.prefix_len(rest);
            let (head, without_prefix) = rest.split_at(prefix);
            if prefix > 0 && special(without_prefix).is_some() {
                before.push(head.to_owned());
                rest = without_prefix;
                break;
            }
            let suffix = self.suffix_len(without_prefix);
            let (without_suffix, tail) = rest.split_at(rest.len() - suffix);
            if suffix > 0 && special(without_suffix).is_some() {
                after.push(tail.to_owned());
                rest = without_suffix;
                break;
            }
            if prefix > 0 {
                before.push(head.to_owned());
            }
            if suffix > 0 {
                after.push(tail.to_owned());
            }
            rest = &rest[prefix..rest.len() - suffix];
        }
        if let Some(tokens) = special(rest) {
            before.extend(tokens.iter().cloned());
        } else if !rest.is_empty() {
            let is_whole = is_match(&self.token_match, rest) || is_match(&self.url_match, rest);
            before.extend(if is_whole { vec![rest.to_owned()] } else { self.cut_infixes(rest) });
        }
        before.extend(after.into_iter().rev());
        before.into_iter().map(|word| (word, false)).collect()
    }

    fn cut_infixes(&self, text: &str) -> Vec<String> {
        let (mut words, mut at) = (Vec::new(), 0);
        for (start, end) in self.infixes(text) {
            if start == 0 {
                continue;
            }
            words.push(text[at..start].to_owned());
            words.push(text[start..end].to_owned());
            at = end;
        }
        words.push(text[at..].to_owned());
        words.retain(|word| !word.is_empty());
        words
    }

    /// Replaces sequences of tokens by the special cases of their texts: of those that overlap the
    /// longest, then the first.
    fn with_sequences(&self, words: &[Word]) -> Vec<Word> {
        let texts: Vec<String> = words.iter().map(|word| word.0.clone()).collect();
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for start in 0..texts.len() {
            for end in start + 1..=texts.len().min(start + self.longest) {
                if self.sequences.contains(&texts[start..end]) {
                    ranges.push((start, end));
                }
            }
        }
        ranges.sort_by_key(|(start, end)| (std::cmp::Reverse(end - start), *start));
        let mut taken = HashSet::new();
        let mut chosen = Vec::new();
        for (start, end) in ranges {
            if !taken.contains(&start) && !taken.contains(&(end - 1)) {
                chosen.push((start, end));
            }
            taken.extend(start..end);
        }
        chosen.sort_unstable();
        let mut out = Vec::new();
        let mut at = 0;
        for (start, end) in chosen {
            let spaced = |word: &Word| format!("{}{}", word.0, if word.1 { " " } else { "" });
            let mut text: String = words[start..end - 1].iter().map(spaced).collect();
            text.push_str(&words[end - 1].0);
            let Some(tokens) = self.special_cases.get(&text) else { continue };
            out.extend_from_slice(&words[at..start]);
            out.extend(tokens.iter().map(|token| (token.clone(), false)));
            if let Some(last) = out.last_mut() {
                last.1 = words[end - 1].1;
            }
            at = end;
        }
        out.extend_from_slice(&words[at..]);
        out
    }

    /// Returns the bytes of as many first characters as the match of the prefix rule has.
    fn prefix_len(&self, text: &str) -> usize {
        let chars = Self::match_len(&self.prefix, text);
        text.chars().take(chars).map(char::len_utf8).sum()
    }

    fn suffix_len(&self, text: &str) -> usize {
        let chars = Self::match_len(&self.suffix, text);
        text.chars().rev().take(chars).map(char::len_utf8).sum()
    }

    fn match_len(rule: &Rule, text: &str) -> usize {
        let search = |rule: &RefCell<Matcher>| rule.borrow_mut().search(text);
        let found = rule.as_ref().and_then(|rule| search(rule).expect("a short text"));
        found.map_or(0, |(start, end)| text[start..end].chars().count())
    }

    fn infixes(&self, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        if let Some(infix) = &self.infix {
            infix.borrow_mut().find_all(text, &mut found).expect("a short text");
        }
        found
    }
}

fn is_match(rule: &Rule, text: &str) -> bool {
    let matches = |rule: &RefCell<Matcher>| rule.borrow_mut().matches_at_start(text);
    rule.as_ref().is_some_and(|rule| matches(rule).expect("a short text"))
}
