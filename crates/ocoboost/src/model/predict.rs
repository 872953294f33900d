//! What a model does with contexts, in batches.

use crate::error::JobError;
use boosters::bopl::{CompiledEnsemble, PolicyEnsemble};
use off_policy::policies::{Argmax, EpsilonGreedy, Policy, Scores, Softmax};
use off_policy::{ActionSet, ActionSets, LogError, PolicyError};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use std::ops::ControlFlow;
use weak_learners::pairs::PairTree;

/// The actions on offer in the rows of a batch.
#[derive(Debug, Clone, Copy)]
pub struct OnOffer<'a>(Offers<'a>);

#[derive(Debug, Clone, Copy)]
enum Offers<'a> {
    All(ActionSet<'a>),
    Sets(&'a ActionSets),
}

impl<'a> OnOffer<'a> {
    /// All of so many actions, in every row.
    ///
    /// # Errors
    /// [`JobError::Log`] for no action, or more than 2²⁴.
    pub fn all(actions: usize) -> Result<Self, JobError> {
        Ok(Self(Offers::All(ActionSet::all(actions)?)))
    }

    /// These.
    #[must_use]
    pub fn sets(sets: &'a ActionSets) -> Self {
        Self(Offers::Sets(sets))
    }

    /// The set of a row.
    fn row(&self, row: usize) -> Result<ActionSet<'a>, JobError> {
        match self.0 {
            Offers::All(all) => Ok(all),
            Offers::Sets(sets) => Ok(sets.row(row).ok_or(LogError::NoSuchRow { row, rows: sets.len() })?),
        }
    }

    fn check(&self, rows: usize, actions: usize) -> Result<(), JobError> {
        let got = match self.0 {
            Offers::All(all) => all.actions(),
            Offers::Sets(sets) if sets.len() != rows => {
                return Err(JobError::Length { column: "the action sets", expected: rows, got: sets.len() });
            }
            Offers::Sets(sets) => sets.actions(),
        };
        if got == actions {
            Ok(())
        } else {
            Err(PolicyError::ActionCount { argument: "the action set", expected: actions, got }.into())
        }
    }
}

/// How a policy explores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Explore {
    /// The best action with probability 1 − ε, else any on offer, evenly.
    EpsilonGreedy(f64),
    /// Probabilities ∝ exp(β·score).
    Softmax(f64),
}

/// Actions that were drawn, with what the next log needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Explored {
    /// The actions.
    pub actions: Vec<u32>,
    /// Their probabilities when they were drawn.
    pub propensities: Vec<f64>,
}

/// An action that was drawn for a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision<'a> {
    /// The action.
    pub action: u32,
    /// Its probability.
    pub propensity: f64,
    /// π(·|x), a number an action.
    pub probabilities: &'a [f64],
}

/// The first actions of a ranking.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranked {
    /// Actions of a row, the best first; fewer than asked for where fewer are on offer.
    pub actions: Vec<u32>,
    /// Their scores.
    pub scores: Vec<f64>,
}

/// Rows whose scores are in memory at once are those of so many pairs.
const PAIRS: usize = 1 << 16;

/// Shows every row with the scores of its actions, until `see` has seen enough.
pub(super) fn for_each_row(
    ensemble: &PolicyEnsemble<PairTree>,
    contexts: &RowMatrix,
    on_offer: OnOffer<'_>,
    mut see: impl FnMut(ActionSet<'_>, &mut [f64]) -> Result<ControlFlow<()>, JobError>,
) -> Result<(), JobError> {
    let (n, k) = (contexts.len(), ensemble.actions());
    on_offer.check(n, k)?;
    if contexts.dimension() != ensemble.inputs() {
        let (expected, got) = (ensemble.inputs(), contexts.dimension());
        return Err(PolicyError::InputDimension { expected, got }.into());
    }
    let compiled = if is_worth_compiling(ensemble, n) { CompiledEnsemble::new(ensemble).ok() } else { None };
    let of_rows: &dyn Scores = match &compiled {
        Some(compiled) => compiled,
        None => ensemble,
    };
    let rows = (PAIRS / k).clamp(1, n.max(1));
    let mut scores = vec![0.0; rows * k];
    for from in (0..n).step_by(rows) {
        let scores = &mut scores[..rows.min(n - from) * k];
        of_rows.scores_of_rows(contexts, from, scores)?;
        for (row, scores) in (from..).zip(scores.chunks_exact_mut(k)) {
            if let Some(action) = scores.iter().position(|score| !score.is_finite()) {
                return Err(PolicyError::NotFiniteScore { action, value: scores[action] }.into());
            }
            if see(on_offer.row(row)?, scores)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Whether so many rows are asked about that the compiled form, which has the same bits, is done earlier.
/// Laying out a node takes as long as a few walks, and every tree is walked for every pair.
fn is_worth_compiling(ensemble: &PolicyEnsemble<PairTree>, rows: usize) -> bool {
    let members = ensemble.members();
    let nodes: usize = members.iter().map(|member| member.predictor.nodes().len()).sum();
    let walks = rows.saturating_mul(ensemble.actions()).saturating_mul(members.len());
    CompiledEnsemble::is_for_batches(ensemble) && walks > nodes.saturating_mul(8)
}

/// π of a row, and where a generator is given an action drawn from it with its probability.
pub(super) fn play(
    explore: Explore,
    on_offer: ActionSet<'_>,
    scores: &[f64],
    pi: &mut [f64],
    rng: Option<&mut ChaCha8Rng>,
) -> Result<(usize, f64), JobError> {
    let nothing = [0.0];
    let x = Row::dense(&nothing).map_err(|_| LogError::Empty)?;
    match explore {
        Explore::EpsilonGreedy(epsilon) => {
            draw(&EpsilonGreedy::new(Argmax::new(Known(scores)), epsilon)?, x, on_offer, pi, rng)
        }
        Explore::Softmax(beta) => draw(&Softmax::new(Known(scores), beta)?, x, on_offer, pi, rng),
    }
}

fn draw(
    policy: &impl Policy,
    x: Row<'_>,
    on_offer: ActionSet<'_>,
    pi: &mut [f64],
    rng: Option<&mut ChaCha8Rng>,
) -> Result<(usize, f64), JobError> {
    match rng {
        Some(rng) => Ok(policy.sample(x, on_offer, pi, rng)?),
        None => {
            policy.probabilities(x, on_offer, pi)?;
            Ok((0, 0.0))
        }
    }
}

pub(super) fn check(explore: Explore) -> Result<(), JobError> {
    let (name, value, most, domain) = match explore {
        Explore::EpsilonGreedy(epsilon) => ("epsilon", epsilon, 1.0, "[0, 1]"),
        Explore::Softmax(beta) => ("beta", beta, rows::numeric::LARGEST, "[0, 1e140]"),
    };
    if (0.0..=most).contains(&value) { Ok(()) } else { Err(JobError::BadSetting { name, value, domain }) }
}

/// The generator of a batch.
pub(super) fn generator(seed: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1 << 46);
    rng
}

/// Scores that are known already; the context is of no matter.
struct Known<'a>(&'a [f64]);

impl Scores for Known<'_> {
    fn inputs(&self) -> usize {
        1
    }

    fn actions(&self) -> usize {
        self.0.len()
    }

    fn scores(&self, _: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        scores.copy_from_slice(self.0);
        Ok(())
    }
}
