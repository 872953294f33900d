//! The mean of an estimate over every log of three rows that there is, each with its probability [HT52],
//! [DLL11].

use crate::logs::{ACTIONS, Columns, LOGGING, MODEL, REWARD, TARGET, close, settings, value};
use off_policy::estimators::Estimator;

/// E[v̂], Var(v̂) and E[se²] of an estimator.
fn over_every_log(estimator: Estimator, clip: f64, tau: f64) -> [f64; 3] {
    let atoms = 2 * ACTIONS;
    let (mut mean, mut square, mut variance) = (0.0, 0.0, 0.0);
    for drawn in 0..atoms.pow(3) {
        let (mut log, mut probability) = (Columns::default(), 1.0);
        for row in [drawn % atoms, drawn / atoms % atoms, drawn / atoms / atoms] {
            let (x, a) = (row / ACTIONS, row % ACTIONS);
            log.push(x, a);
            probability *= 0.5 * LOGGING[x][a];
        }
        let estimate = log.evaluate(settings(clip, tau)).estimate(estimator).unwrap();
        mean += probability * estimate.value;
        square += probability * estimate.value.powi(2);
        variance += probability * estimate.standard_error.unwrap().powi(2);
    }
    [mean, square - mean * mean, variance]
}

/// Σ over contexts and actions of the logging policy's probability times a term.
fn expected(term: impl Fn(usize, usize) -> f64) -> f64 {
    let pairs = (0..2).flat_map(|x| (0..ACTIONS).map(move |a| (x, a)));
    pairs.map(|(x, a)| 0.5 * LOGGING[x][a] * term(x, a)).sum()
}

fn weight(x: usize, a: usize) -> f64 {
    TARGET[x][a] / LOGGING[x][a]
}

fn direct(x: usize) -> f64 {
    TARGET[x].iter().zip(MODEL[x]).map(|(p, q)| p * q).sum()
}

#[test]
fn ips_and_dr_have_the_value_for_a_mean() {
    for estimator in [Estimator::Ips, Estimator::Dr] {
        let [mean, variance, reported] = over_every_log(estimator, 1.0, 1.0);
        close(mean, value());
        close(reported, variance);
    }
}

#[test]
fn the_others_have_the_bias_of_their_definition() {
    let clipped = expected(|x, a| weight(x, a).min(1.5) * REWARD[x][a]);
    let kept = |x, a| if weight(x, a) <= 1.0 { weight(x, a) } else { 0.0 };
    let switched = expected(|x, a| direct(x) + kept(x, a) * (REWARD[x][a] - MODEL[x][a]));
    for (estimator, bias_included) in [
        (Estimator::ClippedIps, clipped),
        (Estimator::Dm, expected(|x, _| direct(x))),
        (Estimator::SwitchDr, switched),
    ] {
        let [mean, variance, reported] = over_every_log(estimator, 1.5, 1.0);
        close(mean, bias_included);
        close(reported, variance);
        assert!((mean - value()).abs() > 0.01, "{estimator:?} is not biased here");
    }
}
