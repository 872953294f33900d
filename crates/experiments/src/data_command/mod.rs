//! The data command: list, verify and fetch the official files.
//!
//! [`list`] finds files, [`verify`] compares SHA-256 sums, [`fetch()`](fetch::fetch) downloads the missing
//! ones. Each returns its findings; the caller prints them.
//!
//! ```
//! use datasets::SearchPath;
//! let report = experiments::data_command::verify(&SearchPath::nowhere());
//! assert_eq!((report.intact, report.absent, report.damaged), (0, 21, 0));
//! ```

use comfy_table::{Table, presets};
use datasets::{OfficialFile, SearchPath};

pub mod fetch;
pub mod stand_ins;

/// One line per official file: the set, the publisher, the size, and the path found.
pub fn list(search: &SearchPath) -> Table {
    let mut table = table(["set", "home", "file", "bytes", "found"]);
    for file in OfficialFile::ALL {
        let found = search.find(&file).map_or("absent".to_owned(), |path| path.display().to_string());
        let bytes = file.bytes.map_or("unknown".to_owned(), |bytes| bytes.to_string());
        table.add_row([&file.set.to_string(), &file.home.to_string(), file.name, &bytes, &found]);
    }
    table
}

/// The findings of [`verify`].
#[derive(Debug)]
pub struct Verification {
    /// One line per official file.
    pub table: Table,
    /// Files with the official content, and readable files without a known official sum.
    pub intact: usize,
    /// Files found in no folder.
    pub absent: usize,
    /// Files with other content, and files that cannot be read.
    pub damaged: usize,
}

/// Reads every official file found, and compares its content with the official sum.
pub fn verify(search: &SearchPath) -> Verification {
    let mut report =
        Verification { table: table(["set", "file", "state"]), intact: 0, absent: 0, damaged: 0 };
    for file in OfficialFile::ALL {
        let state = match search.find(&file).map(|path| file.verify(&path)) {
            None => {
                report.absent += 1;
                "absent".to_owned()
            }
            Some(Err(error)) => {
                report.damaged += 1;
                error.to_string()
            }
            Some(Ok(read)) => {
                report.intact += 1;
                match file.sha256 {
                    Some(_) => format!("intact: {}", read.path.display()),
                    None => format!("readable, no official sum known: {}", read.path.display()),
                }
            }
        };
        report.table.add_row([&file.set.to_string(), file.name, &state]);
    }
    report
}

fn table<const COLUMNS: usize>(header: [&str; COLUMNS]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_file_with_other_content_is_damaged_and_the_others_are_absent() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("abalone.data"), "M,1\n").unwrap();
        let search = SearchPath::new(Some(folder.path()), |_| None, Path::new("nowhere")).unwrap();
        let report = verify(&search);
        assert_eq!((report.intact, report.absent, report.damaged), (0, 20, 1));
        assert!(report.table.to_string().contains("SHA-256"));
        let listed = list(&search).to_string();
        assert_eq!((listed.matches("absent").count(), listed.lines().count()), (20, 22));
    }
}
