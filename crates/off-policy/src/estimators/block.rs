//! A block of rows: their terms, and the moments of these.

use super::moments::Moments;
use super::self_normalised::SelfNormalised;
use super::wide::Wide;
use super::{EstimatorSettings, Observation};

/// Rows that are worked on at once.
pub(super) const ROWS: usize = 256;

/// The rows that no moment has seen yet; columns, so that the loops over them vectorise.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub(super) len: usize,
    pub(super) weights: [f64; ROWS],
    pub(super) rewards: [f64; ROWS],
    pub(super) direct: [f64; ROWS],
    pub(super) predicted: [f64; ROWS],
}

/// The moments of everything that is averaged.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sums {
    pub(super) weights: Moments,
    pub(super) ips: Moments,
    pub(super) clipped: Moments,
    pub(super) direct: Moments,
    pub(super) doubly_robust: Moments,
    pub(super) switched: Moments,
    pub(super) self_normalised: SelfNormalised,
}

impl Block {
    pub(super) const EMPTY: Self = Self {
        len: 0,
        weights: [0.0; ROWS],
        rewards: [0.0; ROWS],
        direct: [0.0; ROWS],
        predicted: [0.0; ROWS],
    };

    /// One more row of weight w; whether the block is full then.
    #[inline]
    pub(super) fn push(&mut self, row: &Observation, w: f64) -> bool {
        let i = self.len % ROWS;
        self.weights[i] = w;
        self.rewards[i] = row.reward;
        self.direct[i] = row.direct;
        self.predicted[i] = row.predicted;
        self.len = i + 1;
        self.len == ROWS
    }

    /// The moments of the rows: in doubles where these hold every square, else row by row with a wider exponent.
    pub(super) fn sums(&self, settings: EstimatorSettings, has_model: bool) -> Sums {
        self.plain(settings, has_model).unwrap_or_else(|| self.wide(settings, has_model))
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
    pub(super) fn terms(&self, i: usize, settings: EstimatorSettings) -> [Wide; 5] {
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
    pub(super) fn merge(&mut self, other: Self) {
        self.weights.merge(other.weights);
        self.ips.merge(other.ips);
        self.clipped.merge(other.clipped);
        self.direct.merge(other.direct);
        self.doubly_robust.merge(other.doubly_robust);
        self.switched.merge(other.switched);
        self.self_normalised.merge(other.self_normalised);
    }
}
