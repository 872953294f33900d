//! Changes of bytes, including numbers of one, two, four and eight bytes.

use super::{pick, place};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Numbers that may overflow a length or an offset.
const NUMBERS: [u64; 14] = [
    0,
    1,
    2,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    u64::MAX,
];

pub(super) fn mutate(
    seed: &[u8],
    other: &[u8],
    count: usize,
    changes: &mut Vec<String>,
    rng: &mut ChaCha8Rng,
) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..count {
        let change = change(&mut bytes, other, rng);
        changes.push(change);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], rng: &mut ChaCha8Rng) -> String {
    let mut at = place(bytes.len() + 1, rng);
    match rng.random_range(0..8) {
        0 => {
            bytes.truncate(at);
            format!("cut to {at} bytes")
        }
        1 => {
            let from = place(other.len() + 1, rng);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
            format!("{at} bytes, then another seed from byte {from}")
        }
        2 => {
            let more = rng.random_range(1..64);
            bytes.extend(std::iter::repeat_n(rng.random_range(0..=255_u8), more));
            format!("{more} bytes more")
        }
        3 => {
            let end = (at + rng.random_range(1..16)).min(bytes.len());
            bytes.drain(at..end);
            format!("without bytes {at} to {end}")
        }
        4 if !bytes.is_empty() => {
            let at = place(bytes.len(), rng);
            bytes[at] = rng.random_range(0..=255);
            format!("byte {at} := {}", bytes[at])
        }
        _ => {
            // Headers and trailers are near the ends.
            let near = rng.random_range(0..64);
            match rng.random_range(0..4) {
                0 => at = near.min(bytes.len()),
                1 => at = bytes.len().saturating_sub(near),
                _ => {}
            }
            let number = pick(&NUMBERS, rng).copied().unwrap_or_default();
            let width = [1, 2, 4, 8][rng.random_range(0..4)];
            let big = rng.random_range(0..2) == 0;
            let written = if big { number.to_be_bytes() } else { number.to_le_bytes() };
            let written = if big { &written[8 - width..] } else { &written[..width] };
            bytes[at..].iter_mut().zip(written).for_each(|(byte, &new)| *byte = new);
            format!("{width} bytes at {at} := {number} {}", if big { "big-endian" } else { "little-endian" })
        }
    }
}
