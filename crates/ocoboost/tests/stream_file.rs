//! Files of learners of streams: safe on any bytes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]

use ocoboost::model_file::{Content, ModelFileError};
use ocoboost::{Model, Source, StreamBooster, StreamJob, StreamLearner, StreamWeakLearner};
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
