//! The trials of a data set: a log for training, and rows for testing, whose rewards are fully known or, on
//! a real log, estimated.

mod open_bandit;

use super::logging_policy::{Explorer, LoggingPolicy};
use super::task_name::TaskName;
use crate::runner::ExperimentError;
use datasets::{
    Classification, ClassificationName, Contexts, Name, SearchPath, Split, SplitPlan, StandIn, load,
    load_classification, permutation,
};
use off_policy::policies::argmax;
use off_policy::{
    ActionSet, COVERTYPE_NEAR_MISSES, FASHION_MNIST_NEAR_MISSES, LabelSets, Log, RewardStructure,
    expected_reward, to_bandit,
};
use open_bandit::OpenBandit;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use report::record::Provenance;
use rows::{RowError, RowMatrix};
use weak_learners::pairs::{BinnedContexts, PairHypothesis};

/// The rows of the official training part of TMC2007-500, and of the whole.
const TMC_ROWS: [usize; 2] = [21_519, 28_596];
/// The stream that draws the rows of [`TaskName::TmcRepeated`].
const REPEATED: u64 = 1 << 60;
/// The stream that draws the order of [`TaskName::FashionPooled`].
const POOLED: u64 = REPEATED + 1;

/// A data set with its rewards.
#[derive(Debug)]
pub struct Task {
    /// The name of the data set.
    pub name: TaskName,
    source: Source,
}

/// The source of logs.
#[derive(Debug)]
enum Source {
    /// Contexts and labels, from which any log can be drawn.
    Labels(Box<Labelled>),
    /// The logs of two policies that were at work.
    Logs(Box<OpenBandit>),
}

/// Contexts and labels with their rewards.
#[derive(Debug)]
pub struct Labelled {
    name: TaskName,
    /// Contexts and labels.
    pub data: Classification,
    /// r(x, a): \[L23, Appendix F.4\].
    pub structure: RewardStructure,
}

/// One trial of a task.
#[derive(Debug)]
pub struct Trial {
    /// 0, 1, …
    pub number: u32,
    /// The training log.
    pub log: Log,
    /// The contexts of the log, binned.
    pub contexts: BinnedContexts,
    /// The most bins per column.
    pub bins: u16,
    /// The validation rows, for choices.
    pub validation: Rewarded,
    /// The test rows, for the report.
    pub test: Rewarded,
    /// The least propensity of the log.
    pub least_propensity: f64,
}

/// The most rows of each part, for a quick run.
#[derive(Debug, Clone, Copy)]
pub struct MostRows {
    /// The most rows of the log.
    pub log: usize,
    /// The most validation rows, and the most test rows.
    pub held_out: usize,
}

impl Task {
    /// Loads a task, or a stand-in.
    ///
    /// # Errors
    /// The errors of the reader.
    pub fn load(name: TaskName, search: &SearchPath, stand_in: StandIn) -> Result<Self, ExperimentError> {
        let table = |name| Classification::try_from(load(name, search, stand_in)?);
        let data = match (name, name.classification()) {
            (TaskName::TmcRepeated, Some(tmc)) => {
                repeated(load_classification(tmc, search, stand_in)?, TMC_ROWS, stand_in.seed)?
            }
            (TaskName::FashionPooled, Some(fashion)) => {
                pooled(load_classification(fashion, search, stand_in)?, stand_in.seed)?
            }
            (_, Some(of_paper)) => load_classification(of_paper, search, stand_in)?,
            (TaskName::Letter, _) => table(Name::Letter)?,
            (TaskName::Adult, _) => table(Name::Adult)?,
            _ => {
                let logs = OpenBandit::load(search, stand_in.seed)?;
                return Ok(Self { name, source: Source::Logs(Box::new(logs)) });
            }
        };
        let actions = data.labels.classes();
        let near_misses = |groups| RewardStructure::near_misses(actions, groups, 0.25);
        let structure = match name.classification() {
            Some(ClassificationName::Covertype) => near_misses(&COVERTYPE_NEAR_MISSES),
            Some(ClassificationName::Fashion) => near_misses(&FASHION_MNIST_NEAR_MISSES),
            _ => RewardStructure::one_of_the_labels(actions),
        }?;
        let labelled = Labelled { name, data, structure };
        Ok(Self { name, source: Source::Labels(Box::new(labelled)) })
    }

    /// Where the data come from: altered rows of the official files, but what is weaker stays as it is.
    pub(super) fn provenance(&self) -> Provenance {
        let of_files = match &self.source {
            Source::Labels(of) => Provenance::from(&of.data.provenance),
            Source::Logs(logs) => logs.provenance,
        };
        let is_altered = self.name.altered_rows().is_some() && of_files == Provenance::Official;
        if is_altered { Provenance::Altered } else { of_files }
    }

    /// The labels that logs are drawn from; `None` where the logs are real.
    #[must_use]
    pub fn labelled(&self) -> Option<&Labelled> {
        match &self.source {
            Source::Labels(of) => Some(of),
            Source::Logs(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn labelled_mut(&mut self) -> Option<&mut Labelled> {
        match &mut self.source {
            Source::Labels(of) => Some(of),
            Source::Logs(_) => None,
        }
    }

    /// The trial of this number: logging policy, log, validation and test rows \[L23, Appendices F.2 and
    /// F.3\]. The logging policy is trained on a tenth of the training rows, without the unlabelled ones; the
    /// log is drawn from the rest. All trials of a real log are the same.
    ///
    /// # Errors
    /// The errors of the parts.
    pub fn trial(
        &self,
        explorer: Explorer,
        most: Option<MostRows>,
        seed: u64,
        trial: u32,
    ) -> Result<Trial, ExperimentError> {
        let bins = if most.is_some() { 32 } else { self.bins() };
        let (log, validation, test) = match &self.source {
            Source::Labels(of) => of.trial(explorer, most, seed, trial)?,
            Source::Logs(logs) => logs.trial(most)?,
        };
        let least_propensity = log.propensities().iter().copied().fold(1.0, f64::min);
        let contexts = BinnedContexts::with_bins(log.contexts().clone(), bins)?;
        Ok(Trial { number: trial, log, contexts, bins, validation, test, least_propensity })
    }

    /// The most bins per column: fewer for the 784 columns of Fashion-MNIST; 32 in a quick run.
    #[must_use]
    pub fn bins(&self) -> u16 {
        if self.name.classification() == Some(ClassificationName::Fashion) { 64 } else { 256 }
    }
}

impl Labelled {
    /// The drawn rows of a part, and their labels.
    fn part(&self, rows: &[usize]) -> Result<(RowMatrix, LabelSets), ExperimentError> {
        let contexts = self.data.contexts.select(rows.iter().copied())?;
        let labels = self.data.labels.select(rows.iter().copied())?;
        Ok((contexts, LabelSets::new(labels.classes(), labels.iter())?))
    }

    fn trial(
        &self,
        explorer: Explorer,
        most: Option<MostRows>,
        seed: u64,
        trial: u32,
    ) -> Result<(Log, Rewarded, Rewarded), ExperimentError> {
        let split = self.split(most, seed, trial)?;
        let policy = self.logging_policy(explorer, &split, seed, trial)?;
        let (contexts, labels) = self.part(&split.target)?;
        let log = to_bandit(contexts, &labels, &self.structure, &policy, &mut stream(seed, trial, 1))?;
        let held_out = |rows: &[usize]| {
            let (contexts, labels) = self.part(rows)?;
            let logging = expected_reward(&policy, &contexts, &labels, &self.structure)?;
            Rewarded::new(&contexts, &labels, &self.structure, logging)
        };
        Ok((log, held_out(&split.validation)?, held_out(&split.test)?))
    }

    /// The mean reward on the validation rows of a logging policy, as in the trial of this number.
    ///
    /// # Errors
    /// The errors of the parts.
    pub(super) fn logging_reward(
        &self,
        explorer: Explorer,
        most: Option<MostRows>,
        seed: u64,
        trial: u32,
    ) -> Result<f64, ExperimentError> {
        let split = self.split(most, seed, trial)?;
        let policy = self.logging_policy(explorer, &split, seed, trial)?;
        let (contexts, labels) = self.part(&split.validation)?;
        Ok(expected_reward(&policy, &contexts, &labels, &self.structure)?)
    }

    fn logging_policy(
        &self,
        explorer: Explorer,
        split: &Split,
        seed: u64,
        trial: u32,
    ) -> Result<LoggingPolicy, ExperimentError> {
        let (contexts, labels) = self.part(&split.logging)?;
        explorer.train(&contexts, &labels, &mut stream(seed, trial, 0))
    }

    /// The rows of a trial's parts; the logging policy gets only labelled rows.
    fn split(&self, most: Option<MostRows>, seed: u64, trial: u32) -> Result<Split, ExperimentError> {
        let n = self.data.len();
        let plan = match (self.name.classification(), self.data.training) {
            (Some(name), _) => name.split_plan(n),
            (None, Some(training)) => SplitPlan::Official { training, validation: 10 },
            (None, None) => SplitPlan::Nested { test: 20, validation: 20 },
        };
        let mut split = Split::new(plan, n, seed, trial)?;
        if let Some(most) = most {
            split.target.truncate(most.log);
            split.validation.truncate(most.held_out);
            split.test.truncate(most.held_out);
        }
        split.logging.retain(|i| self.data.labels.of(*i).is_some_and(|labels| !labels.is_empty()));
        Ok(split)
    }
}

/// The data set in which rows of the training part, drawn without replacement, take the place of the rows
/// behind it. `part` of `whole` rows are the training part, the same share of a smaller stand-in, but at
/// least one row.
fn repeated(
    data: Classification,
    [part, whole]: [usize; 2],
    seed: u64,
) -> Result<Classification, ExperimentError> {
    let n = data.len();
    let training = (n * part / whole).max(n.min(1));
    let drawn = permutation(training, seed, REPEATED)?;
    of_rows(data, (0..training).chain(drawn.into_iter().take(n - training)).collect())
}

/// The data set in a random order, without a training part.
fn pooled(data: Classification, seed: u64) -> Result<Classification, ExperimentError> {
    let order = permutation(data.len(), seed, POOLED)?;
    let mut data = of_rows(data, order)?;
    data.training = None;
    Ok(data)
}

/// The data set of these rows.
fn of_rows(mut data: Classification, rows: Vec<usize>) -> Result<Classification, ExperimentError> {
    data.contexts = Contexts::Rows(data.contexts.select(rows.iter().copied())?);
    data.labels = data.labels.select(rows)?;
    Ok(data)
}

/// A random stream of a trial, different from that of its split.
fn stream(seed: u64, trial: u32, of: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((1 << 41) + 2 * u64::from(trial) + of);
    rng
}

/// Rows with the rewards of all actions.
#[derive(Debug, Clone)]
pub struct Rewarded {
    /// Dense, because trees read single columns.
    contexts: RowMatrix,
    /// r(x_i, a) at i·|A| + a.
    rewards: Vec<f64>,
    all: ActionSet<'static>,
    /// The mean reward of the logging policy itself.
    pub logging: f64,
    /// Its standard error, on a real log: there the rewards are estimates, each without bias.
    pub(super) logging_error: Option<f64>,
}

impl Rewarded {
    pub(super) fn new(
        contexts: &RowMatrix,
        labels: &LabelSets,
        structure: &RewardStructure,
        logging: f64,
    ) -> Result<Self, ExperimentError> {
        let rewards = labels
            .iter()
            .flat_map(|labels| (0..structure.actions()).map(move |action| structure.reward(labels, action)));
        Ok(Self {
            contexts: dense(contexts)?,
            rewards: rewards.collect(),
            all: ActionSet::all(structure.actions())?,
            logging,
            logging_error: None,
        })
    }

    /// Rows of a log, with r/p for the logged action and 0 for the others: the mean over the rows at any
    /// policy's actions is the inverse-propensity estimate of its value.
    pub(super) fn estimated(
        log: &Log,
        (logging, logging_error): (f64, f64),
    ) -> Result<Self, ExperimentError> {
        let logging_error = Some(logging_error);
        let mut rewards = vec![0.0; log.len() * log.actions()];
        for (row, rewards) in log.iter().zip(rewards.chunks_exact_mut(log.actions())) {
            rewards[row.action] = row.reward / row.propensity;
        }
        let (contexts, all) = (dense(log.contexts())?, ActionSet::all(log.actions())?);
        Ok(Self { contexts, rewards, all, logging, logging_error })
    }

    /// Initial scores: all 0.
    #[must_use]
    pub fn no_scores(&self) -> Vec<f64> {
        vec![0.0; self.rewards.len()]
    }

    /// x_i.
    #[must_use]
    pub fn contexts(&self) -> &RowMatrix {
        &self.contexts
    }

    /// r(x_i, a) at i·|A| + a; on a real log, estimates of them.
    #[must_use]
    pub fn rewards(&self) -> &[f64] {
        &self.rewards
    }

    /// F(x_i, a) ← F(x_i, a) + αf(x_i, a), at i·|A| + a.
    ///
    /// # Errors
    /// A predictor of other contexts or actions.
    pub fn add(
        &self,
        predictor: &impl PairHypothesis,
        alpha: f64,
        scores: &mut [f64],
    ) -> Result<(), ExperimentError> {
        Ok(predictor.add_scores_of_rows(&self.contexts, 0, alpha, scores)?)
    }

    /// The mean reward of the argmax policy.
    #[must_use]
    pub fn reward(&self, scores: &[f64]) -> f64 {
        self.mean(&self.rewards, scores)
    }

    /// The mean over the rows of a table's entry at the best-scored action, such as a reward model's
    /// prediction.
    #[must_use]
    pub fn mean(&self, table: &[f64], scores: &[f64]) -> f64 {
        self.of_rows(table, scores).sum::<f64>() / self.contexts.len() as f64
    }

    /// The table's entry at the best-scored action, row by row.
    fn of_rows<'a>(&'a self, table: &'a [f64], scores: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let actions = self.all.actions();
        let rows = scores.chunks_exact(actions).zip(table.chunks_exact(actions));
        rows.map(|(scores, row)| row[argmax(scores, self.all)])
    }

    /// The standard error of an estimated reward; `None` where the rewards of the rows are known.
    pub(super) fn standard_error(&self, scores: &[f64]) -> Option<f64> {
        self.logging_error.map(|_| mean_and_error(self.of_rows(&self.rewards, scores)).1)
    }
}

/// The mean of independent numbers, and its standard error; the error is infinite for fewer than two.
fn mean_and_error(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let numbers: Vec<f64> = numbers.collect();
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (mean, if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { f64::INFINITY })
}

fn dense(matrix: &RowMatrix) -> Result<RowMatrix, RowError> {
    RowMatrix::dense(matrix.dimension(), matrix.iter().flat_map(|row| row.to_dense()).collect())
}

#[cfg(test)]
mod tests;
