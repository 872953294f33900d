//! The mathematics two ways: by the code under test, and by a definition or another path, on small instances
//! made of bytes.

mod estimators;
mod exact;
mod projections;
mod resumed;
mod rows;
mod trees;

use super::Target;
use crate::draw::Draw;
use crate::target::Format;
use crate::verdict::{AnyError, Complaint, Verdict};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(super) fn all() -> Vec<Target> {
    let mut list = vec![projections::target(), estimators::target()];
    list.extend(trees::all());
    list.extend(rows::all());
    list.extend(resumed::all());
    list
}

/// A target of two ways; an instance that the code refuses is refused.
fn target(name: &str, judge: fn(&mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError>) -> Target {
    let verdict = move |input: &[u8]| match judge(&mut Draw::new(input)) {
        Ok(found) => found.map_or_else(Verdict::Faulty, |()| Verdict::Accepted),
        Err(error) => {
            std::hint::black_box(error.to_string());
            Verdict::Refused
        }
    };
    let seeds = move || Ok(drawn().filter(|bytes| verdict(bytes) == Verdict::Accepted).take(6).collect());
    Target::reader(name, Format::Binary, seeds, verdict).of_any_bytes()
}

/// Bytes of a fixed generator, some short and some long.
pub(super) fn drawn() -> impl Iterator<Item = Vec<u8>> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    (0..60).map(move |k| {
        let mut bytes = vec![0; [16, 64, 160, 300][k % 4]];
        rng.fill_bytes(&mut bytes);
        bytes
    })
}

fn law(law: &'static str, holds: bool, detail: impl FnOnce() -> String) -> Result<(), Complaint> {
    if holds { Ok(()) } else { Err(Complaint { law, detail: detail() }) }
}
