//! A classifier of a vote that no job has boosted.

use super::BoostAlgorithm;
use super::algorithm::code;
use super::calibration::Calibration;
use super::classifier::{Classifier, ClassifierParts};
use super::record::{BoostRecord, BoostRows, importance};
use crate::classification::ClassificationReport;
use crate::error::JobError;
use boosters::maboost::MulticlassVote;
use off_policy::Schema;
use weak_learners::batch::Tree;

/// What is known of a vote that was boosted without a [`BoostJob`](super::BoostJob).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoostFacts {
    /// The algorithm.
    pub algorithm: BoostAlgorithm,
    /// k, where the algorithm has one.
    pub smoothness: Option<f64>,
    /// The deepest leaf of a tree.
    pub max_depth: u16,
    /// The least share of the weight in a leaf.
    pub min_weight_fraction_leaf: f64,
    /// The rows that it learnt from.
    pub rows: usize,
    /// The commonest class among them.
    pub commonest: u32,
    /// The share of them that it answers wrongly.
    pub training_error: f64,
    /// The theorem's bound on it.
    pub bound: f64,
}

impl Classifier {
    /// A vote that was boosted elsewhere, for its use and its file. It was judged on no rows: its report is
    /// empty, and [`judge`](Self::judge) makes one. Its probabilities are not calibrated but those of β = 1
    /// and ε = 0, which for two classes are near the shares (1 ± v)/2 of a vote v near 0.
    ///
    /// ```
    /// use boosters::maboost::{Ensemble, MulticlassVote, OutputCode};
    /// use ocoboost::{BoostAlgorithm, BoostFacts, Classifier};
    /// use off_policy::{ActionNames, ContextColumn, Schema};
    /// use rows::RowMatrix;
    /// use weak_learners::batch::{Tree, TreeNode};
    /// let leaf = |answer| TreeNode::Leaf { answer };
    /// let split = TreeNode::Split { feature: 0, threshold: 10.0, at_most: 1, above: 2 };
    /// let stump = Tree::new(1, vec![split, leaf(-1.0), leaf(1.0)])?;
    /// let code = OutputCode::new(vec![vec![-1], vec![1]])?;
    /// let vote = MulticlassVote::new(code, vec![Ensemble::new(vec![stump], vec![0.5])?])?;
    /// let names = ActionNames::Labels(vec!["low".into(), "high".into()]);
    /// let schema = Schema::new(vec![ContextColumn::Number { name: "height".into() }], names)?;
    /// let facts = BoostFacts {
    ///     algorithm: BoostAlgorithm::AdaBoost,
    ///     smoothness: None,
    ///     max_depth: 1,
    ///     min_weight_fraction_leaf: 0.0,
    ///     rows: 40,
    ///     commonest: 0,
    ///     training_error: 0.0,
    ///     bound: 0.0,
    /// };
    /// let classifier = Classifier::from_bytes(&Classifier::unjudged(vote, schema, facts)?.to_bytes()?)?;
    /// assert!(classifier.sentence().starts_with("It was not judged."));
    /// assert_eq!(classifier.predict(&RowMatrix::dense(1, vec![12.0])?)?[0].class, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JobError::Classes`]; [`JobError::OtherCode`] for another code than one class against the others;
    /// [`JobError::Length`] for another number of classes than in the schema; [`JobError::Learner`] for trees
    /// of other columns; [`JobError::BadSetting`] for numbers that are not finite;
    /// [`JobError::UnknownClass`].
    pub fn unjudged(vote: MulticlassVote<Tree>, schema: Schema, facts: BoostFacts) -> Result<Self, JobError> {
        let BoostFacts { algorithm, smoothness, max_depth, min_weight_fraction_leaf, rows, .. } = facts;
        let numbers = [
            ("smoothness", smoothness.unwrap_or(1.0)),
            ("min_weight_fraction_leaf", min_weight_fraction_leaf),
            ("training_error", facts.training_error),
            ("bound", facts.bound),
        ];
        if let Some((name, value)) = numbers.into_iter().find(|(_, value)| !value.is_finite()) {
            return Err(JobError::BadSetting { name, value, domain: "finite" });
        }
        let classes = vote.code().classes();
        if *vote.code() != code(classes)? {
            return Err(JobError::OtherCode { classes });
        }
        let all = || vote.ensembles().iter().flat_map(|ensemble| ensemble.hypotheses());
        let rounds = vote.ensembles().iter().map(|one| one.hypotheses().len()).max().unwrap_or_default();
        let record = BoostRecord {
            algorithm,
            smoothness,
            max_depth,
            min_weight_fraction_leaf,
            seed: 0,
            split: "not at all".to_owned(),
            rows: BoostRows { learning: rows, ..BoostRows::default() },
            folds: 0,
            tried: Vec::new(),
            rounds_planned: rounds,
            rounds,
            is_choice_cut: false,
            is_of_choice: false,
            trees: all().count(),
            leaves: all().map(Tree::leaves).sum(),
            training_error: facts.training_error,
            bound: facts.bound,
            importance: importance(&vote),
            sources: Vec::new(),
            program: concat!("ocoboost ", env!("CARGO_PKG_VERSION")).to_owned(),
        };
        let report = ClassificationReport::new(classes, facts.commonest, 0.05)?;
        let (calibration, format) = (Calibration::none(), serde_json::Value::Null);
        Self::new(ClassifierParts { vote, schema, calibration, record, report, format })
    }
}
