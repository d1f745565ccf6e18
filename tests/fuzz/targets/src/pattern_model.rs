//! A naive matcher of patterns: a tree that is walked by backtracking, one way after another, as
//! Python's `re` documents its choices. It shares nothing with `lexpool-regex`.

use lexpool::tokenizer::pattern::flags;

/// A part of a pattern.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A character of a set.
    Atom(Atom),
    /// A condition on a position.
    Anchor(Anchor),
    /// One part after the other.
    Sequence(Vec<Node>),
    /// One of several parts, the first that leads to a match.
    Branches(Vec<Node>),
    /// A part repeated; lazily, as rarely as possible.
    Repeat { node: Box<Node>, least: usize, most: usize, is_lazy: bool },
    /// A condition on the text ahead, or behind, of atoms and anchors only.
    Look { nodes: Vec<Node>, is_behind: bool, is_negated: bool },
}

/// A set of characters, by its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atom(pub(crate) &'static str);

pub(crate) const ATOMS: [Atom; 14] = [
    Atom("a"),
    Atom("b"),
    Atom("B"),
    Atom("-"),
    Atom(r"\."),
    Atom("[ab]"),
    Atom("[^a]"),
    Atom("."),
    Atom(r"\w"),
    Atom(r"\W"),
    Atom("\u{e9}"),
    Atom("1"),
    Atom(r"\d"),
    Atom(r"\s"),
];

#[derive(Clone, Copy, Debug)]
pub(crate) enum Anchor {
    LineStart,
    LineEnd,
    Boundary,
    NoBoundary,
    TextStart,
    TextEnd,
}

pub(crate) const ANCHORS: [Anchor; 6] = [
    Anchor::LineStart,
    Anchor::LineEnd,
    Anchor::Boundary,
    Anchor::NoBoundary,
    Anchor::TextStart,
    Anchor::TextEnd,
];

impl Node {
    /// Returns the source of the part in Python's syntax.
    pub(crate) fn source(&self) -> String {
        let joined = |nodes: &[Node], between| {
            nodes.iter().map(Node::source).collect::<Vec<_>>().join(between)
        };
        match self {
            Node::Atom(atom) => atom.0.to_owned(),
            Node::Anchor(anchor) => match anchor {
                Anchor::LineStart => "^",
                Anchor::LineEnd => "$",
                Anchor::Boundary => r"\b",
                Anchor::NoBoundary => r"\B",
                Anchor::TextStart => r"\A",
                Anchor::TextEnd => r"\Z",
            }
            .to_owned(),
            Node::Sequence(nodes) => joined(nodes, ""),
            Node::Branches(nodes) => format!("(?:{})", joined(nodes, "|")),
            Node::Repeat { node, least, most, is_lazy } => {
                let most = if *most == usize::MAX { String::new() } else { most.to_string() };
                let lazy = if *is_lazy { "?" } else { "" };
                format!("(?:{}){{{least},{most}}}{lazy}", node.source())
            }
            Node::Look { nodes, is_behind, is_negated } => {
                let behind = if *is_behind { "<" } else { "" };
                let sign = if *is_negated { "!" } else { "=" };
                format!("(?{behind}{sign}{})", joined(nodes, ""))
            }
        }
    }

    /// Returns the number of characters of atoms and anchors.
    fn width(&self) -> usize {
        usize::from(matches!(self, Node::Atom(_)))
    }
}

/// More steps were made than a test should take.
#[derive(Debug)]
pub(crate) struct TooManySteps;

/// A search in a text.
pub(crate) struct Search<'a> {
    pub(crate) text: &'a [char],
    pub(crate) flags: u32,
    /// The steps that are left.
    pub(crate) steps: usize,
}

type SearchResult<T> = Result<T, TooManySteps>;

impl Search<'_> {
    /// Returns the end of the match at a position.
    pub(crate) fn match_at(
        &mut self,
        node: &Node,
        at: usize,
        empty: bool,
    ) -> SearchResult<Option<usize>> {
        let mut end = None;
        self.walk(node, at, &mut |_, found| {
            if !empty && found == at {
                return Ok(false);
            }
            end = Some(found);
            Ok(true)
        })?;
        Ok(end)
    }

    /// Returns the first match from a position on. An empty one there counts only if `empty`.
    pub(crate) fn find(
        &mut self,
        node: &Node,
        from: usize,
        empty: bool,
    ) -> SearchResult<Option<(usize, usize)>> {
        for at in from..=self.text.len() {
            if let Some(end) = self.match_at(node, at, empty || at > from)? {
                return Ok(Some((at, end)));
            }
        }
        Ok(None)
    }

    /// Returns all matches: none overlaps another, and no two empty ones are at one position.
    pub(crate) fn find_all(&mut self, node: &Node) -> SearchResult<Vec<(usize, usize)>> {
        let (mut found, mut from, mut empty) = (Vec::new(), 0, true);
        while let Some((start, end)) = self.find(node, from, empty)? {
            found.push((start, end));
            (from, empty) = (end, start != end);
        }
        Ok(found)
    }

    /// Matches a part at a position, and then what follows; returns whether all of it matches.
    fn walk(
        &mut self,
        node: &Node,
        at: usize,
        then: &mut dyn FnMut(&mut Self, usize) -> SearchResult<bool>,
    ) -> SearchResult<bool> {
        self.steps = self.steps.checked_sub(1).ok_or(TooManySteps)?;
        match node {
            Node::Atom(atom) => match self.text.get(at) {
                Some(char) if self.has(*atom, *char) => then(self, at + 1),
                _ => Ok(false),
            },
            Node::Anchor(anchor) => Ok(self.holds(*anchor, at) && then(self, at)?),
            Node::Sequence(nodes) => match nodes.split_first() {
                None => then(self, at),
                Some((first, rest)) => {
                    let rest = Node::Sequence(rest.to_vec());
                    self.walk(first, at, &mut |search, at| search.walk(&rest, at, then))
                }
            },
            Node::Branches(nodes) => {
                for node in nodes {
                    if self.walk(node, at, then)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Repeat { node, least, most, is_lazy } => {
                if *least == 0 && *is_lazy && then(self, at)? {
                    return Ok(true);
                }
                let again = Node::Repeat {
                    node: node.clone(),
                    least: least.saturating_sub(1),
                    most: if *most == usize::MAX { *most } else { most.saturating_sub(1) },
                    is_lazy: *is_lazy,
                };
                let is_found = *most > 0
                    && self.walk(node, at, &mut |search, end| search.walk(&again, end, then))?;
                Ok(is_found || (*least == 0 && !*is_lazy && then(self, at)?))
            }
            Node::Look { nodes, is_behind, is_negated } => {
                let width: usize = nodes.iter().map(Node::width).sum();
                let from = if *is_behind { at.checked_sub(width) } else { Some(at) };
                let inner = Node::Sequence(nodes.clone());
                let holds = match from {
                    Some(from) => self.walk(&inner, from, &mut |_, _| Ok(true))?,
                    None => false,
                };
                Ok(holds != *is_negated && then(self, at)?)
            }
        }
    }

    fn is_set(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    fn has(&self, atom: Atom, char: char) -> bool {
        let same = |one: char| {
            let folds = self.is_set(flags::IGNORECASE);
            one == char || folds && char.to_lowercase().eq(one.to_lowercase())
        };
        match atom.0 {
            "[ab]" => same('a') || same('b'),
            "[^a]" => !same('a'),
            "." => char != '\n' || self.is_set(flags::DOTALL),
            r"\." => char == '.',
            r"\w" => self.is_word(char),
            r"\W" => !self.is_word(char),
            r"\d" => char.is_ascii_digit(),
            r"\s" => matches!(char, ' ' | '\n'),
            literal => literal.chars().all(same),
        }
    }

    fn is_word(&self, char: char) -> bool {
        let is_alphanumeric = if self.is_set(flags::ASCII) {
            char.is_ascii_alphanumeric()
        } else {
            char.is_alphanumeric()
        };
        is_alphanumeric || char == '_'
    }

    fn holds(&self, anchor: Anchor, at: usize) -> bool {
        let (text, is_lines) = (self.text, self.is_set(flags::MULTILINE));
        let is_word = |at: usize| text.get(at).is_some_and(|char| self.is_word(*char));
        let is_boundary = (at > 0 && is_word(at - 1)) != is_word(at);
        match anchor {
            Anchor::TextStart => at == 0,
            Anchor::TextEnd => at == text.len(),
            Anchor::LineStart => at == 0 || is_lines && text[at - 1] == '\n',
            Anchor::LineEnd => {
                let is_line_end = text.get(at) == Some(&'\n');
                at == text.len() || is_line_end && (is_lines || at + 1 == text.len())
            }
            Anchor::Boundary => is_boundary,
            // Python before 3.14 finds neither in an empty text.
            Anchor::NoBoundary => !is_boundary && !text.is_empty(),
        }
    }
}
