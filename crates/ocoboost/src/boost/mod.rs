//! A classifier of a table, boosted, with its rounds chosen and its error judged on rows kept apart.

mod algorithm;
mod calibration;
mod choice;
mod class_vote;
mod classifier;
mod folds;
mod lockstep;
mod record;
mod settings;
mod table;
mod unjudged;

pub use algorithm::BoostAlgorithm;
pub(crate) use calibration::Calibration;
pub use class_vote::ClassAnswer;
pub use classifier::Classifier;
pub(crate) use classifier::ClassifierParts;
pub use record::{BoostRecord, BoostRows, TriedBoost};
pub use table::ClassTable;
pub use unjudged::BoostFacts;

use crate::classification::ClassificationReport;
use crate::error::JobError;
use crate::model::Source;
use crate::split::Split;
use algorithm::code;
use boosters::maboost::OutputCode;
use choice::{Choice, Watch};
use class_vote::ClassVote;
use folds::{Fold, Sample};
use lockstep::Trained;
use settings::BoostSettings;
use std::ops::ControlFlow;
use weak_learners::batch::Tree;

/// Boosts trees on a table: the MABoost family and AdaBoost, for two classes and for many.
///
/// *How.* A share of the rows is kept apart to judge. Of the others a fifth is kept apart to choose on: every
/// candidate is boosted on the rest until the error on that fifth has not fallen for `early_stopping_rounds`.
/// Of few rows, at most 5,000, every fifth is kept apart in turn, and the error is that of all five
/// (cross-validation); rows that are ordered by time have the last fifth alone. The candidate and the round
/// of least error are boosted once more on all rows but those that judge. Of more than two classes each is
/// boosted against the others \[ASS00\], all with the same number of rounds, and the answer is the class of
/// the largest score.
///
/// *Candidates* are smooth boosting with six k and AdaBoost, over trees of depth 3; then depth 6 with the
/// best of them. Under label noise smooth boosting with its k chosen was no worse than AdaBoost in any of 40
/// comparisons and better in 25; without noise each was better in 2 of 10 (docs/results/maboost/README.md).
/// So the rows decide.
///
/// *The bound* on the training error is that of the algorithm's theorem, and the sum of them over more than
/// two classes. *Proof.* Where class r is answered and y is right, f_r ≥ f_y: so f_y ≤ 0 or f_r > 0, and the
/// row is an error of y's vote or of r's.
///
/// *Determinism:* the classifier depends on the rows, the settings and the seed, and on a watcher that ends
/// it. *Cost:* candidates × folds × rounds × columns trees, each as
/// [`BinnedTree`](weak_learners::batch::BinnedTree) says, and once more the chosen ones.
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
/// let job = BoostJob::builder().algorithm(BoostAlgorithm::AdaBoost).max_depth(1).rounds(50).build()?;
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

/// The share of the rows for the choice, among those that do not judge; and how many folds have that share.
const CHOOSING_SHARE: f64 = 0.2;
const FOLDS: usize = 5;
/// The most rows that are chosen on in turn.
const MOST_IN_FOLDS: usize = 5_000;

impl BoostJob {
    /// Algorithm, k and depth chosen, at most 300 rounds, seed 0, a quarter of the rows
    /// by lot to judge on, a certainty of 95%: to be changed by name.
    pub fn builder() -> BoostJobBuilder {
        BoostJobBuilder {
            job: Self {
                settings: BoostSettings {
                    algorithm: None,
                    smoothness: None,
                    rounds: 300,
                    early_stopping_rounds: 50,
                    max_depth: None,
                    min_weight_fraction_leaf: 0.0,
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
        match (algorithm, secondary) {
            (Some(BoostAlgorithm::Combined), None) => {
                return Err(JobError::SecondTable("combined boosting needs a second table"));
            }
            (Some(other), Some(_)) if other != BoostAlgorithm::Combined => {
                return Err(JobError::SecondTable("a second table is for combined boosting"));
            }
            _ => {}
        }
        let code = code(table.schema().actions())?;
        let parts = self.split.parts(table.len(), holdout_share, seed)?;
        let (rest, judging) = (table.select(&parts.learning)?, table.select(&parts.judging)?);
        let split = self.split.of(&parts.learning);
        let folds = if rest.len() <= MOST_IN_FOLDS { FOLDS } else { 1 };
        let folds = Fold::all(&rest, secondary, &split, folds, CHOOSING_SHARE, seed)?;
        let candidates = self.settings.candidates(secondary.is_some());
        let choice = Choice::of(&self.settings, &code, &folds, &candidates, &mut watch)?;
        let Choice { tried, best, mut trained, is_cut } = choice;
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

    /// The chosen rounds on all rows but those kept apart; `None` where the watcher ends it.
    fn train(
        &self,
        code: &OutputCode,
        sample: &Sample,
        chosen: &TriedBoost,
        watch: Watch<'_>,
    ) -> Result<Option<Trained>, JobError> {
        let mut lockstep =
            self.settings.lockstep((chosen.algorithm, chosen.smoothness), chosen.max_depth, code, sample)?;
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

    /// What is known of a vote; the parts and the choice are filled in by the caller.
    fn record(&self, trained: &Trained, best: TriedBoost) -> BoostRecord {
        let BoostSettings { min_weight_fraction_leaf, seed, .. } = self.settings;
        let ensembles = trained.vote.ensembles();
        let all = || ensembles.iter().flat_map(|ensemble| ensemble.hypotheses());
        BoostRecord {
            algorithm: best.algorithm,
            smoothness: best.smoothness,
            max_depth: best.max_depth,
            min_weight_fraction_leaf,
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
            importance: record::importance(&trained.vote),
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

impl BoostJobBuilder {
    /// The algorithm, instead of a choice of smooth boosting or AdaBoost.
    pub fn algorithm(mut self, algorithm: BoostAlgorithm) -> Self {
        self.job.settings.algorithm = Some(algorithm);
        self
    }

    /// k ≥ 1 of smooth and combined boosting, instead of a choice among 1.5, 2, 3, 5, 10 and 30.
    pub fn smoothness(mut self, k: f64) -> Self {
        self.job.settings.smoothness = Some(k);
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

    /// The depth of the deepest leaf, 1 to 32, instead of a choice of 3 or 6.
    pub fn max_depth(mut self, depth: u16) -> Self {
        self.job.settings.max_depth = Some(depth);
        self
    }

    /// The least share of the weight in a leaf, in [0, 1/2].
    pub fn min_weight_fraction_leaf(mut self, share: f64) -> Self {
        self.job.settings.min_weight_fraction_leaf = share;
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
        self.job.settings.check()?;
        Ok(self.job)
    }
}

#[cfg(test)]
mod tests;
