//! Patterns of tokens: elements with operators, as the steps that an automaton takes.

use super::Test;
use crate::{Error, Result};

/// The most steps that a pattern may have, and the most of them that may take no token: how many
/// ways there are through a pattern grows with these.
const MOST_STEPS: usize = 10_000;
const MOST_OPTIONAL: usize = 1_000;

/// A sequence of elements, each of conditions on a token and how often such a token comes.
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

/// What an automaton does with one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) quantifier: Quantifier,
    /// The element whose conditions are asked.
    pub(super) element: u32,
}

/// How many tokens a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantifier {
    /// One that fulfils the conditions.
    One,
    /// One that does not.
    Other,
    /// One or none.
    Optional,
    /// Any number.
    Any,
}

impl Quantifier {
    /// Whether what the step takes fulfils the conditions.
    pub(super) fn is_positive(self) -> bool {
        self != Quantifier::Other
    }

    /// Whether the step may take no token.
    pub(super) fn is_optional(self) -> bool {
        matches!(self, Quantifier::Optional | Quantifier::Any)
    }
}

impl Pattern {
    /// Adds an element: conditions that all have to be fulfilled, none for any token, and its
    /// operator.
    ///
    /// The operators are `1`, `?`, `*` and `+` with their usual meaning, `{n}`, `{n,m}`, `{n,}` and
    /// `{,m}`, and `!` for one token that does not fulfil the conditions.
    ///
    /// # Errors
    ///
    /// `E011` for any other operator, and for more than ten thousand steps in a pattern, or a thousand
    /// that may take no token; a repetition takes one for each time.
    pub fn push(&mut self, tests: Vec<Test>, operator: &str) -> Result<()> {
        let element = u32::try_from(self.elements.len()).unwrap_or(u32::MAX);
        let (least, rest) = repetitions(operator)?;
        let optional = match rest {
            Rest::AtMost(count) => count,
            Rest::Any | Rest::Other => 1,
        };
        let count = self.steps.len().saturating_add(least).saturating_add(optional);
        let own = if matches!(rest, Rest::Other) { 0 } else { optional };
        let optional = self.steps.iter().filter(|step| step.quantifier.is_optional()).count();
        for (count, what, most) in [
            (count, "steps", MOST_STEPS),
            (optional.saturating_add(own), "optional steps", MOST_OPTIONAL),
        ] {
            if count > most {
                let text =
                    format!("with {operator:?} the pattern has {count} {what}; the most is {most}");
                return Err(Error::value("E011", text));
            }
        }
        let step = |quantifier| Step { quantifier, element };
        self.steps.extend(std::iter::repeat_n(step(Quantifier::One), least));
        match rest {
            Rest::AtMost(count) => {
                self.steps.extend(std::iter::repeat_n(step(Quantifier::Optional), count));
            }
            Rest::Any => self.steps.push(step(Quantifier::Any)),
            Rest::Other => self.steps.push(step(Quantifier::Other)),
        }
        self.elements.push(tests);
        Ok(())
    }

    /// Whether the pattern has no element.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Whether it can only fit a single token.
    pub(super) fn is_of_one_token(&self) -> bool {
        matches!(&*self.steps, [step] if !step.quantifier.is_optional())
    }
}

/// What may follow the tokens that an operator asks for.
enum Rest {
    AtMost(usize),
    Any,
    Other,
}

/// How many tokens there have to be, and what may follow.
fn repetitions(operator: &str) -> Result<(usize, Rest)> {
    Ok(match operator {
        "1" => (1, Rest::AtMost(0)),
        "?" => (0, Rest::AtMost(1)),
        "*" => (0, Rest::Any),
        "+" => (1, Rest::Any),
        "!" => (0, Rest::Other),
        _ => counted(operator).ok_or_else(|| unknown(operator))?,
    })
}

/// Reads an operator in braces.
fn counted(operator: &str) -> Option<(usize, Rest)> {
    let inner = operator.strip_prefix('{')?.strip_suffix('}')?;
    let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
    let (least, most) = (least.trim(), most.trim());
    if least.is_empty() && most.is_empty() {
        return None;
    }
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // A number that does not fit is beyond the limit in any case.
        is_number.then(|| digits.parse().unwrap_or(usize::MAX))
    };
    let least = if least.is_empty() { 0 } else { number(least)? };
    if most.is_empty() {
        return Some((least, Rest::Any));
    }
    Some((least, Rest::AtMost(number(most)?.checked_sub(least)?)))
}

fn unknown(operator: &str) -> Error {
    let text = format!(
        "{operator:?} is no operator; there are 1, ?, *, +, !, and {{n}}, {{n,m}}, {{n,}} and \
         {{,m}} with whole numbers n <= m"
    );
    Error::value("E011", text)
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
        use Quantifier::{Any, One, Optional, Other};
        let expected: [(&str, &[Quantifier]); 9] = [
            ("1", &[One]),
            ("?", &[Optional]),
            ("*", &[Any]),
            ("+", &[One, Any]),
            ("!", &[Other]),
            ("{2}", &[One, One]),
            ("{1,3}", &[One, Optional, Optional]),
            ("{2,}", &[One, One, Any]),
            ("{,2}", &[Optional, Optional]),
        ];
        for (operator, steps) in expected {
            assert_eq!(quantifiers(operator).unwrap(), steps, "{operator}");
        }
    }

    #[test]
    fn what_is_no_operator_is_refused_and_leaves_the_pattern_alone() {
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
