//! The logged actions of a table, and those on offer.

use super::columns::ActionCoding;
use crate::readers::ReadError;
use crate::readers::labels::Labels;
use crate::readers::table::Table;
use crate::{ActionSets, LogError};
use std::io::Read;

/// The actions of the rows read so far.
pub(super) struct Actions {
    /// The column of the logged ones, where they are read.
    place: Option<usize>,
    coder: Coder,
    logged: Vec<u32>,
    on_offer: Option<Lists>,
}

/// The actions on offer in the rows read so far.
struct Lists {
    place: usize,
    separator: char,
    /// Row i is `listed[offsets[i]..offsets[i + 1]]`.
    offsets: Vec<usize>,
    listed: Vec<u32>,
}

/// Logged actions, those on offer, and labels.
type Parts = (Vec<u32>, Option<ActionSets>, Vec<String>);

impl Actions {
    /// Logged in the column at `place`; on offer are those in another, with a character between them.
    pub(super) fn new(
        coding: &ActionCoding,
        place: Option<usize>,
        on_offer: Option<(usize, char)>,
    ) -> Result<Self, ReadError> {
        let coder = match coding {
            ActionCoding::Index(actions) => Coder::Index(*actions),
            ActionCoding::Appearance => Coder::Labels(Labels::growing()),
            ActionCoding::Labels(labels) => {
                Coder::Labels(Labels::known(labels).map_err(|label| ReadError::DuplicateAction { label })?)
            }
        };
        let list = |(place, separator)| Lists { place, separator, offsets: vec![0], listed: Vec::new() };
        Ok(Self { place, coder, logged: Vec::new(), on_offer: on_offer.map(list) })
    }

    /// Another row.
    pub(super) fn push<R: Read>(&mut self, table: &Table<R>) -> Result<(), ReadError> {
        let Self { place, coder, logged, on_offer } = self;
        if let Some(Lists { place, separator, offsets, listed }) = on_offer {
            for written in table.text(*place)?.split(*separator) {
                listed.push(coder.action(table, *place, written.trim())?);
            }
            offsets.push(listed.len());
        }
        let Some(place) = *place else { return Ok(()) };
        let action = coder.action(table, place, table.text(place)?)?;
        if let Some(Lists { place, offsets, listed, .. }) = on_offer {
            let start = offsets.iter().nth_back(1).copied().unwrap_or_default();
            if !listed[start..].contains(&action) {
                return Err(table.bad(*place, "a list that the logged action is on"));
            }
        }
        logged.push(action);
        Ok(())
    }

    pub(super) fn count(&self) -> usize {
        match &self.coder {
            Coder::Index(actions) => *actions,
            Coder::Labels(labels) => labels.count(),
        }
    }

    pub(super) fn finish(self) -> Result<Parts, LogError> {
        let count = self.count();
        let sets = self.on_offer.map(|Lists { offsets, listed, .. }| {
            ActionSets::new(count, offsets.windows(2).map(|ends| &listed[ends[0]..ends[1]]))
        });
        let labels = match self.coder {
            Coder::Index(_) => Vec::new(),
            Coder::Labels(labels) => labels.into_list(),
        };
        Ok((self.logged, sets.transpose()?, labels))
    }
}

/// What is written to actions.
enum Coder {
    /// Whole numbers below this |A|.
    Index(usize),
    Labels(Labels),
}

impl Coder {
    /// The action that is written like this in the cell at `place`, or in a part of it.
    fn action<R: Read>(&mut self, table: &Table<R>, place: usize, written: &str) -> Result<u32, ReadError> {
        let (action, actions) = match self {
            Self::Index(actions) => {
                (written.parse::<u32>().ok().filter(|action| (*action as usize) < *actions), *actions)
            }
            // A cell without a label is one that somebody forgot to fill, unless it was said to be an action;
            // to be numbered in the order of appearance is not to be said.
            Self::Labels(labels) if written.is_empty() && labels.known_number(written).is_none() => {
                return Err(table.bad(place, "the label of an action"));
            }
            Self::Labels(labels) => (labels.number(written), labels.count()),
        };
        action.ok_or_else(|| table.unknown_action(place, written, actions))
    }
}
