//! Improper zero-sum games with an oracle \[BCMH20, Algorithm 3\].

use super::{Certificate, Game, Oracle};
use crate::regret::{LinearRegret, is_milestone};
use crate::step::check_step;
use crate::{OcoError, OnlineLearner, check_magnitudes, check_vector};
use projections::{ProjectionError, check_finite};
use serde::{Deserialize, Serialize};

/// An online learner A against an oracle B in a [`Game`] \[BCMH20, Algorithm 3\]: p_t is A's play, q_t =
/// W(p_t), and A receives a subgradient of ℓ_t(p) = g(p, q_t) at p_t.
///
/// *Guarantee* \[BCMH20, Proposition 6\]: with q̄ = (1/T)Σ q_t and any p* ∈ K_A, the value of the game on
/// proper strategies is at most E g(p*, q̄) + R_A(T)/T + ε₀. It is asserted at every round in
/// `tests/games.rs` with A's realised regret against p* ([`regret_against`](Self::regret_against)) and B's
/// realised ε₀.
/// *Erratum.* The certified gap of the averages takes its maximum over K'_B, where q̄ lies; with the maximum
/// over K_B it can be negative (`tests/games.rs`).
/// *Cost:* O(n) a round, the oracle, a subgradient and the learner; no allocation after the first.
///
/// ```
/// use oco_core::{StepSchedule, games::{BestResponse, MatrixGame, Stop, ZeroSumGame}, learners::Ogd};
/// use projections::Simplex;
/// let game = MatrixGame::new(&[[3.0, 0.0], [0.0, 1.0]])?;
/// let hiding = Ogd::new(Simplex::new(1.0)?, 2, StepSchedule::zinkevich(1.5, 3.0)?)?;
/// let mut play = ZeroSumGame::new(game.clone(), hiding, BestResponse(game))?;
/// let outcome = play.run(10_000, 0.05)?;
/// assert_eq!(outcome.stop, Stop::Converged);
/// assert!(outcome.certificate.min_p <= 0.75 && 0.75 <= outcome.certificate.max_q);
/// # Ok::<(), oco_core::OcoError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    try_from = "State<G, A, B>",
    into = "State<G, A, B>",
    bound(
        serialize = "G: Clone + Serialize, A: Clone + Serialize, B: Clone + Serialize",
        deserialize = "G: Game + Deserialize<'de>, A: OnlineLearner + Deserialize<'de>, B: Deserialize<'de>"
    )
)]
pub struct ZeroSumGame<G, A, B> {
    state: State<G, A, B>,
    p: Vec<f64>,
    q: Vec<f64>,
    gradient: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State<G, A, B> {
    game: G,
    player: A,
    oracle: B,
    p_bar: Vec<f64>,
    q_bar: Vec<f64>,
    payoffs: f64,
    account: LinearRegret,
}

/// Why [`ZeroSumGame::run`] stopped, when, and with which certificate of the averages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The reason.
    pub stop: Stop,
    /// T, all rounds played so far.
    pub rounds: u64,
    /// The certificate of (p̄, q̄) after these rounds.
    pub certificate: Certificate,
}

/// The two reasons to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The gap of the averages is at most the requested one.
    Converged,
    /// The rounds are spent.
    OutOfRounds,
}

impl<G: Game, A: OnlineLearner, B: Oracle> ZeroSumGame<G, A, B> {
    /// One round. Returns g(p_t, q_t).
    ///
    /// # Errors
    /// Those of the oracle and of the learner, a play or an answer that the game refuses, and a payoff or a
    /// subgradient that is not finite or above 1e140 in magnitude. The round then does not count and the
    /// learner is unchanged; an oracle that has answered has advanced.
    pub fn round(&mut self) -> Result<f64, OcoError> {
        let State { game, player, oracle, p_bar, q_bar, payoffs, account } = &mut self.state;
        self.p.copy_from_slice(player.play()); // line 2
        game.check_p(&self.p)?;
        oracle.respond(&self.p, &mut self.q)?; // line 3
        game.check_q(&self.q)?;
        game.subgradient(&self.p, &self.q, &mut self.gradient); // line 4
        let payoff = game.payoff(&self.p, &self.q);
        check_magnitudes("payoff", &[payoff])?;
        player.observe(&self.gradient)?; // line 5
        account.record(&self.gradient, &self.p)?;
        move_average(p_bar, &self.p, account.rounds());
        move_average(q_bar, &self.q, account.rounds());
        *payoffs += payoff;
        Ok(payoff)
    }

    /// Plays until the gap of the averages is at most `gap` or `rounds` rounds have been played in all; at
    /// least one round.
    ///
    /// The gap is computed in rounds with at most four significant binary digits (1 to 16, 18, 20, …, 32, 36,
    /// …) and in the last one: O(log T) certificates, and at most an eighth of the rounds too many.
    ///
    /// # Errors
    /// A gap that is not positive, and those of [`round`](Self::round).
    pub fn run(&mut self, rounds: u64, gap: f64) -> Result<Outcome, OcoError> {
        check_step("gap", gap)?;
        loop {
            self.round()?;
            let played = self.rounds();
            if !is_milestone(played) && played < rounds {
                continue;
            }
            let certificate = self.certificate();
            if certificate.gap <= gap {
                return Ok(Outcome { stop: Stop::Converged, rounds: played, certificate });
            }
            if played >= rounds {
                return Ok(Outcome { stop: Stop::OutOfRounds, rounds: played, certificate });
            }
        }
    }

    /// The certificate of the averages, by an exact best response to each; before the first round, of the
    /// learner's first play and q = 0.
    pub fn certificate(&mut self) -> Certificate {
        let State { game, p_bar, q_bar, .. } = &self.state;
        let payoff = game.payoff(p_bar, q_bar);
        let max_q = game.best_response_of_b(p_bar, &mut self.q);
        let min_p = game.best_response_of_a(q_bar, &mut self.p);
        Certificate { payoff, max_q, min_p, gap: max_q - min_p }
    }
}

impl<G: Game, A: OnlineLearner, B> ZeroSumGame<G, A, B> {
    /// A game before its first round.
    ///
    /// # Errors
    /// A learner whose first play the game refuses.
    pub fn new(game: G, player: A, oracle: B) -> Result<Self, OcoError> {
        let (of_p, of_q) = game.dimensions();
        let account = LinearRegret::new(of_p)?;
        let p_bar = player.play().to_vec();
        State { game, player, oracle, p_bar, q_bar: vec![0.0; of_q], payoffs: 0.0, account }.try_into()
    }
}

impl<G, A, B> ZeroSumGame<G, A, B> {
    /// p̄ = (1/T)Σ p_t.
    pub fn p_bar(&self) -> &[f64] {
        &self.state.p_bar
    }

    /// q̄ = (1/T)Σ q_t ∈ K'_B.
    pub fn q_bar(&self) -> &[f64] {
        &self.state.q_bar
    }

    /// (1/T)Σ g(p_t, q_t); 0 before the first round.
    pub fn average_payoff(&self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
        let rounds = self.rounds().max(1) as f64;
        self.state.payoffs / rounds
    }

    /// Σ⟨g_t, p_t − p*⟩ ≥ Σ ℓ_t(p_t) − ℓ_t(p*): the learner's realised regret, linearised.
    ///
    /// # Errors
    /// A p* of the wrong length or with entries that are not finite.
    pub fn regret_against(&self, p: &[f64]) -> Result<f64, OcoError> {
        self.state.account.against(p)
    }

    /// T, the rounds played.
    pub fn rounds(&self) -> u64 {
        self.state.account.rounds()
    }

    /// Player A.
    pub fn player(&self) -> &A {
        &self.state.player
    }
}

/// (1 − 1/t)·average + (1/t)·next, the average with one more term; it never leaves the range.
fn move_average(average: &mut [f64], next: &[f64], t: u64) {
    #[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
    let weight = 1.0 / t as f64;
    average.iter_mut().zip(next).for_each(|(average, next)| *average += weight * next - weight * *average);
}

impl<G, A, B> From<ZeroSumGame<G, A, B>> for State<G, A, B> {
    fn from(game: ZeroSumGame<G, A, B>) -> Self {
        game.state
    }
}

impl<G: Game, A: OnlineLearner, B> TryFrom<State<G, A, B>> for ZeroSumGame<G, A, B> {
    type Error = OcoError;

    fn try_from(state: State<G, A, B>) -> Result<Self, OcoError> {
        let (of_p, of_q) = state.game.dimensions();
        state.game.check_p(state.player.play())?;
        state.game.check_p(&state.p_bar)?;
        check_vector("q_bar", &state.q_bar, of_q)?;
        check_finite("sum of payoffs", &[state.payoffs])?;
        state.account.against(&state.p_bar)?;
        if state.account.rounds() > 0 {
            state.game.check_q(&state.q_bar)?;
        } else if state.p_bar != state.player.play()
            || state.q_bar.iter().any(|q| *q != 0.0)
            || state.payoffs != 0.0
        {
            let (name, domain) = ("rounds", "t ≥ 1 where something was played");
            return Err(ProjectionError::BadParameter { name, value: 0.0, domain }.into());
        }
        let (p, q, gradient) = (vec![0.0; of_p], vec![0.0; of_q], vec![0.0; of_p]);
        Ok(Self { state, p, q, gradient })
    }
}
