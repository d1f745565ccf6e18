//! Tokenizer rules in Python's form: callables, and special cases as dicts.

use std::sync::Arc;

use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokenizer::{PatternSource, RuleFn, RuleName, RuleSource, SpecialCases, SpecialToken};
use lexpool::vocab::Vocab;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use crate::object::strings::id_of;
use crate::object::vocab::attr_of;
use crate::runtime::error::{OrRaise, from_py};
use crate::runtime::items;
use crate::runtime::once_cell::OnceCell;
use crate::runtime::python_side;
use crate::runtime::user_calls::CallUser;

/// A callable, shared with the function that calls it: a single reference, so that the garbage
/// collector visits it once.
pub(crate) type Callable = Arc<Py<PyAny>>;

/// The callables of the five rules, in the order of [`RuleName::ALL`].
pub(crate) type Callables = [Option<Callable>; 5];

/// Converts a rule from Python: the callable to return to users, and its source for the core. The
/// callable is `None` for the source of an expression that the core runs: `re` compiles it when it
/// is asked for, which takes longer than loading the rest of a tokenizer.
///
/// The core runs a method of a compiled expression if it is the one that the rule needs. Any other
/// callable is called. An expression or its source stands for its method.
///
/// # Errors
///
/// `TypeError` for a non-callable object, `RuleError` for a source that does not compile.
pub(crate) fn rule(
    name: RuleName,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<(Option<Callable>, RuleSource)>> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(None) };
    if let Ok(source) = given.cast::<PyString>() {
        let pattern = PatternSource::new(source.to_str()?);
        if pattern.compile(name).is_ok() {
            return Ok(Some((None, RuleSource::Pattern(pattern))));
        }
    }
    let callable = method(name, given)?;
    if !callable.is_callable() {
        return Err(PyTypeError::new_err(format!(
            "{name}: expected a callable such as re.compile(...).{}, or None, not {}",
            method_name(name),
            given.repr()?
        )));
    }
    let pattern = pattern(name, &callable);
    let callable = Arc::new(callable.unbind());
    let source = match pattern {
        Ok(pattern) => RuleSource::Pattern(pattern),
        Err(reason) => RuleSource::Function { find: function(name, Arc::clone(&callable)), reason },
    };
    Ok(Some((Some(callable), source)))
}

/// The method of an expression that a rule calls in spaCy.
fn method_name(name: RuleName) -> &'static str {
    match name {
        RuleName::PrefixSearch | RuleName::SuffixSearch => "search",
        RuleName::InfixFinditer => "finditer",
        RuleName::TokenMatch | RuleName::UrlMatch => "match",
    }
}

/// The callable itself, or the method of an expression given as such or as its source.
fn method<'py>(name: RuleName, rule: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = rule.py();
    if rule.is_exact_instance(expressions(py)?) {
        return rule.getattr(method_name(name));
    }
    let Ok(source) = rule.cast::<PyString>() else { return Ok(rule.clone()) };
    compiled(py, name, source.to_str()?).or_else(|error| {
        // lexpool's error names the position and the rule.
        PatternSource::new(source.to_str()?).compile(name).or_raise()?;
        Err(error)
    })
}

/// The method of an expression that a rule calls, for a source.
pub(crate) fn compiled<'py>(
    py: Python<'py>,
    name: RuleName,
    source: &str,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("re")?.call_method1("compile", (source,))?.getattr(method_name(name))
}

/// The class of compiled expressions.
fn expressions(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static PATTERN: OnceCell<Py<PyType>> = OnceCell::new();
    let class = || Ok(py.import("re")?.getattr("Pattern")?.cast_into()?.unbind());
    PATTERN.get_or_try_init(py, class).map(|class| class.bind(py))
}

/// The expression whose method a callable is, or the reason why lexpool cannot run it.
fn pattern(name: RuleName, callable: &Bound<'_, PyAny>) -> Result<PatternSource, String> {
    let py = callable.py();
    let compiled = callable.getattr("__self__").ok();
    let of_re =
        |object: &Bound<'_, PyAny>| expressions(py).is_ok_and(|re| object.is_exact_instance(re));
    let Some(compiled) = compiled.filter(of_re) else {
        return Err("it is not a method of an expression compiled by `re`".to_owned());
    };
    let method = callable.getattr("__name__").and_then(|name| name.extract::<String>());
    let rule_method = method_name(name);
    match method {
        Ok(method) if method == rule_method => {}
        Ok(method) => return Err(format!("it is the method {method}, not {rule_method}")),
        Err(error) => return Err(error.to_string()),
    }
    let Ok(source) = compiled.getattr("pattern").and_then(|source| source.extract::<String>())
    else {
        return Err("its expression is for bytes".to_owned());
    };
    let flags = compiled.getattr("flags").and_then(|flags| flags.extract::<u32>());
    let pattern = PatternSource { source, flags: flags.map_err(|error| error.to_string())? };
    match pattern.compile(name) {
        Ok(_) => Ok(pattern),
        Err(error) => Err(error.message().to_owned()),
    }
}

/// A rule that calls Python.
fn function(name: RuleName, callable: Callable) -> Arc<RuleFn> {
    Arc::new(move |text, found| {
        Python::attach(|py| {
            ask(name, callable.bind(py), text, found)
                .map_err(|error| from_py(py, error, &format!("the function of {name} failed")))
        })
    })
}

fn ask(
    name: RuleName,
    callable: &Bound<'_, PyAny>,
    text: &str,
    found: &mut Vec<(usize, usize)>,
) -> PyResult<()> {
    let answer = callable.call_user((text,))?;
    let mut cursor = CharCursor { name, text, chars: 0, byte: 0 };
    match name {
        RuleName::TokenMatch | RuleName::UrlMatch => {
            if answer.is_truthy()? {
                found.push((0, text.len()));
            }
        }
        RuleName::PrefixSearch | RuleName::SuffixSearch => {
            if !answer.is_none() {
                found.push(cursor.range(&answer)?);
            }
        }
        RuleName::InfixFinditer => {
            for matched in items::iterate(&answer)? {
                found.push(cursor.range(&matched?)?);
            }
        }
    }
    Ok(())
}

/// A position in a text, moved forward from match to match: Python counts characters, lexpool
/// bytes.
struct CharCursor<'t> {
    name: RuleName,
    text: &'t str,
    chars: usize,
    byte: usize,
}

impl CharCursor<'_> {
    /// The byte range of a match, an object with the methods `start` and `end`.
    fn range(&mut self, matched: &Bound<'_, PyAny>) -> PyResult<(usize, usize)> {
        let start = matched.call_method0("start")?.extract::<isize>()?;
        let end = matched.call_method0("end")?.extract::<isize>()?;
        match (self.go_to(start), self.go_to(end)) {
            (Some(from), Some(to)) if start <= end => Ok((from, to)),
            _ => Err(PyValueError::new_err(format!(
                "the function of {} returned a match from {start} to {end}, which is outside of \
                 {:?}",
                self.name, self.text
            ))),
        }
    }

    fn go_to(&mut self, chars: isize) -> Option<usize> {
        let chars = usize::try_from(chars).ok()?;
        if chars < self.chars {
            (self.chars, self.byte) = (0, 0);
        }
        let mut rest = self.text[self.byte..].chars();
        while self.chars < chars {
            self.byte += rest.next()?.len_utf8();
            self.chars += 1;
        }
        Some(self.byte)
    }
}

const ORTH: u32 = AttrId::ORTH.number();
const NORM: u32 = AttrId::NORM.number();

/// Special cases from a dict of texts and their tokens.
pub(crate) fn special_cases(vocab: &Vocab, rules: &Bound<'_, PyAny>) -> PyResult<SpecialCases> {
    let rules = rules.cast::<PyDict>()?;
    let mut cases = Vec::with_capacity(rules.len());
    for (text, tokens) in rules {
        let text = text.extract::<String>()?;
        let tokens = special_tokens(vocab, &text, &tokens)?;
        cases.push((text, tokens));
    }
    Ok(cases)
}

/// The tokens of one special case from a list of dicts.
pub(crate) fn special_tokens(
    vocab: &Vocab,
    text: &str,
    tokens: &Bound<'_, PyAny>,
) -> PyResult<Vec<SpecialToken>> {
    items::read(tokens, |attrs| special_token(vocab, text, &attrs.cast_into()?))
}

fn special_token(vocab: &Vocab, text: &str, attrs: &Bound<'_, PyDict>) -> PyResult<SpecialToken> {
    let number = |key: &Bound<'_, PyAny>| attr_of(key).ok().map(AttrId::number);
    let mut attrs = attrs.clone();
    if attrs.keys().iter().any(|key| !matches!(number(&key), Some(ORTH | NORM))) {
        // Languages still carry entries of old tag maps, which spaCy ignores.
        attrs = attrs.copy()?;
        python_side::MODERNIZE_ATTRS.call(attrs.py(), (&attrs,))?;
    }
    let (mut orth, mut norm) = (None, None);
    for (key, value) in attrs {
        match number(&key) {
            Some(ORTH) => orth = Some(string(vocab, &value)?),
            Some(NORM) => norm = Some(string(vocab, &value)?),
            _ => {
                return Err(PyValueError::new_err(format!(
                    "[E1005] the special case {text:?} sets {}; only ORTH and NORM can be set",
                    key.repr()?
                )));
            }
        }
    }
    let Some(orth) = orth else {
        let message = format!("[E997] a token of the special case {text:?} has no ORTH");
        return Err(PyValueError::new_err(message));
    };
    Ok(SpecialToken { orth, norm })
}

/// A string, or the string of an id of the vocab.
fn string(vocab: &Vocab, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(string) = value.cast::<PyString>() {
        return Ok(string.to_str()?.to_owned());
    }
    let id = id_of(value)?;
    match vocab.strings().get(StrId::new(id)) {
        Some(string) => Ok(string.to_string()),
        None => {
            Err(PyKeyError::new_err(format!("[E018] unknown id {id}: its string was not added")))
        }
    }
}

/// Special cases as a dict, with attributes by number.
pub(crate) fn to_dict(py: Python<'_>, cases: SpecialCases) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (text, tokens) in cases {
        let list = PyList::empty(py);
        for token in tokens {
            let attrs = PyDict::new(py);
            attrs.set_item(ORTH, token.orth)?;
            if let Some(norm) = token.norm {
                attrs.set_item(NORM, norm)?;
            }
            list.append(attrs)?;
        }
        dict.set_item(text, list)?;
    }
    Ok(dict)
}
