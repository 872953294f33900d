//! The rows to learn from and those to choose on, once or in turn.

use super::table::ClassTable;
use crate::error::JobError;
use crate::split::Split;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use weak_learners::batch::BinnedColumns;

/// Rows to learn from.
pub(super) struct Sample {
    pub(super) binned: BinnedColumns,
    pub(super) classes: Vec<u32>,
    /// Whether a row is of the second table.
    pub(super) secondary: Vec<bool>,
}

impl Sample {
    /// The rows of a table, and behind them those of a second one.
    pub(super) fn of(table: &ClassTable, secondary: Option<&ClassTable>) -> Result<Self, JobError> {
        let mut is_secondary = vec![false; table.len()];
        let joined = match secondary {
            None => table.clone(),
            Some(other) => {
                is_secondary.resize(table.len() + other.len(), true);
                table.joined(other)?
            }
        };
        let binned = BinnedColumns::new(joined.contexts().clone())?;
        Ok(Self { binned, classes: joined.classes().to_vec(), secondary: is_secondary })
    }
}

/// Rows to learn from, and others to choose on.
pub(super) struct Fold {
    pub(super) sample: Sample,
    pub(super) apart: BinnedColumns,
    pub(super) classes: Vec<u32>,
}

impl Fold {
    fn of(
        table: &ClassTable,
        learning: &[usize],
        choosing: &[usize],
        secondary: Option<&ClassTable>,
    ) -> Result<Self, JobError> {
        let sample = Sample::of(&table.select(learning)?, secondary)?;
        let apart = table.select(choosing)?;
        let binned = sample.binned.binned_like(apart.contexts().clone())?;
        Ok(Self { sample, apart: binned, classes: apart.classes().to_vec() })
    }

    /// So many folds of a table: every row is apart in one of them. A single fold, or one by time or column,
    /// keeps a share of the rows apart.
    pub(super) fn all(
        table: &ClassTable,
        secondary: Option<&ClassTable>,
        split: &Split,
        folds: usize,
        share: f64,
        seed: u64,
    ) -> Result<Vec<Self>, JobError> {
        if folds < 2 || *split != Split::Random {
            let parts = split.parts(table.len(), share, seed)?;
            return Ok(vec![Self::of(table, &parts.learning, &parts.judging, secondary)?]);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1 << 44);
        let mut fold_of: Vec<usize> = (0..table.len()).map(|row| row % folds).collect();
        fold_of.shuffle(&mut rng);
        let rows_of = |is_apart: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..table.len()).filter(|row| is_apart(fold_of[*row])).collect()
        };
        let fold = |fold| {
            let (apart, others) = (rows_of(&|own| own == fold), rows_of(&|own| own != fold));
            Self::of(table, &others, &apart, secondary)
        };
        (0..folds).map(fold).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;
    use off_policy::{ActionNames, ContextColumn, Schema};
    use rows::RowMatrix;

    fn table(rows: u32) -> ClassTable {
        let values = (0..rows).map(f64::from).collect();
        let column = ContextColumn::Number { name: "x".into() };
        let schema = Schema::new(vec![column], ActionNames::Numbered(2)).unwrap();
        let classes = (0..rows).map(|i| i % 2).collect();
        ClassTable::new(RowMatrix::dense(1, values).unwrap(), classes, schema).unwrap()
    }

    fn numbers(sample: &BinnedColumns) -> Vec<f64> {
        sample.matrix().iter().flat_map(|row| row.values().to_vec()).collect()
    }

    #[test]
    fn every_row_is_apart_once_and_learnt_from_in_all_other_folds() {
        let (table, split) = (table(53), Split::Random);
        let folds = Fold::all(&table, None, &split, 5, 0.2, 1).unwrap();
        let mut apart: Vec<f64> = folds.iter().flat_map(|fold| numbers(&fold.apart)).collect();
        apart.sort_by(f64::total_cmp);
        assert_eq!(apart, (0..53).map(f64::from).collect::<Vec<_>>());
        for fold in &folds {
            assert!((10..=11).contains(&fold.classes.len()));
            let learnt = numbers(&fold.sample.binned);
            assert_eq!(learnt.len() + fold.classes.len(), 53);
            assert!(numbers(&fold.apart).iter().all(|x| !learnt.contains(x)));
        }
        let other = Fold::all(&table, None, &split, 5, 0.2, 2).unwrap();
        assert_ne!(numbers(&folds[0].apart), numbers(&other[0].apart));
    }

    #[test]
    fn the_last_rows_are_apart_by_time() {
        let split = Split::ByTime((0..50).map(|i| f64::from(100 - i)).collect());
        let folds = Fold::all(&table(50), Some(&table(9)), &split, 5, 0.2, 1).unwrap();
        let [fold] = &folds[..] else { unreachable!("one fold") };
        assert_eq!(numbers(&fold.apart), (0..10).map(f64::from).collect::<Vec<_>>());
        assert_eq!(fold.sample.secondary.iter().filter(|is_secondary| **is_secondary).count(), 9);
        assert!(fold.sample.secondary[40..].iter().all(|is_secondary| *is_secondary));
    }
}
