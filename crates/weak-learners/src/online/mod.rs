//! Online classifiers: learners that vote ±1 on a row and are then told its label.
//!
//! Each is an [`OnlinePredictor<Label>`](crate::OnlinePredictor) with one output, the vote, and hence an
//! [`OnlineClassifier`]. A row is read in O(non-zeros) unless a learner says otherwise, and a round allocates nothing
//! after the first unless the model itself grows.
//!
//! Reading order: [`OnlineClassifier`]. [`SyntheticWeakLearner`], whose advantage is known. [`HedgeStumps`], the weak
//! learner that a booster of stumps boosts, over the class of its [`Thresholds`], and [`GrownStumps`], which
//! finds its thresholds in the stream. The linear ones: [`Perceptron`], [`Winnow`] and [`BalancedWinnow`],
//! [`LogisticRegression`]. The counting ones: [`NaiveBayes`], [`HoeffdingTree`].

mod classifier;
mod synthetic;
mod thresholds;
mod dartboard;
mod hedge_stumps;
mod gap_tree;
mod gaps;
mod grown_stumps;
mod perceptron;
mod winnow;
mod logistic;
mod naive_bayes;
mod hoeffding_tree;

pub use classifier::OnlineClassifier;
pub use grown_stumps::GrownStumps;
pub use hedge_stumps::HedgeStumps;
pub use hoeffding_tree::{Growth, HoeffdingTree};
pub use logistic::LogisticRegression;
pub use naive_bayes::NaiveBayes;
#[doc(no_inline)]
pub use oco_core::{BalancedWinnow, Perceptron, Winnow};
pub use synthetic::SyntheticWeakLearner;
pub use thresholds::Thresholds;
