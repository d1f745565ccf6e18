//! The knowledge base: entities with vectors, and aliases with candidates.

use crate::codes;
use crate::seeded::IdMap;
use crate::strings::StrId;
use crate::{Error, Result, limits};

/// The highest sum of the prior probabilities of an alias; more than 1, for rounding errors.
const MAX_PRIOR_SUM: f64 = 1.000_01;

/// An in-memory knowledge base: spaCy's `InMemoryLookupKB`.
///
/// Entities and aliases are numbered in the order in which they were added. Strings are identified
/// by their ids; a string store keeps their texts. Cost of look-ups: one or two hashes.
///
/// ```
/// use lexpool::knowledge::KnowledgeBase;
/// let mut base = KnowledgeBase::new(2);
/// base.add_entity("Q42", 12.0, &[0.5, 1.0])?;
/// base.add_entity("Q463035", 3.0, &[1.0, 0.0])?;
/// base.add_alias("Douglas", &[("Q42", 0.6), ("Q463035", 0.1)])?;
/// let priors: Vec<f32> = base.candidates("Douglas").map(|candidate| candidate.prior).collect();
/// assert_eq!(priors, [0.6, 0.1]);
/// assert_eq!(base.vector("Q42"), Some(&[0.5, 1.0][..]));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KnowledgeBase {
    width: usize,
    pub(super) entities: Vec<Entity>,
    /// The vectors of all entities in order: `width` numbers for each.
    pub(super) vectors: Vec<f32>,
    /// The number of an entity by its id, and of an alias by its id.
    entity_index: IdMap<EntityIx>,
    alias_index: IdMap<usize>,
    pub(super) aliases: Vec<Alias>,
    /// True for a table of vectors that spaCy allocates with a row to spare, which its bytes show.
    /// The next entity takes the row.
    pub(super) has_spare_row: bool,
}

/// The number of an entity, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntityIx(u32);

impl EntityIx {
    pub(super) fn new(position: usize) -> EntityIx {
        EntityIx(u32::try_from(position).expect("at most `KNOWLEDGE_ENTITIES`"))
    }

    pub(super) fn get(self) -> usize {
        self.0 as usize
    }
}

/// An entity without its vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entity {
    pub(super) id: StrId,
    pub(super) freq: f32,
}

/// A mention with the entities it may refer to, and their prior probabilities.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alias {
    pub(super) id: StrId,
    pub(super) candidates: Vec<(EntityIx, f32)>,
}

/// An entity that a mention may refer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<'a> {
    /// The id of the entity's name.
    pub entity: StrId,
    /// The frequency of the entity, in the unit of its source.
    pub freq: f32,
    /// The vector of the entity.
    pub vector: &'a [f32],
    /// The prior probability that the mention refers to the entity.
    pub prior: f32,
}

impl KnowledgeBase {
    /// Returns an empty knowledge base for vectors of `width` numbers.
    pub fn new(width: usize) -> KnowledgeBase {
        KnowledgeBase { width, ..KnowledgeBase::default() }
    }

    /// Returns the number of elements of a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of entities.
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Returns whether the knowledge base lacks entities.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Returns the number of aliases.
    pub fn alias_count(&self) -> usize {
        self.aliases.len()
    }

    /// Returns the ids of the entities, in the order in which they were added.
    pub fn entities(&self) -> impl ExactSizeIterator<Item = StrId> {
        self.entities.iter().map(|entity| entity.id)
    }

    /// Returns the ids of the aliases, in the order in which they were added.
    pub fn aliases(&self) -> impl ExactSizeIterator<Item = StrId> {
        self.aliases.iter().map(|alias| alias.id)
    }

    /// Returns whether an entity is known.
    pub fn contains_entity(&self, entity: &str) -> bool {
        self.entity_ix(StrId::of(entity)).is_some()
    }

    /// Returns whether an alias is known.
    pub fn contains_alias(&self, alias: &str) -> bool {
        self.alias(alias).is_some()
    }

    /// Adds an entity. Returns `false` for an entity that is known, which stays as it is.
    ///
    /// # Errors
    ///
    /// `E141` for a vector of another width; `kb-size` beyond 2³¹ - 1 entities.
    pub fn add_entity(&mut self, entity: &str, freq: f32, vector: &[f32]) -> Result<bool> {
        self.push_entity(StrId::of(entity), freq, vector)
    }

    /// Replaces all entities; returns the positions in `entities` of those that occurred before,
    /// which are left out. Candidates of aliases keep those entities that are still known.
    ///
    /// # Errors
    ///
    /// As for [`add_entity`](KnowledgeBase::add_entity); nothing is changed then.
    pub fn set_entities<S, V>(&mut self, entities: &[(S, f32, V)]) -> Result<Vec<usize>>
    where
        S: AsRef<str>,
        V: AsRef<[f32]>,
    {
        let mut new = KnowledgeBase::new(self.width);
        let mut repeated = Vec::new();
        for (at, (entity, freq, vector)) in entities.iter().enumerate() {
            if !new.add_entity(entity.as_ref(), *freq, vector.as_ref())? {
                repeated.push(at);
            }
        }
        for alias in &mut self.aliases {
            alias.candidates.retain_mut(|(ix, _)| {
                let kept = new.entity_ix(self.entities[ix.get()].id);
                *ix = kept.unwrap_or(*ix);
                kept.is_some()
            });
        }
        new.has_spare_row = true;
        (new.aliases, new.alias_index) =
            (std::mem::take(&mut self.aliases), std::mem::take(&mut self.alias_index));
        *self = new;
        Ok(repeated)
    }

    /// Adds an alias with its candidates and their prior probabilities. Returns `false` for an
    /// alias that is known, which stays as it is.
    ///
    /// # Errors
    ///
    /// `E890` for an empty alias, `E133` if the probabilities add up to more than 1, `E134` for an
    /// unknown entity; nothing is changed then.
    pub fn add_alias<S: AsRef<str>>(
        &mut self,
        alias: &str,
        candidates: &[(S, f64)],
    ) -> Result<bool> {
        if alias.is_empty() {
            let text = "an alias has no characters; expected the text of a mention";
            return Err(Error::value(codes::E890, text));
        }
        check_sum(alias, candidates.iter().map(|(_, prior)| prior).sum())?;
        let id = StrId::of(alias);
        if self.alias_index.contains_key(&id.get()) {
            return Ok(false);
        }
        let candidate =
            |(entity, prior): &(S, f64)| Ok((self.known(entity.as_ref())?, narrow(*prior)));
        let candidates = candidates.iter().map(candidate).collect::<Result<_>>()?;
        self.push_alias(Alias { id, candidates });
        Ok(true)
    }

    /// Adds a candidate to an alias. Returns `false` if the alias has the candidate, which then
    /// keeps its probability.
    ///
    /// # Errors
    ///
    /// `E176` for an unknown alias, `E134` for an unknown entity, `E133` if the probabilities would
    /// add up to more than 1; nothing is changed then.
    pub fn append_alias(&mut self, alias: &str, entity: &str, prior: f32) -> Result<bool> {
        let Some(at) = self.alias_index.get(&StrId::of(alias).get()).copied() else {
            let text = format!("the alias {alias:?} is not in the knowledge base; add it first");
            return Err(Error::value(codes::E176, text));
        };
        let ix = self.known(entity)?;
        let candidates = &mut self.aliases[at].candidates;
        let sum: f64 = candidates.iter().map(|(_, prior)| f64::from(*prior)).sum();
        check_sum(alias, sum + f64::from(prior))?;
        let is_new = candidates.iter().all(|(known, _)| *known != ix);
        if is_new {
            candidates.push((ix, prior));
        }
        Ok(is_new)
    }

    /// Returns the candidates of an alias in the order in which they were added; none for an
    /// unknown alias.
    pub fn candidates(&self, alias: &str) -> impl ExactSizeIterator<Item = Candidate<'_>> {
        let candidates = self.alias(alias).map_or(&[][..], |alias| &alias.candidates);
        candidates.iter().map(|&(ix, prior)| {
            let Entity { id, freq } = self.entities[ix.get()];
            Candidate { entity: id, freq, vector: self.row(ix), prior }
        })
    }

    /// Returns the vector of an entity, or `None` for an unknown entity.
    pub fn vector(&self, entity: &str) -> Option<&[f32]> {
        self.vector_of(StrId::of(entity))
    }

    /// Returns the vector of an entity by the id of its name, or `None` for an unknown entity.
    pub fn vector_of(&self, entity: StrId) -> Option<&[f32]> {
        self.entity_ix(entity).map(|ix| self.row(ix))
    }

    /// Returns the prior probability that an alias refers to an entity; 0 if either is unknown.
    pub fn prior(&self, entity: &str, alias: &str) -> f32 {
        let id = StrId::of(entity);
        let mut candidates = self.candidates(alias);
        candidates.find(|candidate| candidate.entity == id).map_or(0.0, |found| found.prior)
    }

    /// Adds an entity by its id; see [`add_entity`](KnowledgeBase::add_entity).
    pub(super) fn push_entity(&mut self, id: StrId, freq: f32, vector: &[f32]) -> Result<bool> {
        if self.entity_ix(id).is_some() {
            return Ok(false);
        }
        if vector.len() != self.width {
            let (found, expected) = (vector.len(), self.width);
            let text = format!(
                "the vector of an entity has {found} numbers; expected {expected}, the width of \
                 the knowledge base"
            );
            return Err(Error::value(codes::E141, text));
        }
        let len = self.entities.len() + 1;
        limits::KNOWLEDGE_ENTITIES.check(len, "the number of entities of a knowledge base")?;
        self.entity_index.insert(id.get(), EntityIx::new(self.entities.len()));
        self.entities.push(Entity { id, freq });
        self.vectors.extend_from_slice(vector);
        self.has_spare_row = false;
        Ok(true)
    }

    /// Adds an alias whose candidates are entities of this knowledge base. Returns `false` if it is
    /// known.
    pub(super) fn push_alias(&mut self, alias: Alias) -> bool {
        let is_new = self.alias_index.insert(alias.id.get(), self.aliases.len()).is_none();
        self.aliases.push(alias);
        is_new
    }

    /// Returns the vector of an entity.
    pub(super) fn row(&self, ix: EntityIx) -> &[f32] {
        &self.vectors[ix.get() * self.width..][..self.width]
    }

    fn entity_ix(&self, id: StrId) -> Option<EntityIx> {
        self.entity_index.get(&id.get()).copied()
    }

    fn alias(&self, alias: &str) -> Option<&Alias> {
        self.alias_index.get(&StrId::of(alias).get()).map(|&at| &self.aliases[at])
    }

    fn known(&self, entity: &str) -> Result<EntityIx> {
        self.entity_ix(StrId::of(entity)).ok_or_else(|| {
            let text = format!("the entity {entity:?} is not in the knowledge base; add it first");
            Error::value(codes::E134, text)
        })
    }
}

fn check_sum(alias: &str, sum: f64) -> Result<()> {
    if sum > MAX_PRIOR_SUM {
        let text = format!(
            "the prior probabilities of the alias {alias:?} add up to {sum}; expected at most 1"
        );
        return Err(Error::value(codes::E133, text));
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "priors are kept as 32-bit floats")]
fn narrow(prior: f64) -> f32 {
    prior as f32
}
