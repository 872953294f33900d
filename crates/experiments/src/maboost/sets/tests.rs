//! The draws of a trial: rows, labels and random numbers.

use super::super::fixtures::split;
use super::*;
use datasets::{SearchPath, StandIn, load};
use rand::Rng;

/// As many training and test rows as requested, disjoint, each with its own label.
#[test]
fn training_and_test_rows_are_disjoint() {
    for name in [Name::Spambase, Name::Adult, Name::Letter] {
        let dataset = load(name, &SearchPath::nowhere(), StandIn { seed: 3, rows: Some(300) }).unwrap();
        let positive: &[u32] = if name == Name::Letter { &FIRST_HALF_OF_ALPHABET } else { &[1] };
        let truth = signs(&dataset.targets, positive).unwrap();
        let known: Vec<(Vec<f64>, f64)> =
            dataset.features.iter().map(|row| row.to_dense()).zip(truth).collect();
        let mut drawn = Vec::new();
        for trial in 0..2 {
            let split = Split::draw(name, &dataset, [150, 60], 3, trial).unwrap();
            assert_eq!((split.train.size(), split.truth.len()), (150, 150));
            assert_eq!((split.test.size(), split.test_labels.len()), (60, 60));
            let train =
                split.train.matrix().iter().map(|row| row.to_dense()).zip(split.truth.iter().copied());
            let labels = split.test_labels.iter().map(|label| label.sign());
            let test = split.test.matrix().iter().map(|row| row.to_dense()).zip(labels);
            let places = |rows: &mut dyn Iterator<Item = (Vec<f64>, f64)>| -> Vec<usize> {
                rows.map(|row| known.iter().position(|known| *known == row).unwrap()).collect()
            };
            let (train, test) = (places(&mut { train }), places(&mut { test }));
            assert!(test.iter().all(|row| !train.contains(row)), "{name}: tested on what was learnt");
            drawn.push((train, test));
        }
        assert_ne!(drawn[0], drawn[1], "{name}: trials are alike");
    }
}

#[test]
fn letters_up_to_m_are_positive() {
    let dataset = load(Name::Letter, &SearchPath::nowhere(), StandIn { seed: 3, rows: Some(300) }).unwrap();
    let split = Split::draw(Name::Letter, &dataset, [200, 100], 3, 0).unwrap();
    let share = split.truth.iter().filter(|y| **y > 0.0).count() as f64 / 200.0;
    assert!((share - 0.5).abs() < 0.2, "{share}: one letter of 26 would be 0.04");
}

/// The label flips of a trial have their own random stream, different from the stream of its order.
#[test]
fn every_trial_has_its_own_label_flips() {
    let split = split(Name::Spambase, 300);
    let turned = |seed, trial| {
        let told = split.told(0.3, seed, trial).unwrap();
        told.iter().zip(&split.truth).map(|(a, b)| a != b).collect::<Vec<_>>()
    };
    let mut seen = vec![turned(3, 0), turned(3, 1), turned(3, 2), turned(4, 0)];
    assert_eq!(seen[0], turned(3, 0));
    for stream in 0..8 {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        rng.set_stream(stream);
        let coins = |_| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        seen.push((0..200).map(coins).map(|coin| coin < 0.3).collect());
    }
    for (place, one) in seen.iter().enumerate() {
        assert!(seen[..place].iter().all(|other| other != one), "{place} is as one before");
    }
    let share = seen[0].iter().filter(|turned| **turned).count() as f64 / 200.0;
    assert!((share - 0.3).abs() < 0.1, "{share}");
    assert_eq!(split.told(0.0, 3, 0).unwrap(), split.truth);
}

#[test]
fn a_shorter_training_set_keeps_the_test_rows() {
    let split = split(Name::Spambase, 300);
    let first = split.first(40).unwrap();
    assert_eq!(first.truth, split.truth[..40]);
    assert!(first.train.matrix().iter().zip(split.train.matrix().iter()).all(|(a, b)| a == b));
    assert_eq!((first.train.size(), &first.test_labels), (40, &split.test_labels));
    assert!(first.test.matrix().iter().zip(split.test.matrix().iter()).all(|(a, b)| a == b));
}
