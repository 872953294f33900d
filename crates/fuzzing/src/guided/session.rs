//! A session: libFuzzer on every target in turn, each in a process of its own, with corpora that stay.

use super::{TARGET, kind_of, stated};
use crate::corpora;
use crate::finding::{Failure, Finding, Kind};
use crate::hours::Hours;
use crate::supervise::{Launch, end};
use crate::target::Target;
use crate::verdict::AnyError;
use crate::worker::{self, MARK};
use boosters::Threads;
use clap::Parser;
use report::output::{say, warn};
use report::progress::{Progress, Stage};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Fuzz the targets under libFuzzer, guided by coverage
#[derive(Parser)]
#[command(name = "cargo xtask fuzz --guided", bin_name = "cargo xtask fuzz --guided", version, about)]
struct Arguments {
    /// Part of a target's name; default: all targets, those with the fewest hours first
    target: Option<String>,
    /// Duration of the session, in minutes
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// Least duration of a target's turn, in seconds
    #[arg(long, default_value_t = 10)]
    turn: u64,
    /// Parallel processes; default: one per core
    #[arg(long)]
    threads: Option<usize>,
    /// Time limit of an input, in seconds
    #[arg(long, default_value_t = 10)]
    case_seconds: u64,
    /// Largest input, in bytes
    #[arg(long, default_value_t = 4096)]
    bytes: usize,
    /// Folder of the corpora, which later sessions go on with
    #[arg(long, default_value = "target/guided/corpora")]
    corpora: PathBuf,
    /// Folder for the findings
    #[arg(long, default_value = "out/fuzz")]
    out: PathBuf,
    /// File that adds up the figures of all sessions
    #[arg(long, default_value = "docs/reliability/fuzzing.json")]
    figures: PathBuf,
    /// Folder of the small corpora that tests replay
    #[arg(long, default_value = "crates/fuzzing/corpora")]
    kept: PathBuf,
    /// Instead of fuzzing: minimise the corpora into the small ones, of at most so many bytes a target
    #[arg(long, value_name = "BYTES")]
    keep: Option<usize>,
    /// List the names of the targets
    #[arg(long)]
    list: bool,
    /// No progress output
    #[arg(long)]
    quiet: bool,
    /// Internal: run the job given on standard input
    #[arg(long, hide = true)]
    worker: bool,
}

/// After this many ended processes a target waits for its next turn.
const ENDS_A_TURN: usize = 4;

/// The program without a target: a session by the arguments of the process.
pub(super) fn main() -> u8 {
    let done = Arguments::try_parse().map_err(AnyError::from).and_then(|options| {
        if options.worker {
            worker::work(&crate::targets())?;
            return Ok(true);
        }
        run(&options)
    });
    match done {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => match error.downcast_ref::<clap::Error>() {
            Some(usage) => {
                let _ = usage.print();
                u8::try_from(usage.exit_code()).unwrap_or(2)
            }
            None => {
                warn(&format!("error: {error}"));
                1
            }
        },
    }
}

/// Whether the session found nothing.
fn run(options: &Arguments) -> Result<bool, AnyError> {
    let wanted = |target: &Target| options.target.as_ref().is_none_or(|part| target.name().contains(part));
    let mut targets: Vec<Target> = crate::targets().into_iter().filter(wanted).collect();
    if options.list {
        targets.iter().try_for_each(|target| say(target.name()))?;
        return Ok(true);
    }
    if targets.is_empty() {
        return Err("no target has such a name; --list shows all".into());
    }
    let hours = Hours::read(&options.figures)?;
    let seconds = |name: &str| hours.targets.get(name).map_or(0.0, |effort| effort.seconds);
    targets.sort_by(|one, two| seconds(one.name()).total_cmp(&seconds(two.name())));
    let threads = options.threads.map_or(Ok(Threads::all()), Threads::exactly)?.count()?;
    let progress = Progress::new(options.quiet);
    let time = Duration::try_from_secs_f64(options.minutes * 60.0)?;
    let units = if options.keep.is_some() { targets.len() as u64 } else { time.as_secs() };
    let session = Session {
        begun: Instant::now(),
        time,
        threads: threads.clamp(1, targets.len()),
        stage: progress.stage("fuzz", units),
        shared: Mutex::new(Shared { hours, ..Shared::default() }),
        progress: &progress,
        targets,
        options,
    };
    if let Some(bytes) = options.keep {
        return session.keep(bytes).map(|()| true);
    }
    thread::scope(|scope| {
        let workers: Vec<_> = (0..session.threads).map(|_| scope.spawn(|| session.turns())).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(io::Error::other("a supervisor panicked")))
        })
    })?;
    session.stage.finish();
    let shared = session.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    say(&shared.hours.to_string())?;
    say(&format!("this session: {} executions, {} findings", shared.executions, shared.findings.len()))?;
    Ok(shared.findings.is_empty())
}

#[derive(Default)]
struct Shared {
    hours: Hours,
    /// The targets that had a turn begin, in this round of turns.
    begun: BTreeSet<String>,
    executions: u64,
    findings: BTreeMap<(String, Kind, String), PathBuf>,
}

struct Session<'a> {
    options: &'a Arguments,
    targets: Vec<Target>,
    begun: Instant,
    time: Duration,
    threads: usize,
    stage: Stage,
    progress: &'a Progress,
    shared: Mutex<Shared>,
}

/// What a process of libFuzzer said.
#[derive(Debug, Default, PartialEq)]
struct Said {
    executions: u64,
    edges: u64,
    inputs: u64,
    failure: Option<Failure>,
    artifact: Option<PathBuf>,
    /// Its last lines that are not of libFuzzer's progress.
    words: String,
}

impl Said {
    fn hear(&mut self, line: &str) {
        if line.starts_with(MARK) {
            self.failure = stated(line);
        } else if let Some(units) = line.strip_prefix("stat::number_of_executed_units:") {
            self.executions = units.trim().parse().unwrap_or(self.executions);
        } else if let Some((_, path)) = line.split_once("Test unit written to ") {
            self.artifact = Some(PathBuf::from(path.trim()));
        } else if let Some(rest) = line.strip_prefix('#') {
            let mut words = rest.split_whitespace();
            let number = words.next().and_then(|word| word.parse().ok());
            self.executions = number.unwrap_or(self.executions);
            while let Some(word) = words.next() {
                let value = || words.clone().next().and_then(|value| value.split('/').next()?.parse().ok());
                match word {
                    "cov:" => self.edges = value().unwrap_or(self.edges),
                    "corp:" => self.inputs = value().unwrap_or(self.inputs),
                    _ => {}
                }
            }
        } else if self.words.len() < 1 << 16 {
            self.words += line;
            self.words.push('\n');
        }
    }
}

impl Session<'_> {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn left(&self) -> Duration {
        self.time.saturating_sub(self.begun.elapsed())
    }

    /// The time of a turn: every target has one in the session, and none is shorter than the least.
    fn slice(&self) -> Duration {
        let whole = self.time.as_secs_f64() * self.threads as f64 / self.targets.len() as f64;
        Duration::from_secs_f64(whole.max(self.options.turn as f64)).min(self.left())
    }

    fn turns(&self) -> io::Result<()> {
        while self.left() > Duration::from_secs(1) {
            let next = {
                let mut shared = self.shared();
                let next = self.targets.iter().find(|target| !shared.begun.contains(target.name()));
                if let Some(target) = next {
                    shared.begun.insert(target.name().to_owned());
                }
                next
            };
            let Some(target) = next else { return Ok(()) };
            self.turn(target)?;
        }
        Ok(())
    }

    fn turn(&self, target: &Target) -> io::Result<()> {
        let corpus = self.corpus(target)?;
        let (begun, slice) = (Instant::now(), self.slice());
        for _ in 0..ENDS_A_TURN {
            let left = slice.saturating_sub(begun.elapsed());
            if left < Duration::from_secs(1) {
                break;
            }
            let start = Instant::now();
            let said = self.libfuzzer(target, &corpus, left)?;
            let seconds = start.elapsed().as_secs_f64();
            let executions = said.executions;
            {
                let mut shared = self.shared();
                shared.executions += executions;
                shared.hours = Hours::update(&self.options.figures, |hours| {
                    let effort = hours.targets.entry(target.name().to_owned()).or_default();
                    effort.executions += executions;
                    effort.seconds += seconds;
                    effort.edges = effort.edges.max(said.edges);
                    effort.inputs = said.inputs.max(if said.artifact.is_some() { effort.inputs } else { 0 });
                })?;
            }
            self.show(target);
            if said.failure.is_none() && said.artifact.is_none() {
                if executions == 0 {
                    return Err(io::Error::other(format!("{}: no execution: {}", target.name(), said.words)));
                }
                break;
            }
            self.found(target, said)?;
        }
        Ok(())
    }

    fn show(&self, target: &Target) {
        let (executions, findings) = {
            let shared = self.shared();
            (shared.executions, shared.findings.len())
        };
        let elapsed = self.begun.elapsed().as_secs();
        let rate = executions / elapsed.max(1);
        let name = target.name();
        self.stage.message(&format!("{executions} executions, {rate} a second, {findings} findings; {name}"));
        self.stage.done(elapsed.min(self.time.as_secs()).saturating_sub(self.stage.position()));
    }

    /// The folder of a target's corpus, with the seeds and the inputs of the repository.
    fn corpus(&self, target: &Target) -> io::Result<PathBuf> {
        let folder = self.options.corpora.join(corpora::file_stem(target.name()));
        fs::create_dir_all(&folder)?;
        let prepared = target.prepare().map_err(|error| io::Error::other(error.to_string()))?;
        let kept = corpora::read(&self.options.kept, target.name())?;
        for (number, input) in prepared.seeds.iter().chain(&kept).enumerate() {
            let path = folder.join(format!("seed-{number}"));
            if fs::read(&path).ok().as_ref() != Some(input) {
                fs::write(path, input)?;
            }
        }
        Ok(folder)
    }

    /// The program itself on a target. A shell sets the limit of memory, as for a worker.
    fn start(&self, target: &Target, arguments: &[OsString]) -> io::Result<Child> {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -c 0; ulimit -v 8388608; exec \"$@\"", "sh"]);
        command.arg(std::env::current_exe()?).args(arguments).env(TARGET, target.name());
        command.envs([("MALLOC_ARENA_MAX", "1"), ("RAYON_NUM_THREADS", "1")]);
        let memory = Path::new("/dev/shm");
        if memory.is_dir() {
            // Files of readers are in memory.
            command.env("TMPDIR", memory);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
    }

    fn libfuzzer(&self, target: &Target, corpus: &Path, time: Duration) -> io::Result<Said> {
        let found = self.options.corpora.join("../found");
        fs::create_dir_all(&found)?;
        let options = self.options;
        let stem = corpora::file_stem(target.name());
        let flags = [
            format!("-max_total_time={}", time.as_secs().max(1)),
            format!("-timeout={}", options.case_seconds),
            format!("-max_len={}", self.longest(corpus)?),
            format!("-artifact_prefix={}/{stem}.", found.display()),
            "-rss_limit_mb=4096".to_owned(),
            "-len_control=100".to_owned(),
            "-print_final_stats=1".to_owned(),
            "-reload=0".to_owned(),
        ];
        let mut arguments: Vec<OsString> = flags.into_iter().map(Into::into).collect();
        arguments.push(corpus.into());
        let mut child = self.start(target, &arguments)?;
        let mut said = Said::default();
        if let Some(words) = child.stderr.take() {
            for line in BufReader::new(words).split(b'\n') {
                said.hear(&String::from_utf8_lossy(&line?));
            }
        }
        let status = child.wait()?;
        if said.failure.is_none()
            && let Some(path) = &said.artifact
        {
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let kind = kind_of(file.rsplit('.').next().unwrap_or_default());
            let mut failure = end(None, status, &said.words);
            if kind != Kind::Abort {
                failure.kind = kind;
                kind.to_string().clone_into(&mut failure.place);
            }
            said.failure = Some(failure);
        }
        Ok(said)
    }

    /// Inputs are as long as the longest seed, and a stated length at least.
    fn longest(&self, corpus: &Path) -> io::Result<u64> {
        let mut longest = self.options.bytes as u64;
        for entry in fs::read_dir(corpus)? {
            longest = longest.max(entry?.metadata()?.len());
        }
        Ok(longest)
    }

    fn found(&self, target: &Target, said: Said) -> io::Result<()> {
        let Some(failure) = said.failure else { return Ok(()) };
        let input = said.artifact.map_or_else(|| Ok(Vec::new()), fs::read)?;
        let key = (target.name().to_owned(), failure.kind, failure.place.clone());
        if self.shared().findings.contains_key(&key) {
            return Ok(());
        }
        let launch = Launch {
            command: vec![std::env::current_exe()?.into_os_string(), "--worker".into()],
            environment: Vec::new(),
            case: Duration::from_secs(self.options.case_seconds),
            memory_mib: 4096,
        };
        let again = crate::alone(&launch, target.name(), input.clone())?;
        if failure.kind == Kind::Hang && again.is_none() {
            // Caused by a busy machine, not a hang.
            return Ok(());
        }
        let alone = again.is_some_and(|again| again.kind == failure.kind);
        let (target, changes) = (key.0.clone(), vec!["changes of libFuzzer".to_owned()]);
        let finding = Finding { target, failure, seed: 0, case: 0, changes, alone };
        let mut shared = self.shared();
        let path = finding.write(&self.options.out, shared.findings.len() + 1, &input)?;
        let Failure { kind, place, message } = &finding.failure;
        let message: String = message.chars().take(200).collect();
        self.progress.note(&format!(
            "{kind} in {}: {place}: {message}\n  replay: cargo xtask fuzz --replay {}",
            finding.target,
            path.display()
        ));
        shared.findings.insert(key, path);
        shared.hours = Hours::update(&self.options.figures, |hours| {
            hours.targets.entry(finding.target).or_default().findings += 1;
        })?;
        Ok(())
    }

    /// Merges each corpus into inputs that reach the same code, and keeps the shortest of them.
    fn keep(&self, bytes: usize) -> Result<(), AnyError> {
        let mut total = 0;
        for target in &self.targets {
            let corpus = self.corpus(target)?;
            let folder = tempfile::tempdir()?;
            let flags = ["-merge=1".to_owned(), format!("-max_len={}", self.longest(&corpus)?)];
            let mut arguments: Vec<OsString> = flags.into_iter().map(Into::into).collect();
            arguments.extend([folder.path().into(), corpus.into()]);
            let mut child = self.start(target, &arguments)?;
            let mut said = Said::default();
            if let Some(words) = child.stderr.take() {
                for line in BufReader::new(words).split(b'\n') {
                    said.hear(&String::from_utf8_lossy(&line?));
                }
            }
            if !child.wait()?.success() {
                return Err(format!("{}: the corpus is not merged: {}", target.name(), said.words).into());
            }
            let seeds = target.prepare()?.seeds;
            let mut inputs = Vec::new();
            for entry in fs::read_dir(folder.path())? {
                inputs.push(fs::read(entry?.path())?);
            }
            inputs.retain(|input| !seeds.contains(input));
            inputs.sort_by_key(|input| (input.len(), input.clone()));
            let mut size = 4;
            inputs.retain(|input| {
                size += corpora::size(input);
                size <= bytes
            });
            if !inputs.is_empty() {
                total += corpora::write(&self.options.kept, target.name(), &inputs)?;
            }
            self.stage.done(1);
        }
        say(&format!("{total} bytes in {}", self.options.kept.display()))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_libfuzzer_are_understood() {
        let mut said = Said::default();
        said.hear("#2\tINITED cov: 12 ft: 14 corp: 1/1b exec/s: 0 rss: 30Mb");
        said.hear("#8192\tpulse  cov: 345 ft: 400 corp: 17/2kb lim: 80 exec/s: 4096 rss: 31Mb");
        said.hear("INFO: something else");
        assert_eq!((said.executions, said.edges, said.inputs), (8192, 345, 17));
        said.hear(r#"@fuzz {"kind":"law","place":"p","message":"m"}"#);
        said.hear("artifact_prefix='a/'; Test unit written to a/crash-01");
        said.hear("stat::number_of_executed_units: 9000");
        assert_eq!(said.executions, 9000);
        assert_eq!(said.artifact, Some(PathBuf::from("a/crash-01")));
        assert_eq!(said.failure.map(|failure| failure.kind), Some(Kind::Law));
        assert_eq!(said.words, "INFO: something else\n");
        assert_eq!(kind_of("timeout-0a"), Kind::Hang);
        assert_eq!(kind_of("crash-0a"), Kind::Abort);
    }
}
