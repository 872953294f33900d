//! The arguments of the program.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXIT_CODES: &str = "Exit codes: 0 done; 2 wrong arguments; 3 the log does not show that the policy is better; \
                          65 bad data; 66 a file that cannot be read; 73 a file that cannot be written; \
                          130 interrupted.";

/// From a log of decisions to a policy that is known to be better.
///
/// A log has a row for every decision: what was known, which action was taken, with which probability, and
/// what it earned.
#[derive(Debug, Parser)]
#[command(name = "ocoboost", version, about, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) manners: Manners,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn a policy from a log, and say what it earns against the log
    Train(Train),
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
    /// Learn a classifier of a table by boosting, and say how often it errs
    Boost(Boost),
    /// Learn from rows one by one, and say how often they were predicted wrongly before
    Stream(Stream),
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Manners {
    /// Form of the output: JSON of an evaluation or a comparison, text otherwise
    #[arg(long, global = true, value_enum, default_value_t = Form::Text)]
    pub(crate) format: Form,
    /// Threads; default: one per core. Results do not depend on it
    #[arg(long, global = true)]
    pub(crate) threads: Option<usize>,
    /// Seed of all random numbers [default: 0]
    #[arg(long, visible_alias = "random_seed", global = true)]
    pub(crate) seed: Option<u64>,
    /// No progress
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people
    Text,
    /// One JSON value
    Json,
}

/// Which columns are what.
#[derive(Debug, Args)]
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
}

#[derive(Debug, Args)]
pub(crate) struct Train {
    /// The log; `-` is the standard input
    pub(crate) log: PathBuf,
    /// The model
    #[arg(short = 'o', short_alias = 'f', long, visible_alias = "final_regressor", value_name = "MODEL")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) columns: Columns,
    /// Time for the search and the training, such as 60s, 10m or 1h [default: 60s]
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// Share of the rows that judge the policy: the last ones where --time names a column, else drawn
    /// [default: 0.25]
    #[arg(long, value_name = "SHARE")]
    pub(crate) holdout: Option<f64>,
    /// Certainty of the lower bound [default: 0.95]
    #[arg(long, value_name = "P")]
    pub(crate) confidence: Option<f64>,
    /// Candidates of the search, at most
    #[arg(long, value_name = "N")]
    pub(crate) candidates: Option<usize>,
    /// Rounds of a candidate, at most
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<usize>,
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
    pub(crate) columns: Columns,
    /// Certainty of the lower bound [default: 0.95]
    #[arg(long, value_name = "P")]
    pub(crate) confidence: Option<f64>,
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
    pub(crate) columns: Columns,
    /// Certainty of the intervals [default: 0.95]
    #[arg(long, value_name = "P")]
    pub(crate) confidence: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct Predict {
    /// The model
    pub(crate) model: PathBuf,
    /// Rows with the columns of the model's contexts; `-` is the standard input
    pub(crate) contexts: PathBuf,
    #[command(flatten)]
    pub(crate) columns: Columns,
    /// Share of the decisions that are drawn evenly, so that the next log can be learnt from [default: 0]
    #[arg(long, visible_alias = "epsilon", value_name = "EPSILON")]
    pub(crate) explore: Option<f64>,
    /// The probabilities of all actions too
    #[arg(long)]
    pub(crate) probabilities: bool,
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
    /// The file, whose ending names the format: .csv, .jsonl, .parquet, .vw, each also with .gz or .zst
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) columns: Columns,
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
