//! Refusals of runs, which leave them unchanged.

use crate::learners::{Constants, Lines};
use crate::logs::random_log;
use boosters::bopl::{
    Bopl, BoplError, BoplS, Member, PolicyBoosting, PolicyEnsemble, RewardRegression, Settings, Smoothness,
    Step,
};
use off_policy::{ActionSets, Log, Rewards};
use rows::RowMatrix;
use weak_learners::LearnerError;
use weak_learners::batch::{Sample as _, SortedColumns};
use weak_learners::pairs::{
    ExactPairTree, PairGrowth, PairLearner, PairRound, VectorLeafNode, VectorLeafTree,
};

fn settings() -> Settings {
    Settings::builder().build().unwrap()
}

/// Every third round a prediction is not a number, or there are too few of them; the rounds between are those
/// of a run that never heard of them.
#[test]
fn a_refused_round_leaves_the_run_as_it_was() {
    let log = random_log(40, 2, 3, 1);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let mut count = 0;
    let learner = Constants(|round: &PairRound<'_>| {
        count += 1;
        let mut means = crate::learners::means(round);
        means[0] += 0.1;
        if count % 3 == 2 {
            means[1] = f64::NAN;
        }
        means
    });
    let honest = Constants(|round: &PairRound<'_>| {
        let mut means = crate::learners::means(round);
        means[0] += 0.1;
        means
    });
    let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner, settings()).unwrap();
    let mut other = PolicyBoosting::<BoplS, _>::new(&log, honest, settings()).unwrap();
    let mut refused = 0;
    for _ in 0..9 {
        let before = (run.scores().to_vec(), run.gradients().to_vec(), run.record().to_vec());
        match run.round(&contexts) {
            Ok(round) => assert_eq!(round, other.round(&contexts).unwrap()),
            Err(error) => {
                assert!(matches!(error, BoplError::NotFinite { argument: "a prediction", .. }), "{error}");
                refused += 1;
                assert_eq!(before, (run.scores().to_vec(), run.gradients().to_vec(), run.record().to_vec()));
            }
        }
    }
    assert_eq!(refused, 3);
    assert_eq!((run.scores(), run.ensemble()), (other.scores(), other.ensemble()));
}

/// 2^20 rows of 2^24 actions are 2^47 bytes, more than a process can address.
#[test]
fn more_pairs_than_memory_holds() {
    let (rows, actions) = (1 << 20, 1 << 24);
    let contexts = RowMatrix::dense(1, vec![0.0; rows]).unwrap();
    let log = Log::new(contexts, actions, vec![0; rows], vec![1.0; rows], Rewards(vec![0.0; rows])).unwrap();
    let run = PolicyBoosting::<Bopl, _>::new(&log, Constants(crate::learners::means), settings());
    assert_eq!(run.err(), Some(BoplError::TooManyPairs { rows, actions }));
    let ensemble = PolicyEnsemble::new(1, actions).unwrap();
    let run = PolicyBoosting::<Bopl, _>::from_ensemble(
        &log,
        Constants(crate::learners::means),
        settings(),
        ensemble,
    );
    assert_eq!(run.err(), Some(BoplError::TooManyPairs { rows, actions }));
    let run = RewardRegression::new(&log, Constants(crate::learners::means), 0.5);
    assert_eq!(run.err(), Some(BoplError::TooManyPairs { rows, actions }));
}

#[test]
fn contexts_of_something_else() {
    let log = random_log(10, 2, 3, 1);
    let mut run =
        PolicyBoosting::<Bopl, _>::new(&log, Constants(crate::learners::means), settings()).unwrap();
    for (n, m) in [(9, 2), (10, 3)] {
        let other = SortedColumns::new(RowMatrix::dense(m, vec![0.5; n * m]).unwrap()).unwrap();
        assert!(matches!(run.round(&other), Err(BoplError::Mismatch { argument: "contexts", .. })));
        let mut baseline = RewardRegression::new(&log, Constants(crate::learners::means), 0.1).unwrap();
        assert!(matches!(baseline.round(&other), Err(BoplError::Mismatch { argument: "contexts", .. })));
    }
    assert!(run.record().is_empty());
    assert!(matches!(run.weigh(&[1.0; 29], Step::LineSearch), Err(BoplError::Mismatch { .. })));
    assert!(matches!(run.weigh(&[f64::INFINITY; 30], Step::LineSearch), Err(BoplError::NotFinite { .. })));
}

/// The rows of the log in another order, or with another value, would train on pairs that were never logged:
/// the record would tell of an objective that the ensemble does not have.
#[test]
fn contexts_of_the_same_shape_that_are_not_the_logs() {
    let log = random_log(10, 2, 3, 1);
    let own = SortedColumns::new(log.contexts().clone()).unwrap();
    let turned = SortedColumns::new(log.contexts().select((0..10).rev()).unwrap()).unwrap();
    let mut values = log.contexts().iter().flat_map(|x| x.to_dense()).collect::<Vec<_>>();
    values[19] += 0.5;
    let changed = SortedColumns::new(RowMatrix::dense(2, values).unwrap()).unwrap();
    let learner = || {
        ExactPairTree::new(
            PairGrowth::builder().max_depth(3).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
        )
    };
    let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner(), settings()).unwrap();
    let mut baseline = RewardRegression::new(&log, learner(), 0.1).unwrap();
    for other in [&turned, &changed] {
        let before = (run.scores().to_vec(), run.record().len(), baseline.loss());
        assert_eq!(run.round(other), Err(BoplError::OtherContexts));
        assert_eq!(baseline.round(other), Err(BoplError::OtherContexts));
        assert_eq!(before, (run.scores().to_vec(), run.record().len(), baseline.loss()));
        assert!(run.round(&own).unwrap().is_continue() && baseline.round(&own).unwrap().is_continue());
    }
    // The objective of the record is that of the ensemble on the log.
    let replayed =
        PolicyBoosting::<BoplS, _>::from_ensemble(&log, learner(), settings(), run.ensemble().clone());
    assert_eq!(replayed.unwrap().objective(), run.objective());
}

/// Says the same of every context.
struct Constant(Vec<f64>);

impl PairLearner for Constant {
    type Contexts = SortedColumns;
    type Hypothesis = VectorLeafTree;

    fn train(
        &mut self,
        contexts: &SortedColumns,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<VectorLeafTree, LearnerError> {
        let columns = values.chunks_exact_mut(round.examples()).zip(&self.0);
        columns.for_each(|(column, f)| column.fill(*f));
        let root = vec![VectorLeafNode::Leaf { leaf: 0 }];
        VectorLeafTree::new(contexts.inputs(), round.actions(), root, self.0.clone())
    }
}

/// An action that is never on offer has no part in α, so that αf is beyond the range of numbers there though
/// f is not.
#[test]
fn a_move_beyond_the_range_of_numbers() {
    let two = random_log(40, 2, 2, 1);
    let (a, p) = (two.logged_actions().to_vec(), two.propensities().to_vec());
    let rewards = a.iter().map(|a| f64::from(*a)).collect();
    let log = Log::new(two.contexts().clone(), 3, a, p, Rewards(rewards)).unwrap();
    let log = log.with_action_sets(ActionSets::new(3, vec![[0, 1]; 40]).unwrap()).unwrap();
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    let start = |f: f64| {
        let learner = Constant(vec![0.0, 1e-3, f]);
        PolicyBoosting::<BoplS, _>::new(&log, learner, settings()).unwrap()
    };
    assert!(start(1e130).round(&contexts).unwrap().continue_value().unwrap().alpha > 10.0);
    let refused = start(1e141).round(&contexts);
    assert!(matches!(refused, Err(BoplError::NotFinite { argument: "a prediction", index: 80, .. })));
    let mut run = start(1e139);
    let before = (run.scores().to_vec(), run.gradients().to_vec(), run.objective());
    for _ in 0..2 {
        let refused = run.round(&contexts);
        assert!(matches!(refused, Err(BoplError::NotFinite { argument: "a score", index: 80, .. })));
        assert_eq!(before, (run.scores().to_vec(), run.gradients().to_vec(), run.objective()));
        assert!(run.ensemble().is_empty() && run.record().is_empty());
    }
}

/// r/p and 1/p beyond 1e140 are refused, also where (r + b)/p is in range.
#[test]
fn propensities_that_are_next_to_nothing() {
    let contexts = RowMatrix::dense(1, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
    let start = |p: f64, r: f64, b: f64| {
        let log = Log::new(contexts.clone(), 2, vec![0, 1, 0, 0], vec![p; 4], Rewards(vec![r; 4])).unwrap();
        let settings = Settings::builder().translation(b).build().unwrap();
        PolicyBoosting::<Bopl, _>::new(&log, Constants(crate::learners::means), settings)
    };
    let refused = |p, r, b| start(p, r, b).map(|_| ());
    assert!(matches!(
        refused(1e-10, 1e135, -1e135),
        Err(BoplError::Importance { row: 0, reward: 1e135, .. })
    ));
    assert!(matches!(refused(1e-141, 1.0, 0.0), Err(BoplError::Importance { row: 0, reward: 1.0, .. })));
    assert!(matches!(refused(5e-324, 0.0, 0.0), Err(BoplError::Importance { row: 0, reward: 0.0, .. })));
    let plain = start(1e-130, 0.5, 0.0).unwrap();
    assert!(plain.ips() > 0.0);
    let sums = |run: &PolicyBoosting<Bopl, _>| {
        let mut run = run.clone();
        let columns = SortedColumns::new(contexts.clone()).unwrap();
        run.round(&columns).unwrap().continue_value().unwrap().snips
    };
    for (p, r) in [(1e-130, 0.5), (1e-139, 0.5), (1e-139, 1e-100)] {
        let found = sums(&start(p, r, 0.0).unwrap());
        assert!((found / r - 1.0).abs() < 1e-12, "every reward is {r}, and so is SNIPS: {found} at p = {p}");
    }
}

#[test]
fn parameters_and_logs() {
    let log = random_log(10, 2, 3, 1);
    let learner = || Constants(crate::learners::means);
    for (translation, ridge) in
        [(f64::NAN, 0.0), (f64::INFINITY, 0.0), (-1e141, 0.0), (0.0, 1e141), (0.0, -1.0), (0.0, f64::NAN)]
    {
        assert!(matches!(
            Settings::builder().translation(translation).ridge(ridge).step(Step::LineSearch).build(),
            Err(BoplError::BadParameter { .. })
        ));
    }
    for learning_rate in [0.0, -0.1, 1.001, f64::NAN, f64::INFINITY] {
        let refused = Settings::builder().step(Step::SecondOrder { learning_rate }).build();
        let name = "learning_rate";
        assert!(
            matches!(refused, Err(BoplError::BadParameter { name: n, .. }) if n == name),
            "{learning_rate}"
        );
    }
    for rate in [0.0, 2.0, -0.1, f64::NAN, f64::INFINITY] {
        let refused = RewardRegression::new(&log, learner(), rate).map(|_| ());
        assert!(matches!(refused, Err(BoplError::BadParameter { name: "rate", .. })), "{rate}");
    }
    let contexts = RowMatrix::dense(1, vec![0.0]).unwrap();
    let huge = Log::new(contexts, 2, vec![0], vec![1e-10], Rewards(vec![1e135])).unwrap();
    let refused = PolicyBoosting::<Bopl, _>::new(&huge, learner(), settings()).map(|_| ());
    assert!(matches!(refused, Err(BoplError::Importance { row: 0, .. })));
    assert!(RewardRegression::new(&huge, learner(), 0.5).is_ok(), "which does not divide by p");
}

#[test]
fn ensembles_of_something_else() {
    let log = random_log(10, 2, 3, 1);
    let of = |inputs: usize, actions: usize, offset: f64, alpha: f64| {
        let predictor = Lines { inputs, feature: 0, lines: vec![(offset, 0.0); actions] };
        PolicyEnsemble::of(inputs, actions, vec![Member { alpha, predictor }])
    };
    assert!(matches!(of(2, 3, 1.0, f64::NAN), Err(BoplError::NotFinite { argument: "alpha", .. })));
    let start = |ensemble| {
        let learner = Constants(crate::learners::means);
        PolicyBoosting::<Bopl, _>::from_ensemble(&log, learner, settings(), ensemble).map(|_| ())
    };
    assert!(matches!(
        start(of(1, 3, 1.0, 1.0).unwrap()),
        Err(BoplError::Mismatch { unit: "coordinates", .. })
    ));
    assert!(matches!(start(of(2, 4, 1.0, 1.0).unwrap()), Err(BoplError::Mismatch { unit: "actions", .. })));
    assert!(matches!(start(of(2, 3, 1e3, 1e138).unwrap()), Err(BoplError::NotFinite { .. })));
    assert!(start(of(2, 3, 1.0, 1.0).unwrap()).is_ok());
    let none = PolicyEnsemble::<Lines>::new(2, 0).map(|_| ());
    assert_eq!(none, Err(LearnerError::Empty { argument: "actions" }.into()));
}

/// A predictor of other actions or coordinates than the log has.
#[test]
fn predictors_of_something_else() {
    /// Answers this, whatever the round.
    #[derive(Clone)]
    struct Fixed(Lines);

    impl PairLearner for Fixed {
        type Contexts = SortedColumns;
        type Hypothesis = Lines;

        fn train(
            &mut self,
            contexts: &SortedColumns,
            round: &PairRound<'_>,
            values: &mut [f64],
        ) -> Result<Lines, LearnerError> {
            round.check_against(contexts, values)?;
            values.fill(1.0);
            Ok(self.0.clone())
        }
    }

    let log = random_log(10, 2, 3, 1);
    let contexts = SortedColumns::new(log.contexts().clone()).unwrap();
    for (inputs, actions) in [(2, 0), (2, 2), (2, 4), (1, 3)] {
        let learner = Fixed(Lines { inputs, feature: 0, lines: vec![(1.0, 0.0); actions] });
        let mut run = PolicyBoosting::<Bopl, _>::new(&log, learner.clone(), settings()).unwrap();
        let refused = run.round(&contexts);
        assert!(matches!(refused, Err(BoplError::Mismatch { argument: "a predictor", .. })), "{refused:?}");
        assert!(run.record().is_empty() && run.scores().iter().all(|score| *score == 0.0));
        let mut rewards = RewardRegression::new(&log, learner, 0.5).unwrap();
        let refused = rewards.round(&contexts).map(|_| ());
        assert!(matches!(refused, Err(BoplError::Mismatch { argument: "a predictor", .. })), "{refused:?}");
        assert!(rewards.record().is_empty());
    }
}

#[test]
fn a_weight_beyond_the_range_of_numbers() {
    let contexts = RowMatrix::dense(1, vec![0.0]).unwrap();
    let log = Log::new(contexts, 2, vec![0], vec![1.0], Rewards(vec![1.0])).unwrap();
    let run = PolicyBoosting::<Bopl, _>::new(&log, Constants(crate::learners::means), settings()).unwrap();
    let contexts = RowMatrix::dense(1, vec![0.0]).unwrap();
    let large = Log::new(contexts, 2, vec![0], vec![1.0], Rewards(vec![1e140])).unwrap();
    let large =
        PolicyBoosting::<Bopl, _>::new(&large, Constants(crate::learners::means), settings()).unwrap();
    let second = Step::SecondOrder { learning_rate: 0.5 };
    for step in [Step::Closed(Smoothness::Sharp), Step::LineSearch, second] {
        let refused = run.weigh(&[1.0, 0.0], Step::SecondOrder { learning_rate: -1.0 });
        assert!(matches!(refused, Err(BoplError::BadParameter { .. })), "{refused:?}");
        // ⟨u, f⟩ underflows.
        assert_eq!(run.weigh(&[5e-324, 0.0], step).map(|weight| weight.alpha), Ok(0.0));
        let refused = large.weigh(&[1e140, 0.0], step);
        let argument = "the curvature along f";
        assert!(
            matches!(refused, Err(BoplError::NotFinite { argument: a, .. }) if a == argument),
            "{refused:?}"
        );
    }
}

/// A reward next to nothing has a weight, so that its gradient is no contradiction.
#[test]
fn a_reward_next_to_nothing() {
    let contexts = RowMatrix::dense(1, vec![0.0, 1.0]).unwrap();
    for reward in [5e-324, -5e-324] {
        let log =
            Log::new(contexts.clone(), 2, vec![0, 0], vec![1.0; 2], Rewards(vec![1.0, reward])).unwrap();
        let columns = SortedColumns::new(contexts.clone()).unwrap();
        let trees = ExactPairTree::new(
            PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build().unwrap(),
        );
        for smoothness in [Smoothness::Paper, Smoothness::Sharp] {
            let settings = Settings::builder().step(Step::Closed(smoothness)).build().unwrap();
            let mut run = PolicyBoosting::<BoplS, _>::new(&log, trees.clone(), settings).unwrap();
            for _ in 0..20 {
                assert!(run.round(&columns).is_ok());
            }
        }
    }
}
