//! Files of classifiers: bit for bit, and safe on any bytes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]

use ocoboost::model_file::{Content, ModelFileError};
use ocoboost::{BoostAlgorithm, BoostJob, ClassTable, Classifier, Model};
use off_policy::{ActionNames, ContextColumn, Schema};
use rows::RowMatrix;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;

/// Three classes by a number and a label.
fn table() -> ClassTable {
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for i in 0..240_u32 {
        let (x, is_red) = (f64::from(i * 37 % 60) / 4.0, i / 60 % 2 == 0);
        values.extend([x, f64::from(u8::from(is_red)), f64::from(u8::from(!is_red))]);
        classes.push(if x < 6.0 { 0 } else { 1 + u32::from(is_red) });
    }
    let labels = vec!["red".into(), "blue".into()];
    let columns = vec![
        ContextColumn::Number { name: "size".into() },
        ContextColumn::Labels { name: "colour".into(), labels },
    ];
    let names = ActionNames::Labels(["small", "blue", "red"].map(String::from).to_vec());
    ClassTable::new(RowMatrix::dense(3, values).unwrap(), classes, Schema::new(columns, names).unwrap())
        .unwrap()
}

fn classifier(rounds: usize) -> Classifier {
    let job = BoostJob::builder().algorithm(BoostAlgorithm::MadaBoost);
    let job = job.rounds(rounds).max_depth(2).format(serde_json::json!({ "label": "kind" }));
    job.build().unwrap().fit(&table(), None, |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn a_loaded_classifier_is_the_saved_one_bit_for_bit() {
    let (classifier, table) = (classifier(12), table());
    let bytes = classifier.to_bytes().unwrap();
    let loaded = Classifier::from_bytes(&bytes).unwrap();
    assert_eq!(loaded, classifier);
    assert_eq!(loaded.to_bytes().unwrap(), bytes);
    assert_eq!((loaded.sentence(), loaded.format()["label"].as_str()), (classifier.sentence(), Some("kind")));
    let answers = loaded.predict(table.contexts()).unwrap();
    assert_eq!(answers, classifier.predict(table.contexts()).unwrap());
    let wrong = answers.iter().zip(table.classes()).filter(|(answer, class)| answer.class != **class).count();
    assert!(wrong < 10, "{wrong}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kinds.ocob");
    classifier.save(&path).unwrap();
    assert_eq!(
        (Classifier::load(&path).unwrap(), std::fs::read(&path).unwrap()),
        (classifier, bytes.clone())
    );
    let refused = Model::from_bytes(&bytes);
    assert!(matches!(refused, Err(ModelFileError::OtherContent { found, .. }) if found == "a classifier"));
}

#[test]
fn no_flipped_byte_and_no_cut_file_is_loaded() {
    let bytes = classifier(1).to_bytes().unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        assert!(Content::from_bytes(&damaged).is_err(), "byte {place}");
        assert!(Content::from_bytes(&bytes[..place]).is_err(), "{place} bytes");
    }
}

/// The checksum of a changed file made right again, as a hostile one has it.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 32;
    let checksum = Sha256::digest(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

#[test]
fn a_sealed_change_of_any_byte_never_panics() {
    let bytes = classifier(1).to_bytes().unwrap();
    let contexts = RowMatrix::dense(3, vec![7.0, 1.0, 0.0]).unwrap();
    let mut loaded = 0;
    for place in 0..bytes.len() - 32 {
        for flip in [0x01, 0x80] {
            let mut changed = bytes.clone();
            changed[place] ^= flip;
            if let Ok(classifier) = Classifier::from_bytes(&sealed(changed)) {
                loaded += 1;
                let _ = (classifier.predict(&contexts), classifier.sentence());
                let _ = classifier.probabilities(&contexts, |_, _| ());
                assert!(Classifier::from_bytes(&classifier.to_bytes().unwrap()).is_ok(), "byte {place}");
            }
        }
    }
    println!("{loaded} of {} changed files are classifiers", 2 * (bytes.len() - 32));
}

/// A file of raw sections, with a right checksum.
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
    bytes.extend_from_slice(&[0; 32]);
    sealed(bytes)
}

/// m, columns, trees, nodes, and what follows.
fn votes(head: [u64; 4], rest: &[u8]) -> Vec<u8> {
    head.iter().flat_map(|count| count.to_le_bytes()).chain(rest.iter().copied()).collect()
}

#[test]
fn trees_that_no_constructor_accepts_are_refused() {
    let code: &[u8] = b"[[-1],[1]]";
    let of = |votes: &[u8]| {
        Classifier::from_bytes(&file(&[(b"KIND", b"\"classifier\""), (b"CODE", code), (b"VOTE", votes)]))
    };
    let one = 1.0_f64.to_le_bytes();
    // A column of one tree, its coefficient, one node, a leaf, its answer.
    let leaf = |eta: f64, answer: f64| {
        [&1_u32.to_le_bytes()[..], &eta.to_le_bytes(), &1_u32.to_le_bytes(), &[0], &answer.to_le_bytes()]
            .concat()
    };
    let hostile = [
        votes([3, 1, u64::MAX, 1], &leaf(1.0, 1.0)),
        votes([3, u64::MAX, 1, 1], &leaf(1.0, 1.0)),
        votes([3, 1, 1, u64::MAX], &leaf(1.0, 1.0)),
        votes([3, 1, 1, 1 << 61], &leaf(1.0, 1.0)),
        votes([0, 1, 1, 1], &leaf(1.0, 1.0)),
        votes([3, 1, 1, 1], &leaf(f64::NAN, 1.0)),
        votes([3, 1, 1, 1], &leaf(1.0, 1.5)),
        votes([3, 1, 1, 1], &leaf(1.0, f64::NAN)),
        votes([3, 1, 1, 1], &[leaf(1.0, 1.0), vec![0]].concat()),
        votes([3, 1, 1, 1], &{
            let mut unknown = leaf(1.0, 1.0);
            unknown[16] = 7;
            unknown
        }),
        // A tree of four billion nodes, of which one is there; a column of as many trees.
        votes([3, 1, 1, 1], &[&1_u32.to_le_bytes()[..], &one, &u32::MAX.to_le_bytes(), &[0], &one].concat()),
        votes([3, 1, 1, 1], &[&u32::MAX.to_le_bytes()[..], &one, &1_u32.to_le_bytes(), &[0], &one].concat()),
        // A split that is its own child.
        votes([3, 1, 1, 1], &[&1_u32.to_le_bytes()[..], &one, &1_u32.to_le_bytes(), &[1], &[0; 20]].concat()),
        // Two columns for a code of one.
        votes([3, 2, 0, 0], &[0; 8]),
        Vec::new(),
    ];
    for (k, votes) in hostile.iter().enumerate() {
        let found = of(votes);
        let is_refused = matches!(&found, Err(ModelFileError::State { section, .. }) if section == "VOTE");
        assert!(is_refused, "{k}: {found:?}");
    }
    // A sound tree, so that the next section is asked for.
    let found = of(&votes([3, 1, 1, 1], &leaf(1.0, 1.0)));
    assert!(matches!(&found, Err(ModelFileError::Section { section, .. }) if section == "SCHM"), "{found:?}");
}
