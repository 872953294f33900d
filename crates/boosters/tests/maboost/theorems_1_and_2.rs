//! [NP14, Theorems 1 and 2], with the tight constant of the quadratic bound, active and lazy. Each schedule
//! has both theorems' bounds.

use crate::account::holds_in_every_state;
use crate::regret;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{
    Active, BoostingMap, Examples, Lazy, MirrorAscent, Promise, Round, Schedule, Update,
};
use projections::{Euclidean, NegativeEntropy, Projection, Simplex};
use std::marker::PhantomData;
use weak_learners::batch::WeakLearner;

/// The whole simplex, with the quadratic map or the entropy.
struct OnTheSimplex<U>(Schedule, PhantomData<U>);

impl<U: Update<Euclidean, Simplex> + Update<NegativeEntropy, Simplex>> Claim for OnTheSimplex<U> {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        let n = examples.start().len() as f64;
        let proof = |name: &str, margins: &[f64], progress: f64| {
            regret::quadratic(name, examples.start(), margins, progress / n);
        };
        self.ascend(trial, examples, Euclidean, quadratic(self.0, examples), proof);
        let lightest = -largest(examples.start().iter().map(|d| -d));
        let entropy = |record: &[Round]| Promise {
            error: (-progress(record, self.0)).exp(),
            tight: None,
            margin: Some(margin(record, self.0, -lightest.ln())),
        };
        let proof = |name: &str, margins: &[f64], progress: f64| {
            regret::entropy(name, examples.start(), margins, progress);
        };
        self.ascend(trial, examples, NegativeEntropy, entropy, proof);
    }
}

impl<U> OnTheSimplex<U> {
    fn new(schedule: Schedule) -> Self {
        Self(schedule, PhantomData)
    }

    fn ascend<W: WeakLearner + Clone, R: BoostingMap>(
        &self,
        trial: &Trial<W>,
        examples: &Examples,
        regulariser: R,
        formula: impl Fn(&[Round]) -> Promise,
        proof: impl Fn(&str, &[f64], f64),
    ) where
        U: Update<R, Simplex>,
        Simplex: Projection<R>,
    {
        let simplex = Simplex::new(1.0).unwrap();
        let ascent = MirrorAscent::<R, _, U>::new(regulariser, simplex, examples, self.0).unwrap();
        holds_in_every_state(trial, examples, ascent, |run| {
            proof(&trial.name, run.margins(), progress(run.record(), self.0));
            formula(run.record())
        });
    }
}

/// The bounds of the quadratic map.
pub(crate) fn quadratic(schedule: Schedule, examples: &Examples) -> impl Fn(&[Round]) -> Promise + use<> {
    let start = examples.start();
    let n = start.len() as f64;
    let (heaviest, lightest) = (largest(start.iter().copied()), -largest(start.iter().map(|d| -d)));
    let squares = start.iter().map(|d| d * d).sum::<f64>();
    let c = n / 2.0 * (1.0 - 2.0 * lightest + squares);
    move |record| {
        let odds = 2.0 * progress(record, schedule) / (n * heaviest);
        Promise {
            error: 1.0 / (1.0 + odds / 2.0),
            tight: Some(1.0 / (1.0 + odds)),
            margin: Some(margin(record, schedule, c)),
        }
    }
}

pub(crate) fn edges(record: &[Round]) -> impl Iterator<Item = f64> {
    record.iter().map(|round| round.edge)
}

/// γ_s and Lη_s, which is γ_s or γ_s/√s.
fn steps(record: &[Round], schedule: Schedule) -> impl Iterator<Item = (f64, f64)> {
    let root = move |s: usize| if schedule == Schedule::Theorem2 { (s as f64).sqrt() } else { 1.0 };
    edges(record).zip(1..).map(move |(edge, s)| (edge, edge / root(s)))
}

/// Σ(uγ_s − ½u²) for u = Lη_s, which is ½Σγ_s² in Theorem 1.
fn progress(record: &[Round], schedule: Schedule) -> f64 {
    steps(record, schedule).map(|(edge, u)| u * edge - 0.5 * u * u).sum()
}

/// min γ_s − (½Σu² + C)/Σu.
fn margin(record: &[Round], schedule: Schedule, c: f64) -> f64 {
    let squares: f64 = steps(record, schedule).map(|(_, u)| u * u).sum();
    let sum: f64 = steps(record, schedule).map(|(_, u)| u).sum();
    -largest(edges(record).map(|edge| -edge)) - (squares / 2.0 + c) / sum
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn theorem_1_active() {
    on_real_data(40, &OnTheSimplex::<Active>::new(Schedule::Theorem1));
}

#[test]
fn theorem_1_lazy() {
    on_real_data(40, &OnTheSimplex::<Lazy>::new(Schedule::Theorem1));
}

#[test]
fn theorem_2_active() {
    on_real_data(40, &OnTheSimplex::<Active>::new(Schedule::Theorem2));
}

#[test]
fn theorem_2_lazy() {
    on_real_data(40, &OnTheSimplex::<Lazy>::new(Schedule::Theorem2));
}
