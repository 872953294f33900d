//! Online classifiers: learners that vote ±1 on a row and are then told its label.
//!
//! Each is an [`OnlinePredictor<Label>`](crate::OnlinePredictor) with one output, the vote, and hence an
//! [`OnlineClassifier`]. A row is read in O(non-zeros) unless a learner says otherwise, and a round allocates nothing
//! after the first unless the model itself grows.
//!
//! Reading order: [`OnlineClassifier`]. [`SyntheticWeakLearner`], whose advantage is known. [`HedgeStumps`], the weak
//! learner that a booster of stumps boosts, over the class of its [`Thresholds`].

mod classifier;
mod synthetic;
mod thresholds;
mod dartboard;
mod hedge_stumps;

pub use classifier::OnlineClassifier;
pub use hedge_stumps::HedgeStumps;
pub use synthetic::SyntheticWeakLearner;
pub use thresholds::Thresholds;
