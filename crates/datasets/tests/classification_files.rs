//! The classification tasks and the Open Bandit logs against the official files: counts, means, order, sums.
//! Where a file is absent, the test says so on standard error and checks the stand-in's shape instead.

mod reduced;

use datasets::open_bandit::{Campaign, LoggingPolicy, Part, file};
use datasets::{
    Classification, ClassificationName, Contexts, DataError, Labels, LabelsError, Provenance, SearchPath,
    Split, StandIn, load_classification,
};
use rows::{Entries, RowMatrix};

const STAND_IN: StandIn = StandIn { seed: 7, rows: Some(2_000) };

fn without_counts(what: &str) {
    reduced::announce(&format!("{what}; counts of the official files are not checked"));
}

/// Loads a task, checks its shape, and says whether it is the official one.
#[allow(clippy::unwrap_used, reason = "a test helper: a task that does not load fails the test")]
fn loaded(
    name: ClassificationName,
    dimension: usize,
    numbers: usize,
    classes: usize,
) -> (Classification, bool) {
    let search = SearchPath::from_environment(None).unwrap();
    let task = load_classification(name, &search, STAND_IN).unwrap();
    let official = search.locate(name).unwrap().is_some();
    assert_eq!(matches!(task.provenance, Provenance::Official { .. }), official, "{}", task.provenance);
    if !official {
        without_counts(&format!("{name} is a {}", task.provenance));
    }
    assert_eq!((task.contexts.dimension(), task.feature_names.len()), (dimension, dimension));
    assert_eq!((task.labels.classes(), task.classes.len()), (classes, classes));
    assert_eq!(task.numeric_columns, (0..numbers).collect::<Vec<_>>());
    assert_eq!(task.contexts.len(), task.len());
    assert_eq!(task.training.is_some(), name == ClassificationName::Fashion);
    assert!(task.labels.counts().iter().all(|&count| count > 0));
    assert!(Split::new(name.split_plan(task.len()), task.len(), 1, 0).is_ok());
    (task, official)
}

#[allow(clippy::panic, reason = "a test helper: another storage fails the test")]
fn rows_of(task: &Classification) -> &RowMatrix {
    match &task.contexts {
        Contexts::Rows(rows) => rows,
        Contexts::Bytes(_) => panic!("{} is stored as bytes", task.name),
    }
}

#[test]
fn covertype() {
    let (covertype, official) = loaded(ClassificationName::Covertype, 54, 10, 7);
    assert!(covertype.labels.is_multiclass());
    let rows = rows_of(&covertype);
    for row in rows.iter() {
        let Entries::Sparse(indices, values) = row.entries() else { panic!("dense") };
        let block = |columns: std::ops::Range<u32>| {
            indices.iter().zip(values).filter(|(j, _)| columns.contains(j)).map(|(_, x)| *x).sum::<f64>()
        };
        assert_eq!((block(10..14), block(14..54)), (1.0, 1.0));
    }
    if official {
        let counts = [211_840, 283_301, 35_754, 2_747, 9_493, 17_367, 20_510];
        assert_eq!((covertype.labels.counts(), covertype.len()), (counts.to_vec(), 581_012));
        // The first two official parts hold as many rows of each class.
        for (part, each) in [(0..11_340, 1_620), (11_340..15_120, 540)] {
            assert_eq!(covertype.labels.select(part).unwrap().counts(), [each; 7]);
        }
        let first = rows.row(0).unwrap().to_dense();
        assert_eq!(first[..10], [2_596.0, 51.0, 3.0, 258.0, 0.0, 510.0, 221.0, 232.0, 148.0, 6_279.0]);
        assert_eq!(covertype.classes[covertype.labels.of(0).unwrap()[0] as usize], "Aspen");
        assert!(rows.stored_values() <= 12 * rows.len());
    }
}

#[test]
fn fashion() {
    let (fashion, official) = loaded(ClassificationName::Fashion, 784, 784, 10);
    assert!(fashion.labels.is_multiclass());
    let Contexts::Bytes(bytes) = &fashion.contexts else { panic!("fashion is not stored as bytes") };
    let training = fashion.training.unwrap();
    assert_eq!(
        Split::new(ClassificationName::Fashion.split_plan(fashion.len()), fashion.len(), 1, 0).unwrap().test,
        (training..fashion.len()).collect::<Vec<_>>()
    );
    let chosen = fashion.contexts.select([training, 3]).unwrap();
    for (row, i) in chosen.iter().zip([training, 3]) {
        assert!(row.values().iter().zip(bytes.row(i).unwrap()).all(|(x, &byte)| *x == f64::from(byte)));
    }
    if official {
        assert_eq!((training, fashion.len()), (60_000, 70_000));
        for (part, each, mean) in [(0..training, 6_000, 0.28604), (training..70_000, 1_000, 0.28685)] {
            assert_eq!(fashion.labels.select(part.clone()).unwrap().counts(), [each; 10]);
            let pixels = 784.0 * part.len() as f64;
            let total: u64 = part.flat_map(|i| bytes.row(i).unwrap()).map(|&byte| u64::from(byte)).sum();
            assert!((total as f64 / pixels / 255.0 - mean).abs() < 5e-6, "{}", total as f64 / pixels / 255.0);
        }
        let names: Vec<&str> =
            (0..3).map(|i| fashion.classes[fashion.labels.of(i).unwrap()[0] as usize].as_str()).collect();
        assert_eq!(names, ["Ankle boot", "T-shirt/top", "T-shirt/top"]);
    }
}

#[test]
fn scene() {
    let (scene, official) = loaded(ClassificationName::Scene, 294, 294, 6);
    let rows = rows_of(&scene);
    assert!(
        rows.iter()
            .all(|row| row.values().len() == 294 && row.values().iter().all(|x| (0.0..=1.0).contains(x)))
    );
    assert!(!scene.labels.is_multiclass());
    assert_eq!((scene.feature_names[0].as_str(), scene.feature_names[293].as_str()), ("Att1", "Att294"));
    if official {
        assert_eq!((scene.labels.counts(), scene.len()), (vec![427, 364, 397, 433, 533, 431], 2_407));
        assert!((scene.labels.cardinality() - 1.074).abs() < 5e-4);
        assert_eq!(rows.row(0).unwrap().values()[..3], [0.646467, 0.666435, 0.685047]);
    }
}

#[test]
fn tmc() {
    let (tmc, official) = loaded(ClassificationName::Tmc, 500, 0, 22);
    let rows = rows_of(&tmc);
    assert!(rows.iter().all(|row| row.values().iter().all(|x| *x == 1.0)));
    if official {
        let counts = [
            1_876, 16_173, 615, 610, 3_915, 7_663, 2_230, 2_844, 573, 1_456, 514, 4_275, 2_849, 1_654, 508,
            1_249, 556, 1_490, 8_534, 876, 441, 807,
        ];
        assert_eq!((tmc.labels.counts(), tmc.len()), (counts.to_vec(), 28_596));
        let cardinality = |part: std::ops::Range<usize>| tmc.labels.select(part).unwrap().cardinality();
        for (part, expected) in [(0..28_596, 2.158), (0..21_519, 2.226), (21_519..28_596, 1.952)] {
            assert!((cardinality(part) - expected).abs() < 5e-4);
        }
        let empty: Vec<usize> =
            (0..tmc.len()).filter(|&i| rows.row(i).unwrap().values().is_empty()).collect();
        assert_eq!((empty.len(), empty.iter().all(|&i| i < 21_519)), (11, true));
        let Entries::Sparse(first, _) = rows.row(0).unwrap().entries() else { panic!("dense") };
        assert_eq!((first.len(), first[0], first[13]), (14, 19, 480));
        assert_eq!(tmc.labels.of(0), Some(&[1, 5, 6][..]));
    }
}

#[test]
fn open_bandit_logs() {
    let search = SearchPath::from_environment(None).unwrap();
    for (policy, clicks, size) in
        [(LoggingPolicy::Bts, 69, 3_240_432), (LoggingPolicy::Random, 46, 3_336_811)]
    {
        let read = |part| file(&search, Campaign::Men, policy, part).unwrap();
        let (Some(log), Some(items)) = (read(Part::Log), read(Part::Items)) else {
            without_counts(&format!("the log of {policy:?} is not here"));
            continue;
        };
        assert_eq!((log.len(), items.len()), (size, 4_287));
        let text = String::from_utf8(log).unwrap();
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        let click = header.iter().position(|&name| name == "click").unwrap();
        let clicked: Vec<&str> = lines.map(|line| line.split(',').nth(click).unwrap()).collect();
        assert_eq!((header.len(), clicked.len()), (44, 10_000));
        assert_eq!(clicked.iter().filter(|cell| **cell == "1").count(), clicks);
        assert_eq!(String::from_utf8(items).unwrap().lines().count(), 35);
    }
}

/// The share of examples that a stump of one column and two classes gets right is well above guessing: trees
/// can learn.
#[test]
fn stand_ins_have_the_shape_of_what_they_stand_for_and_can_be_learnt() {
    let search = SearchPath::from_environment(None).unwrap();
    for name in ClassificationName::ALL {
        let draw = |seed| {
            load_classification(name, &SearchPath::nowhere(), StandIn { seed, rows: Some(2_000) }).unwrap()
        };
        let drawn = draw(1);
        assert_eq!(
            (drawn.len(), drawn.provenance.to_string()),
            (2_000, "synthetic stand-in (seed 1)".into())
        );
        assert_eq!(drawn, draw(1));
        assert_ne!(drawn.contexts, draw(2).contexts);
        let default = load_classification(name, &SearchPath::nowhere(), StandIn { seed: 1, rows: None });
        assert_eq!(default.unwrap().len(), 4_000);
        let none = load_classification(name, &SearchPath::nowhere(), StandIn { seed: 1, rows: Some(0) });
        assert!(none.unwrap().is_empty());

        let real = load_classification(name, &search, StandIn { seed: 2, rows: Some(2_000) }).unwrap();
        if matches!(real.provenance, Provenance::StandIn { .. }) {
            reduced::announce(&format!("{name} is not here, its stand-in is compared with another stand-in"));
        }
        assert_eq!((&drawn.classes, &drawn.numeric_columns), (&real.classes, &real.numeric_columns));
        if name != ClassificationName::Tmc {
            assert_eq!(drawn.feature_names, real.feature_names);
        }
        assert_eq!(std::mem::discriminant(&drawn.contexts), std::mem::discriminant(&real.contexts));
        let storage = |task: &Classification| {
            let rows = task.contexts.select([0]).unwrap();
            matches!(rows.row(0).unwrap().entries(), Entries::Sparse(..))
        };
        assert_eq!(storage(&drawn), storage(&real));
        let cardinality = (drawn.labels.cardinality(), real.labels.cardinality());
        assert!((cardinality.0 - cardinality.1).abs() < 0.1, "{name}: {cardinality:?}");
        assert!(nearest_mean(&drawn) > 2.0 / drawn.classes.len() as f64, "{name}: {}", nearest_mean(&drawn));
    }
}

/// The share of the second half of the examples whose nearest class mean, of the first half, is one of their
/// labels.
#[allow(clippy::unwrap_used, reason = "a test helper: a task without rows fails the test")]
fn nearest_mean(task: &Classification) -> f64 {
    let (n, m) = (task.len(), task.contexts.dimension());
    let rows = task.contexts.select(0..n).unwrap();
    let mut means = vec![(0.0, vec![0.0; m]); task.classes.len()];
    for i in 0..n / 2 {
        for &class in task.labels.of(i).unwrap() {
            means[class as usize].0 += 1.0;
            rows.row(i).unwrap().axpy_into(1.0, &mut means[class as usize].1);
        }
    }
    let right = (n / 2..n).filter(|&i| {
        let row = rows.row(i).unwrap();
        let distance = |(count, sum): &(f64, Vec<f64>)| {
            rows::dot(sum, sum) / (count * count) - 2.0 * row.dot(sum) / count
        };
        let nearest = (0..).zip(&means).min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        task.labels.contains(i, nearest.unwrap().0)
    });
    right.count() as f64 / (n - n / 2) as f64
}

#[test]
fn labels_and_selections_are_checked() {
    let bad_offset = |offsets: &[usize]| Labels::new(3, offsets.to_vec(), vec![0, 2, 1]).unwrap_err();
    assert_eq!(bad_offset(&[]), LabelsError::BadOffset { position: 0, value: 0 });
    assert_eq!(bad_offset(&[1, 3]), LabelsError::BadOffset { position: 0, value: 1 });
    assert_eq!(bad_offset(&[0, 2, 1]), LabelsError::BadOffset { position: 2, value: 1 });
    assert_eq!(bad_offset(&[0, 9, 3]), LabelsError::BadOffset { position: 2, value: 3 });
    assert_eq!(bad_offset(&[0, 2]), LabelsError::BadOffset { position: 1, value: 2 });
    assert_eq!(bad_offset(&[0, 3]), LabelsError::NotRising { position: 2, label: 1 });
    let twice = Labels::new(3, vec![0, 2], vec![1, 1]).unwrap_err();
    assert_eq!(twice, LabelsError::NotRising { position: 1, label: 1 });
    let unknown = Labels::multiclass(3, vec![0, 3]).unwrap_err();
    assert_eq!(unknown, LabelsError::UnknownClass { position: 1, label: 3, classes: 3 });

    let labels = Labels::new(3, vec![0, 2, 3], vec![0, 2, 1]).unwrap();
    assert_eq!(
        labels.select([1, 1, 0]).unwrap(),
        Labels::new(3, vec![0, 1, 2, 4], vec![1, 1, 0, 2]).unwrap()
    );
    assert!(matches!(labels.select([2]), Err(DataError::NoSuchExample { row: 2, rows: 2 })));
    assert_eq!(Labels::multiclass(3, vec![]).unwrap().cardinality(), 0.0);

    let sparse = RowMatrix::sparse(3, vec![0, 1, 1], vec![2], vec![5.0]).unwrap();
    let contexts = Contexts::Rows(sparse);
    assert_eq!(
        contexts.select([1, 0]).unwrap(),
        RowMatrix::sparse(3, vec![0, 0, 1], vec![2], vec![5.0]).unwrap()
    );
    assert!(contexts.select([usize::MAX]).is_err());
    assert!(contexts.select([]).unwrap().is_empty());
    let numbers = datasets::load(datasets::Name::Abalone, &SearchPath::nowhere(), STAND_IN).unwrap();
    assert!(matches!(Classification::try_from(numbers), Err(DataError::Encode(_))));
}

#[test]
fn files_with_other_content_than_the_official_are_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    let search = SearchPath::new(Some(folder.path()), |_| None, &folder.path().join("root")).unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("covtype.data", format!("{}5\n", "1,".repeat(54)));
    let refused = load_classification(ClassificationName::Covertype, &search, STAND_IN);
    assert!(matches!(refused, Err(DataError::WrongChecksum { .. })), "{refused:?}");

    write("train-labels-idx1-ubyte", String::new());
    let refused = load_classification(ClassificationName::Fashion, &search, STAND_IN);
    let Err(DataError::Incomplete { set, missing, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!((set.to_string().as_str(), missing), ("fashion", "train-images-idx3-ubyte"));

    // One file of the Open Bandit Dataset is enough to be read, and to be refused.
    write("obd/bts/men/men.csv", ",click\n0,1\n".to_owned());
    let log = |policy| file(&search, Campaign::Men, policy, Part::Log);
    assert!(matches!(log(LoggingPolicy::Bts), Err(DataError::WrongChecksum { .. })));
    assert_eq!(log(LoggingPolicy::Random).unwrap(), None);
}
