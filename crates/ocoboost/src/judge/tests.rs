//! Bounds and verdicts on made logs whose values are known.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]

use super::bound::bounds;
use super::*;
use off_policy::estimators::Observation;
use off_policy::policies::{Argmax, Softmax, Tabular, Uniform};
use off_policy::{Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;

/// A world without contexts: what the logging policy and the judged policy play, and what actions pay.
struct World {
    name: &'static str,
    logging: Vec<f64>,
    judged: Vec<f64>,
    /// An action pays `high` with this chance, else `low`.
    chances: Vec<f64>,
    low: f64,
    high: f64,
    rows: usize,
}

impl World {
    fn improvement(&self) -> f64 {
        let value = |pi: &[f64]| -> f64 {
            let of = |(p, chance): (&f64, &f64)| p * (self.low + (self.high - self.low) * chance);
            pi.iter().zip(&self.chances).map(of).sum()
        };
        value(&self.judged) - value(&self.logging)
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<Observation> {
        let mut row = || {
            let mut left = rng.random::<f64>();
            let is_it = |p: &f64| {
                left -= p;
                left < 0.0
            };
            let last = self.logging.iter().rposition(|p| *p > 0.0).unwrap();
            let a = self.logging.iter().position(is_it).unwrap_or(last);
            let reward = if rng.random_bool(self.chances[a]) { self.high } else { self.low };
            let (target, propensity) = (self.judged[a], self.logging[a]);
            Observation { target, propensity, reward, direct: 0.0, predicted: 0.0 }
        };
        (0..self.rows).map(|_| row()).collect()
    }
}

fn worlds() -> Vec<World> {
    let world = |name, logging: &[f64], judged: &[f64], chances: &[f64], [low, high]: [f64; 2], rows| World {
        name,
        logging: logging.to_vec(),
        judged: judged.to_vec(),
        chances: chances.to_vec(),
        low,
        high,
        rows,
    };
    vec![
        world("even", &[0.5, 0.5], &[0.0, 1.0], &[0.3, 0.7], [0.0, 1.0], 200),
        world("rare", &[0.96, 0.04], &[0.0, 1.0], &[0.3, 0.6], [0.0, 1.0], 300),
        // Costs. Actions that the log does not know may cost the most.
        world("unknown", &[0.5, 0.5, 0.0], &[0.0, 0.4, 0.6], &[0.5, 0.5, 0.0], [-1.0, 0.0], 200),
        // Large weights bring the worst rewards: to leave them out would not be pessimistic for costs.
        world("costly", &[0.97, 0.03], &[0.0, 1.0], &[0.9, 0.2], [-2.0, 0.0], 300),
        // The action that is given up pays so rarely that many logs do not show it.
        world("hidden", &[0.5, 0.5], &[0.0, 1.0], &[0.006, 0.0], [0.0, 10.0], 300),
        world("same", &[0.2, 0.8], &[0.2, 0.8], &[0.4, 0.6], [0.0, 1.0], 100),
    ]
}

const LOGS: usize = 1000;
const DELTA: f64 = 0.1;

/// δ of the logs at most, with a margin of three standard deviations of a binomial number.
fn most_failures() -> f64 {
    let n = LOGS as f64;
    DELTA * n + 3.0 * (DELTA * (1.0 - DELTA) * n).sqrt()
}

#[test]
fn bounds_fail_at_most_as_often_as_delta_says() {
    for (k, world) in worlds().iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(40 + k as u64);
        let (range, truth) = ([world.low, world.high], world.improvement());
        // M and λ from a log of its own, and from a grid.
        let tuning = Tuning::on(&world.draw(&mut rng), world.rows, range, DELTA).unwrap();
        for tuning in [None, tuning] {
            let mut failures = [0.0; 2];
            let mut sums = [0.0; 2];
            for _ in 0..LOGS {
                let rows = world.draw(&mut rng);
                for (bound, (failures, sum)) in bounds(&rows, range, DELTA, tuning)
                    .unwrap()
                    .iter()
                    .zip(failures.iter_mut().zip(&mut sums))
                {
                    *failures += f64::from(u8::from(bound.lower > truth + 1e-12));
                    *sum += bound.lower / LOGS as f64;
                }
            }
            println!("{} ({tuning:?}): {truth:.3}, bounds {sums:.3?}, failures {failures:?}", world.name);
            assert!(
                failures.iter().all(|failures| *failures <= most_failures()),
                "{}: {failures:?}",
                world.name
            );
        }
    }
}

/// A bound of −∞ would fail never. Of 2,000 rows these are near the truth.
#[test]
fn bounds_are_near_the_truth() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let world = World { rows: 2000, ..worlds().remove(0) };
    let (mut sums, range) = ([0.0; 2], [0.0, 1.0]);
    let tuning = Tuning::on(&world.draw(&mut rng), 2000, range, 0.05).unwrap();
    for _ in 0..50 {
        for (sum, bound) in sums.iter_mut().zip(bounds(&world.draw(&mut rng), range, 0.05, tuning).unwrap()) {
            *sum += bound.lower / 50.0;
        }
    }
    // The truth is 0.2, and the deviation of a mean of 2,000 terms 0.018.
    println!("{sums:?}");
    assert!(sums[0] > 0.145 && sums[1] > 0.12 && sums.iter().all(|sum| *sum < 0.19), "{sums:?}");
}

/// A log of the world with the number of actions that it has.
fn log(world: &World, seed: u64) -> Log {
    let rows = world.draw(&mut ChaCha8Rng::seed_from_u64(seed));
    let place = |row: &Observation| {
        let is_it = |p: &f64| *p == row.propensity;
        u32::try_from(world.logging.iter().position(is_it).unwrap()).unwrap()
    };
    let contexts = RowMatrix::dense(1, vec![0.0; rows.len()]).unwrap();
    let actions = rows.iter().map(place).collect();
    let propensities = rows.iter().map(|row| row.propensity).collect();
    let rewards = Rewards(rows.iter().map(|row| row.reward).collect());
    Log::new(contexts, world.logging.len(), actions, propensities, rewards).unwrap()
}

fn world(logging: &[f64], chances: &[f64], rows: usize) -> World {
    let (logging, chances) = (logging.to_vec(), chances.to_vec());
    World { name: "", judged: logging.clone(), logging, chances, low: 0.0, high: 1.0, rows }
}

fn always(actions: usize, action: usize) -> Argmax<Tabular> {
    let mut scores = vec![0.0; actions];
    scores[action] = 1.0;
    Argmax::new(Tabular::new(1, scores).unwrap())
}

fn plain() -> JudgeJobBuilder {
    JudgeJob::builder().reward_range([0.0, 1.0]).reward_model(false).seed(1)
}

fn reasons(log: &Log, policy: &dyn Policy) -> Vec<Reason> {
    let found = plain().build().unwrap().evaluate(log, Target::Policy(policy)).unwrap();
    println!("{}", found.sentence());
    match found.verdict {
        Verdict::CannotAnswer(reasons) => reasons,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_log_that_cannot_answer_says_why() {
    let sure = log(&world(&[1.0], &[0.5], 400), 1);
    let contexts = RowMatrix::dense(1, vec![0.0; 400]).unwrap();
    let actions: Vec<u32> = (0..400).map(|i| i % 2).collect();
    let sure_of_two =
        Log::new(contexts.clone(), 2, actions.clone(), vec![1.0; 400], Rewards(sure.rewards().to_vec()))
            .unwrap();
    let [one] = reasons(&sure_of_two, &Uniform::new(2).unwrap())[..] else { panic!("more than one") };
    assert!(matches!(one, Reason::DeterministicLogging { share: 1.0, rows: 400 }));
    assert!(reasons(&sure, &Uniform::new(1).unwrap()).contains(&Reason::OneAction { actions: 1 }));

    // The third action is never played.
    let two = log(&world(&[0.4, 0.6, 0.0], &[0.3, 0.5, 0.9], 400), 2);
    let [Reason::NoOverlap { share: 1.0, effective_rows: 0.0, rows: 400 }] = reasons(&two, &always(3, 2))[..]
    else {
        panic!("not one reason")
    };

    let few = log(&world(&[0.5, 0.51], &[0.3, 0.5], 15), 3);
    assert_eq!(reasons(&few, &always(2, 1)), [Reason::TooFewRows { rows: 15, needed: 20 }]);

    let flat =
        Log::new(contexts.clone(), 2, actions.clone(), vec![0.5; 400], Rewards(vec![0.25; 400])).unwrap();
    assert_eq!(reasons(&flat, &always(2, 1)), [Reason::ConstantReward { reward: 0.25 }]);

    // Propensities of 0.1 for actions that were played half of the time.
    let wrong = Log::new(contexts, 2, actions, vec![0.1; 400], Rewards(two.rewards().to_vec())).unwrap();
    let [Reason::WrongPropensities { mean_weight, .. }] = reasons(&wrong, &always(2, 1))[..] else {
        panic!("not one reason")
    };
    assert!((mean_weight - 5.0).abs() < 1e-9, "{mean_weight}");

    // A third with seven digits and with four. Of the second, weights of 1.0001 would count as a gain.
    let third = |p| {
        let (contexts, actions) = (RowMatrix::dense(1, vec![0.0; 402]).unwrap(), (0..402).map(|i| i % 3));
        let rewards = (0..402).map(|i| f64::from(u8::from(i % 5 == 0))).collect();
        Log::new(contexts, 3, actions.collect(), vec![p; 402], Rewards(rewards)).unwrap()
    };
    let policy = Uniform::new(3).unwrap();
    for p in [1.0 / 3.0, 0.333_333_3] {
        let found = plain().build().unwrap().evaluate(&third(p), Target::Policy(&policy)).unwrap();
        assert!(matches!(found.verdict, Verdict::NotShown { .. }), "{p}: {}", found.sentence());
    }
    let found = reasons(&third(0.3333), &policy);
    let [Reason::WrongPropensities { mean_weight, .. }] = found[..] else { panic!("not one reason") };
    assert!((mean_weight - 1.0 / 0.9999).abs() < 1e-9, "{mean_weight}");
    assert!(
        found[0].to_string().contains("are rounded (seven significant digits are enough)"),
        "{}",
        found[0]
    );
    assert!(found[0].to_string().contains("weights average 1.000100 ± 0.000000"), "{}", found[0]);

    // The other action is played in about 4 of 400 rows.
    let rare = log(&world(&[0.99, 0.01], &[0.3, 0.5], 400), 4);
    let found = reasons(&rare, &always(2, 1));
    assert!(
        matches!(found[0], Reason::FewEffectiveRows { effective_rows, rows: 400 } if effective_rows < 30.0)
    );
}

#[test]
fn the_logging_policy_is_no_better_than_itself() {
    let log = log(&world(&[0.3, 0.7], &[0.3, 0.5], 500), 5);
    let found = plain().build().unwrap().evaluate(&log, Target::Logged).unwrap();
    let value = found.estimate(Estimator::Snips).unwrap().value;
    assert!((value - found.logged.value).abs() < 1e-12);
    let Verdict::NotShown { at_least } = found.verdict else { panic!("{:?}", found.verdict) };
    assert!(at_least <= 0.0 && at_least > -0.1, "{at_least}");
    assert!(found.sentence().contains("that it is better is not shown"), "{}", found.sentence());
}

#[test]
fn a_range_off_the_judged_rows_is_a_caveat_and_a_reward_outside_the_stated_one_is_refused() {
    let log = log(&world(&[0.5, 0.51], &[0.1, 0.9], 500), 6);
    let job = JudgeJob::builder().reward_model(false).build().unwrap();
    let found = job.evaluate(&log, Target::Policy(&always(2, 1))).unwrap();
    assert_eq!(found.caveats, [Caveat::RangeOfJudgedRows]);
    assert!(matches!(found.verdict, Verdict::Better { is_certain: false, .. }));
    assert!(found.sentence().contains("about 95% certainty: the range"), "{}", found.sentence());
    let refused = JudgeJob::builder().reward_range([0.0, 0.5]).reward_model(false).build().unwrap();
    let refused = refused.evaluate(&log, Target::Policy(&always(2, 1)));
    assert!(matches!(
        refused,
        Err(JobError::Estimate(EstimateError::OutsideStated { column: "reward", .. }))
    ));
    for bad in
        [JudgeJob::builder().delta(0.0), JudgeJob::builder().delta(f64::NAN), JudgeJob::builder().clip(0.0)]
    {
        assert!(bad.build().is_err());
    }
    assert!(JudgeJob::builder().reward_range([1.0, 0.0]).build().is_err());
}

/// With a model of rewards the differences of similar policies are far less noisy than the values.
#[test]
fn paired_differences_are_sharper_than_values() {
    let log = log(&world(&[0.3, 0.7], &[0.3, 0.6], 2000), 7);
    let scores = |gap: f64| Tabular::new(1, vec![0.0, gap]).unwrap();
    let (a, b) = (Softmax::new(scores(1.0), 1.0).unwrap(), Softmax::new(scores(1.4), 1.0).unwrap());
    let truth = {
        let p = |gap: f64| 1.0 / (1.0 + (-gap).exp());
        0.3 * (p(1.0) - p(1.4))
    };
    for has_model in [false, true] {
        let job = plain().reward_model(has_model).build().unwrap();
        let found = job.compare(&log, &[Target::Policy(&a), Target::Policy(&b), Target::Logged]).unwrap();
        assert_eq!((found.judgements.len(), found.differences.len()), (3, 3));
        let first = found.differences[0];
        assert_eq!((first.first, first.second), (0, 1));
        assert!(first.lower <= truth && truth <= first.upper, "{truth}, {first:?}");
        let error = found.judgements[0].estimate(Estimator::Ips).unwrap().standard_error.unwrap();
        assert!(first.standard_error.unwrap() < 0.5 * error, "{first:?}, {error}");
        assert_eq!(found.best(), 1);
        assert!(found.sentence(&["a", "b", "log"]).contains('b'), "{}", found.sentence(&["a", "b", "log"]));
    }
    let refused = plain().build().unwrap().compare(&log, &[Target::Logged]);
    assert_eq!(refused, Err(JobError::TooFewPolicies { policies: 1 }));
}

#[test]
fn a_comparison_says_which_differences_are_shown() {
    let log = log(&world(&[0.3, 0.7], &[0.3, 0.6], 400), 7);
    let even = Uniform::new(2).unwrap();
    let targets = [Target::Policy(&even), Target::Policy(&even), Target::Logged];
    let found = plain().build().unwrap().compare(&log, &targets).unwrap();
    // Of the first and the second, the first and the third, the second and the third.
    let said = |ends: [[f64; 2]; 3]| {
        let mut found = found.clone();
        for (difference, [lower, upper]) in found.differences.iter_mut().zip(ends) {
            *difference = Difference { value: 0.5 * (lower + upper), lower, upper, ..*difference };
        }
        found.sentence(&["a", "b", "log"])
    };
    let (shown, open) = ([0.1, 0.3], [-0.1, 0.3]);
    for (ends, words) in [
        ([shown, open, open], " a earns most: more than b, but it is not shown to earn more than log."),
        ([open, shown, shown], " a earns most: more than log, but it is not shown to earn more than b."),
        ([shown, shown, open], " a earns more than all others."),
        ([open, open, shown], " a earns most, but no difference is shown."),
        (
            [[-0.3, -0.1], open, open],
            " b earns most: more than a, but it is not shown to earn more than log.",
        ),
    ] {
        assert!(said(ends).ends_with(words), "{}", said(ends));
    }
}

/// Every action earns the same: what 60 rows of 3,000 say of one of 50 is no reason to rank it.
#[test]
fn a_policy_that_the_log_cannot_answer_for_is_not_ranked() {
    let contexts = RowMatrix::dense(1, vec![0.0; 3000]).unwrap();
    let actions = (0..3000).map(|i| i % 50).collect();
    // The rows of action 0 have no reward, by chance.
    let rewards = (0..3000_u32).map(|i| f64::from(u8::from(i % 50 != 0 && i % 43 == 1))).collect();
    let log = Log::new(contexts, 50, actions, vec![0.02; 3000], Rewards(rewards)).unwrap();
    let one = Argmax::new(Tabular::new(1, [vec![1.0], vec![0.0; 49]].concat()).unwrap());
    let even = Uniform::new(50).unwrap();
    let targets = [Target::Policy(&one), Target::Policy(&even), Target::Logged];
    let found = plain().build().unwrap().compare(&log, &targets).unwrap();
    assert!(matches!(found.judgements[0].verdict, Verdict::CannotAnswer(_)));
    // The interval alone would say that it is worse.
    assert!(found.differences[0].upper < 0.0, "{:?}", found.differences[0]);
    assert!(found.differences.iter().all(|difference| !difference.is_shown()));
    assert_eq!(found.best(), 1);
    let said = found.sentence(&["one", "even", "log"]);
    assert!(
        said.ends_with("even earns most, but no difference is shown. The log cannot answer for one."),
        "{said}"
    );
    let found =
        plain().build().unwrap().compare(&log, &[Target::Policy(&one), Target::Policy(&one)]).unwrap();
    assert!(found.sentence(&["a", "b"]).ends_with("the log can answer for none of a and b."));
    let found =
        plain().build().unwrap().compare(&log, &[Target::Policy(&one), Target::Policy(&even)]).unwrap();
    let said = found.sentence(&["one", "even"]);
    assert!(said.ends_with("the log can answer for even alone, and not for one."), "{said}");
}

/// No reward in 200 of 400 rows is an answer where half of the rows have one, and none where few rows do.
#[test]
fn a_policy_that_never_earns_is_answered_for_where_rewards_are_common() {
    let judged = |every: usize| {
        let contexts = RowMatrix::dense(1, vec![0.0; 400]).unwrap();
        let rewards = (0..400).map(|i| f64::from(u8::from(i % 2 == 1 && i / 2 % every == 0))).collect();
        let log = Log::new(contexts, 2, (0..400).map(|i| i % 2).collect(), vec![0.5; 400], Rewards(rewards))
            .unwrap();
        let never = Argmax::new(Tabular::new(1, vec![1.0, 0.0]).unwrap());
        let found =
            plain().build().unwrap().compare(&log, &[Target::Policy(&never), Target::Logged]).unwrap();
        (found.judgements[0].verdict.clone(), found.differences[0].is_shown())
    };
    let (verdict, is_shown) = judged(1);
    assert!(matches!(verdict, Verdict::NotShown { at_least } if at_least < -0.4), "{verdict:?}");
    assert!(is_shown);
    let (verdict, is_shown) = judged(10);
    assert!(
        matches!(verdict, Verdict::CannotAnswer(reasons) if matches!(reasons[0], Reason::FewRewards { rewarded: 0, .. }))
    );
    assert!(!is_shown);
}

/// A policy that is known by its probabilities alone is judged as the policy itself, by one model of rewards.
#[test]
fn a_table_is_judged_as_the_policy_that_it_is_of() {
    let (n, mut rng) = (300, ChaCha8Rng::seed_from_u64(4));
    let x: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let actions: Vec<u32> = (0..n).map(|_| rng.random_range(0..3)).collect();
    let rewards = x.iter().zip(&actions).map(|(x, a)| x * f64::from(*a)).collect();
    let contexts = RowMatrix::dense(1, x).unwrap();
    let log = Log::new(contexts, 3, actions, vec![1.0 / 3.0; n], Rewards(rewards)).unwrap();
    let sets = log.iter().map(|row| match row.action {
        0 => vec![0, 1, 2],
        a => vec![0, u32::try_from(a).unwrap()],
    });
    let sets: Vec<Vec<u32>> = sets.collect();
    let some = log.clone().with_action_sets(off_policy::ActionSets::new(3, sets).unwrap()).unwrap();
    let policy = Softmax::new(Tabular::new(1, vec![0.0, 1.0, 0.5]).unwrap(), 1.0).unwrap();
    for log in [&log, &some] {
        let mut table = vec![0.0; 3 * n];
        policy.probabilities_of_rows(log, 0, &mut table).unwrap();
        for has_model in [false, true] {
            let job = JudgeJob::builder().seed(1).reward_model(has_model).build().unwrap();
            let found = job.evaluate(log, Target::Table(&table)).unwrap();
            assert_eq!(found, job.evaluate(log, Target::Policy(&policy)).unwrap());
            assert_eq!(found.estimate(Estimator::Dr).is_some(), has_model);
            let both = job.compare(log, &[Target::Table(&table), Target::Policy(&policy)]).unwrap();
            assert_eq!((both.differences[0].value, both.differences[0].upper), (0.0, 0.0));
            assert!(job.evaluate(log, Target::Table(&table[1..])).is_err());
            let (_, found) =
                job.break_down(log, Target::Table(&table), &BreakdownSettings::default()).unwrap();
            assert!(found.changes.is_none());
        }
    }
    // Action 2 is not on offer in some row.
    let mut table = vec![0.0; 3 * n];
    table.chunks_exact_mut(3).for_each(|pi| pi[2] = 1.0);
    for has_model in [false, true] {
        let job = JudgeJob::builder().seed(1).reward_model(has_model).build().unwrap();
        let refused = job.evaluate(&some, Target::Table(&table));
        assert!(matches!(refused, Err(JobError::Estimate(EstimateError::NotOnOffer { action: 2, .. }))));
    }
}

#[test]
fn a_watcher_ends_a_judgement() {
    let log = log(&world(&[0.3, 0.7], &[0.3, 0.6], 400), 7);
    let (job, uniform) = (plain().reward_model(true).build().unwrap(), Uniform::new(2).unwrap());
    for last in [1, 7] {
        let mut asked = 0;
        let found = job.evaluate_watched(&log, Target::Policy(&uniform), &mut || {
            asked += 1;
            if asked >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(found, Err(JobError::Interrupted));
        assert_eq!(asked, last);
    }
    let targets = [Target::Policy(&uniform), Target::Logged];
    let found = job.compare_watched(&log, &targets, &mut || ControlFlow::Break(()));
    assert_eq!(found, Err(JobError::Interrupted));
}

/// One propensity that is far too small makes any log seem to pay.
#[test]
fn a_log_that_rests_on_one_row_shows_nothing() {
    let (n, mut rng) = (2_000, ChaCha8Rng::seed_from_u64(5));
    let contexts = RowMatrix::dense(1, vec![0.0; n]).unwrap();
    let actions: Vec<u32> = (0..n).map(|_| rng.random_range(0..3)).collect();
    let mut rewards: Vec<f64> = (0..n).map(|_| f64::from(u8::from(rng.random_bool(0.3)))).collect();
    let mut propensities = vec![1.0 / 3.0; n];
    (propensities[7], rewards[7]) = (1e-8, 1.0);
    let log = Log::new(contexts, 3, actions, propensities, Rewards(rewards)).unwrap();
    let job = JudgeJob::builder().reward_range([0.0, 1.0]).build().unwrap();
    let uniform = Uniform::new(3).unwrap();
    let found = job.evaluate(&log, Target::Policy(&uniform)).unwrap();
    let Verdict::CannotAnswer(reasons) = &found.verdict else { panic!("{:?}", found.verdict) };
    assert!(matches!(reasons[..], [Reason::FewEffectiveRows { .. }]), "{reasons:?}");
    let job = JudgeJob::builder().own_log(true).build().unwrap();
    let found = job.evaluate(&log, Target::Logged).unwrap();
    assert!(matches!(&found.verdict, Verdict::CannotAnswer(reasons) if reasons.contains(&Reason::OwnLog)));
}

/// Where most rows earn the most there is, a policy that never fails has earned in every row.
#[test]
fn a_policy_that_always_earns_the_commonest_reward_is_answered_for() {
    let mut rng = ChaCha8Rng::seed_from_u64(43);
    let n = 4_000;
    let contexts = RowMatrix::dense(1, vec![0.0; n]).unwrap();
    let actions: Vec<u32> = (0..n).map(|_| rng.random_range(0..3)).collect();
    for [success, failure] in [[1.0, 0.0], [0.0, -1.0]] {
        let mut pays = |a: &u32| if *a == 0 || rng.random_bool(0.97) { success } else { failure };
        let rewards = Rewards(actions.iter().map(&mut pays).collect());
        let log = Log::new(contexts.clone(), 3, actions.clone(), vec![1.0 / 3.0; n], rewards).unwrap();
        let best = Argmax::new(Tabular::new(1, vec![1.0, 0.0, 0.0]).unwrap());
        let found = JudgeJob::builder().build().unwrap().evaluate(&log, Target::Policy(&best)).unwrap();
        assert!(!matches!(found.verdict, Verdict::CannotAnswer(_)), "{:?}", found.verdict);
    }
}

/// A bound is the estimate less what each part of the certificate costs.
#[test]
fn the_terms_of_a_bound_add_up_to_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(41);
    for world in worlds() {
        let rows = world.draw(&mut rng);
        let range = [world.low, world.high];
        let tuning = Tuning::on(&world.draw(&mut rng), rows.len(), range, DELTA).unwrap();
        assert!(tuning.is_some());
        for tuning in [None, tuning] {
            let found = bounds(&rows, range, DELTA, tuning).unwrap();
            for bound in found {
                let (terms, name) = (bound.terms.unwrap(), world.name);
                let BoundTerms { estimate, weights, spread, confidence, tried, propensities } = terms;
                let n = rows.len() as f64;
                let ips: f64 = rows.iter().map(|row| row.target / row.propensity * row.reward / n).sum();
                let mean: f64 = rows.iter().map(|row| row.reward / n).sum();
                // D has r − l for r, and weights of mean 1 do not see the difference.
                let weight: f64 = rows.iter().map(|row| row.target / row.propensity / n).sum();
                let expected = ips - mean - (weight - 1.0) * world.low;
                assert!((estimate - expected).abs() < 1e-9, "{name}: {estimate} {expected}");
                let sum = estimate - weights - spread - confidence - tried;
                assert!((sum - bound.lower).abs() < 1e-9, "{name}: {terms:?} {bound:?}");
                for (cost, is_free) in [
                    (weights, false),
                    (spread, bound.method == BoundMethod::LogarithmicSmoothing),
                    (confidence, false),
                    (tried, tuning.is_some()),
                ] {
                    assert!(cost >= -1e-12 && (!is_free || cost.abs() < 1e-12), "{name}: {terms:?}");
                }
                assert!(confidence > 0.0 && propensities == 0.0);
            }
        }
    }
}

/// What was saved before bounds had terms is read, and written as it was.
#[test]
fn bounds_without_terms_are_read() {
    let old = r#"{"method":"empirical_bernstein","lower":0.25,"delta":0.05,"setting":8.0,"tried":3}"#;
    let bound: Bound = serde_json::from_str(old).unwrap();
    assert_eq!((bound.terms, serde_json::to_string(&bound).unwrap()), (None, old.to_owned()));
}
