//! Files: bit for bit, and safe on any bytes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a refusal where none is expected fails the test")]

use ocoboost::inspect::{LeafInWords, inspect};
use ocoboost::model_file::{Content, ModelFileError, SavedState, export_json};
use ocoboost::{Exploration, Model, OnOffer, TrainJob};
use off_policy::readers::{CsvColumns, read_csv};
use off_policy::{ActionNames, ContextColumn, Log, Rewards, Schema, Value};
use rows::RowMatrix;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::Duration;
use weak_learners::pairs::PairNode;

/// A made log of 240 rows, by a table.
fn model(rounds: usize) -> Model {
    let mut text = "age,device,action,propensity,reward\n".to_owned();
    for i in 0..240 {
        let (age, device) = (20 + i % 40, ["phone", "tablet"][i / 7 % 2]);
        let action = ["music", "travel", "tools"][i % 3];
        let paid = (age < 40) == (action == "music") && (i % 5 > 0 || device == "phone");
        writeln!(text, "{age}.25,{device},{action},0.25,{}", u8::from(paid)).unwrap();
    }
    let read = read_csv(text.as_bytes(), &CsvColumns::default().with_labels(["device"])).unwrap();
    let job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(rounds).max_depth(3);
    let job = job.format(serde_json::to_value(&read.columns).unwrap()).build().unwrap();
    job.fit(&read.log, |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn a_loaded_model_is_the_saved_one_bit_for_bit() {
    let model = model(20).with_exploration(Exploration { epsilon: 0.3 }).unwrap();
    let bytes = model.to_bytes().unwrap();
    let loaded = Model::from_bytes(&bytes).unwrap();
    assert_eq!(loaded, model);
    assert_eq!(loaded.to_bytes().unwrap(), bytes);
    assert_eq!((loaded.schema(), loaded.exploration().epsilon), (model.schema(), 0.3));
    assert_eq!(loaded.judgement().sentence(), model.judgement().sentence());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.ocob");
    model.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(Model::load(&path).unwrap(), model);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let missing = Model::load(folder.path().join("other.ocob"));
    assert!(matches!(missing, Err(ModelFileError::Io { .. })));
}

/// A made log of 600 rows, of which every third has no age: those are as the old are. Ages are around 0.
fn model_of_missing_values() -> Model {
    let (mut contexts, mut actions, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..600_u32 {
        let age = f64::from(i * 7 % 40) - 20.5;
        contexts.extend(if i % 3 == 0 { [0.0, 1.0] } else { [age, 0.0] });
        actions.push(i / 5 % 2);
        let is_old = i % 3 == 0 || age > 5.0;
        rewards.push(f64::from(u8::from(is_old == (i / 5 % 2 == 1))));
    }
    let age = ContextColumn::NumberOrMissing { name: "age".into() };
    let schema = Schema::new(vec![age], ActionNames::Labels(vec!["toys".into(), "tea".into()])).unwrap();
    let contexts = RowMatrix::dense(2, contexts).unwrap();
    let log = Log::new(contexts, 2, actions, vec![0.5; 600], Rewards(rewards)).unwrap();
    let job = TrainJob::builder().budget(Duration::from_secs(3600)).candidates(1).rounds(5).max_depth(3);
    let job = job.build().unwrap();
    job.fit(&log.with_schema(schema).unwrap(), |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_side_of_missing_values_is_learnt_saved_and_told() {
    let model = model_of_missing_values();
    let nodes = || model.ensemble().members().iter().flat_map(|member| member.predictor.nodes());
    let sides = nodes().filter(|node| matches!(node, PairNode::ContextOrMissing { .. })).count();
    assert!(sides > 0, "{:?}", nodes().collect::<Vec<_>>());
    let bytes = model.to_bytes().unwrap();
    let loaded = Model::from_bytes(&bytes).unwrap();
    assert_eq!((&loaded, loaded.to_bytes().unwrap()), (&model, bytes));
    for (record, action) in [(Value::Missing, "tea"), (15.0.into(), "tea"), (Value::from(-15.0), "toys")] {
        let x = model.schema().unwrap().encode([("age", record)]).unwrap();
        let chosen = loaded
            .predict(&RowMatrix::dense(2, x.row().to_dense()).unwrap(), OnOffer::all(2).unwrap())
            .unwrap();
        assert_eq!(model.schema().unwrap().action_name(chosen[0] as usize).unwrap(), action);
    }
    let told = inspect(&model, 200);
    let said: Vec<String> = told.leaves.iter().map(LeafInWords::sentence).collect();
    assert!(said.iter().any(|leaf| leaf.contains(" (or missing), ")), "{said:?}");
    assert_eq!(told.columns[0].0, "age");
    let trees = export_json(&model)["trees"].to_string();
    assert!(trees.contains("\"missing\":\"no\"") || trees.contains("\"missing\":\"yes\""), "{trees}");
    let booster = ocoboost::model_file::export_xgboost_json(&model).unwrap();
    let trees = booster["learner"]["gradient_booster"]["model"]["trees"].as_array().unwrap();
    let mut moved = 0;
    for (tree, member) in trees.iter().zip(model.ensemble().members()) {
        // Questions about the age whose default direction is not that of 0.
        let conditions = tree["split_conditions"].as_array().unwrap();
        let is_moved = |(i, condition): &(usize, &serde_json::Value)| {
            let is_asked = tree["left_children"][*i] != -1 && tree["split_indices"][*i] == 0;
            is_asked && tree["default_left"][*i] == u8::from(condition.as_f64().unwrap() <= 0.0)
        };
        moved += conditions.iter().enumerate().filter(is_moved).count();
        assert_eq!(member.predictor.nodes().len(), tree["left_children"].as_array().unwrap().len());
    }
    assert_eq!(moved, sides);
}

/// The model is a small one: a file has some thousand bytes.
#[test]
fn no_flipped_byte_is_loaded() {
    let bytes = model(2).to_bytes().unwrap();
    for place in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] ^= flip;
            assert!(Model::from_bytes(&damaged).is_err(), "byte {place}");
        }
    }
}

#[test]
fn no_cut_or_longer_file_is_loaded() {
    let bytes = model(2).to_bytes().unwrap();
    for length in 0..bytes.len() {
        let found = Model::from_bytes(&bytes[..length]);
        let is_refused = match length {
            0 => matches!(found, Err(ModelFileError::NotAModel)),
            _ => matches!(found, Err(ModelFileError::Truncated { got, .. }) if got == length as u64),
        };
        assert!(is_refused, "{length} bytes: {found:?}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(Model::from_bytes(&longer), Err(ModelFileError::Section { .. })));
}

#[test]
fn foreign_bytes_and_versions_are_named() {
    assert!(matches!(Model::from_bytes(b"{\"format\": 1}"), Err(ModelFileError::NotAModel)));
    let bytes = model(1).to_bytes().unwrap();
    let mut later = bytes.clone();
    later[8] = 9;
    let refused = Model::from_bytes(&later);
    assert!(matches!(refused, Err(ModelFileError::UnknownVersion { found: 9, readable: 1 })));
    let mut damaged = bytes.clone();
    let middle = bytes.len() / 2;
    damaged[middle] ^= 1;
    assert!(matches!(Model::from_bytes(&damaged), Err(ModelFileError::Damaged)));
}

/// The checksum of a changed file made right again, as a hostile one has it.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 32;
    let checksum = Sha256::digest(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

/// Behind magic number, version and count: entries of a tag and two lengths.
const TABLE: usize = 16;
const ENTRY: usize = 20;

#[test]
fn lengths_that_are_not_there_are_refused_before_anything_is_allocated() {
    let bytes = model(1).to_bytes().unwrap();
    for section in 0..8 {
        for (offset, lengths) in [(4, [u64::MAX, 1 << 40, 1 << 32]), (12, [u64::MAX, 1 << 40, 1 << 32])] {
            for length in lengths {
                let mut hostile = bytes.clone();
                let at = TABLE + section * ENTRY + offset;
                hostile[at..at + 8].copy_from_slice(&length.to_le_bytes());
                let found = Model::from_bytes(&sealed(hostile));
                let is_refused = match offset {
                    4 => matches!(found, Err(ModelFileError::Truncated { .. })),
                    _ => matches!(found, Err(ModelFileError::TooLarge { raw, .. }) if raw == length),
                };
                assert!(is_refused, "section {section}, {length}: {found:?}");
            }
        }
    }
    let mut hostile = bytes;
    hostile[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(Model::from_bytes(&sealed(hostile)), Err(ModelFileError::Section { .. })));
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

/// Trees: m, |A|, T, nodes, and what follows.
fn trees(head: [u64; 4], rest: &[u8]) -> Vec<u8> {
    let head = head.iter().flat_map(|count| count.to_le_bytes());
    head.chain(rest.iter().copied()).collect()
}

#[test]
fn states_that_no_constructor_accepts_are_refused() {
    let of = |trees: &[u8]| Model::from_bytes(&file(&[(b"KIND", b"\"policy\""), (b"TREE", trees)]));
    let one = 1.0_f64.to_le_bytes();
    // α, one node, a leaf, its value.
    let leaf = |value: f64| [&one[..], &1_u32.to_le_bytes(), &[0], &value.to_le_bytes()].concat();
    let hostile = [
        trees([2, 3, u64::MAX, 1], &leaf(1.0)),
        trees([2, 3, 1 << 60, 1], &leaf(1.0)),
        trees([2, 3, 1, u64::MAX], &leaf(1.0)),
        trees([2, 3, 1, 1 << 61], &leaf(1.0)),
        trees([u64::MAX, 3, 1, 1], &leaf(1.0)[..4]),
        trees([2, u64::MAX, 1, 1], &leaf(1.0)),
        trees([2, 1 << 25, 1, 1], &leaf(1.0)),
        trees([0, 3, 1, 1], &leaf(1.0)),
        trees([2, 3, 1, 1], &leaf(f64::NAN)),
        trees([2, 3, 1, 1], &leaf(f64::INFINITY)),
        trees([2, 3, 1, 1], &[leaf(1.0), vec![0]].concat()),
        trees([2, 3, 1, 1], &{
            let mut unknown = leaf(1.0);
            unknown[12] = 7;
            unknown
        }),
        // A tree of four billion nodes, of which one is there.
        trees([2, 3, 1, 1], &[&one[..], &u32::MAX.to_le_bytes(), &[0], &one].concat()),
        // A split that is its own child.
        trees([2, 3, 1, 1], &[&one[..], &1_u32.to_le_bytes(), &[2], &[0; 12]].concat()),
        Vec::new(),
    ];
    for (k, trees) in hostile.iter().enumerate() {
        let found = of(trees);
        let is_refused = matches!(&found, Err(ModelFileError::State { section, .. }) if section == "TREE");
        assert!(is_refused, "{k}: {found:?}");
    }
    // A sound tree, so that the next section is asked for.
    let found = of(&trees([2, 3, 1, 1], &leaf(1.0)));
    assert!(matches!(&found, Err(ModelFileError::Section { section, .. }) if section == "SCHM"), "{found:?}");
    let tree = trees([2, 3, 1, 1], &leaf(1.0));
    let with_schema = |schema: &[u8]| {
        Model::from_bytes(&file(&[(b"KIND", b"\"policy\""), (b"TREE", &tree), (b"SCHM", schema)]))
    };
    let deep = "[".repeat(100_000);
    for schema in [&b"{"[..], b"{\"contexts\":[],\"actions\":{\"numbered\":3}}", deep.as_bytes()] {
        let found = with_schema(schema);
        assert!(
            matches!(&found, Err(ModelFileError::State { section, .. }) if section == "SCHM"),
            "{found:?}"
        );
    }
    let twice = file(&[(b"KIND", b"\"policy\""), (b"KIND", b"\"policy\"")]);
    assert!(matches!(Model::from_bytes(&twice), Err(ModelFileError::Section { .. })));
    let foreign = file(&[(b"KIND", b"{\"state\":\"x\"}"), (b"STAT", b"1"), (b"MORE", b"")]);
    assert!(
        matches!(Content::from_bytes(&foreign), Err(ModelFileError::Section { section, .. }) if section == "MORE")
    );
}

/// Whoever changes bytes and the checksum too gets an error or a model that is checked, and never a panic.
#[test]
fn a_sealed_change_of_any_byte_never_panics() {
    let bytes = model(1).to_bytes().unwrap();
    let contexts = RowMatrix::dense(3, vec![30.0, 1.0, 0.0]).unwrap();
    let mut loaded = 0;
    for place in 0..bytes.len() - 32 {
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        if let Ok(model) = Model::from_bytes(&sealed(changed)) {
            loaded += 1;
            let _ = model.predict(&contexts, OnOffer::all(3).unwrap());
            let _ = (inspect(&model, 2), model.judgement().sentence(), export_json(&model));
        }
    }
    println!("{loaded} of {} changed files are models", bytes.len() - 32);
}

#[test]
fn other_learners_go_into_the_same_file() {
    let state = SavedState::of("numbers", &vec![0.1, 1e-300, -0.0]).unwrap();
    let bytes = Content::State(state.clone()).to_bytes().unwrap();
    assert_eq!(Content::from_bytes(&bytes).unwrap(), Content::State(state.clone()));
    let back: Vec<f64> = state.decode("numbers").unwrap();
    assert_eq!(back.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0.1, 1e-300, -0.0].map(f64::to_bits));
    let refused = Model::from_bytes(&bytes);
    assert!(
        matches!(refused, Err(ModelFileError::OtherContent { expected: "a policy", found }) if found == "a numbers")
    );
    // So regular a state is stored in a 64th of its length: no reader would inflate less to it.
    let flat = SavedState::of("flat", &vec![0; 1_000_000]).unwrap();
    let bytes = Content::State(flat.clone()).to_bytes().unwrap();
    assert!((2_000_000 / 64..2_000_000 / 60).contains(&bytes.len()), "{}", bytes.len());
    assert_eq!(Content::from_bytes(&bytes).unwrap(), Content::State(flat));
}

#[test]
fn the_readable_form_has_names() {
    let model = model(3);
    let json = export_json(&model);
    assert_eq!(json["columns"], serde_json::json!(["age", "device=phone", "device=tablet"]));
    assert_eq!(json["actions"], serde_json::json!(["music", "travel", "tools"]));
    assert_eq!(json["trees"].as_array().unwrap().len(), model.record().trees);
    let text = json.to_string();
    assert!(text.contains("\"action\":\"music\"") && text.contains("\"judgement\""), "{text}");
}
