//! Answers the look-arounds that are wider than one character.

use super::forward::{Forward, Goal};
use super::graph::Graph;

/// The automaton that runs look-arounds. Their width is bounded, so asking at
/// every place of a text still costs time linear in the text.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// Absent until first needed, and while it is running: a look-around
    /// within a look-around then runs on one of its own.
    runner: Option<Box<Forward>>,
}

impl Looks {
    /// Which of the `asked` looks (as bits) match at byte `at`.
    pub(super) fn truths(&mut self, graph: &Graph, text: &str, asked: u32, at: usize) -> u32 {
        let mut truths = 0;
        let mut rest = asked;
        while rest != 0 {
            let look = rest.trailing_zeros();
            rest &= rest - 1;
            truths |= u32::from(self.matches(graph, text, look, at)) << look;
        }
        truths
    }

    fn matches(&mut self, graph: &Graph, text: &str, look: u32, at: usize) -> bool {
        let look = &graph.looks[look as usize];
        let mut from = at;
        for _ in 0..look.behind.unwrap_or(0) {
            let (_, width) = graph.alphabet.before(text, from);
            if width == 0 {
                return false;
            }
            from -= width;
        }
        let runner = self.runner.take();
        let mut runner = runner.unwrap_or_else(|| Box::new(Forward::new(graph, Goal::Any)));
        let end = runner.run(graph, self, text, look.entry, from);
        self.runner = Some(runner);
        end.is_some()
    }
}
