//! Projections onto the simplex and the capped simplex, beside a pass that sums the vector and the sort-based
//! methods.

use benches::{STYLES, Style, sort_based};
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput, measurement::WallTime};
use projections::{CappedSimplex, Euclidean, NegativeEntropy, Projection, Scratch, Simplex};
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args();
    for n in (2..=7).map(|e| 10_usize.pow(e)) {
        let mut group = criterion.benchmark_group(format!("projections/{n}"));
        group.throughput(Throughput::Elements(n as u64)).sampling_mode(SamplingMode::Flat);
        let zeros = vec![0.0; n];
        group.bench_function("sum", |bencher| bencher.iter(|| sort_based::sum(black_box(&zeros))));
        for style in STYLES {
            time_euclidean(&mut group, style, n)?;
        }
        for style in [Style::Uniform, Style::Gaussian, Style::Sparse] {
            time_entropic(&mut group, style, n)?;
        }
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}

fn time_euclidean(
    group: &mut BenchmarkGroup<'_, WallTime>,
    style: Style,
    n: usize,
) -> Result<(), Box<dyn Error>> {
    let c = 4.0 / n as f64;
    let (simplex, capped) = (Simplex::new(1.0)?, CappedSimplex::new(vec![c; n], 1.0)?);
    let (y, mut scratch) = (style.point(n), Scratch::default());
    time(group, format!("simplex/Euclidean/{}", style.name()), &y, |x| {
        Projection::<Euclidean>::project_with(&simplex, x, &mut scratch).is_ok()
    });
    time(group, format!("capped simplex/Euclidean/{}", style.name()), &y, |x| {
        Projection::<Euclidean>::project_with(&capped, x, &mut scratch).is_ok()
    });
    let (mut order, mut breakpoints) = (Vec::new(), Vec::new());
    time(group, format!("simplex/sort/{}", style.name()), &y, |x| {
        sort_based::project_onto_simplex(x, 1.0, &mut order);
        true
    });
    time(group, format!("capped simplex/sort/{}", style.name()), &y, |x| {
        sort_based::project_onto_capped_simplex(x, c, 1.0, &mut breakpoints);
        true
    });
    Ok(())
}

fn time_entropic(
    group: &mut BenchmarkGroup<'_, WallTime>,
    style: Style,
    n: usize,
) -> Result<(), Box<dyn Error>> {
    let (simplex, capped) = (Simplex::new(1.0)?, CappedSimplex::new(vec![4.0 / n as f64; n], 1.0)?);
    let y: Vec<f64> = style.point(n).iter().map(|v| v.exp()).collect();
    let mut scratch = Scratch::default();
    time(group, format!("simplex/entropic/{}", style.name()), &y, |x| {
        Projection::<NegativeEntropy>::project_with(&simplex, x, &mut scratch).is_ok()
    });
    time(group, format!("capped simplex/entropic/{}", style.name()), &y, |x| {
        Projection::<NegativeEntropy>::project_with(&capped, x, &mut scratch).is_ok()
    });
    Ok(())
}

/// Times `project` on fresh copies of `y`, made outside the measured time.
fn time(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: String,
    y: &[f64],
    mut project: impl FnMut(&mut [f64]) -> bool,
) {
    let copies = 10_000_usize.div_ceil(y.len());
    let mut points = vec![0.0; copies * y.len()];
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let (mut spent, mut left) = (Duration::ZERO, usize::try_from(iterations).unwrap_or(usize::MAX));
            while left > 0 {
                points.chunks_exact_mut(y.len()).for_each(|x| x.copy_from_slice(y));
                let start = Instant::now();
                for x in points.chunks_exact_mut(y.len()).take(left) {
                    // A refused point would be fast and distort the timing.
                    assert!(project(black_box(x)));
                }
                spent += start.elapsed();
                left = left.saturating_sub(copies);
            }
            spent
        });
    });
}
