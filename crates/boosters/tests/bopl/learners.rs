//! Base learners with arbitrary answers.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;
use weak_learners::batch::{Sample, SortedColumns};
use weak_learners::pairs::{PairHypothesis, PairLearner, PairRound};

/// f(x, a) = offset_a + slope_a·x_j, cut off at ±1000.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lines {
    pub(crate) inputs: usize,
    pub(crate) feature: usize,
    pub(crate) lines: Vec<(f64, f64)>,
}

impl PairHypothesis for Lines {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn actions(&self) -> usize {
        self.lines.len()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), LearnerError> {
        if scores.len() != self.lines.len() {
            let (expected, got) = (self.lines.len(), scores.len());
            return Err(LearnerError::LengthMismatch { argument: "scores", expected, got });
        }
        let x_j = x.get(self.feature).unwrap_or_default();
        for (score, (offset, slope)) in scores.iter_mut().zip(&self.lines) {
            *score = (offset + slope * x_j).clamp(-1000.0, 1000.0);
        }
        Ok(())
    }
}

/// Answers with random lines, whatever the round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Arbitrary {
    pub(crate) rng: ChaCha8Rng,
    pub(crate) size: f64,
}

impl PairLearner for Arbitrary {
    type Contexts = SortedColumns;
    type Hypothesis = Lines;

    fn train(
        &mut self,
        contexts: &SortedColumns,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Lines, LearnerError> {
        round.check_against(contexts, values)?;
        let mut draw = || self.size * self.rng.random_range(-1.0..1.0);
        let lines = (0..round.actions()).map(|_| (draw(), draw())).collect();
        let feature = self.rng.random_range(0..contexts.inputs());
        let f = Lines { inputs: contexts.inputs(), feature, lines };
        write(contexts, &f, values)?;
        Ok(f)
    }
}

/// What `answer` makes of the round: the same for all contexts, a number an action.
#[derive(Clone)]
pub(crate) struct Constants<F>(pub(crate) F);

impl<F: FnMut(&PairRound<'_>) -> Vec<f64>> PairLearner for Constants<F> {
    type Contexts = SortedColumns;
    type Hypothesis = Lines;

    fn train(
        &mut self,
        contexts: &SortedColumns,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<Lines, LearnerError> {
        round.check_against(contexts, values)?;
        let lines = (self.0)(round).into_iter().map(|offset| (offset, 0.0)).collect();
        let f = Lines { inputs: contexts.inputs(), feature: 0, lines };
        write(contexts, &f, values)?;
        Ok(f)
    }
}

/// The mean target of each action: the least squares among constants.
pub(crate) fn means(round: &PairRound<'_>) -> Vec<f64> {
    let mean = |a: usize| {
        let sum = |of: &dyn Fn(usize) -> f64| (0..round.examples()).map(of).sum::<f64>();
        let h = sum(&|i| round.weight(i, a));
        if h > 0.0 { sum(&|i| round.gradient(i, a)) / h } else { 0.0 }
    };
    (0..round.actions()).map(mean).collect()
}

fn write(contexts: &SortedColumns, f: &Lines, values: &mut [f64]) -> Result<(), LearnerError> {
    let (n, mut row) = (contexts.size(), vec![0.0; f.lines.len()]);
    contexts.try_for_each(&mut |i, x| {
        f.scores(x, &mut row)?;
        row.iter().enumerate().for_each(|(a, f)| values[a * n + i] = *f);
        Ok(())
    })
}
