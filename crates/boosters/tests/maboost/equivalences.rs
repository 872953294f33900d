//! Runs that must be the same, and rounds that were computed by hand.

use crate::samples::Task;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{
    Active, Answer, BoostingMap, BoostingRun, Examples, Lazy, MirrorAscent, Reweighting, Schedule,
    SmoothBoost, Update,
};
use projections::{Euclidean, NegativeEntropy, Projection, Simplex};
use weak_learners::Label::{Minus, Plus};
use weak_learners::batch::{ExactStump, WeakLearner};

/// The weights of both algorithms agree to 1e−12.
pub(crate) fn same_iterates<W: WeakLearner + Clone>(
    trial: &Trial<W>,
    examples: &Examples,
    first: impl Reweighting,
    second: impl Reweighting,
) {
    let difference = largest_difference(trial, examples, first, second);
    assert!(difference <= 1e-12, "{}: {difference}", trial.name);
}

/// Of a weight under both algorithms, when both are given the hypotheses that the first one's weights lead
/// to.
fn largest_difference<W: WeakLearner + Clone>(
    trial: &Trial<W>,
    examples: &Examples,
    first: impl Reweighting,
    mut second: impl Reweighting,
) -> f64 {
    let mut run = BoostingRun::new(examples.clone(), trial.learner.clone(), first).unwrap();
    let (mut votes, mut difference) = (vec![0.0; trial.labels.len()], 0.0_f64);
    for _ in 0..trial.rounds {
        let error_before = run.error();
        if run.round(&trial.sample).unwrap().is_break() {
            break;
        }
        let h = run.ensemble().hypotheses().last().unwrap();
        trial.learner.evaluate(h, &trial.sample, &mut votes).unwrap();
        let losses: Vec<f64> = examples.counted().map(|i| -examples.labels()[i].sign() * votes[i]).collect();
        let edge = -rows::dot(second.weights(), &losses);
        second.reweight(Answer { losses: &losses, edge, error_before }).unwrap();
        let both = run.algorithm().weights().iter().zip(second.weights());
        difference = both.fold(difference, |largest, (a, b)| largest.max((a - b).abs()));
    }
    assert!(!run.record().is_empty());
    difference
}

fn on_simplex<R: BoostingMap, U: Update<R, Simplex>>(
    regulariser: R,
    examples: &Examples,
    schedule: Schedule,
) -> MirrorAscent<R, Simplex, U>
where
    Simplex: Projection<R>,
{
    MirrorAscent::new(regulariser, Simplex::new(1.0).unwrap(), examples, schedule).unwrap()
}

/// Normalising as one goes or at the end is the same.
struct LazyIsActive;

impl Claim for LazyIsActive {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        for schedule in [Schedule::Theorem1, Schedule::Theorem2, Schedule::LineSearch] {
            let active = on_simplex::<_, Active>(NegativeEntropy, examples, schedule);
            let lazy = on_simplex::<_, Lazy>(NegativeEntropy, examples, schedule);
            same_iterates(trial, examples, active, lazy);
        }
    }
}

#[test]
fn lazy_is_active_for_the_entropy_on_the_simplex() {
    on_real_data(40, &LazyIsActive);
}

fn step(ascent: &mut impl Reweighting, losses: [f64; 4]) -> Vec<f64> {
    let edge = -rows::dot(ascent.weights(), &losses);
    ascent.reweight(Answer { losses: &losses, edge, error_before: 1.0 }).unwrap();
    ascent.weights().to_vec()
}

#[track_caller]
fn close(got: &[f64], expected: [f64; 4]) {
    assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{got:?} {expected:?}");
}

/// Four examples. h_1 errs on the second, γ = 1/2, η = 1/8; h_2 on the third, γ = 5/8, η = 5/32.
#[test]
fn two_quadratic_rounds_by_hand() {
    let examples = Examples::uniform(vec![Plus, Minus, Plus, Plus]).unwrap();
    let (first, second) = ([-1.0, 1.0, -1.0, -1.0], [-1.0, -1.0, 1.0, -1.0]);
    let mut active = on_simplex::<_, Active>(Euclidean, &examples, Schedule::Theorem1);
    let mut lazy = on_simplex::<_, Lazy>(Euclidean, &examples, Schedule::Theorem1);
    // z = (1, 3, 1, 1)/8, which lacks 1/4 of a sum of 1.
    let w = [3.0 / 16.0, 7.0 / 16.0, 3.0 / 16.0, 3.0 / 16.0];
    close(&step(&mut active, first), w);
    close(&step(&mut lazy, first), w);
    // On from w, or from z: both z lack mass everywhere, so the projections differ by nothing here.
    let w = [1.0, 9.0, 11.0, 1.0].map(|w| w / 32.0 + 5.0 / 64.0);
    close(&step(&mut active, second), w);
    close(&step(&mut lazy, second), w);
    // h_3 is right on all and moves nothing.
    let third = [-1.0; 4];
    close(&step(&mut active, third), w);
    close(&step(&mut lazy, third), w);
}

/// h_1 errs on the second example, γ = η = 1/2: unconstrained it would weigh e/(3 + e) > 0.375.
#[test]
fn a_smooth_round_by_hand() {
    let examples = Examples::uniform(vec![Plus, Minus, Plus, Plus]).unwrap();
    let (first, second) = ([-1.0, 1.0, -1.0, -1.0], [1.0, -1.0, -1.0, -1.0]);
    let mut active = SmoothBoost::<Active>::smooth(&examples, 1.5).unwrap();
    let mut lazy = SmoothBoost::<Lazy>::smooth(&examples, 1.5).unwrap();
    let other = 0.625 / 3.0;
    let w = [other, 0.375, other, other];
    close(&step(&mut active, first), w);
    close(&step(&mut lazy, first), w);
    // Both edges are 1 − 2·other; the active step goes on from the capped weight, the lazy one from e times
    // the others'.
    let eta = 1.0 - 2.0 * other;
    let normalised = |z: [f64; 4]| z.map(|v| v / z.iter().sum::<f64>());
    let active_z =
        normalised([other * eta.exp(), 0.375 * (-eta).exp(), other * (-eta).exp(), other * (-eta).exp()]);
    let lazy_z = normalised([eta.exp(), (1.0 - eta).exp(), (-eta).exp(), (-eta).exp()]);
    let capped = |z: [f64; 4]| {
        let rest = 0.625 / (z.iter().sum::<f64>() - z[0]);
        [0.375, z[1] * rest, z[2] * rest, z[3] * rest]
    };
    assert!(active_z[0] > 0.375 && lazy_z[0] > 0.375);
    close(&step(&mut active, second), capped(active_z));
    close(&step(&mut lazy, second), capped(lazy_z));
}

/// Steps from the projected and from the unprojected point lead elsewhere once a quadratic weight is 0.
#[test]
fn lazy_is_not_active_for_the_quadratic() {
    let task = Task::majority_of_three(50, 5);
    let trial = Trial::new("majorities", task.sorted(), &task.labels, ExactStump::default(), 60);
    let examples = trial.uniform();
    let active = on_simplex::<_, Active>(Euclidean, &examples, Schedule::Theorem1);
    let lazy = on_simplex::<_, Lazy>(Euclidean, &examples, Schedule::Theorem1);
    assert!(largest_difference(&trial, &examples, active, lazy) > 1e-3);
}
