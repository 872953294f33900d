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
use boosters::bopl::{BoplS, PolicyBoosting, Settings, Smoothness, Step};
use off_policy::{Log, Rewards};
use rows::RowMatrix;
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
    let mut scores = vec![0.0; trial.rewards.len()];
    for _ in 0..rounds {
        let (watch, cpu) = (Instant::now(), cpu_seconds());
        let ControlFlow::Continue(round) = run.round(&contexts)? else { break };
        seconds.push(watch.elapsed().as_secs_f64());
        cpus.push(cpu_seconds() - cpu);
        objectives.push(round.objective);
        if let Some(member) = run.ensemble().members().last() {
            member.predictor.add_scores_of_rows(&trial.test, 0, member.alpha, &mut scores)?;
        }
        let earned = trial.reward(&scores);
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

/// A log, and test rows with the rewards of all actions.
#[derive(Debug)]
struct Trial {
    log: Log,
    test: RowMatrix,
    rewards: Vec<f64>,
}

impl Trial {
    fn read(folder: &Path, name: &str) -> Result<Self, Box<dyn Error>> {
        let file = |end: &str| std::fs::read(folder.join(format!("{name}.{end}")));
        let sizes = String::from_utf8(file("json")?)?;
        let size = |key: &str| -> Result<usize, Box<dyn Error>> {
            let rest = sizes.split_once(&format!("\"{key}\": ")).ok_or("a size is missing")?.1;
            Ok(rest.split([',', '}']).next().unwrap_or_default().parse()?)
        };
        let (d, actions) = (size("d")?, size("actions")?);
        let matrix = |bytes: Vec<u8>| {
            let numbers = bytes.as_chunks::<4>().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
            RowMatrix::dense(d, numbers.collect())
        };
        let numbers = |bytes: Vec<u8>| -> Vec<f64> {
            bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
        };
        let logged = file("a.u32")?.as_chunks::<4>().0.iter().map(|a| u32::from_le_bytes(*a)).collect();
        let (propensities, rewards) = (numbers(file("p.f64")?), Rewards(numbers(file("r.f64")?)));
        let log = Log::new(matrix(file("x.f32")?)?, actions, logged, propensities, rewards)?;
        Ok(Self { log, test: matrix(file("test.x.f32")?)?, rewards: numbers(file("test.r.f64")?) })
    }

    /// The mean reward on the test rows of the first best action.
    #[allow(clippy::cast_precision_loss, reason = "a count of rows")]
    fn reward(&self, scores: &[f64]) -> f64 {
        let actions = self.log.actions();
        let rows = scores.chunks_exact(actions).zip(self.rewards.chunks_exact(actions));
        let earned = rows.map(|(scores, rewards)| {
            let best = scores.iter().zip(rewards).reduce(|best, one| if one.0 > best.0 { one } else { best });
            best.map_or(0.0, |(_, reward)| *reward)
        });
        earned.sum::<f64>() / self.test.len() as f64
    }
}
