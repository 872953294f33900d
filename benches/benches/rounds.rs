//! A round of online gradient boosting beside its floor, the necessary arithmetic on the weights.

use benches::{CASES, Case, Floor, NOISE, Stream, bandit, full_information};
use boosters::feedback::Noise;
use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use oco_core::losses::SquaredLoss;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::Row;
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
            // A refused round would be fast and distort the timing.
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

fn time_floors(group: &mut BenchmarkGroup<'_, WallTime>, case: Case, stream: &Stream) {
    let mut time = |name: &str, round: fn(&mut Floor, Row<'_>)| {
        let (mut floor, mut examples) = (Floor::new(case), stream.examples());
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                if let Some((x, _)) = examples.next() {
                    round(&mut floor, x);
                }
            });
        });
    };
    time("floor on rows", Floor::round_on_rows);
    time("floor on slices", Floor::round_on_slices);
}
