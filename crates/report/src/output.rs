//! Lines on the standard streams.

use std::io::Write;

/// Prints a line on standard error; ignored if the stream is closed.
pub fn warn(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints a line on standard output; a closed pipe is not an error.
pub fn say(text: &str) -> std::io::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result,
    }
}
