//! Boosted classifiers of the MABoost family.

use crate::arrays::{Numbers, array_of_rows, room, vector};
use crate::choices::Features;
use crate::coding::names_of_actions;
use crate::errors::{of_model_file, value};
use crate::watch::watched;
use boosters::maboost::{
    Active, AdaBoost, BoostError, BoostingRun, ClassExamples, Examples, LazySparseBoost, MadaBoost,
    Multiclass, MulticlassVote, OutputCode, Reweighting, SmoothBoost,
};
use numpy::{PyArray2, PyReadonlyArray1};
use ocoboost::{BoostAlgorithm, BoostFacts, Classifier, JobError};
use off_policy::{ActionNames, ContextColumn, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rows::RowMatrix;
use serde::Deserialize;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::PathBuf;
use weak_learners::batch::{BinnedColumns, BinnedTree, Hypothesis, LeafAnswer, Tree};

/// A vote of trees, an ensemble for every column of a code of the classes.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Vote(MulticlassVote<Tree>);

/// How it is boosted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    algorithm: String,
    smoothness: f64,
    rounds: usize,
    max_depth: u16,
    min_weight_fraction_leaf: f64,
}

/// What a file says of a vote beside its trees.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    algorithm: BoostAlgorithm,
    smoothness: Option<f64>,
    max_depth: u16,
    min_weight_fraction_leaf: f64,
    rows: usize,
    commonest: u32,
    training_error: f64,
    bound: f64,
}

impl From<Facts> for BoostFacts {
    fn from(facts: Facts) -> Self {
        let Facts { algorithm, smoothness, max_depth, min_weight_fraction_leaf, .. } = facts;
        let Facts { rows, commonest, training_error, bound, .. } = facts;
        Self {
            algorithm,
            smoothness,
            max_depth,
            min_weight_fraction_leaf,
            rows,
            commonest,
            training_error,
            bound,
        }
    }
}

/// One class against the others; two classes are one column.
fn code(classes: usize) -> Result<OutputCode, BoostError> {
    Ok(match classes {
        2 => OutputCode::new(vec![vec![-1], vec![1]])?,
        _ => OutputCode::one_vs_rest(classes)?,
    })
}

type Run = BoostingRun<BinnedTree, Box<dyn Reweighting + Send>>;

impl Settings {
    fn algorithm(&self, examples: &Examples) -> Result<Box<dyn Reweighting + Send>, BoostError> {
        Ok(match &*self.algorithm {
            "smooth" => Box::new(SmoothBoost::<Active>::smooth(examples, self.smoothness)?),
            "sparse" => Box::new(LazySparseBoost::sparse(examples)?),
            "mada" => Box::new(MadaBoost::new(examples)?),
            _ => Box::new(AdaBoost::new(examples)?),
        })
    }

    fn runs(
        &self,
        classes: Vec<u32>,
        count: usize,
        weights: Option<&[f64]>,
    ) -> Result<Multiclass<Run>, BoostError> {
        let code = code(count)?;
        let examples = match weights {
            Some(weights) => ClassExamples::weighted(classes, weights)?,
            None => ClassExamples::uniform(classes)?,
        };
        let learner = BinnedTree::new(self.max_depth, LeafAnswer::Sign, self.min_weight_fraction_leaf)?;
        Multiclass::new(code, &examples, |_, column: Examples| {
            let algorithm = self.algorithm(&column)?;
            BoostingRun::new(column, learner.clone(), algorithm)
        })
    }
}

/// Rows of numbers, whatever their columns are called; or rows that were coded by columns.
fn rows(context: &Bound<'_, PyAny>, is_lent: bool) -> PyResult<RowMatrix> {
    if let Ok(features) = context.cast::<Features>() {
        return Ok(features.get().rows.clone());
    }
    let numbers = Numbers::of(context, is_lent)?;
    let columns: Vec<ContextColumn> =
        (0..numbers.columns()).map(|j| ContextColumn::Number { name: format!("x{j}") }).collect();
    Ok(numbers.rows(&[], Some(&columns))?.0)
}

/// The record of every round of a column of the code.
fn record<'py>(py: Python<'py>, run: &Run) -> PyResult<Bound<'py, PyDict>> {
    let (found, rounds) = (PyDict::new(py), run.record());
    let put = |name: &str, of: &dyn Fn(&boosters::maboost::Round) -> f64| {
        found.set_item(name, numpy::PyArray1::from_iter(py, rounds.iter().map(of)))
    };
    put("edges", &|round| round.edge)?;
    put("etas", &|round| round.eta)?;
    put("errors", &|round| round.error)?;
    put("bounds", &|round| round.promise.tight.unwrap_or(round.promise.error))?;
    put("min_margins", &|round| round.min_margin)?;
    put("margin_bounds", &|round| round.promise.margin.unwrap_or(f64::NAN))?;
    put("zeros", &|round| f64::from(u32::try_from(round.zeros).unwrap_or(u32::MAX)))?;
    found.set_item("weights", numpy::PyArray1::from_slice(py, run.algorithm().weights()))?;
    found.set_item("margins", numpy::PyArray1::from_slice(py, run.margins()))?;
    Ok(found)
}

#[pymethods]
impl Vote {
    /// Boosts trees, with the settings as JSON; also the record of every column of the code, and the trees.
    #[staticmethod]
    #[pyo3(signature = (context, classes, count, weights, settings, *, n_jobs=None, callback=None, is_lent=false))]
    #[allow(clippy::too_many_arguments, reason = "the package names them")]
    fn fit<'py>(
        py: Python<'py>,
        context: &Bound<'py, PyAny>,
        classes: PyReadonlyArray1<'py, u32>,
        count: usize,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        settings: &str,
        n_jobs: Option<usize>,
        callback: Option<&Bound<'py, PyAny>>,
        is_lent: bool,
    ) -> PyResult<(Self, Vec<Bound<'py, PyDict>>)> {
        let settings: Settings = serde_json::from_str(settings).map_err(value)?;
        let (matrix, classes) = (rows(context, is_lent)?, vector(classes)?);
        let weights = weights.map(vector).transpose()?;
        let runs = watched(py, n_jobs, callback, |watcher| {
            let sample = BinnedColumns::new(matrix)?;
            let mut runs = settings.runs(classes, count, weights.as_deref())?;
            let mut are_over = vec![false; runs.columns().len()];
            for round in 1..=settings.rounds {
                for (run, is_over) in runs.columns_mut().iter_mut().zip(&mut are_over) {
                    *is_over = *is_over || run.round(&sample)?.is_break();
                }
                if are_over.iter().all(|is_over| *is_over) {
                    break;
                }
                let errors: Vec<f64> = runs.columns().iter().map(BoostingRun::error).collect();
                let event = || json!({ "stage": "boosting", "round": round, "errors": errors }).to_string();
                if watcher.see(event) == ControlFlow::Break(()) {
                    break;
                }
            }
            Ok::<_, BoostError>(runs)
        })?
        .map_err(value)?;
        let records = runs.columns().iter().map(|run| record(py, run)).collect::<PyResult<_>>()?;
        Ok((Self(runs.into_vote()), records))
    }

    /// F_l(x_i) of the columns l after every round in turn: n × L each.
    fn staged(slf: Py<Self>, context: &Bound<'_, PyAny>) -> PyResult<Stages> {
        let rows = rows(context, false)?;
        let count = rows.len().saturating_mul(slf.get().0.code().columns());
        let mut sums = room(count)?;
        sums.resize(count, 0.0);
        Ok(Stages { vote: slf, rows, sums, round: 0 })
    }

    /// F_l(x_i) of the columns l after so many rounds, or all: n × L.
    #[pyo3(signature = (context, rounds=None, *, is_lent=false))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        context: &Bound<'py, PyAny>,
        rounds: Option<usize>,
        is_lent: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (matrix, width) = (rows(context, is_lent)?, self.0.code().columns());
        let vote = rounds.map(|rounds| self.0.clone().truncated(rounds));
        let vote = vote.as_ref().unwrap_or(&self.0);
        let mut all = room(matrix.len().saturating_mul(width))?;
        let found = py.detach(move || {
            all.resize(matrix.len() * width, 0.0);
            for (x, scores) in matrix.iter().zip(all.chunks_exact_mut(width)) {
                vote.scores(x, scores)?;
            }
            Ok::<_, BoostError>(all)
        });
        array_of_rows(py, found.map_err(value)?, width)
    }

    /// The coordinates' shares of the splits, weighted by the coefficients of their trees.
    fn importances<'py>(&self, py: Python<'py>, inputs: usize) -> Bound<'py, numpy::PyArray1<f64>> {
        let mut shares = vec![0.0; inputs];
        for ensemble in self.0.ensembles() {
            for (tree, eta) in ensemble.hypotheses().iter().zip(ensemble.coefficients()) {
                let splits: Vec<usize> = tree.nodes().iter().filter_map(split).collect();
                #[allow(clippy::cast_precision_loss, reason = "a count of nodes")]
                let own = eta.abs() / splits.len().max(1) as f64;
                splits
                    .into_iter()
                    .filter_map(|j| shares.get_mut(j).map(|share| *share += own))
                    .for_each(drop);
            }
        }
        let total: f64 = shares.iter().sum();
        if total > 0.0 {
            shares.iter_mut().for_each(|share| *share /= total);
        }
        numpy::PyArray1::from_vec(py, shares)
    }

    /// The number of trees of every column.
    #[getter]
    fn trees(&self) -> Vec<usize> {
        self.0.ensembles().iter().map(|ensemble| ensemble.hypotheses().len()).collect()
    }

    /// The trees' dimension; `None` without a tree.
    #[getter]
    fn inputs(&self) -> Option<usize> {
        self.0.ensembles().iter().flat_map(|one| one.hypotheses()).map(Tree::inputs).next()
    }

    /// Writes the model file of a classifier, by the names of its columns and classes, and with what is known
    /// of it as JSON.
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        columns: Vec<String>,
        classes: Vec<String>,
        facts: &str,
    ) -> PyResult<()> {
        let facts: Facts = serde_json::from_str(facts).map_err(value)?;
        let columns = columns.into_iter().map(|name| ContextColumn::Number { name }).collect();
        let schema = Schema::new(columns, ActionNames::Labels(classes)).map_err(value)?;
        let classifier = Classifier::unjudged(self.0.clone(), schema, facts.into()).map_err(value)?;
        py.detach(|| classifier.save(path)).map_err(of_model_file)
    }

    /// Writes the bytes of a classifier's file as they are.
    #[staticmethod]
    fn write(py: Python<'_>, path: PathBuf, bytes: &[u8]) -> PyResult<()> {
        py.detach(|| Classifier::from_bytes(bytes)?.save(path)).map_err(of_model_file)
    }

    /// The vote in a classifier's file, and what is known of it as JSON.
    #[staticmethod]
    fn of_file(py: Python<'_>, bytes: &[u8]) -> PyResult<(Self, String)> {
        let classifier = py.detach(|| Classifier::from_bytes(bytes)).map_err(of_model_file)?;
        let (vote, schema, record) = (classifier.vote(), classifier.schema(), classifier.record());
        let classes = vote.code().classes();
        if *vote.code() != code(classes).map_err(value)? {
            return Err(value(JobError::OtherCode { classes }));
        }
        let etas: Vec<&[f64]> = vote.ensembles().iter().map(|ensemble| ensemble.coefficients()).collect();
        let facts = json!({
            "record": record,
            "classes": names_of_actions(Some(schema), classes),
            "columns": schema.contexts(),
            "widths": schema.contexts().iter().map(ContextColumn::width).collect::<Vec<usize>>(),
            "etas": etas,
            "sentence": classifier.sentence(),
        });
        Ok((Self(vote.clone()), facts.to_string()))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &serde_json::to_vec(&self.0).map_err(value)?))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(serde_json::from_slice(bytes).map_err(value)?))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.get().to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}

/// The scores of rows after the first round, the second, …: a running sum.
#[pyclass(module = "ocoboost._core")]
pub(crate) struct Stages {
    vote: Py<Vote>,
    rows: RowMatrix,
    sums: Vec<f64>,
    round: usize,
}

#[pymethods]
impl Stages {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Self { vote, rows, sums, round } = self;
        let ensembles = vote.get().0.ensembles();
        if ensembles.iter().all(|one| one.hypotheses().len() <= *round) {
            return Ok(None);
        }
        let width = ensembles.len();
        py.detach(|| {
            for (column, ensemble) in ensembles.iter().enumerate() {
                let Some((tree, eta)) =
                    ensemble.hypotheses().get(*round).zip(ensemble.coefficients().get(*round))
                else {
                    continue;
                };
                for (x, sums) in rows.iter().zip(sums.chunks_exact_mut(width)) {
                    sums[column] += eta * tree.predict(x)?;
                }
            }
            Ok::<_, weak_learners::LearnerError>(())
        })
        .map_err(value)?;
        *round += 1;
        array_of_rows(py, sums.clone(), width).map(Some)
    }
}

fn split(node: &weak_learners::batch::TreeNode) -> Option<usize> {
    match node {
        weak_learners::batch::TreeNode::Split { feature, .. } => Some(*feature),
        weak_learners::batch::TreeNode::Leaf { .. } => None,
    }
}
