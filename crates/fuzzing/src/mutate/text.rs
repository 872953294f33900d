//! Changes of lines and cells, and of the bytes of a text.

use super::{MOST_BYTES, pick, place};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Contents that may replace a cell.
const CELLS: [&str; 26] = [
    "",
    " ",
    "0",
    "-0",
    "-1",
    "1e308",
    "1e309",
    "-1e400",
    "5e-324",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "infinity",
    "null",
    "?",
    "18446744073709551615",
    "18446744073709551616",
    "9007199254740993",
    "4294967296",
    "9223372036854775808",
    "0x10",
    "1,2",
    "é",
    "\"",
    "\"\"",
];
const PIECES: [&[u8]; 26] = [
    b"\"",
    b"\"\"",
    b"'",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\0",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b"%",
    b"@",
    b"|",
    b"?",
    b"\xff",
    b"\xc3\x28",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b" ",
    b"=",
];

pub(super) fn mutate(
    seed: &[u8],
    other: &[u8],
    count: usize,
    changes: &mut Vec<String>,
    rng: &mut ChaCha8Rng,
) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..count {
        let change = change(&mut bytes, other, rng);
        changes.push(change);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], rng: &mut ChaCha8Rng) -> String {
    let at = place(bytes.len() + 1, rng);
    match rng.random_range(0..12) {
        0 if !bytes.is_empty() => {
            let at = place(bytes.len(), rng);
            bytes[at] ^= 1 << rng.random_range(0..8);
            format!("a bit of byte {at}")
        }
        1 => {
            bytes.truncate(at);
            format!("cut to {at} bytes")
        }
        2 => {
            let from = place(other.len() + 1, rng);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
            format!("{at} bytes, then another seed from byte {from}")
        }
        3 => {
            let end = (at + rng.random_range(1..8)).min(bytes.len());
            bytes.drain(at..end);
            format!("without bytes {at} to {end}")
        }
        4 => {
            bytes.splice(0..0, *b"\xef\xbb\xbf");
            "a byte order mark".to_owned()
        }
        5..8 => {
            let piece = *pick(&PIECES, rng).unwrap_or(&PIECES[0]);
            bytes.splice(at..at, piece.iter().copied());
            format!("{:?} at byte {at}", String::from_utf8_lossy(piece))
        }
        8 | 9 => change_cell(bytes, rng),
        _ => change_line(bytes, rng),
    }
}

/// The range of the cell around a position.
fn cell(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let ends =
        |byte: &u8| matches!(byte, b',' | b'\n' | b'\r' | b'\t' | b' ' | b'{' | b'}' | b':' | b'[' | b']');
    let start = bytes[..at].iter().rposition(ends).map_or(0, |k| k + 1);
    let end = bytes[at..].iter().position(ends).map_or(bytes.len(), |k| at + k);
    start..end.max(start)
}

fn change_cell(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) -> String {
    let at = place(bytes.len() + 1, rng);
    let range = cell(bytes, at);
    let start = range.start;
    if rng.random_range(0..5) == 0 {
        let content = bytes[range.clone()].to_vec();
        let open = rng.random_range(0..3) == 0;
        let tail: &[u8] = if open { b"" } else { b"\"" };
        bytes.splice(range, [b"\"", &content[..], tail].concat());
        return format!(
            "the cell at byte {start} {}",
            if open { "after an open quote" } else { "in quotes" }
        );
    }
    let text = *pick(&CELLS, rng).unwrap_or(&"");
    bytes.splice(range, text.bytes());
    format!("the cell at byte {start} := {text:?}")
}

fn change_line(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) -> String {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let (length, at) = (lines.len(), place(lines.len(), rng));
    if length == 0 {
        return "nothing".to_owned();
    }
    let change = match rng.random_range(0..5) {
        0 => {
            lines.remove(at);
            format!("without line {}", at + 1)
        }
        1 => {
            // Two such changes would make a text of one line a thousand times as long.
            let line = lines[at].clone();
            let times = rng.random_range(1..200).min(MOST_BYTES / line.len().max(1)).max(1);
            lines.splice(at..at, std::iter::repeat_n(line, times));
            format!("line {} {times} times more", at + 1)
        }
        2 => {
            let to = place(length, rng);
            lines.swap(at, to);
            format!("lines {} and {} exchanged", at + 1, to + 1)
        }
        3 => {
            let end = lines[at].iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |k| k + 1);
            let comma = lines[at][..end].iter().rposition(|&byte| byte == b',').unwrap_or(end);
            lines[at].drain(comma..end);
            format!("line {} without its last cell", at + 1)
        }
        _ => {
            let end = lines[at].iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |k| k + 1);
            let cells = rng.random_range(1..100);
            lines[at].splice(end..end, b",1".repeat(cells));
            format!("line {} with {cells} cells more", at + 1)
        }
    };
    *bytes = lines.concat();
    change
}
