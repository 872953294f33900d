//! The tree of weighted examples by its two engines: `BinnedTree`, and `HistogramPairTree` with one action.
//!
//! ```text
//! tree_engines [DEPTH]    depth 6 unless it is given; one thread, in turns
//! ```
//!
//! Both train on the same rows and weights and write their values on the rows. The weights are those of a
//! few rounds of boosting. Adult is left out where its files are not found; the other rows are synthetic.

use benches::boosting::Problem;
use std::error::Error;
use std::time::Instant;
use weak_learners::batch::{BinnedColumns, BinnedTree, LeafAnswer, WeakLearner};
use weak_learners::pairs::{
    BinnedContexts, HistogramPairTree, PairGrowth, PairLearner, PairRound, PairWeights,
};

fn main() -> Result<(), Box<dyn Error>> {
    let depth: u16 = std::env::args().nth(1).map_or(Ok(6), |depth| depth.parse())?;
    // No other thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    println!(
        "| examples | `BinnedTree`, ms | `HistogramPairTree`, ms | leaves | correlation of the values |"
    );
    println!("|---|--:|--:|--:|--:|");
    let synthetic = [(10_000, 20), (100_000, 20), (20_000, 100)].map(|(n, d)| Problem::synthetic(n, d));
    for problem in synthetic.into_iter().chain(Problem::adult().transpose()) {
        compare(&problem?, depth)?;
    }
    Ok(())
}

fn compare(problem: &Problem, depth: u16) -> Result<(), Box<dyn Error>> {
    let n = problem.labels.len();
    let (columns, contexts) =
        (BinnedColumns::new(problem.rows.clone())?, BinnedContexts::new(problem.rows.clone())?);
    let mut binned = BinnedTree::new(depth, LeafAnswer::Mean, 0.0)?;
    let growth =
        PairGrowth::builder().max_depth(depth.into()).min_child_weight(0.0).reg_lambda(0.0).build()?;
    let mut of_pairs = HistogramPairTree::new(growth);
    let targets: Vec<f64> = problem.labels.iter().map(|y| y.sign()).collect();
    let (mut weights, mut votes, mut values) = (vec![1.0; n], vec![0.0; n], vec![0.0; n]);
    let (mut seconds, mut leaves) = ([f64::INFINITY; 2], [0; 2]);
    for _ in 0..12 {
        let begun = Instant::now();
        let tree = binned.train(&columns, &targets, &weights)?;
        binned.evaluate(&tree, &columns, &mut votes)?;
        seconds[0] = seconds[0].min(begun.elapsed().as_secs_f64());
        leaves[0] = tree.leaves();

        let begun = Instant::now();
        let g: Vec<f64> = targets.iter().zip(&weights).map(|(a, w)| a * w).collect();
        let round = PairRound::new(n, 1, &g, PairWeights::OfExamples(&weights))?;
        let tree = of_pairs.train(&contexts, &round, &mut values)?;
        seconds[1] = seconds[1].min(begun.elapsed().as_secs_f64());
        leaves[1] = tree.leaves();
        for ((w, a), f) in weights.iter_mut().zip(&targets).zip(&votes) {
            *w *= (-0.3 * a * f).exp();
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let correlation = dot(&votes, &values) / (dot(&votes, &votes) * dot(&values, &values)).sqrt();
    let [one, other] = seconds.map(|s| 1e3 * s);
    println!(
        "| {} | {one:.2} | {other:.2} | {} and {} | {correlation:.6} |",
        problem.name, leaves[0], leaves[1]
    );
    Ok(())
}
