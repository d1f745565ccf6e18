//! Constructors of gold annotation: `Gold.arc_eager` and `Gold.biluo`.

use lexpool::strings::StrId;
use lexpool::structs::SpanC;
use lexpool::transition::BiluoGold;
use pyo3::prelude::*;

use super::gold::{Gold, PyGold, other_gold};
use super::system::{PyMoves, System};
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;

/// start, end, start_char, end_char, label
type SpanTuple = (i32, i32, i32, i32, u64);

#[pymethods]
impl PyGold {
    /// Returns gold annotation of a tree: for each token its head, its label and the sentence
    /// start, each possibly None.
    ///
    /// Raises ValueError: transition-gold for lists of different lengths, E190 for a head outside,
    /// projective-cycle; TypeError (E909) for moves of another system.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    fn arc_eager(
        moves: &PyMoves,
        heads: Items<Option<i64>>,
        labels: Items<Option<String>>,
        sent_starts: Items<Option<bool>>,
    ) -> PyResult<PyGold> {
        let System::ArcEager(moves) = moves.system() else {
            return Err(other_gold("ArcEagerGold"));
        };
        // A negative head is mapped to one that is outside of any document.
        let head = |head: &i64| usize::try_from(*head).unwrap_or(usize::MAX);
        let heads: Vec<_> = heads.iter().map(|known| known.as_ref().map(head)).collect();
        let labels: Vec<_> = labels.iter().map(|label| label.as_deref().map(StrId::of)).collect();
        Ok(PyGold(Gold::ArcEager(moves.gold(&heads, &labels, &sent_starts).or_raise()?)))
    }

    /// Returns gold annotation of entities: a BILUO tag for each token, the entities of the tags,
    /// and spans that are not entities.
    ///
    /// Raises ValueError: E868 for a span of both kinds, E869 for a label that begins with "!";
    /// KeyError (E022) for a tag without a class; TypeError (E909) for moves of another system.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    // stub: (entities: Sequence[_SpanNumbers], negatives: Sequence[_SpanNumbers])
    fn biluo(
        moves: &PyMoves,
        tags: Items<Option<String>>,
        entities: Items<SpanTuple>,
        negatives: Items<SpanTuple>,
    ) -> PyResult<PyGold> {
        let System::Biluo(moves) = moves.system() else { return Err(other_gold("BiluoGold")) };
        let tags: Vec<_> = tags.iter().map(Option::as_deref).collect();
        let gold = BiluoGold::new(&moves, &tags, &spans(&entities), &spans(&negatives));
        Ok(PyGold(Gold::Biluo(gold.or_raise()?)))
    }
}

fn spans(tuples: &[SpanTuple]) -> Vec<SpanC> {
    let record = |&(start, end, start_char, end_char, label): &SpanTuple| SpanC {
        start,
        end,
        start_char,
        end_char,
        label,
        ..SpanC::default()
    };
    tuples.iter().map(record).collect()
}
