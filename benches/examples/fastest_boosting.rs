//! Rounds of batch boosting: every algorithm of the MABoost family over stumps and trees of depth 3, on
//! binned columns.
//!
//! ```text
//! fastest_boosting [--threads K]          the tables of docs/benchmarks.md
//! fastest_boosting --data FOLDER          writes the examples for the peers
//! fastest_boosting --peer ROUNDS NAME     AdaBoost over stumps, a line of JSON for peers/adaboost_sklearn.py
//! ```
//!
//! The fastest of several runs counts. Binning, done once per data set, has its own column.

use benches::boosting::{ALGORITHMS, Outcome, Problem, run};
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use weak_learners::batch::{BinnedColumns, BinnedStump, BinnedTree, LeafAnswer};

const TURNS: usize = 5;
const ROUNDS: usize = 48;
/// The sizes of the targets.
const SIZES: [(usize, usize); 2] = [(10_000, 20), (100_000, 50)];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (threads, arguments) = match arguments[..] {
        ["--threads", threads, ..] => (threads.parse()?, &arguments[2..]),
        _ => (1, &arguments[..]),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let outcome = pool.install(|| {
        let outcome = match arguments {
            ["--data", folder] => write(Path::new(folder)),
            ["--peer", rounds, name] => for_peer(rounds, name),
            _ => variants().and_then(|()| growth()),
        };
        // The error is not `Send`, so its text is returned.
        outcome.map_err(|error| error.to_string())
    });
    Ok(outcome?)
}

fn problems() -> Result<Vec<Problem>, Box<dyn Error>> {
    let synthetic = SIZES.map(|(n, d)| Problem::synthetic(n, d));
    synthetic.into_iter().chain(Problem::adult().transpose()).collect()
}

fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    for problem in problems()? {
        problem.write(folder)?;
        println!("{}", problem.name);
    }
    Ok(())
}

fn for_peer(rounds: &str, name: &str) -> Result<(), Box<dyn Error>> {
    let named = problems()?.into_iter().find(|problem| problem.name == name);
    let Problem { rows, labels, .. } = named.ok_or("no such problem")?;
    let watch = Instant::now();
    let sample = BinnedColumns::new(rows)?;
    let binning = watch.elapsed().as_secs_f64();
    let Outcome { seconds, error, rounds } =
        run(&labels, &sample, BinnedStump::default(), ALGORITHMS[0], rounds.parse()?)?;
    println!(r#"{{"seconds": {seconds:e}, "error": {error}, "rounds": {rounds}, "binning": {binning:e}}}"#);
    Ok(())
}

/// Every algorithm over both weak learners.
fn variants() -> Result<(), Box<dyn Error>> {
    println!("| examples | algorithm | stumps: ms a round | error | depth 3: ms a round | error |");
    println!("|---|---|--:|--:|--:|--:|");
    for (n, d) in SIZES {
        let Problem { name, rows, labels } = Problem::synthetic(n, d)?;
        let sample = BinnedColumns::new(rows)?;
        let mut fastest = ALGORITHMS.map(|name| (name, [None::<Outcome>; 2]));
        for _ in 0..TURNS {
            for (algorithm, [stumps, trees]) in &mut fastest {
                keep(stumps, run(&labels, &sample, BinnedStump::default(), algorithm, ROUNDS)?);
                let learner = BinnedTree::new(3, LeafAnswer::Sign, 0.0)?;
                keep(trees, run(&labels, &sample, learner, algorithm, ROUNDS / 4)?);
            }
        }
        for (algorithm, outcomes) in fastest {
            let cell = |o: Outcome| format!("{:.3} | {:.1}%", 1e3 * o.seconds, 100.0 * o.error);
            let cells: Vec<String> = outcomes.into_iter().flatten().map(cell).collect();
            println!("| {name} | {algorithm} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}

fn keep(fastest: &mut Option<Outcome>, outcome: Outcome) {
    if fastest.is_none_or(|fastest| outcome.seconds < fastest.seconds) {
        *fastest = Some(outcome);
    }
}

/// The growth of a round of AdaBoost over stumps with N and d, on a grid: t = N(c + a·d) by least squares of
/// relative errors, and a power of N·d by least squares on logarithms.
#[allow(clippy::cast_precision_loss, reason = "sizes of samples")]
fn growth() -> Result<(), Box<dyn Error>> {
    println!("\n| N | d | binning ms | ms a round | ns a row and column |");
    println!("|--:|--:|--:|--:|--:|");
    let (mut points, mut rounds) = (Vec::new(), Vec::new());
    for n in [10_000, 20_000, 50_000, 100_000] {
        for d in [10, 20, 50, 100] {
            let Problem { rows, labels, .. } = Problem::synthetic(n, d)?;
            let watch = Instant::now();
            let sample = BinnedColumns::new(rows)?;
            let binning = watch.elapsed().as_secs_f64();
            let mut fastest = None;
            for _ in 0..TURNS {
                keep(&mut fastest, run(&labels, &sample, BinnedStump::default(), ALGORITHMS[0], 20)?);
            }
            let seconds = fastest.map_or(f64::NAN, |fastest| fastest.seconds);
            let size = (n * d) as f64;
            println!(
                "| {n} | {d} | {:.1} | {:.3} | {:.2} |",
                1e3 * binning,
                1e3 * seconds,
                1e9 * seconds / size
            );
            points.push((size.ln(), seconds.ln()));
            rounds.push((n as f64, size, seconds));
        }
    }
    linear(&rounds);
    let count = points.len() as f64;
    let [x, y] =
        [points.iter().map(|p| p.0).sum::<f64>(), points.iter().map(|p| p.1).sum()].map(|v| v / count);
    let [xx, xy, yy] = points.iter().fold([0.0; 3], |[xx, xy, yy], p| {
        let (dx, dy) = (p.0 - x, p.1 - y);
        [xx + dx * dx, xy + dx * dy, yy + dy * dy]
    });
    let (slope, left) = (xy / xx, yy - xy * xy / xx);
    let half_width = 2.14 * (left / (count - 2.0) / xx).sqrt(); // Student's t, 14 degrees of freedom, 95%
    println!("t ~ (N·d)^{slope:.3}, 95% interval ±{half_width:.3}, R² = {:.4}", 1.0 - left / yy);
    Ok(())
}

/// The fit of t = c·N + a·N·d to (N, N·d, t) by relative errors.
fn linear(rounds: &[(f64, f64, f64)]) {
    let [mut nn, mut nm, mut mm, mut n1, mut m1] = [0.0; 5];
    for (n, m) in rounds.iter().map(|(n, size, t)| (n / t, size / t)) {
        [nn, nm, mm] = [nn + n * n, nm + n * m, mm + m * m];
        [n1, m1] = [n1 + n, m1 + m];
    }
    let determinant = nn * mm - nm * nm;
    let (c, a) = ((n1 * mm - m1 * nm) / determinant, (m1 * nn - n1 * nm) / determinant);
    let errors = rounds.iter().map(|(n, size, t)| ((c * n + a * size) / t - 1.0).abs());
    let largest = errors.fold(0.0, f64::max);
    #[allow(clippy::cast_precision_loss, reason = "a count of sizes")]
    let mean = rounds.iter().map(|(.., t)| t).sum::<f64>() / rounds.len() as f64;
    let square = |x: f64| x * x;
    let left: f64 = rounds.iter().map(|(n, size, t)| square(t - c * n - a * size)).sum();
    let all: f64 = rounds.iter().map(|(.., t)| square(t - mean)).sum();
    println!(
        "\nt ~ N(c + a·d): c = {:.2} ns, a = {:.3} ns, R² = {:.4}, largest relative error {:.0}%",
        1e9 * c,
        1e9 * a,
        1.0 - left / all,
        100.0 * largest
    );
}
