//! The message of an interrupted command.

use std::ffi::OsString;
use std::io::Write;
use std::process;

/// The exit code that shells report after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C prints a message with the command that resumes, and ends the program with exit code
/// 130. Every finished unit is on the disc by then, so there is nothing to clean up.
pub fn explain(what_is_kept: &str) {
    let text = message(what_is_kept, std::env::args_os().skip(1));
    let handler = move || {
        // Below the bars, whatever their state. A failure to print cannot be reported.
        let _ = writeln!(std::io::stderr(), "\n{text}");
        process::exit(INTERRUPTED);
    };
    // Without a handler Ctrl-C ends the program too, without a message.
    let _ = ctrlc::set_handler(handler);
}

fn message(what_is_kept: &str, arguments: impl Iterator<Item = OsString>) -> String {
    let words: Vec<String> = arguments.map(|argument| quoted(&argument.to_string_lossy())).collect();
    format!(
        "interrupted; {what_is_kept}. The same command resumes the run:\n  cargo xtask {}",
        words.join(" ")
    )
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_=,./:+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_pasted_into_a_shell() {
        let arguments = ["reproduce", "oco", "--out", "my results", "--quick", "it's"].map(OsString::from);
        assert_eq!(
            message("trials are kept", arguments.into_iter()),
            "interrupted; trials are kept. The same command resumes the run:\n  \
             cargo xtask reproduce oco --out 'my results' --quick 'it'\\''s'"
        );
    }
}
