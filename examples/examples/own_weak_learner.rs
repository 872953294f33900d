//! A weak learner of one's own: it looks at a single feature. Boosting makes a model of all features out of it.

use boosters::gradient::SpanBoosting;
use oco_core::{Loss, SquaredLoss, StepSchedule};
use projections::BoxSet;
use rand::{RngExt, SeedableRng};
use rows::Row;
use std::error::Error;
use weak_learners::{FullInformationPredictor, LearnerError, OgdLinear, OnlinePredictor, Shape};

/// Predicts from feature j alone, by the linear learner on that one number.
struct OneFeature {
    j: usize,
    inputs: usize,
    slope: OgdLinear,
}

impl OneFeature {
    fn view(&self, x: Row<'_>) -> Result<f64, LearnerError> {
        if x.dimension() != self.inputs {
            return Err(LearnerError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        let mut value = 0.0;
        x.for_each(|j, x_j| value = if j == self.j { x_j } else { value });
        Ok(value)
    }
}

/// A value of a row that exists is finite, so a row of it alone exists too.
fn alone(value: &[f64; 1]) -> Result<Row<'_>, LearnerError> {
    Row::dense(value).map_err(|_| LearnerError::InputDimension { expected: 1, got: 0 })
}

impl OnlinePredictor<[f64]> for OneFeature {
    fn shape(&self) -> Shape {
        Shape { inputs: self.inputs, outputs: 1 }
    }
    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        let value = [self.view(x)?];
        self.slope.predict(alone(&value)?, y)
    }
    fn accepts(&self, x: Row<'_>, g: &[f64]) -> Result<(), LearnerError> {
        let value = [self.view(x)?];
        self.slope.accepts(alone(&value)?, g)
    }
    fn update(&mut self, x: Row<'_>, g: &[f64]) -> Result<(), LearnerError> {
        let value = [self.view(x)?];
        self.slope.update(alone(&value)?, g)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (inputs, steps) = (6, StepSchedule::power(0.3, 0.5)?);
    let one = |j| -> Result<OneFeature, LearnerError> {
        let slope = OgdLinear::new(Shape { inputs: 1, outputs: 1 }, steps, 1.0)?;
        Ok(OneFeature { j: j % inputs, inputs, slope })
    };
    let learners = |n: usize| (0..n).map(one).collect::<Result<Vec<_>, _>>();
    let interval = BoxSet::interval(-3.0, 3.0)?;
    let mut alone = SpanBoosting::new(learners(1)?, interval.clone(), 1.0, steps)?;
    let mut boosted = SpanBoosting::new(learners(24)?, interval, 0.3, steps)?;

    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let truth = [1.0, -0.8, 0.6, -0.4, 0.2, 0.5];
    let (mut lost_alone, mut lost_boosted, rounds) = (0.0, 0.0, 5000_u32);
    for _ in 0..rounds {
        let x: [f64; 6] = std::array::from_fn(|_| 2.0 * rng.random::<f64>() - 1.0);
        let target = [x.iter().zip(truth).map(|(x, w)| x * w).sum()];
        let (row, loss) = (Row::dense(&x)?, SquaredLoss::new(&target)?);
        lost_alone += loss.value(alone.round(row, &loss)?) / f64::from(rounds);
        lost_boosted += loss.value(boosted.round(row, &loss)?) / f64::from(rounds);
    }
    println!(
        "average squared loss on a synthetic stream: one feature {lost_alone:.3}, boosted {lost_boosted:.3}"
    );
    Ok(())
}
