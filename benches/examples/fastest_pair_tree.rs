//! Rounds of boosted off-policy learning with trees over pairs: what the tree takes of one.
//!
//! ```text
//! fastest_pair_tree FOLDER NAME [--threads K] [--rounds T] [--bins B]
//! ```
//!
//! NAME is covertype, fashion or tmc, and FOLDER has its official file, decompressed (for covertype `covtype.data`); with
//! `-` for FOLDER the data are made up, of the same size. The log is simulated: a softmax logging policy of a random linear
//! map with p ≥ 0.02, reward 1 if the action is the class, 1/4 if it is one taken for it, translated by −0.4. A round is
//! BOPL's: π, the gradient, the tree with its values on the training pairs, the step and the new scores.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rows::RowMatrix;
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth, PairLearner, PairRound, PairWeights};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, default: usize| {
        let place = arguments.iter().position(|a| a == name);
        place.map_or(Ok(default), |k| arguments.get(k + 1).ok_or("a number is missing")?.parse().map_err(|_| "no number"))
    };
    let [folder, name, ..] = &arguments[..] else { return Err("FOLDER NAME [--threads K] [--rounds T]".into()) };
    let (threads, rounds, bins) = (option("--threads", 2)?, option("--rounds", 12)?, option("--bins", 256)?);
    let problem = Problem::named(name, Path::new(folder))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| problem.run(rounds, u16::try_from(bins)?).map_err(|e| e.to_string().into()))
        .map_err(|e: Box<dyn Error + Send + Sync>| e.to_string().into())
}

type Failure = Box<dyn Error + Send + Sync>;

/// Contexts, and of each the label whose action is rewarded; labels of one group are taken for one another.
struct Problem {
    rows: RowMatrix,
    actions: usize,
    /// r(i, a), row by row.
    rewards: Vec<f32>,
    depth: u32,
}

impl Problem {
    fn named(name: &str, folder: &Path) -> Result<Self, Box<dyn Error>> {
        match name {
            "covertype" => covertype(folder),
            "fashion" => fashion(folder),
            "tmc" => tmc(folder),
            _ => Err("covertype, fashion or tmc".into()),
        }
    }

    fn of_classes(rows: RowMatrix, actions: usize, classes: &[usize], groups: &[u8], depth: u32) -> Self {
        let reward = |class: usize, a: usize| {
            if a == class { 1.0 } else if groups[a] == groups[class] { 0.25 } else { 0.0 }
        };
        let rewards = classes.iter().flat_map(|&class| (0..actions).map(move |a| reward(class, a))).collect();
        Self { rows, actions, rewards, depth }
    }

    #[allow(clippy::many_single_char_names)]
    fn run(&self, rounds: usize, bins: u16) -> Result<(), Failure> {
        let (n, actions) = (self.rows.len(), self.actions);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (logged, p) = self.log(&mut rng);
        let r: Vec<f64> = (0..n).map(|i| f64::from(self.rewards[i * actions + logged[i]]) - 0.4).collect();
        let watch = Instant::now();
        let contexts = BinnedContexts::with_bins(self.rows.clone(), bins)?;
        let binning = watch.elapsed();
        println!(
            "{n} contexts x {} columns, {actions} actions: {} bytes and {:.1} listed values a row, binned in {binning:.1?}",
            self.rows.dimension(), contexts.bytes_a_row(), contexts.listed_values() as f64 / n as f64,
        );
        let h: Vec<f64> = r.iter().zip(&p).map(|(r, p)| r.abs() / p).collect();
        let mut learner = HistogramPairTree::new(PairGrowth::new(self.depth, 200.0, 0.0)?);
        let (mut scores, mut u, mut f) = (vec![0.0; n * actions], vec![0.0; n * actions], vec![0.0; n * actions]);
        for round in 1..=rounds {
            let watch = Instant::now();
            gradient(&scores, &mut u, n, |i| (logged[i], r[i] / p[i]));
            let gradient = watch.elapsed();
            let asked = PairRound::new(n, actions, &u, PairWeights::OfExamples(&h))?;
            let checked = watch.elapsed();
            let before = processor_time();
            let tree = learner.train(&contexts, &asked, &mut f)?;
            let trained = watch.elapsed();
            let processor = processor_time() - before;
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
            let above: f64 = u.par_chunks(n).zip(f.par_chunks(n)).map(|(u, f)| dot(u, f)).sum();
            let below: f64 = f.par_chunks(n).map(|f| f.iter().zip(&h).map(|(f, h)| h * f * f).sum::<f64>()).sum();
            let alpha = 2.0 * above / below;
            scores.par_chunks_mut(1 << 14).zip(f.par_chunks(1 << 14)).for_each(|(scores, f)| {
                scores.iter_mut().zip(f).for_each(|(score, f)| *score += alpha * f);
            });
            let all = watch.elapsed();
            println!(
                "round {round:3}: gradient {:6.1} check {:5.1} tree {:6.1} ({:6.1} of processors) step {:5.1} all {:6.1} ms; {} leaves, gain {:.4e}",
                1e3 * gradient.as_secs_f64(),
                1e3 * (checked - gradient).as_secs_f64(),
                1e3 * (trained - checked).as_secs_f64(),
                processor,
                1e3 * (all - trained).as_secs_f64(),
                1e3 * all.as_secs_f64(),
                tree.leaves(),
                above * above / below,
            );
        }
        println!("peak memory {} MiB", peak());
        Ok(())
    }

    /// An action for every context, and its probability.
    fn log(&self, rng: &mut impl Rng) -> (Vec<usize>, Vec<f64>) {
        let d = self.rows.dimension();
        let map: Vec<f64> = (0..d * self.actions).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect();
        let mut draw = |x: rows::Row<'_>| {
            let norm = x.norm_squared().sqrt().max(1e-9);
            let mut p: Vec<f64> = map.chunks(d).map(|w| (2.0 * x.dot(w) / norm).exp()).collect();
            let total: f64 = p.iter().sum();
            p.iter_mut().for_each(|p| *p = (*p / total).max(0.02));
            let total: f64 = p.iter().sum();
            let mut u = rng.random::<f64>() * total;
            let a = p.iter().position(|p| { u -= p; u < 0.0 }).unwrap_or_default();
            (a, p[a] / total)
        };
        self.rows.iter().map(&mut draw).unzip()
    }
}

/// u = (r/p) π(a_i)(1{a = a_i} − π(a)), where a_i and r/p are those of the log.
fn gradient(scores: &[f64], u: &mut [f64], n: usize, log: impl Fn(usize) -> (usize, f64) + Sync) {
    const PART: usize = 1 << 10;
    let actions = scores.len() / n;
    // The parts of every action, part by part.
    let mut parts: Vec<Vec<&mut [f64]>> = (0..n.div_ceil(PART)).map(|_| Vec::with_capacity(actions)).collect();
    for u in u.chunks_mut(n) {
        u.chunks_mut(PART).zip(&mut parts).for_each(|(u, part)| part.push(u));
    }
    parts.par_iter_mut().enumerate().for_each(|(k, u)| {
        let first = k * PART;
        let (mut pi, mut sums) = (vec![0.0; actions * PART], [0.0; PART]);
        let mut most = [f64::NEG_INFINITY; PART];
        let len = u[0].len();
        for a in 0..actions {
            let scores = &scores[a * n + first..][..len];
            most.iter_mut().zip(scores).for_each(|(m, s)| *m = if *s > *m { *s } else { *m });
        }
        for a in 0..actions {
            let scores = &scores[a * n + first..][..len];
            let pi = &mut pi[a * PART..][..len];
            for k in 0..len {
                pi[k] = (scores[k] - most[k]).exp();
                sums[k] += pi[k];
            }
        }
        for k in 0..len {
            let (logged, weight) = log(first + k);
            let c = weight * pi[logged * PART + k] / sums[k];
            for a in 0..actions {
                let pi = pi[a * PART + k] / sums[k];
                u[a][k] = c * (if a == logged { 1.0 - pi } else { -pi });
            }
        }
    });
}

fn covertype(folder: &Path) -> Result<Problem, Box<dyn Error>> {
    const ROWS: usize = 418_329;
    let (mut values, mut classes) = (Vec::with_capacity(ROWS * 54), Vec::new());
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    if folder == Path::new("-") {
        for _ in 0..ROWS {
            let x: [f64; 10] = std::array::from_fn(|j| (rng.random::<f64>() * 60.0 * (j as f64 + 1.0).powi(2)).floor());
            let class = (x[0] / 9.0 + x[1] / 80.0) as usize % 7;
            let (area, soil) = (rng.random_range(0..4), rng.random_range(0..40));
            values.extend(x);
            values.extend((0..4).map(|k| f64::from(k == area)).chain((0..40).map(|k| f64::from(k == soil))));
            classes.push(class);
        }
    } else {
        let text = std::fs::read_to_string(folder.join("covtype.data"))?;
        let lines: Vec<&str> = text.lines().collect();
        let mut order: Vec<usize> = (0..lines.len()).collect();
        for k in (1..order.len()).rev() {
            order.swap(k, rng.random_range(0..=k));
        }
        for line in order.iter().take(ROWS).map(|k| lines[*k]) {
            let mut cells = line.rsplit(',');
            classes.push(cells.next().ok_or("an empty line")?.parse::<usize>()? - 1);
            let start = values.len();
            for cell in cells {
                values.push(cell.parse()?);
            }
            values[start..].reverse();
        }
    }
    let rows = RowMatrix::dense(54, values)?;
    Ok(Problem::of_classes(rows, 7, &classes, &[0, 1, 1, 2, 2, 0, 3], 25))
}

fn fashion(folder: &Path) -> Result<Problem, Box<dyn Error>> {
    const ROWS: usize = 48_600;
    let (values, classes): (Vec<f64>, Vec<usize>) = if folder == Path::new("-") {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let classes: Vec<usize> = (0..ROWS).map(|_| rng.random_range(0..10)).collect();
        let pixel = |(class, k): (usize, usize)| {
            let ink = rng.random::<f64>() < 0.3 + 0.4 * f64::from(u8::from((k / 28 + class * 3) % 10 < 5));
            if ink { (rng.random::<f64>() * 255.0).floor() } else { 0.0 }
        };
        (classes.iter().flat_map(|class| (0..784).map(|k| (*class, k))).map(pixel).collect(), classes)
    } else {
        let images = std::fs::read(folder.join("train-images-idx3-ubyte"))?;
        let labels = std::fs::read(folder.join("train-labels-idx1-ubyte"))?;
        let values = images[16..].iter().take(ROWS * 784).map(|v| f64::from(*v)).collect();
        (values, labels[8..].iter().take(ROWS).map(|v| usize::from(*v)).collect())
    };
    Ok(Problem::of_classes(RowMatrix::dense(784, values)?, 10, &classes, &[0, 1, 2, 3, 2, 4, 0, 4, 5, 4], 20))
}

fn tmc(folder: &Path) -> Result<Problem, Box<dyn Error>> {
    const ROWS: usize = 20_846;
    let (mut offsets, mut indices, mut rewards) = (vec![0], Vec::new(), Vec::new());
    let mut add = |set: &[u32]| {
        indices.extend(set.iter().filter(|j| **j < 500));
        offsets.push(indices.len());
        rewards.extend((500..522).map(|j| f32::from(u8::from(set.contains(&j)))));
    };
    if folder == Path::new("-") {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..ROWS {
            let topic = rng.random_range(0..22);
            let p = |j: u32| if j % 22 == topic { 0.35 } else { 0.09 };
            let mut set: Vec<u32> = (0..500).filter(|j| rng.random::<f64>() < p(*j)).collect();
            set.push(500 + topic);
            add(&set);
        }
    } else {
        let text = std::fs::read_to_string(folder.join("tmc2007-500.arff"))?;
        for line in text.lines().filter_map(|line| line.strip_prefix('{')).take(ROWS) {
            let entries = line.trim_end().trim_end_matches('}').split(',').filter(|entry| !entry.is_empty());
            let set = entries.map(|entry| entry.split_whitespace().next().unwrap_or_default().parse());
            add(&set.collect::<Result<Vec<u32>, _>>()?);
        }
    }
    let values = vec![1.0; indices.len()];
    Ok(Problem { rows: RowMatrix::sparse(500, offsets, indices, values)?, actions: 22, rewards, depth: 20 })
}

/// Milliseconds that all threads together had a processor, where the system tells: on a busy machine it says more than
/// the clock.
fn processor_time() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return f64::NAN };
    let of_task = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default()
    };
    tasks.flatten().map(of_task).sum::<f64>() / 1e6
}

/// The most memory that the process ever had, in MiB, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("?");
    let kib: Option<u64> = line.trim().trim_end_matches(" kB").parse().ok();
    kib.map_or_else(|| "?".into(), |kib| (kib / 1024).to_string())
}
