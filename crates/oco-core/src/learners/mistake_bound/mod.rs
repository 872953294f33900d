//! Learners of labelled examples with a bound on their mistakes.

mod perceptron;
mod mistake_sum;
mod winnow;
mod balanced_winnow;

pub use balanced_winnow::BalancedWinnow;
pub use perceptron::Perceptron;
pub use winnow::Winnow;
