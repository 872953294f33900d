//! A synthetic log of articles with features of their own, in Vowpal Wabbit's text, on standard output:
//! `examples/articles.vw.gz` is its output, compressed.
//!
//! A reader is shown one of five articles out of sixty. An article is read with probability 0.6 if its topic
//! is the reader's (sport below 35 years, politics from 50 on, science between) and its length suits the
//! device, else with 0.05. The logging policy shows the first of the five with probability 0.4, the others
//! with 0.15 each. It earns 0.11 a row; the best policy earns 0.32.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

const TOPICS: [&str; 4] = ["sport", "science", "politics", "travel"];
const DEVICES: [&str; 2] = ["phone", "laptop"];
const ROWS: usize = 4000;

fn main() {
    print!("{}", articles());
}

fn articles() -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let all: Vec<(usize, u32)> =
        (0..60).map(|k| (k % TOPICS.len(), 100 * rng.random_range(2..16_u32))).collect();
    let mut text = String::new();
    for _ in 0..ROWS {
        let (age, device) = (rng.random_range(18..75_u32), rng.random_range(0..DEVICES.len()));
        let topic = if age < 35 { 0 } else { 1 + usize::from(age >= 50) };
        let mut offered = [0; 5];
        for place in 0..offered.len() {
            // Five different ones.
            offered[place] = loop {
                let k = rng.random_range(0..all.len());
                if !offered[..place].contains(&k) {
                    break k;
                }
            };
        }
        let shown = if rng.random::<f64>() < 0.4 { 0 } else { rng.random_range(1..5) };
        let p = if shown == 0 { 0.4 } else { 0.15 };
        let (of_article, words) = all[offered[shown]];
        let suits = of_article == topic && (device == 0) == (words < 800);
        let cost = -i32::from(rng.random::<f64>() < if suits { 0.6 } else { 0.05 });
        let _ = writeln!(text, "shared |reader age:{age} device={}", DEVICES[device]);
        for (place, k) in offered.into_iter().enumerate() {
            let (topic, words) = all[k];
            let label = if place == shown { format!("0:{cost}:{p} ") } else { String::new() };
            let _ = writeln!(text, "{label}'a{k} |article topic={} words:{words}", TOPICS[topic]);
        }
        text.push('\n');
    }
    text
}

#[test]
fn the_committed_file_is_the_output() {
    use std::io::Read;
    let mut text = String::new();
    let packed = &include_bytes!("../articles.vw.gz")[..];
    let read = flate2::read::GzDecoder::new(packed).read_to_string(&mut text);
    assert!(read.is_ok() && text == articles(), "examples/articles.vw.gz is another log");
}
