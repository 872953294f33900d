//! Trial 0 of an experiment, from the files of `decision_logs --binary`.

use off_policy::{Log, Rewards};
use rows::RowMatrix;
use std::error::Error;
use std::path::Path;

/// A log, and held-out rows with the rewards of all actions.
#[derive(Debug)]
pub struct Trial {
    /// The training log.
    pub log: Log,
    /// The validation rows, for choices.
    pub validation: HeldOut,
    /// The test rows, for the report.
    pub test: HeldOut,
}

/// Rows, and the rewards of all their actions: r(x_i, a) at i·|A| + a.
#[derive(Debug)]
pub struct HeldOut {
    /// The contexts.
    pub contexts: RowMatrix,
    /// The rewards.
    pub rewards: Vec<f64>,
}

impl Trial {
    /// Reads the files NAME.* of a folder.
    ///
    /// # Errors
    /// Those of reading; numbers that are no log.
    pub fn read(folder: &Path, name: &str) -> Result<Self, Box<dyn Error>> {
        let file = |end: &str| std::fs::read(folder.join(format!("{name}.{end}")));
        let sizes = String::from_utf8(file("json")?)?;
        let size = |key: &str| -> Result<usize, Box<dyn Error>> {
            let rest = sizes.split_once(&format!("\"{key}\": ")).ok_or("a size is missing")?.1;
            Ok(rest.split([',', '}']).next().unwrap_or_default().parse()?)
        };
        let (d, actions) = (size("d")?, size("actions")?);
        let matrix = |bytes: Vec<u8>| {
            let numbers = bytes.as_chunks::<4>().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
            RowMatrix::dense(d, numbers.collect())
        };
        let numbers = |bytes: Vec<u8>| -> Vec<f64> {
            bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
        };
        let held_out = |part: &str| -> Result<HeldOut, Box<dyn Error>> {
            let contexts = matrix(file(&format!("{part}.x.f32"))?)?;
            Ok(HeldOut { contexts, rewards: numbers(file(&format!("{part}.r.f64"))?) })
        };
        let logged = file("a.u32")?.as_chunks::<4>().0.iter().map(|a| u32::from_le_bytes(*a)).collect();
        let (propensities, rewards) = (numbers(file("p.f64")?), Rewards(numbers(file("r.f64")?)));
        let log = Log::new(matrix(file("x.f32")?)?, actions, logged, propensities, rewards)?;
        Ok(Self { log, validation: held_out("validation")?, test: held_out("test")? })
    }
}

impl HeldOut {
    /// The mean reward of the first best action by these scores, which stand as the rewards do.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
    pub fn reward(&self, scores: &[f64]) -> f64 {
        let actions = self.rewards.len() / self.contexts.len();
        let rows = scores.chunks_exact(actions).zip(self.rewards.chunks_exact(actions));
        let earned = rows.map(|(scores, rewards)| {
            let best = scores.iter().zip(rewards).reduce(|best, one| if one.0 > best.0 { one } else { best });
            best.map_or(0.0, |(_, reward)| *reward)
        });
        earned.sum::<f64>() / self.contexts.len() as f64
    }
}
