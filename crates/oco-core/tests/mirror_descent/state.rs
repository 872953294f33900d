//! Refusals, resets, and runs that are saved and loaded.

use oco_core::learners::{
    DualAveraging, FollowTheLeader, Ftrl, FtrlQuadratic, Hedge, MirrorDescent, OptimisticMirrorDescent,
};
use oco_core::{OcoError, OnlineLearner};
use projections::{
    AnySet, CappedSimplex, Euclidean, L2Ball, NegativeEntropy, PNorm, ProjectionError, Simplex, UnitBox,
    WholeSpace,
};
use serde::{Serialize, de::DeserializeOwned};

fn gradient(t: u32) -> [f64; 3] {
    let t = f64::from(t);
    [t.sin(), (0.7 * t).cos(), if t < 40.0 { 30.0 } else { -31.0 }]
}

/// A refused gradient changes nothing, a reset restores x_1 and its state, and a run that is saved and loaded
/// continues bit for bit. Weights underflow in rounds 25 to 40 and grow again later.
fn sound<L: OnlineLearner + Clone + Serialize + DeserializeOwned>(mut learner: L) {
    let first = learner.play().to_vec();
    let mut run = Vec::new();
    for t in 0..80 {
        let before = serde_json::to_string(&learner).unwrap();
        for bad in [&[1.0][..], &[], &[0.0, f64::NAN, 0.0], &[f64::INFINITY, 0.0, 0.0]] {
            assert!(learner.observe(bad).is_err(), "{bad:?}");
        }
        assert_eq!(serde_json::to_string(&learner).unwrap(), before);
        let mut loaded: L = serde_json::from_str(&before).unwrap();
        assert_eq!(loaded.play(), learner.play());
        learner.observe(&gradient(t)).unwrap();
        loaded.observe(&gradient(t)).unwrap();
        assert_eq!(loaded.play(), learner.play(), "round {t}");
        run.push(learner.play().to_vec());
        learner = loaded;
    }
    learner.reset();
    assert_eq!(learner.play(), first);
    for (t, x) in (0..80).zip(&run) {
        learner.observe(&gradient(t)).unwrap();
        assert_eq!(learner.play(), x, "round {t} after the reset");
    }
    let text = serde_json::to_string(&learner).unwrap();
    let broken = text.replacen("\"eta\":", "\"eta\":-", 1);
    assert!(broken == text || serde_json::from_str::<L>(&broken).is_err(), "η is checked on loading");
}

fn capped() -> AnySet {
    AnySet::CappedSimplex(CappedSimplex::new(vec![0.8, 0.7, 0.6], 1.0).unwrap())
}

#[test]
fn every_learner_is_sound() {
    let (simplex, ball) = (Simplex::new(1.0).unwrap(), L2Ball::new(2.0).unwrap());
    let p = PNorm::new(1.2).unwrap();
    sound(MirrorDescent::new(Euclidean, ball, 3, 0.5).unwrap());
    sound(MirrorDescent::new(NegativeEntropy, simplex, 3, 2.0).unwrap());
    sound(MirrorDescent::new(NegativeEntropy, capped(), 3, 2.0).unwrap());
    sound(MirrorDescent::new(NegativeEntropy, UnitBox, 3, 2.0).unwrap());
    sound(MirrorDescent::starting_at(NegativeEntropy, simplex, vec![0.25, 0.75, 0.0], 2.0).unwrap());
    sound(MirrorDescent::new(p, WholeSpace, 3, 0.5).unwrap());
    sound(DualAveraging::around(Euclidean, ball, vec![5.0, -1.0, 0.0], 0.5).unwrap());
    sound(DualAveraging::around(NegativeEntropy, capped(), vec![5.0, 1.0, 0.5], 2.0).unwrap());
    sound(DualAveraging::starting_at(p, WholeSpace, vec![1.0, 0.0, -1.0], 0.5).unwrap());
    sound(OptimisticMirrorDescent::new(Euclidean, ball, 3, 0.5).unwrap());
    sound(OptimisticMirrorDescent::new(NegativeEntropy, capped(), 3, 2.0).unwrap());
    sound(OptimisticMirrorDescent::around(NegativeEntropy, UnitBox, vec![3.0, 0.0, 1e-300], 2.0).unwrap());
    sound(Ftrl::new(NegativeEntropy, simplex, 3, 2.0).unwrap());
    sound(Ftrl::new(p, WholeSpace, 3, 0.5).unwrap());
    sound(Hedge::new(3, 2.0).unwrap());
    sound(FollowTheLeader::new(ball, 3).unwrap());
}

#[test]
fn quadratics_are_sound() {
    let mut ftrl = FtrlQuadratic::new(L2Ball::new(2.0).unwrap(), 3, 0.3).unwrap();
    let mut run = Vec::new();
    for t in 0..50 {
        let before = ftrl.play().to_vec();
        for (a, centre) in
            [(0.0, [0.0; 3]), (-1.0, [0.0; 3]), (f64::NAN, [0.0; 3]), (1.0, [0.0, f64::NAN, 0.0])]
        {
            assert!(ftrl.observe(a, &centre).is_err());
        }
        assert!(ftrl.observe(1.0, &[1.0]).is_err());
        assert_eq!(ftrl.play(), before);
        let mut loaded: FtrlQuadratic<L2Ball> =
            serde_json::from_str(&serde_json::to_string(&ftrl).unwrap()).unwrap();
        let a = 1.0 + f64::from(t).sin().abs();
        ftrl.observe(a, &gradient(t)).unwrap();
        loaded.observe(a, &gradient(t)).unwrap();
        assert_eq!(loaded.play(), ftrl.play());
        run.push((a, ftrl.play().to_vec()));
        ftrl = loaded;
    }
    ftrl.reset();
    for (t, (a, x)) in (0..50).zip(&run) {
        ftrl.observe(*a, &gradient(t)).unwrap();
        assert_eq!(ftrl.play(), x);
    }
    let text = serde_json::to_string(&ftrl).unwrap().replace("\"eta\":0.3", "\"eta\":1e-5");
    assert!(serde_json::from_str::<FtrlQuadratic<L2Ball>>(&text).is_err(), "the weight is less than 1/η");
}

#[test]
fn constructors_refuse_what_does_not_fit() {
    let simplex = || Simplex::new(1.0).unwrap();
    let md = |x1: &[f64], eta: f64| {
        MirrorDescent::starting_at(NegativeEntropy, simplex(), x1.to_vec(), eta).unwrap_err()
    };
    let lazy = |x1: &[f64], eta: f64| {
        DualAveraging::starting_at(NegativeEntropy, simplex(), x1.to_vec(), eta).unwrap_err()
    };
    for refused in [&md as &dyn Fn(&[f64], f64) -> OcoError, &lazy] {
        for outside in [[0.5, 0.6], [0.0, 0.0]] {
            assert!(matches!(refused(&outside, 1.0), OcoError::OutsideSet { argument: "start" }));
        }
        for (x1, eta, want) in [
            (&[1.5, -0.5][..], 1.0, "NegativeEntry"),
            (&[0.5, f64::NAN], 1.0, "NotFinite"),
            (&[], 1.0, "Empty"),
            (&[0.5, 0.5], 0.0, "BadStep"),
            (&[0.5, 0.5], f64::NAN, "NotFinite"),
        ] {
            let got = format!("{:?}", refused(x1, eta));
            assert!(got.contains(want), "{got} for {want}");
        }
    }
    let outside = FollowTheLeader::starting_at(simplex(), vec![1.0, 1.0]).unwrap_err();
    assert!(matches!(outside, OcoError::OutsideSet { argument: "start" }));
    let no_mass =
        OptimisticMirrorDescent::around(NegativeEntropy, simplex(), vec![0.0, 0.0], 1.0).unwrap_err();
    assert_eq!(no_mass, OcoError::Projection(ProjectionError::NoMass));
    assert!(
        FtrlQuadratic::new(simplex(), 2, -1.0).is_err() && FtrlQuadratic::new(simplex(), 0, 1.0).is_err()
    );
    assert!(Hedge::new(0, 1.0).is_err() && Hedge::new(2, 0.0).is_err());
}

/// States that no run produces are not loaded.
#[test]
fn tampered_states_are_refused() {
    let mut md = MirrorDescent::new(NegativeEntropy, Simplex::new(1.0).unwrap(), 2, 1.0).unwrap();
    md.observe(&[1.0, 0.0]).unwrap();
    let text = serde_json::to_string(&md).unwrap();
    let loads = |text: &str| serde_json::from_str::<MirrorDescent<NegativeEntropy, Simplex>>(text).is_ok();
    assert!(loads(&text));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (key, other) in [
        ("dual", "[0.0,0.0]"),
        ("dual", "[-1.3]"),
        ("x", "[0.9,0.2]"),
        ("start", "[2.0,-1.0]"),
        ("dual", "[null,-0.3]"),
    ] {
        let mut tampered = value.clone();
        tampered[key] = serde_json::from_str(other).unwrap();
        assert!(!loads(&tampered.to_string()), "{key} = {other}");
    }
    let hedge = serde_json::to_string(&Hedge::new(2, 1.0).unwrap()).unwrap();
    assert!(serde_json::from_str::<Hedge>(&hedge).is_ok());
    assert!(serde_json::from_str::<Hedge>(&hedge.replace("\"s\":1.0", "\"s\":2.0")).is_err());
    assert!(serde_json::from_str::<Hedge>(&hedge.replace("\"origin\":[1.0", "\"origin\":[2.0")).is_err());
}

/// An origin without mass has a mirror image but no play; otherwise the next reset would fail.
#[test]
fn an_origin_that_cannot_be_played_is_refused() {
    type Optimistic = OptimisticMirrorDescent<NegativeEntropy, Simplex>;
    let set = Simplex::new(1.0).unwrap();
    let learner = OptimisticMirrorDescent::around(NegativeEntropy, set, vec![0.25, 0.75], 0.5).unwrap();
    let text = serde_json::to_string(&learner).unwrap();
    let loads =
        |origin| serde_json::from_str::<Optimistic>(&text.replace("\"origin\":[0.25,0.75]", origin)).is_ok();
    assert!(loads("\"origin\":[0.0,0.75]"));
    assert!(!loads("\"origin\":[0.0,0.0]"));
}
