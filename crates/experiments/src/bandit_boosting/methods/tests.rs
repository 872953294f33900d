//! Progressive validation on problems with known losses.

use super::*;
use rows::RowMatrix;

const FIXED: fn() -> Fixed = || Fixed { delta: 0.5, noise: Noise::uniform(0.1).unwrap() };

/// One feature, always 1.
fn constant(labels: Vec<f64>, radius: f64) -> Halves {
    let n = labels.len();
    Halves {
        features: RowMatrix::dense(1, vec![1.0; n]).unwrap(),
        labels,
        tuning: Vec::new(),
        reporting: (0..n).collect(),
        radius,
    }
}

#[test]
fn the_average_is_over_all_losses_and_the_curve_over_prefixes() {
    let halves = constant(vec![0.25; 30], 1.0);
    let order: Vec<usize> = (0..30).collect();
    let mut t = 0.0;
    let found = average(&halves, &order, |_, _| {
        t += 1.0;
        Ok(t)
    });
    let found = found.unwrap();
    // 1 + … + T is T(T + 1)/2.
    assert_eq!(found.average, 15.5);
    assert_eq!(found.curve.iter().map(|(t, _)| *t).collect::<Vec<_>>(), [8, 10, 12, 15, 18, 22, 27, 30]);
    assert!(found.curve.iter().all(|&(t, average)| average == 0.5 * (t as f64 + 1.0)));
}

#[test]
fn a_run_that_overflows_has_the_largest_loss_and_another_refusal_is_an_error() {
    let halves = constant(vec![0.25; 30], 1.0);
    let order: Vec<usize> = (0..30).collect();
    let with = |refusal: fn() -> LearnerError| {
        let mut t = 0;
        average(&halves, &order, |_, _| {
            t += 1;
            if t > 9 { Err(refusal()) } else { Ok(2.0) }
        })
    };
    let lost = with(|| LearnerError::NotFiniteFeedback { query: 0, value: f64::NAN }).unwrap();
    assert_eq!((lost.average, lost.curve), (f64::MAX, vec![(8, 2.0)]));
    assert!(with(|| LearnerError::Empty { argument: "rows" }).is_err());
}

/// Examples come in the given order, each with its own label, and are predicted before they are learnt from:
/// a learner that starts at 0 loses y² on the first.
#[test]
fn an_example_is_predicted_before_it_is_learnt_from() {
    let halves = constant(vec![0.5, -1.0, 0.25], 1.0);
    let setting = Setting { n: 1, lr: 0.1, c: 0.5, advantage: 1.0 };
    for method in [Method::Ogd, Method::OnlineBoosting, Method::OgdLargeBall] {
        for (order, first) in [([0, 1, 2], 0.25), ([1, 2, 0], 1.0), ([2, 0, 1], 0.0625)] {
            let of = |order: &[usize]| progressive(method, setting, FIXED(), &halves, order, 3).unwrap();
            assert_eq!(of(&order[..1]).average, first, "{method:?}");
            assert_eq!(of(&order[..1]).curve, [(1, first)]);
        }
    }
    // OGD by hand: w_1 = 0, w_2 = lr, w_3 = w_2 + lr/√2·2(−1 − w_2), on the interval of radius 1.
    let run = progressive(Method::Ogd, setting, FIXED(), &halves, &[0, 1, 2], 3).unwrap();
    let w_2 = 0.1;
    let w_3 = w_2 + 0.1 / 2.0_f64.sqrt() * 2.0 * (-1.0 - w_2);
    let expected = (0.25 + (1.0 + w_2).powi(2) + (0.25 - w_3).powi(2)) / 3.0;
    assert!((run.average - expected).abs() < 1e-12, "{} {expected}", run.average);
}

/// The ball of the weak learner has radius 0.1; the large ball has radius 0.1/γ = 1, the label.
#[test]
fn the_larger_ball_is_larger_by_the_advantage() {
    let halves = constant(vec![0.9; 2_000], 0.1);
    let setting = Setting { n: 1, lr: 0.1, c: 0.25, advantage: 0.1 };
    let last = |method, advantage| {
        let setting = Setting { advantage, ..setting };
        let run = progressive(method, setting, FIXED(), &halves, &halves.reporting, 3).unwrap();
        run.average
    };
    for method in [Method::Ogd, Method::OgdLargeBall] {
        assert!((last(method, 1.0) - 0.64).abs() < 0.01, "the nearest prediction is 0.1");
    }
    assert!(last(Method::OgdLargeBall, 0.1) < 0.05);
    assert!(last(Method::NFkmLargeBall, 0.1) < last(Method::NFkmLargeBall, 1.0) - 0.1);
}

/// Queries twice per round, around its prediction, and records the answers.
struct Listener {
    heard: Vec<f64>,
    prediction: [f64; 1],
}

impl BanditPredictor for Listener {
    fn round(&mut self, _: Row<'_>, query: &mut dyn FnMut(&[f64]) -> f64) -> Result<&[f64], LearnerError> {
        self.heard.extend([query(&[0.5]), query(&[-0.5])]);
        Ok(&self.prediction)
    }
}

#[test]
fn a_bandit_gets_noisy_answers_and_is_charged_exact_losses() {
    let halves = constant(vec![0.5, 0.25, -1.0], 1.0);
    let [directions, noise] = directions_and_noise(11);
    let mut listener = Listener { heard: Vec::new(), prediction: [0.75] };
    let found = bandit(&mut listener, FIXED().noise, noise.clone(), &halves, &[2, 0, 1]).unwrap();
    // (−1 − ¾)², (½ − ¾)², (¼ − ¾)².
    assert_eq!(found.average, (3.0625 + 0.0625 + 0.25) / 3.0);
    let mut draws = noise;
    let exact = [2.25, 0.25, 0.0, 1.0, 0.0625, 0.5625];
    let expected = exact.map(|loss| loss + FIXED().noise.draw(&mut draws));
    assert_eq!(listener.heard, expected);
    assert!(exact.iter().zip(expected).all(|(loss, heard)| *loss != heard && (loss - heard).abs() <= 0.1));
    // The noise has its own stream: it differs from the directions, and from the noise of another seed.
    let mut of = [directions, directions_and_noise(11)[1].clone(), directions_and_noise(12)[0].clone()]
        .map(|mut rng| FIXED().noise.draw(&mut rng));
    of.sort_by(f64::total_cmp);
    assert!(of[0] < of[1] && of[1] < of[2], "{of:?}");
}

#[test]
fn bandits_are_the_methods_that_query() {
    let bandits = Method::ALL.into_iter().filter(|method| method.is_bandit());
    assert!(bandits.eq([Method::BanditBoosting, Method::NFkm, Method::OneQueryFkm, Method::NFkmLargeBall]));
    // Only a bandit's run depends on its seed.
    let halves = constant(vec![0.5; 40], 1.0);
    let setting = Setting { n: 2, lr: 0.1, c: 0.5, advantage: 1.0 };
    for method in Method::ALL {
        let of = |seed| progressive(method, setting, FIXED(), &halves, &halves.reporting, seed).unwrap();
        assert_eq!(of(1), of(1));
        assert_eq!(of(1) != of(2), method.is_bandit(), "{method:?}");
    }
}
