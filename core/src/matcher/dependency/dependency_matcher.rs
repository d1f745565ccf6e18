//! [`DependencyMatcher`]: dependency patterns under keys, and the search for their matches.

use std::ops::Range;
use std::sync::Arc;

use ahash::AHashMap;

use super::compiled::{CompiledLink, CompiledPattern};
use super::dependency_match::{DependencyMatches, WideNode};
use super::node_table::{NodeTable, number_of};
use super::pattern::{DependencyPattern, PatternNode};
use super::search::{NodeMatches, TreeSearch};
use super::trees::{Trees, position};
use crate::Result;
use crate::fallible;
use crate::matcher::keyed_list::KeyedList;
use crate::matcher::token_match::Question;
use crate::matcher::token_matcher::Matcher;
use crate::strings::StrId;
use crate::tokens::Doc;

/// Dependency patterns under keys, and the search for their matches.
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
    /// The token patterns of all nodes, under their numbers as keys.
    tokens: Matcher,
    nodes: NodeTable,
    /// The keys with their patterns, in the order in which the keys were first added.
    rules: KeyedList<Vec<Arc<CompiledPattern>>>,
}

impl DependencyMatcher {
    /// Adds patterns to those of a key.
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
        match self.rules.last_mut(key) {
            Some(patterns) => patterns.append(&mut compiled),
            None => self.rules.push(key, compiled),
        }
        Ok(())
    }

    /// Removes all patterns of a key, in time linear in their number.
    pub fn remove(&mut self, key: StrId) {
        for pattern in self.rules.remove(key).into_iter().flatten() {
            self.release(&pattern);
        }
    }

    /// Returns whether a pattern asks the caller questions.
    pub fn asks(&self) -> bool {
        self.tokens.asks()
    }

    /// Finds all matches in a document. `ask` answers the questions of the patterns.
    ///
    /// Cost: the search for the token patterns of all nodes; then, for each pattern and each tree
    /// that has a token of its rarest node, the tokens of its nodes and those linked to them.
    ///
    /// # Errors
    ///
    /// As for [`Matcher::find`]; `match-limit` also for more than ten million matches of trees,
    /// forty million tokens in them, or 500 million tested tokens.
    pub fn find(
        &self,
        doc: &Doc,
        ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
    ) -> Result<DependencyMatches> {
        let mut found = Vec::new();
        let mut collect =
            |node, tokens: Range<usize>| fallible::push(&mut found, (number_of(node), tokens));
        self.tokens.find_each(doc, 0..doc.len(), ask, &mut collect)?;
        if found.is_empty() {
            return Ok(DependencyMatches::default());
        }
        let trees = Trees::of(doc);
        let mut matches = Vec::new();
        matches.resize_with(self.nodes.uses.len(), NodeMatches::default);
        // Trees are numbered in the order in which their first matches are found.
        let (mut numbers, mut count) = (vec![None; doc.len()], 0);
        let mut wide = AHashMap::new();
        for (node, tokens) in found {
            let start = position(tokens.start);
            let tree = *numbers[trees.root(start) as usize].get_or_insert_with(|| {
                count += 1;
                count - 1
            });
            matches[node as usize].push(tree, start);
            if tokens.len() > 1 {
                wide.entry(node).or_insert(tokens);
            }
        }
        matches.iter_mut().for_each(NodeMatches::sort);
        let mut search = TreeSearch::new(&trees, &matches);
        for pattern in self.rules.iter().flat_map(|(_, patterns)| patterns) {
            search.pattern(pattern)?;
        }
        Ok(DependencyMatches { matches: search.into_found(), wide: self.wide_nodes(&wide) })
    }

    fn compile(&mut self, key: StrId, pattern: DependencyPattern) -> Result<CompiledPattern> {
        let anchor = self.nodes.acquire(&mut self.tokens, pattern.anchor)?;
        let links = Vec::with_capacity(pattern.nodes.len());
        let mut compiled = CompiledPattern { key, anchor, links };
        for PatternNode { left, link, tokens } in pattern.nodes {
            match self.nodes.acquire(&mut self.tokens, tokens) {
                Ok(node) => compiled.links.push(CompiledLink { left, link, node }),
                Err(error) => {
                    self.release(&compiled);
                    return Err(error);
                }
            }
        }
        Ok(compiled)
    }

    fn release(&mut self, pattern: &CompiledPattern) {
        for node in pattern.nodes() {
            self.nodes.release(&mut self.tokens, node);
        }
    }

    /// Returns the wide nodes of all patterns. A number of a wide node is never shared, so each is
    /// reported once.
    fn wide_nodes(&self, wide: &AHashMap<u32, Range<usize>>) -> Vec<WideNode> {
        let mut named = Vec::new();
        if wide.is_empty() {
            return named;
        }
        for (key, patterns) in self.rules.iter() {
            for (pattern, compiled) in patterns.iter().enumerate() {
                for (node, number) in compiled.nodes().enumerate() {
                    if let Some(tokens) = wide.get(&number) {
                        named.push(WideNode { key, pattern, node, tokens: tokens.clone() });
                    }
                }
            }
        }
        named
    }
}

#[cfg(test)]
mod tests;
