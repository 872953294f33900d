//! Progress of a long run: a bar per stage on a terminal, a line every few seconds elsewhere, or nothing.

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The times of a stage's lines without a terminal.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// The delay of the first line: short for a waiting user; a stage that ends earlier prints none.
    first: Duration,
    /// The time between two lines of a young stage.
    between: Duration,
    /// The time between two lines of a stage that has run ten times as long, so that long runs print few
    /// lines.
    later: Duration,
}

const PACE: Pace = Pace {
    first: Duration::from_millis(300),
    between: Duration::from_secs(5),
    later: Duration::from_secs(30),
};
const BAR: &str = "{prefix:<24} {bar:24} {pos}/{len}  {elapsed}  {per_sec}  eta {eta}  {wide_msg}";

/// The display of progress. It uses stderr only, so that stdout holds nothing but results.
///
/// ```
/// let progress = report::progress::Progress::new(true);
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
    Lines(Arc<Mutex<dyn Write + Send>>, Pace),
}

/// One stage of a run: a known number of units. Workers share it by reference.
#[derive(Debug)]
pub struct Stage {
    shared: Arc<Shared>,
    /// Without a terminal, a thread prints lines until this sender is dropped.
    printing: Option<Sender<()>>,
}

/// The state of a stage, shared by the workers and the printing thread.
#[derive(Debug)]
struct Shared {
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
}

impl Progress {
    /// Bars if stderr is a terminal, else a line at once and then every few seconds; nothing if `quiet`.
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        let show = if quiet {
            Show::Nothing
        } else if std::io::stderr().is_terminal() {
            Show::Bars(MultiProgress::new())
        } else {
            Show::Lines(Arc::new(Mutex::new(std::io::stderr())), PACE)
        };
        Self { show }
    }

    /// Starts a stage of `total` units.
    #[must_use]
    pub fn stage(&self, name: &str, total: u64) -> Stage {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let bar = match &self.show {
            Show::Bars(bars) => bars.add(bar),
            Show::Nothing | Show::Lines(..) => bar,
        };
        // If the template could not be parsed, the default style would remain.
        if let Ok(style) = ProgressStyle::with_template(BAR) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_prefix(name.to_owned());
        if let Show::Bars(_) = self.show {
            // A unit may take minutes: the bar appears before the first one is done, and its clock keeps
            // running.
            bar.enable_steady_tick(Duration::from_secs(1));
        }
        let state = Mutex::new(State { message: String::new(), started: Instant::now(), resumed: 0 });
        let shared = Arc::new(Shared { name: name.to_owned(), show: self.show.clone(), bar, state });
        let printing = match self.show {
            Show::Lines(_, pace) => Some(print_lines(Arc::clone(&shared), pace)),
            Show::Nothing | Show::Bars(_) => None,
        };
        Stage { shared, printing }
    }

    /// Prints a line to stderr without disturbing the bars; nothing if quiet.
    pub fn note(&self, text: &str) {
        self.show.line(text);
    }
}

/// Prints lines of the stage until the sender is dropped.
fn print_lines(stage: Arc<Shared>, pace: Pace) -> Sender<()> {
    let (running, stopped) = channel();
    thread::spawn(move || {
        let mut wait = pace.first;
        while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            stage.line();
            let is_young = stage.with_state(|state| state.started.elapsed()) < 10 * pace.later;
            wait = if is_young { pace.between } else { pace.later };
        }
    });
    running
}

impl Stage {
    /// Counts units finished in an earlier run. They count as done, but not in the rate.
    pub fn resume(&self, units: u64) {
        self.shared.with_state(|state| state.resumed += units);
        self.shared.bar.inc(units);
        self.shared.bar.reset_eta();
    }

    /// Counts finished units.
    pub fn done(&self, units: u64) {
        self.shared.bar.inc(units);
    }

    /// Sets the current item of the stage, such as the data set.
    pub fn message(&self, text: &str) {
        self.shared.bar.set_message(text.to_owned());
        self.shared.with_state(|state| text.clone_into(&mut state.message));
    }

    /// The number of units done so far, resumed ones included.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.shared.bar.position()
    }

    /// Ends the stage: a bar stays as it is; without a terminal a last line is printed.
    pub fn finish(mut self) {
        drop(self.printing.take());
        self.shared.bar.abandon();
        self.shared.line();
    }
}

impl Shared {
    fn line(&self) {
        if let Show::Lines(..) = self.show {
            let (position, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let text = self.with_state(|state| {
                let fresh = position.saturating_sub(state.resumed);
                let times = Times { elapsed: state.started.elapsed(), fresh };
                line(&self.name, position, total, times, &state.message)
            });
            self.show.line(&text);
        }
    }

    fn with_state<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Show {
    /// Prints a line. Failures to print are ignored: they are no reason to stop a run.
    fn line(&self, text: &str) {
        match self {
            Self::Nothing => {}
            Self::Bars(bars) => drop(bars.println(text)),
            Self::Lines(output, _) => {
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
            Self::Lines(..) => "Lines",
        })
    }
}

#[derive(Clone, Copy)]
struct Times {
    elapsed: Duration,
    /// The units of this run in that time.
    fresh: u64,
}

/// `trials: 12/20, 1.5 a second, 5 seconds left, abalone`.
#[allow(clippy::cast_precision_loss, reason = "an estimate for a human")]
fn line(name: &str, position: u64, total: u64, times: Times, message: &str) -> String {
    let rate = times.fresh as f64 / times.elapsed.as_secs_f64();
    let mut text = format!("{name}: {position}/{total}");
    if times.fresh == 0 && times.elapsed >= Duration::from_secs(1) {
        text += &format!(", {} so far", HumanDuration(times.elapsed));
    }
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
mod tests;
