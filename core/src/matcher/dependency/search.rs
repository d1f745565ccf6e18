//! From the tokens that fit single nodes to those that fit whole patterns.
//!
//! A pattern is searched for in each tree that has tokens for all its nodes. First tokens are struck
//! that have nothing to go with: as nodes form a tree too, no combination that is begun with what is
//! left comes to a dead end. So the cost is that of the striking and of the matches, and matches come
//! in the order in which they stand in the product of the nodes' tokens.

use super::trees::{Related, Trees};
use super::{Compiled, DependencyMatch, Tie};
use crate::{Error, Result};

/// The most matches that are given, and the most tokens in them.
const MOST_MATCHES: usize = 10_000_000;
const MOST_TOKENS: usize = 40_000_000;
/// The most looks at tokens that a search takes, some seconds' worth.
const MOST_LOOKS: u64 = 500_000_000;

/// The tokens that fit a node, tree by tree.
#[derive(Default)]
pub(super) struct Places {
    /// Number of the tree and token: in the order of the matches, but sorted by tree.
    found: Vec<(u32, u32)>,
}

impl Places {
    pub(super) fn push(&mut self, tree: u32, token: u32) {
        self.found.push((tree, token));
    }

    /// To be called when all are in.
    pub(super) fn sort(&mut self) {
        self.found.sort_by_key(|(tree, _)| *tree);
    }

    fn trees(&self) -> impl Iterator<Item = u32> {
        self.found.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk[0].0)
    }

    fn in_tree(&self, tree: u32) -> impl Iterator<Item = u32> {
        let start = self.found.partition_point(|(other, _)| *other < tree);
        let of_tree = move |place: &&(u32, u32)| place.0 == tree;
        self.found[start..].iter().take_while(of_tree).map(|(_, token)| *token)
    }
}

/// The tokens that may still stand for a node.
#[derive(Default)]
struct Candidates {
    tokens: Vec<u32>,
    /// Whether they are in the order of the text, each once.
    is_ascending: bool,
}

/// One search over one document.
pub(super) struct Search<'a> {
    trees: &'a Trees,
    places: &'a [Places],
    /// By node of the present pattern.
    candidates: Vec<Candidates>,
    looks: Looks,
    tokens: usize,
    found: Vec<DependencyMatch>,
}

impl<'a> Search<'a> {
    /// `places` are by number of the node.
    pub(super) fn new(trees: &'a Trees, places: &'a [Places]) -> Search<'a> {
        let looks = Looks(0);
        Search { trees, places, candidates: Vec::new(), looks, tokens: 0, found: Vec::new() }
    }

    pub(super) fn into_found(self) -> Vec<DependencyMatch> {
        self.found
    }

    /// Finds all that fits a pattern.
    pub(super) fn pattern(&mut self, pattern: &Compiled) -> Result<()> {
        let nodes = || pattern.nodes().map(|node| &self.places[node as usize]);
        // The rarest node is in the fewest trees.
        let Some(rarest) = nodes().min_by_key(|places| places.found.len()) else { return Ok(()) };
        self.candidates.resize_with(pattern.ties.len() + 1, Candidates::default);
        for tree in rarest.trees() {
            if self.gather(pattern, tree)? && self.strike(&pattern.ties)? {
                self.combine(pattern)?;
            }
        }
        Ok(())
    }

    /// Takes the tokens of one tree, and says whether there are some for each node.
    fn gather(&mut self, pattern: &Compiled, tree: u32) -> Result<bool> {
        for (candidates, node) in self.candidates.iter_mut().zip(pattern.nodes()) {
            let tokens = &mut candidates.tokens;
            tokens.clear();
            tokens.extend(self.places[node as usize].in_tree(tree));
            self.looks.add(tokens.len() as u64)?;
            if tokens.is_empty() {
                return Ok(false);
            }
            candidates.is_ascending = tokens.is_sorted_by(|a, b| a < b);
        }
        Ok(true)
    }

    /// Strikes the tokens with which no combination can be, and says whether some are left.
    fn strike(&mut self, ties: &[Tie]) -> Result<bool> {
        // From the last node on, so that what is tied to a node has been dealt with before it.
        for (i, tie) in ties.iter().enumerate().rev() {
            let mut tokens = std::mem::take(&mut self.candidates[tie.left].tokens);
            let mut failure = None;
            tokens.retain(|token| {
                let mut choices = self.candidates[i + 1].choices(self.trees, tie, *token);
                choices
                    .next(self.trees, &mut self.looks)
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
            self.candidates[tie.left].tokens = tokens;
        }
        Ok(true)
    }

    /// Gives all combinations of what is left.
    fn combine(&mut self, pattern: &Compiled) -> Result<()> {
        let (trees, ties) = (self.trees, &pattern.ties);
        let mut chosen = Vec::with_capacity(ties.len() + 1);
        // Behind the anchor a level for each node that is being chosen.
        let mut levels: Vec<Choices<'_>> = Vec::with_capacity(ties.len());
        for anchor in &self.candidates[0].tokens {
            chosen.clear();
            chosen.push(*anchor);
            loop {
                if chosen.len() == ties.len() + 1 {
                    self.tokens += chosen.len();
                    if self.found.len() == MOST_MATCHES || self.tokens > MOST_TOKENS {
                        return Err(too_many_matches());
                    }
                    let tokens = chosen.iter().map(|token| *token as usize).collect();
                    self.found.push(DependencyMatch { key: pattern.key, tokens });
                } else {
                    let tie = &ties[levels.len()];
                    let candidates = &self.candidates[levels.len() + 1];
                    levels.push(candidates.choices(trees, tie, chosen[tie.left]));
                }
                let next = loop {
                    let Some(level) = levels.last_mut() else { break None };
                    match level.next(trees, &mut self.looks)? {
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
    /// Those that are tied to a token, by whichever way looks at fewer.
    fn choices<'a>(&'a self, trees: &'a Trees, tie: &Tie, left: u32) -> Choices<'a> {
        let related = trees.related(tie.link, left);
        let tokens = self.tokens.as_slice();
        if !self.is_ascending {
            return Choices { tokens, test: Test::Related(related) };
        }
        let between = |start: u32, end: u32| {
            let first = tokens.partition_point(|token| *token < start);
            &tokens[first..first + tokens[first..].partition_point(|token| *token < end)]
        };
        match related {
            Related::Range(range) => {
                Choices { tokens: between(range.start, range.end), test: Test::None }
            }
            Related::These(these) => {
                let (first, last) = (these.first(), these.last());
                let tokens = first.zip(last).map_or(&[][..], |(f, l)| between(*f, *l + 1));
                if tokens.len() <= these.len() {
                    Choices { tokens, test: Test::Related(related) }
                } else {
                    Choices { tokens: these, test: Test::Listed(tokens) }
                }
            }
            Related::Above(_, ref range) | Related::Below(_, ref range) => {
                let tokens = between(range.start, range.end);
                Choices { tokens, test: Test::Related(related) }
            }
        }
    }
}

/// The tokens that a node can be, given that which it is tied to.
struct Choices<'a> {
    tokens: &'a [u32],
    test: Test<'a>,
}

/// What a token has to pass besides.
enum Test<'a> {
    None,
    Related(Related<'a>),
    /// To be among these.
    Listed(&'a [u32]),
}

impl Choices<'_> {
    fn next(&mut self, trees: &Trees, looks: &mut Looks) -> Result<Option<u32>> {
        while let Some((token, rest)) = self.tokens.split_first() {
            self.tokens = rest;
            looks.add(1)?;
            let passes = match &self.test {
                Test::None => true,
                Test::Related(related) => {
                    looks.add(trees.cost(related, *token))?;
                    trees.contains(related, *token)
                }
                Test::Listed(tokens) => tokens.binary_search(token).is_ok(),
            };
            if passes {
                return Ok(Some(*token));
            }
        }
        Ok(None)
    }
}

/// How often tokens were looked at.
struct Looks(u64);

impl Looks {
    fn add(&mut self, looks: u64) -> Result<()> {
        self.0 += looks;
        if self.0 <= MOST_LOOKS {
            return Ok(());
        }
        let text = format!(
            "a search for trees takes at most {MOST_LOOKS} looks at tokens, and this one needs more; \
             patterns with more conditions, or shorter documents, need fewer"
        );
        Err(Error::value("match-limit", text))
    }
}

fn too_many_matches() -> Error {
    let text = format!(
        "a search for trees gives at most {MOST_MATCHES} matches with {MOST_TOKENS} tokens, and \
         there are more"
    );
    Error::value("match-limit", text)
}
