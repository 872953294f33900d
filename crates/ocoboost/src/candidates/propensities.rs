//! Propensities for a log of choices that has none.

use super::run::binned;
use super::search::Scored;
use crate::error::JobError;
use crate::propensities::{CALIBRATION_SCORES, EstimatedPropensities, FLOOR, FOLDS, REFITS, Watch, go_on};
use boosters::bopl::{BoplS, CandidateBoosting, CandidateEnsemble, Member, Settings, Step};
use off_policy::Rewards;
use off_policy::candidates::{CandidateLog, CandidatePolicy, CandidateSchema};
use off_policy::policies::Softmax;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::Candidates;
use std::ops::ControlFlow;
use weak_learners::pairs::{HistogramCandidateTree, PairGrowth, PairTree};

/// The trees of a model, at most, and their weight, depth, λ and least weight of a child.
const MOST_TREES: usize = 60;
const LEARNING_RATE: f64 = 0.2;
const DEPTH: u32 = 4;
const LAMBDA: f64 = 3.0;
const LEAST_WEIGHT: f64 = 10.0;
/// Trees without a lower loss on rows of the other folds, after which a model has enough.
const PATIENCE: usize = 10;

/// Propensities of a log of choices among candidates that has none: P(candidate|choice) by boosted
/// conditional softmax regression, for choices of which `chosen` has the places that were taken.
///
/// *The model* is the softmax of a sum of trees over the features of a pair, fitted to Σ ln π(a_i|x_i): that
/// is [`BoplS`] where every reward and every propensity is 1. An even choice is the sum of no trees.
/// *Cross-fitted:* choices are dealt to 5 folds, and the propensity of a choice comes from a model of the
/// other folds. *Calibrated:* the number of trees, and one β by which scores are multiplied, are those with
/// the least cross-entropy out of fold. *Floor:* at least 1/50 of 1/k, k being the number of candidates.
/// *Spread:* ten further estimates, each from models of resampled halves of the choices, as
/// [`estimate_propensities`](crate::estimate_propensities) has them for fixed actions.
///
/// What is estimated is the policy that the log shows, from the features that are there. A place in the list
/// is none of them: a policy that prefers the first candidate whatever it is looks like an even one.
/// [`cross_entropy_of_shares`](EstimatedPropensities::cross_entropy_of_shares) is that of an even choice.
///
/// `schema` says which values may be missing. `watch` is asked after every tree. *Randomness:* a ChaCha
/// stream a fit. *Cost:* the trees of 14 logs of this length, at most 60 each; 24 bytes a pair.
///
/// ```
/// use ocoboost::estimate_candidate_propensities;
/// use rows::{Candidates, RowMatrix};
/// use std::ops::ControlFlow;
/// // Two on offer, and the dearer one is shown in three of four choices (synthetic).
/// let prices = RowMatrix::dense(1, (0..1600).map(|p| f64::from(p % 2)).collect())?;
/// let candidates = Candidates::builder((0..=800).map(|i| 2 * i).collect()).features(prices).build()?;
/// let shown: Vec<u32> = (0..800).map(|i| u32::from(i % 4 != 0)).collect();
/// let go_on = &mut || ControlFlow::Continue(());
/// let found = estimate_candidate_propensities(&candidates, &shown, None, 1, go_on)?;
/// for (p, place) in found.propensities().iter().zip(&shown) {
///     assert!((p - [0.25, 0.75][*place as usize]).abs() < 0.05, "{p} of {place}");
/// }
/// assert!(found.cross_entropy() < found.cross_entropy_of_shares());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`JobError::Log`] for places that are not there and for names of other columns; for fewer than 10 choices
/// [`JobError::TooFewRows`]; [`JobError::Training`] of the fits; [`JobError::Interrupted`] where `watch` said
/// `Break`.
pub fn estimate_candidate_propensities(
    candidates: &Candidates,
    chosen: &[u32],
    schema: Option<&CandidateSchema>,
    seed: u64,
    watch: Watch<'_>,
) -> Result<EstimatedPropensities, JobError> {
    let n = candidates.len();
    let ones = || vec![1.0; n];
    let mut log = CandidateLog::new(candidates.clone(), chosen.to_vec(), ones(), Rewards(ones()))?;
    if let Some(schema) = schema {
        log = log.with_schema(schema.clone())?;
    }
    if n < 2 * FOLDS {
        let (split, judging) = ("folds of the propensities", n / FOLDS);
        return Err(JobError::TooFewRows { rows: n, split, learning: n - judging, judging });
    }
    let stream = |of: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream((1 << 46) + of);
        rng
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut stream(0));
    let (mut parts, mut losses) = (Vec::with_capacity(FOLDS), vec![0.0; MOST_TREES + 1]);
    for fold in 0..FOLDS {
        let part = |is_own: bool| -> Vec<usize> {
            let places = order.iter().enumerate();
            places.filter(|(place, _)| (place % FOLDS == fold) == is_own).map(|(_, row)| *row).collect()
        };
        let own = part(true);
        let of_own = log.select(own.iter().copied())?;
        let mut path = Path::new(&of_own)?;
        let others = log.select(part(false))?;
        let members = trees(&others, MOST_TREES, watch, |member| path.follow(member))?;
        losses.iter_mut().enumerate().for_each(|(trees, sum)| *sum += path.loss(trees));
        parts.push(Part { rows: own, members });
    }
    let count = losses.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(trees, _)| trees);
    let scores = scores(&log, &parts, count)?;
    let beta = calibrate(&log, &scores)?;
    let (propensities, at_floor) = floored(&log, &scores, beta)?;
    let mut refits = Vec::with_capacity(REFITS);
    for refit in 0..REFITS {
        let mut rng = stream(1 + refit as u64);
        order.shuffle(&mut rng);
        let (first, second) = order.split_at(n / 2);
        let mut parts = Vec::with_capacity(2);
        for (own, others) in [(first, second), (second, first)] {
            let drawn: Vec<usize> =
                others.iter().map(|_| others[rng.random_range(0..others.len())]).collect();
            let members = trees(&log.select(drawn)?, count, watch, |_| Ok(ControlFlow::Continue(())))?;
            parts.push(Part { rows: own.to_vec(), members });
        }
        let scores = self::scores(&log, &parts, count)?;
        let beta = calibrate(&log, &scores)?;
        refits.push(floored(&log, &scores, beta)?.0);
    }
    #[allow(clippy::cast_precision_loss, reason = "counts of candidates")]
    let mean = |values: &mut dyn Iterator<Item = f64>| -values.map(f64::ln).sum::<f64>() / n as f64;
    #[allow(clippy::cast_precision_loss, reason = "a count of candidates")]
    let even = |i: usize| 1.0 / candidates.pairs_of(i).len() as f64;
    Ok(EstimatedPropensities {
        cross_entropy: mean(&mut propensities.iter().copied()),
        cross_entropy_of_shares: mean(&mut (0..n).map(even)),
        propensities,
        refits,
        temperature: 1.0 / beta,
        at_floor,
    })
}

/// Choices, and the trees of other choices that they are predicted by.
struct Part {
    rows: Vec<usize>,
    members: Vec<Member<PairTree>>,
}

/// At most so many trees, fitted to Σ ln π(a_i|x_i); `see` may end them.
fn trees(
    log: &CandidateLog,
    most: usize,
    watch: Watch<'_>,
    mut see: impl FnMut(&Member<PairTree>) -> Result<ControlFlow<()>, JobError>,
) -> Result<Vec<Member<PairTree>>, JobError> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let growth = PairGrowth::builder().max_depth(DEPTH).reg_lambda(LAMBDA).min_child_weight(LEAST_WEIGHT);
    let settings = Settings::builder().step(Step::SecondOrder { learning_rate: LEARNING_RATE }).build()?;
    let sample = binned(log)?;
    let mut run =
        CandidateBoosting::<BoplS, _>::new(log, HistogramCandidateTree::new(growth.build()?), settings)?;
    while run.members().len() < most && run.round(&sample)?.is_continue() {
        go_on(watch)?;
        if let Some(member) = run.members().last()
            && see(member)?.is_break()
        {
            break;
        }
    }
    Ok(run.members().to_vec())
}

/// The loss of a growing model on choices of another fold.
struct Path<'a> {
    log: &'a CandidateLog,
    scores: Vec<f64>,
    /// −Σ ln π(a_i|x_i) of no tree, of one, …
    losses: Vec<f64>,
}

impl<'a> Path<'a> {
    fn new(log: &'a CandidateLog) -> Result<Self, JobError> {
        let scores = vec![0.0; log.candidates().pairs()];
        let losses = vec![loss(log, &scores)?];
        Ok(Self { log, scores, losses })
    }

    /// Adds a tree; `Break` where the last ones were of no use.
    fn follow(&mut self, member: &Member<PairTree>) -> Result<ControlFlow<()>, JobError> {
        add(member, self.log, &mut self.scores)?;
        self.losses.push(loss(self.log, &self.scores)?);
        let best = self.losses.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at);
        let is_over = self.losses.len() - best > PATIENCE;
        Ok(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// The loss of so many trees; behind the end that of all.
    fn loss(&self, trees: usize) -> f64 {
        let last = self.losses.last().copied().unwrap_or_default();
        self.losses.get(trees).copied().unwrap_or(last)
    }
}

fn add(member: &Member<PairTree>, log: &CandidateLog, scores: &mut [f64]) -> Result<(), JobError> {
    let one = CandidateEnsemble::of(log.candidates().shape(), None, vec![member.clone()])?;
    Ok(one.add_scores(0, log.candidates(), 0..scores.len(), scores)?)
}

/// The scores of all pairs, each by so many trees of the part that its choice is in.
fn scores(log: &CandidateLog, parts: &[Part], trees: usize) -> Result<Vec<f64>, JobError> {
    let mut all = vec![0.0; log.candidates().pairs()];
    for part in parts {
        let own = log.select(part.rows.iter().copied())?;
        let mut of_own = vec![0.0; own.candidates().pairs()];
        for member in part.members.iter().take(trees) {
            add(member, &own, &mut of_own)?;
        }
        for (k, i) in part.rows.iter().enumerate() {
            let (from, to) = (own.candidates().pairs_of(k), log.candidates().pairs_of(*i));
            all[to].copy_from_slice(&of_own[from]);
        }
    }
    Ok(all)
}

/// π of every pair, at β.
fn probabilities(log: &CandidateLog, scores: &[f64], beta: f64) -> Result<Vec<f64>, JobError> {
    let mut pi = vec![0.0; scores.len()];
    Softmax::new(Scored(scores), beta)?.probabilities(log.candidates(), 0..log.len(), &mut pi)?;
    Ok(pi)
}

/// −Σ ln π(a_i|x_i), with π at its floor at least.
fn loss(log: &CandidateLog, scores: &[f64]) -> Result<f64, JobError> {
    Ok(-floored(log, scores, 1.0)?.0.into_iter().map(f64::ln).sum::<f64>())
}

/// π(a_i|x_i) of every choice, and how many were raised to the floor.
fn floored(log: &CandidateLog, scores: &[f64], beta: f64) -> Result<(Vec<f64>, usize), JobError> {
    let pi = probabilities(log, scores, beta)?;
    let mut at_floor = 0;
    let mut own = Vec::with_capacity(log.len());
    for (i, place) in log.chosen().iter().enumerate() {
        let pairs = log.candidates().pairs_of(i);
        #[allow(clippy::cast_precision_loss, reason = "a count of candidates")]
        let floor = FLOOR / pairs.len() as f64;
        let p = pi[pairs.start + *place as usize];
        at_floor += usize::from(p < floor);
        own.push(p.max(floor).min(1.0));
    }
    Ok((own, at_floor))
}

/// The β of the least cross-entropy, which is convex in it: bisection on the sign of the slope, on choices
/// that are spread evenly.
fn calibrate(log: &CandidateLog, scores: &[f64]) -> Result<f64, JobError> {
    if scores.iter().all(|score| *score == 0.0) {
        return Ok(1.0);
    }
    let step = scores.len().div_ceil(CALIBRATION_SCORES).max(1);
    let rows: Vec<usize> = (0..log.len()).step_by(step).collect();
    let kept = log.select(rows.iter().copied())?;
    let scores: Vec<f64> =
        rows.iter().flat_map(|i| &scores[log.candidates().pairs_of(*i)]).copied().collect();
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..30 {
        let beta = 0.5 * (low + high);
        let pi = probabilities(&kept, &scores, beta)?;
        let expected: f64 = pi.iter().zip(&scores).map(|(p, score)| p * score).sum();
        let found: f64 = (0..kept.len()).filter_map(|i| kept.logged_pair(i)).map(|pair| scores[pair]).sum();
        if expected > found { high = beta } else { low = beta }
    }
    Ok(0.5 * (low + high))
}
