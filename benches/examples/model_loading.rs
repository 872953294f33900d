//! Milliseconds to load a model file, beside which `benches/peers/model_files.py` sets XGBoost's UBJ.
//!
//! ```text
//! cargo run --release -p benches --example model_loading -- MODEL
//! ```
//!
//! Trees, leaves, and the median of 25 loads from the file to a policy that can be asked.

use ocoboost::Model;
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let model = Model::load(&path)?;
        let mut times: Vec<f64> = Vec::new();
        for _ in 0..25 {
            let begun = Instant::now();
            black_box(Model::load(&path)?);
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        println!("{}\t{}\t{}", model.record().trees, model.record().leaves, times[times.len() / 2]);
    }
    Ok(())
}
