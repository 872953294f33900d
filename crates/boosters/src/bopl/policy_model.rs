//! A policy that can be used without the program that trained it.

use super::{BoplError, PolicyBoosting, PolicyEnsemble, PolicyObjective, Settings};
use crate::saved::{self, SavedError};
use off_policy::policies::{Scores, argmax};
use off_policy::readers::CsvColumns;
use off_policy::{ActionSet, PolicyError, Schema};
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};
use std::path::Path;
use weak_learners::pairs::{PairHypothesis, PairLearner, PairTree};

const KIND: &str = "policy-model";

/// An ensemble with all that its use needs: the columns of its contexts and their coding, the names of its
/// actions, and how it was trained.
///
/// As [`Scores`] it goes into an [`Argmax`](off_policy::policies::Argmax) or a
/// [`Softmax`](off_policy::policies::Softmax). Rows that do not fit it are refused: a context of another
/// dimension, a table or a record without one of its columns, a log of another coding. Unknown labels are 0
/// in all coordinates, and counted.
///
/// ```
/// use boosters::bopl::{BoplS, PolicyBoosting, PolicyModel, Settings};
/// use off_policy::{ActionSet, readers::{CsvColumns, read_contexts, read_csv}};
/// use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth};
/// let text = "age,device,action,propensity,reward\n20,phone,music,0.5,1\n20,phone,travel,0.5,0\n\
///             60,tablet,music,0.5,0\n60,tablet,travel,0.5,0.5\n";
/// let read = read_csv(text.as_bytes(), &CsvColumns::default().with_labels(["device"]))?;
/// let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).build()?;
/// let learner = HistogramPairTree::new(growth);
/// let mut run = PolicyBoosting::<BoplS, _>::new(&read.log, learner, Settings::default())?;
/// let contexts = BinnedContexts::new(read.log.contexts().clone())?;
/// assert!(run.round(&contexts)?.is_continue());
/// let model = run.model(1)?.with_columns(&read.columns)?;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("policy.json");
/// model.save(&path)?;
/// let model = <PolicyModel>::load(&path)?;
///
/// // A record, and a table of rows to predict for.
/// let schema = model.schema().ok_or("no schema")?;
/// let x = schema.encode([("age", 25.0.into()), ("device", "phone".into())])?;
/// assert_eq!(schema.action_name(model.predict(x.row(), ActionSet::all(2)?)?).as_deref(), Some("music"));
/// let rows = read_contexts("device,age\ntablet,61\n".as_bytes(), &model.columns().ok_or("no columns")?)?;
/// let x = rows.contexts.row(0).ok_or("no row")?;
/// assert_eq!(schema.action_name(model.predict(x, ActionSet::all(2)?)?).as_deref(), Some("travel"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<H>", bound(deserialize = "H: Deserialize<'de> + PairHypothesis"))]
pub struct PolicyModel<H = PairTree> {
    ensemble: PolicyEnsemble<H>,
    columns: Option<CsvColumns>,
    training: Training,
}

/// How a [`PolicyModel`] was trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The objective that was minimised.
    pub objective: String,
    /// The settings of every round.
    pub settings: Settings,
    /// The base learner as it was after the last round.
    pub base_learner: serde_json::Value,
    /// The rounds of the run. The ensemble may keep fewer, and has more after a warm start.
    pub rounds: usize,
    /// n.
    pub rows: usize,
    /// The SHA-256 of the log, as hexadecimal digits.
    pub log_sha256: String,
}

impl<O: PolicyObjective, L: PairLearner + Serialize> PolicyBoosting<O, L>
where
    L::Hypothesis: Clone,
{
    /// F_t for t = `rounds` as a model: [`Validation::best_round`](super::Validation::best_round), or the
    /// length of the ensemble. The schema is that of the log.
    ///
    /// # Errors
    /// [`BoplError::Mismatch`] for more rounds than there are, [`BoplError::NotSerialisable`] for a base
    /// learner that cannot be written as JSON.
    pub fn model(&self, rounds: usize) -> Result<PolicyModel<L::Hypothesis>, BoplError> {
        let expected = self.ensemble().len();
        if rounds > expected {
            return Err(BoplError::Mismatch { argument: "the model", unit: "rounds", expected, got: rounds });
        }
        let refused = |error: serde_json::Error| BoplError::NotSerialisable { reason: error.to_string() };
        let training = Training {
            objective: O::NAME.to_owned(),
            settings: *self.settings(),
            base_learner: serde_json::to_value(self.learner()).map_err(refused)?,
            rounds: self.record().len(),
            rows: self.rows(),
            log_sha256: self.fingerprint().as_str().to_owned(),
        };
        Ok(PolicyModel { ensemble: self.ensemble().prefix(rounds), columns: None, training })
    }
}

impl<H: PairHypothesis> PolicyModel<H> {
    /// The same model with the names of the columns of a log: those of its actions, propensities and
    /// outcomes. The columns of the contexts and their labels are the model's own.
    ///
    /// # Errors
    /// [`BoplError::NoSchema`] for a model of a log of bare numbers.
    pub fn with_columns(self, columns: &CsvColumns) -> Result<Self, BoplError> {
        let schema = self.schema().ok_or(BoplError::NoSchema)?;
        Ok(Self { columns: Some(columns.clone().coded_as(schema)), ..self })
    }

    /// The columns by which a log or a table of contexts is read with the coding of the model; `action`,
    /// `propensity` and `reward` unless [others](Self::with_columns) were named. `None` for a model of a log
    /// of bare numbers.
    #[must_use]
    pub fn columns(&self) -> Option<CsvColumns> {
        let schema = self.schema()?;
        Some(self.columns.clone().unwrap_or_else(|| CsvColumns::default().coded_as(schema)))
    }

    /// The meaning of its numbers; `None` for a model of a log of bare numbers.
    #[must_use]
    pub fn schema(&self) -> Option<&Schema> {
        self.ensemble.schema()
    }

    /// F.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<H> {
        &self.ensemble
    }

    /// How it was trained.
    #[must_use]
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// The best action on offer, the first of equals. To explore, and to know the propensity, draw from an
    /// [`EpsilonGreedy`](off_policy::policies::EpsilonGreedy) of its
    /// [`Argmax`](off_policy::policies::Argmax).
    ///
    /// # Errors
    /// [`PolicyError::InputDimension`], [`PolicyError::ActionCount`], [`PolicyError::NotFiniteScore`] where
    /// sums are beyond the range of numbers.
    pub fn predict(&self, x: Row<'_>, on_offer: ActionSet<'_>) -> Result<usize, PolicyError> {
        let (argument, expected, got) = ("the action set", self.actions(), on_offer.actions());
        if got != expected {
            return Err(PolicyError::ActionCount { argument, expected, got });
        }
        let mut scores = vec![0.0; expected];
        self.scores(x, &mut scores)?;
        if let Some(action) = scores.iter().position(|score| !score.is_finite()) {
            return Err(PolicyError::NotFiniteScore { action, value: scores[action] });
        }
        Ok(argmax(&scores, on_offer))
    }
}

impl<H: PairHypothesis + Serialize + for<'de> Deserialize<'de>> PolicyModel<H> {
    /// Writes the model atomically; the format is that of [`saved`].
    ///
    /// # Errors
    /// As [`saved::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SavedError> {
        saved::save(path.as_ref(), KIND, self)
    }

    /// Reads a model that was saved, bit for bit.
    ///
    /// # Errors
    /// As [`saved::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SavedError> {
        saved::load(path.as_ref(), KIND)
    }
}

impl<H: PairHypothesis> Scores for PolicyModel<H> {
    fn inputs(&self) -> usize {
        self.ensemble.inputs()
    }

    fn actions(&self) -> usize {
        self.ensemble.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        self.ensemble.schema()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        self.ensemble.scores(x, scores)
    }

    fn scores_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.ensemble.scores_of_rows(contexts, from, scores)
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "H: Deserialize<'de> + PairHypothesis"))]
struct Unchecked<H> {
    ensemble: PolicyEnsemble<H>,
    columns: Option<CsvColumns>,
    training: Training,
}

impl<H: PairHypothesis> TryFrom<Unchecked<H>> for PolicyModel<H> {
    type Error = BoplError;

    fn try_from(Unchecked { ensemble, columns, training }: Unchecked<H>) -> Result<Self, BoplError> {
        let model = Self { ensemble, columns: None, training };
        match columns {
            None => Ok(model),
            Some(columns) => {
                let checked = model.with_columns(&columns)?;
                if checked.columns.as_ref() == Some(&columns) {
                    Ok(checked)
                } else {
                    Err(BoplError::OtherColumns)
                }
            }
        }
    }
}
