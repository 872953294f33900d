//! The arguments of the program.

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use datasets::{Name, Set};
use experiments::agnostic::streams::Source;
use experiments::bopl::methods::Method;
use experiments::bopl::task_name::TaskName;
use std::ffi::OsString;
use std::path::PathBuf;

/// The papers' tables and figures beside our own.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The known commands, one line each, for the error message about an unknown one.
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
        after_help = "Without an experiment, `cargo xtask reproduce` runs the tour. Options of one experiment: \
                            `cargo xtask reproduce EXPERIMENT --help`."
    )]
    Reproduce(Experiment),
    /// List, verify or download the official data files
    #[command(subcommand)]
    Data(Data),
}

#[derive(Subcommand)]
pub(crate) enum Experiment {
    /// All experiments in their quick form: a few minutes
    Tour(Common),
    /// [BH20, Table 2]: online gradient boosting with noisy bandit feedback
    BanditBoosting {
        #[command(flatten)]
        common: Common,
        /// Trials per data set
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// Distance δ between the prediction and the queried points
        #[arg(long, default_value_t = 0.5)]
        delta: f64,
        /// Quick run: a small grid, shortened halves
        #[arg(long)]
        quick: bool,
        /// Data sets, separated by commas; default: all
        #[arg(long, value_delimiter = ',')]
        datasets: Vec<Name>,
    },
    /// [W13]: the lecture's example, regret and mistake bounds, and zero-sum games
    Oco {
        #[command(flatten)]
        common: Common,
        /// Trials per random part
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// Quick run: short streams, small dimensions
        #[arg(long)]
        quick: bool,
    },
    /// [BH20, Table 1]: regret and cost of projection-free learners as T grows
    ///
    /// The learners are timed: the default is one thread unless --threads or $RAYON_NUM_THREADS is set.
    ProjectionFree {
        #[command(flatten)]
        common: Common,
        /// Trials per problem
        #[arg(long, default_value_t = 10)]
        trials: u64,
        /// Quick run: short horizons
        #[arg(long)]
        quick: bool,
    },
    /// [BCMH20]: agnostic and realizable boosting under label noise, against their bounds
    Agnostic {
        #[command(flatten)]
        common: Common,
        /// Trials per stream
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// Quick run: short streams, few learners
        #[arg(long)]
        quick: bool,
        /// Streams, separated by commas; default: all
        #[arg(long, value_delimiter = ',')]
        datasets: Vec<Source>,
    },
    /// [NP14]: the MABoost family on two-class sets: bounds, margins, label noise, sparse weights, combined
    /// sets
    Maboost {
        #[command(flatten)]
        common: Common,
        /// Trials per data set; fewer for long runs on large sets
        #[arg(long, default_value_t = 20)]
        trials: u64,
        /// Quick run: few rounds, few rows
        #[arg(long)]
        quick: bool,
        /// Data sets, separated by commas; default: all
        #[arg(long, value_delimiter = ',')]
        datasets: Vec<Name>,
    },
    /// [L23]: policies boosted from logs of bandit feedback, on four classification tasks
    Bopl {
        #[command(flatten)]
        common: Common,
        /// Trials per task
        #[arg(long, default_value_t = 10)]
        trials: u64,
        /// Trials per task on covertype, fashion and fashion-pooled, many minutes each; default: --trials
        #[arg(long)]
        large_trials: Option<u64>,
        /// Trials of methods outside Table 1 on these three tasks; default: --large-trials
        #[arg(long)]
        comparison_trials: Option<u64>,
        /// Quick run: few rounds, few rows; scene only, unless --datasets names others
        #[arg(long)]
        quick: bool,
        /// Hyper-parameter search on validation rows, instead of the paper's Table 5
        #[arg(long)]
        search: bool,
        /// Instead of the tables: BOPL-regr with one parameter varied at a time, scored on validation rows
        #[arg(long, conflicts_with = "search")]
        variations: bool,
        /// Instead of the tables: the rounds and seconds that second-order steps save, on validation rows
        #[arg(long, conflicts_with_all = ["search", "variations"])]
        second_order: bool,
        /// Methods, separated by commas, such as logging,brr-gb,autopolicy; default: all
        #[arg(long, value_delimiter = ',', value_parser = method, conflicts_with_all = ["variations", "second_order"])]
        methods: Vec<Method>,
        /// Tasks, separated by commas: covertype, fashion, scene, tmc, fashion-pooled (rows of fashion
        /// in a random order before they are split), tmc-repeated (training rows of tmc, some of them twice),
        /// letter, adult, obd; default: the first four, those of the paper
        #[arg(long, visible_alias = "dataset", value_delimiter = ',', value_parser = task)]
        datasets: Vec<TaskName>,
        /// BRR-xgb, DRR and BanditNet too: installs XGBoost for Python (a download of some 500 MB) and builds
        /// the neural networks (some minutes), both in target/
        #[arg(long)]
        peers: bool,
    },
    /// [SANS21]: off-policy evaluation on a real log, each campaign by the other's
    Obd {
        #[command(flatten)]
        common: Common,
        /// Bootstrap replicates
        #[arg(long, default_value_t = 2000)]
        replicates: u32,
    },
}

/// A method by its name in arguments.
fn method(name: &str) -> Result<Method, String> {
    let known = Method::ALL.map(Method::argument);
    let found = Method::ALL.into_iter().find(|method| method.argument() == name);
    found.ok_or_else(|| format!("not among {}", known.join(", ")))
}

/// A task by its name.
fn task(name: &str) -> Result<TaskName, String> {
    let known = TaskName::ALL.map(TaskName::as_str);
    let found = TaskName::ALL.into_iter().find(|task| task.as_str() == name);
    found.ok_or_else(|| format!("not among {}", known.join(", ")))
}

#[derive(Args)]
pub(crate) struct Common {
    /// Folder with the official files; default: $OCO_DATA, data/, ../shared/data, in this order
    #[arg(long)]
    pub(crate) data: Option<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads, 1 to 4096; default: $RAYON_NUM_THREADS, else one per core. Results do not depend on it
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Folder for the results
    #[arg(long, default_value = "out")]
    pub(crate) out: PathBuf,
    /// No progress output
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Fail if official files are absent, instead of running on synthetic stand-ins
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Subcommand)]
pub(crate) enum Data {
    /// List the official files and where they were found
    List(Folder),
    /// Compare the files found with the official SHA-256 sums
    Verify {
        #[command(flatten)]
        folder: Folder,
        /// Fail on absent files too, not only on damaged ones
        #[arg(long)]
        strict: bool,
    },
    /// Download the missing files
    Fetch {
        /// Folder for the files
        #[arg(long, default_value = "data")]
        data: PathBuf,
        /// Address of a mirror that serves the paths of all publishers
        #[arg(long)]
        home: Option<String>,
        /// No progress output
        #[arg(long)]
        quiet: bool,
        /// Data sets; default: all that can be fetched
        sets: Vec<Set>,
    },
}

#[derive(Args)]
pub(crate) struct Folder {
    /// Folder with the official files; default: $OCO_DATA, data/, ../shared/data, in this order
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
    fn an_unknown_experiment_is_answered_with_the_known_ones() {
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

    /// The commands of this program in a page: lines of blocks, and in backticks.
    fn commands(page: &str) -> Vec<String> {
        let (mut lines, mut prose, mut is_block) = (Vec::new(), String::new(), false);
        for line in page.lines() {
            if line.trim_start().starts_with("```") {
                is_block = !is_block;
            } else if is_block {
                lines.push(line.split(" #").next().unwrap_or_default().to_owned());
            } else {
                prose.push_str(line);
                prose.push(' ');
            }
        }
        // Backticks pair within a paragraph, which the words between them may break into lines.
        let within = prose.split('`').skip(1).step_by(2).map(str::to_owned);
        let words = |command: String| command.split_whitespace().collect::<Vec<_>>().join(" ");
        let all = lines.into_iter().chain(within).map(words);
        // `cargo xtask reproduce` alone is the tour. Brackets and the like are of a form, and no command.
        let ours = ["cargo xtask reproduce ", "cargo xtask data "];
        all.filter(|command| {
            ours.iter().any(|own| command.starts_with(own)) && !command.contains(['[', '…', '|'])
        })
        .collect()
    }

    #[test]
    fn the_commands_on_the_pages_are_commands() {
        let mut folders = ["/../../docs", "/.."]
            .map(|path| PathBuf::from(env!("CARGO_MANIFEST_DIR").to_owned() + path))
            .to_vec();
        let mut pages = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"))];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "md") {
                    pages.push(path);
                }
            }
        }
        let mut count = 0;
        for page in pages {
            for command in commands(&std::fs::read_to_string(&page).unwrap()) {
                let words = command.strip_prefix("cargo xtask ").unwrap().split_whitespace();
                let parsed = Cli::try_parse_from(["cargo xtask"].into_iter().chain(words));
                let help = |error: &clap::Error| error.kind() == ErrorKind::DisplayHelp;
                let refused = parsed.err().filter(|error| !help(error));
                assert!(refused.is_none(), "{}: {command}: {}", page.display(), refused.unwrap());
                count += 1;
            }
        }
        assert!(count >= 15, "{count}");
        let page = "see `cargo xtask data\nverify`, `cargo xtask data [list]`\n```sh\n\
                    cargo xtask reproduce oco --gone # `x\ncargo xtask reproduce   # all\n```\n`cargo xtask data list`\n";
        let found = ["cargo xtask reproduce oco --gone", "cargo xtask data verify", "cargo xtask data list"];
        assert_eq!(commands(page), found);
    }

    #[test]
    fn help_names_the_experiments_and_the_one_thread_of_the_timed_experiment() {
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
