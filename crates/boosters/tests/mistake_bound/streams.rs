//! Streams, weak learners, and what all three boosters must do with the coins.

#[path = "../../../datasets/tests/reduced/mod.rs"]
mod reduced;

use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost, Passing};
use datasets::{Name, SearchPath, StandIn, Standardiser, load, permutation, signs, with_constant};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use weak_learners::batch::Stump;
use weak_learners::online::SyntheticWeakLearner;
use weak_learners::{Label, OnlinePredictor};

pub(crate) type Synthetic = SyntheticWeakLearner<Stump>;

/// The letters A to M.
pub(crate) const FIRST_HALF: [u32; 13] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/// Rows with their labels.
pub(crate) struct Stream {
    pub(crate) name: String,
    rows: RowMatrix,
    labels: Vec<Label>,
}

impl Stream {
    pub(crate) fn examples(&self) -> impl Iterator<Item = (Row<'_>, Label)> {
        self.rows.iter().zip(self.labels.iter().copied())
    }

    /// m.
    pub(crate) fn dimension(&self) -> usize {
        self.rows.dimension()
    }

    /// Rows in \[−1, 1\]², labelled by the sign of the first coordinate, and turned over with a probability:
    /// at ½ there is nothing to learn.
    pub(crate) fn synthetic(rounds: usize, flips: f64, seed: u64) -> Self {
        let mut rng = rng(seed);
        let values: Vec<f64> = (0..2 * rounds).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect();
        let label = |row: &[f64]| {
            let y = Label::of_score(row[0]);
            if rng.random::<f64>() < flips { -y } else { y }
        };
        let labels = values.chunks_exact(2).map(label).collect();
        let name = format!("sign of x₁, {flips} turned over");
        Self { name, rows: RowMatrix::dense(2, values).unwrap(), labels }
    }

    /// The first `rounds` examples of a data set in a seeded order; `positive` are the classes labelled +1.
    pub(crate) fn real(name: Name, positive: &[u32], rounds: usize) -> Self {
        let search = SearchPath::from_environment(None).unwrap();
        let dataset = load(name, &search, StandIn { seed: 1, rows: Some(rounds) }).unwrap();
        if dataset.provenance.to_string() != "official files" {
            let what = format!("{} is not here, a check runs on its {}", dataset.name, dataset.provenance);
            reduced::announce(&what);
        }
        let order: Vec<usize> = permutation(dataset.len(), 3, 0).unwrap().into_iter().take(rounds).collect();
        let scaler = Standardiser::fit(&dataset.features, &order, &dataset.numeric_columns).unwrap();
        let all = with_constant(&scaler.apply(&dataset.features).unwrap()).unwrap();
        let signs = signs(&dataset.targets, positive).unwrap();
        let labels = order.iter().map(|&i| Label::new(signs[i]).unwrap()).collect();
        let mut values = vec![0.0; order.len() * all.dimension()];
        for (&i, row) in order.iter().zip(values.chunks_exact_mut(all.dimension())) {
            all.row(i).unwrap().axpy_into(1.0, row);
        }
        Self { name: dataset.name, rows: RowMatrix::dense(all.dimension(), values).unwrap(), labels }
    }
}

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Learners that vote the sign of x₁ in the mean `agreement` ∈ \[−1, 1\] of the time; of the third one in
/// three is useless, whatever the others are.
pub(crate) fn synthetic(learners: usize, agreement: f64) -> Vec<Synthetic> {
    let expert = Stump::new(2, 0, 0.0, Label::Plus).unwrap();
    let learner = |i| {
        let agreement = if i % 3 == 2 { 0.5 * agreement } else { agreement };
        SyntheticWeakLearner::not_weak(expert, agreement, rng(100 + i)).unwrap()
    };
    (0..learners as u64).map(learner).collect()
}

/// Learners that all vote the sign of x₁ in the mean `agreement` of the time, no more and no less.
pub(crate) fn equals(learners: usize, agreement: f64) -> Vec<Synthetic> {
    let expert = Stump::new(2, 0, 0.0, Label::Plus).unwrap();
    let learner = |i| SyntheticWeakLearner::not_weak(expert, agreement, rng(100 + i)).unwrap();
    (0..learners as u64).map(learner).collect()
}

/// What the tests need of a booster.
pub(crate) trait Booster {
    fn play(&mut self, x: Row<'_>, y: Label) -> Label;
    fn last(&self) -> &Passing;
}

macro_rules! boosters {
    ($($booster:ident),*) => {$(
        impl<W: OnlinePredictor<Label>> Booster for $booster<W> {
            fn play(&mut self, x: Row<'_>, y: Label) -> Label {
                self.round(x, y).unwrap()
            }
            fn last(&self) -> &Passing {
                self.passing()
            }
        }
    )*};
}
boosters!(OsBoost, OnlineBbm, AdaBoostOl);

/// That a learner is passed its example with the probability that is stated, whatever its vote.
///
/// Given the past, the coin of round t is independent of p_t and of the vote, so Σ(1{passed} − p_t)c_t is a
/// martingale for c = 1 and for c = yh, and each term is ½-sub-Gaussian. By the mixture over λ ~ N(0, 1) of
/// exp(λM − λ²V/2), V = t/4,
/// |M| < √((V + 1)ln((V + 1)/ρ²)) at *all* t, except with probability ρ = 10⁻⁷.
#[derive(Default)]
pub(crate) struct Coins {
    rounds: f64,
    sums: Vec<[f64; 2]>,
}

impl Coins {
    pub(crate) fn record(&mut self, passing: &Passing, y: Label) {
        self.rounds += 1.0;
        self.sums.resize(passing.votes().len(), [0.0; 2]);
        let variance = 0.25 * self.rounds + 1.0;
        let margin = (variance * (variance / 1e-14).ln()).sqrt();
        let learners = passing.votes().iter().zip(passing.probabilities()).zip(passing.passed());
        for (((vote, &p), &passed), sums) in learners.zip(&mut self.sums) {
            assert!((0.0..=1.0).contains(&p), "{p}");
            assert!(if passed { p > 0.0 } else { p < 1.0 });
            let surprise = f64::from(u8::from(passed)) - p;
            for (sum, c) in sums.iter_mut().zip([1.0, y.sign() * vote.sign()]) {
                *sum += surprise * c;
                assert!(sum.abs() < margin, "a coin of {sum} after {} rounds", self.rounds);
            }
        }
    }
}

/// y_t h_i(x_t) and the vote of a round.
pub(crate) fn margins(passing: &Passing, y: Label) -> Vec<f64> {
    passing.votes().iter().map(|h| y.sign() * h.sign()).collect()
}
