//! Online boost-by-majority \[BKL15\].

use super::passing::{Passing, TaughtLearners, check_below_1, majority};
use crate::requirements::check_output;
use projections::ProjectionError;
use rand::Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// Online boost-by-majority \[BKL15\], which needs the fewest learners, up to a constant, for a known
/// advantage.
///
/// The potential Φ_i(s) is the probability that the majority errs, if i learners have voted with score s =
/// Σ_{j≤i} y·h_j(x) and the other N − i are right with probability (1+γ)/2 each. So Φ_N(s) = 1{s ≤ 0},
/// Φ_{i−1}(s) = ((1−γ)/2)Φ_i(s−1) + ((1+γ)/2)Φ_i(s+1). Learner i has the weight w^i(s) = ½(Φ_i(s−1) −
/// Φ_i(s+1)) at s = s^{i−1}, and is passed (x, y) with probability w^i(s)/max w^i, the maximum over the
/// scores −(i−1), …, i−1 that it can meet. The vote is sgn Σ h_i(x), a tie counting as +1.
///
/// *Guarantee.* An identity, for every sequence and at every T: Σ_t Φ_N(s_t^N) = TΦ_0(0) + Σ_iΣ_t w_t^i(γ −
/// y_t h_i(x_t)). Its left side is at least the number of mistakes, Φ_0(0) ≤ e^{−γ²N/2}, and the sum over t
/// is, in expectation, max w^i times the shortfall of learner i from the advantage γ on the examples passed
/// to it. Derived and asserted in `tests/mistake_bound`. *Cost:* N votes and at most N updates a round; no
/// allocation. The N(N+1)/2 probabilities are tabulated once, exact to rounding for any N, and not saved.
/// *Errors:* a row of another dimension, or an example that a learner refuses, updates nothing.
///
/// ```
/// use boosters::mistake_bound::OnlineBbm;
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
/// use rows::Row;
/// use weak_learners::{Label, batch::Stump, online::SyntheticWeakLearner};
/// // Weak learners that follow the truth, the sign of x, with probability 0.7.
/// let truth = Stump::new(1, 0, 0.0, Label::Plus)?;
/// let learner = |seed| SyntheticWeakLearner::new(truth, 0.4, ChaCha8Rng::seed_from_u64(seed));
/// let weak = (0..25).map(learner).collect::<Result<Vec<_>, _>>()?;
/// let mut booster = OnlineBbm::new(weak, 0.4, &mut ChaCha8Rng::seed_from_u64(99))?;
/// let mut mistakes = 0;
/// for t in 0..2000 {
///     let x = [f64::from(t).sin()];
///     let y = Label::of_score(x[0]);
///     mistakes += u32::from(booster.round(Row::dense(&x)?, y)? != y);
/// }
/// assert!(booster.potential() < 0.02 && mistakes < 100, "a learner alone makes some 600, these {mistakes}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W>",
    into = "State<W>",
    bound(serialize = "W: Clone + Serialize", deserialize = "W: Deserialize<'de> + OnlinePredictor<Label>")
)]
pub struct OnlineBbm<W> {
    state: State<W>,
    /// w^i(s)/max w^i for i = 1, …, N, in sequence, and for each i for 0, …, i−1 right votes before.
    probabilities: Vec<f64>,
    passing: Passing,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<W> {
    #[serde(rename = "pupils")]
    taught: TaughtLearners<W>,
    advantage: f64,
}

impl<W: OnlinePredictor<Label>> OnlineBbm<W> {
    /// One round: votes at x, then learns y; returns the vote. The same as
    /// [`OnlineClassifier::round`](weak_learners::OnlineClassifier::round), which calls every learner twice.
    ///
    /// # Errors
    /// As [`update`](OnlinePredictor::update).
    pub fn round(&mut self, x: Row<'_>, y: Label) -> Result<Label, LearnerError> {
        let Self { state, probabilities, passing } = self;
        state.taught.vote(x, y, passing)?;
        let (mut right, mut score, mut rest) = (0, 0.0, &probabilities[..]);
        for (i, (h, p)) in (1..).zip(passing.votes.iter().zip(&mut passing.probabilities)) {
            let (of_learner, of_others) = rest.split_at(i);
            rest = of_others;
            *p = of_learner[right]; // w^i(s)/max w^i at s = s^{i−1}, that is 2·right − (i−1)
            right += usize::from(*h == y);
            score += h.sign();
        }
        state.taught.learn(x, y, passing)?; // pass (x, y) to W_i with that probability
        Ok(Label::of_score(score))
    }

    /// N weak learners with one output, the advantage γ in (0, 1), and the key of the coins from `rng`.
    ///
    /// # Errors
    /// No learner, learners of different shapes, or γ outside (0, 1).
    pub fn new(
        learners: Vec<W>,
        advantage: f64,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Self, LearnerError> {
        State { taught: TaughtLearners::new(learners, rng), advantage }.try_into()
    }

    /// Φ_0(0): a bound on the share of mistakes with learners of advantage γ.
    pub fn potential(&self) -> f64 {
        let n = self.learners().len();
        let masses = relative_binomial(n, self.state.advantage, 0, n);
        masses[..=n / 2].iter().sum::<f64>() / masses.iter().sum::<f64>()
    }

    /// γ.
    pub fn advantage(&self) -> f64 {
        self.state.advantage
    }

    /// W_1, …, W_N.
    pub fn learners(&self) -> &[W] {
        self.state.taught.learners()
    }

    /// The record of the last round.
    pub fn passing(&self) -> &Passing {
        &self.passing
    }
}

impl<W: OnlinePredictor<Label>> OnlinePredictor<Label> for OnlineBbm<W> {
    fn shape(&self) -> Shape {
        self.state.taught.shape()
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_output(1, y.len())?;
        y[0] = majority(self.state.taught.learners_mut(), x)?.sign();
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.state.taught.accept(x, *y)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.round(x, *y).map(drop)
    }
}

/// The probabilities of N learners. The weight w^i(s) is half the probability that the votes of the n = N − i
/// later learners leave the majority to i: a mass of the binomial of n and (1+γ)/2, at ⌊N/2⌋ less the right
/// votes before i.
fn passing_probabilities(learners: usize, advantage: f64) -> Result<Vec<f64>, LearnerError> {
    // The table has N(N+1)/2 entries, which memory may not hold.
    let (mut table, size) = (Vec::new(), learners.saturating_mul(learners.saturating_add(1)) / 2);
    if table.try_reserve_exact(size).is_err() {
        return Err(ProjectionError::TooLarge { argument: "probabilities", size }.into());
    }
    let half = learners / 2;
    for i in 1..=learners {
        let behind = learners - i;
        let (fewest, most) = ((half + 1).saturating_sub(i), half.min(behind));
        let masses = relative_binomial(behind, advantage, fewest, most);
        for right in 0..i {
            let needed = half.checked_sub(right).and_then(|needed| needed.checked_sub(fewest));
            table.push(needed.and_then(|place| masses.get(place)).copied().unwrap_or(0.0));
        }
    }
    Ok(table)
}

/// The binomial masses of n and p = (1+γ)/2 at `fewest`, …, `most`, relative to the largest of these. Every
/// mass follows from its neighbour towards the mode, so that none overflows; masses that underflow are not
/// needed.
#[allow(clippy::cast_precision_loss, reason = "counts of learners")]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two counts")]
fn relative_binomial(n: usize, advantage: f64, fewest: usize, most: usize) -> Vec<f64> {
    let odds = (1.0 + advantage) / (1.0 - advantage);
    let mode = (0.5 * (1.0 + advantage) * (n as f64 + 1.0)) as usize;
    let (peak, last) = (mode.clamp(fewest, most) - fewest, most - fewest);
    // mass(k+1)/mass(k)
    let growth = |place: usize| {
        let k = fewest + place;
        (n - k) as f64 / (k as f64 + 1.0) * odds
    };
    let mut masses = vec![1.0_f64; last + 1];
    for place in peak..last {
        masses[place + 1] = (masses[place] * growth(place)).min(1.0);
    }
    for place in (0..peak).rev() {
        masses[place] = (masses[place + 1] / growth(place)).min(1.0);
    }
    masses
}

impl<W> From<OnlineBbm<W>> for State<W> {
    fn from(booster: OnlineBbm<W>) -> Self {
        booster.state
    }
}

impl<W: OnlinePredictor<Label>> TryFrom<State<W>> for OnlineBbm<W> {
    type Error = LearnerError;

    fn try_from(state: State<W>) -> Result<Self, LearnerError> {
        check_below_1(state.advantage)?;
        state.taught.check()?;
        let learners = state.taught.learners().len();
        let probabilities = passing_probabilities(learners, state.advantage)?;
        Ok(Self { state, probabilities, passing: Passing::new(learners) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand learners: against logarithms of factorials, where the recursion of Φ has lost its digits.
    #[test]
    fn probabilities_of_many_learners() {
        let n = 1000;
        let mut log_factorial = vec![0.0];
        for k in 1..=n {
            log_factorial.push(log_factorial[k - 1] + (k as f64).ln());
        }
        for gamma in [1e-3, 0.2, 0.99] {
            let table = passing_probabilities(n, gamma).unwrap();
            let (up, down) = ((0.5 + 0.5 * gamma).ln(), (0.5 - 0.5 * gamma).ln());
            for i in [1, 2, 77, 500, 501, 999, 1000] {
                let of_learner = &table[i * (i - 1) / 2..i * (i + 1) / 2];
                let behind = n - i;
                let log_mass = |right: usize| match (n / 2).checked_sub(right) {
                    Some(k) if k <= behind => {
                        log_factorial[behind] - log_factorial[k] - log_factorial[behind - k]
                            + k as f64 * up
                            + (behind - k) as f64 * down
                    }
                    _ => f64::NEG_INFINITY,
                };
                let largest = (0..i).map(log_mass).fold(f64::NEG_INFINITY, f64::max);
                for (right, &p) in of_learner.iter().enumerate() {
                    let expected = (log_mass(right) - largest).exp();
                    assert!(
                        (p - expected).abs() <= 1e-10 * expected.max(1e-290),
                        "{i}, {right}: {p}, {expected}"
                    );
                }
                assert_eq!(of_learner.iter().copied().fold(0.0, f64::max), 1.0);
            }
        }
    }
}
