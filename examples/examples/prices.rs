//! Pricing from takings alone: a shop sets a price for each customer and sees only what it takes, never the demand.
//!
//! Synthetic demand: a customer with features x buys an amount a(x) − p at price p, so a price takes p·(a(x) − p) and the
//! best one is a(x)/2. The shop may quote a few prices near its own to similar customers: those are the queries.

use boosters::feedback::Noise;
use boosters::gradient::{BanditGradientBoosting, Queries};
use oco_core::StepSchedule;
use projections::BoxSet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::Row;
use std::error::Error;
use weak_learners::{BanditPredictor, OgdLinear, Shape};

fn main() -> Result<(), Box<dyn Error>> {
    let stream = |number| {
        let mut rng = ChaCha8Rng::seed_from_u64(2026);
        rng.set_stream(number);
        rng
    };
    let (mut customers, mut noise_rng, noise) = (stream(0), stream(1), Noise::uniform(0.05)?);
    let weak = OgdLinear::new(Shape { inputs: 3, outputs: 1 }, StepSchedule::power(0.05, 0.3)?, 1.0)?;
    let queries = Queries { delta: 0.2, rng: stream(2) };
    let mut shop = BanditGradientBoosting::new(vec![weak; 15], BoxSet::interval(0.0, 1.0)?, 1.0, queries)?;

    println!("customers   takings of the shop   of the best price   of one price for all");
    let (mut ours, mut best, mut flat) = (0.0, 0.0, 0.0);
    for t in 1..=20_000_u32 {
        let x = [customers.random::<f64>(), customers.random::<f64>(), 1.0];
        let appetite = 0.4 + 0.9 * x[0] + 0.5 * x[1];
        let takings = |price: f64| price * (appetite - price);
        // The loss of a price is what it failed to take; the shop hears it with noise.
        let price = shop.round(Row::dense(&x)?, &mut |p| -takings(p[0]) + noise.draw(&mut noise_rng))?[0];
        ours += takings(price);
        best += takings(appetite / 2.0);
        flat += takings(0.55);
        if t % 5000 == 0 {
            println!("{t:9}   {:19.3}   {:17.3}   {:20.3}", ours / 5000.0, best / 5000.0, flat / 5000.0);
            (ours, best, flat) = (0.0, 0.0, 0.0);
        }
    }
    Ok(())
}
