//! Token patterns: elements with operators, compiled to a chain of NFA steps.

use super::test::{Test, TextTest};
use crate::codes;
use crate::{Error, Result};

/// The maximum number of steps of a pattern.
const MAX_STEPS: usize = 10_000;
/// The maximum number of optional steps of a pattern: they multiply the paths through the NFA.
const MAX_OPTIONAL: usize = 1_000;

/// A sequence of elements, each with conditions on a token and an operator that says how often such
/// a token occurs.
///
/// ```
/// use lexpool::matcher::{Pattern, Test};
/// use lexpool::strings::StrId;
/// use lexpool::structs::AttrId;
///
/// let mut pattern = Pattern::default();
/// let hello = Test::Is(AttrId::LOWER, StrId::of("hello").get());
/// pattern.push(vec![hello], "+")?;
/// pattern.push(vec![], "?")?;
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    pub(super) elements: Vec<Vec<Test>>,
    pub(super) steps: Vec<Step>,
}

/// A step of the NFA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) quantifier: Quantifier,
    /// The element whose conditions are tested.
    pub(super) element: u32,
}

/// The tokens that a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantifier {
    /// One token that fulfils the conditions.
    One,
    /// One token that does not fulfil the conditions.
    Negated,
    /// At most one token that fulfils the conditions.
    Optional,
    /// Any number of tokens that fulfil the conditions.
    ZeroOrMore,
}

impl Quantifier {
    /// Returns whether the tokens that the step takes fulfil the conditions.
    pub(super) fn is_positive(self) -> bool {
        self != Quantifier::Negated
    }

    /// Returns whether the step may take no token.
    pub(super) fn is_optional(self) -> bool {
        matches!(self, Quantifier::Optional | Quantifier::ZeroOrMore)
    }
}

impl Pattern {
    /// Returns the conditions on strings.
    pub(super) fn text_tests(&self) -> impl Iterator<Item = &TextTest> {
        self.elements.iter().flatten().filter_map(|test| match test {
            Test::Text(_, text) | Test::NotText(_, text) => Some(text),
            _ => None,
        })
    }

    /// Adds an element: conditions that a token must fulfil, all of them, and an operator. Every
    /// token fulfils an empty list of conditions.
    ///
    /// The operators are `1`, `?`, `*` and `+` with their usual meaning, `{n}`, `{n,m}`, `{n,}` and
    /// `{,m}`, and `!` for one token that does not fulfil the conditions.
    ///
    /// # Errors
    ///
    /// `E011` for any other operator, and if the pattern would have more than 10,000 steps or 1,000
    /// optional steps; each repetition is a step.
    pub fn push(&mut self, tests: Vec<Test>, operator: &str) -> Result<()> {
        let element = u32::try_from(self.elements.len()).unwrap_or(u32::MAX);
        let (required, tail) = parse_operator(operator)?;
        let optional = match tail {
            OperatorTail::AtMost(count) => count,
            OperatorTail::Unbounded | OperatorTail::Negated => 1,
        };
        let count = self.steps.len().saturating_add(required).saturating_add(optional);
        let own = if matches!(tail, OperatorTail::Negated) { 0 } else { optional };
        let optional = self.steps.iter().filter(|step| step.quantifier.is_optional()).count();
        for (count, unit, max) in [
            (count, "steps", MAX_STEPS),
            (optional.saturating_add(own), "optional steps", MAX_OPTIONAL),
        ] {
            if count > max {
                let text = format!(
                    "the pattern has {count} {unit} with the operator {operator:?}; expected at \
                     most {max}"
                );
                return Err(Error::value(codes::E011, text));
            }
        }
        let step = |quantifier| Step { quantifier, element };
        self.steps.extend(std::iter::repeat_n(step(Quantifier::One), required));
        match tail {
            OperatorTail::AtMost(count) => {
                self.steps.extend(std::iter::repeat_n(step(Quantifier::Optional), count));
            }
            OperatorTail::Unbounded => self.steps.push(step(Quantifier::ZeroOrMore)),
            OperatorTail::Negated => self.steps.push(step(Quantifier::Negated)),
        }
        self.elements.push(tests);
        Ok(())
    }

    /// Returns whether the pattern has no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns whether every match is a single token.
    pub(super) fn is_single_token(&self) -> bool {
        matches!(&*self.steps, [step] if !step.quantifier.is_optional())
    }
}

/// The tokens that may follow those which an operator requires.
enum OperatorTail {
    AtMost(usize),
    Unbounded,
    Negated,
}

/// Parses an operator: the number of required tokens, and what may follow them.
fn parse_operator(operator: &str) -> Result<(usize, OperatorTail)> {
    Ok(match operator {
        "1" => (1, OperatorTail::AtMost(0)),
        "?" => (0, OperatorTail::AtMost(1)),
        "*" => (0, OperatorTail::Unbounded),
        "+" => (1, OperatorTail::Unbounded),
        "!" => (0, OperatorTail::Negated),
        _ => parse_braces(operator).ok_or_else(|| unknown(operator))?,
    })
}

/// Parses an operator in braces; returns `None` for anything else.
fn parse_braces(operator: &str) -> Option<(usize, OperatorTail)> {
    let inner = operator.strip_prefix('{')?.strip_suffix('}')?;
    let (min, max) = inner.split_once(',').unwrap_or((inner, inner));
    let (min, max) = (min.trim(), max.trim());
    if min.is_empty() && max.is_empty() {
        return None;
    }
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // A number that does not fit is beyond the limit in any case.
        is_number.then(|| digits.parse().unwrap_or(usize::MAX))
    };
    let min = if min.is_empty() { 0 } else { number(min)? };
    if max.is_empty() {
        return Some((min, OperatorTail::Unbounded));
    }
    Some((min, OperatorTail::AtMost(number(max)?.checked_sub(min)?)))
}

fn unknown(operator: &str) -> Error {
    let text = format!(
        "unknown operator {operator:?}; expected 1, ?, *, +, !, {{n}}, {{n,m}}, {{n,}} or {{,m}} \
         with whole numbers n <= m"
    );
    Error::value(codes::E011, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantifiers(operator: &str) -> Result<Vec<Quantifier>> {
        let mut pattern = Pattern::default();
        pattern.push(vec![], operator)?;
        Ok(pattern.steps.iter().map(|step| step.quantifier).collect())
    }

    #[test]
    fn operators_become_steps() {
        use Quantifier::{Negated, One, Optional, ZeroOrMore};
        let expected: [(&str, &[Quantifier]); 9] = [
            ("1", &[One]),
            ("?", &[Optional]),
            ("*", &[ZeroOrMore]),
            ("+", &[One, ZeroOrMore]),
            ("!", &[Negated]),
            ("{2}", &[One, One]),
            ("{1,3}", &[One, Optional, Optional]),
            ("{2,}", &[One, One, ZeroOrMore]),
            ("{,2}", &[Optional, Optional]),
        ];
        for (operator, steps) in expected {
            assert_eq!(quantifiers(operator).unwrap(), steps, "{operator}");
        }
    }

    #[test]
    fn an_unknown_operator_is_refused_and_leaves_the_pattern_unchanged() {
        let mut pattern = Pattern::default();
        let huge = "{99999999999999999999999}";
        for operator in ["", "$", "{}", "{,}", "{a}", "{3,2}", "{1,2,3}", "{-2}", "{2", huge] {
            assert_eq!(pattern.push(vec![], operator).unwrap_err().code(), "E011", "{operator}");
        }
        assert!(pattern.is_empty() && pattern.steps.is_empty());
        pattern.push(vec![], "{,999}").unwrap();
        assert!(pattern.push(vec![], "{9000}").is_ok() && pattern.push(vec![], "*").is_ok());
        for operator in ["?", "{,1}", "{2,}", "{1000}"] {
            assert_eq!(pattern.push(vec![], operator).unwrap_err().code(), "E011", "{operator}");
        }
    }
}
