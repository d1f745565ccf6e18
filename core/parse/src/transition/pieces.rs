//! Long documents, cut for training into pieces of a limited number of moves.

use super::{ClassIx, ParseState, TransitionSystem};
use lexpool_error::Result;

/// Returns the states from which training follows its own moves: the state at the start of every
/// `max_moves` classes of a sequence, each reached by the classes before it. spaCy's
/// `_init_gold_batch` cuts documents so.
///
/// `has_gold` says whether the words from one position up to another have gold annotation; both are
/// the first word of the buffer, `None` if the buffer is empty. Pieces without are left out. With
/// `max_moves` 0 there is one piece.
///
/// # Errors
///
/// As for [`TransitionSystem::apply`].
pub fn pieces<S: TransitionSystem>(
    system: &S,
    state: &ParseState,
    sequence: &[ClassIx],
    max_moves: usize,
    mut has_gold: impl FnMut(Option<usize>, Option<usize>) -> bool,
) -> Result<Vec<ParseState>> {
    let mut pieces = Vec::new();
    let mut state = state.clone();
    for classes in sequence.chunks(if max_moves == 0 { usize::MAX } else { max_moves }) {
        let start = state.clone();
        for class in classes {
            system.apply(&mut state, *class)?;
            if state.is_final() {
                break;
            }
        }
        if has_gold(start.b(0), state.b(0)) {
            pieces.push(start);
        }
        if state.is_final() {
            break;
        }
    }
    Ok(pieces)
}
