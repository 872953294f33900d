//! Logged choices among candidates.

use super::CandidateSchema;
use crate::LogError;
use crate::log::{Rewards, check_rows, parts_of};
use rand::Rng;
use rows::Candidates;
use serde::{Deserialize, Serialize};

/// The log of a policy that chose among candidates: for every choice the candidates, the one that was drawn,
/// its propensity and its reward.
///
/// *Shapes and ranges:* n ≥ 1 choices; `chosen` is a place in the choice's own list, from 0; propensities in
/// (0, 1]; rewards finite and at most 1e140 in size. *Cost:* checked in one pass when it is made or loaded.
///
/// ```
/// use off_policy::candidates::CandidateLog;
/// use off_policy::{LogError, Rewards};
/// use rows::{Candidates, RowMatrix};
/// let prices = RowMatrix::dense(1, vec![1.0, 2.0, 1.5, 2.5, 3.0])?;
/// let candidates = Candidates::builder(vec![0, 2, 5]).features(prices).build()?;
/// let log = CandidateLog::new(candidates.clone(), vec![0, 2], vec![0.5; 2], Rewards(vec![1.0, 0.0]))?;
/// assert_eq!((log.len(), log.logged_pair(1)), (2, Some(4)));
///
/// let refused = CandidateLog::new(candidates, vec![2, 2], vec![0.5; 2], Rewards(vec![1.0, 0.0]));
/// assert_eq!(refused, Err(LogError::ActionOutOfRange { row: 0, action: 2, actions: 2 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct CandidateLog {
    parts: Parts,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    candidates: Candidates,
    chosen: Vec<u32>,
    propensities: Vec<f64>,
    rewards: Rewards,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<CandidateSchema>,
}

impl CandidateLog {
    /// A log of these choices.
    ///
    /// # Errors
    /// [`LogError::LengthMismatch`], and with the row [`LogError::ActionOutOfRange`],
    /// [`LogError::NotFinite`], [`LogError::TooLarge`], [`LogError::BadPropensity`].
    pub fn new(
        candidates: Candidates,
        chosen: Vec<u32>,
        propensities: Vec<f64>,
        outcome: impl Into<Rewards>,
    ) -> Result<Self, LogError> {
        Parts { candidates, chosen, propensities, rewards: outcome.into(), schema: None }.try_into()
    }

    /// The same log with the names of its columns.
    ///
    /// # Errors
    /// [`LogError::SchemaInputs`] for names of other columns, [`LogError::Schema`] for a name that is there
    /// twice.
    pub fn with_schema(self, schema: CandidateSchema) -> Result<Self, LogError> {
        Parts { schema: Some(schema), ..self.parts }.try_into()
    }

    /// The same log with other propensities, such as estimates.
    ///
    /// # Errors
    /// [`LogError::LengthMismatch`], and with the row [`LogError::BadPropensity`].
    ///
    /// ```
    /// use off_policy::candidates::CandidateLog;
    /// use off_policy::{LogError, Rewards};
    /// use rows::{Candidates, RowMatrix};
    /// let prices = RowMatrix::dense(1, vec![1.0, 2.0, 1.5, 2.5])?;
    /// let candidates = Candidates::builder(vec![0, 2, 4]).features(prices).build()?;
    /// let log = CandidateLog::new(candidates, vec![0, 1], vec![1.0; 2], Rewards(vec![1.0, 0.0]))?;
    /// assert_eq!(log.clone().with_propensities(vec![0.5, 0.25])?.propensities(), [0.5, 0.25]);
    /// let (column, expected, got) = ("propensity", 2, 1);
    /// let refused = log.with_propensities(vec![0.5]);
    /// assert_eq!(refused, Err(LogError::LengthMismatch { column, expected, got }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_propensities(self, propensities: Vec<f64>) -> Result<Self, LogError> {
        Parts { propensities, ..self.parts }.try_into()
    }

    /// n, at least 1.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.candidates.len()
    }

    /// Never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The candidates of every choice.
    #[must_use]
    pub fn candidates(&self) -> &Candidates {
        &self.parts.candidates
    }

    /// The place of the chosen candidate in every choice's own list.
    #[must_use]
    pub fn chosen(&self) -> &[u32] {
        &self.parts.chosen
    }

    /// The pair that was chosen in choice i; `None` behind the last one.
    #[must_use]
    pub fn logged_pair(&self, i: usize) -> Option<usize> {
        let chosen = *self.parts.chosen.get(i)? as usize;
        Some(self.parts.candidates.pairs_of(i).start + chosen)
    }

    /// p_1, …
    #[must_use]
    pub fn propensities(&self) -> &[f64] {
        &self.parts.propensities
    }

    /// r_1, …
    #[must_use]
    pub fn rewards(&self) -> &[f64] {
        &self.parts.rewards.0
    }

    /// The names of the columns; `None` for a log of bare numbers.
    #[must_use]
    pub fn schema(&self) -> Option<&CandidateSchema> {
        self.parts.schema.as_ref()
    }

    /// Some choices, in the order asked for.
    ///
    /// # Errors
    /// [`LogError::NoSuchRow`]; [`LogError::Empty`] where no choice is asked for; [`LogError::Rows`] for more
    /// than 2³² − 1 pairs.
    pub fn select(&self, choices: impl IntoIterator<Item = usize>) -> Result<Self, LogError> {
        let (chosen, n): (Vec<usize>, usize) = (choices.into_iter().collect(), self.len());
        if chosen.is_empty() {
            return Err(LogError::Empty);
        }
        if let Some(&row) = chosen.iter().find(|row| **row >= n) {
            return Err(LogError::NoSuchRow { row, rows: n });
        }
        let of = |values: &[f64]| chosen.iter().map(|row| values[*row]).collect::<Vec<f64>>();
        Ok(Self {
            parts: Parts {
                candidates: self.parts.candidates.select(&chosen)?,
                chosen: chosen.iter().map(|row| self.parts.chosen[*row]).collect(),
                propensities: of(self.propensities()),
                rewards: Rewards(of(self.rewards())),
                schema: self.parts.schema.clone(),
            },
        })
    }

    /// Parts of these shares, as [`Log::split`](crate::Log::split) has them.
    ///
    /// # Errors
    /// [`LogError::BadShare`], [`LogError::EmptyPart`].
    pub fn split<const N: usize>(
        &self,
        shares: [f64; N],
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<[Self; N], LogError> {
        let parts = parts_of(self.len(), shares, rng)?;
        let parts: Vec<Self> =
            parts.into_iter().map(|rows| self.select(rows)).collect::<Result<_, LogError>>()?;
        <[Self; N]>::try_from(parts).map_err(|_| LogError::Empty)
    }
}

impl From<CandidateLog> for Parts {
    fn from(log: CandidateLog) -> Self {
        log.parts
    }
}

impl TryFrom<Parts> for CandidateLog {
    type Error = LogError;

    fn try_from(parts: Parts) -> Result<Self, LogError> {
        let n = parts.candidates.len();
        for (column, got) in [
            ("action", parts.chosen.len()),
            ("propensity", parts.propensities.len()),
            ("reward", parts.rewards.0.len()),
        ] {
            if got != n {
                return Err(LogError::LengthMismatch { column, expected: n, got });
            }
        }
        for (row, action) in parts.chosen.iter().enumerate() {
            let actions = parts.candidates.pairs_of(row).len();
            if *action as usize >= actions {
                return Err(LogError::ActionOutOfRange { row, action: u64::from(*action), actions });
            }
        }
        // The places are in range; the other columns are those of any log.
        let most = parts.chosen.iter().max().map_or(1, |most| *most as usize + 1);
        check_rows(&parts.chosen, &parts.propensities, &parts.rewards.0, most)?;
        if let Some(schema) = &parts.schema
            && schema.shape() != parts.candidates.shape()
        {
            let (expected, got) = (parts.candidates.dimension(), schema.shape().dimension());
            return Err(LogError::SchemaInputs { expected, got });
        }
        parts.schema.iter().try_for_each(CandidateSchema::check)?;
        Ok(Self { parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rows::RowMatrix;

    fn log(n: usize) -> CandidateLog {
        let offsets: Vec<usize> = (0..=n).map(|i| i * (i + 3) / 2).collect();
        let values = (0..offsets[n]).map(|p| p as f64).collect();
        let features = RowMatrix::dense(1, values).unwrap();
        let candidates = Candidates::builder(offsets).features(features).build().unwrap();
        let chosen = (0..n).map(|i| u32::try_from(i).unwrap()).collect();
        let rewards = Rewards((0..n).map(|i| i as f64).collect());
        CandidateLog::new(candidates, chosen, vec![0.5; n], rewards).unwrap()
    }

    #[test]
    fn parts_have_every_choice_once_with_its_candidates() {
        let all = log(20);
        let parts = all.split([0.5, 0.5], &mut ChaCha8Rng::seed_from_u64(3)).unwrap();
        let mut rewards: Vec<f64> = parts.iter().flat_map(|part| part.rewards().to_vec()).collect();
        rewards.sort_by(f64::total_cmp);
        assert_eq!(rewards, all.rewards());
        for part in &parts {
            for (i, reward) in part.rewards().iter().enumerate() {
                // The feature of a pair is its number, so that the reward tells the pair.
                let pair = part.logged_pair(i).and_then(|p| part.candidates().pair(p)).unwrap();
                let expected = reward * (reward + 3.0) / 2.0 + reward;
                assert_eq!(pair.own.and_then(|own| own.get(0)), Some(expected));
            }
        }
        assert_eq!(all.select([20]), Err(LogError::NoSuchRow { row: 20, rows: 20 }));
    }

    #[test]
    fn more_pairs_than_can_be_numbered_are_not_a_row_that_is_not_there() {
        let pairs = 1 << 20;
        let features = RowMatrix::dense(1, vec![0.0; pairs]).unwrap();
        let candidates = Candidates::builder(vec![0, pairs]).features(features).build().unwrap();
        let one = CandidateLog::new(candidates, vec![0], vec![0.5], Rewards(vec![1.0])).unwrap();
        let refused = one.select(std::iter::repeat_n(0, 4096));
        let (rows, limit) = (1 << 32, u32::MAX as usize);
        assert_eq!(refused, Err(LogError::Rows(rows::RowError::TooManyRows { rows, limit })));
        assert_eq!(one.select([0, 0]).map(|log| log.candidates().pairs()), Ok(2 * pairs));
    }

    #[test]
    fn what_no_log_can_have_is_refused_also_when_loaded() {
        let good = log(3);
        let of = |chosen: &[u32], p: &[f64], r: &[f64]| {
            CandidateLog::new(good.candidates().clone(), chosen.to_vec(), p.to_vec(), Rewards(r.to_vec()))
        };
        assert_eq!(of(&[0, 1, 2], &[0.5; 3], &[0.0, 1.0, 2.0]), Ok(good.clone()));
        let refused = of(&[0, 3, 2], &[0.5; 3], &[0.0; 3]);
        assert_eq!(refused, Err(LogError::ActionOutOfRange { row: 1, action: 3, actions: 3 }));
        let refused = of(&[0, 1, 2], &[0.5, 0.0, 0.5], &[0.0; 3]);
        assert_eq!(refused, Err(LogError::BadPropensity { row: 1, value: 0.0 }));
        assert!(matches!(of(&[0, 1], &[0.5; 3], &[0.0; 3]), Err(LogError::LengthMismatch { .. })));
        let names = CandidateSchema { contexts: vec!["age".into()], ..CandidateSchema::default() };
        assert!(matches!(good.clone().with_schema(names), Err(LogError::SchemaInputs { .. })));
        let names = CandidateSchema { features: vec!["price".into()], ..CandidateSchema::default() };
        assert!(good.clone().with_schema(names).is_ok());

        // Two columns or identities of one name.
        let offsets = good.candidates().offsets().to_vec();
        let (pairs, n) = (good.candidates().pairs(), good.len());
        let two = RowMatrix::dense(2, (0..2 * pairs).map(|p| p as f64).collect()).unwrap();
        let candidates =
            Candidates::builder(offsets).features(two).identities(vec![0; pairs], 3).build().unwrap();
        let two = CandidateLog::new(candidates, vec![0; n], vec![0.5; n], Rewards(vec![0.0; n])).unwrap();
        let names = |features: [&str; 2], identities: [&str; 3]| CandidateSchema {
            features: features.map(str::to_owned).to_vec(),
            identities: identities.map(str::to_owned).to_vec(),
            ..CandidateSchema::default()
        };
        let named = two.clone().with_schema(names(["a", "b"], ["a", "b", "c"])).unwrap();
        for (features, identities, message) in [
            (["a", "a"], ["a", "b", "c"], "two columns are called \"a\""),
            (["a", "b"], ["a", "a", "b"], "two actions are called \"a\""),
        ] {
            let refused = two.clone().with_schema(names(features, identities));
            assert_eq!(refused.map_err(|error| error.to_string()), Err(message.to_owned()));
        }
        let saved = serde_json::to_string(&named).unwrap();
        assert_eq!(serde_json::from_str::<CandidateLog>(&saved).unwrap(), named);
        assert!(serde_json::from_str::<CandidateLog>(&saved.replace("\"c\"", "\"b\"")).is_err());

        let saved = serde_json::to_string(&good).unwrap();
        assert_eq!(serde_json::from_str::<CandidateLog>(&saved).unwrap(), good);
        assert!(serde_json::from_str::<CandidateLog>(&saved.replace("[0,1,2]", "[0,1,9]")).is_err());
    }
}
