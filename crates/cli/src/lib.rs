//! `ocoboost`: from a log of decisions to a policy that is known to be better.
//!
//! [`run`] is the program; the binary calls it, and the Python package's command. Reading order: `arguments`;
//! `configuration`, where else settings come from; `commands`, a file a command; `page`, the page of
//! `evaluate --html`; `processes`, those of `train --mpi`; `failure`, the exit codes. Data go to the
//! standard output, and progress to the standard error.

mod arguments;
mod commands;
mod configuration;
mod failure;
mod page;
mod processes;

use configuration::{Configured, Refused, configured, configured_by};
use failure::Failure;
use processes::Processes;
use std::ffi::OsString;
use std::io::{Write, stdout};
use std::sync::Once;

/// Runs the program on a command line, the first word of which is its own name, and returns its exit code.
///
/// It writes to the standard streams of the process, and ends the process itself where nobody reads its
/// output any more and after a second Ctrl-C. So it is for a process that does nothing else: once, in its
/// main function. The first Ctrl-C ends the process where the caller has left signals as the system has them.
///
/// ```
/// let of = |words: &[&str]| cli::run(&words.iter().map(Into::into).collect::<Vec<_>>());
/// assert_eq!(of(&["ocoboost", "--version"]), 0);
/// assert_eq!(of(&["ocoboost", "train", "--no-such-option"]), 2);
/// ```
pub fn run(arguments: &[OsString]) -> u8 {
    report_panics_but_of_decoders();
    let configured = configured(arguments);
    let cli = configured.as_ref().ok().map(|configured| &configured.cli);
    let processes = match Processes::of(cli, arguments) {
        Ok(processes) => processes,
        Err(failure) => return Processes::default().end(Err(failure)),
    };
    let ranks = processes.ranks();
    // Settings may come from variables and files of another machine.
    let told = ranks.agree(match &configured {
        Ok(_) => Ok(()),
        Err(refused) => Err(Failure::Refused(refused.reason())),
    });
    let code = match configured {
        Ok(Configured { mut cli, settings, origins }) => {
            // The first process speaks.
            cli.manners.quiet |= ranks.rank() > 0;
            let are_same = told.and_then(|()| Ok(ranks.check_same(&settings)?));
            are_same.and_then(|()| commands::run(&cli, &ranks)).map_err(|failure| failure.placed(&origins))
        }
        Err(Refused::Usage(error)) => {
            // Help goes to the standard output, the rest to the standard error; nothing if it is closed.
            if ranks.rank() == 0 {
                let _ = error.print();
            }
            Ok(u8::try_from(error.exit_code()).unwrap_or(failure::WRONG_ARGUMENTS))
        }
        Err(Refused::Failed(failure)) => Err(*failure),
    };
    // Behind a main function of another language nothing else does it.
    let _ = stdout().flush();
    drop(ranks);
    processes.end(code)
}

/// Reads a command line as [`run`] does, and checks what the command can know of its settings before it opens
/// a file. `settings` is the text of the file that `--config` names. Nothing is opened, written or run.
///
/// ```
/// let of = |words: &[&str], settings| cli::check(&words.iter().map(Into::into).collect::<Vec<_>>(),
/// settings);
/// let words = ["ocoboost", "train", "log.csv", "-o", "model", "--config", "settings.toml"];
/// assert_eq!(of(&words, "[train]\nbudget = \"10m\"\n"), Ok(()));
/// let refused = of(&words, "[train]\nbudget = \"ten\"\n");
/// assert!(refused.is_err_and(|why| why.contains("settings.toml, line 2") && why.contains("not a time")));
/// ```
///
/// # Errors
/// What [`run`] would say: the usage, the help that is asked for, or the setting that is refused.
pub fn check(arguments: &[OsString], settings: &str) -> Result<(), String> {
    let Configured { cli, origins, .. } =
        configured_by(arguments, &|_| Ok(settings.to_owned())).map_err(|refused| match refused {
            Refused::Usage(error) => error.to_string(),
            Refused::Failed(failure) => failure.to_string(),
        })?;
    commands::check(&cli).map_err(|failure| failure.placed(&origins).to_string())
}

/// What a decoder says of damaged bytes is said as an error of the file.
fn report_panics_but_of_decoders() {
    static IS_SET: Once = Once::new();
    IS_SET.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !formats::is_decoding() {
                report(panic);
            }
        }));
    });
}

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
