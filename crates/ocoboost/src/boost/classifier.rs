//! A trained classifier.

use super::calibration::Calibration;
use super::class_vote::{ClassAnswer, ClassVote};
use super::record::BoostRecord;
use super::table::{ClassTable, class_name};
use crate::classification::ClassificationReport;
use crate::error::JobError;
use crate::numerals::{percent, thousands};
use boosters::maboost::MulticlassVote;
use off_policy::Schema;
use rows::RowMatrix;
use weak_learners::batch::Tree;

/// A vote of trees over classes, with the columns and classes that it knows, its record and its judgement.
///
/// The agreement with class r is s_r = Σ_l M_rl f_l over the columns l of the code, where f_l is the weighted
/// vote of the trees of the column. The answer is the class of largest s_r. The vote v_r = s_r/ΣΣ|η| lies in
/// \[−1, 1\], and is no probability. The probabilities (1 − ε)·exp(βv_r)/Σ exp(βv_s) + ε/K are calibrated: β
/// and ε are those of largest likelihood on rows that the votes were not learnt from.
///
/// [`BoostJob`](super::BoostJob) has an example. *Cost:* a walk a tree and O(KL) a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier {
    vote: ClassVote,
    schema: Schema,
    calibration: Calibration,
    record: BoostRecord,
    report: ClassificationReport,
    format: serde_json::Value,
}

/// The parts of a classifier, unchecked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClassifierParts {
    pub(crate) vote: MulticlassVote<Tree>,
    pub(crate) schema: Schema,
    pub(crate) calibration: Calibration,
    pub(crate) record: BoostRecord,
    pub(crate) report: ClassificationReport,
    pub(crate) format: serde_json::Value,
}

impl Classifier {
    /// The classifier of these parts.
    ///
    /// # Errors
    /// Parts that do not belong together; coefficients whose sum is not finite.
    pub(crate) fn new(parts: ClassifierParts) -> Result<Self, JobError> {
        let ClassifierParts { vote, schema, calibration, record, report, format } = parts;
        let expected = schema.actions();
        for (column, got) in [("the code", vote.code().classes()), ("the judgement", report.classes())] {
            if got != expected {
                return Err(JobError::Length { column, expected, got });
            }
        }
        let vote = ClassVote::new(vote, schema.inputs())?;
        Ok(Self { vote, schema, calibration, record, report, format })
    }

    /// The columns that it knows, and its classes.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What a class is called.
    #[must_use]
    pub fn class_name(&self, class: u32) -> String {
        class_name(&self.schema, class)
    }

    /// How it was trained.
    #[must_use]
    pub fn record(&self) -> &BoostRecord {
        &self.record
    }

    /// The judgement at its training, on rows that had no part in the choice.
    #[must_use]
    pub fn report(&self) -> &ClassificationReport {
        &self.report
    }

    /// The options by which tables are read for it, whatever the reader put there.
    #[must_use]
    pub fn format(&self) -> &serde_json::Value {
        &self.format
    }

    /// The trees, an ensemble for every column of the code.
    #[must_use]
    pub fn vote(&self) -> &MulticlassVote<Tree> {
        self.vote.inner()
    }

    pub(crate) fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// What the rows apart show, and how it was trained: two sentences.
    #[must_use]
    pub fn sentence(&self) -> String {
        let BoostRecord { algorithm, smoothness, rounds, max_depth, rows, bound, .. } = &self.record;
        let report = self.report.sentence("that had no part in the choice", |class| self.class_name(class));
        let k = smoothness.map(|k| format!(" with k = {k}")).unwrap_or_default();
        let plural = if *rounds == 1 { "round" } else { "rounds" };
        let said = match *bound < 1.0 {
            true => {
                let error = percent(self.record.training_error);
                format!("; the theorem bounds the training error by {}, and it is {error}", percent(*bound))
            }
            false => String::new(),
        };
        if self.report.rows() == 0 && self.record.folds == 0 {
            return format!(
                "It was not judged. {rounds} {plural} of {}{k} over trees of depth {max_depth}, on {} rows{said}.",
                algorithm.name(),
                thousands(rows.learning as u64),
            );
        }
        let how = if self.record.folds > 1 { "by cross-validation on" } else { "on" };
        format!(
            "{report} {rounds} {plural} of {}{k} over trees of depth {max_depth}, chosen {how} {} rows{}.",
            algorithm.name(),
            thousands(rows.choosing as u64),
            said,
        )
    }

    /// The answer to every row.
    ///
    /// # Errors
    /// [`JobError::Boosting`] for rows of another dimension.
    pub fn predict(&self, contexts: &RowMatrix) -> Result<Vec<ClassAnswer>, JobError> {
        let mut answers = Vec::with_capacity(contexts.len());
        self.vote.for_each(contexts, |answer, _| answers.push(answer))?;
        Ok(answers)
    }

    /// Shows the answer to every row in turn, with the calibrated probabilities of all classes.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn probabilities(
        &self,
        contexts: &RowMatrix,
        mut see: impl FnMut(ClassAnswer, &[f64]),
    ) -> Result<(), JobError> {
        let mut probabilities = vec![0.0; self.schema.actions()];
        self.vote.for_each(contexts, |answer, votes| {
            self.calibration.probabilities(votes, &mut probabilities);
            see(answer, &probabilities);
        })
    }

    /// Its judgement on a table, against always answering the class that was commonest in its training.
    ///
    /// # Errors
    /// [`JobError::OtherTable`]; [`JobError::BadSetting`] for δ.
    pub fn judge(&self, table: &ClassTable, delta: f64) -> Result<ClassificationReport, JobError> {
        self.schema.check_same(table.schema())?;
        let mut report = ClassificationReport::new(self.schema.actions(), self.report.constant(), delta)?;
        for (truth, answer) in table.classes().iter().zip(self.predict(table.contexts())?) {
            report.add(*truth, answer.class)?;
        }
        Ok(report)
    }

    /// The same classifier with its judgement on this table.
    pub(super) fn judged(self, table: &ClassTable, delta: f64) -> Result<Self, JobError> {
        let report = self.judge(table, delta)?;
        Ok(Self { report, ..self })
    }
}
