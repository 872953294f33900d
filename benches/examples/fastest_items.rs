//! Trainings of a tree over fixed actions that have features, on a made-up shop.
//!
//! ```text
//! fastest_items [--threads K]                       both layouts in turns, at several sizes
//! fastest_items [--threads K] items|pairs N A D C   N choices among A items of D features, C of a context
//! ```
//!
//! `items`: a node is a set of choices times a set of items. `pairs`: a node is a list of pairs, as for other
//! candidates; the first two items of one choice are exchanged, so that they are others. Each training has
//! the gradients of the first round of boosting, where a choice rewards the shown item by 0.2 or 1.2. A tree
//! has depth 8, a child at least the weight 5, and λ = 1.

use benches::off_policy::peak_memory;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, RowMatrix};
use std::error::Error;
use std::time::Instant;
use weak_learners::pairs::{
    BinnedCandidates, HistogramCandidateTree, PairGrowth, PairLearner, PairRound, PairWeights,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (threads, arguments) = match arguments[..] {
        ["--threads", threads, ..] => (threads.parse()?, &arguments[2..]),
        _ => (1, &arguments[..]),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let outcome = pool.install(|| {
        let outcome = match *arguments {
            [layout, n, items, d, c] => one(layout, [n, items, d, c]),
            _ => growth(),
        };
        // The error is not `Send`, so its text is returned.
        outcome.map_err(|error| error.to_string())
    });
    Ok(outcome?)
}

struct Shop {
    n: usize,
    items: usize,
    features: RowMatrix,
    contexts: RowMatrix,
    gradients: Vec<f64>,
    weights: Vec<f64>,
}

#[allow(clippy::cast_precision_loss, reason = "counts of items")]
impl Shop {
    /// Features have three decimals. The shown item of a choice is drawn evenly, and rewarded with a
    /// probability that depends on how near some features of item and context are.
    fn new([n, items, d, c]: [usize; 4]) -> Outcome<Self> {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut numbers = |len: usize| {
            (0..len).map(|_| f64::from(rng.random_range(0..1000_u32)) / 1000.0).collect::<Vec<_>>()
        };
        let (of_items, of_contexts) = (numbers(items * d), numbers(n * c));
        let (mut gradients, mut weights) = (Vec::with_capacity(n * items), Vec::with_capacity(n * items));
        for i in 0..n {
            let shown = rng.random_range(0..items);
            let near = |j: usize| {
                f64::from(u8::from((of_contexts[i * c + j % c] - of_items[shown * d + j % d]).abs() < 0.3))
            };
            let is_rewarded = rng.random::<f64>() < 0.05 + 0.5 * near(0) * near(1) + 0.2 * near(2);
            let reward = 0.2 + f64::from(u8::from(is_rewarded));
            let even = 1.0 / items as f64;
            for k in 0..items {
                gradients.push(reward * (f64::from(u8::from(k == shown)) - even));
                weights.push(reward * (1.0 - even));
            }
        }
        let (features, contexts) = (RowMatrix::dense(d, of_items)?, RowMatrix::dense(c, of_contexts)?);
        Ok(Self { n, items, features, contexts, gradients, weights })
    }

    fn sample(&self, is_fixed: bool) -> Outcome<BinnedCandidates> {
        let mut of_pairs: Vec<u32> = (0..u32::try_from(self.items)?).collect::<Vec<_>>().repeat(self.n);
        if !is_fixed {
            of_pairs.swap(0, 1);
        }
        let candidates = Candidates::builder((0..=self.n).map(|i| i * self.items).collect())
            .contexts(self.contexts.clone())
            .items(of_pairs.clone(), self.features.clone())
            .identities(of_pairs, self.items)
            .build()?;
        Ok(BinnedCandidates::new(candidates)?)
    }
}

/// A layout, and the seconds of its trainings.
struct Contender {
    sample: BinnedCandidates,
    learner: HistogramCandidateTree,
    seconds: Vec<f64>,
    leaves: usize,
}

impl Contender {
    fn new(sample: BinnedCandidates) -> Outcome<Self> {
        let growth = PairGrowth::builder().max_depth(8).min_child_weight(5.0).reg_lambda(1.0).build()?;
        let learner = HistogramCandidateTree::new(growth);
        Ok(Self { sample, learner, seconds: Vec::new(), leaves: 0 })
    }

    fn train(&mut self, shop: &Shop, values: &mut [f64]) -> Outcome<()> {
        let weights = PairWeights::OfPairs(&shop.weights);
        let round = PairRound::new(shop.n * shop.items, 1, &shop.gradients, weights)?;
        let begun = Instant::now();
        self.leaves = self.learner.train(&self.sample, &round, values)?.leaves();
        self.seconds.push(begun.elapsed().as_secs_f64());
        Ok(())
    }

    /// Without the first training, which makes the buffers.
    fn fastest(&self) -> f64 {
        self.seconds.iter().skip(1).fold(f64::INFINITY, |least, s| least.min(*s))
    }
}

fn one(layout: &str, sizes: [&str; 4]) -> Outcome<()> {
    let mut numbers = [0; 4];
    for (number, size) in numbers.iter_mut().zip(sizes) {
        *number = size.parse()?;
    }
    let shop = Shop::new(numbers)?;
    let mut values = vec![0.0; shop.n * shop.items];
    let mut contender = Contender::new(shop.sample(layout == "items")?)?;
    let before = peak_memory();
    for _ in 0..6 {
        contender.train(&shop, &mut values)?;
    }
    println!(
        r#"{{"fastest": {:.4}, "leaves": {}, "peak": {}, "peak before": {before}}}"#,
        contender.fastest(),
        contender.leaves,
        peak_memory()
    );
    Ok(())
}

fn growth() -> Outcome<()> {
    println!("| choices | items | features of an item | of a context | `items`, ms | `pairs`, ms | leaves |");
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    let sizes = [
        [100_000, 50, 10, 20],
        [25_000, 50, 10, 20],
        [100_000, 10, 10, 20],
        [25_000, 200, 10, 20],
        [100_000, 50, 40, 20],
        [100_000, 50, 10, 80],
    ];
    for [n, items, d, c] in sizes {
        let shop = Shop::new([n, items, d, c])?;
        let mut values = vec![0.0; n * items];
        let [mut fixed, mut listed] =
            [Contender::new(shop.sample(true)?)?, Contender::new(shop.sample(false)?)?];
        for _ in 0..6 {
            fixed.train(&shop, &mut values)?;
            listed.train(&shop, &mut values)?;
        }
        let [one, other] = [&fixed, &listed].map(|contender| 1e3 * contender.fastest());
        println!("| {n} | {items} | {d} | {c} | {one:.0} | {other:.0} | {} |", fixed.leaves);
    }
    Ok(())
}
