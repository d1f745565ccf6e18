//! Join of the tokens of single nodes to matches of whole patterns.
//!
//! A pattern is searched for in each tree that has tokens for all its nodes. Because the nodes of a
//! pattern form a tree too, the join is acyclic, and the first half of the algorithm of Yannakakis
//! (1981) applies: a bottom-up semi-join pass ([`TreeSearch::prune`]) removes each candidate of a
//! node that has no partner among the candidates of a node linked to it. Every partial match of the
//! remaining candidates can then be completed, so the cost is that of the pass and of the matches.
//! The matches are in the order of the Cartesian product of the nodes' tokens, which is spaCy's.

use super::compiled::{CompiledLink, CompiledPattern};
use super::dependency_match::DependencyMatch;
use super::trees::{RelatedTokens, Trees};
use crate::codes;
use crate::{Error, Result};

/// The maximum number of matches of one search.
const MAX_MATCHES: usize = 10_000_000;
/// The maximum number of tokens in all matches.
const MAX_TOKENS: usize = 40_000_000;
/// The maximum number of tokens that a search may test, which takes a few seconds.
const MAX_TESTED: u64 = 500_000_000;

/// The tokens that match a node, by tree.
#[derive(Default)]
pub(super) struct NodeMatches {
    /// Pairs of tree and token, sorted by tree, and within a tree in the order in which the token
    /// matcher found them.
    found: Vec<(u32, u32)>,
}

impl NodeMatches {
    pub(super) fn push(&mut self, tree: u32, token: u32) {
        self.found.push((tree, token));
    }

    /// Sorts the tokens by tree. It must be called once, after all tokens have been pushed.
    pub(super) fn sort(&mut self) {
        self.found.sort_by_key(|(tree, _)| *tree);
    }

    fn trees(&self) -> impl Iterator<Item = u32> {
        self.found.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk[0].0)
    }

    fn in_tree(&self, tree: u32) -> impl Iterator<Item = u32> {
        let start = self.found.partition_point(|(other, _)| *other < tree);
        let is_in_tree = move |found: &&(u32, u32)| found.0 == tree;
        self.found[start..].iter().take_while(is_in_tree).map(|(_, token)| *token)
    }
}

/// The remaining candidates of a node in one tree.
#[derive(Default)]
struct Candidates {
    tokens: Vec<u32>,
    /// `true` if the tokens are strictly ascending.
    is_ascending: bool,
}

/// A search for dependency patterns in one document.
pub(super) struct TreeSearch<'a> {
    trees: &'a Trees,
    /// The matches of nodes, by number.
    matches: &'a [NodeMatches],
    /// The candidates of the current pattern and tree, by position of the node.
    candidates: Vec<Candidates>,
    budget: TestBudget,
    /// The number of tokens in `found`.
    tokens: usize,
    found: Vec<DependencyMatch>,
}

impl<'a> TreeSearch<'a> {
    /// Begins a search with the matches of nodes, by number.
    pub(super) fn new(trees: &'a Trees, matches: &'a [NodeMatches]) -> TreeSearch<'a> {
        let (candidates, found) = (Vec::new(), Vec::new());
        TreeSearch { trees, matches, candidates, budget: TestBudget(0), tokens: 0, found }
    }

    pub(super) fn into_found(self) -> Vec<DependencyMatch> {
        self.found
    }

    /// Finds all matches of a pattern.
    pub(super) fn pattern(&mut self, pattern: &CompiledPattern) -> Result<()> {
        let nodes = || pattern.nodes().map(|node| &self.matches[node as usize]);
        // The node with the fewest matches bounds the number of trees.
        let Some(rarest) = nodes().min_by_key(|matches| matches.found.len()) else { return Ok(()) };
        self.candidates.resize_with(pattern.links.len() + 1, Candidates::default);
        for tree in rarest.trees() {
            if self.gather(pattern, tree)? && self.prune(&pattern.links)? {
                self.enumerate(pattern)?;
            }
        }
        Ok(())
    }

    /// Collects the candidates of one tree. Returns whether every node has some.
    fn gather(&mut self, pattern: &CompiledPattern, tree: u32) -> Result<bool> {
        for (candidates, node) in self.candidates.iter_mut().zip(pattern.nodes()) {
            let tokens = &mut candidates.tokens;
            tokens.clear();
            tokens.extend(self.matches[node as usize].in_tree(tree));
            self.budget.spend(tokens.len() as u64)?;
            if tokens.is_empty() {
                return Ok(false);
            }
            candidates.is_ascending = tokens.is_sorted_by(|a, b| a < b);
        }
        Ok(true)
    }

    /// Removes the candidates without a partner, by semi-joins from the last node to the first.
    /// Returns whether every node has candidates left.
    fn prune(&mut self, links: &[CompiledLink]) -> Result<bool> {
        // A node is linked to an earlier one, so this order is bottom-up.
        for (i, link) in links.iter().enumerate().rev() {
            let mut tokens = std::mem::take(&mut self.candidates[link.left].tokens);
            let mut failure = None;
            tokens.retain(|token| {
                let mut partners = self.candidates[i + 1].partners(self.trees, link, *token);
                partners
                    .next(self.trees, &mut self.budget)
                    .unwrap_or_else(|error| {
                        failure.get_or_insert(error);
                        None
                    })
                    .is_some()
            });
            if let Some(error) = failure {
                return Err(error);
            }
            if tokens.is_empty() {
                return Ok(false);
            }
            self.candidates[link.left].tokens = tokens;
        }
        Ok(true)
    }

    /// Enumerates all matches of the remaining candidates, depth first.
    fn enumerate(&mut self, pattern: &CompiledPattern) -> Result<()> {
        let (trees, links) = (self.trees, &pattern.links);
        let mut chosen = Vec::with_capacity(links.len() + 1);
        // The partners left to try, for each node after the anchor that has a token or gets one
        // next.
        let mut levels: Vec<Partners<'_>> = Vec::with_capacity(links.len());
        for anchor in &self.candidates[0].tokens {
            chosen.clear();
            chosen.push(*anchor);
            loop {
                if chosen.len() == links.len() + 1 {
                    self.tokens += chosen.len();
                    if self.found.len() == MAX_MATCHES || self.tokens > MAX_TOKENS {
                        return Err(too_many_matches());
                    }
                    let tokens = chosen.iter().map(|token| *token as usize).collect();
                    self.found.push(DependencyMatch { key: pattern.key, tokens });
                } else {
                    let link = &links[levels.len()];
                    let candidates = &self.candidates[levels.len() + 1];
                    levels.push(candidates.partners(trees, link, chosen[link.left]));
                }
                let next = loop {
                    let Some(level) = levels.last_mut() else { break None };
                    match level.next(trees, &mut self.budget)? {
                        None => levels.pop(),
                        next => break next,
                    };
                };
                let Some(token) = next else { break };
                chosen.truncate(levels.len());
                chosen.push(token);
            }
        }
        Ok(())
    }
}

impl Candidates {
    /// Returns the candidates that are linked to a token, by the enumeration that tests fewer
    /// tokens.
    fn partners<'a>(&'a self, trees: &'a Trees, link: &CompiledLink, left: u32) -> Partners<'a> {
        let related = trees.related(link.link, left);
        let tokens = self.tokens.as_slice();
        if !self.is_ascending {
            return Partners { tokens, filter: PartnerFilter::Related(related) };
        }
        let between = |start: u32, end: u32| {
            let first = tokens.partition_point(|token| *token < start);
            &tokens[first..first + tokens[first..].partition_point(|token| *token < end)]
        };
        match related {
            RelatedTokens::Range(range) => {
                Partners { tokens: between(range.start, range.end), filter: PartnerFilter::All }
            }
            RelatedTokens::List(list) => {
                let (first, last) = (list.first(), list.last());
                let tokens = first.zip(last).map_or(&[][..], |(f, l)| between(*f, *l + 1));
                if tokens.len() <= list.len() {
                    Partners { tokens, filter: PartnerFilter::Related(related) }
                } else {
                    Partners { tokens: list, filter: PartnerFilter::Candidates(tokens) }
                }
            }
            RelatedTokens::Ancestors(_, ref range) | RelatedTokens::Descendants(_, ref range) => {
                let tokens = between(range.start, range.end);
                Partners { tokens, filter: PartnerFilter::Related(related) }
            }
        }
    }
}

/// The candidates of a node that are linked to the token of an earlier node, found one by one.
struct Partners<'a> {
    tokens: &'a [u32],
    filter: PartnerFilter<'a>,
}

/// The test that a token of [`Partners::tokens`] must pass.
enum PartnerFilter<'a> {
    /// Every token passes.
    All,
    /// The token is related to that of the earlier node.
    Related(RelatedTokens<'a>),
    /// The token is one of these candidates.
    Candidates(&'a [u32]),
}

impl Partners<'_> {
    fn next(&mut self, trees: &Trees, budget: &mut TestBudget) -> Result<Option<u32>> {
        while let Some((token, rest)) = self.tokens.split_first() {
            self.tokens = rest;
            budget.spend(1)?;
            let passes = match &self.filter {
                PartnerFilter::All => true,
                PartnerFilter::Related(related) => {
                    budget.spend(trees.cost(related, *token))?;
                    trees.contains(related, *token)
                }
                PartnerFilter::Candidates(tokens) => tokens.binary_search(token).is_ok(),
            };
            if passes {
                return Ok(Some(*token));
            }
        }
        Ok(None)
    }
}

/// The number of tokens that a search has tested.
struct TestBudget(u64);

impl TestBudget {
    /// Counts tested tokens.
    ///
    /// # Errors
    ///
    /// `match-limit` beyond [`MAX_TESTED`].
    fn spend(&mut self, tokens: u64) -> Result<()> {
        self.0 += tokens;
        if self.0 <= MAX_TESTED {
            return Ok(());
        }
        let text = format!(
            "the search for dependency patterns reached the limit of {MAX_TESTED} tested tokens; \
             add conditions to the patterns, or search shorter documents"
        );
        Err(Error::value(codes::MATCH_LIMIT, text))
    }
}

fn too_many_matches() -> Error {
    let text = format!(
        "the search for dependency patterns reached the limit of {MAX_MATCHES} matches with \
         {MAX_TOKENS} tokens; add conditions to the patterns, or search shorter documents"
    );
    Error::value(codes::MATCH_LIMIT, text)
}
