//! [NP14, Theorem 2] by experiment: the smallest margin tends to the best edge there is, at the rate ln T/√T.

use crate::samples::Task;
use crate::theorems_1_and_2::edges;
use boosters::maboost::{Active, BoostingMap, BoostingRun, Examples, MirrorAscent, Schedule, Update};
use oco_core::games::MatrixGame;
use projections::{Euclidean, NegativeEntropy, Projection, Simplex};
use weak_learners::Label;
use weak_learners::batch::{ExactStump, Hypothesis, Stump};

/// The value of the game of examples against stumps: the edge that the best stump has on the hardest
/// distribution, and the smallest margin of the best vote.
fn best_edge(task: &Task) -> f64 {
    let mut stumps = vec![Stump::constant(3, Label::Plus).unwrap()];
    for feature in 0..3 {
        let thresholds = task.rows.iter().map(|x| x.to_dense()[feature]);
        stumps.extend(thresholds.map(|at| Stump::new(3, feature, at, Label::Plus).unwrap()));
    }
    let agreement = |(x, a): (rows::Row<'_>, &Label)| {
        let row = stumps.iter().map(|h| a.sign() * h.predict(x).unwrap());
        row.flat_map(|ah| [ah, -ah]).collect::<Vec<f64>>()
    };
    MatrixGame::new(&task.rows.iter().zip(&task.labels).map(agreement).collect::<Vec<_>>()).unwrap().value()
}

/// Synthetic, so that the best edge v is known. The stump of the largest edge is found every round, so γ_t ≥
/// v, and no vote has a smallest margin above v: v − ν_T ≤ the smallest margin ≤ v, with ν_T as the theorem's
/// proof has it.
fn approaches<R: BoostingMap>(regulariser: R)
where
    Simplex: Projection<R>,
    Active: Update<R, Simplex>,
{
    let task = Task::majority_of_three(24, 8);
    let (v, sample, n) = (best_edge(&task), task.sorted(), 24.0_f64);
    assert!(v >= 1.0 / 3.0 - 1e-9, "{v}");
    let examples = Examples::uniform(task.labels.clone()).unwrap();
    let c = R::margin_constant(examples.start());
    let simplex = Simplex::new(1.0).unwrap();
    let ascent = MirrorAscent::<R, _, Active>::new(regulariser, simplex, &examples, Schedule::Theorem2);
    let mut run = BoostingRun::new(examples, ExactStump::default(), ascent.unwrap()).unwrap();
    let mut shortfalls = Vec::new();
    for t in 1..=6400_usize {
        let round = match run.round(&sample).unwrap() {
            std::ops::ControlFlow::Continue(round) => round,
            std::ops::ControlFlow::Break(stop) => unreachable!("{stop:?}"),
        };
        assert!(round.edge >= v - 1e-9, "round {t}: an edge of {} below {v}", round.edge);
        assert!(round.min_margin <= v + 1e-9, "round {t}: a margin of {} above {v}", round.min_margin);
        let bound = round.promise.margin.unwrap();
        assert!(round.min_margin >= bound - 1e-12);
        if [25, 100, 400, 1600, 6400].contains(&t) {
            let root = (t as f64).sqrt();
            // Edges lie in [v, 1]: Σγ²/s ≤ 1 + ln T and Σγ/√s ≥ 2v(√(T + 1) − 1).
            let rate = (0.5 * (1.0 + (t as f64).ln()) + c) / (2.0 * v * ((t as f64 + 1.0).sqrt() - 1.0));
            let nu = edges(run.record()).fold(1.0, f64::min) - bound;
            assert!(nu > 0.0 && nu <= rate, "round {t}: {nu} {rate}");
            assert!(nu * root / (t as f64).ln() <= (1.0 + c) / v, "round {t}: {nu}");
            shortfalls.push(v - round.min_margin);
        }
    }
    // 256 times the rounds: by ln T/√T, 16·ln(25)/ln(6400) ≈ 5.9 times less; and never more than ν says.
    let (first, last) = (shortfalls[0], shortfalls[4]);
    assert!(last <= first / 5.0 && last < 0.02, "of {n} examples, v = {v}: {shortfalls:?}");
}

#[test]
fn the_entropys_margins_approach_the_best_edge() {
    approaches(NegativeEntropy);
}

#[test]
fn the_quadratic_margins_approach_the_best_edge() {
    approaches(Euclidean);
}
