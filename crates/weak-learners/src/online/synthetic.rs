//! A weak learner of known advantage.

use crate::batch::Hypothesis;
use crate::predictor::check_shape;
use crate::{Label, LearnerError, OnlinePredictor, Shape};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};

/// Votes as an expert h does with probability (1+γ)/2 and against it otherwise, and learns nothing.
///
/// *Guarantee:* E W(x_t) = γ h(x_t) given all earlier draws, so E Σ W(x_t)y_t = γ Σ h(x_t)y_t for every
/// sequence of examples that does not see the round's coin. Among experts of which h is the best, it is a
/// weak learner with advantage γ and R_W = 0 \[BCMH20, Definitions 1 and 11\]. *Cost:* one vote of h.
/// *Errors:* a row of another dimension; [`LearnerError::BadLabel`] where h does not answer ±1.
///
/// ```
/// use rand::SeedableRng;
/// use weak_learners::{Label, OnlineClassifier, OnlinePredictor, batch::Stump, online::SyntheticWeakLearner};
/// let expert = Stump::new(1, 0, 0.0, Label::Plus)?;
/// let rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let mut learner = SyntheticWeakLearner::new(expert, 0.5, rng)?;
/// let x = rows::Row::dense(&[1.0])?;
/// let mut gain = 0.0;
/// for _ in 0..10_000 {
///     gain += learner.round(x, Label::Plus)?.sign();
/// }
/// assert!((gain / 10_000.0 - 0.5).abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "State<H>",
    into = "State<H>",
    bound(serialize = "H: Clone + Serialize", deserialize = "H: Deserialize<'de> + Hypothesis")
)]
pub struct SyntheticWeakLearner<H> {
    state: State<H>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State<H> {
    expert: H,
    advantage: f64,
    rng: ChaCha8Rng,
    /// u ∈ [0, 1) of the next round: it follows the expert if u < (1+γ)/2.
    coin: f64,
}

impl<H: Hypothesis> OnlinePredictor<Label> for SyntheticWeakLearner<H> {
    fn shape(&self) -> Shape {
        Shape { inputs: self.state.expert.inputs(), outputs: 1 }
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, y.len())?;
        let advice = Label::named("vote of the expert", self.state.expert.predict(x)?)?;
        let follows = self.state.coin < 0.5 + 0.5 * self.state.advantage;
        y.fill(if follows { advice } else { -advice }.sign());
        Ok(())
    }

    fn accepts(&self, x: Row<'_>, _: &Label) -> Result<(), LearnerError> {
        check_shape(self.shape(), x, 1)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.accepts(x, y)?;
        self.state.coin = self.state.rng.random();
        Ok(())
    }
}

impl<H: Hypothesis> SyntheticWeakLearner<H> {
    /// A weak learner of advantage γ ∈ (0, 1].
    ///
    /// # Errors
    /// γ outside (0, 1], or an expert without inputs.
    pub fn new(expert: H, gamma: f64, rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        if !(gamma > 0.0 && gamma <= 1.0) {
            return Err(LearnerError::BadParameter { name: "γ", value: gamma, domain: "(0, 1]" });
        }
        Self::not_weak(expert, gamma, rng)
    }

    /// The same with any mean agreement a ∈ \[−1, 1\] with the expert. With a ≤ 0 this is **not a weak
    /// learner**: it is for tests in which a booster fails, as theory allows.
    ///
    /// # Errors
    /// An agreement outside \[−1, 1\], or an expert without inputs.
    pub fn not_weak(expert: H, agreement: f64, mut rng: ChaCha8Rng) -> Result<Self, LearnerError> {
        let coin = rng.random();
        State { expert, advantage: agreement, rng, coin }.try_into()
    }

    /// h.
    pub fn expert(&self) -> &H {
        &self.state.expert
    }

    /// γ, the mean of the product of its vote and the expert's.
    pub fn advantage(&self) -> f64 {
        self.state.advantage
    }
}

impl<H> From<SyntheticWeakLearner<H>> for State<H> {
    fn from(learner: SyntheticWeakLearner<H>) -> Self {
        learner.state
    }
}

impl<H: Hypothesis> TryFrom<State<H>> for SyntheticWeakLearner<H> {
    type Error = LearnerError;

    fn try_from(state: State<H>) -> Result<Self, LearnerError> {
        let (value, coin) = (state.advantage, state.coin);
        if state.expert.inputs() == 0 {
            return Err(LearnerError::Empty { argument: "inputs" });
        }
        if !(-1.0..=1.0).contains(&value) {
            return Err(LearnerError::BadParameter { name: "agreement", value, domain: "[−1, 1]" });
        }
        if !(0.0..1.0).contains(&coin) {
            return Err(LearnerError::BadParameter { name: "coin", value: coin, domain: "[0, 1)" });
        }
        Ok(Self { state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OnlineClassifier;
    use crate::batch::Stump;
    use rand::SeedableRng;

    const ROUNDS: u32 = 2000;

    fn learner(agreement: f64, seed: u64) -> SyntheticWeakLearner<Stump> {
        let expert = Stump::new(1, 0, 0.5, Label::Plus).unwrap();
        SyntheticWeakLearner::not_weak(expert, agreement, ChaCha8Rng::seed_from_u64(seed)).unwrap()
    }

    /// Σ W(x_t)y_t and Σ h(x_t)y_t, with labels that answer the votes before: y_t = −W(x_{t−1}) in two rounds
    /// of three.
    fn gains(mut learner: SyntheticWeakLearner<Stump>) -> (f64, f64) {
        let (mut gain, mut of_expert, mut last) = (0.0, 0.0, Label::Plus);
        for t in 0..ROUNDS {
            let values = [f64::from(t % 3)];
            let x = Row::dense(&values).unwrap();
            let y = if t % 3 == 0 { Label::Plus } else { -last };
            of_expert += learner.expert().predict(x).unwrap() * y.sign();
            let vote = learner.round(x, y).unwrap();
            gain += vote.sign() * y.sign();
            last = vote;
        }
        (gain, of_expert)
    }

    /// The differences W(x_t)y_t − γh(x_t)y_t are a martingale with steps in a range of 2: with 20 seeds of T
    /// rounds the mean gain a round misses γ times the expert's by more than √(2 ln(2/δ)/(20T)) with
    /// probability δ = 1e−9 at most (Azuma and Hoeffding).
    #[test]
    fn its_gain_is_gamma_times_the_experts_whatever_the_labels_answer() {
        for agreement in [1.0, 0.6, 0.1, 0.0, -0.4, -1.0] {
            let seeds = 20;
            let excess: f64 = (0..seeds)
                .map(|seed| {
                    let (gain, of_expert) = gains(learner(agreement, seed));
                    gain - agreement * of_expert
                })
                .sum();
            let n = 20.0 * f64::from(ROUNDS);
            let margin = if agreement.abs() == 1.0 { 0.0 } else { (2.0 * (2.0_f64 / 1e-9).ln() / n).sqrt() };
            assert!((excess / n).abs() <= margin, "{agreement}: {} > {margin}", excess / n);
        }
    }

    #[test]
    fn it_draws_in_update_only_and_a_saved_run_goes_on_bit_for_bit() {
        let mut run = learner(0.3, 7);
        let x = Row::dense(&[1.0]).unwrap();
        let mut votes = Vec::new();
        for t in 0..200 {
            let text = serde_json::to_string(&run).unwrap();
            let vote = run.vote(x).unwrap();
            assert_eq!(run.vote(x).unwrap(), vote);
            assert!(run.update(Row::dense(&[1.0, 2.0]).unwrap(), &Label::Plus).is_err());
            assert!(run.predict(x, &mut [0.0; 2]).is_err());
            assert_eq!(serde_json::to_string(&run).unwrap(), text, "round {t}");
            votes.push(vote);
            run.update(x, &Label::Plus).unwrap();
            let mut loaded: SyntheticWeakLearner<Stump> = serde_json::from_str(&text).unwrap();
            assert_eq!(loaded.round(x, Label::Minus).unwrap(), vote);
            assert_eq!(loaded, run);
        }
        assert!(votes.contains(&Label::Plus) && votes.contains(&Label::Minus));
    }

    /// Answers 0.
    #[derive(Debug, Clone)]
    struct Undecided;

    impl Hypothesis for Undecided {
        fn inputs(&self) -> usize {
            1
        }

        fn predict(&self, _: Row<'_>) -> Result<f64, LearnerError> {
            Ok(0.0)
        }
    }

    #[test]
    fn what_is_no_advantage_or_no_vote_is_refused() {
        let rng = ChaCha8Rng::seed_from_u64(1);
        let expert = Stump::constant(1, Label::Plus).unwrap();
        for gamma in [0.0, -0.1, 1.1, f64::NAN] {
            let refused = SyntheticWeakLearner::new(expert, gamma, rng.clone());
            assert!(matches!(refused, Err(LearnerError::BadParameter { name: "γ", .. })), "{gamma}");
        }
        for agreement in [-1.1, 1.1, f64::NAN] {
            assert!(SyntheticWeakLearner::not_weak(expert, agreement, rng.clone()).is_err());
        }
        let text = serde_json::to_string(&learner(0.25, 1)).unwrap();
        assert!(serde_json::from_str::<SyntheticWeakLearner<Stump>>(&text.replace("0.25", "1.25")).is_err());
        let (from, to) = (text.find("\"coin\":").unwrap(), text.rfind('}').unwrap());
        for (coin, loads) in [("0.0", true), ("0.5", true), ("1.0", false), ("-0.1", false)] {
            let changed = format!("{}\"coin\":{coin}{}", &text[..from], &text[to..]);
            assert_eq!(
                serde_json::from_str::<SyntheticWeakLearner<Stump>>(&changed).is_ok(),
                loads,
                "{coin}"
            );
        }
        let mut undecided = SyntheticWeakLearner::new(Undecided, 0.5, rng).unwrap();
        let vote = undecided.vote(Row::dense(&[1.0]).unwrap());
        assert_eq!(vote, Err(LearnerError::BadLabel { argument: "vote of the expert", value: 0.0 }));
    }
}
