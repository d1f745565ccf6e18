//! The automaton that reads from a given start and finds where the match ends.
//!
//! A state is a list of steps in the order in which backtracking would try
//! them, so the first that accepts decides, as in Python. States are made when
//! they are first met; after that a character costs one look into a table.

use ahash::AHashMap;

use super::alphabet::Symbol;
use super::graph::{Check, Graph, Step, StepId};
use super::looks::Looks;
use super::rows::{DEAD, Marks, Move, Rows, State};

/// What a forward run wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The end that Python's order of choices prefers.
    End,
    /// Whether there is any; the end given is the nearest one.
    Any,
}

/// The kind of symbol to the left, and the steps to try, best first.
type Threads = (Symbol, Box<[StepId]>);

#[derive(Debug)]
pub(super) struct Forward {
    goal: Goal,
    rows: Rows<Threads>,
    /// The states that runs begin with, by entry and what is to the left: one
    /// for a pattern, few for its looks.
    begun: Vec<(StepId, Symbol, State)>,
    /// Moves that depend on looks, by what the looks said.
    answered: AHashMap<(State, Symbol, u32), Move>,
    seen: Marks,
    taken: Marks,
    stack: Vec<StepId>,
}

impl Forward {
    pub(super) fn new(graph: &Graph, goal: Goal) -> Forward {
        Forward {
            goal,
            rows: Rows::new(graph.alphabet.len(), (0, [].into())),
            begun: Vec::new(),
            answered: AHashMap::new(),
            seen: Marks::default(),
            taken: Marks::default(),
            stack: Vec::new(),
        }
    }

    /// The end of the match that begins with step `entry` at byte `at`.
    pub(super) fn run(
        &mut self,
        graph: &Graph,
        looks: &mut Looks,
        text: &str,
        entry: StepId,
        mut at: usize,
    ) -> Option<usize> {
        let left = graph.alphabet.before(text, at).0;
        let left = graph.before_kind[usize::from(left)];
        let mut state = self.begin(entry, left);
        let mut end = None;
        loop {
            let (symbol, width) = graph.alphabet.after(text, at);
            let mut found = self.rows.get(state, symbol);
            if !found.is_known() {
                found = self.work_out(graph, looks, text, at, state, symbol);
            }
            if found.is_hit() {
                end = Some(at);
                if self.goal == Goal::Any {
                    return end;
                }
            }
            state = found.to();
            if state == DEAD {
                return end;
            }
            at += width;
        }
    }

    fn begin(&mut self, entry: StepId, left: Symbol) -> State {
        let begun = self.begun.iter().find(|begun| (begun.0, begun.1) == (entry, left));
        if let Some(&(_, _, state)) = begun {
            return state;
        }
        let state = self.rows.state((left, [entry].into()), size_of::<StepId>());
        self.begun.push((entry, left, state));
        state
    }

    #[cold]
    fn work_out(
        &mut self,
        graph: &Graph,
        looks: &mut Looks,
        text: &str,
        at: usize,
        mut state: State,
        symbol: Symbol,
    ) -> Move {
        if self.rows.is_full() {
            // Only this state is needed from here on.
            let threads = self.rows.meaning(state).clone();
            *self = Forward::new(graph, self.goal);
            let size = size_of_val(&*threads.1);
            state = self.rows.state(threads, size);
        }
        if self.rows.get(state, symbol) == Move::UNKNOWN {
            let (_, asked) = self.follow(graph, state, symbol, None);
            if asked == 0 {
                let (found, _) = self.follow(graph, state, symbol, Some(0));
                self.rows.set(state, symbol, found);
                return found;
            }
            self.rows.ask(state, symbol, asked);
        }
        let truths = looks.truths(graph, text, self.rows.asked(state, symbol), at);
        if let Some(&found) = self.answered.get(&(state, symbol, truths)) {
            return found;
        }
        let (found, _) = self.follow(graph, state, symbol, Some(truths));
        self.answered.insert((state, symbol, truths), found);
        found
    }

    /// The move of a state on a symbol under the given truths of the looks.
    /// Without truths every look is taken to hold, and the answer is which
    /// looks were met that the symbol does not decide.
    fn follow(
        &mut self,
        graph: &Graph,
        state: State,
        symbol: Symbol,
        truths: Option<u32>,
    ) -> (Move, u32) {
        let (left, threads) = self.rows.meaning(state).clone();
        self.seen.clear(graph.steps.len());
        self.taken.clear(graph.steps.len());
        self.stack.clear();
        self.stack.extend(threads.iter().rev());
        let mut next_threads = Vec::new();
        let mut asked = 0;
        let mut hit = false;
        while let Some(step) = self.stack.pop() {
            let kind = graph.steps[step as usize];
            let goes_on = kind.goes_on(&self.seen);
            if !goes_on && !self.seen.insert(step) {
                continue;
            }
            match kind {
                Step::Take { set, next } => {
                    if graph.sets[set as usize].contains(symbol) && self.taken.insert(next) {
                        next_threads.push(next);
                    }
                }
                Step::Split { first, second } => self.stack.extend([second, first]),
                Step::Again { more, leave, .. } => {
                    self.stack.push(if goes_on { more } else { leave });
                }
                Step::Check { check, next } => {
                    let open = match (&graph.checks[check as usize], truths) {
                        (Check::Look { look, .. }, None) => {
                            asked |= graph.asks_after(*look, symbol) << look;
                            true
                        }
                        (_, truths) => graph.holds(check, left, symbol, truths.unwrap_or(0)),
                    };
                    if open {
                        self.stack.push(next);
                    }
                }
                Step::Accept if truths.is_some() => {
                    hit = true;
                    break;
                }
                Step::Accept => {}
            }
        }
        if truths.is_none() {
            return (Move::UNKNOWN, asked);
        }
        if hit && self.goal == Goal::Any {
            return (Move::new(DEAD, true), asked);
        }
        if self.goal == Goal::Any {
            next_threads.sort_unstable();
        }
        let to = if next_threads.is_empty() {
            DEAD
        } else {
            let left = graph.before_kind[usize::from(symbol)];
            let size = size_of_val(next_threads.as_slice());
            self.rows.state((left, next_threads.into()), size)
        };
        (Move::new(to, hit), asked)
    }
}
