//! The claims of every round, recomputed from the predictions pair by pair.

use boosters::bopl::{
    Bopl, BoplLs, BoplS, PolicyBoosting, PolicyEnsemble, PolicyObjective, Settings, Smoothness, Step,
    optimal_risk,
};
use off_policy::policies::{Scores, softmax};
use off_policy::{ActionSet, Log};
use weak_learners::pairs::{PairHypothesis, PairLearner};

/// The losses and constants as printed in [L23], independent of the library's.
pub(crate) trait Printed: PolicyObjective {
    fn loss_of(v: f64, pi: f64) -> f64;
    fn factor_of(v: f64, pi: f64) -> f64;
    fn curvature_of(v: f64, smoothness: Smoothness) -> f64;
    /// Whether the loss is −v(ln π + 1).
    fn is_logarithmic(v: f64) -> bool;

    /// A curvature that holds for |t| ≤ η on the line F + tf.
    fn local_curvature_of(v: f64, (pi, logged): (&[f64], usize), f: &[f64], eta: f64) -> f64 {
        let range = f.iter().fold(f64::MIN, |m, f| m.max(*f)) - f.iter().fold(f64::MAX, |m, f| m.min(*f));
        let mean: f64 = pi.iter().zip(f).map(|(p, f)| p * f).sum();
        let variance: f64 = pi.iter().zip(f).map(|(p, f)| p * (f - mean) * (f - mean)).sum();
        // Σ_{k≥2} 2x^{k−2}/k!, summed until its terms vanish.
        let x = range * eta;
        let series = (2..400).scan(1.0, |term, k| {
            let now = *term;
            *term *= x / f64::from(k + 1);
            Some(now)
        });
        let growth: f64 = series.sum();
        v.abs()
            * if Self::is_logarithmic(v) {
                (variance * growth).min(range * range / 4.0)
            } else {
                range * range * (growth * pi[logged].min(1.0 - pi[logged])).min(1.0 / (6.0 * 3f64.sqrt()))
            }
    }
}

/// λ of BOPL-LS in all these tests.
pub(crate) const LAMBDA: f64 = 0.3;

impl Printed for BoplLs {
    fn loss_of(v: f64, pi: f64) -> f64 {
        -(1.0 + LAMBDA * v * pi).ln() / LAMBDA
    }

    fn factor_of(v: f64, pi: f64) -> f64 {
        v * pi / (1.0 + LAMBDA * v * pi)
    }

    fn curvature_of(v: f64, smoothness: Smoothness) -> f64 {
        let (probability, logarithm) = constants(smoothness);
        (v * probability + LAMBDA * v * v / 8.0).min(logarithm / LAMBDA)
    }

    fn is_logarithmic(_: f64) -> bool {
        false
    }

    fn local_curvature_of(v: f64, (pi, logged): (&[f64], usize), f: &[f64], eta: f64) -> f64 {
        let of_logarithm = <BoplS as Printed>::local_curvature_of(1.0, (pi, logged), f, eta);
        let of_probability = <Bopl as Printed>::local_curvature_of(1.0, (pi, logged), f, eta);
        let range = f.iter().fold(f64::MIN, |m, f| m.max(*f)) - f.iter().fold(f64::MAX, |m, f| m.min(*f));
        let (x, least) = (2.0 * range * eta, pi[logged].min(1.0 - pi[logged]));
        let growth = if x > 1e-3 { 2.0 * (x.exp() - 1.0 - x) / (x * x) } else { 1.0 + x / 3.0 };
        let of_squared_slope = range * range * (growth * least * least).min(1.0 / 16.0);
        (v * of_probability + LAMBDA * v * v * of_squared_slope).min(of_logarithm / LAMBDA)
    }
}

fn constants(smoothness: Smoothness) -> (f64, f64) {
    match smoothness {
        Smoothness::Paper => (0.5, 1.0),
        Smoothness::Sharp => (1.0 / (3.0 * 3f64.sqrt()), 0.5),
    }
}

impl Printed for Bopl {
    fn loss_of(v: f64, pi: f64) -> f64 {
        -v * pi
    }

    fn factor_of(v: f64, pi: f64) -> f64 {
        v * pi
    }

    fn curvature_of(v: f64, smoothness: Smoothness) -> f64 {
        v.abs() * constants(smoothness).0
    }

    fn is_logarithmic(_: f64) -> bool {
        false
    }
}

impl Printed for BoplS {
    fn loss_of(v: f64, pi: f64) -> f64 {
        if v < 0.0 { -v * pi } else { -v * (pi.ln() + 1.0) }
    }

    fn factor_of(v: f64, pi: f64) -> f64 {
        if v < 0.0 { v * pi } else { v }
    }

    fn curvature_of(v: f64, smoothness: Smoothness) -> f64 {
        let (probability, logarithm) = constants(smoothness);
        v.abs() * if v < 0.0 { probability } else { logarithm }
    }

    fn is_logarithmic(v: f64) -> bool {
        v >= 0.0
    }
}

/// F(x_i, ·) of every row, from the predictors.
pub(crate) fn scores_of<H: PairHypothesis>(ensemble: &PolicyEnsemble<H>, log: &Log) -> Vec<Vec<f64>> {
    let row = |x| {
        let mut scores = vec![0.0; log.actions()];
        ensemble.scores(x, &mut scores).unwrap();
        scores
    };
    log.contexts().iter().map(row).collect()
}

pub(crate) fn policy_of(scores: &[f64]) -> Vec<f64> {
    let mut pi = scores.to_vec();
    softmax(&mut pi, 1.0, ActionSet::all(scores.len()).unwrap());
    pi
}

/// v_i.
pub(crate) fn ratios(log: &Log, translation: f64) -> Vec<f64> {
    log.iter().map(|row| (row.reward + translation) / row.propensity).collect()
}

#[allow(clippy::cast_precision_loss, reason = "a count of rows")]
pub(crate) fn mean(terms: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = terms.len() as f64;
    terms.sum::<f64>() / n
}

/// The objective of a policy.
pub(crate) fn objective<O: Printed>(log: &Log, translation: f64, scores: &[Vec<f64>]) -> f64 {
    let v = ratios(log, translation);
    mean((0..log.len()).map(|i| O::loss_of(v[i], policy_of(&scores[i])[log.logged_actions()[i] as usize])))
}

/// U and S along f.
fn along<O: Printed>(
    log: &Log,
    (translation, step): (f64, Step),
    scores: &[Vec<f64>],
    f: &[Vec<f64>],
) -> (f64, f64) {
    let (mut gain, mut curvature) = (0.0, 0.0);
    for (i, v) in ratios(log, translation).into_iter().enumerate() {
        let (pi, logged) = (policy_of(&scores[i]), log.logged_actions()[i] as usize);
        let others: f64 = (0..pi.len()).filter(|a| *a != logged).map(|a| pi[a]).sum();
        for (a, f) in f[i].iter().enumerate() {
            gain += O::factor_of(v, pi[logged]) * if a == logged { others } else { -pi[a] } * f;
        }
        let squared = f[i].iter().map(|f| f * f).sum::<f64>();
        curvature += match step {
            Step::SecondOrder { learning_rate } => {
                O::local_curvature_of(v, (&pi, logged), &f[i], learning_rate)
            }
            Step::Closed(smoothness) => O::curvature_of(v, smoothness) * squared,
            Step::LineSearch => O::curvature_of(v, Smoothness::Sharp) * squared,
        };
    }
    (gain, curvature)
}

/// Plays rounds and checks each of them; returns how many there were.
pub(crate) fn holds<O: Printed, L: PairLearner>(
    what: &str,
    log: &Log,
    (contexts, learner): (&L::Contexts, L),
    settings: Settings,
    rounds: usize,
) -> usize {
    let b = settings.translation();
    #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
    let n = log.len() as f64;
    let size = mean(ratios(log, b).into_iter().map(f64::abs)) * 10.0;
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-11 * size;
    let mut run = PolicyBoosting::<O, L>::new(log, learner, settings).unwrap();
    let mut scores = vec![vec![0.0; log.actions()]; log.len()];
    let lowest = optimal_risk(log, b).unwrap();
    let optimal = mean(ratios(log, b).into_iter().map(|v| if v > 0.0 { O::loss_of(v, 1.0) } else { 0.0 }));
    let mut before = objective::<O>(log, b, &scores);
    assert!(near(run.objective(), before), "{what}: {} at the start, not {before}", run.objective());
    let (delta_0, mut decreased) = (before - optimal, 0.0);
    for t in 0..rounds {
        let Some(round) = run.round(contexts).unwrap().continue_value() else { return t };
        let member = run.ensemble().members().last().unwrap();
        let f: Vec<Vec<f64>> = log
            .contexts()
            .iter()
            .map(|x| {
                let mut f = vec![0.0; log.actions()];
                member.predictor.scores(x, &mut f).unwrap();
                f
            })
            .collect();
        let what = format!("{what}, round {t}: {round:?}");
        let (gain, curvature) = along::<O>(log, (b, settings.step()), &scores, &f);
        let minimum = gain / (curvature + 2.0 * n * settings.ridge());
        let alpha = match settings.step() {
            Step::SecondOrder { learning_rate } => minimum.clamp(-learning_rate, learning_rate),
            _ => minimum,
        };
        if settings.step() != Step::LineSearch {
            assert!((round.alpha - alpha).abs() <= 1e-6 * alpha.abs(), "{what}: α is {alpha}");
        }
        // A line search goes at least as far as the closed form, and keeps its decrease.
        assert!(round.alpha.abs() >= (1.0 - 1e-6) * alpha.abs(), "{what}: α of the closed form is {alpha}");
        let decrease = alpha * gain / n - alpha * alpha * curvature / (2.0 * n);
        assert!((round.decrease - decrease).abs() <= 1e-6 * decrease, "{what}: decrease {decrease}");
        if settings.ridge() == 0.0 && alpha == minimum {
            let printed = gain * gain / (2.0 * n * curvature);
            assert!((printed - decrease).abs() <= 1e-9 * decrease, "{what}: U²/2nS = {printed}");
        }
        for (row, f) in scores.iter_mut().zip(&f) {
            row.iter_mut().zip(f).for_each(|(score, f)| *score += round.alpha * f);
        }
        let after = objective::<O>(log, b, &scores);
        assert!(near(round.objective, after), "{what}: the objective is {after}");
        assert!(round.decrease >= 0.0, "{what}");
        assert!(after <= before - round.decrease + 1e-11 * size, "{what}: guaranteed decrease from {before}");
        decreased += round.decrease;
        let bound = optimal + delta_0 * (-decreased / delta_0).exp();
        assert!(near(round.bound, bound), "{what}: the bound is {bound}");
        assert!(after <= bound + 1e-11 * size, "{what}: Theorem 1");
        let direct = objective::<Bopl>(log, b, &scores);
        assert!(direct <= after + 1e-11 * size, "{what}: L̂ = {direct} ≤ L̃");
        assert!(direct >= lowest - 1e-11 * size, "{what}: L̂* ≤ L̂");
        assert!(near(round.ips, -objective::<Bopl>(log, 0.0, &scores)), "{what}: IPS");
        before = after;
    }
    rounds
}
