//! The contracts of zero-sum games and of the oracle that plays for B.

use crate::{OcoError, check_vector};

/// A payoff g(p, q), convex in p ∈ K_A and concave in q ∈ K'_B: player A minimises it, player B maximises it.
///
/// K'_B may contain more than B's proper strategies K_B \[BCMH20, §3.1\]. Best responses are over K'_B,
/// because averages of improper answers lie there.
///
/// Contract: points and gradients have the stated dimensions; best responses are exact; no method allocates.
pub trait Game {
    /// The dimensions of p and of q.
    fn dimensions(&self) -> (usize, usize);

    /// g(p, q).
    fn payoff(&self, p: &[f64], q: &[f64]) -> f64;

    /// Writes some subgradient of g(·, q) at p.
    fn subgradient(&self, p: &[f64], q: &[f64], gradient: &mut [f64]);

    /// Writes argmin over K_A of g(·, q) and returns the minimum.
    fn best_response_of_a(&self, q: &[f64], p: &mut [f64]) -> f64;

    /// Writes argmax over K'_B of g(p, ·) and returns the maximum.
    fn best_response_of_b(&self, p: &[f64], q: &mut [f64]) -> f64;

    /// Refuses a p outside K_A. The default checks length and magnitudes only.
    ///
    /// # Errors
    /// A p outside K_A.
    fn check_p(&self, p: &[f64]) -> Result<(), OcoError> {
        check_vector("p", p, self.dimensions().0)
    }

    /// Refuses a q outside K'_B. The default checks length and magnitudes only.
    ///
    /// # Errors
    /// A q outside K'_B.
    fn check_q(&self, q: &[f64]) -> Result<(), OcoError> {
        check_vector("q", q, self.dimensions().1)
    }
}

impl<G: Game + ?Sized> Game for &G {
    fn dimensions(&self) -> (usize, usize) {
        (**self).dimensions()
    }

    fn payoff(&self, p: &[f64], q: &[f64]) -> f64 {
        (**self).payoff(p, q)
    }

    fn subgradient(&self, p: &[f64], q: &[f64], gradient: &mut [f64]) {
        (**self).subgradient(p, q, gradient);
    }

    fn best_response_of_a(&self, q: &[f64], p: &mut [f64]) -> f64 {
        (**self).best_response_of_a(q, p)
    }

    fn best_response_of_b(&self, p: &[f64], q: &mut [f64]) -> f64 {
        (**self).best_response_of_b(p, q)
    }

    fn check_p(&self, p: &[f64]) -> Result<(), OcoError> {
        (**self).check_p(p)
    }

    fn check_q(&self, q: &[f64]) -> Result<(), OcoError> {
        (**self).check_q(q)
    }
}

/// Player B: the oracle W of \[BCMH20, Assumption 1\], which answers p with some q ∈ K'_B, E g(p, q) ≥
/// max_{K_B} g(p, ·) − ε₀. A closure is an oracle.
pub trait Oracle {
    /// Writes the answer to p over the whole of `q`.
    ///
    /// # Errors
    /// The oracle's own; the round is then not played.
    fn respond(&mut self, p: &[f64], q: &mut [f64]) -> Result<(), OcoError>;
}

impl<F: FnMut(&[f64], &mut [f64]) -> Result<(), OcoError>> Oracle for F {
    fn respond(&mut self, p: &[f64], q: &mut [f64]) -> Result<(), OcoError> {
        self(p, q)
    }
}

/// The guarantee of a pair of strategies: the value of the game on K_A × K'_B lies in \[`min_p`, `max_q`\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// g(p, q).
    pub payoff: f64,
    /// max over K'_B of g(p, ·): the most that p concedes.
    pub max_q: f64,
    /// min over K_A of g(·, q): the least that q secures.
    pub min_p: f64,
    /// `max_q` − `min_p` ≥ 0; 0 only for an equilibrium.
    pub gap: f64,
}
