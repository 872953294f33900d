//! The step between a command line and its experiment: find the data, or warn that they are absent.

use crate::arguments::Common;
use datasets::{SearchPath, Set};
use experiments::data_command::stand_ins::StandIns;
use experiments::threads;
use report::output::{say, warn};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// The data of an experiment.
pub(crate) struct Ready {
    pub(crate) search: SearchPath,
    stand_ins: Option<StandIns>,
}

impl Ready {
    /// Announces an experiment; warns of stand-ins, or refuses them.
    pub(crate) fn new(common: &Common, name: &str, sets: &[Set]) -> Result<Self, Box<dyn Error>> {
        threads::count(common.threads)?;
        let search = SearchPath::from_environment(common.data.as_deref())?;
        let stand_ins = StandIns::among(sets, &search);
        if let Some(stand_ins) = &stand_ins {
            if common.strict {
                return Err(format!("--strict: {stand_ins}").into());
            }
            warn(&format!("warning: {stand_ins}"));
        }
        if !common.quiet {
            warn(&format!("{name}: results go to {}", common.out.display()));
        }
        Ok(Self { search, stand_ins })
    }

    /// Shows the results, and repeats the warning: the first one has scrolled out of sight.
    pub(crate) fn show(&self, terminal: &str, files: &[PathBuf]) -> Result<ExitCode, Box<dyn Error>> {
        say(&format!("{terminal}\n"))?;
        for file in files {
            say(&format!("{}", file.display()))?;
        }
        if let Some(stand_ins) = &self.stand_ins {
            warn(&format!("warning: {stand_ins}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
