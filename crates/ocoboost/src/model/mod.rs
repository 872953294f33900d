//! A trained policy with all that its use needs.

mod predict;
mod record;

pub use predict::{Decision, Explore, Explored, OnOffer, Ranked};
pub use record::{Cuts, Exploration, Provenance, Seconds, Source, TrainingRecord};

use crate::error::JobError;
use crate::judge::Judgement;
use boosters::bopl::{CompiledEnsemble, PolicyEnsemble};
use off_policy::policies::{Scores, argmax};
use off_policy::{PolicyError, Schema};
use predict::{check, for_each_row, generator, play};
use rows::{Row, RowMatrix};
use std::ops::ControlFlow;
use weak_learners::pairs::PairTree;

/// A policy, and what is known of it: its schema, how it was trained and on what, how it was judged, how it
/// is played, and the options by which tables are read.
///
/// It is made by [`TrainJob::fit`](crate::TrainJob::fit), written by [`save`](Self::save), and read by
/// [`load`](Self::load). As [`Scores`] it, or a reference to it, goes into any policy of `off_policy`, such
/// as `Argmax::new(&model)`. Predictions of a batch are those of its rows one by one. *Cost:* a walk a tree,
/// row and action; less for a batch of many actions, which the [compiled](Self::compiled) form predicts.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(crate) ensemble: PolicyEnsemble<PairTree>,
    pub(crate) record: TrainingRecord,
    pub(crate) provenance: Provenance,
    pub(crate) judgement: Judgement,
    pub(crate) exploration: Exploration,
    pub(crate) format: serde_json::Value,
}

impl Model {
    /// F, by which actions are ranked.
    #[must_use]
    pub fn ensemble(&self) -> &PolicyEnsemble<PairTree> {
        &self.ensemble
    }

    /// F in a form for decisions one by one, and for many actions: the same bits, in a fraction of the time.
    ///
    /// ```
    /// use ocoboost::TrainJob;
    /// use off_policy::policies::{EpsilonGreedy, Argmax, Policy};
    /// use off_policy::{ActionSet, Log, Rewards};
    /// use rand::SeedableRng;
    /// use rows::{Row, RowMatrix};
    /// use std::{ops::ControlFlow, time::Duration};
    /// let contexts = RowMatrix::dense(1, (0..600).map(|i| f64::from(i % 40)).collect())?;
    /// let actions = (0..600).map(|i| i / 40 % 2).collect();
    /// let rewards = (0..600).map(|i| f64::from(u8::from((i % 40 < 20) == (i / 40 % 2 == 0)))).collect();
    /// let log = Log::new(contexts, 2, actions, vec![0.5; 600], Rewards(rewards))?;
    /// let job = TrainJob::builder().budget(Duration::from_secs(5)).candidates(2).rounds(40).build()?;
    /// let model = job.fit(&log, |_| ControlFlow::Continue(()))?;
    ///
    /// // Made once, and asked from then on.
    /// let policy = EpsilonGreedy::new(Argmax::new(model.compiled()?), model.exploration().epsilon)?;
    /// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    /// let (mut probabilities, all) = ([0.0; 2], ActionSet::all(2)?);
    /// let (action, propensity) = policy.sample(Row::dense(&[10.0])?, all, &mut probabilities, &mut rng)?;
    /// assert!(probabilities[0] > 0.9 && propensity == probabilities[action]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JobError::Training`] as of [`CompiledEnsemble::new`].
    pub fn compiled(&self) -> Result<CompiledEnsemble, JobError> {
        Ok(CompiledEnsemble::new(&self.ensemble)?)
    }

    /// The columns of its contexts and the names of its actions; `None` for a model of a log of bare numbers.
    #[must_use]
    pub fn schema(&self) -> Option<&Schema> {
        self.ensemble.schema()
    }

    /// How it was trained.
    #[must_use]
    pub fn record(&self) -> &TrainingRecord {
        &self.record
    }

    /// On what it was trained.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The judgement at its training.
    #[must_use]
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// How it is played by default.
    #[must_use]
    pub fn exploration(&self) -> Exploration {
        self.exploration
    }

    /// The same model, played otherwise by default.
    ///
    /// # Errors
    /// [`JobError::BadSetting`] for an ε outside \[0, 1\].
    pub fn with_exploration(self, exploration: Exploration) -> Result<Self, JobError> {
        check(Explore::EpsilonGreedy(exploration.epsilon))?;
        Ok(Self { exploration, ..self })
    }

    /// The options by which tables are read for it, whatever the reader put there.
    #[must_use]
    pub fn format(&self) -> &serde_json::Value {
        &self.format
    }

    /// The same model with the options of a reader, such as
    /// [`CsvColumns`](off_policy::readers::CsvColumns) as JSON.
    #[must_use]
    pub fn with_format(self, format: serde_json::Value) -> Self {
        Self { format, ..self }
    }

    /// The best action of every row among those on offer, the first of equals.
    ///
    /// # Errors
    /// [`JobError::Policy`] for contexts of another dimension or sets of other actions, [`JobError::Length`]
    /// for sets of other rows.
    pub fn predict(&self, contexts: &RowMatrix, on_offer: OnOffer<'_>) -> Result<Vec<u32>, JobError> {
        let mut actions = Vec::with_capacity(contexts.len());
        for_each_row(&self.ensemble, contexts, on_offer, |set, scores| {
            actions.push(number(argmax(scores, set)));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(actions)
    }

    /// Shows π(·|x) of every row in turn.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); [`JobError::BadSetting`] for ε or β; the errors of `see`.
    pub fn probabilities(
        &self,
        contexts: &RowMatrix,
        on_offer: OnOffer<'_>,
        explore: Explore,
        mut see: impl FnMut(&[f64]),
    ) -> Result<(), JobError> {
        check(explore)?;
        let mut pi = vec![0.0; self.ensemble.actions()];
        for_each_row(&self.ensemble, contexts, on_offer, |set, scores| {
            play(explore, set, scores, &mut pi, None)?;
            see(&pi);
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Draws an action for every row, with its propensity for the next log. The draws are those of one ChaCha
    /// stream of the seed: another batch takes another seed.
    ///
    /// # Errors
    /// As [`probabilities`](Self::probabilities).
    pub fn explore(
        &self,
        contexts: &RowMatrix,
        on_offer: OnOffer<'_>,
        explore: Explore,
        seed: u64,
    ) -> Result<Explored, JobError> {
        let (mut actions, mut propensities) = (Vec::new(), Vec::new());
        self.decide(contexts, on_offer, explore, seed, |Decision { action, propensity, .. }| {
            actions.push(action);
            propensities.push(propensity);
            ControlFlow::Continue(())
        })?;
        Ok(Explored { actions, propensities })
    }

    /// Shows the decisions of [`explore`](Self::explore) in turn, with π(·|x) of their rows, until `see` has
    /// seen enough.
    ///
    /// # Errors
    /// As [`probabilities`](Self::probabilities).
    pub fn decide(
        &self,
        contexts: &RowMatrix,
        on_offer: OnOffer<'_>,
        explore: Explore,
        seed: u64,
        mut see: impl FnMut(Decision<'_>) -> ControlFlow<()>,
    ) -> Result<(), JobError> {
        check(explore)?;
        let (mut rng, mut pi) = (generator(seed), vec![0.0; self.ensemble.actions()]);
        for_each_row(&self.ensemble, contexts, on_offer, |set, scores| {
            let (action, propensity) = play(explore, set, scores, &mut pi, Some(&mut rng))?;
            Ok(see(Decision { action: number(action), propensity, probabilities: &pi }))
        })
    }

    /// Shows the k best actions of every row in turn with their scores, best first, lower numbers first among
    /// equals, until `see` has seen enough.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn top(
        &self,
        contexts: &RowMatrix,
        on_offer: OnOffer<'_>,
        k: usize,
        mut see: impl FnMut(&Ranked) -> ControlFlow<()>,
    ) -> Result<(), JobError> {
        let (mut order, mut ranked) = (Vec::new(), Ranked::default());
        for_each_row(&self.ensemble, contexts, on_offer, |set, scores| {
            order.clear();
            order.extend(set.iter());
            let better = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
            if (1..order.len()).contains(&k) {
                order.select_nth_unstable_by(k - 1, better);
            }
            order.truncate(k);
            order.sort_by(better);
            ranked.actions.clear();
            ranked.actions.extend(order.iter().map(|action| number(*action)));
            ranked.scores.clear();
            ranked.scores.extend(order.iter().map(|action| scores[*action]));
            Ok(see(&ranked))
        })
    }
}

/// Actions are fewer than 2²⁴.
fn number(action: usize) -> u32 {
    u32::try_from(action).unwrap_or(u32::MAX)
}

impl Scores for Model {
    fn inputs(&self) -> usize {
        self.ensemble.inputs()
    }

    fn actions(&self) -> usize {
        self.ensemble.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        self.ensemble.schema()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        self.ensemble.scores(x, scores)
    }

    fn scores_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.ensemble.scores_of_rows(contexts, from, scores)
    }
}

/// A policy of a model that is still needed elsewhere.
impl Scores for &Model {
    fn inputs(&self) -> usize {
        self.ensemble.inputs()
    }

    fn actions(&self) -> usize {
        self.ensemble.actions()
    }

    fn schema(&self) -> Option<&Schema> {
        self.ensemble.schema()
    }

    fn scores(&self, x: Row<'_>, scores: &mut [f64]) -> Result<(), PolicyError> {
        self.ensemble.scores(x, scores)
    }

    fn scores_of_rows(
        &self,
        contexts: &RowMatrix,
        from: usize,
        scores: &mut [f64],
    ) -> Result<(), PolicyError> {
        self.ensemble.scores_of_rows(contexts, from, scores)
    }
}
