//! The linear learner against its definition written out, its regret bound, and the limits of doubles.

use oco_core::StepSchedule;
use proptest::prelude::*;
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

    /// Where squares leave the range of doubles the step is still the definition's, up to the scale of everything:
    /// W, B and lr·g·x scaled by 2^k are 2^k times the same learner.
    #[test]
    fn scale_does_not_matter((d, stream) in stream(), radius in 0.1..2.0_f64, k in -900_i32..900) {
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

/// A gradient and a row of size 1e200 overflow every product; the projected step is still −B·g xᵀ/(‖g‖‖x‖).
#[test]
fn an_overflowing_step_ends_on_the_sphere() {
    let shape = Shape { inputs: 2, outputs: 1 };
    let mut learner = OgdLinear::new(shape, StepSchedule::constant(1.0).unwrap(), 2.0).unwrap();
    learner.update(Row::dense(&[3e200, 4e200]).unwrap(), &[-1e200]).unwrap();
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

/// Weights are saved by columns, with their two extents behind them. Extents whose product is not their number are
/// refused, also where the product wraps round to it: (2^63 + 1)·2 = 2 in 64 bits.
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
