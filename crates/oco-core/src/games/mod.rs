//! Zero-sum games: an online learner against an oracle, certificates of their averages, and exact values of
//! matrix games.

mod game;
mod zero_sum_game;
mod matrix_game;
mod equilibrium;
mod oracle;
mod simplex_method;
mod basis;
mod whole_numbers;

pub use equilibrium::Equilibrium;
pub use game::{Certificate, Game, Oracle};
pub use matrix_game::MatrixGame;
pub use oracle::{BestResponse, TremblingHand};
pub use zero_sum_game::{Outcome, Stop, ZeroSumGame};
