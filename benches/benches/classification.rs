//! A round of the online boosters of classifiers beside that of the weak learner alone.

use benches::classification::{KINDS, Labelled, Player, WEAK};
use criterion::{Criterion, Throughput};
use std::error::Error;
use std::hint::black_box;

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    for kind in KINDS {
        let stream = Labelled::new(kind)?;
        for weak in WEAK {
            for learners in [20, 100] {
                let mut group =
                    criterion.benchmark_group(format!("{}/{}/N={learners}", kind.name(), weak.name()));
                group.throughput(Throughput::Elements(1));
                for (name, mut player) in weak.players(&stream, learners)? {
                    time(&mut group, name, player.as_mut(), &stream);
                }
                group.finish();
            }
        }
    }
    criterion.final_summary();
    Ok(())
}

fn time(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    name: &str,
    player: &mut dyn Player,
    stream: &Labelled,
) {
    let mut examples = stream.examples();
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let voted = examples.next().map(|(x, y)| player.round(x, y));
            // A refused round would be fast and distort the timing.
            assert!(matches!(black_box(voted), Some(Ok(_))));
        });
    });
}
