//! How far a long run is: a bar for each stage on a terminal, a line now and then elsewhere, nothing on request.

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The shortest time between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
const BAR: &str = "{prefix:<24} {bar:24} {pos}/{len}  {per_sec}  eta {eta}  {wide_msg}";

/// Where progress is shown. Everything goes to stderr, so that stdout holds results only.
///
/// ```
/// let progress = experiments::progress::Progress::new(true);
/// let stage = progress.stage("trials", 20);
/// stage.resume(5);
/// stage.done(1);
/// assert_eq!(stage.position(), 6);
/// ```
#[derive(Debug)]
pub struct Progress {
    show: Show,
}

#[derive(Clone)]
enum Show {
    Nothing,
    Bars(MultiProgress),
    Lines(Arc<Mutex<dyn Write + Send>>),
}

/// One stage of a run: a known number of units. Workers share it by reference.
#[derive(Debug)]
pub struct Stage {
    name: String,
    show: Show,
    /// Counts the units and estimates the rate; draws only on a terminal.
    bar: ProgressBar,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    message: String,
    started: Instant,
    resumed: u64,
    last_line: Instant,
}

impl Progress {
    /// Bars if stderr is a terminal, else a line every ten seconds; nothing if `quiet`.
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        let show = if quiet {
            Show::Nothing
        } else if std::io::stderr().is_terminal() {
            Show::Bars(MultiProgress::new())
        } else {
            Show::Lines(Arc::new(Mutex::new(std::io::stderr())))
        };
        Self { show }
    }

    /// Starts a stage of `total` units.
    #[must_use]
    pub fn stage(&self, name: &str, total: u64) -> Stage {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let bar = match &self.show {
            Show::Bars(bars) => bars.add(bar),
            Show::Nothing | Show::Lines(_) => bar,
        };
        // A template that cannot be parsed would leave the default style, which is legible as well.
        if let Ok(style) = ProgressStyle::with_template(BAR) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_prefix(name.to_owned());
        let now = Instant::now();
        let state = State { message: String::new(), started: now, resumed: 0, last_line: now };
        Stage { name: name.to_owned(), show: self.show.clone(), bar, state: Mutex::new(state) }
    }

    /// Prints a line to stderr without disturbing the bars; nothing if quiet.
    pub fn note(&self, text: &str) {
        self.show.line(text);
    }
}

impl Stage {
    /// Counts units that an earlier run finished. They count as done, but not for the rate.
    pub fn resume(&self, units: u64) {
        self.with_state(|state| {
            state.resumed += units;
            self.bar.inc(units);
            self.bar.reset_eta();
        });
    }

    /// Counts units that are done.
    pub fn done(&self, units: u64) {
        self.bar.inc(units);
        self.with_state(|state| {
            if state.last_line.elapsed() >= BETWEEN_LINES {
                state.last_line = Instant::now();
                self.line(state);
            }
        });
    }

    /// What the stage is at, such as the data set.
    pub fn message(&self, text: &str) {
        self.bar.set_message(text.to_owned());
        self.with_state(|state| text.clone_into(&mut state.message));
    }

    /// The number of units done so far, resumed ones included.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.bar.position()
    }

    /// Ends the stage; a bar stays as it is, a last line is printed elsewhere.
    pub fn finish(self) {
        self.bar.abandon();
        self.with_state(|state| self.line(state));
    }

    fn line(&self, state: &State) {
        let (position, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
        let fresh = position.saturating_sub(state.resumed);
        if let Show::Lines(_) = self.show {
            let times = Times { elapsed: state.started.elapsed(), fresh };
            self.show.line(&line(&self.name, position, total, times, &state.message));
        }
    }

    fn with_state<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Show {
    /// A lost line of progress is no reason to stop a run, so failures to print are dropped.
    fn line(&self, text: &str) {
        match self {
            Self::Nothing => {}
            Self::Bars(bars) => drop(bars.println(text)),
            Self::Lines(output) => {
                let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
                drop(writeln!(output, "{text}"));
            }
        }
    }
}

impl fmt::Debug for Show {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "Nothing",
            Self::Bars(_) => "Bars",
            Self::Lines(_) => "Lines",
        })
    }
}

#[derive(Clone, Copy)]
struct Times {
    elapsed: Duration,
    /// The units that this run did in that time.
    fresh: u64,
}

/// `trials: 12/20, 1.5 a second, 5 seconds left, abalone`.
#[allow(clippy::cast_precision_loss, reason = "an estimate for a human")]
fn line(name: &str, position: u64, total: u64, times: Times, message: &str) -> String {
    let rate = times.fresh as f64 / times.elapsed.as_secs_f64();
    let mut text = format!("{name}: {position}/{total}");
    if rate > 0.0 && rate.is_finite() {
        let left = total.saturating_sub(position) as f64 / rate;
        text +=
            &if rate < 1.0 { format!(", {:.3} s each", 1.0 / rate) } else { format!(", {rate:.1} a second") };
        text += &match Duration::try_from_secs_f64(left) {
            Ok(_) if position >= total => format!(", done in {}", HumanDuration(times.elapsed)),
            Ok(left) => format!(", {} left", HumanDuration(left)),
            Err(_) => String::new(),
        };
    }
    if !message.is_empty() {
        text += ", ";
        text += message;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(position: u64, seconds: f64, fresh: u64) -> String {
        let times = Times { elapsed: Duration::from_secs_f64(seconds), fresh };
        line("trials", position, 20, times, "")
    }

    #[test]
    fn the_time_left_is_that_of_the_units_of_this_run() {
        assert_eq!(text(12, 4.0, 6), "trials: 12/20, 1.5 a second, 5 seconds left");
        assert_eq!(text(10, 60.0, 2), "trials: 10/20, 30.000 s each, 5 minutes left");
        assert_eq!(text(20, 4.0, 6), "trials: 20/20, 1.5 a second, done in 4 seconds");
    }

    #[test]
    fn nothing_is_estimated_from_nothing() {
        assert_eq!(text(12, 4.0, 0), "trials: 12/20");
        assert_eq!(text(12, 0.0, 0), "trials: 12/20");
        assert_eq!(text(12, 0.0, 1), "trials: 12/20");
    }

    #[test]
    fn without_a_terminal_a_stage_prints_a_line_when_one_is_due_and_at_its_end() {
        let output = Arc::new(Mutex::new(Vec::new()));
        let progress = Progress { show: Show::Lines(output.clone()) };
        let lines = || String::from_utf8(output.lock().unwrap().clone()).unwrap();
        let stage = progress.stage("trials", 20);
        stage.resume(5);
        stage.with_state(|state| stage.line(state));
        assert_eq!(lines(), "trials: 5/20\n", "what an earlier run did is not this run's rate");
        output.lock().unwrap().clear();
        stage.message("abalone");
        stage.done(1);
        assert_eq!((stage.position(), lines().as_str()), (6, ""), "no line is due yet");
        stage.with_state(|state| state.last_line = Instant::now().checked_sub(BETWEEN_LINES).unwrap());
        stage.done(1);
        stage.done(1);
        assert_eq!(lines().lines().count(), 1);
        assert!(
            lines().starts_with("trials: 7/20, ") && lines().ends_with(" left, abalone\n"),
            "{}",
            lines()
        );
        stage.finish();
        progress.note("saved");
        assert_eq!(lines().lines().count(), 3);
        assert!(lines().ends_with("\nsaved\n"));
    }

    #[test]
    fn workers_share_a_stage() {
        let stage = Progress::new(true).stage("trials", 400);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| stage.done(1)));
            }
        });
        assert_eq!(stage.position(), 400);
    }
}
