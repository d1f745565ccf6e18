//! Classes: the moves of a transition system with their labels, in an order that lasts.
//!
//! A model gives a score to each class, so a class must mean the same when the model is read back.
//! Classes are in the order of their moves, and for one move by descending frequency of the label;
//! labels added later come last, for they get frequencies below those of all before.

use std::ops::Range;
use std::sync::Arc;

use ahash::AHashMap;

use lexpool_error::{Error, ErrorKind, Result, codes};
use lexpool_structs::StrId;

/// The position of a class: of its score in a row of scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ClassIx(u32);

impl ClassIx {
    /// Takes a number as a class; whether there is one, the system knows.
    pub const fn new(class: u32) -> ClassIx {
        ClassIx(class)
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The class at a position in a row of scores.
    pub(super) fn at(position: usize) -> ClassIx {
        ClassIx(u32::try_from(position).expect("there are less than 2^32 classes"))
    }
}

/// The transition of a class: the number of its move, and the label that it assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The number of the move.
    pub action: u8,
    /// The label.
    pub label: StrId,
}

/// Description of a system's moves.
#[derive(Debug)]
pub struct ActionKind {
    /// For errors.
    pub source: &'static str,
    /// The names of the moves by number.
    pub names: &'static [&'static str],
    /// The frequency that the first label of a move gets when it is added later.
    pub first_frequency: i64,
    /// Moves with labels that never become classes; adding one does nothing.
    pub refuses: fn(u8, StrId) -> bool,
    /// Returns whether the name of a class consists of its move alone.
    pub is_bare: fn(u8, StrId) -> bool,
    /// Returns whether a class differs from the others of its move; [`Actions::special`] lists it
    /// then.
    pub is_special: fn(u8, &str) -> bool,
}

/// The classes of a transition system, with the labels of each move and their frequencies.
///
/// ```
/// use lexpool_parse::transition::{ArcEager, TransitionSystem};
/// let mut moves = ArcEager::new();
/// moves.actions_mut().initialize([(0, vec![("", 9)]), (2, vec![("det", 1), ("nsubj", 5)])])?;
/// moves.actions_mut().add(2, "amod")?;
/// let names: Vec<_> = moves.actions().classes().map(|class| moves.actions().name(class)).collect();
/// assert_eq!(names, ["S", "L-nsubj", "L-det", "L-amod"]);
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Actions {
    kind: &'static ActionKind,
    transitions: Vec<Transition>,
    texts: Vec<Arc<str>>,
    by_transition: AHashMap<Transition, ClassIx>,
    runs: Vec<Run>,
    special: Vec<(Transition, ClassIx)>,
    labels: Vec<ActionLabels>,
}

/// Neighbouring classes of one move.
#[derive(Clone, Debug)]
pub struct Run {
    /// The move.
    pub action: u8,
    /// Their positions in a row.
    pub classes: Range<usize>,
    /// The first class without a special label.
    pub first_plain: Option<usize>,
}

/// The labels of one move, in the order in which they were added.
#[derive(Clone, Debug, Default)]
struct ActionLabels {
    action: u8,
    frequencies: Vec<(Arc<str>, i64)>,
    positions: AHashMap<Arc<str>, usize>,
}

impl Actions {
    /// No classes yet.
    pub fn new(kind: &'static ActionKind) -> Actions {
        Actions {
            kind,
            transitions: Vec::new(),
            texts: Vec::new(),
            by_transition: AHashMap::new(),
            runs: Vec::new(),
            special: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// The number of classes: spaCy's `n_moves`.
    #[inline]
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// Returns whether the system has 0 classes.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// All classes in order.
    pub fn classes(&self) -> impl Iterator<Item = ClassIx> + use<> {
        (0..self.len()).map(ClassIx::at)
    }

    /// Returns the transition of a class.
    #[inline]
    pub fn get(&self, class: ClassIx) -> Option<Transition> {
        self.transitions.get(class.0 as usize).copied()
    }

    /// The transition of each class.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// The class of a move with a label.
    pub fn find(&self, action: u8, label: StrId) -> Option<ClassIx> {
        self.by_transition.get(&Transition { action, label }).copied()
    }

    /// Returns the text of a class's label; empty for an unknown class.
    pub fn label(&self, class: ClassIx) -> &str {
        self.texts.get(class.0 as usize).map_or("", |text| text)
    }

    /// Returns the name of a class, such as `L-nsubj`; empty for an unknown class.
    pub fn name(&self, class: ClassIx) -> String {
        let Some(Transition { action, .. }) = self.get(class) else { return String::new() };
        self.move_name(action, self.label(class))
    }

    /// Returns the name of a move with a label; empty for an unknown move.
    pub fn move_name(&self, action: u8, label: &str) -> String {
        let Some(name) = self.kind.names.get(usize::from(action)) else { return String::new() };
        if (self.kind.is_bare)(action, StrId::of(label)) {
            return (*name).to_owned();
        }
        format!("{name}-{label}")
    }

    /// The class of a name, or none.
    ///
    /// # Errors
    ///
    /// `transition-move` if the name begins with no name of a move.
    pub fn find_name(&self, name: &str) -> Result<Option<ClassIx>> {
        let (of_move, label) = name.split_once('-').unwrap_or((name, ""));
        let action = self.kind.names.iter().position(|known| *known == of_move);
        let Some(action) = action.and_then(|action| u8::try_from(action).ok()) else {
            let names = self.kind.names.join(", ");
            let text = format!("no move {of_move:?}, of {name:?}; there are {names}");
            return Err(Error::value(codes::TRANSITION_MOVE, text));
        };
        Ok(self.find(action, StrId::of(label)))
    }

    /// The labels of each move and their frequencies, as [`initialize`](Actions::initialize) takes
    /// them, in the order in which they were added.
    pub fn labels(&self) -> impl Iterator<Item = (u8, impl Iterator<Item = (&str, i64)>)> {
        self.labels.iter().map(|labels| {
            let pairs = labels.frequencies.iter().map(|(label, frequency)| (&**label, *frequency));
            (labels.action, pairs)
        })
    }

    /// Returns whether a move could have a label that it does not have.
    pub fn lacks(&self, action: u8, label: StrId) -> bool {
        !(self.kind.refuses)(action, label) && !self.has_label(action, label)
    }

    /// Returns whether a move has a label.
    pub fn has_label(&self, action: u8, label: StrId) -> bool {
        self.by_transition.contains_key(&Transition { action, label })
    }

    /// Begins anew, with the labels of each move and their frequencies. A negative frequency says
    /// that the label was added later.
    ///
    /// # Errors
    ///
    /// `E019` for a number that no move has; nothing is changed then.
    pub fn initialize<L: AsRef<str>>(
        &mut self,
        labels_by_action: impl IntoIterator<Item = (u8, Vec<(L, i64)>)>,
    ) -> Result<()> {
        let mut label_counts: Vec<_> = labels_by_action.into_iter().collect();
        label_counts.sort_by_key(|(action, _)| *action);
        let mut actions = Actions::new(self.kind);
        let mut later: Vec<(i64, &str)> = Vec::new();
        let mut later_moves: AHashMap<&str, Vec<u8>> = AHashMap::new();
        for (action, labels) in &label_counts {
            actions.check(*action)?;
            actions.labels_mut(*action);
            let mut sorted: Vec<(i64, &str)> =
                labels.iter().map(|(label, frequency)| (*frequency, label.as_ref())).collect();
            sorted.sort_by(|a, b| b.cmp(a));
            for (frequency, label) in sorted {
                if frequency < 0 {
                    later.push((frequency, label));
                    later_moves.entry(label).or_default().push(*action);
                } else {
                    actions.add(*action, label)?;
                    actions.labels_mut(*action).set(label, frequency);
                }
            }
        }
        later.sort_by(|a, b| b.cmp(a));
        for (frequency, label) in later {
            // As in spaCy: the last frequency of a label is that of all moves that it was added to.
            for &action in &later_moves[label] {
                actions.add(action, label)?;
                actions.labels_mut(action).set(label, frequency);
            }
        }
        *self = actions;
        Ok(())
    }

    /// Adds a class at the end, and says whether there was none of it. Its label gets a frequency
    /// below all others of the move.
    ///
    /// # Errors
    ///
    /// `E019` for a number that no move has.
    pub fn add(&mut self, action: u8, label: &str) -> Result<bool> {
        self.add_transition(Transition { action, label: StrId::of(label) }, label)
    }

    /// Adds a class whose label is given by its id, with the string of that id. Otherwise as
    /// [`add`](Actions::add).
    ///
    /// # Errors
    ///
    /// As for [`add`](Actions::add), and `E018` if the string is `None`.
    pub fn add_id(&mut self, action: u8, label: StrId, text: Option<&str>) -> Result<bool> {
        let text = text.ok_or_else(|| {
            let text = format!("no string for the id {label} of a label of the move {action}");
            Error::new(ErrorKind::Key, codes::E018, text)
        })?;
        self.add_transition(Transition { action, label }, text)
    }

    fn add_transition(&mut self, transition: Transition, text: &str) -> Result<bool> {
        let Transition { action, label } = transition;
        self.check(action)?;
        if (self.kind.refuses)(action, label) || self.by_transition.contains_key(&transition) {
            return Ok(false);
        }
        let at = self.len();
        self.by_transition.insert(transition, ClassIx::at(at));
        self.transitions.push(transition);
        self.texts.push(text.into());
        let is_special = (self.kind.is_special)(action, text);
        let plain = (!is_special).then_some(at);
        if is_special {
            self.special.push((transition, ClassIx::at(at)));
        }
        match self.runs.last_mut() {
            Some(run) if run.action == action => {
                run.classes.end = at + 1;
                run.first_plain = run.first_plain.or(plain);
            }
            _ => self.runs.push(Run { action, classes: at..at + 1, first_plain: plain }),
        }
        let first = self.kind.first_frequency;
        let labels = self.labels_mut(action);
        let least = labels.frequencies.iter().map(|(_, frequency)| *frequency).min();
        labels.set(text, least.map_or(first, |least| least.min(0).saturating_sub(1)));
        Ok(true)
    }

    /// All classes as stretches of one move, so that what holds of the move is written at once.
    #[inline]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The special classes.
    #[inline]
    pub fn special(&self) -> &[(Transition, ClassIx)] {
        &self.special
    }

    fn check(&self, action: u8) -> Result<()> {
        if usize::from(action) < self.kind.names.len() {
            return Ok(());
        }
        let (source, last) = (self.kind.source, self.kind.names.len().saturating_sub(1));
        let text = format!("no move {action} in {source}: they are numbered from 0 to {last}");
        Err(Error::value(codes::E019, text))
    }

    fn labels_mut(&mut self, action: u8) -> &mut ActionLabels {
        let position = self.labels.iter().position(|labels| labels.action == action);
        let at = position.unwrap_or_else(|| {
            self.labels.push(ActionLabels { action, ..ActionLabels::default() });
            self.labels.len() - 1
        });
        &mut self.labels[at]
    }
}

impl ActionLabels {
    fn set(&mut self, label: &str, frequency: i64) {
        if let Some(&at) = self.positions.get(label) {
            self.frequencies[at].1 = frequency;
            return;
        }
        let label: Arc<str> = label.into();
        self.positions.insert(Arc::clone(&label), self.frequencies.len());
        self.frequencies.push((label, frequency));
    }
}
