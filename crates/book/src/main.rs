//! `book FOLDER OUT`: the pages of a checkout as one site of plain files, without scripts and without
//! anything from elsewhere.
//!
//! Pages are what can be reached from `README.md`. A link to a file that is not there, or to a heading that a
//! page does not have, is an error. Reading order: [`site`] follows the links, [`page`] turns Markdown into
//! HTML, [`place`] says where a file is on the site, [`frame`] is what stands around a page.

mod frame;
mod page;
mod place;
mod site;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [root, out] = arguments.as_slice() else {
        eprintln!("usage: book FOLDER OUT");
        return ExitCode::from(2);
    };
    match site::build(root, out) {
        Ok(pages) => {
            println!("{pages} pages in {}", out.join("index.html").display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("book: {error}");
            ExitCode::FAILURE
        }
    }
}
