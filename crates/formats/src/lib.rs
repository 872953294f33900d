//! Logs of decisions and tables in the formats that people have them in.
//!
//! CSV, TSV, JSON lines, Parquet, Arrow, Vowpal Wabbit's text and dsjson, and the Open Bandit Dataset; each
//! also through gzip and zstd. The formats are a crate of their own, so that `off-policy` stays light.
//!
//! Reading order: [`Source`], where the bytes come from; [`LogOptions`], which column is what; [`read_log`],
//! [`read_logs`] and [`ReadLog`]; [`read_logs_of_rank`], where several processes share the rows;
//! [`read_candidates`], where actions have features of their own;
//! [`read_contexts`], rows to predict for; [`read_table`], for classifiers; [`Examples`], row by row;
//! [`write_log`]; [`FormatError`].

mod actions;
mod agreement;
mod alignment;
mod candidates;
mod columns;
mod contexts;
mod error;
mod examples;
mod facts;
mod layout;
mod log;
mod options;
mod parts;
mod pass;
mod readers;
mod record;
mod roles;
mod source;
mod table;
mod writers;

pub use candidates::{
    ReadCandidates, ReadChoices, read_candidates, read_candidates_coded, read_candidates_of_files,
    read_choices,
};
pub use contexts::{ReadContexts, read_contexts};
pub use error::{FormatError, Place};
pub use examples::{Example, Examples};
pub use facts::{Progress, ReadFacts, ReadFile, Skipped, quiet};
pub use log::{ReadLog, RowLabels, read_log, read_log_coded, read_logs, read_logs_of_rank};
pub use options::{ActionFeatures, Format, Limits, LogOptions, MissingPropensities, Outcome, RowWeights};
pub use readers::is_decoding;
pub use source::Source;
pub use table::{Table, read_table, read_table_coded};
pub use writers::{WriteFacts, WriteOptions, format_to_write, write_log, write_log_to};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
