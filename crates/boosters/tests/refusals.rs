//! Bad input: a typed error, and a learner that goes on as if it had not been shown; and stop → save → load →
//! continue.

#![allow(clippy::unwrap_used, reason = "a refusal where none is expected is a failure of the test")]

use boosters::feedback::Noise;
use boosters::gradient::{
    BanditGradientBoosting, OgdBaseline, OnlineGradientBoosting, Queries, SpanBoosting,
};
use boosters::saved::{SavedError, load, save};
use oco_core::StepSchedule;
use oco_core::losses::{LinearLoss, Loss, SquaredLoss};
use projections::{BoxSet, L2Ball};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowError};
use serde::{Serialize, de::DeserializeOwned};
use weak_learners::{
    BanditPredictor, FkmLinear, FullInformationPredictor, LearnerError, OgdLinear, OnlinePredictor, Shape,
};

const SHAPE: Shape = Shape { inputs: 3, outputs: 2 };

fn steps() -> StepSchedule {
    StepSchedule::power(0.1, 0.5).unwrap()
}

fn weak() -> Vec<OgdLinear> {
    vec![OgdLinear::new(SHAPE, steps(), 1.5).unwrap(); 4]
}

fn ball() -> L2Ball {
    L2Ball::new(1.0).unwrap()
}

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(9)
}

fn online() -> OnlineGradientBoosting<OgdLinear, L2Ball> {
    OnlineGradientBoosting::new(weak(), ball(), 0.5).unwrap()
}

fn span() -> SpanBoosting<OgdLinear, L2Ball> {
    SpanBoosting::new(weak(), ball(), 0.3, steps()).unwrap()
}

fn ogd() -> OgdBaseline<L2Ball> {
    OgdBaseline::new(SHAPE, ball(), steps(), 1.5).unwrap()
}

fn bandit() -> BanditGradientBoosting<OgdLinear, L2Ball> {
    BanditGradientBoosting::new(weak(), ball(), 0.5, Queries { delta: 0.3, rng: rng() }).unwrap()
}

fn fkm() -> FkmLinear<L2Ball> {
    FkmLinear::new(SHAPE, ball(), steps(), 1.5, 0.3, 4, rng()).unwrap()
}

/// The t-th example of a stream that nothing here learns perfectly.
fn example(t: u32) -> ([f64; 3], [f64; 2]) {
    let wave = |k: f64| (f64::from(t) * k).sin();
    ([wave(1.0), wave(0.3), 1.0], [0.8 * wave(0.7), 0.5 * wave(0.2)])
}

fn full_rounds(learner: &mut dyn FullInformationPredictor, rounds: std::ops::Range<u32>) -> Vec<f64> {
    let round = |t| {
        let (x, target) = example(t);
        learner.round(Row::dense(&x).unwrap(), &SquaredLoss::new(&target).unwrap()).unwrap().to_vec()
    };
    rounds.flat_map(round).collect()
}

fn bandit_rounds(learner: &mut dyn BanditPredictor, rounds: std::ops::Range<u32>) -> Vec<f64> {
    let noise = Noise::uniform(0.1).unwrap();
    let round = |t: u32| {
        let (x, target) = example(t);
        let loss = SquaredLoss::new(&target).unwrap();
        let mut noise_rng = ChaCha8Rng::seed_from_u64(u64::from(t));
        let mut query = |y: &[f64]| loss.value(y) + noise.draw(&mut noise_rng);
        learner.round(Row::dense(&x).unwrap(), &mut query).unwrap().to_vec()
    };
    rounds.flat_map(round).collect()
}

/// A loss whose gradient is not finite anywhere.
struct Broken;

impl Loss for Broken {
    fn dimension(&self) -> usize {
        2
    }
    fn value(&self, _: &[f64]) -> f64 {
        f64::NAN
    }
    fn subgradient(&self, _: &[f64], g: &mut [f64]) {
        g.fill(f64::INFINITY);
    }
}

fn full_information_refuses<L: FullInformationPredictor + Clone>(mut learner: L) {
    full_rounds(&mut learner, 0..20);
    let mut twin = learner.clone();
    let (good, short) = ([0.1, 0.2, 0.3], [0.1, 0.2]);
    let (x, loss) = (Row::dense(&good).unwrap(), SquaredLoss::new(&[0.0, 0.0]).unwrap());
    let wrong_row = learner.round(Row::dense(&short).unwrap(), &loss);
    assert_eq!(wrong_row.unwrap_err(), LearnerError::InputDimension { expected: 3, got: 2 });
    let wrong_loss = learner.round(x, &SquaredLoss::new(&[0.0]).unwrap());
    assert!(matches!(
        wrong_loss,
        Err(LearnerError::OutputDimension { argument: "loss", expected: 2, got: 1 })
    ));
    let broken = learner.round(x, &Broken);
    assert!(
        matches!(broken, Err(LearnerError::NotFinite { argument: "gradient", value, .. }) if value == f64::INFINITY)
    );
    assert_eq!(full_rounds(&mut learner, 20..40), full_rounds(&mut twin, 20..40));
}

fn bandit_refuses<L: BanditPredictor + Clone>(mut learner: L) {
    bandit_rounds(&mut learner, 0..20);
    let mut twin = learner.clone();
    let (good, short) = ([0.1, 0.2, 0.3], [0.1, 0.2]);
    let x = Row::dense(&good).unwrap();
    assert!(matches!(
        learner.round(Row::dense(&short).unwrap(), &mut |_| 0.0),
        Err(LearnerError::InputDimension { expected: 3, got: 2 })
    ));
    // The third of four answers is bad: the learners before it must not have moved, nor the random stream.
    for bad in [f64::NAN, f64::NEG_INFINITY, 1e140] {
        let mut asked = 0;
        let refused = learner.round(x, &mut |_| {
            asked += 1;
            if asked == 3 { bad } else { 0.5 }
        });
        assert!(refused.is_err(), "{bad}");
    }
    assert_eq!(bandit_rounds(&mut learner, 20..40), bandit_rounds(&mut twin, 20..40));
}

#[test]
fn a_refused_example_is_as_if_it_had_not_been_shown() {
    full_information_refuses(ogd());
    full_information_refuses(online());
    full_information_refuses(span());
    bandit_refuses(fkm());
    bandit_refuses(bandit());
    bandit_refuses(bandit().querying_inside(1.0).unwrap());
}

#[test]
fn features_that_are_not_numbers_never_reach_a_learner() {
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(matches!(Row::dense(&[0.0, bad, 1.0]), Err(RowError::NotFinite { position: 1, .. })));
        assert!(matches!(Row::sparse(3, &[2], &[bad]), Err(RowError::NotFinite { position: 0, .. })));
    }
    assert!(SquaredLoss::new(&[f64::NAN, 0.0]).is_err() && LinearLoss::new(&[]).is_err());
}

#[test]
fn every_parameter_is_checked_by_the_constructor() {
    let name = |error: LearnerError| error.to_string();
    let empty = OnlineGradientBoosting::new(Vec::<OgdLinear>::new(), ball(), 1.0).unwrap_err();
    assert_eq!(name(empty), "learners = 0 is outside N ≥ 1");
    for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(OnlineGradientBoosting::new(weak(), ball(), gamma).is_err(), "γ = {gamma}");
        let queries = Queries { delta: 0.3, rng: rng() };
        assert!(BanditGradientBoosting::new(weak(), ball(), gamma, queries).is_err(), "γ = {gamma}");
    }
    for delta in [0.0, -0.5, f64::NAN, f64::INFINITY] {
        assert!(BanditGradientBoosting::new(weak(), ball(), 1.0, Queries { delta, rng: rng() }).is_err());
        assert!(FkmLinear::new(SHAPE, ball(), steps(), 1.0, delta, 1, rng()).is_err());
    }
    assert!(FkmLinear::new(SHAPE, ball(), steps(), 1.0, 0.5, 0, rng()).is_err(), "no queries");
    assert!(bandit().querying_inside(0.3).is_err(), "δ must be below the inner radius");
    for radius in [0.0, -1.0, f64::NAN] {
        assert!(OgdLinear::new(SHAPE, steps(), radius).is_err());
    }
    for shape in [Shape { inputs: 0, outputs: 1 }, Shape { inputs: 1, outputs: 0 }] {
        assert!(OgdLinear::new(shape, steps(), 1.0).is_err());
    }
    let odd = OgdLinear::new(Shape { inputs: 4, outputs: 2 }, steps(), 1.0).unwrap();
    assert!(OnlineGradientBoosting::new(vec![weak().remove(0), odd], ball(), 1.0).is_err());
    let wide = BoxSet::new(vec![-1.0; 3], vec![1.0; 3]).unwrap();
    assert!(OnlineGradientBoosting::new(weak(), wide, 1.0).is_err(), "a set in R^3 for predictions in R^2");
    assert!(Noise::uniform(-0.1).is_err() && Noise::two_point(f64::NAN).is_err());
}

/// Saves a learner after half the rounds and compares the second halves.
fn resumes<L: Serialize + DeserializeOwned>(
    mut learner: L,
    rounds: fn(&mut L, std::ops::Range<u32>) -> Vec<f64>,
) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("learner.json");
    rounds(&mut learner, 0..60);
    save(&path, "test", &learner).unwrap();
    let mut loaded: L = load(&path, "test").unwrap();
    assert_eq!(rounds(&mut loaded, 60..120), rounds(&mut learner, 60..120));
    let text = |learner: &L| serde_json::to_string(learner).unwrap();
    assert_eq!(text(&loaded), text(&learner));
}

#[test]
fn stop_save_load_continue_is_bit_identical_to_not_stopping() {
    resumes(ogd(), |l, r| full_rounds(l, r));
    resumes(online(), |l, r| full_rounds(l, r));
    resumes(span(), |l, r| full_rounds(l, r));
    resumes(fkm(), |l, r| bandit_rounds(l, r));
    resumes(bandit(), |l, r| bandit_rounds(l, r));
    resumes(bandit().querying_inside(1.0).unwrap(), |l, r| bandit_rounds(l, r));
}

#[test]
fn a_damaged_file_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("learner.json");
    save(&path, "online", &online()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let after = |changed: &str| {
        std::fs::write(&path, changed).unwrap();
        load::<OnlineGradientBoosting<OgdLinear, L2Ball>>(&path, "online").unwrap_err()
    };
    assert!(matches!(after(&text[..text.len() - 9]), SavedError::Damaged { .. }));
    assert!(matches!(
        after(&text.replace("\"advantage\":0.5", "\"advantage\":0.7")),
        SavedError::Damaged { .. }
    ));
    assert!(matches!(
        after(&text.replace("\"version\":2", "\"version\":1")),
        SavedError::UnknownVersion { found: 1, .. }
    ));
    assert!(matches!(after("{}"), SavedError::NotASavedLearner { .. }));
    assert!(matches!(after(""), SavedError::NotASavedLearner { .. }));
    std::fs::write(&path, &text).unwrap();
    assert!(matches!(load::<OgdLinear>(&path, "ogd"), Err(SavedError::WrongKind { .. })));
    assert!(matches!(load::<OgdLinear>(&folder.path().join("none"), "ogd"), Err(SavedError::Io { .. })));
    // A state that was written whole but that no constructor would accept.
    let state = serde_json::to_string(&online()).unwrap().replace("\"advantage\":0.5", "\"advantage\":-0.5");
    assert!(serde_json::from_str::<OnlineGradientBoosting<OgdLinear, L2Ball>>(&state).is_err());
}

/// `predict` says what the next round will play, learns nothing, and leaves the trace of the last round
/// alone.
#[test]
fn predictions_are_the_plays_to_come() {
    let (x, target) = example(77);
    let (row, loss) = (Row::dense(&x).unwrap(), SquaredLoss::new(&target).unwrap());
    let mut y = [0.0; 2];
    macro_rules! check {
        ($learner:expr, $rounds:ident, $play:expr) => {{
            let mut learner = $learner;
            $rounds(&mut learner, 0..30);
            let before = serde_json::to_string(&learner).unwrap();
            learner.predict(row, &mut y).unwrap();
            assert_eq!(serde_json::to_string(&learner).unwrap(), before);
            assert!(learner.predict(row, &mut [0.0]).is_err());
            let play = $play;
            assert_eq!(play(&mut learner), y);
        }};
    }
    check!(ogd(), full_rounds, |l: &mut OgdBaseline<L2Ball>| l.round(row, &loss).unwrap().to_vec());
    check!(span(), full_rounds, |l: &mut SpanBoosting<OgdLinear, L2Ball>| l
        .round(row, &loss)
        .unwrap()
        .to_vec());
    check!(online(), full_rounds, |l: &mut OnlineGradientBoosting<OgdLinear, L2Ball>| {
        l.round(row, &loss).unwrap().to_vec()
    });
    check!(bandit(), bandit_rounds, |l: &mut BanditGradientBoosting<OgdLinear, L2Ball>| {
        let trace = l.trace().clone();
        l.predict(row, &mut [0.0; 2]).unwrap();
        assert_eq!(*l.trace(), trace);
        l.round(row, &mut |y| loss.value(y)).unwrap().to_vec()
    });
    check!(fkm(), bandit_rounds, |l: &mut FkmLinear<L2Ball>| l
        .round(row, &mut |y| loss.value(y))
        .unwrap()
        .to_vec());
}

/// A booster of boosters is a booster: the inner ones learn linear losses like any weak learner.
#[test]
fn boosters_stack() {
    let inner = || OnlineGradientBoosting::new(weak(), ball(), 1.0).unwrap();
    let mut stacked = OnlineGradientBoosting::new(vec![inner(); 30], ball(), 1.0).unwrap();
    let mut losses = |rounds: std::ops::Range<u32>| -> f64 {
        let lost = |t| {
            let (x, _) = example(t);
            let target = [0.5 * x[0], 0.2 - 0.3 * x[1]];
            let loss = SquaredLoss::new(&target).unwrap();
            loss.value(stacked.round(Row::dense(&x).unwrap(), &loss).unwrap())
        };
        rounds.map(lost).sum()
    };
    let (early, _, late) = (losses(0..50), losses(50..2000), losses(2000..2050));
    assert!(late < 0.5 * early, "{late} after {early}");
    let mut inner = inner();
    let x = [0.1, 0.2, 0.3];
    let refused = OnlinePredictor::<[f64]>::update(&mut inner, Row::dense(&x).unwrap(), &[f64::NAN, 0.0]);
    assert!(matches!(refused, Err(LearnerError::NotFinite { argument: "gradient", .. })));
}

/// The number of rounds ends where 64 bits do; the state of the last one can be loaded again.
#[test]
fn a_run_of_as_many_rounds_as_can_be_counted_goes_on() {
    let mut state = serde_json::to_value(span()).unwrap();
    state["t"] = serde_json::json!(u64::MAX);
    let mut booster: SpanBoosting<OgdLinear, L2Ball> = serde_json::from_value(state).unwrap();
    for t in 0..2 {
        full_rounds(&mut booster, t..t + 1);
        let text = serde_json::to_string(&booster).unwrap();
        let loaded: SpanBoosting<OgdLinear, L2Ball> = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&loaded).unwrap(), text);
    }
}
