//! After the first round, a round allocates nothing: for every learner, on dense and sparse rows, with one
//! and with several outputs.

mod counting;

use crate::counting::{Outcome, ROUNDS, assert_only_the_first_allocates};
use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster, ProgressiveChoice};
use boosters::feedback::Noise;
use boosters::gradient::{
    BanditGradientBoosting, OgdBaseline, OnlineGradientBoosting, Queries, SpanBoosting,
};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};
use oco_core::bandit::{Fkm, SphericalEstimator};
use oco_core::games::{MatrixGame, TremblingHand, ZeroSumGame};
use oco_core::learners::{LazyOgd, Ogd, Perceptron};
use oco_core::losses::{Loss, SquaredLoss};
use oco_core::regret::QuadraticRegret;
use oco_core::{BanditLearner, OnlineLearner, StepSchedule};
use projections::{AnySet, BoxSet, L2Ball, Simplex};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use std::error::Error;
use weak_learners::online::{HedgeStumps, Thresholds};
use weak_learners::{
    BanditPredictor, FkmLinear, FullInformationPredictor, Label, LearnerError, OgdLinear, OnlineClassifier,
    OnlinePredictor, Shape,
};

const INPUTS: usize = 12;

/// The output spaces: intervals, balls and simplices; the projection onto a simplex needs working memory.
fn sets() -> Result<Vec<(usize, AnySet)>, Box<dyn Error>> {
    let mut sets = Vec::new();
    for d in [1, 3] {
        let sides = BoxSet::new(vec![-1.0; d], vec![1.0; d])?;
        sets.push((d, AnySet::Box(sides)));
        sets.push((d, AnySet::L2Ball(L2Ball::new(1.0)?)));
        sets.push((d, AnySet::Simplex(Simplex::new(1.0)?)));
    }
    sets.push((40, AnySet::Simplex(Simplex::new(1.0)?)));
    Ok(sets)
}

/// The same examples as dense and as sparse rows, and targets with d coordinates.
struct Examples {
    rows: [(&'static str, RowMatrix); 2],
    targets: Vec<f64>,
    d: usize,
}

impl Examples {
    fn new(d: usize) -> Result<Self, Box<dyn Error>> {
        let wave = |count: usize| (0..count).map(|k| (1.7 * k as f64).sin()).collect::<Vec<f64>>();
        let offsets: Vec<usize> = (0..=ROUNDS).map(|t| 3 * t).collect();
        let indices = (0u32..).take(ROUNDS).flat_map(|t| [t % 4, 4 + t % 3, 7 + t % 5]).collect();
        let dense = RowMatrix::dense(INPUTS, wave(ROUNDS * INPUTS))?;
        let sparse = RowMatrix::sparse(INPUTS, offsets, indices, wave(3 * ROUNDS))?;
        Ok(Self { rows: [("dense", dense), ("sparse", sparse)], targets: wave(ROUNDS * d), d })
    }

    /// A round is handed example t.
    fn check(
        &self,
        what: &str,
        mut learner: impl FnMut() -> Result<Box<dyn Round>, Box<dyn Error>>,
    ) -> Outcome {
        for (storage, rows) in &self.rows {
            let mut learner = learner()?;
            assert_only_the_first_allocates(&format!("{what}, {storage} rows"), |t| {
                let x = rows.row(t).ok_or("a row a round")?;
                learner.round(x, &SquaredLoss::new(&self.targets[t * self.d..(t + 1) * self.d])?)
            })?;
        }
        Ok(())
    }
}

/// A round of either kind of feedback.
trait Round {
    fn round(&mut self, x: Row<'_>, loss: &SquaredLoss<'_>) -> Outcome;
}

struct Full<P>(P);

impl<P: FullInformationPredictor> Round for Full<P> {
    fn round(&mut self, x: Row<'_>, loss: &SquaredLoss<'_>) -> Outcome {
        self.0.round(x, loss)?;
        Ok(())
    }
}

struct Bandit<P>(P, Noise, ChaCha8Rng);

impl<P: BanditPredictor> Round for Bandit<P> {
    fn round(&mut self, x: Row<'_>, loss: &SquaredLoss<'_>) -> Outcome {
        let Self(learner, noise, rng) = self;
        learner.round(x, &mut |y| loss.value(y) + noise.draw(rng))?;
        Ok(())
    }
}

fn rng(stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    rng.set_stream(stream);
    rng
}

fn bandit(learner: impl BanditPredictor + 'static) -> Result<Box<dyn Round>, Box<dyn Error>> {
    Ok(Box::new(Bandit(learner, Noise::uniform(0.1)?, rng(1))))
}

fn weak(d: usize) -> Result<OgdLinear, Box<dyn Error>> {
    // So small a ball that the weights are projected onto it.
    Ok(OgdLinear::new(Shape { inputs: INPUTS, outputs: d }, StepSchedule::power(0.5, 0.25)?, 0.5)?)
}

fn queries() -> Queries {
    Queries { delta: 0.2, rng: rng(0) }
}

#[test]
fn learners_with_full_information() -> Outcome {
    for (d, set) in sets()? {
        let (examples, shape) = (Examples::new(d)?, Shape { inputs: INPUTS, outputs: d });
        let step = StepSchedule::power(0.5, 0.25)?;
        let name = |learner: &str| format!("{learner}, d = {d}, {set:?}");
        examples.check(&name("OgdBaseline"), || {
            Ok(Box::new(Full(OgdBaseline::new(shape, set.clone(), step, 0.5)?)))
        })?;
        examples.check(&name("OnlineGradientBoosting"), || {
            Ok(Box::new(Full(OnlineGradientBoosting::new(vec![weak(d)?; 5], set.clone(), 0.8)?)))
        })?;
        examples.check(&name("OnlineGradientBoosting of itself"), || {
            let inner = OnlineGradientBoosting::new(vec![weak(d)?; 3], set.clone(), 0.8)?;
            Ok(Box::new(Full(OnlineGradientBoosting::new(vec![inner; 3], set.clone(), 0.8)?)))
        })?;
        examples.check(&name("SpanBoosting"), || {
            Ok(Box::new(Full(SpanBoosting::new(vec![weak(d)?; 5], set.clone(), 0.3, step)?)))
        })?;
        examples.check(&name("OgdLinear"), || {
            struct Linear(OgdLinear, Vec<f64>, Vec<f64>);
            impl Round for Linear {
                fn round(&mut self, x: Row<'_>, loss: &SquaredLoss<'_>) -> Outcome {
                    let Self(learner, y, g) = self;
                    learner.predict(x, y)?;
                    loss.subgradient(y, g);
                    Ok(learner.update(x, g)?)
                }
            }
            Ok(Box::new(Linear(weak(d)?, vec![0.0; d], vec![0.0; d])))
        })?;
    }
    Ok(())
}

#[test]
fn learners_with_bandit_feedback() -> Outcome {
    for (d, set) in sets()? {
        let (examples, shape) = (Examples::new(d)?, Shape { inputs: INPUTS, outputs: d });
        let step = StepSchedule::power(0.05, 0.25)?;
        let name = |learner: &str| format!("{learner}, d = {d}, {set:?}");
        let booster =
            || BanditGradientBoosting::new(vec![weak(d).ok()?; 5], set.clone(), 0.8, queries()).ok();
        examples.check(&name("BanditGradientBoosting"), || bandit(booster().ok_or("a booster")?))?;
        // A simplex holds no ball around 0, so there is no inside to keep to.
        if !matches!(set, AnySet::Simplex(_)) {
            examples.check(&name("BanditGradientBoosting inside"), || {
                bandit(booster().ok_or("a booster")?.querying_inside(1.0)?)
            })?;
        }
        examples.check(&name("FkmLinear"), || {
            bandit(FkmLinear::new(shape, set.clone(), step, 0.5, 0.2, 4, rng(0))?)
        })?;
    }
    Ok(())
}

#[test]
fn boosters_of_labels() -> Outcome {
    let thresholds = Thresholds::at(vec![vec![0.0]; INPUTS])?;
    let weak: Vec<HedgeStumps> = (0..5).map(|i| HedgeStumps::anytime(thresholds.clone(), rng(i))).collect();
    let agnostic = OnlineAgnosticBooster::with_ogd(weak.clone(), 0.5, &mut rng(9))?;
    let realizable = || OnlineRealizableBooster::with_ogd(weak.clone(), 0.5, &mut rng(9));
    let stack = OnlineAgnosticBooster::with_ogd(vec![realizable()?, realizable()?], 0.5, &mut rng(9))?;
    let choice = ProgressiveChoice::over_advantages(&[1.0, 0.5, 0.25], |gamma| {
        OnlineRealizableBooster::with_ogd(weak.clone(), gamma, &mut rng(9))
    })?;
    fn check(what: &str, booster: &(impl OnlinePredictor<Label> + Clone)) -> Outcome {
        let examples = Examples::new(1)?;
        for (storage, rows) in &examples.rows {
            let mut booster = booster.clone();
            assert_only_the_first_allocates(&format!("{what}, {storage} rows"), |t| {
                let x = rows.row(t).ok_or("a row a round")?;
                booster.vote(x)?;
                booster.round(x, Label::of_score(examples.targets[t]))?;
                Ok(())
            })?;
        }
        Ok(())
    }
    check("OnlineAgnosticBooster", &agnostic)?;
    check("OnlineAgnosticBooster of OnlineRealizableBooster", &stack)?;
    check("ProgressiveChoice of OnlineRealizableBooster", &choice)
}

#[test]
fn boosters_of_the_mistake_bound_model() -> Outcome {
    fn check<B: OnlinePredictor<Label>>(
        what: &str,
        booster: impl Fn() -> Result<B, LearnerError>,
    ) -> Outcome {
        let examples = Examples::new(1)?;
        for (storage, rows) in &examples.rows {
            let mut booster = booster()?;
            assert_only_the_first_allocates(&format!("{what}, {storage} rows"), |t| {
                booster.round(rows.row(t).ok_or("a row a round")?, Label::of_score(examples.targets[t]))?;
                Ok(())
            })?;
        }
        Ok(())
    }
    let weak = || Ok::<_, LearnerError>(vec![Perceptron::new(INPUTS)?; 7]);
    check("OsBoost", || OsBoost::new(weak()?, 0.2, &mut rng(0)))?;
    check("OnlineBbm", || OnlineBbm::new(weak()?, 0.2, &mut rng(0)))?;
    check("AdaBoostOl", || AdaBoostOl::new(weak()?, &mut rng(0)))
}

#[test]
fn learners_without_rows() -> Outcome {
    for (d, set) in sets()? {
        let gradients = Examples::new(d)?.targets;
        let at = |t: usize| &gradients[t * d..(t + 1) * d];
        let mut ogd = Ogd::new(set.clone(), d, StepSchedule::power(0.5, 0.5)?)?;
        assert_only_the_first_allocates(&format!("Ogd, d = {d}, {set:?}"), |t| Ok(ogd.observe(at(t))?))?;
        let mut lazy = LazyOgd::new(set.clone(), d, 0.3)?;
        assert_only_the_first_allocates(&format!("LazyOgd, d = {d}, {set:?}"), |t| Ok(lazy.observe(at(t))?))?;
        if matches!(set, AnySet::Simplex(_)) {
            continue;
        }
        let mut fkm = Fkm::new(set.clone(), d, 1.0, 0.1, 0.01, rng(2))?;
        assert_only_the_first_allocates(&format!("Fkm, d = {d}, {set:?}"), |t| {
            let loss = SquaredLoss::new(at(t))?.value(fkm.play());
            Ok(fkm.observe(loss)?)
        })?;
    }
    Ok(())
}

#[test]
fn a_game_and_its_account() -> Outcome {
    let rows: Vec<Vec<f64>> = (0..7).map(|i| (0..5).map(|j| f64::from(i * j % 3)).collect()).collect();
    let game = MatrixGame::new(&rows)?;
    let player = Ogd::new(Simplex::new(1.0)?, 7, StepSchedule::power(0.5, 0.5)?)?;
    let hand = TremblingHand::new(game.clone(), 0.2, rng(4))?;
    let mut play = ZeroSumGame::new(game, player, hand)?;
    assert_only_the_first_allocates("ZeroSumGame", |_| {
        play.round()?;
        play.certificate();
        Ok(())
    })?;
    let mut account = QuadraticRegret::new(3)?;
    assert_only_the_first_allocates("QuadraticRegret", |t| Ok(account.record(&[t as f64; 3], &[0.5; 3])?))
}

#[test]
fn the_spherical_estimator() -> Outcome {
    let (estimator, mut rng, mut v) = (SphericalEstimator::new(0.1)?, rng(3), [0.0; 3]);
    assert_only_the_first_allocates("SphericalEstimator", |_| {
        estimator.draw(&mut rng, &mut v);
        Ok(())
    })
}

#[test]
#[should_panic(expected = "49 allocations in 49 rounds")]
fn the_count_counts() {
    let _ = assert_only_the_first_allocates("a vector a round", |t| {
        std::hint::black_box(vec![t]);
        Ok(())
    });
}

/// A round on a sample keeps its hypothesis and allocates nothing else: the list of 64 has room for 128.
#[test]
fn statistical_boosting_allocates_for_its_hypotheses_alone() -> Outcome {
    use boosters::agnostic::StatisticalBooster;
    use weak_learners::Label;
    use weak_learners::batch::{ExactStump, Sampled, SortedColumns};
    let examples = Examples::new(1)?;
    for (storage, rows) in examples.rows {
        let sample = SortedColumns::new(rows)?;
        let labels: Vec<Label> = examples.targets.iter().map(|y| Label::of_score(*y)).collect();
        for (setting, new) in [
            ("agnostic", StatisticalBooster::theorem_8 as fn(_, _, _, _) -> _),
            ("realizable", StatisticalBooster::theorem_10),
        ] {
            let learner = Sampled::new(ExactStump::default(), 20, rng(4))?;
            let mut booster = new(learner, labels.clone(), 0.3, 200)?;
            for _ in 0..64 {
                booster.round(&sample)?;
            }
            let what = format!("{setting} statistical boosting, {storage} rows");
            assert_only_the_first_allocates(&what, |_| {
                booster.round(&sample)?;
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Neither a score, nor its stages, nor the class that the scores of several ensembles are decoded to.
#[test]
fn the_vote_of_a_row_allocates_nothing() -> Outcome {
    use boosters::maboost::{Decoding, Ensemble, MulticlassVote, NormalisedVote, OutputCode};
    use weak_learners::batch::{Hypothesis, Stump};
    let stump = |t: u32| Stump::new(2, t as usize % 2, f64::from(t % 7), Label::Plus);
    let stumps = (0..20).map(stump).collect::<Result<Vec<_>, _>>()?;
    let vote = Ensemble::new(stumps, (1..=20).map(|t| 1.0 / f64::from(t)).collect())?;
    let normalised = NormalisedVote::try_from(vote.clone())?;
    let classes = MulticlassVote::new(OutputCode::one_vs_rest(3)?, vec![vote.clone(); 3])?;
    let mut scores = [0.0; 3];
    assert_only_the_first_allocates("a vote", |t| {
        let values = [t as f64, 3.0];
        let x = Row::dense(&values)?;
        vote.score(x)?;
        vote.staged(x).try_for_each(|score| score.map(|_| ()))?;
        normalised.predict(x)?;
        classes.scores(x, &mut scores)?;
        for by in [Decoding::Hamming, Decoding::Linear, Decoding::Exponential] {
            classes.code().decode(&scores, by)?;
        }
        Ok(())
    })
}
