//! Generators against the truth that they state, and stand-ins against the shape of what they stand for.

mod reduced;

use datasets::synthetic::{
    DriftingRegression, Generator, GeneratorError, LabelNoise, LinearRegression, NoisyRegression, generated,
};
use datasets::{Name, Provenance, SearchPath, StandIn, Targets, load};
use serde::{Serialize, de::DeserializeOwned};

const ROUNDS: usize = 20_000;

/// Draws the rounds of a generator: ‖x‖ = 1 in each. Half-way the generator is saved and loaded, and both
/// continue alike.
#[allow(clippy::unwrap_used, reason = "a test helper: a generator that cannot be saved fails the test")]
fn rounds<G: Generator + Clone + Serialize + DeserializeOwned>(mut generator: G) -> Vec<(Vec<f64>, f64)> {
    let mut drawn = Vec::new();
    let mut x = Vec::new();
    let mut loaded = None;
    for t in 0..ROUNDS {
        if t == ROUNDS / 2 {
            loaded = Some(serde_json::from_str::<G>(&serde_json::to_string(&generator).unwrap()).unwrap());
        }
        let y = generator.draw(&mut x);
        assert!((rows::dot(&x, &x) - 1.0).abs() < 1e-12);
        if let Some(loaded) = &mut loaded {
            let mut same = Vec::new();
            assert_eq!((loaded.draw(&mut same).to_bits(), &same), (y.to_bits(), &x));
        }
        drawn.push((x.clone(), y));
    }
    drawn
}

#[test]
fn noise_has_its_bound_and_mean_zero() {
    let generator = NoisyRegression::new(4, 0.5, 11).unwrap();
    let truth = generator.truth().to_vec();
    let noise: Vec<f64> = rounds(generator).iter().map(|(x, y)| y - rows::dot(&truth, x)).collect();
    assert!(noise.iter().all(|e| e.abs() <= 0.5 + 1e-15));
    assert!(noise.iter().any(|e| *e > 0.49) && noise.iter().any(|e| *e < -0.49));
    // Hoeffding for a mean of numbers in [−a, a]: a·√(2 ln(2/p)/n) with p = 1e−6.
    let margin = 0.5 * (2.0 * 2e6f64.ln() / ROUNDS as f64).sqrt();
    assert!((noise.iter().sum::<f64>() / ROUNDS as f64).abs() < margin);
}

#[test]
fn labels_flip_as_often_as_stated() {
    let generator = LabelNoise::new(4, 0.2, 11).unwrap();
    let truth = generator.truth().to_vec();
    let flips = rounds(generator).iter().filter(|(x, y)| y * rows::dot(&truth, x) < 0.0).count();
    let margin = (2e6f64.ln() / (2.0 * ROUNDS as f64)).sqrt();
    assert!((flips as f64 / ROUNDS as f64 - 0.2).abs() < margin, "{flips}");
    let data = generated("noise", &mut LabelNoise::new(4, 0.2, 11).unwrap(), 100).unwrap();
    let Targets::Classes { names, .. } = &data.targets else { panic!("classes") };
    assert_eq!(names, &["-1", "+1"]);
    assert!(data.targets.class_counts().unwrap().iter().all(|&count| count > 20));
}

#[test]
fn contexts_fill_the_sphere() {
    let drawn = rounds(LinearRegression::new(3, 5).unwrap());
    for j in 0..3 {
        let mean = drawn.iter().map(|(x, _)| x[j]).sum::<f64>() / ROUNDS as f64;
        let square = drawn.iter().map(|(x, _)| x[j] * x[j]).sum::<f64>() / ROUNDS as f64;
        let margin = (2.0 * 2e6f64.ln() / ROUNDS as f64).sqrt();
        assert!(mean.abs() < margin && (square - 1.0 / 3.0).abs() < margin, "{mean} {square}");
    }
}

#[test]
fn the_truth_drifts_by_the_stated_path_length() {
    let angle = 0.3f64;
    let mut generator = DriftingRegression::new(4, angle, 11).unwrap();
    let mut before = generator.truth();
    let mut x = Vec::new();
    for _ in 0..100 {
        let y = generator.draw(&mut x);
        assert!((y - rows::dot(&before, &x)).abs() < 1e-12);
        let after = generator.truth();
        let step: f64 = before.iter().zip(&after).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        assert!((step - 2.0 * (angle / 2.0).sin()).abs() < 1e-12, "{step}");
        before = after;
    }
    rounds(generator);
}

#[test]
fn parameters_are_checked_when_made_and_when_loaded() {
    assert_eq!(LinearRegression::new(0, 1), Err(GeneratorError::TooFewFeatures { least: 1, got: 0 }));
    assert_eq!(DriftingRegression::new(1, 0.1, 1), Err(GeneratorError::TooFewFeatures { least: 2, got: 1 }));
    for bad in [-0.1, f64::NAN, f64::INFINITY, 1.1e140] {
        assert!(NoisyRegression::new(2, bad, 1).is_err());
        assert!(LabelNoise::new(2, bad, 1).is_err());
    }
    assert!(LabelNoise::new(2, 0.5, 1).is_err());
    for bad in [f64::NAN, 1.1e140, -1.1e140] {
        assert!(DriftingRegression::new(2, bad, 1).is_err());
    }
    // At the limit numbers are drawn, and all are in range.
    let (mut widest, mut fastest) =
        (NoisyRegression::new(2, 1e140, 1).unwrap(), DriftingRegression::new(2, -1e140, 1).unwrap());
    let mut x = Vec::new();
    assert!((0..100).all(|_| widest.draw(&mut x).abs() <= 1e140 && fastest.draw(&mut x).abs() <= 1.0));
    let text = serde_json::to_string(&NoisyRegression::new(2, 0.5, 1).unwrap()).unwrap();
    assert!(text.contains("\"half_width\":0.5"));
    assert!(serde_json::from_str::<NoisyRegression>(&text.replace("0.5", "-0.5")).is_err());
    let text = serde_json::to_string(&LinearRegression::new(1, 1).unwrap()).unwrap();
    assert!(serde_json::from_str::<LinearRegression>(&text.replace("1.0]", "2.0]")).is_err());
}

#[test]
fn stand_ins_have_the_shape_of_what_they_stand_for() {
    let search = SearchPath::from_environment(None).unwrap();
    for name in Name::ALL {
        let drawn = load(name, &SearchPath::nowhere(), StandIn { seed: 1, rows: Some(3_000) }).unwrap();
        let real = load(name, &search, StandIn { seed: 2, rows: Some(3_000) }).unwrap();
        assert_eq!(drawn.provenance, Provenance::StandIn { seed: 1 });
        assert_eq!(drawn.provenance.to_string(), "synthetic stand-in (seed 1)");
        assert_eq!(drawn.len(), 3_000);
        assert_eq!(drawn.feature_names, real.feature_names);
        assert_eq!(drawn.numeric_columns, real.numeric_columns);
        match (&drawn.targets, &real.targets) {
            (Targets::Classes { names: a, .. }, Targets::Classes { names: b, .. }) => {
                assert_eq!(a, b);
                let counts = drawn.targets.class_counts().unwrap();
                assert!(counts.iter().all(|&count| count > 0), "{name}: {counts:?}");
            }
            (Targets::Values(_), Targets::Values(_)) => {}
            _ => panic!("{name}: targets of different kinds"),
        }
        if real.provenance == (Provenance::StandIn { seed: 2 }) {
            reduced::announce(&format!("{name} is not here; its stand-in is compared with another stand-in"));
        }
        let stored = |data: &datasets::Dataset| data.features.stored_values() as f64 / data.len() as f64;
        assert!(
            (stored(&drawn) / stored(&real) - 1.0).abs() < 0.03,
            "{name}: {} {}",
            stored(&drawn),
            stored(&real)
        );
        assert_eq!(
            drawn,
            load(name, &SearchPath::nowhere(), StandIn { seed: 1, rows: Some(3_000) }).unwrap()
        );
        if matches!(real.provenance, Provenance::Official { .. }) && name != Name::Census {
            let full = load(name, &SearchPath::nowhere(), StandIn { seed: 1, rows: None }).unwrap();
            assert_eq!(full.len(), real.len());
        }
    }
}

/// Numbers that stand where a size is asked for: that of a wrong column, or of a damaged file.
const TOO_LARGE: [usize; 3] = [1 << 40, (1 << 53) + 1, usize::MAX];

/// Every size that a constructor is called with, or that is loaded.
#[test]
fn sizes_that_no_memory_holds_are_refused() {
    use datasets::synthetic::{
        DriftingClassification, DriftingRegression, LabelNoise, LinearRegression, NoisyRegression,
        StumpMajority, census_stand_in, classification_stand_in, generated, stand_in,
    };
    use datasets::{CensusCoding, ClassificationName, Labels, Split, SplitPlan};
    let saved = serde_json::to_string(&StumpMajority::new(7, 3, None, 1).unwrap()).unwrap();
    assert!(saved.contains("\"dimension\":7") && serde_json::from_str::<StumpMajority>(&saved).is_ok());
    for n in TOO_LARGE {
        let odd = n | 1;
        let plans = [
            SplitPlan::Shares { test: 10, validation: 10 },
            SplitPlan::Nested { test: 20, validation: 20 },
            SplitPlan::Official { training: n - 1, validation: 10 },
        ];
        let split = |plan| Split::new(plan, n, 1, 0).is_err();
        let options = StandIn { seed: 1, rows: Some(n) };
        let mut small = LinearRegression::new(2, 1).unwrap();
        let loaded = saved.replace("\"dimension\":7", &format!("\"dimension\":{n}"));
        let refused = [
            ("LinearRegression", LinearRegression::new(n, 1).is_err()),
            ("NoisyRegression", NoisyRegression::new(n, 0.1, 1).is_err()),
            ("LabelNoise", LabelNoise::new(n, 0.1, 1).is_err()),
            ("DriftingRegression", DriftingRegression::new(n, 0.1, 1).is_err()),
            ("DriftingClassification", DriftingClassification::new(n, 0.1, 1).is_err()),
            ("StumpMajority, features", StumpMajority::new(n, 3, None, 1).is_err()),
            ("StumpMajority, stumps", StumpMajority::new(odd, odd, None, 1).is_err()),
            ("StumpMajority, loaded", serde_json::from_str::<StumpMajority>(&loaded).is_err()),
            ("generated", generated("linear", &mut small, n).is_err()),
            ("stand_in", Name::ALL.into_iter().all(|name| stand_in(name, options).is_err())),
            ("census_stand_in", census_stand_in(CensusCoding::Published, options).is_err()),
            (
                "classification_stand_in",
                ClassificationName::ALL
                    .into_iter()
                    .all(|name| classification_stand_in(name, options).is_err()),
            ),
            ("load", load(Name::Abalone, &SearchPath::nowhere(), options).is_err()),
            ("Split", plans.into_iter().all(split)),
            ("Labels", Labels::new(n, vec![0, 1], vec![0]).is_err()),
            ("Labels::multiclass", Labels::multiclass(n, vec![0]).is_err()),
        ];
        for (what, is_refused) in refused {
            assert!(is_refused, "{what} with {n}");
        }
    }
}
