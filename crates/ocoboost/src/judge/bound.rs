//! Lower bounds on what a policy improves.

use crate::error::JobError;
use off_policy::estimators::{EmpiricalBernstein, LogarithmicSmoothing, Moments, Observation, Sides};
use serde::{Deserialize, Serialize};

/// A number that V(π) − V(π_L) exceeds or equals with probability 1 − δ, V(π_L) being the value of the
/// logging policy.
///
/// *What is bounded.* Rows are independent, and the policy was chosen without them. Rewards lie in [l, u], a
/// range from outside these rows. With s = r − l ≥ 0 and w = π(a|x)/p, the terms
///
/// D_i = (w_i − 1)s_i
///
/// have E D ≤ V(π) − V(π_L). For E s = V(π_L) − l. And E ws = E Σ_a π(a|x)s(x, a), the sum over the actions
/// that the log can play: at most V(π) − l, because the actions left out have s ≥ 0. So an action that the
/// log never plays counts as if it paid l, and no overlap is asked for. Both values are in one term, so that
/// δ is not split between them.
///
/// *Empirical Bernstein.* With weights clipped at M, (min(w_i, M) − 1)s_i ≤ D_i, since s ≥ 0: clipping is
/// pessimistic. These terms lie in an interval of length M(u − l), as
/// [`EmpiricalBernstein`] asks for.
///
/// *Logarithmic smoothing.* X_i = D_i + (u − l) = w_i s_i + (u − r_i) ≥ 0 has no upper end, and
/// [`LogarithmicSmoothing`] asks for none: its bound on E X, less u − l, is one on E D.
///
/// *M and λ* have to be chosen without the judged rows. If there are other rows, they are the ones that would
/// serve best there. Else several are tried at the level δ/K each: M = 2, 4, …, up to √n, and
/// λ = κ/(1 − κ)/(u − l) for κ = 1/2, 1/4, …, down to 1/√n/16; the union bound makes the best of K bounds one
/// at δ.
///
/// The two bounds hold each with probability 1 − δ. Whoever takes the larger one of them has 1 − 2δ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// How it was computed.
    pub method: BoundMethod,
    /// The bound.
    pub lower: f64,
    /// δ.
    pub delta: f64,
    /// M, or λ.
    pub setting: f64,
    /// K, how many of them were tried on the judged rows; 1 if it was chosen on others.
    pub tried: usize,
    /// What it is made of; `None` in what was saved before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<BoundTerms>,
}

/// What a [`Bound`] takes away from the estimate of the improvement: `lower` is the first number less the
/// others, up to rounding. Rewards a decision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BoundTerms {
    /// The mean of the D_i: the IPS estimate of the improvement.
    pub estimate: f64,
    /// What clipping at M, or smoothing by λ, does not believe of large weights.
    pub weights: f64,
    /// √(2VL/n) of empirical Bernstein; 0 of logarithmic smoothing, which has it among the weights.
    pub spread: f64,
    /// What δ costs beside: 7bL/(3(n − 1)) of empirical Bernstein, and near ln(1/δ)/(nλ) of the other.
    pub confidence: f64,
    /// That K settings were tried on the judged rows.
    pub tried: f64,
    /// That propensities are estimates.
    pub propensities: f64,
}

/// How a [`Bound`] was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundMethod {
    /// Of clipped terms, by their variance.
    EmpiricalBernstein,
    /// Of all terms, by their logarithms.
    LogarithmicSmoothing,
}

/// M and λ of a range of rewards; `None` where they are to be tried on the judged rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tuning {
    clip: f64,
    lambda: f64,
}

impl Tuning {
    /// The M and λ that would serve n rows like these, which are others. `None` without two rows or a range.
    pub(super) fn on(
        rows: &[Observation],
        judged: usize,
        range: [f64; 2],
        delta: f64,
    ) -> Result<Option<Self>, JobError> {
        let width = range[1] - range[0];
        if rows.len() < 2 || judged < 2 || !(width > 0.0) {
            return Ok(None);
        }
        let (n, l) = (judged as f64, (1.0 / delta).ln());
        let mut best = (2.0, f64::NEG_INFINITY);
        for clip in clips(judged) {
            let moments = Moments::of(&clipped(rows, range[0], clip)?)?;
            // What empirical Bernstein would say, if these were the judged rows.
            let (l, sd) = (l + 2.0_f64.ln(), moments.variance()?.unwrap_or(0.0).sqrt());
            let lower =
                moments.mean()? - sd * (2.0 * l / n).sqrt() - 7.0 * clip * width * l / (3.0 * (n - 1.0));
            if lower > best.1 {
                best = (clip, lower);
            }
        }
        // κ = √(2L/(nE(D/(u − l))²)) maximises κd − κ²E d²/2 − L/n per κ.
        let mut squares = 0.0;
        for (row, seen) in rows.iter().enumerate() {
            let d = (seen.weight(row)? - 1.0) * (seen.reward - range[0]) / width;
            squares += d * d / rows.len() as f64;
        }
        let kappa = (2.0 * l / (n * squares.max(f64::MIN_POSITIVE))).sqrt().clamp(least_kappa(judged), 0.5);
        Ok(Some(Self { clip: best.0, lambda: lambda(kappa, width) }))
    }
}

/// M = 2, 4, …, up to √n.
fn clips(n: usize) -> impl Iterator<Item = f64> {
    let most = (n as f64).sqrt().max(2.0);
    std::iter::successors(Some(2.0), |clip| Some(2.0 * clip)).take_while(move |clip| *clip <= most)
}

/// κ = 1/2, 1/4, …
fn kappas(n: usize) -> impl Iterator<Item = f64> {
    let least = least_kappa(n);
    std::iter::successors(Some(0.5), |kappa| Some(0.5 * kappa)).take_while(move |kappa| *kappa >= least)
}

fn least_kappa(n: usize) -> f64 {
    1.0 / (n as f64).sqrt() / 16.0
}

fn lambda(kappa: f64, width: f64) -> f64 {
    kappa / (1.0 - kappa) / width
}

/// (min(w, M) − 1)(r − l).
fn clipped(rows: &[Observation], least: f64, clip: f64) -> Result<Vec<f64>, JobError> {
    let term =
        |(row, seen): (usize, &Observation)| Ok((seen.weight(row)?.min(clip) - 1.0) * (seen.reward - least));
    rows.iter().enumerate().map(term).collect()
}

/// Both bounds of n ≥ 2 rows with rewards in a range of positive length, logarithmic smoothing first.
pub(super) fn bounds(
    rows: &[Observation],
    range: [f64; 2],
    delta: f64,
    tuning: Option<Tuning>,
) -> Result<[Bound; 2], JobError> {
    let width = range[1] - range[0];
    let lambdas: Vec<f64> = match tuning {
        Some(tuning) => vec![tuning.lambda],
        None => kappas(rows.len()).map(|kappa| lambda(kappa, width)).collect(),
    };
    let clips: Vec<f64> = match tuning {
        Some(tuning) => vec![tuning.clip],
        None => clips(rows.len()).collect(),
    };
    let smoothed = |(row, seen): (usize, &Observation)| {
        Ok(seen.weight(row)? * (seen.reward - range[0]) + (range[1] - seen.reward))
    };
    let terms = rows.iter().enumerate().map(smoothed).collect::<Result<Vec<f64>, JobError>>()?;
    let share = delta / lambdas.len() as f64;
    let mut by_logarithm = best(BoundMethod::LogarithmicSmoothing, delta, &lambdas, |lambda| {
        Ok(LogarithmicSmoothing::new(&terms, lambda, share)?.lower - width)
    })?;
    let share = delta / clips.len() as f64;
    let mut by_variance = best(BoundMethod::EmpiricalBernstein, delta, &clips, |clip| {
        let moments = Moments::of(&clipped(rows, range[0], clip)?)?;
        let found = EmpiricalBernstein::new(&moments, clip * width, share, Sides::One)?;
        Ok(found.mean - found.half_width)
    })?;
    // Sums that overflow are no reason to have no bound.
    by_logarithm.terms = BoundTerms::of_smoothing(&terms, width, &by_logarithm).ok().flatten();
    by_variance.terms = BoundTerms::of_clipping(rows, range, &by_variance).ok().flatten();
    Ok([by_logarithm, by_variance])
}

/// The largest bound of these settings.
fn best(
    method: BoundMethod,
    delta: f64,
    settings: &[f64],
    mut lower: impl FnMut(f64) -> Result<f64, JobError>,
) -> Result<Bound, JobError> {
    let tried = settings.len();
    let mut found = Bound { method, lower: f64::MIN, delta, setting: 0.0, tried, terms: None };
    for setting in settings.iter().copied() {
        let bound = Bound { lower: lower(setting)?, setting, ..found };
        if bound.lower > found.lower {
            found = bound;
        }
    }
    Ok(found)
}

impl BoundTerms {
    /// Of logarithmic smoothing of these X_i.
    fn of_smoothing(terms: &[f64], width: f64, bound: &Bound) -> Result<Option<Self>, JobError> {
        let Bound { setting: lambda, delta, tried, .. } = *bound;
        let (n, mean) = (terms.len() as f64, Moments::of(terms)?.mean()?);
        let smoothed = lambda * LogarithmicSmoothing::new(terms, lambda, delta)?.value;
        let at = |l: f64| (smoothed - l / n).exp_m1().max(0.0) / lambda;
        let [free, alone, all] = [0.0, -delta.ln(), (tried as f64 / delta).ln()].map(at);
        let found = Self {
            estimate: mean - width,
            weights: mean - free,
            spread: 0.0,
            confidence: free - alone,
            tried: alone - all,
            propensities: 0.0,
        };
        Ok(found.finite())
    }

    /// Of empirical Bernstein.
    fn of_clipping(rows: &[Observation], range: [f64; 2], bound: &Bound) -> Result<Option<Self>, JobError> {
        let Bound { setting: clip, delta, tried, .. } = *bound;
        let width = clip * (range[1] - range[0]);
        let mean = Moments::of(&clipped(rows, range[0], f64::INFINITY)?)?.mean()?;
        let moments = Moments::of(&clipped(rows, range[0], clip)?)?;
        let half = |delta: f64| -> Result<f64, JobError> {
            Ok(EmpiricalBernstein::new(&moments, width, delta, Sides::One)?.half_width)
        };
        let (alone, all) = (half(delta)?, half(delta / tried as f64)?);
        let confidence = 7.0 * width * (2.0 / delta).ln() / (3.0 * (rows.len() as f64 - 1.0));
        let found = Self {
            estimate: mean,
            weights: mean - moments.mean()?,
            spread: alone - confidence,
            confidence,
            tried: all - alone,
            propensities: 0.0,
        };
        Ok(found.finite())
    }

    /// A number that is not finite has no word in a model file.
    fn finite(self) -> Option<Self> {
        let Self { estimate, weights, spread, confidence, tried, propensities } = self;
        let all = [estimate, weights, spread, confidence, tried, propensities];
        all.iter().all(|number| number.is_finite()).then_some(self)
    }
}
