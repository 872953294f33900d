//! After the first round, a round allocates for its hypothesis and its record alone.

#[path = "../counting/mod.rs"]
mod counting;

use crate::samples::Task;
use boosters::maboost::{
    Active, AdaBoost, BoostingRun, CombinedBoost, Examples, Lazy, MadaBoost, MirrorAscent, Reweighting,
    Schedule, SmoothBoost, SparseBoost, Sparsity,
};
use counting::{Outcome, assert_only_the_first_allocates};
use projections::{Euclidean, NegativeEntropy, Simplex, Then, UnitBox};
use weak_learners::batch::BinnedStump;

/// The lists of 64 hypotheses and rounds have room for 128, and a stump holds nothing on the heap.
fn check(what: &str, task: &Task, algorithm: impl Reweighting) -> Outcome {
    let sample = task.binned();
    let examples = Examples::uniform(task.labels.clone())?;
    let mut run = BoostingRun::new(examples, BinnedStump::default(), algorithm)?;
    for _ in 0..64 {
        assert!(run.round(&sample)?.is_continue());
    }
    assert_only_the_first_allocates(what, |_| {
        assert!(run.round(&sample)?.is_continue());
        Ok(())
    })
}

#[test]
fn no_algorithm_allocates() -> Outcome {
    let mut task = Task::majority_of_three(300, 2);
    // Labels that no vote of a few stumps fits, so that MadaBoost does not stop.
    task.labels.iter_mut().step_by(7).for_each(|a| *a = -*a);
    let examples = Examples::uniform(task.labels.clone())?;
    let simplex = Simplex::new(1.0)?;
    for schedule in [Schedule::Theorem1, Schedule::Theorem2, Schedule::LongSteps, Schedule::LineSearch] {
        check(
            "quadratic",
            &task,
            MirrorAscent::<_, _, Active>::new(Euclidean, simplex, &examples, schedule)?,
        )?;
        check("lazy", &task, MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, &examples, schedule)?)?;
        let double = Then::new(UnitBox, simplex);
        check("double", &task, MirrorAscent::<_, _, Active>::new(Euclidean, double, &examples, schedule)?)?;
        let entropy = MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, schedule)?;
        check("entropy", &task, entropy)?;
        let lazy = MirrorAscent::<_, _, Lazy>::new(NegativeEntropy, simplex, &examples, schedule)?;
        check("lazy entropy", &task, lazy)?;
    }
    check("smooth", &task, SmoothBoost::<Active>::smooth(&examples, 4.0)?)?;
    check("lazy smooth", &task, SmoothBoost::<Lazy>::smooth(&examples, 4.0)?)?;
    let secondary: Vec<bool> = (0..300).map(|i| i % 2 == 0).collect();
    check("combined", &task, CombinedBoost::new(&examples, &secondary, 4.0)?)?;
    check("sparse", &task, SparseBoost::new(&examples, Sparsity::Fraction(0.5))?)?;
    check("adaboost", &task, AdaBoost::new(&examples)?)?;
    check("mada", &task, MadaBoost::new(&examples)?)
}
