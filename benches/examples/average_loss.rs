//! The average loss of the benchmarked boosters, one JSON line per case, for comparison with a peer:
//!
//! ```text
//! cargo run --release -p benches --example average_loss | python benches/peers/rounds_numpy.py --check
//! ```
//!
//! Directions and noise of the bandit rounds are those of the stream, not the booster's own.

use benches::{CASES, LEARNERS, ROWS, Stream, bandit, full_information};
use oco_core::losses::SquaredLoss;
use std::error::Error;
use weak_learners::FullInformationPredictor;

/// The number of passes through the stream.
const PASSES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    for case in CASES {
        let stream = Stream::new(case)?;
        let (mut teacher, mut listener) = (full_information(case)?, bandit(case)?);
        let mut totals = [0.0, 0.0];
        for _ in 0..PASSES {
            for (i, x) in stream.rows.iter().enumerate() {
                let label = stream.labels[i];
                let lost = |y: f64| (y - label) * (y - label);
                totals[0] += lost(teacher.round(x, &SquaredLoss::new(&[label])?)?[0]);

                let this_round = i * LEARNERS..(i + 1) * LEARNERS;
                let mut noise = stream.noise[this_round.clone()].iter();
                let mut directions = stream.directions[this_round].iter();
                let mut answer = |y: &[f64]| lost(y[0]) + noise.next().unwrap_or(&f64::NAN);
                let draw = |_: &mut _, v: &mut [f64]| v.fill(*directions.next().unwrap_or(&f64::NAN));
                listener.round_with(x, &mut answer, draw)?;
                totals[1] += lost(listener.played()[0]);
            }
        }
        for (feedback, total) in ["full information", "bandit"].iter().zip(totals) {
            #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
            let average = total / (PASSES * ROWS) as f64;
            println!(
                r#"{{"case": "{}", "feedback": "{feedback}", "passes": {PASSES}, "average_loss": {average}}}"#,
                case.name
            );
        }
    }
    Ok(())
}
