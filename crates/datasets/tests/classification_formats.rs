//! The ARFF and IDX readers on small files that are written here: every fault is named with its place, and no
//! bytes make a reader panic.

use datasets::arff::{self, Arff, ArffProblem, AttributeKind};
use datasets::idx::{self, Idx, IdxProblem};
use datasets::{Classification, DataError, LabelsError, covertype, fashion, scene, tmc};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use rows::{Entries, RowMatrix};
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

/// Writes files into a folder of their own, and hands their paths over.
#[allow(clippy::unwrap_used, reason = "a test helper: a folder that cannot be written to fails the test")]
fn with_files<T>(contents: &[&[u8]], read: impl FnOnce(&[PathBuf]) -> T) -> T {
    let folder = TempDir::new().unwrap();
    let paths: Vec<PathBuf> = (0..contents.len()).map(|k| folder.path().join(k.to_string())).collect();
    paths.iter().zip(contents).for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    read(&paths)
}

fn read_arff(bytes: &[u8]) -> Result<Arff, DataError> {
    with_files(&[bytes], |paths| arff::read(&paths[0]))
}

fn read_idx(bytes: &[u8], rank: u8) -> Result<Idx, DataError> {
    with_files(&[bytes], |paths| idx::read(&paths[0], rank))
}

#[allow(clippy::unwrap_used, reason = "a test helper: compressing into memory does not fail")]
fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const HEADER: &str = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute c real\n@data\n";

/// Line, column and problem of a refused text.
#[allow(clippy::panic, reason = "a test helper: another outcome fails the test")]
fn fault(text: &str) -> (u64, usize, ArffProblem) {
    match read_arff(text.as_bytes()) {
        Err(DataError::Arff { line, column, problem, .. }) => (line, column, problem),
        other => panic!("{text}: {other:?}"),
    }
}

/// The same behind the five lines of [`HEADER`].
fn data_fault(rows: &str) -> (u64, usize, ArffProblem) {
    fault(&(HEADER.to_owned() + rows))
}

#[test]
fn a_dense_file_is_read_as_it_is_written() {
    let text = "% a comment\r\n\r\n@RELATION 'two words: -C 1'\r\n@Attribute \"it's 100%\" INTEGER\r\n\
                \t@attribute 'b\\'s' { 0 , 1 } % behind\r\n@attribute plain Real\n@DATA\n% between\n\
                1.5e1 , 1,\t-0.25 % last\n0,0,+3";
    for bytes in [text.as_bytes().to_vec(), compressed(text.as_bytes())] {
        let read = read_arff(&bytes).unwrap();
        assert_eq!(read.relation, "two words: -C 1");
        let attributes: Vec<_> =
            read.attributes.iter().map(|one| (one.name.as_str(), one.kind, one.line)).collect();
        let (number, binary) = (AttributeKind::Number, AttributeKind::Binary);
        assert_eq!(attributes, [("it's 100%", number, 4), ("b's", binary, 5), ("plain", number, 6)]);
        assert_eq!(read.rows, RowMatrix::dense(3, vec![15.0, 1.0, -0.25, 0.0, 0.0, 3.0]).unwrap());
        assert_eq!(read.file.bytes, text.len() as u64);
    }
}

#[test]
fn a_sparse_file_is_read_as_it_is_written_without_its_zeros() {
    let read = read_arff(format!("{HEADER}{{0 2.5, 1 1}}\n{{}}\n{{ }}\n {{1\t0,2  -1}} % end\n").as_bytes());
    let expected = RowMatrix::sparse(3, vec![0, 2, 2, 2, 3], vec![0, 1, 2], vec![2.5, 1.0, -1.0]);
    assert_eq!(read.unwrap().rows, expected.unwrap());
}

#[test]
fn faults_of_a_header_are_named_with_line_and_column() {
    let declaration = |text, line, column, expected, got: &str| {
        assert_eq!(fault(text), (line, column, ArffProblem::Declaration { expected, got: got.to_owned() }));
    };
    declaration("@attribute a real\n", 1, 1, "@relation", "@attribute");
    declaration("\n  1,2,3\n", 2, 3, "@relation", "1,2,3");
    declaration("@relation r\n@data\n", 2, 1, "@attribute", "@data");
    declaration("@relation r\n@relation r\n", 2, 1, "@attribute", "@relation");
    declaration("@relation r\n@attribute a real\n1\n", 3, 1, "@attribute or @data", "1");
    for open in ["@relation", "@relation 'open", "@relation 'open\\'"] {
        assert_eq!(fault(open), (1, if open.len() == 9 { 10 } else { 11 }, ArffProblem::Name));
    }
    assert_eq!(fault("@relation a b\n"), (1, 13, ArffProblem::Unexpected { text: "b".to_owned() }));
    for text in ["", "string", "{1,0}", "{0,1,2}", "date", "{0,1} numeric", "{a,b}"] {
        let (name, line) = ("x y".to_owned(), format!("@relation r\n@attribute 'x y' {text}\n"));
        let column = if text.is_empty() { 17 } else { 18 };
        assert_eq!(fault(&line), (2, column, ArffProblem::Type { name, text: text.to_owned() }));
    }
    let twice = "@relation r\n@attribute a real\n@attribute 'a' {0,1}\n";
    assert_eq!(fault(twice), (3, 12, ArffProblem::Twice { name: "a".to_owned() }));
    let no_data = |attributes| ArffProblem::NoData { attributes };
    assert_eq!(fault(""), (0, 1, no_data(0)));
    assert_eq!(fault("@relation r\n@attribute a real\n"), (2, 1, no_data(1)));
    assert_eq!(fault(HEADER), (5, 1, no_data(3)));
    let not_text = [HEADER.as_bytes(), b"1,1,\xff\n"].concat();
    assert!(matches!(
        read_arff(&not_text),
        Err(DataError::Arff { line: 6, column: 5, problem: ArffProblem::NotText, .. })
    ));
}

/// Lines end with \n or \r\n. Where some end with \r alone, the row behind a comment would be a part of it.
#[test]
fn a_row_is_not_lost_behind_a_comment() {
    assert_eq!(data_fault("1,0,1\n% one\r1,0,1\n1,1,1\n"), (7, 6, ArffProblem::CarriageReturn));
    assert_eq!(fault(&HEADER.replace('\n', "\r")), (1, 12, ArffProblem::CarriageReturn));
    assert_eq!(read_arff((HEADER.to_owned() + "1,0,1 % one\r\n1,1,1\r").as_bytes()).unwrap().rows.len(), 2);
}

/// What a name or a comment opens, its line closes: an open quotation mark is refused on its line, with rows
/// behind it.
#[test]
fn an_open_mark_does_not_reach_the_next_line() {
    let open = HEADER.replace("@attribute b", "@attribute 'b") + "1,0,1\n1,'0,1\n";
    assert_eq!(fault(&open), (3, 12, ArffProblem::Name));
    let text = || "'0".to_owned();
    assert_eq!(
        data_fault("1,0,1\n1,'0,1\n1,0',1\n"),
        (7, 3, ArffProblem::NotBinary { name: "b".into(), text: text() })
    );
}

#[test]
fn faults_of_a_dense_row_are_named_with_line_and_column() {
    let count = |got| ArffProblem::CellCount { expected: 3, got };
    assert_eq!(data_fault("1,0,1\n1,0\n"), (7, 1, count(2)));
    assert_eq!(data_fault("1,0,1,1\n"), (6, 1, count(4)));
    assert_eq!(data_fault("1,0,1,{5}\n"), (6, 1, count(4)));
    for text in ["inf", "-inf", "NaN", "1e999", "-1e141", "x", "'1'", "1 2"] {
        let problem = ArffProblem::BadNumber { name: "c".to_owned(), text: text.to_owned() };
        assert_eq!(data_fault(&format!("1,0, {text}\n")), (6, 6, problem));
    }
    for text in ["2", "1.0", "true", "NaN"] {
        let problem = ArffProblem::NotBinary { name: "b".to_owned(), text: text.to_owned() };
        assert_eq!(data_fault(&format!("1,{text},0\n")), (6, 3, problem));
    }
    for text in ["?", "", " "] {
        assert_eq!(data_fault(&format!("1,{text},0\n")).2, ArffProblem::Missing { name: "b".to_owned() });
    }
    assert_eq!(data_fault("1,0,1\n  {0 1}\n"), (7, 3, ArffProblem::Mixed));
    assert_eq!(data_fault("{0 1}\n1,0,1\n"), (7, 1, ArffProblem::Mixed));
}

#[test]
fn faults_of_a_sparse_row_are_named_with_line_and_column() {
    let out_of_range = |text: &str| ArffProblem::IndexOutOfRange { text: text.to_owned(), attributes: 3 };
    assert_eq!(data_fault("{0 1}\n{0 1,3 1}\n"), (7, 6, out_of_range("3")));
    assert_eq!(data_fault("{99999999999999999999999 1}\n"), (6, 2, out_of_range("99999999999999999999999")));
    assert_eq!(data_fault("{1 1,0 1}\n"), (6, 6, ArffProblem::IndexNotRising { index: 0 }));
    assert_eq!(data_fault("{1 0, 1 1}\n"), (6, 7, ArffProblem::IndexNotRising { index: 1 }));
    for text in ["-1 1", "x 1", "1", "1.0 1", "+1 1", ""] {
        let problem = ArffProblem::Entry { text: text.to_owned() };
        assert_eq!(data_fault(&format!("{{0 1,{text}}}\n")), (6, 6, problem));
    }
    let not_binary = ArffProblem::NotBinary { name: "b".to_owned(), text: "2".to_owned() };
    assert_eq!(data_fault("{1 2}\n"), (6, 2, not_binary));
    let bad_number = ArffProblem::BadNumber { name: "c".to_owned(), text: "inf".to_owned() };
    assert_eq!(data_fault("{2 inf}\n"), (6, 2, bad_number));
    assert_eq!(data_fault("{2 ?}\n"), (6, 2, ArffProblem::Missing { name: "c".to_owned() }));
    assert_eq!(data_fault("{0 1, 2 3\n"), (6, 10, ArffProblem::Open));
    assert_eq!(data_fault("{0 1}, {2}\n"), (6, 6, ArffProblem::Unexpected { text: ", {2}".to_owned() }));
}

/// An IDX file of the given dimensions and content.
fn array(dimensions: &[u32], content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, dimensions.len().to_le_bytes()[0]];
    dimensions.iter().for_each(|d| bytes.extend(d.to_be_bytes()));
    bytes.extend(content);
    bytes
}

#[test]
fn faults_of_an_idx_file_are_named_with_their_byte() {
    let good = array(&[2, 3], &[1, 2, 3, 4, 5, 255]);
    for bytes in [good.clone(), compressed(&good)] {
        let read = read_idx(&bytes, 2).unwrap();
        assert_eq!((read.dimensions, read.bytes), (vec![2, 3], vec![1, 2, 3, 4, 5, 255]));
        assert_eq!(read.file.bytes, 18);
    }
    let fault = |bytes: &[u8]| match read_idx(bytes, 2) {
        Err(DataError::Idx { offset, problem, .. }) => (offset, problem),
        other => panic!("{other:?}"),
    };
    let expected = [0, 0, 8, 2];
    for got in [[0, 0, 8, 1], [0, 0, 9, 2], [1, 0, 8, 2], [2, 8, 0, 0]] {
        assert_eq!(fault(&[&got[..], &good[4..]].concat()), (0, IdxProblem::Magic { expected, got }));
    }
    assert_eq!(fault(&[]), (0, IdxProblem::Magic { expected, got: [0; 4] }));
    assert_eq!(fault(&[0, 0, 8]), (0, IdxProblem::Magic { expected, got: [0, 0, 8, 0] }));
    for got in 4..12 {
        assert_eq!(fault(&good[..got]), (got as u64, IdxProblem::ShortHeader { expected: 12, got }));
    }
    for got in 0..6 {
        assert_eq!(fault(&good[..12 + got]), (12 + got as u64, IdxProblem::Short { expected: 6, got }));
    }
    let long = [&good[..], &[0]].concat();
    assert_eq!(fault(&long), (18, IdxProblem::TrailingBytes { expected: 6 }));
    let huge = array(&[u32::MAX, u32::MAX], &[1]);
    let dimensions = vec![u32::MAX as usize; 2];
    assert_eq!(fault(&huge), (4, IdxProblem::TooLarge { dimensions }));
    let large = array(&[1 << 30, 1 << 30], &[1]);
    assert_eq!(fault(&large), (13, IdxProblem::Short { expected: 1 << 60, got: 1 }));
    let cut = compressed(&array(&[100, 100], &(0..10_000).map(|k| (k % 251) as u8).collect::<Vec<_>>()));
    assert!(matches!(read_idx(&cut[..cut.len() / 2], 2), Err(DataError::Truncated { .. })));
}

#[test]
fn fashion_takes_four_files_that_fit_together() {
    let (images, labels) = (
        |n: u32| array(&[n, 28, 28], &vec![7; 784 * n as usize]),
        |l: &[u8]| array(&[u32::try_from(l.len()).unwrap_or(0)], l),
    );
    let read = |files: [Vec<u8>; 4]| with_files(&files.each_ref().map(Vec::as_slice), fashion::read);
    let good = read([images(2), labels(&[9, 0]), images(1), labels(&[3])]).unwrap();
    assert_eq!((good.len(), good.training, good.labels.of(2)), (3, Some(2), Some(&[3][..])));
    assert!(matches!(
        read([images(2), labels(&[9, 10]), images(1), labels(&[3])]),
        Err(DataError::Idx { offset: 9, problem: IdxProblem::UnknownClass { value: 10, classes: 10 }, .. })
    ));
    assert!(matches!(
        read([images(2), labels(&[9, 0]), images(2), labels(&[3])]),
        Err(DataError::Labels(LabelsError::OtherLength { labels: 1, contexts: 2 }))
    ));
    assert!(matches!(
        read([images(2), labels(&[9, 0]), array(&[1, 28, 27], &[0; 756]), labels(&[3])]),
        Err(DataError::Idx {
            offset: 12,
            problem: IdxProblem::Dimension { dimension: 2, expected: 28, got: 27 },
            ..
        })
    ));
    assert!(matches!(read([images(0), labels(&[]), images(1), labels(&[3])]), Err(DataError::NoRows { .. })));
    assert!(matches!(fashion::read(&[]), Err(DataError::NoFiles { .. })));
}

/// A file in the format of scene: `row` is all behind the header.
fn scene_file(row: &str) -> String {
    let features: String = (1..=294).map(|k| format!("@attribute Att{k} numeric\n")).collect();
    let labels: String = scene::CLASSES.iter().map(|class| format!("@attribute {class} {{0,1}}\n")).collect();
    format!("@relation scene\n{features}{labels}@data\n{row}\n")
}

#[test]
fn multi_label_sets_have_their_attributes_and_their_labels_last() {
    let text = scene_file(&format!("{}0,1,0,0,0,1\n{}0,0,0,0,0,0", "0.5,".repeat(294), "0,".repeat(294)));
    let read = |text: &str| with_files(&[text.as_bytes()], scene::read);
    let task = read(&text).unwrap();
    assert_eq!(task.labels.iter().collect::<Vec<_>>(), [&[1, 5][..], &[]]);
    assert_eq!(task.contexts.select([0]).unwrap(), RowMatrix::dense(294, vec![0.5; 294]).unwrap());
    let problem = |text: &str| match read(text) {
        Err(DataError::Arff { line, problem, .. }) => (line, problem),
        other => panic!("{other:?}"),
    };
    let other = |position, expected: &str, got: &str| {
        let (expected, got) = (expected.to_owned(), got.to_owned());
        ArffProblem::OtherAttribute { position, expected, got }
    };
    let renamed = text.replace("Beach", "Peach");
    assert_eq!(problem(&renamed), (296, other(294, "Beach {0,1}", "Peach {0,1}")));
    let retyped = text.replace("Att3 numeric", "Att3 {0,1}").replace("0.5", "1");
    assert_eq!(problem(&retyped), (4, other(2, "Att3 numeric", "Att3 {0,1}")));
    let fewer = text
        .replace("@attribute Urban {0,1}\n", "")
        .replace(",0,1\n", ",1\n")
        .replace(",0,0,0,0,0,0\n", ",0,0,0,0,0\n");
    assert_eq!(problem(&fewer), (300, ArffProblem::AttributeCount { expected: 300, got: 299 }));

    let words: String = (0..500).map(|k| format!("@attribute w{k} {{0,1}}\n")).collect();
    let labels: String = (1..=22).map(|k| format!("@attribute class{k:02} {{0,1}}\n")).collect();
    let text = format!("@relation t\n{words}{labels}@data\n{{3 1,499 1,500 1,521 1}}\n{{521 1}}\n");
    let task = with_files(&[text.as_bytes()], tmc::read).unwrap();
    assert_eq!(task.labels.iter().collect::<Vec<_>>(), [&[0, 21][..], &[21]]);
    let rows = task.contexts.select([0, 1]).unwrap();
    assert_eq!(rows.row(0).unwrap().entries(), Entries::Sparse(&[3, 499], &[1.0, 1.0]));
    assert_eq!(rows.row(1).unwrap().entries(), Entries::Sparse(&[], &[]));
}

#[test]
fn covertype_is_read_as_it_is_written() {
    let row = |class: &str| format!("{}{class}\n", "2,0,".repeat(27));
    let read = |text: &str| with_files(&[text.as_bytes()], covertype::read);
    let task: Classification = read(&(row("7") + &row("1"))).unwrap();
    assert_eq!((task.labels.of(0), task.labels.of(1)), (Some(&[6][..]), Some(&[0][..])));
    assert_eq!(task.contexts.select([0]).unwrap().row(0).unwrap().to_dense(), [2.0, 0.0].repeat(27));
    assert!(matches!(read(&row("8")), Err(DataError::UnknownCategory { line: 1, column: 55, .. })));
    assert!(matches!(read(&(row("1") + "1,2\n")), Err(DataError::ColumnCount { line: 2, .. })));
    assert!(matches!(
        read(&row("1").replacen("2,", "nan,", 1)),
        Err(DataError::BadNumber { line: 1, column: 1, .. })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), rank in 0..4u8) {
        prop_assert!(read_arff(&bytes).is_err());
        prop_assert!(read_arff(&[HEADER.as_bytes(), &bytes].concat()).is_err());
        prop_assert!(read_idx(&bytes, rank).is_err());
        let _ = read_idx(&[&[0, 0, 8, rank], &bytes[..]].concat(), rank);
    }

    #[test]
    fn no_line_of_arff_makes_the_reader_panic(line in "[@{}%'\"\\\\,? 01ae-]{0,24}", data: bool) {
        let text = if data { format!("{HEADER}{line}") } else { format!("@relation r\n{line}\n@data\n0") };
        let _ = read_arff(text.as_bytes());
    }

    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec(-1e9..1e9f64, 4), 1..9)) {
        let header = "@relation r\n@attribute a real\n@attribute b real\n@attribute c real\n@attribute d real\n@data\n";
        let cells = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let dense: String = rows.iter().map(|row| cells(row) + "\n").collect();
        let entries = |row: &Vec<f64>| row.iter().enumerate().map(|(j, x)| format!("{j} {x}")).collect::<Vec<_>>().join(",");
        let sparse: String = rows.iter().map(|row| format!("{{{}}}\n", entries(row))).collect();
        for text in [dense, sparse] {
            let read = read_arff((header.to_owned() + &text).as_bytes());
            let read: Vec<Vec<f64>> = read.map(|read| read.rows.iter().map(|row| row.to_dense()).collect()).unwrap_or_default();
            prop_assert_eq!(&read, &rows);
        }
    }
}
