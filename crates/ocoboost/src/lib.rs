//! The jobs of a practitioner: a policy from a log, an honest judgement of it, one file, and its use.
//!
//! * [`TrainJob`]: a policy within a budget of time, judged on rows that had no part in the choice.
//! * [`CandidateJob`]: the same where every row has candidates with features of their own.
//! * [`JudgeJob`]: the judgement of any policy on any log, and of several on one. A [`Judgement`] has
//!   estimates, a lower bound on the improvement over the logging policy, and a [`Verdict`].
//! * [`Breakdown`]: what lies behind a judgement: weights, reward by segment, what the policy changes.
//! * [`estimate_propensities`] and [`estimate_candidate_propensities`]: for a log without propensities.
//! * [`Model`]: what was trained, with all that its use needs: actions, propensities, exploration.
//! * [`BoostJob`]: a [`Classifier`] of a table, by the MABoost family.
//! * [`StreamJob`]: a [`StreamLearner`], an online booster of rows that come one by one.
//! * [`RegressionSettings`]: a [`StreamRegressor`] of the same; [`BanditSettings`]: a [`StreamBandit`], which
//!   sees only what its values cost.
//! * [`model_file`]: one compact file, safe to load from any bytes.
//! * [`inspect`]: what a model looks at.
//! * [`numerals`]: numbers as sentences have them.
//!
//! The crates below are modules here, so that one dependency is enough: [`boosters`], [`off_policy`],
//! [`weak_learners`], [`oco_core`], [`projections`], [`rows`] and [`ranks`]; with the features of these names
//! `formats` and `datasets` too.
//!
//! Nothing here prints or reads arguments. Results depend on the log, the settings and the seed, and on
//! nothing else but what a budget of time cuts off; what was cut is recorded. Learning uses the threads of
//! the caller's pool, see [`Threads`](boosters::Threads).
//!
//! ```
//! use ocoboost::{Explore, Model, OnOffer, TrainJob};
//! use off_policy::readers::{CsvColumns, read_csv};
//! use std::{ops::ControlFlow, time::Duration};
//! # let text: String = std::iter::once("age,action,propensity,reward\n".to_owned())
//! #     .chain((0..600).map(|i| {
//! #         let (age, music) = (20 + i % 40, i / 40 % 2 == 0);
//! #         let (action, paid) = if music { ("music", age < 40) } else { ("tools", age >= 40) };
//! #         format!("{age},{action},0.5,{}\n", u8::from(paid))
//! #     }))
//! #     .collect();
//! let read = read_csv(text.as_bytes(), &CsvColumns::default())?;
//! let job = TrainJob::builder().budget(Duration::from_secs(5)).candidates(2).rounds(40).seed(1).build()?;
//! let model = job.fit(&read.log, |_| ControlFlow::Continue(()))?;
//! println!("{}", model.judgement().sentence());
//! assert!(model.judgement().verdict.is_better());
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("offers.ocob");
//! model.save(&path)?;
//! let model = Model::load(&path)?;
//! let chosen = model.explore(read.log.contexts(), OnOffer::all(2)?, Explore::EpsilonGreedy(0.1), 7)?;
//! assert!(chosen.propensities.iter().all(|p| *p >= 0.05));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "datasets")]
pub use datasets;
#[cfg(feature = "formats")]
pub use formats;
pub use {boosters, oco_core, off_policy, projections, ranks, rows, weak_learners};

mod any_order;
mod boost;
mod candidates;
mod classification;
mod copies;
mod error;
mod importance;
pub mod inspect;
mod judge;
mod model;
pub mod model_file;
pub mod numerals;
mod of_ranks;
mod propensities;
mod split;
mod stream;
mod train;

pub use boost::{
    BoostAlgorithm, BoostEvent, BoostFacts, BoostJob, BoostJobBuilder, BoostRecord, BoostRows, ClassAnswer,
    ClassTable, Classifier, TriedBoost,
};
pub use candidates::{
    CandidateEvent, CandidateJob, CandidateJobBuilder, CandidateModel, CandidateMoment, CandidateObjective,
    CandidateRecipe, CandidateRecord, CandidateRows, CandidateTrainCheckpoint, TriedRecipe,
    estimate_candidate_propensities,
};
pub use classification::{ClassificationReport, ErrorRate, MOST_CLASSES};
pub use error::JobError;
pub use importance::Importance;
pub use judge::{
    ActionChange, Bin, Bound, BoundMethod, BoundTerms, Breakdown, BreakdownSettings, Caveat, Changes,
    Comparison, Difference, JudgeJob, JudgeJobBuilder, JudgedRows, Judgement, LargeWeight, Part, RangeSource,
    Reason, RewardRange, Segment, SegmentMean, SegmentedColumn, Segments, Target, ValueEstimate, Verdict,
    WeightsOfRows, cross_fitted_rewards, delta_of,
};
pub use model::{
    Cuts, Decision, Exploration, Explore, Explored, Model, OnOffer, Provenance, Ranked, Seconds, Source,
    TrainingRecord,
};
pub use propensities::{
    EstimatedPropensities, PropensitySource, Watch, estimate_propensities, estimate_propensities_of_rank,
    estimate_propensities_watched,
};
pub use split::Split;
pub use stream::{
    BanditBooster, BanditSettings, ProgressLine, ProgressiveError, RegressionBooster, RegressionLoss,
    RegressionSettings, StreamBandit, StreamBooster, StreamFeature, StreamJob, StreamJobBuilder,
    StreamLearner, StreamRegressor, StreamRound, StreamWeakLearner,
};
pub use train::{Event, Moment, TrainCheckpoint, TrainJob, TrainJobBuilder};

// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
