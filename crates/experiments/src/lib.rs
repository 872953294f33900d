//! The papers' tables and figures: a module an experiment, called by the name of its command.
//!
//! Reading order: [`bandit_boosting`], [`oco`], [`projection_free`], [`agnostic`], [`maboost`], [`bopl`] and
//! [`obd`] are experiments; [`runner`] runs each of them, and [`threads`] counts their threads;
//! [`data_command`] lists, verifies and fetches the official files. What any experiment is made of is the
//! crate `report`.

pub mod bandit_boosting;
pub mod oco;
pub mod projection_free;
pub mod agnostic;
pub mod maboost;
pub mod bopl;
pub mod obd;
pub mod runner;
pub mod threads;
pub mod data_command;
