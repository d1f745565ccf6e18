//! The parameters of a network in one arena, and gradients of the same layout.

use std::ops::Range;

use crate::describe::NodeIx;

/// The position of a tensor in [`Parameters`] and in [`Gradients`] of their layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorIx(u32);

impl TensorIx {
    /// Returns the position.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// A parameter of a node: its name, its shape, and its place in the arena.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    node: NodeIx,
    name: Box<str>,
    shape: Vec<usize>,
    /// As many numbers as the shape has, within the arena.
    range: Range<usize>,
}

impl Tensor {
    /// Returns the node that the parameter belongs to.
    pub fn node(&self) -> NodeIx {
        self.node
    }

    /// Returns the name, such as "W".
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the lengths of the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the place of the numbers in the arena.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}

/// All parameters of a network, in C order one after another, in the order of a model file, and
/// what optimizers keep of each.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    values: Vec<f32>,
    tensors: Vec<Tensor>,
    moments: Moments,
    /// True while the running means are in `values`, and the values in `moments.averages`, for the
    /// tensors that were stepped. Whatever changes values or moments ends this first.
    shows_averages: bool,
}

/// The state of an optimizer: arrays of the layout of the parameters, empty until they are used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moments {
    /// Running means of gradients.
    pub(crate) first: Vec<f32>,
    /// Running means of squared gradients.
    pub(crate) second: Vec<f32>,
    /// Running means of parameters.
    pub(crate) averages: Vec<f32>,
    /// The number of steps of each tensor.
    pub(crate) steps: Vec<u32>,
}

impl Parameters {
    /// Returns the tensors in the order of a model file: by node, breadth first, then as the node
    /// names them.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Returns the positions of all tensors.
    pub fn indices(&self) -> impl Iterator<Item = TensorIx> + use<> {
        (0..u32::try_from(self.tensors.len()).unwrap_or(u32::MAX)).map(TensorIx)
    }

    /// Returns a tensor's description.
    ///
    /// # Panics
    ///
    /// If the position is of other parameters; this holds for all methods.
    pub fn tensor(&self, ix: TensorIx) -> &Tensor {
        &self.tensors[ix.get()]
    }

    /// Returns the parameter of a node by its name; `None` if the node lacks it.
    pub fn find(&self, node: NodeIx, name: &str) -> Option<TensorIx> {
        let is_it = |tensor: &Tensor| tensor.node == node && *tensor.name == *name;
        let at = self.tensors.iter().position(is_it)?;
        u32::try_from(at).ok().map(TensorIx)
    }

    /// Returns the numbers of a tensor.
    pub fn values(&self, ix: TensorIx) -> &[f32] {
        &self.values[self.tensors[ix.get()].range()]
    }

    /// Returns the numbers of a tensor, to be changed.
    pub fn values_mut(&mut self, ix: TensorIx) -> &mut [f32] {
        &mut self.values[self.tensors[ix.get()].range.clone()]
    }

    /// Returns the numbers of all tensors.
    pub fn arena(&self) -> &[f32] {
        &self.values
    }

    /// Returns the numbers of all tensors, to be changed.
    pub fn arena_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Returns the number of steps that an optimizer made with a tensor.
    pub fn steps(&self, ix: TensorIx) -> u32 {
        self.moments.steps.get(ix.get()).copied().unwrap_or(0)
    }

    /// Returns the running mean of a tensor; `None` if an optimizer keeps none.
    pub fn average(&self, ix: TensorIx) -> Option<&[f32]> {
        let is_kept = self.steps(ix) > 0 && !self.moments.averages.is_empty();
        is_kept.then(|| &self.moments.averages[self.tensors[ix.get()].range()])
    }

    /// Returns whether an optimizer keeps running means.
    pub fn has_averages(&self) -> bool {
        !self.moments.averages.is_empty()
    }

    /// Shows the running means in the place of the parameters, as far as there are any, to evaluate
    /// and save with them; or the parameters again. Steps go on with the parameters.
    pub fn show_averages(&mut self, are_shown: bool) {
        if self.shows_averages == are_shown || self.moments.averages.is_empty() {
            return;
        }
        self.shows_averages = are_shown;
        for (tensor, steps) in self.tensors.iter().zip(&self.moments.steps) {
            if *steps > 0 {
                let range = tensor.range();
                self.values[range.clone()].swap_with_slice(&mut self.moments.averages[range]);
            }
        }
    }

    /// Exchanges the state of an optimizer with that of another one, which must be of these
    /// parameters; none was resized since.
    ///
    /// # Panics
    ///
    /// For arrays of another layout.
    pub fn exchange_moments(&mut self, other: &mut Moments) {
        self.show_averages(false);
        let Moments { first, second, averages, steps } = other;
        for array in [first, second, averages] {
            assert!([0, self.values.len()].contains(&array.len()), "moments of these parameters");
        }
        assert!([0, self.tensors.len()].contains(&steps.len()), "steps of these parameters");
        std::mem::swap(&mut self.moments, other);
    }

    /// Returns all parts at once, the parameters themselves among them.
    pub(crate) fn parts(&mut self) -> (&[Tensor], &mut [f32], &mut Moments) {
        self.show_averages(false);
        (&self.tensors, &mut self.values, &mut self.moments)
    }

    /// Returns what optimizers keep.
    pub(crate) fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns gradients of this layout: zeros, and no tensor has one.
    pub fn zero_gradients(&self) -> Gradients {
        Gradients {
            values: vec![0.0; self.values.len()],
            ranges: self.tensors.iter().map(Tensor::range).collect(),
            is_present: vec![false; self.tensors.len()],
        }
    }

    /// Gives a dimension of a tensor another length: numbers that it has are kept, others are
    /// `fill`. An optimizer begins anew with the tensor. Gradients are made to fit by
    /// [`Gradients::fit`].
    pub(crate) fn resize(&mut self, ix: TensorIx, axis: usize, len: usize, fill: f32) {
        self.show_averages(false);
        let tensor = &self.tensors[ix.get()];
        let range = tensor.range();
        let mut shape = tensor.shape.clone();
        let old_len = std::mem::replace(&mut shape[axis], len);
        let inner: usize = shape[axis + 1..].iter().product();
        let outer: usize = shape[..axis].iter().product();
        let mut values = Vec::with_capacity(outer * len * inner);
        for block in 0..outer {
            let start = range.start + block * old_len * inner;
            values.extend_from_slice(&self.values[start..start + len.min(old_len) * inner]);
            values.resize((block + 1) * len * inner, fill);
        }
        let n = values.len();
        for array in [&mut self.moments.first, &mut self.moments.second, &mut self.moments.averages]
        {
            if !array.is_empty() {
                array.splice(range.clone(), std::iter::repeat_n(0.0, n));
            }
        }
        if let Some(steps) = self.moments.steps.get_mut(ix.get()) {
            *steps = 0;
        }
        self.values.splice(range.clone(), values);
        self.tensors[ix.get()].shape = shape;
        self.tensors[ix.get()].range = range.start..range.start + n;
        for tensor in &mut self.tensors[ix.get() + 1..] {
            let start = tensor.range.start - range.len() + n;
            tensor.range = start..start + tensor.range.len();
        }
    }

    /// Appends a tensor.
    ///
    /// # Panics
    ///
    /// If the shape has another number of numbers.
    pub(crate) fn push(
        &mut self,
        node: NodeIx,
        name: &str,
        shape: &[usize],
        values: &[f32],
    ) -> TensorIx {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "numbers of the shape {shape:?}");
        let ix = TensorIx(u32::try_from(self.tensors.len()).expect("fewer tensors than nodes"));
        let range = self.values.len()..self.values.len() + values.len();
        self.values.extend_from_slice(values);
        self.tensors.push(Tensor { node, name: name.into(), shape: shape.to_vec(), range });
        ix
    }
}

/// Gradients of all parameters of a network, to which backward passes add.
#[derive(Clone, Debug)]
pub struct Gradients {
    values: Vec<f32>,
    ranges: Vec<Range<usize>>,
    /// True if a backward pass has ever reached the tensor. thinc steps a tensor from its first
    /// gradient on, and then at every step, with zeros too.
    is_present: Vec<bool>,
}

impl Gradients {
    /// Returns the gradient of a tensor.
    ///
    /// # Panics
    ///
    /// If the position is of other parameters; this holds for all methods.
    pub fn values(&self, ix: TensorIx) -> &[f32] {
        &self.values[self.ranges[ix.get()].clone()]
    }

    /// Returns the gradient of a tensor, to be added to. The tensor has a gradient from now on.
    pub fn values_mut(&mut self, ix: TensorIx) -> &mut [f32] {
        self.is_present[ix.get()] = true;
        &mut self.values[self.ranges[ix.get()].clone()]
    }

    /// Returns the gradients of two tensors, to be added to.
    ///
    /// # Panics
    ///
    /// If both are the same.
    pub fn two_mut(&mut self, first: TensorIx, second: TensorIx) -> (&mut [f32], &mut [f32]) {
        self.is_present[first.get()] = true;
        self.is_present[second.get()] = true;
        let [lower, upper] = [first.min(second), first.max(second)];
        assert!(lower < upper, "two tensors");
        let [lower, upper] = [lower, upper].map(|ix| self.ranges[ix.get()].clone());
        let (before, after) = self.values.split_at_mut(upper.start);
        let (lower, upper) = (&mut before[lower], &mut after[..upper.len()]);
        if first < second { (lower, upper) } else { (upper, lower) }
    }

    /// Returns whether a backward pass has ever reached a tensor.
    pub fn is_present(&self, ix: TensorIx) -> bool {
        self.is_present[ix.get()]
    }

    /// Counts a tensor that an optimizer has stepped as one that a backward pass has reached: for
    /// gradients of parameters whose state was read.
    pub fn resume(&mut self, parameters: &Parameters) {
        for (ix, is_present) in parameters.indices().zip(&mut self.is_present) {
            *is_present |= parameters.steps(ix) > 0;
        }
    }

    /// Returns the number of tensors.
    pub(crate) fn n_tensors(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the gradients of all tensors.
    pub fn arena(&self) -> &[f32] {
        &self.values
    }

    /// Returns the gradients of all tensors, to be changed.
    pub fn arena_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Returns gradients of the layout of parameters, some of which were resized since these were
    /// made. The gradients of the others are kept.
    #[must_use]
    pub fn fit(self, parameters: &Parameters) -> Gradients {
        let mut fitted = parameters.zero_gradients();
        let all = self.ranges.iter().zip(&self.is_present).zip(fitted.ranges.iter().cloned());
        for (at, ((own, is_present), range)) in all.enumerate() {
            if own.len() == range.len() {
                fitted.values[range].copy_from_slice(&self.values[own.clone()]);
                fitted.is_present[at] = *is_present;
            }
        }
        fitted
    }

    /// Sets all gradients to 0. Tensors that had one still have it.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }
}
