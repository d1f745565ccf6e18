//! The automaton that reads from the end and finds where matches start.
//!
//! Reading backward, a state is the set of steps from which what follows can
//! still be matched to an accepting end. It so marks every place at which some
//! match starts. The states are kept by place, and the end of a match is then
//! found by walking forward along live steps only, taking the first choice
//! that is alive: Python's preferred match without any backtracking, and all
//! matches of a text in time linear in it.

use ahash::AHashMap;

use super::alphabet::{EDGE, LAST_NEWLINE, Symbol};
use super::graph::{Check, Graph, Step, StepId};
use super::looks::Looks;
use super::rows::{DEAD, MOST_BYTES, Marks, Move, Rows, State};

/// The table outgrew its bound within one text.
#[derive(Debug)]
pub(super) struct Overgrown;

/// The kind of symbol to the right, and the steps known to be alive, sorted.
type Seeds = (Symbol, Box<[StepId]>);

/// A longer trail than this is given back once a text is done.
const KEPT_TRAIL: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct Backward {
    rows: Rows<Seeds>,
    /// The state at the end of a text.
    begin: State,
    arrows: Arrows,
    /// For each move, the index of the steps alive at the place it leaves.
    alive: Vec<u32>,
    lives: Vec<Alive>,
    life_ids: AHashMap<Box<[u64]>, u32>,
    /// Moves that depend on looks, by what the looks said.
    answered: AHashMap<(State, Symbol, u32), (Move, u32)>,
    /// The states that the last scan came through, by bytes from the end of the text.
    trail: Vec<State>,
    starts: Vec<usize>,
    seen: Marks,
    stack: Vec<StepId>,
}

/// The steps that lead to each step, by whether they take a character.
#[derive(Debug)]
struct Arrows {
    firsts: Vec<u32>,
    sources: Vec<StepId>,
}

#[derive(Debug)]
struct Alive {
    steps: Box<[u64]>,
    /// The step that a match from the entry goes to.
    leaf: Option<StepId>,
    /// The same for a match that is not empty.
    taking_leaf: Option<StepId>,
}

impl Alive {
    fn has(&self, step: StepId) -> bool {
        self.steps[step as usize / 64] & (1 << (step % 64)) != 0
    }
}

impl Arrows {
    fn new(graph: &Graph) -> Arrows {
        let targets = |step: &Step| match *step {
            Step::Take { next, .. } | Step::Check { next, .. } => [Some(next), None],
            Step::Split { first, second } | Step::Again { more: first, leave: second, .. } => {
                [Some(first), Some(second)]
            }
            Step::Accept => [None, None],
        };
        let mut firsts = vec![0_u32; graph.steps.len() + 1];
        for target in graph.steps.iter().flat_map(targets).flatten() {
            firsts[target as usize + 1] += 1;
        }
        for ix in 1..firsts.len() {
            firsts[ix] += firsts[ix - 1];
        }
        let mut place = firsts.clone();
        let mut sources = vec![0; firsts[graph.steps.len()] as usize];
        for (step, source) in graph.steps.iter().zip(0..) {
            for target in targets(step).into_iter().flatten() {
                sources[place[target as usize] as usize] = source;
                place[target as usize] += 1;
            }
        }
        Arrows { firsts, sources }
    }

    fn to(&self, step: StepId) -> &[StepId] {
        let step = step as usize;
        &self.sources[self.firsts[step] as usize..self.firsts[step + 1] as usize]
    }
}

impl Backward {
    pub(super) fn new(graph: &Graph) -> Backward {
        let mut rows = Rows::new(graph.alphabet.len(), (0, [].into()));
        let right = graph.after_kind[usize::from(EDGE)];
        let begin = rows.state((right, [graph.accept].into()), size_of::<StepId>());
        Backward {
            alive: vec![0; rows.len()],
            rows,
            begin,
            arrows: Arrows::new(graph),
            lives: Vec::new(),
            life_ids: AHashMap::new(),
            answered: AHashMap::new(),
            trail: Vec::new(),
            starts: Vec::new(),
            seen: Marks::default(),
            stack: Vec::new(),
        }
    }

    /// The leftmost match, as Python's `re.search` finds it.
    pub(super) fn search(
        &mut self,
        graph: &Graph,
        looks: &mut Looks,
        text: &str,
    ) -> Result<Option<(usize, usize)>, Overgrown> {
        self.scan(graph, looks, text)?;
        let Some(&start) = self.starts.last() else { return Ok(None) };
        let end = if graph.ends_at_edge && !text.ends_with('\n') {
            Some(text.len())
        } else {
            self.walk(graph, looks, text, start, false)?
        };
        self.give_back();
        Ok(end.map(|end| (start, end)))
    }

    /// All matches, as Python's `re.finditer` finds them.
    pub(super) fn find_all(
        &mut self,
        graph: &Graph,
        looks: &mut Looks,
        text: &str,
        out: &mut Vec<(usize, usize)>,
    ) -> Result<(), Overgrown> {
        self.scan(graph, looks, text)?;
        let mut from = 0;
        let mut empty_at = None;
        while let Some(&start) = self.starts.last() {
            // An empty match may be followed by another from the same place,
            // which then must not be empty.
            let found = if start < from {
                None
            } else {
                self.walk(graph, looks, text, start, empty_at == Some(start))?
            };
            match found {
                None => drop(self.starts.pop()),
                Some(end) => {
                    out.push((start, end));
                    from = end;
                    if start == end {
                        empty_at = Some(start);
                    }
                }
            }
        }
        self.give_back();
        Ok(())
    }

    fn give_back(&mut self) {
        if self.trail.len() > KEPT_TRAIL {
            self.trail = Vec::new();
            self.starts = Vec::new();
        }
    }

    /// Fills `trail`, and `starts` with all starts, the leftmost last.
    fn scan(&mut self, graph: &Graph, looks: &mut Looks, text: &str) -> Result<(), Overgrown> {
        if self.rows.is_full() {
            *self = Backward::new(graph);
        }
        self.starts.clear();
        let mut at = text.len();
        let mut state = self.begin;
        loop {
            // The trail grows as far as the scan goes: a suffix of a long text costs its own length.
            let back = text.len() - at;
            if self.trail.len() <= back {
                self.trail.resize(back + 1, DEAD);
            }
            self.trail[back] = state;
            let (symbol, width) = graph.alphabet.before(text, at);
            let mut found = self.rows.get(state, symbol);
            if !found.is_known() {
                found = self.work_out(graph, looks, text, at, state, symbol)?.0;
            }
            if found.is_hit() {
                self.starts.push(at);
            }
            state = found.to();
            if state == DEAD {
                return Ok(());
            }
            at -= width;
        }
    }

    fn state(&mut self, seeds: Seeds) -> State {
        let size = size_of_val(&*seeds.1);
        let state = self.rows.state(seeds, size);
        self.alive.resize(self.rows.len(), 0);
        state
    }

    /// The end of the match that starts at a start of the last scan; with
    /// `taking`, of the best one that is not empty.
    fn walk(
        &mut self,
        graph: &Graph,
        looks: &mut Looks,
        text: &str,
        start: usize,
        taking: bool,
    ) -> Result<Option<usize>, Overgrown> {
        let mut at = start;
        let life = self.life_at(graph, looks, text, at)?;
        let life = &self.lives[life as usize];
        let mut leaf = if taking { life.taking_leaf } else { life.leaf };
        while let Some(step) = leaf {
            let Step::Take { next, .. } = graph.steps[step as usize] else {
                return Ok(Some(at));
            };
            at += graph.alphabet.after(text, at).1;
            let life = self.life_at(graph, looks, text, at)?;
            let alive = &self.lives[life as usize].steps;
            leaf = first_leaf(graph, &mut self.seen, &mut self.stack, alive, next, false);
        }
        Ok(None)
    }

    /// The steps alive at a place of the last scan.
    fn life_at(
        &mut self,
        graph: &Graph,
        looks: &mut Looks,
        text: &str,
        at: usize,
    ) -> Result<u32, Overgrown> {
        let state = self.trail[text.len() - at];
        let (symbol, _) = graph.alphabet.before(text, at);
        if self.rows.get(state, symbol).is_known() {
            return Ok(self.alive[state as usize + usize::from(symbol)]);
        }
        self.work_out(graph, looks, text, at, state, symbol).map(|(_, life)| life)
    }

    /// The move from a state, and the steps alive at the place it leaves.
    #[cold]
    fn work_out(
        &mut self,
        graph: &Graph,
        looks: &mut Looks,
        text: &str,
        at: usize,
        state: State,
        symbol: Symbol,
    ) -> Result<(Move, u32), Overgrown> {
        if self.rows.get(state, symbol) == Move::UNKNOWN {
            let asked = self.asked(graph, state, symbol);
            if asked == 0 {
                let (found, life) = self.follow(graph, state, symbol, 0)?;
                self.rows.set(state, symbol, found);
                self.alive[state as usize + usize::from(symbol)] = life;
                return Ok((found, life));
            }
            self.rows.ask(state, symbol, asked);
        }
        let truths = looks.truths(graph, text, self.rows.asked(state, symbol), at);
        if let Some(&answer) = self.answered.get(&(state, symbol, truths)) {
            return Ok(answer);
        }
        let answer = self.follow(graph, state, symbol, truths)?;
        self.answered.insert((state, symbol, truths), answer);
        Ok(answer)
    }

    /// The looks that the move depends on, as bits.
    fn asked(&mut self, graph: &Graph, state: State, symbol: Symbol) -> u32 {
        let mut asked = 0;
        self.closure(graph, state, |check, right| match &graph.checks[check as usize] {
            Check::Look { look, .. } => {
                asked |= graph.asks_before(*look, symbol) << look;
                true
            }
            _ => graph.holds(check, symbol, right, 0),
        });
        asked
    }

    /// All steps alive where the state stands, if `holds` answers the checks
    /// (given with the symbol on the right).
    fn closure(
        &mut self,
        graph: &Graph,
        state: State,
        mut holds: impl FnMut(u32, Symbol) -> bool,
    ) -> Vec<StepId> {
        let (right, seeds) = self.rows.meaning(state);
        self.seen.clear(graph.steps.len());
        let mut alive: Vec<StepId> = seeds.to_vec();
        for &step in &alive {
            self.seen.insert(step);
        }
        let mut at = 0;
        while let Some(&step) = alive.get(at) {
            at += 1;
            for &source in self.arrows.to(step) {
                let open = match graph.steps[source as usize] {
                    Step::Split { .. } | Step::Again { .. } => true,
                    Step::Check { check, .. } => holds(check, *right),
                    Step::Take { .. } | Step::Accept => false,
                };
                if open && self.seen.insert(source) {
                    alive.push(source);
                }
            }
        }
        alive
    }

    fn follow(
        &mut self,
        graph: &Graph,
        state: State,
        symbol: Symbol,
        truths: u32,
    ) -> Result<(Move, u32), Overgrown> {
        if self.rows.is_full() || self.lives.len() * graph.steps.len() / 8 > MOST_BYTES {
            return Err(Overgrown);
        }
        let alive =
            self.closure(graph, state, |check, right| graph.holds(check, symbol, right, truths));

        let mut seeds = Vec::new();
        for &step in &alive {
            for &source in self.arrows.to(step) {
                if let Step::Take { set, .. } = graph.steps[source as usize] {
                    if graph.sets[set as usize].contains(symbol) {
                        seeds.push(source);
                    }
                }
            }
        }
        // A match may end here too, unless it must end where the text does.
        let anywhere = !graph.ends_at_edge || symbol == LAST_NEWLINE;
        let wide = symbol != EDGE;
        if anywhere && wide {
            seeds.push(graph.accept);
        }
        seeds.sort_unstable();

        let mut bits = vec![0_u64; graph.steps.len().div_ceil(64)];
        for &step in &alive {
            bits[step as usize / 64] |= 1 << (step % 64);
        }
        let life = self.life(graph, bits.into());
        let hit = self.lives[life as usize].has(graph.entry);
        let to = if seeds.is_empty() {
            DEAD
        } else {
            self.state((graph.after_kind[usize::from(symbol)], seeds.into()))
        };
        Ok((Move::new(to, hit), life))
    }

    fn life(&mut self, graph: &Graph, steps: Box<[u64]>) -> u32 {
        if let Some(&life) = self.life_ids.get(&steps) {
            return life;
        }
        let mut leaf = |taking| {
            first_leaf(graph, &mut self.seen, &mut self.stack, &steps, graph.entry, taking)
        };
        let (leaf, taking_leaf) = (leaf(false), leaf(true));
        let life = u32::try_from(self.lives.len()).expect("MOST_BYTES bounds the table");
        self.lives.push(Alive { steps: steps.clone(), leaf, taking_leaf });
        self.life_ids.insert(steps, life);
        life
    }
}

/// The first live step that takes or accepts, in the order of choices from
/// `from`; with `taking`, the first that takes.
fn first_leaf(
    graph: &Graph,
    seen: &mut Marks,
    stack: &mut Vec<StepId>,
    alive: &[u64],
    from: StepId,
    taking: bool,
) -> Option<StepId> {
    seen.clear(graph.steps.len());
    stack.clear();
    stack.push(from);
    while let Some(step) = stack.pop() {
        let kind = graph.steps[step as usize];
        let goes_on = kind.goes_on(seen);
        let live = alive[step as usize / 64] & (1 << (step % 64)) != 0;
        if !live || (!goes_on && !seen.insert(step)) {
            continue;
        }
        match kind {
            Step::Accept if taking => {}
            Step::Take { .. } | Step::Accept => return Some(step),
            Step::Split { first, second } => stack.extend([second, first]),
            Step::Again { more, leave, .. } => stack.push(if goes_on { more } else { leave }),
            Step::Check { next, .. } => stack.push(next),
        }
    }
    None
}
