//! The readers against the official files: row counts, class counts, shapes, sums. Where a file is absent,
//! the test says so on standard error and checks the stand-in's shape instead.

mod reduced;

use datasets::{CensusCoding, Dataset, Name, Provenance, SearchPath, StandIn, Targets, load, load_census};

const STAND_IN: StandIn = StandIn { seed: 7, rows: Some(2_000) };

/// Loads a set, and says whether it is the official one.
#[allow(clippy::unwrap_used, reason = "a test helper: a set that does not load fails the test")]
fn loaded(name: Name) -> (Dataset, bool) {
    let dataset = load(name, &SearchPath::from_environment(None).unwrap(), STAND_IN).unwrap();
    let official = matches!(dataset.provenance, Provenance::Official { .. });
    if !official {
        reduced::announce(&format!(
            "{name} is a {}; counts of the official files are not checked",
            dataset.provenance
        ));
    }
    assert_eq!(dataset.feature_names.len(), dataset.features.dimension());
    assert_eq!(dataset.targets.len(), dataset.len());
    (dataset, official)
}

#[test]
fn abalone() {
    let (abalone, official) = loaded(Name::Abalone);
    assert_eq!(abalone.features.dimension(), 10);
    assert_eq!(abalone.numeric_columns, (3..10).collect::<Vec<_>>());
    let rings = abalone.targets.values().unwrap();
    assert!(rings.iter().all(|y| (1.0..=29.0).contains(y)));
    if official {
        assert_eq!(abalone.len(), 4_177);
        let mut by_sex = [0; 3];
        abalone
            .features
            .iter()
            .for_each(|row| (0..3).for_each(|k| by_sex[k] += usize::from(row.values()[k] > 0.0)));
        assert_eq!(by_sex, [1_307, 1_342, 1_528], "F, I, M");
        let heights = abalone.feature_names.iter().position(|name| name == "height").unwrap();
        assert_eq!(abalone.features.iter().filter(|row| row.values()[heights] == 0.0).count(), 2);
        assert_eq!(rings[..3], [15.0, 7.0, 9.0]);
    }
}

#[test]
fn adult() {
    let (adult, official) = loaded(Name::Adult);
    assert_eq!(adult.features.dimension(), 105);
    assert_eq!(adult.numeric_columns.len(), 6);
    if official {
        assert_eq!(adult.targets.class_counts().unwrap(), [24_720 + 12_435, 7_841 + 3_846]);
        // A row with nothing missing sets eight indicators.
        let indicators = |i: usize| {
            let mut count = 0;
            adult
                .features
                .row(i)
                .unwrap()
                .for_each(|j, _| count += usize::from(!adult.numeric_columns.contains(&j)));
            count
        };
        assert_eq!((0..32_561).filter(|&i| indicators(i) < 8).count(), 2_399);
        assert_eq!((32_561..48_842).filter(|&i| indicators(i) < 8).count(), 1_221);
    }
}

#[test]
fn census() {
    let (census, official) = loaded(Name::Census);
    assert_eq!((census.features.dimension(), census.numeric_columns.len()), (502, 7));
    let search = SearchPath::from_environment(None).unwrap();
    let published = load_census(CensusCoding::Published, &search, STAND_IN).unwrap();
    assert_eq!((published.features.dimension(), published.numeric_columns.len()), (401, 13));
    assert_eq!(published.targets.len(), census.targets.len());
    assert!(!census.feature_names.iter().any(|name| name.contains("weight")));
    if official {
        assert_eq!(census.targets.class_counts().unwrap(), [187_141 + 93_576, 12_382 + 6_186]);
        assert_eq!(published.targets, census.targets);
        let per_row = census.features.stored_values() as f64 / census.len() as f64;
        eprintln!(
            "census: {per_row:.2} stored values a row; {:.2} as published",
            published.features.stored_values() as f64 / census.len() as f64
        );
        assert!((30.0..41.0).contains(&per_row), "{per_row}");
    }
}

#[test]
fn letter() {
    let (letter, official) = loaded(Name::Letter);
    assert_eq!((letter.features.dimension(), letter.numeric_columns.len()), (16, 16));
    let counts = letter.targets.class_counts().unwrap();
    assert_eq!(counts.len(), 26);
    if official {
        assert_eq!(letter.len(), 20_000);
        assert_eq!((counts.iter().min(), counts.iter().max()), (Some(&734), Some(&813)));
        assert!(letter.features.iter().all(|row| row.values().iter().all(|x| (0.0..=15.0).contains(x))));
        let signs = datasets::signs(&letter.targets, &datasets::letter::FIRST_HALF_OF_ALPHABET).unwrap();
        assert_eq!(signs.iter().filter(|&&sign| sign > 0.0).count(), 9_940);
        let Targets::Classes { indices, names } = &letter.targets else { panic!("classes") };
        assert_eq!(names[indices[0] as usize], "T");
    }
}

#[test]
fn breast_cancer() {
    let (cancer, official) = loaded(Name::BreastCancer);
    assert_eq!((cancer.features.dimension(), cancer.numeric_columns.len()), (10, 9));
    assert_eq!(cancer.feature_names[5..7], ["bare nuclei", "bare nuclei=?"]);
    if official {
        assert_eq!(cancer.targets.class_counts().unwrap(), [458, 241]);
        let (mut missing, mut total, mut highest) = (0, 0.0, 0);
        for row in cancer.features.iter() {
            let (grade, indicator) = (row.values()[5], row.values()[6]);
            assert_eq!(indicator > 0.0, grade == 0.0);
            missing += usize::from(indicator > 0.0);
            total += grade;
            highest += usize::from(grade == 10.0);
        }
        assert_eq!((missing, total, highest), (16, 2421.0, 132));
        assert_eq!(
            cancer.features.row(0).unwrap().values(),
            [5.0, 1.0, 1.0, 1.0, 2.0, 1.0, 0.0, 3.0, 1.0, 1.0]
        );
    }
}

#[test]
fn ionosphere() {
    let (ionosphere, official) = loaded(Name::Ionosphere);
    assert_eq!((ionosphere.features.dimension(), ionosphere.numeric_columns.len()), (34, 34));
    if official {
        assert_eq!(ionosphere.targets.class_counts().unwrap(), [126, 225]);
        assert!(ionosphere.features.iter().all(|row| row.values().iter().all(|x| x.abs() <= 1.0)));
        // The first attribute is 1 but in 38 rows, the second is 0 throughout.
        assert_eq!(ionosphere.features.iter().filter(|row| row.values()[0] == 0.0).count(), 38);
        assert!(ionosphere.features.iter().all(|row| row.values()[1] == 0.0));
    }
}

#[test]
fn spambase() {
    let (spambase, official) = loaded(Name::Spambase);
    assert_eq!((spambase.features.dimension(), spambase.numeric_columns.len()), (57, 57));
    if official {
        assert_eq!(spambase.targets.class_counts().unwrap(), [2_788, 1_813]);
        let column = |name| spambase.feature_names.iter().position(|n| n == name).unwrap();
        let last = spambase.features.row(4_600).unwrap().values().to_vec();
        assert_eq!((last[column("word re")], last[column("word edu")]), (1.97, 0.65));
        assert_eq!((last[column("character !")], last[column("capitals, total")]), (0.125, 40.0));
    }
}

#[test]
fn slice() {
    let (slice, _) = loaded(Name::Slice);
    assert_eq!((slice.features.dimension(), slice.numeric_columns.len()), (385, 385));
    assert!(slice.targets.values().unwrap().iter().all(|y| (0.0..=180.0).contains(y)));
}
