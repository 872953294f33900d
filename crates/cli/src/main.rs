//! `ocoboost`: from a log of decisions to a policy that is known to be better.
//!
//! Reading order: `arguments`; `configuration`, where else settings come from; `commands`, a file a command;
//! `page`, the page of `evaluate --html`; `failure`, the exit codes. Data go to the standard output, and
//! progress to the standard error.

mod arguments;
mod commands;
mod configuration;
mod failure;
mod page;

use configuration::{Configured, Refused, configured};
use failure::Failure;
use report::output::warn;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // What a decoder says of damaged bytes is said as an error of the file.
        if !formats::is_decoding() {
            report(panic);
        }
    }));
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let done = match configured(&arguments) {
        Ok(Configured { cli, origins }) => commands::run(&cli).map_err(|failure| failure.placed(&origins)),
        Err(Refused::Usage(error)) => error.exit(),
        Err(Refused::Failed(failure)) => Err(*failure),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            warn(&format!("ocoboost: {failure}"));
            ExitCode::from(Failure::code(&failure))
        }
    }
}
