//! [BCMH20, Proposition 3] on a stream: gain as T and N grow, with the bound from the realised regrets.

use super::methods::{ALONE, Optimiser, generator, hedges, run};
use super::streams::{Stream, best_stump};
use super::{BOUND, Point};
use crate::runner::ExperimentError;
use boosters::agnostic::RandomisedMajority;
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::{Label, LearnerError};

/// The γ of the curves. Hedge has every advantage γ ≤ 1.
const FORMS: [(Optimiser, f64); 3] =
    [(Optimiser::Printed, 1.0), (Optimiser::Printed, 0.2), (Optimiser::Trusting, 0.2)];
/// The comparator of the bound.
pub(super) const BEST: &str = "best stump in hindsight";

/// Gain per round at each horizon of one run, over N learners: the learner alone, Algorithm 1, its bound, the
/// best stump of that horizon.
pub(super) fn against_rounds(
    stream: &Stream,
    n: usize,
    horizons: &[usize],
    seed: u64,
    trial: u64,
) -> Result<Vec<Point>, ExperimentError> {
    let mut points = Vec::new();
    let runs =
        (0..).zip(FORMS).map(|(k, form)| Account::of(stream, n, form, &mut generator(seed, trial, 16 + k)));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    let alone = alone(stream, seed, trial)?;
    let horizons = horizons.iter().copied().filter(|&t| t <= stream.labels.len());
    for t in horizons {
        let x = t as u64;
        let (best, stump) = best(stream, t)?;
        points.push(Point::new(BEST, x, best / t as f64));
        points.push(Point::new(ALONE, x, alone.iter().take(t).sum::<f64>() / t as f64));
        for (account, form) in runs.iter().zip(FORMS) {
            points.push(Point::new(&curve(form), x, account.gain(t) / t as f64));
            points.push(Point::new(&bound(form), x, account.bound(t, best, &stump) / t as f64));
        }
    }
    Ok(points)
}

/// Gain per round after all rounds, for each N.
pub(super) fn against_learners(
    stream: &Stream,
    learner_counts: &[usize],
    seed: u64,
    trial: u64,
) -> Result<Vec<Point>, ExperimentError> {
    let t = stream.labels.len();
    let (best, stump) = best(stream, t)?;
    let alone = alone(stream, seed, trial)?.iter().sum::<f64>();
    let mut points = Vec::new();
    for &n in learner_counts {
        let x = n as u64;
        points.push(Point::new(BEST, x, best / t as f64));
        points.push(Point::new(ALONE, x, alone / t as f64));
        for (k, form) in (0..).zip(FORMS) {
            let account = Account::of(stream, n, form, &mut generator(seed, trial, 16 + k))?;
            points.push(Point::new(&curve(form), x, account.gain(t) / t as f64));
            points.push(Point::new(&bound(form), x, account.bound(t, best, &stump) / t as f64));
        }
    }
    Ok(points)
}

fn curve((optimiser, gamma): (Optimiser, f64)) -> String {
    format!("Algorithm 1{}, γ = {gamma}", interval(optimiser))
}

fn bound((optimiser, gamma): (Optimiser, f64)) -> String {
    format!("{BOUND}{}, γ = {gamma}", interval(optimiser))
}

fn interval(optimiser: Optimiser) -> &'static str {
    match optimiser {
        Optimiser::Printed => "",
        Optimiser::Trusting => " on [0, 1]",
    }
}

fn alone(stream: &Stream, seed: u64, trial: u64) -> Result<Vec<f64>, ExperimentError> {
    let learner = hedges(stream, 1, &mut generator(seed, trial, 0)).swap_remove(0);
    let votes = run(stream, learner)?;
    Ok(votes.iter().zip(&stream.labels).map(|(vote, y)| vote.sign() * y.sign()).collect())
}

/// The gain of the best stump of the first T rounds, and its votes on them.
fn best(stream: &Stream, t: usize) -> Result<(f64, Vec<Label>), ExperimentError> {
    let (stump, gain) = best_stump(&stream.rows, stream.labels.get(..t).unwrap_or_default(), &stream.class)?;
    let vote = |rows: &RowMatrix| rows.iter().take(t).map(|x| stump.vote(x)).collect::<Result<_, _>>();
    Ok((gain as f64, vote(&stream.rows)?))
}

/// The terms of every round of Algorithm 1, for the two sides of Proposition 3.
struct Account {
    gamma: f64,
    rounds: Vec<Round>,
}

struct Round {
    /// y·E Π(z).
    gain: f64,
    /// y·(1/N)Σ p^i.
    taught: f64,
    /// y·(1/N)Σ p^i W_i(x).
    learnt: f64,
    /// The regret of A against its best point, divided by N: (1/N)(Σ ℓ^i(p^i) − min_p Σ ℓ^i(p)).
    oco: f64,
}

impl Round {
    /// Of a round on the label y: the score z, and of each learner the play p^i, the vote W_i(x) and the
    /// slope of ℓ^i; no play is below `lowest`, none above 1.
    fn of(y: f64, z: f64, (p, votes, slopes): (&[f64], &[Label], &[f64]), lowest: f64) -> Self {
        let n = p.len() as f64;
        let (mut taught, mut learnt) = (0.0, 0.0);
        for (p, vote) in p.iter().zip(votes) {
            taught += y * p / n;
            learnt += y * p * vote.sign() / n;
        }
        let lost: f64 = p.iter().zip(slopes).map(|(p, slope)| p * slope).sum();
        let slopes: f64 = slopes.iter().sum();
        let best = f64::min(lowest * slopes, slopes);
        let gain = y * (2.0 * RandomisedMajority::prob_plus(z) - 1.0);
        Self { gain, taught, learnt, oco: (lost - best) / n }
    }
}

impl Account {
    fn of(
        stream: &Stream,
        n: usize,
        (optimiser, gamma): (Optimiser, f64),
        rng: &mut ChaCha8Rng,
    ) -> Result<Self, LearnerError> {
        let mut booster = optimiser.booster(hedges(stream, n, rng), gamma, rng)?;
        let mut rounds = Vec::with_capacity(stream.labels.len());
        for (x, &y) in stream.rows.iter().zip(&stream.labels) {
            booster.round(x, y)?;
            let trace = booster.trace();
            let learners = (trace.p(), trace.votes(), trace.slopes());
            rounds.push(Round::of(y.sign(), trace.z(), learners, optimiser.lowest()));
        }
        Ok(Self { gamma, rounds })
    }

    /// Σ y·E Π(z) over the first T rounds.
    fn gain(&self, t: usize) -> f64 {
        self.rounds.iter().take(t).map(|round| round.gain).sum()
    }

    /// The lower bound of Proposition 3 from the gain of a stump and the realised regrets: that gain minus
    /// R_W/γ, where R_W = (1/N)Σ_i Σ_t p^i y(γ h(x) − W_i(x)), minus Σ_t R_A/N. With these regrets it holds
    /// on every run.
    fn bound(&self, t: usize, gain: f64, stump: &[Label]) -> f64 {
        let cost =
            |(round, h): (&Round, &Label)| round.taught * h.sign() - round.learnt / self.gamma + round.oco;
        gain - self.rounds.iter().take(t).zip(stump).map(cost).sum::<f64>()
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests;
