//! Zero-sum games.

use super::learners::{AnyLearner, Learner};
use super::vectors::{Reduced, entries, generator, loaded, saved, table};
use crate::arrays::array_of_rows;
use crate::errors::value;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use oco_core::OcoError;
use oco_core::games::{self, BestResponse, Certificate, Oracle, Stop, TremblingHand};
use oco_core::regret::is_milestone;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

/// pᵀMq on two simplices.
#[pyclass(frozen, module = "ocoboost._core")]
pub(crate) struct MatrixGame(games::MatrixGame);

/// Value, p, q and gap.
type Solved<'py> = (f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);
/// Payoff, max over q, min over p, and their gap.
type Certified = (f64, f64, f64, f64);

fn certified(of: Certificate) -> Certified {
    (of.payoff, of.max_q, of.min_p, of.gap)
}

#[pymethods]
impl MatrixGame {
    #[new]
    fn new(payoffs: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let (entries, width) = table(payoffs)?;
        let rows: Vec<&[f64]> = entries.chunks_exact(width.max(1)).collect();
        Ok(Self(games::MatrixGame::new(&rows).map_err(value)?))
    }

    /// The value, optimal strategies, and their gap.
    fn equilibrium<'py>(&self, py: Python<'py>) -> Solved<'py> {
        let found = py.detach(|| self.0.equilibrium());
        (found.value, PyArray1::from_vec(py, found.p), PyArray1::from_vec(py, found.q), found.gap)
    }

    /// What a pair of strategies guarantees.
    fn certificate(&self, p: PyReadonlyArray1<'_, f64>, q: PyReadonlyArray1<'_, f64>) -> PyResult<Certified> {
        Ok(certified(self.0.certificate(&entries(&p)?, &entries(&q)?).map_err(value)?))
    }

    fn best_row(&self, q: PyReadonlyArray1<'_, f64>) -> PyResult<(usize, f64)> {
        self.0.best_row(&entries(&q)?).map_err(value)
    }

    fn best_column(&self, p: PyReadonlyArray1<'_, f64>) -> PyResult<(usize, f64)> {
        self.0.best_column(&entries(&p)?).map_err(value)
    }

    #[getter]
    fn payoffs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows: Vec<Vec<f64>> = self.0.clone().into();
        array_of_rows(py, rows.concat(), self.0.columns())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        saved(py, &self.0)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(loaded(bytes)?))
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }
}

/// Player B.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Opponent {
    Best(BestResponse<games::MatrixGame>),
    Trembling(Box<TremblingHand<games::MatrixGame>>),
}

impl Oracle for Opponent {
    fn respond(&mut self, p: &[f64], q: &mut [f64]) -> Result<(), OcoError> {
        match self {
            Self::Best(oracle) => oracle.respond(p, q),
            Self::Trembling(oracle) => oracle.respond(p, q),
        }
    }
}

/// A learner against an oracle in a matrix game.
#[pyclass(module = "ocoboost._core")]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ZeroSumGame(games::ZeroSumGame<games::MatrixGame, AnyLearner, Opponent>);

#[pymethods]
impl ZeroSumGame {
    /// The opponent trembles with a probability.
    #[new]
    fn new(game: &MatrixGame, player: &Learner, tremble: f64, seed: u64) -> PyResult<Self> {
        let (own, mut player) = (game.0.clone(), player.learner.clone());
        oco_core::OnlineLearner::reset(&mut player);
        let opponent = if tremble == 0.0 {
            Opponent::Best(BestResponse(own))
        } else {
            let hand = TremblingHand::new(own, tremble, generator(seed)).map_err(value)?;
            Opponent::Trembling(Box::new(hand))
        };
        Ok(Self(games::ZeroSumGame::new(game.0.clone(), player, opponent).map_err(value)?))
    }

    /// One round: g(p_t, q_t).
    fn round(&mut self) -> PyResult<f64> {
        self.0.round().map_err(value)
    }

    /// Plays until the gap is small enough or the rounds are spent; whether it converged, the rounds, and the
    /// certificate. Ctrl-C ends it after a round.
    fn run(&mut self, py: Python<'_>, rounds: u64, gap: f64) -> PyResult<(bool, u64, Certified)> {
        loop {
            // The rounds at which a run computes its gap, so that runs in parts are one run.
            let mut later = self.0.rounds().saturating_add(1)..rounds;
            let next = later.find(|t| is_milestone(*t)).unwrap_or(rounds);
            let game = &mut self.0;
            let found = py.detach(|| game.run(next, gap)).map_err(value)?;
            if found.stop == Stop::Converged || found.rounds >= rounds {
                return Ok((found.stop == Stop::Converged, found.rounds, certified(found.certificate)));
            }
            py.check_signals()?;
        }
    }

    /// What the averages guarantee.
    fn certificate(&mut self) -> Certified {
        certified(self.0.certificate())
    }

    #[getter]
    fn p_bar<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.p_bar())
    }

    #[getter]
    fn q_bar<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.q_bar())
    }

    #[getter]
    fn average_payoff(&self) -> f64 {
        self.0.average_payoff()
    }

    #[getter]
    fn rounds(&self) -> u64 {
        self.0.rounds()
    }

    /// Σ⟨g_t, p_t − p⟩.
    fn regret_against(&self, p: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        self.0.regret_against(&entries(&p)?).map_err(value)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        saved(py, self)
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        loaded(bytes)
    }

    /// For pickle and copy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let bytes = slf.try_borrow()?.to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}
