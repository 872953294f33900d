//! Spambase: whether a message is spam, from the frequencies of words and characters in it.

use crate::dataset::Dataset;
use crate::error::DataError;
use crate::formats::table::Column;
use crate::formats::table::{Storage, Table};
use crate::names::Name;
use std::path::PathBuf;

/// Reads `spambase.data`: 4,601 rows, 57 numbers (percentages of 48 words and 6 characters, three lengths of
/// runs of capitals), classes `0` (2,788 rows) and `1`, spam.
///
/// # Errors
/// See [`DataError`]; no cell may be missing.
pub fn read(files: &[PathBuf]) -> Result<Dataset, DataError> {
    table().read(files)
}

const WORDS: [&str; 48] = [
    "make",
    "address",
    "all",
    "3d",
    "our",
    "over",
    "remove",
    "internet",
    "order",
    "mail",
    "receive",
    "will",
    "people",
    "report",
    "addresses",
    "free",
    "business",
    "email",
    "you",
    "credit",
    "your",
    "font",
    "000",
    "money",
    "hp",
    "hpl",
    "george",
    "650",
    "lab",
    "labs",
    "telnet",
    "857",
    "data",
    "415",
    "85",
    "technology",
    "1999",
    "parts",
    "pm",
    "direct",
    "cs",
    "meeting",
    "original",
    "project",
    "re",
    "edu",
    "table",
    "conference",
];

pub(crate) fn table() -> Table {
    let mut columns: Vec<Column> = WORDS.iter().map(|word| Column::number(format!("word {word}"))).collect();
    columns.extend([";", "(", "[", "!", "$", "#"].map(|char| Column::number(format!("character {char}"))));
    columns.extend(["average", "longest", "total"].map(|run| Column::number(format!("capitals, {run}"))));
    columns.push(Column::class("spam", ["0", "1"], ""));
    Table { name: Name::Spambase.into(), columns, storage: Storage::Dense, has_header: false, comment: None }
}
