//! Finding trees: tokens that stand to each other as the nodes of a pattern do.
//!
//! A [`DependencyPattern`] (`pattern`) has conditions on tokens, which a [`Matcher`] looks for all at
//! once, and links between them. What it finds is sorted by tree (`trees`) and combined (`search`).

mod pattern;
mod search;
#[cfg(test)]
mod tests;
mod trees;

use std::ops::Range;
use std::sync::Arc;

use ahash::AHashMap;

use super::{Matcher, Pattern, Question};
use crate::Result;
use crate::strings::StrId;
use crate::tokens::Doc;
use search::{Places, Search};
use trees::{Trees, position};

pub use pattern::{DependencyPattern, Link};

/// Tokens that fit a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyMatch {
    /// The key under which the pattern was added.
    pub key: StrId,
    /// A token for each node, in the order of the nodes.
    pub tokens: Vec<usize>,
}

/// What a [`DependencyMatcher`] finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyMatches {
    /// The matches: by key in the order in which keys were added, then by pattern, by tree and by
    /// the tokens of the nodes.
    pub matches: Vec<DependencyMatch>,
    /// Nodes that several tokens fitted at once, with the first place where they did.
    pub wide: Vec<WideNode>,
}

/// A node whose conditions are of more than one token, of which only the first was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WideNode {
    /// The key of the pattern.
    pub key: StrId,
    /// Which of the key's patterns.
    pub pattern: usize,
    /// Which of the pattern's nodes.
    pub node: usize,
    /// The tokens that fitted.
    pub tokens: Range<usize>,
}

/// Patterns of trees under keys, and what finds them.
///
/// ```
/// use lexpool::matcher::{DependencyMatcher, DependencyPattern, Link, Pattern, Test};
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool::vocab::{Getters, Vocab};
///
/// let mut verb = Pattern::default();
/// verb.push(vec![Test::Is(AttrId::LOWER, StrId::of("sleep").get())], "1")?;
/// let mut any = Pattern::default();
/// any.push(vec![], "1")?;
/// let mut pattern = DependencyPattern::new(verb);
/// pattern.push(0, Link::Descendant, any)?;
/// let mut matcher = DependencyMatcher::default();
/// matcher.add(StrId::of("sleepers"), vec![pattern])?;
///
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("old", true), ("men", true), ("sleep", false)])?;
/// doc.annotate(&Annotations {
///     heads: Some(vec![Some(1), Some(2), Some(2)]),
///     deps: Some(["amod", "nsubj", "ROOT"].map(|dep| Some(dep.to_owned())).to_vec()),
///     ..Annotations::default()
/// })?;
/// let found = matcher.find(&doc, &mut |_| Ok(false))?.matches;
/// let found: Vec<_> = found.into_iter().map(|found| found.tokens).collect();
/// assert_eq!(found, [[2, 0], [2, 1]]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct DependencyMatcher {
    /// The nodes, each under its number as key.
    tokens: Matcher,
    nodes: Nodes,
    /// In the order in which keys were added first.
    rules: Vec<Rule>,
}

/// A key with its patterns.
#[derive(Clone)]
struct Rule {
    key: StrId,
    patterns: Vec<Arc<Compiled>>,
}

/// A pattern whose conditions have become numbers of nodes.
struct Compiled {
    key: StrId,
    anchor: u32,
    ties: Vec<Tie>,
}

/// A node behind the anchor.
struct Tie {
    left: usize,
    link: Link,
    node: u32,
}

impl Compiled {
    fn nodes(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.anchor).chain(self.ties.iter().map(|tie| tie.node))
    }
}

impl DependencyMatcher {
    /// Adds patterns under a key, behind those it has.
    ///
    /// # Errors
    ///
    /// As for [`Matcher::add`]; nothing is added then.
    pub fn add(&mut self, key: StrId, patterns: Vec<DependencyPattern>) -> Result<()> {
        let mut compiled = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            match self.compile(key, pattern) {
                Ok(pattern) => compiled.push(Arc::new(pattern)),
                Err(error) => {
                    for pattern in &compiled {
                        self.release(pattern);
                    }
                    return Err(error);
                }
            }
        }
        match self.rules.iter_mut().find(|rule| rule.key == key) {
            Some(rule) => rule.patterns.append(&mut compiled),
            None => self.rules.push(Rule { key, patterns: compiled }),
        }
        Ok(())
    }

    /// Removes all patterns of a key.
    pub fn remove(&mut self, key: StrId) {
        let is_meant = |rule: &Rule| rule.key == key;
        if let Some(at) = self.rules.iter().position(is_meant) {
            for pattern in self.rules.remove(at).patterns {
                self.release(&pattern);
            }
        }
    }

    /// Whether a pattern asks the caller something.
    pub fn asks(&self) -> bool {
        self.tokens.asks()
    }

    /// All matches in a document. Cost: that of finding the nodes, and of a look at every token that
    /// fits one and those it may go with; for each pattern by the tokens of its rarest node.
    ///
    /// `ask` answers what the patterns leave open.
    ///
    /// # Errors
    ///
    /// As for [`Matcher::find`]; `match-limit` also for more than ten million matches of trees, or forty
    /// million tokens in them, or five hundred million looks at tokens.
    pub fn find(
        &self,
        doc: &Doc,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
    ) -> Result<DependencyMatches> {
        let mut found = Vec::new();
        let mut keep = |node, tokens: Range<usize>| found.push((number_of(node), tokens));
        self.tokens.find_each(doc, 0..doc.len(), ask, &mut keep)?;
        if found.is_empty() {
            return Ok(DependencyMatches::default());
        }
        let trees = Trees::of(doc);
        let mut places = Vec::new();
        places.resize_with(self.nodes.uses.len(), Places::default);
        // Trees are numbered as they are met.
        let (mut numbers, mut count) = (vec![None; doc.len()], 0);
        let mut wide = AHashMap::new();
        for (node, tokens) in found {
            let start = position(tokens.start);
            let tree = *numbers[trees.root(start) as usize].get_or_insert_with(|| {
                count += 1;
                count - 1
            });
            places[node as usize].push(tree, start);
            if tokens.len() > 1 {
                wide.entry(node).or_insert(tokens);
            }
        }
        places.iter_mut().for_each(Places::sort);
        let mut search = Search::new(&trees, &places);
        for pattern in self.rules.iter().flat_map(|rule| &rule.patterns) {
            search.pattern(pattern)?;
        }
        Ok(DependencyMatches { matches: search.into_found(), wide: self.wide_nodes(&wide) })
    }

    fn compile(&mut self, key: StrId, pattern: DependencyPattern) -> Result<Compiled> {
        let anchor = self.nodes.take(&mut self.tokens, pattern.anchor)?;
        let mut compiled = Compiled { key, anchor, ties: Vec::with_capacity(pattern.nodes.len()) };
        for pattern::Node { left, link, tokens } in pattern.nodes {
            match self.nodes.take(&mut self.tokens, tokens) {
                Ok(node) => compiled.ties.push(Tie { left, link, node }),
                Err(error) => {
                    self.release(&compiled);
                    return Err(error);
                }
            }
        }
        Ok(compiled)
    }

    fn release(&mut self, pattern: &Compiled) {
        for node in pattern.nodes() {
            self.nodes.give_back(&mut self.tokens, node);
        }
    }

    /// The owners of nodes; one of several tokens is never shared.
    fn wide_nodes(&self, wide: &AHashMap<u32, Range<usize>>) -> Vec<WideNode> {
        let mut named = Vec::new();
        if wide.is_empty() {
            return named;
        }
        for Rule { key, patterns } in &self.rules {
            for (pattern, compiled) in patterns.iter().enumerate() {
                for (node, number) in compiled.nodes().enumerate() {
                    if let Some(tokens) = wide.get(&number) {
                        named.push(WideNode { key: *key, pattern, node, tokens: tokens.clone() });
                    }
                }
            }
        }
        named
    }
}

/// Numbers for conditions, the same for the same of one token.
///
/// Of several tokens the same conditions have numbers of their own: the order in which their matches
/// come, and with it that of the trees, depends on where they stand among all patterns.
#[derive(Clone, Default)]
struct Nodes {
    /// In how many places each number is used.
    uses: Vec<u32>,
    unused: Vec<u32>,
    /// By the conditions written out, as text from the number and by number.
    numbers: AHashMap<Arc<str>, u32>,
    texts: AHashMap<u32, Arc<str>>,
}

impl Nodes {
    fn take(&mut self, tokens: &mut Matcher, pattern: Pattern) -> Result<u32> {
        let text: Option<Arc<str>> =
            pattern.is_of_one_token().then(|| format!("{pattern:?}").into());
        if let Some(number) = text.as_ref().and_then(|text| self.numbers.get(text)) {
            self.uses[*number as usize] += 1;
            return Ok(*number);
        }
        let number = self.unused.last().copied().unwrap_or(position(self.uses.len()));
        tokens.add(key_of(number), vec![pattern], None)?;
        if self.unused.pop().is_none() {
            self.uses.push(0);
        }
        self.uses[number as usize] = 1;
        if let Some(text) = text {
            self.numbers.insert(Arc::clone(&text), number);
            self.texts.insert(number, text);
        }
        Ok(number)
    }

    fn give_back(&mut self, tokens: &mut Matcher, number: u32) {
        let uses = &mut self.uses[number as usize];
        *uses -= 1;
        if *uses == 0 {
            tokens.remove(key_of(number));
            self.unused.push(number);
            if let Some(text) = self.texts.remove(&number) {
                self.numbers.remove(&text);
            }
        }
    }
}

fn key_of(node: u32) -> StrId {
    StrId::new(u64::from(node))
}

fn number_of(key: StrId) -> u32 {
    u32::try_from(key.get()).expect("keys are made of numbers of nodes")
}
