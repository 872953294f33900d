//! The project's commands: `cargo xtask <command>`.
//!
//! This package uses only the standard library, so that the first command of a fresh clone starts within
//! seconds; algorithms run in separate programs, through cargo. Reading order: [`usage`] names the commands,
//! then one file each.

mod api;
mod bench;
mod book;
mod cargo;
mod ci;
mod faults;
mod forward;
mod guided;
mod mpi;
mod mutants;
mod package;
mod python;
mod semver;
mod supply;
mod test;
mod tidy;
mod usage;

use std::process::ExitCode;

use cargo::hand_over;
use usage::{Fuzz, Task};

fn main() -> ExitCode {
    if let Some(code) = guided::compiler().or_else(api::rustdoc) {
        return code;
    }
    let task = match usage::parse(std::env::args_os().skip(1).collect()) {
        Ok(task) => task,
        Err(error) => {
            eprintln!("xtask: {error}\n\n{}", usage::TEXT);
            return ExitCode::from(2);
        }
    };
    let outcome = match task {
        Task::Help => {
            println!("{}", usage::TEXT);
            Ok(0)
        }
        Task::Test(arguments) => test::run(&arguments),
        Task::Tidy => tidy::run(),
        Task::Ci => ci::run(),
        Task::Python => python::run(),
        Task::Package { python } => package::run(python),
        Task::Book => book::run(),
        Task::Api { check } => api::run(check),
        Task::Mpi { faults } => mpi::run(faults.as_ref()),
        Task::Faults { kills } => faults::run(kills.as_ref()),
        Task::Mutants(arguments) => mutants::run(&arguments),
        Task::Supply => supply::run(),
        Task::Bench(bench) => bench::run(&bench),
        Task::Reproduce(arguments) => forward::reproduce(&arguments, hand_over),
        Task::Conform(arguments) => forward::program("conformance", &arguments, hand_over),
        Task::Data(arguments) => forward::data(&arguments, hand_over),
        Task::Fuzz(Fuzz::Mutated(arguments)) => forward::program("fuzzing", &arguments, hand_over),
        Task::Fuzz(Fuzz::Guided(arguments)) => guided::run(&arguments),
    };
    outcome.map_or_else(
        |failure| {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        },
        ExitCode::from,
    )
}
