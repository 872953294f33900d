//! The rounds of `rounds_of_ranks` on ranks of MPI:
//!
//! ```text
//! cargo build --release -p benches --features mpi --example mpi_rounds
//! mpirun -n 2 target/release/examples/mpi_rounds [ROUNDS [CASE]] [--threads K] [--json]
//! ```
//!
//! Rank 0 prints the median round of the later half, or with `--json` every round.

use benches::off_policy::{History, Problem};
use mpi_ranks::MpiRanks;
use std::error::Error;
use weak_learners::{Communicator, Ranks};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_json = arguments.iter().any(|argument| argument == "--json");
    arguments.retain(|argument| argument != "--json");
    let threads = match arguments.iter().position(|argument| argument == "--threads") {
        Some(at) => {
            let named: Vec<String> = arguments.drain(at..(at + 2).min(arguments.len())).collect();
            named.get(1).ok_or("--threads needs a number")?.parse()?
        }
        None => 1,
    };
    let rounds = arguments.first().map_or(Ok(20), |rounds| rounds.parse())?;
    let case = arguments.get(1).map_or("covertype", String::as_str);
    let ranks = MpiRanks::builder().start()?;
    // One rank has no one to talk to.
    let ranks = if ranks.size() == 1 { Ranks::alone() } else { Ranks::of(ranks) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let work = || rounds_of(case, rounds, &ranks).map_err(|error| error.to_string());
    let History { seconds, leaves, traffic, model, .. } = pool.install(work)?;
    if ranks.rank() > 0 {
        return Ok(());
    }
    if is_json {
        let bytes: Vec<u64> = traffic.iter().map(|round| round.bytes * ranks.size() as u64).collect();
        let messages: Vec<u64> = traffic.iter().map(|round| round.messages).collect();
        println!(
            r#"{{"seconds": {seconds:?}, "bytes": {bytes:?}, "messages": {messages:?}, "leaves": {leaves:?}, "model": "{model:016x}"}}"#
        );
        return Ok(());
    }
    let mut later = seconds.get(rounds / 2..).unwrap_or_default().to_vec();
    later.sort_by(f64::total_cmp);
    let middle = later.get(later.len() / 2).copied().unwrap_or(f64::NAN);
    println!(
        "{} ranks of {threads} threads: {:.1} ms a round, model {model:016x}",
        ranks.size(),
        1e3 * middle
    );
    Ok(())
}

fn rounds_of(case: &str, rounds: usize, ranks: &Ranks) -> Result<History, Box<dyn Error>> {
    let problem = match case {
        "made-up" => Problem::synthetic(200_000, 20, 8, 15)?,
        name => Problem::real(name)?.ok_or("the files are not there")?,
    };
    problem.of_rank(ranks)?.run_of_rank(rounds, ranks)
}
