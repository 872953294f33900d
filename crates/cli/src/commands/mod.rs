//! The commands: a file each, and what they share: [`reading`] of logs, [`judgement`], [`models`],
//! [`output`], [`progress`] and [`interruption`], [`saving`] of trainings, [`codings`] of models that are
//! compared and how a [`comparison`] is shown, and what
//! [`classifiers`] and learners of [`streams`] do where others have policies; [`candidates`], where actions
//! have features.

mod boost;
mod candidates;
mod classes;
mod classifiers;
mod codings;
mod comparison;
mod confidence;
mod convert;
mod describe;
mod export;
mod inspect;
mod interruption;
mod judgement;
mod judging;
mod models;
mod output;
mod predict;
mod progress;
mod reading;
mod saving;
mod splits;
mod stream;
mod streams;
mod train;

use crate::arguments::{Cli, Command};
use crate::failure::Failure;
use boosters::Threads;
use ranks::Ranks;
pub(crate) use train::patience;

/// Runs a command, `train` on the rows of these ranks, and returns its exit code.
pub(crate) fn run(cli: &Cli, ranks: &Ranks) -> Result<u8, Failure> {
    let threads = match cli.manners.threads {
        Some(count) => Threads::exactly(count)?,
        None => Threads::all(),
    };
    let manners = &cli.manners;
    threads.run(|| match &cli.command {
        Command::Train(asked) => train::train(asked, manners, ranks),
        Command::Evaluate(asked) => judging::evaluate(asked, manners),
        Command::Compare(asked) => judging::compare(asked, manners),
        Command::Predict(asked) => predict::predict(asked, manners),
        Command::Inspect(asked) => inspect::inspect(asked, manners),
        Command::Convert(asked) => convert::convert(asked, manners),
        Command::Export(asked) => export::export(asked, manners),
        Command::Completions(asked) => describe::completions(asked, manners),
        Command::Man(asked) => describe::man(asked, manners),
        Command::Boost(asked) => boost::boost(asked, manners),
        Command::Stream(asked) => stream::stream(asked, manners),
    })?
}
