//! Records on disc.

use super::{Record, RecordError};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

const SCHEMA: &str = "experiment-record";
const VERSION: u32 = 1;

#[derive(Deserialize)]
struct Header {
    schema: String,
    version: u32,
}

#[derive(Serialize)]
struct Written<'a> {
    schema: &'static str,
    version: u32,
    #[serde(flatten)]
    record: &'a Record,
}

impl Record {
    /// Writes the record as indented JSON, atomically: a reader sees the old file or the new one.
    ///
    /// # Errors
    /// [`RecordError::BadNumber`], [`RecordError::RowDisagrees`] (checked first, so nothing is written),
    /// [`RecordError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), RecordError> {
        self.check()?;
        let written = Written { schema: SCHEMA, version: VERSION, record: self };
        let mut text = serde_json::to_string_pretty(&written)
            .map_err(|source| RecordError::Json { path: path.to_owned(), source })?;
        text.push('\n');
        write_atomically(path, text.as_bytes())
    }

    /// Reads a record and checks its rows against its trials.
    ///
    /// # Errors
    /// Every variant of [`RecordError`].
    pub fn load(path: &Path) -> Result<Self, RecordError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| RecordError::Io { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, RecordError> {
        let json = |source| RecordError::Json { path: path.to_owned(), source };
        let Header { schema: found, version } = serde_json::from_str(text).map_err(json)?;
        if found != SCHEMA {
            return Err(RecordError::WrongSchema { path: path.to_owned(), found, expected: SCHEMA });
        }
        if version != VERSION {
            let path = path.to_owned();
            return Err(RecordError::UnknownVersion { path, found: version, known: VERSION });
        }
        let record: Self = serde_json::from_str(text).map_err(json)?;
        record.check()?;
        Ok(record)
    }
}

/// Writes a file atomically: into a temporary file of the same folder, to the disc, then under its name.
/// Missing folders are created.
///
/// # Errors
/// [`RecordError::Io`]; the old file, if any, is untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    write(path, bytes).map_err(|source| RecordError::Io { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    atomic_files::write(path, |file| file.write_all(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIPTION: &str = include_str!("../../../../docs/records.md");

    /// The JSON block of the description.
    fn example() -> &'static str {
        let (_, rest) = DESCRIPTION.split_once("```json\n").unwrap();
        rest.split_once("```").unwrap().0
    }

    fn parse(text: &str) -> Result<Record, RecordError> {
        Record::parse(text, Path::new("example.json"))
    }

    #[test]
    fn the_described_example_is_a_record_and_is_written_as_described() {
        let record = parse(example()).unwrap();
        assert_eq!((record.rows.len(), record.trials.len(), record.paper.len()), (1, 2, 1));
        let written = Written { schema: SCHEMA, version: VERSION, record: &record };
        let described: serde_json::Value = serde_json::from_str(example()).unwrap();
        assert_eq!(serde_json::to_value(&written).unwrap(), described);
    }

    #[test]
    fn every_field_of_the_schema_is_described() {
        fn visit(value: &serde_json::Value, described: &mut dyn FnMut(&str)) {
            match value {
                serde_json::Value::Object(map) => map.iter().for_each(|(key, value)| {
                    described(key);
                    // Settings belong to the experiment, not to the schema.
                    if key != "settings" {
                        visit(value, described);
                    }
                }),
                serde_json::Value::Array(list) => list.iter().for_each(|value| visit(value, described)),
                _ => {}
            }
        }
        let value = serde_json::from_str(example()).unwrap();
        let mut fields = 0;
        visit(&value, &mut |key| {
            fields += 1;
            assert!(DESCRIPTION.contains(&format!("| `{key}` |")), "{key} is in no table of docs/records.md");
        });
        assert!(fields > 20);
    }

    #[test]
    fn other_files_are_refused_with_a_named_reason() {
        let with = |from: &str, to: &str| {
            assert!(example().contains(from), "{from}");
            parse(&example().replacen(from, to, 1)).unwrap_err()
        };
        let refused = with("\"experiment-record\"", "\"model\"");
        assert!(matches!(refused, RecordError::WrongSchema { found, .. } if found == "model"));
        let refused = with("\"version\": 1", "\"version\": 2");
        assert!(matches!(refused, RecordError::UnknownVersion { found: 2, known: 1, .. }));
        assert!(matches!(with("\"stand-in\"", "\"real\""), RecordError::Json { .. }));
        assert!(matches!(with("\"n\": 2", "\"n\": 2, \"typo\": 0"), RecordError::Json { .. }));
        assert!(matches!(with("\"n\": 2", "\"n\": 3"), RecordError::RowDisagrees { found: (_, _, 2), .. }));
        assert!(matches!(with("\"value\": 0.5", "\"value\": 0.4"), RecordError::RowDisagrees { .. }));
        assert!(matches!(with("\"seconds\": 1", "\"seconds\": -1"), RecordError::BadNumber { .. }));
        assert!(matches!(parse("{}").unwrap_err(), RecordError::Json { .. }));
        assert!(matches!(Record::load(Path::new("absent.json")).unwrap_err(), RecordError::Io { .. }));
    }

    #[test]
    fn a_refused_record_keeps_the_old_file_and_creates_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/record.json");
        let mut record = parse(example()).unwrap();
        record.save(&path).unwrap();
        let before = std::fs::read(&path).unwrap();
        record.trials[0].value = f64::NAN;
        record.summarise();
        assert!(matches!(record.save(&path).unwrap_err(), RecordError::BadNumber { .. }));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        write_atomically(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
