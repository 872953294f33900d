//! Choice, training and judgement on made tables.
#![allow(clippy::unwrap_used, reason = "a test may")]

use super::settings::SMOOTHNESS;
use super::*;
use off_policy::{ActionNames, ContextColumn, Schema};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;

const GO_ON: fn(BoostEvent) -> ControlFlow<()> = |_| ControlFlow::Continue(());

/// K stripes of the plane by x + y; a share of the classes is drawn anew.
fn stripes(rows: usize, classes: u32, noise: f64, seed: u64) -> ClassTable {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut of_rows) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let [x, y] = [rng.random::<f64>(), rng.random::<f64>()];
        values.extend([x, y, rng.random()]);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to K")]
        let class = (f64::from(classes) * 0.5 * (x + y)) as u32;
        of_rows.push(if rng.random_bool(noise) { rng.random_range(0..classes) } else { class });
    }
    let number = |name: &str| ContextColumn::Number { name: name.into() };
    let names = ActionNames::Labels((0..classes).map(|class| format!("stripe {class}")).collect());
    let schema = Schema::new(["x", "y", "noise"].map(number).to_vec(), names).unwrap();
    ClassTable::new(RowMatrix::dense(3, values).unwrap(), of_rows, schema).unwrap()
}

fn job(algorithm: BoostAlgorithm) -> BoostJobBuilder {
    BoostJob::builder().algorithm(algorithm).rounds(60).early_stopping_rounds(15).max_depth(3).seed(3)
}

const ALONE: [BoostAlgorithm; 4] =
    [BoostAlgorithm::AdaBoost, BoostAlgorithm::Smooth, BoostAlgorithm::Sparse, BoostAlgorithm::MadaBoost];

#[test]
fn every_algorithm_learns_two_classes_and_many_within_its_bound() {
    for (classes, most) in [(2, 0.08), (4, 0.2)] {
        let (table, fresh) = (stripes(800, classes, 0.0, 1), stripes(2_000, classes, 0.0, 2));
        for algorithm in ALONE {
            let builder = job(algorithm).rounds(120).early_stopping_rounds(50);
            let builder =
                if algorithm == BoostAlgorithm::Smooth { builder.smoothness(30.0) } else { builder };
            let classifier = builder.build().unwrap().fit(&table, None, GO_ON).unwrap();
            let record = classifier.record();
            let error = classifier.judge(&fresh, 0.05).unwrap().error();
            let what = format!("{algorithm:?}, {classes} classes: {error:?} {record:?}");
            assert!(error.value < most, "{what}");
            // The interval of the judgement holds the error on fresh rows, here of all algorithms.
            let judged = classifier.report().error();
            assert!(judged.lower <= error.value && error.value <= judged.upper, "{judged:?} {what}");
            assert!(classifier.report().is_better() && classifier.report().rows() == 200, "{what}");
            let bound = record.bound;
            assert!(record.training_error <= bound && bound <= 1.0, "{what}");
            assert_eq!(record.rows, BoostRows { learning: 600, choosing: 600, judging: 200, secondary: 0 });
            let of_noise = record.importance.iter().find(|(feature, _)| *feature == 2);
            assert!(of_noise.is_none_or(|(_, share)| *share < 0.25), "{what}");
            assert!((record.importance.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

/// The rounds are those of least error on the rows of the choice, which the candidate did not learn from.
#[test]
fn the_round_and_the_k_of_least_error_are_kept() {
    let table = stripes(600, 2, 0.3, 6);
    let mut seen: Vec<Vec<f64>> = Vec::new();
    let mut done = Vec::new();
    let watch = |event| {
        match event {
            BoostEvent::Choosing { candidate, round, error, candidates } => {
                assert_eq!(candidates, 6);
                seen.resize(candidate + 1, Vec::new());
                seen[candidate].push(error);
                assert_eq!(seen[candidate].len(), round);
            }
            BoostEvent::Training { done: now, planned } => done.push((now, planned)),
        }
        ControlFlow::Continue(())
    };
    let classifier = job(BoostAlgorithm::Smooth).build().unwrap().fit(&table, None, watch).unwrap();
    let record = classifier.record();
    assert_eq!(record.tried.len(), 6);
    for (tried, errors) in record.tried.iter().zip(&seen) {
        let least = errors.iter().copied().fold(f64::MAX, f64::min);
        assert_eq!((tried.error, tried.rounds), (least, errors.len()));
        assert_eq!(tried.best_round, errors.iter().position(|error| *error == least).unwrap() + 1);
        assert!(tried.rounds == 60 || tried.rounds == tried.best_round + 15, "{tried:?}");
    }
    let best = record.tried.iter().fold(record.tried[0], |a, b| if b.error < a.error { *b } else { a });
    assert_eq!((record.smoothness, record.rounds_planned), (best.smoothness, best.best_round));
    assert_eq!(done, (1..=best.best_round).map(|now| (now, best.best_round)).collect::<Vec<_>>());
    assert_eq!(classifier.vote().ensembles()[0].hypotheses().len(), best.best_round);
    assert!(!record.is_of_choice && !record.is_choice_cut);
}

#[test]
fn algorithm_k_and_depth_are_chosen_where_none_is_given() {
    let table = stripes(900, 4, 0.0, 18);
    let job = BoostJob::builder().rounds(40).seed(3).build().unwrap();
    let classifier = job.fit(&table, None, GO_ON).unwrap();
    let record = classifier.record();
    let of = |tried: &TriedBoost| (tried.algorithm, tried.smoothness, tried.max_depth);
    let first = record.tried[..7].iter().fold(record.tried[0], |a, b| if b.error < a.error { *b } else { a });
    let mut expected: Vec<_> = SMOOTHNESS.map(|k| (BoostAlgorithm::Smooth, Some(k), 3)).to_vec();
    expected.push((BoostAlgorithm::AdaBoost, None, 3));
    expected.push((first.algorithm, first.smoothness, 6));
    assert_eq!(record.tried.iter().map(of).collect::<Vec<_>>(), expected);
    let best = record.tried.iter().fold(first, |a, b| if b.error < a.error { *b } else { a });
    let chosen = (record.algorithm, record.smoothness, record.max_depth);
    assert_eq!(chosen, of(&best), "{:?}", record.tried);
    // No class was drawn at random, and weights without a cap do best.
    assert_eq!(record.algorithm, BoostAlgorithm::AdaBoost);
    let noisy = job.fit(&stripes(900, 2, 0.4, 19), None, GO_ON).unwrap();
    assert_eq!(noisy.record().algorithm, BoostAlgorithm::Smooth, "{:?}", noisy.record().tried);
    // A k alone asks for smooth boosting, and a second table for combined boosting.
    let of_k = BoostJob::builder().smoothness(2.0).max_depth(2).rounds(2).build().unwrap();
    assert_eq!(of_k.fit(&table, None, GO_ON).unwrap().record().algorithm, BoostAlgorithm::Smooth);
    let of_two = of_k.fit(&table, Some(&table), GO_ON).unwrap();
    assert_eq!((of_two.record().algorithm, of_two.record().tried.len()), (BoostAlgorithm::Combined, 1));
}

#[test]
fn a_break_keeps_the_best_so_far() {
    let table = stripes(600, 3, 0.1, 7);
    let job = job(BoostAlgorithm::AdaBoost).build().unwrap();
    let stop_after = |last: usize| {
        let mut calls = 0;
        let watch = move |_| {
            calls += 1;
            if calls < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        job.fit(&table, None, watch).unwrap()
    };
    let first = stop_after(1);
    let record = first.record();
    assert!(record.is_choice_cut && record.is_of_choice && record.rounds == 1, "{record:?}");
    // Of 450 rows a fifth was apart in the first fold, and has not been learnt from.
    assert_eq!((record.rows.learning, record.rows.choosing, first.report().rows()), (360, 450, 150));
    let whole = job.fit(&table, None, GO_ON).unwrap();
    let (played, chosen) = (whole.record().tried[0].rounds, whole.record().rounds_planned);
    let in_training = stop_after(played + chosen / 2);
    let record = in_training.record();
    assert!(record.is_of_choice && !record.is_choice_cut && record.rounds == chosen, "{record:?}");
    assert_eq!(stop_after(played + chosen), whole, "the last round is the end anyway");
}

/// What the caps of combined boosting are for: half of the labels of the second table are wrong.
#[test]
fn a_second_table_with_wrong_labels_is_learnt_from_within_its_cap() {
    let (clean, fresh) = (stripes(160, 2, 0.0, 8), stripes(2_000, 2, 0.0, 9));
    let noisy = stripes(1_500, 2, 0.5, 10);
    let error = |job: BoostJobBuilder, second| {
        let classifier = job.build().unwrap().fit(&clean, second, GO_ON).unwrap();
        let rows = classifier.record().rows;
        assert_eq!((rows.secondary, rows.judging), (second.map_or(0, ClassTable::len), 40));
        assert_eq!(rows.learning, 120 + rows.secondary);
        classifier.judge(&fresh, 0.05).unwrap().error().value
    };
    let both = error(job(BoostAlgorithm::Combined), Some(&noisy));
    let alone = error(job(BoostAlgorithm::AdaBoost), None);
    assert!(both < alone, "{both}, the clean table alone {alone}");
    let refused = job(BoostAlgorithm::Combined).build().unwrap().fit(&clean, None, GO_ON);
    assert!(matches!(refused, Err(JobError::SecondTable(_))));
    let refused = job(BoostAlgorithm::AdaBoost).build().unwrap().fit(&clean, Some(&noisy), GO_ON);
    assert!(matches!(refused, Err(JobError::SecondTable(_))));
    let others = stripes(50, 3, 0.0, 11);
    let refused = job(BoostAlgorithm::Combined).build().unwrap().fit(&clean, Some(&others), GO_ON);
    assert!(matches!(refused, Err(JobError::OtherTable(_))));
}

#[test]
fn the_last_rows_judge_where_a_time_is_given() {
    let table = stripes(400, 2, 0.0, 12);
    // The classes of the last quarter are turned: whoever learnt from the others is wrong there.
    let turned: Vec<u32> = table
        .classes()
        .iter()
        .enumerate()
        .map(|(i, class)| if i < 300 { *class } else { 1 - class })
        .collect();
    let table = ClassTable::new(table.contexts().clone(), turned, table.schema().clone()).unwrap();
    let times = Split::ByTime((0..400).map(f64::from).collect());
    let of = |job: BoostJobBuilder| job.build().unwrap().fit(&table, None, GO_ON).unwrap();
    let by_time = of(job(BoostAlgorithm::AdaBoost).validation(times));
    assert!(by_time.report().error().lower > 0.8, "{:?}", by_time.report());
    assert!(!by_time.report().is_better());
    assert_eq!(by_time.record().split, "by time");
    let by_lot = of(job(BoostAlgorithm::AdaBoost));
    assert!(by_lot.report().error().value < 0.5, "{:?}", by_lot.report());
}

#[test]
fn probabilities_are_calibrated_and_margins_are_leads() {
    let (table, fresh) = (stripes(4_000, 3, 0.3, 13), stripes(4_000, 3, 0.3, 14));
    let classifier = job(BoostAlgorithm::AdaBoost).build().unwrap().fit(&table, None, GO_ON).unwrap();
    let answers = classifier.predict(fresh.contexts()).unwrap();
    let (mut sure, mut right, mut rows) = (0.0, 0.0, answers.iter());
    let see = |answer: ClassAnswer, pi: &[f64]| {
        assert_eq!(Some(&answer), rows.next());
        assert!((pi.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (0.0..=1.0).contains(&answer.margin));
        let largest = pi.iter().copied().fold(0.0, f64::max);
        assert_eq!(pi[answer.class as usize], largest);
        sure += largest;
    };
    classifier.probabilities(fresh.contexts(), see).unwrap();
    for (answer, truth) in answers.iter().zip(fresh.classes()) {
        right += f64::from(u8::from(answer.class == *truth));
    }
    let (sure, right) = (sure / 4_000.0, right / 4_000.0);
    assert!((sure - right).abs() < 0.03, "sure of {sure}, right on {right}");
    // Answers with a larger lead are right more often.
    let mut by_margin: Vec<(f64, bool)> =
        answers.iter().zip(fresh.classes()).map(|(a, truth)| (a.margin, a.class == *truth)).collect();
    by_margin.sort_by(|a, b| a.0.total_cmp(&b.0));
    let right_of = |part: &[(f64, bool)]| part.iter().filter(|(_, is_right)| *is_right).count();
    assert!(right_of(&by_margin[3_000..]) > right_of(&by_margin[..1_000]) + 100);
}

#[test]
fn the_same_seed_is_the_same_file_for_any_number_of_threads() {
    let table = stripes(700, 4, 0.1, 15);
    let job = job(BoostAlgorithm::Sparse).build().unwrap();
    let bytes = |threads| {
        let fit = || job.fit(&table, None, GO_ON).unwrap().to_bytes().unwrap();
        boosters::Threads::exactly(threads).unwrap().run(fit).unwrap()
    };
    let one = bytes(1);
    assert_eq!(one, bytes(3));
    let other = self::job(BoostAlgorithm::Sparse).seed(4).build().unwrap().fit(&table, None, GO_ON).unwrap();
    assert_ne!(one, other.to_bytes().unwrap());
}

#[test]
fn settings_outside_their_ranges_are_refused() {
    let job = BoostJob::builder;
    for (builder, name) in [
        (job().rounds(0), "rounds"),
        (job().rounds(100_001), "rounds"),
        (job().early_stopping_rounds(0), "early_stopping_rounds"),
        (job().max_depth(0), "max_depth"),
        (job().max_depth(33), "max_depth"),
        (job().min_weight_fraction_leaf(f64::NAN), "min_weight_fraction_leaf"),
        (job().holdout_share(0.9), "holdout_share"),
        (job().delta(0.0), "delta"),
        (job().smoothness(0.5), "smoothness"),
        (job().algorithm(BoostAlgorithm::AdaBoost).smoothness(2.0), "smoothness"),
    ] {
        assert!(matches!(builder.build(), Err(JobError::BadSetting { name: found, .. }) if found == name));
    }
    let few = stripes(12, 2, 0.0, 16);
    assert!(matches!(job().build().unwrap().fit(&few, None, GO_ON), Err(JobError::TooFewRows { .. })));
    let one = Schema::new(few.schema().contexts().to_vec(), ActionNames::Labels(vec!["a".into()])).unwrap();
    let refused = ClassTable::new(few.contexts().clone(), vec![0; 12], one);
    assert!(matches!(refused, Err(JobError::Classes { classes: 1, .. })));
    let names = ActionNames::Numbered(257);
    let many = Schema::new(few.schema().contexts().to_vec(), names).unwrap();
    let refused = ClassTable::new(few.contexts().clone(), vec![0; 12], many);
    assert!(matches!(refused, Err(JobError::Classes { classes: 257, .. })));
}

/// Columns without any information, and rows of one class: a constant answer is a classifier too.
#[test]
fn rows_that_nothing_tells_apart_get_the_commonest_class() {
    let table = stripes(200, 2, 0.0, 17);
    let flat = RowMatrix::dense(3, vec![1.0; 600]).unwrap();
    for classes in [(0..200).map(|i| u32::from(i % 4 == 0)).collect(), vec![0; 200]] {
        let table = ClassTable::new(flat.clone(), classes, table.schema().clone()).unwrap();
        for algorithm in ALONE {
            let classifier = job(algorithm).build().unwrap().fit(&table, None, GO_ON).unwrap();
            assert!(
                classifier.predict(&flat).unwrap().iter().all(|answer| answer.class == 0),
                "{algorithm:?}"
            );
            assert!(!classifier.report().is_better());
        }
    }
}
