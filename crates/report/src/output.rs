//! Lines for whoever started the program.

use std::io::Write;

/// A line on standard error; where that is closed, nobody asks for it.
pub fn warn(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A reader that has seen enough and closed the pipe is no error of ours.
pub fn say(text: &str) -> std::io::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result,
    }
}
