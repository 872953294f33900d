//! Reads a log whose actions have features and says what is in it: `cargo run --release
//! -p ocoboost-formats --example candidates -- LOG [--identities] [FEATURES OF PAIRS ...]`.

use formats::{LogOptions, Source, quiet, read_candidates};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let has_identities = names.iter().any(|name| name == "--identities");
    names.retain(|name| name != "--identities");
    let [log, pairs @ ..] = &names[..] else {
        return Err("usage: candidates LOG [--identities] [FEATURES OF PAIRS ...]".into());
    };
    let started = Instant::now();
    let options = LogOptions::default().identities(has_identities).pair_features(pairs);
    let read = read_candidates(Source::path(log)?, &options, &mut quiet)?;
    let seconds = started.elapsed().as_secs_f64();
    let (candidates, shape) = (&read.candidates, read.candidates.shape());
    println!(
        "{} choices among {} candidates: {} columns of contexts, {} of pairs, {} of items, {} identities; read in \
         {seconds:.2} s ({:.1} MB)",
        candidates.len(),
        candidates.pairs(),
        shape.contexts,
        shape.features,
        shape.items,
        shape.identities,
        read.facts.bytes as f64 / 1e6
    );
    for skipped in &read.facts.skipped {
        println!("  skipped: {skipped}");
    }
    for note in &read.facts.notes {
        println!("  {note}");
    }
    Ok(())
}
