//! The weak learners and boosters to choose among.

use boosters::agnostic::{OnlineAgnosticBooster, OnlineRealizableBooster, ProgressiveChoice, VoteRule};
use boosters::mistake_bound::{AdaBoostOl, OnlineBbm, OsBoost};
use oco_core::StepSchedule;
use oco_core::learners::Ogd;
use projections::BoxSet;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
use serde::{Deserialize, Serialize};
use weak_learners::online::{GrownStumps, LogisticRegression, NaiveBayes};
use weak_learners::{Label, LearnerError, OnlinePredictor, Shape};

/// A weak learner of streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StreamWeakLearner {
    /// [`GrownStumps`].
    Stumps,
    /// [`NaiveBayes`]: numbers, labels and missing cells without a scale.
    #[default]
    NaiveBayes,
    /// [`LogisticRegression`].
    Logistic,
}

/// A booster of streams.
///
/// The default over [naive Bayes](StreamWeakLearner::NaiveBayes) erred on 4.9% of breast cancer, 9.7% of
/// ionosphere, 9.5% of spambase and 16.8% of 4,000 rows of adult, each predicted before it was learnt from;
/// one naive Bayes on 4.3, 10.5, 15.7 and 20.0%. Its theory wants right labels. With a fifth of them turned
/// it was still the best over naive Bayes on two of three sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StreamBooster {
    /// [`OnlineAgnosticBooster`] with OGD on \[0, 1\] from 1 and the sign for a vote. Its theory allows for
    /// wrong labels: over stumps it was better than one on 58 of 66 streams, and worse on none
    /// (docs/results/agnostic/README.md).
    Agnostic,
    /// [`OnlineRealizableBooster`]: for labels that are right.
    Realizable,
    /// [`OsBoost`].
    OsBoost,
    /// [`OnlineBbm`].
    #[default]
    OnlineBbm,
    /// [`AdaBoostOl`]: no advantage has to be known.
    AdaBoostOl,
    /// One weak learner alone.
    Alone,
}

impl StreamBooster {
    /// What it is called in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Agnostic => "online agnostic boosting",
            Self::Realizable => "online realizable boosting",
            Self::OsBoost => "OSBoost",
            Self::OnlineBbm => "Online BBM",
            Self::AdaBoostOl => "AdaBoost.OL",
            Self::Alone => "one learner",
        }
    }
}

/// The advantages that are tried where none is given, as in docs/results/agnostic.
const ADVANTAGES: [f64; 4] = [1.0, 0.5, 0.2, 0.1];
/// OSBoost and Online BBM take none of 1.
const BELOW_ONE: [f64; 3] = [0.5, 0.2, 0.1];
/// The values of a feature that a stump tells apart.
const MOST_VALUES: usize = 32;

/// A weak learner with its state.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Weak {
    Stumps(Box<GrownStumps>),
    NaiveBayes(NaiveBayes),
    Logistic(LogisticRegression),
}

impl StreamWeakLearner {
    /// Learner i.
    fn learner(self, inputs: usize, seed: u64, i: u64) -> Result<Weak, LearnerError> {
        Ok(match self {
            Self::Stumps => {
                let rng = generator(seed, i + 1);
                Weak::Stumps(Box::new(GrownStumps::anytime(inputs, MOST_VALUES, rng)?))
            }
            Self::NaiveBayes => Weak::NaiveBayes(NaiveBayes::new(inputs)?),
            Self::Logistic => {
                let steps = StepSchedule::power(0.1, 0.5)?;
                Weak::Logistic(LogisticRegression::new(inputs, steps, 10.0)?)
            }
        })
    }

    /// Whether it needs numbers in units of their deviations.
    pub(super) fn is_linear(self) -> bool {
        self == Self::Logistic
    }
}

pub(super) fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((1 << 43) + stream);
    rng
}

impl Weak {
    fn inner(&self) -> &dyn OnlinePredictor<Label> {
        match self {
            Self::Stumps(learner) => &**learner,
            Self::NaiveBayes(learner) => learner,
            Self::Logistic(learner) => learner,
        }
    }

    fn inner_mut(&mut self) -> &mut dyn OnlinePredictor<Label> {
        match self {
            Self::Stumps(learner) => &mut **learner,
            Self::NaiveBayes(learner) => learner,
            Self::Logistic(learner) => learner,
        }
    }
}

impl OnlinePredictor<Label> for Weak {
    fn shape(&self) -> Shape {
        self.inner().shape()
    }

    fn predict(&mut self, x: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        self.inner_mut().predict(x, y)
    }

    fn accepts(&self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.inner().accepts(x, y)
    }

    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.inner_mut().update(x, y)
    }
}

/// A booster with its state. An advantage that is not known is chosen by progressive validation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Boosted {
    Agnostic(ProgressiveChoice<OnlineAgnosticBooster<Weak, Ogd<BoxSet>>>),
    Realizable(ProgressiveChoice<OnlineRealizableBooster<Weak, Ogd<BoxSet>>>),
    OsBoost(ProgressiveChoice<OsBoost<Weak>>),
    OnlineBbm(ProgressiveChoice<OnlineBbm<Weak>>),
    AdaBoostOl(Box<AdaBoostOl<Weak>>),
    Alone(Weak),
}

impl StreamBooster {
    /// Before the first row. Every candidate of an advantage has learners of its own.
    pub(super) fn begin(
        self,
        weak: StreamWeakLearner,
        learners: usize,
        advantage: Option<f64>,
        inputs: usize,
        seed: u64,
    ) -> Result<Boosted, LearnerError> {
        let mut next = 0;
        let mut team = || -> Result<Vec<Weak>, LearnerError> {
            let team = (next..next + learners as u64).map(|i| weak.learner(inputs, seed, i)).collect();
            next += learners as u64;
            team
        };
        let rng = &mut generator(seed, 0);
        let given = advantage.map(|advantage| [advantage]);
        let grid = |all: &'static [f64]| given.as_ref().map_or(all, |one| one.as_slice()).to_vec();
        Ok(match self {
            Self::Agnostic => {
                Boosted::Agnostic(ProgressiveChoice::over_advantages(&grid(&ADVANTAGES), |gamma| {
                    let booster = OnlineAgnosticBooster::with_trusting_ogd(team()?, gamma, rng)?;
                    Ok(booster.voting_by(VoteRule::Sign))
                })?)
            }
            Self::Realizable => {
                Boosted::Realizable(ProgressiveChoice::over_advantages(&grid(&ADVANTAGES), |gamma| {
                    let booster = OnlineRealizableBooster::with_ogd(team()?, gamma, rng)?;
                    Ok(booster.voting_by(VoteRule::Sign))
                })?)
            }
            Self::OsBoost => {
                Boosted::OsBoost(ProgressiveChoice::over_advantages(&grid(&BELOW_ONE), |gamma| {
                    OsBoost::new(team()?, gamma, rng)
                })?)
            }
            Self::OnlineBbm => {
                Boosted::OnlineBbm(ProgressiveChoice::over_advantages(&grid(&BELOW_ONE), |gamma| {
                    OnlineBbm::new(team()?, gamma, rng)
                })?)
            }
            Self::AdaBoostOl => Boosted::AdaBoostOl(Box::new(AdaBoostOl::new(team()?, rng)?)),
            Self::Alone => Boosted::Alone(weak.learner(inputs, seed, 0)?),
        })
    }
}

impl Boosted {
    pub(super) fn kind(&self) -> StreamBooster {
        match self {
            Self::Agnostic(_) => StreamBooster::Agnostic,
            Self::Realizable(_) => StreamBooster::Realizable,
            Self::OsBoost(_) => StreamBooster::OsBoost,
            Self::OnlineBbm(_) => StreamBooster::OnlineBbm,
            Self::AdaBoostOl(_) => StreamBooster::AdaBoostOl,
            Self::Alone(_) => StreamBooster::Alone,
        }
    }

    /// γ where it was given: one is then all that there is to choose from.
    pub(super) fn given_advantage(&self) -> Option<f64> {
        match self {
            Self::Agnostic(choice) => only(choice).map(OnlineAgnosticBooster::advantage),
            Self::Realizable(choice) => only(choice).map(OnlineRealizableBooster::advantage),
            Self::OsBoost(choice) => only(choice).map(OsBoost::advantage),
            Self::OnlineBbm(choice) => only(choice).map(OnlineBbm::advantage),
            Self::AdaBoostOl(_) | Self::Alone(_) => None,
        }
    }

    pub(super) fn inner(&self) -> &dyn OnlinePredictor<Label> {
        match self {
            Self::Agnostic(booster) => booster,
            Self::Realizable(booster) => booster,
            Self::OsBoost(booster) => booster,
            Self::OnlineBbm(booster) => booster,
            Self::AdaBoostOl(booster) => &**booster,
            Self::Alone(learner) => learner,
        }
    }

    pub(super) fn inner_mut(&mut self) -> &mut dyn OnlinePredictor<Label> {
        match self {
            Self::Agnostic(booster) => booster,
            Self::Realizable(booster) => booster,
            Self::OsBoost(booster) => booster,
            Self::OnlineBbm(booster) => booster,
            Self::AdaBoostOl(booster) => &mut **booster,
            Self::Alone(learner) => learner,
        }
    }
}

/// The one candidate of a choice without a choice.
fn only<P: OnlinePredictor<Label>>(choice: &ProgressiveChoice<P>) -> Option<&P> {
    match choice.candidates() {
        [only] => Some(only),
        _ => None,
    }
}
