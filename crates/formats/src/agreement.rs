//! What ranks tell each other while they read a log: that they go on, why they do not, and what they found.

use crate::FormatError;
use ranks::{RankError, Ranks};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;

/// How many records a rank reads before it asks whether another one has failed.
const RECORDS: u64 = 1 << 16;

/// Work of which no rank knows how long it takes on the others, and which each of them may fail at.
///
/// The ranks meet once in a while, and those that have ended meet the others until these have ended too. So
/// a rank that fails ends the work of all, and nobody waits for it in vain.
pub(crate) struct Agreement<'r> {
    ranks: &'r Ranks,
    records: Cell<u64>,
    /// Whether the other ranks know that the work has failed.
    is_over: Cell<bool>,
}

impl<'r> Agreement<'r> {
    pub(crate) fn new(ranks: &'r Ranks) -> Self {
        Self { ranks, records: Cell::new(0), is_over: Cell::new(false) }
    }

    /// Counts a record that is read.
    pub(crate) fn record(&self) -> Result<(), FormatError> {
        if !self.ranks.are_several() {
            return Ok(());
        }
        self.records.set(self.records.get() + 1);
        if !self.records.get().is_multiple_of(RECORDS) {
            return Ok(());
        }
        let [failed, _] = self.meet(false, true)?;
        if failed { Err(self.tell(None)) } else { Ok(()) }
    }

    /// Ends the work of this rank, and waits for the others: what it has found, if none of them has failed.
    ///
    /// # Errors
    /// That of this rank, or else [`FormatError::OtherRank`].
    pub(crate) fn end<T>(self, own: Result<T, FormatError>) -> Result<T, FormatError> {
        if !self.ranks.are_several() || self.is_over.get() {
            return own;
        }
        loop {
            match self.meet(own.is_err(), false) {
                Err(error) => return own.and(Err(error)),
                Ok([true, _]) => {
                    let told = self.tell(own.as_ref().err());
                    return own.and(Err(told));
                }
                Ok([_, false]) => return own,
                Ok(_) => {}
            }
        }
    }

    /// Whether a rank has failed, and whether one works on.
    fn meet(&self, has_failed: bool, works_on: bool) -> Result<[bool; 2], FormatError> {
        let mut state = [has_failed, works_on].map(u64::from);
        let met = self.ranks.max(&mut state);
        self.is_over.set(met.is_err());
        met?;
        Ok(state.map(|of_any| of_any != 0))
    }

    /// Tells the error of this rank to the others: the error of the first one that has some.
    fn tell(&self, own: Option<&FormatError>) -> FormatError {
        self.is_over.set(true);
        let messages = match gathered(self.ranks, own.map(ToString::to_string)) {
            Ok(messages) => messages,
            Err(error) => return error,
        };
        let first = messages.into_iter().enumerate().find_map(|(rank, message)| Some((rank, message?)));
        let (rank, message) = first.unwrap_or_default();
        FormatError::OtherRank { rank, message }
    }
}

/// What every rank has found, in their order.
pub(crate) fn gathered<T: Serialize + DeserializeOwned>(
    ranks: &Ranks,
    own: T,
) -> Result<Vec<T>, FormatError> {
    if ranks.are_several() { read_all(&ranks.gather(written(&own)?)?) } else { Ok(vec![own]) }
}

fn written(own: &impl Serialize) -> Result<Vec<u8>, FormatError> {
    let mut bytes = serde_json::to_vec(own).map_err(|error| unreadable(&error))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn read_all<T: DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, FormatError> {
    let all = serde_json::Deserializer::from_slice(bytes).into_iter();
    all.collect::<Result<_, _>>().map_err(|error| unreadable(&error))
}

/// As where the ranks are of two versions of the program.
fn unreadable(error: &serde_json::Error) -> FormatError {
    RankError::System { reason: error.to_string() }.into()
}
