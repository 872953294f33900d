//! What the program writes: one job for every command that does, over an older file of another content.

use crate::running::{articles, command, offers};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use tempfile::TempDir;

/// Of a training, in its folder.
pub(crate) const CHECKPOINT: &str = "c.ocob";

/// A command line, the files that it writes, and the content of these before and behind it.
pub(crate) struct Job {
    pub(crate) name: &'static str,
    line: Vec<String>,
    folder: TempDir,
    old: BTreeMap<String, Vec<u8>>,
    new: BTreeMap<String, Vec<u8>>,
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Done, or done and not shown to be better.
pub(crate) fn ends_well(status: ExitStatus) -> bool {
    matches!(status.code(), Some(0 | 3))
}

fn run(folder: &Path, line: &str) {
    let output = program(folder, &words(line)).output().unwrap();
    assert!(ends_well(output.status), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn program(folder: &Path, line: &[String]) -> Command {
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    let mut program = command(&line);
    program.args(["--quiet", "--threads", "2"]).current_dir(folder).stdin(Stdio::null());
    program
}

impl Job {
    /// `line` in a folder where `before` has run, with `old` in place of `new` in the names of its inputs.
    fn new(name: &'static str, files: &[&str], before: &str, line: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        inputs(folder.path());
        for line in before.split(" && ") {
            run(folder.path(), line);
        }
        let contents = || {
            let content = |file: &&str| ((*file).to_owned(), fs::read(folder.path().join(file)).unwrap());
            files.iter().map(content).collect()
        };
        let old: BTreeMap<_, _> = contents();
        run(folder.path(), line);
        let new: BTreeMap<_, _> = contents();
        assert!(old.iter().zip(&new).all(|(old, new)| old.1 != new.1), "{name}: it changes nothing");
        let job = Self { name, line: words(line), folder, old, new };
        job.reset();
        job
    }

    /// Every file that the program writes.
    pub(crate) fn all() -> Vec<Self> {
        let mut jobs = vec![
            Self::new(
                "train",
                &["m.ocob"],
                "train old.csv -o m.ocob --budget 1h --candidates 1 --rounds 2",
                "train new.csv -o m.ocob --budget 1h --candidates 1 --rounds 8",
            ),
            Self::new(
                "train over candidates",
                &["m.ocob"],
                "train old.csv -o m.ocob --budget 1h --candidates 1 --rounds 2",
                "train articles.vw -o m.ocob --budget 1h --candidates 1 --rounds 4",
            ),
            Self::new(
                "boost",
                &["m.ocob"],
                "boost cancer.csv --label class --ignore id -o m.ocob --rounds 3 --max-depth 1 --algorithm smooth -k 3",
                "boost cancer.csv --label class --ignore id -o m.ocob --rounds 6 --max-depth 3 --algorithm adaboost",
            ),
            Self::new(
                "stream",
                &["m.ocob", "p.csv"],
                "stream half.csv --label class --ignore id -o half.ocob -p p.csv && \
                 stream half.csv --label class --ignore id -o m.ocob",
                "stream cancer.csv --label class --ignore id -i half.ocob -o m.ocob -p p.csv",
            ),
            Self::new(
                "predict",
                &["p.csv"],
                "train old.csv -o m.ocob --budget 1h --candidates 1 --rounds 2 && predict m.ocob old.csv -o p.csv",
                "predict m.ocob new.csv -o p.csv --probabilities",
            ),
            Self::new(
                "a page",
                &["p.html"],
                "train old.csv -o m.ocob --budget 1h --candidates 1 --rounds 2 && \
                 evaluate logged new.csv --html p.html",
                "evaluate m.ocob new.csv --html p.html",
            ),
        ];
        for (name, form) in [("export", "json"), ("export for XGBoost", "xgboost")] {
            let before = "train old.csv -o m.ocob --budget 1h --candidates 1 --rounds 2 && export m.ocob e.json && \
                          train new.csv -o m.ocob --budget 1h --candidates 1 --rounds 8";
            jobs.push(Self::new(name, &["e.json"], before, &format!("export m.ocob e.json --as {form}")));
        }
        let ends =
            ["csv", "tsv", "jsonl", "parquet", "arrow", "vw", "csv.gz", "csv.zst", "jsonl.gz", "vw.zst"];
        for end in ends {
            let file = format!("log.{end}");
            let [before, line] = ["old", "new"].map(|input| format!("convert {input}.csv {file}"));
            let name = format!("convert to {end}").leak();
            jobs.push(Self::new(name, &[&file], &before, &line));
        }
        jobs
    }

    /// A training that is saved on its way, which no run of [`all`](Self::all) is: it may do without.
    pub(crate) fn with_checkpoint() -> Self {
        let line = "train new.csv -o m.ocob --budget 1h --candidates 1 --rounds 8";
        let before = "train old.csv -o m.ocob --budget 1h --candidates 1 --rounds 2";
        Self::new("train", &["m.ocob"], before, &format!("{line} --checkpoint {CHECKPOINT}"))
    }

    /// Asserts that the training goes on from a file to the model of a run without faults.
    pub(crate) fn assert_goes_on(&self, checkpoint: &str, when: &str) {
        let mut line = self.line.clone();
        line.extend(words(&format!("--resume {checkpoint}")));
        let output = program(self.folder.path(), &line).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(ends_well(output.status), "{when}, resumed: {said}");
        assert!(self.files().all(|file| self.is_new(file)), "{when}: the resumed training has another model");
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn command(&self) -> Command {
        program(self.folder.path(), &self.line)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.old.keys().map(String::as_str)
    }

    /// The older files, and nothing that a run has left.
    pub(crate) fn reset(&self) {
        for (file, bytes) in &self.old {
            fs::write(self.folder.path().join(file), bytes).unwrap();
        }
        for file in left_over(self.folder.path()) {
            fs::remove_file(self.folder.path().join(file)).unwrap();
        }
    }

    /// Whether a file is the older one.
    pub(crate) fn is_old(&self, file: &str) -> bool {
        fs::read(self.folder.path().join(file)).unwrap() == self.old[file]
    }

    /// Whether a file is that of a run without faults, to the byte.
    pub(crate) fn is_new(&self, file: &str) -> bool {
        fs::read(self.folder.path().join(file)).unwrap() == self.new[file]
    }

    /// Asserts that every file is whole, and old or new.
    pub(crate) fn assert_whole(&self, when: &str) {
        for file in self.files() {
            assert!(
                self.is_old(file) || self.is_new(file),
                "{}, {when}: {file} is neither old nor new",
                self.name
            );
        }
    }

    /// Asserts that a run without faults does its work, and leaves nothing behind.
    pub(crate) fn assert_recovers(&self, when: &str) {
        let output = self.command().output().unwrap();
        assert!(
            ends_well(output.status),
            "{}, {when}: {}",
            self.name,
            String::from_utf8_lossy(&output.stderr)
        );
        let files: Vec<&str> = self.files().collect();
        assert!(files.iter().all(|file| self.is_new(file)), "{}, {when}: the run after it", self.name);
        assert_eq!(left_over(self.folder.path()), [""; 0], "{}, {when}", self.name);
    }
}

/// Temporary files.
pub(crate) fn left_over(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.') || name.ends_with(".part") || name.contains("tmp")).collect()
}

/// The logs and tables that the jobs read.
pub(crate) fn inputs(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let first = |text: &str, lines: usize| text.split_inclusive('\n').take(lines).collect::<String>();
    let offers = fs::read_to_string(offers()).unwrap();
    write("old.csv", &first(&offers, 201));
    write("new.csv", &first(&offers, 801));
    let events = unpacked(Path::new(&articles()));
    write("articles.vw", &events.split_inclusive("\n\n").take(300).collect::<String>());
    let table =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/data/breast-cancer-wisconsin.data.gz");
    let head = "id,thickness,size,shape,adhesion,epithelial,nuclei,chromatin,nucleoli,mitoses,class\n";
    let table = head.to_owned() + &unpacked(&table);
    write("cancer.csv", &table);
    write("half.csv", &first(&table, 300));
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    let packed = fs::File::open(path).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(packed), &mut text).unwrap();
    text
}
