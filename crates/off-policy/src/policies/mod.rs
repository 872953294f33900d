//! Policies.
//!
//! Reading order: [`Policy`] and [`Scores`], the contracts; [`Softmax`] and [`Argmax`] of scores, [`Tabular`]
//! scores; [`Uniform`] and the mix with it, [`EpsilonGreedy`]; [`MultinomialLogistic`], scores learnt from
//! labels, with [`LogisticTraining`].

mod policy;
mod softmax;
mod argmax;
mod tabular;
mod uniform;
mod epsilon_greedy;
mod multinomial_logistic;

pub use argmax::{Argmax, argmax};
pub use epsilon_greedy::EpsilonGreedy;
pub use multinomial_logistic::{
    Columns, LogisticRecord, LogisticStop, LogisticTraining, LogisticTrainingBuilder, MultinomialLogistic,
    TrainedLogistic,
};
pub use policy::{Policy, Scores};
pub use softmax::{Softmax, softmax};
pub use tabular::Tabular;
pub use uniform::Uniform;
