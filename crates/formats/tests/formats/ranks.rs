//! A log that several ranks read: its rows, one rank behind the other, are those that one process reads.

use crate::data;
use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use formats::{FormatError, LogOptions, Progress, ReadLog, Source, quiet, read_logs, read_logs_of_rank};
use off_policy::ActionSets;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

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
        assert_eq!(
            first % Shard::BLOCK,
            0,
            "{:?}",
            logs.iter().map(|log| log.rewards.len()).collect::<Vec<_>>()
        );
        first += rows;
    }
    let together = |of: &dyn Fn(&ReadLog) -> Option<Vec<u64>>| joined(logs.iter().map(of));
    assert_eq!(
        logs.iter().flat_map(|log| entries(&log.contexts)).collect::<Vec<_>>(),
        entries(&one.contexts)
    );
    assert_eq!(joined(logs.iter().map(|log| Some(log.actions.clone()))).as_ref(), Some(&one.actions));
    let rewards = |log: &ReadLog| bits(&Some(log.rewards.clone()));
    let of_all: [&dyn Fn(&ReadLog) -> Option<Vec<u64>>; 4] =
        [&rewards, &|log| bits(&log.propensities), &|log| bits(&log.time), &|log| bits(&log.weights)];
    for of in of_all {
        assert_eq!(together(of), of(one));
    }
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
            FormatError::Ranks(error) => panic!("{error}"),
            _ => {}
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

#[test]
fn few_rows_are_the_last_ranks() {
    let files = tables(&[0, 40, 90, 95, 700]);
    let one = assert_same(&files, &of_table()).unwrap();
    for size in SIZES {
        let logs: Vec<ReadLog> =
            of_ranks(size, &files, &of_table()).into_iter().map(Result::unwrap).collect();
        let rows = assert_parts(&logs, &one);
        assert_eq!((rows.last(), rows.iter().sum::<usize>()), (Some(&700), 700));
    }
    // One file, of which one rank reads all.
    assert_same(&tables(&[0, 3000]), &of_table()).unwrap();
    let logs = of_ranks(3, &tables(&[0, 3000]), &of_table());
    let rows: Vec<usize> = logs.iter().map(|log| log.as_ref().unwrap().rewards.len()).collect();
    assert_eq!(rows, [0, 2048, 952]);
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
