//! The trees of `bopl.json`.

use super::Kernel;
use super::code::Refusal;
use super::compare::Value;
use super::input::{Input, check_length};
use projections::check_finite;
use rows::RowMatrix;
use rows::numeric::{LARGEST, exponent_above, scale, scale_up};
use weak_learners::LearnerError;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{ExactPairTree, PairGrowth, PairLearner, PairRound, PairWeights};

pub(super) fn kernel(name: &str) -> Option<Kernel> {
    (name == "weighted_tree").then_some(weighted_tree as Kernel)
}

fn weighted_tree(input: &Input<'_>) -> Result<Value, Refusal> {
    let (x, weights, targets) = (input.matrix("X")?, input.vector("weights")?, input.matrix("targets")?);
    let (n, actions) = (x.rows().len(), targets.width());
    check_length("weights", n, weights.len())?;
    check_length("targets", n, targets.rows().len())?;
    check_finite("weights", &weights)?;
    targets.rows().iter().try_for_each(|row| check_finite("targets", row))?;
    if let Some(index) = weights.iter().position(|w| *w < 0.0) {
        return Err(LearnerError::NegativeWeight { index, value: weights[index] }.into());
    }
    let bounds = [input.scalar("min_child_weight")?, input.scalar("reg_lambda")?];
    check_finite("min_child_weight, reg_lambda", &bounds)?;

    // The learner gets the products wy. In units of the largest y, and with a largest w of at least 1, no
    // product overflows.
    let up = exponent_above(largest(&weights)).min(0).unsigned_abs();
    let unit = exponent_above(largest(targets.rows().iter().flatten()));
    let weights: Vec<f64> = weights.iter().map(|w| scale_up(*w, up)).collect();
    let [min_child_weight, reg_lambda] = bounds.map(|bound| scale_up(bound, up).min(LARGEST));
    let gradient = |a: usize| targets.rows().iter().zip(&weights).map(move |(y, w)| w * scale(y[a], -unit));
    let gradients: Vec<f64> = (0..actions).flat_map(gradient).collect();

    // Every split removes at least one pair from a path.
    let depth = input.count("max_depth")?.min(1000);
    let mut learner = ExactPairTree::new(
        PairGrowth::builder()
            .max_depth(depth)
            .min_child_weight(min_child_weight)
            .reg_lambda(reg_lambda)
            .build()?,
    );
    let contexts = SortedColumns::new(RowMatrix::dense(x.width(), x.rows().concat())?)?;
    let round = PairRound::new(n, actions, &gradients, PairWeights::OfExamples(&weights))?;
    let mut values = vec![0.0; n * actions];
    let tree = learner.train(&contexts, &round, &mut values)?;
    let prediction =
        |i: usize| values.iter().skip(i).step_by(n).map(|v| scale(*v, unit)).collect::<Vec<f64>>();
    Ok(Value::object([
        ("predictions", (0..n).map(prediction).collect::<Vec<_>>().into()),
        ("leaves", i64::try_from(tree.leaves()).unwrap_or(i64::MAX).into()),
    ]))
}

fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |largest: f64, v| largest.max(v.abs()))
}
