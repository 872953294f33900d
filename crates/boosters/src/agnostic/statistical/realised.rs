//! What a run has realised: its correlation, and the two quantities of its guarantee.

use super::state::{State, count};
use super::{RandomisedMajority, StatisticalBooster};
use weak_learners::LearnerError;
use weak_learners::batch::WeakLearner;

impl<W: WeakLearner, A> StatisticalBooster<W, A> {
    /// E cor_S(h̄) = (1/m)Σ E\[Π(z(x_i))\]y_i, the expectation being over Π; 0 before the first round.
    pub fn expected_correlation(&self) -> f64 {
        let (rounds, majority) = (self.rounds().max(1.0), self.state.vote.majority());
        let expected = |sum: &f64| majority.score_of_mean(sum / rounds).clamp(-1.0, 1.0);
        self.state.agreements.iter().map(expected).sum::<f64>() / count(self.p.len())
    }

    /// ε = (1/T)Σ_t(γ cor_{p_t}(h*) − cor_{p_t}(h_t)) with cor_p(h) = (1/m)Σ p(i)h(x_i)y_i, for the votes of some h* on
    /// the sample: how far W fell short of the advantage γ against h*. At most 0 where it never did; 0 before the first
    /// round.
    ///
    /// # Errors
    /// Votes of another length, or outside \[−1, 1\].
    pub fn realised_epsilon(&self, votes: &[f64]) -> Result<f64, LearnerError> {
        let State { labels, plays, correlations, vote, .. } = &self.state;
        if votes.len() != labels.len() {
            let (argument, expected) = ("votes", labels.len());
            return Err(LearnerError::LengthMismatch { argument, expected, got: votes.len() });
        }
        if let Some(&value) = votes.iter().find(|h| !(h.abs() <= 1.0)) {
            return Err(LearnerError::BadLabel { argument: "vote", value });
        }
        let of_h: f64 = plays.iter().zip(votes).zip(labels).map(|((p, h), y)| p * h * y.sign()).sum();
        Ok((vote.advantage() * of_h - correlations) / (self.rounds().max(1.0) * count(labels.len())))
    }

    /// R_A(T)/(Tm), where R_A(T) = Σ ℓ_t(p_t) − min_p Σ ℓ_t(p) is the regret that A realised on the cube; 0 before the
    /// first round. At most 2(1 + 1/γ), and ∞ only where its value is beyond the range of numbers.
    pub fn mean_regret(&self) -> f64 {
        let State { setting, vote, agreements, plays, correlations, .. } = &self.state;
        let ([lower, upper], gamma) = (setting.cube().0, vote.advantage());
        // All of it in units of 1/γ, so that terms which cancel do so before they can leave the range.
        let slope_sum = |sum: &f64| sum - gamma * self.rounds();
        let least: f64 = agreements.iter().map(slope_sum).map(|g| (lower * g).min(upper * g)).sum();
        let regret = correlations - gamma * plays.iter().sum::<f64>() - least;
        mean_over_advantage(regret, self.rounds().max(1.0) * count(plays.len()), vote.majority())
    }

    /// T.
    fn rounds(&self) -> f64 {
        count(self.state.vote.hypotheses().len())
    }
}

/// v/(nγ), divided in the order in which neither a large v overflows nor a small one underflows on the way; n ≥ 1.
pub(super) fn mean_over_advantage(v: f64, n: f64, majority: RandomisedMajority) -> f64 {
    if v.abs() < 1.0 { majority.score_of_mean(v) / n } else { majority.score_of_mean(v / n) }
}
