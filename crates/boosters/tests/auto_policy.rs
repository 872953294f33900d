//! The recipe: what it chooses, what it rests on, and what changes nothing.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

use boosters::Threads;
use boosters::auto_policy::{
    AutoCheckpoint, AutoFit, AutoPolicy, BoostedRewards, Objective, Overrides, Progress, Snapshot, Tried,
};
use boosters::bopl::{BoplError, Member};
use off_policy::estimators::RewardModel;
use off_policy::policies::{Argmax, Policy, Scores};
use off_policy::{ActionSet, ActionSets, Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use std::ops::ControlFlow;
use weak_learners::pairs::PairTree;

const ACTIONS: usize = 4;

/// The right action of a context in [−1, 1]²: its quadrant.
fn right(x: &[f64]) -> usize {
    usize::from(x[0] > 0.0) + 2 * usize::from(x[1] > 0.0)
}

/// A synthetic log of an even policy that is paid 1 with probability 0.9 for the quadrant and 0.1 for
/// another.
fn log(n: usize, seed: u64) -> Log {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let contexts: Vec<f64> = (0..2 * n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let actions: Vec<u32> = (0..n).map(|_| rng.random_range(0..4)).collect();
    let paid = |(x, a): (&[f64], &u32)| if *a as usize == right(x) { 0.9 } else { 0.1 };
    let chances: Vec<f64> = contexts.chunks(2).zip(&actions).map(paid).collect();
    let rewards = chances.into_iter().map(|chance| f64::from(u8::from(rng.random_bool(chance)))).collect();
    let contexts = RowMatrix::dense(2, contexts).unwrap();
    Log::new(contexts, ACTIONS, actions, vec![0.25; n], Rewards(rewards)).unwrap()
}

/// The expected reward of the argmax policy on fresh contexts.
fn true_value(fit: &AutoFit) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let policy = Argmax::new(fit.ensemble.clone());
    let mut pi = [0.0; ACTIONS];
    let mut of_row = || {
        let x = [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)];
        let row = rows::Row::dense(&x).unwrap();
        policy.probabilities(row, ActionSet::all(ACTIONS).unwrap(), &mut pi).unwrap();
        if pi[right(&x)] == 1.0 { 0.9 } else { 0.1 }
    };
    (0..2000).map(|_| of_row()).sum::<f64>() / 2000.0
}

fn recipe(candidates: usize) -> AutoPolicy {
    AutoPolicy::builder().candidates(candidates).rounds(60).seed(3).build().unwrap()
}

fn go_on(_: &Tried) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn it_finds_a_policy_and_says_what_it_is_worth() {
    let fit = recipe(5).fit(&log(1500, 1), go_on).unwrap();
    let winner = &fit.tried[fit.chosen];
    assert_eq!(fit.tried.len(), 5);
    assert!(fit.tried.iter().all(|tried| tried.value.value <= winner.value.value), "{:?}", fit.tried);
    let objectives: Vec<Objective> = fit.tried.iter().map(|tried| tried.candidate.objective).collect();
    for objective in [Objective::Surrogate, Objective::DoublyRobust, Objective::RewardRegression] {
        assert!(objectives.contains(&objective), "{objectives:?}");
    }
    // Every candidate plays until Ση = 2, and no round before Ση = 5 wins.
    let path = |rounds: usize, tried: &Tried| rounds as f64 * tried.candidate.learning_rate;
    assert!(fit.tried.iter().all(|tried| path(tried.rounds, tried) >= 2.0), "{:?}", fit.tried);
    assert!(path(winner.best_round, winner) >= 5.0, "{winner:?}");
    for Tried { curve, rounds, best_round, value, .. } in &fit.tried {
        let best = curve.iter().find(|(round, _)| round == best_round).unwrap().1;
        assert!((best - value.value).abs() <= 1e-6 * best, "{curve:?}");
        assert_eq!((curve[0].0, curve[curve.len() - 1].0), (0, *rounds));
    }
    // The mean of four trainings, with steps of at most a learning rate.
    let alphas: Vec<f64> = fit.ensemble.members().iter().map(|member| member.alpha).collect();
    assert_eq!(alphas.len(), 4 * winner.best_round);
    assert!(alphas.iter().all(|alpha| alpha.abs() <= winner.candidate.learning_rate / 4.0 + 1e-15));
    // Each training has drawn other rows and columns.
    let trainings: Vec<_> = fit.ensemble.members().chunks(winner.best_round).collect();
    assert!(trainings.iter().skip(1).all(|other| *other != trainings[0]));
    // An even policy has 0.3, the best one 0.9. The winner's value is a little optimistic.
    let value = true_value(&fit);
    assert!(value > 0.8, "{value}");
    let (found, error) = (winner.value.value, winner.value.standard_error.unwrap());
    assert!((found - value).abs() < 4.0 * error, "{found} ± {error}, truly {value}");
}

/// A winner without a better round has waited until Ση = 15 at least, and is over long before the last round.
#[test]
fn a_winner_is_waited_for() {
    let recipe = AutoPolicy::builder().candidates(1).rounds(5_000).seed(3).build().unwrap();
    for seed in 0..6 {
        let fit = recipe.fit(&log(100, seed), go_on).unwrap();
        let winner = &fit.tried[fit.chosen];
        // Patience alone would have ended some of them at Ση = 12.9.
        let path = winner.rounds as f64 * winner.candidate.learning_rate;
        assert!((15.0..62.0).contains(&path), "{winner:?}");
    }
}

/// Labels without a rule: no policy is worth more than another, and the estimate does not say so.
#[test]
fn nothing_is_promised_where_nothing_can_be_learnt() {
    let real = log(1500, 2);
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let noise = Rewards((0..1500).map(|_| f64::from(u8::from(rng.random_bool(0.5)))).collect());
    let contexts = real.contexts().clone();
    let noise = Log::new(contexts, ACTIONS, real.logged_actions().to_vec(), vec![0.25; 1500], noise).unwrap();
    let fit = recipe(5).fit(&noise, go_on).unwrap();
    let Tried { value, .. } = &fit.tried[fit.chosen];
    // Rows that a candidate was trained on would say 0.9 and more.
    assert!(value.value < 0.5 + 4.0 * value.standard_error.unwrap(), "{value:?}");
}

#[test]
fn the_unit_of_the_rewards_changes_nothing() {
    let of = |scale: f64, shift: f64| {
        let log = log(400, 4);
        let rewards = Rewards(log.rewards().iter().map(|r| scale * r + shift).collect());
        let (contexts, actions) = (log.contexts().clone(), log.logged_actions().to_vec());
        let log = Log::new(contexts, ACTIONS, actions, vec![0.25; 400], rewards).unwrap();
        recipe(3).fit(&log, go_on).unwrap()
    };
    let plain = of(1.0, 0.0);
    for (scale, shift) in [(1024.0, 0.0), (0.125, -4.0), (4.0, 64.0)] {
        let other = of(scale, shift);
        assert_eq!((other.chosen, &other.ensemble), (plain.chosen, &plain.ensemble), "{scale}, {shift}");
        let [a, b] = [&plain, &other].map(|fit| fit.tried[fit.chosen].value);
        assert!((b.value - (scale * a.value + shift)).abs() < 1e-9 * scale.max(shift.abs()));
        assert!((b.standard_error.unwrap() - scale * a.standard_error.unwrap()).abs() < 1e-9 * scale);
    }
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    // More pairs than the threshold for threads, and so many rows that one fold is held out.
    let log = log(12_000, 5);
    let fit = |threads: usize, seed: u64| {
        let recipe = AutoPolicy::builder().candidates(2).rounds(4).seed(seed).build().unwrap();
        Threads::exactly(threads).unwrap().run(|| recipe.fit(&log, go_on).unwrap()).unwrap()
    };
    let alone = fit(1, 3);
    for threads in [2, 4] {
        let other = fit(threads, 3);
        assert_eq!((&other.ensemble, &other.tried), (&alone.ensemble, &alone.tried), "{threads} threads");
    }
    assert_ne!(fit(1, 4).ensemble, alone.ensemble);
}

/// One fold of five is held out at first, and all of them for the best candidates.
#[test]
fn the_best_of_a_large_log_are_valued_on_all_of_it() {
    let log = log(10_000, 5);
    let recipe = AutoPolicy::builder().candidates(2).rounds(4).seed(3).build().unwrap();
    let mut seen = Vec::new();
    let fit = recipe.fit(&log, |tried| {
        seen.push((tried.candidate, tried.value));
        ControlFlow::Continue(())
    });
    let fit = fit.unwrap();
    let winner = &fit.tried[fit.chosen];
    let of_winner = seen.iter().filter(|(candidate, _)| *candidate == winner.candidate);
    let errors: Vec<f64> = of_winner.map(|(_, value)| value.standard_error.unwrap()).collect();
    // After the first rounds, at its end, and after each of four folds.
    assert_eq!(errors.len(), 6);
    let last = errors.windows(2).skip(1);
    assert!(last.map(|pair| pair[1] / pair[0]).all(|ratio| ratio < 0.95), "{errors:?}");
    assert!((errors[5] * 5.0_f64.sqrt() / errors[1] - 1.0).abs() < 0.1, "{errors:?}");
    // A watcher that ends it keeps the folds so far.
    let mut calls = 0;
    let stopped = recipe.fit(&log, |_| {
        calls += 1;
        if calls > 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let stopped = stopped.unwrap();
    let error = stopped.tried[stopped.chosen].value.standard_error.unwrap();
    assert!(error < 0.8 * errors[1] && error > 1.2 * errors[5], "{error}, {errors:?}");
}

/// Rewards without a rule: the best candidate of the first fold is not the best one of all folds.
#[test]
fn the_winner_of_a_large_log_is_the_best_of_all_folds() {
    let real = log(10_000, 5);
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let noise = Rewards((0..10_000).map(|_| f64::from(u8::from(rng.random_bool(0.5)))).collect());
    let (contexts, actions) = (real.contexts().clone(), real.logged_actions().to_vec());
    let noise = Log::new(contexts, ACTIONS, actions, vec![0.25; 10_000], noise).unwrap();
    let recipe = AutoPolicy::builder().candidates(5).rounds(2).seed(0).build().unwrap();
    let mut seen: Vec<Tried> = Vec::new();
    let fit = recipe.fit(&noise, |tried| {
        seen.push(tried.clone());
        ControlFlow::Continue(())
    });
    let fit = fit.unwrap();
    // A finalist is seen after its first rounds, at its end, and after each of four folds.
    let values_of = |tried: &Tried| -> Vec<f64> {
        seen.iter().filter(|one| one.candidate == tried.candidate).map(|one| one.value.value).collect()
    };
    let values: Vec<Vec<f64>> = fit.tried.iter().map(values_of).collect();
    let finalists: Vec<&Vec<f64>> = values.iter().filter(|values| values.len() == 6).collect();
    let winner = &values[fit.chosen];
    assert!(finalists.iter().all(|values| values[5] <= winner[5]), "{values:?}");
    assert!(finalists.iter().any(|values| values[1] > winner[1]), "the further folds changed nothing");
}

#[test]
fn a_watcher_ends_the_search_with_the_best_so_far() {
    let log = log(300, 6);
    let mut seen = 0;
    let fit = recipe(5).fit(&log, |_| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let fit = fit.unwrap();
    assert_eq!((seen, fit.tried.len()), (2, 2));
    assert!(!fit.ensemble.is_empty());
}

/// The first half of the rows offers two actions, and the policy stays among them.
#[test]
fn actions_that_are_not_on_offer_are_left_alone() {
    let full = log(600, 7);
    let offered = |i: usize| -> Vec<u32> {
        let logged = full.logged_actions()[i];
        if i < 300 {
            vec![logged.min((logged + 1) % 4), logged.max((logged + 1) % 4)]
        } else {
            vec![0, 1, 2, 3]
        }
    };
    let sets = ActionSets::new(ACTIONS, (0..600).map(offered).collect::<Vec<_>>()).unwrap();
    let fit = recipe(3).fit(&full.clone().with_action_sets(sets).unwrap(), go_on).unwrap();
    let mut scores = [0.0; ACTIONS];
    fit.ensemble.scores(full.row(0).unwrap().context, &mut scores).unwrap();
    assert!(scores.iter().all(|score| score.is_finite()));
    assert!(true_value(&fit) > 0.6);
}

/// Two of four actions are on offer, and half of the rows lack the one that pays.
#[test]
fn the_value_is_that_of_the_actions_on_offer() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let n = 1_200;
    let contexts: Vec<f64> = (0..2 * n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let pairs: Vec<[u32; 2]> = (0..n)
        .map(|_| {
            let (a, other) = (rng.random_range(0..4_u32), rng.random_range(1..4_u32));
            let b = (a + other) % 4;
            [a.min(b), a.max(b)]
        })
        .collect();
    let actions: Vec<u32> = pairs.iter().map(|pair| pair[rng.random_range(0..2)]).collect();
    let chance = |x: &[f64], a: u32| if a as usize == right(x) { 0.9_f64 } else { 0.1 };
    let best = contexts.chunks(2).zip(&pairs).map(|(x, pair)| chance(x, pair[0]).max(chance(x, pair[1])));
    let best = best.sum::<f64>() / n as f64;
    let rewards = contexts.chunks(2).zip(&actions);
    let rewards = rewards.map(|(x, a)| f64::from(u8::from(rng.random_bool(chance(x, *a))))).collect();
    let contexts = RowMatrix::dense(2, contexts).unwrap();
    let log = Log::new(contexts, ACTIONS, actions, vec![0.5; n], Rewards(rewards)).unwrap();
    let log = log.with_action_sets(ActionSets::new(ACTIONS, pairs).unwrap()).unwrap();
    let fit = recipe(2).fit(&log, go_on).unwrap();
    let value = fit.tried[fit.chosen].value;
    // The best policy among the offered actions has 0.5. Without the sets, a model would promise 0.9.
    assert!(value.value < best + 3.0 * value.standard_error.unwrap(), "{value:?}, at most {best}");
    assert!(value.value > best - 0.15, "{value:?}, at most {best}");
}

#[test]
fn bad_settings_and_short_logs_are_refused() {
    for (builder, name) in [
        (AutoPolicy::builder().candidates(0), "candidates"),
        (AutoPolicy::builder().candidates(1001), "candidates"),
        (AutoPolicy::builder().rounds(0), "rounds"),
        (AutoPolicy::builder().rounds(100_001), "rounds"),
    ] {
        assert!(matches!(builder.build(), Err(BoplError::BadParameter { name: found, .. }) if found == name));
    }
    let refused = recipe(1).fit(&log(9, 1), go_on);
    assert!(matches!(refused, Err(BoplError::BadParameter { name: "rows of the log", .. })));
    assert!(recipe(2).fit(&log(10, 1), go_on).is_ok());
    // One reward for all: every policy is as good as another.
    let flat = log(50, 1);
    let (contexts, actions) = (flat.contexts().clone(), flat.logged_actions().to_vec());
    let flat = Log::new(contexts, ACTIONS, actions, vec![0.25; 50], Rewards(vec![7.0; 50])).unwrap();
    let fit = recipe(3).fit(&flat, go_on).unwrap();
    assert!((fit.tried[fit.chosen].value.value - 7.0).abs() < 1e-9);
}

#[test]
fn one_action_and_huge_rewards_do_no_harm() {
    let plain = log(40, 1);
    let contexts = plain.contexts().clone();
    let one = Log::new(contexts.clone(), 1, vec![0; 40], vec![1.0; 40], Rewards(plain.rewards().to_vec()));
    let fit = recipe(3).fit(&one.unwrap(), go_on).unwrap();
    let mean = plain.rewards().iter().sum::<f64>() / 40.0;
    assert!((fit.tried[fit.chosen].value.value - mean).abs() < 1e-9);
    let actions = plain.logged_actions().to_vec();
    let rewards = Rewards(plain.rewards().iter().map(|r| 1e140 * (2.0 * r - 1.0)).collect());
    let huge = Log::new(contexts, ACTIONS, actions, vec![0.25; 40], rewards);
    let fit = recipe(3).fit(&huge.unwrap(), go_on).unwrap();
    assert!(fit.tried.iter().all(|tried| tried.value.value.abs() < 1e141));
}

#[test]
fn a_watcher_of_every_round_changes_nothing_until_it_ends_something() {
    let log = log(400, 4);
    let plain = recipe(3).fit(&log, go_on).unwrap();
    let (mut searched, mut trained, mut models) = (0, 0, 0);
    let watched = recipe(3).fit_watched(&log, |progress| {
        match progress {
            Progress::Search { plan, rows, .. } => {
                assert_eq!((plan.rows, rows), (400, 4 * 400));
                searched += 1;
            }
            Progress::Training { done, planned, .. } => {
                trained += 1;
                assert_eq!((done, planned), (trained, plain.rounds_planned));
            }
            Progress::RewardModel { .. } => models += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    });
    let watched = watched.unwrap();
    assert_eq!((&watched.ensemble, &watched.tried), (&plain.ensemble, &plain.tried));
    assert_eq!((trained, plain.rounds_trained), (plain.ensemble.len(), plain.ensemble.len()));
    assert!(searched > 50 && models > 5 && !watched.is_search_cut && !watched.is_training_cut);

    // Five rounds of the second training are left out; those of the first one are kept.
    let half = |most: usize| {
        let fit = recipe(3).fit_watched(&log, |progress| match progress {
            Progress::Training { done, .. } if done == most => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        fit.unwrap()
    };
    let once = plain.rounds_planned / 4;
    let (whole, part) = (half(once + 5), half(once - 1));
    assert!(whole.is_training_cut && !whole.is_of_search && whole.ensemble.len() == once);
    let members = plain.ensemble.members().iter().take(once);
    let is_same = |(a, b): (&Member<PairTree>, &Member<PairTree>)| {
        a.predictor == b.predictor && (a.alpha - 4.0 * b.alpha).abs() < 1e-15
    };
    assert!(whole.ensemble.members().iter().zip(members).all(is_same));
    // The search came one round further than that.
    assert!(part.is_of_search && part.ensemble.len() == once, "{}", part.ensemble.len());

    // A search that ends before anything can win is followed by a training to Ση = 5.
    let early = recipe(3).fit_watched(&log, |progress| match progress {
        Progress::Search { round: 1, .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let early = early.unwrap();
    let Tried { candidate, rounds, .. } = early.tried[early.chosen];
    assert!(early.is_search_cut && early.tried.len() == 1 && rounds == 1);
    assert_eq!(
        early.rounds_planned,
        4 * ((1..).find(|t| f64::from(*t) * candidate.learning_rate >= 5.0).unwrap_or(0_u16) as usize)
    );
    assert_eq!(early.ensemble.len(), early.rounds_planned);
}

#[test]
fn settings_of_every_candidate_leave_the_others_to_the_recipe() {
    let log = log(300, 6);
    let overrides = Overrides { learning_rate: Some(0.2), columns: Some(1.0), ..Overrides::default() };
    let recipe = AutoPolicy::builder().candidates(9).rounds(3).overrides(overrides).build().unwrap();
    let fit = recipe.fit(&log, go_on).unwrap();
    assert!(fit.tried.iter().all(|t| t.candidate.learning_rate == 0.2 && t.candidate.columns == 1.0));
    let depths: Vec<u32> = fit.tried.iter().map(|t| t.candidate.max_depth).collect();
    assert!(depths.iter().any(|depth| *depth != depths[0]), "{depths:?}");
    // An objective that needs no translation has none, and one that does has one.
    for (objective, is_translated) in [(Objective::Ips, true), (Objective::DoublyRobust, false)] {
        let overrides = Overrides { objective: Some(objective), ..Overrides::default() };
        let recipe = AutoPolicy::builder().candidates(9).rounds(2).overrides(overrides).build().unwrap();
        let fit = recipe.fit(&log, go_on).unwrap();
        let of = |t: &Tried| {
            t.candidate.objective == objective && (t.candidate.translation != 0.0) == is_translated
        };
        assert!(fit.tried.iter().all(of), "{:?}", fit.tried);
    }
    // b holds for the objectives that have one, whatever was drawn.
    let overrides = Overrides { translation: Some(-0.7), ..Overrides::default() };
    let recipe = AutoPolicy::builder().candidates(9).rounds(2).overrides(overrides).build().unwrap();
    let fit = recipe.fit(&log, go_on).unwrap();
    for Tried { candidate, .. } in &fit.tried {
        let has_one = matches!(candidate.objective, Objective::Ips | Objective::Surrogate);
        assert_eq!(candidate.translation, if has_one { -0.7 } else { 0.0 });
    }
    let refused = Overrides { translation: Some(f64::NAN), ..Overrides::default() };
    assert!(AutoPolicy::builder().overrides(refused).build().is_err());
    let refused = Overrides { max_depth: Some(0), ..Overrides::default() };
    let refused = AutoPolicy::builder().overrides(refused).build();
    assert!(matches!(refused, Err(BoplError::BadParameter { name: "max_depth", .. })));
}

/// Scores, probabilities and rewards of many rows at once are those of the rows one by one, in a pool and
/// without one.
#[test]
fn many_rows_at_once_are_the_rows_one_by_one() {
    let (log, rows) = (log(20_000, 8), 20_000_u32);
    let n = log.len();
    let sets = ActionSets::new(ACTIONS, (0..rows).map(|i| [i % 4, (i + 1 + i % 2) % 4])).unwrap();
    let first: Vec<u32> = (0..rows).map(|i| i % 4).collect();
    let offered =
        Log::new(log.contexts().clone(), ACTIONS, first, vec![0.5; n], Rewards(log.rewards().to_vec()));
    let offered = offered.unwrap().with_action_sets(sets).unwrap();
    let ensemble = recipe(1).fit(&self::log(300, 8), go_on).unwrap().ensemble;
    let model = BoostedRewards::fit(&self::log(400, 9), 1, |_| ControlFlow::Continue(())).unwrap();
    let policy = Argmax::new(ensemble.clone());
    let (mut scores, mut pi, mut q) = (Vec::new(), Vec::new(), Vec::new());
    for row in offered.iter() {
        let mut own = [0.0; ACTIONS];
        ensemble.scores(row.context, &mut own).unwrap();
        scores.extend(own);
        policy.probabilities(row.context, row.on_offer, &mut own).unwrap();
        pi.extend(own);
        model.rewards(row.context, &mut own).unwrap();
        q.extend(own);
    }
    let from = 77;
    let at_once = || {
        let mut found = [0, 1, 2].map(|_| vec![1.0; (n - from) * ACTIONS]);
        ensemble.scores_of_rows(log.contexts(), from, &mut found[0]).unwrap();
        policy.probabilities_of_rows(&offered, from, &mut found[1]).unwrap();
        model.rewards_of_rows(log.contexts(), from, &mut found[2]).unwrap();
        found
    };
    let expected = [scores, pi, q].map(|all| all[from * ACTIONS..].to_vec());
    assert_eq!(at_once(), expected);
    assert_eq!(Threads::exactly(3).unwrap().run(at_once).unwrap(), expected);
    let other = RowMatrix::dense(3, vec![0.0; 6]).unwrap();
    assert!(ensemble.scores_of_rows(&other, 0, &mut [0.0; 8]).is_err());
}

/// A state of a search as a file.
fn file(snapshot: &Snapshot<'_>) -> String {
    serde_json::to_string(&snapshot.checkpoint()).unwrap()
}

fn assert_same(found: &AutoFit, expected: &AutoFit) {
    assert_eq!(found.ensemble, expected.ensemble);
    assert_eq!((found.chosen, &found.tried), (expected.chosen, &expected.tried));
    let cuts =
        |fit: &AutoFit| (fit.is_search_cut, fit.is_training_cut, fit.rounds_planned, fit.rounds_trained);
    assert_eq!(cuts(found), cuts(expected));
}

/// The kind of an event, and every which of its kind is a moment to stop at.
fn kind(progress: &Progress<'_>, searches: usize) -> (usize, usize) {
    match progress {
        Progress::RewardModel { .. } | Progress::Predicted { .. } => (0, 20 * searches + 1),
        Progress::Search { .. } => (1, searches),
        Progress::Tried(_) => (2, 3),
        _ => (3, searches),
    }
}

/// Stops within a model of rewards, within a race, between two candidates, and in a training.
fn assert_resumable(recipe: AutoPolicy, log: &Log, searches: usize) {
    let (mut files, mut of_kind) = (Vec::new(), [0; 4]);
    let fit = recipe.fit_resumable(log, None, |progress, snapshot| {
        let (kind, every) = kind(&progress, searches);
        of_kind[kind] += 1;
        if of_kind[kind] % every == 1 {
            files.push((kind, of_kind, file(snapshot)));
        }
        ControlFlow::Continue(())
    });
    let fit = fit.unwrap();
    let count = |kind| files.iter().filter(|file| file.0 == kind).count();
    assert!(
        [0, 1, 2, 3].map(count).iter().all(|count| (1..30).contains(count)),
        "{:?}",
        [0, 1, 2, 3].map(count)
    );
    for (kind, before, file) in files {
        let from = serde_json::from_str(&file).unwrap();
        let mut again = [0; 4];
        let resumed = recipe.fit_resumable(log, Some(from), |progress, _| {
            again[self::kind(&progress, searches).0] += 1;
            ControlFlow::Continue(())
        });
        assert_same(&resumed.unwrap(), &fit);
        // No round is played again: a round of the search is shown before it is played, one of the training
        // after it.
        let shown_again = usize::from(kind == 1);
        assert_eq!(again[1], of_kind[1] - before[1] + shown_again, "{kind}: {before:?} of {of_kind:?}");
        assert_eq!(again[3], of_kind[3] - before[3], "{kind}: {before:?} of {of_kind:?}");
    }
}

#[test]
fn a_search_goes_on_where_it_stopped() {
    let recipe = AutoPolicy::builder().candidates(5).rounds(16).seed(3).build().unwrap();
    assert_resumable(recipe, &log(400, 11), 13);
    // Another objective, whose runs are of another kind, wins.
    let overrides = Overrides { objective: Some(Objective::RewardRegression), ..Overrides::default() };
    assert_resumable(
        AutoPolicy::builder().candidates(2).rounds(9).overrides(overrides).build().unwrap(),
        &log(300, 12),
        5,
    );
    let overrides = Overrides { objective: Some(Objective::DoublyRobust), ..Overrides::default() };
    assert_resumable(
        AutoPolicy::builder().candidates(2).rounds(9).overrides(overrides).build().unwrap(),
        &log(300, 13),
        5,
    );
}

/// A large log has one fold at first, and further ones for the finalists.
#[test]
fn a_search_on_a_large_log_goes_on_where_it_stopped() {
    let recipe = AutoPolicy::builder().candidates(2).rounds(5).seed(3).build().unwrap();
    assert_resumable(recipe, &log(10_000, 14), 9);
}

/// A search that a watcher ended stays ended, and its training goes on.
#[test]
fn a_training_after_a_search_that_was_ended_goes_on() {
    let (recipe, log) = (recipe(4), log(400, 15));
    let mut saved = String::new();
    let cut = recipe.fit_resumable(&log, None, |progress, snapshot| match progress {
        Progress::Search { candidate: 2, round: 5, .. } => ControlFlow::Break(()),
        Progress::Training { done: 7, .. } => {
            saved = file(snapshot);
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Continue(()),
    });
    let cut = cut.unwrap();
    assert!(cut.is_search_cut && !cut.is_training_cut);
    let mut is_searched = false;
    let from = serde_json::from_str(&saved).unwrap();
    let resumed = recipe.fit_resumable(&log, Some(from), |progress, _| {
        is_searched |= matches!(progress, Progress::Search { .. });
        ControlFlow::Continue(())
    });
    assert_same(&resumed.unwrap(), &cut);
    assert!(!is_searched);
}

/// The same where the search ended in any kind of piece, and the training was saved in any repetition.
#[test]
fn every_training_after_a_search_that_was_ended_goes_on() {
    let kind = |progress: &Progress<'_>| match progress {
        Progress::RewardModel { .. } | Progress::Predicted { .. } => Some(0),
        Progress::Search { .. } => Some(1),
        Progress::Tried(_) => Some(2),
        _ => None,
    };
    // A large log has one fold at first, and further ones for the finalists.
    let short = AutoPolicy::builder().candidates(2).rounds(12).seed(3).build().unwrap();
    for (recipe, log) in [(recipe(3), log(400, 15)), (short, log(10_000, 14))] {
        let mut moments = [const { Vec::new() }; 3];
        let mut count = 0;
        let watch = |progress: Progress<'_>| {
            if let Some(kind) = kind(&progress) {
                moments[kind].push(count);
                count += 1;
            }
            ControlFlow::Continue(())
        };
        recipe.fit_watched(&log, watch).unwrap();
        // The training of a doubly robust winner has models of rewards of its own.
        let last = moments[2].last().copied().unwrap();
        moments.iter_mut().for_each(|of_kind| of_kind.retain(|moment| *moment <= last));
        let mut cuts = 0;
        for end in moments.iter().flat_map(|of_kind| of_kind.iter().step_by(of_kind.len().div_ceil(5))) {
            let (mut seen, mut files) = (0, Vec::new());
            let fit = recipe.fit_resumable(&log, None, |progress, snapshot| {
                if let Progress::Training { done, planned, .. } = progress {
                    // In the first repetition and in the last, and at the end of one.
                    if [2, planned / 4, planned - 1].contains(&done) {
                        files.push(file(snapshot));
                    }
                    return ControlFlow::Continue(());
                }
                seen += usize::from(kind(&progress).is_some());
                if seen == end + 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let fit = fit.unwrap();
            assert!(fit.is_search_cut && !fit.is_training_cut);
            for file in files {
                let from = serde_json::from_str(&file).unwrap();
                let mut is_searched = false;
                let resumed = recipe.fit_resumable(&log, Some(from), |progress, _| {
                    is_searched |= matches!(progress, Progress::Search { .. });
                    ControlFlow::Continue(())
                });
                assert_same(&resumed.unwrap(), &fit);
                assert!(!is_searched, "ended at {end} of {count}");
                cuts += 1;
            }
        }
        assert!(cuts > 20, "{cuts}");
    }
}

/// A watcher that ends all it sees, as after Ctrl-C, ends no search that an earlier run has finished, and
/// loses none of its trainings.
#[test]
fn a_finished_search_is_not_ended_by_who_goes_on() {
    let recipe = AutoPolicy::builder().candidates(3).rounds(12).seed(3).build().unwrap();
    let log = log(400, 15);
    let (mut in_first, mut in_last) = (String::new(), String::new());
    let fit = recipe.fit_resumable(&log, None, |progress, snapshot| {
        match progress {
            Progress::Training { done: 1, .. } => in_first = file(snapshot),
            Progress::Training { done, planned, .. } if done == planned / 4 * 3 + 1 => {
                in_last = file(snapshot);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    let fit = fit.unwrap();
    let go_on = |saved: &str, ends_training: bool| {
        let from = serde_json::from_str(saved).unwrap();
        recipe.fit_resumable(&log, Some(from), |progress, _| match progress {
            Progress::Training { .. } if !ends_training => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        })
    };
    for saved in [&in_first, &in_last] {
        assert_same(&go_on(saved, false).unwrap(), &fit);
    }
    let ended = go_on(&in_last, true).unwrap();
    assert!(ended.is_training_cut && !ended.is_search_cut && !ended.is_of_search);
    assert_eq!(
        (ended.rounds_planned, ended.rounds_trained),
        (fit.rounds_planned, fit.rounds_planned / 4 * 3)
    );
}

/// What a watcher ends before anything of its own is done keeps what the earlier run has done.
#[test]
fn a_resumed_search_that_is_ended_at_once_keeps_what_was_done() {
    let (recipe, log) = (recipe(4), log(400, 15));
    let mut saved = String::new();
    let fit = recipe.fit_resumable(&log, None, |progress, snapshot| {
        if matches!(progress, Progress::Search { candidate: 3, round: 2, .. }) && saved.is_empty() {
            saved = file(snapshot);
        }
        ControlFlow::Continue(())
    });
    let from = serde_json::from_str(&saved).unwrap();
    let ended = recipe.fit_resumable(&log, Some(from), |_, _| ControlFlow::Break(())).unwrap();
    assert!(ended.is_search_cut && ended.tried.len() == 3 && fit.unwrap().tried.len() == 4);
    assert!(ended.tried.iter().all(|tried| tried.rounds > 3), "{:?}", ended.tried);
    assert!(!ended.ensemble.is_empty());
}

#[test]
fn a_saved_search_of_something_else_is_refused() {
    let (recipe, own) = (recipe(3), log(300, 16));
    let mut saved = String::new();
    let watch = |progress: Progress<'_>, snapshot: &Snapshot<'_>| {
        if let Progress::Search { candidate: 2, round: 3, .. } = progress {
            saved = file(snapshot);
        }
        ControlFlow::Continue(())
    };
    recipe.fit_resumable(&own, None, watch).unwrap();
    let refused = |recipe: AutoPolicy, log: &Log, file: &str| {
        let from: AutoCheckpoint = serde_json::from_str(file).unwrap();
        recipe.fit_resumable(log, Some(from), |_, _| ControlFlow::Continue(())).unwrap_err()
    };
    assert_eq!(refused(recipe, &log(300, 17), &saved), BoplError::AnotherLog);
    assert_eq!(refused(self::recipe(4), &own, &saved), BoplError::AnotherRecipe);
    let mut swapped: serde_json::Value = serde_json::from_str(&saved).unwrap();
    swapped["done"].as_array_mut().unwrap().swap(0, 1);
    assert!(matches!(refused(recipe, &own, &swapped.to_string()), BoplError::BrokenSearch { .. }));
    // What no recipe with its settings can have done is refused on loading.
    let value = serde_json::from_str::<serde_json::Value>(&saved).unwrap();
    let value_of_done = value["done"][0]["values"][0].clone();
    for (change, reason) in [
        (("/done/0/values", serde_json::json!([])), "a piece lacks its values"),
        (("/done/0/values", serde_json::json!(vec![value_of_done; 200])), "more rounds than the settings"),
        (("/done/0/piece", serde_json::json!({"start": 3})), "not one of the settings"),
        (("/under_way/piece", serde_json::json!({"follow": {"candidate": 0, "fold": 5}})), "not one of"),
        (
            ("/under_way/piece", serde_json::json!({"bag": {"candidate": 0, "rounds": 5, "bag": 4}})),
            "not one of",
        ),
        (
            ("/under_way/piece", serde_json::json!({"bag": {"candidate": 0, "rounds": 1_000_000, "bag": 0}})),
            "not one of",
        ),
        (("/recipe/0", serde_json::json!(0)), "candidates"),
        (("/recipe/1", serde_json::json!(100_001)), "rounds"),
        (("/recipe/3/learning_rate", serde_json::json!(-1.0)), "learning_rate"),
        (("/search_rows", serde_json::json!(9)), "search_rows"),
        (("/recipe/1", serde_json::json!(2)), "more rounds than the settings"),
        (
            ("/done/0/piece", serde_json::json!({"bag": {"candidate": 0, "rounds": 5, "bag": 0}})),
            "its values",
        ),
        (("/done/1", value["done"][0].clone()), "there twice"),
    ] {
        let mut changed = value.clone();
        let (pointer, to) = change;
        *changed.pointer_mut(pointer).unwrap() = to;
        let refusal = serde_json::from_value::<AutoCheckpoint>(changed).unwrap_err().to_string();
        assert!(refusal.contains(reason), "{pointer}: {refusal}");
    }
    // The runs under way alone, and a training without its trees or with too many.
    let mut runs = value.clone();
    (runs["done"], runs["recipe"][1]) = (serde_json::json!([]), serde_json::json!(2));
    let bag = |rounds: u32, ensemble: &serde_json::Value| {
        let mut changed = runs.clone();
        let piece = serde_json::json!({"bag": {"candidate": 0, "rounds": rounds, "bag": 0}});
        changed["done"] = serde_json::json!([{"piece": piece, "values": [], "ensemble": ensemble}]);
        (changed["recipe"][1], changed["under_way"]) = (value["recipe"][1].clone(), serde_json::Value::Null);
        changed
    };
    let ensemble = &value["under_way"]["runs"][0]["policy"]["ensemble"];
    assert_eq!(ensemble["members"].as_array().unwrap().len(), 3);
    assert!(serde_json::from_value::<AutoCheckpoint>(bag(3, ensemble)).is_ok());
    for (changed, reason) in [
        (runs.clone(), "more rounds than the settings"),
        (bag(2, ensemble), "more rounds than the settings"),
        (bag(3, &serde_json::Value::Null), "a piece lacks its values"),
    ] {
        let refusal = serde_json::from_value::<AutoCheckpoint>(changed).unwrap_err().to_string();
        assert!(refusal.contains(reason), "{refusal}");
    }
    let mut other: serde_json::Value = serde_json::from_str(&saved).unwrap();
    let alpha = &mut other["under_way"]["runs"][1]["policy"]["ensemble"]["members"][0]["alpha"];
    *alpha = serde_json::json!(alpha.as_f64().unwrap() * 2.0);
    assert!(matches!(refused(recipe, &own, &other.to_string()), BoplError::NotReproduced { .. }));
}

/// A search that was saved before its most rows could be chosen has the usual number of them.
#[test]
fn a_search_saved_by_an_older_version_goes_on_with_the_usual_rows() {
    let (recipe, log) = (AutoPolicy::builder().candidates(2).rounds(4).seed(3), log(120, 18));
    let usual = recipe.build().unwrap();
    let mut saved = String::new();
    let fit = usual.fit_resumable(&log, None, |progress, snapshot| {
        if let Progress::Search { candidate: 1, round: 2, .. } = progress {
            saved = file(snapshot);
        }
        ControlFlow::Continue(())
    });
    let mut older: serde_json::Value = serde_json::from_str(&saved).unwrap();
    assert!(older.as_object_mut().unwrap().remove("search_rows").is_some());
    let go_on = |recipe: AutoPolicy| {
        let from: AutoCheckpoint = serde_json::from_value(older.clone()).unwrap();
        recipe.fit_resumable(&log, Some(from), |_, _| ControlFlow::Continue(()))
    };
    assert_same(&go_on(usual).unwrap(), &fit.unwrap());
    let fewer = recipe.search_rows(100).build().unwrap();
    assert_eq!(go_on(fewer).unwrap_err(), BoplError::AnotherRecipe);
}

/// Folds that were saved at different rounds are played again, and nothing else is lost.
#[test]
fn folds_of_different_rounds_are_played_again() {
    let (recipe, log) =
        (AutoPolicy::builder().candidates(2).rounds(8).seed(3).build().unwrap(), log(300, 19));
    let mut saved = Vec::new();
    let fit = recipe.fit_resumable(&log, None, |progress, snapshot| {
        if let Progress::Search { candidate: 1, round: 3 | 5, .. } = progress {
            saved.push(serde_json::from_str::<serde_json::Value>(&file(snapshot)).unwrap());
        }
        ControlFlow::Continue(())
    });
    let fit = fit.unwrap();
    let rounds_shown = |file: &serde_json::Value| {
        let (mut shown, from) = (Vec::new(), serde_json::from_value(file.clone()).unwrap());
        let resumed = recipe.fit_resumable(&log, Some(from), |progress, _| {
            if let Progress::Search { candidate: 1, round, .. } = progress {
                shown.push(round);
            }
            ControlFlow::Continue(())
        });
        assert_same(&resumed.unwrap(), &fit);
        shown[0]
    };
    let (earlier, later) = (&saved[0], saved.last().unwrap());
    assert_eq!((rounds_shown(earlier), rounds_shown(later)), (3, 5));
    let mut uneven = later.clone();
    uneven["under_way"]["runs"][1] = earlier["under_way"]["runs"][1].clone();
    assert!(rounds_shown(&uneven) < 3);
    // So are too few folds.
    let mut fewer = later.clone();
    fewer["under_way"]["runs"].as_array_mut().unwrap().pop();
    assert!(rounds_shown(&fewer) < 3);
}
