//! A log of decisions made of the letters: `examples/letter-log.csv.gz` to learn from, and
//! `examples/letter-log-later.csv.gz`, later rows to judge on, are its output.
//!
//! Each row of the data set Letter Recognition is an image of a capital letter as 16 small numbers. A policy
//! names a letter, and earns 1 if it is the right one. The logging policy is the softmax of a logistic
//! regression on the first 1,000 rows, mixed with a tenth of the uniform policy. Its probabilities are whole
//! ten-thousandths, so that the propensities of the file are exact.

use datasets::{Name, Provenance, SearchPath, StandIn, Targets, load};
use flate2::Compression;
use flate2::write::GzEncoder;
use off_policy::policies::{EpsilonGreedy, LogisticTraining, Policy, Softmax};
use off_policy::{ActionSet, LabelSets};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;

/// The rows that the logging policy is learnt from, those of the log, and the later ones.
const LEARNT: Range<usize> = 0..1_000;
const FILES: [(&str, Range<usize>); 2] =
    [("letter-log.csv.gz", 1_000..11_000), ("letter-log-later.csv.gz", 11_000..15_000)];
const COLUMNS: &str = "x-box,y-box,width,high,onpix,x-bar,y-bar,x2bar,y2bar,xybar,x2ybr,xy2br,x-ege,xegvy,\
                       y-ege,yegvx,action,propensity,reward\n";
/// λ of the regression, for a policy that earns a quarter.
const RIDGE: f64 = 0.02;
/// The unit of a probability.
const UNITS: u32 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "examples".to_owned());
    for (name, text) in logs()? {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(text.as_bytes())?;
        std::fs::write(format!("{folder}/{name}"), packed.finish()?)?;
        let rewards = text.lines().skip(1).filter(|line| line.ends_with(",1")).count();
        println!("{name}: {} rows, {rewards} of them earned 1", text.lines().count() - 1);
    }
    Ok(())
}

/// The names and the contents of the files.
fn logs() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    let letters = load(Name::Letter, &SearchPath::from_environment(None)?, StandIn { seed: 0, rows: None })?;
    let Targets::Classes { indices, names } = &letters.targets else { return Err("no classes".into()) };
    if !matches!(letters.provenance, Provenance::Official { .. }) {
        return Err("the official file is missing".into());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let labels = LabelSets::single(names.len(), &indices[LEARNT])?;
    let training = LogisticTraining::builder().ridge(RIDGE).build()?;
    let model = training.fit(&letters.features.select(LEARNT)?, &labels, &mut rng)?.model;
    let policy = EpsilonGreedy::new(Softmax::new(model, 1.0)?, 0.1)?;
    let (all, mut pi) = (ActionSet::all(names.len())?, vec![0.0; names.len()]);
    let mut logs = Vec::new();
    for (file, rows) in FILES {
        let mut text = COLUMNS.to_owned();
        for (x, label) in letters.features.select(rows.clone())?.iter().zip(&indices[rows]) {
            policy.probabilities(x, all, &mut pi)?;
            let (action, units) = draw(&in_units(&pi), &mut rng);
            x.for_each(|_, value| _ = write!(text, "{value},"));
            let (p, reward) = (f64::from(units) / f64::from(UNITS), u8::from(action == *label as usize));
            writeln!(text, "{},{p},{reward}", names[action])?;
        }
        logs.push((file, text));
    }
    Ok(logs)
}

/// Probabilities in units, rounded down; the largest one has the rest.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 10,000")]
fn in_units(pi: &[f64]) -> Vec<u32> {
    let mut units: Vec<u32> = pi.iter().map(|p| (p * f64::from(UNITS)) as u32).collect();
    let rest = UNITS - units.iter().sum::<u32>();
    if let Some(largest) = units.iter_mut().max() {
        *largest += rest;
    }
    units
}

/// An action, and its probability in units.
fn draw(units: &[u32], rng: &mut ChaCha8Rng) -> (usize, u32) {
    let mut left = rng.random_range(0..UNITS);
    for (action, units) in units.iter().enumerate() {
        if left < *units {
            return (action, *units);
        }
        left -= units;
    }
    unreachable!("the units of all actions are {UNITS}")
}

#[test]
fn the_committed_files_are_the_output() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, text) in logs().unwrap() {
        let mut committed = String::new();
        let file = std::fs::File::open(folder.join(name)).unwrap();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut committed).unwrap();
        assert!(committed == text, "examples/{name} is another log");
    }
}
