//! The loop that every algorithm of the family shares.

use super::edge::{check_predictions, edge};
use super::reweighting::check_length;
use super::{Answer, BoostError, Ensemble, Examples, Promise, Reweighting, Stop, loaded};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use weak_learners::LearnerError;
use weak_learners::batch::{Sample, WeakLearner};

/// A run of boosting on a sample: line (a) of Algorithm 1 of \[NP14\], with an algorithm `A` for the lines (b) to (d).
///
/// An example counts as an error where its margin a_i F(x_i) is 0 or less; the bounds hold for that count. An edge
/// below 0 is turned into one above by −h, where the caller says that the class of hypotheses is symmetric; else, and
/// at 0 up to rounding, the run stops. *Cost:* one training, one evaluation, one reweighting and O(N) a round; it
/// allocates for the new hypothesis and its record alone.
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
    /// a_1, …, those of weight 0 included.
    targets: Vec<f64>,
    /// w_t in the places of the examples, where some have weight 0.
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

/// What happened in round t.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// γ_t, after h_t was turned round if it was.
    pub edge: f64,
    /// η_t.
    pub eta: f64,
    /// Whether −h_t took the place of h_t.
    pub flipped: bool,
    /// The share of D with a_i F(x_i) ≤ 0 after the round.
    pub error: f64,
    /// The smallest a_i F(x_i)/Ση_s.
    pub min_margin: f64,
    /// What the theorem says.
    pub promise: Promise,
    /// How many examples had weight when h_t was trained.
    pub trained_on: usize,
    /// How many weights of w_{t+1} are exactly 0.
    pub zeros: usize,
    /// How many weights of w_{t+1} are at their cap.
    pub capped: usize,
}

impl<W: WeakLearner, A: Reweighting> BoostingRun<W, A> {
    /// One round on the sample that the labels belong to, the same in every round.
    ///
    /// # Errors
    /// A sample of another size, or of rows of another dimension than those before; what the weak learner or the
    /// algorithm refuses; a hypothesis that answers outside \[−1, 1\]. The round is then not booked, and only a weak
    /// learner that had answered has moved on.
    pub fn round(&mut self, sample: &W::Sample) -> Result<ControlFlow<Stop, Round>, BoostError> {
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
            return Ok(ControlFlow::Break(Stop::NoEdge));
        }
        // Σw is 1 but for rounding, and so is an edge of 1.
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

    /// d_t(i) = −a_i h_t(x_i), if the answers lie in \[−1, 1\].
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

    /// A run before its first round; `algorithm` was made for the same examples.
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

    /// The run's end: its ensemble.
    pub fn into_ensemble(self) -> Ensemble<W::Hypothesis> {
        self.state.ensemble
    }

    /// What happened in each round.
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

/// The least of some numbers, in lanes that need not wait for each other.
pub(super) fn least(values: &[f64]) -> f64 {
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
        loaded::check(
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
