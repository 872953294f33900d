//! A log that several ranks read: its rows, one rank behind the other, are those that one process reads.

use crate::data;
use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use formats::{
    FormatError, LogOptions, MissingPropensities, Progress, ReadLog, RowWeights, Source, quiet, read_logs,
    read_logs_of_rank,
};
use off_policy::ActionSets;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use proptest::prelude::*;
use ranks::{Ranks, Shard, on_threads};
use rows::RowMatrix;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_secs(100);
const SIZES: [usize; 4] = [1, 2, 3, 7];

/// A file, as every rank has it.
#[derive(Clone)]
enum File {
    Text(String, Vec<u8>),
    Path(PathBuf),
}

impl File {
    fn text(name: &str, text: impl Into<Vec<u8>>) -> Self {
        Self::Text(name.to_owned(), text.into())
    }

    fn source(&self) -> Result<Source, FormatError> {
        match self {
            Self::Text(name, bytes) => Ok(Source::bytes(name, bytes.clone())),
            Self::Path(path) => Source::path(path),
        }
    }
}

fn of_one(files: &[File], options: &LogOptions) -> Result<ReadLog, FormatError> {
    read_logs(files.iter().map(File::source), options, &mut quiet)
}

fn of_ranks(size: usize, files: &[File], options: &LogOptions) -> Vec<Result<ReadLog, FormatError>> {
    let read = |ranks: Ranks| read_logs_of_rank(files.iter().map(File::source), options, &mut quiet, &ranks);
    on_threads(size, LIMIT, read).into_iter().map(Option::unwrap).collect()
}

/// The entries of all rows, to the bit, and whether they are dense.
fn entries(rows: &RowMatrix) -> Vec<(bool, Vec<u32>, Vec<u64>)> {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
    let of_row = |row: rows::Row<'_>| match row.entries() {
        rows::Entries::Dense(values) => (true, Vec::new(), bits(values)),
        rows::Entries::Sparse(indices, values) => (false, indices.to_vec(), bits(values)),
    };
    rows.iter().map(of_row).collect()
}

fn sets(sets: &ActionSets) -> Vec<Vec<usize>> {
    (0..sets.len()).map(|row| sets.row(row).unwrap().iter().collect()).collect()
}

/// The parts of the ranks, one behind the other; `None` where no rank has the part.
fn joined<T>(parts: impl Iterator<Item = Option<Vec<T>>>) -> Option<Vec<T>> {
    let parts: Vec<Option<Vec<T>>> = parts.collect();
    assert!(parts.iter().all(|part| part.is_some() == parts[0].is_some()));
    let parts: Option<Vec<Vec<T>>> = parts.into_iter().collect();
    parts.map(|parts| parts.into_iter().flatten().collect())
}

fn bits(numbers: &Option<Vec<f64>>) -> Option<Vec<u64>> {
    numbers.as_ref().map(|numbers| numbers.iter().map(|number| number.to_bits()).collect())
}

/// Checks that the logs of the ranks are parts of this one, and returns their numbers of rows.
fn assert_parts(logs: &[ReadLog], one: &ReadLog) -> Vec<usize> {
    let mut first = 0;
    for log in logs {
        assert_eq!((&log.schema, &log.facts, &log.files), (&one.schema, &one.facts, &one.files));
        let rows = log.rewards.len();
        assert_eq!((log.contexts.len(), log.actions.len()), (rows, rows));
        assert_eq!(log.contexts.dimension(), one.contexts.dimension());
        let of_ranks = logs.iter().map(|log| log.rewards.len()).collect::<Vec<_>>();
        let is_aligned = first % Shard::BLOCK == 0 || one.rewards.len().div_ceil(Shard::BLOCK) < logs.len();
        assert!(is_aligned && (rows > 0 || one.rewards.len() < logs.len()), "{of_ranks:?}");
        first += rows;
    }
    let together = |of: &dyn Fn(&ReadLog) -> Option<Vec<u64>>| joined(logs.iter().map(of));
    assert_eq!(
        logs.iter().flat_map(|log| entries(&log.contexts)).collect::<Vec<_>>(),
        entries(&one.contexts)
    );
    assert_eq!(joined(logs.iter().map(|log| Some(log.actions.clone()))).as_ref(), Some(&one.actions));
    let rewards = |log: &ReadLog| bits(&Some(log.rewards.clone()));
    assert_eq!(together(&rewards), rewards(one));
    assert_eq!(together(&|log| bits(&log.propensities)), bits(&one.propensities));
    assert_eq!(together(&|log| bits(&log.time)), bits(&one.time));
    assert_eq!(together(&|log| bits(&log.weights)), bits(&one.weights));
    let on_offer = |log: &ReadLog| log.on_offer.as_ref().map(sets);
    assert_eq!(joined(logs.iter().map(on_offer)), on_offer(one));
    let count = |log: &ReadLog| log.on_offer.as_ref().map(ActionSets::actions);
    assert!(logs.iter().all(|log| count(log) == count(one)));
    let split = |log: &ReadLog| log.split.as_ref().map(|split| split.codes.clone());
    assert_eq!(joined(logs.iter().map(split)), split(one));
    let labels = |log: &ReadLog| log.split.as_ref().map(|split| split.labels.clone());
    assert!(logs.iter().all(|log| labels(log) == labels(one)));
    logs.iter().map(|log| log.rewards.len()).collect()
}

/// Reads files by any number of ranks as by one process: the log, or what one rank at least says.
fn assert_same(files: &[File], options: &LogOptions) -> Option<ReadLog> {
    let one = of_one(files, options);
    for size in SIZES {
        let found = of_ranks(size, files, options);
        match &one {
            Ok(one) => {
                let logs: Vec<ReadLog> = found.into_iter().map(Result::unwrap).collect();
                assert_parts(&logs, one);
            }
            Err(error) => assert_refused(&found, &error.to_string()),
        }
    }
    one.ok()
}

/// Checks that every rank is refused: some with this message, and the others with one that names it.
fn assert_refused(found: &[Result<ReadLog, FormatError>], message: &str) {
    let said: Vec<&FormatError> = found.iter().map(|found| found.as_ref().unwrap_err()).collect();
    assert!(said.iter().any(|error| error.to_string() == message), "{message}\n{said:?}");
    for error in said {
        match error {
            FormatError::OtherRank { rank, message } => {
                assert_eq!(found[*rank].as_ref().unwrap_err().to_string(), *message);
            }
            error => assert!(!matches!(error, FormatError::Ranks(_)), "{error}"),
        }
    }
}

/// Numbers that look as if they were drawn.
fn scattered(row: usize, of: usize) -> usize {
    let mixed = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (of as u64).wrapping_mul(0xbf58_476d);
    (mixed.wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as usize
}

/// A file of rows of a log with columns of every kind.
fn table(rows: std::ops::Range<usize>) -> String {
    let mut text = String::from("age,device,since,day,zip,offers,action,propensity,reward,part,id\n");
    for row in rows {
        let draw = |of: usize, below: usize| scattered(row, of) % below;
        let age = match draw(1, 9) {
            0 => String::new(),
            1 => "NA".to_owned(),
            _ => format!("{}.{}", draw(2, 90), draw(3, 1000)),
        };
        let device = ["phone", "tablet", "", "watch", "a \"\"tv\"\""][draw(4, 5)];
        let since = if draw(5, 20) == 0 {
            String::new()
        } else {
            format!("20{}-0{}-11", 10 + draw(6, 9), 1 + draw(7, 9))
        };
        let action = ["news", "sport", "tv", "10"][draw(8, 4)];
        let others = ["news|tv", "sport", "10|sport|tv", "news|sport|tv|10"][draw(9, 4)];
        writeln!(
            text,
            "{age},\"{device}\",{since},{},{},{action}|{others},{action},{},{},{},{row}",
            row / 3,
            80_000 + draw(10, 30),
            [0.5, 0.25, 0.125][draw(11, 3)],
            draw(12, 1000) as f64 / 8.0 - 3.0,
            ["train", "test", ""][draw(13, 3)],
        )
        .unwrap();
    }
    text
}

fn of_table() -> LogOptions {
    LogOptions::default().available("offers").time("day").split("part").labels(["zip"])
}

/// The tables of the rows between these.
fn tables(cuts: &[usize]) -> Vec<File> {
    let of = |(k, rows): (usize, &[usize])| File::text(&format!("part-{k}.csv"), table(rows[0]..rows[1]));
    cuts.windows(2).enumerate().map(of).collect()
}

#[test]
fn files_of_csv_are_read_as_by_one_process() {
    let files = tables(&[0, 900, 900, 2500, 2600, 5200, 6001]);
    let one = assert_same(&files, &of_table()).unwrap();
    assert_eq!((one.facts.rows, one.files.len()), (6001, 6));
    assert!(one.on_offer.is_some() && one.time.is_some() && one.split.is_some());
    assert!(one.facts.missing["age"] > 100, "{:?}", one.facts.missing);
    let logs: Vec<ReadLog> = of_ranks(3, &files, &of_table()).into_iter().map(Result::unwrap).collect();
    // Boundaries at 2500 or so rows of files move by half a block at most.
    let rows = assert_parts(&logs, &one);
    assert!(rows.iter().all(|rows| *rows > 0), "{rows:?}");
    // Numbers that rise are noted, and rise from rank to rank.
    let note = "column \"id\" holds whole numbers that rise from row to row";
    assert!(one.facts.notes.iter().any(|found| found.starts_with(note)), "{:?}", one.facts.notes);
    let reversed: Vec<File> = files.iter().rev().cloned().collect();
    let one = assert_same(&reversed, &of_table()).unwrap();
    assert!(!one.facts.notes.iter().any(|found| found.starts_with(note)));
    // Alone, nothing else is done.
    let alone = read_logs_of_rank(files.iter().map(File::source), &of_table(), &mut quiet, &Ranks::alone());
    assert_eq!(alone, of_one(&files, &of_table()));
}

/// Ranks that read none get some: of one file, of fewer files than ranks, of files of uneven sizes.
#[test]
fn every_rank_has_rows() {
    let counts = |size: usize, files: &[File]| -> Vec<usize> {
        let options = LogOptions::default();
        let one = of_one(files, &options).unwrap();
        let logs = of_ranks(size, files, &options).into_iter().map(Result::unwrap);
        assert_parts(&logs.collect::<Vec<ReadLog>>(), &one)
    };
    assert_eq!(counts(2, &tables(&[0, 3000])), [1024, 1976]);
    assert_eq!(counts(3, &tables(&[0, 5000])), [1024, 2048, 1928]);
    // Rounded to blocks, one of them would have none, and there are six blocks.
    let eight: Vec<usize> = (0..=8).map(|file| 750 * file).collect();
    assert_eq!(counts(8, &tables(&eight)), [750; 8]);
    let folder = tempfile::tempdir().unwrap();
    let groups = parquet(&folder, "log.parquet", &batch(0..6000), 3000);
    assert_eq!(counts(4, std::slice::from_ref(&groups)), [1024, 2048, 1024, 1904]);
    // Fewer blocks than ranks, and fewer rows.
    assert_eq!(counts(3, &tables(&[0, 40, 90, 95, 700])), [233, 233, 234]);
    assert_eq!(counts(7, &tables(&[0, 8])), [1, 1, 1, 1, 1, 1, 2]);
    assert_eq!(counts(7, &tables(&[0, 5])), [0, 1, 1, 0, 1, 1, 1]);
}

/// Writes a Parquet file with row groups of so many rows.
fn parquet(folder: &tempfile::TempDir, name: &str, batch: &RecordBatch, rows: usize) -> File {
    let path = folder.path().join(name);
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    File::Path(path)
}

fn batch(rows: std::ops::Range<usize>) -> RecordBatch {
    let draw = |of: usize, below: usize| {
        rows.clone().map(move |row| scattered(row, of) % below).collect::<Vec<usize>>()
    };
    let number = |of: usize, missing: usize| -> ArrayRef {
        let cells = draw(of, 10_000).into_iter().zip(draw(of + 100, missing));
        Arc::new(
            cells
                .map(|(cell, is_there)| (is_there > 0).then_some(cell as f64 / 7.0))
                .collect::<Float64Array>(),
        )
    };
    let texts = |of: usize, texts: &[&str]| -> ArrayRef {
        Arc::new(draw(of, texts.len()).into_iter().map(|k| Some(texts[k])).collect::<StringArray>())
    };
    let dates = draw(5, 9000).into_iter().map(|day| Some(i32::try_from(day).unwrap()));
    let whole = draw(6, 5).into_iter().map(|k| Some(k as i64));
    let named: Vec<(&str, ArrayRef)> = vec![
        ("x", number(1, usize::MAX)),
        ("y", number(2, 50)),
        ("since", Arc::new(dates.collect::<Date32Array>())),
        ("whole", Arc::new(whole.collect::<Int64Array>())),
        ("action", texts(7, &["b", "a", "c"])),
        ("propensity", Arc::new(Float64Array::from(vec![0.25; rows.len()]))),
        ("reward", number(8, usize::MAX)),
    ];
    RecordBatch::try_from_iter(named).unwrap()
}

#[test]
fn row_groups_of_one_file_are_shared() {
    let folder = tempfile::tempdir().unwrap();
    let options = LogOptions::default();
    let file = parquet(&folder, "log.parquet", &batch(0..9000), 700);
    let one = assert_same(std::slice::from_ref(&file), &options).unwrap();
    assert!(matches!(one.contexts.row(0).map(|row| row.entries()), Some(rows::Entries::Dense(_))));
    let logs = of_ranks(7, std::slice::from_ref(&file), &options);
    let logs: Vec<ReadLog> = logs.into_iter().map(Result::unwrap).collect();
    assert_eq!(assert_parts(&logs, &one), [1024, 2048, 1024, 1024, 1024, 2048, 808]);
    // Two files, one of them without rows, and labels that make the rows sparse.
    let labelled = LogOptions::default().labels(["whole"]);
    let others = [
        file,
        parquet(&folder, "no.parquet", &batch(0..0), 10),
        parquet(&folder, "more.pq", &batch(9000..9900), 64),
    ];
    let one = assert_same(&others, &labelled).unwrap();
    assert_eq!(one.files.iter().map(|file| file.rows).collect::<Vec<_>>(), [9000, 0, 900]);
    assert!(one.files.iter().all(|file| file.sha256.len() == 64));
    // With a file of another format, and one that was written by another program.
    let text = "x,y,since,whole,action,propensity,reward\n1,2,2026-01-31,4,b,0.5,1\n,NA,,3,c,1,2\n";
    let mixed = [others[2].clone(), File::text("a.csv", text), others[0].clone()];
    assert_same(&mixed, &options).unwrap();
    let own = [File::Path(data("log-polars.parquet")), File::Path(data("log-pyarrow.feather"))];
    assert_same(&own, &LogOptions::default().available("offers").time("t")).unwrap();
    // As a stream of bytes, and compressed once more, it is read as a whole.
    let File::Path(path) = &others[0] else { unreachable!() };
    let bytes = std::fs::read(path).unwrap();
    let compressed = zstd::encode_all(&bytes[..], 1).unwrap();
    assert_same(&[File::text("a.parquet", bytes), File::text("b.parquet.zst", compressed)], &options)
        .unwrap();
}

#[test]
fn a_rank_reads_its_row_groups_alone() {
    let folder = tempfile::tempdir().unwrap();
    let files = [parquet(&folder, "log.parquet", &batch(0..6000), 500)];
    let read = on_threads(3, LIMIT, |ranks| {
        let mut seen = Vec::new();
        let mut watch = |progress: Progress| {
            seen.push((progress.rows, progress.bytes, progress.total_bytes.unwrap()));
            ControlFlow::Continue(())
        };
        let read =
            read_logs_of_rank(files.iter().map(File::source), &LogOptions::default(), &mut watch, &ranks);
        (read.unwrap().files[0].bytes, seen)
    });
    for (rank, read) in read.into_iter().enumerate() {
        let (bytes, seen) = read.unwrap();
        // Only the first rank passes over the file as a whole, to hash it.
        assert_eq!(seen.iter().any(|(.., total)| *total == bytes), rank == 0, "{seen:?}");
        let (rows, read, total) = seen.last().copied().unwrap();
        assert_eq!((rows, read), (2000, total));
        assert!(total.abs_diff(bytes / 3) <= 1, "{total} of {bytes}");
    }
}

/// Lines of Vowpal Wabbit's text: features that few rows have, some twice in a row, labels, dates, and the
/// actions on offer.
fn vw(rows: std::ops::Range<usize>) -> String {
    let mut text = String::new();
    for row in rows {
        let draw = |of: usize, below: usize| scattered(row, of) % below;
        let (shown, cost) = (draw(1, 4) + 1, draw(2, 100) as f64 / 16.0);
        write!(text, "{shown}:{cost}:0.25").unwrap();
        if draw(3, 2) == 0 {
            write!(text, " {} {}", (shown % 4) + 1, ((shown + 1) % 4) + 1).unwrap();
        }
        write!(text, " |u age:{} {} |f", draw(4, 70), ["team=red", "team=blue", "", "late"][draw(5, 4)])
            .unwrap();
        for k in 0..draw(6, 4) {
            // The same name may stand twice; its numbers add up.
            write!(text, " w{}:{}", draw(7 + k, 40), draw(17 + k, 9)).unwrap();
        }
        if draw(8, 11) == 0 {
            write!(text, " kind=a kind={} day=2026-0{}-01", draw(9, 3), 1 + draw(10, 9)).unwrap();
        }
        text.push('\n');
    }
    text
}

#[test]
fn sparse_rows_and_actions_on_offer_are_shared() {
    let cuts = [0, 1500, 1501, 4000, 4300, 5000];
    let of = |(k, rows): (usize, &[usize])| File::text(&format!("{k}.vw"), vw(rows[0]..rows[1]));
    let files: Vec<File> = cuts.windows(2).enumerate().map(of).collect();
    let one = assert_same(&files, &LogOptions::default()).unwrap();
    assert!(one.on_offer.is_some() && one.contexts.dimension() > 40);
    assert!(one.schema.feature_names().contains(&"f.kind=a".to_owned()));
    assert_same(&files, &LogOptions::default().time("u.age").split("u.team")).unwrap();
    // Lists in one file alone: all actions are on offer in the others.
    let plain = "1:0.5:0.5 |u age:3\n3:1:0.5 |u age:4\n".repeat(600);
    let last = File::text("last.vw", "2:0.5:0.5 1 |u age:3 w:1\n");
    let one = assert_same(&[File::text("a.vw", plain), last], &LogOptions::default()).unwrap();
    assert_eq!(one.on_offer.map(|sets| sets.row(0).map(|set| set.len())), Some(Some(3)));
}

#[test]
fn a_feature_that_stands_twice_is_one_whichever_rank_has_it() {
    let labels = "1:0:0.5 | x=7 y=2026-01-01 z=1\n2:0:0.5 | x=b\n";
    let numbers = "1:0:0.5 | x:1 x:6 z:2 z:3\n2:1:0.5 | x:7 x:7 y=2026-01-01 y=2026-01-01 w:2 w:3\n";
    for files in [[labels, numbers], [numbers, labels], [numbers, numbers], [labels, labels]] {
        let files = [File::text("a.vw", files[0]), File::text("b.vw", files[1])];
        assert_same(&files, &LogOptions::default()).unwrap();
    }
    // Numbers of a column of numbers add up; one of labels has both, and a label twice is one.
    for (texts, first) in [([labels, numbers], 2), ([numbers, labels], 0)] {
        let log = of_one(&texts.map(|text| File::text("a.vw", text)), &LogOptions::default()).unwrap();
        let names = log.schema.feature_names();
        let row = |row: usize| {
            let values = log.contexts.row(row).unwrap().to_dense();
            let mut cells: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(values).collect();
            cells.retain(|(_, value)| *value != 0.0);
            cells.sort_by(|a, b| a.0.cmp(b.0));
            cells
        };
        assert_eq!(row(first), [("x=1", 1.0), ("x=6", 1.0), ("z=2", 1.0), ("z=3", 1.0)]);
        assert_eq!(row(first + 1), [("w", 5.0), ("x=7", 1.0), ("y", 20_454.0)]);
    }
}

#[test]
fn events_of_actions_by_place_are_shared() {
    let tagged = |rows: std::ops::Range<usize>| {
        let mut text = String::new();
        for row in rows {
            let draw = |of: usize, below: usize| scattered(row, of) % below;
            let count = 2 + draw(1, 3);
            writeln!(text, "shared |u age:{}", draw(2, 60)).unwrap();
            for k in 0..count {
                let label =
                    if k == draw(3, count) { format!("0:{}:0.5 ", draw(4, 8)) } else { String::new() };
                writeln!(text, "{label}'{} |", ["a", "b", "c", "d"][(k + draw(5, 4)) % 4]).unwrap();
            }
            text.push('\n');
        }
        text
    };
    let untagged = "shared |u age:3\n0:1:0.5 |\n|\n\nshared |u age:4\n|\n|\n0:0:0.5 |\n\n";
    let files = [File::text("a.vw", tagged(0..1100)), File::text("b.vw", tagged(1100..1900))];
    let one = assert_same(&files, &LogOptions::default()).unwrap();
    assert_eq!(one.schema.actions(), 4);
    let fixed = "shared |u age:3\n0:1:0.5 |\n|\n\nshared |u age:4\n|\n0:0:0.5 |\n\n";
    for last in [untagged, fixed] {
        let files = [files[0].clone(), File::text("c.vw", last)];
        let one = assert_same(&files, &LogOptions::default()).unwrap();
        assert!(one.facts.notes.iter().any(|note| note.starts_with("not every action has a name")));
    }
    // As many actions in every row of every file, and more in the rows of one of them.
    assert!(
        assert_same(&[File::text("a.vw", fixed), File::text("b.vw", fixed)], &LogOptions::default())
            .is_some_and(|log| log.on_offer.is_none())
    );
    assert!(
        assert_same(&[File::text("a.vw", fixed), File::text("b.vw", untagged)], &LogOptions::default())
            .is_some_and(|log| log.on_offer.is_some())
    );
}

#[test]
fn every_format_is_shared() {
    let lines = |rows: std::ops::Range<usize>| {
        let mut text = String::new();
        for row in rows {
            let draw = |of: usize, below: usize| scattered(row, of) % below;
            write!(text, "{{\"action\": \"{}\", \"reward\": {}", ["a", "b"][draw(1, 2)], draw(2, 5)).unwrap();
            if draw(3, 3) > 0 {
                write!(
                    text,
                    ", \"x{}\": {}",
                    draw(4, 4),
                    [String::from("null"), draw(5, 9).to_string()][draw(6, 2)]
                )
                .unwrap();
            }
            writeln!(text, ", \"u\": {{\"kind\": {}}}}}", ["\"k\"", "true", "2.5"][draw(7, 3)]).unwrap();
        }
        text
    };
    let files = [
        File::text("a.jsonl", lines(0..700)),
        File::text("b.jsonl", lines(700..1300)),
        File::text("c.jsonl", "{\"late\": 3, \"action\": \"c\", \"reward\": 1, \"x9\": \"t\"}\n"),
        File::text("d.jsonl", lines(1300..2100)),
    ];
    let one = assert_same(&files, &LogOptions::default()).unwrap();
    assert!(one.propensities.is_none() && one.schema.feature_names().contains(&"late is missing".to_owned()));
    // Typed dates, and others.
    let dates =
        [File::Path(data("log-pyarrow.parquet")), File::Path(data("log.csv")), File::Path(data("log.jsonl"))];
    assert_same(&dates, &LogOptions::default().available("offers").time("t")).unwrap();
    assert_same(&dates, &LogOptions::default().available("offers").labels(["since"])).unwrap();
    let with_text = std::fs::read_to_string(data("log.csv")).unwrap();
    let since =
        with_text.lines().nth(1).unwrap().split(',').find(|cell| cell.contains("-0")).unwrap().to_owned();
    let with_text = File::text("text.csv", with_text.replace(&since, "long ago"));
    for files in [[&dates[0], &with_text, &dates[0]], [&with_text, &dates[0], &dates[1]]] {
        let one = assert_same(&files.map(File::clone), &LogOptions::default().available("offers")).unwrap();
        let names = one.schema.feature_names();
        assert!(names.contains(&"since=long ago".to_owned()), "{names:?}");
        assert!(!names.iter().any(|name| name.starts_with("since=1") || name.starts_with("since=2") && !name.contains('-')));
    }
    for name in ["log.tsv", "log-pyarrow.arrows", "log-polars.arrow"] {
        let twice = [File::Path(data(name)), File::Path(data("log.csv")), File::Path(data(name))];
        assert_same(&twice, &LogOptions::default().available("offers").time("t").split("device")).unwrap();
    }
    let event = |p: &str, cost: f64, drop: &str| {
        format!(
            "{{\"_label_cost\":{cost},\"_label_probability\":{p},\"_label_Action\":1,\"_labelIndex\":0,\"a\":[1,2],\
             \"p\":[{p},0.5],{drop}\"c\":{{\"u\":{{\"age\":{cost}}},\"_multi\":[{{\"_tag\":\"a\"}},{{\"_tag\":\"b\"}}]}}}}\n"
        )
    };
    let [same, other] = [event("0.5", 1.0, "\"pdrop\":0.5,"), event("0.5", 2.0, "\"pdrop\":0.75,")];
    let skipped = "{\"_label_cost\":0,\"c\":{\"_multi\":[]}}\nnothing\n";
    let options = LogOptions::default();
    for (first, last, differ) in [(&same, &same, false), (&same, &other, true), (&other, &same, true)] {
        let files = [
            File::text("a.dsjson", format!("{first}{skipped}{first}")),
            File::text("b.dsjson", format!("nothing else\n{last}{skipped}")),
        ];
        let one = assert_same(&files, &options).unwrap();
        assert_eq!(
            (one.weights.is_some(), one.facts.skipped.iter().map(|own| own.count).sum::<u64>()),
            (differ, 5)
        );
        assert_same(&files, &options.clone().weights(RowWeights::Drop)).unwrap();
    }
}

#[test]
fn the_open_bandit_dataset_is_shared() {
    let header = "timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,\
                  user_feature_2,user_feature_3,user-item_affinity_0,user-item_affinity_1,user-item_affinity_2\n";
    let rows = |rows: std::ops::Range<usize>| {
        let of = |row: usize| {
            let draw = |of: usize, below: usize| scattered(row, of) % below;
            format!(
                "2019-11-24 00:00:{:02}+00:00,{},{},{},0.5,a{},b,c,d,0,{},1\n",
                draw(1, 60),
                draw(2, 2),
                1 + draw(3, 3),
                draw(4, 2),
                draw(5, 9),
                draw(6, 7)
            )
        };
        rows.map(of).collect::<String>()
    };
    let files = [(0..900), (900..1700), (1700..2600)]
        .map(|own| File::text("obd.csv", format!("{header}{}", rows(own))));
    let one = assert_same(&files, &LogOptions::default()).unwrap();
    assert_eq!(
        (one.schema.actions(), one.facts.format.as_str(), one.time.is_some()),
        (3, "open-bandit", true)
    );
}

/// A cell of a column that may turn out to be anything.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (-3..12_i32).prop_map(|number| number.to_string()),
        2 => Just("0.5".to_owned()),
        1 => Just(String::new()),
        1 => Just("NA".to_owned()),
        1 => Just("07".to_owned()),
        1 => (1..5_u32).prop_map(|day| format!("2026-01-0{day}")),
        1 => "[a-d]{1}",
        1 => Just("1e200".to_owned()),
    ]
}

/// Cells of a column of one kind mostly, so that each kind comes about.
fn column(rows: usize) -> impl Strategy<Value = Vec<String>> {
    let kinds = prop_oneof![
        Just(vec!["0", "1", "7"]),
        Just(vec!["1", "", "NA"]),
        Just(vec!["2026-01-01", "2026-02-01", ""]),
        Just(vec!["a", "b", ""]),
        Just(vec![""]),
    ];
    let cells = prop::collection::vec((0..100_usize, cell()), rows);
    (kinds, cells, 0..30_usize).prop_map(|(kind, cells, odd)| {
        let pick = |(draw, other): (usize, String)| {
            if draw < odd { other } else { kind[draw % kind.len()].to_owned() }
        };
        cells.into_iter().map(pick).collect()
    })
}

/// Columns, the files of their rows, and the most labels of a column.
fn small() -> impl Strategy<Value = (Vec<Vec<String>>, Vec<usize>, usize)> {
    let rows = prop_oneof![3 => 2..40_usize, 1 => 40..70_usize];
    rows.prop_flat_map(|rows| {
        let columns = prop::collection::vec(column(rows), 1..4);
        (columns, prop::collection::vec(0..=rows, 0..4), prop_oneof![Just(1000), 2..6_usize])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the cells, and wherever the files are cut: the log of one process, or its refusal.
    #[test]
    fn small_tables_are_read_as_by_one_process((columns, mut cuts, most) in small(), is_vw: bool) {
        let rows = columns[0].len();
        cuts.extend([0, rows]);
        cuts.sort_unstable();
        let files = cuts.windows(2).enumerate().map(|(k, own)| {
            let mut text = String::new();
            if !is_vw {
                text.push_str("action,reward");
                (0..columns.len()).for_each(|k| write!(text, ",x{k}").unwrap());
                text.push('\n');
            }
            for row in own[0]..own[1] {
                match is_vw {
                    true => write!(text, "{}:{}:0.5 |", 1 + row % 2, row % 3).unwrap(),
                    false => write!(text, "{},{}", row % 2, row % 3).unwrap(),
                }
                for (k, column) in columns.iter().enumerate() {
                    let cell = &column[row];
                    // Two columns of one name, as Vowpal Wabbit allows.
                    match (is_vw, cell.parse::<f64>()) {
                        (false, _) => write!(text, ",{cell}").unwrap(),
                        (true, Ok(number)) => write!(text, " x{}:{number}", k % 2).unwrap(),
                        (true, Err(_)) => write!(text, " x{}={cell}", k % 2).unwrap(),
                    }
                }
                text.push('\n');
            }
            File::text(&format!("{k}.{}", if is_vw { "vw" } else { "csv" }), text)
        });
        // A file of events without a row is refused as empty.
        let files: Vec<File> = files.filter(|file| !matches!(file, File::Text(_, bytes) if bytes.is_empty())).collect();
        assert_same(&files, &LogOptions::default().most_labels(most));
    }
}

/// What each rank says of files that none of them reads.
fn refusals(size: usize, files: &[File], options: &LogOptions) -> Vec<String> {
    let found = of_ranks(size, files, options);
    let one = of_one(files, options).unwrap_err().to_string();
    assert_refused(&found, &one);
    found.into_iter().map(|found| found.unwrap_err().to_string()).collect()
}

const HEADER: &str = "x,action,propensity,reward\n";

/// So many good rows.
fn good(rows: usize) -> String {
    (0..rows).map(|row| format!("{},{},0.5,{}\n", row % 7, ["a", "b"][row % 2], row % 3)).collect()
}

#[test]
fn an_error_of_one_rank_ends_all_at_once() {
    // Half of the bytes each; the second file has a bad cell in its second row.
    let first = format!("{HEADER}{}", good(150_000));
    let second = format!("{HEADER}1,a,0.5,1\n2,b,1.5,1\n{}", good(150_000));
    let files = [File::text("a.csv", first), File::text("b.csv", second)];
    let found = on_threads(2, LIMIT, |ranks| {
        let mut seen = 0;
        let mut watch = |progress: Progress| {
            seen = progress.rows;
            ControlFlow::Continue(())
        };
        let sources = files.iter().map(File::source);
        let refused = read_logs_of_rank(sources, &LogOptions::default(), &mut watch, &ranks).unwrap_err();
        (refused, seen)
    });
    let found: Vec<(FormatError, u64)> = found.into_iter().map(Option::unwrap).collect();
    let message = "b.csv, line 3, column \"propensity\": \"1.5\" is not a propensity in (0, 1]".to_owned();
    assert_eq!(found[1].0.to_string(), message);
    assert_eq!(found[0].0, FormatError::OtherRank { rank: 1, message: message.clone() });
    assert_eq!(found[0].0.to_string(), format!("rank 1: {message}"));
    // The first rank had more than half of its rows still to read.
    assert!(found[0].1 < 75_000, "{}", found[0].1);
}

#[test]
fn a_watcher_of_one_rank_ends_all() {
    let files =
        [good(3000), good(3000), good(3000)].map(|rows| File::text("a.csv", format!("{HEADER}{rows}")));
    let found = on_threads(3, LIMIT, |ranks| {
        let mut watch = |progress: Progress| match ranks.rank() == 1 && progress.rows >= 2048 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let sources = files.iter().map(File::source);
        read_logs_of_rank(sources, &LogOptions::default(), &mut watch, &ranks).unwrap_err()
    });
    let other = || FormatError::OtherRank { rank: 1, message: "stopped after 2048 rows".into() };
    let own = FormatError::Interrupted { rows: 2048 };
    assert_eq!(found, [Some(other()), Some(own), Some(other())]);
}

#[test]
fn errors_of_several_ranks_are_known_to_all() {
    let bad = format!("{HEADER}1,a,0.5,1\n2,b,0.5,much\n");
    let files = [good(2), good(2)].map(|rows| File::text("good.csv", format!("{HEADER}{rows}")));
    let files =
        [&files[0], &File::text("b.csv", bad.clone()), &files[1], &File::text("d.csv", bad)].map(File::clone);
    let message = |name: &str| {
        format!("{name}, line 3, column \"reward\": \"much\" is not a finite number up to 1e140 in magnitude")
    };
    let found = of_ranks(4, &files, &LogOptions::default());
    let found: Vec<String> = found.into_iter().map(|found| found.unwrap_err().to_string()).collect();
    let told = format!("rank 1: {}", message("b.csv"));
    assert_eq!(found, [told.clone(), message("b.csv"), told, message("d.csv")]);
    for size in SIZES {
        refusals(size, &files, &LogOptions::default());
    }
}

#[test]
fn what_needs_all_rows_is_said_as_by_one_process() {
    let none = LogOptions::default();
    let csv = |name: &str, rows: &str| File::text(name, format!("{HEADER}{rows}"));
    let rows = "1,a,0.5,1\n2,b,0.5,0\n";
    let all_say = |files: &[File], options: &LogOptions, expected: &str| {
        for size in SIZES {
            for said in refusals(size, files, options) {
                assert_eq!(said, expected);
            }
        }
    };
    all_say(&[csv("a.csv", ""), csv("b.csv", "")], &none, "a.csv: there is no row to read");
    let only = [csv("a.csv", "1,b,0.5,1\n"), csv("b.csv", "2,b,0.5,1\n"), csv("c.csv", "")];
    all_say(
        &only,
        &none,
        "a.csv, column \"action\": every row has the action \"b\"; there is nothing to choose",
    );
    let two = [csv("a.csv", rows), csv("b.csv", rows)];
    let expected =
        "a.csv: there is no column \"day\"; there are \"x\", \"action\", \"propensity\", \"reward\"";
    all_say(&two, &none.clone().time("day"), expected);
    all_say(&two, &none.clone().ignore(["day"]), expected);
    // The others may have it; in JSON a column is found with its rows.
    let json = |name: &str, more: &str| {
        File::text(name, format!("{{\"x\": 1, \"action\": \"a\", \"reward\": 1{more}}}\n"))
    };
    let lines = [json("a.jsonl", ""), json("b.jsonl", ", \"action2\": 3"), json("c.jsonl", "")];
    let expected = "a.jsonl: there is no column \"y\"; there are \"x\", \"action\", \"reward\", \"action2\"";
    all_say(&lines, &none.clone().ignore(["y"]), expected);
    let late = [
        lines[0].clone(),
        json("b.jsonl", ", \"y\": 2").clone(),
        File::text("c.jsonl", "{\"action\": \"b\", \"reward\": 2}"),
    ];
    assert_same(&late, &none.clone().ignore(["y"])).unwrap();
    // A number that is too large, and a text among too many numbers, are known at the end alone.
    let large =
        [two[0].clone(), csv("b.csv", "3,a,0.5,1\n1e200,a,0.5,1\n"), csv("c.csv", "-1e300,a,0.5,1\n")];
    let expected = "b.csv, line 3, column \"x\": \"1e200\" is not a finite number up to 1e140 in magnitude";
    all_say(&large, &none, expected);
    let several = |from: usize| (from..from + 20).map(|x| format!("{x}.5,a,0.5,1\n")).collect::<String>();
    let mixed = [
        csv("a.csv", &several(0)),
        csv("b.csv", &several(20)),
        csv("c.csv", "tall,b,0.5,1\nsmall,b,0.5,1\n"),
    ];
    let expected = "c.csv, line 2, column \"x\": \"tall\" is not a number as the other cells are; correct it, leave the \
         column out, or read it as labels";
    all_say(&mixed, &none.clone().most_labels(30), expected);
    assert_same(&mixed, &none.clone().most_labels(42)).unwrap();
    all_say(&mixed, &none.clone().most_labels(41), expected);
    // All rows have a propensity, or none has.
    let without = [csv("a.csv", "1,a,,1\n2,b,,0\n"), csv("b.csv", "1,a,,1\n")];
    assert!(assert_same(&without, &none).unwrap().propensities.is_none());
    let some = [csv("a.csv", "1,a,0.5,1\n"), csv("b.csv", "2,b,0.5,0\n3,b,,1\n"), without[0].clone()];
    let expected = "b.csv, line 3, column \"propensity\": the value is missing, and other rows have a propensity; \
                    leave such rows out or add them";
    all_say(&some, &none, expected);
    let skipping = none.clone().missing_propensities(MissingPropensities::Skip);
    let one = assert_same(&some, &skipping).unwrap();
    assert_eq!((one.facts.rows, one.facts.skipped[0].count), (2, 3));
    all_say(&[], &none, "there is no file to read");
}

#[test]
fn files_that_do_not_go_together_are_refused_by_the_rank_that_has_them() {
    let none = LogOptions::default();
    let a = File::text("a.csv", format!("{HEADER}{}", good(3)));
    let fewer = File::text("b.csv", "action,propensity,reward\na,0.5,1\na,0.5,1\na,0.5,1\n");
    let more = File::text("b.csv", format!("z,{HEADER}4,1,a,0.5,1\n4,1,a,0.5,1\n"));
    let events = File::text("b.vw", "1:0.5:0.5 | x\n2:1:0.5 | x\n3:1:0.5 | x\n4:1:0.5 | x\n");
    for (file, message) in [
        (fewer, "b.csv: there is no column \"x\", and a.csv has one"),
        (more.clone(), "b.csv: there is a column \"z\", and a.csv has none; leave it out or add it"),
        (events, "b.vw: vw cannot be read as one log with a.csv, which is csv"),
        (File::text("b.csv", ""), "b.csv: the file is empty"),
    ] {
        for files in [[&a, &a, &file], [&a, &file, &a]] {
            for size in SIZES {
                let said = refusals(size, &files.map(File::clone), &none);
                assert!(said.iter().all(|said| said.ends_with(message)), "{said:?}");
            }
        }
    }
    assert_same(&[a.clone(), more, a.clone()], &none.clone().ignore(["z"])).unwrap();
    // A file that one of the ranks does not find, and one more than the others have.
    let read = |path: &'static str, count: usize| {
        on_threads(3, LIMIT, move |ranks| {
            let of_last = ranks.rank() == 2;
            let more = of_last.then(|| Source::path(path)).into_iter().take(count);
            let own = (0..3).map(|_| Ok(Source::bytes("a.csv", format!("{HEADER}{}", good(3)))));
            read_logs_of_rank(own.chain(more), &LogOptions::default(), &mut quiet, &ranks).map(|_| ())
        })
    };
    let found: Vec<FormatError> =
        read("no/such/file.csv", 1).into_iter().map(|read| read.unwrap().unwrap_err()).collect();
    assert!(matches!(&found[2], FormatError::Io { .. }));
    assert!(
        matches!(&found[0], FormatError::OtherRank { rank: 2, message } if message.starts_with("no/such/file.csv: "))
    );
    assert_eq!(found[0], found[1]);
    let one_more = read(env!("CARGO_MANIFEST_PATH"), 1);
    let other = FormatError::OtherFiles { rank: 2, expected: 3, found: 4 };
    assert!(one_more.into_iter().all(|read| read.unwrap().unwrap_err() == other));
    assert!(read("", 0).into_iter().all(|read| read.unwrap().is_ok()));
    // A copy of a file that is longer on the last rank, which all say.
    let copies = on_threads(3, LIMIT, |ranks| {
        let rows = if ranks.rank() == 2 { 4 } else { 3 };
        let own = [3, rows].map(|rows| Ok(Source::bytes("a.csv", format!("{HEADER}{}", good(rows)))));
        read_logs_of_rank(own, &LogOptions::default(), &mut quiet, &ranks).unwrap_err()
    });
    let [expected, found] = [3, 4].map(|rows| (HEADER.len() + good(rows).len()) as u64);
    let other = FormatError::OtherCopy { file: "a.csv".into(), rank: 2, expected, found };
    assert_eq!(copies, [(); 3].map(|()| Some(other.clone())));
    // Actions with features, which the last rank reads: all are told what there is to do.
    let features = "shared |u a\n0:1:0.5 |o b\n|o c\n\n";
    let found = of_ranks(2, &[File::text("a.vw", features)], &none);
    let [Err(first), Err(last)] = &found[..] else { panic!("{found:?}") };
    assert!(matches!(last, FormatError::FeaturesOfRanks { feature, .. } if feature == "o"), "{last:?}");
    assert_eq!(*first, FormatError::OtherRank { rank: 1, message: last.to_string() });
    // Streams are those of one process.
    let streams = on_threads(2, LIMIT, |ranks| {
        let stream = Source::reader("standard input", std::io::empty());
        read_logs_of_rank([Ok(stream)], &LogOptions::default(), &mut quiet, &ranks).unwrap_err()
    });
    assert_eq!(
        streams,
        [(), ()].map(|()| Some(FormatError::StreamOfRanks { file: "standard input".into() }))
    );
}

#[test]
fn rows_of_messages_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let rows = batch(0..6000);
    let at = rows.schema().index_of("propensity").unwrap();
    let mut columns = rows.columns().to_vec();
    columns[at] =
        Arc::new((0..6000).map(|row| Some(if row == 4321 { 2.0 } else { 0.5 })).collect::<Float64Array>());
    let bad = RecordBatch::try_new(rows.schema(), columns).unwrap();
    let files = [parquet(&folder, "log.parquet", &bad, 500)];
    let expected = "log.parquet, row 4322, column \"propensity\": \"2\" is not a propensity in (0, 1]";
    for size in SIZES {
        let said = refusals(size, &files, &LogOptions::default());
        let own = said.iter().filter(|said| said.ends_with(expected) && !said.starts_with("rank"));
        assert_eq!(own.count(), 1, "{said:?}");
    }
    // A damaged row group stops the ranks too.
    let whole = parquet(&folder, "cut.parquet", &rows, 500);
    let File::Path(path) = &whole else { unreachable!() };
    let mut bytes = std::fs::read(path).unwrap();
    let third = bytes.len() / 3;
    bytes[third..third + 4000].fill(0x5a);
    std::fs::write(path, bytes).unwrap();
    let one = of_one(std::slice::from_ref(&whole), &LogOptions::default());
    for size in SIZES {
        let found = of_ranks(size, std::slice::from_ref(&whole), &LogOptions::default());
        assert_eq!(found.iter().all(Result::is_err), one.is_err(), "{found:?}");
        assert!(found.iter().any(|found| matches!(found, Err(FormatError::Damaged { .. }))));
    }
}

#[test]
fn a_rank_that_leaves_ends_the_others() {
    let files = [good(10), good(10), good(10)].map(|rows| File::text("a.csv", format!("{HEADER}{rows}")));
    let begun = std::time::Instant::now();
    let found = on_threads(3, LIMIT, |ranks| {
        (ranks.rank() != 1).then(|| {
            let sources = files.iter().map(File::source);
            read_logs_of_rank(sources, &LogOptions::default(), &mut quiet, &ranks).unwrap_err()
        })
    });
    for found in found.into_iter().flatten().flatten() {
        assert!(matches!(found, FormatError::Ranks(_)), "{found}");
    }
    assert!(begun.elapsed() < LIMIT / 2);
}
