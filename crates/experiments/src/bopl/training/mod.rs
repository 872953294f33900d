//! A method, trained on a trial's log and evaluated on rows with known rewards.

use super::history::{Choice, History, Logging, Snapshot, Watch};
use super::methods::Method;
use super::parameters::{Net, Parameters};
use super::task::{Rewarded, Trial};
use super::task_name::TaskName;
use crate::peer::{self, Peer, PeerError, Predicted, Request, Trees};
use crate::runner::ExperimentError;
use boosters::auto_policy::{AutoPolicy, Candidate, Objective};
use boosters::bopl::{
    Bopl, BoplError, BoplS, Classification, EarlyStopping, Member, PolicyBoosting, PolicyObjective,
    RewardRegression, Settings, Smoothness, Step,
};
use off_policy::Log;
use std::ops::ControlFlow;
use std::time::Instant;
use weak_learners::batch::BinnedColumns;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth, PairLearner, VectorLeafLearner};

/// The paper's constants, and the smallest valid ones.
const PAPER: Step = Step::Closed(Smoothness::Paper);
const SHARP: Step = Step::Closed(Smoothness::Sharp);

/// Counts rounds.
pub(super) type Tick<'a> = &'a (dyn Fn(u64) + Sync);

impl Method {
    /// Trains on the log, and evaluates on other rows. `model` has the hyper-parameters of the direct
    /// method's BRR-gb; BRR-xgb, DRR and BanditNet need their program.
    ///
    /// # Errors
    /// The errors of the learners and of the boosters.
    pub(super) fn train(
        self,
        task: TaskName,
        trial: &Trial,
        (parameters, model): (&Parameters, &Parameters),
        rows: &Rewarded,
        (peer, tick): (Option<&Peer>, Tick<'_>),
    ) -> Result<History, ExperimentError> {
        let growth = PairGrowth::builder()
            .max_depth(parameters.max_depth)
            .min_child_weight(parameters.min_child_weight)
            .reg_lambda(parameters.reg_lambda)
            .build()?;
        let (trees, contexts) = (HistogramPairTree::new(growth), &trial.contexts);
        let signs = Classification::new(HistogramPairTree::new(growth.of_signs()));
        let run = Run { trial, parameters, rows, tick };
        let (mut history, scores) = match self {
            Self::Logging => {
                let (on_validation, least_propensity) = (trial.validation.logging, trial.least_propensity);
                let logging = Some(Logging { on_validation, least_propensity });
                let (reward, standard_error) = (rows.logging, rows.logging_error);
                return Ok(History { reward, standard_error, logging, ..History::default() });
            }
            Self::AutoPolicy => return run.auto_policy(),
            Self::BrrGb => run.reward_regression(trees)?,
            Self::BrrSquared => run.stopped_early(trees, RewardRegression::new)?,
            Self::BrrLogistic => run.stopped_early(trees, RewardRegression::logistic)?,
            Self::BrrXgb => run.peer(peer, run.trees())?,
            Self::Drr => run.peer(peer, run.net(task, serde_json::json!("reward_regression"))?)?,
            Self::BanditNet => {
                let objective =
                    serde_json::json!({ "bandit_net": { "translation": parameters.translation } });
                run.peer(peer, run.net(task, objective)?)?
            }
            Self::BoplRegr => run.boost::<Bopl, _>(trees, contexts, PAPER)?,
            Self::BoplClass => run.boost::<Bopl, _>(signs, contexts, PAPER)?,
            Self::BoplSRegr | Self::BoplCsRegr => run.boost::<BoplS, _>(trees, contexts, PAPER)?,
            Self::BoplSClass => run.boost::<BoplS, _>(signs, contexts, PAPER)?,
            Self::SharpRegr => run.boost::<Bopl, _>(trees, contexts, SHARP)?,
            Self::SharpClass => run.boost::<Bopl, _>(signs, contexts, SHARP)?,
            Self::SharpSteps => run.boost::<BoplS, _>(trees, contexts, SHARP)?,
            Self::SharpSClass => run.boost::<BoplS, _>(signs, contexts, SHARP)?,
            Self::SecondOrder => {
                let step = Step::SecondOrder { learning_rate: parameters.learning_rate };
                run.boost::<BoplS, _>(trees, contexts, step)?
            }
            Self::LineSearch => run.boost::<BoplS, _>(trees, contexts, Step::LineSearch)?,
            Self::VectorLeaves => {
                // A leaf holds the pairs of all actions, so the same rows have |A| times the weight.
                let least = parameters.min_child_weight * trial.log.actions() as f64;
                let growth = PairGrowth::builder()
                    .max_depth(parameters.max_depth)
                    .min_child_weight(least)
                    .reg_lambda(parameters.reg_lambda)
                    .build()?;
                let contexts = BinnedColumns::new(trial.contexts.matrix().clone())?;
                run.boost::<BoplS, _>(VectorLeafLearner::new(growth), &contexts, PAPER)?
            }
        };
        if self.is_in_table_2(task) {
            let predicted = if matches!(self, Self::BrrGb | Self::BrrXgb) {
                scores.clone()
            } else {
                let growth = PairGrowth::builder()
                    .max_depth(model.max_depth)
                    .min_child_weight(model.min_child_weight)
                    .reg_lambda(model.reg_lambda)
                    .build()?;
                let run = Run { parameters: model, tick: &|_| (), ..run };
                run.reward_regression(HistogramPairTree::new(growth))?.1
            };
            history.direct_method = Some(rows.mean(&predicted, &scores));
        }
        Ok(history)
    }
}

#[derive(Clone, Copy)]
struct Run<'a> {
    trial: &'a Trial,
    parameters: &'a Parameters,
    rows: &'a Rewarded,
    tick: Tick<'a>,
}

impl Run<'_> {
    /// Algorithm 1 or 2, with the scores of the evaluation rows.
    fn boost<O: PolicyObjective, L: PairLearner>(
        self,
        learner: L,
        contexts: &L::Contexts,
        step: Step,
    ) -> Result<(History, Vec<f64>), ExperimentError> {
        let mut settings = Settings::builder().translation(self.parameters.translation).step(step);
        if let Some(most) = self.parameters.clip {
            settings = settings.clip(most);
        }
        let mut run = PolicyBoosting::<O, L>::new(&self.trial.log, learner, settings.build()?)?;
        let mut watch = Watch::new(self.rows, self.parameters.rounds, run.objective(), self.tick);
        let mut stop = None;
        for _ in 0..self.parameters.rounds {
            let begun = Instant::now();
            match run.round(contexts)? {
                ControlFlow::Break(reason) => {
                    stop = Some(reason);
                    break;
                }
                ControlFlow::Continue(round) => {
                    let seconds = begun.elapsed().as_secs_f64();
                    if let Some(member) = run.ensemble().members().last() {
                        watch.see(&round, &member.predictor, seconds)?;
                    }
                }
            }
        }
        let end = run.record().last().map(|round| Snapshot {
            round: 0,
            reward: 0.0,
            gradient_norm: round.gradient_norm,
            snips: Some(round.snips),
            objective: Some(round.objective),
            bound: Some(round.bound),
            seconds: None,
        });
        Ok(watch.finish(stop, end))
    }

    /// The recipe, which sees the log alone. Its rounds are those of the final policy, its seconds those of
    /// the whole search.
    fn auto_policy(self) -> Result<History, ExperimentError> {
        let Self { trial, parameters, rows, tick } = self;
        let begun = Instant::now();
        let recipe = AutoPolicy::builder().rounds(parameters.rounds as usize).build()?;
        let fit = recipe.fit(&trial.log, |_| ControlFlow::Continue(()))?;
        let seconds = begun.elapsed().as_secs_f64();
        let mut scores = rows.no_scores();
        for Member { alpha, predictor } in fit.ensemble.members() {
            rows.add(predictor, *alpha, &mut scores)?;
        }
        tick(u64::from(parameters.rounds));
        let chosen = &fit.tried[fit.chosen];
        let rounds = |rounds: usize| u32::try_from(rounds).unwrap_or(u32::MAX);
        let choice = Choice {
            candidate: in_words(&chosen.candidate),
            rounds: rounds(chosen.best_round),
            estimate: chosen.value.value,
        };
        let (reward, rounds) = (rows.reward(&scores), rounds(fit.ensemble.len()));
        let (standard_error, choice) = (rows.standard_error(&scores), Some(choice));
        Ok(History { reward, rounds, seconds, standard_error, choice, ..History::default() })
    }

    /// BRR-xgb.
    fn trees(self) -> Request {
        let Parameters { rounds, max_depth, min_child_weight, reg_lambda, learning_rate, .. } =
            *self.parameters;
        // Units run side by side, so each has one thread.
        Request::XgBoost(Trees { rounds, max_depth, min_child_weight, reg_lambda, learning_rate, threads: 1 })
    }

    /// DRR or BanditNet, with the scaling of \[L23, Appendix F.1\].
    fn net(self, task: TaskName, objective: serde_json::Value) -> Result<Request, ExperimentError> {
        let Parameters { rounds: epochs, learning_rate, net, .. } = *self.parameters;
        let Net { hidden_layers, first_layer_width, dropout, weight_decay, batch_size } =
            net.ok_or(PeerError::NoNet)?;
        let scaling = match task {
            TaskName::Covertype | TaskName::Letter | TaskName::Adult | TaskName::OpenBandit => {
                serde_json::json!("standard")
            }
            TaskName::Fashion | TaskName::FashionPooled => serde_json::json!({ "divided": 255.0 }),
            TaskName::Scene | TaskName::Tmc | TaskName::TmcRepeated => serde_json::json!("none"),
        };
        let seed = self.trial.number;
        let training = peer::Net {
            objective,
            hidden_layers,
            first_layer_width,
            dropout,
            weight_decay,
            learning_rate,
            epochs,
            batch_size,
            scaling,
            seed,
        };
        Ok(Request::Net { training })
    }

    /// A program of its own, with its scores of the evaluation rows. The rounds of a net are its epochs.
    #[allow(clippy::needless_pass_by_value, reason = "a request is used once")]
    fn peer(self, peer: Option<&Peer>, request: Request) -> Result<(History, Vec<f64>), ExperimentError> {
        let Self { trial, parameters, rows, tick } = self;
        let peer = peer.ok_or(PeerError::Absent)?;
        let Predicted { scores, seconds, epochs, memory } =
            peer.ask(&trial.log, &request, rows.contexts())?;
        tick(u64::from(parameters.rounds));
        let (reward, rounds) = (rows.reward(&scores), epochs.unwrap_or(parameters.rounds));
        let standard_error = rows.standard_error(&scores);
        Ok((History { reward, rounds, seconds, standard_error, memory, ..History::default() }, scores))
    }

    /// Reward regression that every fifth row of the log stops, with its scores of the evaluation rows.
    fn stopped_early(
        self,
        learner: HistogramPairTree,
        start: fn(&Log, HistogramPairTree, f64) -> Result<RewardRegression<HistogramPairTree>, BoplError>,
    ) -> Result<(History, Vec<f64>), ExperimentError> {
        let Self { trial, parameters, rows, tick } = self;
        let begun = Instant::now();
        let part = |is_held_out: bool| {
            trial.log.select((0..trial.log.len()).filter(|row| (row % 5 == 4) == is_held_out))
        };
        let (train, held_out) = (part(false)?, part(true)?);
        let contexts = BinnedContexts::with_bins(train.contexts().clone(), trial.bins)?;
        let mut run = start(&train, learner, parameters.learning_rate)?;
        let most = EarlyStopping::builder(&held_out).rounds(parameters.rounds as usize).patience(20);
        let end = run.fit(&contexts, &most.build()?)?;
        let seconds = begun.elapsed().as_secs_f64();
        let mut scores = rows.no_scores();
        for Member { alpha, predictor } in run.ensemble().prefix(end.best_round).members() {
            rows.add(predictor, *alpha, &mut scores)?;
        }
        tick(u64::from(parameters.rounds));
        let (reward, rounds) = (rows.reward(&scores), u32::try_from(end.best_round).unwrap_or(u32::MAX));
        let standard_error = rows.standard_error(&scores);
        Ok((History { reward, rounds, seconds, standard_error, ..History::default() }, scores))
    }

    /// BRR-gb, with the predicted rewards of the evaluation rows.
    fn reward_regression(self, learner: HistogramPairTree) -> Result<(History, Vec<f64>), ExperimentError> {
        let Self { trial, parameters, rows, tick } = self;
        let mut run = RewardRegression::new(&trial.log, learner, parameters.learning_rate)?;
        let mut watch = Watch::new(rows, parameters.rounds, run.loss(), tick);
        let (mut stop, mut end) = (None, None);
        for _ in 0..parameters.rounds {
            // The norm of the residuals, which are the gradient.
            let gradient_norm = (run.loss() * trial.log.len() as f64).sqrt();
            let begun = Instant::now();
            match run.round(&trial.contexts)? {
                ControlFlow::Break(reason) => {
                    stop = Some(reason);
                    break;
                }
                ControlFlow::Continue(round) => {
                    let seconds = begun.elapsed().as_secs_f64();
                    if let Some(member) = run.ensemble().members().last() {
                        watch.see_regression(
                            &round,
                            gradient_norm,
                            (member.alpha, &member.predictor),
                            seconds,
                        )?;
                    }
                    let (snips, bound) = (None, None);
                    let objective = Some(round.loss);
                    let seconds = None;
                    end = Some(Snapshot {
                        round: 0,
                        reward: 0.0,
                        gradient_norm,
                        snips,
                        objective,
                        bound,
                        seconds,
                    });
                }
            }
        }
        Ok(watch.finish(stop, end))
    }
}

/// Objective and settings of a candidate.
fn in_words(candidate: &Candidate) -> String {
    let objective = match candidate.objective {
        Objective::Ips => "IPS",
        Objective::Surrogate => "surrogate",
        Objective::DoublyRobust => "doubly robust",
        Objective::RewardRegression => "reward regression",
    };
    let clip = candidate.clip.map_or(String::new(), |most| format!(", weights at most {most:.1}"));
    format!("{objective}, depth {}, rate {:.2}{clip}", candidate.max_depth, candidate.learning_rate)
}

#[cfg(test)]
mod tests;
