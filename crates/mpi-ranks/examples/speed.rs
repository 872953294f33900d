//! The time of a sum over ranks, on the machines and the network at hand:
//!
//! ```text
//! cargo build --release -p ocoboost-mpi-ranks --features mpi --example speed
//! mpirun -n 2 target/release/examples/speed
//! ```

use mpi_ranks::MpiRanks;
use ranks::{RankError, Ranks};
use std::time::Instant;

/// Microseconds an operation takes, the median of many.
fn median(times: usize, mut operation: impl FnMut() -> Result<(), RankError>) -> Result<f64, RankError> {
    let mut taken = Vec::new();
    for _ in 0..times {
        let begun = Instant::now();
        operation()?;
        taken.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    taken.sort_by(f64::total_cmp);
    Ok(taken.get(times / 2).copied().unwrap_or_default())
}

fn main() -> Result<(), RankError> {
    let ranks = Ranks::of(MpiRanks::builder().start()?);
    // A number, a histogram of 16 columns by 256 bins, and one of some 800.
    for (bytes, times) in [(8, 2001), (96 << 10, 501), (4_700_000, 101)] {
        let mut numbers = vec![1; bytes / 8];
        let mut lengths = vec![numbers.len() / ranks.size(); ranks.size()];
        lengths[0] += numbers.len() % ranks.size();
        let sum = median(times, || ranks.sum(&mut numbers))?;
        let scattered = median(times, || ranks.sum_scatter(&mut numbers, &lengths).map(|_| ()))?;
        if ranks.rank() == 0 {
            println!("{bytes} bytes: {sum:.1} µs, to each its run {scattered:.1} µs");
        }
    }
    Ok(())
}
