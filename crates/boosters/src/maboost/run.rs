//! The loop shared by the algorithms of the family.

use super::mirror_map::count;
use super::reweighting::check_length;
use super::{Answer, BoostError, BoostStop, Ensemble, Examples, Promise, Reweighting};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::batch::{Sample, WeakLearner};

/// A run of boosting on a sample: line (a) of Algorithm 1 of \[NP14\], with an algorithm `A` for the lines
/// (b) to (d).
///
/// An example counts as an error where its margin a_i F(x_i) is 0 or less; the bounds hold for that count. A
/// negative edge is made positive by −h if the caller declares the class of hypotheses symmetric. Otherwise,
/// and at an edge of 0 up to rounding, the run stops. *Cost:* one training, one evaluation, one reweighting
/// and O(N) a round; it allocates only the new hypothesis and its record.
///
/// *Ranks:* the sample may be that of a rank ([`BinnedColumns::of_rank`]). Every rank then has the labels,
/// the distribution and the margins of all examples, and plays the same round, to the bit; only the rows are
/// spread. So a run that any rank has saved goes on with any number of them. The messages are those of the
/// weak learner.
///
/// [`BinnedColumns::of_rank`]: weak_learners::batch::BinnedColumns::of_rank
///
/// ```
/// use boosters::maboost::{Active, BoostingRun, Examples, SmoothBoost};
/// use rows::RowMatrix;
/// use weak_learners::Label::{Minus, Plus};
/// use weak_learners::batch::{ExactStump, SortedColumns};
/// // An interval is no stump, but it is a vote of stumps.
/// let sample = SortedColumns::new(RowMatrix::dense(1, vec![1.0, 2.0, 3.0, 4.0, 5.0])?)?;
/// let examples = Examples::uniform(vec![Minus, Minus, Plus, Minus, Minus])?;
/// let smooth = SmoothBoost::<Active>::smooth(&examples, 4.0)?;
/// let mut run = BoostingRun::new(examples, ExactStump::default(), smooth)?;
/// for _ in 0..40 {
///     assert!(run.round(&sample)?.is_continue());
/// }
/// let last = run.record()[39];
/// assert_eq!(last.error, 0.0);
/// assert!(last.error <= last.promise.error);
/// let middle = [3.0];
/// assert_eq!(run.ensemble().sign(rows::Row::dense(&middle)?)?, Plus);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<W, A, W::Hypothesis>",
    into = "State<W, A, W::Hypothesis>",
    bound(
        serialize = "W: Clone + Serialize, A: Clone + Serialize, W::Hypothesis: Clone + Serialize",
        deserialize = "W: Deserialize<'de>, A: Deserialize<'de> + Reweighting, W::Hypothesis: Deserialize<'de>"
    )
)]
pub struct BoostingRun<W: WeakLearner, A> {
    state: State<W, A, W::Hypothesis>,
    /// a_1, …, with the examples of weight 0.
    targets: Vec<f64>,
    /// w_t with the examples of weight 0, if there are any.
    weights: Vec<f64>,
    votes: Vec<f64>,
    losses: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(
    deserialize = "W: Deserialize<'de>, A: Deserialize<'de>, H: Deserialize<'de> + weak_learners::batch::Hypothesis"
))]
struct State<W, A, H> {
    examples: Examples,
    learner: W,
    algorithm: A,
    is_symmetric: bool,
    ensemble: Ensemble<H>,
    /// a_i F(x_i), for the examples of positive weight.
    margins: Vec<f64>,
    /// Ση_t.
    eta_sum: f64,
    record: Vec<Round>,
}

/// The record of round t.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// γ_t, of −h_t if h_t was negated.
    pub edge: f64,
    /// η_t.
    pub eta: f64,
    /// Whether −h_t replaced h_t.
    pub flipped: bool,
    /// The share of D with a_i F(x_i) ≤ 0 after the round.
    pub error: f64,
    /// The smallest a_i F(x_i)/Ση_s.
    pub min_margin: f64,
    /// The theorem's bounds.
    pub promise: Promise,
    /// The number of positive weights in w_t.
    pub trained_on: usize,
    /// The number of weights of w_{t+1} that are exactly 0.
    pub zeros: usize,
    /// The number of weights of w_{t+1} at their cap.
    pub capped: usize,
}

impl<W: WeakLearner, A: Reweighting> BoostingRun<W, A> {
    /// One round on the sample that the labels belong to, the same in every round.
    ///
    /// # Errors
    /// A sample of another size, or of rows of another dimension than those before; the errors of the weak
    /// learner or the algorithm; a prediction outside \[−1, 1\]. The round is then not booked; only a weak
    /// learner that was already trained has changed.
    pub fn round(&mut self, sample: &W::Sample) -> Result<ControlFlow<BoostStop, Round>, BoostError> {
        self.check_sample(sample)?;
        if let Some(stop) = self.state.algorithm.finished(self.error()) {
            return Ok(ControlFlow::Break(stop));
        }
        // Line (a): train h_t with w_t; d_t = −a∘h_t, γ_t = −⟨w_t, d_t⟩.
        let h = self.weak_hypothesis(sample)?;
        self.look_at_votes()?;
        let w = self.state.algorithm.weights();
        let mut edge = edge(w, &self.losses);
        let trained_on = positive(w);
        let flipped = edge < 0.0 && self.state.is_symmetric;
        if flipped {
            edge = -edge;
            self.losses.iter_mut().for_each(|d| *d = -*d);
        }
        if edge <= 0.0 {
            return Ok(ControlFlow::Break(BoostStop::NoEdge));
        }
        // Σw is 1 up to rounding, and so is an edge of 1.
        let answer = Answer { losses: &self.losses, edge: edge.min(1.0), error_before: self.error() };
        let eta = self.state.algorithm.reweight(answer)?; // lines (b) to (d)
        let State { ensemble, margins, eta_sum, .. } = &mut self.state;
        ensemble.push(h, if flipped { -eta } else { eta });
        margins.iter_mut().zip(&self.losses).for_each(|(margin, d)| *margin -= eta * d);
        *eta_sum += eta;
        Ok(ControlFlow::Continue(self.book(answer.edge, eta, flipped, trained_on)))
    }

    fn book(&mut self, edge: f64, eta: f64, flipped: bool, trained_on: usize) -> Round {
        let State { examples, algorithm, margins, eta_sum, record, .. } = &mut self.state;
        let w = algorithm.weights();
        let caps = algorithm.caps().unwrap_or_default();
        let round = Round {
            edge,
            eta,
            flipped,
            error: examples.share(|i| margins[i] <= 0.0),
            min_margin: least(margins) / *eta_sum,
            promise: algorithm.promise(),
            trained_on,
            zeros: w.len() - positive(w),
            capped: w.iter().zip(caps).filter(|(w, cap)| w >= cap).count(),
        };
        record.push(round);
        round
    }

    /// h_t, trained with w_t and evaluated on every example.
    fn weak_hypothesis(&mut self, sample: &W::Sample) -> Result<W::Hypothesis, LearnerError> {
        let Self { state, targets, weights, votes, .. } = self;
        let State { examples, learner, algorithm, .. } = state;
        let mut w = algorithm.weights();
        if let Some(support) = examples.support() {
            support.iter().zip(w).for_each(|(&i, w)| weights[i] = *w);
            w = weights;
        }
        let h = learner.train(sample, targets, w)?;
        learner.evaluate(&h, sample, votes)?;
        Ok(h)
    }

    /// d_t(i) = −a_i h_t(x_i), if the predictions lie in \[−1, 1\].
    fn look_at_votes(&mut self) -> Result<(), BoostError> {
        let Self { state, targets, votes, losses, .. } = self;
        check_predictions(votes)?;
        match state.examples.support() {
            None => losses.iter_mut().zip(&*votes).zip(&*targets).for_each(|((d, h), a)| *d = -a * h),
            Some(support) => {
                losses.iter_mut().zip(support).for_each(|(d, &i)| *d = -targets[i] * votes[i]);
            }
        }
        Ok(())
    }

    fn check_sample(&self, sample: &W::Sample) -> Result<(), LearnerError> {
        check_length("sample", self.targets.len(), sample.size())?;
        self.state.ensemble.check_inputs(sample.inputs())
    }

    /// A run before its first round, with an `algorithm` for the same examples.
    ///
    /// # Errors
    /// An algorithm whose weights are not the start distribution of these examples.
    pub fn new(examples: Examples, learner: W, algorithm: A) -> Result<Self, BoostError> {
        let margins = vec![0.0; examples.start().len()];
        let ensemble = Ensemble::new(Vec::new(), Vec::new())?;
        let (is_symmetric, eta_sum, record) = (false, 0.0, Vec::new());
        State { examples, learner, algorithm, is_symmetric, ensemble, margins, eta_sum, record }.try_into()
    }

    /// The same run over a class of hypotheses that holds −h with every h.
    #[must_use]
    pub fn over_symmetric_class(mut self) -> Self {
        self.state.is_symmetric = true;
        self
    }
}

impl<W: WeakLearner, A> BoostingRun<W, A> {
    /// The ensemble so far.
    pub fn ensemble(&self) -> &Ensemble<W::Hypothesis> {
        &self.state.ensemble
    }

    /// The ensemble, by value.
    pub fn into_ensemble(self) -> Ensemble<W::Hypothesis> {
        self.state.ensemble
    }

    /// The record of each round.
    pub fn record(&self) -> &[Round] {
        &self.state.record
    }

    /// a_i F(x_i), not normalised, for the examples of positive weight.
    pub fn margins(&self) -> &[f64] {
        &self.state.margins
    }

    /// Ση_t.
    pub(super) fn eta_sum(&self) -> f64 {
        self.state.eta_sum
    }

    /// ε_t, the training error: 1 before the first round, where every margin is 0.
    pub fn error(&self) -> f64 {
        self.state.record.last().map_or(1.0, |round| round.error)
    }

    /// The weak learner, as the last round left it.
    pub fn learner(&self) -> &W {
        &self.state.learner
    }

    /// The algorithm that moves the distribution.
    pub fn algorithm(&self) -> &A {
        &self.state.algorithm
    }

    /// The labels and the start distribution.
    pub fn examples(&self) -> &Examples {
        &self.state.examples
    }
}

/// −⟨w, d⟩, or 0 if that is within the rounding of its own sum: |γ| ≤ (N/8 + 4)·ε·Σw_i|d_i|. The bound is
/// relative, so tiny predictions may have an edge.
fn edge(w: &[f64], d: &[f64]) -> f64 {
    let edge = -rows::dot(w, d);
    let rounding = (0.125 * count(d.len()) + 4.0) * f64::EPSILON;
    // Σw|d| ≤ 1 up to rounding, so the sum is seldom needed.
    if edge.abs() > 2.0 * rounding {
        return edge;
    }
    let size: f64 = w.iter().zip(d).map(|(w, d)| w * d.abs()).sum();
    if edge.abs() <= rounding * size { 0.0 } else { edge }
}

/// Rejects predictions outside \[−1, 1\].
pub(super) fn check_predictions(votes: &[f64]) -> Result<(), BoostError> {
    // One pass over all predictions first, because it vectorises and a search that stops early does not.
    if votes.iter().fold(true, |fine, v| fine & (v.abs() <= 1.0)) {
        return Ok(());
    }
    match votes.iter().position(|v| !(v.abs() <= 1.0)) {
        None => Ok(()),
        Some(index) if votes[index].is_finite() => {
            Err(BoostError::BadPrediction { index, value: votes[index] })
        }
        Some(index) => {
            Err(LearnerError::NotFinite { argument: "prediction", index, value: votes[index] }.into())
        }
    }
}

/// The minimum, in independent lanes.
fn least(values: &[f64]) -> f64 {
    let mut lows = [f64::INFINITY; 8];
    let (rows, rest) = values.as_chunks::<8>();
    for row in rows {
        lows.iter_mut().zip(row).for_each(|(low, v)| *low = if v < low { *v } else { *low });
    }
    lows.iter().chain(rest).copied().fold(f64::INFINITY, f64::min)
}

fn positive(w: &[f64]) -> usize {
    w.iter().filter(|w| **w > 0.0).count()
}

impl<W: WeakLearner, A> From<BoostingRun<W, A>> for State<W, A, W::Hypothesis> {
    fn from(run: BoostingRun<W, A>) -> Self {
        run.state
    }
}

impl<W: WeakLearner, A: Reweighting> TryFrom<State<W, A, W::Hypothesis>> for BoostingRun<W, A> {
    type Error = BoostError;

    fn try_from(state: State<W, A, W::Hypothesis>) -> Result<Self, BoostError> {
        let n = state.examples.start().len();
        let lengths = [
            ("start", state.algorithm.start().len()),
            ("weights", state.algorithm.weights().len()),
            ("margins", state.margins.len()),
        ];
        lengths.into_iter().try_for_each(|(argument, got)| check_length(argument, n, got))?;
        check_state(
            &state.examples,
            &state.algorithm,
            state.ensemble.coefficients(),
            &state.margins,
            state.eta_sum,
            &state.record,
        )?;
        let targets: Vec<f64> = state.examples.labels().iter().map(|a| a.sign()).collect();
        let (weights, votes) = (vec![0.0; targets.len()], vec![0.0; targets.len()]);
        Ok(Self { state, targets, weights, votes, losses: vec![0.0; n] })
    }
}

/// Rejects a run whose record contradicts its ensemble, margins or algorithm. Sums are compared bit for bit,
/// because the run added the same numbers in the same order.
fn check_state(
    examples: &Examples,
    algorithm: &impl Reweighting,
    coefficients: &[f64],
    margins: &[f64],
    eta_sum: f64,
    record: &[Round],
) -> Result<(), BoostError> {
    for expected in [coefficients.len(), algorithm.rounds()] {
        check_length("record", expected, record.len())?;
    }
    for (index, (&got, &d)) in algorithm.start().iter().zip(examples.start()).enumerate() {
        agrees("start", index, d, got)?;
    }
    for (index, (round, &got)) in record.iter().zip(coefficients).enumerate() {
        let expected = if round.flipped { -round.eta } else { round.eta };
        agrees("coefficient", index, expected, got)?;
    }
    if let Some(index) = margins.iter().position(|margin| !margin.is_finite()) {
        return Err(LearnerError::NotFinite { argument: "margins", index, value: margins[index] }.into());
    }
    agrees("eta_sum", record.len(), record.iter().fold(0.0, |sum, round| sum + round.eta), eta_sum)?;
    let Some(last) = record.last() else {
        // Before the first round.
        let weights = algorithm.weights().iter().zip(examples.start()).enumerate();
        for (index, (&w, &d)) in weights {
            agrees("weights", index, d, w)?;
        }
        return margins.iter().enumerate().try_for_each(|(index, &m)| agrees("margins", index, 0.0, m));
    };
    let index = record.len() - 1;
    agrees("error", index, examples.share(|i| margins[i] <= 0.0), last.error)?;
    agrees("min_margin", index, least(margins) / eta_sum, last.min_margin)?;
    let (expected, got) = (algorithm.promise(), last.promise);
    agrees("promise", index, expected.error, got.error)?;
    for (expected, got) in [(expected.tight, got.tight), (expected.margin, got.margin)] {
        agrees("promise", index, expected.unwrap_or(f64::NAN), got.unwrap_or(f64::NAN))?;
    }
    Ok(())
}

fn agrees(argument: &'static str, index: usize, expected: f64, got: f64) -> Result<(), BoostError> {
    if expected.total_cmp(&got).is_eq() {
        return Ok(());
    }
    Err(BoostError::Inconsistent { argument, index, expected, got })
}
