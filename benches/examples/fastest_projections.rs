//! Projections, timed on a machine with other load: the summing pass, the sort-based method and ours take
//! turns, and the fastest turn of each counts. The output is the tables of `docs/benchmarks.md`.
//!
//! An argument is the one N to time; without, 10², 10³, …, 10⁷.

use benches::{STYLES, Style, sort_based};
use projections::{
    CappedSimplex, Euclidean, LinearMinimisation, NegativeEntropy, Projection, ProjectionError, Scratch,
    Simplex, Spectrahedron, TraceNormBall,
};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// The least number of coordinates projected between two readings of the clock.
const STRETCH: usize = 10_000;
/// The least number of coordinates projected by each side of a comparison, besides [`TURNS`] turns.
const WORK: usize = 5_000_000;
const TURNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let only = std::env::args().nth(1).map(|n| n.parse::<usize>()).transpose()?;
    println!("| matrices | m = n | lmo ms | projection ms | projection / lmo |");
    println!("|---|--:|--:|--:|--:|");
    for n in [50, 200] {
        compare_matrices("trace-norm ball", &TraceNormBall::new(n, n, 1.0)?, n)?;
        compare_matrices("spectrahedron", &Spectrahedron::new(n, 1.0)?, n)?;
    }
    println!("\n| set | geometry | point | N | ns a coordinate | sums | sort / ours |");
    println!("|---|---|---|--:|--:|--:|--:|");
    for n in (2..=7).map(|e| 10_usize.pow(e)).filter(|n| only.is_none_or(|only| *n == only)) {
        for style in STYLES {
            compare_euclidean(style, n)?;
        }
        for style in [Style::Uniform, Style::Gaussian, Style::Sparse] {
            compare_entropic(style, n)?;
        }
    }
    Ok(())
}

/// The set with cᵢ = 4/n and mass 1.
#[allow(clippy::cast_precision_loss, reason = "n is at most 10⁷")]
fn capped(n: usize) -> Result<(CappedSimplex, f64), ProjectionError> {
    let c = 4.0 / n as f64;
    Ok((CappedSimplex::new(vec![c; n], 1.0)?, c))
}

fn compare_euclidean(style: Style, n: usize) -> Result<(), ProjectionError> {
    let (simplex, (capped, c)) = (Simplex::new(1.0)?, capped(n)?);
    let y = style.point(n);
    let (mut scratch, mut order) = (Scratch::default(), Vec::new());
    let times = fastest(
        &y,
        [&mut |x| Projection::<Euclidean>::project_with(&simplex, x, &mut scratch), &mut |x| {
            sort_based::project_onto_simplex(x, 1.0, &mut order);
            Ok(())
        }],
    )?;
    print("simplex", "Euclidean", style, n, times);
    let (mut scratch, mut order) = (Scratch::default(), Vec::new());
    let times = fastest(
        &y,
        [&mut |x| Projection::<Euclidean>::project_with(&capped, x, &mut scratch), &mut |x| {
            sort_based::project_onto_capped_simplex(x, c, 1.0, &mut order);
            Ok(())
        }],
    )?;
    print("capped simplex", "Euclidean", style, n, times);
    Ok(())
}

fn compare_entropic(style: Style, n: usize) -> Result<(), ProjectionError> {
    let (simplex, (capped, _)) = (Simplex::new(1.0)?, capped(n)?);
    let y: Vec<f64> = style.point(n).iter().map(|v| v.exp()).collect();
    let mut scratch = Scratch::default();
    let times =
        fastest(&y, [&mut |x| Projection::<NegativeEntropy>::project_with(&simplex, x, &mut scratch)])?;
    print("simplex", "entropic", style, n, times);
    let times =
        fastest(&y, [&mut |x| Projection::<NegativeEntropy>::project_with(&capped, x, &mut scratch)])?;
    print("capped simplex", "entropic", style, n, times);
    Ok(())
}

/// The lmo beside the projection, at a matrix of normal deviates.
fn compare_matrices<K>(name: &str, set: &K, n: usize) -> Result<(), ProjectionError>
where
    K: LinearMinimisation + Projection<Euclidean>,
{
    let y = Style::Gaussian.point(n * n);
    let (mut vertex, mut scratch) = (y.clone(), Scratch::default());
    let (mut lmo, mut projection) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..20 {
        let start = Instant::now();
        set.lmo_with(&y, &mut vertex, &mut scratch)?;
        lmo = lmo.min(1e3 * start.elapsed().as_secs_f64());
        let mut x = y.clone();
        let start = Instant::now();
        set.project_with(&mut x, &mut scratch)?;
        projection = projection.min(1e3 * start.elapsed().as_secs_f64());
    }
    println!("| {name} | {n} | {lmo:.2} | {projection:.2} | {:.1} |", projection / lmo);
    Ok(())
}

type Contender<'a> = &'a mut dyn FnMut(&mut [f64]) -> Result<(), ProjectionError>;

/// Seconds per vector of the fastest turn: of the sum, then of each contender.
#[allow(clippy::cast_precision_loss, reason = "a handful of vectors")]
fn fastest<const K: usize>(
    y: &[f64],
    mut contenders: [Contender<'_>; K],
) -> Result<(f64, [f64; K]), ProjectionError> {
    let vectors = STRETCH.div_ceil(y.len());
    let mut points = vec![0.0; vectors * y.len()];
    let mut fastest = (f64::INFINITY, [f64::INFINITY; K]);
    // Every turn begins with fresh copies, so that the caches are in the same state.
    let refill = |points: &mut [f64]| points.chunks_exact_mut(y.len()).for_each(|x| x.copy_from_slice(y));
    for _ in 0..TURNS.max(WORK / points.len()) {
        refill(&mut points);
        let start = Instant::now();
        points.chunks_exact(y.len()).for_each(|x| {
            black_box(sort_based::sum(x));
        });
        fastest.0 = fastest.0.min(start.elapsed().as_secs_f64() / vectors as f64);
        for (contender, fastest) in contenders.iter_mut().zip(&mut fastest.1) {
            refill(&mut points);
            let start = Instant::now();
            for x in points.chunks_exact_mut(y.len()) {
                contender(x)?;
            }
            *fastest = fastest.min(start.elapsed().as_secs_f64() / vectors as f64);
        }
    }
    Ok(fastest)
}

#[allow(clippy::cast_precision_loss, reason = "n is at most 10⁷")]
fn print<const K: usize>(set: &str, geometry: &str, style: Style, n: usize, (sum, times): (f64, [f64; K])) {
    let each = 1e9 * times[0] / n as f64;
    let sort = times.get(1).map_or("–".to_owned(), |sort| format!("{:.1}", sort / times[0]));
    println!("| {set} | {geometry} | {} | {n} | {each:.2} | {:.1} | {sort} |", style.name(), times[0] / sum);
}
