//! Rounds of BOPL-S-regr over histogram trees of pairs.
//!
//! ```text
//! fastest_bopl [--threads K] [--growth]            how a round grows with n, d, |A| and depth
//! fastest_bopl --data FOLDER CASE ...              writes the logs for the peers; all cases if none is named
//! fastest_bopl [--threads K] --peer ROUNDS CASE    rounds as a line of JSON, for peers/bopl_xgboost.py
//! fastest_bopl [--threads K] --large N D A ROUNDS  a made-up log of that size
//! ```

use benches::off_policy::{History, Problem, peak_memory};
use std::error::Error;
use std::path::Path;

/// The real logs; `--data` writes those whose files are present.
const CASES: [&str; 3] = ["covertype", "tmc", "scene"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (threads, arguments) = match arguments[..] {
        ["--threads", threads, ..] => (threads.parse()?, &arguments[2..]),
        _ => (1, &arguments[..]),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let outcome = pool.install(|| {
        let outcome = match *arguments {
            ["--data", folder] => write(Path::new(folder), &CASES),
            ["--data", folder, ref cases @ ..] => write(Path::new(folder), cases),
            ["--peer", rounds, case] => for_peer(rounds, case),
            ["--large", n, d, actions, rounds] => large([n, d, actions, rounds]),
            _ => growth(),
        };
        // The error is not `Send`, so its text is returned.
        outcome.map_err(|error| error.to_string())
    });
    Ok(outcome?)
}

fn write(folder: &Path, cases: &[&str]) -> Result<(), Box<dyn Error>> {
    for case in cases {
        if let Some(problem) = Problem::real(case)? {
            problem.write(folder)?;
            println!("{}", problem.name);
        }
    }
    Ok(())
}

fn for_peer(rounds: &str, case: &str) -> Result<(), Box<dyn Error>> {
    let problem = Problem::real(case)?.ok_or("the files are not there")?;
    let history = problem.run(rounds.parse()?)?;
    report(&history);
    Ok(())
}

fn report(History { prepared, seconds, cpu, objectives, leaves, .. }: &History) {
    let peak = peak_memory();
    println!(
        r#"{{"prepared": {prepared:e}, "seconds": {seconds:?}, "cpu": {cpu:?}, "objectives": {objectives:?}, "leaves": {leaves:?}, "peak": {peak}}}"#
    );
}

fn large([n, d, actions, rounds]: [&str; 4]) -> Result<(), Box<dyn Error>> {
    let mut problem = Problem::synthetic(n.parse()?, d.parse()?, actions.parse()?, 8)?;
    problem.min_child_weight = 1000.0;
    let history = problem.run(rounds.parse()?)?;
    report(&history);
    Ok(())
}

/// The median round after the first, varying one size at a time.
fn growth() -> Result<(), Box<dyn Error>> {
    println!("| n | d | actions | depth | ms a round | ns a pair | leaves | objective |");
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|");
    let middle = (100_000, 20, 8, 10);
    let (n, d, actions, depth) = middle;
    let mut sizes = vec![middle];
    sizes.extend([25_000, 50_000, 200_000, 400_000].map(|n| (n, d, actions, depth)));
    sizes.extend([5, 10, 40, 80].map(|d| (n, d, actions, depth)));
    sizes.extend([2, 4, 16, 32].map(|actions| (n, d, actions, depth)));
    sizes.extend([2, 5, 15, 20].map(|depth| (n, d, actions, depth)));
    for (n, d, actions, depth) in sizes {
        let history = Problem::synthetic(n, d, actions, depth)?.run(8)?;
        let mut later = history.seconds.get(1..).unwrap_or_default().to_vec();
        later.sort_by(f64::total_cmp);
        let seconds = later.get(later.len() / 2).copied().unwrap_or(f64::NAN);
        #[allow(clippy::cast_precision_loss, reason = "a count of pairs")]
        let pairs = n as f64 * f64::from(actions);
        let leaves = history.leaves.last().copied().unwrap_or_default();
        let objective = history.objectives.last().copied().unwrap_or_default();
        println!(
            "| {n} | {d} | {actions} | {depth} | {:.1} | {:.1} | {leaves} | {objective:.4} |",
            1e3 * seconds,
            1e9 * seconds / pairs
        );
    }
    Ok(())
}
