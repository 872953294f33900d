//! Rows of a stream as linear learners take them: coded, in units of their deviations, with a constant.

use super::coding::{CodedRow, StreamCoding};
use super::scaling::Scaling;
use crate::error::JobError;
use off_policy::Value;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::LearnerError;

/// The coding and the scales of a stream. A row is divided by the root of the number of cells of the first
/// one, so that its norm is about 1 however many columns there are.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub(super) struct LinearRows {
    parts: Parts,
    scaled: CodedRow,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Parts {
    coding: StreamCoding,
    scaling: Scaling,
    /// 1/√(cells + 1).
    unit: f64,
}

impl LinearRows {
    /// Before the first row, which has so many cells.
    pub(super) fn begin(bits: Option<u32>, cells: usize) -> Result<Self, JobError> {
        let coding = StreamCoding::new(super::bits(bits, cells))?;
        #[allow(clippy::cast_precision_loss, reason = "a count of cells")]
        let unit = 1.0 / (cells.min(coding.inputs()) as f64 + 1.0).sqrt();
        Parts { coding, scaling: Scaling::default(), unit }.try_into()
    }

    /// The coordinates of a row: those of the coding and the constant.
    pub(super) fn inputs(&self) -> usize {
        self.parts.coding.inputs() + 1
    }

    /// 1/√(cells + 1), the constant coordinate.
    pub(super) fn unit(&self) -> f64 {
        self.parts.unit
    }

    /// The row by what is known so far. Nothing changes but working memory.
    pub(super) fn code<'a>(
        &mut self,
        cells: impl IntoIterator<Item = (&'a str, Value<'a>)>,
    ) -> Result<Row<'_>, JobError> {
        let inputs = self.inputs();
        let Parts { coding, scaling, unit } = &mut self.parts;
        coding.code(cells)?;
        scaling.scaled(coding.row(), &mut self.scaled);
        self.scaled.push(coding.inputs(), 1.0);
        self.scaled.values.iter_mut().for_each(|x| *x *= *unit);
        let row = Row::sparse(inputs, &self.scaled.indices, &self.scaled.values);
        Ok(row.map_err(LearnerError::from)?)
    }

    /// The row that was coded last is learnt from: its coordinates stay, and it counts for the scales.
    pub(super) fn keep(&mut self) {
        let Parts { coding, scaling, .. } = &mut self.parts;
        scaling.include(coding.row());
        coding.keep();
    }
}

impl From<LinearRows> for Parts {
    fn from(rows: LinearRows) -> Self {
        rows.parts
    }
}

impl TryFrom<Parts> for LinearRows {
    type Error = JobError;

    fn try_from(parts: Parts) -> Result<Self, JobError> {
        let (expected, got) = (parts.coding.inputs(), parts.scaling.len());
        if got > expected {
            return Err(JobError::Length { column: "the scales of coordinates", expected, got });
        }
        if !(parts.unit > 0.0 && parts.unit <= 1.0) {
            return Err(JobError::BadSetting { name: "unit", value: parts.unit, domain: "(0, 1]" });
        }
        Ok(Self { parts, scaled: CodedRow::default() })
    }
}
