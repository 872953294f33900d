//! Rows from trials, and the check of their agreement.

use super::{Provenance, Record, RecordError, Row, Trial};

impl Record {
    /// Computes the rows from the trials: one per data set, method, metric and provenance, in order of first
    /// appearance. Rows without kept trials stay unchanged, after the others.
    pub fn summarise(&mut self) {
        let mut rows: Vec<Row> = cells(&self.trials).into_iter().map(|(cell, v)| cell.row(&v)).collect();
        let kept: Vec<Row> =
            self.rows.drain(..).filter(|old| rows.iter().all(|new| Cell::of(new) != Cell::of(old))).collect();
        rows.extend(kept);
        self.rows = rows;
    }

    /// Checks that numbers are finite, that spreads and durations are not negative, and that a row with kept
    /// trials is their summary up to rounding.
    pub(super) fn check(&self) -> Result<(), RecordError> {
        let number = |cell: &dyn Fn() -> String, field, value: f64, allowed: bool| {
            if allowed && value.is_finite() {
                return Ok(());
            }
            Err(RecordError::BadNumber { cell: cell(), field, value })
        };
        number(&|| self.experiment.clone(), "seconds", self.seconds, self.seconds >= 0.0)?;
        for trial in &self.trials {
            number(&|| Cell::from(trial).name(), "value", trial.value, true)?;
        }
        for row in &self.paper {
            let name = || format!("paper: {}, {}, {}", row.dataset, row.method, row.metric);
            number(&name, "mean", row.mean, true)?;
            let std = row.std.unwrap_or(0.0);
            number(&name, "std", std, std >= 0.0)?;
        }
        for row in &self.rows {
            let name = || Cell::of(row).name();
            number(&name, "mean", row.mean, true)?;
            number(&name, "std", row.std, row.std >= 0.0)?;
        }
        for (cell, values) in cells(&self.trials) {
            let found = cell.row(&values);
            let size = values.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * size;
            for row in self.rows.iter().filter(|row| Cell::of(row) == cell) {
                if row.n != found.n || !close(row.mean, found.mean) || !close(row.std, found.std) {
                    return Err(RecordError::RowDisagrees {
                        cell: cell.name(),
                        stated: (row.mean, row.std, row.n),
                        found: (found.mean, found.std, found.n),
                    });
                }
            }
        }
        Ok(())
    }
}

/// The key of a row.
#[derive(PartialEq, Clone, Copy)]
struct Cell<'a> {
    dataset: &'a str,
    method: &'a str,
    metric: &'a str,
    provenance: Provenance,
}

impl<'a> Cell<'a> {
    fn of(row: &'a Row) -> Self {
        let Row { dataset, method, metric, provenance, .. } = row;
        Self { dataset, method, metric, provenance: *provenance }
    }

    fn name(&self) -> String {
        format!("{}, {}, {}", self.dataset, self.method, self.metric)
    }

    fn row(&self, values: &[f64]) -> Row {
        let (mean, std) = mean_and_std(values);
        let [dataset, method, metric] = [self.dataset, self.method, self.metric].map(str::to_owned);
        Row { dataset, method, metric, mean, std, n: values.len(), provenance: self.provenance }
    }
}

impl<'a> From<&'a Trial> for Cell<'a> {
    fn from(trial: &'a Trial) -> Self {
        let Trial { dataset, method, metric, provenance, .. } = trial;
        Self { dataset, method, metric, provenance: *provenance }
    }
}

/// The values of each cell, in order of first appearance.
fn cells(trials: &[Trial]) -> Vec<(Cell<'_>, Vec<f64>)> {
    let mut cells: Vec<(Cell, Vec<f64>)> = Vec::new();
    for trial in trials {
        let of = Cell::from(trial);
        match cells.iter_mut().find(|(cell, _)| *cell == of) {
            Some((_, values)) => values.push(trial.value),
            None => cells.push((of, vec![trial.value])),
        }
    }
    cells
}

/// The mean, and the standard deviation with divisor n − 1 (0 for a single value).
///
/// The values are first divided by a power of two near the largest, which is exact. So neither the sum nor a
/// square overflows or vanishes.
#[allow(clippy::cast_precision_loss, reason = "trials are counted in dozens")]
pub fn mean_and_std(values: &[f64]) -> (f64, f64) {
    let largest = values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    let scale = rows::numeric::power_of_two_below(largest);
    let n = values.len() as f64;
    let mean = values.iter().map(|v| v / scale).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v / scale - mean).powi(2)).sum();
    (scale * mean, scale * (squares / (n - 1.0).max(1.0)).sqrt())
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these sums are exact")]
mod tests {
    use super::*;

    fn trial(dataset: &str, method: &str, trial: u64, value: f64) -> Trial {
        let [dataset, method] = [dataset, method].map(str::to_owned);
        let (metric, settings) = ("loss".to_owned(), serde_json::Value::Null);
        Trial { dataset, method, metric, trial, seed: 0, value, settings, provenance: Provenance::Official }
    }

    #[test]
    fn the_divisor_is_n_minus_1() {
        assert_eq!(mean_and_std(&[1.0, 2.0, 3.0, 6.0]), (3.0, (14.0_f64 / 3.0).sqrt()));
        assert_eq!(mean_and_std(&[0.3]), (0.3, 0.0));
        assert_eq!(mean_and_std(&[0.0, 0.0]), (0.0, 0.0));
    }

    #[test]
    fn extreme_values_neither_overflow_nor_vanish() {
        for unit in [2.0_f64.powi(1020), 2.0_f64.powi(-1070)] {
            let (mean, std) = mean_and_std(&[unit, 3.0 * unit, 5.0 * unit]);
            assert_eq!((mean, std), (3.0 * unit, 2.0 * unit));
        }
        assert!(mean_and_std(&[1.0, f64::INFINITY]).0.is_nan());
    }

    #[test]
    fn interleaved_trials_are_grouped_and_rows_without_trials_stay() {
        let mut record = Record::new("test", 0, serde_json::Value::Null);
        record.trials = vec![
            trial("a", "x", 0, 1.0),
            trial("a", "y", 0, 5.0),
            trial("a", "x", 1, 3.0),
            Trial { provenance: Provenance::StandIn, ..trial("a", "x", 0, 9.0) },
        ];
        let external = Row { method: "external".into(), ..Cell::from(&record.trials[0]).row(&[7.0]) };
        record.rows = vec![external.clone()];
        record.summarise();
        let found: Vec<_> = record.rows.iter().map(|r| (r.method.as_str(), r.mean, r.n)).collect();
        assert_eq!(found, [("x", 2.0, 2), ("y", 5.0, 1), ("x", 9.0, 1), ("external", 7.0, 1)]);
        record.check().unwrap();
        let rows = record.rows.clone();
        record.summarise();
        assert_eq!(record.rows, rows, "a second time changes nothing");
        for (off, agrees) in [(1e-12, true), (1e-6, false)] {
            record.rows.clone_from(&rows);
            record.rows[0].mean += off;
            assert_eq!(record.check().is_ok(), agrees, "{off}");
            record.rows.clone_from(&rows);
            record.rows[0].std -= off;
            assert_eq!(record.check().is_ok(), agrees, "{off}");
        }
        record.rows.clone_from(&rows);
        record.rows[0].std += 1e-3;
        assert!(matches!(record.check(), Err(RecordError::RowDisagrees { .. })));
    }
}
