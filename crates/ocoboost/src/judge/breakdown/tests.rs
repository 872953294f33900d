//! A breakdown of a log whose answers are known.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use super::*;
use crate::estimate_propensities;
use crate::judge::JudgeJobBuilder;
use off_policy::estimators::Estimator;
use off_policy::policies::{Argmax, Tabular, Uniform};
use off_policy::{ActionNames, ContextColumn, Rewards, Schema};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;

const N: usize = 9600;

/// Age 0, …, 9 or missing, a device of five, a day. Three actions, played with 0.5, 0.3 and 0.2; the third
/// pays on phones, with chance 0.9, and everything else does with chance 0.3.
fn log() -> Log {
    let labels = ["phone", "tablet", "tv", "fridge", "car"].map(str::to_owned).to_vec();
    let columns = vec![
        ContextColumn::NumberOrMissing { name: "age".into() },
        ContextColumn::Labels { name: "device".into(), labels },
        ContextColumn::Date { name: "day".into() },
    ];
    let schema = Schema::new(columns, ActionNames::Labels(["a", "b", "c"].map(str::to_owned).to_vec()));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut contexts, mut actions, mut propensities, mut rewards) = (vec![], vec![], vec![], vec![]);
    for i in 0..N {
        let is_missing = i % 12 == 5;
        // Half of them phones, a fifth tablets, …, and some of a device that the schema does not know.
        let device = [0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 2, 9][i % 12];
        contexts
            .extend([if is_missing { 0.0 } else { (i / 12 % 10) as f64 }, f64::from(u8::from(is_missing))]);
        contexts.extend((0..5).map(|k| f64::from(u8::from(k == device))));
        contexts.push(20_000.0 + (i % 30) as f64);
        let draw: f64 = rng.random();
        let (action, p) = if draw < 0.5 {
            (0, 0.5)
        } else if draw < 0.8 {
            (1, 0.3)
        } else {
            (2, 0.2)
        };
        let chance = if device == 0 && action == 2 { 0.9 } else { 0.3 };
        actions.push(action);
        propensities.push(p);
        rewards.push(f64::from(u8::from(rng.random_bool(chance))));
    }
    let contexts = RowMatrix::dense(8, contexts).unwrap();
    let log = Log::new(contexts, 3, actions, propensities, Rewards(rewards)).unwrap();
    log.with_schema(schema.unwrap()).unwrap()
}

/// The policy of the third action.
fn third() -> Argmax<Tabular> {
    Argmax::new(Tabular::new(8, vec![0.0, 0.0, 1.0]).unwrap())
}

fn job(with: impl Fn(JudgeJobBuilder) -> JudgeJobBuilder) -> JudgeJob {
    with(JudgeJob::builder().reward_model(false)).build().unwrap()
}

fn of(job: &JudgeJob, settings: &BreakdownSettings) -> (Judgement, Breakdown) {
    job.break_down(&log(), Target::Policy(&third()), settings).unwrap()
}

fn words(column: &SegmentedColumn) -> Vec<(String, u64)> {
    column.segments.iter().map(|segment| (segment.part.words(), segment.rows)).collect()
}

fn expected(words: &[(&str, u64)]) -> Vec<(String, u64)> {
    words.iter().map(|(words, rows)| ((*words).to_owned(), *rows)).collect()
}

#[test]
fn every_row_is_in_one_segment_of_a_column() {
    let (_, found) = of(&job(|job| job), &BreakdownSettings::default());
    let [age, device, day] = &found.segments.columns[..] else { panic!("three columns") };
    let bins = [("0 to 1", 1760), ("2 to 3", 1760), ("4 to 5", 1760), ("6 to 7", 1760), ("8 to 9", 1760)];
    assert_eq!(words(age), [expected(&bins), expected(&[("missing", 800)])].concat());
    let labels = [("phone", 4000), ("tablet", 1600), ("tv", 1600), ("fridge", 800), ("car", 800)];
    assert_eq!(words(device), [expected(&labels), expected(&[("no known label", 800)])].concat());
    assert_eq!(words(day)[0], ("2024-10-04 to 2024-10-09".to_owned(), 1920));
    assert_eq!(found.segments.compared, 17);
    for column in &found.segments.columns {
        assert_eq!(column.segments.iter().map(|segment| segment.rows).sum::<u64>(), N as u64);
        let sum: f64 = column.segments.iter().map(|one| one.logged.value * one.rows as f64).sum();
        assert!((sum - log().rewards().iter().sum::<f64>()).abs() < 1e-9);
    }
}

/// The change on phones is about 0.9 − 0.42, and 0 elsewhere, within intervals that hold all at once.
#[test]
fn a_segment_has_the_value_of_the_policy_there() {
    for has_model in [false, true] {
        let (judgement, found) = of(&job(|job| job.reward_model(has_model)), &BreakdownSettings::default());
        let device = &found.segments.columns[1];
        for (segment, truth) in device.segments.iter().zip([0.48, 0.0, 0.0, 0.0, 0.0, 0.0]) {
            let change = segment.change.unwrap();
            let [lower, upper] = change.interval.unwrap();
            assert!((lower..=upper).contains(&truth) && lower < change.value, "{segment:?}");
            let policy = segment.policy.unwrap();
            assert!((policy.value - segment.logged.value - change.value).abs() < 1e-12);
            let [least, most] = policy.interval.unwrap();
            assert!(upper - lower > 1.2 * (most - least) || segment.part.words() == "phone", "{segment:?}");
        }
        // Phones are shown to gain.
        assert!(device.segments[0].change.unwrap().interval.unwrap()[0] > 0.3);
        // One segment of all rows has the value of the judgement.
        let one =
            BreakdownSettings { columns_first: vec![2], most_columns: 1, most_bins: 1, ..Default::default() };
        let (_, found) = of(&job(|job| job.reward_model(has_model)), &one);
        let segment = &found.segments.columns[0].segments[0];
        let headline = if has_model { Estimator::Dr } else { Estimator::Snips };
        assert!((segment.policy.unwrap().value - judgement.estimate(headline).unwrap().value).abs() < 1e-12);
        assert!((segment.effective_rows - judgement.support.ess).abs() < 1e-9 * judgement.support.ess);
        assert_eq!((segment.rows, found.segments.others, found.segments.compared), (N as u64, 2, 1));
        assert_eq!(found.segments.columns[0].column, "day");
    }
}

#[test]
fn what_is_beyond_the_most_is_counted_together() {
    let settings = BreakdownSettings {
        columns_first: vec![1, 9, 1],
        most_columns: 2,
        most_labels: 2,
        most_bins: 2,
        most_actions: 1,
    };
    let (_, found) = of(&job(|job| job), &settings);
    let [device, age] = &found.segments.columns[..] else { panic!("two columns") };
    let labels = [("phone", 4000), ("tablet", 1600), ("3 other labels", 3200), ("no known label", 800)];
    assert_eq!(words(device), expected(&labels));
    assert_eq!(words(age), expected(&[("0 to 4", 4400), ("5 to 9", 4400), ("missing", 800)]));
    assert_eq!(found.segments.others, 1);
    let changes = found.changes.unwrap();
    assert_eq!((changes.actions.len(), changes.others, changes.actions[0].name.as_str()), (1, 2, "c"));
    let from_to: Vec<f64> = changes.from_to.concat();
    let logged = changes.actions[0].logged;
    assert!((from_to[0] - logged).abs() < 1e-12 && (from_to[2] - (1.0 - logged)).abs() < 1e-12);
    assert_eq!([from_to[1], from_to[3]], [0.0, 0.0]);
}

#[test]
fn the_actions_of_a_policy_are_held_against_those_of_the_log() {
    let log = log();
    let uniform = Uniform::new(3).unwrap();
    let job = job(|job| job);
    for (policy, shares) in
        [(&uniform as &dyn off_policy::policies::Policy, [1.0 / 3.0; 3]), (&third(), [0.0, 0.0, 1.0])]
    {
        let (_, found) = job.break_down(&log, Target::Policy(policy), &BreakdownSettings::default()).unwrap();
        let changes = found.changes.unwrap();
        let logged = |a: usize| log.iter().filter(|row| row.action == a).count() as f64 / N as f64;
        let mut agreement = 0.0;
        for (line, change) in changes.from_to.iter().zip(&changes.actions) {
            assert!((change.policy - shares[change.action]).abs() < 1e-12, "{change:?}");
            assert!((change.logged - logged(change.action)).abs() < 1e-12, "{change:?}");
            assert!((line.iter().sum::<f64>() - change.logged).abs() < 1e-12);
            agreement += change.logged * change.policy;
        }
        assert!((changes.agreement - agreement).abs() < 1e-12);
        assert!((changes.from_to.concat().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let own = log.iter().filter(|row| row.action == changes.actions[0].action);
        let (sum, rows) = own.fold((0.0, 0.0), |(sum, rows), row| (sum + row.reward, rows + 1.0));
        assert!((changes.actions[0].reward.unwrap() - sum / rows).abs() < 1e-12);
    }
}

#[test]
fn the_logging_policy_has_segments_and_no_estimates() {
    let job = job(|job| job);
    let (_, found) = job.break_down(&log(), Target::Logged, &BreakdownSettings::default()).unwrap();
    assert_eq!((found.changes, found.segments.compared), (None, 0));
    assert!(
        found.segments.columns.iter().flat_map(|column| &column.segments).all(|one| one.policy.is_none())
    );
}

/// Few rows have no interval; estimated propensities make intervals wider.
#[test]
fn a_segment_is_as_uncertain_as_its_rows() {
    let log = log().select(0..900).unwrap();
    let few =
        job(|job| job).break_down(&log, Target::Policy(&third()), &BreakdownSettings::default()).unwrap().1;
    for segment in few.segments.columns.iter().flat_map(|column| &column.segments) {
        let rewarded = segment.logged.value * segment.rows as f64;
        assert_eq!(segment.logged.interval.is_some(), rewarded > 29.5, "{segment:?}");
        // A fifth of the rows counts, and a third to nine tenths of these pay.
        assert_eq!(segment.policy.is_some(), segment.rows >= 300, "{segment:?}");
    }
    let log = self::log();
    let estimated = estimate_propensities(log.contexts(), log.logged_actions(), 3, None, 1).unwrap();
    let propensities = estimated.propensities().to_vec();
    let rewards = Rewards(log.rewards().to_vec());
    let same = Log::new(log.contexts().clone(), 3, log.logged_actions().to_vec(), propensities, rewards);
    let same = same.unwrap().with_schema(log.schema().unwrap().clone()).unwrap();
    let settings = BreakdownSettings::default();
    let width = |job: &JudgeJob| -> f64 {
        let found = job.break_down(&same, Target::Policy(&third()), &settings).unwrap().1;
        let ends = found.segments.columns[1].segments[0].policy.unwrap().interval.unwrap();
        ends[1] - ends[0]
    };
    let (as_logged, as_estimated) =
        (width(&job(|job| job)), width(&job(|job| job.estimated(estimated.clone()))));
    assert!(as_estimated > as_logged, "{as_estimated}, {as_logged}");
}

/// Many rewarded rows, of which five have nearly all of the weight.
#[test]
fn rows_that_count_as_few_have_no_estimate() {
    let contexts = RowMatrix::dense(1, vec![0.0; 400]).unwrap();
    let of = |light: f64| {
        let propensities = (0..400).map(|i| if i < 5 { 0.001 } else { light }).collect();
        let rewards = Rewards((0..400).map(|i| f64::from(i / 2 % 2)).collect());
        let actions = (0..400).map(|i| i % 2).collect();
        let log = Log::new(contexts.clone(), 2, actions, propensities, rewards).unwrap();
        let uniform = Uniform::new(2).unwrap();
        let settings = BreakdownSettings::default();
        let found = job(|job| job).break_down(&log, Target::Policy(&uniform), &settings).unwrap().1;
        found.segments.columns[0].segments[0].clone()
    };
    let [few, many] = [of(0.5), of(0.001)];
    assert!((5.0..30.0).contains(&few.effective_rows) && few.policy.is_none(), "{few:?}");
    assert!((many.effective_rows - 400.0).abs() < 1e-9 && many.policy.is_some(), "{many:?}");
}

#[test]
fn parts_are_said_in_words() {
    let numbers = |from: f64, to: f64| Part::Numbers(from, to).words();
    assert_eq!([numbers(1.0, 1.0), numbers(0.1 + 0.2, 4.25)], ["1", "0.3 to 4.25"]);
    assert_eq!([numbers(-0.0, 1e20), numbers(1e-9, 1.0)], ["0 to 1e20", "1e-9 to 1"]);
    let parts =
        [Part::Label(String::new()), Part::OtherLabels(1), Part::Dates(0.0, 0.5), Part::Dates(1e12, 1e12)];
    let words = ["(empty)", "1 other label", "1970-01-01 to 1970-01-01T12:00:00Z", "1e12"];
    assert_eq!(parts.map(|part| part.words()), words);
}
