//! The targets of the crate `fuzzing` under libFuzzer.
//!
//! `fuzzing::guided` has everything but the hooks. Run it with `cargo xtask fuzz --guided`.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

#[global_allocator]
static ALLOCATOR: fuzzing::Counting = fuzzing::Counting;

fuzz_target!(init: fuzzing::guided::begin(), |input: &[u8]| fuzzing::guided::attack(input));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match fuzzing::guided::structured(&data[..size], max_size.min(data.len()), seed) {
        Some(changed) => {
            data[..changed.len()].copy_from_slice(&changed);
            changed.len()
        }
        None => fuzzer_mutate(data, size, max_size),
    }
});
