//! The logs for timing boosted off-policy learning.
//!
//! `peers/bopl_xgboost.py` reads the same logs from files written by [`Problem::write`].

use crate::uniform;
use boosters::bopl::{BoplS, Member, PolicyBoosting, Settings, Smoothness, Step};
use datasets::{ClassificationName, Provenance, SearchPath, Split, StandIn, load_classification};
use off_policy::policies::{EpsilonGreedy, LogisticTraining, Softmax};
use off_policy::{
    COVERTYPE_NEAR_MISSES, FASHION_MNIST_NEAR_MISSES, LabelSets, Log, RewardStructure, Rewards, to_bandit,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth, PairTree};
use weak_learners::{Ranks, Shard, Traffic};

/// A log, and the parameters of its trees.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The name.
    pub name: String,
    /// The log.
    pub log: Log,
    /// The largest depth of a tree.
    pub max_depth: u32,
    /// The least weight of a child.
    pub min_child_weight: f64,
    /// b.
    pub translation: f64,
    /// Bins per column.
    pub bins: u16,
}

/// The times and the objectives of a run.
#[derive(Debug, Clone)]
pub struct History {
    /// Seconds for binning and the start of the run.
    pub prepared: f64,
    /// Seconds of every round.
    pub seconds: Vec<f64>,
    /// Seconds that every round had of all processors.
    pub cpu: Vec<f64>,
    /// The objective after every round.
    pub objectives: Vec<f64>,
    /// The number of leaves of every tree.
    pub leaves: Vec<usize>,
    /// What this rank exchanged in every round.
    pub traffic: Vec<Traffic>,
    /// A digest of the trees and their coefficients.
    pub model: u64,
}

impl Problem {
    /// A log similar to trial 0 of `reproduce bopl`: the same rows, and a logging policy of the same kind,
    /// with the hyper-parameters of BOPL-S-regr of \[L23, Table 5\]. `None` if the files are not found.
    ///
    /// # Errors
    /// Those of reading the files; an unknown name.
    pub fn real(name: &str) -> Result<Option<Self>, Box<dyn Error>> {
        let known = ClassificationName::ALL.into_iter().find(|known| known.as_str() == name);
        let name = known.ok_or("covertype, fashion, scene or tmc")?;
        let search = SearchPath::from_environment(None)?;
        let task = load_classification(name, &search, StandIn { seed: 1, rows: Some(100) })?;
        if matches!(task.provenance, Provenance::StandIn { .. }) {
            eprintln!("{name} is not there: left out");
            return Ok(None);
        }
        let split = Split::new(name.split_plan(task.len()), task.len(), 1, 0)?;
        let classes = task.classes.len();
        let structure = match name {
            ClassificationName::Covertype => {
                RewardStructure::near_misses(classes, &COVERTYPE_NEAR_MISSES, 0.25)?
            }
            ClassificationName::Fashion => {
                RewardStructure::near_misses(classes, &FASHION_MNIST_NEAR_MISSES, 0.25)?
            }
            _ => RewardStructure::one_of_the_labels(classes)?,
        };
        let part = |rows: &[usize]| -> Result<(RowMatrix, LabelSets), Box<dyn Error>> {
            let contexts = task.contexts.select(rows.iter().copied())?;
            let sets = rows.iter().map(|i| task.labels.of(*i).unwrap_or_default().to_vec());
            Ok((contexts, LabelSets::new(classes, sets)?))
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (contexts, labels) = part(&split.logging)?;
        let logistic = LogisticTraining::builder()
            .ridge(0.1)
            .max_epochs(50)
            .build()?
            .fit(&contexts, &labels, &mut rng)?;
        let policy = EpsilonGreedy::new(Softmax::new(logistic.model, 1.0)?, 0.05)?;
        let (contexts, labels) = part(&split.target)?;
        let log = to_bandit(contexts, &labels, &structure, &policy, &mut rng)?;
        let (max_depth, min_child_weight, translation, bins) = match name {
            ClassificationName::Covertype => (25, 200.0, -0.4, 256),
            ClassificationName::Fashion => (20, 200.0, -0.4, 64),
            ClassificationName::Scene => (10, 60.0, -0.2, 256),
            ClassificationName::Tmc => (20, 200.0, -0.3, 256),
        };
        let name = name.as_str().to_owned();
        Ok(Some(Self { name, log, max_depth, min_child_weight, translation, bins }))
    }

    /// A synthetic log of n contexts of d numbers in [0, 1], with uniformly logged actions. Two of the
    /// numbers determine the best action; the reward is 1 with probability 0.9 for it and 0.1 for others.
    /// Always the same.
    ///
    /// # Errors
    /// d = 0 or no actions.
    pub fn synthetic(n: usize, d: usize, actions: u32, max_depth: u32) -> Result<Self, Box<dyn Error>> {
        let values: Vec<f64> = uniform(31).take(n * d).collect();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0, …, |A| − 1")]
        let one_of = |u: f64| ((u * f64::from(actions)) as u32).min(actions - 1);
        let logged: Vec<u32> = uniform(32).take(n).map(one_of).collect();
        let right = values.chunks_exact(d).map(|x| one_of((x[0] + 0.5 * x[1 % d]) % 1.0));
        let pays = |((right, logged), u): ((u32, &u32), f64)| {
            f64::from(u8::from(u < if right == *logged { 0.9 } else { 0.1 }))
        };
        let rewards = right.zip(&logged).zip(uniform(33)).map(pays).collect();
        let propensities = vec![1.0 / f64::from(actions); n];
        let log =
            Log::new(RowMatrix::dense(d, values)?, actions as usize, logged, propensities, Rewards(rewards))?;
        let name = format!("made-up-{n}-{d}-{actions}-{max_depth}");
        Ok(Self { name, log, max_depth, min_child_weight: 200.0, translation: -0.2, bins: 256 })
    }

    /// The same problem with the rows of one rank.
    ///
    /// # Errors
    /// None is expected.
    pub fn of_rank(&self, ranks: &Ranks) -> Result<Self, Box<dyn Error>> {
        let log = self.log.select(Shard::rows(self.log.len(), ranks.rank(), ranks.size()))?;
        Ok(Self { name: self.name.clone(), log, ..*self })
    }

    /// Writes the log for a peer: contexts as f32, actions as u32, propensities and rewards as f64,
    /// little-endian, and a line of JSON.
    ///
    /// # Errors
    /// Files that cannot be written.
    #[allow(clippy::cast_possible_truncation, reason = "the peers' trees work in f32")]
    pub fn write(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let Self { name, log, .. } = self;
        let file = |end: &str, bytes: Vec<u8>| std::fs::write(folder.join(format!("{name}.{end}")), bytes);
        let contexts = log.contexts().iter().flat_map(|x| x.to_dense());
        file("x.f32", contexts.flat_map(|x| (x as f32).to_le_bytes()).collect())?;
        file("a.u32", log.logged_actions().iter().flat_map(|a| a.to_le_bytes()).collect())?;
        file("p.f64", log.propensities().iter().flat_map(|p| p.to_le_bytes()).collect())?;
        file("r.f64", log.rewards().iter().flat_map(|r| r.to_le_bytes()).collect())?;
        let head = format!(
            r#"{{"n": {}, "d": {}, "actions": {}, "max_depth": {}, "min_child_weight": {}, "translation": {}}}"#,
            log.len(),
            log.inputs(),
            log.actions(),
            self.max_depth,
            self.min_child_weight,
            self.translation
        );
        file("json", head.into_bytes())?;
        Ok(())
    }

    /// Rounds of BOPL-S-regr with the paper's constants.
    ///
    /// # Errors
    /// The errors of the learners; none is expected.
    pub fn run(&self, rounds: usize) -> Result<History, Box<dyn Error>> {
        self.run_of_rank(rounds, &Ranks::alone())
    }

    /// The same, where the log has the rows of one rank among several.
    ///
    /// # Errors
    /// As [`run`](Self::run); those of the messages.
    pub fn run_of_rank(&self, rounds: usize, ranks: &Ranks) -> Result<History, Box<dyn Error>> {
        let watch = Instant::now();
        let contexts = BinnedContexts::of_rank(self.log.contexts().clone(), self.bins, ranks.clone())?;
        let learner = HistogramPairTree::new(
            PairGrowth::builder()
                .max_depth(self.max_depth)
                .min_child_weight(self.min_child_weight)
                .reg_lambda(0.0)
                .build()?,
        );
        let settings = Settings::builder()
            .translation(self.translation)
            .step(Step::Closed(Smoothness::Paper))
            .build()?;
        let mut run = PolicyBoosting::<BoplS, _>::of_rank(&self.log, learner, settings, ranks.clone())?;
        let prepared = watch.elapsed().as_secs_f64();
        let mut history = History {
            prepared,
            seconds: vec![],
            cpu: vec![],
            objectives: vec![],
            leaves: vec![],
            traffic: vec![],
            model: 0,
        };
        for _ in 0..rounds {
            let (watch, cpu, before) = (Instant::now(), cpu_seconds(), ranks.traffic());
            let ControlFlow::Continue(round) = run.round(&contexts)? else { break };
            history.seconds.push(watch.elapsed().as_secs_f64());
            history.cpu.push(cpu_seconds() - cpu);
            history.objectives.push(round.objective);
            let Traffic { messages, bytes } = ranks.traffic();
            let (messages, bytes) = (messages - before.messages, bytes - before.bytes);
            history.traffic.push(Traffic { messages, bytes });
        }
        history.model = digest(run.ensemble().members());
        history.leaves = run.ensemble().members().iter().map(|member| member.predictor.leaves()).collect();
        Ok(history)
    }
}

/// A number that nearly surely differs where a bit of two ensembles does: Fowler, Noll and Vo's hash of 64
/// bits of what their members print.
fn digest(members: &[Member<PairTree>]) -> u64 {
    let text = members.iter().map(|Member { alpha, predictor }| format!("{alpha:?}{:?}", predictor.nodes()));
    text.collect::<String>().bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The peak memory of this process, in bytes; 0 if unknown.
#[must_use]
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|kib| kib.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// The seconds that this process has had of all processors, in steps of a hundredth; 0 if unknown.
#[must_use]
pub fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in parentheses come the state, and after ten more fields the ticks of user and system.
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}
