//! Names and labels with characters that Vowpal Wabbit's text gives a meaning: they are written as in URLs.

use std::borrow::Cow;

/// The characters that separate parts of a line, and the one that marks an escape.
const SPECIAL: [char; 9] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}', ':', '|', '%'];

/// `%20` for a blank, and the like; `=` only where it would separate a key from a value.
pub(crate) fn escaped(text: &str, is_key: bool) -> String {
    let mut own = String::with_capacity(text.len());
    for letter in text.chars() {
        if SPECIAL.contains(&letter) || (is_key && letter == '=') {
            own.push_str(&format!("%{:02X}", u32::from(letter)));
        } else {
            own.push(letter);
        }
    }
    own
}

/// The text before [`escaped`]. Escapes of other characters stay as they are, as in the URLs of other
/// writers.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let mut own = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('%') {
        own.push_str(before);
        let code = behind.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).map(char::from);
        match code.filter(|letter| SPECIAL.contains(letter) || *letter == '=') {
            Some(letter) => {
                own.push(letter);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                own.push('%');
                rest = behind;
            }
        }
    }
    own.push_str(rest);
    own.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_there_and_back() {
        for text in ["a b", "50%", "%20", "%41", "http://x.y/?q=1|2", "", "=", "%", "%%3A", "ü:\t"] {
            assert_eq!(unescaped(&escaped(text, true)), text);
            assert_eq!(unescaped(&escaped(text, false)), text);
            assert!(!escaped(text, true).contains([' ', ':', '|', '=', '\t']), "{text}");
        }
        assert_eq!(unescaped("%41%zz%2"), "%41%zz%2");
    }
}
