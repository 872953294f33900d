//! Policies of neural networks, learnt from logs of decisions: the two deep rows of \[L23, Table 1\].
//!
//! *Deep reward regression* (DRR) predicts the reward of every action, and plays the best one. *BanditNet*
//! \[JSR18\] maximises the inverse-propensity estimate of its softmax policy,
//! on translated rewards. Both score a context together with an action by a multilayer perceptron, as
//! \[L23, Appendix G\] describes it.
//!
//! Reading order: [`Net`], a trained perceptron, which is [`Scores`](off_policy::policies::Scores) like any
//! other; [`Scaling`] of its inputs; `NetTraining`, how it is learnt. Training needs the feature `training`,
//! and with it the crate `burn`. A net is saved, loaded, evaluated and compared without it.

// The name that the operations of `training` expect.
#[cfg(feature = "training")]
extern crate burn_core as burn;

mod error;
mod net;
mod scaling;
#[cfg(feature = "training")]
mod training;

pub use error::NetError;
pub use net::Net;
pub use scaling::Scaling;
#[cfg(feature = "training")]
pub use training::{Epoch, NetFit, NetObjective, NetTraining, NetTrainingBuilder};
