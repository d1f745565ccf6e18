//! Dependency patterns: nodes, each linked to an earlier one.

use crate::codes;
use crate::matcher::pattern::Pattern;
use crate::{Error, Result};

/// The maximum number of nodes of a pattern.
const MAX_NODES: usize = 1_000;

/// The relation of a node's token to the token of the earlier node that it is linked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// `<`: the head.
    Head,
    /// `>`: a child.
    Child,
    /// `<<`: an ancestor: the head, the head's head, and so on.
    Ancestor,
    /// `>>`: a descendant: a child, a child's child, and so on.
    Descendant,
    /// `.`: the next token of the sentence.
    Next,
    /// `.*`: any later token of the sentence.
    Later,
    /// `;`: the previous token of the sentence.
    Previous,
    /// `;*`: any earlier token of the sentence.
    Earlier,
    /// `$+`: the next token, if it is a child of the same head. For this and the other siblings a
    /// root counts as its own head, so its children are its siblings.
    NextSibling,
    /// `$-`: the previous token, if it is a child of the same head.
    PreviousSibling,
    /// `$++`: a later child of the same head.
    LaterSibling,
    /// `$--`: an earlier child of the same head.
    EarlierSibling,
    /// `>+`: the next token, if it is a child.
    NextChild,
    /// `>-`: the previous token, if it is a child.
    PreviousChild,
    /// `>++`: a child that comes later.
    LaterChild,
    /// `>--`: a child that comes earlier.
    EarlierChild,
    /// `<+`: the next token, if it is the head.
    NextHead,
    /// `<-`: the previous token, if it is the head.
    PreviousHead,
    /// `<++`: the head, if it comes later.
    LaterHead,
    /// `<--`: the head, if it comes earlier.
    EarlierHead,
}

/// All links with their operators.
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
    /// Returns all links with their operators.
    ///
    /// ```
    /// use lexpool::matcher::Link;
    /// assert!(Link::all().any(|(operator, link)| (operator, link) == (">>", Link::Descendant)));
    /// ```
    pub fn all() -> impl ExactSizeIterator<Item = (&'static str, Link)> {
        OPERATORS.into_iter()
    }

    /// Returns the link of an operator.
    ///
    /// # Errors
    ///
    /// `E1007` for an unknown operator.
    pub fn of(operator: &str) -> Result<Link> {
        let found = Link::all().find(|(known, _)| *known == operator);
        found.map(|(_, link)| link).ok_or_else(|| {
            let known: Vec<_> = Link::all().map(|(known, _)| known).collect();
            let text =
                format!("unknown operator {operator:?}; expected one of {}", known.join(" "));
            Error::value(codes::E1007, text)
        })
    }
}

/// A tree of nodes: the anchor, and further nodes that are each linked to an earlier one.
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
    pub(super) nodes: Vec<PatternNode>,
}

/// A node after the anchor.
#[derive(Clone, Debug)]
pub(super) struct PatternNode {
    /// The number of the node that it is linked to; the anchor is 0.
    pub(super) left: usize,
    pub(super) link: Link,
    pub(super) tokens: Pattern,
}

impl DependencyPattern {
    /// Returns a pattern with one node. If its token pattern matches several tokens, the first
    /// stands for the node.
    pub fn new(anchor: Pattern) -> DependencyPattern {
        DependencyPattern { anchor, nodes: Vec::new() }
    }

    /// Adds a node that is linked to an earlier one and returns its number. The anchor is node 0.
    ///
    /// # Errors
    ///
    /// `E101` if the pattern has no node `left`; `rule-limit` for more than 1,000 nodes.
    pub fn push(&mut self, left: usize, link: Link, tokens: Pattern) -> Result<usize> {
        let number = self.len();
        if left >= number {
            let text = format!("node {number} is linked to node {left}; expected an earlier node");
            return Err(Error::value(codes::E101, text));
        }
        if number >= MAX_NODES {
            let text = format!("the pattern has more than {MAX_NODES} nodes");
            return Err(Error::value(codes::RULE_LIMIT, text));
        }
        self.nodes.push(PatternNode { left, link, tokens });
        Ok(number)
    }

    /// Returns the number of nodes, including the anchor.
    #[expect(clippy::len_without_is_empty, reason = "a pattern always has its anchor")]
    pub fn len(&self) -> usize {
        self.nodes.len() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_its_own_link() {
        for (i, (operator, link)) in OPERATORS.iter().enumerate() {
            assert_eq!(Link::of(operator).unwrap(), *link);
            assert!(OPERATORS[..i].iter().all(|(_, other)| other != link), "{operator}");
        }
    }

    #[test]
    fn an_unknown_operator_is_refused_with_a_list_of_known_ones() {
        let error = Link::of("!!!").unwrap_err();
        assert_eq!(error.code(), "E1007");
        assert!(error.message().contains("$++"), "{error}");
    }

    #[test]
    fn a_node_is_linked_to_an_earlier_one() {
        let mut pattern = DependencyPattern::new(Pattern::default());
        let refused = pattern.push(1, Link::Child, Pattern::default()).unwrap_err();
        assert_eq!(refused.code(), "E101");
        for number in 1..MAX_NODES {
            let pushed = pattern.push(number - 1, Link::Child, Pattern::default());
            assert_eq!(pushed.unwrap(), number);
        }
        let refused = pattern.push(0, Link::Child, Pattern::default()).unwrap_err();
        assert_eq!((refused.code(), pattern.len()), ("rule-limit", MAX_NODES));
    }
}
