//! Refusals and saved states of growing thresholds.

use crate::streams::drifting;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use weak_learners::online::GrownStumps;
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn json(learner: &GrownStumps) -> String {
    serde_json::to_string(learner).unwrap()
}

#[test]
fn what_it_refuses_it_forgets_and_what_it_saves_it_resumes() {
    let stream = drifting(2, 300, 3);
    for mut learner in [
        GrownStumps::anytime(2, 6, rng(1)).unwrap(),
        GrownStumps::new(2, 100, 0.2, rng(1)).unwrap(),
        GrownStumps::anytime(2, 6, rng(1)).unwrap().drawing_afresh(),
    ] {
        assert_eq!(learner.shape(), Shape { inputs: 2, outputs: 1 });
        assert_eq!(learner.thresholds(), Err(LearnerError::Empty { argument: "thresholds" }));
        for (x, y) in stream.examples() {
            let before = json(&learner);
            let short = Row::dense(&[1.0]).unwrap();
            let refused = Err(LearnerError::InputDimension { expected: 2, got: 1 });
            assert_eq!(learner.accepts(short, &y), refused);
            assert_eq!(learner.update(short, &y), refused);
            assert_eq!(learner.predict(short, &mut [0.0]), refused);
            assert!(learner.mean_vote(short).is_err());
            assert!(learner.predict(x, &mut [0.0; 2]).is_err());
            assert_eq!(learner.vote(x), learner.vote(x));
            assert_eq!(json(&learner), before);
            let mut loaded: GrownStumps = serde_json::from_str(&before).unwrap();
            assert_eq!(loaded.experts(), learner.experts());
            assert_eq!(loaded.round(x, y), learner.round(x, y));
            assert_eq!(json(&loaded), json(&learner));
            learner = loaded;
        }
        assert!(learner.thresholds().unwrap().experts() < learner.experts());
    }
}

#[test]
fn parameters_and_states_that_are_none_are_refused() {
    for eta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = GrownStumps::new(2, 4, eta, rng(1));
        assert!(matches!(refused, Err(LearnerError::BadParameter { name: "η", .. })), "{eta}");
    }
    for most_values in [0, 1] {
        let refused = GrownStumps::anytime(2, most_values, rng(1));
        assert!(matches!(refused, Err(LearnerError::BadParameter { name: "most values", .. })));
    }
    let refused = GrownStumps::new(0, 4, 0.1, rng(1));
    assert!(matches!(refused, Err(LearnerError::Empty { argument: "inputs" })));
    assert!(matches!(GrownStumps::anytime(0, 4, rng(1)), Err(LearnerError::Empty { argument: "inputs" })));
    // η_1 for L = ln((2m + 2)K).
    let eta = GrownStumps::anytime(2, 8, rng(1)).unwrap().eta();
    assert!((eta - (2.0 * (2.0_f64.sqrt() - 1.0) * 48.0_f64.ln()).sqrt()).abs() < 1e-12, "{eta}");
    let mut learner = GrownStumps::new(1, 3, 0.25, rng(1)).unwrap();
    for v in [2.0, 0.0, 2.0, 1.0] {
        learner.update(Row::dense(&[v]).unwrap(), &Label::Plus).unwrap();
    }
    let text = json(&learner);
    let feature = "\"seen\":[0.0,1.0,2.0],\"zero\":0,\"sums\":[0,1,2],\"costs\":";
    assert!(text.contains(feature) && text.contains("\"runs\":[-1,-2,1,2]"), "{text}");
    assert!(serde_json::from_str::<GrownStumps>(&text).is_ok());
    let current = &text[text.find("\"current\"").unwrap()..text.find(",\"coin\"").unwrap()];
    let (no_feature, beyond) = (
        "\"current\":{\"Gap\":{\"feature\":1,\"gap\":0,\"polarity\":1.0}}",
        "\"current\":{\"Gap\":{\"feature\":0,\"gap\":4,\"polarity\":1.0}}",
    );
    for (old, new) in [
        ("\"seen\":[0.0,1.0,2.0]", "\"seen\":[0.0,2.0,2.0]"),
        ("\"seen\":[0.0,1.0,2.0]", "\"seen\":[0.0,1.0]"),
        ("\"seen\":[0.0,1.0,2.0]", "\"seen\":[0.5,1.0,2.0]"),
        ("\"most_values\":3", "\"most_values\":2"),
        ("\"zero\":0", "\"zero\":1"),
        ("\"zero\":0", "\"zero\":7"),
        ("\"sums\":[0,1,2]", "\"sums\":[1,1,2]"),
        ("\"sums\":[0,1,2]", "\"sums\":[0,3,2]"),
        ("\"sums\":[0,1,2]", "\"sums\":[0,1]"),
        ("\"costs\":[0.69", "\"costs\":[0.70"),
        ("\"costs\":[", "\"costs\":[800.0,"),
        ("\"runs\":[-1,-2,1,2]", "\"runs\":[-1,-2,1]"),
        ("\"runs\":[-1,-2,1,2]", "\"runs\":[-1,-2,0,2]"),
        ("\"runs\":[-1,-2,1,2]", "\"runs\":[-1,-2,1,9223372036854775807]"),
        ("\"runs\":[-1,-2,1,2]", "\"runs\":[-9223372036854775808,-2,1,2]"),
        ("\"coin\":0.", "\"coin\":-0."),
        ("\"coin\":0.", "\"coin\":1."),
        ("\"sums\":[0,1,2]", "\"sums\":[1,0,2]"),
        ("\"total\":4", "\"total\":0"),
        ("\"total\":4", "\"total\":3"),
        ("\"total\":4", "\"total\":5"),
        ("\"rounds\":4", "\"rounds\":3"),
        ("{\"Constant\":0.25}", "{\"Constant\":0.0}"),
        (current, beyond),
        (current, no_feature),
    ] {
        assert!(text.contains(old), "{old}: {text}");
        assert!(serde_json::from_str::<GrownStumps>(&text.replace(old, new)).is_err(), "{new}");
    }
}

/// The round after the last one that is counted is refused and changes nothing; the state can be saved and
/// loaded.
#[test]
fn the_last_round_that_is_counted_can_be_saved() {
    let fresh = json(&GrownStumps::new(1, 3, 0.25, rng(1)).unwrap());
    let late = fresh.replace("\"rounds\":0", "\"rounds\":9007199254740990");
    assert_ne!(late, fresh);
    let mut learner: GrownStumps = serde_json::from_str(&late).unwrap();
    let x = Row::dense(&[1.0]).unwrap();
    for _ in 0..2 {
        learner.update(x, &Label::Plus).unwrap();
        assert_eq!(json(&serde_json::from_str::<GrownStumps>(&json(&learner)).unwrap()), json(&learner));
    }
    let before = json(&learner);
    let refused = learner.update(x, &Label::Plus);
    assert!(matches!(refused, Err(LearnerError::BadParameter { name: "rounds", .. })), "{refused:?}");
    assert_eq!(json(&learner), before);
}
