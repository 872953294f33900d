//! The arguments of the program.

use crate::failure::Failure;
use boosters::auto_policy::{Objective, Overrides};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const BEHIND_HELP: &str = "Every option is also a variable (OCOBOOST_BUDGET=10m) and a setting of --config FILE.toml \
                          (budget = \"10m\"). The command line goes before the environment, and that before the \
                          file.\n\n\
                          Exit codes: 0 done; 2 wrong arguments; 3 the log does not show that the policy is better; \
                          65 bad data; 66 a file that cannot be read; 73 a file that cannot be written; \
                          71 too little memory; 75 a process of --mpi was lost; 130 interrupted.";

/// From a log of decisions to a policy that is known to be better.
///
/// A log has a row for every decision: what was known, which action was taken, with which probability, and
/// what it earned.
#[derive(Debug, Parser)]
#[command(name = "ocoboost", version, after_help = BEHIND_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn a policy from a log, and say what it earns against the log
    Train(Box<Train>),
    /// Estimate what a policy would have earned, with intervals and a lower bound
    Evaluate(Evaluate),
    /// Estimate several policies on one log, and their differences
    Compare(Compare),
    /// Choose an action for every row
    Predict(Predict),
    /// Say what a model is and what it was trained on
    Inspect(Inspect),
    /// Write a log in another format
    Convert(Convert),
    /// Write a model as JSON, or in the form of XGBoost
    Export(Export),
    /// Print what a shell needs to complete commands and options
    Completions(Completions),
    /// Print the manual page of the program or of a command
    Man(Man),
    /// Learn a classifier of a table by boosting, and say how often it errs
    Boost(Boost),
    /// Learn from rows one by one, and say how often they were predicted wrongly before
    Stream(Stream),
}

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Manners {
    /// Form of the output; each command says which it can write
    #[arg(long, global = true, value_enum)]
    pub(crate) format: Option<Form>,
    /// Threads; default: one per core. Results do not depend on it
    #[arg(long, visible_alias = "nthread", global = true)]
    pub(crate) threads: Option<usize>,
    /// Seed of all random numbers [default: 0]
    #[arg(long, visible_alias = "random_seed", global = true)]
    pub(crate) seed: Option<u64>,
    /// No progress
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// File of settings, `name = value` a line, and `[command]` before those of one command
    #[arg(long, global = true, value_name = "FILE.toml")]
    #[allow(dead_code, reason = "the file is read before the arguments are")]
    pub(crate) config: Option<PathBuf>,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people
    Text,
    /// One JSON value
    Json,
    /// A JSON object a line
    Jsonl,
    /// Comma-separated values with a header
    Csv,
}

impl Form {
    /// Its name on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
        }
    }
}

impl Manners {
    /// The form that was asked for: one of those that a command can write, the first of which is its usual
    /// one.
    pub(crate) fn form(&self, command: &str, usual: Form, others: &[Form]) -> Result<Form, Failure> {
        match self.format {
            None => Ok(usual),
            Some(form) if form == usual || others.contains(&form) => Ok(form),
            Some(form) => {
                let others = others.iter().map(|form| format!(" or {}", form.name()));
                let why = format!("{command} writes {}{}", usual.name(), others.collect::<String>());
                Err(Failure::Argument { name: "format", value: form.name().to_owned(), why })
            }
        }
    }

    /// Refuses a form where there is none to choose.
    pub(crate) fn no_form(&self, why: &str) -> Result<(), Failure> {
        match self.format {
            None => Ok(()),
            Some(form) => {
                let (value, why) = (form.name().to_owned(), why.to_owned());
                Err(Failure::Argument { name: "format", value, why })
            }
        }
    }
}

/// Which columns are what.
#[derive(Debug, Args)]
#[command(next_help_heading = "Columns and formats")]
pub(crate) struct Columns {
    /// Column of the actions that were taken [default: action]
    #[arg(long, value_name = "COL")]
    pub(crate) action: Option<String>,
    /// Column of their probabilities [default: propensity]; estimated where there is none
    #[arg(long, value_name = "COL")]
    pub(crate) propensity: Option<String>,
    /// Column of the rewards [default: reward]
    #[arg(long, value_name = "COL", conflicts_with = "cost")]
    pub(crate) reward: Option<String>,
    /// Column of costs, instead of rewards
    #[arg(long, value_name = "COL")]
    pub(crate) cost: Option<String>,
    /// Columns that are no contexts, separated by commas
    #[arg(long, value_name = "COL,…", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Columns that are labels though they look like numbers, separated by commas
    #[arg(long, value_name = "COL,…", value_delimiter = ',')]
    pub(crate) labels: Vec<String>,
    /// Column that lists the actions on offer
    #[arg(long, value_name = "COL")]
    pub(crate) available: Option<String>,
    /// Column that orders the rows in time
    #[arg(long, value_name = "COL")]
    pub(crate) time: Option<String>,
    /// Format of the input; default: by its content and name
    #[arg(long, value_name = "NAME")]
    pub(crate) input_format: Option<String>,
    /// Learn from the contexts alone where actions have features of their own
    #[arg(long)]
    pub(crate) drop_action_features: bool,
    /// Where actions have features of their own, tell them apart by their names as well
    #[arg(long)]
    pub(crate) identities: bool,
    /// Features of actions that depend on the row too, such as affinities, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) pair_features: Vec<String>,
    /// Count every row once where rows have weights, as those of dsjson with pdrop
    #[arg(long)]
    pub(crate) drop_weights: bool,
}

/// How a policy is judged.
#[derive(Debug, Args)]
pub(crate) struct Certainty {
    /// Certainty of the intervals and of the lower bound [default: 0.95]
    #[arg(long, value_name = "P")]
    pub(crate) confidence: Option<f64>,
    /// Least and largest reward that there can be, for the bound [default: those of the log]
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    pub(crate) reward_range: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Train {
    /// The log, in one file or in several with the same columns; `-` is the standard input
    #[arg(required_unless_present = "data", value_name = "LOG")]
    pub(crate) log: Vec<PathBuf>,
    /// The log, as Vowpal Wabbit has it
    #[arg(short = 'd', long, value_name = "LOG", conflicts_with = "log")]
    pub(crate) data: Vec<PathBuf>,
    /// The model
    #[arg(short = 'o', short_alias = 'f', long, visible_alias = "final_regressor", value_name = "MODEL")]
    pub(crate) output: PathBuf,
    /// Time for everything, such as 60s, 10m or 1h [default: 60s]
    ///
    /// The search and the training end early enough for the judgement. Reading counts up to a half.
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// Share of the rows that judge the policy: the last ones where --time names a column, else drawn
    /// [default: 0.1, or 1000 rows, but at most 0.25]
    #[arg(long, value_name = "SHARE")]
    pub(crate) holdout: Option<f64>,
    /// Column that says which rows judge the policy: those with true, yes, 1 or test, or with VALUE
    #[arg(long, value_name = "COL[=VALUE]", conflicts_with_all = ["holdout", "groups", "time"])]
    pub(crate) validation: Option<String>,
    /// Column whose rows of one value learn together or judge together, as those of one user should
    #[arg(long, value_name = "COL", conflicts_with = "time")]
    pub(crate) groups: Option<String>,
    #[command(flatten)]
    pub(crate) certainty: Certainty,
    /// Candidates of the search, at most [default: 9]
    #[arg(long, value_name = "N")]
    pub(crate) candidates: Option<usize>,
    /// Rounds of a candidate, at most [default: 800]
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<usize>,
    /// File that the run is saved to every few seconds, for --resume
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on with a run that was saved, on the same log with the same settings
    ///
    /// The policy is then that of a run that was not stopped, bit for bit, unless the budget ends the search
    /// or the training: that depends on the speed of the machine. The time of the stopped run counts towards
    /// --budget, which may be another one. The run is saved to the same file, unless --checkpoint names one.
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Train together with the other processes that `mpirun` has started, each on its part of the rows
    ///
    /// As in `mpirun -n 8 ocoboost train --mpi …`. Every process needs the files of the log, and reads its
    /// part of them; the first one writes and says everything. The policy is that of one process, bit for
    /// bit, unless the budget ends the search or the training. The program must be built with its feature
    /// `mpi`.
    #[arg(long, help_heading = "Many machines")]
    pub(crate) mpi: bool,
    /// How long a process waits for the others, which may be busy with their parts [default: 10m]
    #[arg(long, value_name = "TIME", requires = "mpi", help_heading = "Many machines")]
    pub(crate) mpi_timeout: Option<String>,
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Settings that every candidate has, in place of those that the search tries.
#[derive(Debug, Args)]
#[command(next_help_heading = "Settings of every candidate; without them the search tries several")]
pub(crate) struct Settings {
    /// What a policy is trained to do
    #[arg(long, value_enum)]
    pub(crate) objective: Option<ObjectiveName>,
    /// Depth of the deepest leaf
    #[arg(long, visible_alias = "max_depth", value_name = "N")]
    pub(crate) max_depth: Option<u32>,
    /// Step of a round
    #[arg(long, visible_aliases = ["eta", "learning_rate"], value_name = "RATE")]
    pub(crate) learning_rate: Option<f64>,
    /// Least sum of second derivatives in a leaf
    #[arg(long, visible_alias = "min_child_weight", value_name = "WEIGHT")]
    pub(crate) min_child_weight: Option<f64>,
    /// Penalty on the squares of the leaves
    #[arg(long, visible_aliases = ["lambda", "reg_lambda"], value_name = "LAMBDA")]
    pub(crate) reg_lambda: Option<f64>,
    /// Share of the columns that a tree sees
    #[arg(long, visible_alias = "colsample_bytree", value_name = "SHARE")]
    pub(crate) colsample_bytree: Option<f64>,
    /// Share of the rows that a tree sees
    #[arg(long, value_name = "SHARE")]
    pub(crate) subsample: Option<f64>,
    /// Largest importance weight in training
    #[arg(long, value_name = "WEIGHT")]
    pub(crate) clip: Option<f64>,
    /// Number added to the rewards, which are mapped to [0, 1]; for ips and surrogate
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) translation: Option<f64>,
}

/// What a policy is trained to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectiveName {
    /// The inverse-propensity estimate of its value
    Ips,
    /// The convex surrogate of it
    Surrogate,
    /// The doubly robust estimate
    #[value(alias = "dr")]
    DoublyRobust,
    /// Predicted rewards
    #[value(alias = "dm")]
    RewardRegression,
}

impl Settings {
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            objective: self.objective.map(|name| match name {
                ObjectiveName::Ips => Objective::Ips,
                ObjectiveName::Surrogate => Objective::Surrogate,
                ObjectiveName::DoublyRobust => Objective::DoublyRobust,
                ObjectiveName::RewardRegression => Objective::RewardRegression,
            }),
            max_depth: self.max_depth,
            min_child_weight: self.min_child_weight,
            reg_lambda: self.reg_lambda,
            learning_rate: self.learning_rate,
            translation: self.translation,
            clip: self.clip,
            columns: self.colsample_bytree,
            rows: self.subsample,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    /// A model, or `uniform`, or `logged`
    #[arg(value_name = "MODEL|uniform|logged")]
    pub(crate) policy: String,
    /// The log; `-` is the standard input
    pub(crate) log: PathBuf,
    /// A page with all of it, that needs no network: figures, overlap, segments, what the policy changes
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) certainty: Certainty,
    #[command(flatten)]
    pub(crate) columns: Columns,
    /// Column of the classes, for a classifier [default: that of its training]
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Models, or `uniform`, or `logged`; then the log
    #[arg(required = true, num_args = 2.., value_name = "MODEL… LOG")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) certainty: Certainty,
    #[command(flatten)]
    pub(crate) columns: Columns,
}

#[derive(Debug, Args)]
pub(crate) struct Predict {
    /// The model
    #[arg(required_unless_present = "initial_regressor", requires = "contexts")]
    pub(crate) model: Option<PathBuf>,
    /// Rows with the columns of the model's contexts; `-` is the standard input
    #[arg(required_unless_present = "data")]
    pub(crate) contexts: Option<PathBuf>,
    /// The model, as Vowpal Wabbit has it
    #[arg(short = 'i', long = "initial_regressor", value_name = "MODEL", requires = "data")]
    #[arg(conflicts_with_all = ["model", "contexts"])]
    pub(crate) initial_regressor: Option<PathBuf>,
    /// The rows, as Vowpal Wabbit has it
    #[arg(short = 'd', long, value_name = "ROWS", requires = "initial_regressor")]
    #[arg(conflicts_with_all = ["model", "contexts"])]
    pub(crate) data: Option<PathBuf>,
    /// No learning: that is so without it too
    #[arg(short = 't', long = "testonly", hide = true)]
    pub(crate) testonly: bool,
    /// The file of the answer; default: the standard output
    #[arg(short = 'o', short_alias = 'p', long, visible_alias = "predictions", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Share of the decisions that are drawn evenly, so that the next log can be learnt from [default: 0]
    ///
    /// Every call draws anew. With --seed it draws the same again, which a service must not.
    #[arg(long, visible_alias = "epsilon", value_name = "EPSILON")]
    pub(crate) explore: Option<f64>,
    /// The probabilities of all actions too
    #[arg(long)]
    pub(crate) probabilities: bool,
    /// The K best actions of every row with their scores, in place of one that is played
    #[arg(long, value_name = "K", conflicts_with_all = ["explore", "probabilities"])]
    pub(crate) top: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) columns: Columns,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// The model
    pub(crate) model: PathBuf,
    /// The number of leaves and features that are listed
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) most: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// The log; `-` is the standard input
    pub(crate) input: PathBuf,
    /// The file, whose ending names the format: .csv, .tsv, .jsonl, .parquet, .arrow, .vw, each also with
    /// .gz or .zst; `-` is the standard output, as CSV
    pub(crate) output: PathBuf,
    /// Format of the output: csv, tsv, json-lines, parquet, arrow or vw; default: by its name
    #[arg(long, value_name = "NAME")]
    pub(crate) output_format: Option<String>,
    #[command(flatten)]
    pub(crate) columns: Columns,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The model
    pub(crate) model: PathBuf,
    /// The file; `-` is the standard output
    pub(crate) output: PathBuf,
    /// The form of the file
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = ExportForm::Json)]
    pub(crate) form: ExportForm,
}

/// The form of an exported model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// Everything in the model, with names in place of numbers
    Json,
    /// The trees, for `Booster.load_model` of XGBoost 2 and 3: a regressor on [x; one-hot(action)]
    Xgboost,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command; default: the program
    pub(crate) command: Option<String>,
}

/// Which columns of a table are what.
#[derive(Debug, Args)]
pub(crate) struct TableColumns {
    /// Columns that are not learnt from, separated by commas
    #[arg(long, value_name = "COL,…", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Columns that are labels though they look like numbers, separated by commas
    #[arg(long, value_name = "COL,…", value_delimiter = ',')]
    pub(crate) labels: Vec<String>,
    /// Format of the input; default: by its content and name
    #[arg(long, value_name = "NAME")]
    pub(crate) input_format: Option<String>,
}

/// A booster of the MABoost family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// Every mistake gains weight: for labels that are right
    Adaboost,
    /// No row weighs more than k times its share: for labels of which some are wrong
    Smooth,
    /// Most weights are 0
    Sparse,
    /// Weights that stop growing
    Madaboost,
    /// A cap for the rows of a second table
    Combined,
}

#[derive(Debug, Args)]
pub(crate) struct Boost {
    /// The table; `-` is the standard input
    pub(crate) table: PathBuf,
    /// Column of the classes
    #[arg(long, value_name = "COL")]
    pub(crate) label: String,
    /// The model
    #[arg(short = 'o', short_alias = 'f', long, visible_alias = "final_regressor", value_name = "MODEL")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) columns: TableColumns,
    /// Column that orders the rows in time: the last ones judge
    #[arg(long, value_name = "COL")]
    pub(crate) time: Option<String>,
    /// The booster [default: smooth or adaboost, whichever errs less; combined with --secondary]
    #[arg(long, value_enum)]
    pub(crate) algorithm: Option<Algorithm>,
    /// k of smooth and combined boosting [default: chosen among 1.5, 2, 3, 5, 10 and 30]
    #[arg(short = 'k', long, value_name = "K")]
    pub(crate) smoothness: Option<f64>,
    /// A second table with the same columns, whose classes may be wrong
    #[arg(long, value_name = "TABLE")]
    pub(crate) secondary: Option<PathBuf>,
    /// Rounds, at most [default: 300]
    #[arg(long, visible_alias = "n_estimators", alias = "num_boost_round", value_name = "N")]
    pub(crate) rounds: Option<usize>,
    /// Rounds without a smaller error that end the search [default: 50]
    #[arg(long, visible_alias = "early_stopping_rounds", value_name = "N")]
    pub(crate) early_stopping_rounds: Option<usize>,
    /// Depth of the trees [default: 3 or 6, whichever errs less]
    #[arg(long, visible_alias = "max_depth", value_name = "N")]
    pub(crate) max_depth: Option<u16>,
    /// Least share of the weight in a leaf [default: 0]
    #[arg(long, visible_alias = "min_weight_fraction_leaf", value_name = "SHARE")]
    pub(crate) min_weight_fraction_leaf: Option<f64>,
    /// Share of the rows that judge: the last ones where --time names a column, else drawn [default: 0.25]
    #[arg(long, value_name = "SHARE")]
    pub(crate) holdout: Option<f64>,
    /// Certainty of the interval [default: 0.95]
    #[arg(long, value_name = "P")]
    pub(crate) confidence: Option<f64>,
}

/// A booster of streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnlineBooster {
    /// Online agnostic boosting, whose theory allows for wrong labels
    Agnostic,
    /// Online realizable boosting
    Realizable,
    /// OSBoost, smooth boosting one row at a time
    Osboost,
    /// Online BBM, boosting by majority
    Bbm,
    /// AdaBoost.OL, which needs no advantage
    AdaboostOl,
    /// One weak learner alone
    None,
}

/// What is boosted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeakLearner {
    /// Thresholds of single columns, found in the stream
    Stumps,
    /// Counts and moments of every column
    NaiveBayes,
    /// A linear model of scaled numbers
    Logistic,
}

#[derive(Debug, Args)]
pub(crate) struct Stream {
    /// The rows; `-` is the standard input
    pub(crate) examples: PathBuf,
    /// Column of the two classes; rows without one are predicted only. Vowpal Wabbit's text has none
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The model
    #[arg(short = 'o', short_alias = 'f', long, visible_alias = "final_regressor", value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    /// A model to go on from, as if it had not been stopped
    #[arg(short = 'i', long, visible_alias = "initial_regressor", value_name = "MODEL")]
    pub(crate) input: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) columns: TableColumns,
    /// The predictions, each made before its row was learnt from; `-` is the standard output
    #[arg(short = 'p', long, value_name = "FILE")]
    pub(crate) predictions: Option<PathBuf>,
    /// The booster [default: bbm]
    #[arg(long, value_enum, conflicts_with = "input")]
    pub(crate) booster: Option<OnlineBooster>,
    /// The weak learner [default: naive-bayes]
    #[arg(long, value_enum, conflicts_with = "input")]
    pub(crate) weak_learner: Option<WeakLearner>,
    /// Weak learners [default: 20]
    #[arg(long, conflicts_with = "input", value_name = "N")]
    pub(crate) learners: Option<usize>,
    /// Advantage of the weak learners [default: chosen among 0.5, 0.2 and 0.1, and 1 where that is allowed]
    #[arg(long, conflicts_with = "input", value_name = "GAMMA")]
    pub(crate) advantage: Option<f64>,
    /// There are 2^B coordinates for columns and labels [default: by the first row, 8 to 12]
    #[arg(short = 'b', long, visible_alias = "bit_precision", conflicts_with = "input", value_name = "B")]
    pub(crate) bits: Option<u32>,
}
