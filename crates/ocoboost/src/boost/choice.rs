//! The choice of a candidate and its rounds, on rows that it has not learnt from.

use super::BoostEvent;
use super::algorithm::BoostAlgorithm;
use super::folds::Fold;
use super::lockstep::{Answers, Lockstep, Trained, share};
use super::record::TriedBoost;
use super::settings::BoostSettings;
use crate::error::JobError;
use boosters::maboost::OutputCode;
use std::ops::ControlFlow;
use weak_learners::LearnerError;

/// The best candidate.
pub(super) struct Choice {
    pub(super) tried: Vec<TriedBoost>,
    pub(super) best: TriedBoost,
    /// Its vote in every fold.
    pub(super) trained: Vec<Trained>,
    pub(super) is_cut: bool,
}

/// Sees every round, and may end the choice.
pub(super) type Watch<'a> = &'a mut dyn FnMut(BoostEvent) -> ControlFlow<()>;

impl Choice {
    /// Boosts every candidate, and then the best with deeper trees. It keeps the one of least error on the
    /// rows of the choice, the first of equals.
    pub(super) fn of(
        settings: &BoostSettings,
        code: &OutputCode,
        folds: &[Fold],
        candidates: &[(BoostAlgorithm, Option<f64>)],
        watch: Watch<'_>,
    ) -> Result<Self, JobError> {
        let (first, deeper) = settings.depths();
        let count = candidates.len() + deeper.len();
        let mut choice = Choosing { settings, code, folds, count, tried: Vec::new(), best: None };
        for candidate in candidates {
            if choice.candidate(*candidate, first, watch)?.is_break() {
                return choice.end(true);
            }
        }
        for depth in deeper {
            if let Some((best, _)) = &choice.best {
                let candidate = (best.algorithm, best.smoothness);
                if choice.candidate(candidate, *depth, watch)?.is_break() {
                    return choice.end(true);
                }
            }
        }
        choice.end(false)
    }
}

/// Candidates, one after the other.
struct Choosing<'a> {
    settings: &'a BoostSettings,
    code: &'a OutputCode,
    folds: &'a [Fold],
    /// How many there will be.
    count: usize,
    tried: Vec<TriedBoost>,
    best: Option<(TriedBoost, Vec<Lockstep>)>,
}

impl Choosing<'_> {
    /// Boosts a candidate in every fold, and keeps it where its error is below all before.
    fn candidate(
        &mut self,
        (algorithm, smoothness): (BoostAlgorithm, Option<f64>),
        max_depth: u16,
        watch: Watch<'_>,
    ) -> Result<ControlFlow<()>, JobError> {
        let Self { settings, code, folds, .. } = *self;
        let BoostSettings { rounds, early_stopping_rounds, .. } = *settings;
        let rows = folds.iter().map(|fold| fold.classes.len()).sum();
        let mut runs = Vec::with_capacity(folds.len());
        for fold in folds {
            let answers = Answers::new(&fold.apart, &fold.classes, code.columns());
            runs.push((settings.lockstep((algorithm, smoothness), max_depth, code, &fold.sample)?, answers));
        }
        let (candidate, candidates) = (self.tried.len(), self.count);
        let mut own = TriedBoost { algorithm, smoothness, max_depth, rounds: 0, best_round: 0, error: 1.0 };
        let mut flow = ControlFlow::Continue(());
        while own.rounds < rounds && own.rounds - own.best_round < early_stopping_rounds && flow.is_continue()
        {
            let (mut goes_on, mut errors) = (false, 0);
            for ((lockstep, answers), fold) in runs.iter_mut().zip(folds) {
                goes_on |= lockstep.round(&fold.sample.binned)?;
                errors += answers.follow(lockstep)?;
            }
            let (round, error) = (own.rounds + 1, share(errors, rows));
            own.rounds = round;
            if error < own.error || round == 1 {
                (own.best_round, own.error) = (round, error);
            }
            flow = watch(BoostEvent::Choosing { candidate, candidates, round, error });
            if !goes_on {
                break;
            }
        }
        self.tried.push(own);
        if self.best.as_ref().is_none_or(|(best, _)| own.error < best.error) {
            self.best = Some((own, runs.into_iter().map(|(lockstep, _)| lockstep).collect()));
        }
        Ok(flow)
    }

    /// The best of them.
    fn end(self, is_cut: bool) -> Result<Choice, JobError> {
        let Self { folds, tried, best, .. } = self;
        // There was a candidate.
        let (best, locksteps) = best.ok_or(LearnerError::Empty { argument: "candidates" })?;
        let of_fold = |(lockstep, fold): (Lockstep, &Fold)| {
            lockstep.trained(best.best_round, &fold.sample.binned, &fold.sample.classes)
        };
        let trained = locksteps.into_iter().zip(folds).map(of_fold).collect::<Result<_, _>>()?;
        Ok(Choice { tried, best, trained, is_cut })
    }
}
