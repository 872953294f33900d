//! Regret against the best fixed point.

use super::losses::{Borrowed, Loss, PythonLoss, Raised};
use super::sets::{Domain, Set};
use super::vectors::table;
use crate::arrays::{array_of_rows, vector};
use crate::errors::value;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use oco_core::OcoError;
use oco_core::losses::LossSum;
use oco_core::regret::{Comparator, LinearRegret, QuadraticRegret, Regret, pairwise_frank_wolfe};
use projections::ProjectionError;
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The regret after every round, its gap, the loss of the comparator, and the comparators by rows.
type Accounts<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
);

/// The entries of the rounds between two questions whether Ctrl-C was pressed.
const BLOCK: usize = 1 << 16;

/// An account after every round of two tables.
fn accounts<'py>(
    py: Python<'py>,
    (of_losses, width): (Vec<f64>, usize),
    (plays, got): (Vec<f64>, usize),
    mut book: impl FnMut(usize, &[f64], &[f64]) -> Result<Regret, OcoError> + Send,
) -> PyResult<Accounts<'py>> {
    if got != width {
        let (argument, expected) = ("play", width);
        return Err(value(ProjectionError::LengthMismatch { argument, expected, got }));
    }
    if of_losses.len() != plays.len() {
        return Err(value("losses and plays are of different numbers of rounds"));
    }
    let (mut values, mut gaps, mut losses, mut comparators) = (vec![], vec![], vec![], vec![]);
    let rounds = plays.len() / width.max(1);
    for first in (0..rounds).step_by((BLOCK / width.max(1)).max(1)) {
        let last = rounds.min(first + (BLOCK / width.max(1)).max(1));
        py.detach(|| {
            (first..last).try_for_each(|t| {
                let row = t * width..(t + 1) * width;
                let found = book(t, &of_losses[row.clone()], &plays[row]).map_err(|error| (t, error))?;
                values.push(found.value);
                gaps.push(found.gap);
                losses.push(found.comparator_loss);
                comparators.extend(found.comparator);
                Ok::<_, (usize, OcoError)>(())
            })
        })
        .map_err(|(t, error)| value(format!("round {t}: {error}")))?;
        py.check_signals()?;
    }
    let [values, gaps, losses] = [values, gaps, losses].map(|all| PyArray1::from_vec(py, all));
    Ok((values, gaps, losses, array_of_rows(py, comparators, width)?))
}

/// The regret of linear losses after every round.
#[pyfunction]
pub(crate) fn linear_regrets<'py>(
    py: Python<'py>,
    gradients: PyReadonlyArray2<'py, f64>,
    plays: PyReadonlyArray2<'py, f64>,
    set: &Set,
) -> PyResult<Accounts<'py>> {
    set.0.linear().map_err(value)?;
    let gradients = table(gradients)?;
    let mut account = LinearRegret::new(gradients.1).map_err(value)?;
    accounts(py, gradients, table(plays)?, |_, g, x| {
        account.record(g, x)?;
        account.regret(&set.0)
    })
}

/// The regret of the losses (a_t/2)‖x − c_t‖² after every round.
#[pyfunction]
pub(crate) fn quadratic_regrets<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray1<'py, f64>,
    centres: PyReadonlyArray2<'py, f64>,
    plays: PyReadonlyArray2<'py, f64>,
    set: &Set,
) -> PyResult<Accounts<'py>> {
    let (weights, centres) = (vector(weights)?, table(centres)?);
    let mut account = QuadraticRegret::new(centres.1).map_err(value)?;
    accounts(py, centres, table(plays)?, |t, c, x| {
        let argument = "weights";
        let (expected, got) = (t + 1, weights.len());
        let weight = weights.get(t).ok_or(ProjectionError::LengthMismatch { argument, expected, got })?;
        account.record_weighted(*weight, c, x)?;
        account.regret(&set.0)
    })
}

/// One of the losses of a list.
enum Either<'a, 'py> {
    Own(Borrowed<'a>),
    Python(PythonLoss<'a, 'py>),
}

impl oco_core::losses::Loss for Either<'_, '_> {
    fn dimension(&self) -> usize {
        match self {
            Self::Own(loss) => loss.dimension(),
            Self::Python(loss) => loss.dimension(),
        }
    }

    fn value(&self, y: &[f64]) -> f64 {
        match self {
            Self::Own(loss) => loss.value(y),
            Self::Python(loss) => loss.value(y),
        }
    }

    fn subgradient(&self, y: &[f64], g: &mut [f64]) {
        match self {
            Self::Own(loss) => loss.subgradient(y, g),
            Self::Python(loss) => loss.subgradient(y, g),
        }
    }
}

/// A loss that asks for signals, now and then, and is NaN after Ctrl-C.
struct Interruptible<'a, L> {
    loss: L,
    /// Gradients between two questions.
    patience: u32,
    asked: AtomicU32,
    is_over: AtomicBool,
    raised: &'a Mutex<Option<PyErr>>,
}

impl<L: oco_core::losses::Loss> oco_core::losses::Loss for Interruptible<'_, L> {
    fn dimension(&self) -> usize {
        self.loss.dimension()
    }

    fn value(&self, y: &[f64]) -> f64 {
        self.loss.value(y)
    }

    /// NaN for good after Ctrl-C: a search may try again after one.
    fn subgradient(&self, y: &[f64], g: &mut [f64]) {
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.patience)
            && let Err(error) = Python::attach(|py| py.check_signals())
            && let Ok(mut raised) = self.raised.lock()
        {
            raised.get_or_insert(error);
            self.is_over.store(true, Ordering::Relaxed);
        }
        if self.is_over.load(Ordering::Relaxed) {
            g.fill(f64::NAN);
        } else {
            self.loss.subgradient(y, g);
        }
    }
}

fn search<L: oco_core::losses::Loss>(
    loss: &L,
    set: &Domain,
    method: &str,
    tolerance: f64,
    steps: u32,
) -> Result<Comparator, OcoError> {
    match method {
        "pairwise" => pairwise_frank_wolfe(loss, set, tolerance, steps),
        _ => oco_core::regret::best_in_hindsight(loss, set, tolerance, steps),
    }
}

/// The best fixed point of a list of losses: point, loss, gap and steps.
#[pyfunction]
pub(crate) fn best_in_hindsight<'py>(
    py: Python<'py>,
    losses: Vec<Bound<'py, PyAny>>,
    set: &Set,
    dimension: usize,
    method: &str,
    tolerance: f64,
    steps: u32,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64, f64, u32)> {
    set.0.linear().map_err(value)?;
    if !matches!(method, "accelerated" | "pairwise") {
        return Err(value(format!("method = {method:?}: accelerated or pairwise")));
    }
    let own: Vec<Option<&Bound<'py, Loss>>> = losses.iter().map(|loss| loss.cast::<Loss>().ok()).collect();
    let found = if own.iter().all(Option::is_some) {
        let borrowed: Vec<Borrowed<'_>> =
            own.into_iter().flatten().map(|loss| loss.get().borrowed()).collect::<PyResult<_>>()?;
        let raised = Mutex::new(None);
        let sum = LossSum::new(&borrowed).map_err(value)?;
        // A thousand losses take some microseconds a gradient.
        let patience = u32::try_from(1 + BLOCK / borrowed.len().max(1)).unwrap_or(1);
        let found = py.detach(|| {
            let (asked, is_over) = (AtomicU32::new(1), AtomicBool::new(false));
            let loss = Interruptible { loss: sum, patience, asked, is_over, raised: &raised };
            search(&loss, &set.0, method, tolerance, steps)
        });
        match raised.into_inner() {
            Ok(Some(error)) => return Err(error),
            _ => found.map_err(value)?,
        }
    } else {
        let raised = Raised::default();
        let either: Vec<Either<'_, '_>> = losses
            .iter()
            .map(|object| match object.cast::<Loss>() {
                Ok(loss) => loss.get().borrowed().map(Either::Own),
                Err(_) => Ok(Either::Python(PythonLoss { object, dimension, raised: &raised })),
            })
            .collect::<PyResult<_>>()?;
        let found = LossSum::new(&either).and_then(|sum| search(&sum, &set.0, method, tolerance, steps));
        drop(either);
        raised.outcome(found)?
    };
    Ok((PyArray1::from_vec(py, found.point), found.loss, found.gap, found.steps))
}
