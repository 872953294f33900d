//! What decides which kind a column is of.

use crate::error::Seen;
use serde::{Deserialize, Serialize};

/// The cells of a column, by what they are.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) numbers: u64,
    pub(super) dates: u64,
    pub(super) texts: u64,
    /// Texts that say that a number is missing.
    pub(super) marks: u64,
    pub(super) missing: u64,
    pub(super) lists: u64,
    /// Numbers, dates, texts and marks that are not the first cell of their row. Of cells that say the same,
    /// some are not counted at all, by what was known of the column when they were read.
    pub(super) again: [u64; 4],
}

impl Counts {
    /// Numbers, dates, texts and marks.
    pub(super) fn kinds(&self) -> [u64; 4] {
        [self.numbers, self.dates, self.texts, self.marks]
    }

    /// The same, of which a row has one.
    pub(super) fn kinds_of_rows(&self) -> [u64; 4] {
        let (kinds, again) = (self.kinds(), self.again);
        [0, 1, 2, 3].map(|k| kinds[k].saturating_sub(again[k]))
    }
}

/// What decides which kind a column is of: of the rows of a rank, and of all.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) counts: Counts,
    pub(super) first_text: Option<Seen>,
    pub(super) bad_number: Option<Seen>,
    /// Whether the cells are whole numbers that rise.
    pub(super) rises: bool,
    /// The bits of the first and the last number.
    pub(super) ends: Option<[u64; 2]>,
    pub(super) is_set: bool,
    /// Whether some labels are not kept, because there are too many.
    pub(super) has_too_many: bool,
}

impl Summary {
    /// Adds what is known of the rows of the next rank.
    pub(super) fn append(&mut self, next: Self) {
        let (own, of_next) = (&mut self.counts, &next.counts);
        own.numbers += of_next.numbers;
        own.dates += of_next.dates;
        own.texts += of_next.texts;
        own.marks += of_next.marks;
        own.missing += of_next.missing;
        own.lists += of_next.lists;
        own.again.iter_mut().zip(of_next.again).for_each(|(own, of_next)| *own += of_next);
        self.first_text = self.first_text.take().or(next.first_text);
        self.bad_number = self.bad_number.take().or(next.bad_number);
        self.rises &= next.rises;
        self.ends = match (self.ends, next.ends) {
            (Some([first, before]), Some([behind, last])) => {
                self.rises &= f64::from_bits(before) < f64::from_bits(behind);
                Some([first, last])
            }
            (own, of_next) => own.or(of_next),
        };
        self.is_set |= next.is_set;
        self.has_too_many |= next.has_too_many;
    }
}
