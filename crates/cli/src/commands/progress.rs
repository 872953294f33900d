//! How far a command is: one line on the terminal, which is written over.

use crate::arguments::Manners;
use boosters::auto_policy::Progress as Round;
use formats::Progress;
use ocoboost::{CandidateEvent, Event};
use report::output::warn;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The time between two states of the line.
const INTERVAL: Duration = Duration::from_millis(100);

/// The line. It is there on a terminal alone, and gone when it is dropped.
pub(super) struct Line {
    is_shown: bool,
    /// When it was written; nothing is shown of what is over at once.
    last: Instant,
    is_written: bool,
}

impl Line {
    pub(super) fn new(manners: &Manners) -> Self {
        let is_shown = !manners.quiet && io::stderr().is_terminal();
        Self { is_shown, last: Instant::now(), is_written: false }
    }

    pub(super) fn show(&mut self, text: impl FnOnce() -> String) {
        if self.is_shown && self.last.elapsed() >= INTERVAL {
            // A failure to print progress is no failure.
            let _ = write!(io::stderr(), "\r{}\x1b[K", text());
            (self.last, self.is_written) = (Instant::now(), true);
        }
    }

    /// Says something that stays. The line is below it at its next state.
    pub(super) fn warn(&mut self, text: &str) {
        if self.is_written {
            let _ = write!(io::stderr(), "\r\x1b[K");
            self.is_written = false;
        }
        warn(text);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.is_written {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// `reading log.csv: 1,200,000 rows, 350,000 a second, 34%`.
pub(super) fn of_reading(file: &str, progress: Progress, seconds: f64) -> String {
    let mut text = format!("reading {file}: {} rows", thousands(progress.rows));
    if seconds > 0.0 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate for a reader")]
        let rate = (progress.rows as f64 / seconds) as u64;
        text += &format!(", {} a second", thousands(rate));
    }
    if let Some(total) = progress.total_bytes.filter(|total| *total > 0) {
        text += &format!(", {}%", progress.bytes.saturating_mul(100) / total);
    }
    text
}

/// `recipe 2 of 7 (BOPL-S, depth 6), round 30; at most 40 s left`.
pub(super) fn of_candidates(event: &CandidateEvent, now: f64, budget: f64) -> String {
    let left = time((budget - now).max(0.0));
    match event {
        CandidateEvent::Search { recipe, place: (place, count), round } => {
            format!("recipe {} of {count} ({recipe}), round {round}; at most {left} left", place + 1)
        }
        CandidateEvent::Training { recipe, round: (round, planned) } => {
            format!("training ({recipe}), round {round} of {planned}; at most {left} left")
        }
        CandidateEvent::RewardModel { round: (round, planned) } => {
            format!("a model of the rewards, round {round} of {planned}; at most {left} left")
        }
        _ => "judging".to_owned(),
    }
}

/// What has been seen of a search and a training.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The best value so far.
    best: Option<f64>,
    /// When the first round of the training was over, and its number.
    training: Option<(f64, usize)>,
}

impl Seen {
    /// The line of an event, so many seconds after the beginning, of so many in all.
    pub(super) fn text(&mut self, event: &Event<'_>, now: f64, budget: f64) -> Option<String> {
        let rest = (budget - now).max(0.0);
        Some(match event {
            Event::Progress(Round::RewardModel { trees, .. }) => {
                format!("a model of the rewards, {trees} trees; at most {} left", time(rest))
            }
            Event::Progress(Round::Search { candidate, round, .. }) => {
                let best =
                    self.best.map_or(String::new(), |best| format!(", the best so far earns {best:.4}"));
                format!("candidate {}, round {round}{best}; at most {} left", candidate + 1, time(rest))
            }
            Event::Progress(Round::Tried(tried)) => {
                self.best = Some(self.best.map_or(tried.value.value, |best| best.max(tried.value.value)));
                return None;
            }
            Event::Progress(Round::Training { done, planned, .. }) => {
                let (since, first) = *self.training.get_or_insert((now, *done));
                let left = match done.checked_sub(first) {
                    #[allow(clippy::cast_precision_loss, reason = "counts of rounds")]
                    Some(rounds @ 1..) => {
                        rest.min((now - since) / rounds as f64 * planned.saturating_sub(*done) as f64)
                    }
                    _ => rest,
                };
                format!("training, round {done} of {planned}; about {} left", time(left))
            }
            Event::Judging => "judging".to_owned(),
            _ => return None,
        })
    }
}

/// `45 s`, `3 min 20 s`, `2 h 5 min`.
fn time(seconds: f64) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time for a reader")]
    let seconds = seconds.ceil() as u64;
    match seconds {
        0..90 => format!("{seconds} s"),
        90..5400 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// 12,345.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;
    use boosters::auto_policy::{Candidate, Objective, Plan, Tried};
    use off_policy::estimators::Estimate;

    #[test]
    fn reading_is_shown_with_its_rate_and_its_share() {
        let progress = Progress { bytes: 340, total_bytes: Some(1000), rows: 1_200_000 };
        let expected = "reading log.csv: 1,200,000 rows, 300,000 a second, 34%";
        assert_eq!(of_reading("log.csv", progress, 4.0), expected);
        let unknown = Progress { total_bytes: None, rows: 7, ..progress };
        assert_eq!(of_reading("-", unknown, 0.0), "reading -: 7 rows");
    }

    #[test]
    fn a_training_is_shown_with_the_time_that_is_left() {
        let mut seen = Seen::default();
        let plan = Plan { candidate: 0, rounds: 100, rows: 10 };
        let search = Event::Progress(Round::Search { candidate: 2, round: 7, rows: 10, plan });
        assert_eq!(seen.text(&search, 15.5, 60.0).unwrap(), "candidate 3, round 7; at most 45 s left");
        let candidate = Candidate {
            objective: Objective::Ips,
            max_depth: 3,
            min_child_weight: 1.0,
            reg_lambda: 1.0,
            learning_rate: 0.1,
            translation: 0.0,
            clip: None,
            columns: 1.0,
            rows: 1.0,
        };
        for (value, best) in [(0.5, "0.5000"), (0.625, "0.6250"), (0.25, "0.6250")] {
            let value = Estimate { value, standard_error: None };
            let tried = Tried { candidate, rounds: 7, best_round: 5, value, curve: Vec::new() };
            assert_eq!(seen.text(&Event::Progress(Round::Tried(&tried)), 20.0, 60.0), None);
            let expected = format!("candidate 3, round 7, the best so far earns {best}; at most 40 s left");
            assert_eq!(seen.text(&search, 20.0, 60.0).unwrap(), expected);
        }
        let training = |done| Event::Progress(Round::Training { candidate: 2, done, planned: 100, rows: 10 });
        assert_eq!(seen.text(&training(1), 40.0, 60.0).unwrap(), "training, round 1 of 100; about 20 s left");
        // Ten rounds a second.
        assert_eq!(
            seen.text(&training(11), 41.0, 60.0).unwrap(),
            "training, round 11 of 100; about 9 s left"
        );
        // One round in ten seconds, of which the budget allows for two more.
        assert_eq!(
            seen.text(&training(12), 60.0, 60.0).unwrap(),
            "training, round 12 of 100; about 0 s left"
        );
        assert_eq!(
            [time(88.5), time(200.0), time(7500.0)],
            ["89 s", "3 min 20 s", "2 h 5 min"].map(str::to_owned)
        );
    }
}
