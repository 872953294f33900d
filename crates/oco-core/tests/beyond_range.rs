//! The doors: a number above 1e140 in magnitude is refused where it enters. At 1e140 and 1e−140 results hold.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "what is compared exactly is exact")]

use oco_core::bandit::{Estimates, Fkm, MultiPointFkm, SphericalEstimator};
use oco_core::games::{BestResponse, Game, MatrixGame, ZeroSumGame};
use oco_core::learners::{
    AdaGrad, BalancedWinnow, Comid, Draws, DualAveraging, FollowTheLeader, FollowThePerturbedLeader, Ftrl,
    FtrlQuadratic, Hedge, LazyOgd, MirrorDescent, Ogd, OptimisticMirrorDescent, Perceptron, Perturbation,
    Winnow,
};
use oco_core::losses::{
    AbsoluteLoss, HingeLoss, HuberLoss, LinearLoss, LogPortfolioLoss, LogisticLoss, Loss, QuadraticLoss,
    SquaredLoss,
};
use oco_core::projection_free::{
    ExactGradient, GradientNoise, MetaFrankWolfe, Morgfw, OneGradient, OnlineFrankWolfe, OracleLearner,
    ProjectionFreeOco, StochasticGradient,
};
use oco_core::regret::{LinearRegret, QuadraticRegret};
use oco_core::{BanditLearner, OcoError, OnlineLearner, Restart, StepSchedule};
use projections::{
    AnySet, BoxSet, CappedSimplex, Euclidean, L1Ball, L2Ball, NegativeEntropy, PNorm, Simplex, UnitBox,
    WholeSpace,
};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::numeric::{LARGEST, scale};

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(3)
}

fn interval() -> BoxSet {
    BoxSet::interval(-1.0, 1.0).unwrap()
}

/// A number that enters, with the index at which it is refused.
type Door = (&'static str, usize, fn(f64) -> Result<(), OcoError>);

/// Every number that a constructor takes.
#[allow(clippy::too_many_lines, reason = "a table")]
fn constructors() -> Vec<Door> {
    fn ball() -> L2Ball {
        L2Ball::new(1.0).unwrap()
    }
    vec![
        ("step scale", 0, |v| StepSchedule::constant(v).map(drop)),
        ("step exponent", 0, |v| StepSchedule::power(1.0, v).map(drop)),
        ("diameter", 0, |v| StepSchedule::zinkevich(v, 1.0).map(drop)),
        ("lipschitz", 0, |v| StepSchedule::zinkevich(1.0, v).map(drop)),
        ("alpha", 0, |v| StepSchedule::strongly_convex(v).map(drop)),
        ("diameter", 0, |v| StepSchedule::lecture_theorem_2(v, 1.0, 9).map(drop)),
        ("start", 1, |v| {
            let step = StepSchedule::constant(1.0).unwrap();
            Ogd::starting_at(WholeSpace, vec![0.0, v], step).map(drop)
        }),
        ("eta", 0, |v| LazyOgd::new(ball(), 1, v).map(drop)),
        ("origin", 1, |v| LazyOgd::around(ball(), vec![0.0, v], 1.0).map(drop)),
        ("eta", 0, |v| Comid::new(1, v, 1.0).map(drop)),
        ("lambda", 0, |v| Comid::new(1, 1.0, v).map(drop)),
        ("start", 1, |v| Comid::starting_at(None, vec![0.0, v], 1.0, 1.0).map(drop)),
        ("D", 0, |v| AdaGrad::new(interval(), v).map(drop)),
        ("eta", 0, |v| MirrorDescent::new(Euclidean, ball(), 1, v).map(drop)),
        ("start", 1, |v| MirrorDescent::starting_at(Euclidean, WholeSpace, vec![0.0, v], 1.0).map(drop)),
        ("eta", 0, |v| OptimisticMirrorDescent::new(Euclidean, ball(), 1, v).map(drop)),
        ("origin", 1, |v| OptimisticMirrorDescent::around(Euclidean, ball(), vec![0.0, v], 1.0).map(drop)),
        ("origin", 1, |v| DualAveraging::around(Euclidean, ball(), vec![0.0, v], 1.0).map(drop)),
        ("eta", 0, |v| Ftrl::new(Euclidean, ball(), 1, v).map(drop)),
        ("eta", 0, |v| Hedge::new(2, v).map(drop)),
        ("largest loss", 0, |v| Hedge::tuned(2, v, 9).map(drop)),
        ("eta", 0, |v| FtrlQuadratic::new(ball(), 1, v).map(drop)),
        ("start", 1, |v| FollowTheLeader::starting_at(L2Ball::new(1e141).unwrap(), vec![0.0, v]).map(drop)),
        ("epsilon", 0, |v| {
            FollowThePerturbedLeader::new(ball(), 1, Perturbation::Gaussian, v, Draws::Once, rng()).map(drop)
        }),
        ("eta", 0, |v| Winnow::new(1, v).map(drop)),
        ("largest feature", 0, |v| Winnow::for_margin(1, v, 1.0).map(drop)),
        ("margin", 0, |v| BalancedWinnow::for_margin(1, 1.0, v).map(drop)),
        ("eta", 0, |v| OnlineFrankWolfe::new(ball(), vec![0.0], v).map(drop)),
        ("gradient bound", 0, |v| OnlineFrankWolfe::theorem(ball(), vec![0.0], v, 9).map(drop)),
        ("deviation", 0, |v| GradientNoise::gaussian(v, rng()).map(drop)),
        ("delta", 0, |v| SphericalEstimator::new(v).map(drop)),
        ("inner_radius", 0, |v| Fkm::new(L2Ball::new(1e141).unwrap(), 1, v, 1.0, 1.0, rng()).map(drop)),
        ("features", 1, |v| AbsoluteLoss::new(&[0.0, v], 1.0).map(drop)),
        ("target", 0, |v| AbsoluteLoss::new(&[0.0], v).map(drop)),
        ("features", 1, |v| LogisticLoss::new(&[0.0, v], 1.0).map(drop)),
        ("threshold", 0, |v| HingeLoss::at(v, &[1.0], 1.0).map(drop)),
        ("delta", 0, |v| HuberLoss::new(&[1.0], 0.0, v).map(drop)),
        ("slope", 1, |v| LinearLoss::new(&[0.0, v]).map(drop)),
        ("target", 1, |v| SquaredLoss::new(&[0.0, v]).map(drop)),
        ("price relatives", 1, |v| LogPortfolioLoss::on_simplex(&[1.0, v]).map(drop)),
        ("floor", 0, |v| LogPortfolioLoss::above(&[1.0], v).map(drop)),
        ("A", 3, |v| QuadraticLoss::new(&[0.0, 0.0, 0.0, v], &[0.0; 2], 0.0).map(drop)),
        ("b", 1, |v| QuadraticLoss::new(&[0.0; 4], &[0.0, v], 0.0).map(drop)),
        ("c", 0, |v| QuadraticLoss::new(&[0.0], &[0.0], v).map(drop)),
        ("M", 1, |v| MatrixGame::new(&[[0.0, v]]).map(drop)),
        ("weight", 0, |v| QuadraticRegret::new(1).unwrap().record_weighted(v, &[0.0], &[0.0])),
        ("centre", 1, |v| QuadraticRegret::new(2).unwrap().record(&[0.0, v], &[0.0; 2])),
        ("play", 1, |v| QuadraticRegret::new(2).unwrap().record(&[0.0; 2], &[0.0, v])),
        ("gradient", 1, |v| LinearRegret::new(2).unwrap().record(&[0.0, v], &[0.0; 2])),
        ("play", 1, |v| LinearRegret::new(2).unwrap().record(&[0.0; 2], &[0.0, v])),
        ("comparator", 1, |v| LinearRegret::new(2).unwrap().against(&[0.0, v]).map(drop)),
        ("comparator", 0, |v| {
            LinearRegret::new(1).unwrap().regret(&BoxSet::interval(v, v).unwrap()).map(drop)
        }),
    ]
}

#[test]
fn parameters_above_the_largest_are_refused_by_name() {
    let value = LARGEST.next_up();
    for (argument, index, door) in constructors() {
        assert_eq!(door(value), Err(OcoError::TooLarge { argument, index, value }));
        assert_eq!(door(LARGEST), Ok(()), "{argument}");
    }
    let message = StepSchedule::constant(1e200).unwrap_err().to_string();
    assert_eq!(message, "step scale[0] is 1e200: magnitudes above 1e140 are not supported");
}

/// A gradient above the largest is refused and changes nothing; one at the largest is taken.
#[test]
fn gradients_above_the_largest_change_nothing() {
    fn check<L: OnlineLearner + serde::Serialize>(what: &str, mut learner: L) {
        let saved = |learner: &L| serde_json::to_string(learner).unwrap();
        learner.observe(&[0.5, -0.25]).unwrap();
        let (before, play) = (saved(&learner), learner.play().to_vec());
        for value in [LARGEST.next_up(), -1e300] {
            let refused = learner.observe(&[1.0, value]);
            assert_eq!(refused, Err(OcoError::TooLarge { argument: "gradient", index: 1, value }), "{what}");
            assert_eq!((saved(&learner), learner.play()), (before.clone(), play.as_slice()), "{what}");
        }
        for _ in 0..3 {
            learner.observe(&[LARGEST, -LARGEST]).unwrap();
            assert!(learner.play().iter().all(|x| x.is_finite()), "{what}: {:?}", learner.play());
        }
    }
    fn restarted<L: OnlineLearner + serde::Serialize + Restart>(what: &str, mut learner: L) {
        let refused = learner.restart(1e200).unwrap_err();
        assert!(matches!(refused, OcoError::TooLarge { .. }), "{what}: {refused}");
        check(what, learner);
    }
    let (ball, simplex) = (L2Ball::new(1.0).unwrap(), Simplex::new(1.0).unwrap());
    let square = || BoxSet::new(vec![-1.0; 2], vec![1.0; 2]).unwrap();
    let step = StepSchedule::constant(LARGEST).unwrap();
    restarted("Ogd", Ogd::new(ball, 2, step).unwrap());
    check("Ogd on R^n", Ogd::new(WholeSpace, 2, step).unwrap());
    restarted("LazyOgd", LazyOgd::new(simplex, 2, LARGEST).unwrap());
    check("Comid", Comid::new(2, LARGEST, 1.0).unwrap());
    check("Comid on a box", Comid::on_box(square(), LARGEST, LARGEST).unwrap());
    check("AdaGrad", AdaGrad::new(square(), LARGEST).unwrap());
    restarted("MirrorDescent", MirrorDescent::new(NegativeEntropy, simplex, 2, LARGEST).unwrap());
    check("p-norm", MirrorDescent::new(PNorm::new(1.5).unwrap(), WholeSpace, 2, LARGEST).unwrap());
    let lazy = DualAveraging::around(NegativeEntropy, simplex, vec![1.0, 0.0], LARGEST).unwrap();
    restarted("DualAveraging", lazy);
    restarted("optimistic", OptimisticMirrorDescent::new(Euclidean, ball, 2, LARGEST).unwrap());
    restarted("Hedge", Hedge::new(2, LARGEST).unwrap());
    check("FollowTheLeader", FollowTheLeader::new(square(), 2).unwrap());
    let (law, draws) = (Perturbation::Exponential, Draws::EachRound);
    for epsilon in [1e-300, LARGEST] {
        let fpl = FollowThePerturbedLeader::new(simplex, 2, law, epsilon, draws, rng()).unwrap();
        restarted("FollowThePerturbedLeader", fpl);
    }
    check("OnlineFrankWolfe", OnlineFrankWolfe::new(ball, vec![0.0; 2], LARGEST).unwrap());
}

#[test]
fn other_feedback_above_the_largest_changes_nothing() {
    let ball = L2Ball::new(1.0).unwrap();
    let too_large = |argument, value| Err(OcoError::TooLarge { argument, index: 0, value });
    let mut quadratic = FtrlQuadratic::new(ball, 1, 1.0).unwrap();
    quadratic.observe(1.0, &[0.5]).unwrap();
    let before = serde_json::to_string(&quadratic).unwrap();
    assert_eq!(quadratic.observe(1e141, &[0.0]), too_large("curvature", 1e141));
    assert_eq!(quadratic.observe(1.0, &[1e141]), too_large("centre", 1e141));
    assert_eq!(serde_json::to_string(&quadratic).unwrap(), before);
    quadratic.observe(LARGEST, &[0.5 * LARGEST]).unwrap();
    assert_eq!(quadratic.play(), [1.0]);

    let mut optimist = OptimisticMirrorDescent::new(Euclidean, ball, 1, 1.0).unwrap();
    assert_eq!(optimist.expect(&[-1e141]), too_large("hint", -1e141));
    assert_eq!(optimist.play(), [0.0]);

    // The loss is legal; its estimate (d/δ)·loss is not. The round stays open.
    let mut fkm = Fkm::new(ball, 1, 1.0, 0.5, 1.0, rng()).unwrap();
    let played = fkm.play().to_vec();
    assert_eq!(fkm.observe(1e141), too_large("loss", 1e141));
    assert!(matches!(fkm.observe(LARGEST), Err(OcoError::TooLarge { argument: "gradient", .. })));
    assert_eq!(fkm.play(), played);
    fkm.observe(0.5 * LARGEST).unwrap();
    // One step of this size against the query direction reaches the rim of (1 − δ)K, δ = 0.5.
    let next = fkm.play()[0];
    assert!(((next + played[0].signum() * 0.5).abs() - 0.5).abs() < 1e-12, "{played:?}, then {next}");

    let mut pairs = MultiPointFkm::new(ball, 1, 1.0, 0.5, 1.0, Estimates::TwoPoint { pairs: 1 }, rng());
    let refused = pairs.as_mut().unwrap().round(&mut |_| 1e141);
    assert_eq!(refused, Err(OcoError::TooLarge { argument: "loss", index: 0, value: 1e141 }));
}

/// The estimates of a cascade are refused before any of its learners learns.
#[test]
fn estimates_above_the_largest_change_nothing() {
    fn check(what: &str, mut learner: impl OracleLearner + serde::Serialize) {
        let before = serde_json::to_string(&learner).unwrap();
        let refused = learner.observe(&mut ExactGradient(&Steep));
        let (argument, index, value) = ("gradient", 0, 1e141);
        assert_eq!(refused, Err(OcoError::TooLarge { argument, index, value }), "{what}");
        assert_eq!(serde_json::to_string(&learner).unwrap(), before, "{what}");
    }
    let ogd = Ogd::new(interval(), 1, StepSchedule::constant(1.0).unwrap()).unwrap();
    check("OneGradient", OneGradient::new(ogd.clone()));
    check("ProjectionFreeOco", ProjectionFreeOco::new(vec![ogd.clone(); 3], interval()).unwrap());
    check("MetaFrankWolfe", MetaFrankWolfe::new(vec![ogd.clone(); 3], interval()).unwrap());
    check("Morgfw", Morgfw::new(vec![ogd; 3], interval()).unwrap());
}

/// A loss with a slope above the largest.
struct Steep;

impl Loss for Steep {
    fn dimension(&self) -> usize {
        1
    }

    fn value(&self, y: &[f64]) -> f64 {
        1e141 * y[0]
    }

    fn subgradient(&self, _y: &[f64], g: &mut [f64]) {
        g[0] = 1e141;
    }
}

/// Morgfw adds differences of gradients: each gradient is legal, the estimate is not. No learner learns.
#[test]
fn recursive_estimates_above_the_largest_change_nothing() {
    /// 1e140 at the first point of a sample, −1e140 at the second.
    struct Jump {
        asked: bool,
    }
    impl StochasticGradient for Jump {
        fn dimension(&self) -> usize {
            1
        }

        fn draw(&mut self) {
            self.asked = false;
        }

        fn gradient(&mut self, _x: &[f64], g: &mut [f64]) {
            g[0] = if self.asked { -LARGEST } else { LARGEST };
            self.asked = true;
        }
    }
    let ogd = Ogd::new(interval(), 1, StepSchedule::constant(1.0).unwrap()).unwrap();
    let mut learner = Morgfw::new(vec![ogd; 3], interval()).unwrap();
    let before = serde_json::to_string(&learner).unwrap();
    let refused = learner.observe(&mut Jump { asked: false });
    assert!(
        matches!(refused, Err(OcoError::TooLarge { argument: "gradient estimate", index: 1, .. })),
        "{refused:?}"
    );
    assert_eq!(serde_json::to_string(&learner).unwrap(), before);
}

/// The payoff of a game that a caller wrote is checked before the learner learns.
#[test]
fn payoffs_above_the_largest_change_nothing() {
    struct Rich(MatrixGame);
    impl Game for Rich {
        fn dimensions(&self) -> (usize, usize) {
            self.0.dimensions()
        }

        fn payoff(&self, p: &[f64], q: &[f64]) -> f64 {
            1e141 * self.0.payoff(p, q)
        }

        fn subgradient(&self, p: &[f64], q: &[f64], gradient: &mut [f64]) {
            self.0.subgradient(p, q, gradient);
        }

        fn best_response_of_a(&self, q: &[f64], p: &mut [f64]) -> f64 {
            self.0.best_response_of_a(q, p)
        }

        fn best_response_of_b(&self, p: &[f64], q: &mut [f64]) -> f64 {
            self.0.best_response_of_b(p, q)
        }
    }
    let matrix = MatrixGame::new(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let player = LazyOgd::around(Simplex::new(1.0).unwrap(), vec![1.0, 0.0], 1.0).unwrap();
    let mut play = ZeroSumGame::new(Rich(matrix.clone()), player, BestResponse(matrix)).unwrap();
    let refused = play.round();
    assert_eq!(refused, Err(OcoError::TooLarge { argument: "payoff", index: 0, value: 1e141 }));
    assert_eq!((play.player().play(), play.rounds(), play.average_payoff()), (&[1.0, 0.0][..], 0, 0.0));
}

/// A saved sum holds what 2^53 rounds can add, and no more; a saved parameter is checked like a new one.
#[test]
fn saved_states_are_checked() {
    fn load<L: serde::Serialize + serde::de::DeserializeOwned>(learner: &L, from: &str, to: &str) -> bool {
        let text = serde_json::to_string(learner).unwrap();
        assert!(text.contains(from), "{from} is in {text}");
        serde_json::from_str::<L>(&text.replace(from, to)).is_ok()
    }
    let lazy = LazyOgd::new(interval(), 1, 0.5).unwrap();
    for (sum, legal) in [("1e155", true), ("-1e155", true), ("1e156", false), ("-1e300", false)] {
        assert_eq!(
            load(&lazy, "\"gradient_sum\":[0.0]", &format!("\"gradient_sum\":[{sum}]")),
            legal,
            "{sum}"
        );
        let perceptron = Perceptron::new(1).unwrap();
        assert_eq!(load(&perceptron, "\"w\":[0.0]", &format!("\"w\":[{sum}]")), legal, "{sum}");
        let winnow = Winnow::new(1, 0.5).unwrap();
        assert_eq!(load(&winnow, "\"theta\":[0.0]", &format!("\"theta\":[{sum}]")), legal, "{sum}");
    }
    assert!(!load(&lazy, "\"eta\":0.5", "\"eta\":1e141"));
    assert!(!load(&lazy, "\"origin\":[0.0]", "\"origin\":[1e141]"));
    // A play on R^n may be beyond, because steps add up.
    let mut far = Ogd::new(WholeSpace, 1, StepSchedule::constant(LARGEST).unwrap()).unwrap();
    far.observe(&[-LARGEST]).unwrap();
    assert_eq!(far.play(), [LARGEST * LARGEST]);
    let loaded: Ogd<WholeSpace> = serde_json::from_str(&serde_json::to_string(&far).unwrap()).unwrap();
    assert_eq!(loaded.play(), far.play());
    let cascade = ProjectionFreeOco::starting_at(vec![far], WholeSpace, vec![0.0]).unwrap();
    let text = serde_json::to_string(&cascade).unwrap();
    let loaded: ProjectionFreeOco<Ogd<WholeSpace>, WholeSpace> = serde_json::from_str(&text).unwrap();
    assert_eq!(loaded.play(), [LARGEST * LARGEST]);
}

fn plays(mut learner: impl OnlineLearner, gradients: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut plays = vec![learner.play().to_vec()];
    for g in gradients {
        learner.observe(g).unwrap();
        plays.push(learner.play().to_vec());
    }
    plays
}

/// Sets in R^3, in units of 2^−exponent.
fn sets(exponent: i32) -> Vec<AnySet> {
    let up = |v: f64| scale(v, exponent);
    vec![
        AnySet::Simplex(Simplex::new(up(1.5)).unwrap()),
        AnySet::CappedSimplex(CappedSimplex::new([0.5, 0.4, 0.3].map(up).to_vec(), up(1.0)).unwrap()),
        AnySet::Box(
            BoxSet::new([-1.0, 0.0, 0.5].map(up).to_vec(), [1.0, 0.5, 2.0].map(up).to_vec()).unwrap(),
        ),
        AnySet::L2Ball(L2Ball::new(up(0.7)).unwrap()),
        AnySet::L1Ball(L1Ball::new(up(1.2)).unwrap()),
    ]
}

fn close(got: &[Vec<f64>], want: &[Vec<f64>], exponent: i32) -> Result<(), TestCaseError> {
    for (got, want) in got.concat().iter().zip(want.concat()) {
        prop_assert!((scale(*got, -exponent) - want).abs() < 1e-12, "{got} for {want}");
    }
    Ok(())
}

/// 2^±460 is about 1e±138.5: with factors up to 2 still in the range.
const ENDS: [i32; 2] = [460, -460];

proptest! {
    /// The steps of 2^e·K from gradients 2^e·g are 2^e times those of K from g, and a sum of gradients 2^e·g
    /// with the step η/2^e is that of g with η.
    #[test]
    fn learners_are_homogeneous_at_the_ends_of_the_range(
        gradients in prop::collection::vec(prop::collection::vec(-2.0..2.0_f64, 3), 1..20),
    ) {
        let times = |e: i32| -> Vec<Vec<f64>> {
            gradients.iter().map(|g| g.iter().map(|g| scale(*g, e)).collect()).collect()
        };
        let eta = |e: i32| StepSchedule::constant(scale(1.0, e)).unwrap();
        for end in ENDS {
            for (small, large) in sets(0).into_iter().zip(sets(end)) {
                let near = plays(Ogd::new(small.clone(), 3, eta(4)).unwrap(), &gradients);
                let far = plays(Ogd::new(large.clone(), 3, eta(end / 2)).unwrap(), &times(end - end / 2 + 4));
                close(&far, &near, end)?;
                let near = plays(LazyOgd::new(small.clone(), 3, scale(1.0, 4)).unwrap(), &gradients);
                let far = plays(LazyOgd::new(large, 3, scale(1.0, 4)).unwrap(), &times(end));
                close(&far, &near, end)?;
                let near = plays(LazyOgd::new(small.clone(), 3, 0.25).unwrap(), &gradients);
                let far = plays(LazyOgd::new(small, 3, scale(0.25, -end)).unwrap(), &times(end));
                close(&far, &near, 0)?;
            }
        }
    }

    /// The account of 2^e·g is 2^e times that of g.
    #[test]
    fn regret_is_homogeneous_at_the_ends_of_the_range(
        rounds in prop::collection::vec((prop::collection::vec(-2.0..2.0_f64, 3), 0.0..0.01_f64), 1..20),
    ) {
        let small = BoxSet::new(vec![0.0; 3], vec![0.01; 3]).unwrap();
        for end in ENDS {
            let (mut near, mut far) = (LinearRegret::new(3).unwrap(), LinearRegret::new(3).unwrap());
            for (g, x) in &rounds {
                near.record(g, &[*x; 3]).unwrap();
                let g: Vec<f64> = g.iter().map(|g| scale(*g, end)).collect();
                far.record(&g, &[*x; 3]).unwrap();
            }
            let (near, far) = (near.regret(&small).unwrap(), far.regret(&small).unwrap());
            prop_assert_eq!(near.comparator, far.comparator);
            prop_assert!((near.value - scale(far.value, -end)).abs() < 1e-12);
            prop_assert!((near.learner_loss - scale(far.learner_loss, -end)).abs() < 1e-12);
        }
    }
}

/// Products below the range of doubles are 0: the play stays, and nothing is NaN.
#[test]
fn products_that_underflow_are_0() {
    let tiny = 1e-200;
    let ogd = Ogd::starting_at(UnitBox, vec![0.5], StepSchedule::constant(tiny).unwrap()).unwrap();
    assert_eq!(plays(ogd, &[vec![tiny]]), [[0.5], [0.5]]);
    assert_eq!(plays(AdaGrad::new(interval(), 1.0).unwrap(), &[vec![tiny]]), [[0.0], [0.0]]);
    let mut account = LinearRegret::new(1).unwrap();
    account.record(&[tiny], &[tiny]).unwrap();
    assert_eq!(account.regret(&interval()).unwrap().value, tiny);
}
