//! Combined data sets [NP14, Section 3.2], and why the errors are shares of both.

use crate::account::holds_in_every_state;
use crate::smooth::exponential;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{Answer, CombinedBoost, Examples, Promise, Reweighting};
use weak_learners::Label;
use weak_learners::batch::WeakLearner;

/// Every third example is in A, the others in B.
struct Combined {
    k: f64,
}

impl Claim for Combined {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        let secondary: Vec<bool> = (0..trial.labels.len()).map(|i| i % 3 > 0).collect();
        let boost = CombinedBoost::new(examples, &secondary, self.k).unwrap();
        holds_in_every_state(trial, examples, boost, |run| {
            let free = exponential(run.record());
            let bounds = [free, free.max(1.0 / self.k)];
            let errors = run.algorithm().errors(examples, run.margins()).unwrap();
            assert!((errors[0] + errors[1] - run.error()).abs() < 1e-12);
            for ((error, bound), promise) in errors.iter().zip(bounds).zip(run.algorithm().promises()) {
                assert!(*error <= bound + 1e-12 && (promise - bound).abs() < 1e-12, "{}", trial.name);
            }
            Promise { error: bounds[1], tight: None, margin: None }
        });
    }
}

#[test]
fn both_bounds_are_kept_every_round() {
    for k in [1.5, 4.0, 20.0] {
        on_real_data(25, &Combined { k });
    }
}

/// One example of A among 99 of B, and the other way round, with a hypothesis that errs on the one: all of
/// the errors of its set, so that the bounds fail as shares of that set.
#[test]
fn over_a_or_b_alone_the_bounds_fail() {
    let labels = vec![Label::Plus; 100];
    let examples = Examples::uniform(labels).unwrap();
    let mut losses = [-1.0; 100];
    losses[0] = 1.0;
    for lonely in [false, true] {
        let secondary: Vec<bool> = (0..100).map(|i| (i == 0) == lonely).collect();
        let mut boost = CombinedBoost::new(&examples, &secondary, 4.0).unwrap();
        let eta = boost.reweight(Answer { losses: &losses, edge: 0.98, error_before: 1.0 }).unwrap();
        let errors = boost.errors(&examples, &losses.map(|d| -eta * d)).unwrap();
        let (part, bound) = (usize::from(lonely), boost.promises()[usize::from(lonely)]);
        assert_eq!(errors[part], 0.01);
        assert!(errors[part] <= bound);
        assert!(errors[part] / 0.01 > bound, "{bound}");
    }
}

/// Without a secondary example there is no cap, and 1/k limits nothing.
#[test]
fn without_a_secondary_set_every_error_can_be_reached() {
    let examples = Examples::uniform(vec![Label::Plus; 3]).unwrap();
    let reachable =
        |secondary: [bool; 3]| CombinedBoost::new(&examples, &secondary, 2.0).unwrap().reachable_error();
    assert_eq!(reachable([false; 3]), 0.0);
    assert_eq!(reachable([false, true, false]), 0.5);
}
