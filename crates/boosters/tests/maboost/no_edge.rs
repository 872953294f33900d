//! Rounding noise is no edge, and what a line search makes of one can be saved.

use boosters::maboost::{
    Active, AdaBoost, BoostStop, BoostingRun, CombinedBoost, Examples, Lazy, LazySparseBoost, MadaBoost,
    MirrorAscent, Reweighting, Schedule, SmoothBoost, SparseBoost, Sparsity,
};
use projections::{Euclidean, NegativeEntropy, Simplex};
use rows::RowMatrix;
use serde::{Serialize, de::DeserializeOwned};
use std::ops::ControlFlow;
use weak_learners::Label::{self, Minus, Plus};
use weak_learners::batch::{ExactStump, SortedColumns};

/// On a constant column and with D half on either label, every constant has an edge of 0; over a class that
/// holds −h too, so does −h.
fn ends_at_once<A>(examples: &Examples, algorithm: &A)
where
    A: Reweighting + Clone + Serialize + DeserializeOwned,
{
    let n = examples.labels().len();
    let sample = SortedColumns::new(RowMatrix::dense(1, vec![2.0; n]).unwrap()).unwrap();
    let run = || BoostingRun::new(examples.clone(), ExactStump::default(), algorithm.clone()).unwrap();
    for mut run in [run(), run().over_symmetric_class()] {
        let name = format!("{}, N = {n}", std::any::type_name::<A>());
        assert_eq!(run.round(&sample).unwrap(), ControlFlow::Break(BoostStop::NoEdge), "{name}");
        assert!(run.record().is_empty());
        let saved = serde_json::to_string(&run).unwrap();
        let mut loaded: BoostingRun<ExactStump, A> = serde_json::from_str(&saved).unwrap();
        assert_eq!(loaded.round(&sample).unwrap(), ControlFlow::Break(BoostStop::NoEdge), "{name}");
    }
}

/// Labels in equal numbers, and a third against two thirds with D half on either.
#[test]
fn balanced_labels_on_a_constant_column_end_every_algorithm() {
    let simplex = Simplex::new(1.0).unwrap();
    for n in 2..=40_usize {
        let labels =
            |minus: usize| -> Vec<Label> { (0..n).map(|i| if i < minus { Minus } else { Plus }).collect() };
        let mut cases = vec![Examples::balanced(labels(n.div_ceil(3))).unwrap()];
        if n % 2 == 0 {
            cases.push(Examples::uniform(labels(n / 2)).unwrap());
        }
        for examples in &cases {
            for schedule in
                [Schedule::Theorem1, Schedule::Theorem2, Schedule::LongSteps, Schedule::LineSearch]
            {
                let ascent = MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, examples, schedule);
                ends_at_once(examples, &ascent.unwrap());
                let ascent = MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, examples, schedule);
                ends_at_once(examples, &ascent.unwrap());
            }
            ends_at_once(examples, &SmoothBoost::<Active>::smooth(examples, 2.0).unwrap());
            ends_at_once(examples, &CombinedBoost::new(examples, &vec![true; n], 2.0).unwrap());
            ends_at_once(examples, &LazySparseBoost::sparse(examples).unwrap());
            ends_at_once(examples, &SparseBoost::new(examples, Sparsity::Fraction(0.5)).unwrap());
            ends_at_once(examples, &MadaBoost::new(examples).unwrap());
            ends_at_once(examples, &AdaBoost::new(examples).unwrap());
        }
    }
}
