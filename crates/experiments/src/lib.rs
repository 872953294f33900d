//! The papers' tables and figures: one module per experiment, named after its command.
//!
//! Reading order: [`bandit_boosting`], [`oco`], [`projection_free`], [`agnostic`], [`maboost`], [`bopl`] and
//! [`obd`] are experiments; [`peer`] is a program of others beside them; [`runner`] runs them, and
//! [`threads`] sets their number of threads; [`data_command`] lists, verifies and fetches the official files.
//! The crate `report` has the records, tables and plots.

pub mod bandit_boosting;
pub mod oco;
pub mod projection_free;
pub mod agnostic;
pub mod maboost;
pub mod bopl;
pub mod obd;
pub mod peer;
mod memory;
pub mod runner;
pub mod threads;
pub mod data_command;
