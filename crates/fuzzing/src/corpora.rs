//! Small corpora in the repository: what hours of guided fuzzing found to reach code of its own.
//!
//! A target has one file, a JSON array with an input a line: a string, or the hexadecimal digits of bytes
//! that
//! are no text.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Text(String),
    Bytes { hex: String },
}

impl Kept {
    fn of(input: &[u8]) -> Self {
        match std::str::from_utf8(input) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes { hex: input.iter().map(|byte| format!("{byte:02x}")).collect() },
        }
    }

    fn input(self) -> io::Result<Vec<u8>> {
        let hex = match self {
            Self::Text(text) => return Ok(text.into_bytes()),
            Self::Bytes { hex } => hex,
        };
        let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let digits: Option<Vec<u8>> = hex.as_bytes().iter().map(digit).collect();
        let digits = digits.ok_or_else(|| io::Error::other("an input is not hexadecimal"))?;
        Ok(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
    }
}

/// A target's name as the name of a file or folder.
#[must_use]
pub fn file_stem(target: &str) -> String {
    let mut stem = String::new();
    for letter in target.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            stem.push(letter);
        } else if !stem.ends_with('-') {
            stem.push('-');
        }
    }
    stem.trim_end_matches('-').to_owned()
}

/// The kept inputs of a target; none where the folder has no file of it.
///
/// # Errors
/// A file that cannot be read, or that is not a corpus.
pub fn read(folder: &Path, target: &str) -> io::Result<Vec<Vec<u8>>> {
    let text = match fs::read(path(folder, target)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let kept: Vec<Kept> = serde_json::from_slice(&text)?;
    kept.into_iter().map(Kept::input).collect()
}

/// Writes a target's file, and returns its size in bytes.
///
/// # Errors
/// The file cannot be written.
pub fn write(folder: &Path, target: &str, inputs: &[Vec<u8>]) -> io::Result<usize> {
    fs::create_dir_all(folder)?;
    let lines: Vec<String> =
        inputs.iter().map(|input| serde_json::to_string(&Kept::of(input))).collect::<Result<_, _>>()?;
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    fs::write(path(folder, target), &text)?;
    Ok(text.len())
}

/// The size of an input in a file.
pub(super) fn size(input: &[u8]) -> usize {
    serde_json::to_string(&Kept::of(input)).map_or(usize::MAX, |line| line.len() + 2)
}

fn path(folder: &Path, target: &str) -> PathBuf {
    folder.join(format!("{}.json", file_stem(target)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_text_and_of_bytes_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = vec![b"a\n\"b\"".to_vec(), vec![0xff, 0x00, 0x9a], vec![], "\u{0}é".into()];
        let size = write(folder.path(), "a::B<C, D>, e", &inputs).unwrap();
        let file = folder.path().join("a-B-C-D-e.json");
        assert_eq!(fs::metadata(&file).unwrap().len(), size as u64);
        assert_eq!(read(folder.path(), "a::B<C, D>, e").unwrap(), inputs);
        assert_eq!(read(folder.path(), "another").unwrap(), Vec::<Vec<u8>>::new());
        fs::write(&file, "[{\"hex\":\"0g\"}]").unwrap();
        assert!(read(folder.path(), "a::B<C, D>, e").is_err());
    }
}
