//! The examples and the algorithms for timing batch boosting.
//!
//! `peers/adaboost_sklearn.py` and `peers/miniboosts` read the same examples from files written by
//! [`Problem::write`].

use crate::uniform;
use boosters::maboost::{
    Active, AdaBoost, BoostingRun, Examples, Lazy, MadaBoost, MirrorAscent, Reweighting, Schedule,
    SmoothBoost, SparseBoost, Sparsity,
};
use datasets::{Name, Provenance, SearchPath, StandIn};
use projections::{Euclidean, NegativeEntropy, Simplex};
use rows::RowMatrix;
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use weak_learners::Label;
use weak_learners::batch::WeakLearner;

/// The fraction of flipped labels of synthetic examples.
const FLIPS: f64 = 0.1;

/// Labelled examples.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The name.
    pub name: String,
    /// The rows.
    pub rows: RowMatrix,
    /// The label of each.
    pub labels: Vec<Label>,
}

impl Problem {
    /// n synthetic examples of d numbers in [−1, 1]; always the same. A label is the sign of ⟨c, x⟩ + 2x₁x₂,
    /// flipped with probability 0.1.
    ///
    /// # Errors
    /// d = 0.
    pub fn synthetic(n: usize, d: usize) -> Result<Self, Box<dyn Error>> {
        let signed = |seed| uniform(seed).map(|u| 2.0 * u - 1.0);
        let values: Vec<f64> = signed(21).take(n * d).collect();
        let c: Vec<f64> = signed(22).take(d).collect();
        let label = |(x, u): (&[f64], f64)| {
            let second = x.get(1).unwrap_or(&0.0);
            let y = Label::of_score(rows::dot(&c, x) + 2.0 * x[0] * second);
            if u < FLIPS { -y } else { y }
        };
        let labels = values.chunks_exact(d).zip(uniform(23)).map(label).collect();
        Ok(Self { name: format!("made-up-{n}-{d}"), rows: RowMatrix::dense(d, values)?, labels })
    }

    /// Adult: 48,842 rows of 105 columns, 99 of them indicators, stored densely; `None` if its files are not
    /// found.
    ///
    /// # Errors
    /// Those of reading the files.
    pub fn adult() -> Result<Option<Self>, Box<dyn Error>> {
        let search = SearchPath::from_environment(None)?;
        let adult = datasets::load(Name::Adult, &search, StandIn { seed: 1, rows: Some(100) })?;
        if matches!(adult.provenance, Provenance::StandIn { .. }) {
            eprintln!("adult is not there: left out");
            return Ok(None);
        }
        let labels = datasets::signs(&adult.targets, &[1])?.into_iter().map(Label::of_score).collect();
        let values = adult.features.iter().flat_map(|x| x.to_dense()).collect();
        let rows = RowMatrix::dense(adult.features.dimension(), values)?;
        Ok(Some(Self { name: "adult".to_owned(), rows, labels }))
    }

    /// Writes N, d, the rows and the labels, all as doubles, least byte first.
    ///
    /// # Errors
    /// Those of the file system.
    #[allow(clippy::cast_precision_loss, reason = "counts of rows and columns")]
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        let sizes = [self.rows.len() as f64, self.rows.dimension() as f64];
        let rows = self.rows.iter().flat_map(|x| x.to_dense());
        let labels = self.labels.iter().map(|y| y.sign());
        let bytes: Vec<u8> = sizes.into_iter().chain(rows).chain(labels).flat_map(f64::to_le_bytes).collect();
        std::fs::write(folder.join(format!("{}.f64", self.name)), bytes)
    }
}

/// Any algorithm of the family.
pub type AnyAlgorithm = Box<dyn Reweighting>;

/// The timed algorithms; the peers have the first one too.
pub const ALGORITHMS: [&str; 8] = [
    "AdaBoost",
    "entropy, active",
    "entropy, lazy",
    "quadratic, active",
    "quadratic, lazy",
    "smooth, k = 20",
    "SparseBoost, θ = ½",
    "MadaBoost",
];

/// The algorithm with this name in [`ALGORITHMS`].
///
/// # Errors
/// Those of its constructor.
pub fn algorithm(name: &str, examples: &Examples) -> Result<AnyAlgorithm, Box<dyn Error>> {
    let (simplex, steps) = (Simplex::new(1.0)?, Schedule::Theorem1);
    Ok(match name {
        "entropy, active" => {
            Box::new(MirrorAscent::<_, _, Active>::new(NegativeEntropy, simplex, examples, steps)?)
        }
        "entropy, lazy" => {
            Box::new(MirrorAscent::<_, _, Lazy>::new(NegativeEntropy, simplex, examples, steps)?)
        }
        "quadratic, active" => {
            Box::new(MirrorAscent::<_, _, Active>::new(Euclidean, simplex, examples, steps)?)
        }
        "quadratic, lazy" => Box::new(MirrorAscent::<_, _, Lazy>::new(Euclidean, simplex, examples, steps)?),
        "smooth, k = 20" => Box::new(SmoothBoost::<Active>::smooth(examples, 20.0)?),
        "SparseBoost, θ = ½" => Box::new(SparseBoost::new(examples, Sparsity::Fraction(0.5))?),
        "MadaBoost" => Box::new(MadaBoost::new(examples)?),
        _ => Box::new(AdaBoost::new(examples)?),
    })
}

/// The time and the error of a run.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Wall-clock seconds per round, averaged over the run.
    pub seconds: f64,
    /// The training error after the last round.
    pub error: f64,
    /// The number of rounds.
    pub rounds: usize,
}

/// A run of at most this many rounds.
///
/// # Errors
/// The errors of a round.
#[allow(clippy::cast_precision_loss, reason = "a count of rounds")]
pub fn run<W: WeakLearner>(
    labels: &[Label],
    sample: &W::Sample,
    learner: W,
    name: &str,
    rounds: usize,
) -> Result<Outcome, Box<dyn Error>> {
    let examples = Examples::uniform(labels.to_vec())?;
    let algorithm = algorithm(name, &examples)?;
    let mut run = BoostingRun::new(examples, learner, algorithm)?;
    let watch = Instant::now();
    while run.record().len() < rounds && run.round(sample)?.is_continue() {}
    let seconds = watch.elapsed().as_secs_f64();
    let rounds = run.record().len();
    Ok(Outcome { seconds: seconds / rounds as f64, error: run.error(), rounds })
}
