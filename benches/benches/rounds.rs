//! A round of online gradient boosting beside its floor, the arithmetic on the weights that no round can do without.

use benches::{CASES, Case, LEARNERS, NOISE, Stream, bandit, full_information};
use boosters::feedback::Noise;
use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use oco_core::SquaredLoss;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Entries, Row};
use std::error::Error;
use std::hint::black_box;
use std::slice::from_ref;
use weak_learners::{BanditPredictor, FullInformationPredictor};

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    for case in CASES {
        let mut group = criterion.benchmark_group(case.name);
        group.throughput(Throughput::Elements(1));
        let stream = Stream::new(case)?;
        time_floors(&mut group, case, &stream);
        time_rounds(&mut group, case, &stream)?;
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}

fn time_rounds(
    group: &mut BenchmarkGroup<'_, WallTime>,
    case: Case,
    stream: &Stream,
) -> Result<(), Box<dyn Error>> {
    let mut booster = full_information(case)?;
    group.bench_function("full information", |bencher| {
        let mut examples = stream.examples();
        bencher.iter(|| {
            let played = examples.next().map(|(x, label)| {
                let loss = SquaredLoss::new(from_ref(label))?;
                Ok::<f64, Box<dyn Error>>(booster.round(x, &loss)?[0])
            });
            // A refused round would be a fast one.
            assert!(matches!(black_box(played), Some(Ok(_))));
        });
    });
    let (mut booster, noise) = (bandit(case)?, Noise::uniform(NOISE)?);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    group.bench_function("bandit", |bencher| {
        let mut examples = stream.examples();
        bencher.iter(|| {
            let played = examples.next().map(|(x, label)| {
                let played = booster.round(x, &mut |y| (y[0] - label).powi(2) + noise.draw(&mut rng))?;
                Ok::<f64, Box<dyn Error>>(played[0])
            });
            assert!(matches!(black_box(played), Some(Ok(_))));
        });
    });
    Ok(())
}

/// A dot product and an axpy for each learner: on rows, as the learners do them, and on bare slices.
fn time_floors(group: &mut BenchmarkGroup<'_, WallTime>, case: Case, stream: &Stream) {
    let mut time = |name: &str, dot: fn(&Row<'_>, &[f64]) -> f64, axpy: fn(&Row<'_>, f64, &mut [f64])| {
        let mut weights = vec![vec![0.0; case.dimension]; LEARNERS];
        // Steps that cancel keep the weights in range however long the benchmark runs.
        let mut step = 1e-3;
        group.bench_function(name, |bencher| {
            let mut examples = stream.examples();
            bencher.iter(|| {
                if let Some((x, _)) = examples.next() {
                    black_box(weights.iter().map(|w| dot(&x, w)).sum::<f64>());
                    weights.iter_mut().for_each(|w| axpy(&x, step, w));
                    step = -step;
                }
            });
        });
    };
    time("floor on rows", |x, w| x.dot(w), |x, a, w| x.axpy_into(a, w));
    time("floor on slices", dot_on_slices, axpy_on_slices);
}

#[inline]
fn dot_on_slices(x: &Row<'_>, w: &[f64]) -> f64 {
    match x.entries() {
        Entries::Dense(x) => rows::dot(x, w),
        Entries::Sparse(indices, x) => indices.iter().zip(x).map(|(&j, x_j)| w[j as usize] * x_j).sum(),
    }
}

#[inline]
fn axpy_on_slices(x: &Row<'_>, a: f64, w: &mut [f64]) {
    match x.entries() {
        Entries::Dense(x) => w.iter_mut().zip(x).for_each(|(w, x_j)| *w += a * x_j),
        Entries::Sparse(indices, x) => {
            indices.iter().zip(x).for_each(|(&j, x_j)| w[j as usize] += a * x_j);
        }
    }
}
