//! Input that is damaged or cut off.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod running;

use running::refused;
use std::path::Path;

/// The decoder panics on this byte, as the fuzz tests of `formats` found; nobody sees more than one line.
#[test]
fn a_panic_of_a_decoder_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/data/log-pyarrow.parquet");
    let mut bytes = std::fs::read(source).unwrap();
    bytes[326] ^= 0xff;
    let damaged = folder.path().join("damaged.parquet").display().to_string();
    std::fs::write(&damaged, bytes).unwrap();
    let columns = ["--ignore", "t", "--available", "offers"];
    let words = "damaged.parquet: the Parquet data are damaged or cut off";
    refused(&[&["evaluate", "uniform", &damaged], &columns[..]].concat(), 65, words);
}
