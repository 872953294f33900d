//! A classifier of a table, boosted, with its rounds chosen and its error judged on rows kept apart.

mod algorithm;
mod calibration;
mod class_vote;
mod classifier;
mod folds;
mod lockstep;
mod record;
mod table;

pub use algorithm::{BoostAlgorithm, ClassCode};
pub(crate) use calibration::Calibration;
pub use class_vote::ClassAnswer;
pub use classifier::Classifier;
pub(crate) use classifier::ClassifierParts;
pub use record::{BoostRecord, BoostRows, TriedBoost};
pub use table::ClassTable;

use crate::classification::ClassificationReport;
use crate::error::JobError;
use crate::model::Source;
use crate::train::Split;
use algorithm::Trees;
use boosters::maboost::OutputCode;
use class_vote::ClassVote;
use folds::{Fold, Sample};
use lockstep::{Answers, Lockstep, Trained, share};
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::batch::{Tree, TreeNode};

/// Boosts trees on a table: the MABoost family and AdaBoost, for two classes and for many.
///
/// *How.* A share of the rows is kept apart to judge. Of the others a fifth is kept apart to choose on: every
/// candidate k is boosted on the rest until the error on that fifth has not fallen for
/// `early_stopping_rounds`. Of few rows, at most 5,000, every fifth is kept apart in turn, and the error is
/// that of all five (cross-validation); rows that are ordered by time have the last fifth alone. The k and
/// the round of least error are then boosted once more on all rows but those that judge. Of more than two
/// classes every column of a code is boosted; all columns have the same number of rounds, and the error is
/// that of the decoded answer.
///
/// *The bound* on the training error is that of the algorithm's theorem; of a code with no 0 it is the sum
/// of the columns'. *Proof.* A wrong answer r to a row of class y has Σ_l(M_yl − M_rl)f_l ≤ 0, so M_yl f_l ≤
/// 0 in some column: the row is an error of that column.
///
/// *Determinism:* the classifier depends on the rows, the settings and the seed, and on a watcher that ends
/// it. *Cost:* candidates × folds × rounds × columns trees, each as [`BinnedTree`](weak_learners::batch::BinnedTree)
/// says, and once more the chosen ones.
///
/// ```
/// use ocoboost::{BoostAlgorithm, BoostJob, ClassTable};
/// use off_policy::{ActionNames, ContextColumn, Schema};
/// use rows::RowMatrix;
/// use std::ops::ControlFlow;
/// // An interval of the line against the rest.
/// let values: Vec<f64> = (0..400).map(|i| f64::from(i * 7 % 400)).collect();
/// let classes = values.iter().map(|x| u32::from((100.0..250.0).contains(x))).collect();
/// let names = ActionNames::Labels(vec!["outside".into(), "inside".into()]);
/// let schema = Schema::new(vec![ContextColumn::Number { name: "place".into() }], names)?;
/// let table = ClassTable::new(RowMatrix::dense(1, values)?, classes, schema)?;
///
/// let job = BoostJob::builder().algorithm(BoostAlgorithm::AdaBoost).max_depth(1).rounds(50).seed(1).build()?;
/// let classifier = job.fit(&table, None, |_| ControlFlow::Continue(()))?;
/// assert!(classifier.report().error().value < 0.05 && classifier.report().is_better());
/// let answers = classifier.predict(&RowMatrix::dense(1, vec![10.0, 200.0])?)?;
/// assert_eq!((answers[0].class, answers[1].class), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BoostJob {
    settings: BoostSettings,
    split: Split,
    sources: Vec<Source>,
    format: serde_json::Value,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct BoostSettings {
    algorithm: BoostAlgorithm,
    smoothness: Option<f64>,
    code: ClassCode,
    rounds: usize,
    early_stopping_rounds: usize,
    trees: Trees,
    holdout_share: f64,
    delta: f64,
    seed: u64,
}

/// Builds a [`BoostJob`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct BoostJobBuilder {
    job: BoostJob,
}

/// What a watcher of a job sees, after every round.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum BoostEvent {
    /// A round of a candidate.
    Choosing {
        /// The candidate, from 0.
        candidate: usize,
        /// How many there are.
        candidates: usize,
        /// The round, from 1.
        round: usize,
        /// The error on the rows of the choice.
        error: f64,
    },
    /// A round of the chosen candidate on all rows.
    Training {
        /// The rounds so far.
        done: usize,
        /// The rounds that were chosen.
        planned: usize,
    },
}

/// The k that are tried where none is given: those of docs/results/maboost.
const SMOOTHNESS: [f64; 6] = [1.5, 2.0, 3.0, 5.0, 10.0, 30.0];
/// The share of the rows for the choice, among those that do not judge; and how many folds have that share.
const CHOOSING_SHARE: f64 = 0.2;
const FOLDS: usize = 5;
/// The most rows that are chosen on in turn.
const MOST_IN_FOLDS: usize = 5_000;

/// The best candidate.
struct Choice {
    tried: Vec<TriedBoost>,
    best: TriedBoost,
    /// Its vote in every fold.
    trained: Vec<Trained>,
    is_cut: bool,
}

type Watch<'a> = &'a mut dyn FnMut(BoostEvent) -> ControlFlow<()>;

impl BoostJob {
    /// Smooth boosting with k chosen, at most 300 rounds of trees of depth 3, seed 0, a quarter of the rows
    /// by lot to judge on, a certainty of 95%: to be changed by name.
    pub fn builder() -> BoostJobBuilder {
        BoostJobBuilder {
            job: Self {
                settings: BoostSettings {
                    algorithm: BoostAlgorithm::default(),
                    smoothness: None,
                    code: ClassCode::default(),
                    rounds: 300,
                    early_stopping_rounds: 50,
                    trees: Trees { max_depth: 3, min_weight_fraction_leaf: 0.0 },
                    holdout_share: 0.25,
                    delta: 0.05,
                    seed: 0,
                },
                split: Split::Random,
                sources: Vec::new(),
                format: serde_json::Value::Null,
            },
        }
    }

    /// Chooses, trains and judges. `secondary` is the second table of [`BoostAlgorithm::Combined`]: it is
    /// learnt from, and neither chosen nor judged on. `watch` sees every round. `Break` ends the job with the
    /// best vote so far, after one round at least.
    ///
    /// # Errors
    /// [`JobError::TooFewRows`]; [`JobError::SecondTable`] for a second table and another algorithm, or none
    /// and this; [`JobError::OtherTable`]; [`JobError::Length`] and [`JobError::BadTime`] for times of other
    /// rows.
    pub fn fit(
        &self,
        table: &ClassTable,
        secondary: Option<&ClassTable>,
        mut watch: impl FnMut(BoostEvent) -> ControlFlow<()>,
    ) -> Result<Classifier, JobError> {
        let BoostSettings { algorithm, holdout_share, delta, seed, .. } = self.settings;
        match (algorithm == BoostAlgorithm::Combined, secondary.is_some()) {
            (true, false) => return Err(JobError::SecondTable("combined boosting needs a second table")),
            (false, true) => return Err(JobError::SecondTable("a second table is for combined boosting")),
            _ => {}
        }
        let code = self.settings.code.code(table.schema().actions(), seed)?;
        let parts = self.split.parts(table.len(), holdout_share, seed)?;
        let (rest, judging) = (table.select(&parts.learning)?, table.select(&parts.judging)?);
        let split = self.split.of(&parts.learning);
        let folds = if rest.len() <= MOST_IN_FOLDS { FOLDS } else { 1 };
        let folds = Fold::all(&rest, secondary, &split, folds, CHOOSING_SHARE, seed)?;
        let Choice { tried, best, mut trained, is_cut } = self.choose(&code, &folds, &mut watch)?;
        let calibration = calibration(&trained, &folds)?;
        let whole = match is_cut {
            true => None,
            false => self.train(&code, &Sample::of(&rest, secondary)?, &best, &mut watch)?,
        };
        let is_of_choice = whole.is_none();
        let whole_rows = rest.len() + secondary.map_or(0, ClassTable::len);
        let rows = BoostRows {
            learning: if is_of_choice { folds[0].sample.classes.len() } else { whole_rows },
            choosing: folds.iter().map(|fold| fold.classes.len()).sum(),
            judging: judging.len(),
            secondary: secondary.map_or(0, ClassTable::len),
        };
        let trained = whole.unwrap_or_else(|| trained.swap_remove(0));
        let mut record = self.record(&trained, best);
        (record.rows, record.folds, record.tried) = (rows, folds.len(), tried);
        (record.is_choice_cut, record.is_of_choice) = (is_cut, is_of_choice);
        let classifier = Classifier::new(ClassifierParts {
            vote: trained.vote,
            schema: table.schema().clone(),
            calibration,
            record,
            report: ClassificationReport::new(code.classes(), rest.commonest(), delta)?,
            format: self.format.clone(),
        })?;
        classifier.judged(&judging, delta)
    }

    /// Boosts every candidate, and keeps the one of least error on the rows of the choice, the first of
    /// equals.
    fn choose(&self, code: &OutputCode, folds: &[Fold], watch: Watch<'_>) -> Result<Choice, JobError> {
        let rows = folds.iter().map(|fold| fold.classes.len()).sum();
        let candidates: Vec<Option<f64>> = match self.settings.smoothness {
            None if self.settings.algorithm.is_smooth() => SMOOTHNESS.map(Some).to_vec(),
            given => vec![given],
        };
        let (mut tried, mut found, mut is_cut) = (Vec::new(), None, false);
        for (candidate, smoothness) in candidates.iter().enumerate() {
            let mut locksteps = Vec::with_capacity(folds.len());
            for fold in folds {
                let answers = Answers::new(&fold.apart, &fold.classes, code.columns());
                locksteps.push((self.lockstep(*smoothness, code, &fold.sample)?, answers));
            }
            let mut best = TriedBoost { smoothness: *smoothness, rounds: 0, best_round: 0, error: 1.0 };
            while best.rounds < self.settings.rounds
                && best.rounds - best.best_round < self.settings.early_stopping_rounds
                && !is_cut
            {
                let (mut goes_on, mut errors) = (false, 0);
                for ((lockstep, answers), fold) in locksteps.iter_mut().zip(folds) {
                    goes_on |= lockstep.round(&fold.sample.binned)?;
                    errors += answers.follow(lockstep)?;
                }
                let (round, error) = (best.rounds + 1, share(errors, rows));
                best.rounds = round;
                if error < best.error || round == 1 {
                    (best.best_round, best.error) = (round, error);
                }
                let candidates = candidates.len();
                is_cut = watch(BoostEvent::Choosing { candidate, candidates, round, error }).is_break();
                if !goes_on {
                    break;
                }
            }
            tried.push(best);
            if found.as_ref().is_none_or(|(other, _): &(TriedBoost, Vec<Lockstep>)| best.error < other.error)
            {
                found = Some((best, locksteps.into_iter().map(|(lockstep, _)| lockstep).collect()));
            }
            if is_cut {
                break;
            }
        }
        // There is a candidate always.
        let (best, locksteps) = found.ok_or(LearnerError::Empty { argument: "candidates" })?;
        let of_fold = |(lockstep, fold): (Lockstep, &Fold)| {
            lockstep.trained(best.best_round, &fold.sample.binned, &fold.sample.classes)
        };
        let trained = locksteps.into_iter().zip(folds).map(of_fold).collect::<Result<_, _>>()?;
        Ok(Choice { tried, best, trained, is_cut })
    }

    /// The chosen rounds on all rows but those kept apart; `None` where the watcher ends it.
    fn train(
        &self,
        code: &OutputCode,
        sample: &Sample,
        chosen: &TriedBoost,
        watch: Watch<'_>,
    ) -> Result<Option<Trained>, JobError> {
        let mut lockstep = self.lockstep(chosen.smoothness, code, sample)?;
        for done in 1..=chosen.best_round {
            let goes_on = lockstep.round(&sample.binned)?;
            let planned = chosen.best_round;
            if watch(BoostEvent::Training { done, planned }).is_break() && done < planned {
                return Ok(None);
            }
            if !goes_on {
                break;
            }
        }
        Ok(Some(lockstep.trained(chosen.best_round, &sample.binned, &sample.classes)?))
    }

    fn lockstep(
        &self,
        smoothness: Option<f64>,
        code: &OutputCode,
        sample: &Sample,
    ) -> Result<Lockstep, JobError> {
        let (algorithm, trees) = (self.settings.algorithm, self.settings.trees);
        let runs = algorithm.runs(smoothness, trees, code.clone(), &sample.classes, &sample.secondary)?;
        Ok(Lockstep::new(runs))
    }

    /// What is known of a vote; the parts and the choice are filled in by the caller.
    fn record(&self, trained: &Trained, best: TriedBoost) -> BoostRecord {
        let BoostSettings { algorithm, code, trees, seed, .. } = self.settings;
        let ensembles = trained.vote.ensembles();
        let all = || ensembles.iter().flat_map(|ensemble| ensemble.hypotheses());
        BoostRecord {
            algorithm,
            smoothness: best.smoothness,
            code,
            max_depth: trees.max_depth,
            min_weight_fraction_leaf: trees.min_weight_fraction_leaf,
            seed,
            split: self.split.name().to_owned(),
            rows: BoostRows::default(),
            folds: 0,
            tried: Vec::new(),
            rounds_planned: best.best_round,
            rounds: ensembles.iter().map(|one| one.hypotheses().len()).max().unwrap_or_default(),
            is_choice_cut: false,
            is_of_choice: false,
            trees: all().count(),
            leaves: all().map(Tree::leaves).sum(),
            training_error: trained.training_error,
            bound: trained.bound,
            importance: importance(trained),
            sources: self.sources.clone(),
            program: concat!("ocoboost ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// Fitted on the votes of every fold on the rows that it has not learnt from.
fn calibration(trained: &[Trained], folds: &[Fold]) -> Result<Calibration, JobError> {
    let (mut votes, mut classes) = (Vec::new(), Vec::new());
    for (trained, fold) in trained.iter().zip(folds) {
        let contexts = fold.apart.matrix();
        let vote = ClassVote::new(trained.vote.clone(), contexts.dimension())?;
        vote.for_each(contexts, |_, of_row| votes.push(of_row.to_vec()))?;
        classes.extend_from_slice(&fold.classes);
    }
    Ok(Calibration::of(&votes, &classes))
}

/// The shares of the coordinates, the largest first: a tree shares the size of its coefficient evenly among
/// its splits.
fn importance(trained: &Trained) -> Vec<(u32, f64)> {
    let mut shares = std::collections::BTreeMap::new();
    for ensemble in trained.vote.ensembles() {
        for (tree, eta) in ensemble.hypotheses().iter().zip(ensemble.coefficients()) {
            let splits = || tree.nodes().iter().filter_map(feature);
            #[allow(clippy::cast_precision_loss, reason = "a count of nodes")]
            let own = eta.abs() / splits().count().max(1) as f64;
            splits().for_each(|feature| *shares.entry(feature).or_insert(0.0) += own);
        }
    }
    let total: f64 = shares.values().sum();
    let mut shares: Vec<(u32, f64)> = shares.into_iter().map(|(j, share)| (j, share / total)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares
}

fn feature(node: &TreeNode) -> Option<u32> {
    match node {
        TreeNode::Leaf { .. } => None,
        TreeNode::Split { feature, .. } => u32::try_from(*feature).ok(),
    }
}

impl BoostJobBuilder {
    /// The algorithm.
    pub fn algorithm(mut self, algorithm: BoostAlgorithm) -> Self {
        self.job.settings.algorithm = algorithm;
        self
    }

    /// k ≥ 1 of smooth and combined boosting, instead of a choice among 1.5, 2, 3, 5, 10 and 30.
    pub fn smoothness(mut self, k: f64) -> Self {
        self.job.settings.smoothness = Some(k);
        self
    }

    /// The code of more than two classes.
    pub fn code(mut self, code: ClassCode) -> Self {
        self.job.settings.code = code;
        self
    }

    /// The most rounds, 1 to 100,000.
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.job.settings.rounds = rounds;
        self
    }

    /// The rounds without a smaller error on the rows of the choice that end a candidate, at least 1.
    pub fn early_stopping_rounds(mut self, rounds: usize) -> Self {
        self.job.settings.early_stopping_rounds = rounds;
        self
    }

    /// The depth of the deepest leaf, 1 to 32.
    pub fn max_depth(mut self, depth: u16) -> Self {
        self.job.settings.trees.max_depth = depth;
        self
    }

    /// The least share of the weight in a leaf, in [0, 1/2].
    pub fn min_weight_fraction_leaf(mut self, share: f64) -> Self {
        self.job.settings.trees.min_weight_fraction_leaf = share;
        self
    }

    /// Which rows are kept apart to judge on, and which of the others to choose on.
    pub fn validation(mut self, split: Split) -> Self {
        self.job.split = split;
        self
    }

    /// The share of the rows to judge on, 0.05 to 0.8.
    pub fn holdout_share(mut self, share: f64) -> Self {
        self.job.settings.holdout_share = share;
        self
    }

    /// δ of the judgement.
    pub fn delta(mut self, delta: f64) -> Self {
        self.job.settings.delta = delta;
        self
    }

    /// The seed of everything.
    pub fn seed(mut self, seed: u64) -> Self {
        self.job.settings.seed = seed;
        self
    }

    /// A file that rows were read from.
    pub fn source(mut self, source: Source) -> Self {
        self.job.sources.push(source);
        self
    }

    /// The options by which tables were read, kept with the classifier.
    pub fn format(mut self, format: serde_json::Value) -> Self {
        self.job.format = format;
        self
    }

    /// The job.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for a setting outside its range, and for a k that the algorithm does not
    /// have.
    pub fn build(self) -> Result<BoostJob, JobError> {
        let BoostSettings { algorithm, smoothness, rounds, early_stopping_rounds, trees, .. } =
            self.job.settings;
        let BoostSettings { holdout_share, delta, .. } = self.job.settings;
        #[allow(clippy::cast_precision_loss, reason = "for a comparison with bounds far below 2^53")]
        let count = |rounds: usize| rounds as f64;
        let least = f64::from_bits(1);
        for (name, value, range, domain) in [
            ("rounds", count(rounds), 1.0..=1e5, "1, …, 100000"),
            ("early_stopping_rounds", count(early_stopping_rounds), 1.0..=f64::MAX, "1, 2, …"),
            ("max_depth", f64::from(trees.max_depth), 1.0..=32.0, "1, …, 32"),
            ("min_weight_fraction_leaf", trees.min_weight_fraction_leaf, 0.0..=0.5, "[0, 1/2]"),
            ("holdout_share", holdout_share, 0.05..=0.8, "[0.05, 0.8]"),
            ("delta", delta, least..=0.5, "(0, 0.5]"),
            ("smoothness", smoothness.unwrap_or(1.0), 1.0..=rows::numeric::LARGEST, "[1, 1e140]"),
        ] {
            if !range.contains(&value) {
                return Err(JobError::BadSetting { name, value, domain });
            }
        }
        match smoothness {
            Some(value) if !algorithm.is_smooth() => {
                let domain = "the settings of smooth and combined boosting, which alone have a k";
                Err(JobError::BadSetting { name: "smoothness", value, domain })
            }
            _ => Ok(self.job),
        }
    }
}

#[cfg(test)]
mod tests;
