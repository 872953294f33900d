//! The time that the settings of BOPL-S-regr take to the objective and the validation reward that the paper's
//! end with.
//!
//! ```text
//! time_to_quality FOLDER NAME ROUNDS [SHARE DEPTH]
//! ```
//!
//! The files are those of `decision_logs --binary`. The paper's settings of Covertype \[L23, Table 5\] run
//! for ROUNDS rounds; their last objective and validation reward are the goals. The other settings run until
//! they have both, or for as many rounds. Everything is on one thread, and seconds are those of the
//! processor in the rounds: the machine may be shared. Validation rows are predicted between the rounds. The
//! trees of the last setting have DEPTH levels in their first round, and the later ones are grown on a SHARE
//! of the rows, drawn by their gradients. Every round is held to its guaranteed decrease and to Theorem 1.

use benches::off_policy::cpu_seconds;
use benches::trial::Trial;
use boosters::bopl::{BoplS, PolicyBoosting, Settings, Smoothness, Step};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use weak_learners::LearnerError;
use weak_learners::pairs::{
    BinnedContexts, GradientSampling, HistogramPairTree, PairGrowth, PairHypothesis, PairLearner, PairRound,
    PairTree,
};

/// b of all settings.
const TRANSLATION: f64 = -0.4;
/// Of the second order.
const RATE: f64 = 0.3;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (folder, name, rounds, share, depth) = match arguments[..] {
        [folder, name, rounds] => (folder, name, rounds, "0.3", "30"),
        [folder, name, rounds, share, depth] => (folder, name, rounds, share, depth),
        _ => return Err("usage: time_to_quality FOLDER NAME ROUNDS [SHARE DEPTH]".into()),
    };
    let trial = Trial::read(Path::new(folder), name)?;
    let (rounds, share, depth) = (rounds.parse()?, share.parse()?, depth.parse()?);
    let contexts = BinnedContexts::new(trial.log.contexts().clone())?;
    let tree = |depth: u32, weight: f64, lambda: f64| -> Result<HistogramPairTree, LearnerError> {
        let growth = PairGrowth::builder().max_depth(depth).min_child_weight(weight).reg_lambda(lambda);
        Ok(HistogramPairTree::new(growth.build()?))
    };
    let drawn = |first: u32| -> Result<FirstWhole, LearnerError> {
        let later = GradientSampling::new(tree(60, 1.0, 1.0)?, share, ChaCha8Rng::seed_from_u64(1))?;
        Ok(FirstWhole { first: Some(tree(first, 1.0, 1.0)?), later })
    };
    let second = Step::SecondOrder { learning_rate: RATE };
    let (paper, sharp) = (Step::Closed(Smoothness::Paper), Step::Closed(Smoothness::Sharp));
    let with = |goals, rounds| (&trial, &contexts, goals, rounds);
    let goals = play("paper", with(Goals::NONE, rounds), tree(25, 200.0, 0.0)?, paper)?;
    let with = with(goals, rounds);
    play("sharp", with, tree(25, 200.0, 0.0)?, sharp)?;
    play("second order", with, tree(60, 1.0, 1.0)?, second)?;
    play("second order, drawn rows", with, drawn(60)?, second)?;
    play("second order, drawn rows, shallow first tree", with, drawn(depth)?, second)?;
    Ok(())
}

/// The first tree on all rows, the later ones on drawn rows.
struct FirstWhole {
    first: Option<HistogramPairTree>,
    later: GradientSampling<HistogramPairTree>,
}

impl PairLearner for FirstWhole {
    type Contexts = BinnedContexts;
    type Hypothesis = PairTree;

    fn train(
        &mut self,
        contexts: &BinnedContexts,
        round: &PairRound<'_>,
        values: &mut [f64],
    ) -> Result<PairTree, LearnerError> {
        match self.first.take() {
            Some(mut first) => first.train(contexts, round, values),
            None => self.later.train(contexts, round, values),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Goals {
    objective: f64,
    reward: f64,
}

impl Goals {
    /// None that can be reached.
    const NONE: Self = Self { objective: f64::NEG_INFINITY, reward: f64::INFINITY };
}

/// Plays a setting, prints its row, and returns what it ended with.
fn play<L: PairLearner<Contexts = BinnedContexts, Hypothesis = PairTree>>(
    what: &str,
    (trial, contexts, goals, rounds): (&Trial, &BinnedContexts, Goals, usize),
    learner: L,
    step: Step,
) -> Result<Goals, Box<dyn Error>> {
    let settings = Settings::builder().translation(TRANSLATION).step(step).build()?;
    let mut run = PolicyBoosting::<BoplS, _>::new(&trial.log, learner, settings)?;
    let mut scores = vec![0.0; trial.validation.rewards.len()];
    let (mut seconds, mut objective, mut reward) = (0.0, run.objective(), 0.0);
    let (mut to_objective, mut to_reward) = (None, None);
    for t in 1..=rounds {
        let cpu = cpu_seconds();
        let ControlFlow::Continue(round) = run.round(contexts)? else { break };
        seconds += cpu_seconds() - cpu;
        let slack = 1e-9 * (1.0 + objective.abs());
        if round.objective > objective - round.decrease + slack || round.objective > round.bound + slack {
            return Err(format!("{what}, round {t}: {round:?} after {objective}").into());
        }
        objective = round.objective;
        if let Some(member) = run.ensemble().members().last() {
            let contexts = &trial.validation.contexts;
            member.predictor.add_scores_of_rows(contexts, 0, member.alpha, &mut scores)?;
        }
        reward = trial.validation.reward(&scores);
        if objective <= goals.objective {
            to_objective.get_or_insert((t, seconds));
        }
        if reward >= goals.reward {
            to_reward.get_or_insert((t, seconds));
        }
        if to_objective.is_some() && to_reward.is_some() {
            break;
        }
    }
    let at = |reached: Option<(usize, f64)>| match reached {
        Some((rounds, seconds)) => format!("{seconds:.1} s, {rounds} rounds"),
        None => "–".to_owned(),
    };
    println!(
        "| {what} | {} | {} | {} rounds, {seconds:.1} s: {objective:.5}, {reward:.4} |",
        at(to_objective),
        at(to_reward),
        run.record().len(),
    );
    Ok(Goals { objective, reward })
}
