//! Adversaries who see the draws.

use crate::streams::drifting;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use weak_learners::batch::Stump;
use weak_learners::online::{GrownStumps, HedgeStumps, Thresholds};
use weak_learners::{Label, OnlineClassifier};

const ROUNDS: u32 = 1500;
const SEEDS: u64 = 20;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The mean regret of learners against labels that see the past only: y_t = −h(x_t), h the expert of the
/// round before.
fn regret<L: OnlineClassifier>(
    learner: impl Fn(u64) -> L,
    expert: impl Fn(&L) -> Stump,
    best: impl Fn(&L) -> i64,
) -> f64 {
    let stream = drifting(3, ROUNDS as usize, 2);
    let of_seed = |seed| {
        let mut learner = learner(seed);
        let (mut gain, mut last) = (0.0, Stump::constant(3, Label::Plus).unwrap());
        for x in stream.rows.iter() {
            let y = -last.vote(x).unwrap();
            last = expert(&learner);
            gain += learner.round(x, y).unwrap().sign() * y.sign();
        }
        best(&learner) as f64 - gain
    };
    (0..SEEDS).map(of_seed).sum::<f64>() / SEEDS as f64
}

/// Fresh draws meet the bound on the mean votes surely, and the votes' own gain is a martingale away from it,
/// which misses by more than √(2T ln(1/δ)/seeds) in fewer than δ = 1e−9 of cases (Azuma and Hoeffding). An
/// expert that is kept is found out: it is wrong in nearly every round.
#[test]
fn labels_that_answer_the_last_expert_defeat_the_dartboard_and_not_fresh_draws() {
    let margin = (2.0 * f64::from(ROUNDS) * 1e9_f64.ln() / SEEDS as f64).sqrt();
    let thresholds = Thresholds::quantiles(drifting(3, ROUNDS as usize, 2).rows.iter(), 4).unwrap();
    let tuned = |seed| HedgeStumps::tuned(thresholds.clone(), ROUNDS, rng(seed)).unwrap();
    let (expert, best) = (|l: &HedgeStumps| l.current(), |l: &HedgeStumps| l.best_expert().1);
    let bound = (2.0 * f64::from(ROUNDS) * (thresholds.experts() as f64).ln()).sqrt();
    let kept = regret(tuned, expert, best);
    assert!(kept > 8.0 * bound, "{kept} against {bound}");
    let fresh = regret(|seed| tuned(seed).drawing_afresh(), expert, best);
    assert!(fresh <= bound + margin, "{fresh} > {bound} + {margin}");

    // Nine values a feature: every prior is at least 6^(−9/2)/8.
    let grown = |seed| GrownStumps::new(3, 9, 0.1, rng(seed)).unwrap();
    let (expert, best) = (|l: &GrownStumps| l.current(), |l: &GrownStumps| l.best_expert().1);
    let bound = (8.0_f64.ln() + 4.5 * 6.0_f64.ln()) / 0.1 + 0.05 * f64::from(ROUNDS);
    let kept = regret(grown, expert, best);
    assert!(kept > 5.0 * bound, "{kept} against {bound}");
    let fresh = regret(|seed| grown(seed).drawing_afresh(), expert, best);
    assert!(fresh <= bound + margin, "{fresh} > {bound} + {margin}");
}

/// Labels that see the draw of their own round make every vote wrong.
#[test]
fn labels_that_see_the_draw_of_their_round_defeat_both() {
    let stream = drifting(3, ROUNDS as usize, 2);
    let thresholds = Thresholds::quantiles(stream.rows.iter(), 4).unwrap();
    let kept = HedgeStumps::tuned(thresholds, ROUNDS, rng(1)).unwrap();
    for mut learner in [kept.clone(), kept.drawing_afresh()] {
        for (x, _) in stream.examples() {
            let y = -learner.vote(x).unwrap();
            assert_eq!(learner.round(x, y).unwrap(), -y);
        }
        let regret = learner.best_expert().1 as f64 + f64::from(ROUNDS);
        let bound = (2.0 * f64::from(ROUNDS) * (learner.experts() as f64).ln()).sqrt();
        assert!(regret > 8.0 * bound, "{regret}");
    }
}

/// Two rounds in a row hold the same expert no more often than two draws agree.
#[test]
fn fresh_draws_are_drawn_in_every_round() {
    let x = [0.0];
    let x = Row::dense(&x).unwrap();
    let thresholds = Thresholds::at(vec![(1..50).map(f64::from).collect()]).unwrap();
    let mut learner = HedgeStumps::new(thresholds, 1e-9, rng(3)).unwrap().drawing_afresh();
    let mut stayed = 0;
    for t in 0..2000 {
        let before = learner.current();
        learner.round(x, if t % 2 == 0 { Label::Plus } else { Label::Minus }).unwrap();
        stayed += u32::from(learner.current() == before);
    }
    // 1 in 100, the weights being all but equal; 60 are nine standard deviations more.
    assert!(stayed < 60, "{stayed}");
}
