//! Examples, weak learners over them, and sums of a round's trace.

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;

use boosters::agnostic::Trace;
use datasets::{Name, SearchPath, StandIn, load, permutation, signs};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use weak_learners::Label;
use weak_learners::batch::Stump;
use weak_learners::online::{HedgeStumps, SyntheticWeakLearner, Thresholds};

/// Stream k of a seed.
pub(crate) fn rng(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// A data set in memory, with labels ±1.
pub(crate) struct Examples {
    rows: RowMatrix,
    labels: Vec<Label>,
}

/// Rows in a seeded order, each with a label.
pub(crate) struct Stream<'a> {
    examples: &'a Examples,
    order: Vec<usize>,
    labels: Vec<Label>,
}

impl Examples {
    pub(crate) fn letter() -> Self {
        Self::load(Name::Letter, &datasets::letter::FIRST_HALF_OF_ALPHABET)
    }

    pub(crate) fn adult() -> Self {
        Self::load(Name::Adult, &[1])
    }

    fn load(name: Name, positive: &[u32]) -> Self {
        let search = SearchPath::from_environment(None).unwrap();
        let dataset = load(name, &search, StandIn { seed: 1, rows: Some(5000) }).unwrap();
        if dataset.provenance.to_string() != "official files" {
            let what = format!("{name:?} is not here, the check runs on its {}", dataset.provenance);
            reduced::announce(&what);
        }
        let labels = signs(&dataset.targets, positive).unwrap();
        Self { labels: labels.into_iter().map(|y| Label::new(y).unwrap()).collect(), rows: dataset.features }
    }

    /// The first `rounds` rows of a seeded order, with the given share of the labels flipped.
    pub(crate) fn noisy(&self, rounds: usize, noise: f64, seed: u64) -> Stream<'_> {
        let mut coins = rng(seed, 1);
        let order: Vec<usize> =
            permutation(self.rows.len(), seed, 0).unwrap().into_iter().take(rounds).collect();
        let turned = |y: Label| if coins.random::<f64>() < noise { -y } else { y };
        let labels = order.iter().map(|&i| self.labels[i]).map(turned).collect();
        Stream { examples: self, order, labels }
    }

    /// The same rows, labelled by an expert.
    pub(crate) fn separable(&self, rounds: usize, expert: Stump, seed: u64) -> Stream<'_> {
        let mut stream = self.noisy(rounds, 0.0, seed);
        stream.labels = stream.rows().map(|x| expert.vote(x).unwrap()).collect();
        stream
    }

    /// The same, with the given share of the labels flipped.
    pub(crate) fn nearly_separable(&self, rounds: usize, expert: Stump, noise: f64, seed: u64) -> Stream<'_> {
        let (mut stream, mut coins) = (self.separable(rounds, expert, seed), rng(seed, 2));
        for y in &mut stream.labels {
            *y = if coins.random::<f64>() < noise { -*y } else { *y };
        }
        stream
    }

    /// At most `per_feature` thresholds a feature, from 1,000 rows.
    pub(crate) fn thresholds(&self, per_feature: usize) -> Thresholds {
        Thresholds::quantiles((0..1000).map(|i| self.rows.row(i).unwrap()), per_feature).unwrap()
    }
}

impl Stream<'_> {
    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.order.iter().map(|&i| self.examples.rows.row(i).unwrap())
    }

    pub(crate) fn examples(&self) -> impl Iterator<Item = (Row<'_>, Label)> {
        self.rows().zip(self.labels.iter().copied())
    }

    /// The expert that gains most, and Σh(x_t)y_t.
    pub(crate) fn best(&self, class: &[Stump]) -> (Stump, f64) {
        let gain = |h: &Stump| self.examples().map(|(x, y)| h.vote(x).unwrap().sign() * y.sign()).sum();
        let gains = class.iter().map(|h| (*h, gain(h)));
        gains.max_by(|(_, a), (_, b)| f64::total_cmp(a, b)).unwrap()
    }
}

/// Every expert of the class of [`HedgeStumps`] over these thresholds.
pub(crate) fn class(thresholds: &Thresholds) -> Vec<Stump> {
    let m = thresholds.inputs();
    let sided = |s| {
        let of = move |j| thresholds.of(j).iter().map(move |theta| Stump::new(m, j, *theta, s).unwrap());
        (0..m).flat_map(of).chain([Stump::constant(m, s).unwrap()])
    };
    sided(Label::Plus).chain(sided(Label::Minus)).collect()
}

pub(crate) fn hedges(thresholds: &Thresholds, rounds: u32, n: u64, seed: u64) -> Vec<HedgeStumps> {
    let learner = |i| HedgeStumps::tuned(thresholds.clone(), rounds, rng(seed, 100 + i)).unwrap();
    (0..n).map(learner).collect()
}

/// Learners that agree with an expert in a share (1 + a)/2 of their draws.
pub(crate) fn synthetic(expert: Stump, a: f64, n: u64, seed: u64) -> Vec<SyntheticWeakLearner<Stump>> {
    (0..n).map(|i| SyntheticWeakLearner::not_weak(expert, a, rng(seed, 100 + i)).unwrap()).collect()
}

/// What a round adds to the terms of the bounds, all formed here from the votes and the plays alone.
pub(crate) struct Inner {
    /// E_Π\[ŷ\]·y.
    pub(crate) mean_gain: f64,
    /// (1/N)Σp^i.
    pub(crate) mean_p: f64,
    /// (1/γN)Σp^iW_i(x)y.
    pub(crate) taught: f64,
    /// R_A, the regret of the plays on the losses p(W_iy/γ − 1).
    pub(crate) oco_regret: f64,
    /// zy.
    pub(crate) margin: f64,
}

impl Inner {
    pub(crate) fn of(trace: &Trace, gamma: f64, y: Label, [lower, upper]: [f64; 2]) -> Self {
        let (mut z, mut mean_p, mut taught, mut loss, mut slopes) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let n = trace.votes().len() as f64;
        for (vote, p) in trace.votes().iter().zip(trace.p()) {
            assert!((lower..=upper).contains(p));
            let slope = vote.sign() * y.sign() / gamma - 1.0;
            z += vote.sign() / (gamma * n);
            mean_p += p / n;
            taught += p * vote.sign() * y.sign() / (gamma * n);
            loss += p * slope;
            slopes += slope;
        }
        let near = |got: f64, want: f64| (got - want).abs() <= 1e-12 * (1.0 + want.abs());
        assert!(near(trace.z(), z) && near(trace.prob_plus(), 0.5 + 0.5 * z.clamp(-1.0, 1.0)), "line 2");
        assert!(near(trace.slopes().iter().sum(), slopes) && near(trace.losses().sum(), loss), "line 5");
        let oco_regret = loss - f64::min(lower * slopes, upper * slopes);
        Self { mean_gain: z.clamp(-1.0, 1.0) * y.sign(), mean_p, taught, oco_regret, margin: z * y.sign() }
    }
}

/// ρ-margin of Hoeffding and Azuma: a sum of martingale differences whose squared ranges sum to `squares`,
/// averaged over `seeds` independent runs, exceeds this with probability 10⁻⁶ at most.
pub(crate) fn margin(squares: f64, seeds: f64) -> f64 {
    (squares * 1e6_f64.ln() / (2.0 * seeds)).sqrt()
}
