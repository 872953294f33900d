//! `interfaces FOLDER JSON…`: the public interface of every crate, an item a line, as a file in the folder.
//!
//! `cargo xtask api` calls it with what rustdoc writes in its JSON.

use public_api::Builder;
use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().ok_or("usage: interfaces FOLDER JSON…")?;
    fs::create_dir_all(&folder)?;
    for json in arguments {
        let name = json.file_stem().unwrap_or(OsStr::new("interface"));
        let text = interface(&json).map_err(|error| format!("{}: {error}", json.display()))?;
        fs::write(folder.join(name).with_extension("txt"), text)?;
    }
    Ok(())
}

/// The items in the order of their paths. What a crate writes itself is whole. Of a derived trait there is
/// the fact alone. Of the traits that the compiler finds out there is what is missing: `Send` and `Sync`.
fn interface(json: &Path) -> Result<String, Box<dyn Error>> {
    let builder = || Builder::from_rustdoc_json(json).omit_blanket_impls(true);
    let lines = |builder: Builder| -> Result<Vec<String>, Box<dyn Error>> {
        Ok(builder.build()?.items().map(ToString::to_string).collect())
    };
    let written =
        lines(builder().omit_auto_derived_impls(true).omit_auto_trait_impls(true))?.into_iter().collect();
    Ok(kept(lines(builder())?, &written))
}

fn kept(all: Vec<String>, written: &BTreeSet<String>) -> String {
    let is_kept = |line: &String| {
        let is_fact = line.starts_with("impl") && !AUTOMATIC.iter().any(|name| line.contains(name));
        let is_missing = MISSING.iter().any(|name| line.contains(name));
        written.contains(line) || is_fact || is_missing
    };
    all.into_iter().filter(is_kept).map(|line| line + "\n").collect()
}

/// The traits that the compiler finds out, and one that comes with `PartialEq`.
const AUTOMATIC: [&str; 8] = [
    "core::marker::Freeze for ",
    "core::marker::Send for ",
    "core::marker::StructuralPartialEq for ",
    "core::marker::Sync for ",
    "core::marker::Unpin for ",
    "core::marker::UnsafeUnpin for ",
    "core::panic::unwind_safe::RefUnwindSafe for ",
    "core::panic::unwind_safe::UnwindSafe for ",
];
/// Those of them that programs with threads need.
const MISSING: [&str; 2] = ["!core::marker::Send for ", "!core::marker::Sync for "];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_a_user_may_have_written() {
        let all = [
            "pub struct a::B",
            "impl core::clone::Clone for a::B",
            "pub fn a::B::clone(&self) -> a::B",
            "impl core::marker::Send for a::B",
            "impl !core::marker::Sync for a::B",
            "impl core::panic::unwind_safe::UnwindSafe for a::B",
            "impl core::marker::Copy for a::B",
            "impl core::marker::StructuralPartialEq for a::B",
        ];
        let found = kept(all.map(String::from).into(), &[all[0].to_owned()].into());
        assert_eq!(found.lines().collect::<Vec<_>>(), [all[0], all[1], all[4], all[6]]);
    }
}
