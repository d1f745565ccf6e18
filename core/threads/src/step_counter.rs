//! Interruption of long work on one thread.

#![forbid(unsafe_code)]

use lexpool_error::Result;

/// Steps between two calls of the check: some milliseconds of work.
const STEPS_PER_CHECK: usize = 1 << 20;

/// Counts the steps of long work, and calls a check after about a million of them.
///
/// ```
/// use lexpool_threads::StepCounter;
///
/// let mut checks = 0;
/// let mut check = || {
///     checks += 1;
///     Ok(())
/// };
/// let mut counter = StepCounter::new(&mut check);
/// counter.after(10)?;
/// counter.after(1 << 20)?;
/// assert_eq!(checks, 1);
/// # Ok::<(), lexpool_error::Error>(())
/// ```
pub struct StepCounter<'c> {
    steps: usize,
    check: &'c mut dyn FnMut() -> Result<()>,
}

impl StepCounter<'_> {
    /// Makes a counter at zero. An error of `check` ends the work.
    pub fn new(check: &mut dyn FnMut() -> Result<()>) -> StepCounter<'_> {
        StepCounter { steps: 0, check }
    }

    /// Adds steps that were taken.
    ///
    /// # Errors
    ///
    /// Those of the check.
    #[inline]
    pub fn after(&mut self, steps: usize) -> Result<()> {
        self.steps += steps;
        if self.steps < STEPS_PER_CHECK {
            return Ok(());
        }
        self.steps = 0;
        (self.check)()
    }
}
