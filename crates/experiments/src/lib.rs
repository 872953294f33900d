//! The papers' tables and figures: a file per experiment, over what all of them share.
//!
//! Reading order: [`bandit_boosting`], [`lecture`], [`projection_free`], [`agnostic`], [`maboost`], [`bopl`] and [`open_bandit`] are
//! experiments;
//! [`record`], [`trials`], [`table`], [`plot`], [`progress`], [`threads`] and `paired` are what an experiment is made of;
//! [`conform`] holds the crates against vectors of an independent implementation; [`data_command`] lists, verifies and
//! fetches the official files; [`fuzz`] attacks every saved type and every reader with mutated input.

pub mod bandit_boosting;
pub mod lecture;
pub mod projection_free;
pub mod agnostic;
pub mod maboost;
pub mod bopl;
pub mod open_bandit;
pub mod record;
pub mod trials;
pub mod progress;
pub mod threads;
mod paired;
pub mod table;
pub mod plot;
pub mod conform;
pub mod data_command;
pub mod fuzz;
