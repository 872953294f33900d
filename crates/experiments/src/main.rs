//! The program behind `cargo xtask reproduce | conform | data | fuzz`.

mod arguments;
mod fuzzing;

use arguments::{Cli, Command, Common, Data, Experiment};
use clap::Parser;
use datasets::{ClassificationName, Name, SearchPath};
use experiments::agnostic::{self, streams::Source};
use experiments::bandit_boosting::{self, Options};
use experiments::bopl;
use experiments::conform;
use experiments::data_command::{self, fetch};
use experiments::fuzz;
use experiments::lecture;
use experiments::maboost;
use experiments::open_bandit;
use experiments::projection_free;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        Command::Reproduce(Experiment::Tour(common)) => tour(&common),
        Command::Reproduce(Experiment::BanditBoosting { common, trials, delta, quick, datasets }) => {
            bandit(&common, Size { trials, delta, quick }, &datasets)
        }
        Command::Reproduce(Experiment::Oco { common, trials, quick }) => oco(&common, trials, quick),
        Command::Reproduce(Experiment::ProjectionFree { common, trials, quick }) => {
            projection_free(&common, trials, quick)
        }
        Command::Reproduce(Experiment::Agnostic { common, trials, quick, datasets }) => {
            agnostic(&common, trials, quick, &datasets)
        }
        Command::Reproduce(Experiment::Maboost { common, trials, quick, datasets }) => {
            maboost(&common, trials, quick, &datasets)
        }
        Command::Reproduce(Experiment::Bopl {
            common,
            trials,
            large_trials,
            comparison_trials,
            quick,
            search,
            variations,
            datasets,
        }) => {
            let trials = (trials, large_trials, comparison_trials);
            let experiment = if variations { bopl::variations::run } else { bopl::run };
            bopl(&common, trials, (quick, search), &datasets, experiment)
        }
        Command::Reproduce(Experiment::Obd { common, replicates }) => obd(&common, replicates),
        Command::Conform { dir, allow_unknown } => {
            let summary = conform::run(&dir, allow_unknown, &mut std::io::stdout().lock())?;
            Ok(if summary.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Data(data) => look_after(&data),
        Command::Fuzz(options) => fuzzing::run(&options),
        Command::FuzzWorker => {
            fuzz::work(&fuzz::targets())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Every experiment there is, in its quick form.
fn tour(common: &Common) -> Result<ExitCode, Box<dyn Error>> {
    say("The quick tour: every experiment, cut short. Tables and plots of full runs are in docs/.\n")?;
    let out = common.out.join("tour");
    let common = &Common { out, data: common.data.clone(), ..*common };
    oco(common, 3, true)?;
    projection_free(common, 3, true)?;
    agnostic(common, 3, true, &[])?;
    maboost(common, 3, true, &[])?;
    bopl(common, (2, None, None), (true, false), &[], bopl::run)?;
    obd(common, 200)?;
    bandit(common, Size { trials: 3, delta: 0.5, quick: true }, &[])
}

fn projection_free(common: &Common, trials: u64, quick: bool) -> Result<ExitCode, Box<dyn Error>> {
    let report = projection_free::run(&projection_free::Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        problems: projection_free::problems::Problem::ALL.to_vec(),
        out: common.out.clone(),
        search: SearchPath::from_environment(common.data.as_deref())?,
        quiet: common.quiet,
    })?;
    show(&report.terminal, &report.files)
}

fn agnostic(
    common: &Common,
    trials: u64,
    quick: bool,
    sources: &[Source],
) -> Result<ExitCode, Box<dyn Error>> {
    let report = agnostic::run(&agnostic::Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        sources: if sources.is_empty() { Source::ALL.to_vec() } else { sources.to_vec() },
        out: common.out.clone(),
        search: SearchPath::from_environment(common.data.as_deref())?,
        quiet: common.quiet,
    })?;
    show(&report.terminal, &report.files)
}

fn maboost(common: &Common, trials: u64, quick: bool, sets: &[Name]) -> Result<ExitCode, Box<dyn Error>> {
    let report = maboost::run(&maboost::Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        sets: if sets.is_empty() { maboost::sets::SETS.to_vec() } else { sets.to_vec() },
        out: common.out.clone(),
        search: SearchPath::from_environment(common.data.as_deref())?,
        quiet: common.quiet,
    })?;
    show(&report.terminal, &report.files)
}

/// Of scene alone in the quick form, unless tasks are named.
fn bopl(
    common: &Common,
    (trials, large_trials, comparison_trials): (u32, Option<u32>, Option<u32>),
    (quick, search_parameters): (bool, bool),
    tasks: &[ClassificationName],
    experiment: fn(&bopl::Options) -> Result<bopl::Report, bopl::BoplRunError>,
) -> Result<ExitCode, Box<dyn Error>> {
    let all: &[ClassificationName] =
        if quick { &[ClassificationName::Scene] } else { &ClassificationName::ALL };
    let report = experiment(&bopl::Options {
        trials,
        large_trials,
        comparison_trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        search_parameters,
        tasks: if tasks.is_empty() { all } else { tasks }.to_vec(),
        out: common.out.clone(),
        search: SearchPath::from_environment(common.data.as_deref())?,
        quiet: common.quiet,
    })?;
    show(&report.terminal, &report.files)
}

fn obd(common: &Common, replicates: u32) -> Result<ExitCode, Box<dyn Error>> {
    let report = open_bandit::run(&open_bandit::Options {
        seed: common.seed,
        replicates,
        out: common.out.clone(),
        search: SearchPath::from_environment(common.data.as_deref())?,
    })?;
    show(&report.terminal, &report.files)
}

/// How much of an experiment is run.
#[derive(Clone, Copy)]
struct Size {
    trials: u64,
    delta: f64,
    quick: bool,
}

fn bandit(common: &Common, size: Size, datasets: &[Name]) -> Result<ExitCode, Box<dyn Error>> {
    let Size { trials, delta, quick } = size;
    let report = bandit_boosting::run(&Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        delta,
        quick,
        out: common.out.clone(),
        datasets: if datasets.is_empty() { Name::BH20.to_vec() } else { datasets.to_vec() },
        search: SearchPath::from_environment(common.data.as_deref())?,
        quiet: common.quiet,
    })?;
    show(&report.terminal, &report.files)
}

fn show(terminal: &str, files: &[PathBuf]) -> Result<ExitCode, Box<dyn Error>> {
    say(&format!("{terminal}\n"))?;
    for file in files {
        say(&format!("{}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn oco(common: &Common, trials: u64, quick: bool) -> Result<ExitCode, Box<dyn Error>> {
    let report = lecture::run(&lecture::Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        out: common.out.clone(),
        search: SearchPath::from_environment(common.data.as_deref())?,
        quiet: common.quiet,
    })?;
    show(&report.terminal, &report.files)
}

fn look_after(data: &Data) -> Result<ExitCode, Box<dyn Error>> {
    match data {
        Data::List(folder) => {
            let search = SearchPath::from_environment(folder.data.as_deref())?;
            say(&data_command::list(&search).to_string())?;
        }
        Data::Verify(folder) => {
            let found = data_command::verify(&SearchPath::from_environment(folder.data.as_deref())?);
            say(&format!(
                "{}\n{} intact, {} absent, {} damaged",
                found.table, found.intact, found.absent, found.damaged
            ))?;
            if found.damaged > 0 {
                return Ok(ExitCode::FAILURE);
            }
        }
        Data::Fetch { data, home, quiet, sets } => {
            let sets = if sets.is_empty() { fetch::fetchable() } else { sets.clone() };
            let (directory, home) = (data.clone(), home.clone());
            let options = fetch::FetchOptions { directory, sets, home, progress: !quiet };
            say(&fetch::fetch(&options)?.to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A reader that has seen enough and closed the pipe is no error of ours.
fn say(text: &str) -> std::io::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result,
    }
}
