//! The actions that were taken and those on offer, by names that are known or found.

use crate::FormatError;
use crate::columns::Dictionary;
use crate::error::Place;
use crate::facts::FileName;
use crate::record::{Cell, Offered, Record, Span};
use off_policy::{ActionNames, ActionSets, LogError};
use ranks::Ranks;

/// The actions of the rows read so far.
pub(crate) struct Actions {
    file: FileName,
    /// The column of the actions, for messages.
    column: String,
    separator: char,
    names: Dictionary,
    /// Whether there are no others than those.
    is_known: bool,
    /// Whether the known names are `1`, `2`, …, as actions are called that have no name.
    are_places: bool,
    taken: Vec<u32>,
    /// Row i is `listed[offsets[i]..offsets[i + 1]]`.
    offsets: Vec<usize>,
    listed: Vec<u32>,
    placed: Placed,
    scratch: Vec<u32>,
    buffer: String,
}

/// Actions by their places, while it is not known whether their tags are names.
#[derive(Default)]
struct Placed {
    rows: Vec<(u32, Option<u32>)>,
    /// Every event so far has a tag for every action, and no tag twice.
    are_tagged: bool,
    most: u32,
}

/// Actions taken, those on offer, and their names.
pub(crate) type Found = (Vec<u32>, Option<ActionSets>, Vec<String>);

const MOST_ACTIONS: usize = 1 << 24;

impl Actions {
    pub(crate) fn new(file: FileName, column: &str, separator: char, known: Option<&ActionNames>) -> Self {
        let mut names = Dictionary::default();
        match known {
            None => {}
            Some(ActionNames::Numbered(count)) => (0..*count).for_each(|k| {
                names.number(&k.to_string());
            }),
            Some(ActionNames::Labels(labels)) => labels.iter().for_each(|label| {
                names.number(label);
            }),
        }
        let mut places = (1_usize..).zip(0..names.len());
        let are_places = places
            .all(|(place, k)| names.label(u32::try_from(k).unwrap_or(u32::MAX)) == Some(&*place.to_string()));
        Self {
            file,
            column: column.to_owned(),
            separator,
            names,
            is_known: known.is_some(),
            are_places,
            taken: Vec::new(),
            offsets: vec![0],
            listed: Vec::new(),
            placed: Placed { are_tagged: true, ..Placed::default() },
            scratch: Vec::new(),
            buffer: String::new(),
        }
    }

    /// The action of a cell, and those of a cell that lists them; the shown one may be absent where rows are
    /// only predicted for.
    pub(crate) fn push_cells(
        &mut self,
        record: &Record,
        action: Option<Cell>,
        available: Option<Cell>,
    ) -> Result<(), FormatError> {
        if let Some(cell) = available {
            match cell {
                Cell::List(span) => {
                    for item in record.items(span) {
                        let code = self.code(record, *item)?;
                        self.listed.push(code);
                    }
                }
                Cell::Bare(span) | Cell::Text(span) => {
                    let text = record.text(span);
                    for part in text.split(self.separator) {
                        let code = self.named(record, part.trim())?;
                        self.listed.push(code);
                    }
                }
                Cell::Missing => return Err(self.missing(record, ": there is no action on offer")),
                other => {
                    let code = self.code(record, other)?;
                    self.listed.push(code);
                }
            }
            self.offsets.push(self.listed.len());
        }
        let Some(cell) = action else { return Ok(()) };
        let code = self.code(record, cell)?;
        if available.is_some() {
            let start = self.offsets.iter().nth_back(1).copied().unwrap_or_default();
            self.check_on_offer(record, code, start)?;
        }
        self.taken.push(code);
        Ok(())
    }

    fn check_on_offer(&self, record: &Record, code: u32, start: usize) -> Result<(), FormatError> {
        if self.listed.get(start..).is_some_and(|own| own.contains(&code)) {
            return Ok(());
        }
        let value = self.names.label(code).unwrap_or_default().to_owned();
        Err(FormatError::NotOnOffer { place: record.place(), column: self.column.clone(), value })
    }

    /// The actions of an event.
    pub(crate) fn push_offered(&mut self, record: &Record, offered: Offered) -> Result<(), FormatError> {
        match offered {
            Offered::Named { shown, list } => {
                if let Some(list) = list {
                    for item in record.items(list) {
                        let code = self.code(record, *item)?;
                        self.listed.push(code);
                    }
                }
                let start = self.offsets.last().copied().unwrap_or_default();
                self.offsets.push(self.listed.len());
                let Some(shown) = shown else { return Ok(()) };
                let code = self.named(record, record.text(shown))?;
                if list.is_some() {
                    self.check_on_offer(record, code, start)?;
                }
                self.taken.push(code);
                Ok(())
            }
            Offered::Placed { shown, count, tags } => self.push_placed(record, shown, count, tags),
        }
    }

    fn push_placed(
        &mut self,
        record: &Record,
        shown: Option<u32>,
        count: u32,
        tags: Option<Span>,
    ) -> Result<(), FormatError> {
        if self.is_known {
            return self.push_known(record, shown, count, tags);
        }
        let start = self.listed.len();
        match tags {
            Some(tags) if self.placed.are_tagged => {
                for tag in record.items(tags) {
                    let code = self.code(record, *tag)?;
                    self.listed.push(code);
                }
                self.scratch.clear();
                self.scratch.extend_from_slice(self.listed.get(start..).unwrap_or_default());
                self.scratch.sort_unstable();
                let (all, own) = (self.scratch.len(), record.items(tags).len());
                self.scratch.dedup();
                self.placed.are_tagged = self.scratch.len() == all && own == count as usize;
            }
            _ => self.placed.are_tagged = false,
        }
        if !self.placed.are_tagged {
            // Tags are names for all events or for none.
            (self.listed, self.names) = (Vec::new(), Dictionary::default());
        }
        self.offsets.push(self.listed.len());
        self.placed.most = self.placed.most.max(count);
        self.placed.rows.push((count, shown));
        Ok(())
    }

    fn push_known(
        &mut self,
        record: &Record,
        shown: Option<u32>,
        count: u32,
        tags: Option<Span>,
    ) -> Result<(), FormatError> {
        let start = self.listed.len();
        if self.are_places {
            for place in 0..count {
                let code = self.named(record, &(u64::from(place) + 1).to_string())?;
                self.listed.push(code);
            }
        } else {
            let Some(tags) = tags else {
                return Err(self.missing(record, ": the actions of the model have names and these have none"));
            };
            for tag in record.items(tags) {
                let code = self.code(record, *tag)?;
                self.listed.push(code);
            }
        }
        self.offsets.push(self.listed.len());
        if let Some(shown) = shown {
            let code = self.listed.get(start + shown as usize).copied();
            self.taken.push(code.ok_or_else(|| self.missing(record, ": the shown action is none of them"))?);
        }
        Ok(())
    }

    fn code(&mut self, record: &Record, cell: Cell) -> Result<u32, FormatError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let text = record.written(cell, &mut buffer);
        let found = match cell {
            Cell::List(_) => {
                let (place, column, value) = (record.place(), self.column.clone(), text.to_owned());
                Err(FormatError::BadCell { place, column, value, expected: "the name of an action" })
            }
            _ => self.named(record, text),
        };
        self.buffer = buffer;
        found
    }

    fn named(&mut self, record: &Record, name: &str) -> Result<u32, FormatError> {
        if let Some(code) = self.names.find(name) {
            return Ok(code);
        }
        if name.is_empty() {
            return Err(self.missing(record, ": an action is missing"));
        }
        let (place, actions) = (record.place(), self.names.len());
        if self.is_known {
            let (column, value) = (self.column.clone(), name.to_owned());
            return Err(FormatError::UnknownAction { place, column, value, actions });
        }
        if actions >= MOST_ACTIONS {
            return Err(FormatError::TooMany { place, what: "actions", limit: MOST_ACTIONS as u64 });
        }
        Ok(self.names.number(name))
    }

    fn missing(&self, record: &Record, hint: &'static str) -> FormatError {
        FormatError::MissingCell { place: record.place(), column: self.column.clone(), hint }
    }

    /// All actions; `names` in an order that does not depend on the rows, or that of the known ones.
    pub(crate) fn finish(mut self, ranks: &Ranks, notes: &mut Vec<String>) -> Result<Found, FormatError> {
        self.place_all(ranks, notes)?;
        if !self.is_known {
            self.names.merge(ranks)?;
        }
        let count = self.names.len();
        let (names, places) = if self.is_known {
            (self.names.list(), Vec::new())
        } else {
            std::mem::take(&mut self.names).sorted()
        };
        let moved = |code: &u32| places.get(*code as usize).copied().unwrap_or(*code);
        let taken: Vec<u32> = self.taken.iter().map(moved).collect();
        let mut row = Vec::new();
        let mut is_all = true;
        if !self.listed.is_empty() {
            for ends in self.offsets.windows(2) {
                row.clear();
                row.extend_from_slice(self.listed.get(ends[0]..ends[1]).unwrap_or_default());
                row.sort_unstable();
                row.dedup();
                // A row without a list has every action on offer.
                is_all &= row.is_empty() || row.len() == count;
            }
        }
        // Without a list in any row there are no sets.
        if !ranks.any(!is_all)? {
            return Ok((taken, None, names));
        }
        let mut whole = [self.offsets.windows(2).filter(|ends| ends[0] == ends[1]).count() as u64];
        ranks.sum(&mut whole)?;
        let limit = 1 << 30;
        if whole[0].saturating_mul(count as u64) > limit {
            let place = Place { file: self.file, row: None, line: None };
            return Err(FormatError::TooMany {
                place,
                what: "actions on offer in rows without a list",
                limit,
            });
        }
        let every: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
        let rows = self.offsets.windows(2).map(|ends| {
            let own = self.listed.get(ends[0]..ends[1]).unwrap_or_default();
            if own.is_empty() { every.clone() } else { own.iter().map(moved).collect::<Vec<u32>>() }
        });
        let sets = ActionSets::new(count, rows).map_err(|error: LogError| FormatError::Log(error))?;
        Ok((taken, Some(sets), names))
    }

    /// Gives actions by place their names: tags where all have one, and otherwise `1`, `2`, ….
    fn place_all(&mut self, ranks: &Ranks, notes: &mut Vec<String>) -> Result<(), FormatError> {
        let rows = std::mem::take(&mut self.placed.rows);
        // Of all ranks: whether there is such an action, and one without a tag; the most actions of a row,
        // and the fewest, from the other end.
        let fewest = rows.iter().map(|(count, _)| *count).min().unwrap_or(u32::MAX);
        let (is_there, is_untagged) = (!rows.is_empty(), !self.placed.are_tagged);
        let mut facts = [
            u64::from(is_there),
            u64::from(is_untagged),
            u64::from(self.placed.most),
            u64::from(u32::MAX - fewest),
        ];
        ranks.max(&mut facts)?;
        let [is_there, is_untagged, most, above_fewest] = facts;
        if is_there == 0 {
            return Ok(());
        }
        if is_untagged == 0 {
            for ((_, shown), ends) in rows.iter().zip(self.offsets.windows(2)) {
                let own = self.listed.get(ends[0]..ends[1]).unwrap_or_default();
                self.taken.extend(shown.and_then(|shown| own.get(shown as usize)));
            }
            return Ok(());
        }
        notes.push(
            "not every action has a name of its own: they are called 1, 2, … by their places".to_owned(),
        );
        let limit = MOST_ACTIONS as u64;
        if most > limit {
            let place = Place { file: self.file.clone(), row: None, line: None };
            return Err(FormatError::TooMany { place, what: "actions", limit });
        }
        (self.names, self.listed, self.offsets) = (Dictionary::default(), Vec::new(), vec![0]);
        for place in 1..=most {
            self.names.number(&place.to_string());
        }
        let is_fixed = most + above_fewest == u64::from(u32::MAX);
        for (count, shown) in rows {
            if !is_fixed {
                self.listed.extend(0..count);
            }
            self.offsets.push(self.listed.len());
            self.taken.extend(shown);
        }
        Ok(())
    }
}
