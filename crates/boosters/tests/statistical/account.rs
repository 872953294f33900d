//! The right-hand side of Theorems 8 and 10, from the records of the rounds.
//!
//! The proof, with everything realised: A's regret gives Σ_t ℓ_t(p_t)/T ≤ Σ p*(i)(z(x_i)y_i − 1) + R_A/T for
//! the p* of Lemma 5, so ≤ m(E cor_S(h̄) − 1) + R_A/T; and ℓ_t(p_t)/m = cor_{p_t}(h_t)/γ − (1/m)Σ p_t(i),
//! where the first term is cor_{p_t}(h*) − ε_t/γ by definition of ε_t, and Σ p_t(i)(h*(x_i)y_i − 1) ≥
//! Σ(h*(x_i)y_i − 1) because p_t ≤ 1.
//!
//! Two steps give something away: Lemma 5 what Π cuts off z(x_i)y_i (on \[0, 1\] only below −1, since p* = −1
//! is not there), and p_t ≤ 1 the term (1 − p̄(i))(1 − h*(x_i)y_i), p̄ the mean play. The two sides differ by
//! their means over the sample and by nothing else, which is asserted: a bound that is met by chance, or too
//! loose, would not be.

use crate::samples::{Task, Tuned};
use boosters::agnostic::Round;
use weak_learners::batch::{SortedColumns, Stump, WeakLearner};

pub(crate) struct Account {
    gamma: f64,
    lower: f64,
    rounds: f64,
    losses: f64,
    slopes: Vec<f64>,
    correlations: f64,
    plays: Vec<f64>,
}

impl Account {
    /// `lower` is the lower end of the cube's edges.
    pub(crate) fn new(gamma: f64, lower: f64, m: usize) -> Self {
        let zeros = vec![0.0; m];
        Self {
            gamma,
            lower,
            rounds: 0.0,
            losses: 0.0,
            slopes: zeros.clone(),
            correlations: 0.0,
            plays: zeros,
        }
    }

    pub(crate) fn record(&mut self, round: Round<'_>) {
        let mut loss = 0.0;
        let mut correlation = 0.0;
        for (i, (p, agreement)) in round.p.iter().zip(round.agreement).enumerate() {
            let slope = agreement / self.gamma - 1.0;
            loss += p * slope;
            correlation += p * agreement / round.p.len() as f64;
            self.slopes[i] += slope;
            self.plays[i] += p;
        }
        let mean_loss = loss / round.p.len() as f64;
        assert!((mean_loss - round.mean_loss).abs() < 1e-9 * (1.0 + mean_loss.abs()));
        assert!((correlation - round.correlation).abs() < 1e-12);
        self.losses += loss;
        self.correlations += correlation;
        self.rounds += 1.0;
    }

    /// R_A(T)/(Tm): Σ ℓ_t(p_t) less the least Σ ℓ_t(p), coordinate by coordinate.
    pub(crate) fn mean_regret(&self) -> f64 {
        let least: f64 = self.slopes.iter().map(|g| (self.lower * g).min(*g)).sum();
        (self.losses - least) / (self.rounds * self.plays.len() as f64)
    }

    /// ε of W against h*.
    pub(crate) fn epsilon(&self, task: &Task, votes: &[f64]) -> f64 {
        let weighted: Vec<f64> = self.plays.iter().zip(votes).map(|(p, h)| p * h).collect();
        (self.gamma * task.correlation(&weighted) - self.correlations) / self.rounds
    }

    /// cor_S(h*) − ε/γ − R_A/(Tm).
    pub(crate) fn bound(&self, task: &Task, votes: &[f64]) -> f64 {
        task.correlation(votes) - self.epsilon(task, votes) / self.gamma - self.mean_regret()
    }

    /// What the proof gives away: the two sides differ by it.
    fn given_away(&self, task: &Task, votes: &[f64]) -> f64 {
        let examples = task.labels.iter().zip(votes).zip(&self.plays).zip(&self.slopes);
        let terms = examples.map(|(((y, h), plays), slopes)| {
            let margin = slopes / self.rounds + 1.0; // z(x_i)y_i
            let cut_off = margin.clamp(-1.0, 1.0) - margin;
            let lemma_5 = if self.lower < 0.0 { cut_off.abs() } else { cut_off.max(0.0) };
            lemma_5 + (1.0 - plays / self.rounds) * (1.0 - h * y.sign())
        });
        terms.sum::<f64>() / votes.len() as f64
    }

    /// The stump of the class for which the bound is largest: that part of it which depends on h* is
    /// (1/m)Σ(1 − p̄(i))y_i h*(x_i), an edge.
    pub(crate) fn strictest_stump(&self, task: &Task) -> Vec<f64> {
        let rest: Vec<f64> = self.plays.iter().map(|p| (1.0 - p / self.rounds).max(0.0)).collect();
        // Where p̄ = 1 everywhere the bound is the same for all.
        let rest = if rest.iter().any(|w| *w > 0.0) { rest } else { vec![1.0; rest.len()] };
        task.best_stump(&rest)
    }
}

/// Runs T rounds and asserts the bound in every one, for every stump and for the labels themselves, with what
/// it leaves.
pub(crate) fn holds_every_round<W>(task: &Task, booster: &mut Tuned<W>, lower: f64, rounds: u32) -> Account
where
    W: WeakLearner<Sample = SortedColumns, Hypothesis = Stump>,
{
    let mut account = Account::new(booster.vote().advantage(), lower, task.labels.len());
    for t in 1..=rounds {
        let round = booster.round(&task.sample).unwrap();
        account.record(round);
        let expected = round.expected_correlation;
        for h in [account.strictest_stump(task), task.signs()] {
            let bound = account.bound(task, &h);
            assert!(expected >= bound - 1e-9, "round {t}: {expected}, promised {bound}");
            let slack = expected - bound - account.given_away(task, &h);
            assert!(slack.abs() < 1e-9, "round {t}: {expected}, promised {bound}, not tight by {slack}");
            let epsilon = account.epsilon(task, &h);
            assert!((booster.realised_epsilon(&h).unwrap() - epsilon).abs() < 1e-9);
        }
        assert!((booster.mean_regret() - account.mean_regret()).abs() < 1e-9);
        if t.is_power_of_two() || t == rounds {
            assert!((task.expected_correlation(booster) - expected).abs() < 1e-12, "round {t}");
        }
    }
    account
}
