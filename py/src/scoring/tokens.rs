//! Figures of tokens: their boundaries, their attributes and the features of their morphology.

use lexpool::structs::AttrId;
use lexpool::tokens::Doc;
use lexpool_training::scoring::{AttributeCounts, BoundaryCounts, FeatureCounts};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::example::{ScoredExample, examples_of};
use super::figures::dict_by_name;
use super::getter::{Getter, tokens_of};
use super::values::{Facts, MissingValues, Values};

/// Returns the scores of token boundaries.
///
/// `token_acc` is the share of predicted tokens that align with exactly one token of the reference;
/// `token_p`, `token_r` and `token_f` compare tokens as ranges of characters. Whitespace is
/// ignored, and so are references with unknown spaces. Scores without data are None.
#[pyfunction]
#[pyo3(signature = (examples, **_more))]
// stub: (examples: Iterable[Example]) -> dict[str, Any]
pub(super) fn score_tokenization<'py>(
    examples: &Bound<'py, PyAny>,
    _more: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut counts = BoundaryCounts::default();
    for example in examples_of(examples)? {
        let example = example?;
        // The alignment, which may fail, is not asked for without need.
        if !example.with_reference(Doc::has_unknown_spaces)? {
            example.with(|pair| counts.add(pair))?;
        }
    }
    dict_by_name(examples.py(), counts.scores())
}

/// Returns the accuracy of an attribute of tokens: `{attr}_acc`, or None without data.
///
/// getter: returns the value of a token, for `attr`; `getattr` by default.
/// missing_values: the values without annotation, `MISSING_VALUES` by default; reference tokens
///     with such a value are ignored.
///
/// The accuracy is an F-score. Predicted tokens that align with several reference tokens are
/// ignored, so that these count as missing. Predicted whitespace is ignored. Tags, parts of speech
/// and lemmas of the default getter are read without Python.
#[pyfunction]
#[pyo3(signature = (examples, attr, *, getter=None, missing_values=None, **_more))]
// stub: (examples: Iterable[Example], attr: str, getter: Callable[[Token, str], Any] | None,
//     missing_values: Container[Any] | None) -> dict[str, Any]
pub(super) fn score_token_attr<'py>(
    examples: &Bound<'py, PyAny>,
    attr: &Bound<'py, PyAny>,
    getter: Option<&Bound<'py, PyAny>>,
    missing_values: Option<&Bound<'py, PyAny>>,
    _more: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = examples.py();
    let mut collected = TokenValues::of(attr, getter, missing_values)?;
    let mut counts = AttributeCounts::default();
    for example in examples_of(examples)? {
        let example = example?;
        if let Some(column) = collected.column() {
            example.with(|pair| counts.add_attr(pair, column))?;
        } else {
            let (reference, predicted) = collected.of_example(&example)?;
            counts.add(&reference, predicted);
        }
    }
    dict_by_name(py, counts.scores(&collected.getter.attr()?))
}

/// Returns the scores of features, such as `Number=Sing`: over all of them `{attr}_micro_p`, `_r`
/// and `_f`, and for each field those in `{attr}_per_feat`. Scores without data are None.
///
/// getter: returns the id of a token's features in the FEATS format. Other arguments are as for
/// `score_token_attr`.
#[pyfunction]
#[pyo3(signature = (examples, attr, *, getter=None, missing_values=None, **_more))]
// stub: (examples: Iterable[Example], attr: str, getter: Callable[[Token, str], Any] | None,
//     missing_values: Container[Any] | None) -> dict[str, Any]
pub(super) fn score_token_attr_per_feat<'py>(
    examples: &Bound<'py, PyAny>,
    attr: &Bound<'py, PyAny>,
    getter: Option<&Bound<'py, PyAny>>,
    missing_values: Option<&Bound<'py, PyAny>>,
    _more: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = examples.py();
    let mut collected = TokenValues::of(attr, getter, missing_values)?;
    let mut texts = Facts::<String>::new();
    let mut counts = FeatureCounts::default();
    for example in examples_of(examples)? {
        let example = example?;
        if collected.column() == Some(AttrId::MORPH) {
            example.with(|pair| counts.add_morph(pair))?;
            continue;
        }
        let (reference, predicted) = collected.of_example(&example)?;
        let strings = example.reference.getattr("vocab")?.getattr("strings")?;
        let feats: Vec<(usize, usize)> = predicted
            .into_iter()
            .filter_map(|(gold, number)| match collected.is_missing(number) {
                Ok(true) => None,
                Ok(false) => Some(Ok((gold, number))),
                Err(raised) => Some(Err(raised)),
            })
            .collect::<PyResult<_>>()?;
        let numbers = reference.iter().flatten().chain(feats.iter().map(|(_, number)| number));
        for number in numbers {
            let value = collected.values.value(*number);
            texts.of(*number, || strings.get_item(value)?.extract())?;
        }
        let text = |number: usize| texts.known(number).map_or("", String::as_str);
        let labels: Vec<&str> = reference.iter().map(|own| own.map_or("", text)).collect();
        counts.add(&labels, feats.into_iter().map(|(gold, number)| (gold, text(number))));
    }
    dict_by_name(py, counts.scores(&collected.getter.attr()?))
}

/// The values of an attribute, collected from tokens.
struct TokenValues<'py> {
    getter: Getter<'py>,
    missing: MissingValues<'py>,
    values: Values<'py>,
}

/// The number of the value of each reference token, and that of predicted tokens by the position of
/// the reference token that they align with.
type Collected = (Vec<Option<usize>>, Vec<(usize, usize)>);

impl<'py> TokenValues<'py> {
    fn of(
        attr: &Bound<'py, PyAny>,
        getter: Option<&Bound<'py, PyAny>>,
        missing_values: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<TokenValues<'py>> {
        let py = attr.py();
        Ok(TokenValues {
            getter: Getter::of(attr, getter)?,
            missing: MissingValues::of(py, missing_values)?,
            values: Values::new(py),
        })
    }

    /// Returns the column that has the values, if they need not be collected.
    fn column(&self) -> Option<AttrId> {
        self.getter.column().filter(|_| self.missing.are_usual)
    }

    fn is_missing(&mut self, number: usize) -> PyResult<bool> {
        self.missing.contain(&self.values, number)
    }

    /// Collects the values of an example.
    fn of_example(&mut self, example: &ScoredExample<'py>) -> PyResult<Collected> {
        let words = example.aligned_words()?;
        let mut reference = Vec::new();
        for token in tokens_of(&example.reference)? {
            let number = self.number_of(&token)?;
            reference.push((!self.is_missing(number)?).then_some(number));
        }
        let tokens = tokens_of(&example.predicted)?;
        let mut predicted = Vec::new();
        for (token, gold) in words {
            if reference.get(gold).is_some_and(Option::is_some) {
                if let Some(token) = tokens.get(token) {
                    predicted.push((gold, self.number_of(token)?));
                }
            }
        }
        Ok((reference, predicted))
    }

    fn number_of(&mut self, token: &Bound<'py, PyAny>) -> PyResult<usize> {
        let value = self.getter.call(token)?;
        self.values.number_of(value)
    }
}
