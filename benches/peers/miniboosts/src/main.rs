//! AdaBoost over stumps by the crate miniboosts, on the files that `fastest_boosting --data FOLDER` writes:
//!
//! ```text
//! boosting-miniboosts ROUNDS FILE
//! ```
//!
//! prints the seconds per round and the final training error as a line of JSON. Columns are binned, with 255
//! bins each, and the sample is built before the clock starts.

use miniboosts::{Sample, prelude::*};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(rounds), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("ROUNDS FILE".into());
    };
    let rounds: usize = rounds.parse()?;
    let (rows, labels) = read(&std::fs::read(file)?)?;
    let sample = Sample::from_dense(&rows, Some(&labels))?;
    let learner = DecisionTreeBuilder::new(&sample).max_depth(1).build();
    let mut booster = AdaBoost::init(&sample).force_quit_at(rounds);
    let clock = Instant::now();
    let ensemble = booster.run(&learner);
    let seconds = clock.elapsed().as_secs_f64() / rounds as f64;
    let wrong = ensemble.predict_all(&sample).iter().zip(&labels).filter(|(h, y)| **h as f64 != **y).count();
    let (error, found) = (wrong as f64 / labels.len() as f64, ensemble.hypotheses.len());
    println!(r#"{{"seconds": {seconds:e}, "error": {error}, "rounds": {found}}}"#);
    Ok(())
}

type Labelled = (Vec<Vec<f64>>, Vec<f64>);

/// N, d, N rows and N labels, all of them doubles.
fn read(bytes: &[u8]) -> Result<Labelled, Box<dyn Error>> {
    let numbers: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    let [n, d, ..] = numbers[..] else { return Err("no numbers".into()) };
    let (rows, labels) = numbers[2..].split_at((n * d) as usize);
    Ok((rows.chunks_exact(d as usize).map(<[f64]>::to_vec).collect(), labels.to_vec()))
}
