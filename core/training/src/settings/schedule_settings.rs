//! Schedules and optimizers from sections of a configuration.

use lexpool::config::{Config, Section, Value};
use lexpool::{Result, limits};
use lexpool_nn::learn::{Method, OptimizerSettings, Schedule, Series};

use super::fields::{Fields, NumberRange, Problems};

/// Reads a number that may be a schedule, all of whose values must be in a range.
pub(crate) fn schedule_in(
    fields: &Fields<'_>,
    key: &'static str,
    default: f64,
    range: NumberRange,
) -> Schedule {
    let schedule = schedule(fields, key, default);
    let mut values = schedule.clone();
    for step in 0..CHECKED_VALUES {
        let Some(value) = values.next_value() else { break };
        if !range.contains(value) {
            let given = if schedule.is_constant() {
                format!("is {}", Value::Float(value).to_json())
            } else {
                format!("gives {} at step {step}", Value::Float(value).to_json())
            };
            fields.wrong_text(key, &given, range.name);
            return Schedule::constant(default);
        }
        if schedule.is_constant() {
            break;
        }
    }
    schedule
}

/// The number of values of a schedule that are checked: those of spaCy's default number of steps.
const CHECKED_VALUES: u32 = 20_001;

/// Reads a number that may be a schedule.
pub(crate) fn schedule(fields: &Fields<'_>, key: &'static str, default: f64) -> Schedule {
    match fields.get(key) {
        None => Schedule::constant(default),
        Some(Value::Section(_)) => fields
            .inner(key)
            .and_then(|inner| series(inner, default))
            .map_or(Schedule::constant(default), Schedule::new),
        Some(Value::List(items)) => {
            let numbers: Option<Vec<f64>> = items.iter().map(Value::as_float).collect();
            if let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) {
                return Schedule::new(Series::List(numbers));
            }
            fields.wrong(key, &Value::List(items.clone()), "a list of numbers");
            Schedule::constant(default)
        }
        Some(value) => {
            let number = value.as_float();
            if number.is_none() {
                fields.wrong(key, value, "a number or the section of a schedule");
            }
            Schedule::constant(number.unwrap_or(default))
        }
    }
}

fn series(fields: Fields<'_>, default: f64) -> Option<Series> {
    let steps = |key: &'static str| fields.whole(key, 0, limits::TRAINING_STEPS);
    let series = match fields.function("@schedules")? {
        "constant.v1" => Series::Constant(fields.required("rate")),
        "constant_then.v1" => Series::ConstantThen {
            rate: fields.required("rate"),
            steps: steps("steps"),
            schedule: Box::new(schedule(&fields, "schedule", default)),
        },
        "decaying.v1" => Series::Decaying {
            base_rate: fields.required("base_rate"),
            decay: fields.required("decay"),
            t: steps("t"),
        },
        "compounding.v1" => {
            if steps("t") > 0 {
                fields.unsupported("has a first step 't', with which lexpool does not count");
            }
            Series::Compounding {
                start: fields.required("start"),
                stop: fields.required("stop"),
                compound: fields.required("compound"),
            }
        }
        "warmup_linear.v1" => Series::WarmupLinear {
            initial_rate: fields.required("initial_rate"),
            warmup_steps: steps("warmup_steps"),
            total_steps: steps("total_steps"),
        },
        "slanted_triangular.v1" => Series::SlantedTriangular {
            max_rate: fields.required("max_rate"),
            num_steps: steps("num_steps"),
            cut_frac: fields.number("cut_frac", 0.1),
            ratio: fields.number("ratio", 32.0),
            t: fields.number("t", 0.0),
        },
        "cyclic_triangular.v1" => Series::CyclicTriangular {
            min_lr: fields.required("min_lr"),
            max_lr: fields.required("max_lr"),
            period: {
                let period = steps("period");
                if period == 0 {
                    fields.wrong("period", &Value::Int(0), "a whole number from 1 on");
                }
                period
            },
        },
        name => {
            fields.unsupported(&format!("has the schedule {name:?}, which lexpool does not have"));
            return None;
        }
    };
    fields.finish();
    Some(series)
}

/// Reads `[training.optimizer]`; Adam with spaCy's defaults if it is missing.
pub(crate) fn optimizer(fields: Option<Fields<'_>>) -> OptimizerSettings {
    let mut settings = OptimizerSettings {
        l2: Schedule::constant(0.01),
        use_averages: false,
        ..OptimizerSettings::adam()
    };
    let Some(fields) = fields else { return settings };
    settings.method = match fields.function("@optimizers") {
        Some("Adam.v1") => Method::Adam,
        Some("RAdam.v1") => Method::RAdam,
        Some("SGD.v1") => Method::Sgd,
        Some(name) => {
            fields.unsupported(&format!("has the optimizer {name:?}, which lexpool does not have"));
            return settings;
        }
        None => return settings,
    };
    // The defaults of thinc's functions; those of spaCy's configuration are there for Adam alone.
    let is_sgd = settings.method == Method::Sgd;
    let not_negative = NumberRange::NOT_NEGATIVE;
    settings.learn_rate = schedule_in(&fields, "learn_rate", 0.001, not_negative);
    settings.l2 = schedule_in(&fields, "L2", 0.0, not_negative);
    settings.grad_clip = schedule_in(&fields, "grad_clip", 1.0, not_negative);
    settings.l2_is_weight_decay = fields.flag("L2_is_weight_decay", true);
    settings.use_averages = fields.flag("use_averages", true);
    if !is_sgd {
        settings.beta1 = schedule_in(&fields, "beta1", 0.9, NumberRange::DECAY);
        settings.beta2 = schedule_in(&fields, "beta2", 0.999, NumberRange::DECAY);
        settings.eps = schedule_in(&fields, "eps", 1e-8, not_negative);
    }
    fields.finish();
    settings
}

/// Reads a schedule: a number, a list of numbers, or the section of a schedule such as
/// `compounding.v1`.
///
/// # Errors
///
/// `training-config` for another value, `training-unsupported` for another schedule.
pub fn read_schedule(value: &Value) -> Result<Schedule> {
    let mut section = Section::default();
    section.set("value", value.clone());
    let problems = Problems::default();
    let schedule = schedule(&Fields::new(&section, "schedule", &problems), "value", 0.0);
    problems.into_result(&Config::parse("", "the settings")?)?;
    Ok(schedule)
}
