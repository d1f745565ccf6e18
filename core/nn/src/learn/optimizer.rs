//! Stochastic gradient descent: `Adam.v1`, `RAdam.v1` and `SGD.v1`, as thinc has them.
//!
//! Sources: Kingma and Ba (2015), "Adam"; Liu et al. (2020), "On the variance of the adaptive
//! learning rate and beyond"; `thinc.optimizers`. The roundings are thinc's: numbers of tensors
//! have single precision, factors are computed in double precision and then rounded.

use lexpool_error::{Error, Result, codes, limits};
use lexpool_msgpack::{Reader, Writer};

use crate::infer::vectorized;
use crate::learn::parameters::{Gradients, Moments, Parameters, Tensor};
use crate::learn::schedules::Schedule;
use crate::learn::sums::sum_of_squares;
use crate::learn::workers::Workers;

/// The method of an optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Steps along the mean gradient by its deviation.
    Adam,
    /// Adam, whose first steps are smaller.
    RAdam,
    /// Steps along the gradient.
    Sgd,
}

/// The settings of an optimizer; numbers may change from step to step.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimizerSettings {
    /// The method.
    pub method: Method,
    /// The length of steps.
    pub learn_rate: Schedule,
    /// The decay of the mean gradient.
    pub beta1: Schedule,
    /// The decay of the mean squared gradient.
    pub beta2: Schedule,
    /// The number that is added to the deviation.
    pub eps: Schedule,
    /// The factor of parameters that decreases them.
    pub l2: Schedule,
    /// The largest norm of the gradient of a tensor; 0 for any.
    pub grad_clip: Schedule,
    /// True if parameters are decreased after the step, rather than by the gradient.
    pub l2_is_weight_decay: bool,
    /// True if running means of parameters are kept.
    pub use_averages: bool,
}

impl OptimizerSettings {
    /// Returns the defaults of `Adam.v1`.
    pub fn adam() -> OptimizerSettings {
        let constant = Schedule::constant;
        OptimizerSettings {
            method: Method::Adam,
            learn_rate: constant(0.001),
            beta1: constant(0.9),
            beta2: constant(0.999),
            eps: constant(1e-8),
            l2: constant(0.0),
            grad_clip: constant(1.0),
            l2_is_weight_decay: true,
            use_averages: true,
        }
    }
}

/// An optimizer of the parameters of all networks of a pipeline, which keep their own moments.
#[derive(Clone, Debug)]
pub struct Optimizer {
    settings: OptimizerSettings,
    /// The values of this step.
    now: Numbers,
    /// The number of calls of [`step_schedules`](Optimizer::step_schedules).
    n_steps: u64,
}

/// The values of schedules at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Numbers {
    learn_rate: f64,
    beta1: f64,
    beta2: f64,
    eps: f64,
    l2: f64,
    grad_clip: f64,
}

impl Optimizer {
    /// Makes an optimizer at the first value of each schedule.
    ///
    /// # Errors
    ///
    /// `optimizer-settings` for an empty list in a schedule, and for Adam with a decay of 0.
    pub fn new(mut settings: OptimizerSettings) -> Result<Optimizer> {
        let first = |name: &str, schedule: &mut Schedule| {
            let value = schedule.next_value().filter(|value| value.is_finite());
            value.ok_or_else(|| wrong(format!("the schedule of {name:?} has no first number")))
        };
        let now = Numbers {
            learn_rate: first("learn_rate", &mut settings.learn_rate)?,
            beta1: first("beta1", &mut settings.beta1)?,
            beta2: first("beta2", &mut settings.beta2)?,
            eps: first("eps", &mut settings.eps)?,
            l2: first("L2", &mut settings.l2)?,
            grad_clip: first("grad_clip", &mut settings.grad_clip)?,
        };
        let is_decay = |beta: f64| (0.0..1.0).contains(&beta) && beta > 0.0;
        if settings.method != Method::Sgd && !(is_decay(now.beta1) && is_decay(now.beta2)) {
            let Numbers { beta1, beta2, .. } = now;
            let text = format!("beta1 is {beta1}, beta2 is {beta2}; expected more than 0, below 1");
            return Err(wrong(text));
        }
        Ok(Optimizer { settings, now, n_steps: 0 })
    }

    /// Returns the learn rate of this step.
    pub fn learn_rate(&self) -> f64 {
        self.now.learn_rate
    }

    /// Sets the learn rate of this step; its schedule goes on with the next.
    pub fn set_learn_rate(&mut self, rate: f64) {
        self.now.learn_rate = rate;
    }

    /// Goes on to the next value of each schedule. A list that is at its end keeps its last value.
    pub fn step_schedules(&mut self) {
        let next = |schedule: &mut Schedule, now: &mut f64| {
            if !schedule.is_constant() {
                *now = schedule.next_value().unwrap_or(*now);
            }
        };
        next(&mut self.settings.learn_rate, &mut self.now.learn_rate);
        next(&mut self.settings.beta1, &mut self.now.beta1);
        next(&mut self.settings.beta2, &mut self.now.beta2);
        next(&mut self.settings.eps, &mut self.now.eps);
        next(&mut self.settings.l2, &mut self.now.l2);
        next(&mut self.settings.grad_clip, &mut self.now.grad_clip);
        self.n_steps += 1;
    }

    /// Makes a step with each tensor that ever had a gradient, and sets the gradients to 0. A
    /// tensor without a new gradient takes part too: its moments decay, and it moves on. The result
    /// has the same bits on any number of threads.
    ///
    /// # Errors
    ///
    /// `gradient-shape` for gradients of another layout; `threads` if the system cannot start them.
    pub fn step(
        &self,
        parameters: &mut Parameters,
        gradients: &mut Gradients,
        workers: Workers,
    ) -> Result<()> {
        let n = parameters.arena().len();
        if gradients.arena().len() != n || gradients.n_tensors() != parameters.tensors().len() {
            let text = format!("gradients of {} numbers for {n}", gradients.arena().len());
            return Err(Error::value(codes::GRADIENT_SHAPE, text));
        }
        let takes_part: Vec<bool> = parameters
            .indices()
            .map(|ix| gradients.is_present(ix) && !parameters.values(ix).is_empty())
            .collect();
        let (tensors, values, moments) = parameters.parts();
        self.prepare(moments, n, tensors.len());
        let gradients = gradients.arena_mut();
        if self.now.l2 != 0.0 && !self.settings.l2_is_weight_decay {
            let l2 = rounded(self.now.l2);
            for (tensor, _) in tensors.iter().zip(&takes_part).filter(|(_, takes)| **takes) {
                let values = &values[tensor.range()];
                let pairs = gradients[tensor.range()].iter_mut().zip(values);
                pairs.for_each(|(gradient, value)| *gradient += l2 * value);
            }
        }
        let clips = self.clips(tensors, &takes_part, gradients, workers)?;
        let mut factors = Vec::with_capacity(tensors.len());
        for (at, steps) in moments.steps.iter_mut().enumerate() {
            *steps += u32::from(takes_part[at]);
            factors.push(takes_part[at].then(|| self.factors(*steps, clips[at])));
        }
        let mut tiles = Vec::new();
        let mut rest = Part::of(values, gradients, moments);
        for (tensor, factors) in tensors.iter().zip(factors) {
            let (mut part, after) = rest.split(tensor.range().len());
            rest = after;
            while let (Some(factors), false) = (factors, part.values.is_empty()) {
                let (tile, after) = part.split(TILE);
                part = after;
                tiles.push((tile, factors));
            }
        }
        workers.each(tiles, |(tile, factors)| tile.step(factors))
    }

    /// Makes arrays of moments as far as the method has them.
    fn prepare(&self, moments: &mut Moments, n: usize, n_tensors: usize) {
        moments.steps.resize(n_tensors, 0);
        if self.settings.method != Method::Sgd {
            moments.first.resize(n, 0.0);
            moments.second.resize(n, 0.0);
        }
        if self.settings.use_averages {
            moments.averages.resize(n, 0.0);
        }
    }

    /// Returns the factor of each tensor's gradient by which its norm gets the largest allowed one.
    fn clips(
        &self,
        tensors: &[Tensor],
        takes_part: &[bool],
        gradients: &[f32],
        workers: Workers,
    ) -> Result<Vec<Option<f32>>> {
        let most = self.now.grad_clip;
        if most == 0.0 {
            return Ok(vec![None; tensors.len()]);
        }
        let of_part = |(tensor, takes): (&Tensor, &bool)| {
            takes.then(|| &gradients[tensor.range()]).unwrap_or_default()
        };
        let all = tensors.iter().zip(takes_part).map(of_part);
        let tiles: Vec<(usize, &[f32])> = all
            .enumerate()
            .flat_map(|(at, numbers)| numbers.chunks(TILE).map(move |tile| (at, tile)))
            .collect();
        let mut sums = vec![0.0; tensors.len()];
        for (at, sum) in workers.map(tiles, |(at, tile)| (at, sum_of_squares(tile)))? {
            sums[at] += sum;
        }
        let factor = |sum: f64| {
            let norm = rounded(sum.sqrt());
            (f64::from(norm) >= most).then(|| rounded(most) / norm)
        };
        Ok(sums.into_iter().map(factor).collect())
    }

    /// Returns the factors of a tensor's step, which is its `t`-th.
    fn factors(&self, t: u32, clip: Option<f32>) -> Factors {
        let Numbers { learn_rate, beta1, beta2, eps, l2, .. } = self.now;
        let count = f64::from(t);
        let rate = match self.settings.method {
            Method::Adam => {
                let (fix1, fix2) = (1.0 - beta1.powf(count), 1.0 - beta2.powf(count));
                Rate::Adam(rounded(learn_rate * fix2.powf(0.5) / fix1))
            }
            Method::RAdam => rectified(learn_rate, beta1, beta2, count),
            Method::Sgd => Rate::Sgd(rounded(learn_rate)),
        };
        let decays = l2 != 0.0 && self.settings.l2_is_weight_decay;
        let decay = ((1.0 + count) / (10.0 + count)).min(0.9999);
        Factors {
            clip,
            betas: [rounded(beta1), rounded(beta2)],
            rests: [rounded(1.0 - beta1), rounded(1.0 - beta2)],
            eps: rounded(eps),
            rate,
            weight_decay: decays.then(|| rounded(learn_rate * l2)),
            average: self.settings.use_averages.then(|| rounded(1.0 - decay)),
        }
    }

    /// Returns the place in the schedules, and the numbers of this step, as bytes.
    ///
    /// # Errors
    ///
    /// Those of [`Writer`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Writer::new();
        out.map(2)?;
        out.str("steps")?;
        out.uint(self.n_steps);
        out.str("learn_rate")?;
        out.float(self.now.learn_rate);
        Ok(out.into_bytes())
    }

    /// Goes to the place that [`to_bytes`](Optimizer::to_bytes) returned. The settings must be
    /// those of that optimizer.
    ///
    /// # Errors
    ///
    /// Those of [`Reader::item`]; `optimizer-settings` for other bytes.
    pub fn read_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let mut reader = Reader::new(bytes);
        let (mut steps, mut rate) = (None, None);
        for _ in 0..reader.map()? {
            match reader.str()? {
                "steps" => steps = Some(reader.uint()?),
                "learn_rate" => match reader.item()? {
                    lexpool_msgpack::Item::Float(number) => rate = Some(number),
                    other => return Err(wrong(format!("a learn rate {other:?}"))),
                },
                other => return Err(wrong(format!("the key {other:?}"))),
            }
        }
        reader.finish()?;
        let (Some(steps), Some(rate)) = (steps, rate) else {
            return Err(wrong("the bytes lack \"steps\" or \"learn_rate\"".to_owned()));
        };
        limits::TRAINING_STEPS.check(steps, "the number of steps of an optimizer")?;
        // A compounding series is made by its products, so it is gone through.
        while self.n_steps < steps {
            self.step_schedules();
        }
        self.now.learn_rate = rate;
        Ok(())
    }
}

/// The number of numbers that are stepped together: their five arrays fit in the second cache.
const TILE: usize = 1 << 13;

/// The length of a step.
#[derive(Clone, Copy, Debug)]
enum Rate {
    Adam(f32),
    /// With the deviation, once it is known well enough; without it before.
    RAdam {
        rate: f32,
        by_deviation: bool,
    },
    Sgd(f32),
}

/// The factors of a tensor's step.
#[derive(Clone, Copy, Debug)]
struct Factors {
    clip: Option<f32>,
    betas: [f32; 2],
    /// The remainder of each decay, subtracted in double precision as `RAdam` and NumPy do. Adam
    /// subtracts in single precision.
    rests: [f32; 2],
    eps: f32,
    rate: Rate,
    weight_decay: Option<f32>,
    average: Option<f32>,
}

/// Returns the length of a step of `RAdam`. thinc counts it one too high.
fn rectified(learn_rate: f64, beta1: f64, beta2: f64, t: f64) -> Rate {
    let step = t + 1.0;
    let power = beta2.powf(step);
    let longest = 2.0 / (1.0 - beta2) - 1.0;
    let length = longest - 2.0 * step * power / (1.0 - power);
    let bias = 1.0 - beta1.powf(step);
    if length < 5.0 {
        return Rate::RAdam { rate: rounded(-(1.0 / bias) * learn_rate), by_deviation: false };
    }
    let share = (1.0 - power) * (length - 4.0) / (longest - 4.0) * (length - 2.0) / length
        * longest
        / (longest - 2.0);
    let rate = rounded(-(share.sqrt() / bias) * learn_rate);
    Rate::RAdam { rate, by_deviation: true }
}

/// A part of all arrays. Those that the method lacks are empty.
struct Part<'a> {
    values: &'a mut [f32],
    gradients: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    averages: &'a mut [f32],
}

impl<'a> Part<'a> {
    fn of(values: &'a mut [f32], gradients: &'a mut [f32], moments: &'a mut Moments) -> Part<'a> {
        let Moments { first, second, averages, .. } = moments;
        Part { values, gradients, first, second, averages }
    }

    /// Cuts off the first `len` numbers, or all.
    fn split(self, len: usize) -> (Part<'a>, Part<'a>) {
        let cut = |numbers: &'a mut [f32]| {
            let len = len.min(numbers.len());
            numbers.split_at_mut(len)
        };
        let (values, other_values) = cut(self.values);
        let (gradients, other_gradients) = cut(self.gradients);
        let (first, other_first) = cut(self.first);
        let (second, other_second) = cut(self.second);
        let (averages, other_averages) = cut(self.averages);
        let head = Part { values, gradients, first, second, averages };
        let other = Part {
            values: other_values,
            gradients: other_gradients,
            first: other_first,
            second: other_second,
            averages: other_averages,
        };
        (head, other)
    }

    fn step(self, factors: Factors) {
        vectorized(
            #[inline(always)]
            || self.step_here(factors),
        );
    }

    /// Each operation is rounded by itself, as in thinc's loops.
    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    fn step_here(self, factors: Factors) {
        let Part { values, gradients, first, second, averages } = self;
        if let Some(clip) = factors.clip {
            for gradient in &mut *gradients {
                *gradient *= clip;
            }
        }
        let [beta1, beta2] = factors.betas;
        match factors.rate {
            Rate::Adam(rate) => {
                let (rest1, rest2) = (1.0 - beta1, 1.0 - beta2);
                let moments = first.iter_mut().zip(second);
                for ((value, gradient), (mean, square)) in
                    values.iter_mut().zip(&*gradients).zip(moments)
                {
                    *mean = *mean * beta1 + gradient * rest1;
                    *square = *square * beta2 + rest2 * (gradient * gradient);
                    *value += *mean / (square.sqrt() + factors.eps) * -rate;
                }
            }
            Rate::RAdam { rate, by_deviation } => {
                let [rest1, rest2] = factors.rests;
                let moments = first.iter_mut().zip(second);
                for ((value, gradient), (mean, square)) in
                    values.iter_mut().zip(&*gradients).zip(moments)
                {
                    *square = *square * beta2 + rest2 * (gradient * gradient);
                    *mean = *mean * beta1 + rest1 * gradient;
                    let step =
                        if by_deviation { *mean / (square.sqrt() + factors.eps) } else { *mean };
                    *value += rate * step;
                }
            }
            Rate::Sgd(rate) => {
                for (value, gradient) in values.iter_mut().zip(&*gradients) {
                    *value -= rate * gradient;
                }
            }
        }
        gradients.fill(0.0);
        if let Some(decay) = factors.weight_decay {
            for value in &mut *values {
                *value -= decay * *value;
            }
        }
        if let Some(rest) = factors.average {
            for (average, value) in averages.iter_mut().zip(values) {
                *average -= rest * (*average - *value);
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "tensors have single precision")]
fn rounded(number: f64) -> f32 {
    number as f32
}

fn wrong(text: String) -> Error {
    Error::value(codes::OPTIMIZER_SETTINGS, text)
}
