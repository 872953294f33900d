//! The readers on small files that are written here: every fault is named with its place, and no bytes make a
//! reader panic.

use datasets::{CensusCoding, DataError, Dataset, Provenance};
use datasets::{abalone, adult, breast_cancer, census, ionosphere, letter, slice, spambase};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

type Reader = fn(&[PathBuf]) -> Result<Dataset, DataError>;

const ABALONE: &str = "M,0.455,0.365,0.095,0.514,0.2245,0.101,0.15,15\n";
const ADULT: &str = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, \
    40, United-States, <=50K\n";
const READERS: [Reader; 8] = [
    abalone::read,
    adult::read,
    |files| census::read(files, CensusCoding::Described),
    letter::read,
    slice::read,
    breast_cancer::read,
    ionosphere::read,
    spambase::read,
];

/// Writes a file into a folder of its own and reads it.
#[allow(clippy::unwrap_used, reason = "a test helper: a folder that cannot be written to fails the test")]
fn read_bytes(reader: Reader, bytes: &[u8]) -> Result<Dataset, DataError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, bytes).unwrap();
    reader(&[path])
}

#[allow(clippy::unwrap_used, reason = "a test helper: compressing into memory does not fail")]
fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn dense(dataset: &Dataset, i: usize) -> Vec<f64> {
    dataset.features.row(i).map(|row| row.to_dense()).unwrap_or_default()
}

#[test]
fn a_row_is_read_as_it_is_written() {
    let expected = [0.0, 0.0, 1.0, 0.455, 0.365, 0.095, 0.514, 0.2245, 0.101, 0.15];
    for text in [ABALONE.to_owned(), ABALONE.replace('\n', "\r\n\r\n"), ABALONE.replace(',', " , ")] {
        let abalone = read_bytes(abalone::read, text.as_bytes()).unwrap();
        assert_eq!((dense(&abalone, 0), abalone.len()), (expected.to_vec(), 1));
        assert_eq!(abalone.targets.values().unwrap(), [15.0]);
        assert!(matches!(abalone.provenance, Provenance::Unverified { .. }));
    }
    assert_eq!(read_bytes(abalone::read, &compressed(ABALONE.as_bytes())).unwrap().len(), 1);
}

#[test]
fn adult_skips_its_comment_takes_a_full_stop_and_leaves_a_missing_block_empty() {
    let text = format!(
        "|1x3 Cross validator\n{}\n",
        ADULT.replace("<=50K", ">50K.").replace("State-gov", "?") + ADULT
    );
    let adult = read_bytes(adult::read, text.as_bytes()).unwrap();
    assert_eq!(adult.targets.class_counts().unwrap(), [1, 1]);
    let names = |i: usize| -> Vec<String> {
        let row = dense(&adult, i);
        let set = adult.feature_names.iter().zip(row).filter(|(name, x)| name.contains('=') && *x != 0.0);
        set.map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(1)[..2], ["workclass=State-gov", "education=Bachelors"]);
    assert_eq!(names(0), names(1)[1..]);
}

#[test]
fn a_missing_grading_of_breast_cancer_is_zero_and_sets_its_indicator() {
    let text = "1000025,5,1,1,1,2,10,3,1,1,2\n1057013,8,4,5,1,2,?,7,3,1,4\n";
    let cancer = read_bytes(breast_cancer::read, text.as_bytes()).unwrap();
    assert_eq!(dense(&cancer, 0), [5.0, 1.0, 1.0, 1.0, 2.0, 10.0, 0.0, 3.0, 1.0, 1.0]);
    assert_eq!(dense(&cancer, 1), [8.0, 4.0, 5.0, 1.0, 2.0, 0.0, 1.0, 7.0, 3.0, 1.0]);
    assert_eq!(cancer.targets.class_counts().unwrap(), [1, 1]);
    let elsewhere = read_bytes(breast_cancer::read, text.replace(",8,4,", ",?,4,").as_bytes());
    assert!(matches!(elsewhere, Err(DataError::Missing { line: 2, column: 2, .. })), "{elsewhere:?}");
}

#[test]
fn the_two_class_sets_are_read_as_they_are_written() {
    let spam = format!("{}3.756,61,278,1\r\n", "0.5,".repeat(54));
    let spam = read_bytes(spambase::read, spam.as_bytes()).unwrap();
    assert_eq!((dense(&spam, 0)[54..].to_vec(), spam.features.dimension()), (vec![3.756, 61.0, 278.0], 57));
    assert_eq!(spam.targets.class_counts().unwrap(), [0, 1]);
    let returns = read_bytes(ionosphere::read, format!("{}g\n", "-0.25,".repeat(34)).as_bytes()).unwrap();
    assert_eq!(dense(&returns, 0), [-0.25; 34]);
    assert_eq!(returns.targets.class_counts().unwrap(), [0, 1]);
}

#[test]
fn slice_reads_its_header_and_keeps_or_drops_the_patient() {
    let values: Vec<String> = (0..384).map(|k| format!("value{k}")).collect();
    let header = format!("patientId,{},reference\n", values.join(","));
    let row = |patient: u32, x: &str| format!("{patient},{}{},21.8\n", "0.0,".repeat(383), x);
    let text = header.clone() + &row(7, "-0.25") + &row(8, "1.5");
    let slice = read_bytes(slice::read, text.as_bytes()).unwrap();
    assert_eq!((slice.len(), slice.features.dimension()), (2, 385));
    assert_eq!((dense(&slice, 1)[0], dense(&slice, 1)[384]), (8.0, 1.5));
    assert_eq!(slice.targets.values().unwrap(), [21.8, 21.8]);
    let without = read_bytes(slice::read_without_patient, text.as_bytes()).unwrap();
    assert_eq!(dense(&without, 1), dense(&slice, 1)[1..]);
    assert!(matches!(
        read_bytes(slice::read, (header.replace("value3,", "valve3,") + &row(7, "1")).as_bytes()),
        Err(DataError::WrongHeader { column: 5, expected, got, .. }) if expected == "value3" && got == "valve3"
    ));
    assert!(matches!(read_bytes(slice::read, header.as_bytes()), Err(DataError::NoRows { .. })));
}

#[test]
fn faults_are_named_with_line_and_column() {
    let second_line = |text: &str| read_bytes(abalone::read, (ABALONE.to_owned() + text).as_bytes());
    assert!(matches!(
        second_line("M,1,2\n"),
        Err(DataError::ColumnCount { line: 2, expected: 9, got: 3, .. })
    ));
    assert!(matches!(
        second_line(&ABALONE.replace("0.365", "0.3x")),
        Err(DataError::BadNumber { line: 2, column: 3, name, text, .. }) if name == "diameter" && text == "0.3x"
    ));
    for not_finite in ["inf", "NaN", "1e999", "1e141"] {
        assert!(matches!(
            second_line(&ABALONE.replace("0.365", not_finite)),
            Err(DataError::BadNumber { .. })
        ));
    }
    assert!(matches!(
        second_line(&ABALONE.replace('M', "m")),
        Err(DataError::UnknownCategory { line: 2, column: 1, name, text, .. }) if name == "sex" && text == "m"
    ));
    for missing in ["", "?"] {
        assert!(matches!(
            second_line(&ABALONE.replace("15\n", missing)),
            Err(DataError::Missing { line: 2, column: 9, name, .. }) if name == "rings"
        ));
    }
    // Comment lines and empty lines count as lines.
    let text = format!("|comment\n\n{ADULT}{}", ADULT.replace("<=50K", "50K"));
    assert!(matches!(
        read_bytes(adult::read, text.as_bytes()),
        Err(DataError::UnknownCategory { line: 4, column: 15, name, text, .. }) if name == "income" && text == "50K"
    ));
    assert!(matches!(read_bytes(letter::read, b""), Err(DataError::NoRows { .. })));
    assert!(matches!(letter::read(&[]), Err(DataError::NoFiles { .. })));
    assert!(matches!(letter::read(&["absent".into()]), Err(DataError::Io { .. })));
}

#[test]
fn a_compressed_file_that_was_cut_is_not_taken_for_a_short_one() {
    let whole = compressed(ABALONE.repeat(100).as_bytes());
    assert_eq!(read_bytes(abalone::read, &whole).unwrap().len(), 100);
    for length in [20, whole.len() / 2, whole.len() - 1] {
        let cut = read_bytes(abalone::read, &whole[..length]);
        assert!(matches!(cut, Err(DataError::Truncated { .. })), "{length}: {cut:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for reader in READERS {
            // Random bytes hold no whole row.
            prop_assert!(read_bytes(reader, &bytes).is_err());
            prop_assert!(read_bytes(reader, &compressed(&bytes)).is_err());
        }
    }

    #[test]
    fn no_change_of_one_byte_makes_a_reader_panic(at in 0..ADULT.len(), byte: u8, compress: bool) {
        let mut bytes = ADULT.as_bytes().to_vec();
        bytes[at] = byte;
        let mut file = if compress { compressed(ADULT.as_bytes()) } else { bytes };
        if compress {
            let at = at % file.len();
            file[at] = byte;
        }
        if let Ok(dataset) = read_bytes(adult::read, &file) {
            prop_assert!(dataset.len() == 1 && dataset.features.dimension() == 105);
        }
    }
}
