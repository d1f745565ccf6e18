//! `lexpool init`: configurations to begin with, and labels.

use std::io::Write as _;
use std::path::Path;

use clap::CommandFactory;
use clap::error::ErrorKind::InvalidValue;

use super::args::{Args, Init, InitConfig, InitFillConfig, InitLabels, Optimize};
use super::failure::{Check, Failure};
use super::figures::grouped;
use super::messages::say;
use super::output::{Output, is_stdout};
use super::overrides::{Overrides, read_config};
use lexpool::Result;
use lexpool::config::Config;
use lexpool::escape::shown;
use lexpool_training::{
    Goal, TrainingPlan, fill_config, fill_pretraining, find_labels, starter_config, write_labels,
};

pub(super) fn run(command: &Init, overrides: &Overrides, check: Check<'_>) -> Result<(), Failure> {
    match command {
        Init::Config(args) => config(args, overrides, check),
        Init::FillConfig(args) => fill(args, overrides, check).map_err(Failure::from),
        Init::Labels(args) => labels(args, overrides, check).map_err(Failure::from),
    }
}

fn config(args: &InitConfig, overrides: &Overrides, check: Check<'_>) -> Result<(), Failure> {
    if !args.force && !is_stdout(&args.output) && args.output.exists() {
        let text = format!("{} exists; --force replaces it", shown(&args.output));
        return Err(Failure::Usage(Args::command().error(InvalidValue, text)));
    }
    let goal = match args.optimize {
        Optimize::Efficiency => Goal::Efficiency,
        Optimize::Accuracy => Goal::Accuracy,
    };
    let mut config = starter_config(&args.lang, &args.pipeline, goal)?;
    if args.pretraining {
        config = fill_pretraining(&config)?;
    }
    overrides.apply(&mut config)?;
    write(&args.output, &config, check).map_err(Failure::from)
}

fn fill(args: &InitFillConfig, overrides: &Overrides, check: Check<'_>) -> Result<()> {
    let config = read_config(&args.base, overrides)?;
    let mut config = fill_config(&config)?;
    if args.pretraining {
        config = fill_pretraining(&config)?;
    }
    write(&args.output, &config, check)
}

fn write(path: &Path, config: &Config, check: Check<'_>) -> Result<()> {
    let mut output = Output::create(path, check)?;
    let written = writeln!(output, "{}", config.to_text());
    written.map_err(|error| Output::error(path, error))?;
    output.commit().map(drop)
}

fn labels(args: &InitLabels, overrides: &Overrides, check: Check<'_>) -> Result<()> {
    let plan = TrainingPlan::read(&read_config(&args.config, overrides)?)?;
    check()?;
    let found = find_labels(plan)?;
    check()?;
    write_labels(&args.output, &found)?;
    for own in found.iter().filter(|own| own.labels.is_some() && !args.quiet) {
        let path = args.output.join(format!("{}.json", own.name));
        say(format_args!("{}: {} labels", shown(&path), grouped(own.count as u64)));
    }
    Ok(())
}
