//! A column that was read to the end.

use super::column::{Column, NO_LABEL, Store, sum};
use super::dictionary::Dictionary;
use super::matrix::{Coded, Values};
use super::summary::{Counts, Summary};
use crate::FormatError;
use crate::error::quoted;
use off_policy::ContextColumn;

/// What a column holds.
pub(super) enum Finished {
    /// Columns of the contexts, one as a rule.
    Coded { columns: Vec<Coded>, missing: u64, note: Option<String> },
    /// Left out, and why.
    Left(String),
}

impl Column {
    /// What the column holds, by what is known of this many rows of all ranks. Its labels are those of all
    /// ranks.
    pub(super) fn finish(mut self, all: &Summary, rows: u64) -> Result<Finished, FormatError> {
        let name = self.name.clone();
        let Counts { numbers, dates, texts, marks, missing, lists, .. } = all.counts;
        if lists > 0 {
            return Ok(Finished::Left(format!("column {} left out: it holds lists", quoted(&name))));
        }
        if numbers + dates + texts == 0 && !(self.is_forced && marks > 0) {
            return Ok(Finished::Left(format!(
                "column {} left out: it is empty in every row",
                quoted(&name)
            )));
        }
        match std::mem::replace(&mut self.store, Store::TooMany) {
            Store::Numbers { mut numbers, .. } if !self.is_of_labels(all) => {
                if let Some(seen) = &all.bad_number {
                    let expected = "a finite number up to 1e140 in magnitude";
                    let (place, value) = (seen.place(), seen.value.clone());
                    return Err(FormatError::BadCell { place, column: name, value, expected });
                }
                let missing = missing + marks;
                let column = match (dates > 0, missing > 0) {
                    (false, false) => ContextColumn::Number { name: name.clone() },
                    (false, true) => ContextColumn::NumberOrMissing { name: name.clone() },
                    (true, false) => ContextColumn::Date { name: name.clone() },
                    (true, true) => ContextColumn::DateOrMissing { name: name.clone() },
                };
                let note = (all.rises && self.rows.is_none() && rows >= 20).then(|| {
                    format!(
                        "column {} holds whole numbers that rise from row to row: leave it out if it \
                         only numbers the rows",
                        quoted(&name)
                    )
                });
                if let (Some(rows), true) = (&mut self.rows, self.is_repeated) {
                    once(rows, &mut numbers, sum);
                }
                let columns = vec![Coded { column, rows: self.rows, values: Values::Numbers(numbers) }];
                Ok(Finished::Coded { columns, missing, note })
            }
            Store::Labels { codes, dictionary }
                if !all.has_too_many && (self.is_forced || dictionary.len() <= self.most_labels) =>
            {
                let present = all.counts.kinds_of_rows().iter().sum::<u64>();
                let distinct = dictionary.len() as u64;
                if !self.is_forced && distinct > 50 && distinct * 2 > present {
                    return self.too_many(all, Some(distinct));
                }
                Ok(self.coded(all, codes, dictionary))
            }
            _ => self.too_many(all, None),
        }
    }

    fn coded(mut self, all: &Summary, mut codes: Vec<u32>, mut dictionary: Dictionary) -> Finished {
        let (missing, name) = (all.counts.missing, self.name);
        // A missing label is the empty one.
        if missing > 0 {
            let empty = dictionary.number("");
            codes.iter_mut().filter(|code| **code == NO_LABEL).for_each(|code| *code = empty);
        }
        let (labels, places) = dictionary.sorted();
        for code in &mut codes {
            *code = places.get(*code as usize).copied().unwrap_or_default();
        }
        if all.is_set {
            return sets(&name, &self.rows.unwrap_or_default(), &codes, &labels);
        }
        if let (Some(rows), true) = (&mut self.rows, self.is_repeated) {
            once(rows, &mut codes, |code, _| code);
        }
        let column = ContextColumn::Labels { name, labels };
        let columns = vec![Coded { column, rows: self.rows, values: Values::Codes(codes) }];
        Finished::Coded { columns, missing, note: None }
    }

    /// Too many labels: identifiers, or numbers with a text among them.
    fn too_many(&self, all: &Summary, distinct: Option<u64>) -> Result<Finished, FormatError> {
        let [numbers, dates, texts, marks] = all.counts.kinds_of_rows();
        let present = numbers + dates + texts + marks;
        for (count, expected) in [(numbers, "a number"), (dates, "a date")] {
            if let Some(seen) = &all.first_text
                && count * 2 > present
            {
                let (column, value) = (self.name.clone(), seen.value.clone());
                return Err(FormatError::MixedColumn { place: seen.place(), column, value, expected });
            }
        }
        let count = distinct.map_or_else(|| format!("more than {}", self.most_labels), |n| n.to_string());
        Ok(Finished::Left(format!(
            "column {} left out: {count} labels in {present} rows look like identifiers; name it among the \
             columns of labels to keep it",
            quoted(&self.name)
        )))
    }
}

/// One value a row, of rows that may stand several times, one behind the other.
fn once<T: Copy>(rows: &mut Vec<u32>, values: &mut Vec<T>, with: impl Fn(T, T) -> T) {
    let (mut own, mut of_own): (Vec<u32>, Vec<T>) = (Vec::new(), Vec::new());
    for (row, value) in rows.iter().zip(&*values) {
        match of_own.last_mut() {
            Some(last) if own.last() == Some(row) => *last = with(*last, *value),
            _ => {
                own.push(*row);
                of_own.push(*value);
            }
        }
    }
    (*rows, *values) = (own, of_own);
}

/// A column whose rows have several labels: one of numbers a label, 1 where the label stands.
fn sets(name: &str, rows: &[u32], codes: &[u32], labels: &[String]) -> Finished {
    let mut of_label: Vec<Vec<u32>> = labels.iter().map(|_| Vec::new()).collect();
    for (row, code) in rows.iter().zip(codes) {
        if let Some(rows) = of_label.get_mut(*code as usize)
            && rows.last() != Some(row)
        {
            rows.push(*row);
        }
    }
    let columns = labels.iter().zip(of_label).map(|(label, rows)| {
        let column = ContextColumn::Number { name: format!("{name}={label}") };
        let values = Values::Numbers(vec![1.0; rows.len()]);
        Coded { column, rows: Some(rows), values }
    });
    Finished::Coded { columns: columns.collect(), missing: 0, note: None }
}
