//! Rounds of BOPL-S-regr on the rows of several ranks, which are threads of this process.
//!
//! ```text
//! rounds_of_ranks [ROUNDS [CASE]]      20 rounds of covertype; `made-up` needs no files
//! rounds_of_ranks --plan               4 to 256 machines, by the model of `benches::machines`
//! ```
//!
//! A row a way to run the same rounds: seconds, and what a rank exchanges in one. All make the same
//! model, to the bit, or the program fails.

use benches::machines::{Rates, Round, Shape};
use benches::off_policy::{History, Problem};
use ranks::on_threads;
use std::error::Error;
use std::time::Duration;
use weak_learners::Ranks;

/// The seconds of a pair on two threads, and of a byte that is packed, carried within a machine and unpacked:
/// 127 ms a round of Covertype in one process, and 140 on two ranks of a thread, for 21 MB a rank.
const PAIR: f64 = 43e-9;
const PACK: f64 = 0.6e-9;
/// How long a rank waits for another.
const LIMIT: Duration = Duration::from_secs(600);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--plan") {
        plan();
        return Ok(());
    }
    let rounds = arguments.first().map_or(Ok(20), |rounds| rounds.parse())?;
    let problem = match arguments.get(1).map_or("covertype", String::as_str) {
        "made-up" => Problem::synthetic(200_000, 20, 8, 15)?,
        name => Problem::real(name)?.ok_or("the files are not there")?,
    };
    println!(
        "{} contexts, {} actions, {rounds} rounds; the median of the later half",
        problem.log.len(),
        problem.log.actions()
    );
    println!(
        "| ranks | threads of each | ms a round | of 1 thread | messages a round | MB a round and rank | model |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    let (mut alone, mut expected) = (f64::NAN, None);
    for (ranks, threads) in [(1, 1), (1, 2), (2, 1), (4, 1)] {
        let History { seconds, traffic, model, .. } = match ranks {
            1 => on_pool(threads, || text(problem.run(rounds)))?,
            _ => on_ranks(&problem, ranks, rounds)?,
        };
        let ms = 1e3 * median(seconds[rounds / 2..].to_vec());
        alone = if alone.is_nan() { ms } else { alone };
        let last = traffic.last().copied().unwrap_or_default();
        if *expected.get_or_insert(model) != model {
            return Err(format!("another model on {ranks} ranks").into());
        }
        #[allow(clippy::cast_precision_loss, reason = "for people")]
        let megabytes = last.bytes as f64 / 1e6;
        println!(
            "| {ranks} | {threads} | {ms:.1} | {:.2} | {} | {megabytes:.2} | {model:016x} |",
            ms / alone,
            last.messages
        );
    }
    Ok(())
}

/// Rounds on machines of two threads as fast as those that the constants were measured on.
fn plan() {
    let networks = [("10 Gbit/s, 30 µs", 30e-6, 0.8e-9), ("100 Gbit/s, 3 µs", 3e-6, 0.08e-9)];
    let shapes = [
        (1e7, Shape { rows: 1e7, actions: 7.0, groups: 20.0, cells: 5120.0, leaves: 3000.0 }),
        (5e7, Shape { rows: 5e7, actions: 7.0, groups: 20.0, cells: 5120.0, leaves: 3000.0 }),
        (1e9, Shape { rows: 1e9, actions: 7.0, groups: 20.0, cells: 5120.0, leaves: 10_000.0 }),
    ];
    println!(
        "| rows | network | machines | s a round | computing | waiting | sending | MB a machine | times as fast |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|--:|--:|");
    for (rows, shape) in shapes {
        for (name, latency, byte) in networks {
            let rates = Rates { pair: PAIR, pack: PACK, latency, byte };
            let alone = Round::of(shape, rates, 1.0).seconds();
            for ranks in [4.0, 16.0, 64.0, 256.0] {
                let round = Round::of(shape, rates, ranks);
                println!(
                    "| {rows:.0e} | {name} | {ranks} | {:.3} | {:.3} | {:.3} | {:.3} | {:.1} | {:.1} |",
                    round.seconds(),
                    round.compute,
                    round.latency,
                    round.transfer,
                    round.bytes / 1e6,
                    alone / round.seconds()
                );
            }
        }
    }
}

/// The rounds of the slowest rank.
fn on_ranks(problem: &Problem, size: usize, rounds: usize) -> Result<History, String> {
    let work = |ranks: Ranks| {
        on_pool(1, || text(problem.of_rank(&ranks).and_then(|own| own.run_of_rank(rounds, &ranks))))
    };
    let found = on_threads(size, LIMIT, work);
    let found: Vec<History> =
        found.into_iter().map(|found| found.ok_or("a rank has panicked")?).collect::<Result<_, _>>()?;
    let slowest = |a: &History, b: &History| a.seconds.iter().sum::<f64>().total_cmp(&b.seconds.iter().sum());
    found.into_iter().max_by(slowest).ok_or_else(|| "no rank".to_owned())
}

fn on_pool<T: Send>(threads: usize, work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    pool.install(work)
}

/// The error is not `Send`, so its text is returned.
fn text<T>(found: Result<T, Box<dyn Error>>) -> Result<T, String> {
    found.map_err(|error| error.to_string())
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
}
