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

/// Case `number` of a target. The first cases are the unchanged seeds.
///
/// A target has its own random stream, which depends only on its name; a case is a position in this stream.
#[must_use]
pub fn case(target: &str, format: Format, seeds: &[Vec<u8>], seed: u64, number: u64) -> Case {
    if let Some(bytes) = usize::try_from(number).ok().and_then(|k| seeds.get(k)) {
        return Case { bytes: bytes.clone(), changes: vec![format!("seed {number} as it is")] };
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream(target));
    rng.set_word_pos(u128::from(number) << 24);
    let Some(first) = pick(seeds, &mut rng) else { return Case { bytes: Vec::new(), changes: Vec::new() } };
    changed(format, first, seeds, &mut rng)
}

/// An input with one to three changes, as libFuzzer asks for them; `seeds` lend parts.
#[must_use]
pub fn mutated(format: Format, input: &[u8], seeds: &[Vec<u8>], seed: u64) -> Case {
    changed(format, input, seeds, &mut ChaCha8Rng::seed_from_u64(seed))
}

fn changed(format: Format, first: &[u8], seeds: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Case {
    let other = pick(seeds, rng).map_or(first, Vec::as_slice);
    let count = [1, 1, 1, 1, 2, 2, 3][rng.random_range(0..7)];
    let mut changes = Vec::new();
    let mut bytes = match format {
        Format::Json if rng.random_range(0..10) > 0 => json::mutate(first, other, count, &mut changes, rng),
        Format::Json | Format::Text => text::mutate(first, other, count, &mut changes, rng),
        Format::Binary => binary::mutate(first, other, count, &mut changes, rng),
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
            assert_eq!(case("t", format, &seeds, 1, 1).bytes, seeds[1]);
            let cases = |name: &str, seed| -> Vec<Case> {
                (2..200).map(|number| case(name, format, &seeds, seed, number)).collect()
            };
            assert_eq!(cases("t", 1), cases("t", 1));
            assert_ne!(cases("t", 1), cases("u", 1));
            assert_ne!(cases("t", 1), cases("t", 2));
            let changed = cases("t", 1).iter().filter(|case| !seeds.contains(&case.bytes)).count();
            assert!(changed > 150, "{format:?}: {changed}");
            assert!(cases("t", 1).iter().all(|case| !case.changes.is_empty()));
            // A long line, changed up to three times: intermediate values fit into a worker's memory.
            let long = [vec![b'1'; 20_000]];
            let most = (2..400).map(|number| case("t", format, &long, 1, number).bytes.len()).max();
            assert!(most <= Some(MOST_BYTES), "{most:?}");
        }
    }
}
