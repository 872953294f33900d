//! Stand-ins: drawn examples in the shape of a real data set, for machines without its files.

use crate::dataset::{Dataset, Provenance};
use crate::error::DataError;
use crate::formats::table::Assembly;
use crate::formats::table::Kind;
use crate::formats::table::Table;
use crate::names::Name;
use crate::sets::CensusCoding;
use crate::sets::{abalone, adult, breast_cancer, census, ionosphere, letter, slice, spambase};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// The stand-in to draw if the official files are absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandIn {
    /// The seed of the draw.
    pub seed: u64,
    /// Its rows; `None`: as many as the real set has.
    pub rows: Option<usize>,
}

/// Draws a set with the columns, categories, classes, storage and, unless reduced, the number of rows of the
/// real one.
///
/// It imitates the shape and nothing else: figures on a stand-in say nothing about the real set. Numbers are
/// drawn independently, the first categories of a column are the frequent ones, and the target is a noisy
/// linear function of the features, so that there is something to learn.
///
/// # Errors
/// [`DataError::Rows`] cannot arise from drawn rows; it is passed on for want of a panic.
pub fn stand_in(name: Name, options: StandIn) -> Result<Dataset, DataError> {
    match name {
        Name::Abalone => draw(
            &abalone::table(),
            &Shape { rows: 4_177, zeros: 0.0, missing: 0.0, range: (1.0, 29.0) },
            options,
        ),
        Name::Adult => draw(
            &adult::table(),
            &Shape { rows: 48_842, zeros: 0.31, missing: 0.04, range: (0.0, 1.0) },
            options,
        ),
        Name::Census => census_stand_in(CensusCoding::Described, options),
        Name::Letter => draw(
            &letter::table(),
            &Shape { rows: 20_000, zeros: 0.0, missing: 0.0, range: (0.0, 1.0) },
            options,
        ),
        Name::Slice => draw(
            &slice::table(true),
            &Shape { rows: 53_500, zeros: 0.0, missing: 0.0, range: (0.0, 180.0) },
            options,
        ),
        Name::BreastCancer => draw(
            &breast_cancer::table(),
            &Shape { rows: 699, zeros: 0.0, missing: 0.023, range: (0.0, 1.0) },
            options,
        ),
        Name::Ionosphere => draw(
            &ionosphere::table(),
            &Shape { rows: 351, zeros: 0.12, missing: 0.0, range: (0.0, 1.0) },
            options,
        ),
        Name::Spambase => draw(
            &spambase::table(),
            &Shape { rows: 4_601, zeros: 0.77, missing: 0.0, range: (0.0, 1.0) },
            options,
        ),
    }
}

/// The stand-in of the census in the given coding.
///
/// # Errors
/// As [`stand_in`].
pub fn census_stand_in(coding: CensusCoding, options: StandIn) -> Result<Dataset, DataError> {
    draw(
        &census::table(coding),
        &Shape { rows: 299_285, zeros: 0.65, missing: 0.2, range: (0.0, 1.0) },
        options,
    )
}

/// What the table of a set does not tell.
struct Shape {
    rows: usize,
    /// The share of numbers that are 0.
    zeros: f64,
    /// The share of cells that are missing, in columns where that happens.
    missing: f64,
    /// The range of a numeric target.
    range: (f64, f64),
}

fn draw(table: &Table, shape: &Shape, options: StandIn) -> Result<Dataset, DataError> {
    let rows = options.rows.unwrap_or(shape.rows);
    super::check_examples(rows, table.columns.len())?;
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let scorers = Scorer::draw_all(table, &mut rng);
    let mut scores = vec![0.0; scorers.len()];
    let mut assembly = Assembly::new(table);
    for _ in 0..rows {
        // The noise of the target.
        scores.iter_mut().for_each(|score| *score = 0.3 * rng.sample::<f64, _>(StandardNormal));
        for (j, column) in table.columns.iter().enumerate() {
            match &column.kind {
                Kind::Number if column.may_be_missing && rng.random_bool(shape.missing) => {
                    assembly.missing_number(j);
                    add(&mut scores, &scorers, j, 1, 1.0);
                }
                Kind::Number => {
                    let zero = rng.random_bool(shape.zeros);
                    let x = if zero { 0.0 } else { rng.sample(StandardNormal) };
                    assembly.number(j, x);
                    add(&mut scores, &scorers, j, 0, x);
                }
                Kind::Nominal(categories) => {
                    let missing = column.may_be_missing && rng.random_bool(shape.missing);
                    let category = if missing { None } else { harmonic(categories.width(), &mut rng) };
                    assembly.indicator(j, category);
                    if let Some(category) = category {
                        add(&mut scores, &scorers, j, category as usize, 1.0);
                    }
                }
                Kind::Ignored | Kind::Value | Kind::Class { .. } => {}
            }
        }
        push_target(table, shape, &scores, &mut assembly);
        assembly.end_row();
    }
    assembly.finish(Provenance::StandIn { seed: options.seed })
}

/// The linear function behind one class, or behind the number: a weight for every cell that a column can
/// hold.
struct Scorer {
    weights: Vec<Vec<f64>>,
}

impl Scorer {
    fn draw_all(table: &Table, rng: &mut (impl Rng + ?Sized)) -> Vec<Self> {
        let classes = table.columns.iter().find_map(|column| match &column.kind {
            Kind::Class { classes, .. } => Some(classes.width()),
            _ => None,
        });
        // Scores of unit variance, about, whatever the number of columns.
        let scale = (table.columns.len() as f64).sqrt().recip();
        let weights_of = |cells: usize, rng: &mut _| gaussian(cells, scale, rng);
        (0..classes.unwrap_or(1))
            .map(|_| Self { weights: table.columns.iter().map(|c| weights_of(c.width(), rng)).collect() })
            .collect()
    }
}

fn gaussian(n: usize, scale: f64, rng: &mut (impl Rng + ?Sized)) -> Vec<f64> {
    (0..n).map(|_| scale * rng.sample::<f64, _>(StandardNormal)).collect()
}

fn add(scores: &mut [f64], scorers: &[Scorer], column: usize, cell: usize, x: f64) {
    for (score, scorer) in scores.iter_mut().zip(scorers) {
        *score += scorer.weights[column][cell] * x;
    }
}

/// A category k < n with probability ln((k+2)/(k+1))/ln(n+1): ⌊(n+1)^U⌋ − 1. `None` without categories.
fn harmonic(n: usize, rng: &mut (impl Rng + ?Sized)) -> Option<u32> {
    let last = u32::try_from(n).ok()?.checked_sub(1)?;
    let drawn = (rng.random::<f64>() * (n as f64 + 1.0).ln()).exp() - 1.0;
    // The cast saturates; the minimum guards against rounding at the upper end.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ drawn ≤ n, and n fits")]
    Some((drawn as u32).min(last))
}

fn push_target(table: &Table, shape: &Shape, scores: &[f64], assembly: &mut Assembly<'_>) {
    for column in &table.columns {
        match column.kind {
            Kind::Value => {
                let (lower, upper) = shape.range;
                let score = scores.first().copied().unwrap_or(0.0);
                assembly.value((lower + (upper - lower) * (0.5 + score / 6.0)).clamp(lower, upper));
            }
            Kind::Class { .. } => {
                let best = (0..).zip(scores).max_by(|a, b| a.1.total_cmp(b.1));
                assembly.class(best.map_or(0, |(class, _)| class));
            }
            Kind::Number | Kind::Nominal(_) | Kind::Ignored => {}
        }
    }
}
