//! Codes and their decoding: [ASS00, Theorem 1] one example at a time, for any code and any scores.

use boosters::maboost::{BoostError, ClassExamples, CodeError, Decoding, OutputCode};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use weak_learners::LearnerError;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The distance of two rows, from its definition.
fn distance(code: &OutputCode, r: usize, s: usize) -> f64 {
    let bits = code.row(r).iter().zip(code.row(s));
    bits.map(|(a, b)| if a * b == 0 { 0.5 } else { f64::from(u8::from(a != b)) }).sum()
}

#[test]
fn the_known_codes_have_their_known_distances() {
    for k in 2..=12 {
        let (one_vs_rest, pairs) = (OutputCode::one_vs_rest(k).unwrap(), OutputCode::one_vs_one(k).unwrap());
        assert_eq!((one_vs_rest.columns(), one_vs_rest.least_distance()), (k, 2.0));
        let columns = k * (k - 1) / 2;
        assert_eq!(pairs.columns(), columns);
        assert_eq!(pairs.least_distance(), 1.0 + (columns as f64 - 1.0) / 2.0);
        let exhaustive = OutputCode::exhaustive(k).unwrap();
        assert_eq!(exhaustive.columns(), (1 << (k - 1)) - 1);
        assert_eq!(exhaustive.least_distance(), 2_f64.powi(i32::try_from(k).unwrap() - 2).max(1.0));
    }
    assert!(matches!(OutputCode::exhaustive(13), Err(CodeError::TooManyClasses { classes: 13, .. })));
    for few in [0, 1] {
        let too_few = Err(CodeError::TooFewClasses { classes: few });
        assert_eq!(OutputCode::one_vs_rest(few), too_few);
        assert_eq!(OutputCode::one_vs_one(few), too_few);
        assert_eq!(OutputCode::exhaustive(few), too_few);
        assert_eq!(OutputCode::random_dense(few, 5, 1.0, &mut rng(1)), too_few);
    }
}

#[test]
fn a_random_code_keeps_the_distance_that_was_asked_for_and_comes_from_its_seed() {
    for (k, columns) in [(4, 20), (26, 47)] {
        let dense = |least, seed| OutputCode::random_dense(k, columns, least, &mut rng(seed));
        let code = dense(4.0, 1).unwrap();
        let pairs = (0..k).flat_map(|r| (0..r).map(move |s| (r, s)));
        let least = pairs.map(|(r, s)| distance(&code, r, s)).fold(f64::INFINITY, f64::min);
        assert!(least >= 4.0 && code.least_distance() == least);
        assert_eq!(dense(4.0, 1), Ok(code.clone()));
        assert_ne!(dense(4.0, 2), Ok(code));
        let too_close = dense(columns as f64, 1).unwrap_err();
        assert!(matches!(too_close, CodeError::TooClose { best, .. } if best >= least), "{too_close}");
        let sparse = OutputCode::random_sparse(k, columns, 3.0, &mut rng(1)).unwrap();
        let zeros = (0..k).flat_map(|r| sparse.row(r)).filter(|entry| **entry == 0).count();
        let share = zeros as f64 / (k * columns) as f64;
        assert!((0.2..0.6).contains(&share), "{share}");
    }
    let hopeless = OutputCode::random_dense(5, 2, 0.0, &mut rng(1)).unwrap_err();
    let too_close = CodeError::TooClose { wanted: 0.0, best: 0.0, draws: 100 };
    assert_eq!(hopeless, too_close);
    // More classes than there are words: known before anything is drawn.
    for (k, columns) in [(usize::MAX, 0), (1 << 52, 3), (10, 2)] {
        assert_eq!(OutputCode::random_dense(k, columns, 0.0, &mut rng(1)), Err(too_close.clone()));
        assert_eq!(OutputCode::random_sparse(k, columns, 0.0, &mut rng(1)), Err(too_close.clone()));
    }
    let too_large = OutputCode::random_sparse(1 << 52, 60, 0.0, &mut rng(1));
    assert!(matches!(too_large, Err(CodeError::TooLarge { columns: 60, .. })), "{too_large:?}");
    assert!(OutputCode::random_sparse(9, 2, 0.0, &mut rng(1)).is_err_and(|error| error == too_close));
}

#[test]
fn a_matrix_that_is_no_code_is_refused_and_not_loaded() {
    let one_sided = CodeError::OneSidedColumn { column: 1 };
    let matrices = [
        (vec![], CodeError::TooFewClasses { classes: 0 }),
        (vec![vec![1]], CodeError::TooFewClasses { classes: 1 }),
        (vec![vec![1, -1], vec![-1]], CodeError::RaggedRow { row: 1, expected: 2, got: 1 }),
        (vec![vec![1, -1], vec![-1, 2]], CodeError::BadEntry { row: 1, column: 1, value: 2 }),
        (vec![vec![1, -128], vec![-1, 1]], CodeError::BadEntry { row: 0, column: 1, value: -128 }),
        (vec![vec![1, 1], vec![-1, 0]], one_sided.clone()),
        (vec![vec![1, -1], vec![-1, -1]], one_sided),
        (vec![vec![], vec![]], CodeError::EmptyRow { row: 0 }),
        (vec![vec![1], vec![-1], vec![0]], CodeError::EmptyRow { row: 2 }),
        (vec![vec![1], vec![-1], vec![1]], CodeError::EqualRows { first: 0, second: 2 }),
    ];
    for (matrix, error) in matrices {
        let text = serde_json::to_string(&matrix).unwrap();
        assert_eq!(OutputCode::new(matrix), Err(error));
        assert!(serde_json::from_str::<OutputCode>(&text).is_err());
    }
    let code = OutputCode::one_vs_one(4).unwrap();
    let text = serde_json::to_string(&code).unwrap();
    assert_eq!(serde_json::from_str::<OutputCode>(&text).unwrap(), code);
    let scores = code.decode(&[1.0; 5], Decoding::Hamming);
    assert_eq!(scores, Err(CodeError::ScoreCount { expected: 6, got: 5 }.into()));
    assert!(code.decode(&[f64::NAN; 6], Decoding::Linear).is_err());
}

const ALL: [Decoding; 3] = [Decoding::Hamming, Decoding::Linear, Decoding::Exponential];

proptest! {
    /// An example that is decoded to another class than y is charged ρL(0) or more by the word of y.
    #[test]
    fn a_wrong_answer_is_paid_for(seed in 0_u64..100_000, k in 2_usize..7, sparse: bool) {
        let mut draws = rng(seed);
        let columns = 3 * k;
        let code = if sparse {
            OutputCode::random_sparse(k, columns, 0.0, &mut draws)
        } else {
            OutputCode::random_dense(k, columns, 0.0, &mut draws)
        };
        let code = code.unwrap();
        let scores: Vec<f64> = (0..columns).map(|_| draws.random_range(-2.0..2.0)).collect();
        for (by, at_zero) in [(Decoding::Hamming, 0.5), (Decoding::Exponential, 1.0)] {
            let answer = code.decode(&scores, by).unwrap() as usize;
            for wrong in (0..k).filter(|class| *class != answer) {
                let charge = by.charge(code.row(wrong), &scores);
                let bound = code.least_distance() * at_zero;
                prop_assert!(charge >= bound - 1e-9, "{by:?}: {charge} < {bound}");
            }
        }
    }

    /// The answer has the least charge, and does not depend on how large the scores are.
    #[test]
    fn the_answer_is_charged_least(seed in 0_u64..100_000, unit in prop::sample::select(vec![1.0, 1e-3, 300.0])) {
        let mut draws = rng(seed);
        let code = OutputCode::random_sparse(5, 12, 1.0, &mut draws).unwrap();
        let scores: Vec<f64> = (0..12).map(|_| unit * draws.random_range(-1.0..1.0)).collect();
        for by in ALL {
            let answer = code.decode(&scores, by).unwrap() as usize;
            let charges: Vec<f64> = (0..5).map(|class| by.charge(code.row(class), &scores)).collect();
            let least = charges.iter().copied().fold(f64::INFINITY, f64::min);
            prop_assert!(charges[answer] <= least + 1e-9 * least.abs(), "{by:?}: {charges:?} {answer}");
        }
    }
}

/// The bound cannot be improved: half of ρ wrong bits are enough for a wrong answer.
#[test]
fn half_the_distance_in_wrong_bits_misleads() {
    let code = OutputCode::exhaustive(4).unwrap();
    let (right, wrong) = (code.row(3), code.row(0));
    let differing: Vec<usize> = (0..code.columns()).filter(|&l| right[l] != wrong[l]).collect();
    let mut scores: Vec<f64> = right.iter().map(|bit| f64::from(*bit)).collect();
    for &l in &differing[..2] {
        scores[l] = -scores[l];
    }
    assert_eq!(code.decode(&scores, Decoding::Hamming), Ok(0));
    assert_eq!(Decoding::Hamming.charge(right, &scores), code.least_distance() / 2.0);
    scores[differing[0]] = -scores[differing[0]];
    assert_eq!(code.decode(&scores, Decoding::Hamming), Ok(3));
}

#[test]
fn scores_of_any_size_have_an_answer() {
    let code = OutputCode::one_vs_rest(3).unwrap();
    for unit in [1e308, 1e5, 1.0, 5e-324] {
        assert_eq!(code.decode(&[-unit, unit, -unit], Decoding::Linear), Ok(1), "{unit}");
        assert_eq!(code.decode(&[-unit, unit, -unit], Decoding::Hamming), Ok(1), "{unit}");
    }
    for unit in [1e308, 1e5, 1.0] {
        assert_eq!(code.decode(&[-unit, -unit, unit], Decoding::Exponential), Ok(2), "{unit}");
    }
}

#[test]
fn a_column_gives_its_labels_to_the_classes_that_take_part() {
    let code = OutputCode::one_vs_one(3).unwrap();
    let examples = ClassExamples::class_weighted(vec![2, 0, 1, 0], &[1.0, 4.0, 2.0]).unwrap();
    assert_eq!(examples.shares(), [0.25, 0.125, 0.5, 0.125]);
    let column = examples.column(&code, 2).unwrap(); // 1 against 2
    assert_eq!(column.counted().collect::<Vec<_>>(), [0, 2]);
    assert!((column.start()[1] - 2.0 / 3.0).abs() < 1e-15);
    let out_of_range = CodeError::ClassOutOfRange { index: 1, class: 3, classes: 3 };
    let stray = ClassExamples::uniform(vec![0, 3]).unwrap();
    assert_eq!(stray.column(&code, 0), Err(BoostError::Code(out_of_range.clone())));
    assert_eq!(ClassExamples::class_weighted(vec![0, 3], &[1.0; 3]), Err(BoostError::Code(out_of_range)));
    assert!(examples.column(&code, 3).is_err(), "there are columns 0 to 2");
    let absent = ClassExamples::uniform(vec![0]).unwrap().column(&code, 2);
    assert_eq!(absent, Err(BoostError::Learner(LearnerError::ZeroWeights)));
    assert!(ClassExamples::uniform(vec![]).is_err());
    assert!(ClassExamples::weighted(vec![0, 1], &[1.0]).is_err());
    assert!(ClassExamples::weighted(vec![0, 1], &[0.0, 0.0]).is_err());
}

/// A matrix that no memory holds is refused before it is made.
#[test]
fn a_code_out_of_hand_is_refused() {
    let mut rng = rng(1);
    for classes in [1 << 13, 1 << 40, (1 << 53) + 1, usize::MAX] {
        let refused = [
            OutputCode::one_vs_rest(classes),
            OutputCode::one_vs_one(classes),
            OutputCode::random_dense(classes, 1 << 13, 1.0, &mut rng),
            OutputCode::random_sparse(2, classes.saturating_mul(1 << 12), 1.0, &mut rng),
            OutputCode::random_dense(2, classes.saturating_mul(1 << 12), 1.0, &mut rng),
        ];
        assert!(OutputCode::exhaustive(classes).is_err());
        for code in refused {
            assert!(matches!(code, Err(CodeError::TooLarge { .. })), "{classes}: {code:?}");
        }
    }
}
