//! The rows of a step.

use super::NetObjective;
use crate::net::push_scaled;
use off_policy::Log;

/// A log as a net reads it.
pub(super) struct Batches<'a> {
    log: &'a Log,
    scaling: &'a (Vec<f64>, Vec<f64>),
    objective: NetObjective,
}

/// Rows with what their loss needs; k rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Batch {
    pub(super) rows: usize,
    pub(super) inputs: usize,
    pub(super) actions: usize,
    /// k × m.
    pub(super) x: Vec<f32>,
    pub(super) target: Target,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target {
    /// The loss is the mean of (F(x_i, a_i) − r_i)².
    Rewards {
        /// k × |A|: 1 at a_i.
        played: Vec<f32>,
        /// r_i.
        rewards: Vec<f32>,
    },
    /// The loss is the mean of Σ_a π(a|x_i)·cost_ia, where π is the softmax of F plus `offer`.
    Costs {
        /// k × |A|: −(r_i + b)/p_i at a_i, and 0 elsewhere.
        costs: Vec<f32>,
        /// k × |A|: 0 for an action on offer, and far below 0 for others. `None` where all are on offer.
        offer: Option<Vec<f32>>,
    },
}

/// Far below any score, and far from the end of single precision.
const NOT_ON_OFFER: f32 = -1e30;

impl<'a> Batches<'a> {
    pub(super) fn new(log: &'a Log, scaling: &'a (Vec<f64>, Vec<f64>), objective: NetObjective) -> Self {
        Self { log, scaling, objective }
    }

    #[allow(clippy::cast_possible_truncation, reason = "the precision of a net")]
    pub(super) fn of(&self, rows: &[usize]) -> Batch {
        let (inputs, actions) = (self.log.inputs(), self.log.actions());
        let (shift, factor) = self.scaling;
        let mut x = Vec::with_capacity(rows.len() * inputs);
        let rows = || rows.iter().filter_map(|i| self.log.row(*i));
        rows().for_each(|row| push_scaled(row.context, shift, factor, &mut x));
        let count = rows().count();
        let at_played = |number: &dyn Fn(f64, f64) -> f64| {
            let mut table = vec![0.0; count * actions];
            for (row, line) in rows().zip(table.chunks_exact_mut(actions)) {
                line[row.action] = number(row.reward, row.propensity) as f32;
            }
            table
        };
        let target = match self.objective {
            NetObjective::RewardRegression => Target::Rewards {
                played: at_played(&|_, _| 1.0),
                rewards: rows().map(|row| row.reward as f32).collect(),
            },
            NetObjective::BanditNet { translation } => Target::Costs {
                costs: at_played(&|r, p| -(r + translation) / p),
                offer: self.log.action_sets().is_some().then(|| {
                    let of = |on_offer: bool| if on_offer { 0.0 } else { NOT_ON_OFFER };
                    rows().flat_map(|row| (0..actions).map(move |a| of(row.on_offer.contains(a)))).collect()
                }),
            },
        };
        Batch { rows: count, inputs, actions, x, target }
    }
}
