//! Readers of logs, from any stream of bytes; no file is opened here.
//!
//! Reading order: [`CsvColumns`], which column is what; [`read_csv`], a log by the names of its columns, and
//! [`read_contexts`], rows to predict for; [`read_open_bandit`], the Open Bandit Dataset; [`ReadError`], what
//! they refuse.

mod csv;
mod error;
mod item_context;
mod labels;
mod lines;
mod open_bandit;
mod table;

pub use csv::{
    ActionCoding, CategoryColumn, CategoryLabels, ContextColumns, CsvColumns, CsvContexts, CsvLog, OnOffer,
    Outcome, read_contexts, read_csv,
};
pub use error::ReadError;
pub use item_context::{ItemContext, read_item_context};
pub use open_bandit::{Affinities, OpenBandit, OpenBanditLog, read_open_bandit};
