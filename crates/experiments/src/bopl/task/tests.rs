//! The parts of a trial, and the independence of its rows.

use super::super::fixtures::{MOST, garbled, task};
use super::*;

/// Every part has its own rows and its own random stream.
#[test]
fn every_part_of_a_trial_has_its_own_rows_and_stream() {
    let (task, explorer) = (task(), Explorer::of(ClassificationName::Scene));
    for (seed, trial) in [(3, 0), (3, 2), (4, 2)] {
        let whole = task.trial(explorer, Some(MOST), seed, trial).unwrap();
        let split = Split::new(task.name.split_plan(400), 400, seed, trial).unwrap();
        let part = |rows: &[usize]| task.part(rows).unwrap();
        let stream = |of| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream((1 << 41) + 2 * u64::from(trial) + of);
            rng
        };
        let labelled = split.logging.iter().copied().filter(|i| !task.data.labels.of(*i).unwrap().is_empty());
        let (contexts, labels) = part(&labelled.collect::<Vec<_>>());
        let policy = explorer.train(&contexts, &labels, &mut stream(0)).unwrap();
        let (contexts, labels) = part(&split.target[..MOST.log]);
        let log = to_bandit(contexts, &labels, &task.structure, &policy, &mut stream(1)).unwrap();
        assert_eq!(whole.log.logged_actions(), log.logged_actions());
        assert_eq!((whole.log.propensities(), whole.log.rewards()), (log.propensities(), log.rewards()));
        assert!(whole.contexts.matrix().iter().zip(log.contexts().iter()).all(|(a, b)| a == b));
        let least = log.propensities().iter().copied().reduce(f64::min);
        assert_eq!(Some(whole.least_propensity), least);
        for (held_out, rows) in [(&whole.validation, &split.validation), (&whole.test, &split.test)] {
            let (contexts, labels) = part(&rows[..MOST.held_out.min(rows.len())]);
            let logging = expected_reward(&policy, &contexts, &labels, &task.structure).unwrap();
            assert_eq!(held_out.logging.to_bits(), logging.to_bits());
            assert!(held_out.contexts.iter().zip(contexts.iter()).all(|(a, b)| a.to_dense() == b.to_dense()));
            let rewards = labels.iter().flat_map(|labels| {
                (0..labels_of(&task)).map(|action| task.structure.reward(labels, action)).collect::<Vec<_>>()
            });
            assert_eq!(held_out.rewards, rewards.collect::<Vec<_>>());
        }
    }
}

fn labels_of(task: &Task) -> usize {
    task.data.labels.classes()
}

/// One stream per seed, trial and part, different from the streams of the splits and of the search.
#[test]
fn every_draw_has_its_own_stream() {
    use rand::Rng;
    let mut seen = Vec::new();
    for (seed, trial, of) in
        [(3, 0, 0), (3, 0, 1), (3, 1, 0), (3, 1, 1), (3, 2, 0), (3, 2, 1), (4, 0, 0), (4, 0, 1)]
    {
        seen.push(stream(seed, trial, of).next_u64());
    }
    for others in (0..8).chain((0..40).map(|of| (1 << 42) + of)) {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        rng.set_stream(others);
        seen.push(rng.next_u64());
    }
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), all);
}

/// Validation labels are for choices: neither the log nor the report depends on them.
#[test]
fn no_validation_label_reaches_the_log_or_the_report() {
    let split = Split::new(task().name.split_plan(400), 400, 3, 1).unwrap();
    let draw = |task: &Task| task.trial(Explorer::of(task.name), Some(MOST), 3, 1).unwrap();
    let (told, garbled) = (draw(&task()), draw(&garbled(task(), &split.validation)));
    assert_eq!((&told.log, &told.contexts), (&garbled.log, &garbled.contexts));
    assert_eq!(told.test.logging.to_bits(), garbled.test.logging.to_bits());
    assert_eq!(told.test.rewards, garbled.test.rewards);
    assert_ne!(told.validation.logging.to_bits(), garbled.validation.logging.to_bits());
    assert_ne!(told.validation.rewards, garbled.validation.rewards);
}

#[test]
fn the_reward_is_that_of_the_best_score() {
    let contexts = RowMatrix::dense(1, vec![0.0; 3]).unwrap();
    let labels = LabelSets::new(3, [&[0][..], &[2], &[0, 1]]).unwrap();
    let structure = RewardStructure::one_of_the_labels(3).unwrap();
    let rows = Rewarded::new(&contexts, &labels, &structure, 0.0).unwrap();
    assert_eq!(rows.rewards, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
    // The best actions are 0, 1 and 2; only the first earns a reward.
    let scores = [0.5, -1.0, 0.25, -3.0, -1.0, -2.0, 0.0, 1.0, 2.0];
    assert!((rows.reward(&scores) - 1.0 / 3.0).abs() < 1e-15);
    let table = [1.0, 8.0, 8.0, 8.0, 2.0, 8.0, 8.0, 8.0, 6.0];
    assert_eq!(rows.mean(&table, &scores), 3.0);
    // Initial scores are 0 and select the first action.
    assert!((rows.reward(&rows.no_scores()) - 2.0 / 3.0).abs() < 1e-15);
}

#[test]
fn the_reward_of_a_logging_policy_is_that_of_the_trial() {
    let name = ClassificationName::Scene;
    let task = Task::load(name, &SearchPath::nowhere(), StandIn { seed: 3, rows: Some(400) }).unwrap();
    let most = Some(MostRows { log: 100, held_out: 60 });
    for (trial, epsilon) in [(0, 0.1), (2, 0.5)] {
        let explorer = Explorer { epsilon, ..Explorer::of(name) };
        let alone = task.logging_reward(explorer, most, 3, trial).unwrap();
        let whole = task.trial(explorer, most, 3, trial).unwrap();
        assert_eq!(alone.to_bits(), whole.validation.logging.to_bits());
        assert_ne!(alone.to_bits(), whole.test.logging.to_bits());
    }
}
