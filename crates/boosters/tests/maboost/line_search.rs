//! Steps by line search: the bounds that their proof gives, and that no other step makes more of an answer.

use crate::account::holds_in_every_state;
use crate::regret;
use crate::samples::Task;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{
    Active, AdaBoost, Answer, BoostingMap, BoostingRun, Examples, Lazy, MirrorAscent, Promise, Reweighting,
    Schedule, SmoothBoost, Update,
};
use projections::{CappedSimplex, Euclidean, NegativeEntropy, Projection, Simplex};
use proptest::prelude::*;
use std::marker::PhantomData;
use weak_learners::Label::{self, Minus, Plus};
use weak_learners::batch::{BinnedTree, LeafAnswer, WeakLearner};

fn ascent<R: BoostingMap, U: Update<R, Simplex>>(
    regulariser: R,
    examples: &Examples,
    schedule: Schedule,
) -> MirrorAscent<R, Simplex, U>
where
    Simplex: Projection<R>,
{
    MirrorAscent::new(regulariser, Simplex::new(1.0).unwrap(), examples, schedule).unwrap()
}

struct LineSearch<U>(PhantomData<U>);

impl<U: Update<Euclidean, Simplex> + Update<NegativeEntropy, Simplex>> Claim for LineSearch<U> {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        let start = examples.start();
        let heaviest = start.iter().copied().fold(0.0, f64::max);
        let lightest = start.iter().copied().fold(1.0, f64::min);
        // 1/(1 + Σγ²/(‖d‖²·max D)), from votes that are asked for again.
        let (mut sum, mut votes) = (0.0, vec![0.0; trial.labels.len()]);
        let quadratic = ascent::<_, U>(Euclidean, examples, Schedule::LineSearch);
        holds_in_every_state(trial, examples, quadratic, |run| {
            let h = run.ensemble().hypotheses().last().unwrap();
            trial.learner.evaluate(h, &trial.sample, &mut votes).unwrap();
            let edge = run.record().last().unwrap().edge;
            sum += edge * edge / examples.counted().map(|i| votes[i] * votes[i]).sum::<f64>();
            let squares: f64 = start.iter().map(|d| d * d).sum();
            let etas: f64 = run.record().iter().map(|round| round.eta).sum();
            let odds = sum / heaviest;
            Promise {
                error: 1.0 / (1.0 + odds / 2.0),
                tight: Some(1.0 / (1.0 + odds)),
                margin: Some((sum - (1.0 - 2.0 * lightest + squares)) / (2.0 * etas)),
            }
        });
        // ΠZ_t = ΣD_i exp(−a_i F(x_i)), as w_{T+1} is D∘exp(−aF)/ΠZ_t.
        let entropy = ascent::<_, U>(NegativeEntropy, examples, Schedule::LineSearch);
        holds_in_every_state(trial, examples, entropy, |run| {
            let error: f64 = start.iter().zip(run.margins()).map(|(d, m)| d * (-m).exp()).sum();
            let etas: f64 = run.record().iter().map(|round| round.eta).sum();
            let roots = run.record().iter().map(|round| (1.0 - round.edge * round.edge).sqrt());
            assert!(error <= roots.product::<f64>() + 1e-10, "{}", trial.name);
            Promise { error, tight: None, margin: Some((lightest.ln() - error.ln()) / etas) }
        });
    }
}

#[test]
fn active_line_search_keeps_its_bounds() {
    on_real_data(30, &LineSearch::<Active>(PhantomData));
}

#[test]
fn lazy_line_search_keeps_its_bounds() {
    on_real_data(30, &LineSearch::<Lazy>(PhantomData));
}

/// Trees that answer means answer less than ±1: the steps are larger and the bound is lower after as many
/// rounds.
#[test]
fn it_beats_the_fixed_step_where_answers_are_means() {
    for (name, task) in Task::real() {
        let tree = BinnedTree::new(2, LeafAnswer::Mean, 0.0).unwrap();
        let trial = Trial::new(name, task.binned(), &task.labels, tree, 30);
        let bound = |schedule| {
            let examples = trial.uniform();
            let [quadratic, entropy] = [
                last_bound(&trial, ascent::<_, Active>(Euclidean, &examples, schedule)),
                last_bound(&trial, ascent::<_, Active>(NegativeEntropy, &examples, schedule)),
            ];
            (quadratic, entropy)
        };
        let (fixed, searched) = (bound(Schedule::Theorem1), bound(Schedule::LineSearch));
        assert!(searched.0 < fixed.0 && searched.1 < fixed.1, "{name}: {searched:?} {fixed:?}");
    }
}

fn last_bound<W: WeakLearner + Clone>(trial: &Trial<W>, algorithm: impl Reweighting) -> f64 {
    let mut run = BoostingRun::new(trial.uniform(), trial.learner.clone(), algorithm).unwrap();
    for _ in 0..trial.rounds {
        let _ = run.round(&trial.sample).unwrap();
    }
    run.record().last().unwrap().promise.error
}

fn answer() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, f64)> {
    let one = (0.0..1.0_f64, prop_oneof![-1.0..1.0_f64, Just(1.0), Just(-1.0), Just(0.0)]);
    (prop::collection::vec(one, 1..30), prop_oneof![Just(1.0), Just(1e-6), Just(1e-200)]).prop_filter_map(
        "no weight or no edge",
        |(examples, unit)| {
            let total: f64 = examples.iter().map(|(w, _)| w).sum();
            let w: Vec<f64> = examples.iter().map(|(w, _)| w / total).collect();
            let d: Vec<f64> = examples.iter().map(|(_, d)| d * unit).collect();
            let edge: f64 = -rows::dot(&w, &d);
            let sign = if edge < 0.0 { -1.0 } else { 1.0 };
            (total > 0.1 && edge.abs() > 1e-3 * unit)
                .then(|| (w, d.iter().map(|d| d * sign).collect(), edge.abs()))
        },
    )
}

proptest! {
    /// P grows by what the formula says, by at least what a fixed step gives, and by no less at any other η.
    #[test]
    fn no_other_step_makes_more_progress((w, d, edge) in answer()) {
        let n = d.len() as f64;
        let unit = d.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        let squares: f64 = d.iter().map(|d| (d / unit) * (d / unit)).sum();
        // Steps and edges in units of the largest |d_i|.
        let quadratic = |u: f64| u * (edge / unit) - 0.5 * u * u * squares;
        let entropy = |u: f64| -w.iter().zip(&d).map(|(w, d)| w * (u * (d / unit)).exp_m1()).sum::<f64>().ln_1p();
        let chosen = [Euclidean::line_search(&w, &d, edge), NegativeEntropy::line_search(&w, &d, edge)];
        let gains: [&dyn Fn(f64) -> f64; 2] = [&quadratic, &entropy];
        for ((step, gain), fixed) in chosen.iter().zip(gains).zip([0.5 * edge * edge / n, 0.5 * edge * edge]) {
            let u = step.eta * unit;
            prop_assert!(step.eta > 0.0 && step.eta.is_finite() && u <= 32.0 * (1.0 + 1e-15));
            prop_assert!((step.progress - gain(u)).abs() <= 1e-12 * (1.0 + step.progress));
            prop_assert!(step.progress >= fixed * (1.0 - 1e-9));
            for other in [0.5 * u, 0.9 * u, 0.999 * u, 1.001 * u, 1.1 * u, 2.0 * u, 1.0] {
                prop_assert!(other > 32.0 || gain(other) <= step.progress * (1.0 + 1e-12), "{u} {other}");
            }
        }
        // √(1 − γ²) is no less than the least Z; γ is at most 1, but for the rounding of Σw.
        prop_assert!((-chosen[1].progress).exp() <= (1.0 - edge * edge).max(0.0).sqrt() + 1e-12);
    }

    /// For h = ±1 the step of least Z is AdaBoost's.
    #[test]
    fn on_signs_it_is_adaboost(signs in prop::collection::vec(prop::bool::weighted(0.7), 3..40)) {
        let losses: Vec<f64> = signs.iter().map(|right| if *right { -1.0 } else { 1.0 }).collect();
        let labels: Vec<Label> = signs.iter().map(|right| if *right { Plus } else { Minus }).collect();
        let examples = Examples::uniform(labels).unwrap();
        let edge = -losses.iter().sum::<f64>() / losses.len() as f64;
        prop_assume!(edge > 1e-3 && edge < 1.0);
        let answer = Answer { losses: &losses, edge, error_before: 1.0 };
        let mut searched = ascent::<_, Active>(NegativeEntropy, &examples, Schedule::LineSearch);
        let mut ada = AdaBoost::new(&examples).unwrap();
        let (a, b) = (searched.reweight(answer).unwrap(), ada.reweight(answer).unwrap());
        prop_assert!((a - b).abs() <= 1e-12 * b, "{a} {b}");
        prop_assert!((searched.promise().error - ada.promise().error).abs() <= 1e-12);
    }
}

/// Of a hypothesis that is right on every example no step is too large; the one that is taken is finite, its
/// bound is below one example, and so the error is 0. The run goes on.
#[test]
fn a_perfect_hypothesis_has_a_finite_step() {
    let examples = Examples::uniform(vec![Plus; 4]).unwrap();
    let mut search = ascent::<_, Active>(NegativeEntropy, &examples, Schedule::LineSearch);
    let mut margins = [0.0; 4];
    // Wrong on three of four with an edge in their favour is not possible; so a weak h first, then a perfect
    // one.
    for (losses, edge) in [([-1.0, 1.0, -1.0, -1.0], 0.5), ([-1.0; 4], 1.0), ([-0.5; 4], 0.5)] {
        let eta = search.reweight(Answer { losses: &losses, edge, error_before: 1.0 }).unwrap();
        assert!(eta.is_finite() && eta > 0.0);
        margins.iter_mut().zip(losses).for_each(|(m, d)| *m -= eta * d);
    }
    assert!(search.promise().error < 0.25 && margins.iter().all(|m| *m > 0.0), "{margins:?}");
    let sum: f64 = search.weights().iter().sum();
    assert!((sum - 1.0).abs() < 1e-12);
}

/// Caps change nothing in the argument: P = −Σ ln Z_t, from weights and votes that are asked for again.
struct Capped<U>(PhantomData<U>);

impl<U: Update<NegativeEntropy, CappedSimplex>> Claim for Capped<U> {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        let start = examples.start();
        let caps: Vec<f64> = start.iter().map(|d| 4.0 * d).collect();
        let set = CappedSimplex::new(caps.clone(), 1.0).unwrap();
        let capped = MirrorAscent::<_, _, U>::new(NegativeEntropy, set, examples, Schedule::LineSearch);
        let (mut progress, mut w) = (0.0, start.to_vec());
        let mut before = vec![0.0; start.len()];
        holds_in_every_state(trial, examples, capped.unwrap(), |run| {
            // The margins grew by −ηd.
            let grown = run.margins().iter().zip(&before);
            progress -= w.iter().zip(grown).map(|(w, (m, old))| w * (old - m).exp()).sum::<f64>().ln();
            w.copy_from_slice(run.algorithm().weights());
            before.copy_from_slice(run.margins());
            regret::entropy_below(&trial.name, start, &caps, run.margins(), progress);
            Promise { error: (-progress).exp().max(0.25), tight: None, margin: None }
        });
    }
}

#[test]
fn capped_line_search_keeps_its_bound() {
    on_real_data(20, &Capped::<Active>(PhantomData));
    on_real_data(20, &Capped::<Lazy>(PhantomData));
    // The theorem is that of smooth boosting.
    let examples = Examples::uniform(vec![Plus; 8]).unwrap();
    assert_eq!(SmoothBoost::<Active>::smooth(&examples, 4.0).unwrap().promise().error, 1.0);
}
