//! What a run has realised: its correlation, and the two quantities of its guarantee.

use super::StatisticalBooster;
use super::state::{State, count};
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

    /// R_A(T) = Σ ℓ_t(p_t) − min_p Σ ℓ_t(p), the regret that A realised on the cube.
    pub fn realised_regret(&self) -> f64 {
        let State { setting, vote, agreements, plays, correlations, .. } = &self.state;
        let ([lower, upper], _) = setting.cube();
        let slope_sum = |sum: &f64| vote.majority().score_of_mean(*sum) - self.rounds();
        let least: f64 = agreements.iter().map(slope_sum).map(|g| (lower * g).min(upper * g)).sum();
        vote.majority().score_of_mean(*correlations) - plays.iter().sum::<f64>() - least
    }

    /// T.
    fn rounds(&self) -> f64 {
        count(self.state.vote.hypotheses().len())
    }
}
