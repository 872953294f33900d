//! The parts of a trial, and the independence of its rows.

use super::super::fixtures::{MOST, garbled, task};
use super::super::methods::is_large;
use super::*;

/// Every part has its own rows and its own random stream.
#[test]
fn every_part_of_a_trial_has_its_own_rows_and_stream() {
    let (task, explorer) = (task(), Explorer::of(TaskName::Scene));
    for (seed, trial) in [(3, 0), (3, 2), (4, 2)] {
        let whole = task.trial(explorer, Some(MOST), seed, trial).unwrap();
        let split =
            Split::new(task.name.classification().unwrap().split_plan(400), 400, seed, trial).unwrap();
        let part = |rows: &[usize]| task.labelled().unwrap().part(rows).unwrap();
        let stream = |of| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream((1 << 41) + 2 * u64::from(trial) + of);
            rng
        };
        let labelled = split
            .logging
            .iter()
            .copied()
            .filter(|i| !task.labelled().unwrap().data.labels.of(*i).unwrap().is_empty());
        let (contexts, labels) = part(&labelled.collect::<Vec<_>>());
        let policy = explorer.train(&contexts, &labels, &mut stream(0)).unwrap();
        let (contexts, labels) = part(&split.target[..MOST.log]);
        let log = to_bandit(contexts, &labels, &task.labelled().unwrap().structure, &policy, &mut stream(1))
            .unwrap();
        assert_eq!(whole.log.logged_actions(), log.logged_actions());
        assert_eq!((whole.log.propensities(), whole.log.rewards()), (log.propensities(), log.rewards()));
        assert!(whole.contexts.matrix().iter().zip(log.contexts().iter()).all(|(a, b)| a == b));
        let least = log.propensities().iter().copied().reduce(f64::min);
        assert_eq!(Some(whole.least_propensity), least);
        for (held_out, rows) in [(&whole.validation, &split.validation), (&whole.test, &split.test)] {
            let (contexts, labels) = part(&rows[..MOST.held_out.min(rows.len())]);
            let logging =
                expected_reward(&policy, &contexts, &labels, &task.labelled().unwrap().structure).unwrap();
            assert_eq!(held_out.logging.to_bits(), logging.to_bits());
            assert!(held_out.contexts.iter().zip(contexts.iter()).all(|(a, b)| a.to_dense() == b.to_dense()));
            let rewards = labels.iter().flat_map(|labels| {
                (0..labels_of(&task))
                    .map(|action| task.labelled().unwrap().structure.reward(labels, action))
                    .collect::<Vec<_>>()
            });
            assert_eq!(held_out.rewards, rewards.collect::<Vec<_>>());
        }
    }
}

fn data(task: &Task) -> Classification {
    task.labelled().unwrap().data.clone()
}

/// Every row with its labels.
fn rows(data: &Classification) -> Vec<(Vec<f64>, Vec<u32>)> {
    let rows = data.contexts.select(0..data.len()).unwrap();
    let of = |i: usize| (rows.row(i).unwrap().to_dense(), data.labels.of(i).unwrap().to_vec());
    (0..data.len()).map(of).collect()
}

/// The rows of the training part stay, and others of them stand behind it, each once, with their labels.
#[test]
fn rows_of_the_training_part_are_repeated() {
    let original = data(&task());
    let before = rows(&original);
    let after = rows(&repeated(original.clone(), [5, 8], 5).unwrap());
    assert_eq!((before.len(), after.len()), (400, 400));
    assert_eq!(before[..250], after[..250]);
    let mut found: Vec<usize> = after[250..]
        .iter()
        .map(|row| before[..250].iter().position(|of| of == row).expect("a row of the training part"))
        .collect();
    assert!(found.windows(2).any(|pair| pair[0] > pair[1]), "they are drawn");
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 150);
    assert_ne!(after, rows(&repeated(original.clone(), [5, 8], 6).unwrap()));
    let mut one = original;
    one.contexts = Contexts::Rows(one.contexts.select([7]).unwrap());
    one.labels = one.labels.select([7]).unwrap();
    assert_eq!(rows(&repeated(one, [5, 8], 5).unwrap()), before[7..8]);
}

/// Every row once, and test rows from both parts: about 5/8 of them are rows that stood in the training part.
#[test]
fn pooled_rows_are_all_rows_in_a_random_order() {
    let original = data(&task());
    let before = rows(&original);
    let after = rows(&pooled(original.clone(), 5).unwrap());
    let place = |of: &_| before.iter().position(|row| row == of).expect("a row of the set");
    let mut found: Vec<usize> = after.iter().map(place).collect();
    let moved = found[250..].iter().filter(|place| **place < 250).count();
    assert!((75..=112).contains(&moved), "{moved} of 150");
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), before.len());
    assert_eq!(after, rows(&pooled(original.clone(), 5).unwrap()));
    assert_ne!(after, rows(&pooled(original, 6).unwrap()));
}

/// The task is that of Fashion-MNIST but for the order of its rows.
#[test]
fn the_pooled_task_differs_in_the_order_alone() {
    let stand_in = StandIn { seed: 3, rows: Some(400) };
    let load = |name| Task::load(name, &SearchPath::nowhere(), stand_in).unwrap();
    let (official, shuffled) = (load(TaskName::Fashion), load(TaskName::FashionPooled));
    let order = permutation(400, 3, POOLED).unwrap();
    let before = rows(&data(&official));
    assert_eq!(rows(&data(&shuffled)), order.iter().map(|i| before[*i].clone()).collect::<Vec<_>>());
    assert_eq!(official.labelled().unwrap().structure, shuffled.labelled().unwrap().structure);
    assert_eq!((official.bins(), shuffled.bins()), (64, 64));
    assert_eq!([TaskName::Fashion, TaskName::FashionPooled].map(is_large), [true; 2]);
    assert_eq!(data(&shuffled).training, None);
}

/// Figures on rows that were moved, left out or repeated are not compared as those of the official data.
#[test]
fn altered_rows_are_not_official() {
    let mut task = task();
    let official = datasets::Provenance::Official { files: Vec::new() };
    task.labelled_mut().unwrap().data.provenance = official;
    for (name, expected) in [
        (TaskName::Tmc, Provenance::Official),
        (TaskName::TmcRepeated, Provenance::Altered),
        (TaskName::Fashion, Provenance::Official),
        (TaskName::FashionPooled, Provenance::Altered),
    ] {
        task.name = name;
        assert_eq!(task.provenance(), expected);
    }
    // The keys of kept trials have this name.
    assert_eq!(Provenance::Altered.label(), Some("altered rows"));
}

fn labels_of(task: &Task) -> usize {
    task.labelled().unwrap().data.labels.classes()
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
    let split = Split::new(ClassificationName::Scene.split_plan(400), 400, 3, 1).unwrap();
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
    let name = TaskName::Scene;
    let task = Task::load(name, &SearchPath::nowhere(), StandIn { seed: 3, rows: Some(400) }).unwrap();
    let most = Some(MostRows { log: 100, held_out: 60 });
    for (trial, epsilon) in [(0, 0.1), (2, 0.5)] {
        let explorer = Explorer { epsilon, ..Explorer::of(name) };
        let alone = task.labelled().unwrap().logging_reward(explorer, most, 3, trial).unwrap();
        let whole = task.trial(explorer, most, 3, trial).unwrap();
        assert_eq!(alone.to_bits(), whole.validation.logging.to_bits());
        assert_ne!(alone.to_bits(), whole.test.logging.to_bits());
    }
}

/// Two rows of a log, two actions.
fn two_rows() -> Log {
    let contexts = RowMatrix::dense(1, vec![0.0, 1.0]).unwrap();
    Log::new(contexts, 2, vec![1, 0], vec![0.25, 0.5], off_policy::Rewards(vec![1.0, 3.0])).unwrap()
}

#[test]
fn a_real_log_judges_by_inverse_propensities() {
    let rows = Rewarded::estimated(&two_rows(), (0.75, 0.125)).unwrap();
    assert_eq!(rows.rewards, [0.0, 4.0, 6.0, 0.0]);
    // Both logged actions, one of them, none.
    let [both, one, none] = [[0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    assert_eq!([both, one, none].map(|scores| rows.reward(&scores)), [5.0, 2.0, 0.0]);
    // The standard deviations of (4, 6), (4, 0) and (0, 0) over the root of 2.
    assert_eq!([both, one, none].map(|scores| rows.standard_error(&scores).unwrap()), [1.0, 2.0, 0.0]);
    assert_eq!((rows.logging, rows.logging_error), (0.75, Some(0.125)));
    let known = task().trial(Explorer::of(TaskName::Scene), Some(MOST), 3, 0).unwrap().test;
    assert_eq!(known.standard_error(&known.no_scores()), None);
}

#[test]
fn the_open_bandit_logs_are_learnt_from_and_judged_by_apart() {
    let stand_in = StandIn { seed: 3, rows: Some(400) };
    let task = Task::load(TaskName::OpenBandit, &SearchPath::nowhere(), stand_in).unwrap();
    assert!(task.labelled().is_none() && task.provenance() == Provenance::StandIn);
    let of = |most| task.trial(Explorer::of(TaskName::OpenBandit), most, 3, 0).unwrap();
    let whole = of(None);
    assert_eq!((whole.log.len(), whole.log.actions()), (2000, 5));
    assert_eq!((whole.validation.contexts.len(), whole.test.contexts.len()), (200, 1800));
    let mean = whole.log.rewards().iter().sum::<f64>() / 2000.0;
    assert!((whole.test.logging - mean).abs() < 1e-12);
    // No row of the one is a row of the other.
    assert!(whole.log.contexts().iter().all(|x| whole.test.contexts.iter().all(|y| x != y)));
    assert!(whole.validation.contexts.iter().all(|x| whole.test.contexts.iter().all(|y| x != y)));
    let least = MostRows { log: 30, held_out: 20 };
    let cut = of(Some(least));
    assert_eq!((cut.log.len(), cut.validation.contexts.len(), cut.test.contexts.len()), (30, 20, 20));
}

/// The official files, if they are here: the numbers of rows, and the position as the last column.
#[test]
fn the_real_logs_are_read_with_their_positions() {
    let search = SearchPath::from_environment(None).unwrap();
    let task = Task::load(TaskName::OpenBandit, &search, StandIn { seed: 3, rows: None }).unwrap();
    if task.provenance() == Provenance::StandIn {
        return;
    }
    let trial = task.trial(Explorer::of(TaskName::OpenBandit), None, 3, 0).unwrap();
    assert_eq!((trial.log.len(), trial.log.actions()), (10_000, 34));
    assert_eq!((trial.validation.contexts.len(), trial.test.contexts.len()), (1000, 9000));
    let positions = trial.log.contexts().iter().map(|x| x.to_dense()[trial.log.inputs() - 1]);
    assert!(positions.into_iter().all(|position| [1.0, 2.0, 3.0].contains(&position)));
    let first = trial.test.rewards.iter().find(|reward| **reward > 0.0);
    assert!(first.is_some_and(|weight| (weight - 34.0).abs() < 1e-6), "{first:?}: an even policy of 34");
}

#[test]
fn other_tables_become_logs_too() {
    for (name, actions) in [(TaskName::Letter, 26), (TaskName::Adult, 2)] {
        let stand_in = StandIn { seed: 3, rows: Some(400) };
        let task = Task::load(name, &SearchPath::nowhere(), stand_in).unwrap();
        let trial = task.trial(Explorer::of(name), Some(MOST), 3, 1).unwrap();
        assert_eq!((trial.log.len(), trial.log.actions()), (100, actions), "{name}");
        let labelled = task.labelled().unwrap();
        let split = labelled.split(None, 3, 1).unwrap();
        match labelled.data.training {
            // The official test part, in its order.
            Some(training) => assert_eq!(split.test, (training..400).collect::<Vec<_>>(), "{name}"),
            None => assert_eq!((split.test.len(), split.validation.len()), (80, 64), "{name}"),
        }
        assert_eq!(trial.test.standard_error(&trial.test.no_scores()), None);
    }
}
