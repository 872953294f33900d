//! `ocoboost`: from a log of decisions to a policy that is known to be better.
//!
//! Reading order: `arguments`; `commands`, a file a command; `page`, the page of `evaluate --html`;
//! `failure`, the exit codes. Data go to the standard output, and progress to the standard error.

mod arguments;
mod commands;
mod failure;
mod page;

use arguments::Cli;
use clap::Parser;
use report::output::warn;
use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::run(&Cli::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            warn(&format!("ocoboost: {failure}"));
            ExitCode::from(failure.code())
        }
    }
}
