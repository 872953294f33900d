//! Propensities for a log that has none.

use crate::error::JobError;
use crate::of_ranks::doubles;
use off_policy::policies::{LogisticTraining, MultinomialLogistic, Scores, softmax};
use off_policy::{ActionSet, ActionSets, LabelSets, Log, LogError, Rewards};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use ranks::{RankError, Ranks, Shard};
use rows::RowMatrix;
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};

/// Who is asked from time to time whether work goes on.
pub type Watch<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// An error where the watcher has ended the work.
pub(crate) fn go_on(watch: Watch<'_>) -> Result<(), JobError> {
    if watch().is_break() { Err(JobError::Interrupted) } else { Ok(()) }
}

/// Where the propensities of a log come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PropensitySource {
    /// The logging policy wrote them down.
    Logged,
    /// They were [estimated](estimate_propensities) from the log,
    /// [also](crate::estimate_candidate_propensities) over candidates. Nothing that rests on them is certain.
    Estimated,
}

/// Estimated propensities, and how far other estimates of the same kind are from them.
#[derive(Debug, Clone, PartialEq)]
pub struct EstimatedPropensities {
    pub(crate) propensities: Vec<f64>,
    /// The propensities of every refit.
    pub(crate) refits: Vec<Vec<f64>>,
    pub(crate) temperature: f64,
    pub(crate) cross_entropy: f64,
    pub(crate) cross_entropy_of_shares: f64,
    pub(crate) at_floor: usize,
}

/// K.
pub(crate) const FOLDS: usize = 5;
/// B.
pub(crate) const REFITS: usize = 10;
/// A propensity is at least this share of that of a policy that plays evenly.
pub(crate) const FLOOR: f64 = 0.02;
/// The scores that β is chosen on, those of rows that are spread evenly.
pub(crate) const CALIBRATION_SCORES: usize = 1 << 22;
/// The turns of a calibration with sets on offer, and the scalings of the offsets in each.
const TURNS: usize = 4;
const SCALINGS: usize = 10;

/// Propensities of a log that has none: P(a_i|x_i) by multinomial logistic regression, for rows of `contexts`
/// in which action a_i was taken among those on offer.
///
/// *Cross-fitted:* rows are dealt to 5 folds, and the propensity of a row comes from a model of the other
/// folds. *Calibrated:* scores are multiplied by one β, the one with the least cross-entropy out of fold.
/// Where not every action was on offer in every row, only those on offer count, and every action has an
/// offset besides, because the fit does not know why an action was not taken. *Floor:* at least 1/50 of 1/k,
/// k being the number of actions on offer. *Spread:* ten further estimates, each from models of resampled
/// halves of the rows; what rests on propensities is computed with these too, and its intervals are widened
/// by the deviation. Halves make the deviation too large rather than too small.
///
/// What is estimated is the policy that the log shows, from the columns that are there. Where the logging
/// policy looked at something else that also moves rewards, no column says so, and no interval either.
///
/// *Randomness:* a ChaCha stream a fit. *Cost:* 15 fits of all rows; n·12 doubles.
///
/// ```
/// use ocoboost::estimate_propensities;
/// use off_policy::ActionSets;
/// // Action 1 in a quarter of the rows of x = 0, and in three quarters of those of x = 1.
/// let contexts = rows::RowMatrix::dense(1, (0..800).map(|i| f64::from(i % 2)).collect())?;
/// let actions: Vec<u32> = (0..800).map(|i| u32::from((i / 2 % 4 == 0) != (i % 2 == 1))).collect();
/// let found = estimate_propensities(&contexts, &actions, 2, None, 1)?;
/// for (p, a) in found.propensities().iter().zip(&actions).take(8) {
///     assert!((p - 0.25).abs() < 0.06 || (p - 0.75).abs() < 0.06, "{p} of {a}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`JobError::Length`]; [`JobError::Log`] for actions that are not there or were not on offer, and for fewer
/// than 10 rows [`JobError::TooFewRows`]; [`JobError::Policy`] of the fits.
pub fn estimate_propensities(
    contexts: &RowMatrix,
    actions: &[u32],
    action_count: usize,
    on_offer: Option<&ActionSets>,
    seed: u64,
) -> Result<EstimatedPropensities, JobError> {
    let go_on = &mut || ControlFlow::Continue(());
    estimate_propensities_watched(contexts, actions, action_count, on_offer, seed, go_on)
}

/// The same, with a watcher that is asked after every fit whether to go on.
///
/// # Errors
/// As [`estimate_propensities`]; [`JobError::Interrupted`] where `watch` said `Break`.
pub fn estimate_propensities_watched(
    contexts: &RowMatrix,
    actions: &[u32],
    action_count: usize,
    on_offer: Option<&ActionSets>,
    seed: u64,
    watch: Watch<'_>,
) -> Result<EstimatedPropensities, JobError> {
    let table = Table { contexts, actions, all: ActionSet::all(action_count)?, on_offer };
    table.check_columns()?;
    table.check_count()?;
    let fitted = |training: &[usize]| {
        let model = table.fit(training)?;
        go_on(watch)?;
        Ok(model)
    };
    table.estimates((&Shard::whole(actions.len()), actions.len()), seed, fitted)
}

/// The same of the rows of several ranks, of which `contexts`, `actions` and `on_offer` have those of one,
/// behind those of the ranks before. Every rank gets the estimates of its own rows.
///
/// *Guarantee:* they are those of one process on all rows, to the bit, for any number of ranks. *How.* A fit
/// adds doubles row by row, in an order by lot, so that ranks that shared one would wait for each other. So
/// the fits are dealt to the ranks: each of the 25 is done by one rank on rows of all. *Watchers:* every rank
/// has one, which is asked whenever each rank has done a fit, and `Break` of any of them counts. *Cost:* the
/// contexts of all ranks in the memory of each, 24 bytes a row more, and ⌈25/R⌉ fits of R ranks one after the
/// other; a message of the weights of a model a fit.
///
/// # Errors
/// As [`estimate_propensities_watched`], on every rank where one of them has an error; those of the ranks.
pub fn estimate_propensities_of_rank(
    contexts: &RowMatrix,
    actions: &[u32],
    action_count: usize,
    on_offer: Option<&ActionSets>,
    seed: u64,
    (ranks, watch): (&Ranks, Watch<'_>),
) -> Result<EstimatedPropensities, JobError> {
    if !ranks.are_several() {
        return estimate_propensities_watched(contexts, actions, action_count, on_offer, seed, watch);
    }
    let here = || -> Result<Log, JobError> {
        let all = ActionSet::all(action_count)?;
        Table { contexts, actions, all, on_offer }.check_columns()?;
        let n = actions.len();
        let (certain, nothing) = (vec![1.0; n], Rewards(vec![0.0; n]));
        let log = Log::new(contexts.clone(), action_count, actions.to_vec(), certain, nothing)?;
        Ok(match on_offer {
            Some(sets) => log.with_action_sets(sets.clone())?,
            None => log,
        })
    };
    let here = ranks.agree(here())?;
    let shard = Shard::of(ranks.clone(), here.len())?;
    let whole = here.gathered(&(0..here.len()).collect::<Vec<_>>(), ranks)?;
    let all = ActionSet::all(action_count)?;
    let (actions, on_offer) = (whole.logged_actions(), whole.action_sets());
    let table = Table { contexts: whole.contexts(), actions, all, on_offer };
    table.check_count()?;
    let mut models = table.dealt_fits(ranks, seed, watch)?.into_iter();
    table.estimates((&shard, here.len()), seed, |_| Ok(models.next().ok_or(LogError::Empty)?))
}

impl EstimatedPropensities {
    /// The estimates, a row each: the column of propensities of the log.
    #[must_use]
    pub fn propensities(&self) -> &[f64] {
        &self.propensities
    }

    /// The propensities of every refit.
    pub(crate) fn refits(&self) -> impl Iterator<Item = &[f64]> {
        self.refits.iter().map(Vec::as_slice)
    }

    /// 1/β, by which the scores were divided: above 1 for a fit that was too sure of itself.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// −Σ ln p_i/n, out of fold.
    #[must_use]
    pub fn cross_entropy(&self) -> f64 {
        self.cross_entropy
    }

    /// The same of the shares of the actions, without contexts, or of an even choice among candidates: far
    /// above [`cross_entropy`](Self::cross_entropy) where the logging policy looked at the columns.
    #[must_use]
    pub fn cross_entropy_of_shares(&self) -> f64 {
        self.cross_entropy_of_shares
    }

    /// Rows that were raised to the floor.
    #[must_use]
    pub fn at_floor(&self) -> usize {
        self.at_floor
    }

    /// The estimates of all ranks.
    pub(crate) fn gathered(&self, ranks: &Ranks) -> Result<Self, JobError> {
        let refits = self.refits.iter().map(|refit| doubles(ranks, refit)).collect::<Result<_, _>>()?;
        Ok(Self { propensities: doubles(ranks, &self.propensities)?, refits, ..*self })
    }

    /// The estimates of some rows of the log, in the order asked for.
    ///
    /// # Errors
    /// [`JobError::Log`] with a row that is not there.
    pub fn select(&self, rows: &[usize]) -> Result<Self, JobError> {
        let n = self.propensities.len();
        if let Some(&row) = rows.iter().find(|row| **row >= n) {
            return Err(LogError::NoSuchRow { row, rows: n }.into());
        }
        let of = |values: &Vec<f64>| rows.iter().map(|row| values[*row]).collect::<Vec<f64>>();
        let refits = self.refits.iter().map(of).collect();
        Ok(Self { propensities: of(&self.propensities), refits, ..*self })
    }
}

/// What there is to learn from.
struct Table<'a> {
    contexts: &'a RowMatrix,
    actions: &'a [u32],
    all: ActionSet<'a>,
    on_offer: Option<&'a ActionSets>,
}

impl Table<'_> {
    fn check_columns(&self) -> Result<(), JobError> {
        let (n, action_count) = (self.contexts.len(), self.all.actions());
        let sets = self.on_offer.map(|sets| ("the action sets", sets.len()));
        for (column, got) in std::iter::once(("the actions", self.actions.len())).chain(sets) {
            if got != n {
                return Err(JobError::Length { column, expected: n, got });
            }
        }
        if let Some(got) = self.on_offer.map(ActionSets::actions).filter(|got| *got != action_count) {
            return Err(LogError::ActionCount { expected: action_count, got }.into());
        }
        for (row, action) in self.actions.iter().enumerate() {
            let (a, action) = (*action as usize, u64::from(*action));
            if a >= action_count {
                return Err(LogError::ActionOutOfRange { row, action, actions: action_count }.into());
            }
            if !self.set(row).contains(a) {
                return Err(LogError::NotOnOffer { row, action }.into());
            }
        }
        Ok(())
    }

    fn check_count(&self) -> Result<(), JobError> {
        let n = self.actions.len();
        if n < 2 * FOLDS {
            let (split, judging) = ("folds of the propensities", n / FOLDS);
            return Err(JobError::TooFewRows { rows: n, split, learning: n - judging, judging });
        }
        Ok(())
    }

    /// The estimates for the rows of a rank, by models that are asked for in the order of the deals.
    fn estimates(
        &self,
        (shard, own_rows): (&Shard, usize),
        seed: u64,
        mut model: impl FnMut(&[usize]) -> Result<MultinomialLogistic, JobError>,
    ) -> Result<EstimatedPropensities, JobError> {
        let (n, k) = (self.actions.len(), self.all.actions());
        let own = shard.first()..shard.first() + own_rows;
        let mut deals = Deals::new(n, seed);
        let mut estimate = |count: usize| -> Result<(Calibration, Vec<f64>, usize), JobError> {
            let mut parts = Vec::with_capacity(count);
            for Deal { training, rows } in deals.by_ref().take(count) {
                parts.push(Part { model: model(&training)?, rows });
            }
            let calibration = self.calibrate(&parts)?;
            let (propensities, at_floor) = self.propensities(&parts, &calibration, own.clone())?;
            Ok((calibration, propensities, at_floor))
        };
        let (calibration, propensities, at_floor) = estimate(FOLDS)?;
        let refits = (0..REFITS).map(|_| Ok(estimate(2)?.1)).collect::<Result<_, JobError>>()?;
        let ranks = shard.ranks();
        let mut at_floor = [at_floor as u64];
        ranks.sum(&mut at_floor)?;
        let mut counts = vec![0.0; k];
        self.actions.iter().for_each(|a| counts[*a as usize] += 1.0);
        let mut shares = self.actions[own.clone()].iter().map(|a| counts[*a as usize] / n as f64);
        let mean = |values: &mut dyn Iterator<Item = f64>| -> Result<f64, RankError> {
            let [sum] = ranks.sum_of_rows([-0.0], values.map(|p| [p.ln()]))?;
            Ok(-sum / n as f64)
        };
        Ok(EstimatedPropensities {
            cross_entropy: mean(&mut propensities.iter().copied())?,
            cross_entropy_of_shares: mean(&mut shares)?,
            propensities,
            refits,
            temperature: 1.0 / calibration.beta,
            at_floor: usize::try_from(at_floor[0]).unwrap_or(usize::MAX),
        })
    }

    /// The models of all deals in their order, of which every rank fits as many as the others.
    fn dealt_fits(
        &self,
        ranks: &Ranks,
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Vec<MultinomialLogistic>, JobError> {
        let (m, k) = (self.contexts.dimension(), self.all.actions());
        let mut models = Vec::with_capacity(FITS);
        let mut deals = Deals::new(self.actions.len(), seed);
        while models.len() < FITS {
            let deal = deals.by_ref().take(ranks.size()).enumerate().filter(|(of, _)| *of == ranks.rank());
            let own = deal.map(|(_, deal)| self.fit(&deal.training)).last().transpose();
            let mut bytes = Vec::new();
            if let Some(model) = ranks.agree(own)? {
                let numbers = (0..k).flat_map(|a| model.weights(a).unwrap_or_default());
                numbers.chain(model.intercepts()).for_each(|v| bytes.extend(v.to_le_bytes()));
            }
            let all = ranks.gather(bytes)?;
            for model in all.chunks_exact(8 * (m + 1) * k) {
                let (numbers, _) = model.as_chunks::<8>();
                let mut weights: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
                let intercepts = weights.split_off(m * k);
                models.push(MultinomialLogistic::new(m, weights, intercepts)?);
            }
            if ranks.any(watch().is_break())? {
                return Err(JobError::Interrupted);
            }
        }
        Ok(models)
    }

    fn set(&self, row: usize) -> ActionSet<'_> {
        self.on_offer.and_then(|sets| sets.row(row)).unwrap_or(self.all)
    }

    fn fit(&self, rows: &[usize]) -> Result<MultinomialLogistic, JobError> {
        let missing = |_| LogError::Empty;
        let contexts = self.contexts.select(rows.iter().copied()).map_err(missing)?;
        let actions: Vec<u32> = rows.iter().map(|row| self.actions[*row]).collect();
        let labels =
            LabelSets::single(self.all.actions(), &actions).map_err(off_policy::PolicyError::from)?;
        let ridge = 1.0 / rows.len().max(1) as f64;
        let training = LogisticTraining::builder().ridge(ridge).max_epochs(60).build()?;
        // Nothing is drawn: no rows are held out.
        let rng = &mut ChaCha8Rng::seed_from_u64(0);
        Ok(training.with_tolerance(1e-4)?.fit(&contexts, &labels, rng)?.model)
    }

    /// The scores of a row by the model of its part.
    fn scores(&self, part: &Part, row: usize, scores: &mut [f64]) -> Result<(), JobError> {
        let x = self.contexts.row(row).ok_or(LogError::NoSuchRow { row, rows: self.contexts.len() })?;
        Ok(part.model.scores(x, scores)?)
    }

    /// The calibration of the least cross-entropy out of fold, which is convex in β and in the offsets: in
    /// turns bisection on the sign of the slope in β, and scaling of the offsets until every action is
    /// expected as often as it was taken.
    fn calibrate(&self, parts: &[Part]) -> Result<Calibration, JobError> {
        let (n, k) = (self.actions.len(), self.all.actions());
        let step = n.div_ceil((CALIBRATION_SCORES / k).max(100).min(n));
        let mut kept = Vec::new();
        for part in parts {
            for row in part.rows.iter().copied().filter(|row| row % step == 0) {
                let mut scores = vec![0.0; k];
                self.scores(part, row, &mut scores)?;
                kept.push((row, scores));
            }
        }
        let mut calibration = Calibration { beta: 1.0, offsets: vec![0.0; k] };
        let turns = if self.on_offer.is_some() { TURNS } else { 1 };
        let mut pi = vec![0.0; k];
        for _ in 0..turns {
            let (mut low, mut high) = (0.0, 4.0);
            for _ in 0..30 {
                calibration.beta = 0.5 * (low + high);
                let mut slope = 0.0;
                for (row, scores) in &kept {
                    calibration.probabilities(scores, self.set(*row), &mut pi);
                    let mean: f64 = pi.iter().zip(scores).map(|(p, s)| p * s).sum();
                    slope += mean - scores[self.actions[*row] as usize];
                }
                if slope > 0.0 { high = calibration.beta } else { low = calibration.beta }
            }
            if self.on_offer.is_none() {
                break;
            }
            for _ in 0..SCALINGS {
                let (mut taken, mut expected) = (vec![0.5; k], vec![0.5; k]);
                for (row, scores) in &kept {
                    taken[self.actions[*row] as usize] += 1.0;
                    calibration.probabilities(scores, self.set(*row), &mut pi);
                    expected.iter_mut().zip(&pi).for_each(|(sum, p)| *sum += p);
                }
                for (offset, (taken, expected)) in
                    calibration.offsets.iter_mut().zip(taken.iter().zip(expected))
                {
                    *offset += (taken / expected).ln();
                }
            }
        }
        Ok(calibration)
    }

    /// p of every row of a run of them, and how many were raised to the floor.
    fn propensities(
        &self,
        parts: &[Part],
        calibration: &Calibration,
        own: Range<usize>,
    ) -> Result<(Vec<f64>, usize), JobError> {
        let k = self.all.actions();
        let (mut propensities, mut scores, mut pi) = (vec![0.0; own.len()], vec![0.0; k], vec![0.0; k]);
        let mut at_floor = 0;
        for part in parts {
            for row in part.rows.iter().copied().filter(|row| own.contains(row)) {
                let set = self.set(row);
                self.scores(part, row, &mut scores)?;
                calibration.probabilities(&scores, set, &mut pi);
                let (p, floor) = (pi[self.actions[row] as usize], FLOOR / set.len() as f64);
                at_floor += usize::from(p < floor);
                propensities[row - own.start] = p.max(floor).min(1.0);
            }
        }
        Ok((propensities, at_floor))
    }
}

/// π ∝ exp(β·score + offset) of the actions on offer.
struct Calibration {
    beta: f64,
    /// 0 where all actions are on offer in every row: the scores have their own then.
    offsets: Vec<f64>,
}

impl Calibration {
    fn probabilities(&self, scores: &[f64], set: ActionSet<'_>, pi: &mut [f64]) {
        for (p, (score, offset)) in pi.iter_mut().zip(scores.iter().zip(&self.offsets)) {
            *p = self.beta * score + offset;
        }
        softmax(pi, 1.0, set);
    }
}

/// Rows, and the model of other rows that they are predicted by.
struct Part {
    rows: Vec<usize>,
    model: MultinomialLogistic,
}

/// The fits of the folds, and two of every refit.
const FITS: usize = FOLDS + 2 * REFITS;

/// The rows of the fits, in their order.
struct Deals {
    seed: u64,
    order: Vec<usize>,
    rng: ChaCha8Rng,
    next: usize,
}

/// The rows of a fit, and those that its model predicts.
struct Deal {
    training: Vec<usize>,
    rows: Vec<usize>,
}

impl Deals {
    fn new(n: usize, seed: u64) -> Self {
        Self { seed, order: (0..n).collect(), rng: ChaCha8Rng::seed_from_u64(seed), next: 0 }
    }

    fn shuffle(&mut self, stream: usize) {
        self.rng = ChaCha8Rng::seed_from_u64(self.seed);
        self.rng.set_stream((1 << 45) + stream as u64);
        self.order.shuffle(&mut self.rng);
    }
}

impl Iterator for Deals {
    type Item = Deal;

    fn next(&mut self) -> Option<Deal> {
        let fit = self.next;
        self.next += 1;
        if fit >= FITS {
            return None;
        }
        let Some(half) = fit.checked_sub(FOLDS) else {
            if fit == 0 {
                self.shuffle(0);
            }
            let part = |is_own: bool| -> Vec<usize> {
                let places = self.order.iter().enumerate();
                places.filter(|(place, _)| (place % FOLDS == fit) == is_own).map(|(_, row)| *row).collect()
            };
            return Some(Deal { training: part(false), rows: part(true) });
        };
        if half % 2 == 0 {
            self.shuffle(1 + half / 2);
        }
        let Self { order, rng, .. } = self;
        let (first, second) = order.split_at(order.len() / 2);
        let (own, others) = if half % 2 == 0 { (first, second) } else { (second, first) };
        let training = others.iter().map(|_| others[rng.random_range(0..others.len())]).collect();
        Some(Deal { training, rows: own.to_vec() })
    }
}
