//! Tuning on problems with a known best setting.

use super::*;
use boosters::feedback::Noise;
use rows::RowMatrix;
use std::collections::BTreeMap;
use std::sync::Mutex;

const FIXED: fn() -> Fixed = || Fixed { delta: 0.5, noise: Noise::uniform(0.1).unwrap() };

fn settings(count: u32) -> Vec<Setting> {
    (0..count).map(|n| Setting { n, lr: 0.1, c: 0.5, advantage: 1.0 }).collect()
}

/// Constant rows, so that the loss of a setting follows from the labels alone.
fn halves(tuning: Vec<f64>, reporting: Vec<f64>) -> Halves {
    let (t, n) = (tuning.len(), tuning.len() + reporting.len());
    Halves {
        features: RowMatrix::dense(1, vec![1.0; n]).unwrap(),
        labels: tuning.into_iter().chain(reporting).collect(),
        tuning: (0..t).collect(),
        reporting: (t..n).collect(),
        radius: 1.0,
    }
}

#[test]
fn the_best_quarter_advances_and_the_best_of_the_last_rung_wins() {
    let asked: Mutex<BTreeMap<usize, Vec<u32>>> = Mutex::default();
    // The first rung prefers small n, the second large n, the last small n again: of 20 settings 0 to 4
    // advance, then 3 and 4.
    let loss = |setting: &Setting, length: usize| {
        asked.lock().unwrap().entry(length).or_default().push(setting.n);
        let n = f64::from(setting.n);
        Ok::<_, ()>(if length == 4_000 { -n } else { n + 0.5 })
    };
    let found = halving(settings(20), 16_000, loss).unwrap().unwrap();
    assert_eq!((found.setting.n, found.loss), (3, 3.5));
    let mut asked = asked.into_inner().unwrap();
    asked.values_mut().for_each(|of_rung| of_rung.sort_unstable());
    let expected = [(1_000, (0..20).collect()), (4_000, (0..5).collect()), (16_000, vec![3, 4])];
    assert_eq!(asked, BTreeMap::from(expected));
}

#[test]
fn rungs_that_are_too_short_are_left_out() {
    let rungs = |whole: usize| {
        let asked = Mutex::new(Vec::new());
        let loss = |_: &Setting, length: usize| {
            asked.lock().unwrap().push(length);
            Ok::<_, ()>(0.0)
        };
        halving(settings(1), whole, loss).unwrap().unwrap();
        asked.into_inner().unwrap()
    };
    assert_eq!(rungs(3_999), [3_999]);
    assert_eq!(rungs(4_000), [1_000, 4_000]);
    assert_eq!(rungs(16_000), [1_000, 4_000, 16_000]);
    // Ties go to the first setting, and a diverged run never wins against another.
    let tied = halving(settings(3), 10, |_, _| Ok::<_, ()>(1.0)).unwrap().unwrap();
    assert_eq!(tied.setting.n, 0);
    let lost = |setting: &Setting, _| Ok::<_, ()>(if setting.n < 2 { f64::MAX } else { 9.0 });
    assert_eq!(halving(settings(3), 10, lost).unwrap().unwrap().setting.n, 2);
    assert_eq!(halving(Vec::new(), 10, |_, _| Ok::<_, ()>(1.0)).unwrap(), None);
    assert_eq!(halving(settings(3), 10, |_, _| Err("refused")), Err("refused"));
}

/// The labels of one half are ½, so long steps are best; the labels of the other alternate between ±½, so
/// step 0 is best.
#[test]
fn the_setting_is_the_best_of_the_tuning_half() {
    let (still, turning): (Vec<f64>, Vec<f64>) =
        (vec![0.5; 300], (0..300).map(|i| if i % 2 == 0 { 0.5 } else { -0.5 }).collect());
    let grid = Grid { lr: vec![1e-6, 1e-3, 0.1], c: vec![0.25, 1.0], n: vec![2], advantage: vec![1.0] };
    let a = halves(still.clone(), turning.clone());
    let b = halves(turning, still);
    for method in [Method::Ogd, Method::OnlineBoosting, Method::OgdLargeBall] {
        let of = |halves: &Halves| tune(method, &grid, 1, FIXED(), halves, 7).unwrap();
        assert_eq!([of(&a).setting.lr, of(&b).setting.lr], [0.1, 1e-6], "{method:?}");
        for halves in [&a, &b] {
            let losses = grid.settings(method, 1).into_iter().map(|setting| {
                progressive(method, setting, FIXED(), halves, &halves.tuning, 7).unwrap().average
            });
            assert_eq!(of(halves).loss, losses.fold(f64::INFINITY, f64::min), "{method:?}");
        }
    }
    let empty = Grid { lr: Vec::new(), ..grid };
    assert!(matches!(tune(Method::Ogd, &empty, 1, FIXED(), &a, 7), Err(ExperimentError::EmptyGrid)));
}

#[test]
fn a_noisy_loss_is_the_mean_of_draws_that_differ() {
    let halves = halves(vec![0.5; 200], vec![-0.5; 200]);
    let grid = Grid { lr: vec![0.1], c: vec![0.5], n: vec![3], advantage: vec![1.0] };
    for method in [Method::NFkm, Method::BanditBoosting, Method::OneQueryFkm, Method::NFkmLargeBall] {
        let setting = grid.settings(method, 3)[0];
        let of = |seed| progressive(method, setting, FIXED(), &halves, &halves.tuning, seed).unwrap().average;
        let losses = [70, 71, 72, 73].map(of);
        assert!((1..4).all(|i| !losses[..i].contains(&losses[i])), "{method:?}: {losses:?}");
        let found = tune(method, &grid, 3, FIXED(), &halves, 70).unwrap();
        assert_eq!(found.loss, losses.iter().fold(0.0, |sum, loss| sum + loss / 4.0), "{method:?}");
    }
    // A diverged draw does not overflow the mean.
    assert_eq!(mean_over_draws(4, |_| Ok::<_, ()>(f64::MAX)), Ok(f64::MAX));
}

#[test]
fn short_rungs_of_noisy_methods_take_up_to_four_draws() {
    for (length, expected) in
        [(10, 4), (1_000, 4), (2_500, 4), (2_501, 3), (5_000, 2), (5_001, 1), (90_000, 1)]
    {
        assert_eq!(draws(Method::BanditBoosting, length), expected, "{length}");
        assert_eq!(draws(Method::OnlineBoosting, length), 1, "{length}");
    }
}

#[test]
fn a_method_tries_only_its_own_parameters() {
    let grid = Grid { lr: vec![0.1, 0.2], c: vec![0.5], n: vec![5, 15], advantage: vec![1.0, 0.3] };
    let tried = |method| -> Vec<(u32, f64)> {
        let mut pairs: Vec<_> = grid.settings(method, 9).iter().map(|s| (s.n, s.advantage)).collect();
        assert!(grid.settings(method, 9).iter().all(|s| s.c == 0.5 && grid.lr.contains(&s.lr)));
        assert_eq!(pairs.iter().filter(|pair| **pair == pairs[0]).count(), 2, "each with both steps");
        pairs.dedup();
        pairs
    };
    for method in Method::ALL {
        let expected: &[(u32, f64)] = match method {
            Method::Ogd | Method::OneQueryFkm => &[(1, 1.0)],
            Method::NFkm => &[(9, 1.0)],
            Method::OgdLargeBall => &[(1, 1.0), (1, 0.3)],
            Method::NFkmLargeBall => &[(9, 1.0), (9, 0.3)],
            Method::OnlineBoosting | Method::BanditBoosting => &[(5, 1.0), (5, 0.3), (15, 1.0), (15, 0.3)],
        };
        assert_eq!(tried(method), expected, "{method:?}");
    }
    assert_eq!(Grid::full().settings(Method::BanditBoosting, 1).len(), 7 * 4 * 3 * 3);
}
