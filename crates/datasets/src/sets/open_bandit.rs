//! The Open Bandit Dataset: real logs of a shop's recommendations, as published files.

use crate::error::DataError;
use crate::files::source::read_failure;
use crate::files::{OfficialFile, SearchPath};
use crate::names::Set;
use std::io::Read;

/// What was recommended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Campaign {
    /// Clothes for men: 34 items.
    Men,
}

/// Who chose the items: the logging policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoggingPolicy {
    /// Bernoulli Thompson sampling.
    Bts,
    /// Uniform over the items.
    Random,
}

/// Which file of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// What was shown to whom, where, with which probability, and whether it was clicked: 10,000 lines.
    Log,
    /// What is known of the items: 34 lines.
    Items,
}

/// The decompressed bytes of a published file, whose content must be the official one; `None` where no folder
/// of `search` has it.
///
/// The files are those of the small version of the data set, under their official names
/// (`obd/bts/men/men.csv`, `obd/random/men/item_context.csv` and so on), plain or compressed.
///
/// ```
/// use datasets::SearchPath;
/// use datasets::open_bandit::{Campaign, LoggingPolicy, Part, file};
/// let absent = file(&SearchPath::nowhere(), Campaign::Men, LoggingPolicy::Bts, Part::Log)?;
/// assert_eq!(absent, None);
/// # Ok::<(), datasets::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::WrongChecksum`], [`DataError::TooLarge`], [`DataError::Io`], [`DataError::Truncated`].
pub fn file(
    search: &SearchPath,
    campaign: Campaign,
    policy: LoggingPolicy,
    part: Part,
) -> Result<Option<Vec<u8>>, DataError> {
    let name = official_name(campaign, policy, part);
    let Some(official) = OfficialFile::of(Set::OpenBandit).find(|file| file.name == name) else {
        return Ok(None);
    };
    let Some(path) = search.find(official) else { return Ok(None) };
    let mut source = official.open(&path)?;
    let mut bytes = Vec::new();
    source.by_ref().read_to_end(&mut bytes).map_err(|e| read_failure(&path, 0, e))?;
    official.check(&source.finish()?)?;
    Ok(Some(bytes))
}

fn official_name(campaign: Campaign, policy: LoggingPolicy, part: Part) -> &'static str {
    match (campaign, policy, part) {
        (Campaign::Men, LoggingPolicy::Bts, Part::Log) => "obd/bts/men/men.csv",
        (Campaign::Men, LoggingPolicy::Bts, Part::Items) => "obd/bts/men/item_context.csv",
        (Campaign::Men, LoggingPolicy::Random, Part::Log) => "obd/random/men/men.csv",
        (Campaign::Men, LoggingPolicy::Random, Part::Items) => "obd/random/men/item_context.csv",
    }
}
