//! Rounds in full precision, like those of off-policy boosting.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use weak_learners::pairs::{PairHypothesis, PairLearner, PairRound, PairWeights};

/// Rows, h of each example, and g = h·y where Σ_a y = 0 but for rounding: the y of a softmax policy.
#[derive(Debug, Clone)]
pub(crate) struct Simulated {
    pub(crate) inputs: usize,
    pub(crate) actions: usize,
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) h: Vec<f64>,
    /// At a·n + i.
    pub(crate) g: Vec<f64>,
}

impl Simulated {
    /// Without equal values.
    pub(crate) fn new(seed: u64, n: usize, inputs: usize, actions: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let logged: Vec<usize> = (0..n).map(|_| rng.random_range(0..actions)).collect();
        let mut uniform = || 1.0 - rng.random::<f64>();
        let rows: Vec<Vec<f64>> =
            (0..n).map(|_| (0..inputs).map(|_| 4.0 * uniform() - 2.0).collect()).collect();
        let h: Vec<f64> = (0..n).map(|_| 1.0 / (0.02 + uniform())).collect();
        let mut g = vec![0.0; n * actions];
        for (i, x) in rows.iter().enumerate() {
            let weights: Vec<f64> =
                (0..actions).map(|a| (x[a % inputs] * (a + 1) as f64).exp() * uniform()).collect();
            let total: f64 = weights.iter().sum();
            let reward = if uniform() < 0.5 { 0.6 } else { -0.4 };
            for a in 0..actions {
                let indicator = f64::from(u8::from(a == logged[i]));
                g[a * n + i] = h[i] * reward * (indicator - weights[a] / total);
            }
        }
        Self { inputs, actions, rows, h, g }
    }

    pub(crate) fn n(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn matrix(&self) -> RowMatrix {
        RowMatrix::dense(self.inputs, self.rows.concat()).unwrap()
    }

    pub(crate) fn round(&self) -> PairRound<'_> {
        PairRound::new(self.n(), self.actions, &self.g, PairWeights::OfExamples(&self.h)).unwrap()
    }

    /// The examples of these indices in this order.
    pub(crate) fn chosen(&self, indices: &[usize]) -> Self {
        let pairs = (0..self.actions).flat_map(|a| indices.iter().map(move |i| a * self.n() + i));
        Self {
            rows: indices.iter().map(|i| self.rows[*i].clone()).collect(),
            h: indices.iter().map(|i| self.h[*i]).collect(),
            g: pairs.map(|pair| self.g[pair]).collect(),
            ..*self
        }
    }

    /// The values that a learner writes, and what it found.
    pub(crate) fn train<L: PairLearner>(
        &self,
        learner: &mut L,
        contexts: &L::Contexts,
    ) -> (L::Hypothesis, Vec<f64>)
    where
        L::Hypothesis: PairHypothesis,
    {
        let mut values = vec![f64::NAN; self.g.len()];
        let found = learner.train(contexts, &self.round(), &mut values).unwrap();
        (found, values)
    }

    /// Σ g f − ½ Σ h f²: what a tree of λ = 0 is to make large.
    pub(crate) fn objective(&self, values: &[f64]) -> f64 {
        let h = self.h.iter().cycle();
        self.g.iter().zip(h).zip(values).map(|((g, h), f)| g * f - 0.5 * h * f * f).sum()
    }
}
