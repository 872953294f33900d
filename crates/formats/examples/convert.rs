//! Reads a log in any format and writes it in another, by the ends of the names:
//! `cargo run --release -p ocoboost-formats --example convert -- IN OUT`.

use formats::{ActionFeatures, LogOptions, Source, WriteOptions, read_log, write_log};
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &names[..] else { return Err("usage: convert IN OUT".into()) };
    let started = Instant::now();
    let options = LogOptions::default().action_features(ActionFeatures::Drop);
    let log = read_log(Source::path(from)?, &options, &mut |_| ControlFlow::Continue(()))?;
    let read = started.elapsed().as_secs_f64();
    let facts = write_log(&log, to, &WriteOptions::default())?;
    let written = started.elapsed().as_secs_f64() - read;
    println!(
        "{} rows of {} columns: read in {read:.2} s ({:.1} MB), written in {written:.2} s",
        facts.rows,
        log.contexts.dimension(),
        log.facts.bytes as f64 / 1e6
    );
    for note in log.facts.notes.iter().chain(&facts.notes) {
        println!("  {note}");
    }
    Ok(())
}
