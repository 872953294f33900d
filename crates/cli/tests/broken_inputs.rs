//! Broken input of every kind that we could think of, through the program: one clear line with the place, the
//! documented exit code, no panic, nothing on the standard output, and no file.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const HEADER: &str = "age,device,action,propensity,reward";
const OK: i32 = 0;
const USAGE: i32 = 2;
/// The log does not show that the policy is better.
const NOT_SHOWN: i32 = 3;
const BAD_DATA: i32 = 65;
const NO_INPUT: i32 = 66;
const CANNOT_WRITE: i32 = 73;

/// 240 rows, in which music pays below 40 and tools do above.
fn rows() -> Vec<String> {
    let row = |i: usize| {
        let (age, device, action) =
            (20 + i % 40, ["phone", "tablet", "tv"][i % 3], ["music", "tools"][i / 40 % 2]);
        format!("{age},{device},{action},0.5,{}", u8::from((action == "music") == (age < 40)))
    };
    (0..240).map(row).collect()
}

fn csv(rows: &[String]) -> Vec<u8> {
    format!("{HEADER}\n{}\n", rows.join("\n")).into_bytes()
}

/// The log with another row in line 7.
fn with_row(row: &str) -> Vec<u8> {
    let mut all = rows();
    all[5] = row.to_owned();
    csv(&all)
}

/// The log with its cells replaced: the header, and a function of age, device, action, propensity and reward.
fn mapped(header: &str, row: impl Fn([&str; 5]) -> String) -> Vec<u8> {
    let cells = |line: &String| {
        let cells: Vec<&str> = line.split(',').collect();
        row([cells[0], cells[1], cells[2], cells[3], cells[4]])
    };
    let rows: Vec<String> = rows().iter().map(cells).collect();
    format!("{header}\n{}\n", rows.join("\n")).into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The first two thirds.
fn cut(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len() * 2 / 3].to_vec()
}

/// Bytes without a meaning, the same in every run.
fn noise() -> Vec<u8> {
    let mut state = 1_u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..5_000).map(|_| byte()).collect()
}

fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ocoboost"));
    program.args(arguments).arg("--quiet").current_dir(folder);
    let piped = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that refuses its input need not read all of it.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// A folder with what the commands need: `good.csv`, models of it and of another log, and the log in other
/// formats.
struct Fixture(tempfile::TempDir);

const SHORT: [&str; 6] = ["--candidates", "1", "--rounds", "3", "--budget", "10m"];

impl Fixture {
    fn new() -> Self {
        let own = Self(tempfile::tempdir().unwrap());
        own.write("good.csv", &csv(&rows()));
        own.write(
            "other.csv",
            &mapped("weight,action,propensity,reward", |[age, _, a, p, r]| format!("{age},{a},{p},{r}")),
        );
        own.write("text.csv", &mapped(HEADER, |[_, device, a, p, r]| format!("young,{device},{a},{p},{r}")));
        for (log, model) in [("good.csv", "good.ocob"), ("other.csv", "other.ocob")] {
            let code =
                run(own.0.path(), &[&["train", log, "-o", model], &SHORT[..]].concat(), b"").status.code();
            assert!(matches!(code, Some(OK | NOT_SHOWN)), "{code:?}");
        }
        for (log, other) in [
            ("good.csv", "good.parquet"),
            ("good.csv", "good.csv.zst"),
            ("text.csv", "text.parquet"),
            ("good.csv", "good.arrow"),
        ] {
            let output = run(own.0.path(), &["convert", log, other], b"");
            assert_eq!(output.status.code(), Some(OK), "{other}: {output:?}");
        }
        own
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.path().join(name)).unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// Runs a command on a file of that name, where there is one, and holds what happens to what should.
    fn check(
        &self,
        what: &str,
        file: Option<(&str, &[u8])>,
        arguments: &[&str],
        expected: i32,
        says: &[&str],
    ) {
        if let Some((name, bytes)) = file {
            self.write(name, bytes);
        }
        let before = self.files();
        let output = run(self.0.path(), arguments, file.map_or(b"", |(_, bytes)| bytes));
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let start: String = error.chars().take(600).collect();
        assert_eq!(output.status.code(), Some(expected), "{what}: {start}");
        assert!(!error.contains("panicked") && !error.contains("RUST_BACKTRACE"), "{what}: {start}");
        for words in says {
            assert!(error.contains(words) || out.contains(words), "{what}: {words:?} is not in {start}{out}");
        }
        let is_accepted = matches!(expected, OK | NOT_SHOWN);
        if is_accepted {
            assert!(!out.is_empty(), "{what}");
        } else {
            // One line that a person can read.
            assert!(error.starts_with("ocoboost: ") && error.lines().count() == 1, "{what}: {start}");
            assert!(error.chars().count() < 400, "{what}: {} characters: {start}", error.chars().count());
            assert_eq!(out, "", "{what}");
            assert_eq!(self.files(), before, "{what} left a file");
        }
        for path in self.files().into_iter().filter(|path| !before.contains(path)) {
            std::fs::remove_file(path).unwrap();
        }
        if let Some((name, _)) = file.filter(|(name, _)| *name != "-") {
            std::fs::remove_file(self.0.path().join(name)).unwrap();
        }
    }

    /// Trains on a broken log.
    fn train(&self, (name, bytes): (&str, &[u8]), more: &[&str], expected: i32, says: &[&str]) {
        let arguments = [&["train", name, "-o", "new.ocob"], &SHORT[..], more].concat();
        self.check(name, Some((name, bytes)), &arguments, expected, says);
    }
}

#[test]
fn broken_logs_are_refused_with_their_place() {
    let fixture = Fixture::new();
    let good = csv(&rows());
    let long = "x".repeat(10_000_000);
    let at_7 = |file: &str, column: &str| format!("{file}, line 7, column \"{column}\"");
    // What is in line 7, the column, and what is said of it.
    for (name, row, column, says) in [
        ("reward-is-text.csv", "26,phone,music,0.5,good", "reward", "\"good\" is not a finite number"),
        (
            "propensity-is-text.csv",
            "26,phone,music,half,1",
            "propensity",
            "\"half\" is not a propensity in (0, 1]",
        ),
        ("reward-is-nan.csv", "26,phone,music,0.5,NaN", "reward", "missing"),
        ("reward-is-infinite.csv", "26,phone,music,0.5,-inf", "reward", "\"-inf\" is not a finite number"),
        ("context-is-infinite.csv", "inf,phone,music,0.5,1", "age", "\"inf\" is not a finite number"),
        ("propensity-is-0.csv", "26,phone,music,0,1", "propensity", "\"0\" is not a propensity in (0, 1]"),
        ("propensity-is-negative.csv", "26,phone,music,-0.5,1", "propensity", "\"-0.5\""),
        ("propensity-above-1.csv", "26,phone,music,1.5,1", "propensity", "\"1.5\""),
        ("number-too-large.csv", "1e200,phone,music,0.5,1", "age", "1e140"),
        ("reward-too-large.csv", "26,phone,music,0.5,1e999", "reward", "1e140"),
        ("no-action.csv", "26,phone,,0.5,1", "action", "missing"),
        ("quote-not-closed.csv", "26,\"phone,music,0.5,1", "device", "not closed"),
        ("ten-megabytes.csv", &format!("26,phone,music,0.5,{long}"), "reward", "is not a finite number"),
    ] {
        fixture.train((name, &with_row(row)), &[], BAD_DATA, &[&at_7(name, column), says]);
    }
    let mut not_utf8 = with_row("26,@@,music,0.5,1");
    let place = not_utf8.windows(2).position(|pair| pair == b"@@").unwrap();
    not_utf8[place..place + 2].copy_from_slice(b"\xff\xfe");
    let noise = noise();
    let available = mapped("age,device,offer,action,propensity,reward", |[age, device, a, p, r]| {
        format!(
            "{age},{device},{},{a},{p},{r}",
            if age == "25" && a == "music" { "tools|travel" } else { "music|tools" }
        )
    });
    let dsjson = "{\"_label_cost\":-1,\"_label_probability\":0.5,\"_label_Action\":1,\"_labelIndex\":0,\"Version\":\"1\",\
                  \"EventId\":\"e\",\"a\":[1,2],\"c\":{\"age\":3,\"_multi\":[{\"id\":\"a\"},{\"id\":\"b\"}]},\"p\":[0.5,0.5]}\n\
                  {\"_label_cost\":-1,\"_label_prob\n";
    let line = "{\"age\":1,\"action\":\"a\",\"propensity\":0.5,\"reward\":1}\n";
    let more = ["--available", "offer"];
    let [none, available_options] = [&[][..], &more[..]];
    for (name, bytes, options, says) in [
        ("cut-in-a-row.csv", &cut(&good), none, &["cut-in-a-row.csv, line 16", "the header has 5"][..]),
        ("cut.csv.gz", &cut(&gzip(&good)), none, &["cut.csv.gz", "gzip", "cut off"]),
        ("cut.csv.zst", &cut(&fixture.read("good.csv.zst")), none, &["cut.csv.zst", "zstd", "cut off"]),
        ("cut.parquet", &cut(&fixture.read("good.parquet")), none, &["cut.parquet", "Parquet", "cut off"]),
        ("cut.arrow", &cut(&fixture.read("good.arrow")), none, &["cut.arrow", "Arrow", "cut off"]),
        (
            "cut.jsonl",
            &format!("{line}{}", &line[..30]).into_bytes(),
            none,
            &["cut.jsonl, line 2", "not JSON"],
        ),
        (
            "duplicate-columns.csv",
            &mapped("age,age,action,propensity,reward", |cells| cells.join(",")),
            none,
            &["duplicate-columns.csv, line 1", "two columns are called \"age\""],
        ),
        (
            "too-few-cells.csv",
            &with_row("26,phone,music,0.5"),
            none,
            &["too-few-cells.csv, line 7", "4 cells, the header has 5"],
        ),
        (
            "too-many-cells.csv",
            &with_row("26,phone,music,0.5,1,9"),
            none,
            &["too-many-cells.csv, line 7", "6 cells"],
        ),
        ("not-utf8.csv", &not_utf8, none, &["not-utf8.csv, line 7, column \"device\"", "not UTF-8"]),
        ("empty.csv", &Vec::new(), none, &["empty.csv", "empty"]),
        ("header-only.csv", &format!("{HEADER}\n").into_bytes(), none, &["header-only.csv", "no row"]),
        (
            "one-action.csv",
            &mapped(HEADER, |[age, device, _, _, r]| format!("{age},{device},music,1,{r}")),
            none,
            &["one-action.csv, column \"action\"", "\"music\"", "nothing to choose"],
        ),
        (
            "long-name.csv",
            &format!("{long},action\n1,a\n").into_bytes(),
            none,
            &["long-name.csv", "there is no column \"reward\""],
        ),
        (
            "no-reward.csv",
            &mapped("age,device,action,propensity,paid", |cells| cells.join(",")),
            none,
            &["no-reward.csv", "reward"],
        ),
        ("noise.csv", &noise, none, &["noise.csv, line 1", "not UTF-8"]),
        ("noise.parquet", &noise, none, &["noise.parquet", "Parquet"]),
        ("noise", &noise, none, &["noise: ", "name it: csv"]),
        (
            "not-on-offer.csv",
            &available,
            available_options,
            &["not-on-offer.csv, line 7, column \"action\"", "\"music\" is not among those on offer"],
        ),
        ("wrong.dsjson", &dsjson.as_bytes().to_vec(), none, &["wrong.dsjson, line 2", "not JSON"]),
        (
            "wrong-label.vw",
            &b"1:-1:0.5 | age:3 a\n2:0:0.5 | age:4 b\n1:x:0.5 | age:5 a\n".to_vec(),
            none,
            &["wrong-label.vw, line 3", "\"1:x:0.5\" is not a label"],
        ),
        (
            "wrong-probability.vw",
            &b"1:-1:0.5 | age:3 a\n2:0:1.5 | age:4 b\n".to_vec(),
            none,
            &["wrong-probability.vw, line 2", "\"2:0:1.5\""],
        ),
        (
            "reward-is-an-object.jsonl",
            &format!("{line}{}", line.replace(":1}", ":{\"x\":1}}")).into_bytes(),
            none,
            &["reward-is-an-object.jsonl, line 2, column \"reward\""],
        ),
        ("a-list.json", &format!("[{}]", line.trim()).into_bytes(), none, &["a-list.json"]),
        (
            "too-few-rows.csv",
            &csv(&[rows()[0].clone(), rows()[41].clone()]),
            none,
            &["too-few-rows.csv", "2 rows"],
        ),
        // A policy is no log.
        ("model.csv", &fixture.read("good.ocob"), none, &["model.csv"]),
    ] {
        fixture.train((name, bytes), options, BAD_DATA, says);
    }
    // A line of more than 64 MiB.
    let endless = [with_row("26,phone,music,0.5,1"), vec![b'y'; 70 << 20]].concat();
    fixture.train(
        ("endless.csv", &endless),
        &[],
        BAD_DATA,
        &["endless.csv, line 242", "longer than 67108864 bytes"],
    );
    // From the standard input too.
    let arguments = [&["train", "-", "-o", "new.ocob"], &SHORT[..]].concat();
    let broken = with_row("26,phone,music,2,1");
    fixture.check(
        "standard input",
        Some(("-", &broken)),
        &arguments,
        BAD_DATA,
        &["standard input, line 7, column \"propensity\""],
    );
}

#[test]
fn what_is_odd_and_not_broken_is_read() {
    let fixture = Fixture::new();
    let good = csv(&rows());
    let bom = [&b"\xef\xbb\xbf"[..], &good].concat();
    let crlf = String::from_utf8(good.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    let no_end = good[..good.len() - 1].to_vec();
    let nested = mapped("", |[age, device, a, p, r]| {
        format!(
            "{{\"who\":{{\"age\":{age},\"device\":\"{device}\"}},\"action\":\"{a}\",\"propensity\":{p},\"reward\":{r}}}"
        )
    });
    let missing = with_row("NaN,phone,music,0.5,1");
    let long = with_row(&format!("26,{},music,0.5,1", "x".repeat(10_000_000)));
    let same = ["rows that had no part in the choice"];
    for (name, bytes) in [
        ("byte-order-mark.csv", &bom),
        ("crlf.csv", &crlf),
        ("no-newline-at-the-end.csv", &no_end),
        ("nested.jsonl", &nested[1..].to_vec()),
        ("missing-number.csv", &missing),
        ("ten-megabytes-of-a-label.csv", &long),
    ] {
        let arguments = [&["train", name, "-o", "new.ocob"], &SHORT[..]].concat();
        fixture.write(name, bytes);
        let output = run(fixture.0.path(), &arguments, b"");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(
            matches!(output.status.code(), Some(OK | NOT_SHOWN)) && out.contains(same[0]),
            "{name}: {output:?}"
        );
    }
    // A log that cannot answer: the program says why, and promises nothing.
    let zero = mapped(HEADER, |[age, device, a, p, _]| format!("{age},{device},{a},{p},0"));
    let sure = mapped(HEADER, |[age, device, a, _, r]| format!("{age},{device},{a},1,{r}"));
    fixture.train(("zero-rewards.csv", &zero), &[], NOT_SHOWN, &["cannot answer", "every row earned 0"]);
    fixture.train(
        ("sure-decisions.csv", &sure),
        &[],
        NOT_SHOWN,
        &["cannot answer", "100% of 60 logged decisions were sure"],
    );
    for log in [("zero-rewards.csv", &zero), ("sure-decisions.csv", &sure)] {
        let arguments = ["evaluate", "uniform", log.0];
        fixture.check(log.0, Some((log.0, log.1)), &arguments, NOT_SHOWN, &["cannot answer"]);
    }
}

#[test]
fn rows_that_do_not_fit_the_model_are_refused() {
    let fixture = Fixture::new();
    let order = b"device,extra,age\nphone,1,30\ntv,2,50\n";
    fixture.check(
        "columns in another order",
        Some(("order.csv", order)),
        &["predict", "good.ocob", "order.csv"],
        OK,
        &["action,propensity"],
    );
    let unknown = b"age,device\n30,fridge\n";
    fixture.check(
        "an unknown label",
        Some(("label.csv", unknown)),
        &["predict", "good.ocob", "label.csv"],
        OK,
        &["action,propensity"],
    );
    for (name, bytes, says) in [
        (
            "missing-column.csv",
            &b"device\nphone\n"[..],
            &["missing-column.csv", "there is no column \"age\"", "\"device\""][..],
        ),
        (
            "wrong-type.csv",
            b"age,device\n30,tv\nyoung,tv\n",
            &["wrong-type.csv, line 3, column \"age\"", "\"young\""],
        ),
        (
            "missing-value.csv",
            b"age,device\n30,tv\n,tv\n",
            &["missing-value.csv, line 3, column \"age\"", "missing"],
        ),
        ("nothing.csv", b"", &["nothing.csv", "empty"]),
        ("header.csv", b"age,device\n", &["header.csv", "no row"]),
    ] {
        fixture.check(name, Some((name, bytes)), &["predict", "good.ocob", name], BAD_DATA, says);
    }
    let unknown = with_row("26,phone,travel,0.5,1");
    let says = ["action.csv, line 7, column \"action\"", "\"travel\" is not one of the 2 known actions"];
    fixture.check(
        "an unknown action",
        Some(("action.csv", &unknown)),
        &["evaluate", "good.ocob", "action.csv"],
        BAD_DATA,
        &says,
    );
    let says = ["text.parquet, row 1, column \"age\"", "\"young\" is not a finite number"];
    for command in [&["predict", "good.ocob", "text.parquet"], &["evaluate", "good.ocob", "text.parquet"]] {
        fixture.check("Parquet of other types", None, command, BAD_DATA, &says);
    }
    let compare = ["compare", "good.ocob", "other.ocob", "good.csv"];
    fixture.check(
        "models of other columns",
        None,
        &compare,
        BAD_DATA,
        &["good.csv: there is no column \"weight\"", "\"device\""],
    );
    let says = ["good.csv: not a model file"];
    for command in [
        &["evaluate", "good.csv", "good.csv"],
        &["predict", "good.csv", "good.csv"],
        &["compare", "good.csv", "good.csv"],
    ] {
        let command = if command[0] == "compare" {
            &["compare", "good.csv", "uniform", "good.csv"][..]
        } else {
            &command[..]
        };
        fixture.check("a log in place of a model", None, command, BAD_DATA, &says);
    }
    fixture.check("a log in place of a model", None, &["inspect", "good.csv"], BAD_DATA, &says);
}

/// One changed byte anywhere in the file is noticed: in the head, in the table of sections, in every section,
/// and in the checksum.
#[test]
fn a_damaged_model_is_refused() {
    let fixture = Fixture::new();
    let model = fixture.read("good.ocob");
    let commands = [
        &["predict", "bad.ocob", "good.csv"][..],
        &["evaluate", "bad.ocob", "good.csv"],
        &["inspect", "bad.ocob"],
        &["compare", "bad.ocob", "uniform", "good.csv"],
    ];
    let refused = |what: &str, bytes: &[u8], says: &[&str]| {
        let says = [&["bad.ocob: "], says].concat();
        for command in commands {
            fixture.check(what, Some(("bad.ocob", bytes)), command, BAD_DATA, &says);
        }
    };
    refused("no byte", b"", &["not a model file"]);
    refused("noise", &noise(), &["not a model file"]);
    refused("half of it", &model[..model.len() / 2], &["the file ends after"]);
    refused("all but one byte", &model[..model.len() - 1], &["the file ends after"]);
    refused("a byte more", &[&model[..], b"\n"].concat(), &["left over"]);
    let mut later = model.clone();
    later[8] = 2;
    refused("a later version", &later, &["model file of version 2, this program reads version 1"]);
    // Magic, version, number of sections; then a tag and two lengths a section; then their bytes.
    let number = |at: usize, bytes: usize| {
        model[at..at + bytes].iter().rev().fold(0, |n, b| 256 * n + usize::from(*b))
    };
    let sections = number(12, 4);
    assert!(sections >= 3, "{sections}");
    let mut places = vec![0, 7, 12, model.len() - 32, model.len() - 1];
    let mut from = 16 + 20 * sections;
    for k in 0..sections {
        let (entry, length) = (16 + 20 * k, number(20 + 20 * k, 8));
        places.extend([entry, entry + 4, entry + 12, from, from + length / 2, from + length - 1]);
        from += length;
    }
    assert_eq!(from + 32, model.len(), "the layout is as documented");
    for place in places {
        let mut flipped = model.clone();
        flipped[place] ^= 0x10;
        fixture.check(
            &format!("byte {place}"),
            Some(("bad.ocob", &flipped)),
            &["inspect", "bad.ocob"],
            BAD_DATA,
            &["bad.ocob: "],
        );
    }
}

#[test]
fn files_that_cannot_be_opened_or_written_are_named() {
    let fixture = Fixture::new();
    let at = |name: &str| fixture.0.path().join(name);
    std::fs::create_dir(at("folder")).unwrap();
    let train =
        |log: &'static str, output: &'static str| [&["train", log, "-o", output], &SHORT[..]].concat();
    for (what, arguments, expected, says) in [
        ("no such log", train("none.csv", "new.ocob"), NO_INPUT, "none.csv: No such file"),
        ("a folder for a log", train("folder", "new.ocob"), NO_INPUT, "folder: this is a folder"),
        (
            "below a file",
            train("good.csv/log.csv", "new.ocob"),
            NO_INPUT,
            "good.csv/log.csv: Not a directory",
        ),
        ("no such model", vec!["predict", "none.ocob", "good.csv"], NO_INPUT, "none.ocob: No such file"),
        ("a folder for a model", vec!["inspect", "folder"], NO_INPUT, "folder: "),
        ("no such rows", vec!["predict", "good.ocob", "none.csv"], NO_INPUT, "none.csv: No such file"),
        (
            "no folder for the model",
            train("good.csv", "none/new.ocob"),
            CANNOT_WRITE,
            "none/new.ocob: No such file",
        ),
        ("a folder is there", train("good.csv", "folder"), CANNOT_WRITE, "folder: is a directory"),
        (
            "no folder for the log",
            vec!["convert", "good.csv", "none/new.parquet"],
            CANNOT_WRITE,
            "none/new.parquet: No such file",
        ),
        ("a folder for the log", vec!["convert", "good.csv", "folder"], USAGE, "folder: the end of the name"),
        ("no such format", vec!["convert", "good.csv", "new.xlsx"], USAGE, "new.xlsx: the end of the name"),
        (
            "a format that is only read",
            vec!["convert", "good.csv", "new.dsjson"],
            USAGE,
            "is read and not written",
        ),
        (
            "no folder for the page",
            vec!["evaluate", "uniform", "good.csv", "--html", "none/page.html"],
            CANNOT_WRITE,
            "none/page.html: No such file",
        ),
    ] {
        fixture.check(what, None, &arguments, expected, &[says]);
    }
    // A log that is refused half-way leaves no half of another one.
    let broken = with_row("26,phone,music,2,1");
    for output in ["new.parquet", "new.jsonl", "new.csv.gz", "new.csv.zst"] {
        fixture.check(
            output,
            Some(("broken.csv", &broken)),
            &["convert", "broken.csv", output],
            BAD_DATA,
            &["broken.csv, line 7"],
        );
    }
    assert!(std::fs::read_dir(at("folder")).unwrap().next().is_none());
}

/// As another user where this one is the superuser, who reads and writes everything.
#[cfg(unix)]
#[test]
fn files_without_permission_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let (folder, mode) = (fixture.0.path(), std::fs::Permissions::from_mode);
    std::fs::set_permissions(folder, mode(0o555)).unwrap();
    std::fs::set_permissions(folder.join("other.csv"), mode(0o000)).unwrap();
    let mut prefix = Vec::new();
    if std::fs::File::open(folder.join("other.csv")).is_ok() {
        prefix = vec!["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
        let mut can = Command::new(prefix[0]);
        if !can.args(&prefix[1..]).arg("true").status().is_ok_and(|status| status.success()) {
            println!("REDUCED: the superuser needs no permission, and there is no `setpriv`");
            return;
        }
    }
    let train = [&["train", "good.csv", "-o", "new.ocob"], &SHORT[..]].concat();
    for (arguments, expected, says) in [
        (&["evaluate", "uniform", "other.csv"][..], NO_INPUT, "ocoboost: other.csv: Permission denied"),
        (&train, CANNOT_WRITE, "ocoboost: new.ocob: Permission denied"),
        (&["convert", "good.csv", "new.parquet"], CANNOT_WRITE, "ocoboost: new.parquet: Permission denied"),
    ] {
        let all = [&prefix[..], &[env!("CARGO_BIN_EXE_ocoboost")], arguments].concat();
        let output = Command::new(all[0]).args(&all[1..]).current_dir(folder).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{error}");
        assert!(error.starts_with(says) && error.lines().count() == 1, "{error}");
        assert!(!error.contains(".part"), "{error}");
        assert!(!folder.join(arguments[arguments.len() - 1]).exists() || expected == NO_INPUT);
    }
    std::fs::set_permissions(folder, mode(0o755)).unwrap();
}
