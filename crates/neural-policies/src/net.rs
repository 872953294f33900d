//! A trained perceptron.

use crate::NetError;
use nalgebra::{DMatrix, DMatrixView};
use off_policy::policies::Scores;
use off_policy::{Log, PolicyError, Schema};
use rows::{Row, RowMatrix};
use serde::{Deserialize, Serialize};

/// The most weights of a net, and the most units of a layer for the pairs that go through it together.
pub(crate) const MOST_WEIGHTS: usize = 1 << 28;
/// The pairs of a context and an action that go through the layers together.
const BLOCK: usize = 256;
/// The most inputs of all rows that go through the layers together, unless a single row has more.
const MOST_INPUTS: usize = 1 << 22;

/// F(x, a), a perceptron on the scaled context and the one-hot code of the action \[L23, Appendices F.5 and
/// G\]: every layer but the last is followed by max(0, ·), and the last has one unit. Batch normalisation is
/// folded into the weights.
///
/// As [`Scores`] it goes into an [`Argmax`](off_policy::policies::Argmax) or a
/// [`Softmax`](off_policy::policies::Softmax). It is saved and loaded by serde; numbers that no training
/// leaves are refused. *Numbers:* single precision. The last bits of a score may depend on the machine and on
/// the number of rows that are scored together. *Cost:* the first layer's part of x is shared by the actions;
/// a call allocates room for the units of a layer.
///
/// ```
/// use neural_policies::Net;
/// use off_policy::{ActionSet, policies::{Argmax, Policy}};
/// use rows::Row;
/// // One hidden unit, max(0, 2x + a): the second action has the larger score.
/// let text = r#"{"inputs": 1, "actions": 2, "shift": [0.0], "factor": [1.0], "layers": [
///     {"weights": [2.0, 0.0, 1.0], "offsets": [0.0]}, {"weights": [1.0], "offsets": [0.5]}]}"#;
/// let net: Net = serde_json::from_str(text)?;
/// let mut pi = [0.0; 2];
/// Argmax::new(net).probabilities(Row::dense(&[3.0])?, ActionSet::all(2)?, &mut pi)?;
/// assert_eq!(pi, [0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Net {
    inputs: usize,
    actions: usize,
    /// x_j becomes (x_j − shift_j)·factor_j.
    shift: Vec<f64>,
    factor: Vec<f64>,
    layers: Vec<Layer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Schema>,
}

/// y = Wx + c.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Layer {
    /// W_oi at i·(number of outputs) + o; the first inputs of the first layer are those of x, and the others
    /// are the actions.
    pub(crate) weights: Vec<f32>,
    /// c.
    pub(crate) offsets: Vec<f32>,
}

#[derive(Deserialize)]
struct Parts {
    inputs: usize,
    actions: usize,
    shift: Vec<f64>,
    factor: Vec<f64>,
    layers: Vec<Layer>,
    #[serde(default)]
    schema: Option<Schema>,
}

impl Net {
    #[cfg_attr(not(feature = "training"), allow(dead_code, reason = "nets are made by training"))]
    pub(crate) fn of(log: &Log, scaling: (Vec<f64>, Vec<f64>), layers: Vec<Layer>) -> Result<Self, NetError> {
        let (shift, factor) = scaling;
        let (inputs, actions, schema) = (log.inputs(), log.actions(), log.schema().cloned());
        Parts { inputs, actions, shift, factor, layers, schema }.try_into()
    }

    /// The units of the hidden layers.
    #[must_use]
    pub fn widths(&self) -> Vec<usize> {
        self.layers.iter().rev().skip(1).rev().map(|layer| layer.offsets.len()).collect()
    }

    /// F(x_i, a) of all pairs at i·|A| + a.
    ///
    /// # Errors
    /// [`PolicyError::InputDimension`], [`PolicyError::NotFiniteScore`].
    pub fn scores_of_rows(&self, contexts: &RowMatrix) -> Result<Vec<f64>, PolicyError> {
        let (expected, got) = (self.inputs, contexts.dimension());
        if got != expected {
            return Err(PolicyError::InputDimension { expected, got });
        }
        let mut scores = vec![0.0; contexts.len() * self.actions];
        let rows = (BLOCK / self.actions).min(MOST_INPUTS / self.inputs).max(1);
        for (block, scores) in scores.chunks_mut(rows * self.actions).enumerate() {
            let rows = block * rows..block * rows + scores.len() / self.actions;
            self.score(rows.filter_map(|i| contexts.row(i)), scores)?;
        }
        Ok(scores)
    }

    /// F of some rows.
    fn score<'a>(&self, rows: impl Iterator<Item = Row<'a>>, scores: &mut [f64]) -> Result<(), PolicyError> {
        let (m, actions) = (self.inputs, self.actions);
        let mut x = Vec::with_capacity(scores.len() / actions * m);
        for row in rows {
            push_scaled(row, &self.shift, &self.factor, &mut x);
        }
        let rows = scores.len() / actions;
        let Some((first, others)) = self.layers.split_first() else { return Ok(()) };
        let width = first.offsets.len();
        let (of_x, of_actions) = first.weights.split_at(m * width);
        let of_x = DMatrixView::from_slice(of_x, width, m) * DMatrixView::from_slice(&x, m, rows);
        // The first layer of the pair (x_i, a): the parts of x_i and of a, and the offsets.
        let of_actions: Vec<f32> = of_actions
            .chunks_exact(width)
            .flat_map(|of_a| of_a.iter().zip(&first.offsets).map(|(a, c)| a + c))
            .collect();
        let is_last = others.is_empty();
        let mut units = Vec::with_capacity(rows * actions * width);
        for of_x in of_x.as_slice().chunks_exact(width) {
            for of_action in of_actions.chunks_exact(width) {
                units.extend(of_x.iter().zip(of_action).map(|(x, a)| positive(x + a, is_last)));
            }
        }
        let mut units = DMatrix::from_vec(width, rows * actions, units);
        for (l, Layer { weights, offsets }) in others.iter().enumerate() {
            let is_last = l + 1 == others.len();
            units = if let [offset] = offsets[..] {
                let of_pair = |unit: &[f32]| positive(inner_product(weights, unit) + offset, is_last);
                let found = units.as_slice().chunks_exact(weights.len()).map(of_pair);
                DMatrix::from_iterator(1, units.ncols(), found)
            } else {
                let mut next = DMatrixView::from_slice(weights, offsets.len(), units.nrows()) * units;
                for unit in next.as_mut_slice().chunks_exact_mut(offsets.len()) {
                    unit.iter_mut().zip(offsets).for_each(|(unit, c)| *unit = positive(*unit + c, is_last));
                }
                next
            };
        }
        for (pair, (score, unit)) in scores.iter_mut().zip(units.iter()).enumerate() {
            let value = f64::from(*unit);
            if !value.is_finite() {
                return Err(PolicyError::NotFiniteScore { action: pair % actions, value });
            }
            *score = value;
        }
        Ok(())
    }
}

/// Refuses layers of so many units that those of a block of pairs would not fit. A layer of many units has
/// few weights where the one before is narrow, so that the weights do not bound them.
pub(crate) fn check_units(actions: usize, widths: impl Iterator<Item = usize>) -> Result<(), NetError> {
    let pairs = actions.max(BLOCK);
    let is_beyond = |width: usize| pairs.checked_mul(width).is_none_or(|units| units > MOST_WEIGHTS);
    if widths.into_iter().any(is_beyond) { Err(NetError::TooLarge) } else { Ok(()) }
}

/// Σ w_j u_j, as sixteen sums that are added up at the end: vector instructions add them side by side.
fn inner_product(w: &[f32], u: &[f32]) -> f32 {
    let (w, rest) = w.as_chunks::<16>();
    let (u, rest_of_u) = u.as_chunks::<16>();
    let mut sums = [0.0_f32; 16];
    for (w, u) in w.iter().zip(u) {
        for ((sum, w), u) in sums.iter_mut().zip(w).zip(u) {
            *sum += w * u;
        }
    }
    sums.iter().sum::<f32>() + rest.iter().zip(rest_of_u).map(|(w, u)| w * u).sum::<f32>()
}

/// max(0, unit), but for the last layer. Not `max`: a NaN stays one, and is reported at the end.
fn positive(unit: f32, is_last: bool) -> f32 {
    if unit < 0.0 && !is_last { 0.0 } else { unit }
}

/// The scaled context, in single precision.
#[allow(clippy::cast_possible_truncation, reason = "the precision of a net")]
pub(crate) fn push_scaled(row: Row<'_>, shift: &[f64], factor: &[f64], x: &mut Vec<f32>) {
    let from = x.len();
    x.extend(shift.iter().zip(factor).map(|(shift, factor)| (-shift * factor) as f32));
    row.for_each(|j, value| x[from + j] = ((value - shift[j]) * factor[j]) as f32);
}

impl Scores for Net {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        if x.dimension() != self.inputs {
            return Err(PolicyError::InputDimension { expected: self.inputs, got: x.dimension() });
        }
        if scores.len() != self.actions {
            let (argument, expected, got) = ("scores", self.actions, scores.len());
            return Err(PolicyError::ActionCount { argument, expected, got });
        }
        self.score(std::iter::once(x), scores)
    }
}

impl TryFrom<Parts> for Net {
    type Error = NetError;

    fn try_from(parts: Parts) -> Result<Self, NetError> {
        let Parts { inputs, actions, shift, factor, layers, schema } = parts;
        let has = |part: &str, unit, expected, got| {
            let part = part.to_owned();
            if got == expected { Ok(()) } else { Err(NetError::Mismatch { part, unit, expected, got }) }
        };
        for (name, count) in [("inputs", inputs), ("actions", actions), ("layers", layers.len())] {
            if count == 0 {
                return Err(NetError::BadParameter { name, value: 0.0, domain: "1, 2, …" });
            }
        }
        // A policy allocates room for all actions, and the number may come from a damaged file.
        if actions > MOST_WEIGHTS || inputs > MOST_WEIGHTS {
            return Err(NetError::TooLarge);
        }
        has("the shift", "coordinates", inputs, shift.len())?;
        has("the factor", "coordinates", inputs, factor.len())?;
        for (part, numbers) in [("the shift", &shift), ("the factor", &factor)] {
            if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
                return Err(NetError::NotFinite { part: part.to_owned(), index, value: numbers[index] });
            }
        }
        let (mut width, last) = (inputs + actions, layers.len() - 1);
        check_units(actions, layers.iter().map(|layer| layer.offsets.len()))?;
        for (l, Layer { weights, offsets }) in layers.iter().enumerate() {
            let part = format!("layer {l}");
            let units = if l == last { 1 } else { offsets.len() };
            has(&part, "units", units.max(1), offsets.len())?;
            has(&part, "weights", width.saturating_mul(units), weights.len())?;
            let numbers = weights.iter().chain(offsets);
            if let Some((index, value)) = numbers.enumerate().find(|(_, number)| !number.is_finite()) {
                return Err(NetError::NotFinite { part, index, value: f64::from(*value) });
            }
            width = units;
        }
        if let Some(schema) = &schema {
            has("the schema", "coordinates", inputs, schema.inputs())?;
            has("the schema", "actions", actions, schema.actions())?;
        }
        Ok(Self { inputs, actions, shift, factor, layers, schema })
    }
}
