//! Algorithm 2 is Algorithm 3 on the payoff g(p, q) = Σ p(i)(q(i) − 1), q(i) = h(x_i)y_i/γ.

use crate::samples::{Task, Tuned};
use oco_core::games::{Game, ZeroSumGame};
use oco_core::learners::Ogd;
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::BoxSet;
use weak_learners::batch::{ExactStump, WeakLearner};

struct Boosting {
    examples: usize,
}

impl Game for Boosting {
    fn dimensions(&self) -> (usize, usize) {
        (self.examples, self.examples)
    }
    fn payoff(&self, p: &[f64], q: &[f64]) -> f64 {
        p.iter().zip(q).map(|(p, q)| p * (q - 1.0)).sum()
    }
    fn subgradient(&self, _: &[f64], q: &[f64], gradient: &mut [f64]) {
        gradient.iter_mut().zip(q).for_each(|(g, q)| *g = q - 1.0);
    }
    fn best_response_of_a(&self, q: &[f64], p: &mut [f64]) -> f64 {
        p.iter_mut().zip(q).for_each(|(p, q)| *p = if *q < 1.0 { 1.0 } else { -1.0 });
        self.payoff(p, q)
    }
    /// Not asked for: the oracle is a weak learner, and the game is not certified.
    fn best_response_of_b(&self, p: &[f64], q: &mut [f64]) -> f64 {
        q.iter_mut().zip(p).for_each(|(q, p)| *q = p.signum());
        self.payoff(p, q)
    }
}

#[test]
fn the_booster_plays_the_game_of_proposition_6() {
    let (m, gamma, rounds) = (50, 0.25, 200);
    let task = Task::noisy_stump(m, 10);
    let labels = task.signs();
    let mut booster = Tuned::theorem_8(ExactStump::default(), task.labels.clone(), gamma, rounds).unwrap();

    let cube = BoxSet::new(vec![-1.0; m], vec![1.0; m]).unwrap();
    let step = gamma / ((1.0 + gamma) * f64::from(rounds).sqrt());
    let player = Ogd::new(cube, m, StepSchedule::constant(step).unwrap()).unwrap();
    let (mut learner, mut votes) = (ExactStump::default(), vec![0.0; m]);
    let oracle = |p: &[f64], q: &mut [f64]| -> Result<(), OcoError> {
        let targets: Vec<f64> = p.iter().zip(&labels).map(|(p, y)| p * y).collect();
        let h = learner.train(&task.sample, &targets, &vec![1.0; m]).unwrap();
        learner.evaluate(&h, &task.sample, &mut votes).unwrap();
        q.iter_mut().zip(&votes).zip(&labels).for_each(|((q, h), y)| *q = h * y / gamma);
        Ok(())
    };
    let mut game = ZeroSumGame::new(Boosting { examples: m }, player, oracle).unwrap();
    for t in 0..rounds {
        let p = game.player().play().to_vec();
        let payoff = game.round().unwrap();
        let round = booster.round(&task.sample).unwrap();
        assert_eq!(round.p, p, "round {t}");
        assert!((m as f64 * round.mean_loss - payoff).abs() < 1e-10);
    }
    for ((x, q), y) in task.sample.matrix().iter().zip(game.q_bar()).zip(&labels) {
        assert!((booster.vote().score(x).unwrap() * y - q).abs() < 1e-10);
    }
    let best = task.best_stump(&vec![1.0; m]);
    let value = m as f64 * (task.correlation(&best) - 1.0);
    for p in [vec![1.0; m], vec![0.0; m], vec![-1.0; m]] {
        let secured = Boosting { examples: m }.payoff(&p, game.q_bar());
        let regret = game.regret_against(&p).unwrap() / f64::from(rounds);
        assert!(value <= secured + regret + 1e-9, "Proposition 6");
    }
}
