//! The program behind `cargo xtask reproduce | conform | data | fuzz`.

mod arguments;
mod interruption;
mod fuzzing;
mod output;
mod ready;

use arguments::{Cli, Command, Common, Data, Experiment, known_names};
use clap::Parser;
use datasets::{ClassificationName, Name, SearchPath, Set};
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
use output::{say, warn};
use ready::Ready;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => {
            let _ = error.print();
            known_names(&error, std::env::args_os().skip(1))
                .iter()
                .for_each(|names| warn(&format!("\n{names}")));
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match run(command) {
        Ok(code) => code,
        Err(error) => {
            warn(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Box<dyn Error>> {
    match &command {
        Command::Reproduce(_) => interruption::explain("what is finished is kept beside the results"),
        Command::Data(Data::Fetch { .. }) => interruption::explain("what has arrived is kept"),
        // Nothing that takes long, and nothing to go on with.
        Command::Conform { .. } | Command::Data(_) | Command::Fuzz(_) | Command::FuzzWorker => {}
    }
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
    let ready = Ready::new(common, "projection-free", &[Name::Abalone.into()])?;
    let report = projection_free::run(&projection_free::Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        problems: projection_free::problems::Problem::ALL.to_vec(),
        out: common.out.clone(),
        search: ready.search.clone(),
        quiet: common.quiet,
    })?;
    ready.show(&report.terminal, &report.files)
}

fn agnostic(
    common: &Common,
    trials: u64,
    quick: bool,
    sources: &[Source],
) -> Result<ExitCode, Box<dyn Error>> {
    let sources = if sources.is_empty() { Source::ALL.to_vec() } else { sources.to_vec() };
    let real = sources.iter().filter_map(|source| match source {
        Source::Real(name) => Some(Set::from(*name)),
        _ => None,
    });
    let ready = Ready::new(common, "agnostic", &real.collect::<Vec<_>>())?;
    let report = agnostic::run(&agnostic::Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        sources,
        out: common.out.clone(),
        search: ready.search.clone(),
        quiet: common.quiet,
    })?;
    ready.show(&report.terminal, &report.files)
}

fn maboost(common: &Common, trials: u64, quick: bool, sets: &[Name]) -> Result<ExitCode, Box<dyn Error>> {
    let sets = if sets.is_empty() { maboost::sets::SETS.to_vec() } else { sets.to_vec() };
    let ready = Ready::of(common, "maboost", &sets)?;
    let report = maboost::run(&maboost::Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        sets,
        out: common.out.clone(),
        search: ready.search.clone(),
        quiet: common.quiet,
    })?;
    ready.show(&report.terminal, &report.files)
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
    let tasks = if tasks.is_empty() { all } else { tasks }.to_vec();
    let ready = Ready::of(common, "bopl", &tasks)?;
    let report = experiment(&bopl::Options {
        trials,
        large_trials,
        comparison_trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        search_parameters,
        tasks,
        out: common.out.clone(),
        search: ready.search.clone(),
        quiet: common.quiet,
    })?;
    ready.show(&report.terminal, &report.files)
}

fn obd(common: &Common, replicates: u32) -> Result<ExitCode, Box<dyn Error>> {
    let ready = Ready::new(common, "obd", &[Set::OpenBandit])?;
    let report = open_bandit::run(&open_bandit::Options {
        seed: common.seed,
        replicates,
        out: common.out.clone(),
        search: ready.search.clone(),
    })?;
    ready.show(&report.terminal, &report.files)
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
    let datasets = if datasets.is_empty() { Name::BH20.to_vec() } else { datasets.to_vec() };
    let ready = Ready::of(common, "bandit-boosting", &datasets)?;
    let report = bandit_boosting::run(&Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        delta,
        quick,
        out: common.out.clone(),
        datasets,
        search: ready.search.clone(),
        quiet: common.quiet,
    })?;
    ready.show(&report.terminal, &report.files)
}

fn oco(common: &Common, trials: u64, quick: bool) -> Result<ExitCode, Box<dyn Error>> {
    let ready = Ready::of(common, "oco", &lecture::STREAMS)?;
    let report = lecture::run(&lecture::Options {
        trials,
        seed: common.seed,
        threads: common.threads,
        quick,
        out: common.out.clone(),
        search: ready.search.clone(),
        quiet: common.quiet,
    })?;
    ready.show(&report.terminal, &report.files)
}

fn look_after(data: &Data) -> Result<ExitCode, Box<dyn Error>> {
    match data {
        Data::List(folder) => {
            let search = SearchPath::from_environment(folder.data.as_deref())?;
            say(&data_command::list(&search).to_string())?;
        }
        Data::Verify { folder, strict } => {
            let found = data_command::verify(&SearchPath::from_environment(folder.data.as_deref())?);
            say(&format!(
                "{}\n{} intact, {} absent, {} damaged",
                found.table, found.intact, found.absent, found.damaged
            ))?;
            if found.absent > 0 {
                let files = found.intact + found.absent + found.damaged;
                let absent = format!("{} of {files} official files are absent", found.absent);
                warn(&format!(
                    "{}: {absent}: experiments run on synthetic stand-ins of their sets. `cargo xtask data fetch` gets \
                     what is published.",
                    if *strict { "error" } else { "warning" }
                ));
            }
            if found.damaged > 0 || *strict && found.absent > 0 {
                return Ok(ExitCode::FAILURE);
            }
        }
        Data::Fetch { data, home, quiet, sets } => {
            let sets = if sets.is_empty() { fetch::fetchable() } else { sets.clone() };
            let (directory, home) = (data.clone(), home.clone());
            let limits = fetch::Limits::default();
            let options = fetch::FetchOptions { directory, sets, home, progress: !quiet, limits };
            say(&fetch::fetch(&options)?.to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
