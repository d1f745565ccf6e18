//! Patterns of trees: nodes, each tied to an earlier one.

use crate::matcher::Pattern;
use crate::{Error, Result};

/// The most nodes that a pattern may have.
const MOST_NODES: usize = 1_000;

/// How a node stands to the earlier one that it is tied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// `<`: it is the head.
    Head,
    /// `>`: it is a child.
    Child,
    /// `<<`: it is the head, or the head's head, and so on.
    Ancestor,
    /// `>>`: it is a child, or a child's child, and so on.
    Descendant,
    /// `.`: it is the next token of the sentence.
    Next,
    /// `.*`: it comes later in the sentence.
    Later,
    /// `;`: it is the token before, in the sentence.
    Previous,
    /// `;*`: it comes earlier in the sentence.
    Earlier,
    /// `$+`: it is the next token, and a child of the same head. For this and the other siblings
    /// a root counts as its own head, so its children are its siblings.
    NextSibling,
    /// `$-`: it is the token before, and a child of the same head.
    PreviousSibling,
    /// `$++`: it is a later child of the same head.
    LaterSibling,
    /// `$--`: it is an earlier child of the same head.
    EarlierSibling,
    /// `>+`: it is the next token, and a child.
    NextChild,
    /// `>-`: it is the token before, and a child.
    PreviousChild,
    /// `>++`: it is a child, and comes later.
    LaterChild,
    /// `>--`: it is a child, and comes earlier.
    EarlierChild,
    /// `<+`: it is the next token, and the head.
    NextHead,
    /// `<-`: it is the token before, and the head.
    PreviousHead,
    /// `<++`: it is the head, and comes later.
    LaterHead,
    /// `<--`: it is the head, and comes earlier.
    EarlierHead,
}

/// All of them, by the operators that they are written as.
const OPERATORS: [(&str, Link); 20] = [
    ("<", Link::Head),
    (">", Link::Child),
    ("<<", Link::Ancestor),
    (">>", Link::Descendant),
    (".", Link::Next),
    (".*", Link::Later),
    (";", Link::Previous),
    (";*", Link::Earlier),
    ("$+", Link::NextSibling),
    ("$-", Link::PreviousSibling),
    ("$++", Link::LaterSibling),
    ("$--", Link::EarlierSibling),
    (">+", Link::NextChild),
    (">-", Link::PreviousChild),
    (">++", Link::LaterChild),
    (">--", Link::EarlierChild),
    ("<+", Link::NextHead),
    ("<-", Link::PreviousHead),
    ("<++", Link::LaterHead),
    ("<--", Link::EarlierHead),
];

impl Link {
    /// All links with the operators of patterns.
    ///
    /// ```
    /// use lexpool::matcher::Link;
    /// assert!(Link::all().any(|(operator, link)| (operator, link) == (">>", Link::Descendant)));
    /// ```
    pub fn all() -> impl ExactSizeIterator<Item = (&'static str, Link)> {
        OPERATORS.into_iter()
    }

    /// The link that an operator stands for.
    ///
    /// # Errors
    ///
    /// `E1007` if there is no such operator.
    pub fn of(operator: &str) -> Result<Link> {
        let found = Link::all().find(|(known, _)| *known == operator);
        found.map(|(_, link)| link).ok_or_else(|| {
            let known: Vec<_> = Link::all().map(|(known, _)| known).collect();
            let text = format!("{operator:?} is no operator; there are {}", known.join(" "));
            Error::value("E1007", text)
        })
    }
}

/// A tree of nodes: the anchor, which stands alone, and others that are each tied to an earlier one.
///
/// ```
/// use lexpool::matcher::{DependencyPattern, Link, Pattern, Test};
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
///
/// let word = |word: &str| -> lexpool::Result<Pattern> {
///     let mut pattern = Pattern::default();
///     pattern.push(vec![Test::Is(AttrId::LOWER, StrId::of(word).get())], "1")?;
///     Ok(pattern)
/// };
/// let mut pattern = DependencyPattern::new(word("founded")?);
/// let company = pattern.push(0, Link::of(">")?, word("company")?)?;
/// pattern.push(company, Link::Descendant, word("small")?)?;
/// assert_eq!(pattern.len(), 3);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DependencyPattern {
    pub(super) anchor: Pattern,
    pub(super) nodes: Vec<Node>,
}

/// A node behind the anchor.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The node it is tied to; the anchor is 0.
    pub(super) left: usize,
    pub(super) link: Link,
    pub(super) tokens: Pattern,
}

impl DependencyPattern {
    /// A pattern of one node, with conditions on a token. Of several tokens the first stands for
    /// the node.
    pub fn new(anchor: Pattern) -> DependencyPattern {
        DependencyPattern { anchor, nodes: Vec::new() }
    }

    /// Adds a node that is tied to an earlier one, and gives its number; the anchor's is 0.
    ///
    /// # Errors
    ///
    /// `E101` if there is no node of the number, `rule-limit` for more than a thousand nodes.
    pub fn push(&mut self, left: usize, link: Link, tokens: Pattern) -> Result<usize> {
        let number = self.len();
        if left >= number {
            let text = format!("node {number} is tied to {left}, which is no earlier node");
            return Err(Error::value("E101", text));
        }
        if number >= MOST_NODES {
            let text = format!("a pattern has at most {MOST_NODES} nodes, and this is one more");
            return Err(Error::value("rule-limit", text));
        }
        self.nodes.push(Node { left, link, tokens });
        Ok(number)
    }

    /// How many nodes there are, the anchor included.
    #[expect(clippy::len_without_is_empty, reason = "there is always the anchor")]
    pub fn len(&self) -> usize {
        self.nodes.len() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_is_a_link_of_its_own() {
        for (i, (operator, link)) in OPERATORS.iter().enumerate() {
            assert_eq!(Link::of(operator).unwrap(), *link);
            assert!(OPERATORS[..i].iter().all(|(_, other)| other != link), "{operator}");
        }
    }

    #[test]
    fn what_is_no_operator_is_refused_with_a_list_of_those_that_are() {
        let error = Link::of("!!!").unwrap_err();
        assert_eq!(error.code(), "E1007");
        assert!(error.message().contains("$++"), "{error}");
    }

    #[test]
    fn a_node_is_tied_to_an_earlier_one() {
        let mut pattern = DependencyPattern::new(Pattern::default());
        let refused = pattern.push(1, Link::Child, Pattern::default()).unwrap_err();
        assert_eq!(refused.code(), "E101");
        for number in 1..MOST_NODES {
            let pushed = pattern.push(number - 1, Link::Child, Pattern::default());
            assert_eq!(pushed.unwrap(), number);
        }
        let refused = pattern.push(0, Link::Child, Pattern::default()).unwrap_err();
        assert_eq!((refused.code(), pattern.len()), ("rule-limit", MOST_NODES));
    }
}
