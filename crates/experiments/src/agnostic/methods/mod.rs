//! The methods, run side by side on one stream: each votes on a row before it sees the label.

use super::streams::Stream;
use crate::runner::ExperimentError;
use boosters::agnostic::{
    OnlineAgnosticBooster, OnlineRealizableBooster, ProgressiveChoice, RandomisedMajority,
};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};
use oco_core::learners::Ogd;
use projections::BoxSet;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use weak_learners::online::HedgeStumps;
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor};

/// The candidate advantages γ of Algorithms 1 and 4.
pub const ADVANTAGES: [f64; 4] = [1.0, 0.5, 0.2, 0.1];
/// The candidate advantages of OSBoost and Online BBM, which do not accept γ = 1.
pub const ADVANTAGES_BELOW_ONE: [f64; 3] = [0.5, 0.2, 0.1];

/// The weak learner alone.
pub const ALONE: &str = "one learner";
/// Algorithm 1 with γ chosen by progressive validation.
pub const AGNOSTIC: &str = "Algorithm 1";
/// Algorithm 1 with the sign of its score as the vote, without randomisation.
pub const AGNOSTIC_SIGN: &str = "Algorithm 1, sign";
/// Algorithm 1 at the largest γ.
pub const AGNOSTIC_LARGE: &str = "Algorithm 1, γ = 1";
/// Algorithm 1 at the smallest γ.
pub const AGNOSTIC_SMALL: &str = "Algorithm 1, γ = 0.1";
/// Algorithm 1 with A = OGD on \[0, 1\] from 1, and γ chosen by progressive validation.
pub const TRUSTING: &str = "Algorithm 1 on [0, 1]";
/// The same, with the sign of its score as the vote.
pub const TRUSTING_SIGN: &str = "Algorithm 1 on [0, 1], sign";
/// Algorithm 4 with γ chosen by progressive validation.
pub const REALIZABLE: &str = "Algorithm 4";
/// \[CLL12\].
pub const OSBOOST: &str = "OSBoost";
/// \[BKL15\].
pub const BBM: &str = "Online BBM";
/// \[BKL15\].
pub const ADABOOST: &str = "AdaBoost.OL";

/// The votes of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Votes {
    /// Its name.
    pub method: &'static str,
    /// One vote per round.
    pub votes: Vec<Label>,
}

impl Votes {
    fn of(
        method: &'static str,
        stream: &Stream,
        classifier: impl OnlineClassifier,
    ) -> Result<Self, ExperimentError> {
        Ok(Self { method, votes: run(stream, classifier)? })
    }

    /// The share of the rounds with a correct vote.
    pub fn accuracy(&self, labels: &[Label]) -> f64 {
        let right = self.votes.iter().zip(labels).filter(|(vote, y)| vote == y).count();
        right as f64 / labels.len() as f64
    }
}

/// Every method over Hedge-on-stumps, each with its own N learners.
///
/// # Errors
/// The errors of the learners.
pub fn votes(stream: &Stream, n: usize, seed: u64, trial: u64) -> Result<Vec<Votes>, ExperimentError> {
    let own = |method: u64| generator(seed, trial, method);
    let alone = hedges(stream, 1, &mut own(0)).swap_remove(0);
    let mut all = vec![Votes::of(ALONE, stream, alone)?];
    for optimiser in Optimiser::ALL {
        all.extend(agnostic(stream, optimiser, |rng| Ok(hedges(stream, n, rng)), &mut own(1))?);
    }
    let rng = &mut own(2);
    let choice = ProgressiveChoice::over_advantages(&ADVANTAGES, |gamma| {
        OnlineRealizableBooster::with_ogd(hedges(stream, n, rng), gamma, rng)
    })?;
    all.push(Votes::of(REALIZABLE, stream, choice)?);
    let rng = &mut own(3);
    let choice = ProgressiveChoice::over_advantages(&ADVANTAGES_BELOW_ONE, |gamma| {
        OsBoost::new(hedges(stream, n, rng), gamma, rng)
    })?;
    all.push(Votes::of(OSBOOST, stream, choice)?);
    let rng = &mut own(4);
    let choice = ProgressiveChoice::over_advantages(&ADVANTAGES_BELOW_ONE, |gamma| {
        OnlineBbm::new(hedges(stream, n, rng), gamma, rng)
    })?;
    all.push(Votes::of(BBM, stream, choice)?);
    let rng = &mut own(5);
    all.push(Votes::of(ADABOOST, stream, AdaBoostOl::new(hedges(stream, n, rng), rng)?)?);
    Ok(all)
}

/// The optimiser A of Algorithm 1. Both have the guarantee of \[BCMH20, Theorem 2\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimiser {
    /// The paper's: OGD on \[−1, 1\] from 0. The first learner's labels are coins.
    Printed,
    /// OGD on \[0, 1\] from 1. The first learner gets the true labels, and none gets flipped labels.
    Trusting,
}

impl Optimiser {
    /// Both optimisers.
    pub const ALL: [Self; 2] = [Self::Printed, Self::Trusting];

    /// The least play.
    pub fn lowest(self) -> f64 {
        match self {
            Self::Printed => -1.0,
            Self::Trusting => 0.0,
        }
    }

    /// Algorithm 1 with this A.
    ///
    /// # Errors
    /// The errors of the booster.
    pub fn booster<W: OnlinePredictor<Label>>(
        self,
        team: Vec<W>,
        gamma: f64,
        rng: &mut ChaCha8Rng,
    ) -> Result<OnlineAgnosticBooster<W, Ogd<BoxSet>>, LearnerError> {
        match self {
            Self::Printed => OnlineAgnosticBooster::with_ogd(team, gamma, rng),
            Self::Trusting => OnlineAgnosticBooster::with_trusting_ogd(team, gamma, rng),
        }
    }
}

/// Algorithm 1 over any learners: its choice among [`ADVANTAGES`], the sign of the chosen score, and (as
/// printed) two of the candidates.
///
/// # Errors
/// The errors of the learners.
pub fn agnostic<W: OnlinePredictor<Label>>(
    stream: &Stream,
    optimiser: Optimiser,
    mut team: impl FnMut(&mut ChaCha8Rng) -> Result<Vec<W>, LearnerError>,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Votes>, ExperimentError> {
    let mut choice = ProgressiveChoice::over_advantages(&ADVANTAGES, |gamma| {
        let team = team(rng)?;
        optimiser.booster(team, gamma, rng)
    })?;
    let (mut chosen, mut sign, mut large, mut small) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (x, &y) in stream.rows.iter().zip(&stream.labels) {
        let (leader, before) = (choice.leader(), [choice.mistakes()[0], choice.mistakes()[3]]);
        chosen.push(choice.round(x, y)?);
        // A candidate's vote follows from its mistake count, and its score from its trace.
        sign.push(RandomisedMajority::sign(choice.candidates()[leader].trace().z()));
        let voted = |now: u64, before: u64| if now > before { -y } else { y };
        large.push(voted(choice.mistakes()[0], before[0]));
        small.push(voted(choice.mistakes()[3], before[1]));
    }
    let named = match optimiser {
        Optimiser::Printed => {
            vec![(AGNOSTIC, chosen), (AGNOSTIC_SIGN, sign), (AGNOSTIC_LARGE, large), (AGNOSTIC_SMALL, small)]
        }
        Optimiser::Trusting => vec![(TRUSTING, chosen), (TRUSTING_SIGN, sign)],
    };
    Ok(named.into_iter().map(|(method, votes)| Votes { method, votes }).collect())
}

/// The votes of one classifier.
///
/// # Errors
/// The errors of the classifier.
pub fn run(stream: &Stream, mut classifier: impl OnlineClassifier) -> Result<Vec<Label>, ExperimentError> {
    let rounds = stream.rows.iter().zip(&stream.labels);
    Ok(rounds.map(|(x, &y)| classifier.round(x, y)).collect::<Result<_, _>>()?)
}

/// N copies of Hedge over the stream's stumps, without a known horizon, each with its own random stream.
pub fn hedges(stream: &Stream, n: usize, rng: &mut ChaCha8Rng) -> Vec<HedgeStumps> {
    let mut key = [0; 32];
    rng.fill_bytes(&mut key);
    let own = |i: usize| {
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(i as u64);
        HedgeStumps::anytime(stream.class.clone(), rng)
    };
    (0..n).map(own).collect()
}

/// The generator of a component of a trial.
pub(super) fn generator(seed: u64, trial: u64, component: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((3 << 40) + (component << 32) + trial);
    rng
}

#[cfg(test)]
mod tests;
