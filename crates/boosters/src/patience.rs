//! The patience of a validated run.

/// When a run is over: after so many rounds without a better score.
///
/// Round 0 is the start of the run. A round is better only where its score is larger than all before; a
/// missing score is never better.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Patience {
    limit: usize,
    /// The run is not over before this round.
    not_before: usize,
    /// The best round, the first of equals, and its score.
    best: Option<(usize, f64)>,
}

impl Patience {
    /// The numbers that a patience may be, for an error message.
    pub(crate) const DOMAIN: &str = "p ≥ 1";

    /// A patience of `limit` rounds, `usize::MAX` for no end; `None` for 0 rounds.
    pub(crate) fn new(limit: usize, not_before: usize) -> Option<Self> {
        (limit > 0).then_some(Self { limit, not_before, best: None })
    }

    /// The score of a round, in the order of the rounds.
    pub(crate) fn observe(&mut self, round: usize, score: Option<f64>) {
        if let Some(score) = score
            && self.best.is_none_or(|(_, best)| score > best)
        {
            self.best = Some((round, score));
        }
    }

    /// The best round, the first of equals, and its score; `None` without a score.
    pub(crate) fn best(&self) -> Option<(usize, f64)> {
        self.best
    }

    /// Whether it is over after `followed` rounds, where rounds up to `start` do not count.
    pub(crate) fn is_over(&self, followed: usize, start: usize) -> bool {
        let best_round = self.best.map_or(0, |(round, _)| round);
        let waited = followed.saturating_sub(best_round.max(start));
        followed >= self.not_before && waited >= self.limit
    }
}
