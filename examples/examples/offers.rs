//! A synthetic log with a known answer, as CSV on standard output: `examples/offers.csv` is its output.
//!
//! One of three offers pays with probability 0.7, the others with 0.1. The best offer depends on age, income
//! and device. The logging policy shows travel half of the time. It earns 0.3 a row; the best policy earns
//! 0.7.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    print!("{}", offers());
}

fn offers() -> String {
    let mut text = String::from("age,income,device,action,propensity,reward\n");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..6000 {
        let (age, income) = (18.0 + 60.0 * rng.random::<f64>(), 100.0 * rng.random::<f64>());
        let device = ["phone", "tablet", "watch"][rng.random_range(0..3)];
        let best = if age < 35.0 { 0 } else { 1 + usize::from(income < 40.0 || device == "watch") };
        let (shown, propensity) = match rng.random::<f64>() {
            u if u < 0.5 => (1, 0.5),
            u if u < 0.75 => (0, 0.25),
            _ => (2, 0.25),
        };
        let pays = rng.random::<f64>() < if shown == best { 0.7 } else { 0.1 };
        let offer = ["music", "travel", "tools"][shown];
        let row = format!("{age:.1},{income:.1},{device},{offer},{propensity},{}\n", u8::from(pays));
        text.push_str(&row);
    }
    text
}

#[test]
fn the_committed_file_is_the_output() {
    assert!(offers() == include_str!("../offers.csv"), "examples/offers.csv is another log");
}
