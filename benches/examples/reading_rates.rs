//! Rows a second of `formats` on logs in several formats, beside which `benches/peers/reading_rates.py` sets
//! pandas, pyarrow and Vowpal Wabbit.
//!
//! ```text
//! cargo run --release -p benches --example reading_rates -- FILE …
//! ```
//!
//! A line a file: its name, rows, and the seconds of the fastest of three readings, as a log with coded
//! contexts.

use formats::{LogOptions, Source, quiet, read_log};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let (mut rows, mut fastest) = (0, f64::INFINITY);
        for _ in 0..3 {
            let begun = Instant::now();
            let read = read_log(Source::path(&path)?, &LogOptions::default(), &mut quiet)?;
            fastest = fastest.min(begun.elapsed().as_secs_f64());
            rows = read.actions.len();
        }
        println!("{path}\t{rows}\t{fastest}");
    }
    Ok(())
}
