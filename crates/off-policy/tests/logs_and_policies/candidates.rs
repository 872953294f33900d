//! Choices among candidates: fixed actions written as candidates are the ordinary log, bit for bit.

use off_policy::candidates::{
    AmongCandidates, CandidateLog, CandidatePolicy, CandidateSchema, CandidateScores, OnCandidates,
};
use off_policy::estimators::{
    Bootstrap, EstimateError, EstimatorSettings, OffPolicyEvaluation, OnLog, Resampling, RewardModel,
};
use off_policy::policies::{self, Argmax, EpsilonGreedy, Scores, Softmax, Uniform};
use off_policy::{ActionSets, Log, LogError, PolicyError, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, Row, RowMatrix};
use std::ops::Range;

const ACTIONS: usize = 5;

/// F(x, a) = s_a + t_a·x_0, of an action by its number, and of a candidate by its identity.
#[derive(Debug, Clone)]
struct Lines {
    s: [f64; ACTIONS],
    t: [f64; ACTIONS],
}

impl Lines {
    fn of(&self, x: Row<'_>, a: usize) -> f64 {
        self.s[a] + self.t[a] * x.get(0).unwrap_or_default()
    }
}

impl Scores for Lines {
    fn inputs(&self) -> usize {
        1
    }

    fn actions(&self) -> usize {
        ACTIONS
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        scores.iter_mut().enumerate().for_each(|(a, score)| *score = self.of(x, a));
        Ok(())
    }
}

impl RewardModel for Lines {
    fn inputs(&self) -> Option<usize> {
        Some(1)
    }

    fn actions(&self) -> usize {
        ACTIONS
    }

    fn rewards(&self, x: Row<'_>, rewards: &mut [f64]) -> Result<(), PolicyError> {
        self.scores(x, rewards)
    }
}

impl CandidateScores for Lines {
    fn candidate_scores(
        &self,
        candidates: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        for (p, score) in pairs.zip(scores) {
            let pair = candidates.pair(p).unwrap();
            *score = self.of(pair.context.unwrap(), pair.identity.unwrap());
        }
        Ok(())
    }
}

/// A log of fixed actions and the same as candidates. `offered` of the actions are on offer in a row, in
/// rising order, or all.
fn both(n: usize, offered: Option<usize>, seed: u64) -> (Log, CandidateLog) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut x, mut actions, mut p, mut r) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut sets, mut offsets, mut items, mut chosen) = (Vec::new(), vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let mut own: Vec<u32> = (0..5).collect();
        if let Some(most) = offered {
            while own.len() > 1 + i % most {
                let k = rng.random_range(0..own.len());
                own.remove(k);
            }
        }
        let place = rng.random_range(0..own.len());
        x.push(rng.random_range(-1.0..1.0));
        actions.push(own[place]);
        chosen.push(u32::try_from(place).unwrap());
        p.push(1.0 / own.len() as f64);
        r.push(rng.random_range(-1.0..2.0));
        items.extend(&own);
        offsets.push(items.len());
        sets.push(own);
    }
    let contexts = RowMatrix::dense(1, x).unwrap();
    let mut log = Log::new(contexts.clone(), ACTIONS, actions, p.clone(), Rewards(r.clone())).unwrap();
    if offered.is_some() {
        log = log.with_action_sets(ActionSets::new(ACTIONS, sets).unwrap()).unwrap();
    }
    let candidates = Candidates::builder(offsets).contexts(contexts).identities(items, ACTIONS);
    (log, CandidateLog::new(candidates.build().unwrap(), chosen, p, Rewards(r)).unwrap())
}

fn scores() -> Lines {
    Lines { s: [0.3, -0.1, 0.7, 0.2, 0.0], t: [1.0, -1.0, 0.1, 0.5, 2.0] }
}

fn model() -> Lines {
    Lines { s: [0.5, 0.25, -0.5, 1.0, 0.1], t: [0.3, 0.2, -0.7, 0.0, 1.0] }
}

/// All estimates of both logs, value and error, and their intervals, as bits.
fn assert_same<P: policies::Policy + CandidatePolicy>(policy: &P, log: &Log, candidates: &CandidateLog) {
    let settings = EstimatorSettings::default().clipped_at(3.0).unwrap();
    let model = model();
    for has_model in [false, true] {
        let of_log = OnLog::new(log, policy, has_model.then_some(&model as &dyn RewardModel)).unwrap();
        let mut of_candidates = OnCandidates::new(candidates, policy);
        if has_model {
            of_candidates = of_candidates.with_model(&model);
        }
        let expected = OffPolicyEvaluation::of_observations(&of_log, settings).unwrap();
        let found = OffPolicyEvaluation::of_observations(&of_candidates, settings).unwrap();
        // SNIPS has no value where the policy takes none of the logged actions.
        assert!(log.len() == 1 || expected.estimates().count() == if has_model { 6 } else { 3 });
        for ((name, a), (_, b)) in expected.estimates().zip(found.estimates()) {
            assert_eq!(a.value.to_bits(), b.value.to_bits(), "{name:?}: {} and {}", a.value, b.value);
        }
        assert_eq!(expected, found);
        let resampling = Resampling { replicates: 20, seed: 3 };
        let expected = Bootstrap::of(&of_log, settings, resampling).unwrap();
        assert_eq!(expected, Bootstrap::of(&of_candidates, settings, resampling).unwrap());
    }
}

#[test]
fn fixed_actions_as_candidates_have_the_same_estimates() {
    // The last has more pairs than are asked for at once.
    for (n, offered) in [(1, None), (700, None), (701, Some(4)), (60_000, None)] {
        let (log, candidates) = both(n, offered, 11);
        assert_same(&Softmax::new(scores(), 1.7).unwrap(), &log, &candidates);
        assert_same(&Argmax::new(scores()), &log, &candidates);
        let greedy = EpsilonGreedy::new(Argmax::new(scores()), 0.2).unwrap();
        assert_same(&greedy, &log, &candidates);
        assert_same(
            &EpsilonGreedy::new(Softmax::new(scores(), 0.5).unwrap(), 0.1).unwrap(),
            &log,
            &candidates,
        );
    }
    let (log, candidates) = both(300, Some(5), 12);
    let settings = EstimatorSettings::default();
    let (uniform, among) = (Uniform::new(ACTIONS).unwrap(), AmongCandidates);
    let expected = OffPolicyEvaluation::of(&log, &uniform, None, settings).unwrap();
    let found = OffPolicyEvaluation::of_observations(&OnCandidates::new(&candidates, &among), settings);
    assert_eq!(found.unwrap(), expected);
}

#[test]
fn the_estimates_see_another_choice() {
    let (_, all) = both(200, None, 5);
    let policy = Softmax::new(scores(), 1.0).unwrap();
    let value = |log: &CandidateLog| {
        let rows = OnCandidates::new(log, &policy);
        OffPolicyEvaluation::of_observations(&rows, EstimatorSettings::default()).unwrap().ips.value
    };
    let mut chosen = all.chosen().to_vec();
    chosen[17] = (chosen[17] + 1) % 5;
    let (p, r) = (all.propensities().to_vec(), Rewards(all.rewards().to_vec()));
    let other = CandidateLog::new(all.candidates().clone(), chosen, p, r).unwrap();
    assert_ne!(value(&all).to_bits(), value(&other).to_bits());
}

#[test]
fn candidates_are_drawn_as_often_as_their_probability_says() {
    const DRAWS: u32 = 48_000;
    let (_, log) = both(4, Some(5), 8);
    let candidates = log.candidates();
    let policy = EpsilonGreedy::new(Softmax::new(scores(), 1.0).unwrap(), 0.2).unwrap();
    let mut buffer = Vec::new();
    for i in 0..log.len() {
        let mut expected = vec![0.0; candidates.pairs_of(i).len()];
        policy.probabilities(candidates, i..i + 1, &mut expected).unwrap();
        let mut counts = vec![0_u32; expected.len()];
        let mut rng = ChaCha8Rng::seed_from_u64(i as u64);
        for _ in 0..DRAWS {
            let (place, p) = policy.sample(candidates, i, &mut buffer, &mut rng).unwrap();
            assert_eq!(p.to_bits(), expected[place].to_bits());
            counts[place] += 1;
        }
        // Five deviations are missed once in 10⁶ candidates.
        for (count, p) in counts.iter().zip(expected) {
            let error = (f64::from(*count) / f64::from(DRAWS) - p).abs();
            assert!(error <= 5.0 * (p * (1.0 - p) / f64::from(DRAWS)).sqrt(), "{p} was seen {count} times");
        }
    }
    // The same draws as of fixed actions.
    let (fixed, as_candidates) = both(40, None, 9);
    let [mut rng, mut of_fixed] = [1, 1].map(ChaCha8Rng::seed_from_u64);
    for (i, row) in fixed.iter().enumerate() {
        let mut pi = [0.0; ACTIONS];
        let expected = policies::Policy::sample(&policy, row.context, row.on_offer, &mut pi, &mut of_fixed);
        assert_eq!(policy.sample(as_candidates.candidates(), i, &mut buffer, &mut rng), expected);
    }
    // A candidate of probability 0 is never drawn.
    let best = Argmax::new(scores());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for i in 0..log.len() {
        assert_eq!(best.sample(candidates, i, &mut buffer, &mut rng).unwrap().1, 1.0);
    }
    let refused = best.sample(candidates, 4, &mut buffer, &mut rng);
    assert!(matches!(refused, Err(PolicyError::ActionCount { .. })), "{refused:?}");
}

#[test]
fn a_policy_sees_the_candidates_of_each_choice_alone() {
    let (_, log) = both(50, Some(5), 21);
    let candidates = log.candidates();
    let policy = Softmax::new(scores(), 2.0).unwrap();
    let mut all = vec![0.0; candidates.pairs()];
    policy.probabilities(candidates, 0..50, &mut all).unwrap();
    for i in 0..50 {
        let own = candidates.pairs_of(i);
        let mut alone = vec![0.0; own.len()];
        policy.probabilities(candidates, i..i + 1, &mut alone).unwrap();
        assert_eq!(alone, all[own]);
        assert!((alone.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // The same choice in another log.
        let part = log.select([i, (i + 1) % 50]).unwrap();
        policy.probabilities(part.candidates(), 0..1, &mut alone).unwrap();
        assert_eq!(alone, all[candidates.pairs_of(i)]);
    }
}

/// One score for all, and another number of them.
struct Constant(f64);

impl CandidateScores for Constant {
    fn candidate_scores(
        &self,
        candidates: &Candidates,
        pairs: Range<usize>,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        if candidates.shape().features != 0 {
            return Err(PolicyError::InputDimension { expected: 6, got: candidates.dimension() });
        }
        assert_eq!(pairs.len(), scores.len());
        scores.fill(self.0);
        Ok(())
    }
}

#[test]
fn refused_inputs_say_what_is_wrong() {
    let (_, log) = both(3, None, 2);
    let candidates = log.candidates();
    let mut out = vec![0.0; 15];
    let good = Softmax::new(Constant(1.0), 1.0).unwrap();
    assert_eq!(good.probabilities(candidates, 0..3, &mut out), Ok(()));
    let expected = PolicyError::ActionCount { argument: "the list of pairs", expected: 10, got: 15 };
    assert_eq!(good.probabilities(candidates, 1..3, &mut out), Err(expected.clone()));
    assert_eq!(AmongCandidates.probabilities(candidates, 1..3, &mut out), Err(expected.clone()));
    assert_eq!(Argmax::new(Constant(0.0)).probabilities(candidates, 1..3, &mut out), Err(expected.clone()));
    let greedy = EpsilonGreedy::new(AmongCandidates, 0.5).unwrap();
    assert_eq!(greedy.probabilities(candidates, 1..3, &mut out), Err(expected));
    // Behind the last choice there are no pairs.
    assert_eq!(good.probabilities(candidates, 7..9, &mut []), Ok(()));
    #[allow(clippy::reversed_empty_ranges, reason = "a caller can ask for it")]
    let backwards = 2..1;
    assert_eq!(good.probabilities(candidates, backwards, &mut []), Ok(()));

    for value in [f64::NAN, f64::INFINITY] {
        let refused = Softmax::new(Constant(value), 1.0).unwrap().probabilities(candidates, 0..3, &mut out);
        assert!(matches!(refused, Err(PolicyError::NotFiniteScore { action: 0, .. })), "{refused:?}");
        let best = Argmax::new(Constant(value));
        let refused = OffPolicyEvaluation::of_observations(
            &OnCandidates::new(&log, &best),
            EstimatorSettings::default(),
        );
        assert!(matches!(refused, Err(EstimateError::Policy { row: 0, .. })), "{refused:?}");
        // A model of rewards that are no numbers.
        let rows = OnCandidates::new(&log, &AmongCandidates);
        let model = Constant(value);
        let refused =
            OffPolicyEvaluation::of_observations(&rows.with_model(&model), EstimatorSettings::default());
        assert!(refused.is_err());
    }

    let features = RowMatrix::dense(1, vec![1.0; 15]).unwrap();
    let other = Candidates::builder(candidates.offsets().to_vec()).features(features).build().unwrap();
    let (chosen, p, r) = (log.chosen().to_vec(), log.propensities().to_vec(), log.rewards().to_vec());
    let other = CandidateLog::new(other, chosen, p, Rewards(r)).unwrap();
    let refused =
        OffPolicyEvaluation::of_observations(&OnCandidates::new(&other, &good), EstimatorSettings::default());
    let source = PolicyError::InputDimension { expected: 6, got: 1 };
    assert_eq!(refused.unwrap_err(), EstimateError::Policy { row: 0, source });

    /// Probabilities that sum to ½.
    #[derive(Debug)]
    struct Half;
    impl CandidatePolicy for Half {
        fn probabilities(
            &self,
            candidates: &Candidates,
            choices: Range<usize>,
            out: &mut [f64],
        ) -> Result<(), PolicyError> {
            AmongCandidates.probabilities(candidates, choices, out)?;
            // The second choice of all.
            if let Some(pairs) = out.get_mut(5..10) {
                pairs.iter_mut().for_each(|p| *p *= 0.5);
            }
            Ok(())
        }
    }
    let refused =
        OffPolicyEvaluation::of_observations(&OnCandidates::new(&log, &Half), EstimatorSettings::default());
    assert!(matches!(refused, Err(EstimateError::NotADistribution { row: 1, .. })), "{refused:?}");
}

#[test]
fn a_log_keeps_its_names_where_it_is_cut_and_saved() {
    let (_, log) = both(30, Some(5), 3);
    let names = (0..ACTIONS).map(|a| format!("a{a}")).collect();
    let schema =
        CandidateSchema { contexts: vec!["x".into()], identities: names, ..CandidateSchema::default() };
    let log = log.with_schema(schema.clone()).unwrap();
    let [learn, judge] = log.split([0.7, 0.3], &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    assert_eq!((learn.schema(), judge.schema()), (Some(&schema), Some(&schema)));
    assert_eq!(learn.len() + judge.len(), 30);
    let saved = serde_json::to_string(&judge).unwrap();
    assert_eq!(serde_json::from_str::<CandidateLog>(&saved).unwrap(), judge);
    let few = CandidateSchema { identities: vec!["a0".into()], ..schema };
    assert!(matches!(judge.with_schema(few), Err(LogError::SchemaInputs { .. })));
}
