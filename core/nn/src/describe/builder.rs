//! The recursion over sections: a section names an architecture, which is built of sections.

use lexpool_error::limits::{self, Limit};
use lexpool_error::{Error, Result, codes};

use super::blueprint::{Blueprint, Node, walk};
use super::model_file::NodeIx;
use super::settings::Settings;

/// The layer of a section; `None` for a name of another family.
pub(super) type Built = Result<Option<NodeIx>>;

/// Builds the architecture or layer of a name from its settings.
pub(super) type Family = fn(&str, &Settings<'_>, &mut Builder) -> Built;

/// The most layers that depths in settings may make.
#[derive(Clone, Copy)]
pub(super) enum LayerBound {
    /// The number of nodes of the file that the description is for.
    Nodes(usize),
    /// A limit for a description without a file.
    Fixed(Limit),
}

/// The nodes that are made, the architectures and layers to make them of, and what cannot be built.
pub(super) struct Builder {
    pub(super) nodes: Vec<Node>,
    architectures: &'static [Family],
    layers: Family,
    /// The names that lexpool lacks, with the section of each.
    refusals: Vec<String>,
    bound: LayerBound,
    /// The number of layers that depths have made.
    repeated: usize,
    /// The first depth that exceeds the bound.
    excess: Option<Error>,
}

impl Builder {
    pub(super) fn new(
        architectures: &'static [Family],
        layers: Family,
        bound: LayerBound,
    ) -> Builder {
        Builder {
            nodes: Vec::new(),
            architectures,
            layers,
            refusals: Vec::new(),
            bound,
            repeated: 0,
            excess: None,
        }
    }

    /// Builds the layer of a section. One that lexpool lacks is noted, so that an error can name
    /// all of them.
    pub(super) fn layer(&mut self, settings: &Settings<'_>) -> Result<NodeIx> {
        let (registry, name) = settings.registered()?;
        let name = match name.strip_prefix("spacy-legacy.") {
            Some(legacy) => format!("spacy.{}", legacy.strip_prefix("spacy.").unwrap_or(legacy)),
            None => name.to_owned(),
        };
        let layers = [self.layers];
        let families = if registry == "@architectures" { self.architectures } else { &layers };
        for family in families {
            if let Some(layer) = family(&name, settings, self)? {
                return Ok(layer);
            }
        }
        self.refusals.push(format!("{name:?} in [{}]", settings.section()));
        Ok(self.unknown())
    }

    /// Builds the layer of a section within another one.
    pub(super) fn inner(&mut self, settings: &Settings<'_>, key: &str) -> Result<NodeIx> {
        self.layer(&settings.inner(key)?)
    }

    /// Chains copies of a layer, as many as a setting says, and returns this depth too. All such
    /// layers of a network are counted, since a few bytes of settings can ask for any number.
    pub(super) fn repeated(
        &mut self,
        layer: NodeIx,
        (settings, key): (&Settings<'_>, &str),
        default: usize,
    ) -> Result<(NodeIx, usize)> {
        // New networks have a lower limit.
        _ = settings.size(key, limits::NETWORK_DEPTH)?;
        let limit = limits::NETWORK_LAYERS;
        let depth = match settings.count(key, default, limit) {
            Err(error) if limit.code() == error.code() => return Ok(self.exceeded(error)),
            depth => depth?,
        };
        let n_layers = walk(&self.nodes, layer).len();
        let total = depth.saturating_mul(n_layers).saturating_add(self.repeated);
        let place = format!(
            "[{}]: {key:?} is {depth}, so that the number of layers by depths",
            settings.section()
        );
        let checked = match self.bound {
            LayerBound::Fixed(limit) => limit.check(total, place),
            LayerBound::Nodes(nodes) if total > nodes => {
                let text = format!("{place} is {total}; the file has {nodes} nodes");
                Err(Error::value(codes::MODEL_STRUCTURE, text))
            }
            LayerBound::Nodes(_) => Ok(total),
        };
        match checked {
            Ok(total) => {
                self.repeated = total;
                Ok((self.repeat(layer, depth), depth))
            }
            Err(error) => Ok(self.exceeded(error)),
        }
    }

    /// Notes a depth beyond the bound, and makes a leaf in the place of its layers.
    fn exceeded(&mut self, error: Error) -> (NodeIx, usize) {
        self.excess.get_or_insert(error);
        (self.unknown(), 0)
    }

    /// Makes a leaf in the place of a layer that cannot be built; `finish` then returns an error.
    fn unknown(&mut self) -> NodeIx {
        self.plain("unknown")
    }

    /// Returns the whole network.
    ///
    /// # Errors
    ///
    /// `model-architecture` with all names that lexpool lacks; `model-structure` or
    /// `number-limit` for more layers than the bound.
    pub(super) fn finish(self, root: NodeIx) -> Result<Blueprint> {
        if !self.refusals.is_empty() {
            let text = format!("lexpool lacks {}", self.refusals.join("; "));
            return Err(Error::value(codes::MODEL_ARCHITECTURE, text));
        }
        match self.excess {
            Some(error) => Err(error),
            None => Ok(Blueprint::new(&self.nodes, root)),
        }
    }
}
