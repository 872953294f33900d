//! Inputs close to valid ones: one to three changes of a seed, each described in words.

mod binary;
mod json;
mod text;

use super::target::Format;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The largest size of an input, in bytes.
const MOST_BYTES: usize = 1 << 18;

/// A mutated seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The input.
    pub bytes: Vec<u8>,
    /// The changes, in order.
    pub changes: Vec<String>,
}

/// The cases of a target. The first ones are the unchanged seeds.
///
/// A target has its own random stream, which depends only on its name; a case is a position in this stream.
#[derive(Debug)]
pub struct Cases {
    format: Format,
    seeds: Vec<Seed>,
    stream: ChaCha8Rng,
}

/// An input that is changed.
#[derive(Debug)]
struct Seed {
    bytes: Vec<u8>,
    /// Where the format is JSON, and the bytes are.
    json: Option<json::Parsed>,
}

impl Seed {
    fn of(format: Format, bytes: &[u8]) -> Self {
        let json = if format == Format::Json { json::Parsed::of(bytes) } else { None };
        Self { bytes: bytes.to_vec(), json }
    }
}

impl Cases {
    /// The cases of a run with this seed.
    #[must_use]
    pub fn new(target: &str, format: Format, seeds: &[Vec<u8>], seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream(target));
        Self { format, seeds: seeds.iter().map(|bytes| Seed::of(format, bytes)).collect(), stream: rng }
    }

    /// The number of the cases that are seeds.
    #[must_use]
    pub fn seeds(&self) -> usize {
        self.seeds.len()
    }

    /// Case `number`.
    #[must_use]
    pub fn case(&self, number: u64) -> Case {
        if let Some(seed) = usize::try_from(number).ok().and_then(|k| self.seeds.get(k)) {
            return Case { bytes: seed.bytes.clone(), changes: vec![format!("seed {number} as it is")] };
        }
        let mut rng = self.stream.clone();
        rng.set_word_pos(u128::from(number) << 24);
        let Some(first) = pick(&self.seeds, &mut rng) else {
            return Case { bytes: Vec::new(), changes: Vec::new() };
        };
        let other = pick(&self.seeds, &mut rng).unwrap_or(first);
        changed(self.format, first, other, &mut rng)
    }
}

/// An input with one to three changes, as libFuzzer asks for them; `seeds` lend parts.
#[must_use]
pub fn mutated(format: Format, input: &[u8], seeds: &[Vec<u8>], seed: u64) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let other = pick(seeds, &mut rng).map_or(input, Vec::as_slice);
    changed(format, &Seed::of(format, input), &Seed::of(format, other), &mut rng)
}

fn changed(format: Format, first: &Seed, other: &Seed, rng: &mut ChaCha8Rng) -> Case {
    let count = [1, 1, 1, 1, 2, 2, 3][rng.random_range(0..7)];
    let mut changes = Vec::new();
    // One of ten is changed as text.
    let by_structure = format == Format::Json && rng.random_range(0..10) > 0;
    let mut bytes = match (format, &first.json, &other.json) {
        (Format::Binary, ..) => binary::mutate(&first.bytes, &other.bytes, count, &mut changes, rng),
        (_, Some(first), Some(other)) if by_structure => json::mutate(first, other, count, &mut changes, rng),
        _ => text::mutate(&first.bytes, &other.bytes, count, &mut changes, rng),
    };
    bytes.truncate(MOST_BYTES);
    Case { bytes, changes }
}

/// FNV-1a, so that a stream depends on the name and not on the position in the list.
fn stream(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A random element.
fn pick<'a, T>(items: &'a [T], rng: &mut ChaCha8Rng) -> Option<&'a T> {
    if items.is_empty() { None } else { items.get(rng.random_range(0..items.len())) }
}

/// A random index into a list of this length; 0 for an empty list.
fn place(length: usize, rng: &mut ChaCha8Rng) -> usize {
    if length == 0 { 0 } else { rng.random_range(0..length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_depends_only_on_name_seed_and_number() {
        let seeds = [br#"{"a":[1.5,2,3],"b":{"c":"d","e":null}}"#.to_vec(), b"[0]".to_vec()];
        for format in [Format::Json, Format::Text, Format::Binary] {
            assert_eq!(Cases::new("t", format, &seeds, 1).case(1).bytes, seeds[1]);
            let cases = |name: &str, seed| -> Vec<Case> {
                let cases = Cases::new(name, format, &seeds, seed);
                // In another order, too: a case does not depend on those before.
                let last = cases.case(199);
                let all: Vec<Case> = (2..200).map(|number| cases.case(number)).collect();
                assert_eq!(all.last(), Some(&last));
                all
            };
            assert_eq!(cases("t", 1), cases("t", 1));
            assert_ne!(cases("t", 1), cases("u", 1));
            assert_ne!(cases("t", 1), cases("t", 2));
            let changed = cases("t", 1).iter().filter(|case| !seeds.contains(&case.bytes)).count();
            assert!(changed > 150, "{format:?}: {changed}");
            assert!(cases("t", 1).iter().all(|case| !case.changes.is_empty()));
            // A long line, changed up to three times: intermediate values fit into a worker's memory.
            let long = [vec![b'1'; 20_000]];
            let cases = Cases::new("t", format, &long, 1);
            let most = (2..400).map(|number| cases.case(number).bytes.len()).max();
            assert!(most <= Some(MOST_BYTES), "{most:?}");
        }
    }
}
