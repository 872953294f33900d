//! What a run refuses, and that it is then as it was; and the smallest samples.

use crate::samples::Task;
use boosters::maboost::{
    Active, AdaBoost, BoostError, BoostStop, BoostingRun, CombinedBoost, Examples, MirrorAscent, Reweighting,
    Schedule, SmoothBoost,
};
use projections::{Euclidean, NegativeEntropy, Simplex};
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::Label::{self, Minus, Plus};
use weak_learners::LearnerError;
use weak_learners::batch::{
    BinnedColumns, BinnedStump, BinnedTree, ExactStump, Hypothesis, LeafAnswer, SortedColumns, WeakLearner,
};

/// Answers the same everywhere, whatever that is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Says(f64);

impl Hypothesis for Says {
    fn inputs(&self) -> usize {
        3
    }

    fn predict(&self, _: Row<'_>) -> Result<f64, LearnerError> {
        Ok(self.0)
    }
}

/// Says these numbers in turn, then refuses.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Scripted {
    answers: Vec<Option<f64>>,
    asked: usize,
}

impl WeakLearner for Scripted {
    type Sample = SortedColumns;
    type Hypothesis = Says;

    fn train(&mut self, _: &SortedColumns, _: &[f64], _: &[f64]) -> Result<Says, LearnerError> {
        let answer = self.answers.get(self.asked).copied().flatten().map(Says);
        self.asked += 1;
        answer.ok_or(LearnerError::ZeroWeights)
    }
}

fn smooth(task: &Task) -> (Examples, SmoothBoost) {
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let smooth = SmoothBoost::smooth(&examples, 2.0).unwrap();
    (examples, smooth)
}

/// The state of a run but for its learner, which has moved on where it has answered.
fn state<W: WeakLearner<Hypothesis: Clone + Serialize> + Clone + Serialize>(
    run: &BoostingRun<W, SmoothBoost>,
) -> String {
    let mut file = serde_json::to_value(run).unwrap();
    file["learner"].take();
    file.to_string()
}

#[test]
fn a_refused_round_leaves_the_run_as_it_was() {
    let mut task = Task::majority_of_three(9, 1);
    task.labels = [vec![Plus; 6], vec![Minus; 3]].concat();
    let (examples, algorithm) = smooth(&task);
    let answers =
        vec![Some(0.75), Some(1.5), Some(f64::NAN), Some(f64::NEG_INFINITY), None, Some(0.0), Some(-1.0)];
    let mut run = BoostingRun::new(examples, Scripted { answers, asked: 0 }, algorithm).unwrap();
    let sample = task.sorted();
    assert!(run.round(&sample).unwrap().is_continue());
    let before = state(&run);
    let refused = [
        BoostError::BadPrediction { index: 0, value: 1.5 },
        LearnerError::NotFinite { argument: "prediction", index: 0, value: f64::NAN }.into(),
        LearnerError::NotFinite { argument: "prediction", index: 0, value: f64::NEG_INFINITY }.into(),
        LearnerError::ZeroWeights.into(),
    ];
    for expected in refused {
        let got = run.round(&sample).unwrap_err();
        // A NaN differs from itself, but not in print.
        assert_eq!(format!("{got:?}"), format!("{expected:?}"));
        assert_eq!(state(&run), before);
    }
    // No edge is no refusal, and nothing is booked either; −1 has a negative one in a class that is not
    // symmetric.
    for _ in 0..2 {
        assert_eq!(run.round(&sample).unwrap(), ControlFlow::Break(BoostStop::NoEdge));
        assert_eq!(state(&run), before);
    }
    let asked = |run: &BoostingRun<Scripted, SmoothBoost>| {
        serde_json::to_value(run).unwrap()["learner"]["asked"].clone()
    };
    let so_far = asked(&run);
    for m in [8, 10] {
        let got = run.round(&Task::majority_of_three(m, 1).sorted()).unwrap_err();
        assert_eq!(got, LearnerError::LengthMismatch { argument: "sample", expected: 9, got: m }.into());
    }
    let wide = SortedColumns::new(RowMatrix::dense(4, vec![0.5; 36]).unwrap()).unwrap();
    let got = run.round(&wide).unwrap_err();
    assert_eq!(got, LearnerError::InputDimension { expected: 3, got: 4 }.into());
    assert_eq!((state(&run), asked(&run)), (before, so_far), "the learner is not asked about another sample");
}

#[test]
fn a_symmetric_class_turns_a_hypothesis_round() {
    let mut task = Task::majority_of_three(9, 1);
    task.labels = [vec![Minus; 6], vec![Plus; 3]].concat();
    let (examples, algorithm) = smooth(&task);
    let learner = Scripted { answers: vec![Some(0.75), Some(0.0)], asked: 0 };
    let mut run = BoostingRun::new(examples, learner, algorithm).unwrap().over_symmetric_class();
    let ControlFlow::Continue(round) = run.round(&task.sorted()).unwrap() else { unreachable!() };
    assert!(round.flipped && (round.edge - 0.25).abs() < 1e-15);
    assert_eq!(run.ensemble().coefficients(), [-round.eta]);
    assert_eq!(run.ensemble().sign(Row::dense(&[0.0; 3]).unwrap()).unwrap(), Minus);
    assert!((round.error - 1.0 / 3.0).abs() < 1e-15);
    assert_eq!(
        run.round(&task.sorted()).unwrap(),
        ControlFlow::Break(BoostStop::NoEdge),
        "0 cannot be turned"
    );
}

#[test]
fn examples_and_parameters_are_checked_once() {
    let labels = || vec![Plus, Minus];
    let weighted = |weights: &[f64]| Examples::weighted(labels(), weights).map(|_| ());
    assert_eq!(Examples::uniform(vec![]).unwrap_err(), LearnerError::Empty { argument: "labels" }.into());
    assert_eq!(weighted(&[0.0, 0.0]), Err(LearnerError::ZeroWeights.into()));
    assert_eq!(weighted(&[1.0, -1.0]), Err(LearnerError::NegativeWeight { index: 1, value: -1.0 }.into()));
    assert!(weighted(&[1.0, f64::INFINITY]).is_err() && weighted(&[f64::NAN, 1.0]).is_err());
    assert!(weighted(&[1.0]).is_err() && weighted(&[1.0, 0.0]).is_ok());
    assert!(Label::new(0.0).is_err(), "a label that is none does not get as far");
    let examples = Examples::uniform(labels()).unwrap();
    for k in [0.0, 0.999, -1.0, -1e140] {
        let refused = BoostError::BadSmoothness { k };
        assert_eq!(SmoothBoost::<Active>::smooth(&examples, k).unwrap_err(), refused);
        assert_eq!(CombinedBoost::new(&examples, &[true; 2], k).unwrap_err(), refused);
    }
    for k in [f64::NAN, f64::INFINITY] {
        let refused = SmoothBoost::<Active>::smooth(&examples, k).unwrap_err();
        assert!(matches!(refused, BoostError::Learner(LearnerError::NotFinite { argument: "k", .. })));
    }
    assert!(CombinedBoost::new(&examples, &[true; 3], 2.0).is_err());
    let simplex = Simplex::new(2.0).unwrap();
    assert!(MirrorAscent::<_, _, Active>::new(Euclidean, simplex, &examples, Schedule::Theorem1).is_err());
    let other = Examples::uniform(vec![Plus; 3]).unwrap();
    let smooth = SmoothBoost::<Active>::smooth(&other, 2.0).unwrap();
    assert!(BoostingRun::new(examples, BinnedStump::default(), smooth).is_err());
}

/// Two equal rows with both labels: the leaf they share answers 0, and a margin of 0 is an error.
#[test]
fn an_abstention_is_an_error() {
    let sample = BinnedColumns::new(RowMatrix::dense(1, vec![1.0, 1.0, 5.0]).unwrap()).unwrap();
    let examples = Examples::uniform(vec![Plus, Minus, Plus]).unwrap();
    let smooth = SmoothBoost::<Active>::smooth(&examples, 3.0).unwrap();
    let tree = BinnedTree::new(1, LeafAnswer::Mean, 0.0).unwrap();
    let mut run = BoostingRun::new(examples, tree, smooth).unwrap();
    let ControlFlow::Continue(round) = run.round(&sample).unwrap() else { unreachable!() };
    assert_eq!((run.margins()[0], run.margins()[1]), (0.0, 0.0));
    assert!((round.error - 2.0 / 3.0).abs() < 1e-15 && (round.edge - 1.0 / 3.0).abs() < 1e-15);
}

/// One example, a column without two values, and labels that are all alike: a constant is right, with an edge
/// of 1.
#[test]
fn the_smallest_samples() {
    for (rows, labels) in
        [(vec![3.0], vec![Minus]), (vec![2.0; 3], vec![Plus; 3]), (vec![1.0, 2.0, 3.0], vec![Minus; 3])]
    {
        let sample = SortedColumns::new(RowMatrix::dense(1, rows).unwrap()).unwrap();
        let examples = Examples::uniform(labels).unwrap();
        let simplex = Simplex::new(1.0).unwrap();
        for schedule in [Schedule::Theorem1, Schedule::Theorem2, Schedule::LineSearch] {
            let ascent = MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, &examples, schedule);
            right_from_the_first_round(&sample, &examples, ascent.unwrap());
            let ascent = MirrorAscent::<_, _, Active>::new(Euclidean, simplex, &examples, schedule);
            right_from_the_first_round(&sample, &examples, ascent.unwrap());
        }
        right_from_the_first_round(
            &sample,
            &examples,
            SmoothBoost::<Active>::smooth(&examples, 1.0).unwrap(),
        );
        let ada = AdaBoost::new(&examples).unwrap();
        let mut run = BoostingRun::new(examples, ExactStump::default(), ada).unwrap();
        assert!(run.round(&sample).unwrap().is_continue());
        assert_eq!(run.round(&sample).unwrap(), ControlFlow::Break(BoostStop::Perfect));
    }
    // Constant columns and labels of both kinds in equal number: nothing has an edge.
    let sample = SortedColumns::new(RowMatrix::dense(2, vec![2.0; 8]).unwrap()).unwrap();
    let examples = Examples::uniform(vec![Plus, Minus, Plus, Minus]).unwrap();
    let smooth = SmoothBoost::<Active>::smooth(&examples, 2.0).unwrap();
    let mut run = BoostingRun::new(examples, ExactStump::default(), smooth).unwrap();
    assert_eq!(run.round(&sample).unwrap(), ControlFlow::Break(BoostStop::NoEdge));
}

fn right_from_the_first_round(sample: &SortedColumns, examples: &Examples, algorithm: impl Reweighting) {
    let mut run = BoostingRun::new(examples.clone(), ExactStump::default(), algorithm).unwrap();
    for _ in 0..30 {
        let ControlFlow::Continue(round) = run.round(sample).unwrap() else { unreachable!() };
        assert_eq!((round.edge, round.error, round.min_margin), (1.0, 0.0, 1.0));
        assert!(round.promise.error.is_finite() && round.promise.margin.is_none_or(f64::is_finite));
    }
}
