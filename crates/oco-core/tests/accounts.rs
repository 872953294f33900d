//! Accounts and their records: closed forms against each other and against certified solvers, and what
//! loading refuses.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "what is compared exactly is exact")]

use oco_core::learners::Ogd;
use oco_core::losses::{
    AbsoluteLoss, HuberLoss, LinearLoss, LogPortfolioLoss, LogisticLoss, Loss, LossSum, QuadraticLoss,
    SquaredLoss,
};
use oco_core::regret::{
    LinearRegret, QuadraticRegret, RegretRecord, Rounds, best_in_hindsight, pairwise_frank_wolfe,
};
use oco_core::{OcoError, OnlineLearner, StepSchedule};
use projections::{AnySet, BoxSet, CappedSimplex, L1Ball, L2Ball, Simplex};
use proptest::prelude::*;

fn polytopes() -> Vec<AnySet> {
    vec![
        AnySet::Simplex(Simplex::new(1.5).unwrap()),
        AnySet::CappedSimplex(CappedSimplex::new(vec![0.5, 0.4, 0.3, 0.2], 1.0).unwrap()),
        AnySet::Box(BoxSet::new(vec![-1.0, 0.0, 0.5, -2.0], vec![1.0, 0.5, 2.0, -1.0]).unwrap()),
        AnySet::L1Ball(L1Ball::new(1.2).unwrap()),
    ]
}

fn sets() -> Vec<AnySet> {
    polytopes().into_iter().chain([AnySet::L2Ball(L2Ball::new(0.7).unwrap())]).collect()
}

/// (a_t/2)‖x − c‖² as a quadratic form.
struct Bowl {
    a: Vec<f64>,
    b: Vec<f64>,
    c: f64,
}

fn bowl(weight: f64, centre: &[f64]) -> Bowl {
    let n = centre.len();
    let a = (0..n * n).map(|k| if k % (n + 1) == 0 { weight } else { 0.0 }).collect();
    let b = centre.iter().map(|c| -weight * c).collect();
    Bowl { a, b, c: 0.5 * weight * centre.iter().map(|c| c * c).sum::<f64>() }
}

fn rounds() -> impl Strategy<Value = Vec<(f64, Vec<f64>, Vec<f64>)>> {
    let point = || prop::collection::vec(-2.0..2.0_f64, 4);
    prop::collection::vec((0.1..3.0_f64, point(), point()), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The account of weighted quadratics, the losses themselves, and both solvers agree to 1e−8.
    #[test]
    fn quadratics_in_closed_form_and_by_solvers(rounds in rounds()) {
        let bowls: Vec<Bowl> = rounds.iter().map(|(a, c, _)| bowl(*a, c)).collect();
        let losses: Vec<_> = bowls.iter().map(|q| QuadraticLoss::new(&q.a, &q.b, q.c).unwrap()).collect();
        let sum = LossSum::new(&losses).unwrap();
        let mut account = QuadraticRegret::new(4).unwrap();
        rounds.iter().for_each(|(a, c, x)| account.record_weighted(*a, c, x).unwrap());
        let played: f64 = losses.iter().zip(&rounds).map(|(loss, (_, _, x))| loss.value(x)).sum();
        for set in sets() {
            let exact = account.regret(&set).unwrap();
            prop_assert!((exact.learner_loss - played).abs() < 1e-10);
            prop_assert!((exact.comparator_loss - sum.value(&exact.comparator)).abs() < 1e-10);
            let found = best_in_hindsight(&sum, &set, 1e-9, 2000).unwrap();
            prop_assert!(found.gap <= 1e-9, "{set:?}: {} after {} steps", found.gap, found.steps);
            prop_assert!((found.loss - exact.comparator_loss).abs() <= 2e-9);
            let regret = found.regret(played);
            prop_assert!(regret.value <= exact.value + 1e-10 && exact.value <= regret.value + regret.gap + 1e-10);
        }
        for set in polytopes() {
            let exact = account.regret(&set).unwrap().comparator_loss;
            let found = pairwise_frank_wolfe(&sum, &set, 1e-8, 2000).unwrap();
            prop_assert!(found.gap <= 1e-8, "{set:?}: {} after {} steps", found.gap, found.steps);
            prop_assert!((found.loss - exact).abs() <= 2e-8);
        }
    }

    /// The two solvers certify the same minimum of losses without a closed form. A sum of few losses is flat
    /// along some directions, and then theory leaves pairwise steps a gap of order 1/steps only; such sums
    /// have been drawn (gap 1.6e−6 after 20,000 steps, on a box).
    #[test]
    fn solvers_agree_on_smooth_losses(rounds in rounds()) {
        fn agree<L: Loss>(losses: &[L], sets: &[AnySet]) {
            let sum = LossSum::new(losses).unwrap();
            for set in sets {
                let by_projection = best_in_hindsight(&sum, set, 1e-8, 20_000).unwrap();
                let by_vertices = pairwise_frank_wolfe(&sum, set, 1e-8, 20_000).unwrap();
                assert!(by_projection.gap <= 1e-8, "{set:?}: {by_projection:?}");
                assert!(by_vertices.gap <= 1e-4, "{set:?}: {by_vertices:?}");
                // Neither loss exceeds the minimum, and so the other loss, by more than its own gap.
                let above = by_projection.loss - by_vertices.loss;
                assert!(above <= by_projection.gap + 1e-12 && -above <= by_vertices.gap + 1e-12);
            }
        }
        let logistic: Vec<_> = rounds.iter().map(|(a, x, _)| LogisticLoss::new(x, (a - 1.5).signum()).unwrap()).collect();
        agree(&logistic, &polytopes());
        let huber: Vec<_> = rounds.iter().map(|(a, x, _)| HuberLoss::new(x, *a, 0.5).unwrap()).collect();
        agree(&huber, &polytopes());
        let relatives: Vec<Vec<f64>> = rounds.iter().map(|(_, x, _)| x.iter().map(|v| v.exp()).collect()).collect();
        let portfolio: Vec<_> = relatives.iter().map(|r| LogPortfolioLoss::on_simplex(r).unwrap()).collect();
        agree(&portfolio, &[AnySet::Simplex(Simplex::new(1.0).unwrap())]);
    }

    /// Linear losses: the closed form is the solvers' answer, and at a kink the returned gap still certifies.
    #[test]
    fn linear_losses_and_kinks(rounds in rounds(), others in prop::collection::vec(prop::collection::vec(0.0..1.0_f64, 4), 20)) {
        let losses: Vec<_> = rounds.iter().map(|(_, g, _)| LinearLoss::new(g).unwrap()).collect();
        let kinked: Vec<_> = rounds.iter().map(|(a, x, _)| AbsoluteLoss::new(x, *a).unwrap()).collect();
        let kinked = LossSum::new(&kinked).unwrap();
        let mut account = LinearRegret::new(4).unwrap();
        rounds.iter().for_each(|(_, g, x)| account.record(g, x).unwrap());
        for set in sets() {
            let exact = account.regret(&set).unwrap();
            prop_assert_eq!(exact.gap, 0.0);
            let found = best_in_hindsight(&LossSum::new(&losses).unwrap(), &set, 1e-10, 1000).unwrap();
            prop_assert!((found.loss - exact.comparator_loss).abs() <= 1e-9, "{:?}: {:?}", set, found);
            for found in [best_in_hindsight(&kinked, &set, 1e-6, 100).unwrap(), pairwise_frank_wolfe(&kinked, &set, 1e-6, 100).unwrap()] {
                for other in &others {
                    let mut u: Vec<f64> = other.iter().map(|v| 4.0 * v - 2.0).collect();
                    projections::Projection::<projections::Euclidean>::project(&set, &mut u).unwrap();
                    prop_assert!(kinked.value(&u) >= found.loss - found.gap - 1e-9);
                }
            }
        }
    }
}

/// A million rounds: the record costs next to nothing, and its size is logarithmic.
#[test]
fn a_million_rounds_are_recorded() {
    let (set, n) = (L2Ball::new(1.0).unwrap(), 10);
    let mut learner = Ogd::new(set, n, StepSchedule::zinkevich(2.0, 10_f64.sqrt()).unwrap()).unwrap();
    let (mut account, mut record) = (LinearRegret::new(n).unwrap(), RegretRecord::new(Rounds::Milestones));
    let mut g = vec![0.0; n];
    for t in 1..=1_000_000_u32 {
        for (j, g) in (1_u32..).zip(&mut g) {
            *g = if t.wrapping_mul(2_654_435_761).wrapping_mul(j) >> 28 < 9 { 1.0 } else { -1.0 };
        }
        account.record(&g, learner.play()).unwrap();
        learner.observe(&g).unwrap();
        if record.wants(account.rounds()) {
            let bound = 1.5 * 2.0 * 10_f64.sqrt() * f64::from(t).sqrt();
            record.push(account.rounds(), &account.regret(&set).unwrap(), bound).unwrap();
        }
    }
    assert!(record.bound_holds(), "{:?}", record.first_breach());
    let points = record.points();
    assert!((100..200).contains(&points.len()), "{} points", points.len());
    let last = points.last().unwrap();
    assert!(
        last.round > 900_000
            && last.regret > 0.0
            && last.regret + last.comparator_loss - last.learner_loss < 1e-6
    );
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<RegretRecord>(&text).unwrap(), record);
}

#[test]
fn a_record_notices_a_breach_and_refuses_disorder() {
    let mut account = LinearRegret::new(1).unwrap();
    let mut record = RegretRecord::new(Rounds::Chosen([2, 5].into()));
    assert_eq!((0..7).filter(|t| record.wants(*t)).collect::<Vec<_>>(), [2, 5]);
    account.record(&[1.0], &[1.0]).unwrap();
    let mut regret = account.regret(&BoxSet::interval(-1.0, 1.0).unwrap()).unwrap();
    assert_eq!(regret.value, 2.0);
    record.push(1, &regret, 2.0).unwrap();
    assert!(record.bound_holds());
    // Within the bound as far as it is known, but not certainly.
    regret.gap = 0.5;
    record.push(2, &regret, 2.25).unwrap();
    assert!(!record.bound_holds() && record.first_breach().unwrap().round == 2);
    for (round, bound) in [(2, 9.0), (1, 9.0), (3, f64::NAN), (3, f64::INFINITY)] {
        assert!(record.push(round, &regret, bound).is_err());
    }
    regret.value = f64::INFINITY;
    assert!(record.push(3, &regret, 9.0).is_err());
    assert_eq!(record.points().len(), 2);
    let text = serde_json::to_string(&record).unwrap();
    for (from, to) in [
        ("\"round\":2", "\"round\":1"),
        ("\"gap\":0.5", "\"gap\":-0.5"),
        ("\"bound\":2.25", "\"bound\":1e999"),
    ] {
        assert!(text.contains(from), "{from} is in {text}");
        assert!(serde_json::from_str::<RegretRecord>(&text.replace(from, to)).is_err(), "{to}");
    }
}

/// A refused round is not booked, and a saved account is checked like a new one.
#[test]
fn accounts_are_checked_on_the_way_in() {
    let mut account = QuadraticRegret::new(1).unwrap();
    account.record_weighted(3.0, &[1.0], &[2.0]).unwrap();
    let before = account.clone();
    assert!(matches!(account.record(&[1e200], &[0.0]), Err(OcoError::TooLarge { .. })));
    assert!(matches!(account.record_weighted(1e140, &[1e140], &[0.0]), Err(OcoError::NotFiniteLoss { .. })));
    for a in [0.0, -1.0, f64::NAN] {
        assert!(account.record_weighted(a, &[1.0], &[2.0]).is_err());
    }
    assert!(account.record(&[1.0, 2.0], &[2.0]).is_err());
    assert_eq!(account, before);
    let text = serde_json::to_string(&account).unwrap();
    assert_eq!(serde_json::from_str::<QuadraticRegret>(&text).unwrap(), account);
    for (from, to) in [
        ("\"mean\":[1.0]", "\"mean\":[]"),
        ("\"learner_loss\":1.5", "\"learner_loss\":-1.5"),
        ("\"weight\":1.5", "\"weight\":0.0"),
        ("\"weight\":1.5", "\"weight\":-1.5"),
    ] {
        assert!(text.contains(from), "{from} is in {text}");
        assert!(serde_json::from_str::<QuadraticRegret>(&text.replace(from, to)).is_err(), "{to}");
    }
    let mut account = LinearRegret::new(1).unwrap();
    account.record(&[1.0], &[2.0]).unwrap();
    let text = serde_json::to_string(&account).unwrap();
    assert_eq!(serde_json::from_str::<LinearRegret>(&text).unwrap(), account);
    for (from, to) in [("\"gradient_sum\":[1.0]", "\"gradient_sum\":[]"), ("\"rounds\":1", "\"rounds\":0")] {
        assert!(text.contains(from), "{from} is in {text}");
        assert!(serde_json::from_str::<LinearRegret>(&text.replace(from, to)).is_err(), "{to}");
    }
    assert!(
        best_in_hindsight(
            &SquaredLoss::new(&[1.0]).unwrap(),
            &BoxSet::new(vec![0.0; 2], vec![1.0; 2]).unwrap(),
            1e-3,
            9
        )
        .is_err()
    );
}

/// A centre so far away that the best point's loss is beyond the range is an error, and a centre of nothing
/// is refused.
#[test]
fn quadratic_regrets_beyond_the_range_are_refused() {
    let mut account = QuadraticRegret::new(1).unwrap();
    for _ in 0..5 {
        account.record_weighted(1e140, &[1e84], &[1e84]).unwrap();
    }
    let regret = account.regret(&L2Ball::new(1.0).unwrap());
    assert!(matches!(regret, Err(OcoError::NotFiniteLoss { value }) if value == f64::INFINITY), "{regret:?}");
    let load = |mean, weight| {
        let (scatter, learner_loss) = (0.0, 0.0);
        let text = serde_json::json!({ "mean": [mean], "scatter": scatter, "learner_loss": learner_loss, "weight": weight });
        serde_json::from_value::<QuadraticRegret>(text).is_ok()
    };
    assert!(load(0.0, 0.0) && load(0.5, 1.0) && !load(0.5, 0.0));
}
