//! Rounds of BOPL-S over candidates with features of their own, on a made-up recommender.
//!
//! ```text
//! fastest_candidates [--threads K] [--growth]          how a round grows with choices, candidates, features
//! fastest_candidates [--threads K] N ITEMS K D ROUNDS  N choices among K of ITEMS items of D features each
//! ```
//!
//! Users and items have D features in [0, 1]. A candidate is clicked with a probability that depends on how
//! near some of its features are to those of the user, in steps. Candidates are drawn evenly, and shown by a
//! softmax of the distance. The reward of a policy is the mean click rate of its best candidate on new
//! choices among new items, which are known.

use benches::off_policy::peak_memory;
use boosters::bopl::{BoplS, CandidateBoosting, Settings, Step};
use off_policy::Rewards;
use off_policy::candidates::{CandidateLog, CandidateScores};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Candidates, RowMatrix};
use std::error::Error;
use std::time::Instant;
use weak_learners::pairs::{BinnedCandidates, HistogramCandidateTree, PairGrowth};

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
            [n, items, k, d, rounds] => one([n, items, k, d, rounds]),
            _ => growth(),
        };
        // The error is not `Send`, so its text is returned.
        outcome.map_err(|error| error.to_string())
    });
    Ok(outcome?)
}

/// Users, items and the click rate.
struct Recommender {
    d: usize,
    items: RowMatrix,
}

#[allow(clippy::cast_precision_loss, reason = "counts of candidates and choices")]
impl Recommender {
    fn new(items: usize, d: usize, rng: &mut ChaCha8Rng) -> Outcome<Self> {
        // Three decimals, as features in logs have.
        let values = (0..items * d).map(|_| f64::from(rng.random_range(0..1000_u32)) / 1000.0).collect();
        Ok(Self { d, items: RowMatrix::dense(d, values)? })
    }

    fn rate(&self, user: &[f64], item: usize) -> f64 {
        let item = self.items.row(item).map(|row| row.values()).unwrap_or_default();
        let near = |j: usize| f64::from(u8::from((user[j] - item[j]).abs() < 0.3));
        0.02 + 0.3 * near(0) * near(1) + 0.15 * near(2 % self.d)
    }

    /// Choices among k items drawn evenly, with the users.
    fn choices(&self, n: usize, k: usize, rng: &mut ChaCha8Rng) -> Outcome<Candidates> {
        let users = (0..n * self.d).map(|_| f64::from(rng.random_range(0..1000_u32)) / 1000.0).collect();
        let count = u32::try_from(self.items.len())?;
        let of_pairs = (0..n * k).map(|_| rng.random_range(0..count)).collect();
        let candidates = Candidates::builder((0..=n).map(|i| i * k).collect());
        let candidates = candidates.contexts(RowMatrix::dense(self.d, users)?);
        Ok(candidates.items(of_pairs, self.items.clone()).build()?)
    }

    fn rates(&self, candidates: &Candidates, i: usize) -> Vec<f64> {
        let user = candidates.contexts().and_then(|users| users.row(i)).map(|row| row.values());
        let rate = |p: usize| self.rate(user.unwrap_or_default(), candidates.items()[p] as usize);
        candidates.pairs_of(i).map(rate).collect()
    }

    fn log(&self, n: usize, k: usize, rng: &mut ChaCha8Rng) -> Outcome<CandidateLog> {
        let candidates = self.choices(n, k, rng)?;
        let (mut chosen, mut propensities, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..n {
            let rates = self.rates(&candidates, i);
            // Shown twice to ten times as often the better a candidate is.
            let weights: Vec<f64> = rates.iter().map(|rate| 1.0 + 4.0 * rate).collect();
            let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
            let drawn = weights.iter().position(|w| {
                left -= w;
                left < 0.0
            });
            let drawn = drawn.unwrap_or_default();
            chosen.push(u32::try_from(drawn)?);
            propensities.push(weights[drawn] / weights.iter().sum::<f64>());
            rewards.push(f64::from(u8::from(rng.random::<f64>() < rates[drawn])));
        }
        Ok(CandidateLog::new(candidates, chosen, propensities, Rewards(rewards))?)
    }
}

struct History {
    prepared: f64,
    seconds: Vec<f64>,
    leaves: usize,
    /// Of even choice, of the log, and of the policy.
    rates: [f64; 3],
}

#[allow(clippy::cast_precision_loss, reason = "counts of choices")]
fn play(n: usize, items: usize, k: usize, d: usize, rounds: usize) -> Outcome<History> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let made = Recommender::new(items, d, rng)?;
    let log = made.log(n, k, rng)?;
    let logged = log.rewards().iter().sum::<f64>() / n as f64;
    let begun = Instant::now();
    let sample = BinnedCandidates::new(log.candidates().clone())?;
    let growth = PairGrowth::builder().max_depth(8).min_child_weight(5.0).reg_lambda(1.0).build()?;
    let learner = HistogramCandidateTree::new(growth);
    let settings = Settings::builder().step(Step::SecondOrder { learning_rate: 0.3 }).clip(100.0).build()?;
    let mut run = CandidateBoosting::<BoplS, _>::new(&log, learner, settings)?;
    let prepared = begun.elapsed().as_secs_f64();
    let mut seconds = Vec::new();
    for _ in 0..rounds {
        let begun = Instant::now();
        if run.round(&sample)?.is_break() {
            break;
        }
        seconds.push(begun.elapsed().as_secs_f64());
    }
    // New users, and items that the log did not have.
    let tomorrow = Recommender::new(items, d, rng)?;
    let choices = tomorrow.choices(2000, k, rng)?;
    let mut scores = vec![0.0; choices.pairs()];
    run.ensemble().candidate_scores(&choices, 0..choices.pairs(), &mut scores)?;
    let (mut even, mut best) = (0.0, 0.0);
    for i in 0..choices.len() {
        let rates = tomorrow.rates(&choices, i);
        let own = &scores[choices.pairs_of(i)];
        let first = |best: usize, place: usize| if own[place] > own[best] { place } else { best };
        best += rates[(0..own.len()).fold(0, first)] / choices.len() as f64;
        even += rates.iter().sum::<f64>() / (rates.len() * choices.len()) as f64;
    }
    let leaves = run.member(run.record().len().saturating_sub(1)).map_or(0, |m| m.predictor.leaves());
    Ok(History { prepared, seconds, leaves, rates: [even, logged, best] })
}

fn median(seconds: &[f64]) -> f64 {
    let mut later = seconds.get(1..).unwrap_or_default().to_vec();
    later.sort_by(f64::total_cmp);
    later.get(later.len() / 2).copied().unwrap_or(f64::NAN)
}

fn one([n, items, k, d, rounds]: [&str; 5]) -> Outcome<()> {
    let History { prepared, seconds, leaves, rates } =
        play(n.parse()?, items.parse()?, k.parse()?, d.parse()?, rounds.parse()?)?;
    println!(
        r#"{{"prepared": {prepared:.3}, "median": {:.4}, "seconds": {:.3}, "rounds": {}, "leaves": {leaves}, "even": {:.4}, "log": {:.4}, "policy": {:.4}, "peak": {}}}"#,
        median(&seconds),
        seconds.iter().sum::<f64>(),
        seconds.len(),
        rates[0],
        rates[1],
        rates[2],
        peak_memory()
    );
    Ok(())
}

fn growth() -> Outcome<()> {
    println!("| choices | candidates | items | features of each | ms a round | ns a pair | leaves |");
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    let (n, k, items, d) = (50_000, 20, 10_000, 10);
    let mut sizes = vec![(n, k, items, d)];
    sizes.extend([12_500, 25_000, 100_000].map(|n| (n, k, items, d)));
    sizes.extend([5, 10, 40].map(|k| (n, k, items, d)));
    sizes.extend([100, 1000, 100_000].map(|items| (n, k, items, d)));
    sizes.extend([3, 5, 20, 40].map(|d| (n, k, items, d)));
    for (n, k, items, d) in sizes {
        let History { seconds, leaves, .. } = play(n, items, k, d, 8)?;
        let seconds = median(&seconds);
        #[allow(clippy::cast_precision_loss, reason = "a count of pairs")]
        let pairs = (n * k) as f64;
        println!(
            "| {n} | {k} | {items} | {d} | {:.1} | {:.1} | {leaves} |",
            1e3 * seconds,
            1e9 * seconds / pairs
        );
    }
    Ok(())
}
