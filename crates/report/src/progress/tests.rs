//! The lines printed without a terminal, and their times.

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
fn no_time_left_is_estimated_without_finished_units() {
    assert_eq!(text(12, 4.0, 0), "trials: 12/20, 4 seconds so far");
    assert_eq!(text(12, 0.0, 0), "trials: 12/20");
    assert_eq!(text(12, 0.0, 1), "trials: 12/20");
}

type Output = Arc<Mutex<Vec<u8>>>;

fn into_memory(first: Duration, between: Duration) -> (Progress, Output) {
    let output = Output::default();
    let pace = Pace { first, between, later: between };
    (Progress { show: Show::Lines(output.clone(), pace) }, output)
}

fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.lock().unwrap().clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The lines, once there are this many or after ten seconds.
fn awaited(output: &Output, count: usize) -> Vec<String> {
    let begun = Instant::now();
    while lines(output).len() < count && begun.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(1));
    }
    lines(output)
}

#[test]
fn without_a_terminal_a_stage_prints_lines_even_without_finished_units() {
    let soon = Duration::from_millis(20);
    let (progress, output) = into_memory(soon, soon);
    let stage = progress.stage("trials", 20);
    let printed = awaited(&output, 3);
    assert!(printed.len() >= 3 && printed.iter().all(|line| line == "trials: 0/20"), "{printed:?}");
    stage.resume(5);
    let printed = awaited(&output, lines(&output).len() + 2);
    let last = printed.last().unwrap();
    assert!(last.starts_with("trials: 5/20"), "what an earlier run did is not this run's rate: {last}");
    assert!(!last.contains("left"), "{last}");
    stage.message("abalone");
    stage.done(2);
    let printed = awaited(&output, lines(&output).len() + 2);
    let last = printed.last().unwrap();
    assert!(last.starts_with("trials: 7/20, ") && last.ends_with(" left, abalone"), "{last}");
    assert_eq!(stage.position(), 7);
    drop(stage);
    thread::sleep(5 * soon);
    let count = lines(&output).len();
    thread::sleep(5 * soon);
    assert_eq!(lines(&output).len(), count, "a stage that is gone is silent");
}

#[test]
fn a_short_stage_prints_only_its_last_line() {
    let long = Duration::from_secs(60);
    let (progress, output) = into_memory(long, long);
    let stage = progress.stage("trials", 2);
    stage.done(2);
    assert!(lines(&output).is_empty(), "no line is due yet");
    stage.finish();
    progress.note("saved");
    let printed = lines(&output);
    assert_eq!(printed.len(), 2);
    assert!(printed[0].starts_with("trials: 2/2") && printed[1] == "saved", "{printed:?}");
}

/// The first line comes within a second, and the next within a few seconds.
#[test]
fn the_first_line_comes_at_once_and_the_next_within_seconds() {
    assert!(PACE.first < Duration::from_secs(1) && PACE.between <= Duration::from_secs(5));
    assert!(PACE.between <= PACE.later && PACE.later <= Duration::from_secs(60));
}

#[test]
fn workers_share_a_stage() {
    let stage = Progress::new(true).stage("trials", 400);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| stage.done(1)));
        }
    });
    assert_eq!(stage.position(), 400);
}
