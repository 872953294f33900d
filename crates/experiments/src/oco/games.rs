//! \[BCMH20, Algorithm 3\] on matrix games: the certified gap of the average strategies against T, and the
//! value.

use super::{Point, generator, powers_of_two};
use crate::runner::ExperimentError;
use oco_core::games::{BestResponse, MatrixGame, Oracle, TremblingHand, ZeroSumGame};
use oco_core::learners::{Hedge, Ogd};
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::Simplex;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The error probability of the noisy oracle.
const TREMBLE: f64 = 0.05;

struct Arena {
    name: &'static str,
    game: MatrixGame,
    rows: u32,
    /// max |M_ij|.
    largest: f64,
}

/// Rock, paper, scissors with a heavy rock, and games of uniform entries in [−1, 1]: each learner plays a run
/// for every horizon, with the step of its theorem.
pub(super) fn run(seed: u64, trial: u64, quick: bool) -> Result<Vec<Point>, ExperimentError> {
    let mut points = Vec::new();
    for (number, arena) in (0..).zip(arenas(seed, trial)?) {
        let n = f64::from(arena.rows);
        let value = arena.game.equilibrium().value;
        for horizon in powers_of_two(4, if quick { 9 } else { 14 }) {
            let t = f64::from(horizon);
            let best = || BestResponse(arena.game.clone());
            let hedge = || Hedge::tuned(arena.rows as usize, arena.largest, horizon);
            // A gradient is a column of M, so its length is at most √n·max|M|.
            let ogd = Ogd::new(
                Simplex::new(1.0)?,
                arena.rows as usize,
                StepSchedule::zinkevich(2.0_f64.sqrt(), n.sqrt() * arena.largest)?,
            )?;
            let hand = TremblingHand::new(arena.game.clone(), TREMBLE, generator(seed, 300 + number, trial))?;
            let exact = play(&arena, hedge()?, best(), horizon)?;
            let mut series = vec![
                ("Hedge, best response", exact.gap),
                ("bound √(2 ln n/T)·max|M|", arena.largest * (2.0 * n.ln() / t).sqrt()),
                ("OGD, best response", play(&arena, ogd, best(), horizon)?.gap),
                ("Hedge, an oracle that errs 1 time in 20", play(&arena, hedge()?, hand, horizon)?.gap),
            ];
            if horizon == 1 << (if quick { 9 } else { 14 }) {
                series.extend([(VALUE, value), (BELOW, exact.min_p), (ABOVE, exact.max_q)]);
            }
            points.extend(series.into_iter().map(|(series, value)| Point {
                panel: arena.name.to_owned(),
                series: series.to_owned(),
                x: u64::from(horizon),
                value,
            }));
        }
    }
    Ok(points)
}

/// The value by linear programming.
pub(super) const VALUE: &str = "value";
/// The bounds on the value certified by Hedge's averages, from below and from above.
const BELOW: &str = "certified from below";
const ABOVE: &str = "certified from above";
/// The series about the value of a game, with a table of their own.
pub(super) const VALUES: [&str; 3] = [VALUE, BELOW, ABOVE];

fn play(
    arena: &Arena,
    player: impl OnlineLearner,
    oracle: impl Oracle,
    horizon: u32,
) -> Result<oco_core::games::Certificate, OcoError> {
    let mut game = ZeroSumGame::new(arena.game.clone(), player, oracle)?;
    for _ in 0..horizon {
        game.round()?;
    }
    Ok(game.certificate())
}

fn arenas(seed: u64, trial: u64) -> Result<Vec<Arena>, OcoError> {
    let heavy_rock = [[0.0, 1.0, -1.0], [-1.0, 0.0, 0.5], [1.0, -0.5, 0.0]];
    let mut rng = generator(seed, 200, trial);
    let mut arenas = vec![Arena {
        name: "rock, paper, scissors",
        game: MatrixGame::new(&heavy_rock)?,
        rows: 3,
        largest: 1.0,
    }];
    for (name, rows, columns) in [("random 20×20", 20, 20), ("random 50×200", 50, 200)] {
        arenas.push(Arena { name, game: uniform(rows, columns, &mut rng)?, rows, largest: 1.0 });
    }
    Ok(arenas)
}

fn uniform(rows: u32, columns: u32, rng: &mut ChaCha8Rng) -> Result<MatrixGame, OcoError> {
    let mut row = || (0..columns).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
    MatrixGame::new(&(0..rows).map(|_| row()).collect::<Vec<_>>())
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests {
    use super::*;

    const HEAVY_ROCK: [[f64; 3]; 3] = [[0.0, 1.0, -1.0], [-1.0, 0.0, 0.5], [1.0, -0.5, 0.0]];

    fn of(points: &[Point], panel: &str, series: &str, horizon: u32) -> Option<f64> {
        let found = |p: &&Point| p.panel == panel && p.series == series && p.x == u64::from(horizon);
        points.iter().find(found).map(|point| point.value)
    }

    /// A game that is its own negative transpose is fair: its value is 0, and here (1/5, 2/5, 2/5) secures
    /// it.
    #[test]
    fn the_value_of_a_known_game_is_known_and_certified_from_both_sides() {
        let points = run(6, 0, true).unwrap();
        let at = |series: &str| of(&points, "rock, paper, scissors", series, 512).unwrap();
        assert!(at(VALUE).abs() < 1e-12);
        assert!(at(BELOW) < 0.0 && at(ABOVE) > 0.0);
        for panel in ["rock, paper, scissors", "random 20×20", "random 50×200"] {
            let at = |series: &str| of(&points, panel, series, 512).unwrap();
            assert!((at(ABOVE) - at(BELOW) - at("Hedge, best response")).abs() < 1e-12, "{panel}");
            assert!(at(BELOW) <= at(VALUE) + 1e-12 && at(VALUE) <= at(ABOVE) + 1e-12, "{panel}");
            assert_eq!(of(&points, panel, VALUE, 256), None, "values are those after the last horizon");
        }
    }

    #[test]
    fn gaps_are_those_of_the_named_players_after_the_stated_rounds() {
        let game = MatrixGame::new(&HEAVY_ROCK).unwrap();
        for trial in [0, 1] {
            let points = run(6, trial, true).unwrap();
            for horizon in [16, 512] {
                let hedge = || Hedge::tuned(3, 1.0, horizon).unwrap();
                let steps = StepSchedule::zinkevich(2.0_f64.sqrt(), 3.0_f64.sqrt()).unwrap();
                let ogd = Ogd::new(Simplex::new(1.0).unwrap(), 3, steps).unwrap();
                let hand = TremblingHand::new(game.clone(), 0.05, generator(6, 300, trial)).unwrap();
                let exact = played(&game, hedge(), BestResponse(game.clone()), horizon);
                let by_ogd = played(&game, ogd, BestResponse(game.clone()), horizon);
                let erring = played(&game, hedge(), hand, horizon);
                let at = |series: &str| of(&points, "rock, paper, scissors", series, horizon).unwrap();
                assert_eq!(at("Hedge, best response"), exact);
                assert_eq!(at("OGD, best response"), by_ogd);
                assert_eq!(at("Hedge, an oracle that errs 1 time in 20"), erring);
                // In 16 rounds the oracle may well not err.
                assert!(exact != by_ogd && (exact != erring || horizon == 16));
                let bound = (2.0 * 3.0_f64.ln() / f64::from(horizon)).sqrt();
                assert!((at("bound √(2 ln n/T)·max|M|") - bound).abs() < 1e-12);
            }
        }
    }

    fn played(game: &MatrixGame, player: impl OnlineLearner, oracle: impl Oracle, rounds: u32) -> f64 {
        let mut game = ZeroSumGame::new(game.clone(), player, oracle).unwrap();
        for _ in 0..rounds {
            game.round().unwrap();
        }
        game.certificate().gap
    }

    #[test]
    fn games_are_drawn_per_trial_with_the_stated_largest_entry() {
        let values =
            |trial| arenas(6, trial).unwrap().iter().map(|a| a.game.equilibrium().value).collect::<Vec<_>>();
        let (a, b) = (values(0), values(1));
        assert!(a[0].abs() < 1e-12 && b[0].abs() < 1e-12);
        assert!(a[1] != b[1] && a[2] != b[2], "{a:?} {b:?}");
        for (arena, (rows, columns)) in arenas(6, 0).unwrap().iter().zip([(3, 3), (20, 20), (50, 200)]) {
            assert_eq!((arena.game.rows(), arena.game.columns(), arena.rows as usize), (rows, columns, rows));
        }
    }
}
