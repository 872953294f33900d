//! Boosters of online learners: gradient boosting, the agnostic and realizable boosters, and those with
//! mistake bounds.

use super::weak::{labels, online, sorted};
use super::{Target, plain, rng, used};
use crate::Checks;
use crate::play::{MOST, bandit, classifier, full_information, hypothesis, regressor, wave};
use crate::verdict::AnyError;
use boosters::agnostic::{
    ExpectedVote, MajorityVote, OnlineAgnosticBooster, OnlineRealizableBooster, ProgressiveChoice,
    RandomisedMajority, Setting, StatisticalBooster, VoteRule,
};
use boosters::feedback::Noise;
use boosters::gradient::{
    BanditGradientBoosting, OgdBaseline, OnlineGradientBoosting, Queries, SpanBoosting,
};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};
use oco_core::StepSchedule;
use oco_core::learners::Ogd;
use projections::{BoxSet, L2Ball};
use rows::Row;
use serde_json::json;
use weak_learners::batch::{ExactStump, Stump};
use weak_learners::online::NaiveBayes;
use weak_learners::{Label, OgdLinear, OnlinePredictor, Shape};

fn schedule() -> Result<StepSchedule, AnyError> {
    Ok(StepSchedule::power(0.5, 0.5)?)
}

fn ball() -> Result<L2Ball, AnyError> {
    Ok(L2Ball::new(1.0)?)
}

fn linear() -> Result<Vec<OgdLinear>, AnyError> {
    let shape = Shape { inputs: 3, outputs: 2 };
    (0..3).map(|_| Ok(OgdLinear::new(shape, schedule()?, 1.0)?)).collect()
}

fn bayes() -> Result<Vec<NaiveBayes>, AnyError> {
    (0..3).map(|_| Ok(NaiveBayes::new(3)?)).collect()
}

/// The numbers of inputs and outputs of the first learner, if small enough.
fn sides(learners: &[OgdLinear]) -> Option<(usize, usize)> {
    let Shape { inputs, outputs } = learners.first()?.shape();
    (inputs <= MOST && outputs <= MOST).then_some((inputs, outputs))
}

pub(super) fn all() -> Vec<Target> {
    let mut list = gradient();
    list.extend(agnostic());
    list.extend(vec![
        online(|| Ok(AdaBoostOl::new(bayes()?, &mut rng(41))?)),
        online(|| Ok(OnlineBbm::new(bayes()?, 0.2, &mut rng(42))?)),
        online(|| Ok(OsBoost::new(bayes()?, 0.2, &mut rng(43))?)),
    ]);
    list
}

type Bandit = BanditGradientBoosting<OgdLinear, L2Ball>;

fn queries(booster: &mut Bandit, checks: &mut Checks) -> Result<(), AnyError> {
    let Some(sides) = sides(booster.learners()) else { return Ok(()) };
    bandit(booster, checks, sides)?;
    let (x, mut y) = (wave(sides.0, 1), vec![0.0; sides.1]);
    booster.predict(Row::dense(&x)?, &mut y)?;
    checks.numbers("a prediction", &y);
    Ok(())
}

fn span(booster: &mut SpanBoosting<OgdLinear, L2Ball>, checks: &mut Checks) -> Result<(), AnyError> {
    let Some(sides) = sides(booster.learners()) else { return Ok(()) };
    full_information(booster, checks, sides)
}

fn baseline(baseline: &mut OgdBaseline<L2Ball>, checks: &mut Checks) -> Result<(), AnyError> {
    let Shape { inputs, outputs } = baseline.model().shape();
    if inputs > MOST || outputs > MOST {
        return Ok(());
    }
    full_information(baseline, checks, (inputs, outputs))
}

fn gradient() -> Vec<Target> {
    vec![
        Target::saved(
            || {
                let queries_of = |stream| Queries { delta: 0.1, rng: rng(stream) };
                let new = |stream| {
                    BanditGradientBoosting::new(linear()?, ball()?, 0.5, queries_of(stream))
                        .map_err(AnyError::from)
                };
                Ok(vec![used(new(44)?, queries)?, new(45)?.querying_inside(1.0)?])
            },
            queries,
        ),
        Target::saved(
            || {
                let new = || {
                    OgdBaseline::new(Shape { inputs: 3, outputs: 2 }, ball()?, schedule()?, 1.0)
                        .map_err(AnyError::from)
                };
                Ok(vec![new()?, used(new()?, baseline)?])
            },
            baseline,
        ),
        Target::saved(
            || {
                let new = || OnlineGradientBoosting::new(linear()?, ball()?, 0.5).map_err(AnyError::from);
                Ok(vec![new()?, used(new()?, regressor)?])
            },
            |booster: &mut OnlineGradientBoosting<OgdLinear, L2Ball>, checks| {
                regressor(booster, checks)?;
                let Some(sides) = sides(booster.learners()) else { return Ok(()) };
                full_information(booster, checks, sides)
            },
        ),
        Target::saved(
            || {
                let new = || SpanBoosting::new(linear()?, ball()?, 0.5, schedule()?).map_err(AnyError::from);
                Ok(vec![new()?, used(new()?, span)?])
            },
            span,
        ),
        Target::saved(
            || Ok(vec![Noise::uniform(0.5)?, Noise::two_point(0.25)?]),
            |noise: &mut Noise, checks| {
                let mut rng = rng(46);
                checks.number("a bound", noise.bound());
                (0..4).for_each(|_| checks.number("noise", noise.draw(&mut rng)));
                Ok(())
            },
        ),
    ]
}

fn vote() -> Result<MajorityVote<Stump>, AnyError> {
    let stumps = vec![Stump::new(3, 1, 0.5, Label::Plus)?, Stump::new(3, 0, 0.0, Label::Minus)?];
    Ok(MajorityVote::new(stumps, 0.25)?)
}

type Statistical = StatisticalBooster<ExactStump, Ogd<BoxSet>>;

fn rounds(booster: &mut Statistical, checks: &mut Checks) -> Result<(), AnyError> {
    // A player over a set larger than the cube may leave it. The next round or the next load then refuses it.
    let saved = serde_json::to_value(&*booster)?;
    let (set, least) = (&saved["player"]["set"], if saved["setting"] == "agnostic" { -1.0 } else { 0.0 });
    let all = |side: &str, end: f64| {
        set[side].as_array().is_some_and(|ends| ends.iter().all(|one| *one == json!(end)))
    };
    if !(all("lower", least) && all("upper", 1.0)) {
        return Ok(());
    }
    let sample = sorted()?;
    for _ in 0..3 {
        checks.attempt(booster, |booster, _| booster.round(&sample).map(|_| ()));
        checks.numbers("a play", booster.next_play());
    }
    checks.any_number(booster.expected_correlation());
    hypothesis(&mut booster.vote().clone().hypotheses().first().cloned().ok_or("no hypothesis")?, checks)
}

type Candidate = OnlineAgnosticBooster<NaiveBayes, Ogd<BoxSet>>;

/// A candidate whose player has a larger interval than the booster's is refused in the middle of a round,
/// after the choice has updated others: neither can know that in advance.
fn choice(choice: &mut ProgressiveChoice<Candidate>, checks: &mut Checks) -> Result<(), AnyError> {
    let saved = serde_json::to_value(&*choice)?;
    let interval = json!({ "lower": [-1.0], "upper": [1.0] });
    let mut sets = saved["candidates"].as_array().into_iter().flatten().map(|one| &one["oco"]["set"]);
    if sets.all(|set| *set == interval) { classifier(choice, checks) } else { Ok(()) }
}

fn agnostic() -> Vec<Target> {
    vec![
        Target::saved(|| Ok(vec![ExpectedVote::try_from(vote()?)?]), hypothesis::<ExpectedVote<Stump>>),
        Target::saved(
            || Ok(vec![vote()?]),
            |vote: &mut MajorityVote<Stump>, checks| {
                let Some(inputs) = vote.hypotheses().first().map(weak_learners::batch::Hypothesis::inputs)
                else {
                    return Ok(());
                };
                if inputs <= MOST {
                    let x = wave(inputs, 0);
                    checks.outcome("a score", vote.score(Row::dense(&x)?));
                    checks.outcome("a probability", vote.prob_plus(Row::dense(&x)?));
                    vote.draw(Row::dense(&x)?, &mut rng(47))?;
                }
                Ok(())
            },
        ),
        online(|| Ok(OnlineAgnosticBooster::with_ogd(bayes()?, 0.25, &mut rng(48))?)),
        online(|| Ok(OnlineRealizableBooster::with_ogd(bayes()?, 0.25, &mut rng(49))?)),
        Target::saved(
            || {
                let booster = |advantage| -> Result<Candidate, AnyError> {
                    Ok(OnlineAgnosticBooster::with_trusting_ogd(bayes()?, advantage, &mut rng(50))?)
                };
                let new = || -> Result<ProgressiveChoice<Candidate>, AnyError> {
                    Ok(ProgressiveChoice::new(vec![booster(0.1)?, booster(0.4)?])?)
                };
                Ok(vec![new()?, used(new()?, classifier)?])
            },
            choice,
        ),
        Target::saved(
            || Ok(vec![RandomisedMajority::new(0.25)?, RandomisedMajority::new(1.0)?]),
            |majority: &mut RandomisedMajority, checks| {
                checks.outcome("a score", majority.score(&[Label::Plus, Label::Plus, Label::Minus]));
                checks.number("a slope", majority.slope(Label::Plus, Label::Minus));
                Ok(())
            },
        ),
        plain(|| vec![VoteRule::Randomised, VoteRule::Sign]),
        plain(|| vec![Setting::Agnostic, Setting::Realizable]),
        Target::saved(
            || {
                let new = || {
                    StatisticalBooster::theorem_8(ExactStump::default(), labels(8), 0.25, 10)
                        .map_err(AnyError::from)
                };
                let other = StatisticalBooster::theorem_10(ExactStump::default(), labels(8), 0.25, 10)?;
                Ok(vec![new()?, used(new()?, rounds)?, other])
            },
            rounds,
        ),
        // A booster of boosters.
        Target::saved(
            || {
                let inner = || OsBoost::new(bayes()?, 0.2, &mut rng(51)).map_err(AnyError::from);
                Ok(vec![OsBoost::new(vec![inner()?, inner()?], 0.1, &mut rng(52))?])
            },
            classifier::<OsBoost<OsBoost<NaiveBayes>>>,
        ),
    ]
}
