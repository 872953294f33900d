//! The rounds for work that is too expensive for every round.

/// Whether t has at most four significant binary digits: 1 to 16, 18, 20, …, 32, 36, …, eight to an octave.
///
/// The rule depends on t alone, so a run that is stopped, saved and continued has the same milestones.
///
/// ```
/// assert!([1, 15, 16, 18, 40, 1 << 20].into_iter().all(oco_core::regret::is_milestone));
/// assert!(![0, 17, 19, 41, (1 << 20) + 1].into_iter().any(oco_core::regret::is_milestone));
/// ```
#[must_use]
pub fn is_milestone(t: u64) -> bool {
    t.checked_ilog2().is_some_and(|top| t.trailing_zeros() + 4 > top)
}
