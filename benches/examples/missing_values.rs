//! What the learnt side of missing values is worth, on a log of letters of which cells were knocked out.
//!
//! ```text
//! missing_values SEEDS ROUNDS DEPTH
//! ```
//!
//! The letters are the real table (a stand-in says so), the log is drawn, and the missing cells are made by
//! this program: three cells of ten, either drawn, or those of the largest values of their columns. The
//! contenders are the same rounds of BOPL-S-regr on the same columns, with and without
//! `BinnedContexts::with_indicators`. The value of a policy is the share of the test rows whose letter it
//! names, which is known.

use boosters::bopl::{BoplS, PolicyBoosting, Settings, Step};
use datasets::{Name, SearchPath, StandIn, Targets, load, permutation};
use off_policy::{Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use std::error::Error;
use std::ops::ControlFlow;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth, PairHypothesis, PairNode};

const LETTERS: u32 = 26;
const LEARNING: usize = 12_000;
const TEST: usize = 8_000;
const MISSING: f64 = 0.3;

/// Which cells are missing.
#[derive(Debug, Clone, Copy)]
enum Missing {
    Drawn,
    Largest,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let [seeds, rounds, depth] = arguments[..] else {
        return Err("usage: missing_values SEEDS ROUNDS DEPTH".into());
    };
    let dataset = load(Name::Letter, &SearchPath::from_environment(None)?, StandIn { seed: 1, rows: None })?;
    println!("letter: {}", dataset.provenance);
    let Targets::Classes { indices, .. } = &dataset.targets else { return Err("letters are classes".into()) };
    let m = dataset.features.dimension();
    let letters: Vec<Vec<f64>> = dataset.features.iter().map(|x| x.to_dense()).collect();
    for missing in [Missing::Drawn, Missing::Largest] {
        let mut gains = Vec::new();
        for seed in 0..seeds as u64 {
            let order = permutation(letters.len(), seed, 0)?;
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let cut: Vec<f64> = (0..m).map(|j| quantile(&letters, j)).collect();
            let rows = order.iter().flat_map(|i| {
                let mut x = vec![0.0; 2 * m];
                for j in 0..m {
                    let value = letters[*i][j];
                    let is_missing = match missing {
                        Missing::Drawn => rng.random_bool(MISSING),
                        Missing::Largest => value > cut[j],
                    };
                    (x[j], x[m + j]) = if is_missing { (0.0, 1.0) } else { (value, 0.0) };
                }
                x
            });
            let rows = RowMatrix::dense(2 * m, rows.collect())?;
            let right: Vec<u32> = order.iter().map(|i| indices[*i]).collect();
            let log = log(rows.select(0..LEARNING)?, &right, &mut rng)?;
            let test = rows.select(LEARNING..LEARNING + TEST)?;
            let indicators: Vec<(usize, usize)> = (0..m).map(|j| (j, m + j)).collect();
            let value = |indicators: &[(usize, usize)]| -> Result<(f64, f64), Box<dyn Error>> {
                let contexts = BinnedContexts::new(log.contexts().clone())?.with_indicators(indicators)?;
                let growth = PairGrowth::builder().max_depth(u32::try_from(depth)?).build()?;
                let settings = Settings::builder().step(Step::SecondOrder { learning_rate: 0.3 }).build()?;
                let learner = HistogramPairTree::new(growth);
                let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner, settings)?;
                let mut scores = vec![0.0; TEST * LETTERS as usize];
                let (mut asked, mut sided) = (0.0, 0.0);
                for _ in 0..rounds {
                    let ControlFlow::Continue(_) = run.round(&contexts)? else { break };
                    let Some(member) = run.ensemble().members().last() else { break };
                    member.predictor.add_scores_of_rows(&test, 0, member.alpha, &mut scores)?;
                    for node in member.predictor.nodes() {
                        asked += f64::from(u8::from(node.is_below(|_| 0.0).is_some()));
                        sided += f64::from(u8::from(matches!(node, PairNode::ContextOrMissing { .. })));
                    }
                }
                Ok((named(&scores, &right[LEARNING..]), sided / f64::max(asked, 1.0)))
            };
            let ((without, _), (with, sided)) = (value(&[])?, value(&indicators)?);
            println!(
                "{missing:?}, seed {seed}: {without:.4} without, {with:.4} with, {sided:.3} of questions"
            );
            gains.push(with - without);
        }
        let count = gains.len() as f64;
        let mean = gains.iter().sum::<f64>() / count;
        let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        println!(
            "{missing:?}: {mean:+.4} with the learnt side, standard error {:.4}",
            (variance / count).sqrt()
        );
    }
    Ok(())
}

/// The value that three of ten values of a column are above, or fewer.
fn quantile(letters: &[Vec<f64>], j: usize) -> f64 {
    let mut column: Vec<f64> = letters.iter().map(|x| x[j]).collect();
    column.sort_by(f64::total_cmp);
    column[column.len() * 7 / 10]
}

/// The log of a policy that plays each letter with probability 0.4/26, and otherwise the right one or the two
/// behind it evenly; the right one earns 1.
fn log(contexts: RowMatrix, right: &[u32], rng: &mut ChaCha8Rng) -> Result<Log, Box<dyn Error>> {
    let (mut actions, mut propensities, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for &y in right.iter().take(contexts.len()) {
        let a = match rng.random_bool(0.6) {
            true => (y + rng.random_range(0..3)) % LETTERS,
            false => rng.random_range(0..LETTERS),
        };
        let is_near = (a + LETTERS - y) % LETTERS < 3;
        actions.push(a);
        propensities.push(0.4 / f64::from(LETTERS) + if is_near { 0.2 } else { 0.0 });
        rewards.push(f64::from(u8::from(a == y)));
    }
    Ok(Log::new(contexts, LETTERS as usize, actions, propensities, Rewards(rewards))?)
}

/// The share of rows whose first best action is the right one.
fn named(scores: &[f64], right: &[u32]) -> f64 {
    let is_right = |(scores, y): (&[f64], &u32)| {
        let best = (0..).zip(scores).reduce(|best, one| if one.1 > best.1 { one } else { best });
        f64::from(u8::from(best.is_some_and(|(a, _): (u32, _)| a == *y)))
    };
    scores.chunks_exact(LETTERS as usize).zip(right).map(is_right).sum::<f64>() / TEST as f64
}
