//! Rounds and floors, timed on a machine with other load: the contenders take turns in stretches of 100
//! rounds, and the fastest stretch of each counts. The output is one row per case of the table in
//! `docs/benchmarks.md`.

use benches::{CASES, Case, Floor, NOISE, Stream, bandit, full_information};
use boosters::feedback::Noise;
use oco_core::losses::SquaredLoss;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::slice::from_ref;
use std::time::Instant;
use weak_learners::{BanditPredictor, FullInformationPredictor};

const ROUNDS: u32 = 100;
const TURNS: usize = 5000;

fn main() -> Result<(), Box<dyn Error>> {
    println!("| case | feedback | rounds/s | round ns | floor ns | floor on slices ns | round / floor |");
    println!("|---|---|--:|--:|--:|--:|--:|");
    for case in CASES {
        let [full, bandit, floor, slices] = fastest(case)?;
        for (feedback, round) in [("full information", full), ("bandit", bandit)] {
            println!(
                "| {} | {feedback} | {:.0} | {round:.0} | {floor:.0} | {slices:.0} | {:.2} |",
                case.name,
                1e9 / round,
                round / floor
            );
        }
    }
    Ok(())
}

/// Nanoseconds per round of the fastest stretch: full information, bandit, floor on rows, floor on slices.
fn fastest(case: Case) -> Result<[f64; 4], Box<dyn Error>> {
    let (stream, noise) = (Stream::new(case)?, Noise::uniform(NOISE)?);
    let (mut teacher, mut listener) = (full_information(case)?, bandit(case)?);
    let (mut on_rows, mut on_slices) = (Floor::new(case), Floor::new(case));
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut examples = stream.examples();
    let mut fastest = [f64::INFINITY; 4];
    for _ in 0..TURNS {
        for (what, fastest) in fastest.iter_mut().enumerate() {
            let start = Instant::now();
            for (x, label) in examples.by_ref().take(ROUNDS as usize) {
                match what {
                    0 => {
                        teacher.round(x, &SquaredLoss::new(from_ref(label))?)?;
                    }
                    1 => {
                        listener.round(x, &mut |y| (y[0] - label).powi(2) + noise.draw(&mut rng))?;
                    }
                    2 => on_rows.round_on_rows(x),
                    _ => on_slices.round_on_slices(x),
                }
            }
            *fastest = fastest.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS));
        }
    }
    Ok(fastest)
}
