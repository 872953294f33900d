//! \[BCMH20, Algorithm 3\] on matrix games: the certified gap of the average strategies against T, and the value.

use super::{LectureError, Point, generator, powers_of_two};
use oco_core::{
    BestResponse, Hedge, MatrixGame, OcoError, Ogd, OnlineLearner, Oracle, StepSchedule, TremblingHand,
    ZeroSumGame,
};
use projections::Simplex;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// How often the trembling oracle errs.
const TREMBLE: f64 = 0.05;

struct Arena {
    name: &'static str,
    game: MatrixGame,
    rows: u32,
    /// max |M_ij|.
    largest: f64,
}

/// Rock, paper, scissors with a heavy rock, and games of uniform entries in [−1, 1]: each learner plays a run for every
/// horizon, with the step that its theorem asks for.
pub(super) fn run(seed: u64, trial: u64, quick: bool) -> Result<Vec<Point>, LectureError> {
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
/// What Hedge's averages certify from below, and from above.
const BELOW: &str = "certified from below";
const ABOVE: &str = "certified from above";
/// What is known of the value of a game; a table of its own.
pub(super) const VALUES: [&str; 3] = [VALUE, BELOW, ABOVE];

fn play(
    arena: &Arena,
    player: impl OnlineLearner,
    oracle: impl Oracle,
    horizon: u32,
) -> Result<oco_core::Certificate, OcoError> {
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
