//! The arguments of the program.

use clap::{Args, Parser, Subcommand};
use datasets::{ClassificationName, Name, Set};
use experiments::agnostic::streams::Source;
use std::path::PathBuf;

/// The papers' tables and figures beside our own.
#[derive(Parser)]
#[command(name = "cargo xtask", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run an experiment
    #[command(subcommand)]
    Reproduce(Experiment),
    /// Hold the crates against conformance vectors
    Conform {
        /// The folder with the vector files
        dir: PathBuf,
        /// Count the cases of unknown kernels as skipped instead of failed
        #[arg(long)]
        allow_unknown: bool,
    },
    /// Look after the official data files
    #[command(subcommand)]
    Data(Data),
    /// Attack every saved type and every reader with mutated input
    Fuzz(Fuzz),
    /// Run the cases of a job that stands on standard input
    #[command(hide = true)]
    FuzzWorker,
}

#[derive(Args)]
pub(crate) struct Fuzz {
    /// Minutes of the whole run
    #[arg(long, default_value_t = 1.0)]
    pub(crate) minutes: f64,
    /// So many cases a target, in place of a time
    #[arg(long, conflicts_with = "minutes")]
    pub(crate) cases: Option<u64>,
    /// The seed of all cases
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Workers at a time; all cores unless said
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Only targets with this in their names
    #[arg(long)]
    pub(crate) only: Option<String>,
    /// Where findings go
    #[arg(long, default_value = "out/fuzz")]
    pub(crate) out: PathBuf,
    /// The limit of a case in seconds
    #[arg(long, default_value_t = 5.0)]
    pub(crate) case_seconds: f64,
    /// The limit of a worker's memory in MiB
    #[arg(long, default_value_t = 256)]
    pub(crate) memory: u64,
    /// Run the input of one finding again, and nothing else
    #[arg(long)]
    pub(crate) replay: Option<PathBuf>,
    /// Print the names of the targets
    #[arg(long)]
    pub(crate) list: bool,
    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,
    /// This process is in a group of its own, and ends with its standard input
    #[arg(long, hide = true)]
    pub(crate) ends_with_input: bool,
}

#[derive(Subcommand)]
pub(crate) enum Experiment {
    /// Everything there is, at a glance: a few minutes
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
        /// Trials of what is random
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// Short streams and small dimensions
        #[arg(long)]
        quick: bool,
    },
    /// [BH20, Table 1]: regret and cost of projection-free learners as T grows
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
    /// [BCMH20]: agnostic and realizable boosting on streams whose labels lie, against their bounds
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
    /// [NP14]: the MABoost family on two-class sets: bounds, margins, label noise, sparse weights, combined sets
    Maboost {
        #[command(flatten)]
        common: Common,
        /// Trials of what is cheap; courses on large sets have fewer
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
        trials: u32,
        /// Trials of Covertype and Fashion-MNIST, of which one takes many minutes; as many as of the others unless said
        #[arg(long)]
        large_trials: Option<u32>,
        /// Trials, of those two, of the methods that the paper's Table 1 does not have; as many as of the others unless said
        #[arg(long)]
        comparison_trials: Option<u32>,
        /// Few rounds on few rows, of scene alone unless tasks are named
        #[arg(long)]
        quick: bool,
        /// Search hyper-parameters on validation rows, instead of those of the paper's Table 5
        #[arg(long)]
        search: bool,
        /// In place of the tables: BOPL-regr with one thing at a time varied, on validation rows
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
    /// Threads; results do not depend on them
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Where results go
    #[arg(long, default_value = "out")]
    pub(crate) out: PathBuf,
    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Subcommand)]
pub(crate) enum Data {
    /// Which official files are here
    List(Folder),
    /// Whether they have the official content
    Verify(Folder),
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
