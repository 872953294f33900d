//! The coordinates of a stream whose columns and labels are not known beforehand.

use crate::error::JobError;
use off_policy::Value;
use rows::numeric::LARGEST;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use weak_learners::LearnerError;

/// What a coordinate stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamFeature {
    /// The number of a column.
    Number(String),
    /// 1 where the cell of a column is missing.
    Missing(String),
    /// 1 where a column has a label.
    Label(String, String),
}

impl StreamFeature {
    /// What it is called: `age`, `age is missing`, `device=phone`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Number(column) => column.clone(),
            Self::Missing(column) => format!("{column} is missing"),
            Self::Label(column, label) => format!("{column}={label}"),
        }
    }
}

/// A table of 2^b coordinates, given out one by one as columns and labels come.
///
/// As long as it is not full, nothing shares a coordinate, so what is learnt of a label is of it alone. Once
/// it is full, a new label shares a coordinate of its own column, and what else is new one of any, by hash:
/// a column of identifiers then blurs itself and no other. Collisions add up, as in Vowpal Wabbit.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub(super) struct StreamCoding {
    parts: Parts,
    /// Coordinates by what they stand for.
    places: HashMap<String, u32>,
    /// The coordinates of the labels of a column.
    of_labels: HashMap<String, Vec<u32>>,
    /// What the row before had that was new.
    coming: Vec<StreamFeature>,
    key: String,
    entries: Vec<(u32, f64)>,
    row: CodedRow,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Parts {
    bits: u32,
    features: Vec<StreamFeature>,
}

/// A row by its coordinates, which rise.
#[derive(Debug, Clone, Default)]
pub(super) struct CodedRow {
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f64>,
}

impl CodedRow {
    /// Another entry, behind all others.
    pub(super) fn push(&mut self, index: usize, value: f64) {
        // There are at most 2^18 + 1 coordinates.
        self.indices.push(u32::try_from(index).unwrap_or(u32::MAX));
        self.values.push(value);
    }
}

/// b is 1 to this.
pub(super) const MOST_BITS: u32 = 18;

impl StreamCoding {
    pub(super) fn new(bits: u32) -> Result<Self, JobError> {
        Parts { bits, features: Vec::new() }.try_into()
    }

    /// 2^b.
    pub(super) fn inputs(&self) -> usize {
        1 << self.parts.bits
    }

    pub(super) fn features(&self) -> &[StreamFeature] {
        &self.parts.features
    }

    /// Codes a row. What is new in it gets coordinates for this row alone, until [`keep`](Self::keep) is
    /// called. Numbers of 0 are among the entries.
    pub(super) fn code<'a>(
        &mut self,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
    ) -> Result<(), JobError> {
        self.forget();
        self.entries.clear();
        for (column, value) in cells {
            let (feature, value) = match value {
                Value::Missing => (Kind::Missing, 1.0),
                Value::Number(number) if number.is_nan() => (Kind::Missing, 1.0),
                Value::Number(number) if number.abs() <= LARGEST => (Kind::Number, number),
                Value::Number(value) => {
                    let index = self.entries.len();
                    return Err(LearnerError::TooLarge { argument: "a cell", index, value }.into());
                }
                Value::Text(label) => (Kind::Label(label), 1.0),
            };
            let place = self.place(column, feature);
            self.entries.push((place, value));
        }
        self.entries.sort_by_key(|(place, _)| *place);
        let CodedRow { indices, values } = &mut self.row;
        indices.clear();
        values.clear();
        for (place, value) in self.entries.drain(..) {
            match (indices.last() == Some(&place), values.last_mut()) {
                (true, Some(last)) => *last += value,
                _ => {
                    indices.push(place);
                    values.push(value);
                }
            }
        }
        Ok(())
    }

    /// The row that was coded last.
    pub(super) fn row(&self) -> &CodedRow {
        &self.row
    }

    /// From now on what was new in the last row has the coordinates that it had there.
    pub(super) fn keep(&mut self) {
        self.parts.features.append(&mut self.coming);
    }

    /// Undoes what the last row added, unless it was kept.
    fn forget(&mut self) {
        for feature in std::mem::take(&mut self.coming).into_iter().rev() {
            write_key(&mut self.key, feature.column(), feature.kind());
            self.places.remove(&self.key);
            if let (StreamFeature::Label(column, _), Some(places)) =
                (&feature, self.of_labels.get_mut(feature.column()))
            {
                places.pop();
                if places.is_empty() {
                    self.of_labels.remove(column);
                }
            }
        }
    }

    fn place(&mut self, column: &str, kind: Kind<'_>) -> u32 {
        write_key(&mut self.key, column, kind);
        if let Some(place) = self.places.get(&self.key) {
            return *place;
        }
        let taken = self.parts.features.len() + self.coming.len();
        let size = self.inputs();
        if taken >= size {
            let hash = hash(self.key.as_bytes());
            let own = self.of_labels.get(column).filter(|_| matches!(kind, Kind::Label(_)));
            let nth = |among: usize| usize::try_from(hash % among.max(1) as u64).unwrap_or_default();
            let shared = own.and_then(|places| places.get(nth(places.len())).copied());
            return shared.unwrap_or_else(|| u32::try_from(nth(size)).unwrap_or_default());
        }
        // 2^b is far below 2^32.
        let place = u32::try_from(taken).unwrap_or(u32::MAX);
        self.coming.push(kind.feature(column));
        self.add(place, column, kind);
        place
    }

    /// Remembers the coordinate whose key was written last.
    fn add(&mut self, place: u32, column: &str, kind: Kind<'_>) {
        self.places.insert(self.key.clone(), place);
        if let Kind::Label(_) = kind {
            self.of_labels.entry(column.to_owned()).or_default().push(place);
        }
    }
}

/// What a cell is.
#[derive(Debug, Clone, Copy)]
enum Kind<'a> {
    Number,
    Missing,
    Label(&'a str),
}

impl Kind<'_> {
    fn feature(self, column: &str) -> StreamFeature {
        let column = column.to_owned();
        match self {
            Self::Number => StreamFeature::Number(column),
            Self::Missing => StreamFeature::Missing(column),
            Self::Label(label) => StreamFeature::Label(column, label.to_owned()),
        }
    }
}

impl StreamFeature {
    fn column(&self) -> &str {
        match self {
            Self::Number(column) | Self::Missing(column) | Self::Label(column, _) => column,
        }
    }

    fn kind(&self) -> Kind<'_> {
        match self {
            Self::Number(_) => Kind::Number,
            Self::Missing(_) => Kind::Missing,
            Self::Label(_, label) => Kind::Label(label),
        }
    }
}

/// A text that no other kind, column or label has.
fn write_key(key: &mut String, column: &str, kind: Kind<'_>) {
    use std::fmt::Write;
    key.clear();
    // A string takes all that is written to it.
    let _ = match kind {
        Kind::Number => write!(key, "n{column}"),
        Kind::Missing => write!(key, "m{column}"),
        Kind::Label(label) => write!(key, "l{}:{column}{label}", column.len()),
    };
}

/// FNV-1a: the same everywhere.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

impl From<StreamCoding> for Parts {
    fn from(coding: StreamCoding) -> Self {
        coding.parts
    }
}

impl TryFrom<Parts> for StreamCoding {
    type Error = JobError;

    fn try_from(parts: Parts) -> Result<Self, JobError> {
        if !(1..=MOST_BITS).contains(&parts.bits) {
            let value = f64::from(parts.bits);
            return Err(JobError::BadSetting { name: "bits", value, domain: "1, …, 18" });
        }
        let (most, got) = (1_usize << parts.bits, parts.features.len());
        if got > most {
            return Err(JobError::Length { column: "the coordinates", expected: most, got });
        }
        let mut coding = Self {
            parts: Parts { bits: parts.bits, features: Vec::new() },
            places: HashMap::new(),
            of_labels: HashMap::new(),
            coming: Vec::new(),
            key: String::new(),
            entries: Vec::new(),
            row: CodedRow::default(),
        };
        for (place, feature) in (0..).zip(&parts.features) {
            write_key(&mut coding.key, feature.column(), feature.kind());
            if coding.places.contains_key(&coding.key) {
                let column = feature.column().to_owned();
                return Err(off_policy::SchemaError::DuplicateColumn { column }.into());
            }
            coding.add(place, feature.column(), feature.kind());
        }
        coding.parts = parts;
        Ok(coding)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    fn coded(coding: &mut StreamCoding, cells: &[(&str, Value<'_>)]) -> Vec<(u32, f64)> {
        coding.code(cells.iter().copied()).unwrap();
        let row = coding.row();
        row.indices.iter().copied().zip(row.values.iter().copied()).collect()
    }

    const RED: Value<'_> = Value::Text("red");
    const BLUE: Value<'_> = Value::Text("blue");

    #[test]
    fn coordinates_are_given_out_in_the_order_of_their_first_row() {
        let mut coding = StreamCoding::new(4).unwrap();
        let first = [("size", Value::Number(2.5)), ("colour", RED)];
        assert_eq!(coded(&mut coding, &first), [(0, 2.5), (1, 1.0)]);
        coding.keep();
        let second = [("colour", BLUE), ("size", Value::Missing), ("x", Value::Number(0.0))];
        assert_eq!(coded(&mut coding, &second), [(2, 1.0), (3, 1.0), (4, 0.0)]);
        // What is not kept leaves no trace.
        assert_eq!(coded(&mut coding, &[("x", Value::Number(7.0)), ("colour", RED)]), [(1, 1.0), (2, 7.0)]);
        coding.keep();
        let names: Vec<String> = coding.features().iter().map(StreamFeature::name).collect();
        assert_eq!(names, ["size", "colour=red", "x"]);
        // A column may hold numbers and labels, and `size=2` is no `size` that is 2.
        let third =
            [("size", Value::Text("2")), ("size=2", Value::Number(3.0)), ("x", Value::Number(f64::NAN))];
        assert_eq!(coded(&mut coding, &third), [(3, 1.0), (4, 3.0), (5, 1.0)]);
    }

    #[test]
    fn labels_of_a_full_table_share_the_coordinates_of_their_column() {
        let mut coding = StreamCoding::new(2).unwrap();
        coded(
            &mut coding,
            &[("id", Value::Text("a")), ("colour", RED), ("id", Value::Text("b")), ("x", Value::Number(1.0))],
        );
        coding.keep();
        for id in ["c", "d", "e", "f", "g", "h"] {
            let [(place, 1.0)] = coded(&mut coding, &[("id", Value::Text(id))])[..] else {
                unreachable!("one cell")
            };
            assert!(place == 0 || place == 2, "{id}: {place}");
            coding.keep();
        }
        assert_eq!(coding.features().len(), 4);
        assert_eq!(coded(&mut coding, &[("colour", BLUE)]), [(1, 1.0)]);
        assert_eq!(coded(&mut coding, &[("colour", RED), ("colour", BLUE)]), [(1, 2.0)]);
        let [(place, 5.0)] = coded(&mut coding, &[("new", Value::Number(5.0))])[..] else {
            unreachable!("one cell")
        };
        assert!(place < 4);
    }

    #[test]
    fn a_loaded_coding_goes_on_alike_and_a_wrong_one_is_refused() {
        let mut coding = StreamCoding::new(3).unwrap();
        coded(&mut coding, &[("colour", RED), ("x", Value::Number(1.0)), ("y", Value::Missing)]);
        coding.keep();
        let text = serde_json::to_string(&coding).unwrap();
        let mut loaded: StreamCoding = serde_json::from_str(&text).unwrap();
        for label in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] {
            let cells = [("colour", Value::Text(label)), ("x", Value::Number(2.0))];
            assert_eq!(coded(&mut coding, &cells), coded(&mut loaded, &cells));
            coding.keep();
            loaded.keep();
        }
        assert_eq!(serde_json::to_string(&coding).unwrap(), serde_json::to_string(&loaded).unwrap());
        for (from, to) in [
            ("\"bits\":3", "\"bits\":1"),
            ("\"bits\":3", "\"bits\":64"),
            ("{\"missing\":\"y\"}", "{\"number\":\"x\"}"),
        ] {
            assert!(
                text.contains(from) && serde_json::from_str::<StreamCoding>(&text.replace(from, to)).is_err()
            );
        }
        assert!(coding.code([("x", Value::Number(f64::INFINITY))]).is_err());
    }
}
