//! The use of a loaded value: a few rounds on rows of its reported dimension.

use super::checks::Checks;
use super::verdict::AnyError;
use oco_core::losses::{LinearLoss, Loss, SquaredLoss};
use oco_core::projection_free::{OracleLearner, StochasticGradient};
use oco_core::{BanditLearner, OnlineLearner};
use off_policy::ActionSet;
use off_policy::policies::{Policy, Scores};
use projections::{DecisionSet, Euclidean, LinearMinimisation, LogProjection, Projection, Regulariser};
use rows::Row;
use serde::Serialize;
use weak_learners::batch::Hypothesis;
use weak_learners::pairs::PairHypothesis;
use weak_learners::{BanditPredictor, FullInformationPredictor, Label, OnlinePredictor};

/// The largest reported dimension for use; above it a value is only saved and loaded.
pub(super) const MOST: usize = 1 << 12;
/// The rounds of a use.
const ROUNDS: usize = 4;

type Played = Result<(), AnyError>;

/// Deterministic entries from a sine, so that rows differ and every run is equal.
pub(super) fn wave(length: usize, t: usize) -> Vec<f64> {
    let at = |j: usize| (1.7 * (j + 3 * t) as f64 + 0.3).sin();
    (0..length).map(at).collect()
}

/// Dense and sparse rows in turn; `None` above the largest dimension.
fn with_row<E>(inputs: usize, t: usize, see: impl FnOnce(Row<'_>) -> Result<(), E>) -> Result<(), E>
where
    E: From<rows::RowError>,
{
    let values = wave(inputs, t);
    if t.is_multiple_of(2) {
        return see(Row::dense(&values)?);
    }
    let indices: Vec<u32> = (0..).step_by(2).take(inputs.div_ceil(2)).collect();
    see(Row::sparse(inputs, &indices, &values[..indices.len()])?)
}

fn label(t: usize) -> Label {
    if t.is_multiple_of(3) { Label::Minus } else { Label::Plus }
}

/// No use: the value is only saved and loaded.
#[allow(clippy::unnecessary_wraps, reason = "one of many uses, which may fail")]
pub(super) fn nothing<T>(_: &mut T, _: &mut Checks) -> Played {
    Ok(())
}

pub(super) fn classifier<P: OnlinePredictor<Label> + Serialize>(p: &mut P, checks: &mut Checks) -> Played {
    let shape = p.shape();
    if shape.inputs > MOST || shape.outputs > MOST {
        return Ok(());
    }
    let mut y = vec![0.0; shape.outputs];
    for t in 0..ROUNDS {
        checks.attempt(p, |p, checks| -> Played {
            with_row(shape.inputs, t, |x| {
                p.predict(x, &mut y)?;
                checks.numbers("a prediction", &y);
                p.accepts(x, &label(t))?;
                p.update(x, &label(t))?;
                Ok(())
            })
        });
    }
    Ok(())
}

pub(super) fn regressor<P: OnlinePredictor<[f64]> + Serialize>(p: &mut P, checks: &mut Checks) -> Played {
    let shape = p.shape();
    if shape.inputs > MOST || shape.outputs > MOST {
        return Ok(());
    }
    let mut y = vec![0.0; shape.outputs];
    for t in 0..ROUNDS {
        checks.attempt(p, |p, checks| -> Played {
            with_row(shape.inputs, t, |x| {
                p.predict(x, &mut y)?;
                checks.numbers("a prediction", &y);
                let g = wave(shape.outputs, t + 1);
                p.accepts(x, &g)?;
                p.update(x, &g)?;
                Ok(())
            })
        });
    }
    Ok(())
}

/// Predictors without a reported shape, on rows with these numbers of inputs and outputs.
pub(super) fn full_information<P: FullInformationPredictor + Serialize>(
    p: &mut P,
    checks: &mut Checks,
    (inputs, outputs): (usize, usize),
) -> Played {
    for t in 0..ROUNDS {
        let target = wave(outputs, t);
        let loss = SquaredLoss::new(&target)?;
        checks.attempt(p, |p, checks| -> Played {
            with_row(inputs, t, |x| {
                checks.numbers("a prediction", p.round(x, &loss)?);
                Ok(())
            })
        });
    }
    Ok(())
}

pub(super) fn bandit<P: BanditPredictor + Serialize>(
    p: &mut P,
    checks: &mut Checks,
    (inputs, outputs): (usize, usize),
) -> Played {
    for t in 0..ROUNDS {
        let target = wave(outputs, t);
        let loss = SquaredLoss::new(&target)?;
        checks.attempt(p, |p, checks| -> Played {
            with_row(inputs, t, |x| {
                let mut query = |y: &[f64]| if y.len() == outputs { loss.value(y) } else { 1.0 };
                checks.numbers("a prediction", p.round(x, &mut query)?);
                Ok(())
            })
        });
    }
    Ok(())
}

pub(super) fn online<L: OnlineLearner + Serialize>(learner: &mut L, checks: &mut Checks) -> Played {
    let dimension = learner.play().len();
    if dimension > MOST {
        return Ok(());
    }
    for t in 0..ROUNDS {
        checks.attempt(learner, |learner, checks| -> Played {
            checks.numbers("a play", learner.play());
            learner.observe(&wave(dimension, t))?;
            Ok(())
        });
    }
    checks.numbers("a play", learner.play());
    Ok(())
}

pub(super) fn with_reset<L: OnlineLearner + Serialize>(learner: &mut L, checks: &mut Checks) -> Played {
    online(learner, checks)?;
    learner.reset();
    checks.numbers("a play after a reset", learner.play());
    Ok(())
}

pub(super) fn blind<L: BanditLearner + Serialize>(learner: &mut L, checks: &mut Checks) -> Played {
    for t in 0..ROUNDS {
        // A play draws random numbers, so it is not part of the step that may be refused.
        let play = learner.play().to_vec();
        checks.numbers("a play", &play);
        let loss = if t == 2 { 0.0 } else { play.iter().sum::<f64>().cos() };
        checks.attempt(learner, |learner, _| learner.observe(loss));
    }
    Ok(())
}

/// The gradient of a linear loss in any dimension.
struct Slope(Vec<f64>);

impl StochasticGradient for Slope {
    fn dimension(&self) -> usize {
        self.0.len()
    }
    fn draw(&mut self) {}
    fn gradient(&mut self, x: &[f64], g: &mut [f64]) {
        if let Ok(loss) = LinearLoss::new(&self.0) {
            loss.subgradient(x, g);
        }
    }
}

pub(super) fn oracle<L: OracleLearner + Serialize>(learner: &mut L, checks: &mut Checks) -> Played {
    let dimension = learner.play().len();
    if dimension > MOST {
        return Ok(());
    }
    for t in 0..ROUNDS {
        checks.attempt(learner, |learner, checks| -> Played {
            checks.numbers("a play", learner.play());
            learner.observe(&mut Slope(wave(dimension, t)))?;
            Ok(())
        });
    }
    Ok(())
}

/// Candidate dimensions of a set.
const DIMENSIONS: [usize; 8] = [1, 2, 3, 4, 5, 6, 9, 12];

fn each_dimension<K: DecisionSet>(set: &K, mut see: impl FnMut(&K, usize)) {
    DIMENSIONS.into_iter().filter(|&n| set.check_dimension(n).is_ok()).for_each(|n| see(set, n));
}

pub(super) fn euclidean<K: Projection<Euclidean>>(set: &mut K, checks: &mut Checks) -> Played {
    each_dimension(set, |set, n| {
        let mut x = vec![0.0; n];
        match set.interior_point(&mut x) {
            Ok(()) => checks.numbers("an interior point", &x),
            Err(error) => checks.refused(&error),
        }
        match set.diameter(n) {
            Ok(diameter) => checks.any_number(diameter),
            Err(error) => checks.refused(&error),
        }
        for scale in [0.0, 1.0, 1e6, 1e300] {
            let mut y: Vec<f64> = wave(n, 0).iter().map(|v| v * scale).collect();
            match set.project(&mut y) {
                Ok(()) => checks.numbers("a projection", &y),
                Err(error) => checks.refused(&error),
            }
        }
    });
    Ok(())
}

pub(super) fn linear<K: Projection<Euclidean> + LinearMinimisation>(
    set: &mut K,
    checks: &mut Checks,
) -> Played {
    euclidean(set, checks)?;
    each_dimension(set, |set, n| {
        for t in 0..3 {
            match set.lmo(&wave(n, t)) {
                Ok(x) => checks.numbers("a minimiser", &x),
                Err(error) => checks.refused(&error),
            }
        }
    });
    Ok(())
}

pub(super) fn entropic<K: LogProjection + Projection<Euclidean>>(set: &mut K, checks: &mut Checks) -> Played {
    euclidean(set, checks)?;
    each_dimension(set, |set, n| {
        for t in 0..3 {
            let mut y = wave(n, t);
            match set.project_log(&mut y) {
                Ok(()) => checks.numbers("a projection of logarithms", &y),
                Err(error) => checks.refused(&error),
            }
        }
    });
    Ok(())
}

pub(super) fn regulariser<R: Regulariser>(r: &mut R, checks: &mut Checks) -> Played {
    let (x, y) = ([0.25, 0.5, 0.25], [0.125, 0.5, 0.375]);
    let mut theta = [0.0; 3];
    checks.outcome("a value", r.value(&x));
    checks.outcome("a divergence", r.divergence(&x, &y));
    r.mirror(&x, &mut theta)?;
    checks.numbers("a mirror", &theta);
    let mut back = [0.0; 3];
    r.inverse_mirror(&theta, &mut back)?;
    checks.numbers("a mirror's inverse", &back);
    Ok(())
}

pub(super) fn hypothesis<H: Hypothesis>(h: &mut H, checks: &mut Checks) -> Played {
    if h.inputs() > MOST {
        return Ok(());
    }
    for t in 0..ROUNDS {
        with_row::<AnyError>(h.inputs(), t, |x| {
            checks.outcome("a vote", h.predict(x));
            Ok(())
        })?;
    }
    Ok(())
}

pub(super) fn pair_hypothesis<H: PairHypothesis>(h: &mut H, checks: &mut Checks) -> Played {
    if h.inputs() > MOST || h.actions() > MOST {
        return Ok(());
    }
    let mut scores = vec![0.0; h.actions()];
    for t in 0..ROUNDS {
        with_row::<AnyError>(h.inputs(), t, |x| {
            h.scores(x, &mut scores)?;
            scores.iter().for_each(|&score| checks.number("a score", score));
            h.add_scores(x, 0.5, &mut scores)?;
            scores.iter().for_each(|&score| checks.extended("a sum of scores", score));
            Ok(())
        })?;
    }
    Ok(())
}

pub(super) fn scores<S: Scores>(s: &mut S, checks: &mut Checks) -> Played {
    if s.inputs() > MOST || s.actions() > MOST {
        return Ok(());
    }
    let mut scores = vec![0.0; s.actions()];
    for t in 0..ROUNDS {
        with_row::<AnyError>(s.inputs(), t, |x| {
            s.scores(x, &mut scores)?;
            // Sums over columns and members; a policy turns infinite ones into probabilities or refuses them.
            scores.iter().for_each(|&score| checks.extended("a score", score));
            Ok(())
        })?;
    }
    Ok(())
}

pub(super) fn policy<P: Policy>(p: &mut P, checks: &mut Checks) -> Played {
    let (inputs, actions) = (p.inputs().unwrap_or(2), p.actions());
    if inputs > MOST || actions > MOST {
        return Ok(());
    }
    let mut probabilities = vec![0.0; actions];
    for t in 0..ROUNDS {
        with_row::<AnyError>(inputs, t, |x| {
            p.probabilities(x, ActionSet::all(actions)?, &mut probabilities)?;
            checks.distribution("a policy", &probabilities);
            Ok(())
        })?;
    }
    Ok(())
}
