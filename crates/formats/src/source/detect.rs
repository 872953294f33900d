//! The format of a stream, by its first bytes and its name.

use crate::options::Format;

/// The format; `None` where neither says it.
pub(crate) fn detect(name: &str, beginning: &[u8]) -> Option<Format> {
    if beginning.starts_with(b"PAR1") {
        return Some(Format::Parquet);
    }
    if beginning.starts_with(b"ARROW1") || is_arrow_stream(beginning) {
        return Some(Format::Arrow);
    }
    let by_name = by_name(name);
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match by_name {
        Some(Format::Csv | Format::Tsv) => {}
        Some(Format::Vw) => return Some(of_vw(text)),
        // The content would have said so.
        Some(Format::Parquet | Format::Arrow) | None => {
            if text.starts_with('{') {
                return Some(if is_dsjson(text) { Format::Dsjson } else { Format::JsonLines });
            }
            if is_vw(text) {
                return Some(of_vw(text));
            }
        }
        Some(Format::JsonLines) if is_dsjson(text) => return Some(Format::Dsjson),
        Some(format) => return Some(format),
    }
    let header = text.lines().next().unwrap_or_default();
    let cells: Vec<&str> = header.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
    if ["item_id", "position", "click", "propensity_score"].iter().all(|name| cells.contains(name)) {
        return Some(Format::OpenBandit);
    }
    match by_name {
        Some(Format::Csv) if header.contains('\t') && !header.contains([',', ';']) => Some(Format::Tsv),
        Some(Format::Csv | Format::Tsv) => by_name,
        _ if header.contains('\0') => by_name,
        _ if header.contains('\t') && !header.contains(',') => Some(Format::Tsv),
        _ if cells.len() > 1 => Some(Format::Csv),
        // Its reader says what is wrong with such a Parquet file.
        _ => by_name,
    }
}

/// Whether semicolons stand between the cells of a header, as spreadsheets write where a comma is in numbers.
pub(crate) fn has_semicolons(beginning: &[u8]) -> bool {
    let header = beginning.split(|byte| *byte == b'\n').next().unwrap_or_default();
    header.contains(&b';') && !header.contains(&b',')
}

/// By the last end of a name that is not that of a compression.
fn by_name(name: &str) -> Option<Format> {
    let mut ends = name.rsplit('.').filter(|end| !is_compression(end));
    ends.next().and_then(Format::of_extension)
}

fn is_compression(end: &str) -> bool {
    ["gz", "gzip", "zst", "zstd"].contains(&end.to_ascii_lowercase().as_str())
}

/// A continuation marker, the length of the metadata, and a table of flatbuffers that begins within it.
fn is_arrow_stream(bytes: &[u8]) -> bool {
    let word = |start: usize| {
        let word = bytes.get(start..start + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(word))
    };
    word(0) == Some(u32::MAX) && word(4).zip(word(8)).is_some_and(|(length, root)| root < length)
}

/// Names that only a decision service writes.
fn is_dsjson(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    [
        "\"_label_cost\"",
        "\"_labelIndex\"",
        "\"_label_Action\"",
        "\"_multi\"",
        "\"_outcomes\"",
        "\"RewardValue\"",
    ]
    .iter()
    .any(|name| line.contains(name))
}

/// A label of Vowpal Wabbit or nothing before the first bar of the first line.
fn is_vw(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let Some((label, features)) = line.split_once('|') else { return false };
    let is_label = |token: &str| {
        token == "shared"
            || token.starts_with('\'')
            || token.split(':').all(|part| !part.is_empty() && part.parse::<f64>().is_ok())
    };
    // `1|2|3` is a table: a bar of Vowpal Wabbit has a blank or a namespace beside it.
    let has_blank = label.is_empty() || label.ends_with(' ') || features.starts_with([' ', '\t']);
    has_blank && label.split_whitespace().all(is_label)
}

/// Whether the lines begin with an action to evaluate: one that stands alone, before a labelled one, and in
/// some line the same again, which no list of actions on offer would have.
fn of_vw(text: &str) -> Format {
    let repeats = |line: &str| {
        let label = line.split('|').next().unwrap_or_default();
        let mut tokens = label.split_whitespace();
        let first = tokens.next().filter(|token| !token.contains(':') && token.parse::<u32>().is_ok());
        first.zip(tokens.next()).is_some_and(|(first, second)| second.split(':').next() == Some(first))
    };
    if text.lines().any(repeats) { Format::VwEval } else { Format::Vw }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_and_name_say_the_format() {
        for (name, text, format) in [
            ("log.csv", "a,b\n1,2\n", Some(Format::Csv)),
            ("log.csv.gz", "a\n1\n", Some(Format::Csv)),
            ("log", "a,b\n1,2\n", Some(Format::Csv)),
            ("log", "a\tb\n1\t2\n", Some(Format::Tsv)),
            ("log.TSV", "a b\n", Some(Format::Tsv)),
            ("log", "a\n1\n", None),
            ("log.json", "{\"a\": 1}\n", Some(Format::JsonLines)),
            ("log.json", "\u{feff} {\"_label_cost\":-1,\"c\":{}}\n", Some(Format::Dsjson)),
            ("log.jsonl", "{\"_label_cost\":-1,\"c\":{}}\n", Some(Format::Dsjson)),
            ("log.dsjson", "[CHECKPOINT]\n", Some(Format::Dsjson)),
            ("log.txt", "1:0:0.5 |f :1 :2\n", Some(Format::Vw)),
            ("log", "shared | s_1\n0:1:0.5 | a\n", Some(Format::Vw)),
            ("log", "| a\n", Some(Format::Vw)),
            ("log", "2 1:0:0.5 | a\n2 2:0:0.5 | a\n", Some(Format::VwEval)),
            ("log.vw", "2 1:0:0.5 | a\n", Some(Format::Vw)),
            ("log", "a|b|c\n", None),
            ("log", "PAR1....", Some(Format::Parquet)),
            ("log", "ARROW1\0\0", Some(Format::Arrow)),
            ("men.csv", ",timestamp,item_id,position,click,propensity_score\n", Some(Format::OpenBandit)),
            ("log", "\0\u{1},\u{2}", None),
            ("log.parquet", "\0\u{1},\u{2}", Some(Format::Parquet)),
            ("log.arrow", "cut off", Some(Format::Arrow)),
            ("log.parquet", "a,b\n1,2\n", Some(Format::Csv)),
        ] {
            assert_eq!(detect(name, text.as_bytes()), format, "{name}: {text}");
        }
        assert_eq!(detect("log", b"\xff\xff\xff\xff\x10\0\0\0\x08\0\0\0"), Some(Format::Arrow));
    }
}
