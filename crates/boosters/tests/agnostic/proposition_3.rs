//! Algorithm 1: Proposition 3, surely with realised regrets, and in expectation.

use super::streams::{Examples, Inner, class, hedges, margin, rng, synthetic};
use boosters::agnostic::{OnlineAgnosticBooster, Trace};
use oco_core::StepSchedule;
use oco_core::learners::Ogd;
use projections::BoxSet;
use weak_learners::Label;
use weak_learners::online::HedgeStumps;

type Booster = OnlineAgnosticBooster<HedgeStumps, Ogd<BoxSet>>;

/// With p = (1/N)Σp^i of round t and R̃_i = Σp_t^iy_t(γh(x_t) − W_i(x_t)), for every expert h and at every
/// prefix: ΣE_Π[ŷ_t]y_t ≥ Σh(x_t)y_t − mean_i R̃_i/γ − (1/N)ΣR_{A,t}. The two sides differ by what Lemmas 4
/// and 5 give away, Σ(1 − p_t)(1 − h(x_t)y_t) and Σ(E_Π[ŷ_t]y_t − 1 + |z_ty_t − 1|), and by nothing else.
#[test]
fn proposition_3_holds_surely_for_every_expert_at_every_round() {
    for (examples, rounds) in [(Examples::letter(), 3000), (Examples::adult(), 1500)] {
        for (gamma, n) in [(1.0, 9_u32), (0.3, 24), (0.05, 1)] {
            holds_surely(&examples, rounds, gamma, n, Start::Coin);
        }
    }
}

/// The same where A is on [0, 1], from 1 or from ½: the proof needs no other comparator than 0 and 1. No
/// label is turned more often than not, and from ½ the regret of A is at most half.
#[test]
fn proposition_3_holds_surely_where_no_label_is_turned_more_often_than_not() {
    for (gamma, n) in [(1.0, 9_u32), (0.3, 24), (0.05, 1)] {
        holds_surely(&Examples::letter(), 1500, gamma, n, Start::Label);
        holds_surely(&Examples::letter(), 1500, gamma, n, Start::Half);
    }
}

/// What the first learner is told: a coin (from 0 on [−1, 1]), the label (from 1 on [0, 1]), or the label in
/// three rounds of four (from ½ on [0, 1]).
#[derive(Clone, Copy)]
enum Start {
    Coin,
    Label,
    Half,
}

impl Start {
    /// The booster, A's interval, its first play, and the reach D in R_A(N) ≤ D(1 + 1/γ)√N.
    fn booster(self, learners: Vec<HedgeStumps>, gamma: f64) -> (Booster, [f64; 2], f64, f64) {
        let (n, mut key) = (learners.len() as f64, rng(7, 0));
        match self {
            Self::Coin => {
                let booster = OnlineAgnosticBooster::with_ogd(learners, gamma, &mut key);
                (booster.unwrap(), [-1.0, 1.0], 0.0, 1.0)
            }
            Self::Label => {
                let booster = OnlineAgnosticBooster::with_trusting_ogd(learners, gamma, &mut key);
                (booster.unwrap(), [0.0, 1.0], 1.0, 1.0)
            }
            Self::Half => {
                let eta = StepSchedule::constant(0.5 / ((1.0 + 1.0 / gamma) * n.sqrt())).unwrap();
                let set = BoxSet::interval(0.0, 1.0).unwrap();
                let oco = Ogd::starting_at(set, vec![0.5], eta).unwrap();
                let booster = OnlineAgnosticBooster::new(learners, oco, gamma, &mut key);
                (booster.unwrap(), [0.0, 1.0], 0.5, 0.5)
            }
        }
    }
}

fn holds_surely(examples: &Examples, rounds: usize, gamma: f64, n: u32, start: Start) {
    let thresholds = examples.thresholds(6);
    let experts = class(&thresholds);
    let stream = examples.noisy(rounds, 0.2, 3);
    let learners = hedges(&thresholds, u32::try_from(rounds).unwrap(), u64::from(n), 5);
    let (mut booster, interval, first, reach) = start.booster(learners, gamma);
    let allowed = reach * (1.0 + 1.0 / gamma) * f64::from(n).sqrt();
    let (mut gain, mut oco, mut lemma_5) = (0.0, 0.0, 0.0);
    let mut of_experts = vec![(0.0, 0.0, 0.0); experts.len()];
    for (t, (x, y)) in (1_u32..).zip(stream.examples()) {
        booster.round(x, y).unwrap();
        let inner = Inner::of(booster.trace(), gamma, y, interval);
        assert_eq!(booster.trace().p()[0], first, "line 4");
        let least = 0.5 * (1.0 + interval[0]);
        assert!(booster.trace().prob_true_label().iter().all(|p| (least..=1.0).contains(p)), "line 6");
        assert!(inner.oco_regret <= allowed * (1.0 + 1e-12), "round {t}: Theorem 2's R_A");
        gain += inner.mean_gain;
        oco += inner.oco_regret / f64::from(n);
        // What Lemma 5 gives away: on [−1, 1] also that p* may be −1.
        let of_best = f64::min(interval[0] * (inner.margin - 1.0), inner.margin - 1.0);
        let given_away = inner.mean_gain - 1.0 - of_best;
        assert!(given_away >= -1e-12, "round {t}: Lemma 5");
        lemma_5 += given_away;
        for (h, (of_h, regret, lemma_4)) in experts.iter().zip(&mut of_experts) {
            let agreement = h.vote(x).unwrap().sign() * y.sign();
            *of_h += agreement;
            *regret += inner.mean_p * agreement - inner.taught;
            *lemma_4 += (1.0 - inner.mean_p) * (1.0 - agreement);
            let slack = gain - (*of_h - *regret - oco);
            let rounding = 1e-11 * f64::from(t) / gamma;
            assert!(slack >= -rounding, "round {t}, {h:?}: {slack}");
            assert!((slack - *lemma_4 - lemma_5).abs() <= rounding, "round {t}, {h:?}: not tight");
        }
    }
    assert!(n == 1 || gain > 0.0, "γ = {gamma}: it has learnt nothing");
}

/// What is added up over the rounds of one run.
#[derive(Default)]
struct Run {
    excess: f64,
    regret: f64,
    oco: f64,
    /// By Lemmas 4 and 5.
    given_away: f64,
    coins: f64,
}

impl Run {
    /// A round in which ŷ was voted and the expert said h.
    fn record(&mut self, trace: &Trace, gamma: f64, [vote, expert, y]: [Label; 3]) {
        let n = trace.votes().len() as f64;
        self.excess += (expert.sign() - vote.sign()) * y.sign();
        let inner = Inner::of(trace, gamma, y, [-1.0, 1.0]);
        self.oco += inner.oco_regret / n;
        self.given_away += (1.0 - inner.mean_p) * (1.0 - expert.sign() * y.sign());
        self.given_away += inner.mean_gain - 1.0 + (inner.margin - 1.0).abs();
        for ((w, p), passed) in trace.votes().iter().zip(trace.p()).zip(trace.passed()) {
            let passed = passed.unwrap(); // Algorithm 1 passes every learner a label
            // Σ(γh − W_i)y^i, the regret on the labels that were passed.
            self.regret += (gamma * expert.sign() - w.sign()) * passed.sign() / n;
            self.coins += f64::from(passed == y) - 0.5 * (1.0 + p);
        }
    }
}

const SEEDS: u32 = 20;

/// Proposition 3 on 20 seeds with Hedge over stumps, the regrets measured on the labels that were passed: for
/// the best expert, Σh(x_t)y_t − Σŷ_ty_t = mean_i R_i/γ + (1/N)ΣR_{A,t} in the mean, less what Lemmas 4 and 5
/// give away. Both sides are held to it, so that another law of the vote or of the labels shows.
///
/// The sure form holds for E_Π[ŷ_t] and for p_t^iy_t in place of y_t^i. Given the past, ŷ_t has a range of 2,
/// and the N independent labels y_t^i move the regrets' mean over γ by at most 2(1 + γ)/(γN) each: a round's
/// squared ranges sum to 4 + 4(1 + γ)²/(γ²N). The labels alone: Σ(1[y_t^i = y_t] − (1 + p_t^i)/2) has NT
/// ranges of 1. An expert is right on nine examples of ten, so that the bound says more than that the booster
/// is no worse than a coin.
#[test]
fn proposition_3_holds_in_expectation_over_hedge() {
    let (examples, rounds) = (Examples::letter(), 1200_u32);
    let thresholds = examples.thresholds(4);
    let experts = class(&thresholds);
    let stream = examples.nearly_separable(rounds as usize, experts[20], 0.1, 11);
    let (best, of_best) = stream.best(&experts);
    for (gamma, n) in [(1.0, 20_u32), (0.7, 36)] {
        let mut sum = Run::default();
        for seed in 0..SEEDS {
            let learners = hedges(&thresholds, rounds, u64::from(n), u64::from(seed));
            let mut key = rng(u64::from(seed), 0);
            let mut booster = OnlineAgnosticBooster::with_ogd(learners, gamma, &mut key).unwrap();
            for (x, y) in stream.examples() {
                let vote = booster.round(x, y).unwrap();
                sum.record(booster.trace(), gamma, [vote, best.vote(x).unwrap(), y]);
            }
        }
        let (seeds, t, n) = (f64::from(SEEDS), f64::from(rounds), f64::from(n));
        let (excess, bound) = (sum.excess / seeds, (sum.regret / gamma + sum.oco) / seeds);
        let margin_of_bound = margin(t * (4.0 + 4.0 * (1.0 + gamma).powi(2) / (gamma * gamma * n)), seeds);
        let missed = excess - (bound - sum.given_away / seeds);
        assert!(missed.abs() <= margin_of_bound, "γ = {gamma}: {missed} beyond ±{margin_of_bound}");
        assert!(sum.given_away >= 0.0 && bound + margin_of_bound < 0.8 * of_best, "{bound} of {of_best}");
        assert!((sum.coins / seeds).abs() <= margin(n * t, seeds), "line 6: {}", sum.coins / seeds);
        // Hedge's own theorem: R_W(T) ≤ √(2T ln n) on what it is taught.
        let hedge = (2.0 * t * (experts.len() as f64).ln()).sqrt();
        let theorem = hedge / gamma + t * (1.0 + 1.0 / gamma) / n.sqrt();
        assert!(excess <= theorem && theorem < of_best, "γ = {gamma}: {excess}, {theorem}, {of_best}");
    }
}

/// Proposition 3 on 20 seeds with a weak learner whose advantage is known and whose R_W is 0: only the OCO
/// learner's regret is left, realised and as proved, less what the lemmas give away. The learners' coins add
/// ranges of 2/(γN), N a round.
#[test]
fn proposition_3_holds_in_expectation_over_a_known_advantage() {
    let (examples, rounds) = (Examples::adult(), 600_u32);
    let experts = class(&examples.thresholds(4));
    let stream = examples.nearly_separable(rounds as usize, experts[20], 0.1, 12);
    let (best, of_best) = stream.best(&experts);
    for (gamma, n) in [(0.6, 25_u32), (0.4, 100)] {
        let mut sum = Run::default();
        for seed in 0..SEEDS {
            let learners = synthetic(best, gamma, u64::from(n), u64::from(seed));
            let mut key = rng(u64::from(seed), 0);
            let mut booster = OnlineAgnosticBooster::with_ogd(learners, gamma, &mut key).unwrap();
            for (x, y) in stream.examples() {
                let vote = booster.round(x, y).unwrap();
                sum.record(booster.trace(), gamma, [vote, best.vote(x).unwrap(), y]);
            }
        }
        let (seeds, t, n) = (f64::from(SEEDS), f64::from(rounds), f64::from(n));
        let coins = 4.0 * (1.0 + gamma).powi(2) + 4.0;
        let margin = margin(t * (4.0 + coins / (gamma * gamma * n)), seeds);
        let (excess, realised) = (sum.excess / seeds, sum.oco / seeds);
        let missed = excess - (realised - sum.given_away / seeds);
        assert!(missed.abs() <= margin, "γ = {gamma}: {missed} beyond ±{margin}");
        let proved = t * (1.0 + 1.0 / gamma) / n.sqrt();
        assert!(
            realised <= proved && realised + margin < of_best,
            "{realised}, {proved}, {margin}, {of_best}"
        );
    }
}
