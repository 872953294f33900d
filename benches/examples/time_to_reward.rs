//! The time that BOPL-S-regr takes to a reward on test rows.
//!
//! ```text
//! time_to_reward FOLDER NAME paper|second-order ROUNDS REWARD THREADS
//! ```
//!
//! The files are those of `decision_logs --binary`. The run ends after ROUNDS rounds, or after the first
//! whose argmax policy earns REWARD on the test rows. Seconds are those of the rounds; the test rows are
//! predicted between them. "Prepared" is the binning and the start of the run; the files are read before.
//! The output is a line of JSON for `peers/time_to_reward.py`.

use benches::off_policy::{cpu_seconds, peak_memory};
use benches::trial::Trial;
use boosters::bopl::{BoplS, PolicyBoosting, Settings, Smoothness, Step};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth, PairHypothesis};

/// b of both settings.
const TRANSLATION: f64 = -0.4;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [folder, name, settings, rounds, reward, threads] = arguments[..] else {
        return Err("usage: time_to_reward FOLDER NAME paper|second-order ROUNDS REWARD THREADS".into());
    };
    // [L23, Table 5], and the parameters of docs/results/bopl.
    let (growth, step) = match settings {
        "paper" => {
            let growth = PairGrowth::builder().max_depth(25).min_child_weight(200.0).reg_lambda(0.0);
            (growth.build()?, Step::Closed(Smoothness::Paper))
        }
        "second-order" => {
            let growth = PairGrowth::builder().max_depth(60).min_child_weight(1.0).reg_lambda(1.0);
            (growth.build()?, Step::SecondOrder { learning_rate: 0.3 })
        }
        _ => return Err("paper or second-order".into()),
    };
    let trial = Trial::read(Path::new(folder), name)?;
    let (rounds, reward) = (rounds.parse()?, reward.parse()?);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let outcome = pool.install(|| {
        // The error is not `Send`, so its text is returned.
        run(&trial, HistogramPairTree::new(growth), step, rounds, reward).map_err(|error| error.to_string())
    });
    Ok(outcome?)
}

fn run(
    trial: &Trial,
    learner: HistogramPairTree,
    step: Step,
    rounds: usize,
    enough: f64,
) -> Result<(), Box<dyn Error>> {
    let (watch, cpu) = (Instant::now(), cpu_seconds());
    let contexts = BinnedContexts::new(trial.log.contexts().clone())?;
    let settings = Settings::builder().translation(TRANSLATION).step(step).build()?;
    let mut run = PolicyBoosting::<BoplS, _>::new(&trial.log, learner, settings)?;
    let (prepared, prepared_cpu) = (watch.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let (mut seconds, mut cpus, mut objectives, mut rewards) = (vec![], vec![], vec![], vec![]);
    let mut scores = vec![0.0; trial.test.rewards.len()];
    for _ in 0..rounds {
        let (watch, cpu) = (Instant::now(), cpu_seconds());
        let ControlFlow::Continue(round) = run.round(&contexts)? else { break };
        seconds.push(watch.elapsed().as_secs_f64());
        cpus.push(cpu_seconds() - cpu);
        objectives.push(round.objective);
        if let Some(member) = run.ensemble().members().last() {
            member.predictor.add_scores_of_rows(&trial.test.contexts, 0, member.alpha, &mut scores)?;
        }
        let earned = trial.test.reward(&scores);
        rewards.push(earned);
        if earned >= enough {
            break;
        }
    }
    let leaves = run.ensemble().members().iter().map(|member| member.predictor.leaves()).max();
    let (leaves, peak) = (leaves.unwrap_or_default(), peak_memory());
    println!(
        r#"{{"prepared": {prepared:e}, "prepared_cpu": {prepared_cpu:e}, "seconds": {seconds:?}, "cpu": {cpus:?}, "objectives": {objectives:?}, "rewards": {rewards:?}, "leaves": {leaves}, "peak": {peak}}}"#
    );
    Ok(())
}
