//! Learners of labelled examples with a bound on their mistakes.

mod scaled_dot;
mod perceptron;
mod mistake_sum;
mod winnow;
mod balanced_winnow;

pub use balanced_winnow::BalancedWinnow;
pub use perceptron::Perceptron;
pub use scaled_dot::signed_inner;
pub use winnow::Winnow;
