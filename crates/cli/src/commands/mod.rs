//! The commands: a file each, and what they share: [`reading`] of logs, [`judgement`], [`models`],
//! [`output`], [`progress`] and [`interruption`], [`saving`] of trainings and the [`memory`] for them,
//! [`codings`] of models that are compared and how a [`comparison`] is shown, and what [`classifiers`] and
//! learners of [`streams`] do where others have policies; [`candidates`], where actions have features.

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
mod memory;
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

use crate::arguments::{Cli, Command, Form};
use crate::failure::Failure;
use boosters::Threads;
use formats::LogOptions;
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

/// Checks what a command can know of its settings before it opens a file.
pub(crate) fn check(cli: &Cli) -> Result<(), Failure> {
    let manners = &cli.manners;
    if let Some(count) = manners.threads {
        Threads::exactly(count)?.count()?;
    }
    let of_log = |columns| reading::options(LogOptions::default(), columns).map(|_| ());
    let of_table = |columns| reading::within(LogOptions::default(), columns).map(|_| ());
    match &cli.command {
        Command::Train(asked) => {
            manners.form("train", Form::Text, &[Form::Json])?;
            train::settings(asked, manners, &Ranks::alone()).map(|_| ())
        }
        Command::Evaluate(asked) => {
            judgement::judge(&asked.certainty, manners).map(|_| ())?;
            of_log(&asked.columns)
        }
        Command::Compare(asked) => {
            judgement::judge(&asked.certainty, manners).map(|_| ())?;
            of_log(&asked.columns)
        }
        Command::Predict(asked) => of_log(&asked.columns),
        Command::Convert(asked) => of_log(&asked.columns),
        Command::Boost(asked) => {
            of_table(&asked.columns)?;
            boost::settings(asked, manners)?.build().map(|_| ()).map_err(Failure::Setting)
        }
        Command::Stream(asked) => {
            of_table(&asked.columns)?;
            stream::settings(asked, manners).build().map(|_| ()).map_err(Failure::Setting)
        }
        Command::Inspect(_) | Command::Export(_) | Command::Completions(_) | Command::Man(_) => Ok(()),
    }
}
