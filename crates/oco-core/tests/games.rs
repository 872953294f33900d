//! [BCMH20, Algorithm 3]: Proposition 6 at every round, the certified gap, the two stops, and saved games.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use oco_core::games::{BestResponse, Game, MatrixGame, Oracle, Stop, TremblingHand, ZeroSumGame};
use oco_core::learners::{Hedge, LazyOgd, Ogd};
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::Simplex;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_game(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> MatrixGame {
    let row = |rng: &mut ChaCha8Rng| (0..columns).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
    MatrixGame::new(&(0..rows).map(|_| row(rng)).collect::<Vec<_>>()).unwrap()
}

fn simplex() -> Simplex {
    Simplex::new(1.0).unwrap()
}

/// Steps D/(G√t) for subgradients Mq, q in the simplex.
fn ogd(game: &MatrixGame) -> Ogd<Simplex> {
    let rows = game.dimensions().0;
    let lipschitz = (rows as f64).sqrt();
    Ogd::new(simplex(), rows, StepSchedule::zinkevich(2_f64.sqrt(), lipschitz).unwrap()).unwrap()
}

/// The vertices of the simplex and its centre.
fn comparators(n: usize) -> Vec<Vec<f64>> {
    let vertex = |i: usize| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
    (0..n).map(vertex).chain([vec![1.0 / n as f64; n]]).collect()
}

/// The right-hand side of Proposition 6 without ε₀: g(p*, q̄) + R_A(T)/T.
fn bound<A: OnlineLearner, B>(play: &ZeroSumGame<MatrixGame, A, B>, game: &MatrixGame, p: &[f64]) -> f64 {
    game.payoff(p, play.q_bar()) + play.regret_against(p).unwrap() / play.rounds() as f64
}

/// Proposition 6 with ε₀ = 0 for every p*, and the gap around the value, at every round.
fn proposition_6_holds<A: OnlineLearner>(game: &MatrixGame, player: A, rounds: u32) -> f64 {
    let value = game.value();
    let mut play = ZeroSumGame::new(game.clone(), player, BestResponse(game.clone())).unwrap();
    for _ in 0..rounds {
        play.round().unwrap();
        for p in comparators(game.dimensions().0) {
            assert!(value <= bound(&play, game, &p) + 1e-12, "{value} > {}", bound(&play, game, &p));
        }
        let certificate = play.certificate();
        assert!(certificate.min_p <= value + 1e-12 && value <= certificate.max_q + 1e-12, "{certificate:?}");
        assert!(play.average_payoff() >= value - 1e-12, "an exact answer never pays less than the value");
    }
    play.certificate().gap
}

#[test]
fn proposition_6_at_every_round_with_an_exact_oracle() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (rows, columns) in [(1, 1), (2, 2), (3, 7), (6, 4), (12, 12)] {
        let game = random_game(rows, columns, &mut rng);
        let gap = proposition_6_holds(&game, ogd(&game), 400);
        // The regret bound of the learner over T: both averages are that close to optimal.
        let rate = 1.5 * 2_f64.sqrt() * (rows as f64).sqrt() / 400_f64.sqrt();
        assert!(gap <= rate, "{gap} after 400 rounds, {rate} promised");
        proposition_6_holds(&game, LazyOgd::new(simplex(), rows, 0.05).unwrap(), 100);
        // Losses Mq of a mixed q lie in [−1, 1].
        let gap = proposition_6_holds(&game, Hedge::tuned(rows, 1.0, 400).unwrap(), 400);
        let rate = (2.0 * (rows as f64).ln() / 400.0).sqrt();
        assert!(gap <= rate + 1e-12, "{gap} after 400 rounds of Hedge, {rate} promised");
    }
}

/// With an oracle that errs: surely for its realised ε₀, and in expectation for its stated ε₀ = tremble·w,
/// with w = 2 the length of the interval of payoffs. The mean over 30 seeds may fall short by five standard
/// errors.
#[test]
fn proposition_6_with_a_trembling_oracle() {
    let (seeds, rounds, tremble) = (30, 300, 0.1);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let game = random_game(5, 6, &mut rng);
    let value = game.value();
    let promised = tremble * 2.0;
    let mut slacks = Vec::new();
    for seed in 0..seeds {
        let mut own = ChaCha8Rng::seed_from_u64(seed);
        own.set_stream(3);
        let hand = TremblingHand::new(game.clone(), tremble, own).unwrap();
        let mut play = ZeroSumGame::new(game.clone(), ogd(&game), hand).unwrap();
        let (mut error, mut best) = (0.0, vec![0.0; 6]);
        for t in 1..=rounds {
            let p = play.player().play().to_vec();
            let payoff = play.round().unwrap();
            error += game.best_response_of_b(&p, &mut best) - payoff;
            for p in comparators(5) {
                assert!(value <= bound(&play, &game, &p) + error / f64::from(t) + 1e-12);
            }
        }
        assert!(error > 0.0, "the hand trembles");
        let worst = comparators(5).iter().map(|p| bound(&play, &game, p)).fold(f64::INFINITY, f64::min);
        slacks.push(worst + promised - value);
    }
    let mean = slacks.iter().sum::<f64>() / seeds as f64;
    let spread = slacks.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (seeds - 1) as f64;
    let margin = 5.0 * (spread / seeds as f64).sqrt();
    assert!(mean >= -margin, "{mean} with margin {margin}");
}

/// M = [[1]] where player B may play up to 1/γ = 2 times its only strategy.
#[derive(Clone)]
struct Improper;

impl Game for Improper {
    fn dimensions(&self) -> (usize, usize) {
        (1, 1)
    }
    fn payoff(&self, p: &[f64], q: &[f64]) -> f64 {
        p[0] * q[0]
    }
    fn subgradient(&self, _p: &[f64], q: &[f64], gradient: &mut [f64]) {
        gradient[0] = q[0];
    }
    fn best_response_of_a(&self, q: &[f64], p: &mut [f64]) -> f64 {
        p[0] = 1.0;
        q[0]
    }
    fn best_response_of_b(&self, p: &[f64], q: &mut [f64]) -> f64 {
        q[0] = 2.0;
        2.0 * p[0]
    }
}

/// The erratum: against an improper q̄ the maximum over proper strategies falls below the minimum.
#[test]
fn the_gap_over_proper_strategies_can_be_negative() {
    let player = LazyOgd::new(simplex(), 1, 1.0).unwrap();
    let mut play = ZeroSumGame::new(Improper, player, BestResponse(Improper)).unwrap();
    play.run(8, 1e-9).unwrap();
    let over_proper = play.p_bar()[0] * 1.0;
    let certificate = play.certificate();
    assert!(over_proper - certificate.min_p < -0.99, "q̄ = 2 secures 2, a proper q at most 1");
    assert!(certificate.gap.abs() < 1e-12, "over K'_B the averages are an equilibrium");
}

#[test]
fn a_run_says_which_stop_it_was() {
    let game = MatrixGame::new(&[[1.0, -1.0], [-1.0, 1.25]]).unwrap();
    let mut play = ZeroSumGame::new(game.clone(), ogd(&game), BestResponse(game.clone())).unwrap();
    let short = play.run(5, 1e-6).unwrap();
    assert_eq!((short.stop, short.rounds), (Stop::OutOfRounds, 5));
    assert!(short.certificate.gap > 1e-6);
    let long = play.run(1_000_000, 0.05).unwrap();
    assert_eq!((long.stop, play.rounds()), (Stop::Converged, long.rounds));
    assert!(long.certificate.gap <= 0.05 && long.rounds > 5 && oco_core::regret::is_milestone(long.rounds));
    // The reported gap is that of the averages.
    let fresh = game.certificate(play.p_bar(), play.q_bar()).unwrap();
    assert!((fresh.gap - long.certificate.gap).abs() < 1e-15);
    for gap in [0.0, -1.0, f64::NAN] {
        assert!(play.run(10, gap).is_err());
    }
}

#[test]
fn a_saved_game_goes_on_bit_for_bit() {
    type Saved = ZeroSumGame<MatrixGame, Ogd<Simplex>, TremblingHand<MatrixGame>>;
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let game = random_game(4, 3, &mut rng);
    let hand = TremblingHand::new(game.clone(), 0.3, rng).unwrap();
    let mut play = ZeroSumGame::new(game.clone(), ogd(&game), hand).unwrap();
    (0..50).for_each(|_| assert!(play.round().is_ok()));
    let text = serde_json::to_string(&play).unwrap();
    let mut loaded: Saved = serde_json::from_str(&text).unwrap();
    (0..50).for_each(|_| assert_eq!(play.round(), loaded.round()));
    assert_eq!((play.p_bar(), play.q_bar()), (loaded.p_bar(), loaded.q_bar()));
    assert_eq!(play.certificate(), loaded.certificate());
    for (from, to) in [
        ("\"tremble\":0.3", "\"tremble\":1.3"),
        ("\"q_bar\":[", "\"q_bar\":[0.0,"),
        ("\"s\":1.0", "\"s\":0.0"),
    ] {
        assert!(text.contains(from), "{from} is in {text}");
        assert!(serde_json::from_str::<Saved>(&text.replace(from, to)).is_err(), "{to} is refused");
    }
    let refused = |edit: &dyn Fn(&mut serde_json::Value), fresh: bool| {
        let mut saved: serde_json::Value = serde_json::from_str(&text).unwrap();
        if fresh {
            let hand = TremblingHand::new(game.clone(), 0.3, ChaCha8Rng::seed_from_u64(4)).unwrap();
            saved = serde_json::to_value(ZeroSumGame::new(game.clone(), ogd(&game), hand).unwrap()).unwrap();
        }
        assert!(serde_json::from_value::<Saved>(saved.clone()).is_ok());
        edit(&mut saved);
        serde_json::from_value::<Saved>(saved).is_err()
    };
    assert!(refused(&|saved| saved["p_bar"] = [5.0, -3.0, -1.0, 0.0].into(), false));
    assert!(refused(&|saved| saved["p_bar"] = [0.5, 0.5, 0.5, 0.0].into(), false));
    assert!(refused(&|saved| saved["q_bar"] = [0.0, 0.0, 0.0].into(), false), "something was played");
    assert!(refused(&|saved| saved["p_bar"] = [1.0, 0.0, 0.0, 0.0].into(), true), "nothing was played");
    assert!(refused(&|saved| saved["q_bar"] = [1.0, 0.0, 0.0].into(), true), "nothing was answered");
    assert!(refused(&|saved| saved["payoffs"] = 1.0.into(), true), "nothing was paid");
    // A count at its end stays there.
    let mut late: serde_json::Value = serde_json::from_str(&text).unwrap();
    late["account"]["rounds"] = u64::MAX.into();
    let mut late: Saved = serde_json::from_value(late).unwrap();
    late.round().unwrap();
    assert_eq!(late.rounds(), u64::MAX);
}

#[test]
fn refused_rounds_change_nothing() {
    let game = MatrixGame::new(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    assert!(
        ZeroSumGame::new(game.clone(), LazyOgd::new(simplex(), 3, 1.0).unwrap(), BestResponse(game.clone()))
            .is_err()
    );
    let mut answers = [1.0, f64::NAN, 1.0].into_iter();
    let oracle = |_: &[f64], q: &mut [f64]| -> Result<(), OcoError> {
        q.copy_from_slice(&[answers.next().ok_or(OcoError::NothingPlayed)?, 0.0]);
        Ok(())
    };
    let mut play = ZeroSumGame::new(game.clone(), ogd(&game), oracle).unwrap();
    play.round().unwrap();
    let before = (play.player().play().to_vec(), play.p_bar().to_vec(), play.q_bar().to_vec());
    assert!(play.round().is_err(), "NaN");
    assert_eq!(before, (play.player().play().to_vec(), play.p_bar().to_vec(), play.q_bar().to_vec()));
    play.round().unwrap();
    assert_eq!(play.round(), Err(OcoError::NothingPlayed));
    assert_eq!(play.rounds(), 2);
    let twice = |_: &[f64], q: &mut [f64]| -> Result<(), OcoError> {
        q.fill(1.0);
        Ok(())
    };
    let refused = ZeroSumGame::new(game.clone(), ogd(&game), twice).unwrap().round();
    assert!(matches!(refused, Err(OcoError::NotADistribution { argument: "q", .. })), "{refused:?}");
    for tremble in [-0.1, 1.1, f64::NAN] {
        assert!(TremblingHand::new(game.clone(), tremble, ChaCha8Rng::seed_from_u64(0)).is_err());
    }
    assert!(
        TremblingHand::new(game, 1.0, ChaCha8Rng::seed_from_u64(0)).unwrap().respond(&[], &mut []).is_ok()
    );
}
