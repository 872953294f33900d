//! Choices among candidates that have features of their own, of arrays and of data frames.

use crate::arrays::{Numbers, vector};
use crate::errors::value;
use crate::frames::{Column, source};
use crate::log::{notes, options, reading};
use crate::watch::watched;
use numpy::{PyArray1, PyReadonlyArray1};
use ocoboost::{EstimatedPropensities, estimate_candidate_propensities};
use off_policy::candidates::CandidateSchema;
use off_policy::{ActionNames, ContextColumn, Rewards, Schema};
use pyo3::prelude::*;
use rows::{Candidates, RowMatrix};

/// The rows of one level of features, with the columns by which they are coded.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Features {
    pub(crate) rows: RowMatrix,
    schema: Schema,
    notes: Vec<String>,
}

/// Columns as a schema, for the names of their coordinates; its actions are of no matter.
fn schema_of(columns: Vec<ContextColumn>) -> PyResult<Schema> {
    Schema::new(columns, ActionNames::Numbered(1)).map_err(value)
}

fn parsed(columns: Option<&str>) -> PyResult<Option<Vec<ContextColumn>>> {
    columns.map(serde_json::from_str).transpose().map_err(value)
}

#[pymethods]
impl Features {
    /// Of an array; by columns, as JSON, where they are known.
    #[staticmethod]
    #[pyo3(signature = (array, names, columns=None))]
    fn from_array(array: &Bound<'_, PyAny>, names: Vec<String>, columns: Option<&str>) -> PyResult<Self> {
        let known = parsed(columns)?;
        let (rows, columns) = Numbers::of(array, false)?.rows(&names, known.as_deref())?;
        Ok(Self { rows, schema: schema_of(columns)?, notes: Vec::new() })
    }

    /// Of a data frame with columns beside it; by columns, as JSON, where they are known. `label` is the name
    /// of a column beside it that is the same in every row: a table has a column of labels.
    #[staticmethod]
    #[pyo3(signature = (frame, beside, options, label, columns=None))]
    fn from_frame(
        py: Python<'_>,
        frame: Option<&Bound<'_, PyAny>>,
        beside: Vec<(String, Column<'_>)>,
        options: &str,
        label: &str,
        columns: Option<&str>,
    ) -> PyResult<Self> {
        let (source, options) = (source(frame, beside)?, self::options(options)?);
        match parsed(columns)? {
            None => {
                let read = reading(py, |watch| formats::read_table(source, label, &options, watch))?;
                let (rows, notes) = (read.contexts, notes(&read.facts));
                Ok(Self { rows, schema: schema_of(read.schema.contexts().to_vec())?, notes })
            }
            Some(columns) => {
                let schema = schema_of(columns)?;
                let read = reading(py, |watch| formats::read_contexts(source, &schema, &options, watch))?;
                Ok(Self { rows: read.contexts, notes: notes(&read.facts), schema })
            }
        }
    }

    /// These rows, in the order asked for.
    fn select(&self, rows: PyReadonlyArray1<'_, u32>) -> PyResult<Self> {
        let rows = self.rows.select(vector(rows)?.into_iter().map(|row| row as usize)).map_err(value)?;
        Ok(Self { rows, schema: self.schema.clone(), notes: self.notes.clone() })
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// The columns, as JSON.
    #[getter]
    fn columns(&self) -> PyResult<String> {
        serde_json::to_string(self.schema.contexts()).map_err(value)
    }

    /// What a reader should know.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// What every choice is among.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct Choices {
    pub(crate) candidates: Candidates,
    pub(crate) schema: CandidateSchema,
}

#[pymethods]
impl Choices {
    /// Pairs from one offset to the next are the candidates of a choice. `items` has a row an item,
    /// `of_pairs` the item of every pair, and the first items have these identities.
    #[staticmethod]
    #[pyo3(signature = (offsets, *, contexts=None, features=None, items=None, of_pairs=None, identities=Vec::new()))]
    fn of(
        py: Python<'_>,
        offsets: PyReadonlyArray1<'_, i64>,
        contexts: Option<&Features>,
        features: Option<&Features>,
        items: Option<&Features>,
        of_pairs: Option<PyReadonlyArray1<'_, u32>>,
        identities: Vec<String>,
    ) -> PyResult<Self> {
        let offset = |offset: &i64| {
            usize::try_from(*offset).map_err(|_| value(format!("an offset is {offset}, and not positive")))
        };
        let offsets = vector(offsets)?.iter().map(offset).collect::<PyResult<Vec<usize>>>()?;
        let of_pairs = of_pairs.map(vector).transpose()?.unwrap_or_default();
        let (names, mut first, mut optional) = ([contexts, features, items], 0, Vec::new());
        for level in names.into_iter().flatten() {
            optional.extend(level.schema.indicators().into_iter().map(|(own, _)| first + own));
            first += level.schema.inputs();
        }
        let [contexts_names, features_names, items_names] =
            names.map(|level| level.map(|level| level.schema.feature_names()).unwrap_or_default());
        let rows = names.map(|level| level.map(|level| level.rows.clone()));
        let count = identities.len();
        let schema = CandidateSchema {
            contexts: contexts_names,
            features: features_names,
            items: items_names,
            identities,
            optional,
        };
        let [contexts, features, items] = rows;
        let built = py.detach(move || {
            let mut builder = Candidates::builder(offsets);
            if let Some(contexts) = contexts {
                builder = builder.contexts(contexts);
            }
            if let Some(features) = features {
                builder = builder.features(features);
            }
            match (items, count) {
                (Some(items), 0) => builder = builder.items(of_pairs, items),
                (Some(items), _) => {
                    builder = builder.items(Vec::new(), items).identities(of_pairs, count);
                }
                (None, 0) => {}
                (None, _) => builder = builder.identities(of_pairs, count),
            }
            builder.build()
        });
        Ok(Self { candidates: built.map_err(value)?, schema })
    }

    /// The number of choices.
    fn __len__(&self) -> usize {
        self.candidates.len()
    }
}

/// A log of choices, with what was estimated where it has no propensities.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct CandidateLog {
    pub(crate) log: off_policy::candidates::CandidateLog,
    pub(crate) estimated: Option<EstimatedPropensities>,
}

#[pymethods]
impl CandidateLog {
    /// The place of the candidate that was chosen in every choice, its propensity, and the reward.
    /// Propensities that are not given are estimated; Ctrl-C ends that.
    #[staticmethod]
    #[pyo3(signature = (choices, chosen, pscore, reward, *, seed=0, n_jobs=None))]
    fn of(
        py: Python<'_>,
        choices: &Choices,
        chosen: PyReadonlyArray1<'_, u32>,
        pscore: Option<PyReadonlyArray1<'_, f64>>,
        reward: PyReadonlyArray1<'_, f64>,
        seed: u64,
        n_jobs: Option<usize>,
    ) -> PyResult<Self> {
        let (chosen, reward) = (vector(chosen)?, Rewards(vector(reward)?));
        let (candidates, schema) = (&choices.candidates, &choices.schema);
        let (pscore, estimated) = match pscore.map(vector).transpose()? {
            Some(pscore) => (pscore, None),
            None => {
                let estimated = watched(py, n_jobs, None, |watcher| {
                    let watch = &mut || watcher.see(String::new);
                    estimate_candidate_propensities(candidates, &chosen, Some(schema), seed, watch)
                })?;
                let estimated = estimated.map_err(value)?;
                (estimated.propensities().to_vec(), Some(estimated))
            }
        };
        let (candidates, schema) = (candidates.clone(), schema.clone());
        let log = py.detach(|| {
            off_policy::candidates::CandidateLog::new(candidates, chosen, pscore, reward)?.with_schema(schema)
        });
        Ok(Self { log: log.map_err(value)?, estimated })
    }

    /// The propensities, estimated or given.
    #[getter]
    fn propensities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.log.propensities())
    }

    fn __len__(&self) -> usize {
        self.log.len()
    }
}
