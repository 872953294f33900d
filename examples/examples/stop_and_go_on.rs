//! A learner saved in the middle of a stream, loaded, and continued: bit for bit equal to an uninterrupted
//! learner.

use boosters::gradient::{BanditGradientBoosting, Queries};
use boosters::saved::{load, save};
use oco_core::StepSchedule;
use projections::BoxSet;
use rand::SeedableRng;
use rows::Row;
use std::error::Error;
use std::ops::Range;
use weak_learners::{BanditPredictor, OgdLinear, Shape};

type Booster = BanditGradientBoosting<OgdLinear, BoxSet>;

fn rounds(booster: &mut Booster, rounds: Range<u32>) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut played = Vec::new();
    for t in rounds {
        let x = [f64::from(t).sin(), 1.0];
        let answer = |y: &[f64]| (y[0] - 0.5 * x[0]).powi(2);
        played.push(booster.round(Row::dense(&x)?, &mut |y| answer(y))?[0]);
    }
    Ok(played)
}

fn main() -> Result<(), Box<dyn Error>> {
    let weak = OgdLinear::new(Shape { inputs: 2, outputs: 1 }, StepSchedule::power(0.05, 0.3)?, 1.0)?;
    let queries = Queries { delta: 0.5, rng: rand_chacha::ChaCha8Rng::seed_from_u64(1) };
    let mut booster = Booster::new(vec![weak; 10], BoxSet::interval(-1.0, 1.0)?, 1.0, queries)?;
    rounds(&mut booster, 0..1000)?;

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("booster.json");
    save(&path, "bandit-gradient-boosting", &booster)?;
    let mut loaded: Booster = load(&path, "bandit-gradient-boosting")?;

    let (went_on, resumed) = (rounds(&mut booster, 1000..2000)?, rounds(&mut loaded, 1000..2000)?);
    assert_eq!(went_on, resumed);
    println!("1000 rounds after the stop, {} plays are the same to the last bit", resumed.len());
    Ok(())
}
