//! Stand-ins for the classification tasks of \[L23\]: small ones, whose classes a tree can tell apart.

use super::unit_sphere::Component;
use crate::classification::{ByteMatrix, Classification, Contexts, Labels};
use crate::dataset::Provenance;
use crate::error::DataError;
use crate::names::ClassificationName;
use crate::sets::{covertype, fashion, scene, tmc};
use crate::synthetic::StandIn;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rows::RowMatrix;

/// How many examples are drawn where [`StandIn::rows`] does not say.
const ROWS: usize = 4_000;

/// Draws a task with the columns, kinds of values, storage, classes and number of labels an example of the
/// real one, and, unless told otherwise, 4,000 examples.
///
/// It imitates the shape and nothing else: figures on a stand-in say nothing about the real task. Every class
/// raises a few columns of its own; an example's labels are drawn first, uniformly, and then each column from
/// the labels, so that a threshold on one column tells some classes from others, and no column tells all.
///
/// ```
/// use datasets::{ClassificationName, StandIn, synthetic::classification_stand_in};
/// let options = StandIn { seed: 7, rows: Some(2_000) };
/// let scene = classification_stand_in(ClassificationName::Scene, options)?;
/// assert_eq!((scene.len(), scene.contexts.dimension()), (2_000, 294));
/// assert!((scene.labels.cardinality() - 1.074).abs() < 0.03);
/// # Ok::<(), datasets::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::TooManyExamples`]; [`DataError::Rows`] and [`DataError::Labels`] cannot arise from what is
/// drawn; they are passed on for want of a panic.
pub fn classification_stand_in(
    name: ClassificationName,
    options: StandIn,
) -> Result<Classification, DataError> {
    let rows = options.rows.unwrap_or(ROWS);
    let shape = Shape::of(name);
    super::check_examples(rows, shape.dimension())?;
    let truth = shape.truth(&mut Component::Truth.rng(options.seed));
    let mut labels_rng = Component::Noise.rng(options.seed);
    let mut contexts_rng = Component::Contexts.rng(options.seed);

    let (mut label_offsets, mut labels) = (vec![0], Vec::new());
    let mut x = vec![0.0; shape.dimension()];
    let mut contexts = Drawn::new(name);
    for _ in 0..rows {
        let set = shape.labels(&mut labels_rng);
        shape.context(&truth, &set, &mut contexts_rng, &mut x);
        contexts.push(&x);
        labels.extend(set);
        label_offsets.push(labels.len());
    }
    let task = Classification {
        name: name.to_string(),
        contexts: contexts.finish(shape.dimension())?,
        labels: Labels::new(shape.classes.len(), label_offsets, labels)?,
        classes: shape.classes,
        training: (name == ClassificationName::Fashion).then_some(rows - rows / 7),
        provenance: Provenance::StandIn { seed: options.seed },
        feature_names: shape.feature_names,
        numeric_columns: shape.numeric_columns,
    };
    task.checked()
}

/// What a column holds.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A number from 0 to `top`; a whole number where `whole` is set.
    Number { top: f64, whole: bool },
    /// 1 with the column's level as probability, else 0.
    Indicator,
    /// The first of `width` indicators, of which exactly one is 1.
    Block { width: usize },
    /// One of the further indicators of a block.
    Rest,
}

struct Shape {
    kinds: Vec<Kind>,
    feature_names: Vec<String>,
    numeric_columns: Vec<usize>,
    classes: Vec<String>,
    /// The mean number of labels beyond the first.
    more_labels: f64,
    /// The share of columns that a class raises, the level of a column that no label raises is below `low`.
    raised: f64,
    low: f64,
}

impl Shape {
    fn of(name: ClassificationName) -> Self {
        let owned = |classes: &[&str]| classes.iter().map(|&class| class.to_owned()).collect();
        match name {
            ClassificationName::Covertype => {
                let mut kinds = vec![Kind::Number { top: 255.0, whole: true }; 10];
                for width in [4, 40] {
                    kinds.push(Kind::Block { width });
                    kinds.extend((1..width).map(|_| Kind::Rest));
                }
                Self {
                    kinds,
                    feature_names: covertype::feature_names(),
                    numeric_columns: (0..10).collect(),
                    classes: owned(&covertype::CLASSES),
                    more_labels: 0.0,
                    raised: 0.4,
                    low: 0.5,
                }
            }
            ClassificationName::Fashion => Self {
                kinds: vec![Kind::Number { top: 255.0, whole: true }; 784],
                feature_names: fashion::feature_names(),
                numeric_columns: (0..784).collect(),
                classes: owned(&fashion::CLASSES),
                more_labels: 0.0,
                raised: 0.3,
                low: 0.1,
            },
            ClassificationName::Scene => {
                let format = scene::format();
                Self {
                    kinds: vec![Kind::Number { top: 1.0, whole: false }; format.features],
                    feature_names: (1..=format.features).map(|j| format!("Att{j}")).collect(),
                    numeric_columns: format.numeric_columns(),
                    classes: format.classes,
                    more_labels: 0.074,
                    raised: 0.1,
                    low: 0.6,
                }
            }
            ClassificationName::Tmc => {
                let format = tmc::format();
                Self {
                    kinds: vec![Kind::Indicator; format.features],
                    feature_names: (1..=format.features).map(|j| format!("word {j}")).collect(),
                    numeric_columns: format.numeric_columns(),
                    classes: format.classes,
                    more_labels: 1.158,
                    raised: 0.02,
                    low: 0.06,
                }
            }
        }
    }

    fn dimension(&self) -> usize {
        self.kinds.len()
    }

    /// The level of every column without labels, and under each class: at least ½ where the class raises it,
    /// else 0.
    fn truth(&self, rng: &mut (impl Rng + ?Sized)) -> Truth {
        let base = self.kinds.iter().map(|_| self.low * rng.random::<f64>()).collect();
        let level = |rng: &mut _| raised_level(self.raised, rng);
        let of_class = |rng: &mut _| self.kinds.iter().map(|_| level(rng)).collect();
        Truth { base, classes: self.classes.iter().map(|_| of_class(rng)).collect() }
    }

    /// A uniform class, and then further ones with probability q/(1 + q) as long as they come, which is q on
    /// average.
    fn labels(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let more = self.more_labels / (1.0 + self.more_labels);
        let mut open: Vec<u32> = (0..).take(self.classes.len()).collect();
        let mut set = Vec::new();
        while set.is_empty() || (!open.is_empty() && rng.random_bool(more)) {
            set.push(open.swap_remove(rng.random_range(0..open.len())));
        }
        set.sort_unstable();
        set
    }

    fn context(&self, truth: &Truth, labels: &[u32], rng: &mut ChaCha8Rng, x: &mut [f64]) {
        for (j, kind) in self.kinds.iter().enumerate() {
            match *kind {
                Kind::Number { top, whole } => {
                    let noise: f64 = rng.sample(StandardNormal);
                    let number = top * (truth.level(j, labels) + 0.15 * noise).clamp(0.0, 1.0);
                    x[j] = if whole { number.round() } else { number };
                }
                Kind::Indicator => x[j] = f64::from(u8::from(rng.random_bool(truth.level(j, labels)))),
                Kind::Block { width } => {
                    // The favourite is drawn in proportion to the level of its column.
                    let levels: Vec<f64> = (j..j + width).map(|j| truth.level(j, labels).powi(2)).collect();
                    let mut left = rng.random::<f64>() * levels.iter().sum::<f64>();
                    let drawn = levels.iter().position(|level| {
                        left -= level;
                        left <= 0.0
                    });
                    x[j..j + width].fill(0.0);
                    x[j + drawn.unwrap_or(width - 1)] = 1.0;
                }
                Kind::Rest => {}
            }
        }
    }
}

fn raised_level(raised: f64, rng: &mut (impl Rng + ?Sized)) -> f64 {
    if rng.random_bool(raised) { 0.5 + 0.5 * rng.random::<f64>() } else { 0.0 }
}

/// The level of each column, from 0 to 1, without labels and under each class.
struct Truth {
    base: Vec<f64>,
    classes: Vec<Vec<f64>>,
}

impl Truth {
    fn level(&self, j: usize, labels: &[u32]) -> f64 {
        let raised = labels.iter().map(|&class| self.classes[class as usize][j]);
        raised.fold(self.base[j], f64::max)
    }
}

/// Contexts in the making, stored as the real ones are.
enum Drawn {
    Dense(Vec<f64>),
    Sparse { offsets: Vec<usize>, indices: Vec<u32>, values: Vec<f64> },
    Bytes(Vec<u8>),
}

impl Drawn {
    fn new(name: ClassificationName) -> Self {
        match name {
            ClassificationName::Covertype | ClassificationName::Tmc => {
                Self::Sparse { offsets: vec![0], indices: Vec::new(), values: Vec::new() }
            }
            ClassificationName::Fashion => Self::Bytes(Vec::new()),
            ClassificationName::Scene => Self::Dense(Vec::new()),
        }
    }

    fn push(&mut self, x: &[f64]) {
        match self {
            Self::Dense(values) => values.extend_from_slice(x),
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, 0 to 255")]
            Self::Bytes(values) => values.extend(x.iter().map(|&x| x as u8)),
            Self::Sparse { offsets, indices, values } => {
                for (j, &x) in (0..).zip(x).filter(|(_, x)| **x != 0.0) {
                    indices.push(j);
                    values.push(x);
                }
                offsets.push(values.len());
            }
        }
    }

    fn finish(self, dimension: usize) -> Result<Contexts, DataError> {
        Ok(match self {
            Self::Dense(values) => Contexts::Rows(RowMatrix::dense(dimension, values)?),
            Self::Sparse { offsets, indices, values } => {
                Contexts::Rows(RowMatrix::sparse(dimension, offsets, indices, values)?)
            }
            Self::Bytes(values) => Contexts::Bytes(ByteMatrix::new(dimension, values)?),
        })
    }
}
