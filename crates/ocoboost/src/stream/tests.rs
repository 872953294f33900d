//! Streams of made rows.
#![allow(clippy::unwrap_used, reason = "a test may")]

use super::*;
use off_policy::Value;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A row by its cells and its class.
struct Made {
    x: f64,
    y: f64,
    colour: &'static str,
    class: &'static str,
}

/// The class is the majority of three conditions, two on numbers and one on a label; some cells are missing.
fn made(rows: usize, seed: u64) -> Vec<Made> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut row = || {
        let [x, y] = [rng.random_range(-50.0..50.0), rng.random::<f64>()];
        let colour = ["red", "blue", "green"][rng.random_range(0..3)];
        let votes = u32::from(x > 10.0) + u32::from(y > 0.4) + u32::from(colour == "red");
        let x = if rng.random_bool(0.05) { f64::NAN } else { x };
        Made { x, y, colour, class: if votes >= 2 { "good" } else { "bad" } }
    };
    (0..rows).map(|_| row()).collect()
}

impl Made {
    fn cells(&self) -> [(&'static str, Value<'static>); 3] {
        [("x", Value::Number(self.x)), ("y", Value::Number(self.y)), ("colour", Value::Text(self.colour))]
    }
}

const BOOSTERS: [StreamBooster; 6] = [
    StreamBooster::Agnostic,
    StreamBooster::Realizable,
    StreamBooster::OsBoost,
    StreamBooster::OnlineBbm,
    StreamBooster::AdaBoostOl,
    StreamBooster::Alone,
];
const WEAK: [StreamWeakLearner; 3] =
    [StreamWeakLearner::Stumps, StreamWeakLearner::NaiveBayes, StreamWeakLearner::Logistic];

fn job(booster: StreamBooster, weak: StreamWeakLearner) -> StreamJob {
    StreamJob::builder().booster(booster).weak_learner(weak).learners(8).seed(5).bits(5).build().unwrap()
}

fn learn(learner: &mut StreamLearner, rows: &[Made]) -> Vec<StreamRound> {
    rows.iter().map(|row| learner.round(Some(row.class), row.cells()).unwrap()).collect()
}

#[test]
fn every_booster_of_every_learner_learns() {
    let rows = made(1_500, 1);
    for weak in WEAK {
        let mut errors = Vec::new();
        for booster in BOOSTERS {
            let mut learner = job(booster, weak).begin(3).unwrap();
            learn(&mut learner, &rows);
            let error = learner.error();
            assert!(error.of_commonest() > 0.35, "{error:?}");
            errors.push(error.average());
        }
        let (alone, boosted) = errors.split_last().unwrap();
        let limit = match weak {
            // One stump is right on about three quarters of the rows, and boosting is for such learners.
            StreamWeakLearner::Stumps => 0.8 * alone,
            _ => 1.05 * alone,
        };
        assert!(boosted.iter().all(|error| *error < limit.min(0.25)), "{weak:?}: {errors:?}");
    }
}

#[test]
fn a_learner_says_the_settings_of_its_job() {
    for booster in BOOSTERS {
        let has_advantage = !matches!(booster, StreamBooster::AdaBoostOl | StreamBooster::Alone);
        for (advantage, bits) in [(None, None), (has_advantage.then_some(0.3), Some(5))] {
            let mut job = StreamJob::builder().booster(booster).learners(4).seed(9);
            if let Some(advantage) = advantage {
                job = job.advantage(advantage);
            }
            if let Some(bits) = bits {
                job = job.bits(bits);
            }
            let learner = job.build().unwrap().begin(3).unwrap();
            let loaded = StreamLearner::from_bytes(&learner.to_bytes().unwrap()).unwrap();
            for learner in [learner, loaded] {
                assert_eq!((learner.booster(), learner.learners(), learner.seed()), (booster, 4, 9));
                assert_eq!((learner.advantage(), learner.bits()), (advantage, bits), "{booster:?}");
            }
        }
    }
}

/// The statement of the guide: bit for bit, for every booster and learner.
#[test]
fn a_learner_that_was_saved_goes_on_as_if_it_had_not_been_stopped() {
    let (rows, more) = (made(220, 2), made(30, 3));
    for weak in WEAK {
        for booster in BOOSTERS {
            let mut whole = job(booster, weak).begin(3).unwrap();
            let rounds = learn(&mut whole, &rows);
            let mut part = job(booster, weak).begin(3).unwrap();
            let mut found = learn(&mut part, &rows[..97]);
            let bytes = part.to_bytes().unwrap();
            let mut loaded = StreamLearner::from_bytes(&bytes).unwrap();
            assert_eq!((&loaded, loaded.to_bytes().unwrap()), (&part, bytes));
            found.extend(learn(&mut loaded, &rows[97..]));
            assert_eq!(found, rounds, "{booster:?} {weak:?}");
            assert_eq!(loaded.state_json().unwrap(), whole.state_json().unwrap(), "{booster:?} {weak:?}");
            assert_eq!(loaded.to_bytes().unwrap(), whole.to_bytes().unwrap(), "{booster:?} {weak:?}");
            for row in &more {
                assert_eq!(loaded.predict(row.cells()).unwrap(), whole.predict(row.cells()).unwrap());
            }
        }
    }
}

#[test]
fn a_prediction_is_that_of_the_round_and_changes_nothing() {
    let rows = made(300, 4);
    for weak in WEAK {
        for booster in BOOSTERS {
            let mut learner = job(booster, weak).begin(3).unwrap();
            for row in &rows {
                // A label that nobody has seen is predicted for as it is in its own round.
                let cells = row
                    .cells()
                    .into_iter()
                    .chain([("id", Value::Text(["a", "b"][usize::from(row.y > 0.9)]))]);
                let before = learner.state_json().unwrap();
                let predicted = learner.predict(cells.clone()).unwrap();
                assert_eq!(learner.state_json().unwrap(), before);
                assert_eq!(learner.round(Some(row.class), cells).unwrap().predicted, predicted);
            }
        }
    }
}

#[test]
fn labels_that_come_late_are_learnt_like_others() {
    let mut learner = job(StreamBooster::Agnostic, StreamWeakLearner::NaiveBayes).begin(1).unwrap();
    for t in 0..400 {
        let colour = ["red", "blue"][t % 2];
        learner.round(Some(["a", "b"][t % 2]), [("colour", Value::Text(colour))]).unwrap();
    }
    let before = learner.error().mistakes();
    for t in 0..400 {
        let colour = ["black", "white"][t % 2];
        learner.round(Some(["b", "a"][t % 2]), [("colour", Value::Text(colour))]).unwrap();
    }
    assert!(learner.error().mistakes() - before < 30, "{:?}", learner.error());
    let names: Vec<String> = learner.features().iter().map(StreamFeature::name).collect();
    assert_eq!(names, ["colour=red", "colour=blue", "colour=black", "colour=white"]);
}

/// Two thousand identifiers in 32 coordinates.
#[test]
fn a_column_of_identifiers_does_not_take_the_others_coordinates() {
    let rows = made(2_000, 6);
    let error = |with_ids: bool| {
        let mut learner = job(StreamBooster::Agnostic, StreamWeakLearner::NaiveBayes).begin(3).unwrap();
        for (t, row) in rows.iter().enumerate() {
            let id = format!("user {t}");
            let cells = row.cells().into_iter().chain(with_ids.then(|| ("id", Value::Text(&id))));
            learner.round(Some(row.class), cells).unwrap();
        }
        assert!(learner.features().len() <= learner.coordinates() && learner.coordinates() == 32);
        learner.error().average()
    };
    let (with, without) = (error(true), error(false));
    assert!(with < without + 0.03, "{with}, without {without}");
}

#[test]
fn what_is_refused_changes_nothing() {
    for weak in WEAK {
        let mut learner = job(StreamBooster::OsBoost, weak).begin(3).unwrap();
        learn(&mut learner, &made(50, 7));
        let before = learner.to_bytes().unwrap();
        let third = learner.round(Some("ugly"), [("x", Value::Number(1.0))]);
        let said = "\"ugly\" is a third class, beside \"bad\" and \"good\"; the learner tells two apart";
        let said = if learner.classes()[0] == "bad" {
            said.to_owned()
        } else {
            said.replace("\"bad\" and \"good\"", "\"good\" and \"bad\"")
        };
        assert_eq!(third.unwrap_err().to_string(), said);
        for huge in [f64::INFINITY, 1e141] {
            assert!(learner.round(Some("good"), [("new", Value::Number(huge))]).is_err());
            assert!(learner.predict([("new", Value::Number(huge))]).is_err());
        }
        // Two numbers of one column are a sum, which may be too large.
        let twice = [("x", Value::Number(9e139)), ("x", Value::Number(9e139))];
        assert_eq!(learner.round(Some("good"), twice).is_err(), weak != StreamWeakLearner::Logistic);
        if weak != StreamWeakLearner::Logistic {
            assert_eq!(learner.to_bytes().unwrap(), before);
        }
    }
}

#[test]
fn rows_without_a_class_are_predicted_and_not_learnt_from() {
    let rows = made(200, 8);
    let mut learner = job(StreamBooster::OnlineBbm, StreamWeakLearner::Stumps).begin(3).unwrap();
    assert_eq!(learner.predict(rows[0].cells()).unwrap(), None);
    assert_eq!(learner.round(None, rows[0].cells()).unwrap(), StreamRound { predicted: None, line: None });
    let first = learner.round(Some("good"), rows[0].cells()).unwrap();
    assert_eq!((first.predicted, first.line.unwrap().label), (None, 0));
    // The one class that is known is the answer, whatever the vote is.
    assert_eq!(learner.predict(rows[1].cells()).unwrap(), Some(0));
    learn(&mut learner, &rows);
    let before = learner.state_json().unwrap();
    learner.round(None, [("x", Value::Number(3.0)), ("never seen", Value::Text("z"))]).unwrap();
    assert_eq!(learner.error().unlabelled(), 2);
    let after = learner.state_json().unwrap();
    assert_eq!(after.replace("\"unlabelled\":2", "\"unlabelled\":1"), before);
    assert!(learner.sentence().ends_with(" 2 rows had no class, and were not learnt from."));
}

#[test]
fn the_first_row_sizes_the_table_and_seeds_differ() {
    let job = |seed| StreamJob::builder().learners(2).advantage(0.5).seed(seed).build().unwrap();
    for (cells, coordinates) in [(0, 256), (57, 256), (65, 512), (1_000, 4_096), (usize::MAX, 4_096)] {
        assert_eq!(job(1).begin(cells).unwrap().coordinates(), coordinates);
    }
    let rows = made(200, 9);
    let state = |seed| {
        let mut learner = job(seed).begin(3).unwrap();
        learn(&mut learner, &rows);
        learner.state_json().unwrap()
    };
    assert_eq!(state(1), state(1));
    assert_ne!(state(1), state(2));
}

/// One more learner does not change the draws of another.
#[test]
fn every_learner_has_a_random_stream_of_its_own() {
    let learners = |count| -> Vec<String> {
        let job =
            StreamJob::builder().booster(StreamBooster::OsBoost).weak_learner(StreamWeakLearner::Stumps);
        let mut learner = job.learners(count).advantage(0.5).bits(2).build().unwrap().begin(1).unwrap();
        learner.round(Some("a"), [("x", Value::Number(1.0))]).unwrap();
        let state: serde_json::Value = serde_json::from_str(&learner.state_json().unwrap()).unwrap();
        let of_all = &state["boosted"]["os_boost"]["candidates"][0]["pupils"]["learners"];
        of_all
            .as_array()
            .unwrap()
            .iter()
            .map(|learner| learner["stumps"]["dartboard"]["rng"].to_string())
            .collect()
    };
    let (few, many) = (learners(3), learners(7));
    assert_eq!(few, many[..3]);
    for (i, own) in many.iter().enumerate() {
        assert!(own.contains("stream") && !many[..i].contains(own), "{own}");
    }
}

#[test]
fn settings_outside_their_ranges_are_refused() {
    let job = StreamJob::builder;
    for (builder, name) in [
        (job().learners(0), "learners"),
        (job().learners(1_001), "learners"),
        (job().bits(0), "bits"),
        (job().bits(19), "bits"),
        (job().booster(StreamBooster::AdaBoostOl).advantage(0.5), "advantage"),
        (job().booster(StreamBooster::Alone).advantage(0.5), "advantage"),
    ] {
        let found = builder.build();
        assert!(matches!(found, Err(JobError::BadSetting { name: own, .. }) if own == name), "{found:?}");
    }
    assert!(job().booster(StreamBooster::Agnostic).advantage(1.0).build().is_ok());
    for builder in [
        job().advantage(0.0),
        job().advantage(f64::NAN),
        job().booster(StreamBooster::OsBoost).advantage(1.0),
    ] {
        assert!(matches!(builder.build(), Err(JobError::Learner(_))));
    }
}
