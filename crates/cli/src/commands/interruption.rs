//! Ctrl-C.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::INTERRUPTED;

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C asks for an end in place of making one; twice makes one.
pub(super) fn listen() {
    // Without a handler, Ctrl-C ends the program at once and leaves no file.
    let _ = ctrlc::set_handler(|| {
        if IS_ASKED.swap(true, Ordering::Relaxed) {
            process::exit(i32::from(INTERRUPTED));
        }
    });
}

/// Whether an end was asked for.
pub(super) fn is_asked() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}
