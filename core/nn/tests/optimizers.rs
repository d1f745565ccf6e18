//! Optimizers, schedules and random numbers are those of thinc, NumPy and Python.

#![allow(clippy::float_cmp, reason = "equal bits are the promise")]
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "small numbers")]

mod common;

use common::{bits, floats, list, network, number};
use lexpool_nn::GemmOrder;
use lexpool_nn::learn::{
    Method, Moments, NumpyRandom, Optimizer, OptimizerSettings, Parameters, PythonRandom, Schedule,
    Series, Workers,
};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("../../../tests/files/optimizers.json")).unwrap()
}

fn double(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Reads the bits of a number.
fn exact(value: &Value) -> f64 {
    f64::from_bits(u64::from_str_radix(value.as_str().unwrap(), 16).unwrap())
}

fn settings(case: &Value) -> OptimizerSettings {
    let own = &case["settings"];
    let mut settings = OptimizerSettings::adam();
    settings.method = match case["method"].as_str() {
        Some("Adam") => Method::Adam,
        Some("RAdam") => Method::RAdam,
        _ => Method::Sgd,
    };
    let set = |schedule: &mut Schedule, name: &str| {
        if own[name].is_number() {
            *schedule = Schedule::constant(double(&own[name]));
        }
    };
    set(&mut settings.l2, "L2");
    set(&mut settings.grad_clip, "grad_clip");
    set(&mut settings.beta1, "beta1");
    set(&mut settings.beta2, "beta2");
    set(&mut settings.eps, "eps");
    settings.l2_is_weight_decay = own["L2_is_weight_decay"].as_bool().unwrap_or(true);
    settings
}

/// The parameters of a network of the fixture whose first tensor with `n` numbers or more is used.
fn some_parameters() -> Parameters {
    let fixture = common::fixture();
    network(&list(&fixture["cases"])[0], GemmOrder::Chain).parameters().clone()
}

#[test]
fn a_thousand_steps_end_at_the_weights_of_thinc() {
    for case in list(&reference()["optimizers"]) {
        let name = format!("{} {}", case["method"], case["settings"]);
        let optimizer = Optimizer::new(settings(case)).unwrap();
        let mut parameters = some_parameters();
        let mut gradients = parameters.zero_gradients();
        // The optimizer is given the first numbers of a tensor: others have no influence on them,
        // but for the norm, to which zeros add nothing.
        let tensor = parameters.indices().find(|ix| parameters.values(*ix).len() >= 23).unwrap();
        let mut random = NumpyRandom::new(u32::try_from(number(&case["seed"])).unwrap());
        let mut normals = |deviation: f64| -> Vec<f32> {
            (0..23).map(|_| random.normal(0.0, deviation) as f32).collect()
        };
        let first = normals(1.0);
        parameters.values_mut(tensor).fill(0.0);
        parameters.values_mut(tensor)[..23].copy_from_slice(&first);
        let mut step = 0;
        for shown in list(&case["shown"]) {
            while step < number(&shown[0]) {
                let gradient = normals(0.3);
                gradients.values_mut(tensor)[..23].copy_from_slice(&gradient);
                optimizer.step(&mut parameters, &mut gradients, Workers::ONE).unwrap();
                step += 1;
            }
            let found =
                [parameters.values(tensor), parameters.average(tensor).unwrap()].map(|x| &x[..23]);
            for (found, expected) in found.into_iter().zip([&shown[1], &shown[2]]) {
                let expected = floats(expected);
                if double(&case["settings"]["grad_clip"]) == 0.0 {
                    assert_eq!(bits(found), bits(&expected), "{name}, step {step}");
                }
                // A norm may round otherwise.
                for (a, b) in found.iter().zip(&expected) {
                    assert!(
                        (a - b).abs() < 2e-7 * (1.0 + b.abs()),
                        "{name}, step {step}: {a}, {b}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_tensor_takes_part_from_its_first_gradient_on() {
    let optimizer = Optimizer::new(OptimizerSettings::adam()).unwrap();
    let mut parameters = some_parameters();
    let before = parameters.arena().to_vec();
    let mut gradients = parameters.zero_gradients();
    let tensor = parameters.indices().next().unwrap();
    optimizer.step(&mut parameters, &mut gradients, Workers::ONE).unwrap();
    assert_eq!(parameters.arena(), before, "no tensor has a gradient");
    gradients.values_mut(tensor).fill(1.0);
    optimizer.step(&mut parameters, &mut gradients, Workers::ONE).unwrap();
    let range = parameters.tensor(tensor).range();
    assert_eq!(parameters.arena()[range.end..], before[range.end..], "others stay");
    let after = parameters.values(tensor).to_vec();
    assert!(after.iter().zip(&before[range]).all(|(a, b)| a < b));
    optimizer.step(&mut parameters, &mut gradients, Workers::ONE).unwrap();
    assert!(parameters.values(tensor).iter().zip(&after).all(|(a, b)| a < b), "moments move on");
    assert_eq!(parameters.steps(tensor), 2);
}

#[test]
fn running_means_are_shown_and_the_parameters_again_however_often_either_is_asked_for() {
    let optimizer = Optimizer::new(OptimizerSettings::adam()).unwrap();
    let mut parameters = some_parameters();
    let mut gradients = parameters.zero_gradients();
    let tensor = parameters.indices().nth(1).unwrap();
    for _ in 0..20 {
        gradients.values_mut(tensor).fill(0.5);
        optimizer.step(&mut parameters, &mut gradients, Workers::ONE).unwrap();
    }
    let (own, mean) = (parameters.arena().to_vec(), parameters.average(tensor).unwrap().to_vec());
    for _ in 0..2 {
        parameters.show_averages(true);
        assert_eq!(parameters.values(tensor), mean);
        let other = parameters.indices().next().unwrap();
        let range = parameters.tensor(other).range();
        assert_eq!(parameters.values(other), &own[range], "a tensor without steps has no mean");
    }
    for _ in 0..2 {
        parameters.show_averages(false);
        assert_eq!(parameters.arena(), own);
    }
}

#[test]
fn what_changes_parameters_or_saves_their_state_does_so_as_if_no_means_were_shown() {
    let optimizer = Optimizer::new(OptimizerSettings::adam()).unwrap();
    let mut parameters = some_parameters();
    let mut gradients = parameters.zero_gradients();
    let mut step = |parameters: &mut Parameters| {
        for ix in parameters.indices() {
            gradients.values_mut(ix).fill(0.5);
        }
        optimizer.step(parameters, &mut gradients, Workers::ONE).unwrap();
    };
    step(&mut parameters);
    let mut with_means = parameters.clone();
    with_means.show_averages(true);
    assert_eq!(with_means.clone().state_to_bytes().unwrap(), parameters.state_to_bytes().unwrap());
    step(&mut parameters);
    step(&mut with_means);
    assert_eq!(with_means.arena(), parameters.arena());
    with_means.show_averages(true);
    with_means.exchange_moments(&mut Moments::default());
    assert_eq!(with_means.arena(), parameters.arena());
}

#[test]
fn a_training_goes_on_from_its_saved_state_with_the_same_bits() {
    let schedule = Series::Compounding { start: 0.001, stop: 0.01, compound: 1.3 };
    let settings =
        OptimizerSettings { learn_rate: Schedule::new(schedule), ..OptimizerSettings::adam() };
    let mut optimizer = Optimizer::new(settings.clone()).unwrap();
    let mut parameters = some_parameters();
    let mut gradients = parameters.zero_gradients();
    let mut go_on = |optimizer: &mut Optimizer, parameters: &mut Parameters, from: u32| {
        for step in from..from + 5 {
            for ix in parameters.indices() {
                let gradient = gradients.values_mut(ix).iter_mut().enumerate();
                gradient.for_each(|(at, x)| *x = (at as f32 + step as f32).sin());
            }
            optimizer.step(parameters, &mut gradients, Workers::ONE).unwrap();
            optimizer.step_schedules();
        }
    };
    go_on(&mut optimizer, &mut parameters, 0);
    let state = (optimizer.to_bytes().unwrap(), parameters.state_to_bytes().unwrap());
    go_on(&mut optimizer, &mut parameters, 5);
    let mut resumed = Optimizer::new(settings).unwrap();
    resumed.read_bytes(&state.0).unwrap();
    let mut from_state = some_parameters();
    from_state.read_state(&state.1).unwrap();
    go_on(&mut resumed, &mut from_state, 5);
    assert_eq!(from_state.state_to_bytes().unwrap(), parameters.state_to_bytes().unwrap());
    assert_eq!(resumed.learn_rate(), optimizer.learn_rate());
    for cut in [0, 1, 10, state.1.len() - 1] {
        assert!(from_state.read_state(&state.1[..cut]).is_err(), "{cut}");
    }
}

#[test]
fn settings_that_no_optimizer_has_are_refused() {
    let constant = Schedule::constant;
    let adam = OptimizerSettings::adam;
    for settings in [
        OptimizerSettings { beta1: constant(0.0), ..adam() },
        OptimizerSettings { beta2: constant(1.0), ..adam() },
        OptimizerSettings { learn_rate: Schedule::new(Series::List(Vec::new())), ..adam() },
        OptimizerSettings { l2: constant(f64::NAN), ..adam() },
    ] {
        assert_eq!(Optimizer::new(settings).unwrap_err().code(), "optimizer-settings");
    }
}

#[test]
fn a_list_of_learn_rates_keeps_its_last_value() {
    let learn_rate = Schedule::new(Series::List(vec![0.1, 0.2]));
    let settings = OptimizerSettings { learn_rate, ..OptimizerSettings::adam() };
    let mut optimizer = Optimizer::new(settings).unwrap();
    let rates: Vec<f64> = (0..4)
        .map(|_| {
            let rate = optimizer.learn_rate();
            optimizer.step_schedules();
            rate
        })
        .collect();
    assert_eq!(rates, [0.1, 0.2, 0.2, 0.2]);
}

#[test]
fn schedules_have_the_values_of_thinc() {
    let decaying = Schedule::new(Series::Decaying { base_rate: 0.5, decay: 0.1, t: 0 });
    let all = [
        ("compounding", Series::Compounding { start: 100.0, stop: 1000.0, compound: 1.1 }),
        ("falling", Series::Compounding { start: 1.0, stop: 0.1, compound: 0.9 }),
        ("decaying", Series::Decaying { base_rate: 0.001, decay: 0.01, t: 0 }),
        (
            "warmup_linear",
            Series::WarmupLinear { initial_rate: 5e-5, warmup_steps: 7, total_steps: 30 },
        ),
        (
            "slanted_triangular",
            Series::SlantedTriangular {
                max_rate: 0.1,
                num_steps: 60,
                cut_frac: 0.1,
                ratio: 32.0,
                t: 0.0,
            },
        ),
        ("cyclic_triangular", Series::CyclicTriangular { min_lr: 0.1, max_lr: 0.7, period: 6 }),
        (
            "constant_then",
            Series::ConstantThen { rate: 0.25, steps: 5, schedule: Box::new(decaying) },
        ),
    ];
    let reference = reference();
    for (name, series) in all {
        let mut schedule = Schedule::new(series);
        let expected: Vec<f64> = list(&reference["schedules"][name]).iter().map(exact).collect();
        let values: Vec<f64> = expected.iter().map(|_| schedule.next_value().unwrap()).collect();
        assert_eq!(values, expected, "{name}");
        for place in [40, 3, 20] {
            schedule.go_to(place);
            assert_eq!(schedule.given(), place);
            let at = usize::try_from(place).unwrap();
            assert_eq!(schedule.next_value(), Some(expected[at]), "{name} at {place}");
        }
    }
}

#[test]
fn random_numbers_are_those_of_numpy() {
    let expected = &reference()["numpy"];
    let doubles = |name: &str| list(&expected[name]).iter().map(exact).collect::<Vec<_>>();
    let mut random = NumpyRandom::new(7);
    assert_eq!([(); 5].map(|()| random.uniform(-0.1, 0.1)).to_vec(), doubles("uniform"));
    assert_eq!([(); 5].map(|()| random.normal(1.0, 2.0)).to_vec(), doubles("normal"));
    let mut random = NumpyRandom::from_bytes(&random.to_bytes()).unwrap();
    let uniform: Vec<f64> = (0..700).map(|_| random.uniform(0.0, 1.0)).collect();
    assert_eq!(uniform[698..], doubles("uniform after it"));
    assert_eq!([(); 2].map(|()| random.normal(0.0, 1.0)).to_vec(), doubles("normal after it"));
    assert_eq!(NumpyRandom::from_bytes(&[0; 7]), None);
}

#[test]
fn random_numbers_are_those_of_python() {
    for expected in list(&reference()["python"]) {
        let mut random = PythonRandom::new(expected["seed"].as_u64().unwrap());
        let mut items: Vec<usize> = (0..50).collect();
        random.shuffle(&mut items);
        let shuffled: Vec<usize> = list(&expected["shuffled"]).iter().map(number).collect();
        assert_eq!(items, shuffled);
        for value in list(&expected["random"]) {
            assert_eq!(random.random(), exact(value));
        }
        for value in list(&expected["uniform"]) {
            assert_eq!(random.uniform(50.0, 200.0), exact(value));
        }
        let mut random = PythonRandom::from_bytes(&random.to_bytes()).unwrap();
        for pair in list(&expected["bits"]) {
            let n = u32::try_from(number(&pair[0])).unwrap();
            assert_eq!(random.bits(n), pair[1].as_u64().unwrap(), "{n} bits");
        }
        for pair in list(&expected["below"]) {
            assert_eq!(random.below(pair[0].as_u64().unwrap()), pair[1].as_u64().unwrap());
        }
    }
}
