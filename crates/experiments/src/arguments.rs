//! The arguments of the program.

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use datasets::{ClassificationName, Name, Set};
use experiments::agnostic::streams::Source;
use std::ffi::OsString;
use std::path::PathBuf;

/// The papers' tables and figures beside our own.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands that there are where a wrong one was named: their names and what they do, a line each.
pub(crate) fn known_names(error: &clap::Error, arguments: impl Iterator<Item = OsString>) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let mut command = Cli::command();
    for argument in arguments {
        match command.find_subcommand(&argument) {
            Some(inner) => command = inner.clone(),
            None => break,
        }
    }
    let widest = command.get_subcommands().map(|inner| inner.get_name().len()).max().unwrap_or(0);
    let about = |inner: &clap::Command| inner.get_about().map(ToString::to_string).unwrap_or_default();
    let line = |inner: &clap::Command| format!("  {:<widest$}  {}\n", inner.get_name(), about(inner));
    let heading = command.get_subcommand_help_heading().unwrap_or("Commands");
    Some(format!("{heading}:\n{}", command.get_subcommands().map(line).collect::<String>()))
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run an experiment: a table or figure of the papers beside our own
    #[command(subcommand, subcommand_value_name = "EXPERIMENT", subcommand_help_heading = "Experiments")]
    #[command(
        after_help = "Without the name of an experiment, `cargo xtask reproduce` runs the tour. Each has options of its own: \
                            `cargo xtask reproduce EXPERIMENT --help`."
    )]
    Reproduce(Experiment),
    /// Look after the official data files
    #[command(subcommand)]
    Data(Data),
}

#[derive(Subcommand)]
pub(crate) enum Experiment {
    /// Every experiment, cut short: a few minutes
    Tour(Common),
    /// [BH20, Table 2]: online gradient boosting with noisy bandit feedback
    BanditBoosting {
        #[command(flatten)]
        common: Common,
        /// Trials a data set
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// The distance of the queries
        #[arg(long, default_value_t = 0.5)]
        delta: f64,
        /// A corner of the grid on short halves
        #[arg(long)]
        quick: bool,
        /// Only these data sets, separated by commas
        #[arg(long, value_delimiter = ',')]
        datasets: Vec<Name>,
    },
    /// [W13]: the lecture's example, regret and mistake bounds, and zero-sum games
    Oco {
        #[command(flatten)]
        common: Common,
        /// Trials of the random parts
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// Short streams and small dimensions
        #[arg(long)]
        quick: bool,
    },
    /// [BH20, Table 1]: regret and cost of projection-free learners as T grows
    ///
    /// Its learners are timed, so it works on one thread unless --threads or $RAYON_NUM_THREADS says
    /// otherwise.
    ProjectionFree {
        #[command(flatten)]
        common: Common,
        /// Trials a problem
        #[arg(long, default_value_t = 10)]
        trials: u64,
        /// Short horizons
        #[arg(long)]
        quick: bool,
    },
    /// [BCMH20]: agnostic and realizable boosting under label noise, against their bounds
    Agnostic {
        #[command(flatten)]
        common: Common,
        /// Trials a stream
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// Short streams and few learners
        #[arg(long)]
        quick: bool,
        /// Only these streams, separated by commas
        #[arg(long, value_delimiter = ',')]
        datasets: Vec<Source>,
    },
    /// [NP14]: the MABoost family on two-class sets: bounds, margins, label noise, sparse weights, combined
    /// sets
    Maboost {
        #[command(flatten)]
        common: Common,
        /// Trials; long runs on large sets have fewer
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// Few rounds on few rows
        #[arg(long)]
        quick: bool,
        /// Only these data sets, separated by commas
        #[arg(long, value_delimiter = ',')]
        datasets: Vec<Name>,
    },
    /// [L23]: policies boosted from logs of bandit feedback, on four classification tasks
    Bopl {
        #[command(flatten)]
        common: Common,
        /// Trials a task
        #[arg(long, default_value_t = 10)]
        trials: u64,
        /// Trials of Covertype and Fashion-MNIST, many minutes each; --trials unless given
        #[arg(long)]
        large_trials: Option<u64>,
        /// Trials of methods outside Table 1, on Covertype and Fashion-MNIST; --large-trials unless given
        #[arg(long)]
        comparison_trials: Option<u64>,
        /// Few rounds on few rows, of scene alone unless tasks are named
        #[arg(long)]
        quick: bool,
        /// Search hyper-parameters on validation rows, in place of the paper's Table 5
        #[arg(long)]
        search: bool,
        /// Vary BOPL-regr one parameter at a time, scored on validation rows, in place of the tables
        #[arg(long, conflicts_with = "search")]
        variations: bool,
        /// Only these tasks, separated by commas
        #[arg(long, visible_alias = "dataset", value_delimiter = ',', value_parser = task)]
        datasets: Vec<ClassificationName>,
    },
    /// [SANS21]: off-policy evaluation on a real log, each campaign by the other's
    Obd {
        #[command(flatten)]
        common: Common,
        /// Replicates of the bootstrap
        #[arg(long, default_value_t = 2000)]
        replicates: u32,
    },
}

/// A classification task by its name.
fn task(name: &str) -> Result<ClassificationName, String> {
    let known = ClassificationName::ALL.map(ClassificationName::as_str);
    let found = ClassificationName::ALL.into_iter().find(|task| task.as_str() == name);
    found.ok_or_else(|| format!("not among {}", known.join(", ")))
}

#[derive(Args)]
pub(crate) struct Common {
    /// The folder with the official files; else $OCO_DATA, data/ and ../shared/data are looked at
    #[arg(long)]
    pub(crate) data: Option<PathBuf>,
    /// The seed of everything random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads, 1 to 4096; else $RAYON_NUM_THREADS, else one a core. Results do not depend on them
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Where results go
    #[arg(long, default_value = "out")]
    pub(crate) out: PathBuf,
    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Fail if official files are absent, in place of running on synthetic stand-ins
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Subcommand)]
pub(crate) enum Data {
    /// Which official files are here
    List(Folder),
    /// Whether they have the official content
    Verify {
        #[command(flatten)]
        folder: Folder,
        /// Fail where a file is absent, not only where one is damaged
        #[arg(long)]
        strict: bool,
    },
    /// Download what is missing
    Fetch {
        /// Where the files go
        #[arg(long, default_value = "data")]
        data: PathBuf,
        /// Another server, with the paths of all publishers
        #[arg(long)]
        home: Option<String>,
        /// Show no progress
        #[arg(long)]
        quiet: bool,
        /// Only these data sets; else all that can be fetched
        sets: Vec<Set>,
    },
}

#[derive(Args)]
pub(crate) struct Folder {
    /// The folder with the official files; else $OCO_DATA, data/ and ../shared/data are looked at
    #[arg(long)]
    pub(crate) data: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> (String, Option<String>) {
        let words = || line.split(' ').map(OsString::from);
        let Err(error) = Cli::try_parse_from([OsString::from("cargo xtask")].into_iter().chain(words()))
        else {
            panic!("{line} is a command");
        };
        (error.to_string(), known_names(&error, words()))
    }

    #[test]
    fn an_unknown_experiment_is_answered_with_those_that_there_are() {
        let (message, known) = refused("reproduce bandit-bosting --quick");
        assert!(message.contains("bandit-bosting") && message.contains("'bandit-boosting'"), "{message}");
        let known = known.unwrap();
        for name in
            ["tour", "bandit-boosting", "oco", "projection-free", "agnostic", "maboost", "bopl", "obd"]
        {
            assert!(known.lines().any(|line| line.starts_with(&format!("  {name} "))), "{known}");
        }
        assert!(known.starts_with("Experiments:\n") && known.contains("[BH20, Table 2]"), "{known}");
        assert!(refused("data fecth").1.unwrap().contains("\n  fetch"));
        assert!(refused("reprodcue oco").1.unwrap().contains("\n  reproduce"));
        assert_eq!(refused("reproduce oco --no-such-option").1, None);
    }

    #[test]
    fn the_help_of_reproduce_names_the_experiments_and_that_of_the_timed_one_its_threads() {
        let (help, _) = refused("reproduce --help");
        assert!(
            help.contains("Experiments:")
                && help.contains("bandit-boosting")
                && help.contains("runs the tour")
        );
        assert!(!help.contains("--threads"), "{help}");
        assert!(refused("reproduce projection-free --help").0.contains("one thread unless --threads"));
    }
}
