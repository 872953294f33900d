//! How a test says that it checks less than it would, for want of official files. The tests of every crate
//! share this file.

use std::io::Write;

/// Says so on standard error, where libtest does not hold it back, with the name of the test, which is that
/// of its thread. `cargo xtask test` reads these lines, counts the test as skipped and lists what is said
/// here.
pub(crate) fn announce(why: &str) {
    let thread = std::thread::current();
    // In one piece, so that the lines of tests that run side by side stay whole.
    let line = format!("REDUCED {}: {why}\n", thread.name().unwrap_or("a test"));
    let _ = std::io::stderr().write_all(line.as_bytes());
}
