//! The linear learner against its definition written out, its regret bound, and the limits of doubles.

use oco_core::StepSchedule;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::Row;
use weak_learners::{LearnerError, OgdLinear, OnlinePredictor, Shape};

/// V = W − lr·t^(−c)·g xᵀ, W ← V·min(1, B/‖V‖_F), entry by entry; W is d×m in row order.
struct Definition {
    w: Vec<f64>,
    lr: f64,
    c: f64,
    radius: f64,
    t: f64,
}

impl Definition {
    fn predict(&self, x: &[f64], d: usize) -> Vec<f64> {
        let m = x.len();
        (0..d).map(|k| (0..m).map(|j| self.w[k * m + j] * x[j]).sum()).collect()
    }

    fn update(&mut self, x: &[f64], g: &[f64]) {
        let (m, step) = (x.len(), self.lr * self.t.powf(-self.c));
        for (k, g) in g.iter().enumerate() {
            for (j, x) in x.iter().enumerate() {
                self.w[k * m + j] -= step * g * x;
            }
        }
        let norm = self.w.iter().map(|w| w * w).sum::<f64>().sqrt();
        let shrink = (self.radius / norm).min(1.0);
        self.w.iter_mut().for_each(|w| *w *= shrink);
        self.t += 1.0;
    }
}

/// Examples (x, g).
type Examples = Vec<(Vec<f64>, Vec<f64>)>;

/// A stream of examples (x, g) in R^m × R^d, with zeros in x.
fn stream() -> impl Strategy<Value = (usize, Examples)> {
    (1usize..4, 1usize..20).prop_flat_map(|(d, m)| {
        let x = prop::collection::vec(prop_oneof![Just(0.0), -2.0..2.0_f64], m);
        let g = prop::collection::vec(-3.0..3.0_f64, d);
        (Just(d), prop::collection::vec((x, g), 1..60))
    })
}

fn sparse(x: &[f64]) -> (Vec<u32>, Vec<f64>) {
    (0u32..).zip(x).filter(|(_, v)| **v != 0.0).map(|(j, v)| (j, *v)).unzip()
}

proptest! {
    /// Dense rows, sparse rows and the definition agree in every round, with the projection at work.
    #[test]
    fn it_is_its_definition((d, stream) in stream(), lr in 0.01..5.0_f64, c in 0.0..1.0_f64, radius in 0.05..3.0_f64) {
        let m = stream[0].0.len();
        let shape = Shape { inputs: m, outputs: d };
        let new = || OgdLinear::new(shape, StepSchedule::power(lr, c).unwrap(), radius).unwrap();
        let (mut dense, mut sparsely) = (new(), new());
        let mut definition = Definition { w: vec![0.0; d * m], lr, c, radius, t: 1.0 };
        let mut y = vec![0.0; d];
        for (x, g) in &stream {
            let (indices, values) = sparse(x);
            let (row, sparse_row) = (Row::dense(x).unwrap(), Row::sparse(m, &indices, &values).unwrap());
            let expected = definition.predict(x, d);
            for (learner, row) in [(&mut dense, row), (&mut sparsely, sparse_row)] {
                learner.predict(row, &mut y).unwrap();
                for (y, expected) in y.iter().zip(&expected) {
                    prop_assert!((y - expected).abs() <= 1e-11 * (1.0 + expected.abs()), "{y} {expected}");
                }
                learner.update(row, g).unwrap();
                prop_assert!(learner.weights().norm() <= radius * (1.0 + 1e-10));
            }
            definition.update(x, g);
        }
        prop_assert_eq!(dense.updates(), stream.len() as u64);
    }

    /// [Z03] on the ball {‖W‖_F ≤ B} with a constant step, at every prefix and for a random U in the ball:
    /// Σ⟨g, (W − U)x⟩ ≤ ‖U‖²/2η + (η/2)Σ‖g‖²‖x‖².
    #[test]
    fn its_regret_is_bounded((d, stream) in stream(), eta in 0.01..3.0_f64, radius in 0.1..3.0_f64, seed in 0.0..9.0_f64) {
        let m = stream[0].0.len();
        let shape = Shape { inputs: m, outputs: d };
        let mut learner = OgdLinear::new(shape, StepSchedule::constant(eta).unwrap(), radius).unwrap();
        let mut u: Vec<f64> = (0..d * m).map(|j| (seed + j as f64).sin()).collect();
        let norm = u.iter().map(|u| u * u).sum::<f64>().sqrt();
        u.iter_mut().for_each(|u| *u *= radius / norm);
        let comparator = Definition { w: u, lr: 0.0, c: 0.0, radius, t: 1.0 };
        let (mut y, mut regret, mut squares) = (vec![0.0; d], 0.0, 0.0);
        for (x, g) in &stream {
            let row = Row::dense(x).unwrap();
            learner.predict(row, &mut y).unwrap();
            let f = comparator.predict(x, d);
            regret += (0..d).map(|k| g[k] * (y[k] - f[k])).sum::<f64>();
            squares += g.iter().map(|g| g * g).sum::<f64>() * row.norm_squared();
            prop_assert!(regret <= radius * radius / (2.0 * eta) + 0.5 * eta * squares + 1e-9);
            learner.update(row, g).unwrap();
        }
    }

    /// Where squares leave the range of doubles the step is still the definition's, up to the scale of
    /// everything: W, B and lr·g·x scaled by 2^k are 2^k times the same learner.
    #[test]
    fn scale_does_not_matter((d, stream) in stream(), radius in 0.1..2.0_f64, k in -900_i32..440) {
        let m = stream[0].0.len();
        let shape = Shape { inputs: m, outputs: d };
        let unit = 2.0_f64.powi(k);
        let new = |lr: f64, b: f64| OgdLinear::new(shape, StepSchedule::power(lr, 0.5).unwrap(), b).unwrap();
        let (mut plain, mut scaled) = (new(0.3, radius), new(0.3 * unit, radius * unit));
        for (x, g) in &stream {
            plain.update(Row::dense(x).unwrap(), g).unwrap();
            scaled.update(Row::dense(x).unwrap(), g).unwrap();
        }
        for (w, v) in plain.weights().iter().zip(scaled.weights().iter()) {
            prop_assert!((w - v / unit).abs() <= 1e-9 * radius, "{w} {}", v / unit);
        }
    }
}

/// A gradient and a row of size 1e120 overflow the squared norm of their product. The projected step is still
/// −B·g xᵀ/(‖g‖‖x‖).
#[test]
fn an_overflowing_step_ends_on_the_sphere() {
    let shape = Shape { inputs: 2, outputs: 1 };
    let mut learner = OgdLinear::new(shape, StepSchedule::constant(1.0).unwrap(), 2.0).unwrap();
    learner.update(Row::dense(&[3e120, 4e120]).unwrap(), &[-1e120]).unwrap();
    let weights = learner.weights();
    assert!((weights[0] - 1.2).abs() < 1e-9 && (weights[1] - 1.6).abs() < 1e-9, "{weights}");
}

/// A long run in which every step is projected: the carried norm does not drift.
#[test]
fn the_carried_norm_does_not_drift() {
    let shape = Shape { inputs: 50, outputs: 1 };
    let mut learner = OgdLinear::new(shape, StepSchedule::constant(0.5).unwrap(), 1.0).unwrap();
    for t in 0..200_000_u32 {
        let (indices, value) = ([t % 50], [f64::from(t % 7) - 3.0]);
        let g = [if t % 3 == 0 { -2.0 } else { 1.0 }];
        learner.update(Row::sparse(50, &indices, &value).unwrap(), &g).unwrap();
    }
    assert!((learner.weights().norm() - 1.0).abs() < 1e-10, "{}", learner.weights().norm());
}

#[test]
fn what_it_refuses_it_forgets_and_what_it_saves_it_resumes() {
    let shape = Shape { inputs: 2, outputs: 1 };
    let mut learner = OgdLinear::new(shape, StepSchedule::power(0.3, 0.5).unwrap(), 0.4).unwrap();
    let (x, short) = (Row::dense(&[1.0, -0.5]).unwrap(), Row::dense(&[1.0]).unwrap());
    (0..30).for_each(|t| learner.update(x, &[f64::from(t % 5) - 2.0]).unwrap());
    let before = learner.clone();
    assert_eq!(learner.update(short, &[1.0]), Err(LearnerError::InputDimension { expected: 2, got: 1 }));
    assert!(matches!(learner.update(x, &[1.0, 2.0]), Err(LearnerError::OutputDimension { .. })));
    assert!(matches!(learner.update(x, &[f64::NAN]), Err(LearnerError::NotFinite { index: 0, .. })));
    assert!(learner.predict(x, &mut [0.0, 0.0]).is_err());
    assert_eq!(learner, before);
    let text = serde_json::to_string(&learner).unwrap();
    let mut loaded: OgdLinear = serde_json::from_str(&text).unwrap();
    for t in 0..50 {
        learner.update(x, &[(f64::from(t)).sin()]).unwrap();
        loaded.update(x, &[(f64::from(t)).sin()]).unwrap();
        assert_eq!(loaded, learner);
    }
    for (from, to) in
        [("\"radius\":0.4", "\"radius\":-0.4"), ("\"t\":31", "\"t\":0"), ("\"scale\":", "\"scale\":-")]
    {
        assert!(text.contains(from), "{from} in {text}");
        assert!(serde_json::from_str::<OgdLinear>(&text.replace(from, to)).is_err(), "{to}");
    }
}

/// Weights are saved by columns, with their two extents behind them. Extents whose product is not their
/// number are refused, also where the product wraps round to it: (2^63 + 1)·2 = 2 in 64 bits.
#[test]
fn extents_that_are_not_those_of_the_weights_are_refused() {
    let shape = Shape { inputs: 1, outputs: 2 };
    let learner = OgdLinear::new(shape, StepSchedule::power(0.3, 0.5).unwrap(), 0.4).unwrap();
    let text = serde_json::to_string(&learner).unwrap();
    let saved = "\"directions\":[[0.0,0.0],2,1]";
    assert!(text.contains(saved), "{text}");
    assert_eq!(serde_json::from_str::<OgdLinear>(&text).unwrap(), learner);
    let transposed = text.replace(saved, "\"directions\":[[0.0,0.0],1,2]");
    let shape = Shape { inputs: 2, outputs: 1 };
    assert_eq!(serde_json::from_str::<OgdLinear>(&transposed).unwrap().shape(), shape);
    let (half, largest) = (1_usize << 63, usize::MAX);
    for (d, m) in [
        (2, half + 1),
        (half + 1, 2),
        (largest, largest),
        (2, 2),
        (1, 1),
        (0, 1),
        (2, 0),
        (0, 0),
        (largest, 1),
    ] {
        let changed = text.replace(saved, &format!("\"directions\":[[0.0,0.0],{d},{m}]"));
        assert!(serde_json::from_str::<OgdLinear>(&changed).is_err(), "{d} × {m}");
    }
    for none in ["[[],0,0]", "[[],0,1]", "[[],1,0]", "[[null,0.0],2,1]", "[[0.0,0.0],2]", "[[0.0,0.0],2,1,1]"]
    {
        let changed = text.replace(saved, &format!("\"directions\":{none}"));
        assert!(serde_json::from_str::<OgdLinear>(&changed).is_err(), "{none}");
    }
}

/// Steps whose squares vanish leave a norm without digits; what is saved then can be loaded.
#[test]
fn steps_whose_squares_vanish_can_be_saved() {
    for exponent in 140..175 {
        let step = 10_f64.powi(-exponent);
        for outputs in [1, 3] {
            let schedule = StepSchedule::constant(step).unwrap();
            let mut learner = OgdLinear::new(Shape { inputs: 3, outputs }, schedule, 1.0).unwrap();
            for t in 0..20 {
                let x: Vec<f64> = (0..3).map(|j| f64::from(3 * t + j).sin()).collect();
                let g: Vec<f64> = (0..outputs).map(|k| (t as f64 + k as f64).cos()).collect();
                learner.update(Row::dense(&x).unwrap(), &g[..]).unwrap();
                let text = serde_json::to_string(&learner).unwrap();
                let loaded = serde_json::from_str::<OgdLinear>(&text);
                assert_eq!(loaded.unwrap(), learner, "step {step:e}, round {t}, {outputs} outputs");
            }
        }
    }
}

/// So does a ball whose radius has a square without digits.
#[test]
fn learners_in_tiny_balls_can_be_saved() {
    for exponent in 130..324 {
        for (outputs, power) in [(1, 0.5), (3, 0.5), (3, 1e19)] {
            let radius: f64 = format!("7.3e-{exponent}").parse().unwrap();
            let schedule = StepSchedule::power(0.5, power).unwrap();
            let mut learner = OgdLinear::new(Shape { inputs: 3, outputs }, schedule, radius).unwrap();
            for t in 0..5 {
                let x: Vec<f64> = (0..3).map(|j| f64::from(3 * t + j).sin()).collect();
                let g: Vec<f64> = (0..outputs).map(|k| (t as f64 + k as f64).cos()).collect();
                learner.update(Row::dense(&x).unwrap(), &g[..]).unwrap();
                let text = serde_json::to_string(&learner).unwrap();
                let loaded = serde_json::from_str::<OgdLinear>(&text);
                assert_eq!(loaded.unwrap(), learner, "radius {radius:e}, round {t}, {outputs} outputs");
            }
        }
    }
}

/// A saved scale that hides the norm of the weights, or a radius that they exceed, is refused.
#[test]
fn a_norm_without_digits_is_checked_all_the_same() {
    let schedule = StepSchedule::constant(1e-160).unwrap();
    let mut learner = OgdLinear::new(Shape { inputs: 1, outputs: 1 }, schedule, 1e-160).unwrap();
    learner.update(Row::dense(&[1.0]).unwrap(), &[1.0]).unwrap();
    let text = serde_json::to_string(&learner).unwrap();
    for (saved, changed) in [("\"scale\":1.0", "\"scale\":1e10"), ("\"radius\":1e-160", "\"radius\":9e-161")]
    {
        let changed = text.replace(saved, changed);
        assert_ne!(changed, text);
        assert!(serde_json::from_str::<OgdLinear>(&changed).is_err(), "{changed}");
    }
}

/// A step that underflows to 0 moves nothing, in a tiny ball too.
#[test]
fn a_step_of_zero_in_a_tiny_ball_moves_nothing() {
    let schedule = StepSchedule::power(0.5, 1e130).unwrap();
    let mut learner = OgdLinear::new(Shape { inputs: 2, outputs: 1 }, schedule, 1e-160).unwrap();
    let x = Row::dense(&[1.0, -2.0]).unwrap();
    learner.update(x, &[1.0]).unwrap();
    let after_the_first = learner.weights();
    for start in [learner, OgdLinear::new(Shape { inputs: 2, outputs: 1 }, schedule, 1e-160).unwrap()] {
        let text = serde_json::to_string(&start).unwrap();
        let late = text.replace("\"t\":2", "\"t\":9").replace("\"t\":1}", "\"t\":9}");
        let mut late: OgdLinear = serde_json::from_str(&late).unwrap();
        let before = late.weights();
        late.update(x, &[1.0]).unwrap();
        assert_eq!((late.weights(), late.updates()), (before, 9));
    }
    assert!(after_the_first.iter().all(|w| w.is_finite()));
}

/// A norm that falls inside the ball leaves the rounding error of larger weights behind; such states can be
/// saved after every update, and go on as the learner that was not saved.
#[test]
fn weights_that_shrink_inside_the_ball_can_be_saved() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (inputs, outputs, radius) in [(1, 1, 10.0), (3, 1, 10.0), (3, 2, 1e3)] {
        let schedule = StepSchedule::constant(0.1).unwrap();
        let mut learner = OgdLinear::new(Shape { inputs, outputs }, schedule, radius).unwrap();
        let mut y = vec![0.0; outputs];
        for t in 0..2000 {
            // Squared loss: the target is 1 for 100 rounds, then 0.
            let target = if t < 100 { 1.0 } else { 0.0 };
            let x: Vec<f64> =
                (0..inputs).map(|_| if inputs == 1 { 1.0 } else { rng.random::<f64>() - 0.5 }).collect();
            let row = Row::dense(&x).unwrap();
            learner.predict(row, &mut y).unwrap();
            let g: Vec<f64> = y.iter().map(|y| y - target).collect();
            let text = serde_json::to_string(&learner).unwrap();
            let mut loaded: OgdLinear =
                serde_json::from_str(&text).unwrap_or_else(|e| panic!("{t}: {e}: {text}"));
            learner.update(row, &g[..]).unwrap();
            loaded.update(row, &g[..]).unwrap();
            assert_eq!(loaded, learner, "round {t}");
        }
    }
}

/// The step back to W = 0 leaves a norm of 0 and the error of the step.
#[test]
fn weights_that_return_to_zero_can_be_saved() {
    let schedule = StepSchedule::constant(0.5).unwrap();
    let mut learner = OgdLinear::new(Shape { inputs: 1, outputs: 1 }, schedule, 1.0).unwrap();
    for g in [1.0, -1.0] {
        learner.update(Row::dense(&[1.0]).unwrap(), &[g]).unwrap();
    }
    let text = serde_json::to_string(&learner).unwrap();
    assert_eq!(serde_json::from_str::<OgdLinear>(&text).unwrap(), learner);
    // An error that the ball cannot explain is refused, and so is a norm beyond the error.
    let carried = text.split("\"norm_error\":").nth(1).unwrap().split(',').next().unwrap();
    for changed in [
        text.replace(&format!("\"norm_error\":{carried}"), "\"norm_error\":1.1"),
        text.replace("\"norm_squared\":0.0", "\"norm_squared\":0.1"),
    ] {
        assert_ne!(changed, text);
        assert!(serde_json::from_str::<OgdLinear>(&changed).is_err(), "{changed}");
    }
}

/// A step whose logarithm is far below that of the least double moves nothing, in a tiny ball too.
#[test]
fn a_step_below_every_double_moves_nothing() {
    for exponent in [200, 250, 300] {
        let tiny: f64 = format!("1e-{exponent}").parse().unwrap();
        let schedule = StepSchedule::constant(tiny).unwrap();
        let mut learner = OgdLinear::new(Shape { inputs: 1, outputs: 1 }, schedule, 1e-150).unwrap();
        for _ in 0..3 {
            learner.update(Row::dense(&[tiny]).unwrap(), &[tiny]).unwrap();
        }
        let mut y = [1.0];
        learner.predict(Row::dense(&[1.0]).unwrap(), &mut y).unwrap();
        assert_eq!(y, [0.0]);
        let text = serde_json::to_string(&learner).unwrap();
        assert_eq!(serde_json::from_str::<OgdLinear>(&text).unwrap(), learner);
    }
}
