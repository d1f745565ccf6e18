//! A question now and then whether long work shall go on.

use crate::Result;

/// The steps between two questions: some milliseconds of work.
const GLANCE: usize = 1 << 20;

/// Counts steps, and asks now and then whether to go on.
pub(crate) struct Watch<'c> {
    steps: usize,
    check: &'c mut dyn FnMut() -> Result<()>,
}

impl Watch<'_> {
    /// A count that starts from nothing; the error of `check` ends the work.
    pub(crate) fn new(check: &mut dyn FnMut() -> Result<()>) -> Watch<'_> {
        Watch { steps: 0, check }
    }

    /// Adds steps that were taken.
    #[inline]
    pub(crate) fn after(&mut self, steps: usize) -> Result<()> {
        self.steps += steps;
        if self.steps < GLANCE {
            return Ok(());
        }
        self.steps = 0;
        (self.check)()
    }
}
