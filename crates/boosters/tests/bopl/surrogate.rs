//! Theorem 1 for BOPL-S is about the surrogate L̃: with L̂ in its place it fails.

use crate::account::objective;
use crate::learners::Constants;
use boosters::bopl::{Bopl, BoplS, PolicyBoosting, Settings, optimal_risk};
use off_policy::{Log, Rewards};
use rows::RowMatrix;
use weak_learners::batch::SortedColumns;

/// Three rows of one context, one for each action, with rewards of 1, r and 0.1: the step along the means of
/// the gradient gains less of the risk than of its surrogate for some of forty r, while the statement about
/// the surrogate holds for all.
#[test]
fn the_statement_fails_for_the_risk_itself() {
    let mut failures = 0;
    for k in 0..40 {
        let reward = 0.1 + 0.1 * f64::from(k);
        let contexts = RowMatrix::dense(1, vec![0.0, 0.0, 0.0]).unwrap();
        let columns = SortedColumns::new(contexts.clone()).unwrap();
        let rewards = Rewards(vec![1.0, reward, 0.1]);
        let log = Log::new(contexts, 3, vec![0, 1, 2], vec![0.5, 0.5, 0.5], rewards).unwrap();
        let settings = Settings::builder().build().unwrap();
        let learner = Constants(crate::learners::means);
        let mut run = PolicyBoosting::<BoplS, _>::new(&log, learner, settings).unwrap();
        let uniform = vec![vec![0.0; 3]; 3];
        let (optimal, start) = (optimal_risk(&log, 0.0).unwrap(), objective::<Bopl>(&log, 0.0, &uniform));
        let (delta_0, mut decreased) = (start - optimal, 0.0);
        for _ in 0..30 {
            let Some(round) = run.round(&columns).unwrap().continue_value() else { break };
            assert!(round.objective <= round.bound + 1e-12);
            decreased += round.decrease;
            let row = |i: usize| (0..3).map(|a| run.scores()[a * 3 + i]).collect::<Vec<f64>>();
            let risk = objective::<Bopl>(&log, 0.0, &[row(0), row(1), row(2)]);
            let with_the_risk = optimal + delta_0 * f64::exp(-decreased / delta_0);
            failures += u32::from(risk > with_the_risk + 1e-6);
        }
    }
    assert!(failures > 0, "L̂ has always met the bound of L̃");
}
