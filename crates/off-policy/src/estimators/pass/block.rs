//! A block of rows: their terms, and the moments of these.

use crate::estimators::definitions::{EstimatorSettings, Observation};
use crate::estimators::pass::moments::{Moments, ROWS};
use crate::estimators::pass::self_normalised::SelfNormalised;
use crate::estimators::support::FLOOR;
use rows::numeric::Wide;

/// The rows that no moment has seen yet; columns, so that the loops over them vectorise.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) len: usize,
    pub(crate) weights: [f64; ROWS],
    pub(crate) propensities: [f64; ROWS],
    pub(crate) rewards: [f64; ROWS],
    pub(crate) direct: [f64; ROWS],
    pub(crate) predicted: [f64; ROWS],
}

/// The moments of everything that is averaged.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Sums {
    pub(crate) weights: Moments,
    pub(crate) ips: Moments,
    pub(crate) clipped: Moments,
    pub(crate) direct: Moments,
    pub(crate) doubly_robust: Moments,
    pub(crate) switched: Moments,
    pub(crate) self_normalised: SelfNormalised,
    pub(crate) counts: Counts,
}

impl Block {
    pub(crate) const EMPTY: Self = Self {
        len: 0,
        weights: [0.0; ROWS],
        propensities: [0.0; ROWS],
        rewards: [0.0; ROWS],
        direct: [0.0; ROWS],
        predicted: [0.0; ROWS],
    };

    /// One more row of weight w; whether the block is full then.
    #[inline]
    pub(crate) fn push(&mut self, row: &Observation, w: f64) -> bool {
        let i = self.len % ROWS;
        self.weights[i] = w;
        self.propensities[i] = row.propensity;
        self.rewards[i] = row.reward;
        self.direct[i] = row.direct;
        self.predicted[i] = row.predicted;
        self.len = i + 1;
        self.len == ROWS
    }

    /// The moments of the rows: in doubles where these hold every square, else row by row with a wider
    /// exponent.
    pub(crate) fn sums(&self, settings: EstimatorSettings, has_model: bool) -> Sums {
        let moments = self.plain(settings, has_model).unwrap_or_else(|| self.wide(settings, has_model));
        Sums { counts: Counts::of(self, settings), ..moments }
    }

    fn plain(&self, settings: EstimatorSettings, has_model: bool) -> Option<Sums> {
        let Self { weights: w, rewards: r, direct, predicted: q, .. } = self;
        let mut sums = Sums {
            weights: self.of_terms(|i| w[i])?,
            ips: self.of_terms(|i| w[i] * r[i])?,
            self_normalised: SelfNormalised::of_plain(w, r, self.len)?,
            ..Sums::default()
        };
        sums.clipped = match settings.clip() {
            Some(clip) => self.of_terms(|i| if w[i] < clip { w[i] * r[i] } else { clip * r[i] })?,
            None => sums.ips,
        };
        if has_model {
            sums.direct = self.of_terms(|i| direct[i])?;
            sums.doubly_robust = self.of_terms(|i| direct[i] + w[i] * (r[i] - q[i]))?;
            sums.switched = match settings.switch() {
                Some(tau) => {
                    self.of_terms(|i| direct[i] + if w[i] <= tau { w[i] } else { 0.0 } * (r[i] - q[i]))?
                }
                None => sums.doubly_robust,
            };
        }
        Some(sums)
    }

    #[inline]
    fn of_terms(&self, term: impl Fn(usize) -> f64) -> Option<Moments> {
        let mut terms = [0.0; ROWS];
        for (i, t) in terms.iter_mut().enumerate() {
            *t = term(i);
        }
        Moments::of_plain(&terms[..self.len])
    }

    fn wide(&self, settings: EstimatorSettings, has_model: bool) -> Sums {
        let mut sums = Sums::default();
        for i in 0..self.len {
            let terms = self.terms(i, settings);
            let [ips, clipped, direct, doubly_robust, switched] = terms.map(Moments::of_one);
            let weights = Moments::of_one(self.weights[i].into());
            let self_normalised = SelfNormalised::of_one(self.weights[i], self.rewards[i]);
            let row = Sums { weights, ips, clipped, self_normalised, ..Sums::default() };
            sums.merge(if has_model { Sums { direct, doubly_robust, switched, ..row } } else { row });
        }
        sums
    }

    /// Row i's terms of IPS, clipped IPS, DM, DR and SWITCH-DR.
    pub(crate) fn terms(&self, i: usize, settings: EstimatorSettings) -> [Wide; 5] {
        let [w, r, direct, q] =
            [self.weights[i], self.rewards[i], self.direct[i], self.predicted[i]].map(Wide::from);
        let clipped = settings.clip().map_or(w, |clip| self.weights[i].min(clip).into());
        let correction = w * (r - q);
        let is_switched = settings.switch().is_some_and(|tau| self.weights[i] > tau);
        let kept = if is_switched { Wide::ZERO } else { correction };
        [w * r, clipped * r, direct, direct + correction, direct + kept]
    }
}

impl Sums {
    /// Appends all that they are.
    pub(crate) fn write(self, words: &mut Vec<u64>) {
        let Self { weights, ips, clipped, direct, doubly_robust, switched, self_normalised, counts } = self;
        for moments in [weights, ips, clipped, direct, doubly_robust, switched] {
            moments.write(words);
        }
        self_normalised.write(words);
        let Counts { rows, clipped, switched, effective_rewards, at_floor, least_propensity } = counts;
        words.extend([rows, clipped, switched, effective_rewards, at_floor, least_propensity.to_bits()]);
    }

    /// What was written; `None` of other words.
    pub(crate) fn read(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        Some(Self {
            weights: Moments::read(words)?,
            ips: Moments::read(words)?,
            clipped: Moments::read(words)?,
            direct: Moments::read(words)?,
            doubly_robust: Moments::read(words)?,
            switched: Moments::read(words)?,
            self_normalised: SelfNormalised::read(words)?,
            counts: Counts {
                rows: words.next()?,
                clipped: words.next()?,
                switched: words.next()?,
                effective_rewards: words.next()?,
                at_floor: words.next()?,
                least_propensity: f64::from_bits(words.next()?),
            },
        })
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.weights.merge(other.weights);
        self.ips.merge(other.ips);
        self.clipped.merge(other.clipped);
        self.direct.merge(other.direct);
        self.doubly_robust.merge(other.doubly_robust);
        self.switched.merge(other.switched);
        self.self_normalised.merge(other.self_normalised);
        self.counts.merge(other.counts);
    }
}

/// Numbers of rows, and the least propensity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Counts {
    pub(crate) rows: u64,
    /// w_i > M.
    pub(crate) clipped: u64,
    /// w_i > τ.
    pub(crate) switched: u64,
    /// w_i r_i ≠ 0.
    pub(crate) effective_rewards: u64,
    pub(crate) at_floor: u64,
    pub(crate) least_propensity: f64,
}

impl Default for Counts {
    fn default() -> Self {
        let (rows, clipped, switched, effective_rewards, at_floor) = (0, 0, 0, 0, 0);
        let least_propensity = f64::INFINITY;
        Self { rows, clipped, switched, effective_rewards, at_floor, least_propensity }
    }
}

impl Counts {
    pub(crate) fn of(block: &Block, settings: EstimatorSettings) -> Self {
        let (weights, propensities) = (&block.weights[..block.len], &block.propensities[..block.len]);
        let above = |end: Option<f64>| match end {
            Some(end) => weights.iter().map(|w| u64::from(*w > end)).sum(),
            None => 0,
        };
        let rewarded = |(w, r): (&f64, &f64)| u64::from((*w > 0.0) & (*r != 0.0));
        Self {
            rows: weights.len() as u64,
            clipped: above(settings.clip()),
            switched: above(settings.switch()),
            effective_rewards: weights.iter().zip(&block.rewards).map(rewarded).sum(),
            at_floor: propensities.iter().map(|p| u64::from(*p <= FLOOR)).sum(),
            least_propensity: propensities.iter().fold(f64::INFINITY, |m, p| if *p < m { *p } else { m }),
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.clipped += other.clipped;
        self.switched += other.switched;
        self.effective_rewards += other.effective_rewards;
        self.at_floor += other.at_floor;
        self.least_propensity = self.least_propensity.min(other.least_propensity);
    }
}
