//! The program behind `cargo xtask reproduce | data`.

mod arguments;
mod ready;

use arguments::{Cli, Command, Common, Data, Experiment, known_names};
use clap::Parser;
use datasets::{Name, SearchPath, Set};
use experiments::agnostic::{self, streams::Source};
use experiments::bopl::task_name::TaskName;
use experiments::data_command::{self, fetch};
use experiments::peer::Peers;
use experiments::runner::{ExperimentError, Options, Report};
use experiments::{bandit_boosting, bopl, maboost, obd, oco, projection_free};
use ready::Ready;
use report::interruption;
use report::output::{say, warn};
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
        Command::Reproduce(_) => interruption::explain("finished trials are kept beside the results"),
        Command::Data(Data::Fetch { .. }) => interruption::explain("downloaded bytes are kept"),
        // Fast commands, with nothing to resume.
        Command::Data(_) => {}
    }
    match command {
        Command::Reproduce(experiment) => reproduce(experiment),
        Command::Data(data) => look_after(&data),
    }
}

fn reproduce(experiment: Experiment) -> Result<ExitCode, Box<dyn Error>> {
    match experiment {
        Experiment::Tour(common) => tour(&common),
        Experiment::BanditBoosting { common, trials, delta, quick, datasets } => {
            let plan = bandit_boosting::Plan { delta, datasets: or_all(&datasets, &Name::BH20) };
            let sets = sets(&plan.datasets);
            perform(&common, "bandit-boosting", (trials, quick), &sets, plan, bandit_boosting::run)
        }
        Experiment::Oco { common, trials, quick } => {
            perform(&common, "oco", (trials, quick), &sets(&oco::STREAMS), (), oco::run)
        }
        Experiment::ProjectionFree { common, trials, quick } => {
            let problems = projection_free::problems::Problem::ALL.to_vec();
            let sets = [Name::Abalone.into()];
            perform(&common, "projection-free", (trials, quick), &sets, problems, projection_free::run)
        }
        Experiment::Agnostic { common, trials, quick, datasets } => {
            let sources = or_all(&datasets, &Source::ALL);
            perform(&common, "agnostic", (trials, quick), &files(&sources), sources, agnostic::run)
        }
        Experiment::Maboost { common, trials, quick, datasets } => {
            let names = or_all(&datasets, &maboost::sets::SETS);
            perform(&common, "maboost", (trials, quick), &sets(&names), names, maboost::run)
        }
        Experiment::Bopl {
            common,
            trials,
            large_trials,
            comparison_trials,
            quick,
            search: search_parameters,
            variations,
            second_order,
            methods,
            datasets,
            peers,
        } => {
            let all: &[TaskName] = if quick { &[TaskName::Scene] } else { &TaskName::PAPER };
            let tasks = or_all(&datasets, all);
            let methods = or_all(&methods, &bopl::methods::Method::ALL);
            let sets = sets(&tasks);
            let run = match (variations, second_order) {
                (true, _) => bopl::variations::run,
                (_, true) => bopl::second_order::run,
                _ => bopl::run,
            };
            let peers = if peers { installed_peers()? } else { Peers::default() };
            let plan =
                bopl::Plan { large_trials, comparison_trials, search_parameters, methods, tasks, peers };
            perform(&common, "bopl", (trials, quick), &sets, plan, run)
        }
        Experiment::Obd { common, replicates } => {
            perform(&common, "obd", (1, false), &[Set::OpenBandit], replicates, obd::run)
        }
    }
}

/// XGBoost in an environment of its own, and the nets. Without them, the table says so.
fn installed_peers() -> Result<Peers, Box<dyn Error>> {
    say(
        "peers: XGBoost and the nets are looked for in target/, and installed and built there if they are missing",
    )?;
    let peers = Peers::install();
    for (program, reason) in peers.missing() {
        eprintln!("warning: no rows of {program}: {reason}");
    }
    Ok(peers)
}

/// Every experiment in its quick form.
fn tour(common: &Common) -> Result<ExitCode, Box<dyn Error>> {
    say(
        "The quick tour: every experiment, cut short. Tables and plots of full runs are in docs/results/.\n",
    )?;
    let common = || Common { out: common.out.join("tour"), data: common.data.clone(), ..*common };
    let (quick, datasets, trials) = (true, Vec::new(), 3);
    reproduce(Experiment::Oco { common: common(), trials, quick })?;
    reproduce(Experiment::ProjectionFree { common: common(), trials, quick })?;
    reproduce(Experiment::Agnostic { common: common(), trials, quick, datasets: Vec::new() })?;
    reproduce(Experiment::Maboost { common: common(), trials, quick, datasets: Vec::new() })?;
    reproduce(Experiment::Bopl {
        common: common(),
        trials: 2,
        large_trials: None,
        comparison_trials: None,
        quick,
        search: false,
        variations: false,
        second_order: false,
        methods: Vec::new(),
        datasets: Vec::new(),
        peers: false,
    })?;
    reproduce(Experiment::Obd { common: common(), replicates: 200 })?;
    reproduce(Experiment::BanditBoosting { common: common(), trials, delta: 0.5, quick, datasets })
}

/// Runs an experiment on these sets, and shows its results.
fn perform<P>(
    common: &Common,
    name: &str,
    (trials, quick): (u64, bool),
    sets: &[Set],
    plan: P,
    run: fn(&Options<P>) -> Result<Report, ExperimentError>,
) -> Result<ExitCode, Box<dyn Error>> {
    let ready = Ready::new(common, name, sets)?;
    let (out, search) = (common.out.clone(), ready.search.clone());
    let Common { seed, threads, quiet, .. } = *common;
    let report = run(&Options { trials, seed, threads, quick, plan, out, search, quiet })?;
    ready.show(&report.terminal, &report.files)
}

/// The sources read from files.
fn files(sources: &[Source]) -> Vec<Set> {
    let set = |source: &Source| match source {
        Source::Real(name) => Some(Set::from(*name)),
        _ => None,
    };
    sources.iter().filter_map(set).collect()
}

/// The requested items, each once; all if none was requested. Trials of an item that stood twice would count
/// twice in its row.
fn or_all<T: Clone + PartialEq>(asked: &[T], all: &[T]) -> Vec<T> {
    if asked.is_empty() {
        return all.to_vec();
    }
    let mut items = Vec::new();
    for item in asked {
        if !items.contains(item) {
            items.push(item.clone());
        }
    }
    items
}

fn sets<S: Copy + Into<Set>>(names: &[S]) -> Vec<Set> {
    names.iter().map(|&name| name.into()).collect()
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
                    "{}: {absent}: experiments run on synthetic stand-ins of their sets. `cargo xtask data fetch` \
                     downloads the published files.",
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
