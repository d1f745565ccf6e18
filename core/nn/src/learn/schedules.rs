//! Series of numbers, one for each step: learn rates and batch sizes.
//!
//! Source: the generators of the same names in `thinc.schedules`.

/// A series of numbers. All but lists are infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    series: Series,
    /// The number of values that were given.
    position: u64,
    /// The value of a compounding series, which is made by repeated products.
    current: f64,
}

/// The form of a series, with thinc's names of its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Series {
    /// The same number at every step.
    Constant(f64),
    /// A list, whose last number stays.
    List(Vec<f64>),
    /// The same number for some steps, then another series.
    ConstantThen {
        /// The number.
        rate: f64,
        /// The steps for which it stays.
        steps: u64,
        /// The series that follows.
        schedule: Box<Schedule>,
    },
    /// `base_rate / (1 + decay * step)`.
    Decaying {
        /// The first number.
        base_rate: f64,
        /// The share by which it falls.
        decay: f64,
        /// The number of the first step.
        t: u64,
    },
    /// Products with a factor, up to (or down to) a last number.
    Compounding {
        /// The first number.
        start: f64,
        /// The last number.
        stop: f64,
        /// The factor.
        compound: f64,
    },
    /// A rise from 0 over some steps, then a fall to 0.
    WarmupLinear {
        /// The highest number.
        initial_rate: f64,
        /// The steps of the rise.
        warmup_steps: u64,
        /// The steps of both.
        total_steps: u64,
    },
    /// A steep rise and a slow fall: Howard and Ruder (2018), "Universal language model fine-tuning
    /// for text classification".
    SlantedTriangular {
        /// The highest number.
        max_rate: f64,
        /// The steps of both.
        num_steps: u64,
        /// The share of the rise.
        cut_frac: f64,
        /// The highest number by the lowest.
        ratio: f64,
        /// The number of the first step.
        t: f64,
    },
    /// Rises and falls: Smith (2017), "Cyclical learning rates for training neural networks".
    CyclicTriangular {
        /// The lowest number.
        min_lr: f64,
        /// The highest number.
        max_lr: f64,
        /// The steps of a rise.
        period: u64,
    },
}

impl Schedule {
    /// Makes a series from its beginning.
    pub fn new(series: Series) -> Schedule {
        let current = match series {
            Series::Compounding { start, .. } => start,
            _ => 0.0,
        };
        Schedule { series, position: 0, current }
    }

    /// Makes a series of one number.
    pub fn constant(rate: f64) -> Schedule {
        Schedule::new(Series::Constant(rate))
    }

    /// Returns whether the series is one number.
    pub fn is_constant(&self) -> bool {
        matches!(self.series, Series::Constant(_))
    }

    /// Returns the number of values that were given.
    pub fn given(&self) -> u64 {
        self.position
    }

    /// Returns the next value; `None` at the end of a list.
    ///
    /// ```
    /// use lexpool_nn::learn::{Schedule, Series};
    ///
    /// let mut sizes =
    ///     Schedule::new(Series::Compounding { start: 1.0, stop: 2.0, compound: 1.5 });
    /// assert_eq!([(); 3].map(|()| sizes.next_value()), [Some(1.0), Some(1.5), Some(2.0)]);
    /// ```
    #[expect(clippy::cast_precision_loss, reason = "as Python converts numbers of steps")]
    pub fn next_value(&mut self) -> Option<f64> {
        let step = self.position as f64;
        let value = match &mut self.series {
            Series::Constant(rate) => *rate,
            Series::List(values) => *values.get(usize::try_from(self.position).ok()?)?,
            Series::ConstantThen { rate, steps, schedule } => {
                if self.position < *steps {
                    *rate
                } else {
                    schedule.next_value()?
                }
            }
            Series::Decaying { base_rate, decay, t } => {
                *base_rate * (1.0 / (1.0 + *decay * (step + *t as f64)))
            }
            Series::Compounding { start, stop, compound } => {
                let value = self.current;
                self.current *= *compound;
                if start > stop { value.max(*stop) } else { value.min(*stop) }
            }
            Series::WarmupLinear { initial_rate, warmup_steps, total_steps } => {
                let factor = if self.position < *warmup_steps {
                    step / (*warmup_steps).max(1) as f64
                } else {
                    let left = *total_steps as f64 - step;
                    let falling = *total_steps as f64 - *warmup_steps as f64;
                    (left / falling.max(1.0)).max(0.0)
                };
                factor * *initial_rate
            }
            Series::SlantedTriangular { max_rate, num_steps, cut_frac, ratio, t } => {
                let cut = (*num_steps as f64 * *cut_frac).trunc();
                let t = *t + step + 1.0;
                let p = if t < cut {
                    t / cut
                } else {
                    1.0 - ((t - cut) / (cut * (1.0 / *cut_frac - 1.0)))
                };
                *max_rate * (1.0 + p * (*ratio - 1.0)) * (1.0 / *ratio)
            }
            Series::CyclicTriangular { min_lr, max_lr, period } => {
                let (it, period) = (step + 1.0, *period as f64);
                let cycle = (1.0 + it / (2.0 * period)).floor();
                let x = (it / period - 2.0 * cycle + 1.0).abs();
                *min_lr + (*max_lr - *min_lr) * (1.0 - x).max(0.0)
            }
        };
        self.position += 1;
        Some(value)
    }

    /// Returns a number that no value exceeds.
    ///
    /// ```
    /// use lexpool_nn::learn::{Schedule, Series};
    ///
    /// let sizes = Schedule::new(Series::Compounding { start: 1.0, stop: 2.0, compound: 1.5 });
    /// assert_eq!(sizes.bound(), 2.0);
    /// ```
    pub fn bound(&self) -> f64 {
        match &self.series {
            Series::Constant(rate) => *rate,
            Series::List(values) => values.iter().copied().fold(0.0, f64::max),
            Series::ConstantThen { rate, schedule, .. } => rate.max(schedule.bound()),
            Series::Decaying { base_rate, .. } => *base_rate,
            Series::Compounding { start, stop, .. } => start.max(*stop),
            Series::WarmupLinear { initial_rate, .. } => *initial_rate,
            Series::SlantedTriangular { max_rate, .. } => *max_rate,
            Series::CyclicTriangular { min_lr, max_lr, .. } => min_lr.max(*max_lr),
        }
    }

    /// Goes to the place at which so many values were given. Cost: linear in them.
    pub fn go_to(&mut self, count: u64) {
        if count < self.position {
            let mut series = self.series.clone();
            if let Series::ConstantThen { schedule, .. } = &mut series {
                schedule.go_to(0);
            }
            *self = Schedule::new(series);
        }
        while self.position < count && self.next_value().is_some() {}
    }
}
