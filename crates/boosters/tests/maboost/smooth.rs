//! Smooth boosting [NP14, Section 3.1 and Theorem 3].

use crate::account::holds_in_every_state;
use crate::regret;
use crate::samples::Task;
use crate::theorems_1_and_2::edges;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{
    Active, BoostingRun, Examples, Lazy, MirrorAscent, Promise, Reweighting, Round, Schedule, SmoothBoost,
    Update,
};
use datasets::Name;
use projections::{CappedSimplex, NegativeEntropy, Simplex};
use std::marker::PhantomData;
use weak_learners::Label;
use weak_learners::batch::{BinnedStump, ExactStump, WeakLearner};

struct Smooth<U>(PhantomData<U>);

impl<U: Update<NegativeEntropy, CappedSimplex>> Claim for Smooth<U> {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        for k in [1.5, 4.0, 20.0, examples.start().len() as f64] {
            let smooth = SmoothBoost::<U>::smooth(examples, k).unwrap();
            // From the uniform start w ≤ ND says nothing, and every error can be reached.
            let is_free = k * examples.start().iter().copied().fold(1.0, f64::min) > 1.0 - 1e-12;
            let reachable = if is_free { 0.0 } else { 1.0 };
            assert!((smooth.reachable_error() * k - reachable).abs() < 1e-14, "{k}");
            let run = holds_in_every_state(trial, examples, smooth, |run| {
                let (caps, free) = (run.algorithm().caps().unwrap(), exponential(run.record()));
                regret::entropy_below(&trial.name, examples.start(), caps, run.margins(), -free.ln());
                Promise { error: free.max(1.0 / k), tight: None, margin: None }
            });
            assert!(k > 1.5 || run.record().iter().any(|round| round.capped > 0), "{}", trial.name);
        }
    }
}

/// exp(−½Σγ²).
pub(crate) fn exponential(record: &[Round]) -> f64 {
    (-edges(record).map(|edge| edge * edge / 2.0).sum::<f64>()).exp()
}

#[test]
fn active_smooth_boosting_keeps_its_bound() {
    on_real_data(25, &Smooth::<Active>(PhantomData));
}

#[test]
fn lazy_smooth_boosting_keeps_its_bound() {
    on_real_data(25, &Smooth::<Lazy>(PhantomData));
}

/// Theorem 3: edges of at least γ bring the error to 1/k within ⌈2·ln(k)/γ²⌉ rounds. γ is 1/3 by
/// construction, and on real data the smallest edge so far.
#[test]
fn theorem_3() {
    let task = Task::majority_of_three(200, 3);
    let synthetic = Trial::new("majorities", task.sorted(), &task.labels, ExactStump::default(), 200);
    for k in [1.5, 3.0, 10.0, 50.0, 200.0] {
        let (error, least) = plays_as_long_as_theorem_3_allows(&synthetic, k);
        assert!(least >= 1.0 / 3.0 - 1e-12 && error <= 1.0 / k, "k = {k}: {error} with edges from {least}");
    }
    for (name, task) in Task::real() {
        let real = Trial::new(name, task.binned(), &task.labels, BinnedStump::default(), 300);
        for k in [3.0, 8.0] {
            plays_as_long_as_theorem_3_allows(&real, k);
        }
    }
}

/// Plays to an error of 1/k, or all rounds; answers the error and the smallest edge.
fn plays_as_long_as_theorem_3_allows<W: WeakLearner + Clone>(trial: &Trial<W>, k: f64) -> (f64, f64) {
    let examples = trial.uniform();
    let smooth = SmoothBoost::<Active>::smooth(&examples, k).unwrap();
    let mut run = BoostingRun::new(examples, trial.learner.clone(), smooth).unwrap();
    let mut least = 1.0_f64;
    while run.error() > 1.0 / k && run.record().len() < trial.rounds {
        assert!(run.round(&trial.sample).unwrap().is_continue());
        least = edges(run.record()).fold(least, f64::min);
        let allowed = (2.0 * k.ln() / (least * least)).ceil();
        assert!(run.record().len() as f64 <= allowed, "{}, k = {k}: edges from {least}", trial.name);
    }
    (run.error(), least)
}

/// w* is on the set as long as the error is 1/k or more; below that the bound of Theorem 1 alone fails.
#[test]
fn below_1_over_k_the_exponential_bound_fails() {
    let task = Task::of(Name::BreastCancer, 699, &[1]);
    let trial = Trial::new("breast cancer", task.binned(), &task.labels, BinnedStump::default(), 60);
    let examples = trial.uniform();
    let smooth = SmoothBoost::<Active>::smooth(&examples, 1.5).unwrap();
    let mut run = BoostingRun::new(examples, trial.learner.clone(), smooth).unwrap();
    let mut fails = false;
    for _ in 0..trial.rounds {
        assert!(run.round(&trial.sample).unwrap().is_continue());
        fails |= run.error() > exponential(run.record());
    }
    assert!(fails, "{} {}", run.error(), exponential(run.record()));
}

/// From the uniform start, w ≤ kD is w ≤ 1.
#[test]
fn k_equal_to_n_is_no_constraint() {
    for (name, task) in Task::real() {
        let trial = Trial::new(name, task.binned(), &task.labels, BinnedStump::default(), 40);
        let examples = trial.uniform();
        let smooth = SmoothBoost::<Active>::smooth(&examples, trial.labels.len() as f64).unwrap();
        let simplex = Simplex::new(1.0).unwrap();
        let free = MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, Schedule::Theorem1);
        crate::equivalences::same_iterates(&trial, &examples, smooth, free.unwrap());
    }
}

/// With caps that are no multiple of D, the bound ends where D on the errors would pass the tightest of them.
#[test]
fn other_caps_have_their_own_reach() {
    let examples = Examples::uniform(vec![Label::Plus; 4]).unwrap();
    for (caps, reachable) in [(vec![0.5, 1.0, 1.0, 1.0], 0.5), (vec![1.0, 0.25, 0.5, 1.0], 1.0)] {
        let set = CappedSimplex::new(caps, 1.0).unwrap();
        let schedule = Schedule::Theorem1;
        let ascent = MirrorAscent::<_, _, Active>::new(NegativeEntropy, set, &examples, schedule).unwrap();
        assert_eq!(ascent.reachable_error(), reachable);
    }
}
