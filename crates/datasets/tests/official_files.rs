//! The readers against the official files: row counts, class counts, shapes, sums. Where a file is absent, the test says
//! so on standard error and checks the stand-in's shape instead.

use datasets::{CensusCoding, Dataset, Name, Provenance, SearchPath, StandIn, Targets, load, load_census};
use std::io::Write as _;

const STAND_IN: StandIn = StandIn { seed: 7, rows: Some(2_000) };

/// Loads a set, and says whether it is the official one.
#[allow(clippy::unwrap_used, reason = "a test helper: a set that does not load fails the test")]
fn loaded(name: Name) -> (Dataset, bool) {
    let dataset = load(name, &SearchPath::from_environment(None).unwrap(), STAND_IN).unwrap();
    let official = matches!(dataset.provenance, Provenance::Official { .. });
    if !official {
        let _ = writeln!(
            std::io::stderr(),
            "REDUCED: {name} is a {}; counts of the official files are not checked",
            dataset.provenance
        );
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
fn slice() {
    let (slice, _) = loaded(Name::Slice);
    assert_eq!((slice.features.dimension(), slice.numeric_columns.len()), (385, 385));
    assert!(slice.targets.values().unwrap().iter().all(|y| (0.0..=180.0).contains(y)));
}
