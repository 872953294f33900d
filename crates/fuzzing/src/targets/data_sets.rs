//! Encoders, orders and generators.

use super::sets::matrices;
use super::{Target, plain, used};
use crate::Checks;
use crate::play::MOST;
use crate::verdict::AnyError;
use datasets::synthetic::{
    DriftingClassification, DriftingRegression, Generator, LabelNoise, LinearRegression, NoisyRegression,
    StumpMajority, TrueStump,
};
use datasets::{ClassificationName, ExampleStream, MinMax, Name, OneHot, Standardiser, TargetRange};
use rows::RowMatrix;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn generator<G: Generator + Serialize + DeserializeOwned + 'static>(
    make: impl Fn(u64) -> Result<G, AnyError> + Send + Sync + 'static,
) -> Target {
    Target::saved(move || Ok(vec![make(1)?, used(make(2)?, draw)?]), draw::<G>)
}

fn draw<G: Generator>(generator: &mut G, checks: &mut Checks) -> Result<(), AnyError> {
    if generator.dimension() > MOST {
        return Ok(());
    }
    let mut drawn = Vec::new();
    for _ in 0..5 {
        let mut x = Vec::new();
        drawn.push(generator.draw(&mut x));
        checks.numbers("a row", &x);
        checks.holds("a row has the dimension of its generator", x.len() == generator.dimension(), x.len());
    }
    checks.numbers("a target", &drawn);
    Ok(())
}

fn encoded(matrix: Result<RowMatrix, datasets::EncodeError>, checks: &mut Checks) {
    match matrix {
        Ok(matrix) => matrix.iter().for_each(|row| row.for_each(|_, x| checks.number("an entry", x))),
        Err(error) => checks.refused(&error),
    }
}

pub(super) fn all() -> Vec<Target> {
    vec![
        plain(|| ClassificationName::ALL.to_vec()),
        plain(|| vec![Name::Abalone, Name::Census]),
        Target::saved(
            || Ok(vec![TargetRange::fit(&[1.0, 5.0])?, TargetRange::fit(&[-1e130, 1e130])?]),
            |range: &mut TargetRange, checks| {
                for u in [0.0, 0.25, 1.0] {
                    let y = range.from_unit(u);
                    checks.number("a target", y);
                    checks.number("a share", range.to_unit(y));
                }
                Ok(())
            },
        ),
        Target::saved(
            || {
                Ok(matrices()?
                    .iter()
                    .map(|m| MinMax::fit(m, &[0, 1, 3], &[0, 2]))
                    .collect::<Result<_, _>>()?)
            },
            |scaler: &mut MinMax, checks| {
                matrices()?.iter().for_each(|matrix| encoded(scaler.apply(matrix), checks));
                Ok(())
            },
        ),
        Target::saved(
            || {
                Ok(matrices()?
                    .iter()
                    .map(|m| Standardiser::fit(m, &[0, 1, 3], &[0, 2]))
                    .collect::<Result<_, _>>()?)
            },
            |scaler: &mut Standardiser, checks| {
                matrices()?.iter().for_each(|matrix| encoded(scaler.apply(matrix), checks));
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![OneHot::fit(["a", "b", "a"]), OneHot::fit(["x"])]),
            |encoder: &mut OneHot, checks| {
                checks.any_number(encoder.width() as f64);
                let names: Vec<String> = encoder.categories().map(str::to_owned).collect();
                encoded(encoder.apply(names.iter().map(String::as_str)), checks);
                encoded(encoder.apply(["unknown"]), checks);
                Ok(())
            },
        ),
        Target::saved(
            || Ok(vec![ExampleStream::new(5, 1, 0)?, ExampleStream::of(vec![2, 0, 1])]),
            |stream: &mut ExampleStream, checks| {
                checks.any_number(stream.len() as f64);
                stream.take(20).for_each(|i| checks.any_number(i as f64));
                Ok(())
            },
        ),
        generator(|seed| Ok(DriftingClassification::new(3, 0.1, seed)?)),
        generator(|seed| Ok(DriftingRegression::new(3, 0.1, seed)?)),
        generator(|seed| Ok(LabelNoise::new(3, 0.1, seed)?)),
        generator(|seed| Ok(LinearRegression::new(3, seed)?)),
        generator(|seed| Ok(NoisyRegression::new(3, 0.5, seed)?)),
        generator(|seed| Ok(StumpMajority::new(4, 3, Some(3), seed)?)),
        Target::saved(
            || Ok(vec![TrueStump { column: 1, threshold: 0.5, sign: -1.0 }]),
            |stump: &mut TrueStump, checks| {
                if stump.column < MOST {
                    checks.any_number(stump.vote(&vec![0.25; stump.column + 1]));
                }
                Ok(())
            },
        ),
    ]
}
