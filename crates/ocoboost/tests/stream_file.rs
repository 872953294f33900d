//! Files of learners of streams: safe on any bytes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]

use ocoboost::model_file::{Content, ModelFileError};
use ocoboost::{
    BanditBooster, BanditSettings, Model, RegressionBooster, RegressionSettings, Source, StreamBandit,
    StreamBooster, StreamJob, StreamLearner, StreamRegressor, StreamWeakLearner,
};
use off_policy::Value;
use serde_json::json;
use sha2::{Digest, Sha256};

fn learner(booster: StreamBooster, weak: StreamWeakLearner) -> StreamLearner {
    let job = StreamJob::builder().booster(booster).weak_learner(weak).learners(2).bits(2);
    let job = job.format(json!({ "label": "y" })).build().unwrap();
    let mut learner = job.begin(2).unwrap();
    for t in 0..12_u32 {
        let cells =
            [("x", Value::Number(f64::from(t * 5 % 12))), ("c", Value::Text(["a", "b"][t as usize % 2]))];
        learner.round(Some(if t % 3 == 0 { "yes" } else { "no" }), cells).unwrap();
    }
    learner.with_source(Source { name: "rows.csv".to_owned(), sha256: "00".to_owned() })
}

const KINDS: [(StreamBooster, StreamWeakLearner); 4] = [
    (StreamBooster::Agnostic, StreamWeakLearner::NaiveBayes),
    (StreamBooster::OnlineBbm, StreamWeakLearner::Logistic),
    (StreamBooster::AdaBoostOl, StreamWeakLearner::Stumps),
    (StreamBooster::Alone, StreamWeakLearner::Logistic),
];

#[test]
fn files_are_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    for (booster, weak) in KINDS {
        let learner = learner(booster, weak);
        let path = folder.path().join("rows.ocob");
        learner.save(&path).unwrap();
        let loaded = StreamLearner::load(&path).unwrap();
        assert_eq!((&loaded, loaded.sources()[0].name.as_str()), (&learner, "rows.csv"));
        assert_eq!((loaded.format()["label"].as_str(), loaded.sentence()), (Some("y"), learner.sentence()));
        let refused = Model::load(&path);
        assert!(
            matches!(refused, Err(ModelFileError::OtherContent { found, .. }) if found == "a learner of a stream")
        );
    }
}

#[test]
fn no_flipped_byte_and_no_cut_file_is_loaded() {
    let bytes = learner(KINDS[3].0, KINDS[3].1).to_bytes().unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        assert!(Content::from_bytes(&damaged).is_err(), "byte {place}");
        assert!(Content::from_bytes(&bytes[..place]).is_err(), "{place} bytes");
    }
}

/// A file of these sections as they are, with a right checksum.
fn file(sections: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut bytes = b"\x89ocob\r\n\x1a".to_vec();
    bytes.extend_from_slice(&1_u32.to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(sections.len()).unwrap().to_le_bytes());
    for (tag, body) in sections {
        bytes.extend_from_slice(*tag);
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    }
    sections.iter().for_each(|(_, body)| bytes.extend_from_slice(body));
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum);
    bytes
}

fn of_state(state: &str) -> Result<StreamLearner, ModelFileError> {
    let sections: [(&[u8; 4], &[u8]); 5] = [
        (b"KIND", b"\"stream\""),
        (b"STAT", state.as_bytes()),
        (b"SRCS", b"[]"),
        (b"PRGM", b"\"\""),
        (b"FRMT", b"null"),
    ];
    StreamLearner::from_bytes(&file(&sections))
}

/// Every digit and letter of the state in turn: an error, or a learner that goes on and is written again.
#[test]
fn a_changed_state_never_panics() {
    for (booster, weak) in KINDS {
        let state = learner(booster, weak).state_json().unwrap();
        assert!(of_state(&state).is_ok());
        let (mut loaded, step) = (0, 1 + state.len() / 1_500);
        for place in (0..state.len()).step_by(step) {
            for change in [b'9', b'-', b'['] {
                let mut changed = state.clone().into_bytes();
                changed[place] = change;
                let Ok(mut learner) = of_state(std::str::from_utf8(&changed).unwrap()) else { continue };
                loaded += 1;
                for class in ["yes", "no", "else"] {
                    let _ = learner.round(Some(class), [("x", Value::Number(3.0)), ("z", Value::Missing)]);
                }
                let _ = (learner.predict([("c", Value::Text("b"))]), learner.sentence());
                assert!(StreamLearner::from_bytes(&learner.to_bytes().unwrap()).is_ok(), "byte {place}");
            }
        }
        println!("{booster:?}: {loaded} changed states are learners");
    }
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let learner = learner(StreamBooster::Alone, StreamWeakLearner::NaiveBayes);
    let state: serde_json::Value = serde_json::from_str(&learner.state_json().unwrap()).unwrap();
    assert!(of_state(&state.to_string()).is_ok());
    for (part, value) in [
        // More coordinates than the booster has, and so many that they would not fit.
        ("/coding/bits", json!(3)),
        ("/coding/bits", json!(60)),
        ("/coding/features", json!([{ "number": "x" }, { "number": "x" }])),
        ("/classes", json!([])),
        ("/classes", json!(["yes", "yes"])),
        ("/classes", json!(["yes", "no", "else"])),
        ("/weak_learner", json!("logistic")),
        ("/error/mistakes", json!(99)),
        ("/scaling", json!(vec![json!({ "count": 0, "mean": 0.0, "variance": 0.0 }); 5])),
        ("/boosted", json!({ "alone": { "naive_bayes": { "examples": [0, 0], "features": [] } } })),
    ] {
        let mut changed = state.clone();
        *changed.pointer_mut(part).unwrap() = value;
        let found = of_state(&changed.to_string());
        assert!(matches!(found, Err(ModelFileError::State { .. })), "{part}: {found:?}");
    }
}

const REGRESSORS: [RegressionBooster; 3] =
    [RegressionBooster::GradientBoosting, RegressionBooster::SpanBoosting, RegressionBooster::Alone];
const BANDITS: [(BanditBooster, usize); 3] =
    [(BanditBooster::GradientBoosting, 2), (BanditBooster::Fkm, 2), (BanditBooster::Fkm, 1)];

fn cells(t: u32) -> [(&'static str, Value<'static>); 2] {
    [("x", Value::Number(f64::from(t * 5 % 12))), ("c", Value::Text(["a", "b"][t as usize % 2]))]
}

fn regressor(booster: RegressionBooster) -> StreamRegressor {
    let settings = RegressionSettings { booster, learners: 2, bits: Some(3), ..Default::default() };
    let mut regressor = settings.begin(2).unwrap();
    for t in 0..12 {
        regressor.round(cells(t), f64::from(t % 5)).unwrap();
    }
    regressor
}

fn bandit((booster, queries): (BanditBooster, usize)) -> StreamBandit {
    let settings = BanditSettings { booster, queries, bits: Some(3), outputs: 2, ..Default::default() };
    let mut bandit = settings.begin(2).unwrap();
    (0..12).for_each(|t| drop(bandit.round(cells(t), &mut |y| (y[0] - y[1]).abs()).unwrap()));
    bandit
}

#[test]
fn files_of_regressors_are_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.ocob");
    for booster in REGRESSORS {
        let mut own = regressor(booster);
        own.save(&path).unwrap();
        let mut loaded = StreamRegressor::load(&path).unwrap();
        assert_eq!((&loaded, loaded.settings(), loaded.sentence()), (&own, own.settings(), own.sentence()));
        for t in 0..20 {
            let [one, other] = [&mut own, &mut loaded].map(|model| model.round(cells(t), 2.5).unwrap());
            assert_eq!(one.to_bits(), other.to_bits());
        }
        assert_eq!(loaded.to_bytes().unwrap(), own.to_bytes().unwrap());
        let refused = StreamLearner::load(&path);
        assert!(
            matches!(refused, Err(ModelFileError::OtherContent { found, .. }) if found == "a regressor of a stream")
        );
    }
    for kind in BANDITS {
        let mut own = bandit(kind);
        Content::Bandit(Box::new(own.clone())).save(&path).unwrap();
        let mut loaded = StreamBandit::load(&path).unwrap();
        assert_eq!((&loaded, loaded.settings(), loaded.rounds()), (&own, own.settings(), 12));
        for t in 0..20 {
            let play = |model: &mut StreamBandit| model.round(cells(t), &mut |y| y[0] * y[0]).unwrap();
            assert_eq!(play(&mut own), play(&mut loaded));
        }
        assert_eq!(loaded.to_bytes().unwrap(), own.to_bytes().unwrap());
        assert!(matches!(StreamRegressor::load(&path), Err(ModelFileError::OtherContent { .. })));
    }
    let none = StreamRegressor::load(folder.path().join("none.ocob"));
    assert!(matches!(none, Err(ModelFileError::Io { .. })));
}

#[test]
fn no_flipped_byte_and_no_cut_file_is_a_regressor() {
    for bytes in [regressor(REGRESSORS[2]).to_bytes().unwrap(), bandit(BANDITS[2]).to_bytes().unwrap()] {
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x10;
            assert!(Content::from_bytes(&damaged).is_err(), "byte {place}");
            assert!(Content::from_bytes(&bytes[..place]).is_err(), "{place} bytes");
        }
    }
}

/// Every digit and letter of the state in turn: an error, or a regressor that goes on and is written again.
#[test]
fn a_changed_state_of_a_regressor_never_panics() {
    let of = |kind: &[u8], state: &[u8]| Content::from_bytes(&file(&[(b"KIND", kind), (b"STAT", state)]));
    let states =
        REGRESSORS.map(|booster| ("\"regressor\"", serde_json::to_string(&regressor(booster)).unwrap()));
    let of_bandits = BANDITS.map(|kind| ("\"bandit\"", serde_json::to_string(&bandit(kind)).unwrap()));
    for (kind, state) in states.into_iter().chain(of_bandits) {
        assert!(of(kind.as_bytes(), state.as_bytes()).is_ok());
        let (mut loaded, step) = (0, 1 + state.len() / 1_000);
        for place in (0..state.len()).step_by(step) {
            for change in [b'9', b'-', b'['] {
                let mut changed = state.clone().into_bytes();
                changed[place] = change;
                let again = match of(kind.as_bytes(), &changed) {
                    Ok(Content::Regressor(mut model)) => {
                        (0..3).for_each(|t| drop(model.round(cells(t), 1.0)));
                        let _ = (model.predict(cells(7)), model.sentence());
                        model.to_bytes()
                    }
                    Ok(Content::Bandit(mut model)) => {
                        (0..3).for_each(|t| drop(model.round(cells(t), &mut |y| y[0])));
                        let _ = model.predict(cells(7));
                        model.to_bytes()
                    }
                    _ => continue,
                };
                loaded += 1;
                // A state that a round has led out of its range is refused when it is written, and not when
                // it is read.
                if let Ok(again) = again {
                    assert!(Content::from_bytes(&again).is_ok(), "byte {place} of {kind}");
                }
            }
        }
        println!("{kind}: {loaded} changed states are regressors");
    }
}
