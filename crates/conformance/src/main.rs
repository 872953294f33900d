//! The program behind `cargo xtask conform`.

use clap::Parser;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compare the crates with conformance vectors
#[derive(Parser)]
#[command(name = "cargo xtask conform", bin_name = "cargo xtask conform", version, about)]
struct Arguments {
    /// Folder of the vector files; default: those of the repository
    dir: Option<PathBuf>,
    /// Count cases of unknown kernels as skipped instead of failed
    #[arg(long)]
    allow_unknown: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, conformance::ConformError> {
    let mut out = io::stdout().lock();
    let dir = arguments.dir.clone().unwrap_or_else(conformance::official_vectors);
    let summary = conformance::run(&dir, arguments.allow_unknown, &mut out)?;
    Ok(if summary.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
